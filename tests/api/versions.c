// WEFT_CL_VERSION: for each version, what the device reports, which programs it builds, and which queries it
// knows.
// timeout: 120
#define CL_USE_DEPRECATED_OPENCL_2_0_APIS // clGetKernelSubGroupInfoKHR
#include "api/api.h"

static char text[8192];

static const char *string_of(cl_device_info name)
{
    OK(clGetDeviceInfo(the_device(), name, sizeof text, text, NULL));
    return text;
}

static bool has_extension(const char *name)
{
    const char *all = string_of(CL_DEVICE_EXTENSIONS), *at = strstr(all, name);
    return at && (at == all || at[-1] == ' ') && at[strlen(name)] == ' ';
}

static cl_int query(cl_device_info name)
{
    size_t size;
    return clGetDeviceInfo(the_device(), name, 0, NULL, &size);
}

static bool starts(const char *s, const char *with)
{
    return strncmp(s, with, strlen(with)) == 0;
}

static const char source[] = "#if __OPENCL_C_VERSION__ != WANT_C || __OPENCL_VERSION__ != WANT\n"
                             "#error another version\n"
                             "#endif\n"
                             "#if defined(cl_khr_subgroup_ballot) != WANT_BALLOT\n"
                             "#error an extension too many or too few\n"
                             "#endif\n"
                             "kernel void k(global int *p) { *p = 1; }\n";

static cl_int build(const char *standard, unsigned language, unsigned version, bool ballot, char log[4096])
{
    const char *s = source;
    char options[256];
    cl_int err;
    cl_context c = new_context();
    cl_program p = clCreateProgramWithSource(c, 1, &s, NULL, &err);
    OK(err);
    snprintf(options, sizeof options, "%s -D WANT_C=%u -D WANT=%u -D WANT_BALLOT=%d", standard, language,
             version, ballot);
    err = clBuildProgram(p, 0, NULL, options, NULL, NULL);
    OK(clGetProgramBuildInfo(p, the_device(), CL_PROGRAM_BUILD_LOG, 4096, log, NULL));
    clReleaseProgram(p);
    clReleaseContext(c);
    return err;
}

static void builds(const char *standard, unsigned language, unsigned version, bool ballot)
{
    char log[4096];
    cl_int err = build(standard, language, version, ballot, log);
    if (err)
        FAIL("'%s' gives %d: %s", standard, err, log);
}

static void is_refused(const char *standard)
{
    char log[4096];
    CHECK_EQ(build(standard, 0, 0, false, log), CL_BUILD_PROGRAM_FAILURE);
    CHECK(strstr(log, "at most"));
    CHECK_EQ(strstr(log, "C++ for OpenCL") != NULL, strstr(standard, "CLC++") != NULL);
}

struct version {
    const char *name, *language; // "2.2", and what CL_DEVICE_OPENCL_C_VERSION says
    unsigned number, newest;     // 220; of OpenCL C
};

static void check_version(const struct version *v)
{
    char want[64];
    setenv("WEFT_CL_VERSION", v->name, 1);
    snprintf(want, sizeof want, "OpenCL %s Weft ", v->name);
    CHECK(starts(string_of(CL_DEVICE_VERSION), want));
    OK(clGetPlatformInfo(the_platform(), CL_PLATFORM_VERSION, sizeof text, text, NULL));
    CHECK(starts(text, want));
    snprintf(want, sizeof want, "OpenCL C %s Weft ", v->language);
    CHECK(starts(string_of(CL_DEVICE_OPENCL_C_VERSION), want));
    cl_version number, language; // cl_khr_extended_versioning is there in all
    CHECK(has_extension("cl_khr_extended_versioning"));
    OK(clGetDeviceInfo(the_device(), CL_DEVICE_NUMERIC_VERSION, sizeof number, &number, NULL));
    CHECK_EQ(number, CL_MAKE_VERSION(v->number / 100, v->number / 10 % 10, 0));
    OK(clGetPlatformInfo(the_platform(), CL_PLATFORM_NUMERIC_VERSION, sizeof number, &number, NULL));
    CHECK_EQ(number, CL_MAKE_VERSION(v->number / 100, v->number / 10 % 10, 0));
    OK(clGetDeviceInfo(the_device(), CL_DEVICE_OPENCL_C_NUMERIC_VERSION_KHR, sizeof language, &language,
                       NULL));
    CHECK_EQ(CL_VERSION_MAJOR(language), v->language[0] - '0');
    CHECK_EQ(CL_VERSION_MINOR(language), v->language[2] - '0');
}

// Each name in the string is in the list with versions, at its place.
static void check_lists(void)
{
    cl_name_version list[128];
    size_t size;
    OK(clGetDeviceInfo(the_device(), CL_DEVICE_EXTENSIONS_WITH_VERSION, sizeof list, list, &size));
    char *rest = NULL;
    string_of(CL_DEVICE_EXTENSIONS);
    size_t i = 0;
    for (char *word = strtok_r(text, " ", &rest); word; word = strtok_r(NULL, " ", &rest), i++) {
        CHECK_LT(i, size / sizeof *list);
        CHECK_STR(list[i].name, word);
    }
    CHECK_EQ(i, size / sizeof *list);
}

static const cl_device_info of_2_0[] = {
    CL_DEVICE_SVM_CAPABILITIES, CL_DEVICE_MAX_PIPE_ARGS, CL_DEVICE_QUEUE_ON_DEVICE_MAX_SIZE,
    CL_DEVICE_MAX_GLOBAL_VARIABLE_SIZE, CL_DEVICE_MAX_READ_WRITE_IMAGE_ARGS};
static const cl_device_info of_2_1[] = {CL_DEVICE_MAX_NUM_SUB_GROUPS,
                                        CL_DEVICE_SUB_GROUP_INDEPENDENT_FORWARD_PROGRESS};
static const cl_device_info of_3_0[] = {CL_DEVICE_OPENCL_C_ALL_VERSIONS,
                                        CL_DEVICE_OPENCL_C_FEATURES,
                                        CL_DEVICE_PIPE_SUPPORT,
                                        CL_DEVICE_ATOMIC_MEMORY_CAPABILITIES,
                                        CL_DEVICE_LATEST_CONFORMANCE_VERSION_PASSED,
                                        CL_DEVICE_PREFERRED_WORK_GROUP_SIZE_MULTIPLE};

static void check_queries_of(const cl_device_info *names, size_t count, bool there)
{
    for (size_t i = 0; i < count; i++)
        if (query(names[i]) != (there ? CL_SUCCESS : CL_INVALID_VALUE))
            FAIL("query 0x%x gives %d", names[i], query(names[i]));
}

static void check_all_queries(unsigned version)
{
    check_queries_of(of_2_0, COUNT_OF(of_2_0), version >= 200);
    check_queries_of(of_2_1, COUNT_OF(of_2_1), version >= 210);
    check_queries_of(of_3_0, COUNT_OF(of_3_0), version >= 300);
    CHECK_EQ(query(CL_DEVICE_IL_VERSION), CL_SUCCESS); // of cl_khr_il_program, too
    size_t size;
    CHECK_EQ(clGetPlatformInfo(the_platform(), CL_PLATFORM_HOST_TIMER_RESOLUTION, 0, NULL, &size),
             version >= 210 ? CL_SUCCESS : CL_INVALID_VALUE);
    cl_context c = new_context();
    cl_int err;
    cl_command_queue q = clCreateCommandQueue(c, the_device(), 0, &err);
    OK(err);
    CHECK_EQ(clGetCommandQueueInfo(q, CL_QUEUE_SIZE, 0, NULL, &size),
             version >= 200 ? CL_INVALID_COMMAND_QUEUE : CL_INVALID_VALUE);
    CHECK_EQ(clGetCommandQueueInfo(q, CL_QUEUE_PROPERTIES_ARRAY, 0, NULL, &size),
             version >= 300 ? CL_SUCCESS : CL_INVALID_VALUE);
    cl_mem m = clCreateBuffer(c, 0, 64, NULL, &err);
    OK(err);
    CHECK_EQ(clGetMemObjectInfo(m, CL_MEM_USES_SVM_POINTER, 0, NULL, &size),
             version >= 200 ? CL_SUCCESS : CL_INVALID_VALUE);
    CHECK_EQ(clGetMemObjectInfo(m, CL_MEM_PROPERTIES, 0, NULL, &size),
             version >= 300 ? CL_SUCCESS : CL_INVALID_VALUE);
    clReleaseMemObject(m);
    clReleaseCommandQueue(q);
    clReleaseContext(c);
}

// What came with 2.0 isn't there before: no shared virtual memory, pipes, queues on the device, sRGB.
static void check_objects(unsigned version)
{
    const bool there = version >= 200;
    const cl_int refused = there ? CL_SUCCESS : CL_INVALID_OPERATION;
    cl_context c = new_context();
    cl_command_queue q = new_queue(c, 0);
    cl_int err;
    int data = 0;
    void *memory = clSVMAlloc(c, CL_MEM_READ_WRITE, 64, 0);
    CHECK_EQ(memory != NULL, there);
    clSVMFree(c, memory);
    CHECK_EQ(clEnqueueSVMMap(q, CL_TRUE, CL_MAP_READ, &data, sizeof data, 0, NULL, NULL), refused);
    CHECK_EQ(clEnqueueSVMUnmap(q, &data, 0, NULL, NULL), refused);
    cl_mem pipe = clCreatePipe(c, 0, 4, 4, NULL, &err);
    CHECK_EQ(err, refused);
    CHECK_EQ(pipe != NULL, there);
    if (pipe)
        OK(clReleaseMemObject(pipe));
    const cl_queue_properties properties[] = {CL_QUEUE_PROPERTIES,
                                              CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_ON_DEVICE, 0};
    cl_command_queue on_device = clCreateCommandQueueWithProperties(c, the_device(), properties, &err);
    CHECK_EQ(err, there ? CL_SUCCESS : CL_INVALID_QUEUE_PROPERTIES);
    if (on_device)
        OK(clReleaseCommandQueue(on_device));
    cl_image_format formats[256];
    cl_uint count, srgb = 0, abgr = 0;
    OK(clGetSupportedImageFormats(c, CL_MEM_READ_ONLY, CL_MEM_OBJECT_IMAGE2D, 256, formats, &count));
    for (cl_uint i = 0; i < count; i++) {
        srgb += formats[i].image_channel_order == CL_sRGBA || formats[i].image_channel_order == CL_sBGRA;
        abgr += formats[i].image_channel_order == CL_ABGR;
    }
    CHECK_EQ(srgb, there ? 2 : 0);
    CHECK_EQ(abgr, there ? 4 : 0);
    const cl_image_format format = {CL_sRGBA, CL_UNORM_INT8};
    const cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 4, .image_height = 4};
    cl_mem image = clCreateImage(c, 0, &format, &desc, NULL, &err);
    CHECK_EQ(err, there ? CL_SUCCESS : CL_IMAGE_FORMAT_NOT_SUPPORTED);
    if (image)
        OK(clReleaseMemObject(image));
    CHECK_EQ(
        clGetSupportedImageFormats(c, CL_MEM_KERNEL_READ_AND_WRITE, CL_MEM_OBJECT_IMAGE2D, 0, NULL, &count),
        there ? CL_SUCCESS : CL_INVALID_VALUE);
    OK(clReleaseCommandQueue(q));
    OK(clReleaseContext(c));
}

// Functions of an extension are found with it.
static void check_functions(unsigned version)
{
    cl_platform_id p = the_platform();
    CHECK_EQ(clGetExtensionFunctionAddressForPlatform(p, "clHostMemAllocINTEL") != NULL, version >= 200);
    CHECK_EQ(clGetExtensionFunctionAddressForPlatform(p, "clSetKernelArgDevicePointerEXT") != NULL,
             version >= 300);
    CHECK(clGetExtensionFunctionAddressForPlatform(p, "clCreateCommandBufferKHR") != NULL);
}

// What came with 2.1: sub-groups and timers. No extension has the former before.
static void check_functions_of_2_1(unsigned version)
{
    const char *s = "kernel void k() {}";
    const cl_int wanted = version >= 210 ? CL_SUCCESS : CL_INVALID_OPERATION;
    cl_int err;
    cl_context c = new_context();
    cl_program p = clCreateProgramWithSource(c, 1, &s, NULL, &err);
    OK(err);
    OK(clBuildProgram(p, 0, NULL, NULL, NULL, NULL));
    cl_kernel k = clCreateKernel(p, "k", &err);
    OK(err);
    const size_t local = 16;
    size_t most;
    const cl_kernel_sub_group_info what = CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE;
    CHECK_EQ(clGetKernelSubGroupInfo(k, the_device(), what, sizeof local, &local, sizeof most, &most, NULL),
             wanted);
    CHECK_EQ(
        clGetKernelSubGroupInfoKHR(k, the_device(), what, sizeof local, &local, sizeof most, &most, NULL),
        wanted);
    CHECK_EQ(
        clGetKernelSubGroupInfo(NULL, the_device(), what, sizeof local, &local, sizeof most, &most, NULL),
        CL_INVALID_KERNEL);
    cl_ulong device, host;
    CHECK_EQ(clGetDeviceAndHostTimer(the_device(), &device, &host), wanted);
    CHECK_EQ(clGetHostTimer(the_device(), &host), wanted);
    CHECK_EQ(clGetHostTimer(not_an_object(the_device()), &host), CL_INVALID_DEVICE);
    clReleaseKernel(k);
    clReleaseProgram(p);
    clReleaseContext(c);
}

// A local argument may be of size 0 since 3.1.
static void check_local_argument(unsigned version)
{
    const char *s =
        "kernel void k(local int *p, global int *q) { if (get_global_id(0) > 99) p[0] = 1; *q = 7; }";
    cl_int err, result = 0;
    cl_context c = new_context();
    cl_command_queue q = new_queue(c, 0);
    cl_program p = clCreateProgramWithSource(c, 1, &s, NULL, &err);
    OK(err);
    OK(clBuildProgram(p, 0, NULL, NULL, NULL, NULL));
    cl_kernel k = clCreateKernel(p, "k", &err);
    OK(err);
    cl_mem m = clCreateBuffer(c, 0, sizeof result, NULL, &err);
    OK(err);
    CHECK_EQ(clSetKernelArg(k, 0, 0, NULL), version >= 310 ? CL_SUCCESS : CL_INVALID_ARG_SIZE);
    if (version < 310)
        OK(clSetKernelArg(k, 0, 4, NULL));
    OK(clSetKernelArg(k, 1, sizeof m, &m));
    size_t one = 1;
    OK(clEnqueueNDRangeKernel(q, k, 1, NULL, &one, NULL, 0, NULL, NULL));
    OK(clEnqueueReadBuffer(q, m, CL_TRUE, 0, sizeof result, &result, 0, NULL, NULL));
    CHECK_EQ(result, 7);
    clReleaseMemObject(m);
    clReleaseKernel(k);
    clReleaseProgram(p);
    clReleaseCommandQueue(q);
    clReleaseContext(c);
}

// Launches of nothing are errors before 2.1.
static void check_empty_launches(unsigned version)
{
    const char *s = "kernel void k() {}";
    const cl_int wanted = version >= 210 ? CL_SUCCESS : CL_INVALID_GLOBAL_WORK_SIZE;
    cl_int err;
    cl_context c = new_context();
    cl_command_queue q = new_queue(c, 0);
    cl_program p = clCreateProgramWithSource(c, 1, &s, NULL, &err);
    OK(err);
    OK(clBuildProgram(p, 0, NULL, NULL, NULL, NULL));
    cl_kernel k = clCreateKernel(p, "k", &err);
    OK(err);
    const size_t some[] = {4, 4, 4}, none[] = {4, 4, 0};
    CHECK_EQ(clEnqueueNDRangeKernel(q, k, 3, NULL, none, NULL, 0, NULL, NULL), wanted);
    CHECK_EQ(clEnqueueNDRangeKernel(q, k, 1, NULL, NULL, NULL, 0, NULL, NULL), wanted);
    CHECK_EQ(clEnqueueNDRangeKernel(q, k, 4, NULL, NULL, NULL, 0, NULL, NULL), CL_INVALID_WORK_DIMENSION);
    OK(clEnqueueNDRangeKernel(q, k, 3, NULL, some, NULL, 0, NULL, NULL));
    OK(clEnqueueTask(q, k, 0, NULL, NULL));
    OK(clFinish(q));
    clReleaseKernel(k);
    clReleaseProgram(p);
    clReleaseCommandQueue(q);
    clReleaseContext(c);
}

static void check_extensions(unsigned version)
{
    CHECK(has_extension("cl_khr_fp64"));
    CHECK(has_extension("cl_khr_icd"));
    CHECK_EQ(has_extension("cl_ext_float_atomics"), version >= 200);
    CHECK_EQ(has_extension("cl_khr_subgroup_ballot"), version >= 210);
    CHECK_EQ(has_extension("cl_ext_buffer_device_address"), version >= 300);
    check_lists();
}

static void check_everything(const struct version *v)
{
    check_version(v);
    check_extensions(v->number);
    check_all_queries(v->number);
    check_objects(v->number);
    check_empty_launches(v->number);
    check_functions(v->number);
    check_functions_of_2_1(v->number);
    check_local_argument(v->number);
    bool groups = v->number >= 210;
    builds("", 120, v->number, false);
    builds("-cl-std=CL1.1", 110, v->number, false);
    builds("-cl-std=CL1.2", 120, v->number, false);
    if (v->newest >= 200)
        builds("-cl-std=CL2.0", 200, v->number, groups);
    else
        is_refused("-cl-std=CL2.0");
    if (v->newest >= 300)
        builds("-cl-std=CL3.0", 300, v->number, true);
    else
        is_refused("-cl-std=CL3.0");
    if (v->newest >= 310)
        builds("-cl-std=CL3.1 -Werror", 310, v->number, true);
    else
        is_refused("-cl-std=CL3.1");
    if (v->newest < 200)
        is_refused("-cl-std=CLC++");
}

TEST(opencl_1_2)
{
    check_everything(&(struct version){"1.2", "1.2", 120, 120});
}

TEST(opencl_2_0)
{
    check_everything(&(struct version){"2.0", "2.0", 200, 200});
}

TEST(opencl_2_1)
{
    setenv("WEFT_CL_VERSION", "2.1", 1); // before the first call
    needs_spirv();
    check_everything(&(struct version){"2.1", "2.0", 210, 200});
}

TEST(opencl_2_2)
{
    setenv("WEFT_CL_VERSION", "2.2", 1); // before the first call
    needs_spirv();
    check_everything(&(struct version){"2.2", "2.0", 220, 200});
}

TEST(opencl_3_0)
{
    check_everything(&(struct version){"3.0", "1.2", 300, 300});
}

TEST(opencl_3_1)
{
    setenv("WEFT_CL_VERSION", "3.1", 1); // before the first call
    needs_spirv();
    check_everything(&(struct version){"3.1", "1.2", 310, 310});
    // What became core keeps its extension's name; the functions have new ones, with the same numbers.
    static const char *const core[] = {
        "cl_khr_device_uuid",      "cl_khr_extended_bit_ops",          "cl_khr_integer_dot_product",
        "cl_khr_spirv_queries",    "cl_khr_subgroup_extended_types",   "cl_khr_subgroup_rotate",
        "cl_khr_subgroup_shuffle", "cl_khr_subgroup_shuffle_relative", "cl_khr_suggested_local_work_size"};
    for (size_t i = 0; i < COUNT_OF(core); i++)
        if (!has_extension(core[i]))
            FAIL("%s is core, and isn't reported", core[i]);
    // 1.5 and 1.6 depend on the translator (tests/spirv/versions.c).
    static const char old[] = "SPIR-V_1.0 SPIR-V_1.1 SPIR-V_1.2 SPIR-V_1.3 SPIR-V_1.4";
    const char *il = string_of(CL_DEVICE_IL_VERSION);
    CHECK_EQ(strncmp(il, old, sizeof old - 1), 0);
    CHECK(il[sizeof old - 1] == '\0' || strcmp(il + sizeof old - 1, " SPIR-V_1.5 SPIR-V_1.6") == 0);
    cl_uint sub_groups = 0;
    OK(clGetDeviceInfo(the_device(), CL_DEVICE_MAX_NUM_SUB_GROUPS, sizeof sub_groups, &sub_groups, NULL));
    CHECK_GT(sub_groups, 0);
    cl_name_version languages[16];
    size_t size;
    OK(clGetDeviceInfo(the_device(), CL_DEVICE_OPENCL_C_ALL_VERSIONS, sizeof languages, languages, &size));
    const unsigned required[] = {100, 110, 120, 300, 310};
    for (size_t r = 0; r < COUNT_OF(required); r++) {
        bool found = false;
        for (size_t i = 0; i < size / sizeof *languages; i++)
            found |= languages[i].version == CL_MAKE_VERSION(required[r] / 100, required[r] / 10 % 10, 0);
        CHECK(found);
    }
}

// What OpenCL C 3.1 took over from extensions is there without a word of theirs, and printf's new lengths.
TEST(opencl_c_3_1)
{
    setenv("WEFT_CL_VERSION", "3.1", 1);
    needs_spirv(); // without it the device is one of 3.0
    const char *s =
        "#if __OPENCL_C_VERSION__ != CL_VERSION_3_1 || !defined(__opencl_c_subgroups) || \\\n"
        "    !defined(__opencl_c_integer_dot_product_input_4x8bit_packed)\n"
        "#error OpenCL C 3.1 has them\n"
        "#endif\n"
        "kernel void k(global ulong *p, uint x) {\n"
        "    p[0] = bitfield_insert(x, 5u, 4, 3); p[1] = bit_reverse(x);\n"
        "    p[2] = dot_4x8packed_uu_uint(x, 0x01010101);\n"
        "    p[3] = sub_group_shuffle(x, 0) + sub_group_shuffle_down(x, 0) + sub_group_rotate(x, 0);\n"
        "    p[4] = (ulong)sub_group_broadcast((uchar4)(x), 0).x;\n"
        "    p[5] = printf(\"%zu %td\", (size_t)x, (ptrdiff_t)-1);\n"
        "}\n";
    cl_int err;
    cl_context c = new_context();
    cl_command_queue q = new_queue(c, 0);
    cl_program p = clCreateProgramWithSource(c, 1, &s, NULL, &err);
    OK(err);
    char log[4096];
    err = clBuildProgram(p, 0, NULL, "-cl-std=CL3.1 -Werror", NULL, NULL);
    OK(clGetProgramBuildInfo(p, the_device(), CL_PROGRAM_BUILD_LOG, sizeof log, log, NULL));
    if (err)
        FAIL("%d: %s", err, log);
    cl_kernel k = clCreateKernel(p, "k", &err);
    OK(err);
    const cl_uint x = 0x01020384;
    cl_ulong out[6];
    cl_mem m = clCreateBuffer(c, 0, sizeof out, NULL, &err);
    OK(err);
    OK(clSetKernelArg(k, 0, sizeof m, &m));
    OK(clSetKernelArg(k, 1, sizeof x, &x));
    const size_t one = 1;
    OK(clEnqueueNDRangeKernel(q, k, 1, NULL, &one, NULL, 0, NULL, NULL));
    OK(clEnqueueReadBuffer(q, m, CL_TRUE, 0, sizeof out, out, 0, NULL, NULL));
    const cl_ulong want[6] = {0x010203d4, 0x21c04080, 0x84 + 3 + 2 + 1, (cl_uint)(3 * x), x & 0xff, 0};
    for (int i = 0; i < 6; i++)
        CHECK_EQ(out[i], want[i]);
    clReleaseMemObject(m);
    clReleaseKernel(k);
    clReleaseProgram(p);
    clReleaseCommandQueue(q);
    clReleaseContext(c);
}

TEST(a_version_that_is_none_is_ignored)
{
    setenv("WEFT_CL_VERSION", "1.1", 1);
    needs_spirv(); // without it the version is 3.0
    CHECK(starts(string_of(CL_DEVICE_VERSION), "OpenCL 3.1 "));
}
