// The lists of extensions and language features, from include/weft/features.def, and the strings that follow
// from the reported version of OpenCL. Constant from the first query on.
#include "runtime/device/features.h"

#include <pthread.h>
#include <string.h>

#include "base/base.h"

static const cl_name_version every_extension[] = {
#define WEFT_EXTENSION(name, major, minor, patch) {CL_MAKE_VERSION(major, minor, patch), #name},
#include "weft/features.def"
};
// The size of a string of all names, each followed by a space.
#define WEFT_EXTENSION(name, major, minor, patch) +sizeof #name
enum {
    NAMES_BYTES = 1
#include "weft/features.def"
};

// Written once, before the first reader (pthread_once).
static cl_name_version offered[WEFT_COUNT_OF(every_extension)];
static char offered_names[NAMES_BYTES];
static struct weft_extensions offer = {offered, 0, offered_names};

static void make_offer(void)
{
    char *end = offered_names;
    for (size_t i = 0; i < WEFT_COUNT_OF(every_extension); i++) {
        const char *name = every_extension[i].name;
        if (!weft_offers_extension(name))
            continue;
        offered[offer.count++] = every_extension[i];
        end = stpcpy(stpcpy(end, name), " ");
    }
}

const struct weft_extensions *weft_extensions(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, make_offer);
    return &offer;
}

static const struct {
    uint32_t version;
    const char *device;
    uint32_t language;
    const char *language_string;
} versions[] = {
#define VERSION(number, device, language_number, language)            \
    {number, "OpenCL " device " Weft " WEFT_VERSION, language_number, \
     "OpenCL C " language " Weft " WEFT_VERSION}
    VERSION(120, "1.2", 120, "1.2"), VERSION(200, "2.0", 200, "2.0"), VERSION(210, "2.1", 200, "2.0"),
    VERSION(220, "2.2", 200, "2.0"), VERSION(300, "3.0", 120, "1.2"), VERSION(310, "3.1", 120, "1.2"),
};

static size_t version_index(void)
{
    size_t i = 0;
    while (i + 1 < WEFT_COUNT_OF(versions) && versions[i].version != weft_cl_version())
        i++;
    return i;
}

const char *weft_version_string(void)
{
    return versions[version_index()].device;
}

const char *weft_language_version_string(void)
{
    return versions[version_index()].language_string;
}

uint32_t weft_language_version_reported(void)
{
    return versions[version_index()].language;
}

cl_version weft_version_number(uint32_t version)
{
    return CL_MAKE_VERSION(version / 100, version / 10 % 10, 0);
}

const cl_name_version weft_language_features[] = {
#define WEFT_LANGUAGE_FEATURE(name, major, minor, patch) {CL_MAKE_VERSION(major, minor, patch), #name},
#include "weft/features.def"
};
const size_t weft_language_feature_count = WEFT_COUNT_OF(weft_language_features);

const cl_name_version weft_language_versions[] = {
    {CL_MAKE_VERSION(1, 0, 0), "OpenCL C"}, {CL_MAKE_VERSION(1, 1, 0), "OpenCL C"},
    {CL_MAKE_VERSION(1, 2, 0), "OpenCL C"}, {CL_MAKE_VERSION(2, 0, 0), "OpenCL C"},
    {CL_MAKE_VERSION(3, 0, 0), "OpenCL C"}, {CL_MAKE_VERSION(3, 1, 0), "OpenCL C"},
};

size_t weft_language_version_count(void)
{
    return WEFT_COUNT_OF(weft_language_versions) - (weft_language_version() < 310);
}

// The translator reads the first weft_spirv_newest_minor() + 1.
const cl_name_version weft_ils[] = {
    {CL_MAKE_VERSION(1, 0, 0), "SPIR-V"}, {CL_MAKE_VERSION(1, 1, 0), "SPIR-V"},
    {CL_MAKE_VERSION(1, 2, 0), "SPIR-V"}, {CL_MAKE_VERSION(1, 3, 0), "SPIR-V"},
    {CL_MAKE_VERSION(1, 4, 0), "SPIR-V"}, {CL_MAKE_VERSION(1, 5, 0), "SPIR-V"},
    {CL_MAKE_VERSION(1, 6, 0), "SPIR-V"},
};

size_t weft_il_count(void)
{
    return weft_takes_spirv() ? weft_spirv_newest_minor() + 1 : 0;
}

const char *weft_il_string(void)
{
    static const char *const strings[] = {
        "", "SPIR-V_1.0 SPIR-V_1.1 SPIR-V_1.2 SPIR-V_1.3 SPIR-V_1.4",
        "SPIR-V_1.0 SPIR-V_1.1 SPIR-V_1.2 SPIR-V_1.3 SPIR-V_1.4 SPIR-V_1.5 SPIR-V_1.6"};
    return strings[!weft_takes_spirv() ? 0 : weft_spirv_newest_minor() < 6 ? 1 : 2];
}

const char *const weft_spirv_sets[] = {"OpenCL.std"};
const char *const weft_spirv_extensions[] = {
#define WEFT_SPIRV_EXTENSION(name) name,
#include "runtime/device/spirv_queries.def"
};
const size_t weft_spirv_extension_count = WEFT_COUNT_OF(weft_spirv_extensions);
const cl_uint weft_spirv_capabilities[] = {
#define WEFT_SPIRV_CAPABILITY(name, number) number,
#include "runtime/device/spirv_queries.def"
};
const size_t weft_spirv_capability_count = WEFT_COUNT_OF(weft_spirv_capabilities);

bool weft_has_language_feature(const char *name)
{
    for (size_t i = 0; i < weft_language_feature_count; i++)
        if (strcmp(weft_language_features[i].name, name) == 0)
            return true;
    return false;
}
