// Values that decide what a built-in function does, for UNINIT: coordinates of images, operands of atomic
// functions, and what the work-items of a group add up, scan, ask or exchange together. What functions do
// with their arguments isn't followed, so the arguments themselves are asked of.
//
//     work_group_reduce_add(v)  ->  weft.check.used.i32(v); work_group_reduce_add(v)
//
// MemorySanitizer asks of what a piece of assembly is given. So it sees an empty one instead, which is
// removed afterwards. Of a broadcast only one work-item's value matters: it isn't asked of.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <llvm-c/Core.h>
#include <llvm-c/DebugInfo.h>

#include "base/base.h"
#include "compiler/checker/checker.h"
#include "compiler/checker/marker.h"
#include "compiler/ir/llvm_helpers.h"

#define USED "weft.check.used"

void weftc_check_mark_used(const struct weftc_check_marker *m, LLVMValueRef value)
{
    LLVMTypeRef param = LLVMTypeOf(value);
    const LLVMTypeKind kind = LLVMGetTypeKind(param);
    const bool number = kind == LLVMIntegerTypeKind || kind == LLVMHalfTypeKind ||
                        kind == LLVMFloatTypeKind || kind == LLVMDoubleTypeKind;
    if (!number || LLVMIsConstant(value))
        return;
    char name[64];
    snprintf(name, sizeof name, "%s.%c%u", USED, kind == LLVMIntegerTypeKind ? 'i' : 'f',
             (unsigned)LLVMSizeOfTypeInBits(m->layout, param));
    LLVMTypeRef type = LLVMFunctionType(LLVMVoidTypeInContext(m->c), &param, 1, false);
    LLVMBuildCall2(m->b, type, weftc_check_declare(m->module, name, type), &value, 1, "");
}

// Do all work-items of a group, or of a sub-group, compute something from all their arguments? Or is it an
// atomic operation, whose result others see at once?
static bool decides(const char *name)
{
    static const char *const names[] = {"work_group_reduce_",
                                        "work_group_scan_",
                                        "work_group_all",
                                        "work_group_any",
                                        "sub_group_reduce_",
                                        "sub_group_scan_",
                                        "sub_group_all",
                                        "sub_group_any",
                                        "sub_group_shuffle_xor",
                                        "sub_group_shuffle_up",
                                        "sub_group_shuffle_down",
                                        "sub_group_rotate",
                                        "sub_group_clustered_",
                                        "atom_",
                                        "atomic_"};
    static const char begins[] = "atomic_init"; // a store, which is followed
    char *end;
    if (strncmp(name, "_Z", 2) != 0)
        return false;
    strtoul(name + 2, &end, 10);
    for (size_t k = 0; k < WEFT_COUNT_OF(names); k++)
        if (strncmp(end, names[k], strlen(names[k])) == 0)
            return strncmp(end, begins, sizeof begins - 1) != 0;
    return false;
}

void weftc_check_mark_collective(const struct weftc_check_marker *m, LLVMValueRef i)
{
    LLVMValueRef f = weftc_callee(i);
    if (!f || !decides(LLVMGetValueName(f)))
        return;
    LLVMSetCurrentDebugLocation2(m->b, LLVMInstructionGetDebugLoc(i));
    LLVMPositionBuilderBefore(m->b, i);
    for (unsigned k = 0; k < LLVMGetNumArgOperands(i); k++)
        weftc_check_mark_used(m, LLVMGetOperand(i, k));
}

bool weftc_check_is_used(LLVMValueRef i)
{
    LLVMValueRef f = weftc_callee(i);
    return f && LLVMIsDeclaration(f) && strncmp(LLVMGetValueName(f), USED, strlen(USED)) == 0;
}

// Any place is good for the value.
static const char nothing[] = "", in_any_place[] = "X";

bool weftc_check_asks_of_used(LLVMValueRef i)
{
    LLVMValueRef f = LLVMIsACallInst(i) ? LLVMIsAInlineAsm(LLVMGetCalledValue(i)) : NULL;
    size_t code, places = 0;
    if (!f)
        return false;
    LLVMGetInlineAsmAsmString(f, &code);
    const char *text = LLVMGetInlineAsmConstraintString(f, &places);
    return code == 0 && places == sizeof in_any_place - 1 && memcmp(text, in_any_place, places) == 0;
}

void weftc_check_ask_of_used(LLVMBuilderRef b, LLVMValueRef call)
{
    LLVMTypeRef type = LLVMGetCalledFunctionType(call);
    LLVMValueRef asks =
        LLVMGetInlineAsm(type, (char *)(uintptr_t)nothing, 0, (char *)(uintptr_t)in_any_place,
                         sizeof in_any_place - 1, true, false, LLVMInlineAsmDialectATT, false);
    LLVMValueRef value = LLVMGetOperand(call, 0);
    LLVMPositionBuilderBefore(b, call);
    LLVMSetCurrentDebugLocation2(b, LLVMInstructionGetDebugLoc(call));
    LLVMBuildCall2(b, type, asks, &value, 1, "");
    LLVMInstructionEraseFromParent(call);
}

void weftc_check_forget_used(LLVMValueRef kernel)
{
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(kernel); b; b = LLVMGetNextBasicBlock(b))
        for (LLVMValueRef i = LLVMGetFirstInstruction(b), next; i; i = next) {
            next = LLVMGetNextInstruction(i);
            if (weftc_check_asks_of_used(i))
                LLVMInstructionEraseFromParent(i);
        }
}
