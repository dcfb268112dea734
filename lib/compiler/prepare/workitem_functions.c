// Calls that the compiler lowers itself. Work-item functions (OpenCL C 3.0 §6.15.1), work-group barriers
// (§6.15.8) and fences become primitives or LLVM fences. No later stage looks at a mangled name.
#include <string.h>

#include <llvm-c/Core.h>

#include "base/base.h"
#include "compiler/arch/target.h"
#include "compiler/bridge/passes.h"
#include "compiler/ir/llvm_helpers.h"
#include "compiler/ir/primitives.h"
#include "compiler/ir/value_map.h"
#include "compiler/ir/workitem_names.h"
#include "compiler/prepare/prepare.h"

struct call {
    LLVMModuleRef module;
    LLVMBuilderRef builder; // inserts before the call
    LLVMValueRef call;
};

static LLVMValueRef work_item_value(const struct call *at, const struct weftc_workitem_name *f)
{
    LLVMBuilderRef b = at->builder;
    LLVMContextRef c = LLVMGetModuleContext(at->module);
    if (f->beyond == WEFTC_NO_DIMENSION)
        return weftc_primitive_build(b, at->module, f->primitive, 0);
    LLVMValueRef dim = LLVMGetOperand(at->call, 0);
    LLVMValueRef value = weftc_i64(c, (uint64_t)f->beyond);
    if (LLVMIsAConstantInt(dim)) {
        uint64_t d = LLVMConstIntGetZExtValue(dim);
        return d < 3 ? weftc_primitive_build(b, at->module, f->primitive, (unsigned)d) : value;
    }
    for (unsigned d = 0; d < 3; d++) {
        LLVMValueRef is_d = LLVMBuildICmp(b, LLVMIntEQ, dim, weftc_i32(c, d), "");
        value = LLVMBuildSelect(b, is_d, weftc_primitive_build(b, at->module, f->primitive, d), value, "");
    }
    return value;
}

// get_global_linear_id: computed from the ids without their offsets; dimension 0 varies fastest.
static LLVMValueRef global_linear_id(const struct call *at)
{
    LLVMBuilderRef b = at->builder;
    LLVMValueRef linear = NULL;
    for (unsigned d = 3; d-- > 0;) {
        LLVMValueRef id = weftc_primitive_build(b, at->module, WEFTC_GLOBAL_ID, d);
        id = LLVMBuildSub(b, id, weftc_primitive_build(b, at->module, WEFTC_GLOBAL_OFFSET, d), "");
        if (linear) {
            LLVMValueRef size = weftc_primitive_build(b, at->module, WEFTC_GLOBAL_SIZE, d);
            id = LLVMBuildAdd(b, LLVMBuildMul(b, linear, size, ""), id, "");
        }
        linear = id;
    }
    return linear;
}

// The values of OpenCL's memory_order are those of C11 in Clang. An order that isn't constant is taken as the
// strongest one. order_operand: the operand with the order; -1: none.
static void work_item_fence(const struct call *at, int order_operand)
{
    LLVMAtomicOrdering ordering = LLVMAtomicOrderingAcquireRelease;
    if (order_operand >= 0) {
        LLVMValueRef order = LLVMGetOperand(at->call, (unsigned)order_operand);
        uint64_t value =
            LLVMIsAConstantInt(order) ? LLVMConstIntGetZExtValue(order) : (uint64_t)__ATOMIC_SEQ_CST;
        switch (value) {
        case __ATOMIC_RELAXED:
            return;
        case __ATOMIC_ACQUIRE:
            ordering = LLVMAtomicOrderingAcquire;
            break;
        case __ATOMIC_RELEASE:
            ordering = LLVMAtomicOrderingRelease;
            break;
        case __ATOMIC_ACQ_REL:
            break;
        default:
            ordering = LLVMAtomicOrderingSequentiallyConsistent;
            break;
        }
    }
    LLVMBuildFence(at->builder, ordering, false, "");
}

static LLVMValueRef build_barrier(const struct call *at, const char *kind)
{
    LLVMValueRef f = weftc_effect_function(at->module, kind);
    LLVMValueRef call = LLVMBuildCall2(at->builder, LLVMGlobalGetValueType(f), f, NULL, 0, "");
    weftc_call_attribute(call, "convergent");
    return call;
}

// Lowers the functions that named barriers use (lib/kernel-builtins/group/named_barrier.cl).
static bool lower_named_barrier_call(const struct call *at, const char *name)
{
    if (strcmp(name, "__weft_barrier_words") == 0)
        LLVMReplaceAllUsesWith(at->call,
                               weftc_primitive_build(at->builder, at->module, WEFTC_GROUP_BARRIERS, 0));
    else if (strcmp(name, "__weft_barrier_site") == 0)
        LLVMReplaceAllUsesWith(at->call, build_barrier(at, WEFTC_BARRIER_SITE));
    else if (strcmp(name, "__weft_barrier_yield") == 0)
        build_barrier(at, WEFTC_YIELD);
    else
        return false;
    return true;
}

// Lowers the functions that the built-in functions of lib/kernel-builtins/group use.
static bool lower_group_call(const struct call *at, const char *name)
{
    if (strcmp(name, "__weft_group_rows") == 0) {
        LLVMReplaceAllUsesWith(at->call, weftc_primitive_build(at->builder, at->module, WEFTC_STATE, 0));
        return true;
    }
    if (strcmp(name, "__weft_group_slot") == 0) {
        LLVMReplaceAllUsesWith(at->call, weftc_primitive_build(at->builder, at->module, WEFTC_GROUP_SLOT, 0));
        return true;
    }
    if (strcmp(name, "__weft_single_item_barrier") == 0) {
        build_barrier(at, WEFTC_SINGLE_ITEM_BARRIER);
        return true;
    }
    return false;
}

// Lowers a read of the processor's clock.
static bool lower_clock(const struct call *at, const char *name)
{
    if (strcmp(name, "__weft_clock") != 0)
        return false;
    LLVMValueRef clock =
        weftc_target_ops->clock
            ? weftc_target_ops->clock(at->module, at->builder)
            : weftc_target_intrinsic(at->module, at->builder, "llvm.readcyclecounter", NULL, NULL, 0);
    LLVMReplaceAllUsesWith(at->call, clock);
    return true;
}

// Lowers one call of the function `name`. Returns false if the name isn't known here.
static bool lower_call(const struct call *at, const char *name)
{
    const struct weftc_workitem_name *f = weftc_workitem_name(name);
    if (!f)
        return false;
    switch (f->kind) {
    case WEFTC_WORKITEM_VALUE:
        LLVMReplaceAllUsesWith(at->call, work_item_value(at, f));
        break;
    case WEFTC_WORKITEM_LINEAR_ID:
        LLVMReplaceAllUsesWith(at->call, global_linear_id(at));
        break;
    case WEFTC_WORKITEM_BARRIER:
        build_barrier(at, WEFTC_BARRIER);
        break;
    case WEFTC_WORKITEM_SUB_GROUP_BARRIER:
        // Lanes run in lockstep. Only the order of accesses has to be kept.
        LLVMBuildFence(at->builder, LLVMAtomicOrderingAcquireRelease, true, "");
        break;
    case WEFTC_WORKITEM_FENCE:
        work_item_fence(at, -1);
        break;
    case WEFTC_WORKITEM_ORDERED_FENCE:
        work_item_fence(at, 1);
        break;
    }
    return true;
}

static bool lower_generic_call(const struct call *at, const char *name)
{
    LLVMValueRef value = weftc_prepare_generic_call(at->builder, at->module, at->call, name);
    if (value)
        LLVMReplaceAllUsesWith(at->call, value);
    return value != NULL;
}

// Renames a function that lib/kernel-builtins/enqueue declares to a primitive, which keeps the declared type.
static void name_host_call(LLVMModuleRef module, const char *name, const char *primitive)
{
    LLVMValueRef f = LLVMGetNamedFunction(module, name);
    if (f && LLVMIsDeclaration(f)) {
        LLVMSetValueName2(f, primitive, strlen(primitive));
        weftc_remove_attribute(f, WEFTC_OF_FUNCTION, "convergent");
    }
}

void weftc_prepare_workitem_functions(LLVMModuleRef module)
{
    struct call at = {module, LLVMCreateBuilderInContext(LLVMGetModuleContext(module)), NULL};
    LLVMValueRef next;
    name_host_call(module, "__weft_enqueue", WEFTC_ENQUEUE);
    name_host_call(module, "__weft_device_call", WEFTC_DEVICE_CALL);
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = next) {
        next = LLVMGetNextFunction(f);
        if (!LLVMIsDeclaration(f))
            continue;
        const char *name = LLVMGetValueName(f);
        if (strncmp(name, "_Z", 2) != 0 && strncmp(name, "__", 2) != 0)
            continue;
        for (LLVMUseRef use = LLVMGetFirstUse(f); use; use = LLVMGetFirstUse(f)) {
            at.call = LLVMGetUser(use);
            if (weftc_callee(at.call) != f)
                break;
            LLVMPositionBuilderBefore(at.builder, at.call);
            if (!lower_call(&at, name) && !lower_group_call(&at, name) &&
                !lower_named_barrier_call(&at, name) && !lower_generic_call(&at, name) &&
                !lower_clock(&at, name))
                break;
            LLVMInstructionEraseFromParent(at.call);
        }
    }
    LLVMDisposeBuilder(at.builder);
}

// Inlining turns `restrict` parameters into alias scopes, which hold within one execution of the function. If
// such a function has a barrier and is called in a loop, code of two executions meets in one region. So
// functions that reach a barrier lose `restrict`.
weft_status weftc_prepare_restrict(LLVMModuleRef module, LLVMValueRef kernel)
{
    size_t total = 0, count = 0;
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
        total++;
    LLVMValueRef *reach =
        weft_alloc_array(total + 1, sizeof *reach); // barriers, and functions that reach one
    struct weftc_map known = {0};
    weft_status status = reach ? WEFT_OK : WEFT_NO_MEMORY;
    LLVMValueRef barriers_met[] = {LLVMGetNamedFunction(module, WEFTC_BARRIER),
                                   LLVMGetNamedFunction(module, WEFTC_YIELD)};
    for (size_t i = 0; reach && i < WEFT_COUNT_OF(barriers_met); i++)
        if (barriers_met[i])
            reach[count++] = barriers_met[i];
    for (size_t next = 0; next < count && status == WEFT_OK; next++) {
        for (LLVMUseRef use = LLVMGetFirstUse(reach[next]); use; use = LLVMGetNextUse(use)) {
            LLVMValueRef call = LLVMIsACallInst(LLVMGetUser(use));
            LLVMValueRef f = call ? LLVMGetBasicBlockParent(LLVMGetInstructionParent(call)) : NULL;
            if (!f || f == kernel || weftc_map_get(&known, f) != UINT32_MAX)
                continue;
            if (!weftc_map_put(&known, f, 1)) {
                status = WEFT_NO_MEMORY;
                break;
            }
            weftc_bridge_drop_noalias(f, false);
            reach[count++] = f;
        }
    }
    weft_free(reach);
    weftc_map_free(&known);
    return status;
}

static bool is_narrowing(LLVMValueRef i)
{
    LLVMTypeRef type = LLVMTypeOf(i);
    return LLVMIsATruncInst(i) && LLVMGetTypeKind(type) == LLVMIntegerTypeKind &&
           LLVMGetIntTypeWidth(type) == 32;
}

static bool shifts_by_32(LLVMValueRef i, LLVMOpcode opcode, LLVMValueRef operand)
{
    return LLVMIsAInstruction(i) && LLVMGetInstructionOpcode(i) == opcode &&
           LLVMGetOperand(i, 0) == operand && LLVMIsAConstantInt(LLVMGetOperand(i, 1)) &&
           LLVMConstIntGetZExtValue(LLVMGetOperand(i, 1)) == 32;
}

// SPIR-V modules that were optimised before have the truncation and the extension as shifts. This turns them
// back. The shifts that are left have no use.
static void undo_shifts(LLVMBuilderRef b, LLVMValueRef id)
{
    LLVMTypeRef i32 = LLVMInt32TypeInContext(LLVMGetTypeContext(LLVMTypeOf(id)));
    for (LLVMUseRef use = LLVMGetFirstUse(id); use; use = LLVMGetNextUse(use)) {
        LLVMValueRef left = LLVMGetUser(use), right;
        if (!shifts_by_32(left, LLVMShl, id))
            continue;
        for (LLVMUseRef of = LLVMGetFirstUse(left); of; of = LLVMGetNextUse(of))
            if (right = LLVMGetUser(of), shifts_by_32(right, LLVMAShr, left) && LLVMGetFirstUse(right)) {
                LLVMPositionBuilderBefore(b, right);
                LLVMValueRef cut = LLVMBuildTrunc(b, id, i32, "");
                LLVMReplaceAllUsesWith(right, LLVMBuildSExt(b, cut, LLVMTypeOf(id), ""));
            }
    }
}

// `int i = get_global_id(0)` truncates an id to 32 bits. As a primitive of its own it becomes an induction
// variable that doesn't wrap (workitem_loops), and a[i] is recognised as consecutive. Must run before LLVM
// turns the truncation and the extension that follows into shifts.
void weftc_prepare_narrow_ids(LLVMValueRef kernel)
{
    LLVMModuleRef module = LLVMGetGlobalParent(kernel);
    LLVMBuilderRef b = LLVMCreateBuilderInContext(LLVMGetModuleContext(module));
    struct weftc_primitive_call at = {0};
    while (weftc_next_primitive(kernel, &at)) {
        enum weftc_primitive p = at.primitive;
        if (p != WEFTC_GLOBAL_ID && p != WEFTC_LOCAL_ID && p != WEFTC_INDEX)
            continue;
        enum weftc_primitive narrow = p == WEFTC_GLOBAL_ID ? WEFTC_GLOBAL_ID32
                                      : p == WEFTC_INDEX   ? WEFTC_INDEX32
                                                           : WEFTC_LOCAL_ID32;
        undo_shifts(b, at.call);
        LLVMUseRef next;
        for (LLVMUseRef use = LLVMGetFirstUse(at.call); use; use = next) {
            next = LLVMGetNextUse(use);
            LLVMValueRef user = LLVMGetUser(use);
            if (!is_narrowing(user))
                continue;
            LLVMPositionBuilderBefore(b, user);
            LLVMReplaceAllUsesWith(user, weftc_primitive_build(b, module, narrow, at.dim));
            if (at.next == user)
                at.next = LLVMGetNextInstruction(user);
            LLVMInstructionEraseFromParent(user);
        }
    }
    LLVMDisposeBuilder(b);
}
