// Recognises sub-group calls (ir/sub_groups.h), finds out whether a module depends on sub-groups, sets the
// attributes that keep LLVM from moving the calls, and lowers the calls for sub-groups of one work-item.
// Stateless.
#include <math.h>
#include <string.h>

#include <llvm-c/Core.h>

#include "base/base.h"
#include "compiler/ir/kernel_attributes.h"
#include "compiler/ir/llvm_helpers.h"
#include "compiler/ir/sub_groups.h"

static const char *const kinds[] = {
    [WEFTC_SUB_REDUCE] = "reduce.",       [WEFTC_SUB_INCLUSIVE] = "inclusive.",
    [WEFTC_SUB_EXCLUSIVE] = "exclusive.", [WEFTC_SUB_CLUSTERED] = "clustered.",
    [WEFTC_SUB_FIRST] = "first.",         [WEFTC_SUB_BROADCAST] = "broadcast.",
    [WEFTC_SUB_SHUFFLE] = "shuffle.",     [WEFTC_SUB_BALLOT] = "ballot",
};

static const char *const operations[] = {
    [WEFTC_SUB_ADD] = "add.",   [WEFTC_SUB_MUL] = "mul.",   [WEFTC_SUB_SMIN] = "smin.",
    [WEFTC_SUB_SMAX] = "smax.", [WEFTC_SUB_UMIN] = "umin.", [WEFTC_SUB_UMAX] = "umax.",
    [WEFTC_SUB_AND] = "and.",   [WEFTC_SUB_OR] = "or.",     [WEFTC_SUB_XOR] = "xor.",
    [WEFTC_SUB_FADD] = "fadd.", [WEFTC_SUB_FMUL] = "fmul.", [WEFTC_SUB_FMIN] = "fmin.",
    [WEFTC_SUB_FMAX] = "fmax.",
};

// Finds the entry of the list that is a prefix of *name, and skips the prefix. Returns its index, or
// SIZE_MAX.
static size_t begins(const char **name, const char *const *list, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        size_t length = strlen(list[i]);
        if (strncmp(*name, list[i], length) == 0) {
            *name += length;
            return i;
        }
    }
    return SIZE_MAX;
}

bool weftc_sub_call_of(LLVMValueRef value, struct weftc_sub_call *call)
{
    LLVMValueRef f = weftc_callee(value);
    const char *name = f ? LLVMGetValueName(f) : "";
    if (strncmp(name, WEFTC_SUB_GROUP_CALL, strlen(WEFTC_SUB_GROUP_CALL)) != 0)
        return false;
    name += strlen(WEFTC_SUB_GROUP_CALL);
    size_t kind = begins(&name, kinds, WEFT_COUNT_OF(kinds)), operation = 0;
    if (kind <= WEFTC_SUB_CLUSTERED)
        operation = begins(&name, operations, WEFT_COUNT_OF(operations));
    if (kind == SIZE_MAX || operation == SIZE_MAX)
        return false;
    *call = (struct weftc_sub_call){(enum weftc_sub_kind)kind, (enum weftc_sub_operation)operation};
    return true;
}

bool weftc_sub_call_is_uniform(const struct weftc_sub_call *call)
{
    return call->kind == WEFTC_SUB_REDUCE || call->kind == WEFTC_SUB_FIRST ||
           call->kind == WEFTC_SUB_BROADCAST || call->kind == WEFTC_SUB_BALLOT;
}

LLVMValueRef weftc_sub_identity(enum weftc_sub_operation operation, LLVMTypeRef type)
{
    unsigned bits = LLVMGetTypeKind(type) == LLVMIntegerTypeKind ? LLVMGetIntTypeWidth(type) : 64;
    uint64_t sign = 1ull << (bits - 1);
    switch (operation) {
    case WEFTC_SUB_MUL:
        return LLVMConstInt(type, 1, false);
    case WEFTC_SUB_SMIN:
        return LLVMConstInt(type, sign - 1, false);
    case WEFTC_SUB_SMAX:
        return LLVMConstInt(type, sign, false);
    case WEFTC_SUB_UMIN:
    case WEFTC_SUB_AND:
        return LLVMConstAllOnes(type);
    case WEFTC_SUB_FMUL:
        return LLVMConstReal(type, 1.0);
    case WEFTC_SUB_FMIN:
        return LLVMConstReal(type, (double)INFINITY);
    case WEFTC_SUB_FMAX:
        return LLVMConstReal(type, -(double)INFINITY);
    default:
        return LLVMConstNull(type);
    }
}

// ---- does a module depend on sub-groups? ----

bool weftc_uses_sub_groups(LLVMModuleRef module)
{
    static const char *const names[] = {
        WEFTC_SUB_GROUP_CALL,
        "_Z18get_sub_group_sizev",
        "_Z22get_max_sub_group_sizev",
        "_Z18get_num_sub_groupsv",
        "_Z27get_enqueued_num_sub_groupsv",
        "_Z16get_sub_group_idv",
        "_Z22get_sub_group_local_idv",
        "_Z17sub_group_barrierj",
        "__weft_barrier_", // named barriers are waited for by sub-groups
    };
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f)) {
        if (!LLVMIsDeclaration(f) && (weftc_required_sub_group(f) || weftc_required_sub_groups(f)))
            return true;
        if (!LLVMIsDeclaration(f) || !LLVMGetFirstUse(f))
            continue;
        const char *name = LLVMGetValueName(f);
        if (begins(&name, names, WEFT_COUNT_OF(names)) != SIZE_MAX)
            return true;
    }
    return false;
}

// The result of a call depends on which other lanes make it. So LLVM must not merge two calls, or move a call
// to where other lanes are active. The program's memory has no effect on a call.
void weftc_prepare_sub_groups(LLVMModuleRef module)
{
    enum { OF_INACCESSIBLE_MEMORY = 3 << 2 }; // LLVM's encoding of memory(inaccessiblemem: readwrite)
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f)) {
        if (strncmp(LLVMGetValueName(f), WEFTC_SUB_GROUP_CALL, strlen(WEFTC_SUB_GROUP_CALL)) != 0)
            continue;
        static const char *const attributes[] = {"convergent", "nomerge", "nounwind", "willreturn",
                                                 "nocallback"};
        for (size_t i = 0; i < WEFT_COUNT_OF(attributes); i++)
            weftc_add_attribute(f, WEFTC_OF_FUNCTION, attributes[i], 0);
        weftc_add_attribute(f, WEFTC_OF_FUNCTION, "memory", OF_INACCESSIBLE_MEMORY);
    }
}

// ---- sub-groups of one work-item ----

static LLVMValueRef of_one(LLVMBuilderRef b, LLVMValueRef i, const struct weftc_sub_call *call)
{
    LLVMValueRef x = LLVMGetOperand(i, 0);
    switch (call->kind) {
    case WEFTC_SUB_EXCLUSIVE:
        return weftc_sub_identity(call->operation, LLVMTypeOf(x));
    case WEFTC_SUB_BALLOT:
        return LLVMBuildZExt(b, LLVMBuildICmp(b, LLVMIntNE, x, LLVMConstNull(LLVMTypeOf(x)), ""),
                             LLVMTypeOf(i), "");
    default:
        return x;
    }
}

void weftc_sub_groups_of_one(LLVMModuleRef module)
{
    LLVMBuilderRef b = LLVMCreateBuilderInContext(LLVMGetModuleContext(module));
    LLVMValueRef next;
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = next) {
        next = LLVMGetNextFunction(f);
        if (strncmp(LLVMGetValueName(f), WEFTC_SUB_GROUP_CALL, strlen(WEFTC_SUB_GROUP_CALL)) != 0)
            continue;
        struct weftc_sub_call call;
        for (LLVMUseRef use = LLVMGetFirstUse(f); use; use = LLVMGetFirstUse(f)) {
            LLVMValueRef i = LLVMGetUser(use);
            if (!weftc_sub_call_of(i, &call))
                break;
            LLVMPositionBuilderBefore(b, i);
            LLVMReplaceAllUsesWith(i, of_one(b, i, &call));
            LLVMInstructionEraseFromParent(i);
        }
        if (!LLVMGetFirstUse(f))
            LLVMDeleteFunction(f);
    }
    LLVMDisposeBuilder(b);
}
