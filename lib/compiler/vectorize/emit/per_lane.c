// Accesses of groups whose lanes' segments lie anywhere: each segment is loaded or stored for itself, in few
// accesses (vectorize/access/plan.c decides when). A segment of one word is gathered or scattered.
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <llvm-c/Core.h>

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
static LLVMValueRef segment_addresses(struct weftc_vec *v, const struct weftc_vec_group *g, bool safe)
{
    LLVMValueRef pointer = weftc_vec_pointer(weftc_vec_insert_position(g)), mask = weftc_vec_mask(v);
    LLVMValueRef vector = weftc_vec_vector(v, pointer);
    if (mask && safe) {
        LLVMTypeRef bits = LLVMIntTypeInContext(v->c, v->lanes);
        unsigned id = LLVMLookupIntrinsicID("llvm.cttz", strlen("llvm.cttz"));
        LLVMValueRef f = LLVMGetIntrinsicDeclaration(v->module, id, &bits, 1);
        LLVMValueRef arguments[] = {weftc_vec_bits(v, mask),
                                    LLVMConstInt(LLVMInt1TypeInContext(v->c), 1, false)};
        LLVMValueRef first = LLVMBuildCall2(v->b, LLVMGlobalGetValueType(f), f, arguments, 2, "");
        first = LLVMBuildIntCast2(v->b, first, LLVMInt64TypeInContext(v->c), false, "");
        LLVMValueRef lane = weftc_vec_lane(v, pointer, first);
        vector = LLVMBuildSelect(v->b, mask, vector, weftc_vec_splat(v, v->b, lane), "");
    }
    if (weftc_group_insert_offset(g) == 0)
        return vector;
    LLVMValueRef by = weftc_vec_splat(v, v->b, weftc_i64(v->c, 0 - weftc_group_insert_offset(g)));
    return LLVMBuildGEP2(v->b, LLVMInt8TypeInContext(v->c), vector, &by, 1, "");
}

// `vector` with its elements [first, first + count) from `from`, which is a scalar if count is 1.
static LLVMValueRef with_elements(struct weftc_vec *v, LLVMValueRef vector, unsigned size, LLVMValueRef from,
                                  unsigned first, unsigned count)
{
    if (count == 1)
        return LLVMBuildInsertElement(v->b, vector, from, weftc_i64(v->c, first), "");
    int at[WEFTC_MAX_LANES];
    for (unsigned k = 0; k < size; k++)
        at[k] = k < count ? (int)k : -1;
    from = weftc_words_shuffle(v, from, NULL, at, size);
    for (unsigned k = 0; k < size; k++)
        at[k] = (int)(k < first ? k : k - first + size);
    return first ? weftc_words_shuffle(v, vector, from, at, size) : from;
}

// Loads a lane's segment, in as few loads as its number of words has powers of two.
static LLVMValueRef load_segment(struct weftc_vec *v, const struct weftc_vec_group *g,
                                 const struct weftc_vec_plan *plan, LLVMValueRef place)
{
    LLVMTypeRef word = weftc_words_type(v, plan->word);
    unsigned size = power_above(plan->words);
    LLVMValueRef segment = NULL;
    for (unsigned done = 0, chunk; done < plan->words; done += chunk) {
        chunk = size;
        while (chunk > plan->words - done)
            chunk /= 2;
        uint64_t bytes = (uint64_t)done * plan->word;
        LLVMValueRef load = LLVMBuildLoad2(v->b, chunk == 1 ? word : LLVMVectorType(word, chunk),
                                           weftc_group_at(v, place, bytes), "");
        LLVMSetAlignment(load, weftc_group_align(g, bytes));
        weftc_group_describe(load, g);
        if (chunk == size)
            return load;
        if (!segment)
            segment = LLVMGetPoison(LLVMVectorType(word, size));
        segment = with_elements(v, segment, size, load, done, chunk);
    }
    return segment;
}

static void store_segment(struct weftc_vec *v, const struct weftc_vec_group *g,
                          const struct weftc_vec_plan *plan, LLVMValueRef segment, LLVMValueRef place)
{
    unsigned size = power_above(plan->words);
    for (unsigned done = 0, chunk; done < plan->words; done += chunk) {
        chunk = size;
        while (chunk > plan->words - done)
            chunk /= 2;
        LLVMValueRef value = segment;
        if (chunk == 1 && size > 1) {
            value = LLVMBuildExtractElement(v->b, segment, weftc_i64(v->c, done), "");
        } else if (chunk < size) {
            int at[WEFTC_MAX_LANES];
            for (unsigned k = 0; k < chunk; k++)
                at[k] = (int)(done + k);
            value = weftc_words_shuffle(v, segment, NULL, at, chunk);
        }
        uint64_t bytes = (uint64_t)done * plan->word;
        LLVMValueRef store = LLVMBuildStore(v->b, value, weftc_group_at(v, place, bytes));
        LLVMSetAlignment(store, weftc_group_align(g, bytes));
        weftc_group_describe(store, g);
    }
}

static LLVMValueRef joined(struct weftc_vec *v, LLVMValueRef a, LLVMValueRef b, unsigned each)
{
    int at[WEFTC_MAX_LANES];
    for (unsigned k = 0; k < 2 * each; k++)
        at[k] = (int)k;
    return weftc_words_shuffle(v, a, b, at, 2 * each);
}

static LLVMValueRef lane_place(struct weftc_vec *v, const struct weftc_vec_group *g, LLVMValueRef addresses,
                               unsigned lane)
{
    if (addresses)
        return LLVMBuildExtractElement(v->b, addresses, weftc_i64(v->c, lane), "");
    LLVMValueRef place = weftc_vec_lane_address(v, weftc_vec_pointer(weftc_vec_insert_position(g)), lane);
    return weftc_group_at(v, place, 0 - weftc_group_insert_offset(g));
}

void weftc_group_load_lanes(struct weftc_vec *v, const struct weftc_vec_group *g, uint64_t wanted,
                            struct weftc_group_segment *segment)
{
    const struct weftc_vec_plan *plan = &g->plan;
    LLVMTypeRef word = weftc_words_type(v, plan->word), type = LLVMVectorType(word, v->lanes);
    unsigned size = power_above(plan->words), lanes = v->lanes;
    LLVMValueRef mask = weftc_vec_mask(v), segments[WEFTC_MAX_LANES], pieces[WEFTC_MAX_PIECES];
    if (plan->words == 1 && plan->word >= 4) {
        LLVMValueRef addresses = segment_addresses(v, g, false);
        LLVMValueRef arguments[] = {addresses, weftc_i32(v->c, g->align), mask ? mask : weftc_vec_true(v),
                                    LLVMGetPoison(type)};
        segment->words[0] =
            weftc_group_masked(v, "llvm.masked.gather", type, LLVMTypeOf(addresses), arguments);
        weftc_group_describe(segment->words[0], g);
        return;
    }
    LLVMValueRef addresses = mask ? segment_addresses(v, g, true) : NULL;
    for (unsigned k = 0; k < lanes; k++)
        segments[k] = load_segment(v, g, plan, lane_place(v, g, addresses, k));
    if (size == 1) {
        LLVMValueRef all = LLVMGetPoison(type);
        for (unsigned k = 0; k < lanes; k++)
            all = LLVMBuildInsertElement(v->b, all, segments[k], weftc_i64(v->c, k), "");
        segment->words[0] = all;
        return;
    }
    if (size > lanes) { // a segment is several pieces
        int at[WEFTC_MAX_LANES];
        for (unsigned p = 0; p < size; p++) {
            for (unsigned k = 0; k < lanes; k++)
                at[k] = (int)(p * lanes % size + k);
            pieces[p] = weftc_words_shuffle(v, segments[p * lanes / size], NULL, at, lanes);
        }
    } else {
        unsigned count = lanes;
        for (unsigned each = size; each < lanes; each *= 2, count /= 2)
            for (unsigned k = 0; k < count / 2; k++)
                segments[k] = joined(v, segments[2 * k], segments[2 * k + 1], each);
        memcpy(pieces, segments, count * sizeof *segments);
    }
    weftc_words_apart(v, pieces, size, wanted, segment->words);
}

void weftc_group_store_lanes(struct weftc_vec *v, const struct weftc_vec_group *g,
                             struct weftc_group_segment *segment)
{
    const struct weftc_vec_plan *plan = &g->plan;
    LLVMValueRef mask = weftc_vec_mask(v), pieces[WEFTC_MAX_PIECES];
    unsigned size = power_above(plan->words), lanes = v->lanes;
    if (mask) {
        LLVMValueRef addresses = segment_addresses(v, g, false);
        LLVMValueRef arguments[] = {segment->words[0], addresses, weftc_i32(v->c, g->align), mask};
        weftc_group_describe(weftc_group_masked(v, "llvm.masked.scatter", LLVMTypeOf(segment->words[0]),
                                                LLVMTypeOf(addresses), arguments),
                             g);
        return;
    }
    if (size > 1) {
        for (unsigned j = plan->words; j < size; j++)
            segment->words[j] = LLVMGetPoison(LLVMTypeOf(segment->words[0]));
        weftc_words_together(v, segment->words, size, pieces);
    }
    for (unsigned k = 0; k < lanes; k++) {
        LLVMValueRef place = lane_place(v, g, NULL, k), value;
        int at[WEFTC_MAX_LANES];
        if (size == 1) {
            value = LLVMBuildExtractElement(v->b, segment->words[0], weftc_i64(v->c, k), "");
        } else if (size > lanes) {
            value = pieces[k * size / lanes];
            for (unsigned p = 1, each = lanes; p < size / lanes; p++, each += lanes) {
                int wide[WEFTC_MAX_LANES];
                for (unsigned e = 0; e < each + lanes; e++)
                    wide[e] = e < lanes ? (int)e : -1;
                LLVMValueRef next = pieces[k * size / lanes + p];
                next = weftc_words_shuffle(v, next, NULL, wide, each);
                for (unsigned e = 0; e < each + lanes; e++)
                    at[e] = (int)e;
                value = weftc_words_shuffle(v, value, next, at, each + lanes);
            }
        } else {
            for (unsigned e = 0; e < size; e++)
                at[e] = (int)(k * size % lanes + e);
            value = weftc_words_shuffle(v, pieces[k * size / lanes], NULL, at, size);
        }
        store_segment(v, g, plan, value, place);
    }
}

void weftc_vec_per_lane_load(struct weftc_vec *v, LLVMValueRef i)
{
    const struct weftc_vec_group *g = weftc_vec_access(v, i)->group;
    struct weftc_group_segment segment = {{NULL}};
    weftc_group_load_lanes(v, g, weftc_group_wanted(g), &segment);
    weftc_group_set_members(v, g, &segment);
}

void weftc_vec_per_lane_store(struct weftc_vec *v, LLVMValueRef i)
{
    const struct weftc_vec_group *g = weftc_vec_access(v, i)->group;
    struct weftc_group_segment segment = {{NULL}};
    weftc_group_get_members(v, g, &segment);
    weftc_group_store_lanes(v, g, &segment);
}
