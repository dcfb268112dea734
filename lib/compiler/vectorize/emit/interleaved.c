// Accesses of interleave groups (vectorize/access/groups.c) whose lanes' segments lie close to each other.
// Each lane's *segment* of memory consists of words. A word is one member, or several small ones that are
// separated by shifts. All memory from the first segment to the last is loaded or stored in whole vectors,
// called *pieces*. Words are taken out of them, or put into them, by shuffles (vectorize/emit/shuffles.c).
//
// Nothing is touched that no active lane owns. What lies between two segments is read only if both lanes are
// active. What lies after the last member of a segment is read only within an aligned word that begins with
// the segment's own bytes.
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <llvm-c/Core.h>

#include "compiler/ir/llvm_helpers.h"
#include "compiler/vectorize/access/access.h"
#include "compiler/vectorize/emit/emit.h"
#include "compiler/vectorize/emit/interleaved.h"

// ---- members and words ----

static LLVMValueRef as_integers(struct weftc_emission *em, LLVMValueRef vector, uint32_t bytes)
{
    LLVMTypeRef type = LLVMVectorType(weftc_words_type(em, bytes), em->v->lanes);
    return LLVMTypeOf(vector) == type ? vector : LLVMBuildBitCast(em->b, vector, type, "");
}

static LLVMValueRef splat_of(struct weftc_emission *em, LLVMTypeRef integer, uint64_t value)
{
    return weftc_vec_splat(em, em->b, LLVMConstInt(integer, value, false));
}

void weftc_group_set_members(struct weftc_emission *em, const struct weftc_vec_group *g,
                             const struct weftc_group_segment *segment)
{
    const uint32_t word = g->plan.word;
    for (uint32_t k = 0; k < g->count; k++) {
        LLVMValueRef value = segment->words[g->offsets[k] / word];
        uint64_t shift = 8 * (g->offsets[k] % word);
        if (shift)
            value = LLVMBuildLShr(em->b, value, splat_of(em, weftc_words_type(em, word), shift), "");
        if (word > g->element)
            value = LLVMBuildTrunc(em->b, value,
                                   LLVMVectorType(weftc_words_type(em, g->element), em->v->lanes), "");
        LLVMTypeRef type = weftc_vec_type(em, LLVMTypeOf(g->members[k]));
        if (LLVMTypeOf(value) != type)
            value = LLVMBuildBitCast(em->b, value, type, "");
        weftc_vec_set_vector(em, g->members[k], value);
    }
}

void weftc_group_get_members(struct weftc_emission *em, const struct weftc_vec_group *g,
                             struct weftc_group_segment *segment)
{
    const uint32_t word = g->plan.word;
    LLVMTypeRef type = weftc_words_type(em, word), wide = LLVMVectorType(type, em->v->lanes);
    for (uint32_t k = 0; k < g->count; k++) {
        LLVMValueRef value = weftc_vec_vector(em, LLVMGetOperand(g->members[k], 0));
        value = as_integers(em, value, g->element);
        LLVMValueRef *to = &segment->words[g->offsets[k] / word];
        uint64_t shift = 8 * (g->offsets[k] % word);
        // A member that nobody has set is poison, and must not make the others poison.
        if (word > g->element)
            value = LLVMBuildZExt(em->b, LLVMBuildFreeze(em->b, value, ""), wide, "");
        if (shift)
            value = LLVMBuildShl(em->b, value, splat_of(em, type, shift), "");
        *to = *to ? LLVMBuildOr(em->b, *to, value, "") : value;
    }
}

// ---- memory ----

// Which elements of piece p may be touched; NULL: all. *none: none is needed. What lies between two segments
// may be read; it is never written.
static LLVMValueRef piece_mask(struct weftc_emission *em, const struct weftc_vec_plan *plan, unsigned p,
                               bool store, bool *none)
{
    bool holes = store && plan->words < plan->stride;
    LLVMTypeRef i1 = LLVMInt1TypeInContext(em->c);
    LLVMValueRef mask = weftc_vec_mask(em), elements[WEFTC_MAX_LANES];
    unsigned end = (em->v->lanes - 1) * plan->stride + plan->words; // after the last segment
    *none = p * em->v->lanes >= end;
    if (mask) {
        if (plan->stride == 1)
            return mask;
        int at[WEFTC_MAX_LANES];
        for (unsigned k = 0; k < em->v->lanes; k++) {
            unsigned flat = p * em->v->lanes + k;
            at[k] = (int)(flat % plan->stride < plan->words ? flat / plan->stride : em->v->lanes);
        }
        return weftc_words_shuffle(em, mask, LLVMConstNull(LLVMTypeOf(mask)), at, em->v->lanes);
    }
    if ((p + 1) * em->v->lanes <= end && !holes)
        return NULL;
    for (unsigned k = 0; k < em->v->lanes; k++) {
        unsigned flat = p * em->v->lanes + k;
        bool touched = flat < end && (!holes || flat % plan->stride < plan->words);
        elements[k] = LLVMConstInt(i1, touched, false);
    }
    return LLVMConstVector(elements, em->v->lanes);
}

// The address of lane 0's segment.
static LLVMValueRef near_base(struct weftc_emission *em, const struct weftc_vec_group *g)
{
    LLVMValueRef pointer = weftc_vec_scalar(em, weftc_vec_pointer(weftc_vec_insert_position(g)));
    return weftc_group_at(em, pointer, 0 - weftc_group_insert_offset(g));
}

uint64_t weftc_group_wanted(const struct weftc_vec_group *g)
{
    uint64_t wanted = 0;
    for (uint32_t k = 0; k < g->count; k++)
        wanted |= 1ull << (g->offsets[k] / g->plan.word);
    return wanted;
}

// Loads all memory from lane 0's segment to the last lane's.
static void load_pieces(struct weftc_emission *em, const struct weftc_vec_group *g, LLVMValueRef *pieces)
{
    const struct weftc_vec_plan *plan = &g->plan;
    LLVMTypeRef type = LLVMVectorType(weftc_words_type(em, plan->word), em->v->lanes);
    LLVMValueRef base = near_base(em, g);
    for (unsigned p = 0; p < plan->stride; p++) {
        bool none;
        uint64_t bytes = (uint64_t)p * em->v->lanes * plan->word;
        LLVMValueRef mask = piece_mask(em, plan, p, false, &none), place = weftc_group_at(em, base, bytes);
        unsigned align = weftc_group_align(g, bytes);
        if (none) {
            pieces[p] = LLVMGetPoison(type);
            continue;
        }
        if (mask) {
            LLVMValueRef arguments[] = {place, weftc_i32(em->c, align), mask, LLVMGetPoison(type)};
            pieces[p] = weftc_group_masked(em, "llvm.masked.load", type, LLVMTypeOf(place), arguments);
        } else {
            pieces[p] = LLVMBuildLoad2(em->b, type, place, "");
            LLVMSetAlignment(pieces[p], align);
        }
        weftc_group_describe(pieces[p], g);
    }
}

// base: what near_base returns.
static void store_pieces(struct weftc_emission *em, const struct weftc_vec_group *g, LLVMValueRef base,
                         LLVMValueRef *pieces)
{
    const struct weftc_vec_plan *plan = &g->plan;
    uint64_t piece = (uint64_t)em->v->lanes * plan->word;
    struct weftc_vec_fork fork;
    unsigned ways = weftc_vec_fork(em, weftc_vec_insert_position(g), base, &fork);
    for (unsigned way = 0; way < ways; way++) {
        weftc_vec_take(em, &fork, way);
        for (unsigned p = 0; p < plan->stride; p++) {
            bool none;
            LLVMValueRef mask = piece_mask(em, plan, p, true, &none),
                         place = weftc_group_at(em, base, p * piece), store;
            unsigned align = weftc_group_align(g, p * piece);
            if (none)
                continue;
            if (mask) {
                LLVMValueRef arguments[] = {pieces[p], place, weftc_i32(em->c, align), mask};
                store = weftc_group_masked(em, "llvm.masked.store", LLVMTypeOf(pieces[p]), LLVMTypeOf(place),
                                           arguments);
            } else {
                store = LLVMBuildStore(em->b, pieces[p], place);
                LLVMSetAlignment(store, align);
            }
            weftc_group_describe(store, g);
            weftc_vec_mark_store(em, &fork, way, store);
        }
    }
    weftc_vec_join(em, &fork);
}

// ---- the accesses ----

void weftc_vec_in_order_load(struct weftc_emission *em, LLVMValueRef i)
{
    const struct weftc_vec_group *g = weftc_vec_access(em->v, i)->group;
    struct weftc_group_segment segment = {{NULL}};
    load_pieces(em, g, segment.words);
    weftc_group_set_members(em, g, &segment);
}

void weftc_vec_in_order_store(struct weftc_emission *em, LLVMValueRef i)
{
    const struct weftc_vec_group *g = weftc_vec_access(em->v, i)->group;
    struct weftc_group_segment segment = {{NULL}};
    weftc_group_get_members(em, g, &segment);
    store_pieces(em, g, near_base(em, g), segment.words);
}

void weftc_vec_interleaved_load(struct weftc_emission *em, LLVMValueRef i)
{
    const struct weftc_vec_group *g = weftc_vec_access(em->v, i)->group;
    struct weftc_group_segment segment = {{NULL}};
    LLVMValueRef pieces[WEFTC_MAX_PIECES] = {NULL};
    load_pieces(em, g, pieces);
    weftc_words_apart(em, pieces, g->plan.stride, weftc_group_wanted(g), segment.words);
    weftc_group_set_members(em, g, &segment);
}

void weftc_vec_interleaved_store(struct weftc_emission *em, LLVMValueRef i)
{
    const struct weftc_vec_group *g = weftc_vec_access(em->v, i)->group;
    struct weftc_group_segment segment = {{NULL}};
    LLVMValueRef pieces[WEFTC_MAX_PIECES];
    weftc_group_get_members(em, g, &segment);
    LLVMValueRef base = near_base(em, g);
    for (unsigned j = g->plan.words; j < g->plan.stride; j++)
        segment.words[j] = LLVMGetPoison(LLVMTypeOf(segment.words[0]));
    weftc_words_together(em, segment.words, g->plan.stride, pieces);
    store_pieces(em, g, base, pieces);
}
