// Sums of products of bytes that programs write by hand become dot products of four bytes, for which there
// are instructions (codegen/dot_products.c):
//
//   char4 x, y;    s += x.x * y.x + x.y * y.y + x.z * y.z + x.w * y.w;
//   int4 p = convert_int4(x) * convert_int4(y);    s += p.x + p.y + p.z + p.w;
//
// The terms may stand in any order and between others. Their sum is of ints, so the order of additions
// doesn't matter.
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <llvm-c/Core.h>

#include "base/base.h"
#include "compiler/ir/ir.h"
#include "compiler/ir/llvm_helpers.h"
#include "compiler/prepare/prepare.h"

enum { MAX_TERMS = 64, BYTES = 4 };

// A byte of a vector of bytes, as an int.
struct byte {
    LLVMValueRef vector;
    uint32_t index;
    bool is_signed;
};

// A product of two bytes in a sum. `user` is the sum's addition that takes it, as its operand number
// `operand`.
struct term {
    struct byte x, y;
    LLVMValueRef user;
    unsigned operand;
};

struct sum {
    struct term terms[MAX_TERMS];
    unsigned count;
    LLVMValueRef additions[MAX_TERMS];
    unsigned addition_count;
};

// ---- what a term is ----

static bool is_vector_of(LLVMTypeRef type, unsigned bits)
{
    return LLVMGetTypeKind(type) == LLVMVectorTypeKind &&
           LLVMGetTypeKind(LLVMGetElementType(type)) == LLVMIntegerTypeKind &&
           LLVMGetIntTypeWidth(LLVMGetElementType(type)) == bits;
}

static bool is_opcode(LLVMValueRef value, LLVMOpcode opcode)
{
    return LLVMIsAInstruction(value) && LLVMGetInstructionOpcode(value) == opcode;
}

// value is an extension of bytes: what it extends.
static LLVMValueRef extended(LLVMValueRef value, bool *is_signed)
{
    *is_signed = is_opcode(value, LLVMSExt);
    return *is_signed || is_opcode(value, LLVMZExt) ? LLVMGetOperand(value, 0) : NULL;
}

// value is an element with a constant number: its vector, and the number.
static LLVMValueRef element(LLVMValueRef value, uint32_t *index)
{
    if (!is_opcode(value, LLVMExtractElement) || !LLVMIsAConstantInt(LLVMGetOperand(value, 1)))
        return NULL;
    LLVMValueRef vector = LLVMGetOperand(value, 0);
    const uint64_t number = LLVMConstIntGetZExtValue(LLVMGetOperand(value, 1));
    *index = (uint32_t)number;
    return number < LLVMGetVectorSize(LLVMTypeOf(vector)) ? vector : NULL;
}

static bool is_byte(LLVMValueRef value, struct byte *byte)
{
    LLVMValueRef narrow = extended(value, &byte->is_signed);
    byte->vector = narrow ? element(narrow, &byte->index) : NULL;
    return byte->vector && is_vector_of(LLVMTypeOf(byte->vector), 8);
}

static bool is_byte_of_all(LLVMValueRef vector, uint32_t index, struct byte *byte)
{
    byte->index = index;
    byte->vector = extended(vector, &byte->is_signed);
    return byte->vector && is_vector_of(LLVMTypeOf(byte->vector), 8);
}

static bool is_product(LLVMValueRef value, struct byte *x, struct byte *y)
{
    uint32_t index;
    LLVMValueRef vector = element(value, &index), product = vector ? vector : value;
    if (!is_opcode(product, LLVMMul))
        return false;
    LLVMValueRef a = LLVMGetOperand(product, 0), b = LLVMGetOperand(product, 1);
    return vector ? is_byte_of_all(a, index, x) && is_byte_of_all(b, index, y)
                  : is_byte(a, x) && is_byte(b, y);
}

// ---- sums ----

static bool has_one_use(LLVMValueRef value)
{
    LLVMUseRef use = LLVMGetFirstUse(value);
    return use && !LLVMGetNextUse(use);
}

static bool is_addition(LLVMValueRef value)
{
    return is_opcode(value, LLVMAdd) && LLVMGetTypeKind(LLVMTypeOf(value)) == LLVMIntegerTypeKind &&
           LLVMGetIntTypeWidth(LLVMTypeOf(value)) == 32;
}

// An addition whose result isn't only another one's operand.
static bool is_whole_sum(LLVMValueRef value)
{
    return is_addition(value) && !(has_one_use(value) && is_addition(LLVMGetUser(LLVMGetFirstUse(value))));
}

// False: there are too many terms.
static bool collect(struct sum *s, LLVMValueRef root)
{
    s->count = 0;
    s->addition_count = 1;
    s->additions[0] = root;
    for (unsigned k = 0; k < s->addition_count; k++)
        for (unsigned operand = 0; operand < 2; operand++) {
            LLVMValueRef value = LLVMGetOperand(s->additions[k], operand);
            if (s->addition_count == MAX_TERMS || s->count == MAX_TERMS)
                return false;
            struct term t = {.user = s->additions[k], .operand = operand};
            if (is_addition(value) && has_one_use(value))
                s->additions[s->addition_count++] = value;
            else if (has_one_use(value) && is_product(value, &t.x, &t.y))
                s->terms[s->count++] = t;
        }
    return true;
}

// ---- four terms as one ----

static bool is_next(const struct term *first, const struct term *t, uint32_t by)
{
    return t->user && t->x.vector == first->x.vector && t->y.vector == first->y.vector &&
           t->x.is_signed == first->x.is_signed && t->y.is_signed == first->y.is_signed &&
           t->x.index == first->x.index + by && t->y.index == first->y.index + by;
}

// The terms of the three bytes after those of `first`. False: one is missing.
static bool find_others(struct sum *s, struct term *first, struct term *four[BYTES])
{
    four[0] = first;
    for (unsigned by = 1; by < BYTES; by++) {
        four[by] = NULL;
        for (unsigned k = 0; k < s->count && !four[by]; k++)
            if (is_next(first, &s->terms[k], by))
                four[by] = &s->terms[k];
        if (!four[by])
            return false;
    }
    return true;
}

// The four bytes as a word.
static LLVMValueRef word(LLVMBuilderRef b, struct byte first)
{
    LLVMTypeRef type = LLVMTypeOf(first.vector);
    LLVMContextRef c = LLVMGetTypeContext(type);
    LLVMValueRef mask[BYTES];
    for (unsigned k = 0; k < BYTES; k++)
        mask[k] = weftc_i32(c, first.index + k);
    if (LLVMGetVectorSize(type) != BYTES)
        first.vector =
            LLVMBuildShuffleVector(b, first.vector, LLVMGetPoison(type), LLVMConstVector(mask, BYTES), "");
    return LLVMBuildBitCast(b, first.vector, LLVMInt32TypeInContext(c), "");
}

static LLVMValueRef dot(LLVMModuleRef module, LLVMBuilderRef b, struct byte x, struct byte y)
{
    if (x.is_signed && !y.is_signed)
        return dot(module, b, y, x);
    LLVMTypeRef i32 = LLVMInt32TypeInContext(LLVMGetModuleContext(module)), types[] = {i32, i32};
    LLVMTypeRef type = LLVMFunctionType(i32, types, 2, false);
    char name[32];
    snprintf(name, sizeof name, WEFTC_DOT_PREFIX "%c%c", x.is_signed ? 's' : 'u', y.is_signed ? 's' : 'u');
    LLVMValueRef f = LLVMGetNamedFunction(module, name);
    if (!f) {
        f = LLVMAddFunction(module, name, type);
        weftc_add_pure_attributes(f);
    }
    LLVMValueRef words[] = {word(b, x), word(b, y)};
    return LLVMBuildCall2(b, type, f, words, 2, "");
}

// The first term becomes the dot product, the others become 0.
static bool join(struct sum *s, LLVMModuleRef module, LLVMBuilderRef b)
{
    bool any = false;
    for (unsigned k = 0; k < s->count; k++) {
        struct term *four[BYTES];
        if (!s->terms[k].user || !find_others(s, &s->terms[k], four))
            continue;
        any = true;
        LLVMPositionBuilderBefore(b, four[0]->user);
        LLVMSetOperand(four[0]->user, four[0]->operand, dot(module, b, four[0]->x, four[0]->y));
        for (unsigned by = 1; by < BYTES; by++)
            LLVMSetOperand(four[by]->user, four[by]->operand, weftc_i32(LLVMGetModuleContext(module), 0));
        for (unsigned by = 0; by < BYTES; by++)
            four[by]->user = NULL;
    }
    // Partial sums are others now. They may overflow where the old ones didn't.
    for (unsigned k = 0; any && k < s->addition_count; k++) {
        LLVMSetNSW(s->additions[k], false);
        LLVMSetNUW(s->additions[k], false);
    }
    return any;
}

bool weftc_prepare_dot_products(LLVMModuleRef module, LLVMValueRef function)
{
    LLVMBuilderRef b = LLVMCreateBuilderInContext(LLVMGetModuleContext(module));
    struct sum s;
    bool any = false;
    for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(function); block;
         block = LLVMGetNextBasicBlock(block))
        for (LLVMValueRef i = LLVMGetFirstInstruction(block); i; i = LLVMGetNextInstruction(i))
            if (is_whole_sum(i) && collect(&s, i))
                any |= join(&s, module, b);
    LLVMDisposeBuilder(b);
    return any;
}
