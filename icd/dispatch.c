// The dispatch table of cl_khr_icd, made from api.def. No slot is NULL. The slots of clGetPlatformIDs and
// clUnloadCompiler contain a tag. It tells a loader of cl_khr_icd 2.0.0 that it may do the dispatching
// itself. No loader calls these two slots.
#include "runtime/api/api.h"

// cl_khr_icd's table, followed by the slot that OpenCL 3.1 added, which Debian 12's header doesn't have yet.
struct weft_dispatch {
    struct _cl_icd_dispatch table;
#ifndef CL_API_SUFFIX__VERSION_3_1
    void *clGetKernelSuggestedLocalWorkSize;
#endif
};
#ifdef CL_API_SUFFIX__VERSION_3_1
#define LATE_SLOT(name) .table.name
#else
#define LATE_SLOT(name) .name
#endif

const struct weft_dispatch weft_dispatch = {
#define WEFT_SLOT(name) .table.name = weft_##name,
#define WEFT_TAG(name) .table.name = (__typeof__(((struct _cl_icd_dispatch *)0)->name))CL_ICD2_TAG_KHR,
#define WEFT_FOREIGN(name, fn) .table.name = (void *)fn,
#define WEFT_LATE_SLOT(name, fn) LATE_SLOT(name) = (void *)weft_##fn,
#include "api.def"
};

// Every slot must have its row: there are as many rows as pointers in the table.
enum {
    SLOT_ROWS = 0
#define WEFT_SLOT(name) +1
#define WEFT_TAG(name) +1
#define WEFT_FOREIGN(name, fn) +1
#define WEFT_LATE_SLOT(name, fn) +1
#include "api.def"
};
_Static_assert(SLOT_ROWS * sizeof(void *) == sizeof(struct weft_dispatch), "api.def lacks slots");
