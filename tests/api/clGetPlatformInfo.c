#include "api/api.h"

static const struct query_row rows[] = {
#include "runtime/info/platform.def"
};

static cl_int ask(void *object, cl_uint name, size_t size, void *value, size_t *size_ret)
{
    return clGetPlatformInfo(object, name, size, value, size_ret);
}

TEST(every_query)
{
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        check_query(ask, the_platform(), &rows[i]);
    size_t size;
    CHECK_EQ(ask(the_platform(), 0xdead, 0, NULL, &size), CL_INVALID_VALUE);
}

TEST(BadPlatform)
{
    size_t size;
    CHECK_EQ(ask(not_an_object(the_platform()), CL_PLATFORM_NAME, 0, NULL, &size), CL_INVALID_PLATFORM);
    CHECK_EQ(ask(not_an_object(the_device()), CL_PLATFORM_NAME, 0, NULL, &size), CL_INVALID_PLATFORM);
}

TEST(version_and_extensions_agree_with_their_newer_forms)
{
    char version[128], extensions[4096];
    cl_version v;
    OK(clGetPlatformInfo(the_platform(), CL_PLATFORM_VERSION, sizeof version, version, NULL));
    OK(clGetPlatformInfo(the_platform(), CL_PLATFORM_NUMERIC_VERSION, sizeof v, &v, NULL));
    char numeric[32];
    snprintf(numeric, sizeof numeric, "OpenCL %u.%u ", CL_VERSION_MAJOR(v), CL_VERSION_MINOR(v));
    CHECK(strncmp(version, numeric, strlen(numeric)) == 0);

    OK(clGetPlatformInfo(the_platform(), CL_PLATFORM_EXTENSIONS, sizeof extensions, extensions, NULL));
    cl_name_version list[128];
    size_t size;
    OK(clGetPlatformInfo(the_platform(), CL_PLATFORM_EXTENSIONS_WITH_VERSION, sizeof list, list, &size));
    size_t words = 0;
    for (char *w = strtok(extensions, " "); w; w = strtok(NULL, " ")) {
        CHECK_LT(words, size / sizeof list[0]);
        CHECK_STR(w, list[words].name);
        words++;
    }
    CHECK_EQ(words, size / sizeof list[0]);
}

TEST(suffix_is_the_vendors)
{
    char suffix[16];
    OK(clGetPlatformInfo(the_platform(), CL_PLATFORM_ICD_SUFFIX_KHR, sizeof suffix, suffix, NULL));
    CHECK_STR(suffix, "WEFT");
}
