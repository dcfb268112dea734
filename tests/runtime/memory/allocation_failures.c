// Memory objects: each allocation of a scenario fails once. The call reports it, nothing leaks, and the next
// try works.
#include "harness.h"

#include "runtime/api/api.h"
#include "runtime/device/device.h"
#include "runtime/device/platform.h"

static cl_context context;
static cl_command_queue queue;

static void open_context(void)
{
    cl_device_id device = (cl_device_id)(void *)weft_platform_get()->device;
    cl_int error = 1;
    context = weft_clCreateContext(NULL, 1, &device, NULL, NULL, &error);
    CHECK_EQ(error, CL_SUCCESS);
    queue = weft_clCreateCommandQueue(context, device, 0, &error);
    CHECK_EQ(error, CL_SUCCESS);
}

static void CL_CALLBACK count(cl_mem m, void *user)
{
    (void)m;
    ++*(int *)user;
}

static bool is_memory_error(cl_int error)
{
    return error == CL_OUT_OF_HOST_MEMORY || error == CL_MEM_OBJECT_ALLOCATION_FAILURE ||
           error == CL_OUT_OF_RESOURCES;
}

// Allocates everything that memory/ allocates. False when something failed for want of memory. What was
// allocated is released then, too.
static bool scenario(size_t size)
{
    const cl_mem_properties none[] = {0};
    const cl_buffer_region region = {128, 128};
    cl_int error = 1;
    int destroyed = 0, registered = 0;
    cl_mem list[40];
    void *p = NULL;
    cl_event gate = NULL;
    cl_mem sub = NULL, m = weft_clCreateBufferWithProperties(context, none, 0, size, NULL, &error);
    if (!m)
        goto done;
    error = weft_clSetMemObjectDestructorCallback(m, count, &destroyed);
    if (error)
        goto done;
    registered = 1;
    sub = weft_clCreateSubBuffer(m, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &error);
    if (!sub)
        goto done;
    gate = weft_clCreateUserEvent(context, &error);
    if (!gate)
        goto done;
    p = weft_clEnqueueMapBuffer(queue, sub, CL_FALSE, CL_MAP_WRITE, 0, 16, 1, &gate, NULL, &error);
    if (!p)
        goto done;
    error = weft_clEnqueueUnmapMemObject(queue, sub, p, 1, &gate, NULL);
    if (error)
        goto done;
    error = weft_clEnqueueFillBuffer(queue, m, "x", 1, 0, size, 1, &gate, NULL);
    if (error)
        goto done;
    error = weft_clEnqueueCopyBuffer(queue, m, m, 0, 512, 64, 1, &gate, NULL);
    if (error)
        goto done;
    for (size_t i = 0; i < 40; i++)
        list[i] = m;
    error = weft_clEnqueueMigrateMemObjects(queue, 40, list, 0, 1, &gate, NULL);
done:
    if (gate) {
        CHECK_EQ(weft_clSetUserEventStatus(gate, CL_COMPLETE), CL_SUCCESS);
        CHECK_EQ(weft_clReleaseEvent(gate), CL_SUCCESS);
    }
    CHECK_EQ(weft_clFinish(queue), CL_SUCCESS);
    if (sub)
        CHECK_EQ(weft_clReleaseMemObject(sub), CL_SUCCESS);
    if (m)
        CHECK_EQ(weft_clReleaseMemObject(m), CL_SUCCESS);
    CHECK_EQ(destroyed, registered);
    CHECK(error == CL_SUCCESS || is_memory_error(error));
    return error == CL_SUCCESS;
}

static void fail_each(size_t size)
{
    open_context();
    CHECK(scenario(size)); // pools are warm now
    int failures = 0;
    bool more = true;
    for (uint64_t n = 1; more; n++) {
        weft_alloc_fail_here_at(n);
        bool worked = scenario(size);
        more = !weft_alloc_fail_is_ahead();
        weft_alloc_fail_at(0);
        CHECK(scenario(size));
        CHECK(worked || more);
        failures += !worked;
    }
    CHECK_GE(failures, 5); // properties, storage, destructor, mapping, list; objects come from warm pools
    CHECK_EQ(weft_clReleaseCommandQueue(queue), CL_SUCCESS);
    CHECK_EQ(weft_clReleaseContext(context), CL_SUCCESS);
}

TEST(small_storage)
{
    fail_each(1000);
}

TEST(mapped_storage)
{
    fail_each(5u << 20);
}

TEST(failed_storage_is_an_allocation_failure)
{
    open_context();
    const size_t sizes[] = {100, 5u << 20};
    for (size_t i = 0; i < 2; i++) {
        CHECK_EQ(weft_clReleaseMemObject(weft_clCreateBuffer(context, 0, sizes[i], NULL, NULL)), CL_SUCCESS);
        cl_int error = 1;
        weft_alloc_fail_here_at(1); // the object itself comes from a pool
        CHECK(weft_clCreateBuffer(context, 0, sizes[i], NULL, &error) == NULL);
        CHECK_EQ(error, CL_MEM_OBJECT_ALLOCATION_FAILURE);
    }
}
