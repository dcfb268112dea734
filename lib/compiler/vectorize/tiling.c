// Should work-items run in tiles of two dimensions? A transposition,
//
//     out[x * n + y] = in[y * n + x];
//
// stores one element to as many cache lines as there are x, before it comes to the next y. By then the first
// line has left the cache. In tiles, a line is filled while it is there.
//
// If that is so for all accesses, lanes are better along dimension 1, which is a code variant (ADR 7):
//
//     a[x * n + y] -= m[x * n] * a[y];
//
// So where an access is scattered along dimension 0, its shape along dimension 1 is found, too: in a copy of
// the region in which the two dimensions are swapped. workitem_loops/ builds the nest of loops; there the
// kernel must be group-shape independent.
#include <llvm-c/Core.h>
#include <llvm-c/Target.h>

#include "base/base.h"
#include "compiler/bridge/vectorize.h"
#include "compiler/ir/primitives.h"
#include "compiler/prepare/prepare.h"
#include "compiler/shapes/shapes.h"
#include "compiler/vectorize/access/access.h"
#include "compiler/vectorize/vectorize.h"

static bool is_access(LLVMValueRef i)
{
    return LLVMIsALoadInst(i) || LLVMIsAStoreInst(i);
}

// Lists the accesses in the order of the function, which is the same in its copy. list may be NULL. Returns
// how many there are.
static size_t list_accesses(LLVMValueRef f, LLVMValueRef *list)
{
    size_t count = 0;
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b))
        for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
            if (is_access(i)) {
                if (list)
                    list[count] = i;
                count++;
            }
    return count;
}

static bool is_consecutive(const struct weftc_vec *v, LLVMValueRef i)
{
    const enum weftc_access_kind kind = weftc_access_by_itself(v, i);
    return kind == WEFTC_ACCESS_CONSECUTIVE || kind == WEFTC_ACCESS_WRAP_GUARDED;
}

// As far as is known, is nothing in the cache line that this lane accesses accessed by another lane?
static bool is_far(const struct weftc_vec *v, LLVMValueRef i)
{
    struct weftc_shape pointer = weftc_vec_shape(v, LLVMGetOperand(i, LLVMIsALoadInst(i) ? 0 : 1));
    enum { LINE = 64 };
    return weftc_access_by_itself(v, i) == WEFTC_ACCESS_GATHER &&
           (pointer.kind == WEFTC_VARYING || pointer.stride >= LINE || pointer.stride <= -LINE);
}

// Do lanes that follow each other access the same cache line as a rule? So it is with the members of pixels.
static bool is_near(const struct weftc_vec *v, LLVMValueRef i)
{
    struct weftc_shape pointer = weftc_vec_shape(v, LLVMGetOperand(i, LLVMIsALoadInst(i) ? 0 : 1));
    enum { NEAR = 32 };
    return is_consecutive(v, i) || (pointer.kind == WEFTC_STRIDED && pointer.stride != 0 &&
                                    pointer.stride >= -NEAR && pointer.stride <= NEAR);
}

static bool asks_for_dimension_1(LLVMValueRef f)
{
    struct weftc_primitive_call at = {0};
    while (weftc_next_primitive(f, &at))
        if (at.dim == 1 && weftc_primitive_varies(at.primitive))
            return true;
    return false;
}

weft_status weftc_vec_tiles(const struct weftc_shapes *s, struct weftc_vec_tiling *tiling)
{
    LLVMValueRef f = s->flow.function;
    const struct weftc_vec v = {
        .s = (struct weftc_shapes *)s, .lanes = s->lanes, .permutes = weftc_vec_permuted(s->flow.function)};
    size_t count = list_accesses(f, NULL), far = 0;
    *tiling = (struct weftc_vec_tiling){.bound = count > 0};
    if (!asks_for_dimension_1(f))
        return WEFT_OK;
    LLVMValueRef *accesses = weft_alloc_array(2 * count + 1, sizeof(LLVMValueRef));
    if (!accesses)
        return WEFT_NO_MEMORY;
    list_accesses(f, accesses);
    for (size_t k = 0; k < count; k++)
        far += is_far(&v, accesses[k]);
    weft_status status = WEFT_OK;
    if (far > 0) {
        LLVMValueRef copy = weftc_bridge_clone_function(f, "");
        weftc_prepare_swap_dimensions(copy, 1);
        struct weftc_shapes swapped;
        status = weftc_shapes_init(&swapped, copy, s->lanes, false);
        const struct weftc_vec w = {.s = &swapped, .lanes = s->lanes};
        if (list_accesses(copy, accesses + count) != count)
            status = WEFT_INTERNAL;
        bool consecutive = false;
        for (size_t k = 0; k < count && status == WEFT_OK; k++) {
            const bool is_scattered = is_far(&v, accesses[k]);
            tiling->tiles |= is_scattered && is_near(&w, accesses[count + k]);
            consecutive |= is_scattered && is_consecutive(&w, accesses[count + k]);
        }
        tiling->bound = status != WEFT_OK;
        for (size_t k = 0; k < count && status == WEFT_OK; k++)
            tiling->bound |= !is_far(&v, accesses[k]) && is_far(&w, accesses[count + k]);
        tiling->swap_dimensions = consecutive && !tiling->bound;
        weftc_shapes_fini(&swapped);
        LLVMDeleteFunction(copy);
        if (status == WEFT_UNSUPPORTED)
            status = WEFT_OK;
    }
    weft_free(accesses);
    return status;
}
