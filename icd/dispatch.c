// The dispatch table of cl_khr_icd, made from api.def: no slot is NULL. Its clGetPlatformIDs and
// clUnloadCompiler slots hold the tag by which a loader of cl_khr_icd 2.0.0 knows that it may dispatch by
// itself; no loader calls through them.
#include "../lib/runtime/api/api.h"

const struct _cl_icd_dispatch weft_dispatch = {
#define WEFT_SLOT(name) .name = weft_##name,
#define WEFT_TAG(name) .name = (cl_api_##name)CL_ICD2_TAG_KHR,
#define WEFT_FOREIGN(name, fn) .name = (cl_api_##name)(void *)fn,
#include "api.def"
};

// Every slot has its row: the rows count as many pointers as the table holds.
enum {
    SLOT_ROWS = 0
#define WEFT_SLOT(name) +1
#define WEFT_TAG(name) +1
#define WEFT_FOREIGN(name, fn) +1
#include "api.def"
};
_Static_assert(SLOT_ROWS * sizeof(void *) == sizeof(struct _cl_icd_dispatch), "api.def lacks slots");
