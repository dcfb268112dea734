// Samplers: how kernels read images. OpenCL 2.2 §5.7.
#ifndef WEFT_RUNTIME_SAMPLER_H
#define WEFT_RUNTIME_SAMPLER_H

#include "runtime/device/context.h"

struct weft_sampler {
    struct weft_object obj;
    struct weft_context *context; // a reference
    cl_bool normalized;
    cl_addressing_mode addressing;
    cl_filter_mode filter;
    cl_filter_mode mip_filter;         // for mipmapped images
    float lod_min, lod_max;            // for mipmapped images
    uint64_t bits;                     // the sampler's value in kernels
    cl_sampler_properties *properties; // as given, with the closing 0; NULL: none given
    size_t property_count;
};

// What a sampler is created from. The values are checked (check/image.h).
struct weft_sampler_values {
    cl_bool normalized;
    cl_addressing_mode addressing;
    cl_filter_mode filter, mip_filter;
    float lod_min, lod_max;
};
// Creates a sampler. properties: NULL or closed by 0; copied. NULL: no memory.
struct weft_sampler *weft_sampler_create(struct weft_context *context,
                                         const cl_sampler_properties *properties,
                                         const struct weft_sampler_values *form);

void weft_sampler_destroy(struct weft_object *o); // for kinds.c

#endif
