// The layout of private memory over the lanes. Each lane has its own copy of an alloca. If every access is a
// plain load or store of elements of one size, the copies are interleaved (SoA): the same element of all
// lanes lies together, so that an access at a uniform index is one vector access. Otherwise each lane has a
// block of its own.
#include <string.h>

#include <llvm-c/Core.h>
#include <llvm-c/Target.h>

#include "base/base.h"
#include "compiler/ir/gep.h"
#include "compiler/ir/llvm_helpers.h"
#include "compiler/ir/value_map.h"
#include "compiler/shapes/shapes.h"

struct search {
    struct weftc_shapes *s;
    LLVMValueRef *pointers; // the alloca, then pointers into it
    size_t count, capacity;
    uint64_t element; // bytes; 0: no access found yet
    uint64_t common;  // every offset is a multiple of this power of two
};

static bool note_pointer(struct search *at, LLVMValueRef pointer)
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

static void note_offset(struct search *at, uint64_t multiple)
{
    uint64_t power = multiple & (0 - multiple);
    if (power && power < at->common)
        at->common = power;
}

static bool note_access(struct search *at, LLVMValueRef access, LLVMTypeRef type)
{
    LLVMTypeKind kind = LLVMGetTypeKind(type);
    if (LLVMGetVolatile(access) || LLVMGetOrdering(access) != LLVMAtomicOrderingNotAtomic ||
        kind == LLVMVectorTypeKind || kind == LLVMStructTypeKind || kind == LLVMArrayTypeKind)
        return false;
    uint64_t size = LLVMStoreSizeOfType(at->s->layout, type);
    if (at->element && at->element != size)
        return false;
    at->element = size;
    return (size & (size - 1)) == 0;
}

static bool note_gep(struct search *at, LLVMValueRef gep)
{
    if (LLVMGetTypeKind(LLVMTypeOf(gep)) != LLVMPointerTypeKind)
        return false;
    unsigned operands = (unsigned)LLVMGetNumOperands(gep);
    struct weftc_step *steps = weft_alloc_array(operands, sizeof *steps);
    if (!steps)
        return false;
    unsigned count = weftc_gep_steps(at->s->layout, gep, steps);
    for (unsigned k = 0; k < count; k++)
        note_offset(at, steps[k].index ? steps[k].scale : steps[k].offset);
    weft_free(steps);
    return note_pointer(at, gep);
}

// Follows the address of the alloca. Returns false if it is used for anything but plain accesses.
static bool only_plain_accesses(struct search *at, LLVMValueRef memory)
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

weft_status weftc_shapes_privates(struct weftc_shapes *s)
{
    uint32_t count = 0;
    LLVMBasicBlockRef entry = LLVMGetEntryBasicBlock(s->flow.function);
    for (LLVMValueRef i = LLVMGetFirstInstruction(entry); i; i = LLVMGetNextInstruction(i))
        if (LLVMIsAAllocaInst(i))
            count++;
    s->privates = weft_alloc_array((size_t)count + 1, sizeof *s->privates);
    if (!s->privates)
        return WEFT_NO_MEMORY;
    struct search at = {.s = s};
    weft_status status = WEFT_OK;
    for (LLVMValueRef i = LLVMGetFirstInstruction(entry); i && status == WEFT_OK;
         i = LLVMGetNextInstruction(i)) {
        if (!LLVMIsAAllocaInst(i))
            continue;
        uint64_t size = LLVMABISizeOfType(s->layout, LLVMGetAllocatedType(i));
        uint64_t align = LLVMGetAlignment(i);
        bool soa = only_plain_accesses(&at, i) && size % at.element == 0;
        struct weftc_private *p = &s->privates[s->private_count];
        *p = (struct weftc_private){.memory = i,
                                    .layout = soa ? WEFTC_LAYOUT_SOA : WEFTC_LAYOUT_BLOCKED,
                                    .stride = soa ? at.element : (size + align - 1) & ~(align - 1)};
        for (size_t k = 0; k < (soa ? at.count : 1); k++)
            if (!weftc_map_put(&s->private_of, soa ? at.pointers[k] : i, s->private_count))
                status = WEFT_NO_MEMORY;
        s->private_count++;
    }
    weft_free(at.pointers);
    return status;
}

const struct weftc_private *weftc_is_soa(const struct weftc_shapes *s, LLVMValueRef pointer)
{
    uint32_t at = weftc_map_get(&s->private_of, pointer);
    return at != UINT32_MAX && s->privates[at].layout == WEFTC_LAYOUT_SOA ? &s->privates[at] : NULL;
}

uint64_t weftc_shapes_private_bytes(const struct weftc_shapes *s)
{
    uint64_t bytes = 0;
    for (uint32_t p = 0; p < s->private_count; p++)
        bytes += LLVMABISizeOfType(s->layout, LLVMGetAllocatedType(s->privates[p].memory));
    return bytes;
}
