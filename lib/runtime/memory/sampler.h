// Samplers: how kernels read images.
#ifndef WEFT_RUNTIME_SAMPLER_H
#define WEFT_RUNTIME_SAMPLER_H

#include "runtime/core/context.h"

struct weft_sampler {
    struct weft_object obj;
    struct weft_context *context; // a ref
    cl_bool normalized;
    cl_addressing_mode addressing;
    cl_filter_mode filter;
    cl_filter_mode mip_filter;         // of mipmapped images
    float lod_min, lod_max;            // the same
    uint64_t bits;                     // what kernels get
    cl_sampler_properties *properties; // as given, with the closing 0; NULL: none given
    size_t property_count;
};

// What samplers are made from: checked values (check/image.h).
struct weft_sampler_form {
    cl_bool normalized;
    cl_addressing_mode addressing;
    cl_filter_mode filter, mip_filter;
    float lod_min, lod_max;
};
// properties (NULL, or closed by 0) are copied. NULL: no memory.
struct weft_sampler *weft_sampler_create(struct weft_context *context,
                                         const cl_sampler_properties *properties,
                                         const struct weft_sampler_form *form);

void weft_sampler_destroy(struct weft_object *o); // for kinds.c

#endif
