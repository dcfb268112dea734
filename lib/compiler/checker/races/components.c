// Components of vectors in memory, for RACE: another work-item may access the other ones meanwhile. Clang
// loads and stores whole vectors where the program reads or writes one component, and LLVM narrows that
// afterwards.
//
//     store (insertelement (load p[i]), v, 1), p[i]  ->  store v, p[i] + 1 element
//
// The load stays, to be looked at: it is of the whole vector, as the pointer's type says.
#include <string.h>

#include <llvm-c/Core.h>
#include <llvm-c/DebugInfo.h>
#include <llvm-c/Target.h>

#include "base/base.h"
#include "compiler/checker/marker.h"
#include "compiler/checker/races/components.h"
#include "compiler/ir/ir.h"
#include "compiler/ir/llvm_helpers.h"

enum { MAX_ELEMENTS = 16 };

static bool is_vector(LLVMValueRef v)
{
    return LLVMGetTypeKind(LLVMTypeOf(v)) == LLVMVectorTypeKind;
}

static unsigned count_of(LLVMValueRef v)
{
    return LLVMGetVectorSize(LLVMTypeOf(v));
}

// ---- loads ----

// The elements that one user wants, as bits.
static uint64_t wanted_by(LLVMValueRef user, LLVMValueRef load)
{
    const unsigned count = count_of(load);
    const uint64_t all = ((uint64_t)1 << count) - 1;
    uint64_t bits = 0;
    if (LLVMIsAExtractElementInst(user)) {
        LLVMValueRef index = LLVMIsAConstantInt(LLVMGetOperand(user, 1));
        const uint64_t at = index ? LLVMConstIntGetZExtValue(index) : count;
        return at < count ? (uint64_t)1 << at : all;
    }
    if (!LLVMIsAShuffleVectorInst(user))
        return all;
    for (unsigned side = 0; side < 2; side++)
        for (unsigned k = 0; LLVMGetOperand(user, side) == load && k < LLVMGetNumMaskElements(user); k++) {
            const int from = LLVMGetMaskValue(user, k) - (int)(side * count);
            if (from >= 0 && from < (int)count)
                bits |= (uint64_t)1 << from;
        }
    return bits;
}

uint64_t weftc_check_wanted_elements(LLVMValueRef i)
{
    uint64_t bits = 0;
    if (!LLVMIsALoadInst(i) || LLVMGetVolatile(i) || !is_vector(i) || count_of(i) > MAX_ELEMENTS)
        return UINT64_MAX;
    for (LLVMUseRef use = LLVMGetFirstUse(i); use; use = LLVMGetNextUse(use))
        bits |= wanted_by(LLVMGetUser(use), i);
    return bits == ((uint64_t)1 << count_of(i)) - 1 ? UINT64_MAX : bits;
}

// ---- stores ----

// Is it what the vector was when the store's place was read, just before?
static bool is_old(LLVMValueRef v, LLVMValueRef store)
{
    if (!LLVMIsALoadInst(v) || LLVMGetVolatile(v) || LLVMGetOperand(v, 0) != LLVMGetOperand(store, 1) ||
        LLVMGetInstructionParent(v) != LLVMGetInstructionParent(store))
        return false;
    for (LLVMValueRef i = LLVMGetNextInstruction(v); i != store; i = LLVMGetNextInstruction(i))
        if (!i || LLVMIsAStoreInst(i) || LLVMIsACallInst(i) || LLVMIsAAtomicRMWInst(i) ||
            LLVMIsAAtomicCmpXchgInst(i))
            return false;
    return true;
}

// Where the new elements come from: element `index` of a vector, or a value itself if index is negative.
struct source {
    LLVMValueRef value; // NULL: the element is as it was
    int index;
};

// False: the whole vector is new, or it isn't known.
static bool sources_of(LLVMValueRef store, struct source from[MAX_ELEMENTS])
{
    LLVMValueRef value = LLVMGetOperand(store, 0);
    const int count = (int)count_of(value);
    if (LLVMIsAInsertElementInst(value) && LLVMIsAConstantInt(LLVMGetOperand(value, 2))) {
        const uint64_t at = LLVMConstIntGetZExtValue(LLVMGetOperand(value, 2));
        if (!is_old(LLVMGetOperand(value, 0), store) || at >= (uint64_t)count)
            return false;
        from[at] = (struct source){LLVMGetOperand(value, 1), -1};
        return true;
    }
    if (!LLVMIsAShuffleVectorInst(value))
        return false;
    LLVMValueRef sides[] = {LLVMGetOperand(value, 0), LLVMGetOperand(value, 1)};
    const unsigned old = is_old(sides[0], store) ? 0 : 1;
    if (!is_old(sides[old], store) || is_old(sides[!old], store) || (int)count_of(sides[0]) != count)
        return false;
    for (int k = 0; k < count; k++) {
        const int at = LLVMGetMaskValue(value, (unsigned)k);
        if (at < 0)
            return false;
        if (at == k + (int)old * count)
            continue; // as it was
        if (at / count == (int)old)
            return false;
        from[k] = (struct source){sides[!old], at % count};
    }
    return true;
}

static void narrow(const struct weftc_check_marker *m, LLVMValueRef store)
{
    LLVMValueRef value = LLVMGetOperand(store, 0);
    LLVMTypeRef type = LLVMTypeOf(value);
    const bool shared =
        LLVMGetPointerAddressSpace(LLVMTypeOf(LLVMGetOperand(store, 1))) != WEFTC_SPACE_PRIVATE;
    struct source from[MAX_ELEMENTS];
    memset(from, 0, sizeof from);
    if (!shared || LLVMGetVolatile(store) || !is_vector(value) || count_of(value) > MAX_ELEMENTS ||
        !sources_of(store, from))
        return;
    const uint64_t bytes = LLVMStoreSizeOfType(m->layout, LLVMGetElementType(type));
    LLVMPositionBuilderBefore(m->b, store);
    LLVMSetCurrentDebugLocation2(m->b, LLVMInstructionGetDebugLoc(store));
    for (unsigned k = 0; k < count_of(value); k++) {
        LLVMValueRef at = weftc_i64(m->c, k), part = from[k].value, to = LLVMGetOperand(store, 1);
        if (!part)
            continue;
        if (from[k].index >= 0)
            part = LLVMBuildExtractElement(m->b, part, weftc_i64(m->c, (uint64_t)from[k].index), "");
        if (k)
            to = LLVMBuildGEP2(m->b, LLVMGetElementType(type), to, &at, 1, "");
        unsigned align = LLVMGetAlignment(store);
        while (k * bytes % align != 0)
            align /= 2;
        LLVMSetAlignment(LLVMBuildStore(m->b, part, to), align);
    }
    LLVMInstructionEraseFromParent(store);
    if (!LLVMGetFirstUse(value))
        LLVMInstructionEraseFromParent(value);
}

void weftc_check_narrow_stores(const struct weftc_check_marker *m, LLVMValueRef f)
{
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b))
        for (LLVMValueRef i = LLVMGetFirstInstruction(b), next; i; i = next) {
            next = LLVMGetNextInstruction(i);
            if (LLVMIsAStoreInst(i))
                narrow(m, i);
        }
}
