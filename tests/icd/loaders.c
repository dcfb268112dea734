// The driver under each ICD loader that this machine has: ocl-icd and Khronos's. Each test runs in its own
// process, since a loader reads its vendors once.
// timeout: 120
#include <fcntl.h>
#include <sys/stat.h>

#include "icd/icd.h"

#if HARNESS_ASAN
// ocl-icd keeps a few bytes a vendor when it is closed. That the driver keeps nothing is shown without a
// loader, in driver.c.
int __lsan_is_turned_off(void);
int __lsan_is_turned_off(void)
{
    return 1;
}
#endif

static void *open_loader(const char *path)
{
    void *lib = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!lib)
        SKIP("no loader here: %s", dlerror());
    return lib;
}

// Khronos's loader isn't packaged by Debian 12; Intel's runtime carries one. Where it lies is the machine's
// affair.
static const char *khronos_loader(void)
{
    const char *path = getenv("WEFT_TEST_KHRONOS_LOADER");
    if (!path)
        SKIP("WEFT_TEST_KHRONOS_LOADER names no libOpenCL.so.1 of Khronos's (`pip install intel-opencl-rt` "
             "brings one)");
    return path;
}

#define CALL(lib, name) ((TYPE_OF(name))symbol(lib, #name))

// Every kind of handle goes through the loader: programs, kernels, sub-buffers, mapped memory, user events.
static void run_kernel(void *loader, cl_context c, cl_command_queue q)
{
    cl_int err = 1, in[64];
    const char *source = "kernel void add(global int *p, int n) { p[get_global_id(0)] += n; }";
    cl_program p = CALL(loader, clCreateProgramWithSource)(c, 1, &source, NULL, &err);
    OK(err);
    OK(CALL(loader, clBuildProgram)(p, 0, NULL, "", NULL, NULL));
    cl_kernel k = CALL(loader, clCreateKernel)(p, "add", &err);
    OK(err);
    for (int i = 0; i < 64; i++)
        in[i] = i;
    cl_mem whole = CALL(loader, clCreateBuffer)(c, CL_MEM_COPY_HOST_PTR, sizeof in, in, &err);
    cl_buffer_region all = {0, sizeof in};
    cl_mem m =
        CALL(loader, clCreateSubBuffer)(whole, CL_MEM_READ_WRITE, CL_BUFFER_CREATE_TYPE_REGION, &all, &err);
    OK(err);
    cl_event gate = CALL(loader, clCreateUserEvent)(c, &err), done = NULL;
    OK(err);
    cl_int n = 1000;
    size_t global = 64;
    OK(CALL(loader, clSetKernelArg)(k, 0, sizeof m, &m));
    OK(CALL(loader, clSetKernelArg)(k, 1, sizeof n, &n));
    OK(CALL(loader, clEnqueueNDRangeKernel)(q, k, 1, NULL, &global, NULL, 1, &gate, &done));
    OK(CALL(loader, clSetUserEventStatus)(gate, CL_COMPLETE));
    cl_int *mapped =
        CALL(loader, clEnqueueMapBuffer)(q, m, CL_TRUE, CL_MAP_READ, 0, sizeof in, 1, &done, NULL, &err);
    OK(err);
    for (int i = 0; i < 64; i++)
        CHECK_EQ(mapped[i], i + 1000);
    OK(CALL(loader, clEnqueueUnmapMemObject)(q, m, mapped, 0, NULL, NULL));
    OK(CALL(loader, clReleaseEvent)(gate));
    OK(CALL(loader, clReleaseEvent)(done));
    OK(CALL(loader, clReleaseMemObject)(m));
    OK(CALL(loader, clReleaseMemObject)(whole));
    OK(CALL(loader, clReleaseKernel)(k));
    OK(CALL(loader, clReleaseProgram)(p));
}

static void use(void *loader)
{
    cl_platform_id platforms[16], p = NULL;
    cl_device_id d = NULL;
    cl_uint n = 0;
    OK(CALL(loader, clGetPlatformIDs)(16, platforms, &n));
    for (cl_uint i = 0; i < n; i++) {
        char name[64] = "";
        CALL(loader, clGetPlatformInfo)(platforms[i], CL_PLATFORM_NAME, sizeof name, name, NULL);
        if (strcmp(name, "Weft") == 0)
            p = platforms[i];
    }
    if (!p)
        FAIL("the loader shows %u platforms and not Weft", n);
    OK(CALL(loader, clGetDeviceIDs)(p, CL_DEVICE_TYPE_ALL, 1, &d, NULL));
    cl_context_properties props[] = {CL_CONTEXT_PLATFORM, (cl_context_properties)p, 0};
    cl_context c = CALL(loader, clCreateContext)(props, 1, &d, NULL, NULL, NULL);
    CHECK(c != NULL);
    cl_int err = 1;
    cl_command_queue q =
        ((cl_command_queue(*)(cl_context, cl_device_id, const cl_queue_properties *, cl_int *))symbol(
            loader, "clCreateCommandQueueWithProperties"))(c, d, NULL, &err);
    OK(err);
    unsigned char in[1000], out[1000];
    for (size_t i = 0; i < sizeof in; i++)
        in[i] = (unsigned char)(i * 7);
    cl_mem m = CALL(loader, clCreateBuffer)(c, CL_MEM_COPY_HOST_PTR, sizeof in, in, &err);
    OK(err);
    cl_event e = NULL;
    OK(CALL(loader, clEnqueueReadBuffer)(q, m, CL_FALSE, 0, sizeof out, out, 0, NULL, &e));
    OK(CALL(loader, clWaitForEvents)(1, &e));
    CHECK_MEM(in, out, sizeof in);
    CHECK(CALL(loader, clGetExtensionFunctionAddressForPlatform)(p, "clNoSuchThing") == NULL);
    run_kernel(loader, c, q);
    OK(CALL(loader, clReleaseEvent)(e));
    OK(CALL(loader, clReleaseMemObject)(m));
    OK(CALL(loader, clFinish)(q));
    OK(CALL(loader, clReleaseCommandQueue)(q));
    OK(CALL(loader, clReleaseContext)(c));
}

TEST(ocl_icd)
{
    use(open_loader("libOpenCL.so.1"));
}

TEST(khronos)
{
    use(open_loader(khronos_loader()));
}

TEST(ocl_icd_twice_in_one_process)
{
    void *loader = open_loader("libOpenCL.so.1");
    use(loader);
    use(loader);
}

TEST(khronos_twice_in_one_process)
{
    void *loader = open_loader(khronos_loader());
    use(loader);
    use(loader);
}

TEST(ocl_icd_closed_and_opened_again)
{
    for (int i = 0; i < 3; i++) {
        void *loader = open_loader("libOpenCL.so.1");
        use(loader);
        dlclose(loader);
    }
}

TEST(khronos_closed_and_opened_again)
{
    for (int i = 0; i < 3; i++) {
        void *loader = open_loader(khronos_loader());
        use(loader);
        dlclose(loader);
    }
}

TEST(both_loaders_in_one_process)
{
    const char *khronos = khronos_loader();
    use(open_loader("libOpenCL.so.1"));
    use(open_loader(khronos));
    use(open_loader("libOpenCL.so.1"));
}

// A vendor file with a bare name: found along the library path. The process starts again with that path set.
static void with_bare_name(const char *test, const char *loader)
{
    const char *library = getenv("WEFT_TEST_LIBRARY");
    if (!library)
        SKIP("WEFT_TEST_LIBRARY names no driver");
    if (getenv("WEFT_TEST_BARE")) {
        use(open_loader(loader));
        return;
    }
    char folder[] = "/tmp/weft-vendors-XXXXXX", file[64], path[4096];
    CHECK(mkdtemp(folder) != NULL);
    snprintf(file, sizeof file, "%s/weft.icd", folder);
    FILE *f = fopen(file, "w");
    CHECK(f != NULL);
    fputs("libweft.so\n", f);
    fclose(f);
    const char *rest = getenv("LD_LIBRARY_PATH"); // a loader's own libraries may lie there
    snprintf(path, sizeof path, "%.*s:%s", (int)(strrchr(library, '/') - library), library, rest ? rest : "");
    pid_t child = fork();
    if (child == 0) {
        setenv("LD_LIBRARY_PATH", path, 1);
        setenv("OCL_ICD_VENDORS", folder, 1);
        setenv("OPENCL_VENDOR_PATH", folder, 1);
        setenv("WEFT_TEST_BARE", "1", 1);
        execl("/proc/self/exe", "loaders", test, (char *)NULL);
        _exit(127);
    }
    int status = -1;
    waitpid(child, &status, 0);
    unlink(file);
    rmdir(folder);
    if (WIFEXITED(status) && WEXITSTATUS(status) == HARNESS_SKIPPED)
        SKIP("as the line above says");
    CHECK_EQ(status, 0);
}

TEST(ocl_icd_with_a_bare_name)
{
    with_bare_name("ocl_icd_with_a_bare_name", "libOpenCL.so.1");
}

TEST(khronos_with_a_bare_name)
{
    with_bare_name("khronos_with_a_bare_name", khronos_loader());
}
