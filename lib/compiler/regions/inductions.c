// Inductions over barriers. `a += lda` in a loop with a barrier is a pointer of each work-item's own, which
// would be spilled, and once it is loaded again nobody knows that it is consecutive over the lanes. But all
// work-items add the same. So it becomes a sum of what it starts with, which takes a few instructions from
// arguments and ids, and of an offset, which is one value for the whole group:
//
//     %p = phi ptr [ %start, ... ], [ %next, ... ]     %o = phi i64 [ 0, ... ], [ %o.next, ... ]
//     %next = getelementptr float, ptr %p, i64 %n      %o.next = %o + 4 * %n
//                                                      %p = getelementptr i8, ptr %start, i64 %o
//
// The PHIs and additions that lead from one start to each other are a *web*: inner loops may add, too.
#include <stdbool.h>
#include <stdint.h>

#include <llvm-c/Core.h>
#include <llvm-c/Target.h>

#include "base/base.h"
#include "compiler/ir/llvm_helpers.h"
#include "compiler/ir/value_map.h"
#include "compiler/regions/regions.h"

enum { MAX_WEB = 32 };

struct web {
    LLVMValueRef values[MAX_WEB];  // PHIs and steps
    LLVMValueRef offsets[MAX_WEB]; // from the start
    LLVMValueRef start;
    unsigned count;
};

// Of which operand's value and by which operand does the step go? False: it is no step.
static bool is_step(const struct weftc_uniformity *u, LLVMValueRef i, unsigned *from, unsigned *by)
{
    *from = 0;
    if (LLVMIsAGetElementPtrInst(i) ? LLVMGetNumOperands(i) != 2 : !LLVMIsABinaryOperator(i))
        return false;
    if (!LLVMIsAGetElementPtrInst(i) && LLVMGetInstructionOpcode(i) != LLVMAdd)
        return false;
    if (!LLVMIsAGetElementPtrInst(i) && weftc_is_uniform(u, LLVMGetOperand(i, 0)))
        *from = 1;
    *by = 1 - *from;
    return !weftc_is_uniform(u, LLVMGetOperand(i, *from)) && weftc_is_uniform(u, LLVMGetOperand(i, *by)) &&
           LLVMTypeOf(LLVMGetOperand(i, *from)) == LLVMTypeOf(i);
}

static unsigned place_of(const struct web *w, LLVMValueRef value)
{
    unsigned k = 0;
    while (k < w->count && w->values[k] != value)
        k++;
    return k;
}

// Adds all that leads to `value`. False: it is no web.
static bool collect(const struct weftc_uniformity *u, LLVMValueRef value, struct web *w)
{
    unsigned from, by;
    if (place_of(w, value) < w->count)
        return true;
    const bool phi = LLVMIsAInstruction(value) && LLVMIsAPHINode(value) && !weftc_is_uniform(u, value);
    if (!phi && !(LLVMIsAInstruction(value) && is_step(u, value, &from, &by))) {
        const bool same = !w->start || w->start == value;
        w->start = value;
        return same;
    }
    if (w->count == MAX_WEB)
        return false;
    w->values[w->count++] = value;
    if (!phi)
        return collect(u, LLVMGetOperand(value, from), w);
    for (unsigned k = 0; k < LLVMCountIncoming(value); k++)
        if (!collect(u, LLVMGetIncomingValue(value, k), w))
            return false;
    return true;
}

static LLVMValueRef offset_of(const struct web *w, LLVMValueRef value, LLVMTypeRef type)
{
    const unsigned k = place_of(w, value);
    return k < w->count ? w->offsets[k] : LLVMConstNull(type);
}

static void position_behind_phis(LLVMBuilderRef b, LLVMBasicBlockRef block)
{
    LLVMValueRef at = LLVMGetFirstInstruction(block);
    while (LLVMIsAPHINode(at))
        at = LLVMGetNextInstruction(at);
    LLVMPositionBuilderBefore(b, at);
}

static LLVMValueRef build_step(LLVMBuilderRef b, const struct weftc_splitter *s, const struct web *w,
                               LLVMValueRef step, unsigned from, unsigned by, LLVMTypeRef type)
{
    LLVMValueRef n = LLVMGetOperand(step, by), before = offset_of(w, LLVMGetOperand(step, from), type);
    LLVMPositionBuilderBefore(b, step);
    if (LLVMIsAGetElementPtrInst(step)) {
        const uint64_t size = LLVMABISizeOfType(s->layout, LLVMGetGEPSourceElementType(step));
        n = LLVMBuildIntCast2(b, n, type, true, "");
        n = LLVMBuildMul(b, n, LLVMConstInt(type, size, false), "");
    }
    return LLVMBuildAdd(b, before, n, "");
}

// Makes the offsets. A step may come before the one that it continues, so PHIs are made first, and a step
// once what it continues has been.
static void build_offsets(LLVMBuilderRef b, const struct weftc_splitter *s, const struct weftc_uniformity *u,
                          struct web *w, LLVMTypeRef type)
{
    for (unsigned k = 0; k < w->count; k++) {
        w->offsets[k] = NULL;
        if (!LLVMIsAPHINode(w->values[k]))
            continue;
        LLVMPositionBuilderBefore(b, w->values[k]);
        w->offsets[k] = LLVMBuildPhi(b, type, "");
    }
    for (bool more = true; more;) {
        more = false;
        for (unsigned k = 0; k < w->count; k++) {
            unsigned from, by;
            if (w->offsets[k] || !is_step(u, w->values[k], &from, &by))
                continue;
            if (offset_of(w, LLVMGetOperand(w->values[k], from), type)) {
                w->offsets[k] = build_step(b, s, w, w->values[k], from, by, type);
                more = true;
            }
        }
    }
    for (unsigned k = 0; k < w->count; k++) {
        LLVMValueRef phi = w->values[k];
        for (unsigned n = 0; LLVMIsAPHINode(phi) && n < LLVMCountIncoming(phi); n++) {
            LLVMValueRef offset = offset_of(w, LLVMGetIncomingValue(phi, n), type);
            LLVMBasicBlockRef block = LLVMGetIncomingBlock(phi, n);
            LLVMAddIncoming(w->offsets[k], &offset, &block, 1);
        }
    }
}

// Replaces each value of the web by start + offset, which is computed in each block that uses it.
static weft_status replace(LLVMBuilderRef b, struct web *w, LLVMTypeRef type)
{
    LLVMTypeRef i8 = LLVMInt8TypeInContext(LLVMGetTypeContext(type));
    LLVMValueRef sums[MAX_WEB];
    for (unsigned k = 0; k < w->count; k++) {
        LLVMValueRef value = w->values[k];
        if (LLVMIsAPHINode(value))
            position_behind_phis(b, LLVMGetInstructionParent(value));
        else
            LLVMPositionBuilderBefore(b, value);
        LLVMValueRef start = weftc_remat_here(b, w->start);
        sums[k] = LLVMGetTypeKind(LLVMTypeOf(value)) == LLVMPointerTypeKind
                      ? LLVMBuildGEP2(b, i8, start, &w->offsets[k], 1, "")
                      : LLVMBuildAdd(b, start, w->offsets[k], "");
    }
    for (unsigned k = 0; k < w->count; k++)
        LLVMReplaceAllUsesWith(w->values[k], sums[k]);
    // They use the sums of each other now, for the last time.
    for (unsigned k = 0; k < w->count; k++)
        LLVMInstructionEraseFromParent(w->values[k]);
    weft_status status = WEFT_OK;
    for (unsigned k = 0; k < w->count && status == WEFT_OK; k++) {
        if (LLVMIsAInstruction(sums[k]) && LLVMGetFirstUse(sums[k]))
            status = weftc_remat(sums[k], false);
        if (LLVMIsAInstruction(sums[k]) && !LLVMGetFirstUse(sums[k]))
            LLVMInstructionEraseFromParent(sums[k]);
    }
    return status;
}

// Is one of the web's values live across a barrier?
static bool crosses(const struct weftc_splitter *s, struct weftc_walk *walk, const struct web *w,
                    struct weftc_barrier_sets *scratch)
{
    for (unsigned k = 0; k < w->count; k++)
        if (weftc_live_across(&s->g, walk, w->values[k], scratch, 0))
            return true;
    return false;
}

// The PHI of a web that pays; NULL: there is none.
static LLVMValueRef find(const struct weftc_splitter *s, const struct weftc_uniformity *u,
                         struct weftc_walk *walk, struct weftc_barrier_sets *scratch, struct web *w)
{
    for (uint32_t n = 0; n < s->g.block_count; n++) {
        for (LLVMValueRef i = LLVMGetFirstInstruction(s->g.blocks[n].block); i && LLVMIsAPHINode(i);
             i = LLVMGetNextInstruction(i)) {
            const LLVMTypeKind kind = LLVMGetTypeKind(LLVMTypeOf(i));
            w->count = 0;
            w->start = NULL;
            if ((kind == LLVMPointerTypeKind || kind == LLVMIntegerTypeKind) && !weftc_is_uniform(u, i) &&
                collect(u, i, w) && w->start && !weftc_is_uniform(u, w->start) && w->count > 1 &&
                weftc_remat_pays(u, w->start) && crosses(s, walk, w, scratch))
                return i;
        }
    }
    return NULL;
}

weft_status weftc_split_inductions(const struct weftc_splitter *s, const struct weftc_uniformity *u,
                                   bool *changed)
{
    struct weftc_walk walk;
    struct weftc_barrier_sets scratch = {.words = (s->g.barrier_count + 63) / 64};
    struct web w;
    *changed = false;
    if (u->everything || s->g.barrier_count == 0)
        return WEFT_OK;
    scratch.bits = weft_alloc_array(scratch.words, sizeof *scratch.bits);
    weft_status status = weftc_walk_init(&walk, &s->g);
    LLVMBuilderRef b = LLVMCreateBuilderInContext(s->g.context);
    if (!scratch.bits)
        status = WEFT_NO_MEMORY;
    // What is made is no web any more: a sum isn't a PHI, and its offset is uniform.
    while (status == WEFT_OK && find(s, u, &walk, &scratch, &w)) {
        LLVMTypeRef own = LLVMTypeOf(w.start);
        const bool pointer = LLVMGetTypeKind(own) == LLVMPointerTypeKind;
        LLVMTypeRef type = pointer ? LLVMInt64TypeInContext(s->g.context) : own;
        build_offsets(b, s, u, &w, type);
        status = replace(b, &w, type);
        *changed = true;
    }
    LLVMDisposeBuilder(b);
    weftc_walk_fini(&walk);
    weft_free(scratch.bits);
    return status;
}
