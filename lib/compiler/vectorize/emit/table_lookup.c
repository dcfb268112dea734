// Loads from small tables of constants, `constant uchar box[16] = {...}`, at places of the lanes' own: the table is in registers, and an
// instruction that permutes takes from there what the lanes want. A gather goes to memory for each.
//
// How large a table may be is the target's to say: 16 bytes with SSSE3, 16 words of 32 bits with AVX2, and with AVX-512 four registers
// of 64 bytes, if there is such an instruction for elements of that size. Of a larger table that part will do which the index is known
// to stay in (`box[k][x & 63]`). Where an index is out of bounds, which is undefined, some element of the table comes out.
#include <string.h>

#include "compiler/vectorize/vectorize.h"

enum { MOST_ENTRIES = 256, MOST_STEPS = 8, MOST_LANES_OF_TABLE = 64, MOST_DEPTH = 4 };

unsigned weftc_vec_permutes(const struct weftc_target *t)
{
#if defined(__x86_64__)
    unsigned p = weftc_target_has(t, "ssse3") ? WEFTC_PERMUTES_16_BYTES : 0;
    p |= weftc_target_has(t, "avx2") ? WEFTC_PERMUTES_8_WORDS : 0;
    if (!weftc_target_has(t, "avx512f"))
        return p;
    p |= WEFTC_PERMUTES_512;
    p |= weftc_target_has(t, "avx512bw") ? WEFTC_PERMUTES_512_SHORTS : 0;
    return p | (weftc_target_has(t, "avx512vbmi") ? WEFTC_PERMUTES_512_BYTES : 0);
#else
    (void)t;
    return 0;
#endif
}

unsigned weftc_vec_permuted(LLVMValueRef f)
{
    return (unsigned)weftc_module_number(LLVMGetGlobalParent(f), WEFTC_PERMUTES);
}

// What is looked up, and how.
struct lookup {
    LLVMValueRef global;
    uint64_t bits;                       // of an element
    uint64_t first, entries;             // the part of the table
    unsigned piece;                      // elements in a register
    struct weftc_step steps[MOST_STEPS]; // of the address
    unsigned step_count;
};

static bool note_steps(const struct weftc_vec *v, LLVMValueRef gep, struct lookup *t)
{
    if ((unsigned)LLVMGetNumOperands(gep) + t->step_count > MOST_STEPS)
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
static uint64_t bits_of(LLVMTypeRef type)
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
        return bits_of(LLVMGetElementType(type)) != 0;
    if (kind != LLVMArrayTypeKind && kind != LLVMStructTypeKind)
        return (LLVMIsAConstantInt(c) || LLVMIsAConstantFP(c)) && bits_of(type) != 0;
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
static bool find_part(const struct weftc_vec *v, struct lookup *t, uint64_t count)
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
static bool fits(const struct weftc_vec *v, struct lookup *t)
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

static bool find(const struct weftc_vec *v, LLVMValueRef i, struct lookup *t)
{
    *t = (struct lookup){0};
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
    t->bits = bits_of(LLVMTypeOf(i));
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
    struct lookup t;
    return find(v, i, &t);
}

static unsigned registers_of(const struct lookup *t)
{
    return (unsigned)((t->entries + t->piece - 1) / t->piece);
}

uint64_t weftc_vec_lookup_cost(const struct weftc_vec *v, LLVMValueRef i)
{
    struct lookup t;
    if (!find(v, i, &t))
        return 0;
    const uint64_t pieces = v->lanes > t.piece ? v->lanes / t.piece : 1, registers = registers_of(&t);
    return 1 + pieces * (registers == 1 ? 1 : registers == 2 ? 2 : 5);
}

// ---- what is emitted ----

static LLVMTypeRef integer(const struct weftc_vec *v, const struct lookup *t)
{
    return LLVMIntTypeInContext(v->c, (unsigned)t->bits);
}

// A byte of the table; what is in no number is 0.
static uint64_t byte_at(const struct weftc_vec *v, LLVMValueRef data, uint64_t at)
{
    LLVMTypeRef type = LLVMTypeOf(data);
    LLVMTypeKind kind = LLVMGetTypeKind(type);
    while (kind == LLVMArrayTypeKind || kind == LLVMStructTypeKind) {
        unsigned n;
        if (kind == LLVMStructTypeKind) {
            n = LLVMElementAtOffset(v->s->layout, type, at);
            at -= LLVMOffsetOfElement(v->s->layout, type, n);
        } else {
            uint64_t size = LLVMABISizeOfType(v->s->layout, LLVMGetElementType(type));
            if (at / size >= LLVMGetArrayLength2(type)) // padding of the structure that it is in
                return 0;
            n = (unsigned)(at / size);
            at %= size;
        }
        data = LLVMGetAggregateElement(data, n);
        type = LLVMTypeOf(data);
        kind = LLVMGetTypeKind(type);
    }
    const uint64_t bits = bits_of(type);
    LLVMValueRef number =
        bits ? LLVMIsAConstantInt(LLVMConstBitCast(data, LLVMIntTypeInContext(v->c, (unsigned)bits))) : NULL;
    return number && 8 * at < bits ? LLVMConstIntGetZExtValue(number) >> (8 * at) & 0xff : 0;
}

static LLVMValueRef entry(struct weftc_vec *v, const struct lookup *t, uint64_t n)
{
    const uint64_t size = t->bits / 8;
    uint64_t value = 0;
    for (uint64_t k = 0; k < size; k++) // the lowest byte comes first
        value |= byte_at(v, LLVMGetInitializer(t->global), n * size + k) << (8 * k);
    return LLVMConstInt(integer(v, t), value, false);
}

// Register r of the table; what is behind its end is 0.
static LLVMValueRef table_register(struct weftc_vec *v, const struct lookup *t, unsigned r)
{
    LLVMValueRef values[MOST_LANES_OF_TABLE];
    for (unsigned k = 0; k < t->piece; k++) {
        uint64_t n = (uint64_t)r * t->piece + k;
        values[k] = n < t->entries ? entry(v, t, t->first + n) : LLVMConstNull(integer(v, t));
    }
    return LLVMConstVector(values, t->piece);
}

// Numbers of the entries in all lanes, as wide as an entry: more bits don't count.
static LLVMValueRef numbers(struct weftc_vec *v, const struct lookup *t)
{
    LLVMTypeRef type = LLVMVectorType(integer(v, t), v->lanes);
    LLVMValueRef sum = LLVMConstNull(type);
    const uint64_t size = t->bits / 8;
    uint64_t constant = 0 - t->first;
    for (unsigned k = 0; k < t->step_count; k++) {
        if (!t->steps[k].index) {
            constant += t->steps[k].offset / size;
            continue;
        }
        LLVMValueRef index = LLVMBuildIntCast2(v->b, weftc_vec_vector(v, t->steps[k].index), type, true, "");
        LLVMValueRef scale = LLVMConstInt(integer(v, t), t->steps[k].scale / size, false);
        sum = LLVMBuildAdd(v->b, sum, LLVMBuildMul(v->b, index, weftc_vec_splat(v, v->b, scale), ""), "");
    }
    LLVMValueRef by = LLVMConstInt(integer(v, t), constant, false);
    return LLVMBuildAdd(v->b, sum, weftc_vec_splat(v, v->b, by), "");
}

// `count` lanes from `first`; those that there aren't are any.
static LLVMValueRef part(struct weftc_vec *v, LLVMValueRef vector, unsigned first, unsigned count)
{
    unsigned have = LLVMGetVectorSize(LLVMTypeOf(vector));
    LLVMValueRef mask[MOST_LANES_OF_TABLE];
    for (unsigned k = 0; k < count; k++)
        mask[k] = first + k < have ? weftc_i32(v->c, first + k) : LLVMGetPoison(LLVMInt32TypeInContext(v->c));
    return LLVMBuildShuffleVector(v->b, vector, LLVMGetPoison(LLVMTypeOf(vector)),
                                  LLVMConstVector(mask, count), "");
}

static LLVMValueRef join(struct weftc_vec *v, LLVMValueRef a, LLVMValueRef b)
{
    unsigned n = LLVMGetVectorSize(LLVMTypeOf(a));
    LLVMValueRef mask[MOST_LANES_OF_TABLE];
    for (unsigned k = 0; k < 2 * n; k++)
        mask[k] = weftc_i32(v->c, k);
    return LLVMBuildShuffleVector(v->b, a, b, LLVMConstVector(mask, 2 * n), "");
}

// An instruction of the target's, on registers of the table's elements.
static LLVMValueRef permute(struct weftc_vec *v, const char *name, LLVMValueRef *arguments, unsigned count)
{
    LLVMValueRef f =
        LLVMGetIntrinsicDeclaration(v->module, LLVMLookupIntrinsicID(name, strlen(name)), NULL, 0);
    return LLVMBuildCall2(v->b, LLVMGlobalGetValueType(f), f, arguments, count, "");
}

static LLVMValueRef one_register(struct weftc_vec *v, const struct lookup *t, unsigned r, LLVMValueRef number)
{
    LLVMValueRef arguments[] = {table_register(v, t, r), number};
    if (t->piece == 16 && t->bits == 8) { // the highest bit would make it 0
        LLVMValueRef low[16];
        for (unsigned k = 0; k < 16; k++)
            low[k] = LLVMConstInt(integer(v, t), 15, false);
        arguments[1] = LLVMBuildAnd(v->b, number, LLVMConstVector(low, 16), "");
        return permute(v, "llvm.x86.ssse3.pshuf.b.128", arguments, 2);
    }
    return permute(v,
                   t->piece == 8 && t->bits == 32 ? "llvm.x86.avx2.permd"
                   : t->bits == 8                 ? "llvm.x86.avx512.permvar.qi.512"
                   : t->bits == 16                ? "llvm.x86.avx512.permvar.hi.512"
                   : t->bits == 32                ? "llvm.x86.avx512.permvar.si.512"
                                                  : "llvm.x86.avx512.permvar.di.512",
                   arguments, 2);
}

// Is that bit of the number set?
static LLVMValueRef has_bit(struct weftc_vec *v, const struct lookup *t, LLVMValueRef number, uint64_t bit)
{
    LLVMValueRef bits[MOST_LANES_OF_TABLE];
    for (unsigned k = 0; k < t->piece; k++)
        bits[k] = LLVMConstInt(integer(v, t), bit, false);
    LLVMValueRef masked = LLVMBuildAnd(v->b, number, LLVMConstVector(bits, t->piece), "");
    return LLVMBuildICmp(v->b, LLVMIntNE, masked, LLVMConstNull(LLVMTypeOf(masked)), "");
}

static LLVMValueRef two_registers(struct weftc_vec *v, const struct lookup *t, unsigned r,
                                  LLVMValueRef number)
{
    if (t->piece == 8 && t->bits == 32)
        return LLVMBuildSelect(v->b, has_bit(v, t, number, 8), one_register(v, t, r + 1, number),
                               one_register(v, t, r, number), "");
    LLVMValueRef arguments[] = {table_register(v, t, r), number, table_register(v, t, r + 1)};
    return permute(v,
                   t->bits == 8    ? "llvm.x86.avx512.vpermi2var.qi.512"
                   : t->bits == 16 ? "llvm.x86.avx512.vpermi2var.hi.512"
                   : t->bits == 32 ? "llvm.x86.avx512.vpermi2var.d.512"
                                   : "llvm.x86.avx512.vpermi2var.q.512",
                   arguments, 3);
}

static LLVMValueRef look_up(struct weftc_vec *v, const struct lookup *t, LLVMValueRef number)
{
    const unsigned registers = registers_of(t);
    if (registers <= 2)
        return registers == 1 ? one_register(v, t, 0, number) : two_registers(v, t, 0, number);
    return LLVMBuildSelect(v->b, has_bit(v, t, number, 2ull * t->piece), two_registers(v, t, 2, number),
                           two_registers(v, t, 0, number), "");
}

void weftc_vec_lookup(struct weftc_vec *v, LLVMValueRef i)
{
    struct lookup t;
    if (!find(v, i, &t))
        return;
    LLVMValueRef all = numbers(v, &t), made[MOST_LANES_OF_TABLE];
    unsigned pieces = v->lanes > t.piece ? v->lanes / t.piece : 1;
    for (unsigned k = 0; k < pieces; k++)
        made[k] = look_up(v, &t, part(v, all, k * t.piece, t.piece));
    for (; pieces > 1; pieces /= 2)
        for (unsigned k = 0; k < pieces / 2; k++)
            made[k] = join(v, made[2 * k], made[2 * k + 1]);
    LLVMValueRef result = v->lanes < t.piece ? part(v, made[0], 0, v->lanes) : made[0];
    weftc_vec_set_vector(v, i, LLVMBuildBitCast(v->b, result, weftc_vec_type(v, LLVMTypeOf(i)), ""));
}
