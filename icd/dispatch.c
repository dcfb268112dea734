// The dispatch table of cl_khr_icd, made from api.def. No slot is NULL. The slots of clGetPlatformIDs and
// clUnloadCompiler contain a tag. It tells a loader of cl_khr_icd 2.0.0 that it may do the dispatching
// itself. No loader calls these two slots.
//
// With a timeline (WEFT_TRACE) objects have another table, whose functions record each call.
#include "runtime/api/api.h"
#include "runtime/device/device.h"
#include "runtime/device/platform.h"
#include "traced.h"

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

static const struct weft_dispatch traced = {
#define WEFT_SLOT(name) .table.name = weft_traced_##name,
#define WEFT_TAG(name) .table.name = (__typeof__(((struct _cl_icd_dispatch *)0)->name))CL_ICD2_TAG_KHR,
#define WEFT_FOREIGN(name, fn) .table.name = (void *)fn,
#define WEFT_LATE_SLOT(name, fn) LATE_SLOT(name) = (void *)weft_traced_##fn,
#include "api.def"
};

const struct weft_dispatch *weft_dispatch_in_use = &weft_dispatch;

// The platform and the root device exist already.
__attribute__((constructor)) static void choose(void)
{
    if (!weft_trace_is_on())
        return;
    weft_traced_start();
    weft_dispatch_in_use = &traced;
    struct weft_platform *p = weft_platform_get();
    p->obj.dispatch = p->device->obj.dispatch = &traced;
}

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
