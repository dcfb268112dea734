// The functions of OpenCL that the compiler itself lowers, by their mangled names.
#ifndef WEFTC_WORKITEM_NAMES_H
#define WEFTC_WORKITEM_NAMES_H

#include <stdbool.h>

#include <llvm-c/Core.h>

#include "compiler/ir/primitives.h"

enum weftc_workitem_kind {
    WEFTC_WORKITEM_VALUE, // a work-item function, whose result is a primitive
    WEFTC_WORKITEM_LINEAR_ID,
    WEFTC_WORKITEM_BARRIER,
    WEFTC_WORKITEM_SUB_GROUP_BARRIER,
    WEFTC_WORKITEM_FENCE,
    WEFTC_WORKITEM_ORDERED_FENCE, // its second argument is a memory_order
};

// The value of `beyond` for functions without a dimension argument.
enum { WEFTC_NO_DIMENSION = -1 };

struct weftc_workitem_name {
    const char *name;
    enum weftc_workitem_kind kind;
    enum weftc_primitive primitive; // for WEFTC_WORKITEM_VALUE
    int beyond;       // result for dimensions from 3 on; WEFTC_NO_DIMENSION: the function takes no dimension
    unsigned numbers; // number of parameters; all are 32-bit integers
};

const struct weftc_workitem_name *weftc_workitem_name(const char *name); // NULL: not one of them
// If the compiler lowers f: does f have the type that OpenCL C gives it? True for other functions.
bool weftc_is_lowered_as_declared(LLVMValueRef f);

#endif
