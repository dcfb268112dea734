// Sub-groups: the work-items that the lanes of one step run are one. The built-in functions of
// lib/kernel-builtins/sub_group are made of *sub-group calls*, of declared functions
//
//     weft.sub.KIND.OPERATION.TYPE   reduce, inclusive, exclusive: T(T x); clustered: T(T x, i32 size)
//     weft.sub.KIND.TYPE             first: T(T x); broadcast, shuffle: T(T x, i32 lane)
//     weft.sub.ballot                i32(i32 predicate)
//
// on numbers, over those of the sub-group's work-items that come to the call together: the active lanes. The vectorizer makes
// vector instructions of them (vectorize/emit/sub_groups.c). Where a region runs for single work-items each is a sub-group
// of its own, and a call is next to nothing (ir/sub_groups.c). Which of the two a kernel has is one decision for all of its
// code, since it can ask for the size (docs/adr/0010-sub-groups.md).
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
    enum weftc_sub_operation operation; // of the first four kinds
};

bool weftc_sub_call_of(LLVMValueRef value, struct weftc_sub_call *call);
// The result is the same for all who take part.
bool weftc_sub_call_is_uniform(const struct weftc_sub_call *call);
// What changes no value that it is combined with, as a scalar of this type.
LLVMValueRef weftc_sub_identity(enum weftc_sub_operation operation, LLVMTypeRef type);

// Does anything in the module know of sub-groups? For a kernel with its built-in functions, before prepare.
bool weftc_uses_sub_groups(LLVMModuleRef module);
// Tells LLVM what it may not do with the calls.
void weftc_prepare_sub_groups(LLVMModuleRef module);
// Makes what the calls that are left are for one work-item.
void weftc_sub_groups_of_one(LLVMModuleRef module);

#endif
