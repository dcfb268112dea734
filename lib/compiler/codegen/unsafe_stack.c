// Unsafe stack writes: does a kernel write to its private memory at computed places that aren't known to be
// within the variable? Such a kernel runs on a stack of its own (weft_kernel_info.unsafe_stack_writes; ADR
// 25). The check runs on the final code, in which most arrays are registers. LLVM's analysis StackSafety says
// what is within bounds. Reads beyond the bounds do no harm.
#include <llvm-c/Core.h>
#include <llvm-c/Target.h>

#include "base/base.h"
#include "compiler/arch/target.h"
#include "compiler/bridge/passes.h"
#include "compiler/bridge/stack_safety.h"
#include "compiler/codegen/codegen.h"
#include "compiler/ir/llvm_helpers.h"
#include "compiler/ir/value_map.h"
#include "weft/device_call.h"

struct walk {
    LLVMValueRef *pointers; // the variable, then pointers into it
    size_t count, capacity;
    struct weftc_map seen;
};

static bool note(struct walk *w, LLVMValueRef pointer)
{
    if (weftc_map_get(&w->seen, pointer) != UINT32_MAX)
        return true;
    if (w->count == w->capacity) {
        size_t capacity = w->capacity ? 2 * w->capacity : 16;
        LLVMValueRef *larger = weft_realloc(w->pointers, capacity * sizeof *larger);
        if (!larger)
            return false;
        w->pointers = larger;
        w->capacity = capacity;
    }
    if (!weftc_map_put(&w->seen, pointer, 0))
        return false;
    w->pointers[w->count++] = pointer;
    return true;
}

// Is the variable only loaded and stored as a whole?
static bool is_plain(LLVMValueRef variable)
{
    LLVMTypeRef type = LLVMGetAllocatedType(variable);
    for (LLVMUseRef use = LLVMGetFirstUse(variable); use; use = LLVMGetNextUse(use)) {
        LLVMValueRef user = LLVMGetUser(use);
        bool load = LLVMIsALoadInst(user) && LLVMTypeOf(user) == type;
        bool store = LLVMIsAStoreInst(user) && LLVMGetOperand(user, 0) != variable &&
                     LLVMTypeOf(LLVMGetOperand(user, 0)) == type;
        if (!load && !store && !weftc_is_lifetime(user))
            return false;
    }
    return true;
}

// Is it a call of the driver or of a library, which has no definition here? What it writes is one of OpenCL's
// objects, such as an event.
static bool is_call_out(LLVMValueRef user)
{
    LLVMValueRef f = LLVMIsACallInst(user) ? LLVMGetCalledValue(user) : NULL;
    return f && (!LLVMIsAFunction(f) || (LLVMIsDeclaration(f) && !LLVMGetIntrinsicID(f)));
}

// Is an object of 8 bytes at `pointer` within the variable?
static bool holds_object(LLVMValueRef variable, LLVMValueRef pointer)
{
    LLVMTypeRef type = LLVMGetAllocatedType(variable);
    LLVMTargetDataRef layout = LLVMGetModuleDataLayout(
        LLVMGetGlobalParent(LLVMGetBasicBlockParent(LLVMGetInstructionParent(variable))));
    uint64_t offset, size = LLVMABISizeOfType(layout, type);
    return weftc_bridge_constant_offset(pointer, variable, &offset) && offset < size && size - offset >= 8;
}

// Is it a request of the checker's (compiler/checker)? Its arrays are as large as what the driver reads and
// writes there; in lanes each has a part of one variable.
static bool is_checkers(LLVMValueRef call)
{
    enum { WHAT = 1, PARAMETERS = 5 };
    LLVMTypeRef type = LLVMGetCalledFunctionType(call);
    LLVMValueRef what = LLVMCountParamTypes(type) == PARAMETERS &&
                                LLVMGetTypeKind(LLVMGetReturnType(type)) == LLVMIntegerTypeKind
                            ? LLVMIsAConstantInt(LLVMGetOperand(call, WHAT))
                            : NULL;
    const uint64_t n = what ? LLVMConstIntGetZExtValue(what) : 0;
    return what && LLVMGetIntTypeWidth(LLVMTypeOf(what)) == 32 && n >= WEFT_CALL_CHECK_REPORT &&
           n <= WEFT_CALL_CHECK_CHAIN;
}

static bool use_may_be_unsafe(struct walk *w, const struct weftc_bridge_stack *s, LLVMValueRef user,
                              LLVMValueRef pointer)
{
    switch (LLVMGetInstructionOpcode(user)) {
    case LLVMGetElementPtr:
    case LLVMBitCast:
    case LLVMAddrSpaceCast:
    case LLVMPHI:
    case LLVMSelect:
    case LLVMFreeze:
        return !note(w, user);
    case LLVMLoad:
    case LLVMICmp:
        return false;
    case LLVMStore:
        return LLVMGetOperand(user, 0) == pointer || !weftc_bridge_write_safe(s, user);
    case LLVMAtomicRMW:
    case LLVMAtomicCmpXchg:
        return !weftc_bridge_write_safe(s, user);
    case LLVMCall:
        if (weftc_is_lifetime(user) || (is_call_out(user) && is_checkers(user)))
            return false;
        return is_call_out(user) ? !holds_object(w->pointers[0], pointer) : !weftc_bridge_write_safe(s, user);
    default:
        return true;
    }
}

// May a write to the variable be out of its bounds? Also true if memory runs out.
static bool may_be_unsafe(const struct weftc_bridge_stack *s, LLVMValueRef variable)
{
    struct walk w = {0};
    bool is_unsafe = !note(&w, variable);
    for (size_t at = 0; at < w.count && !is_unsafe; at++)
        for (LLVMUseRef use = LLVMGetFirstUse(w.pointers[at]); use && !is_unsafe; use = LLVMGetNextUse(use))
            is_unsafe = use_may_be_unsafe(&w, s, LLVMGetUser(use), w.pointers[at]);
    weftc_map_free(&w.seen);
    weft_free(w.pointers);
    return is_unsafe;
}

bool weftc_unsafe_stack_writes(LLVMModuleRef module, const struct weftc_target *target)
{
    struct weftc_bridge_stack *s = NULL;
    bool is_unsafe = false;
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f && !is_unsafe; f = LLVMGetNextFunction(f)) {
        if (LLVMIsDeclaration(f))
            continue;
        LLVMBasicBlockRef entry = LLVMGetEntryBasicBlock(f);
        for (LLVMValueRef i = LLVMGetFirstInstruction(entry); i && !is_unsafe;
             i = LLVMGetNextInstruction(i)) {
            if (!LLVMIsAAllocaInst(i) || is_plain(i))
                continue;
            if (!s)
                s = weftc_bridge_stack_read(module, target->machine);
            is_unsafe = !weftc_bridge_stack_safe(s, i) && may_be_unsafe(s, i);
        }
    }
    weftc_bridge_stack_free(s);
    return is_unsafe;
}
