// The object that a pointer was made from, if there is only one.
#include "compiler/checker/proofs.h"

#include "base/base.h"
#include "compiler/ir/value_map.h"

// The object that the pointer was made from, over phis and selects too. NULL: there are several.
static LLVMValueRef single_root(LLVMValueRef pointer, struct weftc_map *seen, unsigned depth)
{
    enum { DEEP = 16 };
    for (;; pointer = LLVMGetOperand(pointer, 0)) {
        const bool expression = LLVMIsAConstantExpr(pointer) != NULL;
        const LLVMOpcode opcode = expression                    ? LLVMGetConstOpcode(pointer)
                                  : LLVMIsAInstruction(pointer) ? LLVMGetInstructionOpcode(pointer)
                                                                : LLVMRet;
        if (opcode != LLVMBitCast && opcode != LLVMAddrSpaceCast && opcode != LLVMGetElementPtr)
            break;
    }
    if (LLVMIsAArgument(pointer) || LLVMIsAGlobalVariable(pointer) || LLVMIsAAllocaInst(pointer))
        return pointer;
    const bool phi = LLVMIsAPHINode(pointer) != NULL, select = LLVMIsASelectInst(pointer) != NULL;
    if ((!phi && !select) || depth > DEEP)
        return NULL;
    if (weftc_map_get(seen, pointer) != UINT32_MAX)
        return pointer; // says nothing new
    if (!weftc_map_put(seen, pointer, 1))
        return NULL;
    LLVMValueRef root = pointer;
    const unsigned count = phi ? LLVMCountIncoming(pointer) : 2;
    for (unsigned k = 0; k < count; k++) {
        LLVMValueRef from = phi ? LLVMGetIncomingValue(pointer, k) : LLVMGetOperand(pointer, k + 1);
        LLVMValueRef one = single_root(from, seen, depth + 1);
        if (!one)
            return NULL;
        if (LLVMIsAPHINode(one) || LLVMIsASelectInst(one))
            continue;
        if (root != pointer && root != one)
            return NULL;
        root = one;
    }
    return root;
}

LLVMValueRef weftc_check_single_root(LLVMValueRef pointer)
{
    struct weftc_map seen = {0};
    LLVMValueRef root = single_root(pointer, &seen, 0);
    weftc_map_free(&seen);
    // a phi of nothing but itself
    return root && (LLVMIsAPHINode(root) || LLVMIsASelectInst(root)) ? NULL : root;
}
