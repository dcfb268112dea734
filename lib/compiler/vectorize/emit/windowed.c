// Accesses of groups whose lanes' segments lie in a permute window (vectorize/access/windows.c). The window
// is loaded whole and permuted; stores go the way back. Where the check on lane 0's numbers fails, lanes
// gather and scatter.
#include <stddef.h>
#include <stdint.h>

#include <llvm-c/Core.h>

#include "compiler/arch/target.h"
#include "compiler/ir/llvm_helpers.h"
#include "compiler/vectorize/access/access.h"
#include "compiler/vectorize/access/windows.h"
#include "compiler/vectorize/emit/emit.h"
#include "compiler/vectorize/emit/interleaved.h"

struct window {
    const struct weftc_vec_group *g;
    const struct weftc_vec_plan *plan;
    struct weftc_window_pattern p;
    LLVMValueRef segment; // by lane: the number of its segment in the window
    LLVMValueRef touched; // a bit for each segment that an active lane has
    LLVMValueRef taken
        // for each register that is stored: the numbers of the lanes' words that go into it, counted first
        // over the lanes, then over the words
        [4];
    LLVMValueRef base; // where the window begins
    LLVMBasicBlockRef near, far, after;
};

// The value in lane 0, from scalars. Lane 0 may be inactive, so what holds for active lanes may not hold for
// it.
static LLVMValueRef lane_0(struct weftc_vec *v, LLVMValueRef value)
{
    if (weftc_vec_is_scalar(v, value) || !LLVMIsAInstruction(value))
        return weftc_vec_scalar(v, value);
    LLVMValueRef copy = LLVMInstructionClone(value);
    for (unsigned k = 0; k < (unsigned)LLVMGetNumOperands(value); k++)
        LLVMSetOperand(copy, k, lane_0(v, LLVMGetOperand(value, k)));
    return weftc_vec_insert_for_any_lane(v->b, copy);
}

static LLVMValueRef splat(struct weftc_vec *v, uint64_t number)
{
    return weftc_vec_splat(v, v->b, weftc_i32(v->c, (unsigned)number));
}

static LLVMValueRef numbers(struct weftc_vec *v, unsigned first, unsigned each, unsigned by)
{
    LLVMValueRef all[WEFTC_WINDOW_LANES];
    for (unsigned k = 0; k < WEFTC_WINDOW_LANES; k++)
        all[k] = weftc_i32(v->c, first + k / each * by);
    return LLVMConstVector(all, WEFTC_WINDOW_LANES);
}

static LLVMValueRef both(struct weftc_vec *v, LLVMValueRef a, LLVMValueRef b)
{
    return LLVMBuildAnd(v->b, a, b, "");
}

// The numbers of the lanes' segments, from lane 0's; all of them are small.
static LLVMValueRef segment_numbers(struct weftc_vec *v, const struct window *w)
{
    int64_t segment = 4 * w->plan->words;
    LLVMValueRef lanes = numbers(v, 0, 1, 1);
    LLVMValueRef sum = LLVMBuildMul(v->b, lanes, splat(v, (uint64_t)(w->p.slope / segment)), "");
    for (unsigned k = 0; k < w->p.count; k++) {
        LLVMValueRef mask = weftc_vec_scalar(v, w->p.terms[k].mask);
        mask = LLVMBuildIntCast2(v->b, mask, LLVMInt32TypeInContext(v->c), false, "");
        LLVMValueRef term = LLVMBuildMul(v->b, lanes, splat(v, (uint64_t)w->p.terms[k].stride), "");
        term = LLVMBuildAnd(v->b, term, weftc_vec_splat(v, v->b, mask), "");
        // A multiple of the stride, which is a power of two, whatever the mask is. So the division is exact.
        term = LLVMBuildMul(v->b, term, splat(v, (uint64_t)w->p.terms[k].factor), "");
        term = LLVMBuildAShr(v->b, term, splat(v, (uint64_t)(w->plan->words == 2 ? 3 : 2)), "");
        sum = LLVMBuildAdd(v->b, sum, term, "");
    }
    return sum;
}

// Are the segments where the pattern says?
static LLVMValueRef holds(struct weftc_vec *v, const struct window *w)
{
    LLVMValueRef all = LLVMConstInt(LLVMInt1TypeInContext(v->c), 1, false);
    for (unsigned k = 0; k < w->p.count; k++) {
        LLVMValueRef of = weftc_vec_scalar(v, w->p.terms[k].of);
        LLVMTypeRef type = LLVMTypeOf(of);
        LLVMValueRef low = LLVMConstInt(type, (uint64_t)w->p.terms[k].stride * WEFTC_WINDOW_LANES - 1, false);
        LLVMValueRef rest = LLVMBuildAnd(v->b, of, low, "");
        all = both(v, all, LLVMBuildICmp(v->b, LLVMIntEQ, rest, LLVMConstNull(type), ""));
    }
    for (unsigned k = 0; k < w->p.widened_count; k++) {
        // 0 <= first - min <= max - min, modulo 2^32
        uint64_t min = (w->p.widened[k].is_signed ? 0x80000000u : 0u) + (uint64_t)w->p.widened[k].below;
        uint64_t room = UINT32_MAX - (uint64_t)w->p.widened[k].below - (uint64_t)w->p.widened[k].above;
        LLVMValueRef first = lane_0(v, w->p.widened[k].value);
        first = LLVMBuildSub(v->b, first, weftc_i32(v->c, (unsigned)min), "");
        all = both(v, all, LLVMBuildICmp(v->b, LLVMIntULE, first, weftc_i32(v->c, (unsigned)room), ""));
    }
    return all;
}

static LLVMValueRef in_order(struct weftc_vec *v, const struct window *w)
{
    int next[WEFTC_WINDOW_LANES];
    for (int k = 0; k < WEFTC_WINDOW_LANES; k++)
        next[k] = k + 1;
    LLVMValueRef behind =
        weftc_words_shuffle(v, w->segment, splat(v, 2 * WEFTC_WINDOW_LANES), next, WEFTC_WINDOW_LANES);
    LLVMValueRef above = LLVMBuildICmp(v->b, LLVMIntSGT, behind, w->segment, "");
    LLVMTypeRef bits = LLVMIntTypeInContext(v->c, WEFTC_WINDOW_LANES);
    return LLVMBuildICmp(v->b, LLVMIntEQ, LLVMBuildBitCast(v->b, above, bits, ""), LLVMConstAllOnes(bits),
                         "");
}

// Finds which lane has which segment: lane n, where n segments below it are taken.
static void find_taken(struct weftc_vec *v, struct window *w, LLVMValueRef bits)
{
    LLVMTypeRef i16 = LLVMInt16TypeInContext(v->c),
                mask = LLVMVectorType(LLVMInt1TypeInContext(v->c), WEFTC_WINDOW_LANES);
    LLVMValueRef low = LLVMBuildTrunc(v->b, bits, i16, "");
    LLVMValueRef high =
        LLVMBuildTrunc(v->b, LLVMBuildLShr(v->b, bits, weftc_i32(v->c, WEFTC_WINDOW_LANES), ""), i16, "");
    LLVMValueRef below = LLVMBuildZExt(
        v->b, weftc_target_intrinsic(v->module, v->b, "llvm.ctpop", i16, &low, 1), LLVMTypeOf(bits), "");
    LLVMValueRef lanes = numbers(v, 0, 1, 1), from[2];
    from[0] = weftc_target_ops->expand(v->module, v->b, lanes, LLVMBuildBitCast(v->b, low, mask, ""));
    LLVMValueRef next = LLVMBuildAdd(v->b, lanes, weftc_vec_splat(v, v->b, below), "");
    from[1] = weftc_target_ops->expand(v->module, v->b, next, LLVMBuildBitCast(v->b, high, mask, ""));
    unsigned each = w->plan->words, segments = WEFTC_WINDOW_LANES / each;
    for (unsigned r = 0; r < w->plan->stride; r++) {
        int at[WEFTC_WINDOW_LANES];
        LLVMValueRef which[WEFTC_WINDOW_LANES];
        for (unsigned k = 0; k < WEFTC_WINDOW_LANES; k++) {
            at[k] = (int)(r * segments % WEFTC_WINDOW_LANES + k / each);
            which[k] = weftc_i32(v->c, k % each * WEFTC_WINDOW_LANES);
        }
        w->taken[r] = from[r * segments / WEFTC_WINDOW_LANES];
        if (each > 1)
            w->taken[r] = LLVMBuildOr(v->b, weftc_words_shuffle(v, w->taken[r], NULL, at, WEFTC_WINDOW_LANES),
                                      LLVMConstVector(which, WEFTC_WINDOW_LANES), "");
    }
}

// Emits the check. Leaves the builder in `near`.
static void begin(struct weftc_vec *v, struct window *w)
{
    LLVMTypeRef words = LLVMVectorType(LLVMInt32TypeInContext(v->c), WEFTC_WINDOW_LANES);
    LLVMValueRef mask = weftc_vec_mask(v);
    unsigned before;
    weftc_vec_window_of(v, w->g, w->plan->words, &w->p, &before);
    // Where no lane is active, the masks may be poison.
    w->segment = LLVMBuildFreeze(v->b, LLVMBuildAdd(v->b, segment_numbers(v, w), splat(v, before), ""), "");
    LLVMValueRef condition = holds(v, w), one = LLVMBuildShl(v->b, splat(v, 1), w->segment, "");
    LLVMValueRef bits = weftc_target_intrinsic(v->module, v->b, "llvm.vector.reduce.or", words, &one, 1);
    if (mask || w->g->store)
        condition = both(v, condition, in_order(v, w));
    if (w->g->store)
        find_taken(v, w, bits);
    w->touched = bits;
    if (mask) {
        LLVMValueRef on = LLVMBuildZExt(v->b, weftc_vec_bits(v, mask), LLVMTypeOf(bits), "");
        w->touched = weftc_target_ops->deposit_bits(v->module, v->b, on, bits);
    }
    w->base = weftc_group_at(v, lane_0(v, weftc_vec_pointer(weftc_vec_insert_position(w->g))),
                             0 - weftc_group_insert_offset(w->g) - (uint64_t)before * 4 * w->plan->words);
    w->near = LLVMAppendBasicBlockInContext(v->c, v->to, "");
    w->far = LLVMAppendBasicBlockInContext(v->c, v->to, "");
    w->after = LLVMAppendBasicBlockInContext(v->c, v->to, "");
    // Where no lane is active, the condition may be poison.
    LLVMBuildCondBr(v->b, LLVMBuildFreeze(v->b, condition, ""), w->near, w->far);
    LLVMPositionBuilderAtEnd(v->b, w->near);
}

// The type in which register r of the window is loaded and stored: its elements are segments.
static LLVMTypeRef register_type(const struct weftc_vec *v, const struct window *w)
{
    return LLVMVectorType(weftc_words_type(v, 4 * w->plan->words), WEFTC_WINDOW_LANES / w->plan->words);
}

// The alignment of a segment; members of a packed structure may lie anywhere.
static unsigned align_of(const struct window *w)
{
    return w->g->align < 4 * w->plan->words ? w->g->align : 4 * w->plan->words;
}

static LLVMValueRef register_mask(struct weftc_vec *v, const struct window *w, unsigned r)
{
    unsigned segments = WEFTC_WINDOW_LANES / w->plan->words;
    LLVMValueRef bits = LLVMBuildLShr(v->b, w->touched, weftc_i32(v->c, r * segments), "");
    bits = LLVMBuildTrunc(v->b, bits, LLVMIntTypeInContext(v->c, segments), "");
    return LLVMBuildBitCast(v->b, bits, LLVMVectorType(LLVMInt1TypeInContext(v->c), segments), "");
}

static LLVMValueRef permute(struct weftc_vec *v, LLVMValueRef a, LLVMValueRef number, LLVMValueRef b)
{
    return weftc_target_ops->permute(v->module, v->b, a, b, number);
}

static void load_near(struct weftc_vec *v, const struct window *w, LLVMValueRef *words)
{
    LLVMTypeRef type = register_type(v, w),
                of_words = LLVMVectorType(LLVMInt32TypeInContext(v->c), WEFTC_WINDOW_LANES);
    LLVMValueRef registers[4] = {NULL};
    unsigned count = w->plan->stride;
    for (unsigned r = 0; r < count; r++) {
        LLVMValueRef place = weftc_group_at(v, w->base, r * WEFTC_WINDOW_LANES * 4);
        LLVMValueRef arguments[] = {place, weftc_i32(v->c, align_of(w)), register_mask(v, w, r),
                                    LLVMConstNull(type)};
        LLVMValueRef load = weftc_group_masked(v, "llvm.masked.load", type, LLVMTypeOf(place), arguments);
        weftc_group_describe(load, w->g);
        registers[r] = LLVMBuildBitCast(v->b, load, of_words, "");
    }
    if (count == 3)
        registers[3] = registers[2];
    for (unsigned j = 0; j < w->plan->words; j++) {
        LLVMValueRef number = LLVMBuildMul(v->b, w->segment, splat(v, w->plan->words), "");
        number = LLVMBuildAdd(v->b, number, splat(v, j), "");
        words[j] = permute(v, registers[0], number, registers[1]);
        if (count <= 2)
            continue;
        LLVMValueRef far = LLVMBuildAnd(v->b, number, splat(v, 2 * WEFTC_WINDOW_LANES), "");
        far = LLVMBuildICmp(v->b, LLVMIntNE, far, splat(v, 0), "");
        words[j] = LLVMBuildSelect(v->b, far, permute(v, registers[2], number, registers[3]), words[j], "");
    }
}

static void store_near(struct weftc_vec *v, const struct window *w, LLVMValueRef *words)
{
    LLVMTypeRef type = register_type(v, w);
    for (unsigned r = 0; r < w->plan->stride; r++) {
        LLVMValueRef value = permute(v, words[0], w->taken[r], words[1]);
        LLVMValueRef place = weftc_group_at(v, w->base, r * WEFTC_WINDOW_LANES * 4);
        LLVMValueRef arguments[] = {LLVMBuildBitCast(v->b, value, type, ""), place,
                                    weftc_i32(v->c, align_of(w)), register_mask(v, w, r)};
        weftc_group_describe(weftc_group_masked(v, "llvm.masked.store", type, LLVMTypeOf(place), arguments),
                             w->g);
    }
}

void weftc_vec_windowed_load(struct weftc_vec *v, LLVMValueRef i)
{
    const struct weftc_vec_group *g = weftc_vec_access(v, i)->group;
    struct window w = {.g = g, .plan = &g->plan};
    struct weftc_group_segment near = {{NULL}}, segment = {{NULL}};
    const uint64_t wanted = weftc_group_wanted(g);
    // Both ways need the addresses of all lanes, so they are made before the branch.
    weftc_vec_vector(v, weftc_vec_pointer(i));
    begin(v, &w);
    load_near(v, &w, near.words);
    LLVMBuildBr(v->b, w.after);
    LLVMPositionBuilderAtEnd(v->b, w.far);
    weftc_group_load_lanes(v, g, wanted, &segment);
    LLVMBasicBlockRef from[] = {w.near, LLVMGetInsertBlock(v->b)};
    LLVMBuildBr(v->b, w.after);
    LLVMPositionBuilderAtEnd(v->b, w.after);
    for (unsigned j = 0; j < g->plan.words; j++) {
        if (!(wanted >> j & 1))
            continue;
        LLVMValueRef all[] = {near.words[j], segment.words[j]};
        segment.words[j] = LLVMBuildPhi(v->b, LLVMTypeOf(all[0]), "");
        LLVMAddIncoming(segment.words[j], all, from, 2);
    }
    weftc_group_set_members(v, g, &segment);
}

void weftc_vec_windowed_store(struct weftc_vec *v, LLVMValueRef i)
{
    const struct weftc_vec_group *g = weftc_vec_access(v, i)->group;
    struct window w = {.g = g, .plan = &g->plan};
    struct weftc_group_segment segment = {{NULL}};
    weftc_group_get_members(v, g, &segment);
    weftc_vec_vector(v, weftc_vec_pointer(i));
    begin(v, &w);
    store_near(v, &w, segment.words);
    LLVMBuildBr(v->b, w.after);
    LLVMPositionBuilderAtEnd(v->b, w.far);
    weftc_group_store_lanes(v, g, &segment);
    LLVMBuildBr(v->b, w.after);
    LLVMPositionBuilderAtEnd(v->b, w.after);
}
