// Which queries the version of OpenCL that is reported (WEFT_CL_VERSION) lacks: since.def, asked by every row (info.h).
#ifndef WEFT_SINCE_H
#define WEFT_SINCE_H

#include "base/base.h"
#include "runtime/core/cl.h"

// The version that brought the query; a constant for each row. 0: one that is always there.
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

// For a constant name that most rows need no call for.
#define WEFT_INFO_LACKS(name) (weft_query_since(name) && weft_query_since(name) > weft_cl_version())

#endif
