// Finds groups whose lanes' segments lie in a small window of memory that begins near lane 0's, in an order
// that is the same in each vector iteration: the butterflies of an FFT or of a bitonic sort in local memory,
// `i = 2 * l - (l & (half - 1))`. The window is loaded in whole registers, and a permute instruction takes
// out the words. Stores go the way back. A gather would go to memory for each lane.
//
// Let l be a number of each lane, where lane 0's is a multiple of the number of lanes (or, for s * l, of s
// times as many). Then `l & m` is `l0 & m` plus `lane & m` for each lane, whatever m is. `l | m` is l + m -
// (l & m), and `l ^ m` is l + m - 2 * (l & m). So the distance of a segment from lane 0's is
//
//     slope * lane + the sum of c * (s * lane & m)
//
// It depends only on numbers that are the same in all vector iterations of a row, so LLVM moves its
// computation out of the loop over them. How large it can be is known at compile time, from 0 <= (s * lane &
// m) <= s * lane.
//
// Each vector iteration checks whether lane 0's numbers are such multiples, which LLVM mostly knows, and
// whether anything wraps in 32 bits. For stores, and where lanes are inactive, it also checks whether each
// segment lies after that of the lane before. Otherwise lanes gather and scatter.
//
// vectorize/emit/windowed.c emits the accesses.
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <llvm-c/Core.h>

#include "compiler/arch/target.h"
#include "compiler/ir/gep.h"
#include "compiler/ir/llvm_helpers.h"
#include "compiler/shapes/shapes.h"
#include "compiler/vectorize/access/access.h"
#include "compiler/vectorize/access/windows.h"

enum {
    MAX_DEPTH = 6,
    MAX_STEPS = 8,
    MAX_SLOPE = 1 << 20,
};

static bool is_small(int64_t number)
{
    return number > -MAX_SLOPE && number < MAX_SLOPE;
}

// Bounds of (number of a lane - number of lane 0) / lane.
static void slopes(const struct weftc_window_pattern *p, int64_t *min, int64_t *max)
{
    *min = *max = p->slope;
    for (unsigned k = 0; k < p->count; k++) {
        int64_t by = p->terms[k].factor * p->terms[k].stride;
        *(by < 0 ? min : max) += by;
    }
}

static bool add_term(struct weftc_window_pattern *p, LLVMValueRef of, LLVMValueRef mask, int64_t factor,
                     int64_t stride)
{
    for (unsigned k = 0; k < p->count; k++) {
        if (p->terms[k].of == of && p->terms[k].mask == mask) {
            p->terms[k].factor += factor;
            return is_small(p->terms[k].factor);
        }
    }
    if (p->count == WEFTC_WINDOW_TERMS)
        return false;
    p->terms[p->count].of = of;
    p->terms[p->count].mask = mask;
    p->terms[p->count].factor = factor;
    p->terms[p->count++].stride = stride;
    return true;
}

static bool add_pattern(struct weftc_window_pattern *p, const struct weftc_window_pattern *more,
                        int64_t factor)
{
    p->slope += more->slope * factor;
    for (unsigned k = 0; k < more->count; k++)
        if (!is_small(more->terms[k].factor * factor) ||
            !add_term(p, more->terms[k].of, more->terms[k].mask, more->terms[k].factor * factor,
                      more->terms[k].stride))
            return false;
    for (unsigned k = 0; k < more->widened_count; k++) {
        if (p->widened_count == WEFTC_WINDOW_WIDENED)
            return false;
        p->widened[p->widened_count++] = more->widened[k];
    }
    return is_small(p->slope);
}

static bool find(const struct weftc_vec *v, LLVMValueRef value, unsigned depth,
                 struct weftc_window_pattern *p);

static bool find_sum(const struct weftc_vec *v, LLVMValueRef a, LLVMValueRef b, int64_t factor_of_b,
                     unsigned depth, struct weftc_window_pattern *p)
{
    struct weftc_window_pattern second;
    return find(v, a, depth, p) && find(v, b, depth, &second) && add_pattern(p, &second, factor_of_b);
}

static bool find_scaled(const struct weftc_vec *v, LLVMValueRef value, int64_t factor, unsigned depth,
                        struct weftc_window_pattern *p)
{
    struct weftc_window_pattern one;
    *p = (struct weftc_window_pattern){0};
    return is_small(factor) && find(v, value, depth, &one) && add_pattern(p, &one, factor);
}

// Of an operation on x and m that is slope * x + factor * (x & m).
static bool find_masked(const struct weftc_vec *v, LLVMValueRef i, int64_t slope, int64_t factor,
                        struct weftc_window_pattern *p)
{
    bool second = weftc_vec_shape(v, LLVMGetOperand(i, 0)).kind == WEFTC_UNIFORM;
    LLVMValueRef of = LLVMGetOperand(i, second), mask = LLVMGetOperand(i, !second);
    struct weftc_shape shape = weftc_vec_shape(v, of);
    p->slope = slope * shape.stride;
    return shape.kind == WEFTC_STRIDED && shape.stride > 0 && is_small(shape.stride) &&
           weftc_is_power((uint64_t)shape.stride) && weftc_vec_shape(v, mask).kind == WEFTC_UNIFORM &&
           add_term(p, of, mask, factor, shape.stride);
}

static bool find_widened(const struct weftc_vec *v, LLVMValueRef i, unsigned depth,
                         struct weftc_window_pattern *p)
{
    LLVMValueRef of = LLVMGetOperand(i, 0);
    int64_t min, max;
    if (LLVMGetIntTypeWidth(LLVMTypeOf(of)) != 32 || !find(v, of, depth, p))
        return false;
    slopes(p, &min, &max);
    if (p->widened_count == WEFTC_WINDOW_WIDENED)
        return false;
    p->widened[p->widened_count].value = of;
    p->widened[p->widened_count].is_signed = LLVMIsASExtInst(i) != NULL;
    p->widened[p->widened_count].below = min < 0 ? -min * (WEFTC_WINDOW_LANES - 1) : 0;
    p->widened[p->widened_count++].above = max > 0 ? max * (WEFTC_WINDOW_LANES - 1) : 0;
    return true;
}

// Finds what each lane's value adds to lane 0's, modulo the type's size. *p is written whatever the answer
// is.
static bool find(const struct weftc_vec *v, LLVMValueRef value, unsigned depth,
                 struct weftc_window_pattern *p)
{
    struct weftc_shape shape = weftc_vec_shape(v, value);
    *p = (struct weftc_window_pattern){0};
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
               find_scaled(v, first, 1LL << LLVMConstIntGetZExtValue(constant), depth - 1, p);
    case LLVMAnd:
        return find_masked(v, value, 0, 1, p);
    case LLVMSExt:
    case LLVMZExt:
        return find_widened(v, value, depth - 1, p);
    default:
        return false;
    }
}

static bool find_address(const struct weftc_vec *v, LLVMValueRef pointer, unsigned depth,
                         struct weftc_window_pattern *p)
{
    struct weftc_step steps[MAX_STEPS];
    *p = (struct weftc_window_pattern){0};
    if (weftc_vec_shape(v, pointer).kind == WEFTC_UNIFORM)
        return true;
    if (depth == 0 || !LLVMIsAGetElementPtrInst(pointer) || LLVMGetNumOperands(pointer) > MAX_STEPS ||
        weftc_is_soa(v->s, pointer) || !find_address(v, LLVMGetOperand(pointer, 0), depth - 1, p))
        return false;
    unsigned count = weftc_gep_steps(v->s->layout, pointer, steps);
    for (unsigned k = 0; k < count; k++) {
        struct weftc_window_pattern one;
        // An index of less than 64 bits would be extended by the address computation, where no instruction
        // says so.
        if (steps[k].index && LLVMGetIntTypeWidth(LLVMTypeOf(steps[k].index)) != 64 &&
            weftc_vec_shape(v, steps[k].index).kind != WEFTC_UNIFORM)
            return false;
        if (steps[k].index && (steps[k].scale >= MAX_SLOPE || !find(v, steps[k].index, MAX_DEPTH, &one) ||
                               !add_pattern(p, &one, (int64_t)steps[k].scale)))
            return false;
    }
    return true;
}

static bool find_window(const struct weftc_vec *v, const struct weftc_vec_group *g, uint32_t words,
                        struct weftc_window *w)
{
    struct weftc_window_pattern *p = &w->pattern;
    int64_t min, max, segment = 4 * words;
    if (!find_address(v, weftc_vec_pointer(weftc_vec_insert_position(g)), MAX_DEPTH, p) || p->count == 0)
        return false;
    bool whole = p->slope % segment == 0;
    for (unsigned k = 0; k < p->count; k++)
        whole = whole && p->terms[k].factor * p->terms[k].stride % segment == 0;
    slopes(p, &min, &max);
    min = min < 0 ? -min * (WEFTC_WINDOW_LANES - 1) / segment : 0;
    max = max > 0 ? max * (WEFTC_WINDOW_LANES - 1) / segment : 0;
    w->before = (unsigned)min;
    w->segments = (unsigned)(min + max + 1);
    return whole && min + max < 2 * WEFTC_WINDOW_LANES;
}

bool weftc_vec_plan_permute_window(const struct weftc_vec *v, const struct weftc_vec_group *g, bool full,
                                   struct weftc_vec_plan *plan, struct weftc_window *w)
{
    uint32_t words = (uint32_t)(g->span / 4);
    *w = (struct weftc_window){0};
    if (v->lanes != WEFTC_WINDOW_LANES || !(v->permutes & WEFTC_PERMUTES_512_WINDOWS) || g->element != 4 ||
        (words != 1 && words != 2) || g->in_order || (g->store && !full && words > 1) ||
        !find_window(v, g, words, w))
        return false;
    *plan = (struct weftc_vec_plan){.word = 4,
                                    .words = words,
                                    .stride =
                                        (w->segments * words + WEFTC_WINDOW_LANES - 1) / WEFTC_WINDOW_LANES};
    return true;
}
