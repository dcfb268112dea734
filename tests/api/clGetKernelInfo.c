// clGetKernelInfo, clGetKernelArgInfo, clGetKernelWorkGroupInfo.
// env: WEFT_CACHE=0
#include "program_fixture.h"

static const struct query_row kernel_rows[] = {
#include "runtime/info/kernel.def"
};
#define WEFT_INFO_VALUE(name, type, expression) {#name, name, sizeof(type), QUERY_VALUE},
#define WEFT_INFO_STRING(name, expression) {#name, name, 1, QUERY_STRING},
#define WEFT_INFO_ARRAY(name, type, pointer, count) {#name, name, sizeof(type), QUERY_ARRAY},
static const struct query_row arg_rows[] = {
#include "runtime/info/kernel_arg.def"
};
#define WEFT_INFO_VALUE(name, type, expression) {#name, name, sizeof(type), QUERY_VALUE},
#define WEFT_INFO_STRING(name, expression) {#name, name, 1, QUERY_STRING},
#define WEFT_INFO_ARRAY(name, type, pointer, count) {#name, name, sizeof(type), QUERY_ARRAY},
static const struct query_row group_rows[] = {
#include "runtime/info/kernel_group.def"
};

static cl_int ask(void *k, cl_uint name, size_t size, void *value, size_t *ret)
{
    return clGetKernelInfo(k, name, size, value, ret);
}

static cl_int ask_arg(void *k, cl_uint name, size_t size, void *value, size_t *ret)
{
    return clGetKernelArgInfo(k, 0, name, size, value, ret);
}

static cl_int ask_group(void *k, cl_uint name, size_t size, void *value, size_t *ret)
{
    return clGetKernelWorkGroupInfo(k, the_device(), name, size, value, ret);
}

TEST(every_query)
{
    cl_context c = new_context();
    cl_program p = built_program(c, SIMPLE_SOURCE, "-cl-kernel-arg-info");
    cl_kernel k = new_kernel(p, "k");
    check_queries(ask, k, kernel_rows, COUNT_OF(kernel_rows), CL_INVALID_KERNEL);
    check_queries(ask_arg, k, arg_rows, COUNT_OF(arg_rows), CL_INVALID_KERNEL);
    check_queries(ask_group, k, group_rows, COUNT_OF(group_rows), CL_INVALID_KERNEL);
    OK(clReleaseKernel(k));
    OK(clReleaseProgram(p));
    OK(clReleaseContext(c));
}

TEST(arguments_are_described)
{
    cl_context c = new_context();
    cl_program p = built_program(c,
                                 "kernel void k(global const float4 *restrict first, volatile local int "
                                 "*second, unsigned int third) {}\n",
                                 "-cl-kernel-arg-info");
    cl_kernel k = new_kernel(p, "k");
    static const struct {
        const char *name, *type;
        cl_kernel_arg_address_qualifier space;
        cl_kernel_arg_type_qualifier qualifier;
    } want[] = {{"first", "float4*", CL_KERNEL_ARG_ADDRESS_GLOBAL,
                 CL_KERNEL_ARG_TYPE_CONST | CL_KERNEL_ARG_TYPE_RESTRICT},
                {"second", "int*", CL_KERNEL_ARG_ADDRESS_LOCAL, CL_KERNEL_ARG_TYPE_VOLATILE},
                {"third", "uint", CL_KERNEL_ARG_ADDRESS_PRIVATE, CL_KERNEL_ARG_TYPE_NONE}};
    for (cl_uint i = 0; i < 3; i++) {
        char text[64];
        cl_kernel_arg_address_qualifier space = 0;
        cl_kernel_arg_type_qualifier qualifier = 99;
        cl_kernel_arg_access_qualifier access = 0;
        OK(clGetKernelArgInfo(k, i, CL_KERNEL_ARG_NAME, sizeof text, text, NULL));
        CHECK_STR(text, want[i].name);
        OK(clGetKernelArgInfo(k, i, CL_KERNEL_ARG_TYPE_NAME, sizeof text, text, NULL));
        CHECK_STR(text, want[i].type);
        OK(clGetKernelArgInfo(k, i, CL_KERNEL_ARG_ADDRESS_QUALIFIER, sizeof space, &space, NULL));
        CHECK_EQ(space, want[i].space);
        OK(clGetKernelArgInfo(k, i, CL_KERNEL_ARG_TYPE_QUALIFIER, sizeof qualifier, &qualifier, NULL));
        CHECK_EQ(qualifier, want[i].qualifier);
        OK(clGetKernelArgInfo(k, i, CL_KERNEL_ARG_ACCESS_QUALIFIER, sizeof access, &access, NULL));
        CHECK_EQ(access, CL_KERNEL_ARG_ACCESS_NONE);
    }
    size_t size = 0;
    CHECK_EQ(clGetKernelArgInfo(k, 3, CL_KERNEL_ARG_NAME, 0, NULL, &size), CL_INVALID_ARG_INDEX);
    OK(clReleaseKernel(k));
    OK(clReleaseProgram(p));
    OK(clReleaseContext(c));
}

// Parameters are described with the option and without, and have a type when they have no name.
TEST(arguments_are_described_with_and_without_a_name_and_the_option)
{
    cl_context c = new_context();
    static const char *const options[] = {"", "-cl-kernel-arg-info"};
    for (int i = 0; i < 2; i++) {
        cl_program p = built_program(c, "kernel void k(global int *, float f) {}\n", options[i]);
        cl_kernel k = new_kernel(p, "k");
        cl_kernel_arg_access_qualifier access = 0;
        cl_kernel_arg_address_qualifier space = 0;
        char text[64];
        CHECK_EQ(clGetKernelArgInfo(k, 9, 0, 0, NULL, NULL), CL_INVALID_ARG_INDEX);
        CHECK_EQ(clGetKernelArgInfo(k, 0, 0, sizeof text, text, NULL), CL_INVALID_VALUE);
        CHECK_EQ(clGetKernelArgInfo(k, 0, CL_KERNEL_ARG_ACCESS_QUALIFIER, 1, &access, NULL),
                 CL_INVALID_VALUE);
        OK(clGetKernelArgInfo(k, 0, CL_KERNEL_ARG_ADDRESS_QUALIFIER, sizeof space, &space, NULL));
        CHECK_EQ(space, CL_KERNEL_ARG_ADDRESS_GLOBAL);
        OK(clGetKernelArgInfo(k, 0, CL_KERNEL_ARG_TYPE_NAME, sizeof text, text, NULL));
        CHECK_STR(text, "int*");
        OK(clGetKernelArgInfo(k, 0, CL_KERNEL_ARG_NAME, sizeof text, text, NULL));
        CHECK_STR(text, "");
        OK(clGetKernelArgInfo(k, 1, CL_KERNEL_ARG_NAME, sizeof text, text, NULL));
        CHECK_STR(text, "f");
        OK(clReleaseKernel(k));
        OK(clReleaseProgram(p));
    }
    OK(clReleaseContext(c));
}

// "For kernels not created from OpenCL C source and the clCreateProgramWithSource API call the string
// returned from this query will be empty."
TEST(attributes_are_of_source)
{
    cl_context c = new_context();
    cl_device_id d = the_device();
    cl_program p =
        built_program(c, "kernel __attribute__((reqd_work_group_size(4, 1, 1))) void k() {}\n", "");
    char text[64];
    cl_kernel k = new_kernel(p, "k");
    OK(clGetKernelInfo(k, CL_KERNEL_ATTRIBUTES, sizeof text, text, NULL));
    CHECK_STR(text, "reqd_work_group_size(4,1,1)");
    OK(clReleaseKernel(k));
    size_t size = 0;
    OK(clGetProgramInfo(p, CL_PROGRAM_BINARY_SIZES, sizeof size, &size, NULL));
    unsigned char *binary = malloc(size);
    OK(clGetProgramInfo(p, CL_PROGRAM_BINARIES, sizeof binary, &binary, NULL));
    OK(clReleaseProgram(p));
    cl_int err = 1;
    p = clCreateProgramWithBinary(c, 1, &d, &size, (const unsigned char **)&binary, NULL, &err);
    OK(err);
    OK(clBuildProgram(p, 0, NULL, NULL, NULL, NULL));
    k = new_kernel(p, "k");
    OK(clGetKernelInfo(k, CL_KERNEL_ATTRIBUTES, sizeof text, text, NULL));
    CHECK_STR(text, "");
    OK(clReleaseKernel(k));
    OK(clReleaseProgram(p));
    free(binary);
    OK(clReleaseContext(c));
}

TEST(work_group_information)
{
    cl_context c = new_context();
    cl_program p =
        built_program(c,
                      "kernel __attribute__((reqd_work_group_size(8, 4, 2))) void k(local int *l)\n"
                      "{ local int own[16]; own[get_local_id(0)] = 1; l[0] = own[1]; }\n",
                      "");
    cl_kernel k = new_kernel(p, "k");
    cl_device_id d = the_device();
    size_t sizes[3] = {0}, size = 0;
    cl_ulong before = 0, after = 0, private = 99;
    CHECK_EQ(
        clGetKernelWorkGroupInfo(k, not_an_object(d), CL_KERNEL_WORK_GROUP_SIZE, sizeof size, &size, NULL),
        CL_INVALID_DEVICE);
    CHECK_EQ(clGetKernelSubGroupInfo(k, not_an_object(d), CL_KERNEL_MAX_NUM_SUB_GROUPS, 0, NULL, sizeof size,
                                     &size, NULL),
             CL_INVALID_DEVICE);
    OK(clGetKernelSubGroupInfo(k, NULL, CL_KERNEL_MAX_NUM_SUB_GROUPS, 0, NULL, sizeof size, &size, NULL));
    OK(clGetKernelWorkGroupInfo(k, NULL, CL_KERNEL_WORK_GROUP_SIZE, sizeof size, &size,
                                NULL)); // there is only one
    CHECK_GE(size, 64);
    OK(clGetKernelWorkGroupInfo(k, d, CL_KERNEL_COMPILE_WORK_GROUP_SIZE, sizeof sizes, sizes, NULL));
    CHECK(sizes[0] == 8 && sizes[1] == 4 && sizes[2] == 2);
    CHECK_EQ(clGetKernelWorkGroupInfo(k, d, CL_KERNEL_GLOBAL_WORK_SIZE, sizeof sizes, sizes, NULL),
             CL_INVALID_VALUE);
    OK(clGetKernelWorkGroupInfo(k, d, CL_KERNEL_LOCAL_MEM_SIZE, sizeof before, &before, NULL));
    CHECK_GE(before, 64);
    OK(clSetKernelArg(k, 0, 1000, NULL));
    OK(clGetKernelWorkGroupInfo(k, d, CL_KERNEL_LOCAL_MEM_SIZE, sizeof after, &after, NULL));
    CHECK_GE(after, before + 1000);
    OK(clGetKernelWorkGroupInfo(k, d, CL_KERNEL_PRIVATE_MEM_SIZE, sizeof private, &private, &size));
    CHECK_EQ(size, sizeof private);
    CHECK_LT(private, 1 << 20);
    cl_uint lanes = 99;
    cl_ulong stack = 0;
    char code[64] = "";
    OK(clGetKernelWorkGroupInfo(k, d, CL_KERNEL_LANES_WEFT, sizeof lanes, &lanes, &size));
    CHECK_EQ(size, sizeof lanes);
    CHECK(lanes >= 1 && lanes <= 64 && (lanes & (lanes - 1)) == 0);
    OK(clGetKernelWorkGroupInfo(k, d, CL_KERNEL_STACK_SIZE_WEFT, sizeof stack, &stack, &size));
    CHECK_EQ(size, sizeof stack);
    CHECK(stack > 0 && stack < 1 << 20);
    cl_uint spilled = 99999;
    OK(clGetKernelWorkGroupInfo(k, d, CL_KERNEL_SPILLED_REGISTERS_WEFT, sizeof spilled, &spilled, &size));
    CHECK_EQ(size, sizeof spilled);
    CHECK(spilled < 10000 || spilled == UINT32_MAX);
    OK(clGetKernelWorkGroupInfo(k, d, CL_KERNEL_CODE_WEFT, sizeof code, code, &size));
    CHECK_EQ(size, strlen(code) + 1);
    CHECK(strncmp(code, "quick", 5) == 0 || strncmp(code, "lanes", 5) == 0 || strncmp(code, "full", 4) == 0);
    CHECK_EQ(clGetKernelWorkGroupInfo(k, d, CL_KERNEL_LANES_WEFT, 1, &lanes, NULL), CL_INVALID_VALUE);
    OK(clReleaseKernel(k));
    OK(clReleaseProgram(p));
    OK(clReleaseContext(c));
}

// Hundred values that live through a loop have no room in the registers of any processor. How many of them
// are spilled, and how many stay an array in memory, depends on the length of the vectors.
TEST(spilled_registers)
{
    setenv("WEFT_TIER", "2", 1); // before the first call: code that isn't optimised counts nothing
    cl_context c = new_context();
    cl_program p = built_program(
        c,
        "kernel void many(global float *x, int n) {\n"
        "    float v[100];\n"
        "    for (int k = 0; k < 100; k++) v[k] = x[get_global_id(0) + 1000 * k];\n"
        "    for (int i = 0; i < n; i++)\n"
        "        for (int k = 0; k < 100; k++) v[k] = v[k] * v[(k + 1) % 100] + v[(k + 7) % 100];\n"
        "    for (int k = 0; k < 100; k++) x[get_global_id(0) + 1000 * k] = v[k];\n"
        "}\n"
        "kernel void few(global float *x) { x[get_global_id(0)] *= 2; }\n",
        "");
    cl_kernel many = new_kernel(p, "many"), few = new_kernel(p, "few");
    cl_uint spilled = 0, none = 99;
    OK(clGetKernelWorkGroupInfo(many, the_device(), CL_KERNEL_SPILLED_REGISTERS_WEFT, sizeof spilled,
                                &spilled, NULL));
    OK(clGetKernelWorkGroupInfo(few, the_device(), CL_KERNEL_SPILLED_REGISTERS_WEFT, sizeof none, &none,
                                NULL));
#if defined(__x86_64__)
    CHECK_GT(spilled, 20);
#else
    CHECK_GT(spilled, 0);
#endif
    CHECK_LT(spilled, 100000);
    CHECK_LT(none, 20); // the loops around it
    OK(clReleaseKernel(many));
    OK(clReleaseKernel(few));
    OK(clReleaseProgram(p));
    OK(clReleaseContext(c));
}
