// Argument checks of the calls on images (OpenCL 2.2 §5.3). No side effects.
#ifndef WEFT_CHECK_IMAGE_H
#define WEFT_CHECK_IMAGE_H

#include "runtime/command/queue.h"
#include "runtime/image/image.h"
#include "runtime/memory/transfer.h"

struct weft_image_request {
    cl_mem_flags flags; // inherited from the parent
    struct weft_image_part layout;
    size_t bytes;
    struct weft_mem *parent;
    struct weft_external external;
};

// Which table of errors applies: that of clCreateImage, or that of clCreateImage2D and clCreateImage3D in
// OpenCL 1.1.
enum weft_image_table {
    WEFT_IMAGE_TABLE,
    WEFT_IMAGE_TABLE_1_1,
};

// clCreateImageWithProperties and its predecessors. Fills *out. out->parent is held by the call.
cl_int weft_check_image_create(const struct weft_context *c, const cl_mem_properties *properties,
                               cl_mem_flags flags, const cl_image_format *format, const cl_image_desc *desc,
                               const void *host_ptr, enum weft_image_table table,
                               struct weft_image_request *out);

// clGetImageRequirementsInfoEXT (cl_ext_image_requirements_info). format and desc may be NULL.
struct weft_image_requirements {
    const struct weft_image_format *format; // NULL: format is NULL
    size_t bytes;                           // of the image's storage. 0: format or desc is NULL
};
cl_int weft_check_image_requirements(const cl_mem_properties *properties, cl_mem_flags flags,
                                     const cl_image_format *format, const cl_image_desc *desc,
                                     struct weft_image_requirements *out);
// The flags and the type of clGetSupportedImageFormats. CL_INVALID_VALUE.
cl_int weft_check_image_query(cl_mem_flags flags, cl_mem_object_type type);

// Checks that `queue` is a host queue, `image` is an image, and both are of one context, as are the events.
// Sets *q and *m on success.
cl_int weft_check_queue_image(cl_command_queue queue, cl_mem image, cl_uint wait_count,
                              const cl_event *wait_list, struct weft_queue **q, struct weft_mem **m);
// Checks a queue with two images, or with an image and a buffer in either order, for a copy. Sets *q, *s and
// *d on success.
cl_int weft_check_queue_image_pair(cl_command_queue queue, cl_mem src, bool src_is_image, cl_mem dst,
                                   bool dst_is_image, cl_uint wait_count, const cl_event *wait_list,
                                   struct weft_queue **q, struct weft_mem **s, struct weft_mem **d);
// Checks rules and bounds of origin and region, in texels, and the level of a mipmapped image.
// CL_INVALID_VALUE, CL_INVALID_MIP_LEVEL.
cl_int weft_check_image_region(const struct weft_mem *m, const size_t *origin, const size_t *region);
// Checks the host's side of a read or write: pitches, and that it ends within the address space. Fills *view,
// with default pitches in place of 0. CL_INVALID_VALUE.
cl_int weft_check_image_host(const struct weft_mem *m, const size_t *region, size_t row_pitch,
                             size_t slice_pitch, const void *ptr, struct weft_rect_view *view);
// The size in bytes of a region without gaps, for the buffer's side of a copy. False: it overflows.
bool weft_image_packed_bytes(const struct weft_mem *m, const size_t *region, size_t *bytes);
// Do two boxes of an image, both of size `region`, share a texel?
bool weft_image_boxes_overlap(const struct weft_mem *m, const size_t *a, const size_t *b,
                              const size_t *region);

#endif
