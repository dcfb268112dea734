// Finds loads from small tables of constants, `constant uchar box[16] = {...}`, at an index of each lane's
// own. Such a table is kept in registers, and a permute instruction takes out the lanes' entries. A gather
// would go to memory for each lane.
//
// How large a table may be depends on which elements the target permutes (arch/target.h): 16 bytes, 16 words
// of 32 bits, or four registers of 64 bytes. Of a larger table, only the part is needed in which the index is
// known to stay (`box[k][x & 63]`). An index that is out of bounds, which is undefined, yields some element
// of the table.
//
// vectorize/emit/table_lookup.c emits the instructions.
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <llvm-c/Core.h>
#include <llvm-c/Target.h>

#include "compiler/arch/target.h"
#include "compiler/ir/gep.h"
#include "compiler/ir/llvm_helpers.h"
#include "compiler/ir/module_facts.h"
#include "compiler/vectorize/access/access.h"
#include "compiler/vectorize/access/tables.h"

enum { MAX_ENTRIES = 256, MAX_DEPTH = 4 };

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
    return weftc_opcode(pointer) == LLVMGetElementPtr;
}

// The bits of an entry that registers can hold; 0: values of this type aren't kept in registers.
uint64_t weftc_lookup_bits(LLVMTypeRef type)
{
    const unsigned bits = weftc_number_bits(type);
    return bits == 8 || bits == 16 || bits == 32 || bits == 64 ? bits : 0;
}

// Are bytes from..to - 1 of the constant numbers only, no addresses? This is asked often, so of a large table
// only the part is looked at.
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

// An upper bound of an unsigned number, in any lane.
static uint64_t max_of(const struct weftc_vec *v, LLVMValueRef value, unsigned depth)
{
    const unsigned bits = LLVMGetIntTypeWidth(LLVMTypeOf(value));
    uint64_t max = weftc_vec_shape(v, value).max, width = bits < 64 ? (1ull << bits) - 1 : UINT64_MAX;
    max = max < width ? max : width;
    if (!LLVMIsAInstruction(value) || depth == 0)
        return max;
    LLVMOpcode opcode = LLVMGetInstructionOpcode(value);
    LLVMValueRef by = LLVMGetNumOperands(value) == 2 ? LLVMIsAConstantInt(LLVMGetOperand(value, 1)) : NULL;
    uint64_t constant = by ? LLVMConstIntGetZExtValue(by) : 0, found = UINT64_MAX;
    if (opcode == LLVMZExt)
        found = max_of(v, LLVMGetOperand(value, 0), depth - 1);
    else if (opcode == LLVMAnd && by)
        found = constant;
    else if (opcode == LLVMURem && by && constant)
        found = constant - 1;
    else if (opcode == LLVMLShr && by && constant < bits)
        found = max_of(v, LLVMGetOperand(value, 0), depth - 1) >> constant;
    return found < max ? found : max;
}

static bool is_sum(LLVMValueRef i)
{
    const LLVMOpcode opcode = LLVMGetInstructionOpcode(i);
    return opcode == LLVMAdd || (opcode == LLVMOr && LLVMGetIsDisjoint(i));
}

// The index is at least *least, and at most *least + *most.
static void bounds_of(const struct weftc_vec *v, LLVMValueRef index, uint64_t *min, uint64_t *max)
{
    *min = 0;
    *max = max_of(v, index, MAX_DEPTH);
    if (LLVMIsAZExtInst(index) || LLVMIsASExtInst(index))
        index = LLVMGetOperand(index, 0);
    if (!LLVMIsAInstruction(index) || !is_sum(index) || !LLVMIsAConstantInt(LLVMGetOperand(index, 1)))
        return;
    uint64_t by = LLVMConstIntGetZExtValue(LLVMGetOperand(index, 1)),
             inner = max_of(v, LLVMGetOperand(index, 0), MAX_DEPTH);
    if (by > INT16_MAX || inner > INT16_MAX ||
        LLVMGetIntTypeWidth(LLVMTypeOf(index)) < 32) // otherwise the sum may wrap
        return;
    *min = by;
    *max = inner;
}

// Finds the part of the table that can be read: all of it, unless only one index varies, and it is bounded.
static bool find_part(const struct weftc_vec *v, struct weftc_lookup *t, uint64_t count)
{
    const uint64_t size = t->bits / 8;
    uint64_t constant = 0, min = 0, max = UINT64_MAX, scale = 0;
    unsigned varying = 0;
    for (unsigned k = 0; k < t->step_count; k++) {
        if ((t->steps[k].index ? t->steps[k].scale : t->steps[k].offset) % size != 0)
            return false;
        constant += t->steps[k].index ? 0 : t->steps[k].offset / size;
        if (!t->steps[k].index)
            continue;
        varying++;
        scale = t->steps[k].scale / size;
        bounds_of(v, t->steps[k].index, &min, &max);
    }
    t->first = 0;
    t->entries = count;
    if (varying == 1 && scale > 0 && scale < count && constant < count && min < count)
        constant += min * scale;
    else
        constant = count;
    if (constant < count && max < (count - constant) / scale) {
        t->first = constant;
        t->entries = max * scale + 1;
    }
    return t->entries > 0;
}

// Can registers of this target hold that many entries?
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
    return find_part(v, t, count) && t->entries <= MAX_ENTRIES && fits(v, t) &&
           is_data(v->s->layout, LLVMGetInitializer(pointer), t->first * size,
                   (t->first + t->entries) * size);
}

unsigned weftc_lookup_registers(const struct weftc_lookup *t)
{
    return (unsigned)((t->entries + t->piece - 1) / t->piece);
}
