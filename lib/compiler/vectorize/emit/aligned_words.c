// Loads of one to three bytes of each lane that lie anywhere. No instruction gathers bytes or words of 16
// bits. So words of 32 bits are gathered. A word that lies on one page with a lane's bytes causes no fault
// that the bytes themselves wouldn't cause. That is true of
//
// * the aligned word in which they lie, and where they go on in the next one, that too;
// * the word that begins with them, unless they are the last ones of a page.
//
// Bytes that may go on in the next aligned word are loaded in the second way, with one gather. The first way,
// with two, is for vectors in which a lane's bytes are at the end of a page.
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include <llvm-c/Core.h>
#include <llvm-c/Target.h>

#include "compiler/bridge/vectorize.h"
#include "compiler/ir/llvm_helpers.h"
#include "compiler/shapes/shapes.h"
#include "compiler/vectorize/access/access.h"
#include "compiler/vectorize/emit/emit.h"
#include "compiler/vectorize/emit/interleaved.h"

enum { WORD = 4, PAGE = 4096 };

// Where the lanes' bytes lie: `into` bytes after the aligned word at `word`.
struct places {
    LLVMValueRef base;  // the pointer that the indices count from, as a scalar
    LLVMValueRef index; // <lanes x i32> to the aligned words; NULL: see `words`
    LLVMValueRef words; // <lanes x ptr>
    LLVMValueRef into;  // <lanes x i32> 0 to 3
    LLVMValueRef low;   // <lanes x i32> the low bits of the bytes' addresses
    LLVMValueRef own;   // <lanes x i32> or <lanes x ptr>, as index or words, but to the bytes themselves
};

static LLVMValueRef number(struct weftc_emission *em, uint64_t n)
{
    return weftc_vec_splat(em, em->b, LLVMConstInt(LLVMInt32TypeInContext(em->c), n, true));
}

static LLVMValueRef call_of_two(struct weftc_emission *em, const char *name, LLVMValueRef a, LLVMValueRef b,
                                unsigned types)
{
    LLVMTypeRef overloads[] = {LLVMTypeOf(a), LLVMTypeOf(b)};
    unsigned id = LLVMLookupIntrinsicID(name, strlen(name));
    LLVMValueRef f = LLVMGetIntrinsicDeclaration(em->module, id, overloads, types);
    return LLVMBuildCall2(em->b, LLVMGlobalGetValueType(f), f, (LLVMValueRef[]){a, b}, 2, "");
}

// The number of at most 32 bits that a pointer is from a base that all lanes share, in bytes; NULL: it isn't
// of that form. A gather with such numbers takes half as many instructions as one with addresses.
static LLVMValueRef narrow_index(const struct weftc_vec *v, LLVMValueRef pointer, bool *is_signed)
{
    if (!LLVMIsAGetElementPtrInst(pointer) || LLVMGetNumOperands(pointer) != 2 ||
        LLVMABISizeOfType(v->s->layout, LLVMGetGEPSourceElementType(pointer)) != 1 ||
        weftc_vec_shape(v, LLVMGetOperand(pointer, 0)).kind != WEFTC_UNIFORM)
        return NULL;
    LLVMValueRef wide = LLVMGetOperand(pointer, 1);
    const bool zext = LLVMIsAZExtInst(wide) != NULL;
    if (!zext && !LLVMIsASExtInst(wide))
        return NULL;
    LLVMValueRef index = LLVMGetOperand(wide, 0);
    const unsigned bits = LLVMGetIntTypeWidth(LLVMTypeOf(index));
    *is_signed = !zext;
    return bits < 32 || (bits == 32 && !zext) || (bits == 32 && LLVMGetNNeg(wide)) ? index : NULL;
}

// The words are found from the index. Where an index is so low that its word's index doesn't fit 32 bits,
// the lane's word begins later.
static struct places by_index(struct weftc_emission *em, const struct weftc_vec_group *g,
                              LLVMValueRef pointer, LLVMValueRef index, bool is_signed)
{
    LLVMTypeRef i32 = LLVMInt32TypeInContext(em->c), numbers = LLVMVectorType(i32, em->v->lanes);
    LLVMValueRef base = weftc_vec_scalar(em, LLVMGetOperand(pointer, 0));
    base = weftc_group_at(em, base, 0 - weftc_group_insert_offset(g));
    LLVMValueRef from = LLVMBuildPtrToInt(em->b, base, i32, "");
    LLVMValueRef x = LLVMBuildIntCast2(em->b, weftc_vec_vector(em, index), numbers, is_signed, "");
    LLVMValueRef address = LLVMBuildAdd(em->b, x, weftc_vec_splat(em, em->b, from), "");
    LLVMValueRef into = LLVMBuildAnd(em->b, address, number(em, WORD - 1), "");
    if (is_signed)
        into = call_of_two(em, "llvm.umin", into, LLVMBuildXor(em->b, x, number(em, 1ull << 31), ""), 1);
    return (struct places){
        .base = base, .index = LLVMBuildSub(em->b, x, into, ""), .into = into, .low = address, .own = x};
}

static struct places by_address(struct weftc_emission *em, const struct weftc_vec_group *g,
                                LLVMValueRef pointer)
{
    LLVMTypeRef numbers = LLVMVectorType(LLVMInt32TypeInContext(em->c), em->v->lanes);
    LLVMValueRef by = weftc_vec_splat(em, em->b, weftc_i64(em->c, 0 - weftc_group_insert_offset(g))),
                 at = weftc_vec_vector(em, pointer);
    if (weftc_group_insert_offset(g))
        at = LLVMBuildGEP2(em->b, LLVMInt8TypeInContext(em->c), at, &by, 1, "");
    LLVMValueRef low = LLVMBuildPtrToInt(em->b, at, numbers, ""),
                 into = LLVMBuildAnd(em->b, low, number(em, WORD - 1), "");
    LLVMValueRef even = weftc_vec_splat(em, em->b, weftc_i64(em->c, ~(uint64_t)(WORD - 1)));
    return (struct places){
        .words = call_of_two(em, "llvm.ptrmask", at, even, 2), .into = into, .low = low, .own = at};
}

// The words `after` bytes after those of the lanes in the mask; 0 for the others.
static LLVMValueRef gather(struct weftc_emission *em, const struct weftc_vec_group *g, const struct places *p,
                           uint64_t after, LLVMValueRef mask)
{
    LLVMTypeRef i8 = LLVMInt8TypeInContext(em->c), i64 = LLVMInt64TypeInContext(em->c),
                type = LLVMVectorType(LLVMInt32TypeInContext(em->c), em->v->lanes);
    LLVMValueRef at, by = weftc_vec_splat(em, em->b, weftc_i64(em->c, after));
    if (p->index) {
        LLVMValueRef wide = LLVMBuildSExt(em->b, p->index, LLVMVectorType(i64, em->v->lanes), "");
        at = LLVMBuildGEP2(em->b, i8, weftc_group_at(em, p->base, after), &wide, 1, "");
    } else {
        at = after ? LLVMBuildGEP2(em->b, i8, p->words, &by, 1, "") : p->words;
    }
    LLVMValueRef arguments[] = {at, weftc_i32(em->c, 1), mask ? mask : weftc_vec_true(em),
                                LLVMConstNull(type)};
    LLVMValueRef result =
        weftc_bridge_masked_access(em->b, "llvm.masked.gather", type, LLVMTypeOf(at), arguments);
    weftc_group_describe(result, g);
    return result;
}

// The bytes of each lane, from the low end of a word on.
static LLVMValueRef from_aligned(struct weftc_emission *em, const struct weftc_vec_group *g,
                                 const struct places *p, LLVMValueRef mask)
{
    LLVMValueRef shift = LLVMBuildShl(em->b, p->into, number(em, 3), ""),
                 low = LLVMBuildLShr(em->b, gather(em, g, p, 0, mask), shift, "");
    if (!g->plan.stride)
        return low;
    LLVMValueRef more = LLVMBuildICmp(em->b, LLVMIntUGT, p->into, number(em, WORD - g->span), "");
    if (mask)
        more = LLVMBuildSelect(em->b, mask, more, LLVMConstNull(LLVMTypeOf(mask)), "");
    LLVMValueRef left =
        LLVMBuildAnd(em->b, LLVMBuildSub(em->b, number(em, 32), shift, ""), number(em, 31), "");
    return LLVMBuildOr(em->b, low, LLVMBuildShl(em->b, gather(em, g, p, WORD, more), left, ""), "");
}

// The same, from the words that begin with the bytes where all of these are on one page.
static LLVMValueRef from_own(struct weftc_emission *em, const struct weftc_vec_group *g,
                             const struct places *p, LLVMValueRef mask)
{
    struct places own = *p;
    *(p->index ? &own.index : &own.words) = p->own;
    LLVMValueRef in_page = LLVMBuildAnd(em->b, p->low, number(em, PAGE - 1), ""),
                 late = LLVMBuildICmp(em->b, LLVMIntUGT, in_page, number(em, PAGE - WORD), "");
    LLVMBasicBlockRef aligned = LLVMAppendBasicBlockInContext(em->c, em->to, ""),
                      begins = LLVMAppendBasicBlockInContext(em->c, em->to, ""),
                      after = LLVMAppendBasicBlockInContext(em->c, em->to, ""), from[2];
    weftc_set_unlikely(LLVMBuildCondBr(em->b, weftc_vec_any(em, late), aligned, begins), true);
    LLVMValueRef words[2];
    LLVMPositionBuilderAtEnd(em->b, aligned);
    words[0] = from_aligned(em, g, p, mask);
    from[0] = LLVMGetInsertBlock(em->b);
    LLVMBuildBr(em->b, after);
    LLVMPositionBuilderAtEnd(em->b, begins);
    words[1] = gather(em, g, &own, 0, mask);
    from[1] = LLVMGetInsertBlock(em->b);
    LLVMBuildBr(em->b, after);
    LLVMPositionBuilderAtEnd(em->b, after);
    LLVMValueRef word = LLVMBuildPhi(em->b, LLVMTypeOf(words[0]), "");
    LLVMAddIncoming(word, words, from, 2);
    return word;
}

void weftc_group_load_aligned(struct weftc_emission *em, const struct weftc_vec_group *group)
{
    struct weftc_vec_group g = *group;
    g.plan = (struct weftc_vec_plan){.word = WORD, .words = 1, .stride = g.span > g.align};
    LLVMValueRef pointer = weftc_vec_pointer(weftc_vec_insert_position(&g)), mask = weftc_vec_mask(em);
    bool is_signed;
    LLVMValueRef index = narrow_index(em->v, pointer, &is_signed);
    const struct places p = index ? by_index(em, &g, pointer, index, is_signed) : by_address(em, &g, pointer);
    struct weftc_group_segment segment = {
        {g.plan.stride ? from_own(em, &g, &p, mask) : from_aligned(em, &g, &p, mask)}};
    weftc_group_set_members(em, &g, &segment);
}

void weftc_vec_aligned_load(struct weftc_emission *em, LLVMValueRef i)
{
    weftc_group_load_aligned(em, weftc_vec_access(em->v, i)->group);
}
