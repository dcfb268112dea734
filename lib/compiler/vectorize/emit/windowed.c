// Accesses of groups whose lanes' segments lie in a permute window (vectorize/access/windows.c). The window
// is loaded whole and permuted; stores go the way back. Where the check on lane 0's numbers fails, lanes
// gather and scatter.
#include <stddef.h>
#include <stdint.h>

#include <llvm-c/Core.h>

#include "compiler/bridge/vectorize.h"
#include "compiler/arch/target.h"
#include "compiler/ir/llvm_helpers.h"
#include "compiler/vectorize/access/access.h"
#include "compiler/vectorize/access/windows.h"
#include "compiler/vectorize/emit/emit.h"
#include "compiler/vectorize/emit/interleaved.h"

struct window {
    const struct weftc_vec_group *g;
    const struct weftc_vec_plan *plan;
    const struct weftc_window_pattern *p;
    LLVMValueRef segment; // by lane: the number of its segment in the window
    LLVMValueRef touched; // a bit for each segment that an active lane has
    // For each register that is stored: the numbers of the lanes' words that go into it, counted first over
    // the lanes, then over the words.
    LLVMValueRef taken[4];
    LLVMValueRef base; // where the window begins
    LLVMBasicBlockRef near, far, after;
};

// The value in lane 0, from scalars. Lane 0 may be inactive, so what holds for active lanes may not hold for
// it.
static LLVMValueRef lane_0(struct weftc_emission *em, LLVMValueRef value)
{
    if (weftc_vec_is_scalar(em->v, value) || !LLVMIsAInstruction(value))
        return weftc_vec_scalar(em, value);
    LLVMValueRef copy = LLVMInstructionClone(value);
    for (unsigned k = 0; k < (unsigned)LLVMGetNumOperands(value); k++)
        LLVMSetOperand(copy, k, lane_0(em, LLVMGetOperand(value, k)));
    return weftc_vec_insert_for_any_lane(em->b, copy);
}

static LLVMValueRef splat(struct weftc_emission *em, uint64_t number)
{
    return weftc_vec_splat(em, em->b, weftc_i32(em->c, (unsigned)number));
}

static LLVMValueRef numbers(struct weftc_emission *em, unsigned first, unsigned each, unsigned by)
{
    LLVMValueRef all[WEFTC_WINDOW_LANES];
    for (unsigned k = 0; k < WEFTC_WINDOW_LANES; k++)
        all[k] = weftc_i32(em->c, first + k / each * by);
    return LLVMConstVector(all, WEFTC_WINDOW_LANES);
}

static LLVMValueRef both(struct weftc_emission *em, LLVMValueRef a, LLVMValueRef b)
{
    return LLVMBuildAnd(em->b, a, b, "");
}

// The numbers of the lanes' segments, from lane 0's; all of them are small.
static LLVMValueRef segment_numbers(struct weftc_emission *em, const struct window *w)
{
    int64_t segment = 4 * w->plan->words;
    LLVMValueRef lanes = numbers(em, 0, 1, 1);
    LLVMValueRef sum = LLVMBuildMul(em->b, lanes, splat(em, (uint64_t)(w->p->slope / segment)), "");
    for (unsigned k = 0; k < w->p->count; k++) {
        LLVMValueRef mask = weftc_vec_scalar(em, w->p->terms[k].mask);
        mask = LLVMBuildIntCast2(em->b, mask, LLVMInt32TypeInContext(em->c), false, "");
        LLVMValueRef term = LLVMBuildMul(em->b, lanes, splat(em, (uint64_t)w->p->terms[k].stride), "");
        term = LLVMBuildAnd(em->b, term, weftc_vec_splat(em, em->b, mask), "");
        // A multiple of the stride, which is a power of two, whatever the mask is. So the division is exact.
        term = LLVMBuildMul(em->b, term, splat(em, (uint64_t)w->p->terms[k].factor), "");
        term = LLVMBuildAShr(em->b, term, splat(em, (uint64_t)(w->plan->words == 2 ? 3 : 2)), "");
        sum = LLVMBuildAdd(em->b, sum, term, "");
    }
    return sum;
}

// Are the segments where the pattern says?
static LLVMValueRef holds(struct weftc_emission *em, const struct window *w)
{
    LLVMValueRef all = LLVMConstInt(LLVMInt1TypeInContext(em->c), 1, false);
    for (unsigned k = 0; k < w->p->count; k++) {
        LLVMValueRef of = weftc_vec_scalar(em, w->p->terms[k].of);
        LLVMTypeRef type = LLVMTypeOf(of);
        LLVMValueRef low =
            LLVMConstInt(type, (uint64_t)w->p->terms[k].stride * WEFTC_WINDOW_LANES - 1, false);
        LLVMValueRef rest = LLVMBuildAnd(em->b, of, low, "");
        all = both(em, all, LLVMBuildICmp(em->b, LLVMIntEQ, rest, LLVMConstNull(type), ""));
    }
    for (unsigned k = 0; k < w->p->widened_count; k++) {
        // 0 <= first - least <= most - least, modulo 2^32
        uint64_t least = (w->p->widened[k].is_signed ? 0x80000000u : 0u) + (uint64_t)w->p->widened[k].below;
        uint64_t room = UINT32_MAX - (uint64_t)w->p->widened[k].below - (uint64_t)w->p->widened[k].above;
        LLVMValueRef first = lane_0(em, w->p->widened[k].value);
        first = LLVMBuildSub(em->b, first, weftc_i32(em->c, (unsigned)least), "");
        all = both(em, all, LLVMBuildICmp(em->b, LLVMIntULE, first, weftc_i32(em->c, (unsigned)room), ""));
    }
    return all;
}

static LLVMValueRef in_order(struct weftc_emission *em, const struct window *w)
{
    int next[WEFTC_WINDOW_LANES];
    for (int k = 0; k < WEFTC_WINDOW_LANES; k++)
        next[k] = k + 1;
    LLVMValueRef behind =
        weftc_words_shuffle(em, w->segment, splat(em, 2 * WEFTC_WINDOW_LANES), next, WEFTC_WINDOW_LANES);
    LLVMValueRef above = LLVMBuildICmp(em->b, LLVMIntSGT, behind, w->segment, "");
    LLVMTypeRef bits = LLVMIntTypeInContext(em->c, WEFTC_WINDOW_LANES);
    return LLVMBuildICmp(em->b, LLVMIntEQ, LLVMBuildBitCast(em->b, above, bits, ""), LLVMConstAllOnes(bits),
                         "");
}

// Finds which lane has which segment: lane n, where n segments below it are taken.
static void find_taken(struct weftc_emission *em, struct window *w, LLVMValueRef bits)
{
    LLVMTypeRef i16 = LLVMInt16TypeInContext(em->c),
                mask = LLVMVectorType(LLVMInt1TypeInContext(em->c), WEFTC_WINDOW_LANES);
    LLVMValueRef low = LLVMBuildTrunc(em->b, bits, i16, "");
    LLVMValueRef high =
        LLVMBuildTrunc(em->b, LLVMBuildLShr(em->b, bits, weftc_i32(em->c, WEFTC_WINDOW_LANES), ""), i16, "");
    LLVMValueRef below = LLVMBuildZExt(
        em->b, weftc_target_intrinsic(em->module, em->b, "llvm.ctpop", i16, &low, 1), LLVMTypeOf(bits), "");
    LLVMValueRef lanes = numbers(em, 0, 1, 1), from[2];
    from[0] = weftc_target_ops->expand(em->module, em->b, lanes, LLVMBuildBitCast(em->b, low, mask, ""));
    LLVMValueRef next = LLVMBuildAdd(em->b, lanes, weftc_vec_splat(em, em->b, below), "");
    from[1] = weftc_target_ops->expand(em->module, em->b, next, LLVMBuildBitCast(em->b, high, mask, ""));
    unsigned each = w->plan->words, segments = WEFTC_WINDOW_LANES / each;
    for (unsigned r = 0; r < w->plan->stride; r++) {
        int at[WEFTC_WINDOW_LANES];
        LLVMValueRef which[WEFTC_WINDOW_LANES];
        for (unsigned k = 0; k < WEFTC_WINDOW_LANES; k++) {
            at[k] = (int)(r * segments % WEFTC_WINDOW_LANES + k / each);
            which[k] = weftc_i32(em->c, k % each * WEFTC_WINDOW_LANES);
        }
        w->taken[r] = from[r * segments / WEFTC_WINDOW_LANES];
        if (each > 1)
            w->taken[r] =
                LLVMBuildOr(em->b, weftc_words_shuffle(em, w->taken[r], NULL, at, WEFTC_WINDOW_LANES),
                            LLVMConstVector(which, WEFTC_WINDOW_LANES), "");
    }
}

// Emits the check. Leaves the builder in `near`.
static void begin(struct weftc_emission *em, struct window *w)
{
    LLVMTypeRef words = LLVMVectorType(LLVMInt32TypeInContext(em->c), WEFTC_WINDOW_LANES);
    LLVMValueRef mask = weftc_vec_mask(em);
    // Where no lane is active, the masks may be poison.
    w->segment = LLVMBuildFreeze(
        em->b, LLVMBuildAdd(em->b, segment_numbers(em, w), splat(em, w->g->window->before), ""), "");
    LLVMValueRef condition = holds(em, w), one = LLVMBuildShl(em->b, splat(em, 1), w->segment, "");
    LLVMValueRef bits = weftc_target_intrinsic(em->module, em->b, "llvm.vector.reduce.or", words, &one, 1);
    if (mask || w->g->store)
        condition = both(em, condition, in_order(em, w));
    if (w->g->store)
        find_taken(em, w, bits);
    w->touched = bits;
    if (mask) {
        LLVMValueRef on = LLVMBuildZExt(em->b, weftc_vec_bits(em, mask), LLVMTypeOf(bits), "");
        w->touched = weftc_target_ops->deposit_bits(em->module, em->b, on, bits);
    }
    w->base = weftc_group_at(em, lane_0(em, weftc_vec_pointer(weftc_vec_insert_position(w->g))),
                             0 - weftc_group_insert_offset(w->g) -
                                 (uint64_t)w->g->window->before * 4 * w->plan->words);
    w->near = LLVMAppendBasicBlockInContext(em->c, em->to, "");
    w->far = LLVMAppendBasicBlockInContext(em->c, em->to, "");
    w->after = LLVMAppendBasicBlockInContext(em->c, em->to, "");
    // Where no lane is active, the condition may be poison.
    LLVMBuildCondBr(em->b, LLVMBuildFreeze(em->b, condition, ""), w->near, w->far);
    LLVMPositionBuilderAtEnd(em->b, w->near);
}

// The type in which register r of the window is loaded and stored: its elements are segments.
static LLVMTypeRef register_type(const struct weftc_emission *em, const struct window *w)
{
    return LLVMVectorType(weftc_words_type(em, 4 * w->plan->words), WEFTC_WINDOW_LANES / w->plan->words);
}

// The alignment of a segment; members of a packed structure may lie anywhere.
static unsigned align_of(const struct window *w)
{
    return w->g->align < 4 * w->plan->words ? w->g->align : 4 * w->plan->words;
}

static LLVMValueRef register_mask(struct weftc_emission *em, const struct window *w, unsigned r)
{
    unsigned segments = WEFTC_WINDOW_LANES / w->plan->words;
    LLVMValueRef bits = LLVMBuildLShr(em->b, w->touched, weftc_i32(em->c, r * segments), "");
    bits = LLVMBuildTrunc(em->b, bits, LLVMIntTypeInContext(em->c, segments), "");
    return LLVMBuildBitCast(em->b, bits, LLVMVectorType(LLVMInt1TypeInContext(em->c), segments), "");
}

static LLVMValueRef permute(struct weftc_emission *em, LLVMValueRef a, LLVMValueRef number, LLVMValueRef b)
{
    return weftc_target_ops->permute(em->module, em->b, a, b, number);
}

static void load_near(struct weftc_emission *em, const struct window *w, LLVMValueRef *words)
{
    LLVMTypeRef type = register_type(em, w),
                of_words = LLVMVectorType(LLVMInt32TypeInContext(em->c), WEFTC_WINDOW_LANES);
    LLVMValueRef registers[4] = {NULL};
    unsigned count = w->plan->stride;
    for (unsigned r = 0; r < count; r++) {
        LLVMValueRef place = weftc_group_at(em, w->base, r * WEFTC_WINDOW_LANES * 4);
        LLVMValueRef arguments[] = {place, weftc_i32(em->c, align_of(w)), register_mask(em, w, r),
                                    LLVMConstNull(type)};
        LLVMValueRef load =
            weftc_bridge_masked_access(em->b, "llvm.masked.load", type, LLVMTypeOf(place), arguments);
        weftc_group_describe(load, w->g);
        registers[r] = LLVMBuildBitCast(em->b, load, of_words, "");
    }
    if (count == 3)
        registers[3] = registers[2];
    for (unsigned j = 0; j < w->plan->words; j++) {
        LLVMValueRef number = LLVMBuildMul(em->b, w->segment, splat(em, w->plan->words), "");
        number = LLVMBuildAdd(em->b, number, splat(em, j), "");
        words[j] = permute(em, registers[0], number, registers[1]);
        if (count <= 2)
            continue;
        LLVMValueRef far = LLVMBuildAnd(em->b, number, splat(em, 2 * WEFTC_WINDOW_LANES), "");
        far = LLVMBuildICmp(em->b, LLVMIntNE, far, splat(em, 0), "");
        words[j] = LLVMBuildSelect(em->b, far, permute(em, registers[2], number, registers[3]), words[j], "");
    }
}

static void store_near(struct weftc_emission *em, const struct window *w, LLVMValueRef *words)
{
    LLVMTypeRef type = register_type(em, w);
    for (unsigned r = 0; r < w->plan->stride; r++) {
        LLVMValueRef value = permute(em, words[0], w->taken[r], words[1]);
        LLVMValueRef place = weftc_group_at(em, w->base, r * WEFTC_WINDOW_LANES * 4);
        LLVMValueRef arguments[] = {LLVMBuildBitCast(em->b, value, type, ""), place,
                                    weftc_i32(em->c, align_of(w)), register_mask(em, w, r)};
        weftc_group_describe(
            weftc_bridge_masked_access(em->b, "llvm.masked.store", type, LLVMTypeOf(place), arguments), w->g);
    }
}

void weftc_vec_windowed_load(struct weftc_emission *em, LLVMValueRef i)
{
    const struct weftc_vec_group *g = weftc_vec_access(em->v, i)->group;
    struct window w = {.g = g, .plan = &g->plan, .p = &g->window->pattern};
    struct weftc_group_segment near = {{NULL}}, segment = {{NULL}};
    const uint64_t wanted = weftc_group_wanted(g);
    // Both ways need the addresses of all lanes, so they are made before the branch.
    weftc_vec_vector(em, weftc_vec_pointer(i));
    begin(em, &w);
    load_near(em, &w, near.words);
    LLVMBuildBr(em->b, w.after);
    LLVMPositionBuilderAtEnd(em->b, w.far);
    weftc_group_load_lanes(em, g, wanted, &segment);
    LLVMBasicBlockRef from[] = {w.near, LLVMGetInsertBlock(em->b)};
    LLVMBuildBr(em->b, w.after);
    LLVMPositionBuilderAtEnd(em->b, w.after);
    for (unsigned j = 0; j < g->plan.words; j++) {
        if (!(wanted >> j & 1))
            continue;
        LLVMValueRef all[] = {near.words[j], segment.words[j]};
        segment.words[j] = LLVMBuildPhi(em->b, LLVMTypeOf(all[0]), "");
        LLVMAddIncoming(segment.words[j], all, from, 2);
    }
    weftc_group_set_members(em, g, &segment);
}

void weftc_vec_windowed_store(struct weftc_emission *em, LLVMValueRef i)
{
    const struct weftc_vec_group *g = weftc_vec_access(em->v, i)->group;
    struct window w = {.g = g, .plan = &g->plan, .p = &g->window->pattern};
    struct weftc_group_segment segment = {{NULL}};
    weftc_group_get_members(em, g, &segment);
    weftc_vec_vector(em, weftc_vec_pointer(i));
    begin(em, &w);
    store_near(em, &w, segment.words);
    LLVMBuildBr(em->b, w.after);
    LLVMPositionBuilderAtEnd(em->b, w.far);
    weftc_group_store_lanes(em, g, &segment);
    LLVMBuildBr(em->b, w.after);
    LLVMPositionBuilderAtEnd(em->b, w.after);
}
