// Pipe objects (OpenCL 3.0 §5.4): initializes the memory that kernels use (weft/pipe.h). The host never reads
// packets.
#include "runtime/memory/pipe.h"

#include "base/base.h"
#include "runtime/device/context.h"
#include "runtime/memory/memory.h"
#include "weft/pipe.h"

#define PACKETS_ALIGN 128u // alignment of the largest built-in type

_Static_assert(sizeof(struct weft_pipe) == 192, "as OpenCL C has it");

static uint32_t places_of(cl_uint max_packets)
{
    uint32_t places = 1;
    while (places < max_packets)
        places *= 2;
    return places;
}

bool weft_pipe_layout(cl_uint packet_size, cl_uint max_packets, size_t *begin, size_t *bytes)
{
    size_t places, numbers, packets;
    if (max_packets > WEFT_PIPE_MAX_PACKETS)
        return false;
    places = places_of(max_packets);
    return weft_mul_size(places, sizeof(uint32_t), &numbers) &&
           weft_add_size(numbers, sizeof(struct weft_pipe), &numbers) &&
           weft_align_size(numbers, PACKETS_ALIGN, begin) && *begin <= UINT32_MAX &&
           weft_mul_size(places, packet_size, &packets) && weft_add_size(*begin, packets, bytes);
}

struct weft_mem *weft_pipe_create(struct weft_context *context, cl_mem_flags flags, cl_uint packet_size,
                                  cl_uint max_packets, cl_int *error)
{
    size_t begin, bytes;
    if (!weft_pipe_layout(packet_size, max_packets, &begin, &bytes)) {
        *error = CL_MEM_OBJECT_ALLOCATION_FAILURE;
        return NULL;
    }
    if (flags == 0)
        flags = CL_MEM_READ_WRITE | CL_MEM_HOST_NO_ACCESS;
    struct weft_mem *m = weft_buffer_create(context, NULL, flags, bytes, NULL, error);
    if (!m)
        return NULL;
    m->type = CL_MEM_OBJECT_PIPE;
    weft_mem_not_followed(m);
    struct weft_pipe *p = (struct weft_pipe *)(void *)m->data;
    uint32_t places = places_of(max_packets);
    *p = (struct weft_pipe){.packet_size = packet_size,
                            .max_packets = max_packets,
                            .mask = places - 1,
                            .packets_begin = (uint32_t)begin};
    // Not atomic: no other thread knows the pipe yet.
    _Atomic uint32_t *numbers = (_Atomic uint32_t *)(void *)(p + 1);
    for (uint32_t i = 0; i < places; i++)
        atomic_init(&numbers[i], i);
    return m;
}
