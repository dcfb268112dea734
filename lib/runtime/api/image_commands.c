// Commands on images: read, write, copy, fill, map. OpenCL 2.2 §5.3.3 to §5.3.6. They use the rectangular
// transfers of buffers: a texel is a few bytes, a layer of a 1D array is a row.
#include <string.h>

#include "runtime/api/api.h"
#include "runtime/check/image.h"
#include "runtime/check/memory.h"
#include "runtime/command/queue.h"
#include "runtime/command/wait_list.h"
#include "runtime/core/call_scope.h"
#include "runtime/device/device.h"
#include "runtime/core/diagnostics.h"
#include "runtime/image/image.h"
#include "runtime/image/format.h"
#include "runtime/memory/map.h"
#include "runtime/memory/memory.h"
#include "runtime/memory/transfer.h"

static cl_int check_host_move(const struct weft_queue *q, const struct weft_mem *m, const size_t *origin,
                              const size_t *region, size_t row_pitch, size_t slice_pitch, const void *ptr,
                              cl_uint wait_count, const cl_event *wait_list, struct weft_rect_view *host)
{
    cl_int error = weft_check_image_region(m, origin, region);
    if (!error)
        error = weft_check_image_host(m, region, row_pitch, slice_pitch, ptr, host);
    return error ? error : weft_check_wait_list(q->context, wait_count, wait_list);
}

cl_int weft_clEnqueueReadImage(cl_command_queue command_queue, cl_mem image, cl_bool blocking_read,
                               const size_t *origin, const size_t *region, size_t row_pitch,
                               size_t slice_pitch, void *ptr, cl_uint num_events_in_wait_list,
                               const cl_event *event_wait_list, cl_event *event)
{
    WEFT_CALL;
    struct weft_queue *q;
    struct weft_mem *m;
    struct weft_rect_view host;
    cl_int error =
        weft_check_queue_image(command_queue, image, num_events_in_wait_list, event_wait_list, &q, &m);
    if (!error)
        error = check_host_move(q, m, origin, region, row_pitch, slice_pitch, ptr, num_events_in_wait_list,
                                event_wait_list, &host);
    if (!error)
        error = weft_check_host_read(m->flags);
    if (error)
        return WEFT_ANSWER(command_queue, error);
    size_t bytes[3];
    weft_image_region_bytes(m, region, bytes);
    struct weft_queue_call call = {
        q, CL_COMMAND_READ_IMAGE, blocking_read, num_events_in_wait_list, event_wait_list, event};
    return WEFT_ANSWER(command_queue,
                       weft_enqueue_copy_rect(&call, m, NULL, host, weft_image_view(m, origin), bytes));
}

cl_int weft_clEnqueueWriteImage(cl_command_queue command_queue, cl_mem image, cl_bool blocking_write,
                                const size_t *origin, const size_t *region, size_t input_row_pitch,
                                size_t input_slice_pitch, const void *ptr, cl_uint num_events_in_wait_list,
                                const cl_event *event_wait_list, cl_event *event)
{
    WEFT_CALL;
    struct weft_queue *q;
    struct weft_mem *m;
    struct weft_rect_view host;
    cl_int error =
        weft_check_queue_image(command_queue, image, num_events_in_wait_list, event_wait_list, &q, &m);
    if (!error)
        error = check_host_move(q, m, origin, region, input_row_pitch, input_slice_pitch, ptr,
                                num_events_in_wait_list, event_wait_list, &host);
    if (!error)
        error = weft_check_host_write(m->flags);
    if (error)
        return WEFT_ANSWER(command_queue, error);
    size_t bytes[3];
    weft_image_region_bytes(m, region, bytes);
    struct weft_queue_call call = {
        q, CL_COMMAND_WRITE_IMAGE, blocking_write, num_events_in_wait_list, event_wait_list, event};
    return WEFT_ANSWER(command_queue,
                       weft_enqueue_copy_rect(&call, m, NULL, weft_image_view(m, origin), host, bytes));
}

cl_int weft_clEnqueueCopyImage(cl_command_queue command_queue, cl_mem src_image, cl_mem dst_image,
                               const size_t *src_origin, const size_t *dst_origin, const size_t *region,
                               cl_uint num_events_in_wait_list, const cl_event *event_wait_list,
                               cl_event *event)
{
    WEFT_CALL;
    struct weft_queue *q;
    struct weft_mem *src, *dst;
    cl_int error = weft_check_queue_image_pair(command_queue, src_image, true, dst_image, true,
                                               num_events_in_wait_list, event_wait_list, &q, &src, &dst);
    // "CL_IMAGE_FORMAT_MISMATCH if src_image and dst_image do not use the same image format."
    if (!error && src->image->format != dst->image->format)
        error = CL_IMAGE_FORMAT_MISMATCH;
    if (!error)
        error = weft_check_image_region(src, src_origin, region);
    if (!error)
        error = weft_check_image_region(dst, dst_origin, region);
    if (!error)
        error = weft_check_wait_list(q->context, num_events_in_wait_list, event_wait_list);
    // "CL_MEM_COPY_OVERLAP if src_image and dst_image are the same image object and the source and
    // destination regions overlap."
    if (!error && src == dst && weft_image_boxes_overlap(src, src_origin, dst_origin, region))
        error = CL_MEM_COPY_OVERLAP;
    if (error)
        return WEFT_ANSWER(command_queue, error);
    size_t bytes[3];
    weft_image_region_bytes(src, region, bytes);
    struct weft_queue_call call = {
        q, CL_COMMAND_COPY_IMAGE, false, num_events_in_wait_list, event_wait_list, event};
    return WEFT_ANSWER(command_queue,
                       weft_enqueue_copy_rect(&call, src, dst, weft_image_view(dst, dst_origin),
                                              weft_image_view(src, src_origin), bytes));
}

// Checks the buffer's side of a copy between an image and a buffer: rows without gaps, beginning at `offset`.
static cl_int check_packed(const struct weft_queue *q, const struct weft_mem *image, const size_t *origin,
                           const size_t *region, const struct weft_mem *buffer, size_t offset,
                           cl_uint wait_count, const cl_event *wait_list, struct weft_rect_view *view)
{
    cl_int error = weft_check_image_region(image, origin, region);
    if (error)
        return error;
    size_t all;
    // "... or if the region specified by dst_offset and dst_offset + dst_cb to a region outside dst_buffer."
    if (!weft_image_packed_bytes(image, region, &all) || weft_check_region(buffer->size, offset, all))
        return weft_error(CL_INVALID_VALUE, "the region's texels reach beyond the buffer");
    error = weft_check_wait_list(q->context, wait_count, wait_list);
    size_t row;
    weft_image_format_bytes(image->image->format, region[0], &row);
    *view = (struct weft_rect_view){buffer->data + offset, row, row * region[1]};
    return error ? error : weft_check_sub_buffer_align(buffer, WEFT_DEVICE_MEM_ALIGN);
}

cl_int weft_clEnqueueCopyImageToBuffer(cl_command_queue command_queue, cl_mem src_image, cl_mem dst_buffer,
                                       const size_t *src_origin, const size_t *region, size_t dst_offset,
                                       cl_uint num_events_in_wait_list, const cl_event *event_wait_list,
                                       cl_event *event)
{
    WEFT_CALL;
    struct weft_queue *q;
    struct weft_mem *src, *dst;
    struct weft_rect_view packed;
    cl_int error = weft_check_queue_image_pair(command_queue, src_image, true, dst_buffer, false,
                                               num_events_in_wait_list, event_wait_list, &q, &src, &dst);
    if (!error)
        error = check_packed(q, src, src_origin, region, dst, dst_offset, num_events_in_wait_list,
                             event_wait_list, &packed);
    if (error)
        return WEFT_ANSWER(command_queue, error);
    size_t bytes[3];
    weft_image_region_bytes(src, region, bytes);
    struct weft_queue_call call = {
        q, CL_COMMAND_COPY_IMAGE_TO_BUFFER, false, num_events_in_wait_list, event_wait_list, event};
    return WEFT_ANSWER(command_queue, weft_enqueue_copy_rect(&call, src, dst, packed,
                                                             weft_image_view(src, src_origin), bytes));
}

cl_int weft_clEnqueueCopyBufferToImage(cl_command_queue command_queue, cl_mem src_buffer, cl_mem dst_image,
                                       size_t src_offset, const size_t *dst_origin, const size_t *region,
                                       cl_uint num_events_in_wait_list, const cl_event *event_wait_list,
                                       cl_event *event)
{
    WEFT_CALL;
    struct weft_queue *q;
    struct weft_mem *src, *dst;
    struct weft_rect_view packed;
    cl_int error = weft_check_queue_image_pair(command_queue, src_buffer, false, dst_image, true,
                                               num_events_in_wait_list, event_wait_list, &q, &src, &dst);
    if (!error)
        error = check_packed(q, dst, dst_origin, region, src, src_offset, num_events_in_wait_list,
                             event_wait_list, &packed);
    if (error)
        return WEFT_ANSWER(command_queue, error);
    size_t bytes[3];
    weft_image_region_bytes(dst, region, bytes);
    struct weft_queue_call call = {
        q, CL_COMMAND_COPY_BUFFER_TO_IMAGE, false, num_events_in_wait_list, event_wait_list, event};
    return WEFT_ANSWER(command_queue, weft_enqueue_copy_rect(
                                          &call, src, dst, weft_image_view(dst, dst_origin), packed, bytes));
}

// Groups of 3 or 5 bytes don't fill blocks with a power of two of bytes. So one row of them is made and
// copied to each row.
static cl_int fill_groups(const struct weft_queue_call *call, struct weft_mem *m, struct weft_rect_view dst,
                          const unsigned char *group, const size_t bytes[3])
{
    const size_t size = weft_image_format_group_bytes(m->image->format);
    cl_int error = CL_SUCCESS;
    struct weft_mem *row = weft_buffer_create(m->context, NULL, 0, bytes[0], NULL, &error);
    if (!row)
        return error;
    weft_mem_not_followed(row);
    for (size_t i = 0; i < bytes[0]; i += size)
        memcpy(row->data + i, group, size);
    error = weft_enqueue_copy_rect(call, m, row, dst, (struct weft_rect_view){row->data, 0, 0}, bytes);
    weft_mem_unref(row);
    return error;
}

cl_int weft_clEnqueueFillImage(cl_command_queue command_queue, cl_mem image, const void *fill_color,
                               const size_t *origin, const size_t *region, cl_uint num_events_in_wait_list,
                               const cl_event *event_wait_list, cl_event *event)
{
    WEFT_CALL;
    struct weft_queue *q;
    struct weft_mem *m;
    cl_int error =
        weft_check_queue_image(command_queue, image, num_events_in_wait_list, event_wait_list, &q, &m);
    if (!error)
        error = weft_check_command_write(m->flags);
    // "CL_INVALID_VALUE if fill_color is NULL."
    if (!error && !fill_color)
        error = weft_error(CL_INVALID_VALUE, "fill_color is NULL");
    if (!error)
        error = weft_check_image_region(m, origin, region);
    if (!error)
        error = weft_check_wait_list(q->context, num_events_in_wait_list, event_wait_list);
    if (error)
        return WEFT_ANSWER(command_queue, error);
    unsigned char texel[16];
    size_t bytes[3];
    weft_image_format_encode(m->image->format, fill_color, texel);
    weft_image_region_bytes(m, region, bytes);
    struct weft_queue_call call = {
        q, CL_COMMAND_FILL_IMAGE, false, num_events_in_wait_list, event_wait_list, event};
    if (weft_image_format_group(m->image->format) > 1)
        return WEFT_ANSWER(command_queue, fill_groups(&call, m, weft_image_view(m, origin), texel, bytes));
    return WEFT_ANSWER(command_queue, weft_enqueue_fill_rect(&call, m, weft_image_view(m, origin), texel,
                                                             m->image->format->texel_bytes, bytes));
}

static cl_int check_map(const struct weft_queue *q, const struct weft_mem *m, cl_map_flags flags,
                        const size_t *origin, const size_t *region, const size_t *row_pitch,
                        const size_t *slice_pitch, cl_uint wait_count, const cl_event *wait_list)
{
    cl_int error = weft_check_image_region(m, origin, region);
    // "... or if values specified in map_flags are not valid."
    if (!error)
        error = weft_check_map_flags(flags);
    // "CL_INVALID_VALUE if image_row_pitch is NULL." "CL_INVALID_VALUE if image is a 3D image, 1D or 2D image
    // array object and image_slice_pitch is NULL." The CTS expects the error about access first if the image
    // can't be mapped in this way.
    if (!error && (!row_pitch || (m->image->levels[0].slice_pitch && !slice_pitch))) {
        error = weft_check_map_access(m->flags, flags);
        if (!error)
            error = weft_error(CL_INVALID_VALUE,
                               "image_row_pitch is NULL, or image_slice_pitch for an image with slices");
    }
    if (!error)
        error = weft_check_wait_list(q->context, wait_count, wait_list);
    return error ? error : weft_check_map_access(m->flags, flags);
}

void *weft_clEnqueueMapImage(cl_command_queue command_queue, cl_mem image, cl_bool blocking_map,
                             cl_map_flags map_flags, const size_t *origin, const size_t *region,
                             size_t *image_row_pitch, size_t *image_slice_pitch,
                             cl_uint num_events_in_wait_list, const cl_event *event_wait_list,
                             cl_event *event, cl_int *errcode_ret)
{
    WEFT_CALL;
    struct weft_queue *q;
    struct weft_mem *m;
    void *ptr = NULL;
    cl_int error =
        weft_check_queue_image(command_queue, image, num_events_in_wait_list, event_wait_list, &q, &m);
    if (!error)
        error = check_map(q, m, map_flags, origin, region, image_row_pitch, image_slice_pitch,
                          num_events_in_wait_list, event_wait_list);
    if (!error) {
        struct weft_queue_call call = {
            q, CL_COMMAND_MAP_IMAGE, blocking_map, num_events_in_wait_list, event_wait_list, event};
        size_t bytes[3];
        weft_image_region_bytes(m, region, bytes);
        ptr = weft_enqueue_map_rect(&call, m, map_flags, weft_image_view(m, origin), bytes, &error);
    }
    if (!error) {
        struct weft_image_place at;
        weft_image_place_of(m, origin, &at);
        *image_row_pitch = at.level->row_pitch;
        if (image_slice_pitch)
            *image_slice_pitch = at.level->slice_pitch;
    }
    return weft_api_return_pointer(__func__, command_queue, ptr, error, errcode_ret);
}
