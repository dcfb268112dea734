// cl_khr_command_buffer_mutable_dispatch 0.9.5: the errors of each function, in their order, and what an
// update does.
// timeout: 120
#include "command_buffer_fixture.h"

TEST(update_checks_its_arguments)
{
    struct place w = open_place(0);
    buffer_handle b = make_command_buffer(&w, CL_COMMAND_BUFFER_MUTABLE_KHR),
                  fixed = make_command_buffer(&w, 0);
    buffer_handle other = make_command_buffer(&w, CL_COMMAND_BUFFER_MUTABLE_KHR);
    command_handle command = record_add(&w, b, 16, 1), in_fixed = record_add(&w, fixed, 16, 1);
    command_handle in_other = record_add(&w, other, 16, 1);
    const cl_uint type = 0, unknown = 7;
    const cl_int n = 2;
    const struct weft_mutable_arg arg = {1, sizeof n, &n}, far = {9, sizeof n, &n}, wide = {1, 8, &n};
    struct weft_mutable_config good = {.command = command, .arg_count = 1, .args = &arg}, c = good;
    const void *configs[] = {&c}, *none[] = {NULL};
    CHECK_EQ(update_n(b, command, 2), CL_INVALID_OPERATION); // it is being recorded
    CHECK_EQ(clFinalizeCommandBufferKHR(b), CL_SUCCESS);
    CHECK_EQ(clFinalizeCommandBufferKHR(fixed), CL_SUCCESS);
    CHECK_EQ(clFinalizeCommandBufferKHR(other), CL_SUCCESS);
    CHECK_EQ(clUpdateMutableCommandsKHR(NULL, 1, &type, configs), CL_INVALID_COMMAND_BUFFER_KHR);
    CHECK_EQ(update_n(fixed, in_fixed, 2), CL_INVALID_OPERATION);
    CHECK_EQ(clUpdateMutableCommandsKHR(b, 0, &type, configs), CL_INVALID_VALUE);
    CHECK_EQ(clUpdateMutableCommandsKHR(b, 1, NULL, configs), CL_INVALID_VALUE);
    CHECK_EQ(clUpdateMutableCommandsKHR(b, 1, &type, NULL), CL_INVALID_VALUE);
    CHECK_EQ(clUpdateMutableCommandsKHR(b, 1, &unknown, configs), CL_INVALID_VALUE);
    CHECK_EQ(clUpdateMutableCommandsKHR(b, 1, &type, none), CL_INVALID_VALUE);
    CHECK_EQ(clUpdateMutableCommandsKHR(b, 0, NULL, NULL), CL_SUCCESS);
    CHECK_EQ(update_n(b, NULL, 2), CL_INVALID_MUTABLE_COMMAND_KHR);
    CHECK_EQ(update_n(b, (command_handle)(void *)w.queue, 2), CL_INVALID_MUTABLE_COMMAND_KHR);
    CHECK_EQ(update_n(b, in_other, 2), CL_INVALID_MUTABLE_COMMAND_KHR);
    c = good, c.arg_count = 0;
    CHECK_EQ(update(b, &c), CL_INVALID_VALUE);
    c = good, c.args = NULL;
    CHECK_EQ(update(b, &c), CL_INVALID_VALUE);
    c = good, c.svm_count = 1;
    CHECK_EQ(update(b, &c), CL_INVALID_VALUE);
    c = good, c.info_count = 1;
    CHECK_EQ(update(b, &c), CL_INVALID_VALUE);
    c = good, c.dim = 2;
    CHECK_EQ(update(b, &c), CL_INVALID_VALUE);
    c = good, c.args = &far;
    CHECK_EQ(update(b, &c), CL_INVALID_ARG_INDEX);
    c = good, c.args = &wide;
    CHECK_EQ(update(b, &c), CL_INVALID_ARG_SIZE);
    const size_t seven = 7;
    c = good, c.local = &seven;
    CHECK_EQ(update(b, &c), CL_INVALID_WORK_GROUP_SIZE);
    // None of those has changed anything.
    replay(b);
    CHECK_EQ(value_at(&w, 15), 1);
    CHECK_EQ(update(b, &good), CL_SUCCESS);
    replay(b);
    CHECK_EQ(value_at(&w, 15), 3);
    CHECK_EQ(clReleaseCommandBufferKHR(b), CL_SUCCESS);
    CHECK_EQ(clReleaseCommandBufferKHR(fixed), CL_SUCCESS);
    CHECK_EQ(clReleaseCommandBufferKHR(other), CL_SUCCESS);
    CHECK_EQ(update_n(b, command, 2), CL_INVALID_COMMAND_BUFFER_KHR);
    close_place(&w);
}

// A launch with these properties, or their error.
static command_handle record_with(struct place *w, buffer_handle b, const cl_properties *p, cl_int expected)
{
    command_handle command = NULL;
    const size_t items = 16, four = 4;
    set_add(w, 1);
    CHECK_EQ(
        clCommandNDRangeKernelKHR(b, NULL, p, w->kernel, 1, NULL, &items, &four, 0, NULL, NULL, &command),
        expected);
    return command;
}

TEST(only_fields_that_are_updatable_are_updated)
{
    struct place w = open_place(0);
    buffer_handle b = make_command_buffer(&w, CL_COMMAND_BUFFER_MUTABLE_KHR);
    const cl_properties twice[] = {CL_MUTABLE_DISPATCH_UPDATABLE_FIELDS_KHR, 1,
                                   CL_MUTABLE_DISPATCH_UPDATABLE_FIELDS_KHR, 1, 0};
    const cl_properties unknown[] = {4711, 1, 0},
                        bits[] = {CL_MUTABLE_DISPATCH_UPDATABLE_FIELDS_KHR, 1 << 9, 0};
    const cl_properties asserts[] = {CL_MUTABLE_DISPATCH_ASSERTS_KHR, 2, 0};
    const cl_properties size_only[] = {CL_MUTABLE_DISPATCH_UPDATABLE_FIELDS_KHR,
                                       CL_MUTABLE_DISPATCH_GLOBAL_SIZE_KHR, 0};
    record_with(&w, b, twice, CL_INVALID_VALUE);
    record_with(&w, b, unknown, CL_INVALID_VALUE);
    record_with(&w, b, bits, CL_INVALID_VALUE);
    record_with(&w, b, asserts, CL_INVALID_VALUE);
    command_handle command = record_with(&w, b, size_only, CL_SUCCESS);
    CHECK_EQ(clFinalizeCommandBufferKHR(b), CL_SUCCESS);
    const size_t eight = 8;
    struct weft_mutable_config c = {.command = command, .offset = &eight};
    CHECK_EQ(update_n(b, command, 2), CL_INVALID_OPERATION);
    CHECK_EQ(update(b, &c), CL_INVALID_OPERATION);
    c = (struct weft_mutable_config){.command = command, .local = &eight};
    CHECK_EQ(update(b, &c), CL_INVALID_OPERATION);
    c = (struct weft_mutable_config){.command = command, .global = &eight};
    CHECK_EQ(update(b, &c), CL_SUCCESS);
    replay(b);
    CHECK_EQ(value_at(&w, 7), 1);
    CHECK_EQ(value_at(&w, 8), 0);
    CHECK_EQ(clReleaseCommandBufferKHR(b), CL_SUCCESS);
    close_place(&w);
}

TEST(more_groups_than_promised_are_refused)
{
    struct place w = open_place(0);
    buffer_handle b = make_command_buffer(&w, CL_COMMAND_BUFFER_MUTABLE_KHR);
    const cl_properties promise[] = {CL_MUTABLE_DISPATCH_ASSERTS_KHR,
                                     CL_MUTABLE_DISPATCH_ASSERT_NO_ADDITIONAL_WORK_GROUPS_KHR, 0};
    command_handle command = record_with(&w, b, promise, CL_SUCCESS); // four groups
    CHECK_EQ(clFinalizeCommandBufferKHR(b), CL_SUCCESS);
    const size_t less = 8, more = 32;
    struct weft_mutable_config c = {.command = command, .global = &less};
    CHECK_EQ(update(b, &c), CL_SUCCESS);
    c.global = &more;
    CHECK_EQ(update(b, &c), CL_INVALID_VALUE);
    replay(b);
    CHECK_EQ(value_at(&w, 7), 1);
    CHECK_EQ(value_at(&w, 8), 0);
    CHECK_EQ(clReleaseCommandBufferKHR(b), CL_SUCCESS);
    close_place(&w);
}

// A last group that is smaller is one; of none at first there may be none later; and the kernel's own size
// counts where no other is given.
TEST(each_group_counts_for_the_promise)
{
    struct place w = open_place(0);
    const cl_properties promise[] = {CL_MUTABLE_DISPATCH_ASSERTS_KHR,
                                     CL_MUTABLE_DISPATCH_ASSERT_NO_ADDITIONAL_WORK_GROUPS_KHR, 0};
    const char *source = "kernel void any(global int *o) { o[get_global_id(0)] = 1; }\n"
                         "kernel __attribute__((reqd_work_group_size(4, 1, 1)))\n"
                         "void four(global int *o) { o[get_global_id(0)] = 1; }";
    cl_int error = 1;
    cl_program program = clCreateProgramWithSource(w.context, 1, &source, NULL, &error);
    CHECK_EQ(error, CL_SUCCESS);
    CHECK_EQ(clBuildProgram(program, 0, NULL, "-cl-std=CL3.0", NULL, NULL), CL_SUCCESS);
    const size_t local = 64;
    const struct {
        const char *kernel;
        const size_t *local;
        size_t recorded, allowed, refused;
    } tried[] = {{"any", &local, 64, 63, 65},
                 {"any", &local, 100, 128, 129},
                 {"any", &local, 0, 0, 1},
                 {"four", NULL, 8, 4, 12}};
    for (size_t i = 0; i < sizeof tried / sizeof *tried; i++) {
        buffer_handle b = make_command_buffer(&w, CL_COMMAND_BUFFER_MUTABLE_KHR);
        cl_kernel k = clCreateKernel(program, tried[i].kernel, &error);
        CHECK_EQ(error, CL_SUCCESS);
        command_handle command = NULL;
        CHECK_EQ(clSetKernelArg(k, 0, sizeof w.data, &w.data), CL_SUCCESS);
        CHECK_EQ(clCommandNDRangeKernelKHR(b, NULL, promise, k, 1, NULL, &tried[i].recorded, tried[i].local,
                                           0, NULL, NULL, &command),
                 CL_SUCCESS);
        CHECK_EQ(clFinalizeCommandBufferKHR(b), CL_SUCCESS);
        struct weft_mutable_config c = {.command = command, .global = &tried[i].allowed};
        CHECK_EQ(update(b, &c), CL_SUCCESS);
        c.global = &tried[i].refused;
        CHECK_EQ(update(b, &c), CL_INVALID_VALUE);
        CHECK_EQ(clReleaseCommandBufferKHR(b), CL_SUCCESS);
        CHECK_EQ(clReleaseKernel(k), CL_SUCCESS);
    }
    CHECK_EQ(clReleaseProgram(program), CL_SUCCESS);
    close_place(&w);
}

TEST(sizes_offset_and_pointers_are_updated)
{
    struct place w = open_place(0);
    buffer_handle b = make_command_buffer(&w, CL_COMMAND_BUFFER_MUTABLE_KHR);
    command_handle command = record_add(&w, b, 16, 1);
    CHECK_EQ(clFinalizeCommandBufferKHR(b), CL_SUCCESS);
    cl_int *svm = clSVMAlloc(w.context, 0, 4096, 0);
    memset(svm, 0, 4096);
    const size_t global = 32, offset = 4, local = 8;
    const struct weft_mutable_arg pointer = {0, 0, svm};
    const struct weft_mutable_config c = {.command = command,
                                          .svm_count = 1,
                                          .svm_args = &pointer,
                                          .dim = 1,
                                          .offset = &offset,
                                          .global = &global,
                                          .local = &local};
    CHECK_EQ(update(b, &c), CL_SUCCESS);
    replay(b);
    CHECK_EQ(clFinish(w.queue), CL_SUCCESS);
    CHECK_EQ(svm[3], 0);
    CHECK_EQ(svm[4], 1);
    CHECK_EQ(svm[35], 1);
    CHECK_EQ(svm[36], 0);
    CHECK_EQ(value_at(&w, 0), 0);
    size_t seen = 0;
    CHECK_EQ(clGetMutableCommandInfoKHR(command, CL_MUTABLE_DISPATCH_GLOBAL_WORK_OFFSET_KHR, sizeof seen,
                                        &seen, NULL),
             CL_SUCCESS);
    CHECK_EQ(seen, 4);
    CHECK_EQ(clGetMutableCommandInfoKHR(command, CL_MUTABLE_DISPATCH_LOCAL_WORK_SIZE_KHR, sizeof seen, &seen,
                                        NULL),
             CL_SUCCESS);
    CHECK_EQ(seen, 8);
    CHECK_EQ(clReleaseCommandBufferKHR(b), CL_SUCCESS);
    clSVMFree(w.context, svm);
    close_place(&w);
}

// Each enqueue runs what was there when it was made, whenever it comes to it.
TEST(updates_do_not_touch_what_is_enqueued)
{
    struct place w = open_place(0);
    buffer_handle b =
        make_command_buffer(&w, CL_COMMAND_BUFFER_MUTABLE_KHR | CL_COMMAND_BUFFER_SIMULTANEOUS_USE_KHR);
    command_handle command = record_add(&w, b, 1024, 1);
    record_add(&w, b, 1024, 1000);
    CHECK_EQ(clFinalizeCommandBufferKHR(b), CL_SUCCESS);
    cl_int error = 1;
    cl_event gate = clCreateUserEvent(w.context, &error);
    CHECK_EQ(clEnqueueMarkerWithWaitList(w.queue, 1, &gate, NULL), CL_SUCCESS);
    for (cl_int i = 0; i < 5; i++) {
        if (i)
            CHECK_EQ(update_n(b, command, 1 << i), CL_SUCCESS);
        replay(b);
    }
    CHECK_EQ(clSetUserEventStatus(gate, CL_COMPLETE), CL_SUCCESS);
    CHECK_EQ(value_at(&w, 0), 5031);
    CHECK_EQ(value_at(&w, 1023), 5031);
    CHECK_EQ(clReleaseEvent(gate), CL_SUCCESS);
    CHECK_EQ(clReleaseCommandBufferKHR(b), CL_SUCCESS);
    close_place(&w);
}

TEST(arguments_may_come_after_the_recording)
{
    struct place w = open_place(0);
    buffer_handle b = make_command_buffer(&w, CL_COMMAND_BUFFER_MUTABLE_KHR);
    const cl_properties fields[] = {CL_MUTABLE_DISPATCH_UPDATABLE_FIELDS_KHR,
                                    CL_MUTABLE_DISPATCH_ARGUMENTS_KHR, 0};
    command_handle command = NULL;
    const size_t items = 16;
    cl_int n = 3;
    CHECK_EQ(clSetKernelArg(w.kernel, 1, sizeof n, &n), CL_SUCCESS);
    CHECK_EQ(
        clCommandNDRangeKernelKHR(b, NULL, NULL, w.kernel, 1, NULL, &items, NULL, 0, NULL, NULL, &command),
        CL_INVALID_KERNEL_ARGS);
    CHECK_EQ(
        clCommandNDRangeKernelKHR(b, NULL, fields, w.kernel, 1, NULL, &items, NULL, 0, NULL, NULL, &command),
        CL_SUCCESS);
    CHECK_EQ(clFinalizeCommandBufferKHR(b), CL_SUCCESS);
    CHECK_EQ(state_of(b), CL_COMMAND_BUFFER_STATE_FINALIZED_KHR);
    CHECK_EQ(clEnqueueCommandBufferKHR(0, NULL, b, 0, NULL, NULL), CL_INVALID_OPERATION);
    CHECK_EQ(update_n(b, command, 4), CL_SUCCESS);
    CHECK_EQ(state_of(b), CL_COMMAND_BUFFER_STATE_FINALIZED_KHR);
    const struct weft_mutable_arg arg = {0, sizeof w.data, &w.data};
    const struct weft_mutable_config c = {.command = command, .arg_count = 1, .args = &arg};
    CHECK_EQ(update(b, &c), CL_SUCCESS);
    CHECK_EQ(state_of(b), CL_COMMAND_BUFFER_STATE_EXECUTABLE_KHR);
    replay(b);
    CHECK_EQ(value_at(&w, 15), 4);
    CHECK_EQ(clReleaseCommandBufferKHR(b), CL_SUCCESS);
    close_place(&w);
}

TEST(queries_return_what_was_recorded)
{
    struct place w = open_place(0);
    buffer_handle b = make_command_buffer(&w, CL_COMMAND_BUFFER_MUTABLE_KHR), seen = NULL;
    command_handle command = record_add(&w, b, 16, 1);
    cl_uint n = 0;
    cl_kernel kernel = NULL;
    cl_command_queue queue = NULL;
    cl_command_type type = 0;
    size_t size = 1;
    CHECK_EQ(clGetMutableCommandInfoKHR(NULL, CL_MUTABLE_DISPATCH_DIMENSIONS_KHR, sizeof n, &n, NULL),
             CL_INVALID_MUTABLE_COMMAND_KHR);
    CHECK_EQ(clGetMutableCommandInfoKHR(command, 1, sizeof n, &n, NULL), CL_INVALID_VALUE);
    CHECK_EQ(clGetMutableCommandInfoKHR(command, CL_MUTABLE_DISPATCH_DIMENSIONS_KHR, 1, &n, NULL),
             CL_INVALID_VALUE);
    CHECK_EQ(clGetMutableCommandInfoKHR(command, CL_MUTABLE_DISPATCH_DIMENSIONS_KHR, sizeof n, &n, NULL),
             CL_SUCCESS);
    CHECK_EQ(n, 1);
    CHECK_EQ(
        clGetMutableCommandInfoKHR(command, CL_MUTABLE_DISPATCH_KERNEL_KHR, sizeof kernel, &kernel, NULL),
        CL_SUCCESS);
    CHECK_EQ((void *)kernel, (void *)w.kernel);
    CHECK_EQ(
        clGetMutableCommandInfoKHR(command, CL_MUTABLE_COMMAND_COMMAND_QUEUE_KHR, sizeof queue, &queue, NULL),
        CL_SUCCESS);
    CHECK_EQ((void *)queue, (void *)w.queue);
    CHECK_EQ(
        clGetMutableCommandInfoKHR(command, CL_MUTABLE_COMMAND_COMMAND_BUFFER_KHR, sizeof seen, &seen, NULL),
        CL_SUCCESS);
    CHECK_EQ((void *)seen, (void *)b);
    CHECK_EQ(
        clGetMutableCommandInfoKHR(command, CL_MUTABLE_COMMAND_COMMAND_TYPE_KHR, sizeof type, &type, NULL),
        CL_SUCCESS);
    CHECK_EQ(type, CL_COMMAND_NDRANGE_KERNEL);
    CHECK_EQ(clGetMutableCommandInfoKHR(command, CL_MUTABLE_COMMAND_PROPERTIES_ARRAY_KHR, 0, NULL, &size),
             CL_SUCCESS);
    CHECK_EQ(size, 0);
    CHECK_EQ(clReleaseCommandBufferKHR(b), CL_SUCCESS);
    CHECK_EQ(clGetMutableCommandInfoKHR(command, CL_MUTABLE_DISPATCH_DIMENSIONS_KHR, sizeof n, &n, NULL),
             CL_INVALID_MUTABLE_COMMAND_KHR);
    close_place(&w);
}

// What is recorded without all of its arguments keeps those that it has.
TEST(a_launch_that_lacks_an_argument_holds_the_others)
{
    struct place w = open_place(0);
    buffer_handle b = make_command_buffer(&w, CL_COMMAND_BUFFER_MUTABLE_KHR);
    const cl_properties fields[] = {CL_MUTABLE_DISPATCH_UPDATABLE_FIELDS_KHR,
                                    CL_MUTABLE_DISPATCH_ARGUMENTS_KHR, 0};
    command_handle command = NULL;
    const size_t items = 16;
    cl_mem m = clCreateBuffer(w.context, 0, 64, NULL, NULL), again[40];
    CHECK_EQ(clSetKernelArg(w.kernel, 0, sizeof m, &m), CL_SUCCESS);
    CHECK_EQ(
        clCommandNDRangeKernelKHR(b, NULL, fields, w.kernel, 1, NULL, &items, NULL, 0, NULL, NULL, &command),
        CL_SUCCESS);
    CHECK_EQ(clReleaseMemObject(m), CL_SUCCESS);
    for (size_t i = 0; i < sizeof again / sizeof *again; i++) { // nothing takes its place
        again[i] = clCreateBuffer(w.context, 0, 64, NULL, NULL);
        CHECK(again[i] != m);
    }
    CHECK_EQ(clFinalizeCommandBufferKHR(b), CL_SUCCESS);
    CHECK_EQ(update_n(b, command, 4), CL_SUCCESS);
    CHECK_EQ(state_of(b), CL_COMMAND_BUFFER_STATE_EXECUTABLE_KHR);
    replay(b);
    CHECK_EQ(clFinish(w.queue), CL_SUCCESS);
    for (size_t i = 0; i < sizeof again / sizeof *again; i++)
        CHECK_EQ(clReleaseMemObject(again[i]), CL_SUCCESS);
    CHECK_EQ(clReleaseCommandBufferKHR(b), CL_SUCCESS);
    close_place(&w);
}
