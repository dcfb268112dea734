// Addresses: what a getelementptr adds to its base, index by index; and all that is accessed through the
// address of private memory.
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <llvm-c/Core.h>
#include <llvm-c/Target.h>

#include "base/base.h"
#include "compiler/ir/gep.h"
#include "compiler/ir/llvm_helpers.h"

static uint64_t scaled(uint64_t scale, LLVMValueRef index)
{
    return scale * (uint64_t)LLVMConstIntGetSExtValue(index);
}

unsigned weftc_gep_steps(LLVMTargetDataRef layout, LLVMValueRef gep, struct weftc_step *steps)
{
    LLVMTypeRef type = LLVMGetGEPSourceElementType(gep);
    unsigned count = 0, operands = (unsigned)LLVMGetNumOperands(gep);
    for (unsigned k = 1; k < operands; k++) {
        LLVMValueRef index = LLVMGetOperand(gep, k);
        if (k > 1 && LLVMGetTypeKind(type) == LLVMStructTypeKind) {
            unsigned field = (unsigned)LLVMConstIntGetZExtValue(index);
            steps[count++] = (struct weftc_step){.offset = LLVMOffsetOfElement(layout, type, field)};
            type = LLVMStructGetTypeAtIndex(type, field);
            continue;
        }
        if (k > 1)
            type = LLVMGetElementType(type);
        uint64_t scale = LLVMABISizeOfType(layout, type);
        bool constant = LLVMIsAConstantInt(index);
        steps[count++] = constant ? (struct weftc_step){.offset = scaled(scale, index)}
                                  : (struct weftc_step){.index = index, .scale = scale};
    }
    return count;
}

// ---- private memory ----

static bool note_pointer(struct weftc_plain *at, LLVMValueRef pointer)
{
    if (at->count == at->capacity) {
        size_t capacity = at->capacity ? 2 * at->capacity : 32;
        LLVMValueRef *larger = weft_realloc(at->pointers, capacity * sizeof *larger);
        if (!larger)
            return false;
        at->pointers = larger;
        at->capacity = capacity;
    }
    at->pointers[at->count++] = pointer;
    return true;
}

static void note_offset(struct weftc_plain *at, uint64_t multiple)
{
    uint64_t power = multiple & (0 - multiple);
    if (power && power < at->common)
        at->common = power;
}

static bool note_access(struct weftc_plain *at, LLVMValueRef access, LLVMTypeRef type)
{
    LLVMTypeKind kind = LLVMGetTypeKind(type);
    if (LLVMGetVolatile(access) || LLVMGetOrdering(access) != LLVMAtomicOrderingNotAtomic ||
        kind == LLVMVectorTypeKind || kind == LLVMStructTypeKind || kind == LLVMArrayTypeKind)
        return false;
    uint64_t size = LLVMStoreSizeOfType(at->layout, type);
    if (at->element && at->element != size)
        return false;
    at->element = size;
    return (size & (size - 1)) == 0;
}

// A power of two that divides the number for certain. (A sum that wraps is still a multiple of it.)
static uint64_t power_in(LLVMValueRef number, unsigned depth)
{
    enum { DEEP = 6 };
    const uint64_t most = (uint64_t)1 << 32;
    if (LLVMIsAConstantInt(number) && LLVMGetIntTypeWidth(LLVMTypeOf(number)) <= 64) {
        const uint64_t n = LLVMConstIntGetZExtValue(number), power = n & (0 - n);
        return power && power < most ? power : most;
    }
    if (depth == DEEP || !LLVMIsAInstruction(number))
        return 1;
    switch (LLVMGetInstructionOpcode(number)) {
    case LLVMSExt:
    case LLVMZExt:
        return power_in(LLVMGetOperand(number, 0), depth + 1);
    case LLVMShl: {
        LLVMValueRef by = LLVMIsAConstantInt(LLVMGetOperand(number, 1));
        const uint64_t bits = by ? LLVMConstIntGetZExtValue(by) : 0;
        return bits < 32 ? power_in(LLVMGetOperand(number, 0), depth + 1) << bits : 1;
    }
    case LLVMMul:
    case LLVMAdd:
    case LLVMSub:
    case LLVMOr: {
        const uint64_t a = power_in(LLVMGetOperand(number, 0), depth + 1),
                       b = power_in(LLVMGetOperand(number, 1), depth + 1);
        if (LLVMGetInstructionOpcode(number) == LLVMMul)
            return a > b ? a : b;
        return a < b ? a : b;
    }
    default:
        return 1;
    }
}

static bool note_gep(struct weftc_plain *at, LLVMValueRef gep)
{
    if (LLVMGetTypeKind(LLVMTypeOf(gep)) != LLVMPointerTypeKind)
        return false;
    unsigned operands = (unsigned)LLVMGetNumOperands(gep);
    struct weftc_step *steps = weft_alloc_array(operands, sizeof *steps);
    if (!steps)
        return false;
    unsigned count = weftc_gep_steps(at->layout, gep, steps);
    for (unsigned k = 0; k < count; k++)
        note_offset(at, steps[k].index ? steps[k].scale * power_in(steps[k].index, 0) : steps[k].offset);
    weft_free(steps);
    return note_pointer(at, gep);
}

bool weftc_only_plain(struct weftc_plain *at, LLVMValueRef memory)
{
    at->count = 0;
    at->element = 0;
    at->common = UINT64_MAX;
    if (!note_pointer(at, memory))
        return false;
    for (size_t next = 0; next < at->count; next++) {
        LLVMValueRef pointer = at->pointers[next];
        for (LLVMUseRef use = LLVMGetFirstUse(pointer); use; use = LLVMGetNextUse(use)) {
            LLVMValueRef user = LLVMGetUser(use);
            bool fine = false;
            if (LLVMIsALoadInst(user))
                fine = note_access(at, user, LLVMTypeOf(user));
            else if (LLVMIsAStoreInst(user) && LLVMGetOperand(user, 0) != pointer)
                fine = note_access(at, user, LLVMTypeOf(LLVMGetOperand(user, 0)));
            else if (LLVMIsAGetElementPtrInst(user) && LLVMGetOperand(user, 0) == pointer)
                fine = note_gep(at, user);
            else
                fine = weftc_is_lifetime(user);
            if (!fine)
                return false;
        }
    }
    return at->element && at->common >= at->element;
}
