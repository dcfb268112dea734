// Every entry point of api.def, through its address and not a loader, which would look into the handle:
// called with what is no handle of its kind it gives that kind's error, and nothing happens. The rows are
// made from api.def and the definitions (entry_points.py); an entry point without a row doesn't build.
// timeout: 120
#include "icd/icd.h"

#include <CL/cl_ext.h>

#include "weft/cl_ext_weft.h"

enum result { INT, POINTER, NOTHING };
enum kind {
    OTHER,
    PLATFORM,
    DEVICE,
    CONTEXT,
    QUEUE,
    MEM,
    PROGRAM,
    KERNEL,
    EVENT,
    SAMPLER,
    COMMAND_BUFFER,
    SEMAPHORE,
    MUTABLE_COMMAND,
    KINDS
};

static const cl_int errors[KINDS] = {
    [PLATFORM] = CL_INVALID_PLATFORM,       [DEVICE] = CL_INVALID_DEVICE,
    [CONTEXT] = CL_INVALID_CONTEXT,         [QUEUE] = CL_INVALID_COMMAND_QUEUE,
    [MEM] = CL_INVALID_MEM_OBJECT,          [PROGRAM] = CL_INVALID_PROGRAM,
    [KERNEL] = CL_INVALID_KERNEL,           [EVENT] = CL_INVALID_EVENT,
    [SAMPLER] = CL_INVALID_SAMPLER,         [COMMAND_BUFFER] = CL_INVALID_COMMAND_BUFFER_KHR,
    [SEMAPHORE] = CL_INVALID_SEMAPHORE_KHR, [MUTABLE_COMMAND] = CL_INVALID_MUTABLE_COMMAND_KHR};

static const struct row {
    const char *name;
    enum result result;
    enum kind first; // argument
    int error;       // place of errcode_ret; -1: there is none
} rows[] = {
#define ROW(name, result, first, error) {#name, result, first, error},
#include "entry_points.inc"
};

enum { ARGUMENTS = 16 }; // more than any entry point has; each is an integer or a pointer

static get_function_fn find;
static cl_platform_id platform;

typedef intptr_t word;
typedef cl_int (*int_fn)(void *, word, word, word, word, word, word, word, word, word, word, word, word, word,
                         word, word);
typedef void *(*pointer_fn)(void *, word, word, word, word, word, word, word, word, word, word, word, word,
                            word, word, word);

#define REST a[1], a[2], a[3], a[4], a[5], a[6], a[7], a[8], a[9], a[10], a[11], a[12], a[13], a[14], a[15]

// Functions are called as other types than theirs here: with pointers of another type, and arguments too
// many, which aren't looked at in the calling conventions of every processor that Weft runs on.
#define AS_ANOTHER_TYPE __attribute__((no_sanitize("function")))

// Calls it with this handle, an address for the error and zeros.
AS_ANOTHER_TYPE static void call(const struct row *r, void *handle, cl_int *code, void **pointer)
{
    word a[ARGUMENTS] = {0};
    cl_int err = 1;
    void *f = find(platform, r->name);
    if (!f)
        FAIL("%s isn't found", r->name);
    if (r->error >= 0)
        a[r->error] = (word)&err;
    *pointer = NULL;
    if (r->result == INT)
        *code = ((int_fn)f)(handle, REST);
    else
        *pointer = ((pointer_fn)f)(handle, REST);
    if (r->result != INT)
        *code = r->error >= 0 ? err : errors[r->first];
    if (r->result == NOTHING)
        *pointer = NULL;
}

// Every entry point that takes a handle of another kind first, or of any kind where `kind` is OTHER.
static void refuse(void *handle, enum kind kind, const char *what)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct row *r = &rows[i];
        cl_int code;
        void *pointer;
        if (r->first == OTHER || r->first == kind ||
            (r->first == PLATFORM && !handle)) // NULL may name the platform
            continue;
        call(r, handle, &code, &pointer);
        if (code != errors[r->first] || pointer)
            FAIL("%s of %s gives %d and %p, not %d", r->name, what, code, pointer, errors[r->first]);
    }
}

static void find_platform(void)
{
    void *lib = open_driver();
    find = SYMBOL(lib, get_function_fn, "clIcdGetFunctionAddressForPlatformKHR");
    OK(SYMBOL(lib, get_platforms_fn, "clIcdGetPlatformIDsKHR")(1, &platform, NULL));
}

TEST(null_and_what_was_never_an_object)
{
    find_platform();
    static unsigned char zeros[4096], ones[4096], text[4096];
    memset(ones, 0xff, sizeof ones);
    memset(text, 'x', sizeof text);
    refuse(NULL, OTHER, "NULL");
    refuse(zeros, OTHER, "zeros");
    refuse(ones, OTHER, "ones");
    refuse(text, OTHER, "text");
}

TEST(entry_points_without_a_handle_refuse_zeros)
{
    find_platform();
    size_t count = 0;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct row *r = &rows[i];
        cl_int code;
        void *pointer;
        if (r->first != OTHER ||
            strcmp(r->name, "clUnloadCompiler") == 0) // which takes nothing and always succeeds
            continue;
        call(r, NULL, &code, &pointer);
        if ((r->result == INT || r->error >= 0) && code >= 0)
            FAIL("%s of zeros gives %d", r->name, code);
        if (pointer)
            FAIL("%s of zeros gives an object", r->name);
        count++;
    }
    CHECK(count >= 8);
}

struct objects {
    void *of[KINDS];
};

#define CALL(name) ((TYPE_OF(name))find(platform, #name))
#define EXTENSION(type, name) ((type)find(platform, name))

typedef void *(*create_command_buffer_fn)(cl_uint, const cl_command_queue *, const cl_properties *, cl_int *);
typedef void *(*create_semaphore_fn)(cl_context, const cl_properties *, cl_int *);
typedef cl_int (*release_fn)(void *);

AS_ANOTHER_TYPE static struct objects make_objects(void)
{
    struct objects o = {{NULL}};
    cl_device_id device;
    cl_int err;
    const char *source = "kernel void k(void) {}";
    OK(CALL(clGetDeviceIDs)(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL));
    cl_context c = CALL(clCreateContext)(NULL, 1, &device, NULL, NULL, &err);
    OK(err);
    cl_command_queue q = CALL(clCreateCommandQueue)(c, device, 0, &err);
    OK(err);
    cl_program p = CALL(clCreateProgramWithSource)(c, 1, &source, NULL, &err);
    OK(err);
    OK(CALL(clBuildProgram)(p, 0, NULL, NULL, NULL, NULL));
    o.of[PLATFORM] = platform;
    o.of[DEVICE] = device;
    o.of[CONTEXT] = c;
    o.of[QUEUE] = q;
    o.of[MEM] = CALL(clCreateBuffer)(c, 0, 64, NULL, &err);
    OK(err);
    o.of[PROGRAM] = p;
    o.of[KERNEL] = CALL(clCreateKernel)(p, "k", &err);
    OK(err);
    o.of[EVENT] = CALL(clCreateUserEvent)(c, &err);
    OK(err);
    o.of[SAMPLER] = CALL(clCreateSampler)(c, CL_FALSE, CL_ADDRESS_CLAMP, CL_FILTER_NEAREST, &err);
    OK(err);
    o.of[COMMAND_BUFFER] = EXTENSION(create_command_buffer_fn, "clCreateCommandBufferKHR")(1, &q, NULL, &err);
    OK(err);
    const cl_properties binary[] = {CL_SEMAPHORE_TYPE_KHR, CL_SEMAPHORE_TYPE_BINARY_KHR, 0};
    o.of[SEMAPHORE] = EXTENSION(create_semaphore_fn, "clCreateSemaphoreWithPropertiesKHR")(c, binary, &err);
    OK(err);
    return o;
}

// In the order in which nothing is used any more. Platform and root device stay.
AS_ANOTHER_TYPE static void release_objects(const struct objects *o)
{
    static const struct {
        enum kind kind;
        const char *release;
    } order[] = {{SEMAPHORE, "clReleaseSemaphoreKHR"}, {COMMAND_BUFFER, "clReleaseCommandBufferKHR"},
                 {SAMPLER, "clReleaseSampler"},        {EVENT, "clReleaseEvent"},
                 {KERNEL, "clReleaseKernel"},          {PROGRAM, "clReleaseProgram"},
                 {MEM, "clReleaseMemObject"},          {QUEUE, "clReleaseCommandQueue"},
                 {CONTEXT, "clReleaseContext"}};
    for (size_t i = 0; i < sizeof order / sizeof *order; i++)
        OK(EXTENSION(release_fn, order[i].release)(o->of[order[i].kind]));
}

static const char *const kind_names[KINDS] = {
    "nothing",  "a platform", "a device",  "a context",        "a queue",     "a buffer", "a program",
    "a kernel", "an event",   "a sampler", "a command buffer", "a semaphore", "a command"};

TEST(objects_of_other_kinds)
{
    find_platform();
    struct objects o = make_objects();
    for (enum kind k = PLATFORM; k < MUTABLE_COMMAND; k++)
        refuse(o.of[k], k, kind_names[k]);
    release_objects(&o); // each had one reference, still
}

TEST(objects_that_were)
{
    find_platform();
    struct objects o = make_objects();
    release_objects(&o);
    for (enum kind k = CONTEXT; k < MUTABLE_COMMAND; k++)
        refuse(o.of[k], OTHER, kind_names[k]);
}
