// Argument checks of the calls on images and samplers (OpenCL 2.2 §5.3 and §5.7). Pure, as memory/memory.h's are.
#ifndef WEFT_CHECK_IMAGE_H
#define WEFT_CHECK_IMAGE_H

#include "runtime/command/queue.h"
#include "runtime/memory/image.h"
#include "runtime/memory/transfer.h"

struct weft_image_order_form {
    cl_mem_flags flags; // inherited from the parent
    struct weft_image_part layout;
    size_t bytes;
    struct weft_mem *parent;
    struct weft_external external;
};

// Whose table of errors holds: clCreateImage's, or that of clCreateImage2D and clCreateImage3D in OpenCL 1.1.
enum weft_image_table {
    WEFT_IMAGE_TABLE,
    WEFT_IMAGE_TABLE_1_1,
};

// clCreateImageWithProperties. Fills *out.
cl_int weft_check_image_create(const struct weft_context *c, const cl_mem_properties *properties,
                               cl_mem_flags flags, const cl_image_format *format, const cl_image_desc *desc,
                               const void *host_ptr, enum weft_image_table table,
                               struct weft_image_order_form *out);

// clGetImageRequirementsInfoEXT (cl_ext_image_requirements_info). Both format and desc may be NULL.
struct weft_image_wanted {
    const struct weft_image_format *format; // NULL: none given
    size_t bytes;                           // of the image's storage; 0: not both given
};
cl_int weft_check_image_requirements(const cl_mem_properties *properties, cl_mem_flags flags,
                                     const cl_image_format *format, const cl_image_desc *desc,
                                     struct weft_image_wanted *out);
// The flags of clGetSupportedImageFormats, and its type.
cl_int weft_check_image_query(cl_mem_flags flags, cl_mem_object_type type);

// A host queue and an image of one context; *q and *m are set on success.
cl_int weft_check_queue_image(cl_command_queue queue, cl_mem image, cl_uint wait_count,
                              const cl_event *wait_list, struct weft_queue **q, struct weft_mem **m);
// Two images, or an image and a buffer in either order.
cl_int weft_check_queue_image_pair(cl_command_queue queue, cl_mem src, bool src_is_image, cl_mem dst,
                                   bool dst_is_image, cl_uint wait_count, const cl_event *wait_list,
                                   struct weft_queue **q, struct weft_mem **s, struct weft_mem **d);
// origin and region in texels: rules and bounds; the level of a mipmapped image.
cl_int weft_check_image_region(const struct weft_mem *m, const size_t *origin, const size_t *region);
// The host's side of a read or write: pitches with defaults filled in, and that its end is in the address space.
cl_int weft_check_image_host(const struct weft_mem *m, const size_t *region, size_t row_pitch,
                             size_t slice_pitch, const void *ptr, struct weft_rect_view *view);
// The bytes of a region put together, for the buffer's side of a copy. The product may overflow.
bool weft_image_packed_bytes(const struct weft_mem *m, const size_t *region, size_t *bytes);
// Do two boxes of an image, of one region's size, share a texel?
bool weft_image_boxes_overlap(const struct weft_mem *m, const size_t *a, const size_t *b,
                              const size_t *region);

#endif
