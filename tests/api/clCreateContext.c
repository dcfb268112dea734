#include "api/api.h"

static void CL_CALLBACK notify(const char *info, const void *data, size_t size, void *user)
{
    (void)info, (void)data, (void)size, (void)user;
}

static cl_int create(const cl_context_properties *p, cl_uint n, const cl_device_id *d,
                     void(CL_CALLBACK *fn)(const char *, const void *, size_t, void *), void *user)
{
    cl_int err = 1;
    cl_context c = clCreateContext(p, n, d, fn, user, &err);
    CHECK_EQ(c == NULL, err != CL_SUCCESS);
    if (c)
        OK(clReleaseContext(c));
    return err;
}

TEST(good_arguments)
{
    cl_device_id d = the_device(), twice[] = {d, d};
    cl_context_properties p[] = {CL_CONTEXT_INTEROP_USER_SYNC, CL_TRUE, CL_CONTEXT_PLATFORM,
                                 (cl_context_properties)the_platform(), 0};
    cl_context_properties none[] = {0};
    int user;
    OK(create(NULL, 1, &d, NULL, NULL));
    OK(create(none, 1, &d, notify, NULL));
    OK(create(p, 1, &d, notify, &user));
    OK(create(p, 2, twice, NULL, NULL));
    cl_context c = clCreateContext(p, 1, &d, NULL, NULL, NULL); // errcode_ret is optional
    OK(clReleaseContext(c));
}

TEST(duplicate_devices_are_ignored)
{
    cl_device_id d = the_device(), twice[] = {d, d};
    cl_int err;
    cl_context c = clCreateContext(NULL, 2, twice, NULL, NULL, &err);
    cl_uint n = 0;
    OK(clGetContextInfo(c, CL_CONTEXT_NUM_DEVICES, sizeof n, &n, NULL));
    CHECK_EQ(n, 1);
    OK(clReleaseContext(c));
}

TEST(BadPlatform)
{
    cl_device_id d = the_device();
    cl_context_properties p[] = {CL_CONTEXT_PLATFORM, (cl_context_properties)not_an_object(the_platform()),
                                 0};
    CHECK_EQ(create(p, 1, &d, NULL, NULL), CL_INVALID_PLATFORM);
    CHECK_EQ(create(p, 1, &d, NULL, p), CL_INVALID_PLATFORM); // comes before a missing callback
}

TEST(BadProperty)
{
    cl_device_id d = the_device();
    cl_context_properties platform = (cl_context_properties)the_platform();
    cl_context_properties unknown[] = {0x1234, 1, 0};
    cl_context_properties twice[] = {CL_CONTEXT_PLATFORM, platform, CL_CONTEXT_PLATFORM, platform, 0};
    cl_context_properties value[] = {CL_CONTEXT_INTEROP_USER_SYNC, 2, 0};
    CHECK_EQ(create(unknown, 1, &d, NULL, NULL), CL_INVALID_PROPERTY);
    CHECK_EQ(create(twice, 1, &d, NULL, NULL), CL_INVALID_PROPERTY);
    CHECK_EQ(create(value, 1, &d, NULL, NULL), CL_INVALID_PROPERTY);
}

TEST(BadDevices)
{
    cl_device_id d = the_device(), bad[] = {d, not_an_object(d)};
    CHECK_EQ(create(NULL, 0, &d, NULL, NULL), CL_INVALID_VALUE);
    CHECK_EQ(create(NULL, 2, bad, NULL, NULL), CL_INVALID_DEVICE);
}

TEST(UserDataWithoutCallback)
{
    cl_device_id d = the_device();
    CHECK_EQ(create(NULL, 1, &d, NULL, &d), CL_INVALID_VALUE);
}

static char reported[512];
static int times;

static void CL_CALLBACK note(const char *info, const void *data, size_t size, void *user)
{
    (void)data, (void)size;
    snprintf(reported, sizeof reported, "%s", info);
    times += user == reported;
    // The error of a call inside the callback isn't reported.
    CHECK_EQ(clRetainMemObject(NULL), CL_INVALID_MEM_OBJECT);
}

// "... to report information on errors during context creation as well as errors that occur at runtime in
// this context."
TEST(errors_of_the_creation_are_reported)
{
    cl_device_id d = the_device(), bad[] = {d, not_an_object(d)};
    cl_context_properties unknown[] = {0x1234, 1, 0};
    cl_int err = 1;
    CHECK(clCreateContext(unknown, 1, &d, note, reported, &err) == NULL);
    CHECK_EQ(err, CL_INVALID_PROPERTY);
    CHECK_EQ(times, 1);
    CHECK_CONTAINS(reported, "clCreateContext: CL_INVALID_PROPERTY (-64): ");
    CHECK(clCreateContext(NULL, 2, bad, note, reported, NULL) == NULL);
    CHECK_EQ(times, 2);
    CHECK_CONTAINS(reported, "clCreateContext: CL_INVALID_DEVICE (-33): ");
    unknown[0] = CL_CONTEXT_PLATFORM;
    unknown[1] = (cl_context_properties)the_platform();
    CHECK(clCreateContextFromType(unknown, CL_DEVICE_TYPE_GPU, note, reported, &err) == NULL);
    CHECK_EQ(err, CL_DEVICE_NOT_FOUND);
    CHECK_EQ(times, 3);
    CHECK_CONTAINS(reported, "clCreateContextFromType: CL_DEVICE_NOT_FOUND (-1): ");
    cl_context c = clCreateContext(NULL, 1, &d, note, reported, &err);
    OK(err);
    CHECK_EQ(times, 3);
    OK(clReleaseContext(c));
}
