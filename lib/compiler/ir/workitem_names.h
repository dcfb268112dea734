// The OpenCL functions that the compiler itself lowers, by the names that Clang gives them.
#ifndef WEFTC_WORKITEM_NAMES_H
#define WEFTC_WORKITEM_NAMES_H

#include <stdbool.h>

#include <llvm-c/Core.h>

#include "compiler/ir/primitives.h"

enum weftc_workitem_kind {
    WEFTC_WORKITEM_VALUE, // a work-item function: a primitive's value
    WEFTC_WORKITEM_LINEAR_ID,
    WEFTC_WORKITEM_BARRIER,
    WEFTC_WORKITEM_SUB_GROUP_BARRIER,
    WEFTC_WORKITEM_FENCE,
    WEFTC_WORKITEM_ORDERED_FENCE, // its second argument is a memory_order
};

// What a work-item function answers for a dimension that doesn't exist.
enum { WEFTC_NO_DIMENSION = -1 };

struct weftc_workitem_name {
    const char *name;
    enum weftc_workitem_kind kind;
    enum weftc_primitive primitive; // of a work-item function
    int beyond;       // its value for dimensions from 3 on; WEFTC_NO_DIMENSION: it takes no dimension
    unsigned numbers; // of 32 bits, which are all that it takes
};

const struct weftc_workitem_name *weftc_workitem_name(const char *name); // NULL: it is none of them
// Is the function, if it is one that the compiler lowers, declared as OpenCL C declares it?
bool weftc_is_lowered_as_declared(LLVMValueRef f);

#endif
