// Sub-groups: the work-items of one vector iteration are a sub-group. The built-in functions of
// lib/kernel-builtins/sub_group consist of *sub-group calls*, calls of declared functions:
//
//     weft.sub.KIND.OPERATION.TYPE   reduce, inclusive, exclusive: T(T x); clustered: T(T x, i32 size)
//     weft.sub.KIND.TYPE             first: T(T x); broadcast, shuffle: T(T x, i32 lane)
//     weft.sub.ballot                i32(i32 predicate)
//
// T is a scalar number. A call combines the values of the active lanes: the work-items of the sub-group that
// make the call together. The vectorizer turns sub-group calls into vector instructions
// (vectorize/emit/sub_groups.c). Where a region runs one work-item at a time, each work-item is a sub-group
// of its own, and the calls become trivial (ir/sub_groups.c). This choice is made once for all code of a
// kernel, since the kernel can query the size (docs/adr/0010-sub-groups.md).
#ifndef WEFTC_SUB_GROUPS_H
#define WEFTC_SUB_GROUPS_H

#include <stdbool.h>

#include <llvm-c/Core.h>

#define WEFTC_SUB_GROUP_CALL "weft.sub."

enum weftc_sub_kind {
    WEFTC_SUB_REDUCE,
    WEFTC_SUB_INCLUSIVE,
    WEFTC_SUB_EXCLUSIVE,
    WEFTC_SUB_CLUSTERED,
    WEFTC_SUB_FIRST,
    WEFTC_SUB_BROADCAST,
    WEFTC_SUB_SHUFFLE,
    WEFTC_SUB_BALLOT,
};

enum weftc_sub_operation {
    WEFTC_SUB_ADD,
    WEFTC_SUB_MUL,
    WEFTC_SUB_SMIN,
    WEFTC_SUB_SMAX,
    WEFTC_SUB_UMIN,
    WEFTC_SUB_UMAX,
    WEFTC_SUB_AND,
    WEFTC_SUB_OR,
    WEFTC_SUB_XOR,
    WEFTC_SUB_FADD,
    WEFTC_SUB_FMUL,
    WEFTC_SUB_FMIN,
    WEFTC_SUB_FMAX,
};

struct weftc_sub_call {
    enum weftc_sub_kind kind;
    enum weftc_sub_operation operation; // for the first four kinds
};

bool weftc_sub_call_of(LLVMValueRef value, struct weftc_sub_call *call);
// Is the result the same for all active lanes?
bool weftc_sub_call_is_uniform(const struct weftc_sub_call *call);
// The identity element of the operation, as a scalar of this type.
LLVMValueRef weftc_sub_identity(enum weftc_sub_operation operation, LLVMTypeRef type);

// Does anything in the module depend on sub-groups? Call it before prepare, for a kernel that is linked with
// its built-in functions.
bool weftc_uses_sub_groups(LLVMModuleRef module);
// Adds attributes to the declared functions that keep LLVM from moving or merging the calls.
void weftc_prepare_sub_groups(LLVMModuleRef module);
// Replaces the remaining calls by what they mean for sub-groups of one work-item.
void weftc_sub_groups_of_one(LLVMModuleRef module);

#endif
