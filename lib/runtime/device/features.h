// What the platform reports that it supports: versions, extensions, features of OpenCL C, intermediate
// languages.
#ifndef WEFT_RUNTIME_FEATURES_H
#define WEFT_RUNTIME_FEATURES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runtime/core/cl.h"

// The extensions of include/weft/features.def that exist in the reported version of OpenCL.
struct weft_extensions {
    cl_name_version *list;
    size_t count;
    char *string; // names, each followed by a space
};
const struct weft_extensions *weft_extensions(void);
extern const cl_name_version weft_language_features[], weft_language_versions[];
extern const size_t weft_language_feature_count;
size_t weft_language_version_count(void);
const char *weft_version_string(void); // "OpenCL 3.0 Weft 1.2.3"
// The version of the language without -cl-std: the newest one before 3.0 for OpenCL 2.0 and later.
const char *weft_language_version_string(void);
cl_version weft_version_number(uint32_t version); // 300 -> the number for version 3.0
uint32_t weft_language_version_reported(void);
bool weft_has_language_feature(const char *name);
extern const cl_name_version weft_ils[]; // intermediate languages
size_t weft_il_count(void);
extern const char *const weft_spirv_sets[]; // cl_khr_spirv_queries: device/spirv_queries.def
extern const char *const weft_spirv_extensions[];
extern const size_t weft_spirv_extension_count;
extern const cl_uint weft_spirv_capabilities[];
extern const size_t weft_spirv_capability_count;
const char *weft_il_string(void);

#endif
