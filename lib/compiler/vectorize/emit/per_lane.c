// Accesses of groups whose lanes' segments lie anywhere: each segment is loaded or stored for itself, in few
// accesses (vectorize/access/plan.c decides when). A segment of one word is gathered or scattered.
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

static uint32_t power_above(uint32_t n)
{
    uint32_t power = 1;
    while (power < n)
        power *= 2;
    return power;
}

// The addresses of all lanes' segments, as a vector. If `safe`, inactive lanes get the address of an active
// one.
static LLVMValueRef segment_addresses(struct weftc_emission *em, const struct weftc_vec_group *g, bool safe)
{
    LLVMValueRef pointer = weftc_vec_pointer(weftc_vec_insert_position(g)), mask = weftc_vec_mask(em);
    LLVMValueRef vector = weftc_vec_vector(em, pointer);
    if (mask && safe) {
        LLVMTypeRef bits = LLVMIntTypeInContext(em->c, em->v->lanes);
        unsigned id = LLVMLookupIntrinsicID("llvm.cttz", strlen("llvm.cttz"));
        LLVMValueRef f = LLVMGetIntrinsicDeclaration(em->module, id, &bits, 1);
        LLVMValueRef arguments[] = {weftc_vec_bits(em, mask),
                                    LLVMConstInt(LLVMInt1TypeInContext(em->c), 1, false)};
        LLVMValueRef first = LLVMBuildCall2(em->b, LLVMGlobalGetValueType(f), f, arguments, 2, "");
        first = LLVMBuildIntCast2(em->b, first, LLVMInt64TypeInContext(em->c), false, "");
        LLVMValueRef lane = weftc_vec_lane(em, pointer, first);
        vector = LLVMBuildSelect(em->b, mask, vector, weftc_vec_splat(em, em->b, lane), "");
    }
    if (weftc_group_insert_offset(g) == 0)
        return vector;
    LLVMValueRef by = weftc_vec_splat(em, em->b, weftc_i64(em->c, 0 - weftc_group_insert_offset(g)));
    return LLVMBuildGEP2(em->b, LLVMInt8TypeInContext(em->c), vector, &by, 1, "");
}

// `vector` with its elements [first, first + count) from `from`, which is a scalar if count is 1.
static LLVMValueRef with_elements(struct weftc_emission *em, LLVMValueRef vector, unsigned size,
                                  LLVMValueRef from, unsigned first, unsigned count)
{
    if (count == 1)
        return LLVMBuildInsertElement(em->b, vector, from, weftc_i64(em->c, first), "");
    int at[WEFTC_MAX_LANES];
    for (unsigned k = 0; k < size; k++)
        at[k] = k < count ? (int)k : -1;
    from = weftc_words_shuffle(em, from, NULL, at, size);
    for (unsigned k = 0; k < size; k++)
        at[k] = (int)(k < first ? k : k - first + size);
    return first ? weftc_words_shuffle(em, vector, from, at, size) : from;
}

// Loads a lane's segment, in as few loads as its number of words has powers of two.
static LLVMValueRef load_segment(struct weftc_emission *em, const struct weftc_vec_group *g,
                                 const struct weftc_vec_plan *plan, LLVMValueRef place)
{
    LLVMTypeRef word = weftc_words_type(em, plan->word);
    unsigned size = power_above(plan->words);
    LLVMValueRef segment = NULL;
    for (unsigned done = 0, chunk; done < plan->words; done += chunk) {
        chunk = size;
        while (chunk > plan->words - done)
            chunk /= 2;
        uint64_t bytes = (uint64_t)done * plan->word;
        LLVMValueRef load = LLVMBuildLoad2(em->b, chunk == 1 ? word : LLVMVectorType(word, chunk),
                                           weftc_group_at(em, place, bytes), "");
        LLVMSetAlignment(load, weftc_group_align(g, bytes));
        weftc_group_describe(load, g);
        if (chunk == size)
            return load;
        if (!segment)
            segment = LLVMGetPoison(LLVMVectorType(word, size));
        segment = with_elements(em, segment, size, load, done, chunk);
    }
    return segment;
}

static void store_segment(struct weftc_emission *em, const struct weftc_vec_group *g,
                          const struct weftc_vec_plan *plan, LLVMValueRef segment, LLVMValueRef place)
{
    unsigned size = power_above(plan->words);
    for (unsigned done = 0, chunk; done < plan->words; done += chunk) {
        chunk = size;
        while (chunk > plan->words - done)
            chunk /= 2;
        LLVMValueRef value = segment;
        if (chunk == 1 && size > 1) {
            value = LLVMBuildExtractElement(em->b, segment, weftc_i64(em->c, done), "");
        } else if (chunk < size) {
            int at[WEFTC_MAX_LANES];
            for (unsigned k = 0; k < chunk; k++)
                at[k] = (int)(done + k);
            value = weftc_words_shuffle(em, segment, NULL, at, chunk);
        }
        uint64_t bytes = (uint64_t)done * plan->word;
        LLVMValueRef store = LLVMBuildStore(em->b, value, weftc_group_at(em, place, bytes));
        LLVMSetAlignment(store, weftc_group_align(g, bytes));
        weftc_group_describe(store, g);
    }
}

static LLVMValueRef joined(struct weftc_emission *em, LLVMValueRef a, LLVMValueRef b, unsigned each)
{
    int at[WEFTC_MAX_LANES];
    for (unsigned k = 0; k < 2 * each; k++)
        at[k] = (int)k;
    return weftc_words_shuffle(em, a, b, at, 2 * each);
}

static LLVMValueRef lane_place(struct weftc_emission *em, const struct weftc_vec_group *g,
                               LLVMValueRef addresses, unsigned lane)
{
    if (addresses)
        return LLVMBuildExtractElement(em->b, addresses, weftc_i64(em->c, lane), "");
    LLVMValueRef place = weftc_vec_lane_address(em, weftc_vec_pointer(weftc_vec_insert_position(g)), lane);
    return weftc_group_at(em, place, 0 - weftc_group_insert_offset(g));
}

void weftc_group_load_lanes(struct weftc_emission *em, const struct weftc_vec_group *g, uint64_t wanted,
                            struct weftc_group_segment *segment)
{
    const struct weftc_vec_plan *plan = &g->plan;
    LLVMTypeRef word = weftc_words_type(em, plan->word), type = LLVMVectorType(word, em->v->lanes);
    unsigned size = power_above(plan->words), lanes = em->v->lanes;
    LLVMValueRef mask = weftc_vec_mask(em), segments[WEFTC_MAX_LANES], pieces[WEFTC_MAX_PIECES];
    if (plan->words == 1 && plan->word >= 4) {
        LLVMValueRef addresses = segment_addresses(em, g, false);
        LLVMValueRef arguments[] = {addresses, weftc_i32(em->c, g->align), mask ? mask : weftc_vec_true(em),
                                    LLVMGetPoison(type)};
        segment->words[0] =
            weftc_bridge_masked_access(em->b, "llvm.masked.gather", type, LLVMTypeOf(addresses), arguments);
        weftc_group_describe(segment->words[0], g);
        return;
    }
    LLVMValueRef addresses = mask ? segment_addresses(em, g, true) : NULL;
    for (unsigned k = 0; k < lanes; k++)
        segments[k] = load_segment(em, g, plan, lane_place(em, g, addresses, k));
    if (size == 1) {
        LLVMValueRef all = LLVMGetPoison(type);
        for (unsigned k = 0; k < lanes; k++)
            all = LLVMBuildInsertElement(em->b, all, segments[k], weftc_i64(em->c, k), "");
        segment->words[0] = all;
        return;
    }
    if (size > lanes) { // a segment is several pieces
        int at[WEFTC_MAX_LANES];
        for (unsigned p = 0; p < size; p++) {
            for (unsigned k = 0; k < lanes; k++)
                at[k] = (int)(p * lanes % size + k);
            pieces[p] = weftc_words_shuffle(em, segments[p * lanes / size], NULL, at, lanes);
        }
    } else {
        unsigned count = lanes;
        for (unsigned each = size; each < lanes; each *= 2, count /= 2)
            for (unsigned k = 0; k < count / 2; k++)
                segments[k] = joined(em, segments[2 * k], segments[2 * k + 1], each);
        memcpy(pieces, segments, count * sizeof *segments);
    }
    weftc_words_apart(em, pieces, size, wanted, segment->words);
}

void weftc_group_store_lanes(struct weftc_emission *em, const struct weftc_vec_group *g,
                             struct weftc_group_segment *segment)
{
    const struct weftc_vec_plan *plan = &g->plan;
    LLVMValueRef mask = weftc_vec_mask(em), pieces[WEFTC_MAX_PIECES];
    unsigned size = power_above(plan->words), lanes = em->v->lanes;
    if (mask) {
        LLVMValueRef addresses = segment_addresses(em, g, false);
        LLVMValueRef arguments[] = {segment->words[0], addresses, weftc_i32(em->c, g->align), mask};
        weftc_group_describe(weftc_bridge_masked_access(em->b, "llvm.masked.scatter",
                                                        LLVMTypeOf(segment->words[0]), LLVMTypeOf(addresses),
                                                        arguments),
                             g);
        return;
    }
    if (size > 1) {
        for (unsigned j = plan->words; j < size; j++)
            segment->words[j] = LLVMGetPoison(LLVMTypeOf(segment->words[0]));
        weftc_words_together(em, segment->words, size, pieces);
    }
    for (unsigned k = 0; k < lanes; k++) {
        LLVMValueRef place = lane_place(em, g, NULL, k), value;
        int at[WEFTC_MAX_LANES];
        if (size == 1) {
            value = LLVMBuildExtractElement(em->b, segment->words[0], weftc_i64(em->c, k), "");
        } else if (size > lanes) {
            value = pieces[k * size / lanes];
            for (unsigned p = 1, each = lanes; p < size / lanes; p++, each += lanes) {
                int wide[WEFTC_MAX_LANES];
                for (unsigned e = 0; e < each + lanes; e++)
                    wide[e] = e < lanes ? (int)e : -1;
                LLVMValueRef next = pieces[k * size / lanes + p];
                next = weftc_words_shuffle(em, next, NULL, wide, each);
                for (unsigned e = 0; e < each + lanes; e++)
                    at[e] = (int)e;
                value = weftc_words_shuffle(em, value, next, at, each + lanes);
            }
        } else {
            for (unsigned e = 0; e < size; e++)
                at[e] = (int)(k * size % lanes + e);
            value = weftc_words_shuffle(em, pieces[k * size / lanes], NULL, at, size);
        }
        store_segment(em, g, plan, value, place);
    }
}

void weftc_vec_per_lane_load(struct weftc_emission *em, LLVMValueRef i)
{
    const struct weftc_vec_group *g = weftc_vec_access(em->v, i)->group;
    struct weftc_group_segment segment = {{NULL}};
    weftc_group_load_lanes(em, g, weftc_group_wanted(g), &segment);
    weftc_group_set_members(em, g, &segment);
}

void weftc_vec_per_lane_store(struct weftc_emission *em, LLVMValueRef i)
{
    const struct weftc_vec_group *g = weftc_vec_access(em->v, i)->group;
    struct weftc_group_segment segment = {{NULL}};
    weftc_group_get_members(em, g, &segment);
    weftc_group_store_lanes(em, g, &segment);
}
