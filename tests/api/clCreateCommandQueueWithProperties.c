#include "api/api.h"

static cl_int create(cl_context c, cl_device_id d, const cl_queue_properties *p)
{
    cl_int err = 1;
    cl_command_queue q = clCreateCommandQueueWithProperties(c, d, p, &err);
    CHECK_EQ(q == NULL, err != CL_SUCCESS);
    if (q)
        OK(clReleaseCommandQueue(q));
    return err;
}

TEST(good_properties)
{
    cl_context c = new_context();
    const cl_queue_properties none[] = {0};
    OK(create(c, the_device(), NULL));
    OK(create(c, the_device(), none));
    for (cl_queue_properties bits = 0; bits < 4; bits++) {
        const cl_queue_properties p[] = {CL_QUEUE_PROPERTIES, bits, 0};
        OK(create(c, the_device(), p));
    }
    OK(clReleaseContext(c));
}

TEST(BadContextThenDevice)
{
    cl_context c = new_context();
    CHECK_EQ(create(not_an_object(c), not_an_object(c), NULL), CL_INVALID_CONTEXT);
    CHECK_EQ(create(c, not_an_object(the_device()), NULL), CL_INVALID_DEVICE);
    OK(clReleaseContext(c));
}

TEST(BadProperties)
{
    cl_context c = new_context();
    const cl_queue_properties unknown_name[] = {0x4242, 0, 0};
    const cl_queue_properties unknown_bit[] = {CL_QUEUE_PROPERTIES, 1u << 20, 0};
    const cl_queue_properties twice[] = {CL_QUEUE_PROPERTIES, 0, CL_QUEUE_PROPERTIES, 0, 0};
    const cl_queue_properties size_of_host_queue[] = {CL_QUEUE_SIZE, 64, 0};
    const cl_queue_properties device_in_order[] = {CL_QUEUE_PROPERTIES, CL_QUEUE_ON_DEVICE, 0};
    CHECK_EQ(create(c, the_device(), unknown_name), CL_INVALID_VALUE);
    CHECK_EQ(create(c, the_device(), unknown_bit), CL_INVALID_VALUE);
    CHECK_EQ(create(c, the_device(), twice), CL_INVALID_VALUE);
    CHECK_EQ(create(c, the_device(), size_of_host_queue), CL_INVALID_VALUE);
    CHECK_EQ(create(c, the_device(), device_in_order), CL_INVALID_VALUE);
    OK(clReleaseContext(c));
}

#define DEVICE_BITS (CL_QUEUE_ON_DEVICE | CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE)

static cl_command_queue on_device(cl_context c, cl_command_queue_properties more, cl_queue_properties size,
                                  cl_int wanted)
{
    const cl_queue_properties p[] = {CL_QUEUE_PROPERTIES, DEVICE_BITS | more, size ? CL_QUEUE_SIZE : 0, size,
                                     0};
    cl_int err = 1;
    cl_command_queue q = clCreateCommandQueueWithProperties(c, the_device(), p, &err);
    CHECK_EQ(err, wanted);
    return q;
}

static cl_command_queue default_of(cl_command_queue q)
{
    cl_command_queue found = NULL;
    OK(clGetCommandQueueInfo(q, CL_QUEUE_DEVICE_DEFAULT, sizeof found, &found, NULL));
    return found;
}

TEST(queues_on_the_device)
{
    cl_context c = new_context();
    cl_uint size = 0, preferred = 0, most = 0, count = 0;
    OK(clGetDeviceInfo(the_device(), CL_DEVICE_QUEUE_ON_DEVICE_PREFERRED_SIZE, sizeof preferred, &preferred,
                       NULL));
    OK(clGetDeviceInfo(the_device(), CL_DEVICE_QUEUE_ON_DEVICE_MAX_SIZE, sizeof most, &most, NULL));
    cl_command_queue q = on_device(c, 0, 0, CL_SUCCESS), sized = on_device(c, 0, most, CL_SUCCESS);
    on_device(c, 0, (cl_queue_properties)most + 1, CL_INVALID_QUEUE_PROPERTIES);
    OK(clGetCommandQueueInfo(q, CL_QUEUE_SIZE, sizeof size, &size, NULL));
    CHECK_EQ(size, preferred);
    OK(clGetCommandQueueInfo(sized, CL_QUEUE_SIZE, sizeof size, &size, NULL));
    CHECK_EQ(size, most);
    OK(clRetainCommandQueue(q));
    OK(clGetCommandQueueInfo(q, CL_QUEUE_REFERENCE_COUNT, sizeof count, &count, NULL));
    CHECK_EQ(count, 2);
    OK(clReleaseCommandQueue(q));
    // The host can't put anything there.
    CHECK_EQ(clFlush(q), CL_INVALID_COMMAND_QUEUE);
    CHECK_EQ(clEnqueueMarkerWithWaitList(q, 0, NULL, NULL), CL_INVALID_COMMAND_QUEUE);
    OK(clReleaseCommandQueue(q));
    OK(clReleaseCommandQueue(sized));
    OK(clReleaseContext(c));
}

TEST(there_is_one_default_queue_on_a_device_and_it_may_be_replaced)
{
    cl_context c = new_context();
    cl_command_queue host = new_queue(c, 0);
    CHECK_EQ(default_of(host), NULL);
    cl_command_queue first = on_device(c, CL_QUEUE_ON_DEVICE_DEFAULT, 0, CL_SUCCESS);
    CHECK_EQ(on_device(c, CL_QUEUE_ON_DEVICE_DEFAULT, 0, CL_SUCCESS), first);
    cl_command_queue other = on_device(c, 0, 0, CL_SUCCESS);
    CHECK_EQ(default_of(host), first);
    CHECK_EQ(clSetDefaultDeviceCommandQueue(c, the_device(), host), CL_INVALID_COMMAND_QUEUE);
    OK(clSetDefaultDeviceCommandQueue(c, the_device(), other));
    CHECK_EQ(default_of(other), other);
    OK(clReleaseCommandQueue(first));
    OK(clReleaseCommandQueue(first));
    CHECK_EQ(default_of(host), other);
    OK(clReleaseCommandQueue(other));
    CHECK_EQ(default_of(host), NULL);
    OK(clReleaseCommandQueue(host));
    OK(clReleaseContext(c));
}

// Priorities (cl_khr_priority_hints) and throttles (cl_khr_throttle_hints) have the same values.
static void check_hint(cl_queue_properties name)
{
    cl_context c = new_context();
    for (cl_queue_properties bit = CL_QUEUE_PRIORITY_HIGH_KHR; bit <= CL_QUEUE_PRIORITY_LOW_KHR; bit *= 2) {
        const cl_queue_properties p[] = {name, bit, CL_QUEUE_PROPERTIES, 0, 0};
        OK(create(c, the_device(), p));
    }
    const cl_queue_properties none[] = {name, 0, 0}, two[] = {name, 3, 0}, twice[] = {name, 1, name, 1, 0};
    const cl_queue_properties on_device[] = {CL_QUEUE_PROPERTIES,
                                             CL_QUEUE_ON_DEVICE | CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE,
                                             name, CL_QUEUE_PRIORITY_MED_KHR, 0};
    CHECK_EQ(create(c, the_device(), none), CL_INVALID_VALUE);
    CHECK_EQ(create(c, the_device(), two), CL_INVALID_VALUE);
    CHECK_EQ(create(c, the_device(), twice), CL_INVALID_VALUE);
    CHECK_EQ(create(c, the_device(), on_device), CL_INVALID_QUEUE_PROPERTIES);
    OK(clReleaseContext(c));
}

TEST(priorities_are_one_of_three)
{
    check_hint(CL_QUEUE_PRIORITY_KHR);
}

TEST(throttles_are_one_of_three)
{
    check_hint(CL_QUEUE_THROTTLE_KHR);
}

TEST(hints_go_together)
{
    cl_context c = new_context();
    const cl_queue_properties both[] = {CL_QUEUE_PRIORITY_KHR, CL_QUEUE_PRIORITY_LOW_KHR,
                                        CL_QUEUE_THROTTLE_KHR, CL_QUEUE_THROTTLE_HIGH_KHR, 0};
    OK(create(c, the_device(), both));
    OK(clReleaseContext(c));
}

// cl_khr_create_command_queue: the same by another name.
TEST(the_extension_makes_the_same_queues)
{
    cl_platform_id platform;
    cl_context c = new_context();
    cl_int err = 1;
    OK(clGetDeviceInfo(the_device(), CL_DEVICE_PLATFORM, sizeof platform, &platform, NULL));
    clCreateCommandQueueWithPropertiesKHR_fn make =
        (clCreateCommandQueueWithPropertiesKHR_fn)clGetExtensionFunctionAddressForPlatform(
            platform, "clCreateCommandQueueWithPropertiesKHR");
    CHECK(make != NULL);
    const cl_queue_properties p[] = {CL_QUEUE_PROPERTIES, CL_QUEUE_PROFILING_ENABLE, 0},
                              bad[] = {0x4242, 0, 0};
    cl_command_queue q = make(c, the_device(), p, &err);
    OK(err);
    cl_command_queue_properties seen = 0;
    OK(clGetCommandQueueInfo(q, CL_QUEUE_PROPERTIES, sizeof seen, &seen, NULL));
    CHECK_EQ(seen, CL_QUEUE_PROFILING_ENABLE);
    OK(clReleaseCommandQueue(q));
    CHECK(make(c, the_device(), bad, &err) == NULL);
    CHECK_EQ(err, CL_INVALID_VALUE);
    CHECK(make(NULL, the_device(), p, &err) == NULL);
    CHECK_EQ(err, CL_INVALID_CONTEXT);
    OK(clReleaseContext(c));
}
