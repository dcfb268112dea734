// The lists of extensions and language features, made from include/weft/features.def. Constant.
#include "runtime.h"

const cl_name_version weft_extensions[] = {
#define WEFT_EXTENSION(name, major, minor, patch) {CL_MAKE_VERSION(major, minor, patch), #name},
#include "weft/features.def"
};
const size_t weft_extension_count = WEFT_COUNT_OF(weft_extensions);

const cl_name_version weft_language_features[] = {
#define WEFT_LANGUAGE_FEATURE(name, major, minor, patch) {CL_MAKE_VERSION(major, minor, patch), #name},
#include "weft/features.def"
};
const size_t weft_language_feature_count = WEFT_COUNT_OF(weft_language_features);

// Names parted by spaces; the last is followed by one too, which every client splits away.
const char weft_extension_string[] =
#define WEFT_EXTENSION(name, major, minor, patch) #name " "
#include "weft/features.def"
    ;

const cl_name_version weft_language_versions[] = {
    {CL_MAKE_VERSION(1, 0, 0), "OpenCL C"}, {CL_MAKE_VERSION(1, 1, 0), "OpenCL C"},
    {CL_MAKE_VERSION(1, 2, 0), "OpenCL C"}, {CL_MAKE_VERSION(2, 0, 0), "OpenCL C"},
    {CL_MAKE_VERSION(3, 0, 0), "OpenCL C"},
};
const size_t weft_language_version_count = WEFT_COUNT_OF(weft_language_versions);

// What the translator of the oldest LLVM that Weft takes reads (weft/spirv.h).
const cl_name_version weft_ils[] = {
    {CL_MAKE_VERSION(1, 0, 0), "SPIR-V"}, {CL_MAKE_VERSION(1, 1, 0), "SPIR-V"},
    {CL_MAKE_VERSION(1, 2, 0), "SPIR-V"}, {CL_MAKE_VERSION(1, 3, 0), "SPIR-V"},
    {CL_MAKE_VERSION(1, 4, 0), "SPIR-V"},
};
const size_t weft_il_count = WEFT_COUNT_OF(weft_ils);
const char weft_il_string[] = "SPIR-V_1.0 SPIR-V_1.1 SPIR-V_1.2 SPIR-V_1.3 SPIR-V_1.4";

bool weft_has_language_feature(const char *name)
{
    for (size_t i = 0; i < weft_language_feature_count; i++)
        if (strcmp(weft_language_features[i].name, name) == 0)
            return true;
    return false;
}
