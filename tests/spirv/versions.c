// env: WEFT_CACHE=0
// SPIR-V 1.5 and 1.6: modules are taken where the translator reads them, and refused where the device doesn't
// say so.
#include "spirv.h"

#define FIRST_OF_1_6 17 // the translator's version

static bool reads_new_versions(void)
{
    const char *named = getenv("WEFT_LLVM_SPIRV"), *built = getenv("WEFT_TEST_TRANSLATOR_VERSION");
    const char *number = named ? strrchr(named, '-') : NULL;
    return atoi(named ? (number ? number + 1 : "0") : built) >= FIRST_OF_1_6;
}

static bool says(const struct e2e *t, const char *version)
{
    char text[256] = "";
    CHECK_EQ(clGetDeviceInfo(t->device, CL_DEVICE_IL_VERSION, sizeof text, text, NULL), CL_SUCCESS);
    return strstr(text, version) != NULL;
}

static void check_version(const char *module, const char *version, cl_uint minor)
{
    struct e2e t = e2e_open();
    CHECK_EQ(says(&t, version), reads_new_versions());
    cl_name_version list[16];
    size_t size = 0;
    bool listed = false;
    CHECK_EQ(clGetDeviceInfo(t.device, CL_DEVICE_ILS_WITH_VERSION, sizeof list, list, &size), CL_SUCCESS);
    for (size_t i = 0; i < size / sizeof *list; i++)
        listed |= list[i].version == CL_MAKE_VERSION(1, minor, 0);
    CHECK_EQ(listed, reads_new_versions());
    const struct module *m = read_module(module);
    CHECK_EQ(m->bytes[5], minor); // of the header's version
    if (reads_new_versions()) {
        cl_program p = new_il(&t, m);
        build(&t, p, "");
        check_saxpy(&t, p);
        CHECK_EQ(clReleaseProgram(p), CL_SUCCESS);
    } else {
        cl_int error = 1;
        CHECK(!clCreateProgramWithIL(t.context, m->bytes, m->size, &error));
        CHECK_EQ(error, CL_INVALID_VALUE);
    }
    e2e_close(&t);
}

TEST(spir_v_1_5)
{
    check_version("saxpy_1.5", "SPIR-V_1.5", 5);
}

TEST(spir_v_1_6)
{
    check_version("saxpy_1.6", "SPIR-V_1.6", 6);
}

TEST(no_spir_v_1_7)
{
    struct e2e t = e2e_open();
    struct module m = *read_module("saxpy_1.6");
    m.bytes[5] = 7;
    cl_int error = 1;
    CHECK(!clCreateProgramWithIL(t.context, m.bytes, m.size, &error));
    CHECK_EQ(error, CL_INVALID_VALUE);
    e2e_close(&t);
}
