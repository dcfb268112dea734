// Which queries the reported OpenCL version (WEFT_CL_VERSION) lacks. The list is since.def; every row of
// info/*.def is checked against it (info.h).
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
#include "runtime/info/since.def"
    }
    return 0;
}

// The first operand is a constant for a constant name, so most rows need no call.
#define WEFT_INFO_LACKS(name) (weft_query_since(name) && weft_query_since(name) > weft_cl_version())

#endif
