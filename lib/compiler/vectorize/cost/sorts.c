// The sorts of instructions that the report tells apart where lanes wouldn't pay. Stateless.
#include <llvm-c/Core.h>

#include "compiler/vectorize/access/access.h"
#include "compiler/vectorize/cost/cost.h"

enum weftc_vec_sort weftc_vec_sort(LLVMValueRef i)
{
    switch (LLVMGetInstructionOpcode(i)) {
    case LLVMLoad:
        return WEFTC_VEC_LOADS;
    case LLVMStore:
        return WEFTC_VEC_STORES;
    case LLVMAtomicRMW:
    case LLVMAtomicCmpXchg:
        return WEFTC_VEC_ATOMICS;
    case LLVMCall:
        return WEFTC_VEC_CALLS;
    default:
        return WEFTC_VEC_OPERATIONS;
    }
}
