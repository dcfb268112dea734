// Memory objects over memory that exists already (cl_khr_external_memory, cl_khr_external_memory_opaque_fd,
// cl_khr_external_memory_dma_buf): a descriptor that can be mapped, such as a memfd or a dma-buf.
// docs/adr/0031-dma-bufs.md
#ifndef WEFT_RUNTIME_EXTERNAL_MEMORY_H
#define WEFT_RUNTIME_EXTERNAL_MEMORY_H

#include "runtime/memory/memory.h"

// What an object's properties say about external memory. The lists belong to the application or to the
// object.
struct weft_external {
    bool given;
    bool is_dma_buf; // the properties say that it is a dma-buf
    int fd;          // owned by Weft once the object exists
    // The device list, closed by 0. NULL: all devices of the context.
    const cl_mem_properties *first;
};

// The types of handles that can be imported.
#define WEFT_EXTERNAL_HANDLES 2
extern const cl_uint weft_external_handles[WEFT_EXTERNAL_HANDLES];

// The property after p, whatever its length. p must not be the closing 0.
const cl_mem_properties *weft_mem_property_next(const cl_mem_properties *p);
// Is it a property of cl_khr_external_memory, and does the reported version have that extension?
bool weft_external_property(cl_mem_properties name);
// Reads the properties about external memory and ignores others. properties: NULL or closed by 0.
void weft_external_read(const cl_mem_properties *properties, struct weft_external *out);
// May commands of this device use the object? Always true for objects without external memory.
bool weft_external_has_device(const struct weft_mem *m, const struct weft_device *d);

// Maps `size` bytes of the descriptor's memory, shared with everybody who has it. NULL with *error:
// CL_INVALID_PROPERTY (it can't be mapped for reading and writing, or isn't a dma-buf though the properties
// say so), CL_INVALID_BUFFER_SIZE (it is smaller), CL_MEM_OBJECT_ALLOCATION_FAILURE.
void *weft_external_map(const struct weft_external *e, size_t size, cl_int *error);
void weft_external_unmap(void *at, size_t size);
// Called when the object exists: closes the descriptor, which the application has handed over. The mapping
// keeps the memory.
void weft_external_taken(const struct weft_external *e);

#endif
