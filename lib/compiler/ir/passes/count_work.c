// Code that counts its work, for `weft prof`: each block counts how often it runs, and a table says what a
// run of it does, line by line: bytes of global memory, operations on floating-point numbers, instructions.
// So branches and loops count as often as they ran. One thread at a time runs such code.
//
// At the end of each work-item, and where it waits at a barrier, its counts are folded into those of its
// neighbours (struct weft_kernel_counts): that says how many lanes would have been active. The counts are
// volatile: LLVM would otherwise be told that work-items don't depend on each other, and vectorize.
#include <string.h>

#include <llvm-c/Core.h>
#include <llvm-c/DebugInfo.h>
#include <llvm-c/Target.h>

#include "base/base.h"
#include "compiler/bridge/passes.h"
#include "compiler/ir/ir.h"
#include "compiler/ir/llvm_helpers.h"
#include "compiler/ir/passes/passes.h"
#include "compiler/ir/primitives.h"
#include "weft/kernel_abi.h"

struct parts {
    struct weft_count_part *part;
    size_t count, room;
    bool failed;
};

static uint64_t lanes_of(LLVMTypeRef type)
{
    return LLVMGetTypeKind(type) == LLVMVectorTypeKind ? LLVMGetVectorSize(type) : 1;
}

static bool is_floating(LLVMTypeRef type)
{
    const LLVMTypeKind kind = LLVMGetTypeKind(weftc_element_of(type));
    return kind == LLVMHalfTypeKind || kind == LLVMFloatTypeKind || kind == LLVMDoubleTypeKind;
}

static void add_operations(LLVMTypeRef type, uint64_t each, struct weft_count_part *sum)
{
    const uint32_t count = (uint32_t)(each * lanes_of(type));
    sum->operations += count;
    sum->doubles += LLVMGetTypeKind(weftc_element_of(type)) == LLVMDoubleTypeKind ? count : 0;
}

static bool is_global(LLVMValueRef pointer)
{
    const unsigned space = LLVMGetPointerAddressSpace(LLVMTypeOf(pointer));
    return space == WEFTC_SPACE_GLOBAL || space == WEFTC_SPACE_GENERIC;
}

static void add_call(LLVMValueRef i, struct weft_count_part *sum)
{
    LLVMValueRef f = weftc_callee(i);
    if (!f || !LLVMGetIntrinsicID(f))
        return;
    const char *name = LLVMGetValueName(f);
    const bool copies = LLVMIsAMemCpyInst(i) || LLVMIsAMemMoveInst(i);
    if (copies || LLVMIsAMemSetInst(i)) {
        LLVMValueRef size = LLVMIsAConstantInt(LLVMGetOperand(i, 2));
        const uint32_t bytes = size ? (uint32_t)LLVMConstIntGetZExtValue(size) : 0;
        sum->bytes += is_global(LLVMGetOperand(i, 0)) ? bytes : 0;
        sum->bytes += copies && is_global(LLVMGetOperand(i, 1)) ? bytes : 0;
    } else if (is_floating(LLVMTypeOf(i))) {
        const bool two = strncmp(name, "llvm.fma.", 9) == 0 || strncmp(name, "llvm.fmuladd.", 13) == 0;
        add_operations(LLVMTypeOf(i), two ? 2 : 1, sum);
    }
}

// Adds what an instruction does.
static void add_instruction(LLVMTargetDataRef layout, LLVMValueRef i, struct weft_count_part *sum)
{
    sum->instructions++;
    switch (LLVMGetInstructionOpcode(i)) {
    case LLVMLoad:
        if (is_global(LLVMGetOperand(i, 0)))
            sum->bytes += (uint32_t)LLVMStoreSizeOfType(layout, LLVMTypeOf(i));
        break;
    case LLVMStore:
        if (is_global(LLVMGetOperand(i, 1)))
            sum->bytes += (uint32_t)LLVMStoreSizeOfType(layout, LLVMTypeOf(LLVMGetOperand(i, 0)));
        break;
    case LLVMAtomicRMW: // reads and writes
        if (is_global(LLVMGetOperand(i, 0)))
            sum->bytes += (uint32_t)(2 * LLVMStoreSizeOfType(layout, LLVMTypeOf(i)));
        break;
    case LLVMFAdd:
    case LLVMFSub:
    case LLVMFMul:
    case LLVMFDiv:
    case LLVMFRem:
        add_operations(LLVMTypeOf(i), 1, sum);
        break;
    case LLVMCall:
        add_call(i, sum);
        break;
    case LLVMPHI: // costs nothing by itself
    case LLVMAlloca:
    case LLVMBitCast:
    case LLVMAddrSpaceCast:
    case LLVMGetElementPtr:
        sum->instructions--;
        break;
    default:
        break;
    }
}

// The part of the block's parts, those from `first` on, that is about a line. NULL: no memory.
static struct weft_count_part *part_of(struct parts *p, size_t first, uint32_t block, uint32_t line)
{
    for (size_t i = first; i < p->count; i++)
        if (p->part[i].line == line)
            return &p->part[i];
    if (p->count == p->room) {
        const size_t room = p->room ? 2 * p->room : 64;
        struct weft_count_part *larger = weft_realloc(p->part, room * sizeof *larger);
        if (!larger) {
            p->failed = true;
            return NULL;
        }
        p->part = larger;
        p->room = room;
    }
    p->part[p->count] = (struct weft_count_part){.block = block, .line = line};
    return &p->part[p->count++];
}

// Calls of LLVM's that are no code.
static bool is_nothing(LLVMValueRef i)
{
    LLVMValueRef f = weftc_callee(i);
    const char *name = f && LLVMGetIntrinsicID(f) ? LLVMGetValueName(f) : "";
    return strncmp(name, "llvm.dbg.", 9) == 0 || weftc_is_lifetime(i);
}

static void add_block(struct parts *p, LLVMTargetDataRef layout, LLVMBasicBlockRef block, uint32_t number)
{
    const size_t first = p->count;
    for (LLVMValueRef i = LLVMGetFirstInstruction(block); i; i = LLVMGetNextInstruction(i)) {
        struct weft_count_part *part = is_nothing(i) ? NULL : part_of(p, first, number, weftc_source_line(i));
        if (part)
            add_instruction(layout, i, part);
    }
}

// ---- The code ----

struct counters {
    LLVMModuleRef module;
    LLVMContextRef c;
    LLVMBuilderRef b;
    LLVMTypeRef i64;
    LLVMValueRef counts; // of the first level of `most`
    uint32_t blocks;
    unsigned along; // the dimension in which work-items are neighbours
};

// The variable, with the table in it. Sets k->counts.
static void add_variable(struct counters *k, const struct parts *p)
{
    enum { WORDS = sizeof(struct weft_count_part) / sizeof(uint32_t) };
    LLVMTypeRef i32 = LLVMInt32TypeInContext(k->c);
    const uint64_t numbers = (uint64_t)(2 * WEFT_COUNT_LEVELS + 1) * k->blocks;
    LLVMTypeRef fields[] = {k->i64, k->i64, LLVMArrayType2(i32, WORDS * p->count),
                            LLVMArrayType2(k->i64, numbers)};
    LLVMTypeRef type = LLVMStructTypeInContext(k->c, fields, 4, false);
    LLVMValueRef *words = weft_alloc_array(WORDS * p->count + 1, sizeof *words);
    if (!words)
        return;
    for (size_t i = 0; i < WORDS * p->count; i++) {
        uint32_t word;
        memcpy(&word, (const unsigned char *)p->part + i * sizeof word, sizeof word);
        words[i] = weftc_i32(k->c, word);
    }
    LLVMValueRef values[] = {weftc_i64(k->c, k->blocks), weftc_i64(k->c, p->count),
                             LLVMConstArray2(i32, words, WORDS * p->count), LLVMConstNull(fields[3])};
    LLVMValueRef variable = LLVMAddGlobal(k->module, type, WEFT_KERNEL_COUNTS_SYMBOL);
    LLVMSetInitializer(variable, LLVMConstStructInContext(k->c, values, 4, false));
    LLVMValueRef at[] = {weftc_i32(k->c, 0), weftc_i32(k->c, 3), weftc_i32(k->c, 0)};
    k->counts = LLVMConstInBoundsGEP2(type, variable, at, 3);
    weft_free(words);
}

static LLVMValueRef place(const struct counters *k, LLVMValueRef index)
{
    return LLVMBuildInBoundsGEP2(k->b, k->i64, k->counts, &index, 1, "");
}

static LLVMValueRef load(const struct counters *k, LLVMValueRef from)
{
    LLVMValueRef v = LLVMBuildLoad2(k->b, k->i64, from, "");
    LLVMSetVolatile(v, true);
    return v;
}

static void store(const struct counters *k, LLVMValueRef v, LLVMValueRef to)
{
    LLVMSetVolatile(LLVMBuildStore(k->b, v, to), true);
}

static void count_run(const struct counters *k, LLVMBasicBlockRef block, uint32_t number)
{
    LLVMPositionBuilderBefore(k->b, LLVMGetBasicBlockTerminator(block));
    LLVMValueRef at = place(k, weftc_i64(k->c, number));
    store(k, LLVMBuildAdd(k->b, load(k, at), weftc_i64(k->c, 1), ""), at);
}

static LLVMValueRef begin_phi(const struct counters *k, LLVMBasicBlockRef from)
{
    LLVMValueRef phi = LLVMBuildPhi(k->b, k->i64, ""), zero = weftc_i64(k->c, 0);
    LLVMAddIncoming(phi, &zero, &from, 1);
    return phi;
}

// Folds the work-item's counts, for all blocks:
//     level = 0
//     do
//         iterations[level] += most[level], most[level + 1] = max(most[level + 1], most[level])
//         most[level] = 0, level++
//     while level < LEVELS and this is the last of 1 << level work-items, or of the row
// The code begins at the end of block `from`, whose end is moved behind it.
static void fold(const struct counters *k, LLVMValueRef kernel, LLVMBasicBlockRef from)
{
    LLVMContextRef c = k->c;
    LLVMValueRef one = weftc_i64(c, 1), blocks = weftc_i64(c, k->blocks);
    LLVMBasicBlockRef to = weftc_bridge_split_block(LLVMGetBasicBlockTerminator(from)),
                      level = LLVMAppendBasicBlockInContext(c, kernel, ""),
                      row = LLVMAppendBasicBlockInContext(c, kernel, ""),
                      next = LLVMAppendBasicBlockInContext(c, kernel, "");
    LLVMValueRef end = LLVMGetBasicBlockTerminator(from);
    LLVMPositionBuilderBefore(k->b, end);
    LLVMValueRef id = weftc_primitive_build(k->b, k->module, WEFTC_LOCAL_ID, k->along),
                 size = weftc_primitive_build(k->b, k->module, WEFTC_LOCAL_SIZE, k->along),
                 done = LLVMBuildAdd(k->b, id, one, "");
    LLVMSetSuccessor(end, 0, level);

    LLVMPositionBuilderAtEnd(k->b, level);
    LLVMValueRef l = begin_phi(k, from), base = LLVMBuildMul(k->b, l, blocks, "");
    LLVMBuildBr(k->b, row);

    LLVMPositionBuilderAtEnd(k->b, row);
    LLVMValueRef block = begin_phi(k, level), index = LLVMBuildAdd(k->b, base, block, "");
    LLVMValueRef above = LLVMBuildAdd(k->b, index, blocks, "");
    LLVMValueRef sum =
        LLVMBuildAdd(k->b, index, weftc_i64(c, (uint64_t)(WEFT_COUNT_LEVELS + 1) * k->blocks), "");
    LLVMValueRef most = load(k, place(k, index)), other = load(k, place(k, above));
    store(k, LLVMBuildAdd(k->b, load(k, place(k, sum)), most, ""), place(k, sum));
    LLVMValueRef is_more = LLVMBuildICmp(k->b, LLVMIntUGT, most, other, "");
    store(k, LLVMBuildSelect(k->b, is_more, most, other, ""), place(k, above));
    store(k, weftc_i64(c, 0), place(k, index));
    LLVMValueRef next_block = LLVMBuildAdd(k->b, block, one, "");
    LLVMAddIncoming(block, &next_block, &row, 1);
    LLVMBuildCondBr(k->b, LLVMBuildICmp(k->b, LLVMIntULT, next_block, blocks, ""), row, next);

    LLVMPositionBuilderAtEnd(k->b, next);
    LLVMValueRef up = LLVMBuildAdd(k->b, l, one, "");
    LLVMValueRef mask = LLVMBuildSub(k->b, LLVMBuildShl(k->b, one, up, ""), one, "");
    LLVMValueRef whole =
        LLVMBuildICmp(k->b, LLVMIntEQ, LLVMBuildAnd(k->b, done, mask, ""), weftc_i64(c, 0), "");
    LLVMValueRef last = LLVMBuildOr(k->b, whole, LLVMBuildICmp(k->b, LLVMIntEQ, done, size, ""), "");
    LLVMValueRef any = LLVMBuildICmp(k->b, LLVMIntULT, up, weftc_i64(c, WEFT_COUNT_LEVELS), "");
    LLVMAddIncoming(l, &up, &next, 1);
    LLVMBuildCondBr(k->b, LLVMBuildAnd(k->b, last, any, ""), level, to);
}

// A block that waits at a barrier is two: the work-item's neighbours run in between.
static void split_at_barriers(LLVMValueRef kernel)
{
    LLVMBasicBlockRef made = NULL; // begins with the barrier at which it was made
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(kernel); b; b = LLVMGetNextBasicBlock(b)) {
        LLVMValueRef i = LLVMGetFirstInstruction(b);
        for (i = b == made ? LLVMGetNextInstruction(i) : i; i; i = LLVMGetNextInstruction(i))
            if (weftc_is_barrier(i)) {
                made = weftc_bridge_split_block(i);
                break;
            }
    }
}

// Does the block end where the work-item waits or ends?
static bool ends_work(LLVMBasicBlockRef block)
{
    LLVMValueRef end = LLVMGetBasicBlockTerminator(block);
    if (LLVMIsAReturnInst(end))
        return true;
    return LLVMGetNumSuccessors(end) == 1 &&
           weftc_is_barrier(LLVMGetFirstInstruction(LLVMGetSuccessor(end, 0)));
}

// Counts what the kernel's blocks do, the kernel's first, and then those of functions that stay apart.
static void add_function(struct parts *p, LLVMTargetDataRef layout, LLVMValueRef f, uint32_t *number)
{
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b))
        add_block(p, layout, b, (*number)++);
}

static void count_function(const struct counters *k, LLVMValueRef f, uint32_t *number, bool is_kernel)
{
    LLVMBasicBlockRef last = LLVMGetLastBasicBlock(f), next;
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = next) {
        next = b == last ? NULL : LLVMGetNextBasicBlock(b);
        count_run(k, b, (*number)++);
        if (is_kernel && ends_work(b))
            fold(k, f, b);
    }
}

bool weftc_count_work(LLVMModuleRef module, LLVMValueRef kernel, unsigned along)
{
    LLVMContextRef c = LLVMGetModuleContext(module);
    LLVMTargetDataRef layout = LLVMGetModuleDataLayout(module);
    struct parts p = {0};
    struct counters k = {.module = module, .c = c, .i64 = LLVMInt64TypeInContext(c), .along = along};
    split_at_barriers(kernel);
    add_function(&p, layout, kernel, &k.blocks);
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
        if (f != kernel)
            add_function(&p, layout, f, &k.blocks);
    LLVMStripModuleDebugInfo(module); // the lines are in the table
    if (!p.failed)
        add_variable(&k, &p);
    weft_free(p.part);
    if (!k.counts)
        return false;
    uint32_t number = 0;
    k.b = LLVMCreateBuilderInContext(c);
    count_function(&k, kernel, &number, true);
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
        if (f != kernel)
            count_function(&k, f, &number, false);
    LLVMDisposeBuilder(k.b);
    return true;
}
