// Addresses in private variables that many instructions access are computed once, at the function's start.
//
// instcombine looks at an alloca again when one of its users has changed, and asks all of them whether the
// alloca can be removed. Where each access computes its own address, the users are as many as the accesses,
// and compile time is quadratic in them: a struct that is copied 256 times took 2.5 s. With shared addresses
// the users are as many as the variable has parts. Afterwards each block gets its own addresses again: the
// code generator folds those into the accesses, and would keep shared ones in registers.
#include <llvm-c/Core.h>
#include <llvm-c/Target.h>

#include "base/base.h"
#include "compiler/codegen/codegen.h"
#include "compiler/ir/gep.h"
#include "compiler/ir/llvm_helpers.h"
#include "compiler/ir/value_map.h"

// Users of one variable. With fewer of them nothing is gained.
enum { MIN_USERS = 200 };

struct shared {
    LLVMValueRef *list; // addresses
    uint32_t count, capacity;
    struct weftc_map of_offset; // constant of 64 bits -> number in the list
};

// Does the address differ from that of the variable by a constant, and is it within the variable? *offset:
// the constant, in bytes.
static bool is_constant_offset(LLVMTargetDataRef layout, LLVMValueRef variable, LLVMValueRef gep,
                               uint64_t *offset)
{
    const unsigned operands = (unsigned)LLVMGetNumOperands(gep);
    if (LLVMGetTypeKind(LLVMTypeOf(gep)) != LLVMPointerTypeKind)
        return false;
    struct weftc_step *steps = weft_alloc_array((size_t)operands + 1, sizeof *steps);
    if (!steps)
        return false;
    bool constant = true;
    *offset = 0;
    for (unsigned k = 0, count = weftc_gep_steps(layout, gep, steps); k < count; k++) {
        constant = constant && !steps[k].index;
        *offset += steps[k].offset;
    }
    weft_free(steps);
    return constant && *offset < LLVMABISizeOfType(layout, LLVMGetAllocatedType(variable));
}

// The shared address at this offset, which is made after the allocas if there is none yet. NULL: out of
// memory.
static LLVMValueRef address_at(struct shared *s, LLVMBuilderRef b, LLVMValueRef variable, uint64_t offset)
{
    LLVMContextRef c = LLVMGetTypeContext(LLVMTypeOf(variable));
    LLVMValueRef key = weftc_i64(c, offset);
    const uint32_t known = weftc_map_get(&s->of_offset, key);
    if (known != UINT32_MAX)
        return s->list[known];
    if (s->count == s->capacity) {
        const uint32_t capacity = s->capacity ? 2 * s->capacity : 64;
        LLVMValueRef *larger = weft_realloc(s->list, capacity * sizeof(LLVMValueRef));
        if (!larger)
            return NULL;
        s->list = larger;
        s->capacity = capacity;
    }
    if (!weftc_map_put(&s->of_offset, key, s->count))
        return NULL;
    LLVMValueRef address = LLVMBuildInBoundsGEP2(b, LLVMInt8TypeInContext(c), variable, &key, 1, "");
    return s->list[s->count++] = address;
}

static bool has_many_users(LLVMValueRef value)
{
    unsigned count = 0;
    for (LLVMUseRef use = LLVMGetFirstUse(value); use && count < MIN_USERS; use = LLVMGetNextUse(use))
        count++;
    return count == MIN_USERS;
}

// before: the first instruction that isn't an alloca.
static void share_of(LLVMTargetDataRef layout, LLVMBuilderRef b, LLVMValueRef variable, LLVMValueRef before)
{
    struct shared s = {0};
    LLVMPositionBuilderBefore(b, before);
    for (LLVMUseRef use = LLVMGetFirstUse(variable), next; use; use = next) {
        next = LLVMGetNextUse(use);
        LLVMValueRef gep = LLVMGetUser(use);
        uint64_t offset;
        if (!LLVMIsAGetElementPtrInst(gep) || LLVMGetOperand(gep, 0) != variable || gep == before ||
            !is_constant_offset(layout, variable, gep, &offset))
            continue;
        LLVMValueRef address = address_at(&s, b, variable, offset);
        if (!address)
            break;
        if (address == gep)
            continue;
        LLVMReplaceAllUsesWith(gep, address);
        LLVMInstructionEraseFromParent(gep);
    }
    weftc_map_free(&s.of_offset);
    weft_free(s.list);
}

// Gives each block that uses this address one of its own.
static bool localize(LLVMBuilderRef b, LLVMValueRef address)
{
    struct weftc_map of_block = {0};
    LLVMBasicBlockRef home = LLVMGetInstructionParent(address);
    LLVMValueRef *list = NULL;
    uint32_t count = 0, capacity = 0;
    bool ok = true;
    for (LLVMUseRef use = LLVMGetFirstUse(address), next; use && ok; use = next) {
        next = LLVMGetNextUse(use);
        LLVMValueRef user = LLVMGetUser(use);
        LLVMBasicBlockRef block = LLVMGetInstructionParent(user);
        unsigned operand = 0, times = 0;
        for (unsigned k = 0; k < (unsigned)LLVMGetNumOperands(user); k++)
            if (LLVMGetOperand(user, k) == address) {
                operand = k;
                times++;
            }
        if (block == home || LLVMIsAPHINode(user) || times > 1)
            continue;
        uint32_t known = weftc_map_get(&of_block, block);
        if (known == UINT32_MAX) {
            known = count;
            if (count == capacity) {
                capacity = capacity ? 2 * capacity : 16;
                LLVMValueRef *larger = weft_realloc(list, capacity * sizeof(LLVMValueRef));
                ok = larger != NULL;
                list = ok ? larger : list;
            }
            ok = ok && weftc_map_put(&of_block, block, count);
            if (!ok)
                break;
            LLVMValueRef at = LLVMGetFirstInstruction(block);
            while (LLVMIsAPHINode(at))
                at = LLVMGetNextInstruction(at);
            list[count] = LLVMInstructionClone(address);
            LLVMPositionBuilderBefore(b, at);
            LLVMInsertIntoBuilder(b, list[count++]);
        }
        LLVMSetOperand(user, operand, list[known]);
    }
    weftc_map_free(&of_block);
    weft_free(list);
    return ok;
}

void weftc_localize_addresses(LLVMModuleRef module)
{
    LLVMTypeRef i8 = LLVMInt8TypeInContext(LLVMGetModuleContext(module));
    LLVMBuilderRef b = LLVMCreateBuilderInContext(LLVMGetModuleContext(module));
    bool ok = true;
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f && ok; f = LLVMGetNextFunction(f)) {
        LLVMBasicBlockRef entry = LLVMIsDeclaration(f) ? NULL : LLVMGetEntryBasicBlock(f);
        for (LLVMValueRef i = entry ? LLVMGetFirstInstruction(entry) : NULL; i && ok;
             i = LLVMGetNextInstruction(i))
            if (LLVMIsAGetElementPtrInst(i) && LLVMIsAAllocaInst(LLVMGetOperand(i, 0)) &&
                LLVMGetGEPSourceElementType(i) == i8 && LLVMIsAConstantInt(LLVMGetOperand(i, 1)))
                ok = localize(b, i);
    }
    LLVMDisposeBuilder(b);
}

bool weftc_share_addresses(LLVMModuleRef module)
{
    bool any = false;
    LLVMTargetDataRef layout = LLVMGetModuleDataLayout(module);
    LLVMBuilderRef b = LLVMCreateBuilderInContext(LLVMGetModuleContext(module));
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f)) {
        LLVMBasicBlockRef entry = LLVMIsDeclaration(f) ? NULL : LLVMGetEntryBasicBlock(f);
        LLVMValueRef before = entry ? LLVMGetFirstInstruction(entry) : NULL;
        while (before && LLVMIsAAllocaInst(before))
            before = LLVMGetNextInstruction(before);
        for (LLVMValueRef i = before ? LLVMGetFirstInstruction(entry) : NULL; i && i != before;
             i = LLVMGetNextInstruction(i))
            if (has_many_users(i)) {
                share_of(layout, b, i, before);
                any = true;
            }
    }
    LLVMDisposeBuilder(b);
    return any;
}
