// The members of an interleave group in the words of its segments (interleaved.c): a word is one member, or
// several small ones that are separated by shifts.
#include <stdint.h>

#include <llvm-c/Core.h>

#include "compiler/ir/llvm_helpers.h"
#include "compiler/vectorize/access/access.h"
#include "compiler/vectorize/emit/emit.h"
#include "compiler/vectorize/emit/interleaved.h"

static LLVMValueRef as_integers(struct weftc_emission *em, LLVMValueRef vector, uint32_t bytes)
{
    LLVMTypeRef type = LLVMVectorType(weftc_words_type(em, bytes), em->v->lanes);
    return LLVMTypeOf(vector) == type ? vector : LLVMBuildBitCast(em->b, vector, type, "");
}

static LLVMValueRef splat_of(struct weftc_emission *em, LLVMTypeRef integer, uint64_t value)
{
    return weftc_vec_splat(em, em->b, LLVMConstInt(integer, value, false));
}

void weftc_group_set_members(struct weftc_emission *em, const struct weftc_vec_group *g,
                             const struct weftc_group_segment *segment)
{
    const uint32_t word = g->plan.word;
    for (uint32_t k = 0; k < g->count; k++) {
        LLVMValueRef value = segment->words[g->offsets[k] / word];
        uint64_t shift = 8 * (g->offsets[k] % word);
        if (shift)
            value = LLVMBuildLShr(em->b, value, splat_of(em, weftc_words_type(em, word), shift), "");
        if (word > g->element)
            value = LLVMBuildTrunc(em->b, value,
                                   LLVMVectorType(weftc_words_type(em, g->element), em->v->lanes), "");
        LLVMTypeRef type = weftc_vec_type(em, LLVMTypeOf(g->members[k]));
        if (LLVMTypeOf(value) != type)
            value = LLVMBuildBitCast(em->b, value, type, "");
        weftc_vec_set_vector(em, g->members[k], value);
    }
}

void weftc_group_get_members(struct weftc_emission *em, const struct weftc_vec_group *g,
                             struct weftc_group_segment *segment)
{
    const uint32_t word = g->plan.word;
    LLVMTypeRef type = weftc_words_type(em, word), wide = LLVMVectorType(type, em->v->lanes);
    for (uint32_t k = 0; k < g->count; k++) {
        LLVMValueRef value = weftc_vec_vector(em, LLVMGetOperand(g->members[k], 0));
        value = as_integers(em, value, g->element);
        LLVMValueRef *to = &segment->words[g->offsets[k] / word];
        uint64_t shift = 8 * (g->offsets[k] % word);
        // A member that nobody has set is poison, and must not make the others poison.
        if (word > g->element)
            value = LLVMBuildZExt(em->b, LLVMBuildFreeze(em->b, value, ""), wide, "");
        if (shift)
            value = LLVMBuildShl(em->b, value, splat_of(em, type, shift), "");
        *to = *to ? LLVMBuildOr(em->b, *to, value, "") : value;
    }
}
