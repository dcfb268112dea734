// Images: memory objects whose bytes are texels. OpenCL 2.2 §5.3. What they share with buffers is in
// memory/memory.h.
//
// The folder image/ has images (this file), their formats (format.h) and samplers (sampler.h). Descriptions
// of images come in, which check/ has checked; memory objects go out, and regions in bytes: commands on
// images are commands on boxes of bytes (memory/transfer.h, memory/map.h). The folder doesn't know these
// commands, nor how kernels get images as arguments. It calls memory/, device/ and core/.
#ifndef WEFT_RUNTIME_IMAGE_H
#define WEFT_RUNTIME_IMAGE_H

#include "runtime/memory/external_memory.h"
#include "runtime/image/format.h"
#include "runtime/memory/transfer.h"
#include "weft/image.h"

// Limits that the device reports.
enum {
    WEFT_IMAGE_2D_MAX = 16384,
    WEFT_IMAGE_3D_MAX = 2048,
    WEFT_IMAGE_BUFFER_MAX = 1 << 27,
    WEFT_IMAGE_MAX_LAYERS = 2048,
    WEFT_IMAGE_MAX_ARGS = 128,
    WEFT_MAX_SAMPLERS = 16,
    WEFT_IMAGE_MAX_LEVELS = 15, // halving WEFT_IMAGE_2D_MAX down to 1
};

// One level of an image as a box of texels, and the distances between them.
struct weft_image_level {
    size_t offset; // bytes, of its first texel in the storage
    // Bytes, as clGetImageInfo reports them: 0 where the image has no such dimension.
    size_t row_pitch, slice_pitch;
    size_t extent[3];
    // Bytes, in each direction. In the first direction, from one group of texels to the next.
    size_t pitch[3];
};

// What an image has in addition to a buffer.
struct weft_image_part {
    // What kernels read about each level. Must be first.
    struct weft_image kernel[WEFT_IMAGE_MAX_LEVELS];
    const struct weft_image_format *format;
    // As clGetImageInfo reports them: 0 where the image has no such dimension.
    size_t width, height, depth, layers;
    cl_uint mip_levels; // as clGetImageInfo reports it
    size_t level_count; // at least 1
    struct weft_image_level levels[WEFT_IMAGE_MAX_LEVELS];
};

bool weft_image_is_array(cl_mem_object_type type);

// Computes the layout of an image with this description, including the pitches. *bytes: size of its storage.
// False: a size doesn't fit in size_t.
bool weft_image_lay_out(const struct weft_image_format *f, const cl_image_desc *d,
                        struct weft_image_part *out, size_t *bytes);
// Creates an image. Arguments are checked (check/image.h); layout is copied. parent: the buffer or image
// whose storage it shares, or NULL. external: the imported memory that it is made of, if external->given.
// NULL with *error: CL_INVALID_IMAGE_SIZE or CL_INVALID_HOST_PTR (the memory is too small), other errors of
// weft_buffer_import and weft_buffer_create, CL_OUT_OF_HOST_MEMORY.
struct weft_mem *weft_image_create(struct weft_context *context, const cl_mem_properties *properties,
                                   cl_mem_flags flags, cl_mem_object_type type,
                                   const struct weft_image_part *layout, size_t bytes,
                                   struct weft_mem *parent, const struct weft_external *external,
                                   void *host_ptr, cl_int *error);

// Finds the place of an origin. In a mipmapped image, the level follows the coordinates of the image's
// dimensions in `origin` (cl_khr_mipmap_image). False: there is no such level.
struct weft_image_place {
    const struct weft_image_level *level;
    size_t origin[3];
};
bool weft_image_place_of(const struct weft_mem *m, const size_t *origin, struct weft_image_place *out);

// The bytes of an image's texels from an origin on. The origin's level must exist.
struct weft_rect_view weft_image_view(const struct weft_mem *m, const size_t *origin);
// Converts a region in texels to one in bytes, as memory/transfer.h takes it.
void weft_image_region_bytes(const struct weft_mem *m, const size_t region[3], size_t bytes[3]);

#endif
