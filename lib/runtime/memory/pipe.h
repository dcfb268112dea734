// Pipe objects: memory objects that only kernels use. OpenCL 3.0 §5.4. weft/pipe.h describes their memory.
#ifndef WEFT_RUNTIME_PIPE_H
#define WEFT_RUNTIME_PIPE_H

#include "runtime/memory/memory.h"
#include "weft/pipe.h"

// Creates a pipe. Arguments are checked (check/pipe.c). NULL with *error: errors of weft_buffer_create.
struct weft_mem *weft_pipe_create(struct weft_context *context, cl_mem_flags flags, cl_uint packet_size,
                                  cl_uint max_packets, cl_int *error);

static inline bool weft_mem_is_pipe(const struct weft_mem *m)
{
    return m->type == CL_MEM_OBJECT_PIPE;
}

// The description of the pipe at the beginning of its memory.
static inline const struct weft_pipe *weft_pipe_of(const struct weft_mem *m)
{
    return (const struct weft_pipe *)(const void *)m->data;
}

// *bytes: the size of a pipe's memory; *begin: the offset of its packets, in bytes. False: too many packets.
bool weft_pipe_layout(cl_uint packet_size, cl_uint max_packets, size_t *begin, size_t *bytes);

#endif
