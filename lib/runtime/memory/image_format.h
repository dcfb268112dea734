// The formats of images: which there are, how their texels lie in memory, and how colours become texels.
#ifndef WEFT_RUNTIME_IMAGE_FORMAT_H
#define WEFT_RUNTIME_IMAGE_FORMAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runtime/core/cl.h"

// A format that the device has (memory/image_format.c).
struct weft_image_format {
    cl_image_format cl;
    uint8_t texel_bytes, coding, order;
    bool both;  // a kernel may read and write it (read_write)
    bool depth; // for 2D images and arrays of them
};

extern const struct weft_image_format weft_image_formats[];
extern const size_t weft_image_format_count;

// Is it one that the specification knows, whether the device has it or not?
bool weft_image_format_is_valid(const cl_image_format *f);
// NULL: the device doesn't have it for this type of image.
const struct weft_image_format *weft_image_format_find(const cl_image_format *f, cl_mem_object_type type);
// Can images of this type and with these CL_MEM_* access flags have it?
bool weft_image_format_fits(const struct weft_image_format *f, cl_mem_object_type type, cl_mem_flags flags);
// Texels that share bytes, at which rows and regions begin and end: four of RAW10, two of RAW12, else one; and their bytes.
size_t weft_image_format_group(const struct weft_image_format *f);
size_t weft_image_format_group_bytes(const struct weft_image_format *f);
// What pitches are multiples of: a texel, where it has whole bytes.
size_t weft_image_pitch_unit(const struct weft_image_format *f);
// The bytes of so many texels in a row, whole groups. false: they don't fit in size_t.
bool weft_image_format_bytes(const struct weft_image_format *f, size_t texels, size_t *bytes);
// What a kernel is told to multiply coded numbers with.
float weft_image_format_scale(const struct weft_image_format *f);
// One group of texels of clEnqueueFillImage's colour (4 values; 1 for CL_DEPTH).
void weft_image_format_encode(const struct weft_image_format *f, const void *color, unsigned char texel[16]);

#endif
