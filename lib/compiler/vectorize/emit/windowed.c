// Groups whose lanes' parts lie in a small window of memory that begins with lane 0's, in an order that is the same in each step:
// butterflies of an FFT or a bitonic sort in local memory, `i = 2 * l - (l & (half - 1))`. The window is loaded in whole registers, and
// the words are taken out by an instruction that permutes; stores go the way back. A gather goes to memory for each lane.
//
// For `l & m`, where l of lane 0 is a multiple of the lanes (or, for s * l, of s times as many), is `l0 & m` and for each lane
// `lane & m` more, whatever m is; `l | m` is l + m - (l & m), and `l ^ m` is l + m - 2 * (l & m). So where a part lies from lane 0's is
//
//     slope * lane + the sum of c * (s * lane & m)
//
// which depends on numbers alone that are the same in all steps of a row: LLVM moves all that is made of them out of the loop over
// steps. How far it may be is known when this is compiled, from 0 <= (s * lane & m) <= s * lane.
//
// Asked in each step is whether lane 0's numbers are such multiples, which LLVM mostly knows, and whether anything wraps in 32 bits; of
// stores and of lanes that are off also whether each part lies behind the one of the lane before. If not, lanes gather and scatter.
#include <string.h>

#include "compiler/bridge/vectorize.h"
#include "compiler/vectorize/emit/interleaved.h"

enum {
    MOST_TERMS = 3,
    MOST_WIDENED = 4,
    MOST_DEPTH = 6,
    MOST_STEPS = 8,
    LANES = 16, // a register's words
    MOST_SLOPE = 1 << 20,
};

struct pattern {
    int64_t slope;
    struct {
        LLVMValueRef of, mask; // s * l, and m
        int64_t factor;        // c
        int64_t stride;        // s
    } terms[MOST_TERMS];
    unsigned count;
    struct {
        LLVMValueRef value; // of 32 bits, made 64
        bool is_signed;
        int64_t below, above; // how far others may be from lane 0's
    } widened[MOST_WIDENED];
    unsigned widened_count;
};

static bool is_small(int64_t number)
{
    return number > -MOST_SLOPE && number < MOST_SLOPE;
}

// By how much a lane's number may be above that of the lane before, on the average from lane 0 on.
static void slopes(const struct pattern *p, int64_t *least, int64_t *most)
{
    *least = *most = p->slope;
    for (unsigned k = 0; k < p->count; k++) {
        int64_t by = p->terms[k].factor * p->terms[k].stride;
        *(by < 0 ? least : most) += by;
    }
}

static bool add_term(struct pattern *p, LLVMValueRef of, LLVMValueRef mask, int64_t factor, int64_t stride)
{
    for (unsigned k = 0; k < p->count; k++) {
        if (p->terms[k].of == of && p->terms[k].mask == mask) {
            p->terms[k].factor += factor;
            return is_small(p->terms[k].factor);
        }
    }
    if (p->count == MOST_TERMS)
        return false;
    p->terms[p->count].of = of;
    p->terms[p->count].mask = mask;
    p->terms[p->count].factor = factor;
    p->terms[p->count++].stride = stride;
    return true;
}

static bool add_pattern(struct pattern *p, const struct pattern *more, int64_t factor)
{
    p->slope += more->slope * factor;
    for (unsigned k = 0; k < more->count; k++)
        if (!is_small(more->terms[k].factor * factor) ||
            !add_term(p, more->terms[k].of, more->terms[k].mask, more->terms[k].factor * factor,
                      more->terms[k].stride))
            return false;
    for (unsigned k = 0; k < more->widened_count; k++) {
        if (p->widened_count == MOST_WIDENED)
            return false;
        p->widened[p->widened_count++] = more->widened[k];
    }
    return is_small(p->slope);
}

static bool find(const struct weftc_vec *v, LLVMValueRef value, unsigned depth, struct pattern *p);

static bool find_sum(const struct weftc_vec *v, LLVMValueRef a, LLVMValueRef b, int64_t factor_of_b,
                     unsigned depth, struct pattern *p)
{
    struct pattern second;
    return find(v, a, depth, p) && find(v, b, depth, &second) && add_pattern(p, &second, factor_of_b);
}

static bool find_scaled(const struct weftc_vec *v, LLVMValueRef value, int64_t factor, unsigned depth,
                        struct pattern *p)
{
    struct pattern one;
    *p = (struct pattern){0};
    return is_small(factor) && find(v, value, depth, &one) && add_pattern(p, &one, factor);
}

// slope * x + factor * (x & m), of an operation on x and m.
static bool find_masked(const struct weftc_vec *v, LLVMValueRef i, int64_t slope, int64_t factor,
                        struct pattern *p)
{
    bool second = weftc_vec_shape(v, LLVMGetOperand(i, 0)).kind == WEFTC_UNIFORM;
    LLVMValueRef of = LLVMGetOperand(i, second), mask = LLVMGetOperand(i, !second);
    struct weftc_shape shape = weftc_vec_shape(v, of);
    p->slope = slope * shape.stride;
    return shape.kind == WEFTC_STRIDED && shape.stride > 0 && is_small(shape.stride) &&
           weftc_is_power((uint64_t)shape.stride) && weftc_vec_shape(v, mask).kind == WEFTC_UNIFORM &&
           add_term(p, of, mask, factor, shape.stride);
}

static bool find_widened(const struct weftc_vec *v, LLVMValueRef i, unsigned depth, struct pattern *p)
{
    LLVMValueRef of = LLVMGetOperand(i, 0);
    int64_t least, most;
    if (LLVMGetIntTypeWidth(LLVMTypeOf(of)) != 32 || !find(v, of, depth, p))
        return false;
    slopes(p, &least, &most);
    if (p->widened_count == MOST_WIDENED)
        return false;
    p->widened[p->widened_count].value = of;
    p->widened[p->widened_count].is_signed = LLVMIsASExtInst(i) != NULL;
    p->widened[p->widened_count].below = least < 0 ? -least * (LANES - 1) : 0;
    p->widened[p->widened_count++].above = most > 0 ? most * (LANES - 1) : 0;
    return true;
}

// What is added to lane 0's value, modulo the type's size; *p is written whatever comes of it.
static bool find(const struct weftc_vec *v, LLVMValueRef value, unsigned depth, struct pattern *p)
{
    struct weftc_shape shape = weftc_vec_shape(v, value);
    *p = (struct pattern){0};
    if (shape.kind == WEFTC_UNIFORM)
        return true;
    p->slope = shape.stride;
    if (shape.kind == WEFTC_STRIDED)
        return is_small(shape.stride);
    p->slope = 0;
    LLVMTypeRef type = LLVMTypeOf(value);
    if (!LLVMIsAInstruction(value) || depth == 0 || LLVMGetTypeKind(type) != LLVMIntegerTypeKind ||
        (LLVMGetIntTypeWidth(type) != 32 && LLVMGetIntTypeWidth(type) != 64))
        return false;
    LLVMValueRef first = LLVMGetOperand(value, 0),
                 second = LLVMGetNumOperands(value) > 1 ? LLVMGetOperand(value, 1) : NULL,
                 constant = second ? LLVMIsAConstantInt(second) : NULL;
    switch (LLVMGetInstructionOpcode(value)) {
    case LLVMAdd:
        return find_sum(v, first, second, 1, depth - 1, p);
    case LLVMSub:
        return find_sum(v, first, second, -1, depth - 1, p);
    case LLVMOr:
        return LLVMGetIsDisjoint(value) ? find_sum(v, first, second, 1, depth - 1, p)
                                        : find_masked(v, value, 1, -1, p);
    case LLVMXor:
        return find_masked(v, value, 1, -2, p);
    case LLVMMul:
        return constant && find_scaled(v, first, LLVMConstIntGetSExtValue(constant), depth - 1, p);
    case LLVMShl:
        return constant && LLVMConstIntGetZExtValue(constant) < 20 &&
               find_scaled(v, first, 1ll << LLVMConstIntGetZExtValue(constant), depth - 1, p);
    case LLVMAnd:
        return find_masked(v, value, 0, 1, p);
    case LLVMSExt:
    case LLVMZExt:
        return find_widened(v, value, depth - 1, p);
    default:
        return false;
    }
}

static bool find_address(const struct weftc_vec *v, LLVMValueRef pointer, unsigned depth, struct pattern *p)
{
    struct weftc_step steps[MOST_STEPS];
    *p = (struct pattern){0};
    if (weftc_vec_shape(v, pointer).kind == WEFTC_UNIFORM)
        return true;
    if (depth == 0 || !LLVMIsAGetElementPtrInst(pointer) || LLVMGetNumOperands(pointer) > MOST_STEPS ||
        weftc_woven(v->s, pointer) || !find_address(v, LLVMGetOperand(pointer, 0), depth - 1, p))
        return false;
    unsigned count = weftc_gep_steps(v->s->layout, pointer, steps);
    for (unsigned k = 0; k < count; k++) {
        struct pattern one;
        // A narrow index would be widened, with no instruction to say so.
        if (steps[k].index && LLVMGetIntTypeWidth(LLVMTypeOf(steps[k].index)) != 64 &&
            weftc_vec_shape(v, steps[k].index).kind != WEFTC_UNIFORM)
            return false;
        if (steps[k].index && (steps[k].scale >= MOST_SLOPE || !find(v, steps[k].index, MOST_DEPTH, &one) ||
                               !add_pattern(p, &one, (int64_t)steps[k].scale)))
            return false;
    }
    return true;
}

// Parts that the window has, of which *before lie before lane 0's; 0: there is no window.
static unsigned window_of(const struct weftc_vec *v, const struct weftc_vec_group *g, uint32_t words,
                          struct pattern *p, unsigned *before)
{
    int64_t least, most, part = 4 * words;
    if (!find_address(v, weftc_group_address(weftc_vec_anchor(g)), MOST_DEPTH, p) || p->count == 0)
        return 0;
    bool whole = p->slope % part == 0;
    for (unsigned k = 0; k < p->count; k++)
        whole = whole && p->terms[k].factor * p->terms[k].stride % part == 0;
    slopes(p, &least, &most);
    least = least < 0 ? -least * (LANES - 1) / part : 0;
    most = most > 0 ? most * (LANES - 1) / part : 0;
    *before = (unsigned)least;
    return whole && least + most < 2 * LANES ? (unsigned)(least + most + 1) : 0;
}

bool weftc_vec_plan_window(const struct weftc_vec *v, const struct weftc_vec_group *g, bool full,
                           struct weftc_vec_plan *plan)
{
#if defined(__x86_64__)
    struct pattern p;
    uint32_t words = (uint32_t)(g->span / 4);
    if (v->lanes != LANES || !(v->permutes & WEFTC_PERMUTES_512) || g->element != 4 ||
        (words != 1 && words != 2) || g->in_order || (g->store && !full && words > 1))
        return false;
    unsigned before, parts = window_of(v, g, words, &p, &before);
    *plan = (struct weftc_vec_plan){WEFTC_WAY_WINDOW, 4, words, (parts * words + LANES - 1) / LANES};
    return parts != 0;
#else
    (void)v, (void)g, (void)full, (void)plan;
    return false;
#endif
}

// ---- emission ----

struct window {
    const struct weftc_vec_group *g;
    const struct weftc_vec_plan *plan;
    struct pattern p;
    LLVMValueRef part;    // of each lane: the number of its part in the window
    LLVMValueRef touched; // bits: the parts that active lanes have
    LLVMValueRef taken
        [4]; // by each register that is stored: which of the lanes' words, one word of all lanes behind the other
    LLVMValueRef base; // where the window begins
    LLVMBasicBlockRef near, far, after;
};

static LLVMValueRef call(struct weftc_vec *v, const char *name, LLVMTypeRef overload, LLVMValueRef *arguments,
                         unsigned count)
{
    unsigned id = LLVMLookupIntrinsicID(name, strlen(name));
    LLVMValueRef f = LLVMGetIntrinsicDeclaration(v->module, id, &overload, overload ? 1 : 0);
    return LLVMBuildCall2(v->b, LLVMGlobalGetValueType(f), f, arguments, count, "");
}

// The value in lane 0, from scalars. That lane may be off: what holds for those that are on may not hold for it.
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
    LLVMValueRef all[LANES];
    for (unsigned k = 0; k < LANES; k++)
        all[k] = weftc_i32(v->c, first + k / each * by);
    return LLVMConstVector(all, LANES);
}

static LLVMValueRef both(struct weftc_vec *v, LLVMValueRef a, LLVMValueRef b)
{
    return LLVMBuildAnd(v->b, a, b, "");
}

// In parts; all is small.
static LLVMValueRef part_numbers(struct weftc_vec *v, const struct window *w)
{
    int64_t part = 4 * w->plan->words;
    LLVMValueRef lanes = numbers(v, 0, 1, 1);
    LLVMValueRef sum = LLVMBuildMul(v->b, lanes, splat(v, (uint64_t)(w->p.slope / part)), "");
    for (unsigned k = 0; k < w->p.count; k++) {
        LLVMValueRef mask = weftc_vec_scalar(v, w->p.terms[k].mask);
        mask = LLVMBuildIntCast2(v->b, mask, LLVMInt32TypeInContext(v->c), false, "");
        LLVMValueRef term = LLVMBuildMul(v->b, lanes, splat(v, (uint64_t)w->p.terms[k].stride), "");
        term = LLVMBuildAnd(v->b, term, weftc_vec_splat(v, v->b, mask), "");
        // A multiple of the stride, a power of two, whatever the mask is: the division is exact.
        term = LLVMBuildMul(v->b, term, splat(v, (uint64_t)w->p.terms[k].factor), "");
        term = LLVMBuildAShr(v->b, term, splat(v, (uint64_t)(w->plan->words == 2 ? 3 : 2)), "");
        sum = LLVMBuildAdd(v->b, sum, term, "");
    }
    return sum;
}

// Are the parts where they are said to be?
static LLVMValueRef holds(struct weftc_vec *v, const struct window *w)
{
    LLVMValueRef all = LLVMConstInt(LLVMInt1TypeInContext(v->c), 1, false);
    for (unsigned k = 0; k < w->p.count; k++) {
        LLVMValueRef of = weftc_vec_scalar(v, w->p.terms[k].of);
        LLVMTypeRef type = LLVMTypeOf(of);
        LLVMValueRef low = LLVMConstInt(type, (uint64_t)w->p.terms[k].stride * LANES - 1, false);
        LLVMValueRef rest = LLVMBuildAnd(v->b, of, low, "");
        all = both(v, all, LLVMBuildICmp(v->b, LLVMIntEQ, rest, LLVMConstNull(type), ""));
    }
    for (unsigned k = 0; k < w->p.widened_count; k++) {
        // 0 <= first - least <= most - least, modulo 2^32
        uint64_t least = (w->p.widened[k].is_signed ? 0x80000000u : 0u) + (uint64_t)w->p.widened[k].below;
        uint64_t room = UINT32_MAX - (uint64_t)w->p.widened[k].below - (uint64_t)w->p.widened[k].above;
        LLVMValueRef first = lane_0(v, w->p.widened[k].value);
        first = LLVMBuildSub(v->b, first, weftc_i32(v->c, (unsigned)least), "");
        all = both(v, all, LLVMBuildICmp(v->b, LLVMIntULE, first, weftc_i32(v->c, (unsigned)room), ""));
    }
    return all;
}

static LLVMValueRef in_order(struct weftc_vec *v, const struct window *w)
{
    int next[LANES];
    for (int k = 0; k < LANES; k++)
        next[k] = k + 1;
    LLVMValueRef behind = weftc_words_shuffle(v, w->part, splat(v, 2 * LANES), next, LANES);
    LLVMValueRef above = LLVMBuildICmp(v->b, LLVMIntSGT, behind, w->part, "");
    LLVMTypeRef bits = LLVMIntTypeInContext(v->c, LANES);
    return LLVMBuildICmp(v->b, LLVMIntEQ, LLVMBuildBitCast(v->b, above, bits, ""), LLVMConstAllOnes(bits),
                         "");
}

// Which lane has which part: as many of them as there are parts below have one there.
static void find_taken(struct weftc_vec *v, struct window *w, LLVMValueRef bits)
{
    LLVMTypeRef words = LLVMVectorType(LLVMInt32TypeInContext(v->c), LANES),
                i16 = LLVMInt16TypeInContext(v->c), mask = LLVMVectorType(LLVMInt1TypeInContext(v->c), LANES);
    LLVMValueRef low = LLVMBuildTrunc(v->b, bits, i16, "");
    LLVMValueRef high = LLVMBuildTrunc(v->b, LLVMBuildLShr(v->b, bits, weftc_i32(v->c, LANES), ""), i16, "");
    LLVMValueRef below = LLVMBuildZExt(v->b, call(v, "llvm.ctpop", i16, &low, 1), LLVMTypeOf(bits), "");
    LLVMValueRef lanes = numbers(v, 0, 1, 1), from[2];
    LLVMValueRef of_low[] = {lanes, LLVMConstNull(words), LLVMBuildBitCast(v->b, low, mask, "")};
    from[0] = call(v, "llvm.x86.avx512.mask.expand", words, of_low, 3);
    LLVMValueRef of_high[] = {LLVMBuildAdd(v->b, lanes, weftc_vec_splat(v, v->b, below), ""),
                              LLVMConstNull(words), LLVMBuildBitCast(v->b, high, mask, "")};
    from[1] = call(v, "llvm.x86.avx512.mask.expand", words, of_high, 3);
    unsigned each = w->plan->words, parts = LANES / each;
    for (unsigned r = 0; r < w->plan->stride; r++) {
        int at[LANES];
        LLVMValueRef which[LANES];
        for (unsigned k = 0; k < LANES; k++) {
            at[k] = (int)(r * parts % LANES + k / each);
            which[k] = weftc_i32(v->c, k % each * LANES);
        }
        w->taken[r] = from[r * parts / LANES];
        if (each > 1)
            w->taken[r] = LLVMBuildOr(v->b, weftc_words_shuffle(v, w->taken[r], NULL, at, LANES),
                                      LLVMConstVector(which, LANES), "");
    }
}

// Leaves the builder in `near`.
static void begin(struct weftc_vec *v, struct window *w)
{
    LLVMTypeRef words = LLVMVectorType(LLVMInt32TypeInContext(v->c), LANES);
    LLVMValueRef mask = weftc_vec_mask(v);
    unsigned before;
    window_of(v, w->g, w->plan->words, &w->p, &before);
    // Where no lane is on the masks may be poison.
    w->part = LLVMBuildFreeze(v->b, LLVMBuildAdd(v->b, part_numbers(v, w), splat(v, before), ""), "");
    LLVMValueRef condition = holds(v, w), one = LLVMBuildShl(v->b, splat(v, 1), w->part, "");
    LLVMValueRef bits = call(v, "llvm.vector.reduce.or", words, &one, 1);
    if (mask || w->g->store)
        condition = both(v, condition, in_order(v, w));
    if (w->g->store)
        find_taken(v, w, bits);
    w->touched = bits;
    if (mask) {
        LLVMValueRef on = LLVMBuildZExt(v->b, weftc_vec_bits(v, mask), LLVMTypeOf(bits), "");
        LLVMValueRef arguments[] = {on, bits};
        w->touched = call(v, "llvm.x86.bmi.pdep.32", NULL, arguments, 2);
    }
    w->base = weftc_group_at(v, lane_0(v, weftc_group_address(weftc_vec_anchor(w->g))),
                             0 - weftc_group_anchor_offset(w->g) - (uint64_t)before * 4 * w->plan->words);
    w->near = LLVMAppendBasicBlockInContext(v->c, v->to, "");
    w->far = LLVMAppendBasicBlockInContext(v->c, v->to, "");
    w->after = LLVMAppendBasicBlockInContext(v->c, v->to, "");
    // What is asked may be poison where nobody is on.
    LLVMBuildCondBr(v->b, LLVMBuildFreeze(v->b, condition, ""), w->near, w->far);
    LLVMPositionBuilderAtEnd(v->b, w->near);
}

// Register r of the window as it is loaded and stored: of elements that are parts.
static LLVMTypeRef register_type(const struct weftc_vec *v, const struct window *w)
{
    return LLVMVectorType(weftc_words_type(v, 4 * w->plan->words), LANES / w->plan->words);
}

// Of a part; members of a packed structure may lie anywhere.
static unsigned align_of(const struct window *w)
{
    return w->g->align < 4 * w->plan->words ? w->g->align : 4 * w->plan->words;
}

static LLVMValueRef register_mask(struct weftc_vec *v, const struct window *w, unsigned r)
{
    unsigned parts = LANES / w->plan->words;
    LLVMValueRef bits = LLVMBuildLShr(v->b, w->touched, weftc_i32(v->c, r * parts), "");
    bits = LLVMBuildTrunc(v->b, bits, LLVMIntTypeInContext(v->c, parts), "");
    return LLVMBuildBitCast(v->b, bits, LLVMVectorType(LLVMInt1TypeInContext(v->c), parts), "");
}

static LLVMValueRef permute(struct weftc_vec *v, LLVMValueRef a, LLVMValueRef number, LLVMValueRef b)
{
    LLVMValueRef one[] = {a, number}, two[] = {a, number, b};
    return b ? call(v, "llvm.x86.avx512.vpermi2var.d.512", NULL, two, 3)
             : call(v, "llvm.x86.avx512.permvar.si.512", NULL, one, 2);
}

static void load_near(struct weftc_vec *v, const struct window *w, LLVMValueRef *words)
{
    LLVMTypeRef type = register_type(v, w), of_words = LLVMVectorType(LLVMInt32TypeInContext(v->c), LANES);
    LLVMValueRef registers[4] = {NULL};
    unsigned count = w->plan->stride;
    for (unsigned r = 0; r < count; r++) {
        LLVMValueRef place = weftc_group_at(v, w->base, r * LANES * 4);
        LLVMValueRef arguments[] = {place, weftc_i32(v->c, align_of(w)), register_mask(v, w, r),
                                    LLVMConstNull(type)};
        LLVMValueRef load = weftc_group_masked(v, "llvm.masked.load", type, LLVMTypeOf(place), arguments);
        weftc_group_describe(load, w->g);
        registers[r] = LLVMBuildBitCast(v->b, load, of_words, "");
    }
    if (count == 3)
        registers[3] = registers[2];
    for (unsigned j = 0; j < w->plan->words; j++) {
        LLVMValueRef number = LLVMBuildMul(v->b, w->part, splat(v, w->plan->words), "");
        number = LLVMBuildAdd(v->b, number, splat(v, j), "");
        words[j] = permute(v, registers[0], number, registers[1]);
        if (count <= 2)
            continue;
        LLVMValueRef far = LLVMBuildAnd(v->b, number, splat(v, 2 * LANES), "");
        far = LLVMBuildICmp(v->b, LLVMIntNE, far, splat(v, 0), "");
        words[j] = LLVMBuildSelect(v->b, far, permute(v, registers[2], number, registers[3]), words[j], "");
    }
}

static void store_near(struct weftc_vec *v, const struct window *w, LLVMValueRef *words)
{
    LLVMTypeRef type = register_type(v, w);
    for (unsigned r = 0; r < w->plan->stride; r++) {
        LLVMValueRef value = permute(v, words[0], w->taken[r], words[1]);
        LLVMValueRef place = weftc_group_at(v, w->base, r * LANES * 4);
        LLVMValueRef arguments[] = {LLVMBuildBitCast(v->b, value, type, ""), place,
                                    weftc_i32(v->c, align_of(w)), register_mask(v, w, r)};
        weftc_group_describe(weftc_group_masked(v, "llvm.masked.store", type, LLVMTypeOf(place), arguments),
                             w->g);
    }
}

void weftc_group_load_window(struct weftc_vec *v, const struct weftc_vec_group *g,
                             const struct weftc_vec_plan *plan, uint64_t wanted,
                             struct weftc_group_part *part)
{
    struct window w = {.g = g, .plan = plan};
    struct weftc_group_part near = {{NULL}};
    // Its forms are made before the branch.
    weftc_vec_vector(v, weftc_group_address(weftc_vec_anchor(g)));
    begin(v, &w);
    load_near(v, &w, near.words);
    LLVMBuildBr(v->b, w.after);
    LLVMPositionBuilderAtEnd(v->b, w.far);
    weftc_group_load_lanes(v, g, plan, wanted, part);
    LLVMBasicBlockRef from[] = {w.near, LLVMGetInsertBlock(v->b)};
    LLVMBuildBr(v->b, w.after);
    LLVMPositionBuilderAtEnd(v->b, w.after);
    for (unsigned j = 0; j < plan->words; j++) {
        if (!(wanted >> j & 1))
            continue;
        LLVMValueRef all[] = {near.words[j], part->words[j]};
        part->words[j] = LLVMBuildPhi(v->b, LLVMTypeOf(all[0]), "");
        LLVMAddIncoming(part->words[j], all, from, 2);
    }
}

void weftc_group_store_window(struct weftc_vec *v, const struct weftc_vec_group *g,
                              const struct weftc_vec_plan *plan, struct weftc_group_part *part)
{
    struct window w = {.g = g, .plan = plan};
    weftc_vec_vector(v, weftc_group_address(weftc_vec_anchor(g)));
    begin(v, &w);
    store_near(v, &w, part->words);
    LLVMBuildBr(v->b, w.after);
    LLVMPositionBuilderAtEnd(v->b, w.far);
    weftc_group_store_lanes(v, g, plan, part);
    LLVMBuildBr(v->b, w.after);
    LLVMPositionBuilderAtEnd(v->b, w.after);
}
