// Words and pieces (vectorize/emit/interleaved.h): segments that follow each other in vectors are taken apart
// into one vector for each word, and put together again. And the addresses, alignments and masked accesses of
// pieces.
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <llvm-c/Core.h>

#include "compiler/bridge/vectorize.h"
#include "compiler/ir/llvm_helpers.h"
#include "compiler/vectorize/access/access.h"
#include "compiler/vectorize/emit/emit.h"
#include "compiler/vectorize/emit/interleaved.h"

LLVMTypeRef weftc_words_type(const struct weftc_emission *em, uint32_t word)
{
    return LLVMIntTypeInContext(em->c, 8 * word);
}

LLVMValueRef weftc_words_shuffle(struct weftc_emission *em, LLVMValueRef a, LLVMValueRef b, const int *at,
                                 unsigned count)
{
    LLVMValueRef numbers[WEFTC_MAX_LANES];
    LLVMTypeRef i32 = LLVMInt32TypeInContext(em->c);
    for (unsigned k = 0; k < count; k++)
        numbers[k] = at[k] < 0 ? LLVMGetPoison(i32) : LLVMConstInt(i32, (uint64_t)at[k], false);
    if (!b)
        b = LLVMGetPoison(LLVMTypeOf(a));
    return LLVMBuildShuffleVector(em->b, a, b, LLVMConstVector(numbers, count), "");
}

static LLVMValueRef every_second(struct weftc_emission *em, LLVMValueRef a, LLVMValueRef b, int first)
{
    int at[WEFTC_MAX_LANES];
    for (unsigned k = 0; k < em->v->lanes; k++)
        at[k] = first + 2 * (int)k;
    return weftc_words_shuffle(em, a, b, at, em->v->lanes);
}

// Takes word j of all lanes out of the pieces, if their number is no power of two.
static LLVMValueRef pick_word(struct weftc_emission *em, LLVMValueRef *pieces, unsigned n, unsigned j)
{
    LLVMValueRef result = NULL;
    for (unsigned p = 0; p < n; p++) {
        int at[WEFTC_MAX_LANES];
        bool any = false;
        for (unsigned k = 0; k < em->v->lanes; k++) {
            unsigned flat = k * n + j;
            at[k] = flat / em->v->lanes < p ? (int)k : -1;
            if (flat / em->v->lanes == p) {
                at[k] = (int)(flat % em->v->lanes + (result ? em->v->lanes : 0));
                any = true;
            }
        }
        if (any)
            result = weftc_words_shuffle(em, result ? result : pieces[p], result ? pieces[p] : NULL, at,
                                         em->v->lanes);
    }
    return result;
}

void weftc_words_apart(struct weftc_emission *em, LLVMValueRef *pieces, unsigned n, uint64_t wanted,
                       LLVMValueRef *words)
{
    if (n == 1) {
        words[0] = pieces[0];
        return;
    }
    if (!weftc_is_power(n)) {
        for (unsigned j = 0; j < n; j++)
            if (wanted >> j & 1)
                words[j] = pick_word(em, pieces, n, j);
        return;
    }
    for (unsigned odd = 0; odd < 2; odd++) {
        LLVMValueRef half[WEFTC_MAX_PIECES], found[WEFTC_MAX_PIECES] = {NULL};
        uint64_t of_half = 0;
        for (unsigned j = 0; 2 * j + odd < n; j++)
            of_half |= (wanted >> (2 * j + odd) & 1) << j;
        if (of_half == 0)
            continue;
        for (unsigned k = 0; k < n / 2; k++)
            half[k] = every_second(em, pieces[2 * k], pieces[2 * k + 1], (int)odd);
        weftc_words_apart(em, half, n / 2, of_half, found);
        for (unsigned j = 0; 2 * j + odd < n; j++)
            words[2 * j + odd] = found[j];
    }
}

void weftc_words_together(struct weftc_emission *em, LLVMValueRef *words, unsigned n, LLVMValueRef *pieces)
{
    int at[WEFTC_MAX_LANES];
    if (n == 1) {
        pieces[0] = words[0];
        return;
    }
    if (!weftc_is_power(n)) {
        for (unsigned p = 0; p < n; p++) {
            LLVMValueRef sum = NULL;
            for (unsigned j = 0; j < n; j++) {
                for (unsigned k = 0; k < em->v->lanes; k++) {
                    unsigned flat = p * em->v->lanes + k;
                    at[k] = flat % n < j ? (int)k : -1;
                    if (flat % n == j)
                        at[k] = (int)(flat / n + (sum ? em->v->lanes : 0));
                }
                sum = weftc_words_shuffle(em, sum ? sum : words[j], sum ? words[j] : NULL, at, em->v->lanes);
            }
            pieces[p] = sum;
        }
        return;
    }
    LLVMValueRef half[2][WEFTC_MAX_PIECES], made[2][WEFTC_MAX_PIECES];
    for (unsigned odd = 0; odd < 2; odd++) {
        for (unsigned j = 0; j < n / 2; j++)
            half[odd][j] = words[2 * j + odd];
        weftc_words_together(em, half[odd], n / 2, made[odd]);
    }
    for (unsigned k = 0; k < n; k++) {
        unsigned first = k % 2 ? em->v->lanes / 2 : 0;
        for (unsigned e = 0; e < em->v->lanes; e++)
            at[e] = (int)(first + e / 2 + (e % 2 ? em->v->lanes : 0));
        pieces[k] = weftc_words_shuffle(em, made[0][k / 2], made[1][k / 2], at, em->v->lanes);
    }
}

// ---- memory ----

void weftc_group_describe(LLVMValueRef access, const struct weftc_vec_group *g)
{
    weftc_bridge_copy_access(access, g->members[0]);
    for (uint32_t k = 1; k < g->count; k++)
        weftc_bridge_join_access(access, g->members[k]);
}

LLVMValueRef weftc_group_at(struct weftc_emission *em, LLVMValueRef pointer, uint64_t bytes)
{
    LLVMValueRef by = weftc_i64(em->c, bytes);
    return bytes ? LLVMBuildGEP2(em->b, LLVMInt8TypeInContext(em->c), pointer, &by, 1, "") : pointer;
}

unsigned weftc_group_align(const struct weftc_vec_group *g, uint64_t bytes)
{
    uint64_t both = bytes | g->align;
    return (unsigned)(both & (0 - both));
}
