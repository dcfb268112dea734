// What each instruction takes of a processor's time, for all lanes and for one work-item: latency, and work
// for the units. The numbers are quarters of a cycle of a processor that begins two vector instructions in
// each cycle.
#include <string.h>

#include <llvm-c/Core.h>
#include <llvm-c/Target.h>

#include "base/base.h"
#include "compiler/arch/prices.h"
#include "compiler/ir/ir.h"
#include "compiler/shapes/shapes.h"
#include "compiler/vectorize/access/access.h"
#include "compiler/vectorize/cost/cost.h"
#include "compiler/vectorize/cost/prices.h"

static struct weftc_vec_price of_target(const struct weftc_vec *v, enum weftc_operation o)
{
    return (struct weftc_vec_price){v->prices[o].latency, v->prices[o].work};
}

static bool is_double(LLVMValueRef i)
{
    return LLVMGetTypeKind(LLVMTypeOf(i)) == LLVMDoubleTypeKind;
}

// Of what takes the same time everywhere.
static struct weftc_vec_price plain(LLVMValueRef i)
{
    switch (LLVMGetInstructionOpcode(i)) {
    case LLVMPHI:
    case LLVMAlloca:
    case LLVMGetElementPtr:
    case LLVMExtractValue:
    case LLVMInsertValue:
    case LLVMBitCast:
    case LLVMFreeze:
    case LLVMBr:
    case LLVMRet:
    case LLVMUnreachable:
        return (struct weftc_vec_price){0, 0};
    case LLVMFAdd:
    case LLVMFSub:
    case LLVMFMul:
    case LLVMFPToSI:
    case LLVMFPToUI:
    case LLVMSIToFP:
    case LLVMUIToFP:
    case LLVMFPExt:
    case LLVMFPTrunc:
        return (struct weftc_vec_price){16, 3};
    case LLVMFRem:
    case LLVMUDiv:
    case LLVMSDiv:
    case LLVMURem:
    case LLVMSRem:
        return (struct weftc_vec_price){200, 200};
    case LLVMFCmp:
    case LLVMICmp:
    case LLVMTrunc:
    case LLVMZExt:
    case LLVMSExt:
        return (struct weftc_vec_price){12, 2};
    case LLVMCall: {
        const char *name = LLVMGetValueName(LLVMGetCalledValue(i));
        if (strncmp(name, WEFTC_DOT_PREFIX, strlen(WEFTC_DOT_PREFIX)) == 0)
            return (struct weftc_vec_price){24, 8};
        return (struct weftc_vec_price){16, 3};
    }
    default:
        return (struct weftc_vec_price){4, 2};
    }
}

static bool is_root(LLVMValueRef i)
{
    LLVMValueRef callee = LLVMIsACallInst(i) ? LLVMGetCalledValue(i) : NULL;
    return callee && strncmp(LLVMGetValueName(callee), "llvm.sqrt", strlen("llvm.sqrt")) == 0;
}

static struct weftc_vec_price arithmetic(const struct weftc_vec *v, LLVMValueRef i)
{
    const LLVMOpcode opcode = LLVMGetInstructionOpcode(i);
    if (opcode == LLVMMul)
        return of_target(v, WEFTC_MULTIPLY_INT);
    if (opcode == LLVMFDiv)
        return of_target(v, is_double(i) ? WEFTC_DIVIDE_DOUBLE : WEFTC_DIVIDE_FLOAT);
    return is_root(i) ? of_target(v, is_double(i) ? WEFTC_ROOT_DOUBLE : WEFTC_ROOT_FLOAT) : plain(i);
}

static bool is_mask(LLVMTypeRef type)
{
    return LLVMGetTypeKind(type) == LLVMIntegerTypeKind && LLVMGetIntTypeWidth(type) == 1;
}

static uint64_t bytes_of(const struct weftc_vec *v, LLVMTypeRef type)
{
    return LLVMTypeIsSized(type) ? LLVMStoreSizeOfType(v->s->layout, type) : 0;
}

uint32_t weftc_vec_registers_of(const struct weftc_vec *v, LLVMTypeRef type, bool masks_apart, unsigned log)
{
    if (is_mask(type))
        return masks_apart ? 0 : 1u << log;
    return (uint32_t)(((bytes_of(v, type) << log) + 3) / 4) + (bytes_of(v, type) == 0);
}

uint32_t weftc_vec_registers(const struct weftc_vec *v, LLVMTypeRef type, bool masks_apart)
{
    return weftc_vec_registers_of(v, type, masks_apart, 0);
}

// The bytes of a lane in the widest value that i makes or uses; at most those of a register's lane.
static uint64_t width_of(const struct weftc_vec *v, LLVMValueRef i)
{
    uint64_t bytes = is_mask(LLVMTypeOf(i)) ? 1 : bytes_of(v, LLVMTypeOf(i));
    for (unsigned k = 0; k < (unsigned)LLVMGetNumOperands(i) && bytes < 4; k++) {
        LLVMValueRef operand = LLVMGetOperand(i, k);
        const bool counts = !LLVMIsAConstant(operand) && !is_mask(LLVMTypeOf(operand)) &&
                            LLVMTypeIsSized(LLVMTypeOf(operand));
        const uint64_t own = counts ? bytes_of(v, LLVMTypeOf(operand)) : 1;
        bytes = own > bytes ? own : bytes;
    }
    return bytes < 4 ? bytes : 4;
}

uint32_t weftc_vec_work_factor(const struct weftc_vec *v, LLVMValueRef i, unsigned log)
{
    const struct weftc_access *a = weftc_vec_access(v, i);
    uint64_t bytes = 4;
    switch (a->kind) {
    case WEFTC_ACCESS_NONE:
        bytes = width_of(v, i);
        break;
    case WEFTC_ACCESS_CONSECUTIVE:
    case WEFTC_ACCESS_REVERSED:
    case WEFTC_ACCESS_WRAP_GUARDED:
        bytes = a->bytes;
        break;
    case WEFTC_ACCESS_IN_ORDER:
    case WEFTC_ACCESS_INTERLEAVED:
        bytes = a->group->plan.word;
        break;
    default:
        break;
    }
    return bytes < 4 ? (uint32_t)(((bytes << log) + 3) / 4) : 1u << log;
}

// Bytes and 16-bit elements are taken one by one, as quickly as by an instruction.
static struct weftc_vec_price scattered(const struct weftc_vec *v, LLVMValueRef i)
{
    const bool store = LLVMIsAStoreInst(i) != NULL;
    struct weftc_vec_price price = weftc_vec_scattered_price(v, store);
    if (store)
        return price;
    if (weftc_vec_reads_crowded_rows(v, i)) {
        price.latency *= 2;
        price.work *= 2;
    }
    return price;
}

static struct weftc_vec_price uniform_time(const struct weftc_vec *v, LLVMValueRef i, uint32_t *shared)
{
    (void)v;
    (void)i;
    *shared = 3;
    return (struct weftc_vec_price){20, 0};
}

static struct weftc_vec_price gather_time(const struct weftc_vec *v, LLVMValueRef i, uint32_t *shared)
{
    (void)shared;
    return scattered(v, i);
}

// A gather, and a second one of few lanes where bytes go on in the next word; then shifts.
static struct weftc_vec_price aligned_time(const struct weftc_vec *v, LLVMValueRef i, uint32_t *shared)
{
    (void)shared;
    const struct weftc_vec_group *g = weftc_vec_access(v, i)->group;
    if (i != weftc_vec_insert_position(g))
        return (struct weftc_vec_price){0, 2};
    struct weftc_vec_price price = scattered(v, i);
    price.latency += 12;
    price.work += g->plan.stride ? 3 * v->lanes + 16 : 8;
    return price;
}

// For kinds without figures of their own: as much as the instructions that they are.
static struct weftc_vec_price time_of_work(const struct weftc_vec *v, LLVMValueRef i, uint32_t *shared)
{
    (void)shared;
    uint64_t work = 2 * weftc_vec_work(v, i);
    return (struct weftc_vec_price){work > 4 ? 100 : 24, work > UINT16_MAX ? UINT16_MAX : (uint32_t)work};
}

static struct weftc_vec_price (*const times[WEFTC_ACCESS_KINDS])(const struct weftc_vec *, LLVMValueRef,
                                                                 uint32_t *) = {
#define ACCESS(kind, reach, lane, piece, load, store, atomic, work, time, idle, name, words) \
    [WEFTC_ACCESS_##kind] = time,
#include "compiler/vectorize/access/kinds.def"
#undef ACCESS
};

struct weftc_vec_price weftc_vec_price(const struct weftc_vec *v, LLVMValueRef i, unsigned depth,
                                       uint32_t *shared)
{
    *shared = 0;
    if (weftc_vec_is_hint(i))
        return (struct weftc_vec_price){0, 0};
    const enum weftc_access_kind kind = weftc_vec_access(v, i)->kind;
    if (kind != WEFTC_ACCESS_NONE)
        return times[kind](v, i, shared);
    struct weftc_vec_price price = arithmetic(v, i);
    if (weftc_vec_is_scalar(v, i)) {
        // Outside of loops, LLVM moves uniform values out of the loops over work-items.
        bool uniform = weftc_vec_shape(v, i).kind == WEFTC_UNIFORM;
        *shared = depth == 0 && uniform ? 0 : (price.work + 1) / 2;
        return (struct weftc_vec_price){price.latency, 0};
    }
    uint32_t registers = weftc_vec_registers(v, LLVMTypeOf(i), false);
    price.work *= registers;
    // A scalar operand is an operand in memory, or is copied to all lanes.
    for (unsigned k = 0; price.work && k < (unsigned)LLVMGetNumOperands(i); k++) {
        LLVMValueRef operand = LLVMGetOperand(i, k);
        bool constant = LLVMIsAConstantFP(operand) || LLVMIsAConstantInt(operand);
        bool made = LLVMIsAInstruction(operand) && weftc_vec_is_scalar(v, operand);
        if (depth == 0 ? constant || made : made) {
            *shared = 1;
            break;
        }
    }
    return price;
}

// A processor begins more scalar instructions in each cycle than vector ones.
struct weftc_vec_price weftc_vec_scalar_price(LLVMValueRef i)
{
    if (weftc_vec_is_hint(i))
        return (struct weftc_vec_price){0, 0};
    switch (LLVMGetInstructionOpcode(i)) {
    case LLVMLoad:
        return (struct weftc_vec_price){16, 2};
    case LLVMStore:
        return (struct weftc_vec_price){0, 4};
    case LLVMAtomicRMW:
    case LLVMAtomicCmpXchg:
        return LLVMIsAtomicSingleThread(i) ? (struct weftc_vec_price){24, 6}
                                           : (struct weftc_vec_price){72, 72};
    case LLVMBr:
        return (struct weftc_vec_price){0, LLVMIsConditional(i) ? 1 : 0};
    case LLVMMul:
        return (struct weftc_vec_price){12, 4};
    case LLVMUDiv:
    case LLVMSDiv:
    case LLVMURem:
    case LLVMSRem:
        return LLVMIsAConstantInt(LLVMGetOperand(i, 1)) ? (struct weftc_vec_price){20, 8}
                                                        : (struct weftc_vec_price){44, 24};
    case LLVMFDiv:
        return (struct weftc_vec_price){48, 16};
    case LLVMTrunc:
    case LLVMZExt:
    case LLVMSExt:
        return (struct weftc_vec_price){2, 1};
    case LLVMFCmp:
        return (struct weftc_vec_price){12, 2};
    case LLVMFAdd:
    case LLVMFSub:
    case LLVMFMul:
    case LLVMFPToSI:
    case LLVMFPToUI:
    case LLVMSIToFP:
    case LLVMUIToFP:
    case LLVMFPExt:
    case LLVMFPTrunc:
        return (struct weftc_vec_price){16, 2};
    case LLVMCall: {
        struct weftc_vec_price price = plain(i);
        if (is_root(i))
            return (struct weftc_vec_price){64, 20};
        return price.work > 3 ? (struct weftc_vec_price){price.latency, price.work / 2}
                              : (struct weftc_vec_price){price.latency, 2};
    }
    default: {
        struct weftc_vec_price price = plain(i);
        return (struct weftc_vec_price){price.latency, price.work ? 1 : 0};
    }
    }
}
