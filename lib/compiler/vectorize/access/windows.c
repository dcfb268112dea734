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
// This file finds the windows; vectorize/emit/windowed.c emits what accesses them.
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
    MOST_DEPTH = 6,
    MOST_STEPS = 8,
    MOST_SLOPE = 1 << 20,
};

static bool is_small(int64_t number)
{
    return number > -MOST_SLOPE && number < MOST_SLOPE;
}

// By how much a lane's number may be above that of the lane before, on the average from lane 0 on.
static void slopes(const struct weftc_window_pattern *p, int64_t *least, int64_t *most)
{
    *least = *most = p->slope;
    for (unsigned k = 0; k < p->count; k++) {
        int64_t by = p->terms[k].factor * p->terms[k].stride;
        *(by < 0 ? least : most) += by;
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

// slope * x + factor * (x & m), of an operation on x and m.
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
    int64_t least, most;
    if (LLVMGetIntTypeWidth(LLVMTypeOf(of)) != 32 || !find(v, of, depth, p))
        return false;
    slopes(p, &least, &most);
    if (p->widened_count == WEFTC_WINDOW_WIDENED)
        return false;
    p->widened[p->widened_count].value = of;
    p->widened[p->widened_count].is_signed = LLVMIsASExtInst(i) != NULL;
    p->widened[p->widened_count].below = least < 0 ? -least * (WEFTC_WINDOW_LANES - 1) : 0;
    p->widened[p->widened_count++].above = most > 0 ? most * (WEFTC_WINDOW_LANES - 1) : 0;
    return true;
}

// What is added to lane 0's value, modulo the type's size; *p is written whatever comes of it.
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

static bool find_address(const struct weftc_vec *v, LLVMValueRef pointer, unsigned depth,
                         struct weftc_window_pattern *p)
{
    struct weftc_step steps[MOST_STEPS];
    *p = (struct weftc_window_pattern){0};
    if (weftc_vec_shape(v, pointer).kind == WEFTC_UNIFORM)
        return true;
    if (depth == 0 || !LLVMIsAGetElementPtrInst(pointer) || LLVMGetNumOperands(pointer) > MOST_STEPS ||
        weftc_is_soa(v->s, pointer) || !find_address(v, LLVMGetOperand(pointer, 0), depth - 1, p))
        return false;
    unsigned count = weftc_gep_steps(v->s->layout, pointer, steps);
    for (unsigned k = 0; k < count; k++) {
        struct weftc_window_pattern one;
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
unsigned weftc_vec_window_of(const struct weftc_vec *v, const struct weftc_vec_group *g, uint32_t words,
                             struct weftc_window_pattern *p, unsigned *before)
{
    int64_t least, most, part = 4 * words;
    if (!find_address(v, weftc_vec_pointer(weftc_vec_insert_position(g)), MOST_DEPTH, p) || p->count == 0)
        return 0;
    bool whole = p->slope % part == 0;
    for (unsigned k = 0; k < p->count; k++)
        whole = whole && p->terms[k].factor * p->terms[k].stride % part == 0;
    slopes(p, &least, &most);
    least = least < 0 ? -least * (WEFTC_WINDOW_LANES - 1) / part : 0;
    most = most > 0 ? most * (WEFTC_WINDOW_LANES - 1) / part : 0;
    *before = (unsigned)least;
    return whole && least + most < 2 * WEFTC_WINDOW_LANES ? (unsigned)(least + most + 1) : 0;
}

bool weftc_vec_plan_permute_window(const struct weftc_vec *v, const struct weftc_vec_group *g, bool full,
                                   struct weftc_vec_plan *plan)
{
    struct weftc_window_pattern p;
    uint32_t words = (uint32_t)(g->span / 4);
    if (v->lanes != WEFTC_WINDOW_LANES || !(v->permutes & WEFTC_PERMUTES_512_WINDOWS) || g->element != 4 ||
        (words != 1 && words != 2) || g->in_order || (g->store && !full && words > 1))
        return false;
    unsigned before, parts = weftc_vec_window_of(v, g, words, &p, &before);
    *plan = (struct weftc_vec_plan){WEFTC_WAY_WINDOW, 4, words,
                                    (parts * words + WEFTC_WINDOW_LANES - 1) / WEFTC_WINDOW_LANES};
    return parts != 0;
}
