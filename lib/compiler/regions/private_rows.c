// Private arrays that live across barriers lie in the state arena. Where an array is used for nothing but
// plain accesses to its elements, each element has a row there, as a spilled value has: the elements of
// neighbouring work-items are neighbours. An access at an index that all work-items share is then
// consecutive.
#include <stdbool.h>
#include <stdint.h>

#include <llvm-c/Core.h>
#include <llvm-c/Target.h>

#include "base/base.h"
#include "compiler/ir/gep.h"
#include "compiler/ir/llvm_helpers.h"
#include "compiler/ir/module_facts.h"
#include "compiler/ir/primitives.h"
#include "compiler/regions/regions.h"

// The rows of one array are a power of two apart, so each of a work-item's elements is in the same set of the
// first cache: more of them would push each other out.
enum { MAX_ELEMENTS = 16 };

uint64_t weftc_rows_element(const struct weftc_splitter *s, LLVMValueRef memory)
{
    struct weftc_plain at = {.layout = s->layout};
    const uint64_t size = LLVMABISizeOfType(s->layout, LLVMGetAllocatedType(memory));
    const bool plain = weftc_only_plain(&at, memory);
    weft_free(at.pointers);
    return plain && size % at.element == 0 && size / at.element <= MAX_ELEMENTS ? at.element : 0;
}

// The bytes of the address computation, times `rows`. The builder stands before it.
static LLVMValueRef offset_in_rows(struct weftc_splitter *s, LLVMBuilderRef b, LLVMValueRef gep,
                                   LLVMValueRef rows)
{
    LLVMTypeRef i64 = LLVMInt64TypeInContext(s->g.context);
    LLVMValueRef sum = LLVMConstNull(i64);
    struct weftc_step *steps = weft_alloc_array((size_t)LLVMGetNumOperands(gep), sizeof *steps);
    if (!steps)
        return NULL;
    const unsigned count = weftc_gep_steps(s->layout, gep, steps);
    for (unsigned k = 0; k < count; k++) {
        LLVMValueRef by = weftc_i64(s->g.context, steps[k].index ? steps[k].scale : steps[k].offset);
        if (steps[k].index)
            by = LLVMBuildMul(b, LLVMBuildIntCast2(b, steps[k].index, i64, true, ""), by, "");
        sum = LLVMBuildAdd(b, sum, by, "");
    }
    weft_free(steps);
    return LLVMBuildMul(b, sum, rows, "");
}

void weftc_mark_spilled(struct weftc_splitter *s, LLVMValueRef access)
{
    LLVMValueRef lists[2], items;
    if (LLVMGetNamedMetadataNumOperands(s->g.module, weftc_fact_name(WEFTC_PRIVATE_ACCESS)) == 2) {
        LLVMGetNamedMetadataOperands(s->g.module, weftc_fact_name(WEFTC_PRIVATE_ACCESS), lists);
        weftc_set_metadata(access, "alias.scope", LLVMValueAsMetadata(lists[0]));
        weftc_set_metadata(access, "noalias", LLVMValueAsMetadata(lists[1]));
    }
    if (LLVMGetNamedMetadataNumOperands(s->g.module, weftc_fact_name(WEFTC_ITEMS_GROUP)) == 1) {
        LLVMGetNamedMetadataOperands(s->g.module, weftc_fact_name(WEFTC_ITEMS_GROUP), &items);
        weftc_set_metadata(access, "llvm.access.group", LLVMValueAsMetadata(items));
    }
}

struct rewriting {
    struct weftc_splitter *s;
    LLVMBuilderRef b;
    LLVMValueRef rows;
    uint64_t element;
};

// Moves all that uses the address `from` to the address `to`. The list of uses is walked, so a new address
// gets its base last.
static bool move_users(const struct rewriting *r, LLVMValueRef from, LLVMValueRef to)
{
    for (LLVMUseRef use = LLVMGetFirstUse(from), next; use; use = next) {
        LLVMValueRef user = LLVMGetUser(use);
        next = LLVMGetNextUse(use);
        if (!LLVMIsAGetElementPtrInst(user)) {
            LLVMSetAlignment(user, (unsigned)r->element);
            weftc_mark_spilled(r->s, user);
            if (from != to)
                LLVMSetOperand(user, LLVMIsAStoreInst(user) ? 1 : 0, to);
            continue;
        }
        LLVMPositionBuilderBefore(r->b, user);
        LLVMValueRef by = offset_in_rows(r->s, r->b, user, r->rows);
        if (!by)
            return false;
        LLVMTypeRef byte = LLVMInt8TypeInContext(r->s->g.context);
        LLVMValueRef moved = LLVMBuildGEP2(r->b, byte, LLVMGetUndef(LLVMTypeOf(to)), &by, 1, "");
        if (!move_users(r, user, moved))
            return false;
        LLVMInstructionEraseFromParent(user);
        LLVMSetOperand(moved, 0, to);
    }
    return true;
}

bool weftc_rows_address(struct weftc_splitter *s, LLVMValueRef first, uint64_t element)
{
    struct rewriting r = {.s = s, .b = LLVMCreateBuilderInContext(s->g.context), .element = element};
    LLVMPositionBuilderBefore(r.b, first);
    r.rows = weftc_primitive_build(r.b, s->g.module, WEFTC_STATE_ROWS, 0);
    const bool ok = move_users(&r, first, first);
    LLVMDisposeBuilder(r.b);
    return ok;
}
