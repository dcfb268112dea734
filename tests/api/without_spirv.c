// Where there is no translator of SPIR-V: nothing that the device reports needs SPIR-V, and what takes IL is
// refused.
#include "api/api.h"

static char text[8192];

static const char *string_of(cl_device_info name)
{
    OK(clGetDeviceInfo(the_device(), name, sizeof text, text, NULL));
    return text;
}

static void remove_translator(void)
{
    setenv("WEFT_LLVM_SPIRV", "/nowhere/llvm-spirv", 1); // before the first call
}

TEST(no_query_says_that_there_is_spir_v)
{
    static const char *const extensions[] = {"cl_khr_il_program", "cl_khr_spirv_", "cl_khr_expect_assume",
                                             "cl_khr_subgroup_named_barrier"};
    static const cl_device_info queries[] = {CL_DEVICE_SPIRV_EXTENDED_INSTRUCTION_SETS_KHR,
                                             CL_DEVICE_SPIRV_EXTENSIONS_KHR, CL_DEVICE_SPIRV_CAPABILITIES_KHR,
                                             CL_DEVICE_MAX_NAMED_BARRIER_COUNT_KHR};
    size_t size = 1;
    remove_translator();
    CHECK_STR(string_of(CL_DEVICE_IL_VERSION), "");
    OK(clGetDeviceInfo(the_device(), CL_DEVICE_ILS_WITH_VERSION, 0, NULL, &size));
    CHECK_EQ(size, 0);
    for (size_t i = 0; i < COUNT_OF(extensions); i++)
        if (strstr(string_of(CL_DEVICE_EXTENSIONS), extensions[i]))
            FAIL("%s in %s", extensions[i], text);
    for (size_t i = 0; i < COUNT_OF(queries); i++)
        CHECK_EQ(clGetDeviceInfo(the_device(), queries[i], 0, NULL, &size), CL_INVALID_VALUE);
}

// OpenCL 3.1 requires SPIR-V 1.0 to 1.4.
TEST(the_version_is_3_0)
{
    remove_translator();
    CHECK(strncmp(string_of(CL_DEVICE_VERSION), "OpenCL 3.0 ", 11) == 0);
    OK(clGetPlatformInfo(the_platform(), CL_PLATFORM_VERSION, sizeof text, text, NULL));
    CHECK(strncmp(text, "OpenCL 3.0 ", 11) == 0);
}

TEST(intermediate_language_is_refused_whatever_it_is)
{
    static const unsigned words[] = {0x07230203, 0x00010000, 0, 1, 0};
    cl_int err = 0;
    remove_translator();
    cl_context c = new_context();
    CHECK(clCreateProgramWithIL(c, words, sizeof words, &err) == NULL);
    CHECK_EQ(err, CL_INVALID_OPERATION);
    CHECK(clCreateProgramWithIL(c, NULL, 0, &err) == NULL);
    CHECK_EQ(err, CL_INVALID_OPERATION);
    CHECK(clCreateProgramWithIL(NULL, words, sizeof words, &err) == NULL);
    CHECK_EQ(err, CL_INVALID_CONTEXT);
    OK(clReleaseContext(c));
}

// The compiler comes to the same version as the driver.
TEST(source_is_built_for_3_0)
{
    const char *source = "#if __OPENCL_VERSION__ != 300 || defined(cl_khr_il_program)\n"
                         "#error another version\n"
                         "#endif\n"
                         "kernel void k(global int *p) { *p = 1; }\n";
    cl_int err;
    remove_translator();
    cl_context c = new_context();
    cl_program p = clCreateProgramWithSource(c, 1, &source, NULL, &err);
    OK(err);
    OK(clBuildProgram(p, 0, NULL, "-cl-std=CL3.0", NULL, NULL));
    CHECK_EQ(clSetProgramSpecializationConstant(p, 0, 4, &err), CL_INVALID_PROGRAM);
    OK(clReleaseProgram(p));
    OK(clReleaseContext(c));
}
