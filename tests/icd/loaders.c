// The driver under each ICD loader that this machine has: ocl-icd and Khronos's. Each test runs in its own
// process, since a loader reads its vendors once.
#include <fcntl.h>
#include <sys/stat.h>

#include "icd/icd.h"

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
        SKIP("WEFT_TEST_KHRONOS_LOADER names no libOpenCL.so.1 of Khronos's");
    return path;
}

#define CALL(lib, name) ((cl_api_##name)symbol(lib, #name))

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
    const char *library = getenv("WEFT_LIBRARY");
    if (!library)
        SKIP("WEFT_LIBRARY names no driver");
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
