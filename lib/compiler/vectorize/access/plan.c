// Decides how the memory of a group (vectorize/access/groups.c) is accessed: in whole vectors that are
// shuffled, each lane's segment for itself, in a permute window, or each member by a gather or scatter.
#include <stdbool.h>
#include <stdint.h>

#include <llvm-c/Core.h>

#include "base/base.h"
#include "compiler/arch/target.h"
#include "compiler/bridge/vectorize.h"
#include "compiler/ir/llvm_helpers.h"
#include "compiler/ir/primitives.h"
#include "compiler/shapes/shapes.h"
#include "compiler/vectorize/access/access.h"
#include "compiler/vectorize/access/windows.h"

// The largest word that consists of whole members, divides `distance`, and needs no bytes outside of the
// segment.
static uint32_t choose_word(const struct weftc_vec_group *g, uint64_t distance)
{
    if (g->element >= 4)
        return g->element;
    uint32_t word = 4;
    while (word > g->element &&
           (distance % word != 0 || (g->span % word != 0 && (g->store || g->align < word))))
        word /= 2;
    return word;
}

static bool block_is_full(const struct weftc_vec *v, LLVMValueRef i)
{
    const struct weftc_flow *g = &v->s->flow;
    return g->blocks[weftc_flow_block_of(g, LLVMGetInstructionParent(i))].full;
}

static bool plan_near(const struct weftc_vec *v, const struct weftc_vec_group *g, bool full,
                      struct weftc_vec_plan *plan)
{
    struct weftc_shape pointer = weftc_vec_shape(v, weftc_vec_pointer(weftc_vec_insert_position(g)));
    if (pointer.kind != WEFTC_STRIDED && !pointer.wrap_guarded)
        return false;
    const bool backwards = pointer.stride < 0;
    const uint64_t distance = backwards ? 0 - (uint64_t)pointer.stride : (uint64_t)pointer.stride;
    if (distance < g->span)
        return false;
    uint32_t word = choose_word(g, distance);
    if (distance % word != 0 || distance / word > WEFTC_MAX_PIECES)
        return false;
    uint32_t stride = (uint32_t)(distance / word), words = (uint32_t)((g->span + word - 1) / word);
    // Masks of small words are slow on all but the newest machines.
    const bool narrow = stride > 1 && word < 4, whole = (narrow && !full) || pointer.wrap_guarded;
    if (narrow && ((words < stride && g->store) || (!full && !g->store && !weftc_vec_fits_aligned(v, g))))
        return false;
    bool few = stride <= 4 || 2 * words >= stride;
    if (!few || (!weftc_is_power(stride) && stride > 7))
        return false;
    *plan = (struct weftc_vec_plan){word, words, stride, whole, backwards};
    return true;
}

// Is the memory private? Its addresses are the compiler's to choose, and it may look through accesses to it.
static bool is_private(LLVMValueRef pointer)
{
    while (LLVMIsAGetElementPtrInst(pointer))
        pointer = LLVMGetOperand(pointer, 0);
    return LLVMIsAAllocaInst(pointer) != NULL;
}

bool weftc_vec_fits_aligned(const struct weftc_vec *v, const struct weftc_vec_group *g)
{
    return !g->store && g->element < 4 && g->span < 4 && (v->permutes & WEFTC_PERMUTES_MEMORY) &&
           !is_private(weftc_vec_pointer(weftc_vec_insert_position(g)));
}

// Is the group's memory accessed in a permute window?
static bool plan_window(struct weftc_vec *v, struct weftc_vec_group *g, bool full)
{
    struct weftc_window w;
    if (!weftc_vec_plan_permute_window(v, g, full, &g->plan, &w))
        return false;
    g->window = weft_memdup(&w, sizeof w);
    if (!g->window)
        v->no_memory = true;
    return g->window != NULL;
}

void weftc_vec_plan_group(struct weftc_vec *v, struct weftc_vec_group *g)
{
    const bool full = block_is_full(v, weftc_vec_insert_position(g));
    const struct weftc_vec_plan by_itself = {.word = g->element, .words = 1};
    g->kind = WEFTC_ACCESS_GATHER;
    g->plan = by_itself;
    if (g->in_order) {
        g->kind = WEFTC_ACCESS_IN_ORDER;
        g->plan = (struct weftc_vec_plan){.word = g->element, .words = g->count, .stride = g->count};
        return;
    }
    // so many shuffles cost more than they save
    if (g->span > WEFTC_USUAL_SPAN && g->count > WEFTC_MAX_MEMBERS / 2)
        return;
    if (plan_near(v, g, full, &g->plan)) {
        g->kind = WEFTC_ACCESS_INTERLEAVED;
        return;
    }
    if (plan_window(v, g, full)) {
        g->kind = WEFTC_ACCESS_WINDOWED;
        return;
    }
    g->plan = by_itself;
    uint32_t word = choose_word(g, 0), words = (uint32_t)((g->span + word - 1) / word);
    if (word < 4 && weftc_vec_fits_aligned(v, g)) {
        g->kind = WEFTC_ACCESS_ALIGNED;
        g->plan = (struct weftc_vec_plan){.word = 4, .words = 1, .stride = g->span > g->align};
        return;
    }
    bool one = words == 1 && word >= 4; // gather and scatter have this size
    if (words > WEFTC_MAX_PIECES || (one && g->count == 1 && !(g->store && full)) ||
        (g->store && !full && !one))
        return;
    g->kind = WEFTC_ACCESS_PER_LANE;
    g->plan = (struct weftc_vec_plan){.word = word, .words = words};
}
