// Which error a call gives when its arguments have two faults: functions that enqueue. The specification's
// tables of errors (OpenCL 2.2 §5), row by row: see precedence_fixture.h.
#include "precedence_fixture.h"

// ---- Calls ----

static cl_int read_buffer(const struct call *c)
{
    return clEnqueueReadBuffer(c->queue, c->to, c->blocking, c->at[0], c->size, (void *)(uintptr_t)c->pointer,
                               c->waits, c->list, NULL);
}

static cl_int write_buffer(const struct call *c)
{
    return clEnqueueWriteBuffer(c->queue, c->to, c->blocking, c->at[0], c->size, c->pointer, c->waits,
                                c->list, NULL);
}

static void set_blocking(struct call *c)
{
    c->blocking = CL_TRUE;
}

static cl_int read_rect(const struct call *c)
{
    return clEnqueueReadBufferRect(c->queue, c->to, c->blocking, c->at, c->to_at, c->region, c->row, c->slice,
                                   c->host_row, c->host_slice, (void *)(uintptr_t)c->pointer, c->waits,
                                   c->list, NULL);
}

static cl_int write_rect(const struct call *c)
{
    return clEnqueueWriteBufferRect(c->queue, c->to, c->blocking, c->at, c->to_at, c->region, c->row,
                                    c->slice, c->host_row, c->host_slice, c->pointer, c->waits, c->list,
                                    NULL);
}

static cl_int copy_buffer(const struct call *c)
{
    return clEnqueueCopyBuffer(c->queue, c->from, c->to, c->at[0], c->to_at[0], c->size, c->waits, c->list,
                               NULL);
}

static cl_int copy_rect(const struct call *c)
{
    return clEnqueueCopyBufferRect(c->queue, c->from, c->to, c->at, c->to_at, c->region, c->row, c->slice,
                                   c->host_row, c->host_slice, c->waits, c->list, NULL);
}

static cl_int fill_buffer(const struct call *c)
{
    return clEnqueueFillBuffer(c->queue, c->to, c->pointer, c->pattern, c->at[0], c->size, c->waits, c->list,
                               NULL);
}

static cl_int unmap(cl_command_queue q, cl_mem m, void *at)
{
    return at ? clEnqueueUnmapMemObject(q, m, at, 0, NULL, NULL) : CL_SUCCESS;
}

static cl_int map_buffer(const struct call *c)
{
    cl_int error = 1;
    void *at = clEnqueueMapBuffer(c->queue, c->to, c->blocking, c->flags, c->at[0], c->size, c->waits,
                                  c->list, NULL, &error);
    CHECK_EQ(at != NULL, error == CL_SUCCESS);
    return error ? error : unmap(c->queue, c->to, at);
}

static void set_map(struct call *c)
{
    c->flags = CL_MAP_READ | CL_MAP_WRITE;
    c->blocking = CL_TRUE;
}

static void set_image(struct call *c)
{
    c->from = o.image;
    c->to = o.other_image;
    c->region[0] = c->region[1] = 4;
}

static void set_map_image(struct call *c)
{
    set_map(c);
    set_image(c);
}

static cl_int read_image(const struct call *c)
{
    return clEnqueueReadImage(c->queue, c->to, c->blocking, c->at, c->region, c->row, c->slice,
                              (void *)(uintptr_t)c->pointer, c->waits, c->list, NULL);
}

static cl_int write_image(const struct call *c)
{
    return clEnqueueWriteImage(c->queue, c->to, c->blocking, c->at, c->region, c->row, c->slice, c->pointer,
                               c->waits, c->list, NULL);
}

static void set_blocking_image(struct call *c)
{
    set_image(c);
    c->blocking = CL_TRUE;
}

static cl_int copy_image(const struct call *c)
{
    return clEnqueueCopyImage(c->queue, c->from, c->to, c->at, c->to_at, c->region, c->waits, c->list, NULL);
}

static cl_int fill_image(const struct call *c)
{
    return clEnqueueFillImage(c->queue, c->to, c->pointer, c->at, c->region, c->waits, c->list, NULL);
}

static cl_int image_to_buffer(const struct call *c)
{
    return clEnqueueCopyImageToBuffer(c->queue, c->from, c->to, c->at, c->region, c->to_at[0], c->waits,
                                      c->list, NULL);
}

static void set_image_to_buffer(struct call *c)
{
    set_image(c);
    c->to = o.second;
}

static cl_int buffer_to_image(const struct call *c)
{
    return clEnqueueCopyBufferToImage(c->queue, c->from, c->to, c->to_at[0], c->at, c->region, c->waits,
                                      c->list, NULL);
}

static void set_buffer_to_image(struct call *c)
{
    set_image(c);
    c->from = o.buffer;
}

static cl_int map_image(const struct call *c)
{
    cl_int error = 1;
    size_t row = 0, slice = 0;
    void *at = clEnqueueMapImage(c->queue, c->to, c->blocking, c->flags, c->at, c->region,
                                 c->pointer ? &row : NULL, &slice, c->waits, c->list, NULL, &error);
    CHECK_EQ(at != NULL, error == CL_SUCCESS);
    return error ? error : unmap(c->queue, c->to, at);
}

// Of an image that may be mapped: of others nobody needs to ask for it, the CTS finds.
FAULT(no_pitch, (a->pointer = NULL, a->to = o.image))

static cl_int unmap_object(const struct call *c)
{
    cl_int error = 1;
    if (!o.mapped) {
        o.mapped = clEnqueueMapBuffer(w.queue, o.second, CL_TRUE, CL_MAP_READ, 0, 64, 0, NULL, NULL, &error);
        CHECK_EQ(error, CL_SUCCESS);
    }
    error = clEnqueueUnmapMemObject(c->queue, c->to,
                                    c->pointer == host ? o.mapped : (void *)(uintptr_t)c->pointer, c->waits,
                                    c->list, NULL);
    if (!error)
        o.mapped = NULL;
    return error;
}

static cl_int migrate(const struct call *c)
{
    return clEnqueueMigrateMemObjects(c->queue, c->count, c->pointer ? &c->to : NULL, c->flags, c->waits,
                                      c->list, NULL);
}

static cl_int launch(const struct call *c)
{
    return clEnqueueNDRangeKernel(c->queue, c->kernel, c->dim, c->at, c->global, c->local, c->waits, c->list,
                                  NULL);
}

static cl_int task(const struct call *c)
{
    return clEnqueueTask(c->queue, c->kernel, c->waits, c->list, NULL);
}

static cl_int enqueue_native(const struct call *c)
{
    const void *places[] = {host};
    return clEnqueueNativeKernel(c->queue, c->notify, (void *)(uintptr_t)c->pointer, c->size, c->count,
                                 &c->to, c->other ? places : NULL, c->waits, c->list, NULL);
}

static cl_int marker(const struct call *c)
{
    return clEnqueueMarkerWithWaitList(c->queue, c->waits, c->list, NULL);
}

static cl_int barrier(const struct call *c)
{
    return clEnqueueBarrierWithWaitList(c->queue, c->waits, c->list, NULL);
}

static cl_int svm_memcpy(const struct call *c)
{
    return clEnqueueSVMMemcpy(c->queue, c->blocking, (void *)(uintptr_t)c->other, c->pointer, c->size,
                              c->waits, c->list, NULL);
}

FAULT(overlapping_pointers, (a->other = host + 8, a->pointer = host))
FAULT(odd_other, a->other = host + 1)

static cl_int svm_fill(const struct call *c)
{
    return clEnqueueSVMMemFill(c->queue, (void *)(uintptr_t)c->other, c->pointer, c->pattern, c->size,
                               c->waits, c->list, NULL);
}

static void set_svm(struct call *c)
{
    c->flags = CL_MAP_READ;
    c->pointer = o.svm;
    c->other = o.svm;
}

static void set_svm_blocking(struct call *c)
{
    set_svm(c);
    c->blocking = CL_TRUE;
}

static cl_int svm_map(const struct call *c)
{
    cl_int error = clEnqueueSVMMap(c->queue, c->blocking, c->flags, (void *)(uintptr_t)c->pointer, c->size,
                                   c->waits, c->list, NULL);
    return error ? error : clEnqueueSVMUnmap(c->queue, (void *)(uintptr_t)c->pointer, 0, NULL, NULL);
}

static cl_int svm_unmap(const struct call *c)
{
    cl_int error = clEnqueueSVMMap(w.queue, CL_TRUE, CL_MAP_READ, o.svm, 64, 0, NULL, NULL);
    CHECK_EQ(error, CL_SUCCESS);
    error = clEnqueueSVMUnmap(c->queue, (void *)(uintptr_t)c->pointer, c->waits, c->list, NULL);
    if (error)
        CHECK_EQ(clEnqueueSVMUnmap(w.queue, o.svm, 0, NULL, NULL), CL_SUCCESS);
    return error;
}

static cl_int svm_free(const struct call *c)
{
    void *pointers[] = {NULL};
    return clEnqueueSVMFree(c->queue, c->count, c->pointer ? pointers : NULL, NULL, NULL, c->waits, c->list,
                            NULL);
}

static cl_int svm_migrate(const struct call *c)
{
    const void *pointers[] = {c->other};
    return clEnqueueSVMMigrateMem(c->queue, c->count, c->pointer ? pointers : NULL, &c->size, c->flags,
                                  c->waits, c->list, NULL);
}

static void set_svm_migrate(struct call *c)
{
    set_svm(c);
    c->flags = 0;
}

// ---- The tables ----

// clang-format off
static const struct entry entries[] = {
    {"clEnqueueReadBuffer", read_buffer, set_blocking,
     {NO_QUEUES, {CL_INVALID_CONTEXT, foreign_to}, FOREIGN_LIST, {CL_INVALID_MEM_OBJECT, no_to},
      {CL_INVALID_MEM_OBJECT, to_of_another_kind}, {CL_INVALID_MEM_OBJECT, to_is_image},
      {CL_INVALID_VALUE, far_size}, {CL_INVALID_VALUE, far_at}, {CL_INVALID_VALUE, no_pointer}, NO_LISTS,
      {CL_INVALID_OPERATION, to_is_written_by_host}, FAILED_LIST}},
    {"clEnqueueWriteBuffer", write_buffer, set_blocking,
     {NO_QUEUES, {CL_INVALID_CONTEXT, foreign_to}, FOREIGN_LIST, {CL_INVALID_MEM_OBJECT, no_to},
      {CL_INVALID_MEM_OBJECT, to_is_pipe}, {CL_INVALID_MEM_OBJECT, to_is_image}, {CL_INVALID_VALUE, far_size},
      {CL_INVALID_VALUE, far_at}, {CL_INVALID_VALUE, no_pointer}, NO_LISTS,
      {CL_INVALID_OPERATION, to_is_read_by_host}, FAILED_LIST}},
    {"clEnqueueReadBufferRect", read_rect, set_blocking,
     {NO_QUEUES, {CL_INVALID_CONTEXT, foreign_to}, FOREIGN_LIST, {CL_INVALID_MEM_OBJECT, no_to},
      {CL_INVALID_VALUE, far_at}, {CL_INVALID_VALUE, no_pointer}, {CL_INVALID_VALUE, empty_region},
      {CL_INVALID_VALUE, narrow_row}, {CL_INVALID_VALUE, narrow_host_row}, {CL_INVALID_VALUE, flat_slice}, NO_LISTS,
      {CL_INVALID_OPERATION, to_is_closed}}},
    {"clEnqueueWriteBufferRect", write_rect, set_blocking,
     {NO_QUEUES, {CL_INVALID_CONTEXT, foreign_to}, FOREIGN_LIST, {CL_INVALID_MEM_OBJECT, to_is_image},
      {CL_INVALID_VALUE, far_at}, {CL_INVALID_VALUE, no_pointer}, {CL_INVALID_VALUE, empty_region},
      {CL_INVALID_VALUE, narrow_row}, {CL_INVALID_VALUE, narrow_host_row}, {CL_INVALID_VALUE, flat_host_slice},
      NO_LISTS, {CL_INVALID_OPERATION, to_is_closed}}},
    {"clEnqueueCopyBuffer", copy_buffer, NULL,
     {NO_QUEUES, {CL_INVALID_CONTEXT, foreign_from}, {CL_INVALID_CONTEXT, foreign_to}, FOREIGN_LIST,
      {CL_INVALID_MEM_OBJECT, no_from}, {CL_INVALID_MEM_OBJECT, to_is_image}, {CL_INVALID_VALUE, far_at},
      {CL_INVALID_VALUE, far_to_at}, {CL_INVALID_VALUE, far_size}, NO_LISTS, {CL_MEM_COPY_OVERLAP, overlapping}}},
    {"clEnqueueCopyBufferRect", copy_rect, NULL,
     {NO_QUEUES, {CL_INVALID_CONTEXT, foreign_from}, FOREIGN_LIST, {CL_INVALID_MEM_OBJECT, to_is_image},
      {CL_INVALID_VALUE, far_at}, {CL_INVALID_VALUE, far_to_at}, {CL_INVALID_VALUE, empty_region},
      {CL_INVALID_VALUE, narrow_row}, {CL_INVALID_VALUE, narrow_host_row}, {CL_INVALID_VALUE, flat_host_slice},
      NO_LISTS, {CL_MEM_COPY_OVERLAP, overlapping}}},
    {"clEnqueueFillBuffer", fill_buffer, NULL,
     {NO_QUEUES, {CL_INVALID_CONTEXT, foreign_to}, FOREIGN_LIST, {CL_INVALID_MEM_OBJECT, to_is_image},
      {CL_INVALID_VALUE, far_at}, {CL_INVALID_VALUE, no_pointer}, {CL_INVALID_VALUE, no_pattern_size},
      {CL_INVALID_VALUE, odd_pattern_size}, {CL_INVALID_VALUE, odd_size}, NO_LISTS}},
    {"clEnqueueMapBuffer", map_buffer, set_map,
     {NO_QUEUES, {CL_INVALID_CONTEXT, foreign_to}, FOREIGN_LIST, {CL_INVALID_MEM_OBJECT, to_is_image},
      {CL_INVALID_VALUE, far_at}, {CL_INVALID_VALUE, no_size}, {CL_INVALID_VALUE, bad_flags}, NO_LISTS,
      {CL_INVALID_OPERATION, to_is_written_by_host}, {CL_INVALID_OPERATION, to_is_closed}, FAILED_LIST}},
    {"clEnqueueReadImage", read_image, set_blocking_image,
     {NO_QUEUES, {CL_INVALID_CONTEXT, foreign_image_to}, FOREIGN_LIST, {CL_INVALID_MEM_OBJECT, to_is_buffer},
      {CL_INVALID_VALUE, far_at}, {CL_INVALID_VALUE, no_pointer}, {CL_INVALID_VALUE, deep_region},
      {CL_INVALID_VALUE, empty_region}, {CL_INVALID_VALUE, narrow_row}, NO_LISTS,
      {CL_INVALID_OPERATION, to_is_image_written_by_host}, FAILED_LIST}},
    {"clEnqueueWriteImage", write_image, set_blocking_image,
     {NO_QUEUES, {CL_INVALID_CONTEXT, foreign_image_to}, FOREIGN_LIST, {CL_INVALID_MEM_OBJECT, no_to},
      {CL_INVALID_VALUE, far_at}, {CL_INVALID_VALUE, no_pointer}, {CL_INVALID_VALUE, deep_at},
      {CL_INVALID_VALUE, empty_region}, {CL_INVALID_VALUE, narrow_row}, NO_LISTS,
      {CL_INVALID_OPERATION, to_is_image_read_by_host}, FAILED_LIST}},
    {"clEnqueueCopyImage", copy_image, set_image,
     {NO_QUEUES, {CL_INVALID_CONTEXT, foreign_image_from}, FOREIGN_LIST, {CL_INVALID_MEM_OBJECT, to_is_buffer},
      {CL_IMAGE_FORMAT_MISMATCH, to_has_another_format}, {CL_INVALID_VALUE, far_at}, {CL_INVALID_VALUE, far_to_at},
      {CL_INVALID_VALUE, deep_region}, {CL_INVALID_VALUE, empty_region}, NO_LISTS,
      {CL_MEM_COPY_OVERLAP, overlapping}}},
    {"clEnqueueFillImage", fill_image, set_image,
     {NO_QUEUES, {CL_INVALID_CONTEXT, foreign_image_to}, FOREIGN_LIST, {CL_INVALID_MEM_OBJECT, to_is_buffer},
      {CL_INVALID_VALUE, no_pointer}, {CL_INVALID_VALUE, far_at}, {CL_INVALID_VALUE, deep_region}, NO_LISTS}},
    {"clEnqueueCopyImageToBuffer", image_to_buffer, set_image_to_buffer,
     {NO_QUEUES, {CL_INVALID_CONTEXT, foreign_image_from}, {CL_INVALID_CONTEXT, foreign_to}, FOREIGN_LIST,
      {CL_INVALID_MEM_OBJECT, from_is_buffer}, {CL_INVALID_MEM_OBJECT, to_is_image}, {CL_INVALID_VALUE, far_at},
      {CL_INVALID_VALUE, far_to_at}, {CL_INVALID_VALUE, deep_region}, NO_LISTS}},
    {"clEnqueueCopyBufferToImage", buffer_to_image, set_buffer_to_image,
     {NO_QUEUES, {CL_INVALID_CONTEXT, foreign_from}, {CL_INVALID_CONTEXT, foreign_image_to}, FOREIGN_LIST,
      {CL_INVALID_MEM_OBJECT, from_is_image}, {CL_INVALID_MEM_OBJECT, to_is_buffer}, {CL_INVALID_VALUE, far_at},
      {CL_INVALID_VALUE, far_to_at}, {CL_INVALID_VALUE, deep_region}, NO_LISTS}},
    {"clEnqueueMapImage", map_image, set_map_image,
     {NO_QUEUES, {CL_INVALID_CONTEXT, foreign_image_to}, FOREIGN_LIST, {CL_INVALID_MEM_OBJECT, to_is_buffer},
      {CL_INVALID_VALUE, far_at}, {CL_INVALID_VALUE, bad_flags}, {CL_INVALID_VALUE, deep_region},
      {CL_INVALID_VALUE, no_pitch}, NO_LISTS, {CL_INVALID_OPERATION, to_is_image_written_by_host}, FAILED_LIST}},
    {"clEnqueueUnmapMemObject", unmap_object, NULL,
     {NO_QUEUES, {CL_INVALID_MEM_OBJECT, no_to}, {CL_INVALID_MEM_OBJECT, to_is_pipe}, {CL_INVALID_VALUE, no_pointer},
      {CL_INVALID_EVENT_WAIT_LIST, no_list}, {CL_INVALID_EVENT_WAIT_LIST, no_waits},
      {CL_INVALID_EVENT_WAIT_LIST, list_of_another_kind}}},
    // Without a list there is nothing whose context could be another.
    {"clEnqueueMigrateMemObjects", migrate, NULL,
     {NO_QUEUES, FOREIGN_LIST, {CL_INVALID_VALUE, no_count}, {CL_INVALID_VALUE, no_objects},
      {CL_INVALID_CONTEXT, foreign_to}, {CL_INVALID_MEM_OBJECT, no_to}, {CL_INVALID_MEM_OBJECT, to_of_another_kind},
      {CL_INVALID_VALUE, bad_flags}, NO_LISTS}},
    // CL_DEVICE_MAX_WORK_ITEM_SIZES is no less than CL_KERNEL_WORK_GROUP_SIZE: whatever is above the former
    // would be above the latter.
    {"clEnqueueNDRangeKernel", launch, NULL,
     {NO_QUEUES, {CL_INVALID_KERNEL, no_kernel}, {CL_INVALID_KERNEL, kernel_of_another_kind},
      {CL_INVALID_CONTEXT, kernel_of_another_context}, FOREIGN_LIST,
      {CL_INVALID_KERNEL_ARGS, kernel_without_arguments}, {CL_INVALID_WORK_DIMENSION, no_dimension},
      {CL_INVALID_WORK_DIMENSION, four_dimensions}, {CL_INVALID_GLOBAL_OFFSET, wrapping_offset},
      {CL_INVALID_WORK_GROUP_SIZE, other_group}, {CL_INVALID_WORK_ITEM_SIZE, huge_group}, NO_LISTS}},
    {"clEnqueueTask", task, NULL,
     {NO_QUEUES, {CL_INVALID_KERNEL, no_kernel}, {CL_INVALID_CONTEXT, kernel_of_another_context}, FOREIGN_LIST,
      {CL_INVALID_KERNEL_ARGS, kernel_without_arguments}, {CL_INVALID_WORK_GROUP_SIZE, other_group}, NO_LISTS}},
    {"clEnqueueNativeKernel", enqueue_native, set_notify,
     {NO_QUEUES, FOREIGN_LIST, {CL_INVALID_VALUE, no_notify}, {CL_INVALID_VALUE, no_pointer},
      {CL_INVALID_VALUE, no_size}, {CL_INVALID_VALUE, no_other_pointer}, {CL_INVALID_MEM_OBJECT, to_is_image},
      NO_LISTS}},
    {"clEnqueueMarkerWithWaitList", marker, NULL,
     {NO_QUEUES, FOREIGN_LIST, NO_LISTS}},
    {"clEnqueueBarrierWithWaitList", barrier, NULL,
     {NO_QUEUES, FOREIGN_LIST, NO_LISTS}},
    {"clEnqueueSVMMemcpy", svm_memcpy, set_blocking,
     {NO_QUEUES, FOREIGN_LIST, NO_LISTS, {CL_INVALID_VALUE, no_pointer}, {CL_INVALID_VALUE, no_other_pointer},
      {CL_MEM_COPY_OVERLAP, overlapping_pointers}, FAILED_LIST}},
    {"clEnqueueSVMMemFill", svm_fill, NULL,
     {NO_QUEUES, FOREIGN_LIST, {CL_INVALID_VALUE, no_other_pointer}, {CL_INVALID_VALUE, odd_other},
      {CL_INVALID_VALUE, no_pointer}, {CL_INVALID_VALUE, no_pattern_size}, {CL_INVALID_VALUE, odd_pattern_size},
      {CL_INVALID_VALUE, odd_size}, NO_LISTS}},
    {"clEnqueueSVMMap", svm_map, set_svm_blocking,
     {NO_QUEUES, FOREIGN_LIST, {CL_INVALID_VALUE, no_pointer}, {CL_INVALID_VALUE, no_size},
      {CL_INVALID_VALUE, bad_flags}, NO_LISTS, FAILED_LIST}},
    {"clEnqueueSVMUnmap", svm_unmap, set_svm,
     {NO_QUEUES, FOREIGN_LIST, {CL_INVALID_VALUE, no_pointer}, NO_LISTS}},
    {"clEnqueueSVMFree", svm_free, NULL,
     {NO_QUEUES, FOREIGN_LIST, {CL_INVALID_VALUE, no_count}, {CL_INVALID_VALUE, no_objects}, NO_LISTS}},
    {"clEnqueueSVMMigrateMem", svm_migrate, set_svm_migrate,
     {NO_QUEUES, FOREIGN_LIST, {CL_INVALID_VALUE, no_count}, {CL_INVALID_VALUE, no_pointer},
      {CL_INVALID_VALUE, far_size}, NO_LISTS}},
};
// clang-format on

TEST(each_fault_gives_its_code_and_the_first_of_two_decides)
{
    check_entries(entries, sizeof entries / sizeof *entries, 1900);
}
