// Accesses of interleave groups (vectorize/access/groups.c) whose lanes' segments lie close to each other.
// Each lane's *segment* of memory consists of words. A word is one member, or several small ones that are
// separated by shifts. All memory from the first segment to the last is loaded or stored in whole vectors,
// called *pieces*. Words are taken out of them, or put into them, by shuffles (vectorize/emit/shuffles.c).
//
// Nothing is touched that no active lane owns. What lies between two segments is read only if both lanes are
// active. What lies after the last member of a segment is read only within an aligned word, or an aligned
// segment, that begins with the segment's own bytes: it is in the same page.
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <llvm-c/Core.h>

#include "compiler/bridge/vectorize.h"
#include "compiler/ir/llvm_helpers.h"
#include "compiler/vectorize/access/access.h"
#include "compiler/vectorize/emit/emit.h"
#include "compiler/vectorize/emit/interleaved.h"

// ---- memory ----

// May a load take a segment with what lies after its last member?
static bool reads_whole_segments(const struct weftc_vec_group *g)
{
    const uint64_t bytes = (uint64_t)g->plan.stride * g->plan.word;
    return (bytes & (bytes - 1)) == 0 && weftc_group_align(g, 0) >= bytes;
}

// Which elements of piece p may be touched by the lanes in the mask; NULL: all. *none: none is needed. What
// lies between two segments may be read; it is never written.
static LLVMValueRef piece_mask(struct weftc_emission *em, const struct weftc_vec_group *g, unsigned p,
                               LLVMValueRef mask, bool store, bool *none)
{
    const struct weftc_vec_plan *plan = &g->plan;
    const bool holes = store && plan->words < plan->stride, whole = !store && reads_whole_segments(g);
    LLVMTypeRef i1 = LLVMInt1TypeInContext(em->c);
    LLVMValueRef elements[WEFTC_MAX_LANES];
    const unsigned words = whole ? plan->stride : plan->words;
    const unsigned end = (em->v->lanes - 1) * plan->stride + words; // after the last segment
    *none = p * em->v->lanes >= end;
    if (mask) {
        if (plan->stride == 1)
            return mask;
        int at[WEFTC_MAX_LANES];
        for (unsigned k = 0; k < em->v->lanes; k++) {
            unsigned flat = p * em->v->lanes + k;
            at[k] = (int)(flat % plan->stride < words ? flat / plan->stride : em->v->lanes);
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

// The lowest address of all segments, where `at` is that of lane 0's member at the insert position.
static LLVMValueRef lowest(struct weftc_emission *em, const struct weftc_vec_group *g, LLVMValueRef at)
{
    const struct weftc_vec_plan *plan = &g->plan;
    const uint64_t others = plan->backwards ? (uint64_t)(em->v->lanes - 1) * plan->stride * plan->word : 0;
    return weftc_group_at(em, at, 0 - others - weftc_group_insert_offset(g));
}

static LLVMValueRef near_base(struct weftc_emission *em, const struct weftc_vec_group *g)
{
    return lowest(em, g, weftc_vec_scalar(em, weftc_vec_pointer(weftc_vec_insert_position(g))));
}

// Puts what is in the order of lanes into that of memory, or the other way round.
static void turn(struct weftc_emission *em, const struct weftc_vec_group *g, LLVMValueRef *vectors,
                 unsigned count)
{
    for (unsigned k = 0; k < count && g->plan.backwards; k++)
        if (vectors[k])
            vectors[k] = weftc_vec_reversed(em, vectors[k]);
}

uint64_t weftc_group_wanted(const struct weftc_vec_group *g)
{
    uint64_t wanted = 0;
    for (uint32_t k = 0; k < g->count; k++)
        wanted |= 1ull << (g->offsets[k] / g->plan.word);
    return wanted;
}

// The last piece, which goes on behind the last lane's segment. Small words can't be loaded under a mask, so
// the vector that ends with the segment is loaded and moved.
static LLVMValueRef last_piece(struct weftc_emission *em, const struct weftc_vec_group *g, LLVMValueRef base,
                               unsigned p)
{
    const struct weftc_vec_plan *plan = &g->plan;
    LLVMTypeRef type = LLVMVectorType(weftc_words_type(em, plan->word), em->v->lanes);
    const unsigned first = (em->v->lanes - 1) * plan->stride + plan->words - em->v->lanes;
    const uint64_t bytes = (uint64_t)first * plan->word;
    LLVMValueRef load = LLVMBuildLoad2(em->b, type, weftc_group_at(em, base, bytes), "");
    LLVMSetAlignment(load, weftc_group_align(g, bytes));
    weftc_group_describe(load, g);
    int at[WEFTC_MAX_LANES];
    for (unsigned k = 0; k < em->v->lanes; k++) {
        const unsigned from = p * em->v->lanes + k - first;
        at[k] = from < em->v->lanes ? (int)from : -1;
    }
    return weftc_words_shuffle(em, load, NULL, at, em->v->lanes);
}

// Loads all memory from lane 0's segment to the last lane's. base: what near_base returns.
static void load_pieces(struct weftc_emission *em, const struct weftc_vec_group *g, LLVMValueRef base,
                        LLVMValueRef lanes, LLVMValueRef *pieces)
{
    const struct weftc_vec_plan *plan = &g->plan;
    LLVMTypeRef type = LLVMVectorType(weftc_words_type(em, plan->word), em->v->lanes);
    for (unsigned p = 0; p < plan->stride; p++) {
        bool none;
        uint64_t bytes = (uint64_t)p * em->v->lanes * plan->word;
        LLVMValueRef mask = piece_mask(em, g, p, lanes, false, &none),
                     place = weftc_group_at(em, base, bytes);
        unsigned align = weftc_group_align(g, bytes);
        if (none) {
            pieces[p] = LLVMGetPoison(type);
            continue;
        }
        if (mask && plan->word < 4 && !lanes) {
            pieces[p] = last_piece(em, g, base, p);
            continue;
        }
        if (mask) {
            LLVMValueRef arguments[] = {place, weftc_i32(em->c, align), mask, LLVMGetPoison(type)};
            pieces[p] =
                weftc_bridge_masked_access(em->b, "llvm.masked.load", type, LLVMTypeOf(place), arguments);
        } else {
            pieces[p] = LLVMBuildLoad2(em->b, type, place, "");
            LLVMSetAlignment(pieces[p], align);
        }
        weftc_group_describe(pieces[p], g);
    }
}

// base: what near_base returns.
static void store_pieces(struct weftc_emission *em, const struct weftc_vec_group *g, LLVMValueRef base,
                         LLVMValueRef lanes, LLVMValueRef *pieces)
{
    const struct weftc_vec_plan *plan = &g->plan;
    uint64_t piece = (uint64_t)em->v->lanes * plan->word;
    struct weftc_vec_fork fork;
    unsigned ways = weftc_vec_fork(em, weftc_vec_insert_position(g), base, &fork);
    for (unsigned way = 0; way < ways; way++) {
        weftc_vec_take(em, &fork, way);
        for (unsigned p = 0; p < plan->stride; p++) {
            bool none;
            LLVMValueRef mask = piece_mask(em, g, p, lanes, true, &none),
                         place = weftc_group_at(em, base, p * piece), store;
            unsigned align = weftc_group_align(g, p * piece);
            if (none)
                continue;
            if (mask) {
                LLVMValueRef arguments[] = {pieces[p], place, weftc_i32(em->c, align), mask};
                store = weftc_bridge_masked_access(em->b, "llvm.masked.store", LLVMTypeOf(pieces[p]),
                                                   LLVMTypeOf(place), arguments);
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

// ---- where it is known only when the code runs whether the lanes' segments lie close to each other ----

struct ways {
    LLVMValueRef base; // what near_base returns
    LLVMBasicBlockRef all, some, after;
};

// Leaves the builder in `all`, which runs where all lanes are active and their addresses don't wrap.
static struct ways branch(struct weftc_emission *em, const struct weftc_vec_group *g)
{
    LLVMValueRef i = weftc_vec_insert_position(g), mask = weftc_vec_mask(em), place, fits = NULL;
    struct ways to = {.all = LLVMAppendBasicBlockInContext(em->c, em->to, ""),
                      .some = LLVMAppendBasicBlockInContext(em->c, em->to, ""),
                      .after = LLVMAppendBasicBlockInContext(em->c, em->to, "")};
    if (weftc_vec_shape(em->v, weftc_vec_pointer(i)).wrap_guarded)
        fits = weftc_vec_guard(em, i, weftc_i64(em->c, 0), &place);
    to.base = fits ? lowest(em, g, place) : near_base(em, g);
    if (mask) {
        LLVMValueRef bits = weftc_vec_bits(em, mask);
        LLVMValueRef full = LLVMBuildICmp(em->b, LLVMIntEQ, bits, LLVMConstAllOnes(LLVMTypeOf(bits)), "");
        LLVMTypeRef i1 = LLVMInt1TypeInContext(em->c);
        fits = fits ? LLVMBuildSelect(em->b, full, fits, LLVMConstNull(i1), "") : full;
    }
    LLVMBuildCondBr(em->b, fits, to.all, to.some);
    LLVMPositionBuilderAtEnd(em->b, to.all);
    return to;
}

static LLVMBasicBlockRef leave(struct weftc_emission *em, const struct ways *to, LLVMBasicBlockRef next)
{
    LLVMBasicBlockRef end = LLVMGetInsertBlock(em->b);
    LLVMBuildBr(em->b, to->after);
    LLVMPositionBuilderAtEnd(em->b, next);
    return end;
}

static void near_load(struct weftc_emission *em, const struct weftc_vec_group *g, LLVMValueRef base,
                      LLVMValueRef lanes)
{
    struct weftc_group_segment segment = {{NULL}};
    LLVMValueRef pieces[WEFTC_MAX_PIECES] = {NULL};
    turn(em, g, &lanes, 1);
    load_pieces(em, g, base, lanes, pieces);
    weftc_words_apart(em, pieces, g->plan.stride, weftc_group_wanted(g), segment.words);
    turn(em, g, segment.words, g->plan.words);
    weftc_group_set_members(em, g, &segment);
}

// Gathers member k. Its own address may not be there yet at the insert position.
static void gather_member(struct weftc_emission *em, const struct weftc_vec_group *g, uint32_t k)
{
    LLVMTypeRef type = weftc_vec_type(em, LLVMTypeOf(g->members[k]));
    LLVMValueRef mask = weftc_vec_mask(em),
                 at = weftc_vec_vector(em, weftc_vec_pointer(weftc_vec_insert_position(g)));
    const uint64_t bytes = g->offsets[k] - weftc_group_insert_offset(g);
    LLVMValueRef by = weftc_vec_splat(em, em->b, weftc_i64(em->c, bytes));
    if (bytes)
        at = LLVMBuildGEP2(em->b, LLVMInt8TypeInContext(em->c), at, &by, 1, "");
    LLVMValueRef arguments[] = {at, weftc_i32(em->c, weftc_group_align(g, g->offsets[k])),
                                mask ? mask : weftc_vec_true(em), LLVMGetPoison(type)};
    LLVMValueRef load =
        weftc_bridge_masked_access(em->b, "llvm.masked.gather", type, LLVMTypeOf(at), arguments);
    weftc_group_describe(load, g);
    weftc_vec_set_vector(em, g->members[k], load);
}

static void far_load(struct weftc_emission *em, const struct weftc_vec_group *g)
{
    if (weftc_vec_fits_aligned(em->v, g)) {
        weftc_group_load_aligned(em, g);
        return;
    }
    for (uint32_t k = 0; k < g->count; k++)
        gather_member(em, g, k);
}

static void whole_load(struct weftc_emission *em, const struct weftc_vec_group *g)
{
    const struct ways to = branch(em, g);
    LLVMValueRef loaded[WEFTC_MAX_MEMBERS][2];
    LLVMBasicBlockRef from[2];
    near_load(em, g, to.base, NULL);
    for (uint32_t k = 0; k < g->count; k++)
        loaded[k][0] = weftc_vec_vector(em, g->members[k]);
    from[0] = leave(em, &to, to.some);
    far_load(em, g);
    for (uint32_t k = 0; k < g->count; k++)
        loaded[k][1] = weftc_vec_vector(em, g->members[k]);
    from[1] = leave(em, &to, to.after);
    for (uint32_t k = 0; k < g->count; k++) {
        LLVMValueRef result = LLVMBuildPhi(em->b, LLVMTypeOf(loaded[k][0]), "");
        LLVMAddIncoming(result, loaded[k], from, 2);
        weftc_vec_set_vector(em, g->members[k], result);
    }
}

static void near_store(struct weftc_emission *em, const struct weftc_vec_group *g, LLVMValueRef base,
                       LLVMValueRef lanes)
{
    struct weftc_group_segment segment = {{NULL}};
    LLVMValueRef pieces[WEFTC_MAX_PIECES];
    weftc_group_get_members(em, g, &segment);
    turn(em, g, segment.words, g->plan.words);
    turn(em, g, &lanes, 1);
    for (unsigned j = g->plan.words; j < g->plan.stride; j++)
        segment.words[j] = LLVMGetPoison(LLVMTypeOf(segment.words[0]));
    weftc_words_together(em, segment.words, g->plan.stride, pieces);
    store_pieces(em, g, base, lanes, pieces);
}

static void whole_store(struct weftc_emission *em, const struct weftc_vec_group *g)
{
    const struct ways to = branch(em, g);
    near_store(em, g, to.base, NULL);
    leave(em, &to, to.some);
    for (uint32_t k = 0; k < g->count; k++)
        weftc_vec_scatter(em, g->members[k]);
    leave(em, &to, to.after);
}

// ---- the accesses ----

void weftc_vec_in_order_load(struct weftc_emission *em, LLVMValueRef i)
{
    const struct weftc_vec_group *g = weftc_vec_access(em->v, i)->group;
    struct weftc_group_segment segment = {{NULL}};
    load_pieces(em, g, near_base(em, g), weftc_vec_mask(em), segment.words);
    weftc_group_set_members(em, g, &segment);
}

void weftc_vec_in_order_store(struct weftc_emission *em, LLVMValueRef i)
{
    const struct weftc_vec_group *g = weftc_vec_access(em->v, i)->group;
    struct weftc_group_segment segment = {{NULL}};
    weftc_group_get_members(em, g, &segment);
    store_pieces(em, g, near_base(em, g), weftc_vec_mask(em), segment.words);
}

void weftc_vec_interleaved_load(struct weftc_emission *em, LLVMValueRef i)
{
    const struct weftc_vec_group *g = weftc_vec_access(em->v, i)->group;
    if (g->plan.whole)
        whole_load(em, g);
    else
        near_load(em, g, near_base(em, g), weftc_vec_mask(em));
}

void weftc_vec_interleaved_store(struct weftc_emission *em, LLVMValueRef i)
{
    const struct weftc_vec_group *g = weftc_vec_access(em->v, i)->group;
    if (g->plan.whole)
        whole_store(em, g);
    else
        near_store(em, g, near_base(em, g), weftc_vec_mask(em));
}
