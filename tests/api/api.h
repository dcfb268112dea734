// What tests of entry points share: the driver's platform, device, context and queue; a handle that is none;
// and the checks that every query must pass, made from the rows of lib/runtime/info/*.def.
#ifndef WEFT_TESTS_API_H
#define WEFT_TESTS_API_H

#define CL_TARGET_OPENCL_VERSION 300
#define CL_USE_DEPRECATED_OPENCL_1_0_APIS
#define CL_USE_DEPRECATED_OPENCL_1_1_APIS
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <CL/cl.h>
#include <CL/cl_ext.h>

#include "weft/cl_ext_weft.h"
#include <pthread.h>
#include <stdatomic.h>

#include "harness.h"
#include "runtime/info/since.h"

#define OK(call) CHECK_EQ((call), CL_SUCCESS)
#define COUNT_OF(a) (sizeof(a) / sizeof((a)[0]))

HARNESS_UNUSED static cl_platform_id the_platform(void)
{
    cl_platform_id p = NULL;
    char name[64] = "";
    OK(clGetPlatformIDs(1, &p, NULL));
    OK(clGetPlatformInfo(p, CL_PLATFORM_NAME, sizeof name, name, NULL));
    CHECK_STR(name, "Weft");
    return p;
}

HARNESS_UNUSED static cl_device_id the_device(void)
{
    cl_device_id d = NULL;
    OK(clGetDeviceIDs(the_platform(), CL_DEVICE_TYPE_ALL, 1, &d, NULL));
    return d;
}

// False where there is no translator of SPIR-V.
HARNESS_UNUSED static bool takes_spirv(void)
{
    char languages[128] = "";
    OK(clGetDeviceInfo(the_device(), CL_DEVICE_IL_VERSION, sizeof languages, languages, NULL));
    return *languages != '\0';
}

HARNESS_UNUSED static void needs_spirv(void)
{
    if (!takes_spirv())
        SKIP("the device doesn't take SPIR-V: there is no llvm-spirv");
}

HARNESS_UNUSED static cl_context new_context(void)
{
    cl_device_id d = the_device();
    cl_int err = 1;
    cl_context c = clCreateContext(NULL, 1, &d, NULL, NULL, &err);
    OK(err);
    CHECK(c != NULL);
    return c;
}

HARNESS_UNUSED static cl_command_queue new_queue(cl_context c, cl_command_queue_properties bits)
{
    cl_int err = 1;
    cl_queue_properties p[] = {CL_QUEUE_PROPERTIES, bits, 0};
    cl_command_queue q = clCreateCommandQueueWithProperties(c, the_device(), p, &err);
    OK(err);
    CHECK(q != NULL);
    return q;
}

HARNESS_UNUSED static cl_event new_user_event(cl_context c)
{
    cl_int err = 1;
    cl_event e = clCreateUserEvent(c, &err);
    OK(err);
    CHECK(e != NULL);
    return e;
}

HARNESS_UNUSED static cl_int status_of(cl_event e)
{
    cl_int s = 99;
    OK(clGetEventInfo(e, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof s, &s, NULL));
    return s;
}

HARNESS_UNUSED static void sleep_ms(long ms)
{
    struct timespec t = {ms / 1000, ms % 1000 * 1000000};
    nanosleep(&t, NULL);
}

// Waits until *flag is at least n; fails after ten seconds.
HARNESS_UNUSED static void await_count(_Atomic int *flag, int n)
{
    for (int i = 0; i < 10000 && atomic_load(flag) < n; i++)
        sleep_ms(1);
    CHECK_GE(atomic_load(flag), n);
}

// A handle that the loader passes on to the driver (its first words are those of `like`), and that is no
// object.
HARNESS_UNUSED static void *not_an_object(void *like)
{
    static _Alignas(128) void *fake[32];
    memset(fake, 0, sizeof fake);
    memcpy(fake, like, 2 * sizeof(void *));
    return fake;
}

// ---- Queries ----

struct query_row {
    const char *name;
    cl_uint value;
    size_t element;
    enum { QUERY_VALUE, QUERY_STRING, QUERY_ARRAY } kind;
};

typedef cl_int (*query_fn)(void *object, cl_uint name, size_t size, void *value, size_t *size_ret);

HARNESS_UNUSED static void check_query(query_fn ask, void *object, const struct query_row *r)
{
    unsigned char room[8192];
    size_t size = (size_t)-1;
    cl_int err = ask(object, r->value, 0, NULL, &size);
    if (err != CL_SUCCESS)
        FAIL("%s: size only gives %d", r->name, err);
    if (r->kind == QUERY_VALUE ? size != r->element : size % r->element != 0)
        FAIL("%s: is %zu bytes, of elements of %zu", r->name, size, r->element);
    CHECK_LT(size, sizeof room - 16);
    memset(room, 0xa5, sizeof room);
    err = ask(object, r->value, size, room, NULL);
    if (err != CL_SUCCESS)
        FAIL("%s: the exact size gives %d", r->name, err);
    for (size_t i = size; i < size + 16; i++)
        if (room[i] != 0xa5)
            FAIL("%s: byte %zu after the value is overwritten", r->name, i - size);
    if (r->kind == QUERY_STRING && (size == 0 || strnlen((char *)room, size) + 1 != size))
        FAIL("%s: a string of %zu bytes is not one", r->name, size);
    size_t more = 0;
    err = ask(object, r->value, sizeof room, room, &more);
    if (err != CL_SUCCESS || more != size)
        FAIL("%s: with more room than needed: %d, %zu bytes", r->name, err, more);
    if (size) {
        memset(room, 0xa5, sizeof room);
        err = ask(object, r->value, size - 1, room, NULL);
        if (err != CL_INVALID_VALUE || room[0] != 0xa5)
            FAIL("%s: too small gives %d, and writes %s", r->name, err,
                 room[0] != 0xa5 ? "something" : "nothing");
    }
}

// Every row, an unknown name, and a handle that is no object (bad_handle: the spec's error for that).
HARNESS_UNUSED static void check_queries(query_fn ask, void *object, const struct query_row *rows,
                                         size_t count, cl_int bad_handle)
{
    for (size_t i = 0; i < count; i++)
        check_query(ask, object, &rows[i]);
    cl_uint value;
    CHECK_EQ(ask(object, 0xdead, sizeof value, &value, NULL), CL_INVALID_VALUE);
    size_t size;
    CHECK_EQ(ask(not_an_object(object), rows[0].value, 0, NULL, &size), bad_handle);
    CHECK_EQ(ask(NULL, rows[0].value, 0, NULL, &size), bad_handle);
}

HARNESS_UNUSED static cl_int ask_device(void *object, cl_uint name, size_t size, void *value,
                                        size_t *size_ret)
{
    return clGetDeviceInfo(object, name, size, value, size_ret);
}

// Checks the rows of runtime/info/device.def that this build has.
HARNESS_UNUSED static void check_device_queries(cl_device_id d, const struct query_row *rows, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (takes_spirv() || !weft_query_is_of_spirv(rows[i].value))
            check_queries(ask_device, d, &rows[i], 1, CL_INVALID_DEVICE);
}

#define WEFT_INFO_VALUE(name, type, expression) {#name, name, sizeof(type), QUERY_VALUE},
#define WEFT_INFO_STRING(name, expression) {#name, name, 1, QUERY_STRING},
#define WEFT_INFO_ARRAY(name, type, pointer, count) {#name, name, sizeof(type), QUERY_ARRAY},

#endif
