// Which arguments the kernel writes to, for API: two of them that share memory are only wrong then.
#include <string.h>

#include <llvm-c/Core.h>

#include "base/base.h"
#include "compiler/checker/checker.h"
#include "compiler/ir/llvm_helpers.h"
#include "compiler/ir/value_map.h"

enum { MOST = 32 }; // arguments that are looked at

static bool writes_to(LLVMValueRef i, LLVMValueRef pointer)
{
    if (LLVMIsAStoreInst(i))
        return LLVMGetOperand(i, 1) == pointer;
    if (LLVMIsAAtomicRMWInst(i) || LLVMIsAAtomicCmpXchgInst(i))
        return true;
    return (LLVMIsAMemCpyInst(i) || LLVMIsAMemMoveInst(i) || LLVMIsAMemSetInst(i)) &&
           LLVMGetOperand(i, 0) == pointer;
}

static bool goes_on(LLVMValueRef user)
{
    return LLVMIsAGetElementPtrInst(user) || LLVMIsABitCastInst(user) || LLVMIsAAddrSpaceCastInst(user) ||
           LLVMIsAPHINode(user) || LLVMIsASelectInst(user) || LLVMIsAFreezeInst(user);
}

// Is anything written through the pointer, or through what is made of it?
static bool is_written(LLVMValueRef pointer, struct weftc_map *seen, unsigned depth)
{
    enum { DEEP = 64 };
    for (LLVMUseRef use = LLVMGetFirstUse(pointer); use; use = LLVMGetNextUse(use)) {
        LLVMValueRef user = LLVMGetUser(use);
        if (writes_to(user, pointer))
            return true;
        if (!goes_on(user) || depth > DEEP || weftc_map_get(seen, user) != UINT32_MAX ||
            !weftc_map_put(seen, user, 1))
            continue;
        if (is_written(user, seen, depth + 1))
            return true;
    }
    return false;
}

uint32_t weftc_check_written(LLVMValueRef kernel)
{
    uint32_t written = 0;
    for (unsigned k = 0; k < LLVMCountParams(kernel) && k < MOST; k++) {
        LLVMValueRef argument = LLVMGetParam(kernel, k);
        struct weftc_map seen = {0};
        if (LLVMGetTypeKind(LLVMTypeOf(argument)) == LLVMPointerTypeKind && is_written(argument, &seen, 0))
            written |= 1u << k;
        weftc_map_free(&seen);
    }
    return written;
}
