// Programs whose timelines timeline.py checks: each TEST is run alone, by its name.
#include <dlfcn.h>
#include <errno.h>
#include <sys/stat.h>

#include "runtime/api/api.h"
#include "e2e/e2e.h"
#include "weft/cl_ext_weft.h"

static const char source[] = "kernel void add(global int *p) { p[get_global_id(0)] += 1; }\n"
                             "kernel void work(global int *p) {\n"
                             "    size_t i = get_global_id(0);\n"
                             "    int s = p[i];\n"
                             "    for (int k = 0; k < 5000; k++) s = s * 3 + k;\n"
                             "    p[i] = s;\n"
                             "}\n"
                             "kernel void wild(global int *p) { p[(size_t)1 << 40] = 1; }\n";

struct scene {
    struct e2e e2e;
    cl_program program;
    cl_kernel add, work, wild;
    cl_mem memory;
};
enum { ITEMS = 1 << 14 };

static cl_kernel kernel(const struct scene *s, const char *name)
{
    cl_int error = 1;
    cl_kernel k = clCreateKernel(s->program, name, &error);
    CHECK_EQ(error, CL_SUCCESS);
    CHECK_EQ(clSetKernelArg(k, 0, sizeof s->memory, &s->memory), CL_SUCCESS);
    return k;
}

static struct scene open_scene(void)
{
    struct scene s = {.e2e = e2e_open()};
    cl_int error = 1;
    const cl_int zero = 0;
    s.program = e2e_build(&s.e2e, source, "");
    s.memory = clCreateBuffer(s.e2e.context, 0, ITEMS * sizeof(cl_int), NULL, &error);
    CHECK_EQ(error, CL_SUCCESS);
    CHECK_EQ(
        clEnqueueFillBuffer(s.e2e.queue, s.memory, &zero, sizeof zero, 0, ITEMS * sizeof zero, 0, NULL, NULL),
        CL_SUCCESS);
    s.add = kernel(&s, "add");
    s.work = kernel(&s, "work");
    s.wild = kernel(&s, "wild");
    return s;
}

static void close_scene(struct scene *s)
{
    CHECK_EQ(clFinish(s->e2e.queue), CL_SUCCESS);
    CHECK_EQ(clReleaseKernel(s->add), CL_SUCCESS);
    CHECK_EQ(clReleaseKernel(s->work), CL_SUCCESS);
    CHECK_EQ(clReleaseKernel(s->wild), CL_SUCCESS);
    CHECK_EQ(clReleaseMemObject(s->memory), CL_SUCCESS);
    CHECK_EQ(clReleaseProgram(s->program), CL_SUCCESS);
    e2e_close(&s->e2e);
}

static void launch(cl_command_queue q, cl_kernel k, size_t items, cl_uint waits, const cl_event *list,
                   cl_event *event)
{
    CHECK_EQ(clEnqueueNDRangeKernel(q, k, 1, NULL, &items, NULL, waits, list, event), CL_SUCCESS);
}

static cl_command_queue free_queue(const struct scene *s)
{
    cl_int error = 1;
    cl_command_queue q =
        clCreateCommandQueue(s->e2e.context, s->e2e.device, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, &error);
    CHECK_EQ(error, CL_SUCCESS);
    return q;
}

TEST(commands)
{
    struct scene s = open_scene();
    cl_command_queue q = free_queue(&s);
    for (int i = 0; i < 20; i++)
        launch(s.e2e.queue, s.work, ITEMS, 0, NULL, NULL);
    CHECK_EQ(clFinish(s.e2e.queue), CL_SUCCESS);
    for (int i = 0; i < 20; i++)
        launch(q, i & 1 ? s.work : s.add, 64, 0, NULL, NULL);
    CHECK_EQ(clEnqueueBarrierWithWaitList(q, 0, NULL, NULL), CL_SUCCESS);
    CHECK_EQ(clFinish(q), CL_SUCCESS);
    CHECK_EQ(clReleaseCommandQueue(q), CL_SUCCESS);
    close_scene(&s);
}

// Three replays in a queue out of order, which take turns, and one in two queues.
TEST(replays)
{
    struct scene s = open_scene();
    cl_command_queue q = free_queue(&s), both[] = {s.e2e.queue, q};
    cl_platform_id platform;
    cl_int error = 1;
    const size_t few = 64, many = ITEMS;
    CHECK_EQ(clGetPlatformIDs(1, &platform, NULL), CL_SUCCESS);
#define FIND(name)                                                                                           \
    weft_fn_##name name##_found = (weft_fn_##name)clGetExtensionFunctionAddressForPlatform(platform, #name); \
    CHECK(name##_found != NULL)
    FIND(clCreateCommandBufferKHR);
    FIND(clCommandNDRangeKernelKHR);
    FIND(clCommandCopyBufferKHR);
    FIND(clFinalizeCommandBufferKHR);
    FIND(clEnqueueCommandBufferKHR);
    FIND(clReleaseCommandBufferKHR);
    for (cl_uint queues = 1; queues <= 2; queues++) {
        struct _cl_command_buffer_khr *b =
            clCreateCommandBufferKHR_found(queues, queues == 1 ? &q : both, NULL, &error);
        CHECK_EQ(error, CL_SUCCESS);
        CHECK_EQ(clCommandNDRangeKernelKHR_found(b, queues == 1 ? NULL : both[0], NULL, s.add, 1, NULL, &few,
                                                 NULL, 0, NULL, NULL, NULL),
                 CL_SUCCESS);
        CHECK_EQ(clCommandCopyBufferKHR_found(b, queues == 1 ? NULL : both[0], NULL, s.memory, s.memory, 0,
                                              64, 64, 0, NULL, NULL, NULL),
                 CL_SUCCESS);
        CHECK_EQ(clCommandNDRangeKernelKHR_found(b, queues == 1 ? NULL : both[1], NULL, s.work, 1, NULL,
                                                 &many, NULL, 0, NULL, NULL, NULL),
                 CL_SUCCESS);
        CHECK_EQ(clFinalizeCommandBufferKHR_found(b), CL_SUCCESS);
        for (int i = 0; i < (queues == 1 ? 3 : 1); i++)
            CHECK_EQ(clEnqueueCommandBufferKHR_found(0, NULL, b, 0, NULL, NULL), CL_SUCCESS);
        CHECK_EQ(clFinish(q), CL_SUCCESS);
        CHECK_EQ(clFinish(s.e2e.queue), CL_SUCCESS);
        CHECK_EQ(clReleaseCommandBufferKHR_found(b), CL_SUCCESS);
    }
    CHECK_EQ(clReleaseCommandQueue(q), CL_SUCCESS);
    close_scene(&s);
}

// Columns of work-items: lanes lie along dimension 1. Only every fourth work-item of a column has work to do.
TEST(columns)
{
    static const char text[] = "kernel void column(global int *p) {\n"
                               "    const size_t x = get_global_id(0), y = get_global_id(1);\n"
                               "    int s = p[x * 4096 + y];\n"
                               "    if (y % 4 == 0)\n"
                               "        for (int k = 0; k < 300; k++) s = s * 3 + k;\n"
                               "    p[x * 4096 + y] = s;\n"
                               "}\n";
    struct scene s = open_scene();
    const size_t items[] = {4, ITEMS / 4}, group[] = {1, 64};
    cl_int error = 1;
    cl_program program = e2e_build(&s.e2e, text, "");
    cl_kernel k = clCreateKernel(program, "column", &error);
    CHECK_EQ(error, CL_SUCCESS);
    CHECK_EQ(clSetKernelArg(k, 0, sizeof s.memory, &s.memory), CL_SUCCESS);
    char code[256] = "";
    for (int more = 300; more > 0; more--) { // the code for columns is made in the background
        CHECK_EQ(clEnqueueNDRangeKernel(s.e2e.queue, k, 2, NULL, items, group, 0, NULL, NULL), CL_SUCCESS);
        CHECK_EQ(clFinish(s.e2e.queue), CL_SUCCESS);
        CHECK_EQ(clGetKernelWorkGroupInfo(k, s.e2e.device, CL_KERNEL_CODE_WEFT, sizeof code, code, NULL),
                 CL_SUCCESS);
        if (!strstr(code, "dim1")) {
            more = 300;
            usleep(10000);
        }
    }
    CHECK_EQ(clReleaseKernel(k), CL_SUCCESS);
    CHECK_EQ(clReleaseProgram(program), CL_SUCCESS);
    close_scene(&s);
}

// A diamond over two queues, behind an event of the program.
TEST(arrows)
{
    struct scene s = open_scene();
    cl_command_queue q = free_queue(&s);
    cl_int error = 1;
    cl_event user = clCreateUserEvent(s.e2e.context, &error), top, sides[2], bottom;
    CHECK_EQ(error, CL_SUCCESS);
    launch(s.e2e.queue, s.work, 256, 1, &user, &top);
    launch(q, s.work, 256, 1, &top, &sides[0]);
    launch(q, s.add, 256, 1, &top, &sides[1]);
    launch(s.e2e.queue, s.add, 256, 2, sides, &bottom);
    CHECK_EQ(clSetUserEventStatus(user, CL_COMPLETE), CL_SUCCESS);
    CHECK_EQ(clWaitForEvents(1, &bottom), CL_SUCCESS);
    cl_event all[] = {user, top, sides[0], sides[1], bottom};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        CHECK_EQ(clReleaseEvent(all[i]), CL_SUCCESS);
    CHECK_EQ(clReleaseCommandQueue(q), CL_SUCCESS);
    close_scene(&s);
}

TEST(bounded)
{
    struct scene s = open_scene();
    const int count = HARNESS_SCALE(1000000);
    for (int i = 0; i < count; i++) {
        launch(s.e2e.queue, s.add, 1, 0, NULL, NULL);
        if (i % 64 == 0)
            CHECK_EQ(clFinish(s.e2e.queue), CL_SUCCESS);
    }
    close_scene(&s);
    printf("%d\n", count);
}

// One large buffer among many small ones.
TEST(churn)
{
    struct scene s = open_scene();
    enum { COUNT = 20000 };
    for (int i = 0; i < COUNT; i++) {
        cl_int error = 1;
        cl_mem m = clCreateBuffer(s.e2e.context, 0, i == COUNT / 3 ? 8 << 20 : 4096, NULL, &error);
        CHECK_EQ(error, CL_SUCCESS);
        CHECK_EQ(clReleaseMemObject(m), CL_SUCCESS);
    }
    close_scene(&s);
    printf("%d\n", COUNT);
}

// A launch waits for an event that nobody completes, and a marker for the launch.
TEST(pending)
{
    struct scene s = open_scene();
    cl_int error = 1;
    cl_event never = clCreateUserEvent(s.e2e.context, &error), launched;
    CHECK_EQ(error, CL_SUCCESS);
    launch(s.e2e.queue, s.work, 64, 0, NULL, NULL);
    CHECK_EQ(clFinish(s.e2e.queue), CL_SUCCESS);
    launch(s.e2e.queue, s.add, 64, 1, &never, &launched);
    CHECK_EQ(clEnqueueMarkerWithWaitList(s.e2e.queue, 1, &launched, NULL), CL_SUCCESS);
    CHECK_EQ(clFlush(s.e2e.queue), CL_SUCCESS);
    CHECK_EQ(clReleaseEvent(launched), CL_SUCCESS);
    exit(0); // nothing is released
}

// Calls that fail.
TEST(refused)
{
    struct scene s = open_scene();
    cl_int error = CL_SUCCESS;
    static const char *text = "kernel void broken( {";
    CHECK(!clCreateBuffer(s.e2e.context, 0, 0, NULL, &error) && error == CL_INVALID_BUFFER_SIZE);
    CHECK(!clCreateBuffer(s.e2e.context, 0, 0, NULL, NULL));
    CHECK(!clCreateKernel(s.program, "nope", NULL));
    cl_program p = clCreateProgramWithSource(s.e2e.context, 1, &text, NULL, &error);
    CHECK_EQ(clBuildProgram(p, 1, &s.e2e.device, "", NULL, NULL), CL_BUILD_PROGRAM_FAILURE);
    CHECK_EQ(clReleaseProgram(p), CL_SUCCESS);
    close_scene(&s);
}

static void *use_queue(void *arg)
{
    struct scene *s = arg;
    cl_int error = 1;
    cl_command_queue q = clCreateCommandQueue(s->e2e.context, s->e2e.device, 0, &error);
    CHECK_EQ(error, CL_SUCCESS);
    cl_kernel k = kernel(s, "add");
    for (int i = 0; i < 200; i++) {
        launch(q, k, 64, 0, NULL, NULL);
        CHECK_EQ(clFinish(q), CL_SUCCESS);
    }
    CHECK_EQ(clReleaseKernel(k), CL_SUCCESS);
    CHECK_EQ(clReleaseCommandQueue(q), CL_SUCCESS);
    return NULL;
}

static _Atomic bool working;

static void *never_end(void *arg)
{
    struct scene *s = arg;
    cl_int error = 1;
    cl_command_queue q = clCreateCommandQueue(s->e2e.context, s->e2e.device, 0, &error);
    cl_kernel k = kernel(s, "add");
    for (;;) {
        const size_t items = 64;
        if (clEnqueueNDRangeKernel(q, k, 1, NULL, &items, NULL, 0, NULL, NULL) == CL_SUCCESS)
            clFinish(q);
        working = true;
    }
    return NULL;
}

// The process ends while threads of it still use OpenCL.
TEST(threads)
{
    static struct scene s; // the threads have it until the end
    s = open_scene();
    enum { THREADS = 4 };
    pthread_t thread[THREADS], endless;
    for (int i = 0; i < THREADS; i++)
        CHECK_EQ(pthread_create(&thread[i], NULL, use_queue, &s), 0);
    for (int i = 0; i < THREADS; i++)
        CHECK_EQ(pthread_join(thread[i], NULL), 0);
    for (int i = 0; i < 2; i++)
        CHECK_EQ(pthread_create(&endless, NULL, never_end, &s), 0);
    while (!working)
        usleep(1000);
    usleep(20000);
}

static void *ask(void *arg)
{
    struct scene *s = arg;
    CHECK_EQ(clFlush(s->e2e.queue), CL_SUCCESS);
    return NULL;
}

// More threads than are remembered.
TEST(ending_threads)
{
    struct scene s = open_scene();
    for (int i = 0; i < 300; i++) {
        pthread_t thread;
        CHECK_EQ(pthread_create(&thread, NULL, ask, &s), 0);
        CHECK_EQ(pthread_join(thread, NULL), 0);
    }
    close_scene(&s);
}

// The child uses OpenCL anew, and ends as the parent does.
TEST(fork)
{
    struct scene s = open_scene();
    launch(s.e2e.queue, s.work, ITEMS, 0, NULL, NULL);
    CHECK_EQ(clFinish(s.e2e.queue), CL_SUCCESS);
    fflush(NULL);
    const pid_t child = fork();
    if (child == 0) {
        struct scene t = open_scene();
        for (int i = 0; i < 7; i++)
            launch(t.e2e.queue, t.add, 64, 0, NULL, NULL);
        close_scene(&t);
        exit(0);
    }
    int status = 1;
    CHECK_EQ(waitpid(child, &status, 0), child);
    CHECK_EQ(status, 0);
    printf("%d\n", (int)child);
    launch(s.e2e.queue, s.add, 64, 0, NULL, NULL);
    close_scene(&s);
}

static void *open_and_close(void *arg)
{
    struct scene s = open_scene();
    launch(s.e2e.queue, s.add, 64, 0, NULL, NULL);
    close_scene(&s);
    return arg;
}

// The child is made while a profiler's library is being told of code.
TEST(fork_in_add)
{
    pthread_t thread;
    CHECK_EQ(pthread_create(&thread, NULL, open_and_close, NULL), 0);
    char line[256] = "";
    while (strncmp(line, "method", 6) != 0) { // its last line is written before the library returns
        FILE *f = fopen(getenv("COLLECTOR_FILE"), "r");
        while (f && fgets(line, sizeof line, f))
            ;
        if (f)
            fclose(f);
        usleep(1000);
    }
    usleep(300000); // what other threads load has come to the lock
    fflush(NULL);
    const pid_t child = fork();
    if (child == 0) {
        alarm(60);
        open_and_close(NULL);
        exit(0);
    }
    int status = 1;
    CHECK_EQ(waitpid(child, &status, 0), child);
    CHECK_EQ(status, 0);
    CHECK_EQ(pthread_join(thread, NULL), 0);
}

// Another program takes the place of one whose threads are at work.
TEST(exec)
{
    struct scene s = open_scene();
    pthread_t endless;
    CHECK_EQ(pthread_create(&endless, NULL, never_end, &s), 0);
    while (!working)
        usleep(1000);
    execl("/proc/self/exe", "scenarios", "commands", (char *)NULL);
    FAIL("exec: %s", strerror(errno));
}

TEST(other_folder)
{
    struct scene s = open_scene();
    CHECK_EQ(mkdir("other", 0700), 0);
    CHECK_EQ(chdir("other"), 0);
    launch(s.e2e.queue, s.add, ITEMS, 0, NULL, NULL);
    close_scene(&s);
}

// As a process that is killed: no destructor runs.
TEST(killed)
{
    struct scene s = open_scene();
    for (int i = 0; i < 150; i++) {
        launch(s.e2e.queue, s.add, ITEMS, 0, NULL, NULL);
        CHECK_EQ(clFinish(s.e2e.queue), CL_SUCCESS);
        usleep(10000);
    }
    _exit(0);
}

// The library is unloaded before the process ends.
// The file has what was done before the program had nothing more to do.
TEST(idle)
{
    struct scene s = open_scene();
    for (int i = 0; i < 100; i++)
        launch(s.e2e.queue, s.add, 64, 0, NULL, NULL);
    CHECK_EQ(clFinish(s.e2e.queue), CL_SUCCESS);
    sleep(2);
    _exit(0); // no destructor runs
}

static void launch_all(struct scene *s, const char *text, const char *name, int count)
{
    cl_int error = 1;
    cl_program p = e2e_build(&s->e2e, text, "");
    cl_kernel k = clCreateKernel(p, name, &error);
    CHECK_EQ(error, CL_SUCCESS);
    CHECK_EQ(clSetKernelArg(k, 0, sizeof s->memory, &s->memory), CL_SUCCESS);
    for (int i = 0; i < count; i++)
        launch(s->e2e.queue, k, ITEMS / 2, 0, NULL, NULL);
    CHECK_EQ(clFinish(s->e2e.queue), CL_SUCCESS);
    CHECK_EQ(clReleaseKernel(k), CL_SUCCESS);
    CHECK_EQ(clReleaseProgram(p), CL_SUCCESS);
}

// Prints how long the launches of `work` took, which run at the same time.
TEST(numbers)
{
    struct scene s = open_scene();
    launch_all(&s,
               "kernel void k(global float *p) { float v = p[get_global_id(0)];\n"
               "    for (int i = 0; i < 64; i++) v = v * 1.5f + 1;\n    p[get_global_id(0)] = v; }\n",
               "k", 20);
    launch_all(&s,
               "kernel void k(global double *p) { double v = p[get_global_id(0)];\n"
               "    for (int i = 0; i < 32; i++) v = v * 1.5 + 1;\n    p[get_global_id(0)] = v; }\n",
               "k", 20);
    launch_all(&s,
               "kernel void invariant(global float *p) { float b = p[get_global_id(0)], v = 0;\n"
               "    for (int i = 0; i < 64; i++) v += b * b * b * b * b;\n    p[get_global_id(0)] = v; }\n",
               "invariant", 20);
    launch_all(&s,
               "kernel void nothing(global float *p) { p[get_global_id(0)] = p[get_global_id(0)] * 1.0f; }",
               "nothing", 20);
    launch_all(&s, "kernel void marker(global float *p) { p[get_global_id(0)] += 1.0f; }", "marker", 3);
    for (int i = 0; i < 5; i++)
        CHECK_EQ(clEnqueueMarkerWithWaitList(s.e2e.queue, 0, NULL, NULL), CL_SUCCESS);
    cl_command_queue q = free_queue(&s);
    struct timespec from, to;
    clock_gettime(CLOCK_MONOTONIC, &from);
    for (int i = 0; i < 40; i++)
        launch(q, s.work, ITEMS, 0, NULL, NULL);
    CHECK_EQ(clFinish(q), CL_SUCCESS);
    clock_gettime(CLOCK_MONOTONIC, &to);
    printf("%lld\n", (to.tv_sec - from.tv_sec) * 1000000000LL + to.tv_nsec - from.tv_nsec);
    CHECK_EQ(clReleaseCommandQueue(q), CL_SUCCESS);
    close_scene(&s);
}

// A module of SPIR-V whose one kernel does nothing, and has a name that tries to be a line of a file.
TEST(hostile)
{
    struct scene s = open_scene();
    static const char name[] = "x\nsource\tx\t/etc/passwd\t\303\251\xff\x80";
    enum { WORDS = sizeof name / 4 + 1 };
    uint32_t code[29 + WORDS] = {0x07230203,
                                 0x10000,
                                 0,
                                 5,
                                 0,
                                 2 << 16 | 17,
                                 4,
                                 2 << 16 | 17,
                                 6,
                                 3 << 16 | 14,
                                 2,
                                 2,
                                 (3 + WORDS) << 16 | 15,
                                 6,
                                 3};
    static const uint32_t rest[] = {2 << 16 | 19,  1, 3 << 16 | 33,  2,           1, 5 << 16 | 54, 1, 3, 0, 2,
                                    2 << 16 | 248, 4, 1 << 16 | 253, 1 << 16 | 56};
    memcpy(code + 15, name, sizeof name);
    memcpy(code + 15 + WORDS, rest, sizeof rest);
    char versions[256] = "";
    clGetDeviceInfo(s.e2e.device, CL_DEVICE_IL_VERSION, sizeof versions, versions, NULL);
    printf("%d %s\n", (int)getpid(), *versions ? "" : "no SPIR-V");
    if (*versions) {
        cl_int error = 1;
        cl_program p = clCreateProgramWithIL(s.e2e.context, code, sizeof code, &error);
        CHECK_EQ(error, CL_SUCCESS);
        CHECK_EQ(clBuildProgram(p, 1, &s.e2e.device, "", NULL, NULL), CL_SUCCESS);
        cl_kernel k = clCreateKernel(p, name, &error);
        CHECK_EQ(error, CL_SUCCESS);
        for (int i = 0; i < 3; i++)
            launch(s.e2e.queue, k, 64, 0, NULL, NULL);
        CHECK_EQ(clFinish(s.e2e.queue), CL_SUCCESS);
        CHECK_EQ(clReleaseKernel(k), CL_SUCCESS);
        CHECK_EQ(clReleaseProgram(p), CL_SUCCESS);
    }
    close_scene(&s);
}

TEST(unload)
{
    void *library = dlopen(getenv("WEFT_TEST_LIBRARY"), RTLD_NOW | RTLD_LOCAL);
    if (!library)
        FAIL("%s", dlerror());
    cl_int (*platforms)(cl_uint, cl_platform_id *, cl_uint *) =
        (cl_int(*)(cl_uint, cl_platform_id *, cl_uint *))(uintptr_t)dlsym(library, "clIcdGetPlatformIDsKHR");
    void *(*look_up)(const char *) =
        (void *(*)(const char *))(uintptr_t)dlsym(library, "clGetExtensionFunctionAddress");
    cl_platform_id platform;
    CHECK_EQ(platforms(1, &platform, NULL), CL_SUCCESS);
    cl_int (*get)(cl_uint, cl_platform_id *, cl_uint *) =
        (cl_int(*)(cl_uint, cl_platform_id *, cl_uint *))(uintptr_t)look_up("clIcdGetPlatformIDsKHR");
    CHECK_EQ(get(1, &platform, NULL), CL_SUCCESS);
    CHECK_EQ(dlclose(library), 0);
    CHECK_EQ(access(getenv("WEFT_TRACE"), R_OK), 0);
}

TEST(fault)
{
    struct scene s = open_scene();
    cl_event event;
    launch(s.e2e.queue, s.wild, 1, 0, NULL, &event);
    CHECK_LT(clWaitForEvents(1, &event), 0);
    CHECK_EQ(clReleaseEvent(event), CL_SUCCESS);
    close_scene(&s);
}
