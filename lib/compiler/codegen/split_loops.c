// Splits the body of a loop for register pressure. Parts of the body that have only uniform values in common
// run one after the other.
//
// For example: four rows of A, whose elements are uniform, times words 0, 1, 2 and 3 of B's float4 are four
// parts. In the order of the source, all of B's registers, all elements of A (broadcast to the lanes), and
// all sums are alive at once, twice as many as there are registers. If one part runs after the other, it
// needs only the sums and its own part of B. The elements of A are operands in memory, which instructions
// broadcast (has_broadcast_operands of arch/target.h).
//
// Runs after the optimiser, which would merge the loads of an element again. Instruction selection would
// merge them too. So there is an empty piece of assembly between the parts, which might write to memory.
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <llvm-c/Core.h>
#include <llvm-c/Target.h>

#include "compiler/codegen/codegen.h"
#include "compiler/ir/llvm_helpers.h"
#include "compiler/ir/value_map.h"

enum { LONGEST = 500, REGISTERS = 32, REGISTER_BITS = 512, TEMPORARIES = 4 };
enum { SHARED = UINT32_MAX }; // instead of the number of a part

struct body {
    LLVMBasicBlockRef block;
    LLVMTargetDataRef layout;
    LLVMBuilderRef b;
    struct weftc_map number;   // vector instruction -> number
    LLVMValueRef all[LONGEST]; // by number
    // by number: another instruction of the same part, or itself for the last one (union-find); SHARED: of no
    // part
    uint32_t next[LONGEST];
    uint32_t count;
};

static bool is_vector(LLVMValueRef v)
{
    return LLVMGetTypeKind(LLVMTypeOf(v)) == LLVMVectorTypeKind;
}

static uint32_t registers_of(const struct body *y, LLVMValueRef v)
{
    unsigned long long bits = LLVMSizeOfTypeInBits(y->layout, LLVMTypeOf(v));
    return (uint32_t)((bits + REGISTER_BITS - 1) / REGISTER_BITS);
}

static uint32_t number_of(const struct body *y, LLVMValueRef v)
{
    return LLVMIsAInstruction(v) ? weftc_map_get(&y->number, v) : UINT32_MAX;
}

static uint32_t part_of(struct body *y, uint32_t at)
{
    while (y->next[at] != SHARED && y->next[at] != at)
        at = y->next[at] = y->next[y->next[at]];
    return y->next[at];
}

static bool has_one_use(LLVMValueRef v)
{
    LLVMUseRef use = LLVMGetFirstUse(v);
    return use && !LLVMGetNextUse(use);
}

// ---- the parts of the body ----

// If v is a shuffle that broadcasts a number: the insertion of that number. Otherwise NULL.
static LLVMValueRef spread_by(LLVMValueRef v)
{
    if (!LLVMIsAShuffleVectorInst(v))
        return NULL;
    for (unsigned k = 0; k < LLVMGetNumMaskElements(v); k++)
        if (LLVMGetMaskValue(v, k) != 0)
            return NULL;
    LLVMValueRef insertion = LLVMGetOperand(v, 0);
    if (!LLVMIsAInsertElementInst(insertion) || !LLVMIsUndef(LLVMGetOperand(insertion, 0)) ||
        !LLVMIsAConstantInt(LLVMGetOperand(insertion, 2)) ||
        LLVMConstIntGetZExtValue(LLVMGetOperand(insertion, 2)) != 0)
        return NULL;
    return insertion;
}

// The load of the number that v broadcasts, if it is in this block and nothing else uses it; otherwise NULL.
static LLVMValueRef loaded_by(const struct body *y, LLVMValueRef v)
{
    LLVMValueRef insertion = spread_by(v), load = insertion ? LLVMGetOperand(insertion, 1) : NULL;
    if (!load || !LLVMIsALoadInst(load) || LLVMGetInstructionParent(load) != y->block || !has_one_use(load) ||
        LLVMGetInstructionParent(insertion) != y->block || !has_one_use(insertion))
        return NULL;
    unsigned long long bits = LLVMSizeOfTypeInBits(y->layout, LLVMTypeOf(load));
    return bits == 32 || bits == 64 ? load : NULL;
}

// May i be moved to any place in the body?
static bool is_movable(LLVMValueRef i)
{
    switch (LLVMGetInstructionOpcode(i)) {
    case LLVMStore:
    case LLVMFence:
    case LLVMAtomicCmpXchg:
    case LLVMAtomicRMW:
    case LLVMAlloca:
        return false;
    case LLVMLoad:
        return !LLVMGetVolatile(i) && LLVMGetOrdering(i) == LLVMAtomicOrderingNotAtomic;
    case LLVMCall: {
        LLVMValueRef f = weftc_callee(i);
        return f && LLVMGetIntrinsicID(f) && weftc_only_reads(f);
    }
    default:
        return true;
    }
}

// Is the block the whole body of a loop, with one exit?
static bool is_body(LLVMBasicBlockRef block)
{
    LLVMValueRef end = LLVMGetBasicBlockTerminator(block);
    for (unsigned k = 0; end && LLVMIsABranchInst(end) && k < LLVMGetNumSuccessors(end); k++)
        if (LLVMGetSuccessor(end, k) == block)
            return LLVMGetNumSuccessors(end) == 2;
    return false;
}

// Numbers the vector instructions. Returns false if there are too many, memory runs out, an instruction can't
// be moved, or a scalar is computed from vectors.
static bool read_body(struct body *y)
{
    for (LLVMValueRef i = LLVMGetFirstInstruction(y->block); i; i = LLVMGetNextInstruction(i)) {
        if (!is_movable(i))
            return false;
        if (is_vector(i)) {
            if (y->count == LONGEST || !weftc_map_put(&y->number, i, y->count))
                return false;
            y->next[y->count] = y->count;
            y->all[y->count++] = i;
            continue;
        }
        for (unsigned k = 0; k < (unsigned)LLVMGetNumOperands(i); k++)
            if (is_vector(LLVMGetOperand(i, k)))
                return false;
    }
    return true;
}

static void find_parts(struct body *y)
{
    for (uint32_t k = 0; k < y->count; k++) {
        LLVMValueRef insertion = spread_by(y->all[k]);
        if (!insertion)
            continue;
        uint32_t at = number_of(y, insertion);
        y->next[k] = SHARED;
        if (at != UINT32_MAX)
            y->next[at] = SHARED;
    }
    for (uint32_t k = 0; k < y->count; k++) {
        for (unsigned o = 0; part_of(y, k) != SHARED && o < (unsigned)LLVMGetNumOperands(y->all[k]); o++) {
            uint32_t at = number_of(y, LLVMGetOperand(y->all[k], o));
            if (at != UINT32_MAX && part_of(y, at) != SHARED)
                y->next[part_of(y, at)] = part_of(y, k);
        }
    }
}

// ---- register pressure ----

// Do two parts use the value?
static bool is_between_parts(struct body *y, LLVMValueRef shared)
{
    uint32_t first = SHARED;
    for (LLVMUseRef use = LLVMGetFirstUse(shared); use; use = LLVMGetNextUse(use)) {
        uint32_t at = number_of(y, LLVMGetUser(use));
        uint32_t part = at == UINT32_MAX ? SHARED : part_of(y, at);
        if (part != SHARED && first != SHARED && part != first)
            return true;
        first = part != SHARED ? part : first;
    }
    return false;
}

// Does the body need too many registers now, and would each part have enough?
static bool pays(struct body *y)
{
    uint32_t resident = 0, spread = 0, loaded = 0, max_part = 0, of_part[LONGEST] = {0};
    for (uint32_t k = 0; k < y->count; k++) {
        LLVMValueRef v = y->all[k];
        uint32_t part = part_of(y, k), size = registers_of(y, v);
        if (LLVMIsAPHINode(v))
            resident += size;
        else if (part == SHARED && spread_by(v) && is_between_parts(y, v))
            *(loaded_by(y, v) ? &spread : &resident) += size;
        else if (part != SHARED && LLVMIsALoadInst(v) && !has_one_use(v)) {
            loaded += size;
            of_part[part] += size;
            max_part = of_part[part] > max_part ? of_part[part] : max_part;
        }
    }
    return spread && resident + spread + loaded > REGISTERS && resident + max_part + TEMPORARIES <= REGISTERS;
}

// ---- splitting ----

static void move_to_end(struct body *y, LLVMValueRef i)
{
    LLVMInstructionRemoveFromParent(i);
    LLVMInsertIntoBuilder(y->b, i);
}

// Builds another load and broadcast of the number that `shared` broadcasts.
static LLVMValueRef load_again(struct body *y, LLVMValueRef shared)
{
    LLVMValueRef number = LLVMInstructionClone(loaded_by(y, shared)),
                 insertion = LLVMInstructionClone(spread_by(shared)), own = LLVMInstructionClone(shared);
    LLVMSetOperand(insertion, 1, number);
    LLVMSetOperand(own, 0, insertion);
    LLVMInsertIntoBuilder(y->b, number);
    LLVMInsertIntoBuilder(y->b, insertion);
    LLVMInsertIntoBuilder(y->b, own);
    return own;
}

static void build_separator(struct body *y)
{
    LLVMTypeRef type =
        LLVMFunctionType(LLVMVoidTypeInContext(LLVMGetTypeContext(LLVMTypeOf(y->all[0]))), NULL, 0, false);
    static const char clobbers[] = "~{memory}";
    LLVMValueRef assembly = LLVMGetInlineAsm(type, "", 0, clobbers, sizeof clobbers - 1, true, false,
                                             LLVMInlineAsmDialectATT, false);
    LLVMBuildCall2(y->b, type, assembly, NULL, 0, "");
}

static void build_part(struct body *y, uint32_t first)
{
    LLVMValueRef own[LONGEST] = {NULL}; // by number: what replaces a shared value in this part
    const uint32_t part = part_of(y, first);
    for (uint32_t k = first; k < y->count; k++) {
        LLVMValueRef i = y->all[k];
        if (part_of(y, k) != part || LLVMIsAPHINode(i))
            continue;
        for (unsigned o = 0; o < (unsigned)LLVMGetNumOperands(i); o++) {
            LLVMValueRef shared = LLVMGetOperand(i, o);
            uint32_t at = number_of(y, shared);
            if (at == UINT32_MAX || part_of(y, at) != SHARED || !loaded_by(y, shared))
                continue;
            if (!own[at])
                own[at] = load_again(y, shared);
            LLVMSetOperand(i, o, own[at]);
        }
        move_to_end(y, i);
    }
}

static void split_body(struct body *y)
{
    bool done[LONGEST] = {false};
    LLVMPositionBuilderBefore(y->b, LLVMGetBasicBlockTerminator(y->block));
    for (uint32_t k = 0; k < y->count; k++)
        if (part_of(y, k) == SHARED)
            move_to_end(y, y->all[k]);
    for (uint32_t k = 0; k < y->count; k++) {
        uint32_t part = part_of(y, k);
        if (part == SHARED || done[part])
            continue;
        done[part] = true;
        build_separator(y);
        build_part(y, k);
    }
    for (uint32_t k = y->count; k-- > 0;) // users before their operands
        if (part_of(y, k) == SHARED && !LLVMGetFirstUse(y->all[k]))
            LLVMInstructionEraseFromParent(y->all[k]);
}

void weftc_split_loops(LLVMModuleRef module)
{
    struct body y = {.layout = LLVMGetModuleDataLayout(module),
                     .b = LLVMCreateBuilderInContext(LLVMGetModuleContext(module))};
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
        for (y.block = LLVMGetFirstBasicBlock(f); y.block; y.block = LLVMGetNextBasicBlock(y.block)) {
            if (!is_body(y.block))
                continue;
            y.count = 0;
            if (read_body(&y)) {
                find_parts(&y);
                if (pays(&y))
                    split_body(&y);
            }
            weftc_map_free(&y.number);
        }
    LLVMDisposeBuilder(y.b);
}
