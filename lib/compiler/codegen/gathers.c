// Gathers and scatters, for processors that have no instruction for them. LLVM computes the addresses of
// all lanes as vectors of 64-bit numbers, and takes each out of its vector. Here the lanes' indices are
// taken out, as they are before they are extended, and an address is an operand of a load. That is so where
// all lanes take part. Where LLVM would branch for each lane of a gather, lanes that don't take part load a
// zero from elsewhere instead.
#include <stdbool.h>
#include <string.h>

#include <llvm-c/Core.h>

#include "compiler/arch/target.h"
#include "compiler/bridge/vectorize.h"
#include "compiler/codegen/codegen.h"
#include "compiler/ir/llvm_helpers.h"

enum { MAX_GATHERED = 16, NOTHING_BYTES = 16 }; // lanes; no element is larger

static bool is_vector(LLVMValueRef v)
{
    return LLVMGetTypeKind(LLVMTypeOf(v)) == LLVMVectorTypeKind;
}

static LLVMValueRef lane_of(LLVMBuilderRef b, LLVMValueRef vector, unsigned lane)
{
    LLVMContextRef c = LLVMGetTypeContext(LLVMTypeOf(vector));
    return LLVMBuildExtractElement(b, vector, weftc_i32(c, lane), "");
}

static LLVMValueRef index_of(LLVMBuilderRef b, LLVMValueRef indices, unsigned lane)
{
    const bool extended = LLVMIsAZExtInst(indices) || LLVMIsASExtInst(indices);
    if (!extended)
        return lane_of(b, indices, lane);
    LLVMTypeRef type = LLVMGetElementType(LLVMTypeOf(indices));
    LLVMValueRef narrow = lane_of(b, LLVMGetOperand(indices, 0), lane);
    return LLVMIsAZExtInst(indices) ? LLVMBuildZExt(b, narrow, type, "") : LLVMBuildSExt(b, narrow, type, "");
}

// Is it an address for each lane, of one index that differs?
static bool has_one_index(LLVMValueRef addresses)
{
    return LLVMIsAGetElementPtrInst(addresses) && LLVMGetNumOperands(addresses) == 2 &&
           !is_vector(LLVMGetOperand(addresses, 0)) && is_vector(LLVMGetOperand(addresses, 1));
}

static LLVMValueRef address_of(LLVMBuilderRef b, LLVMValueRef addresses, unsigned lane)
{
    LLVMValueRef index = index_of(b, LLVMGetOperand(addresses, 1), lane);
    LLVMTypeRef element = LLVMGetGEPSourceElementType(addresses);
    return LLVMIsInBounds(addresses)
               ? LLVMBuildInBoundsGEP2(b, element, LLVMGetOperand(addresses, 0), &index, 1, "")
               : LLVMBuildGEP2(b, element, LLVMGetOperand(addresses, 0), &index, 1, "");
}

// Extends an index that isn't negative as a signed number.
static void extend_as_signed(LLVMBuilderRef b, LLVMValueRef addresses)
{
    LLVMValueRef index = LLVMGetOperand(addresses, 1);
    if (!LLVMIsAZExtInst(index) || !LLVMGetNNeg(index))
        return;
    LLVMPositionBuilderBefore(b, index);
    LLVMSetOperand(addresses, 1, LLVMBuildSExt(b, LLVMGetOperand(index, 0), LLVMTypeOf(index), ""));
    if (!LLVMGetFirstUse(index))
        LLVMInstructionEraseFromParent(index);
}

static void access_lanes(LLVMBuilderRef b, LLVMValueRef call, bool store)
{
    LLVMValueRef stored = store ? LLVMGetOperand(call, 0) : NULL, addresses = LLVMGetOperand(call, store);
    LLVMTypeRef type = LLVMTypeOf(store ? stored : call), element = LLVMGetElementType(type);
    const unsigned align = weftc_bridge_masked_alignment(call, store);
    LLVMValueRef result = LLVMGetPoison(type);
    LLVMPositionBuilderBefore(b, call);
    for (unsigned k = 0; k < LLVMGetVectorSize(type); k++) {
        LLVMValueRef at = address_of(b, addresses, k);
        LLVMValueRef access =
            store ? LLVMBuildStore(b, lane_of(b, stored, k), at) : LLVMBuildLoad2(b, element, at, "");
        LLVMSetAlignment(access, align);
        weftc_bridge_copy_access(access, call);
        if (!store)
            result = LLVMBuildInsertElement(b, result, access, weftc_i32(LLVMGetTypeContext(type), k), "");
    }
    if (!store)
        LLVMReplaceAllUsesWith(call, result);
    LLVMInstructionEraseFromParent(call);
}

// ---- gathers with a mask ----

// What lanes load that don't take part.
static LLVMValueRef nothing(LLVMModuleRef module)
{
    static const char name[] = "weft.nothing";
    LLVMValueRef global = LLVMGetNamedGlobal(module, name);
    if (global)
        return global;
    LLVMTypeRef type = LLVMArrayType2(LLVMInt8TypeInContext(LLVMGetModuleContext(module)), NOTHING_BYTES);
    global = LLVMAddGlobal(module, type, name);
    LLVMSetInitializer(global, LLVMConstNull(type));
    LLVMSetGlobalConstant(global, true);
    LLVMSetLinkage(global, LLVMInternalLinkage);
    LLVMSetAlignment(global, NOTHING_BYTES);
    return global;
}

// Words of 32 and 64 bits are what instructions gather, and on some targets all numbers.
static bool is_gathered(unsigned permutes, unsigned bits)
{
    return permutes & WEFTC_PERMUTES_MASKED ||
           (permutes & WEFTC_PERMUTES_MEMORY && (bits == 32 || bits == 64));
}

static bool branches_for_each_lane(LLVMValueRef call, unsigned permutes)
{
    LLVMTypeRef type = LLVMTypeOf(call), element = LLVMGetElementType(type);
    const unsigned lanes = LLVMGetVectorSize(type), bits = weftc_number_bits(element);
    LLVMTypeRef address = LLVMGetElementType(LLVMTypeOf(LLVMGetOperand(call, 0)));
    return bits && bits <= 8 * NOTHING_BYTES && lanes <= MAX_GATHERED &&
           LLVMGetPointerAddressSpace(address) == 0 && !is_gathered(permutes, bits) &&
           !LLVMIsConstant(weftc_bridge_masked_mask(call, false));
}

static void load_lanes(LLVMBuilderRef b, LLVMValueRef call)
{
    LLVMTypeRef type = LLVMTypeOf(call), element = LLVMGetElementType(type);
    const unsigned lanes = LLVMGetVectorSize(type), align = weftc_bridge_masked_alignment(call, false);
    LLVMValueRef mask = weftc_bridge_masked_mask(call, false), addresses = LLVMGetOperand(call, 0);
    LLVMValueRef inactive = LLVMGetOperand(call, LLVMGetNumArgOperands(call) - 1);
    LLVMValueRef none[MAX_GATHERED], result = LLVMGetPoison(type);
    for (unsigned k = 0; k < lanes; k++)
        none[k] = nothing(LLVMGetGlobalParent(LLVMGetBasicBlockParent(LLVMGetInstructionParent(call))));
    LLVMPositionBuilderBefore(b, call);
    addresses = LLVMBuildSelect(b, mask, addresses, LLVMConstVector(none, lanes), "");
    for (unsigned k = 0; k < lanes; k++) {
        LLVMValueRef access = LLVMBuildLoad2(b, element, lane_of(b, addresses, k), "");
        LLVMSetAlignment(access, align);
        weftc_bridge_copy_access(access, call);
        result = LLVMBuildInsertElement(b, result, access, weftc_i32(LLVMGetTypeContext(type), k), "");
    }
    if (!LLVMIsUndef(inactive)) // which poison is, too
        result = LLVMBuildSelect(b, mask, result, inactive, "");
    LLVMReplaceAllUsesWith(call, result);
    LLVMInstructionEraseFromParent(call);
}

static void lower(LLVMBuilderRef b, LLVMValueRef call, bool store, unsigned permutes)
{
    LLVMValueRef addresses = LLVMGetOperand(call, store);
    uint64_t mask;
    if (!store && branches_for_each_lane(call, permutes)) {
        load_lanes(b, call);
        return;
    }
    if (!has_one_index(addresses))
        return;
    if (permutes & WEFTC_PERMUTES_MEMORY)
        extend_as_signed(b, addresses);
    else if (LLVMGetVectorSize(LLVMTypeOf(addresses)) <= MAX_GATHERED &&
             weftc_is_splat(weftc_bridge_masked_mask(call, store), &mask) && mask)
        access_lanes(b, call, store);
}

void weftc_lower_gathers(LLVMModuleRef module, const struct weftc_target *target)
{
    const unsigned gather = LLVMLookupIntrinsicID("llvm.masked.gather", strlen("llvm.masked.gather")),
                   scatter = LLVMLookupIntrinsicID("llvm.masked.scatter", strlen("llvm.masked.scatter"));
    LLVMBuilderRef b = LLVMCreateBuilderInContext(LLVMGetModuleContext(module));
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
        for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(f); block; block = LLVMGetNextBasicBlock(block))
            for (LLVMValueRef i = LLVMGetFirstInstruction(block), next; i; i = next) {
                next = LLVMGetNextInstruction(i);
                LLVMValueRef callee = LLVMIsACallInst(i) ? weftc_callee(i) : NULL;
                const unsigned id = callee ? LLVMGetIntrinsicID(callee) : 0;
                if (id == gather || id == scatter)
                    lower(b, i, id == scatter, target->permutes);
            }
    LLVMDisposeBuilder(b);
}
