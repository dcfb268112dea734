// Image formats: which are supported, how their texels lie in memory, and how colours become texels. OpenCL
// 2.2 §5.3.1.1.
#ifndef WEFT_RUNTIME_IMAGE_FORMAT_H
#define WEFT_RUNTIME_IMAGE_FORMAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runtime/core/cl.h"

// A format that the device supports.
struct weft_image_format {
    cl_image_format cl;
    uint8_t texel_bytes, coding, order;
    bool both;  // a kernel may read and write it (read_write)
    bool depth; // only for 2D images and arrays of them
};

extern const struct weft_image_format weft_image_formats[];
extern const size_t weft_image_format_count;

// Is it a format of the specification, whether the device supports it or not?
bool weft_image_format_is_valid(const cl_image_format *f);
// The name of a channel order or a channel type, such as "CL_RGBA". NULL: the specification has none.
const char *weft_image_channel_name(cl_uint value);
// NULL: the device doesn't support the format for this type of image.
const struct weft_image_format *weft_image_format_find(const cl_image_format *f, cl_mem_object_type type);
// Can images of this type with these CL_MEM_* access flags have the format?
bool weft_image_format_fits(const struct weft_image_format *f, cl_mem_object_type type, cl_mem_flags flags);
// The number of texels that share bytes, and their bytes: four texels of RAW10, two of RAW12, otherwise one.
// Rows and regions begin and end at a multiple of this number.
size_t weft_image_format_group(const struct weft_image_format *f);
size_t weft_image_format_group_bytes(const struct weft_image_format *f);
// Pitches are multiples of this, in bytes: of a texel if it has whole bytes, otherwise 1.
size_t weft_image_pitch_unit(const struct weft_image_format *f);
// The bytes of `texels` texels in a row; whole groups. False: they don't fit in size_t.
bool weft_image_format_bytes(const struct weft_image_format *f, size_t texels, size_t *bytes);
// The factor by which a kernel multiplies normalized channels.
float weft_image_format_scale(const struct weft_image_format *f);
// Encodes clEnqueueFillImage's colour (4 values; 1 for CL_DEPTH) as one group of texels.
void weft_image_format_encode(const struct weft_image_format *f, const void *color, unsigned char texel[16]);

#endif
