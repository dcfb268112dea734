// Which queries the reported OpenCL version (WEFT_CL_VERSION) lacks, and which a device without SPIR-V. The
// list is since.def; every row of info/*.def is checked against it (info.h).
#ifndef WEFT_SINCE_H
#define WEFT_SINCE_H

#include "base/base.h"
#include "runtime/core/cl.h"

// The version that introduced the query; a constant for each row. 0: the query always exists.
static inline uint32_t weft_query_since(cl_uint name)
{
    switch (name) {
#define WEFT_INFO_SINCE(query, version) \
    case query:                         \
        return version;
#define WEFT_INFO_OF_SPIRV(query)
#include "runtime/info/since.def"
    }
    return 0;
}

static inline bool weft_query_is_of_spirv(cl_uint name)
{
    switch (name) {
#define WEFT_INFO_SINCE(query, version)
#define WEFT_INFO_OF_SPIRV(query) \
    case query:                   \
        return true;
#include "runtime/info/since.def"
    }
    return false;
}

// The first operands are constants for a constant name, so most rows need no call.
#define WEFT_INFO_LACKS(name)                                                  \
    ((weft_query_since(name) && weft_query_since(name) > weft_cl_version()) || \
     (weft_query_is_of_spirv(name) && !weft_takes_spirv()))

#endif
