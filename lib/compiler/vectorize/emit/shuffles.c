// Words and pieces (vectorize/emit/interleaved.h): segments that follow each other in vectors are taken apart
// into one vector for each word, and put together again. And the addresses, alignments and masked accesses of
// pieces.
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <llvm-c/Core.h>

#include "compiler/arch/target.h"
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

// ---- 8 words of 32 bits in two halves ----
//
// AVX2 interleaves words within each half of a register, and joins halves of two registers, by one
// instruction each. To take every second word it needs two, and LLVM takes long to find them. So words are
// taken apart and put together by steps of these kinds. The place of a word is a number: the bits of its
// vector's number and three bits for its place in the vector, of which the highest says in which half it is.
// JOIN swaps this bit with a bit of the vector's number. INTERLEAVE moves three bits on: one of the vector's
// number becomes the lowest bit of the place, that one the next, and this one the bit of the vector's number.
enum { HALF_LANES = 8, HALF_WORDS = 8 };

static const int JOIN[2][HALF_LANES] = {{0, 1, 2, 3, 8, 9, 10, 11}, {4, 5, 6, 7, 12, 13, 14, 15}};
static const int INTERLEAVE[2][HALF_LANES] = {{0, 8, 1, 9, 4, 12, 5, 13}, {2, 10, 3, 11, 6, 14, 7, 15}};

static bool has_halves(const struct weftc_emission *em, LLVMValueRef vector, unsigned n)
{
    const unsigned p = em->v->permutes;
    return (p & WEFTC_PERMUTES_8_WORDS) && !(p & WEFTC_PERMUTES_512) && em->v->lanes == HALF_LANES &&
           LLVMGetElementType(LLVMTypeOf(vector)) == LLVMInt32TypeInContext(em->c) && weftc_is_power(n) &&
           n >= 4;
}

// A step for n vectors, and a bit of their numbers.
static void step(struct weftc_emission *em, LLVMValueRef *vectors, unsigned n, unsigned bit,
                 const int (*at)[HALF_LANES])
{
    for (unsigned k = 0; k < n; k++) {
        if (k & bit)
            continue;
        LLVMValueRef a = vectors[k], b = vectors[k | bit];
        vectors[k] = weftc_words_shuffle(em, a, b, at[0], HALF_LANES);
        vectors[k | bit] = weftc_words_shuffle(em, a, b, at[1], HALF_LANES);
    }
}

// 4 or 8 pieces, which become words in their order.
static void halves_apart(struct weftc_emission *em, LLVMValueRef *vectors, unsigned n)
{
    step(em, vectors, n, n / 2, JOIN);
    step(em, vectors, n, n / 4, INTERLEAVE);
    step(em, vectors, n, n == 4 ? 2 : 1, INTERLEAVE);
    if (n == 4) {
        LLVMValueRef second = vectors[1];
        vectors[1] = vectors[2];
        vectors[2] = second;
    }
}

// The other way. That of 8 vectors is the same.
static void halves_together(struct weftc_emission *em, LLVMValueRef *vectors, unsigned n)
{
    if (n == HALF_WORDS) {
        halves_apart(em, vectors, n);
        return;
    }
    step(em, vectors, n, 2, INTERLEAVE);
    step(em, vectors, n, 1, INTERLEAVE);
    step(em, vectors, n, 1, JOIN);
    LLVMValueRef second = vectors[1];
    vectors[1] = vectors[2];
    vectors[2] = second;
}

// ---- any vectors ----

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
    if (has_halves(em, pieces[0], n)) {
        const unsigned rows = n < HALF_WORDS ? n : HALF_WORDS, each = n / rows; // pieces of a lane
        for (unsigned j = 0; j < each; j++) {
            for (unsigned k = 0; k < rows; k++)
                words[j * rows + k] = pieces[k * each + j];
            halves_apart(em, words + (size_t)j * rows, rows);
        }
        for (unsigned j = 0; j < n; j++)
            words[j] = wanted >> j & 1 ? words[j] : NULL;
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

// Which word is the only one that isn't poison; n: there are several, or none.
static unsigned only_word(LLVMValueRef *words, unsigned n)
{
    unsigned only = n;
    for (unsigned j = 0; j < n; j++) {
        if (LLVMIsPoison(words[j]))
            continue;
        if (only < n)
            return n;
        only = j;
    }
    return only;
}

// One shuffle a piece is enough for one word. LLVM 22 can't select code for AVX-512 where a vector of 16 is
// interleaved with poison, and what comes of that once more.
static void spread_word(struct weftc_emission *em, LLVMValueRef word, unsigned j, unsigned n,
                        LLVMValueRef *pieces)
{
    int at[WEFTC_MAX_LANES];
    for (unsigned p = 0; p < n; p++) {
        for (unsigned k = 0; k < em->v->lanes; k++) {
            unsigned flat = p * em->v->lanes + k;
            at[k] = flat % n == j ? (int)(flat / n) : -1;
        }
        pieces[p] = weftc_words_shuffle(em, word, NULL, at, em->v->lanes);
    }
}

void weftc_words_together(struct weftc_emission *em, LLVMValueRef *words, unsigned n, LLVMValueRef *pieces)
{
    int at[WEFTC_MAX_LANES];
    if (n == 1) {
        pieces[0] = words[0];
        return;
    }
    const unsigned only = only_word(words, n);
    if (only < n) {
        spread_word(em, words[only], only, n, pieces);
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
    if (has_halves(em, words[0], n)) {
        const unsigned rows = n < HALF_WORDS ? n : HALF_WORDS, each = n / rows;
        for (unsigned j = 0; j < each; j++) {
            LLVMValueRef made[HALF_WORDS];
            memcpy(made, words + (size_t)j * rows, rows * sizeof *made);
            halves_together(em, made, rows);
            for (unsigned k = 0; k < rows; k++)
                pieces[k * each + j] = made[k];
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
