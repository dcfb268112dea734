// Images: memory objects whose bytes are texels. OpenCL 2.2 §5.3. What is common with buffers is in memory/memory.h.
#ifndef WEFT_RUNTIME_IMAGE_H
#define WEFT_RUNTIME_IMAGE_H

#include "runtime/memory/external_memory.h"
#include "runtime/memory/image_format.h"
#include "runtime/memory/transfer.h"
#include "weft/image.h"

// The limits that the device reports.
enum {
    WEFT_IMAGE_2D_MAX = 16384,
    WEFT_IMAGE_3D_MAX = 2048,
    WEFT_IMAGE_BUFFER_MAX = 1 << 27,
    WEFT_IMAGE_MAX_LAYERS = 2048,
    WEFT_IMAGE_MAX_ARGS = 128,
    WEFT_MAX_SAMPLERS = 16,
    WEFT_IMAGE_MAX_LEVELS = 15, // halving WEFT_IMAGE_2D_MAX down to 1
};

// One level of an image as a box: texels, and bytes from one to the next in each direction.
struct weft_image_level {
    size_t offset;                 // of its first texel in the storage
    size_t row_pitch, slice_pitch; // as clGetImageInfo tells them: 0 where there is no such dimension
    size_t extent[3];
    size_t pitch[3]; // in the first direction from a group of texels to the next
};

// What an image has beyond a buffer.
struct weft_image_part {
    struct weft_image kernel[WEFT_IMAGE_MAX_LEVELS]; // what kernels read of each level; first
    const struct weft_image_format *format;
    size_t width, height, depth, layers; // as clGetImageInfo tells them: 0 where there is no such dimension
    cl_uint mip_levels;                  // the same
    size_t level_count;                  // at least 1
    struct weft_image_level levels[WEFT_IMAGE_MAX_LEVELS];
};

bool weft_image_is_array(cl_mem_object_type type);

// The layout that an image of this description has; pitches filled in. false: a size doesn't fit in size_t.
// *bytes: of its storage.
bool weft_image_lay_out(const struct weft_image_format *f, const cl_image_desc *d,
                        struct weft_image_part *out, size_t *bytes);
// Arguments have been checked (check/image.h); layout is taken over. parent: the buffer or image whose storage it
// shares; NULL: none. external: of what imported memory it is made, if that is given. NULL with *error set: what
// weft_buffer_import says, CL_MEM_OBJECT_ALLOCATION_FAILURE, CL_OUT_OF_HOST_MEMORY.
struct weft_mem *weft_image_create(struct weft_context *context, const cl_mem_properties *properties,
                                   cl_mem_flags flags, cl_mem_object_type type,
                                   const struct weft_image_part *layout, size_t bytes,
                                   struct weft_mem *parent, const struct weft_external *external,
                                   void *host_ptr, cl_int *error);

// Where an origin lies. That of a mipmapped image has its level behind the coordinates, or in the place of the first that the type
// of image doesn't have (cl_khr_mipmap_image). false: there is no such level.
struct weft_image_place {
    const struct weft_image_level *level;
    size_t origin[3];
};
bool weft_image_place_of(const struct weft_mem *m, const size_t *origin, struct weft_image_place *out);

// The bytes of an image's texels from an origin on, whose level is there.
struct weft_rect_view weft_image_view(const struct weft_mem *m, const size_t *origin);
// A region in texels as the moves in memory/memory.h want it.
void weft_image_region_bytes(const struct weft_mem *m, const size_t region[3], size_t bytes[3]);

#endif
