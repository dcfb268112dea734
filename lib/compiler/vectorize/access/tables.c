// Loads from small tables of constants, `constant uchar box[16] = {...}`, at places of the lanes' own: the table is in registers, and an
// instruction that permutes takes from there what the lanes want. A gather goes to memory for each.
//
// How large a table may be depends on which elements the target permutes (arch/target.h): 16 bytes, 16 words of 32 bits, or four
// registers of 64 bytes. Of a larger table that part will do which the index is known
// to stay in (`box[k][x & 63]`). Where an index is out of bounds, which is undefined, some element of the table comes out.
// This file finds them; vectorize/emit/table_lookup.c emits the instructions.
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <llvm-c/Core.h>
#include <llvm-c/Target.h>

#include "compiler/ir/gep.h"
#include "compiler/ir/module_facts.h"
#include "compiler/arch/target.h"
#include "compiler/vectorize/access/access.h"
#include "compiler/vectorize/access/tables.h"

enum { MOST_ENTRIES = 256, MOST_DEPTH = 4 };

unsigned weftc_vec_permuted(LLVMValueRef f)
{
    return (unsigned)weftc_module_number(LLVMGetGlobalParent(f), WEFTC_PERMUTES);
}

static bool note_steps(const struct weftc_vec *v, LLVMValueRef gep, struct weftc_lookup *t)
{
    if ((unsigned)LLVMGetNumOperands(gep) + t->step_count > WEFTC_LOOKUP_STEPS)
        return false;
    t->step_count += weftc_gep_steps(v->s->layout, gep, t->steps + t->step_count);
    return true;
}

static bool is_gep(LLVMValueRef pointer)
{
    return LLVMIsAGetElementPtrInst(pointer) ||
           (LLVMIsAConstantExpr(pointer) && LLVMGetConstOpcode(pointer) == LLVMGetElementPtr);
}

// Of a loaded value that registers of entries can hold; 0: it is none.
uint64_t weftc_lookup_bits(LLVMTypeRef type)
{
    switch (LLVMGetTypeKind(type)) {
    case LLVMHalfTypeKind:
        return 16;
    case LLVMFloatTypeKind:
        return 32;
    case LLVMDoubleTypeKind:
        return 64;
    case LLVMIntegerTypeKind: {
        unsigned bits = LLVMGetIntTypeWidth(type);
        return bits == 8 || bits == 16 || bits == 32 || bits == 64 ? bits : 0;
    }
    default:
        return 0;
    }
}

// Are there numbers only, no addresses, in bytes from..to - 1 of the constant? Of a large table a part is looked at: this is asked often.
static bool is_data(LLVMTargetDataRef layout, LLVMValueRef c, uint64_t from, uint64_t to)
{
    LLVMTypeRef type = LLVMTypeOf(c);
    LLVMTypeKind kind = LLVMGetTypeKind(type);
    if (from >= to || LLVMIsAConstantAggregateZero(c) || LLVMIsAUndefValue(c))
        return true;
    if (LLVMIsAConstantDataArray(c))
        return weftc_lookup_bits(LLVMGetElementType(type)) != 0;
    if (kind != LLVMArrayTypeKind && kind != LLVMStructTypeKind)
        return (LLVMIsAConstantInt(c) || LLVMIsAConstantFP(c)) && weftc_lookup_bits(type) != 0;
    const unsigned count = (unsigned)LLVMGetNumOperands(c);
    const uint64_t size = kind == LLVMArrayTypeKind ? LLVMABISizeOfType(layout, LLVMGetElementType(type)) : 0;
    for (unsigned k = size ? (unsigned)(from / size) : 0; k < count; k++) {
        const uint64_t at = kind == LLVMStructTypeKind ? LLVMOffsetOfElement(layout, type, k) : k * size;
        if (at >= to)
            break;
        LLVMValueRef part = LLVMGetOperand(c, k);
        const uint64_t end = LLVMABISizeOfType(layout, LLVMTypeOf(part)),
                       last = to - at < end ? to - at : end;
        if (!is_data(layout, part, from > at ? from - at : 0, last))
            return false;
    }
    return true;
}

// A number, unsigned, is no more than that: for what it is made of, however lanes differ.
static uint64_t most_of(const struct weftc_vec *v, LLVMValueRef value, unsigned depth)
{
    const unsigned bits = LLVMGetIntTypeWidth(LLVMTypeOf(value));
    uint64_t most = weftc_vec_shape(v, value).most, width = bits < 64 ? (1ull << bits) - 1 : UINT64_MAX;
    most = most < width ? most : width;
    if (!LLVMIsAInstruction(value) || depth == 0)
        return most;
    LLVMOpcode opcode = LLVMGetInstructionOpcode(value);
    LLVMValueRef by = LLVMGetNumOperands(value) == 2 ? LLVMIsAConstantInt(LLVMGetOperand(value, 1)) : NULL;
    uint64_t constant = by ? LLVMConstIntGetZExtValue(by) : 0, found = UINT64_MAX;
    if (opcode == LLVMZExt)
        found = most_of(v, LLVMGetOperand(value, 0), depth - 1);
    else if (opcode == LLVMAnd && by)
        found = constant;
    else if (opcode == LLVMURem && by && constant)
        found = constant - 1;
    else if (opcode == LLVMLShr && by && constant < bits)
        found = most_of(v, LLVMGetOperand(value, 0), depth - 1) >> constant;
    return found < most ? found : most;
}

static bool is_sum(LLVMValueRef i)
{
    const LLVMOpcode opcode = LLVMGetInstructionOpcode(i);
    return opcode == LLVMAdd || (opcode == LLVMOr && LLVMGetIsDisjoint(i));
}

// The index is at least *least, and by *most more.
static void bounds_of(const struct weftc_vec *v, LLVMValueRef index, uint64_t *least, uint64_t *most)
{
    *least = 0;
    *most = most_of(v, index, MOST_DEPTH);
    if (LLVMIsAZExtInst(index) || LLVMIsASExtInst(index))
        index = LLVMGetOperand(index, 0);
    if (!LLVMIsAInstruction(index) || !is_sum(index) || !LLVMIsAConstantInt(LLVMGetOperand(index, 1)))
        return;
    uint64_t by = LLVMConstIntGetZExtValue(LLVMGetOperand(index, 1)),
             inner = most_of(v, LLVMGetOperand(index, 0), MOST_DEPTH);
    if (by > INT16_MAX || inner > INT16_MAX ||
        LLVMGetIntTypeWidth(LLVMTypeOf(index)) < 32) // else the sum may wrap
        return;
    *least = by;
    *most = inner;
}

// Which part of the table it can be: all of it, unless one index alone varies and is bounded.
static bool find_part(const struct weftc_vec *v, struct weftc_lookup *t, uint64_t count)
{
    const uint64_t size = t->bits / 8;
    uint64_t constant = 0, least = 0, most = UINT64_MAX, scale = 0;
    unsigned varying = 0;
    for (unsigned k = 0; k < t->step_count; k++) {
        if ((t->steps[k].index ? t->steps[k].scale : t->steps[k].offset) % size != 0)
            return false;
        constant += t->steps[k].index ? 0 : t->steps[k].offset / size;
        if (!t->steps[k].index)
            continue;
        varying++;
        scale = t->steps[k].scale / size;
        bounds_of(v, t->steps[k].index, &least, &most);
    }
    t->first = 0;
    t->entries = count;
    if (varying == 1 && scale > 0 && scale < count && constant < count && least < count)
        constant += least * scale;
    else
        constant = count;
    if (constant < count && most < (count - constant) / scale) {
        t->first = constant;
        t->entries = most * scale + 1;
    }
    return t->entries > 0;
}

// May that many entries be in registers here?
static bool fits(const struct weftc_vec *v, struct weftc_lookup *t)
{
    const unsigned p = v->permutes;
    if (t->bits == 8 && t->entries <= 16 && (p & WEFTC_PERMUTES_16_BYTES)) {
        t->piece = 16;
        return true;
    }
    bool wide = t->bits == 8    ? p & WEFTC_PERMUTES_512_BYTES
                : t->bits == 16 ? p & WEFTC_PERMUTES_512_SHORTS
                                : p & WEFTC_PERMUTES_512;
    t->piece = wide ? (unsigned)(512 / t->bits) : 8;
    if (wide)
        return t->entries <= 4 * t->piece;
    return t->bits == 32 && t->entries <= 16 && (p & WEFTC_PERMUTES_8_WORDS);
}

bool weftc_vec_find_lookup(const struct weftc_vec *v, LLVMValueRef i, struct weftc_lookup *t)
{
    *t = (struct weftc_lookup){0};
    if (!v->permutes || !LLVMIsALoadInst(i) || LLVMGetVolatile(i) ||
        LLVMGetOrdering(i) != LLVMAtomicOrderingNotAtomic)
        return false;
    LLVMValueRef pointer = LLVMGetOperand(i, 0);
    for (; is_gep(pointer); pointer = LLVMGetOperand(pointer, 0))
        if (!note_steps(v, pointer, t))
            return false;
    if (!LLVMIsAGlobalVariable(pointer) || !LLVMIsGlobalConstant(pointer) ||
        LLVMIsExternallyInitialized(pointer) || !LLVMGetInitializer(pointer) || LLVMIsThreadLocal(pointer))
        return false;
    t->global = pointer;
    t->bits = weftc_lookup_bits(LLVMTypeOf(i));
    if (!t->bits)
        return false;
    const uint64_t size = t->bits / 8,
                   count = LLVMABISizeOfType(v->s->layout, LLVMGlobalGetValueType(pointer)) / size;
    return find_part(v, t, count) && t->entries <= MOST_ENTRIES && fits(v, t) &&
           is_data(v->s->layout, LLVMGetInitializer(pointer), t->first * size,
                   (t->first + t->entries) * size);
}

bool weftc_vec_is_lookup(const struct weftc_vec *v, LLVMValueRef i)
{
    struct weftc_lookup t;
    return weftc_vec_find_lookup(v, i, &t);
}

unsigned weftc_lookup_registers(const struct weftc_lookup *t)
{
    return (unsigned)((t->entries + t->piece - 1) / t->piece);
}

uint64_t weftc_vec_lookup_cost(const struct weftc_vec *v, LLVMValueRef i)
{
    struct weftc_lookup t;
    if (!weftc_vec_find_lookup(v, i, &t))
        return 0;
    const uint64_t pieces = v->lanes > t.piece ? v->lanes / t.piece : 1,
                   registers = weftc_lookup_registers(&t);
    return 1 + pieces * (registers == 1 ? 1 : registers == 2 ? 2 : 5);
}

// ---- accesses that are neither side by side nor the same ----

bool weftc_vec_is_scattered(const struct weftc_vec *v, LLVMValueRef i)
{
    return weftc_vec_address_of(v, i) == WEFTC_ADDRESS_SCATTERED && !weftc_vec_is_wrap_guarded(v, i) &&
           !weftc_vec_is_lookup(v, i);
}

bool weftc_vec_is_table_lookup(const struct weftc_vec *v, LLVMValueRef i)
{
    return weftc_vec_address_of(v, i) == WEFTC_ADDRESS_SCATTERED && !weftc_vec_is_wrap_guarded(v, i) &&
           weftc_vec_is_lookup(v, i);
}
