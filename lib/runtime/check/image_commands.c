// Checks of the commands on images. Each check quotes its sentence of the specification. No state.
#include "base/base.h"
#include "runtime/check/image.h"
#include "runtime/check/memory.h"
#include "runtime/command/queue.h"
#include "runtime/command/wait_list.h"
#include "runtime/core/diagnostics.h"
#include "runtime/core/object.h"
#include "runtime/image/image.h"
#include "runtime/image/format.h"
#include "runtime/memory/memory.h"
#include "runtime/memory/transfer.h"

static cl_int check_context_of(const struct weft_queue *q, cl_mem handle)
{
    const struct weft_mem *m = weft_mem_of(handle);
    return m && m->context != q->context
               ? weft_error(CL_INVALID_CONTEXT, "the memory object is of another context than the queue")
               : CL_SUCCESS;
}

static struct weft_mem *of_kind(cl_mem handle, bool image)
{
    struct weft_mem *m = weft_mem_of(handle);
    return m && (image ? m->image != NULL : m->type == CL_MEM_OBJECT_BUFFER) ? m : NULL;
}

cl_int weft_check_queue_image(cl_command_queue queue, cl_mem image, cl_uint wait_count,
                              const cl_event *wait_list, struct weft_queue **q, struct weft_mem **m)
{
    // "CL_INVALID_COMMAND_QUEUE if command_queue is not a valid host command-queue."
    *q = weft_queue_of(queue);
    if (!*q)
        return CL_INVALID_COMMAND_QUEUE;
    // "CL_INVALID_CONTEXT if the context associated with command_queue and image are not the same or if the
    // context associated with command_queue and events in event_wait_list are not the same."
    cl_int error = check_context_of(*q, image);
    if (!error)
        error = weft_check_wait_context((*q)->context, wait_count, wait_list);
    // "CL_INVALID_MEM_OBJECT if image is not a valid image object."
    *m = of_kind(image, true);
    return error ? error
           : *m  ? CL_SUCCESS
                 : weft_error(CL_INVALID_MEM_OBJECT, "image is no image, or it has been released");
}

cl_int weft_check_queue_image_pair(cl_command_queue queue, cl_mem src, bool src_is_image, cl_mem dst,
                                   bool dst_is_image, cl_uint wait_count, const cl_event *wait_list,
                                   struct weft_queue **q, struct weft_mem **s, struct weft_mem **d)
{
    *q = weft_queue_of(queue);
    if (!*q)
        return CL_INVALID_COMMAND_QUEUE;
    cl_int error = check_context_of(*q, src);
    if (!error)
        error = check_context_of(*q, dst);
    if (!error)
        error = weft_check_wait_context((*q)->context, wait_count, wait_list);
    if (error)
        return error;
    *s = of_kind(src, src_is_image);
    *d = of_kind(dst, dst_is_image);
    if (!*s || !*d)
        return weft_error(
            CL_INVALID_MEM_OBJECT,
            "source or destination is no memory object of the required kind, or has been released");
    if (weft_check_command_write((*d)->flags))
        return weft_error(CL_INVALID_OPERATION,
                          "the destination was made with CL_MEM_IMMUTABLE_EXT: nothing writes it");
    // "CL_INVALID_MEM_OBJECT ... if src_image is a 1D image buffer object created from dst_buffer", and the
    // other way round.
    const struct weft_mem *image = src_is_image ? *s : *d, *other = src_is_image ? *d : *s;
    return image->type == CL_MEM_OBJECT_IMAGE1D_BUFFER && image->parent == other
               ? weft_error(CL_INVALID_MEM_OBJECT,
                            "the image lies over the buffer that it would be copied to or from")
               : CL_SUCCESS;
}

cl_int weft_check_image_region(const struct weft_mem *m, const size_t *origin, const size_t *region)
{
    if (!origin || !region)
        return weft_error(CL_INVALID_VALUE, "origin or region is NULL");
    // "CL_INVALID_MIP_LEVEL if ... the mip level specified in origin is not a valid level for image"
    struct weft_image_place at;
    if (!weft_image_place_of(m, origin, &at))
        return CL_INVALID_MIP_LEVEL;
    // "The values in region cannot be 0." In a dimension that the image doesn't have, its extent is 1. So
    // "origin[2] must be 0" and "region[2] must be 1" need no checks of their own.
    for (int i = 0; i < 3; i++)
        if (region[i] == 0 || weft_check_region(at.level->extent[i], at.origin[i], region[i]))
            return weft_error_with(
                CL_INVALID_VALUE,
                "dimension %n: region is 0, or origin and region reach beyond the image's %n", (size_t)i,
                at.level->extent[i]);
    const size_t group = weft_image_format_group(m->image->format);
    if (at.origin[0] % group || region[0] % group)
        return weft_error_with(
            CL_INVALID_VALUE, "%n texels of the image share bytes: origin[0] and region[0] must be multiples",
            group);
    return CL_SUCCESS;
}

cl_int weft_check_image_host(const struct weft_mem *m, const size_t *region, size_t row_pitch,
                             size_t slice_pitch, const void *ptr, struct weft_rect_view *view)
{
    // "... or if ptr is a NULL value."
    if (!ptr)
        return weft_error(CL_INVALID_VALUE, "ptr is NULL");
    const struct weft_image_part *p = m->image;
    bool flat = m->type == CL_MEM_OBJECT_IMAGE1D_ARRAY; // slices are its second dimension
    size_t row, slice;
    weft_image_format_bytes(p->format, region[0], &row); // can't overflow: the region lies within the image
    // "This value must be greater than or equal to the element size in bytes * width."
    if (row_pitch && row_pitch < row)
        return weft_error_with(CL_INVALID_VALUE, "row_pitch %n is less than a row of the region, %n bytes",
                               row_pitch, row);
    row = row_pitch ? row_pitch : row;
    if (!weft_mul_size(row, flat ? 1 : region[1], &slice))
        return weft_error(CL_INVALID_VALUE, "a slice of the region is larger than size_t holds");
    // "This must be 0 if image is a 1D or 2D image. Otherwise this value must be greater than or equal to
    // row_pitch * height."
    if (slice_pitch && (!p->levels[0].slice_pitch || slice_pitch < slice))
        return weft_error_with(CL_INVALID_VALUE,
                               "slice_pitch %n must be 0 for an image without slices, else at least %n",
                               slice_pitch, slice);
    slice = slice_pitch ? slice_pitch : slice;
    size_t all, end;
    if (!weft_mul_size(slice, flat ? region[1] : region[2], &all) || !weft_add_size((size_t)ptr, all, &end))
        return weft_error(CL_INVALID_VALUE, "the region reaches beyond the end of the address space");
    *view = (struct weft_rect_view){(unsigned char *)(uintptr_t)ptr, flat ? slice : row, slice};
    return CL_SUCCESS;
}

bool weft_image_packed_bytes(const struct weft_mem *m, const size_t *region, size_t *bytes)
{
    if (!weft_image_format_bytes(m->image->format, region[0], bytes))
        return false;
    for (int i = 1; i < 3; i++)
        if (!weft_mul_size(*bytes, region[i], bytes))
            return false;
    return true;
}

bool weft_image_boxes_overlap(const struct weft_mem *m, const size_t *a, const size_t *b,
                              const size_t *region)
{
    struct weft_image_place at, other;
    weft_image_place_of(m, a, &at);
    weft_image_place_of(m, b, &other);
    if (at.level != other.level)
        return false;
    for (int i = 0; i < 3; i++)
        if (!weft_ranges_overlap(at.origin[i], other.origin[i], region[i]))
            return false;
    return true;
}
