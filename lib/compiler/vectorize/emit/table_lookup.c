// Loads from small tables of constants (vectorize/access/tables.c finds them), done by instructions that
// permute registers.
#include <stddef.h>
#include <stdint.h>

#include <llvm-c/Core.h>
#include <llvm-c/Target.h>

#include "compiler/arch/target.h"
#include "compiler/ir/llvm_helpers.h"
#include "compiler/vectorize/access/access.h"
#include "compiler/vectorize/access/tables.h"
#include "compiler/vectorize/emit/emit.h"

enum { MAX_LANES_OF_TABLE = 64 };

static LLVMTypeRef integer(const struct weftc_emission *em, const struct weftc_lookup *t)
{
    return LLVMIntTypeInContext(em->c, (unsigned)t->bits);
}

// A byte of the table; padding is 0.
static uint64_t byte_at(const struct weftc_emission *em, LLVMValueRef data, uint64_t at)
{
    LLVMTypeRef type = LLVMTypeOf(data);
    LLVMTypeKind kind = LLVMGetTypeKind(type);
    while (kind == LLVMArrayTypeKind || kind == LLVMStructTypeKind) {
        unsigned n;
        if (kind == LLVMStructTypeKind) {
            n = LLVMElementAtOffset(em->v->s->layout, type, at);
            at -= LLVMOffsetOfElement(em->v->s->layout, type, n);
        } else {
            uint64_t size = LLVMABISizeOfType(em->v->s->layout, LLVMGetElementType(type));
            if (at / size >= LLVMGetArrayLength2(type)) // padding of a structure that contains it
                return 0;
            n = (unsigned)(at / size);
            at %= size;
        }
        data = LLVMGetAggregateElement(data, n);
        type = LLVMTypeOf(data);
        kind = LLVMGetTypeKind(type);
    }
    const uint64_t bits = weftc_lookup_bits(type);
    LLVMValueRef number =
        bits ? LLVMIsAConstantInt(LLVMConstBitCast(data, LLVMIntTypeInContext(em->c, (unsigned)bits))) : NULL;
    return number && 8 * at < bits ? LLVMConstIntGetZExtValue(number) >> (8 * at) & 0xff : 0;
}

static LLVMValueRef entry(struct weftc_emission *em, const struct weftc_lookup *t, uint64_t n)
{
    const uint64_t size = t->bits / 8;
    uint64_t value = 0;
    for (uint64_t k = 0; k < size; k++) // the lowest byte comes first
        value |= byte_at(em, LLVMGetInitializer(t->global), n * size + k) << (8 * k);
    return LLVMConstInt(integer(em, t), value, false);
}

// Register r of the table; what lies after its end is 0.
static LLVMValueRef table_register(struct weftc_emission *em, const struct weftc_lookup *t, unsigned r)
{
    LLVMValueRef values[MAX_LANES_OF_TABLE];
    for (unsigned k = 0; k < t->piece; k++) {
        uint64_t n = (uint64_t)r * t->piece + k;
        values[k] = n < t->entries ? entry(em, t, t->first + n) : LLVMConstNull(integer(em, t));
    }
    return LLVMConstVector(values, t->piece);
}

// The numbers of the entries in all lanes, as wide as an entry: higher bits don't count.
static LLVMValueRef numbers(struct weftc_emission *em, const struct weftc_lookup *t)
{
    LLVMTypeRef type = LLVMVectorType(integer(em, t), em->v->lanes);
    LLVMValueRef sum = LLVMConstNull(type);
    const uint64_t size = t->bits / 8;
    uint64_t constant = 0 - t->first;
    for (unsigned k = 0; k < t->step_count; k++) {
        if (!t->steps[k].index) {
            constant += t->steps[k].offset / size;
            continue;
        }
        LLVMValueRef index =
            LLVMBuildIntCast2(em->b, weftc_vec_vector(em, t->steps[k].index), type, true, "");
        LLVMValueRef scale = LLVMConstInt(integer(em, t), t->steps[k].scale / size, false);
        sum = LLVMBuildAdd(em->b, sum, LLVMBuildMul(em->b, index, weftc_vec_splat(em, em->b, scale), ""), "");
    }
    LLVMValueRef by = LLVMConstInt(integer(em, t), constant, false);
    return LLVMBuildAdd(em->b, sum, weftc_vec_splat(em, em->b, by), "");
}

// `count` lanes from `first` on; lanes that don't exist may be anything.
static LLVMValueRef part(struct weftc_emission *em, LLVMValueRef vector, unsigned first, unsigned count)
{
    unsigned have = LLVMGetVectorSize(LLVMTypeOf(vector));
    LLVMValueRef mask[MAX_LANES_OF_TABLE];
    for (unsigned k = 0; k < count; k++)
        mask[k] =
            first + k < have ? weftc_i32(em->c, first + k) : LLVMGetPoison(LLVMInt32TypeInContext(em->c));
    return LLVMBuildShuffleVector(em->b, vector, LLVMGetPoison(LLVMTypeOf(vector)),
                                  LLVMConstVector(mask, count), "");
}

static LLVMValueRef join(struct weftc_emission *em, LLVMValueRef a, LLVMValueRef b)
{
    unsigned n = LLVMGetVectorSize(LLVMTypeOf(a));
    LLVMValueRef mask[MAX_LANES_OF_TABLE];
    for (unsigned k = 0; k < 2 * n; k++)
        mask[k] = weftc_i32(em->c, k);
    return LLVMBuildShuffleVector(em->b, a, b, LLVMConstVector(mask, 2 * n), "");
}

// Takes elements of register r, and of the one after it if `both`. NULL: the target can't do that at once.
static LLVMValueRef permute(struct weftc_emission *em, const struct weftc_lookup *t, unsigned r, bool both,
                            LLVMValueRef number)
{
    return weftc_target_ops->permute(em->module, em->b, table_register(em, t, r),
                                     both ? table_register(em, t, r + 1) : NULL, number);
}

// Is that bit of the number set, in each lane?
static LLVMValueRef has_bit(struct weftc_emission *em, const struct weftc_lookup *t, LLVMValueRef number,
                            uint64_t bit)
{
    LLVMValueRef bits[MAX_LANES_OF_TABLE];
    for (unsigned k = 0; k < t->piece; k++)
        bits[k] = LLVMConstInt(integer(em, t), bit, false);
    LLVMValueRef masked = LLVMBuildAnd(em->b, number, LLVMConstVector(bits, t->piece), "");
    return LLVMBuildICmp(em->b, LLVMIntNE, masked, LLVMConstNull(LLVMTypeOf(masked)), "");
}

static LLVMValueRef two_registers(struct weftc_emission *em, const struct weftc_lookup *t, unsigned r,
                                  LLVMValueRef number)
{
    LLVMValueRef both = permute(em, t, r, true, number);
    return both ? both
                : LLVMBuildSelect(em->b, has_bit(em, t, number, t->piece),
                                  permute(em, t, r + 1, false, number), permute(em, t, r, false, number), "");
}

static LLVMValueRef look_up(struct weftc_emission *em, const struct weftc_lookup *t, LLVMValueRef number)
{
    const unsigned registers = weftc_lookup_registers(t);
    if (registers <= 2)
        return registers == 1 ? permute(em, t, 0, false, number) : two_registers(em, t, 0, number);
    return LLVMBuildSelect(em->b, has_bit(em, t, number, 2ull * t->piece), two_registers(em, t, 2, number),
                           two_registers(em, t, 0, number), "");
}

void weftc_vec_table_load(struct weftc_emission *em, LLVMValueRef i)
{
    const struct weftc_lookup *t = weftc_vec_access(em->v, i)->table;
    LLVMValueRef all = numbers(em, t), made[MAX_LANES_OF_TABLE];
    unsigned pieces = em->v->lanes > t->piece ? em->v->lanes / t->piece : 1;
    for (unsigned k = 0; k < pieces; k++)
        made[k] = look_up(em, t, part(em, all, k * t->piece, t->piece));
    for (; pieces > 1; pieces /= 2)
        for (unsigned k = 0; k < pieces / 2; k++)
            made[k] = join(em, made[2 * k], made[2 * k + 1]);
    LLVMValueRef result = em->v->lanes < t->piece ? part(em, made[0], 0, em->v->lanes) : made[0];
    weftc_vec_set_vector(em, i, LLVMBuildBitCast(em->b, result, weftc_vec_type(em, LLVMTypeOf(i)), ""));
}
