// Memory that exists already, as memory objects (cl_khr_external_memory, cl_khr_external_memory_opaque_fd,
// cl_khr_external_memory_dma_buf): a descriptor that can be mapped, such as a memfd or a dma-buf.
// docs/adr/0031-dma-bufs.md
#ifndef WEFT_RUNTIME_EXTERNAL_MEMORY_H
#define WEFT_RUNTIME_EXTERNAL_MEMORY_H

#include "runtime/memory/memory.h"

// What an object's properties say of it. The lists are the application's, or the object's.
struct weft_external {
    bool given;
    bool is_dma_buf;                // the application says so
    int fd;                         // ours once the object is there
    const cl_mem_properties *first; // of the device list, closed by 0; NULL: all devices of the context
};

// The types of handles that are imported.
#define WEFT_EXTERNAL_HANDLES 2
extern const cl_uint weft_external_handles[WEFT_EXTERNAL_HANDLES];

// The entry behind this one, whatever its length. Not of the closing 0.
const cl_mem_properties *weft_mem_property_next(const cl_mem_properties *p);
// Is it a name of cl_khr_external_memory's, and does the version that is reported have that?
bool weft_external_property(cl_mem_properties name);
// Reads them; what isn't external is passed over. properties: NULL or closed by 0.
void weft_external_read(const cl_mem_properties *properties, struct weft_external *out);
// May commands of this device use the object? Of what isn't external: yes.
bool weft_external_has_device(const struct weft_mem *m, const struct weft_device *d);

// `size` bytes of what the descriptor is of, shared with whoever has it too. NULL with *error: CL_INVALID_PROPERTY (it can't be
// mapped for reading and writing, or isn't a dma-buf and should be one), CL_INVALID_BUFFER_SIZE (there is less),
// CL_MEM_OBJECT_ALLOCATION_FAILURE.
void *weft_external_map(const struct weft_external *e, size_t size, cl_int *error);
void weft_external_unmap(void *at, size_t size);
// The object is there, and so the descriptor isn't the application's any more: its mapping holds the memory.
void weft_external_taken(const struct weft_external *e);

#endif
