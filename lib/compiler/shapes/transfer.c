// The transfer functions of the fixpoint in shapes/shapes.c: the shape of one value, from the shapes of its
// operands. They use only the instruction, the shapes found so far, and which blocks are joins. They change
// nothing.
//
// The file has more than 500 lines because it has a function for each kind of instruction, and these belong
// together.
#include <llvm-c/Core.h>

#include "base/base.h"
#include "compiler/ir/gep.h"
#include "compiler/ir/llvm_helpers.h"
#include "compiler/ir/module_facts.h"
#include "compiler/ir/primitives.h"
#include "compiler/ir/sub_groups.h"
#include "compiler/ir/value_map.h"
#include "compiler/shapes/shapes.h"
#include "compiler/shapes/transfer.h"
#include "weft/kernel_abi.h"

enum { MAX_GUARDED_STRIDE = 1 << 20 }; // larger strides are useless, and wrap often

static const struct weftc_shape uniform = {.kind = WEFTC_UNIFORM, .exact = true, .max = UINT64_MAX};
static const struct weftc_shape varying = {.kind = WEFTC_VARYING, .max = UINT64_MAX};

// ---- shapes of operands ----

static unsigned int_width(LLVMTypeRef type)
{
    return LLVMGetTypeKind(type) == LLVMIntegerTypeKind ? LLVMGetIntTypeWidth(type) : 0;
}

static uint64_t max_of_width(unsigned bits)
{
    return bits >= 64 ? UINT64_MAX : (1ull << bits) - 1;
}

static int64_t cut(int64_t v, unsigned bits)
{
    if (bits == 0 || bits >= 64)
        return v;
    uint64_t up = (uint64_t)v << (64 - bits);
    return (int64_t)up >> (64 - bits);
}

// A progression with the given stride; uniform if the stride is 0.
static struct weftc_shape strided(int64_t stride, bool exact, uint64_t max)
{
    struct weftc_shape shape = {.kind = WEFTC_STRIDED, .exact = exact, .stride = stride, .max = max};
    if (stride == 0) {
        shape.kind = WEFTC_UNIFORM;
        shape.exact = true;
    }
    return shape;
}

static bool is_constant(LLVMValueRef v, int64_t *value)
{
    if (!LLVMIsAConstantInt(v) || int_width(LLVMTypeOf(v)) > 64)
        return false;
    *value = LLVMConstIntGetSExtValue(v);
    return true;
}

static bool known(struct weftc_shape a)
{
    return a.kind == WEFTC_UNIFORM || a.kind == WEFTC_STRIDED;
}

// The shape of a 64-bit sum or multiple of operands that are uniform, strided, or wrap-guarded by one and the
// same guard: it is wrap-guarded by that guard, with the given stride.
static struct weftc_shape wrap_guarded(struct weftc_shape a, struct weftc_shape b, int64_t stride)
{
    struct weftc_shape reason = a.wrap_guarded ? a : b, shape = varying;
    if ((!a.wrap_guarded && !known(a)) || (!b.wrap_guarded && !known(b)) || stride == 0 ||
        (a.wrap_guarded && b.wrap_guarded &&
         (a.wrap_guarded != b.wrap_guarded || a.wrap_guarded_signed != b.wrap_guarded_signed ||
          a.clamped != b.clamped)))
        return varying;
    shape.clamped = reason.clamped;
    shape.wrap_guarded = reason.wrap_guarded;
    shape.wrap_guarded_signed = reason.wrap_guarded_signed;
    shape.stride = stride;
    return shape;
}

// The shape of i, a 32-bit sum or clamp of a value that has shape a.
static struct weftc_shape clamped_as(struct weftc_shape a, LLVMValueRef i)
{
    a.clamped = i;
    return a;
}

static uint64_t bounded(uint64_t max, unsigned bits)
{
    return max <= max_of_width(bits) ? max : UINT64_MAX;
}

bool weftc_is_progression(LLVMOpcode opcode)
{
    return opcode == LLVMAdd || opcode == LLVMSub || opcode == LLVMOr || opcode == LLVMMul ||
           opcode == LLVMShl;
}

bool weftc_is_wide_extension(const struct weftc_shapes *s, LLVMValueRef i)
{
    // If it is speculated not to wrap, it begins with the value of i in lane 0.
    return (LLVMIsASExtInst(i) || LLVMIsAZExtInst(i)) && !(s->speculate && weftc_shape_is_speculated(s, i)) &&
           weftc_shape_of(s, LLVMGetOperand(i, 0)).kind == WEFTC_STRIDED &&
           weftc_shape_of(s, i).kind != WEFTC_VARYING && weftc_shape_of(s, i).max == UINT64_MAX;
}

// ---- transfer functions ----

static struct weftc_shape of_sum(const struct weftc_shapes *s, LLVMValueRef i, bool minus)
{
    struct weftc_shape a = weftc_shape_of(s, LLVMGetOperand(i, 0)),
                       b = weftc_shape_of(s, LLVMGetOperand(i, 1));
    unsigned bits = int_width(LLVMTypeOf(i));
    if (bits == 64 && (a.wrap_guarded || b.wrap_guarded))
        return wrap_guarded(a, b,
                            minus ? (int64_t)((uint64_t)a.stride - (uint64_t)b.stride)
                                  : (int64_t)((uint64_t)a.stride + (uint64_t)b.stride));
    if (bits == 32 && a.clamped && b.kind == WEFTC_UNIFORM)
        return clamped_as(a, i);
    if (bits == 32 && b.clamped && a.kind == WEFTC_UNIFORM && !minus)
        return clamped_as(b, i);
    if (!known(a) || !known(b) || bits == 0)
        return varying;
    bool disjoint = LLVMGetInstructionOpcode(i) == LLVMOr;
    uint64_t max = UINT64_MAX;
    if (!minus && a.max != UINT64_MAX && b.max != UINT64_MAX && a.max + b.max >= a.max)
        max = bounded(a.max + b.max, bits);
    uint64_t stride =
        minus ? (uint64_t)a.stride - (uint64_t)b.stride : (uint64_t)a.stride + (uint64_t)b.stride;
    // If the stride itself wraps, the progression is right in one lane at most, never in two neighbouring
    // lanes.
    bool exact =
        (disjoint || LLVMGetNSW(i)) && a.exact && b.exact && cut((int64_t)stride, bits) == (int64_t)stride;
    return strided(cut((int64_t)stride, bits), exact || max <= max_of_width(bits) >> 1, max);
}

static struct weftc_shape of_product(const struct weftc_shapes *s, LLVMValueRef i, bool shift)
{
    struct weftc_shape a = weftc_shape_of(s, LLVMGetOperand(i, 0));
    int64_t factor;
    unsigned bits = int_width(LLVMTypeOf(i));
    if ((!known(a) && !(a.wrap_guarded && bits == 64)) || bits == 0 || bits > 64 ||
        !is_constant(LLVMGetOperand(i, 1), &factor))
        return varying;
    if (shift) {
        if (factor < 0 || factor >= (int64_t)bits)
            return varying;
        factor = (int64_t)(1ull << factor);
    }
    if (a.wrap_guarded)
        return wrap_guarded(a, uniform, (int64_t)((uint64_t)a.stride * (uint64_t)factor));
    uint64_t max = UINT64_MAX;
    if (factor > 0 && a.max != UINT64_MAX && a.max <= UINT64_MAX / (uint64_t)factor)
        max = bounded(a.max * (uint64_t)factor, bits);
    int64_t stride = (int64_t)((uint64_t)a.stride * (uint64_t)factor);
    bool exact = (LLVMGetNSW(i) && a.exact && cut(stride, bits) == stride) || max <= max_of_width(bits) >> 1;
    return strided(cut(stride, bits), exact, max);
}

static struct weftc_shape of_uniform_product(const struct weftc_shapes *s, LLVMValueRef i)
{
    struct weftc_shape a = weftc_shape_of(s, LLVMGetOperand(i, 0)),
                       b = weftc_shape_of(s, LLVMGetOperand(i, 1)), product = uniform;
    if (a.kind != WEFTC_UNIFORM || b.kind != WEFTC_UNIFORM)
        return varying;
    if (a.max <= UINT32_MAX && b.max <= UINT32_MAX)
        product.max = bounded(a.max * b.max, int_width(LLVMTypeOf(i)));
    return product;
}

static struct weftc_shape of_extension(const struct weftc_shapes *s, LLVMValueRef i)
{
    LLVMValueRef operand = LLVMGetOperand(i, 0);
    struct weftc_shape a = weftc_shape_of(s, operand);
    unsigned bits = int_width(LLVMTypeOf(operand));
    bool is_signed = LLVMGetInstructionOpcode(i) == LLVMSExt;
    if (a.clamped && bits == 32 && int_width(LLVMTypeOf(i)) == 64 && (is_signed || LLVMGetNNeg(i)))
        return a;
    if (!known(a) || bits == 0)
        return varying;
    uint64_t max = a.max <= (is_signed ? max_of_width(bits) >> 1 : max_of_width(bits)) ? a.max : UINT64_MAX;
    if (a.kind == WEFTC_UNIFORM || max != UINT64_MAX)
        return strided(a.stride, true, max);
    is_signed = is_signed || LLVMGetNNeg(i);
    if (a.exact && is_signed)
        return strided(a.stride, true, UINT64_MAX);
    struct weftc_shape shape = varying;
    if (bits == 32 && int_width(LLVMTypeOf(i)) == 64 && a.stride != 0 && a.stride > -MAX_GUARDED_STRIDE &&
        a.stride < MAX_GUARDED_STRIDE) {
        shape.wrap_guarded = operand;
        shape.wrap_guarded_signed = is_signed;
        shape.stride = a.stride;
    }
    return shape;
}

static struct weftc_shape of_truncation(const struct weftc_shapes *s, LLVMValueRef i)
{
    struct weftc_shape a = weftc_shape_of(s, LLVMGetOperand(i, 0));
    unsigned bits = int_width(LLVMTypeOf(i));
    if (!known(a) || bits == 0 || (bits < 8 && a.kind == WEFTC_STRIDED))
        return varying; // a condition is uniform or varying
    uint64_t max = bounded(a.max, bits);
    return strided(cut(a.stride, bits), max <= max_of_width(bits) >> 1, max);
}

// The shape of the value times 2^bits, if its shape is known and it is at most `most`.
static struct weftc_shape of_small(struct weftc_shape shape, uint64_t max, unsigned bits)
{
    if (!known(shape) || shape.max > max)
        return varying;
    return strided((int64_t)((uint64_t)shape.stride << bits), true, shape.max << bits);
}

// The shape of `value & mask`, where the mask clears low bits only, which are the same in all lanes: each
// lane then loses the same number.
static struct weftc_shape of_rounding_down(struct weftc_shape shape, uint64_t mask, unsigned bits)
{
    const uint64_t low = ~mask & max_of_width(bits);
    if (shape.kind != WEFTC_STRIDED || (low & (low + 1)) != 0 || ((uint64_t)shape.stride & low) != 0)
        return varying;
    return strided(shape.stride, shape.max <= max_of_width(bits) >> 1, shape.max);
}

// A value of which some bits are kept, extended again and multiplied by a power of two. LLVM writes that as
// two shifts, or as a mask. The value is unchanged if it has no more bits than that.
static struct weftc_shape of_cut(const struct weftc_shapes *s, LLVMValueRef i)
{
    LLVMValueRef value = LLVMGetOperand(i, 0), by = LLVMGetOperand(i, 1);
    unsigned bits = int_width(LLVMTypeOf(i));
    int64_t back, up = 0;
    if (bits == 0 || bits > 64 || !is_constant(by, &back))
        return varying;
    bool shifted = LLVMIsAInstruction(value) && LLVMGetInstructionOpcode(value) == LLVMShl &&
                   is_constant(LLVMGetOperand(value, 1), &up) && up > 0 && up < (int64_t)bits;
    if (LLVMGetInstructionOpcode(i) == LLVMAnd) {
        uint64_t mask = LLVMConstIntGetZExtValue(by), low = shifted ? (1ull << up) - 1 : 0, all = mask | low;
        bool cuts_top = (all & (all + 1)) == 0 && all <= max_of_width(bits) >> 1;
        return cuts_top ? of_small(weftc_shape_of(s, value), all, 0)
                        : of_rounding_down(weftc_shape_of(s, value), mask, bits);
    }
    if (!shifted || back <= 0 || back > up)
        return varying;
    uint64_t max = max_of_width(bits - (unsigned)up);
    if (LLVMGetInstructionOpcode(i) == LLVMAShr)
        max >>= 1;
    return of_small(weftc_shape_of(s, LLVMGetOperand(value, 0)), max, (unsigned)(up - back));
}

static struct weftc_shape of_gep(const struct weftc_shapes *s, struct weftc_steps *scratch, LLVMValueRef i)
{
    struct weftc_shape base = weftc_shape_of(s, LLVMGetOperand(i, 0));
    unsigned operands = (unsigned)LLVMGetNumOperands(i);
    if ((!known(base) && !base.wrap_guarded) || LLVMGetTypeKind(LLVMTypeOf(i)) != LLVMPointerTypeKind)
        return varying;
    if (operands > scratch->capacity) {
        struct weftc_step *larger = weft_realloc(scratch->list, operands * sizeof *larger);
        if (!larger) {
            scratch->no_memory = true;
            return varying;
        }
        scratch->list = larger;
        scratch->capacity = operands;
    }
    // In interleaved memory an offset of n bytes becomes one of n * lanes.
    uint64_t soa_factor = weftc_is_soa(s, LLVMGetOperand(i, 0)) ? s->lanes : 1,
             stride = (uint64_t)base.stride;
    unsigned count = weftc_gep_steps(s->layout, i, scratch->list);
    for (unsigned k = 0; k < count; k++) {
        if (!scratch->list[k].index)
            continue;
        struct weftc_shape index = weftc_shape_of(s, scratch->list[k].index);
        if (index.kind == WEFTC_UNIFORM)
            continue;
        bool wide = int_width(LLVMTypeOf(scratch->list[k].index)) == 64;
        if (index.wrap_guarded && soa_factor == 1 && wide) {
            stride += (uint64_t)index.stride * scratch->list[k].scale;
            base = wrap_guarded(base, index, (int64_t)stride);
            if (!base.wrap_guarded)
                return varying;
            continue;
        }
        if (index.kind != WEFTC_STRIDED || !wide)
            return varying;
        stride += (uint64_t)index.stride * scratch->list[k].scale * soa_factor;
    }
    if (base.wrap_guarded)
        return wrap_guarded(base, uniform, (int64_t)stride);
    return strided((int64_t)stride, true, UINT64_MAX);
}

struct weftc_shape weftc_shape_meet(struct weftc_shape a, struct weftc_shape b)
{
    if (a.kind == WEFTC_UNKNOWN)
        return b;
    if (b.kind == WEFTC_UNKNOWN)
        return a;
    if (a.kind != b.kind || a.stride != b.stride || a.wrap_guarded != b.wrap_guarded ||
        a.wrap_guarded_signed != b.wrap_guarded_signed || a.clamped != b.clamped ||
        (a.kind == WEFTC_VARYING && !a.wrap_guarded))
        return varying;
    a.exact = a.exact && b.exact;
    if (a.max != b.max)
        a.max = UINT64_MAX;
    return a;
}

static struct weftc_shape of_phi(const struct weftc_shapes *s, LLVMValueRef i)
{
    uint32_t block = weftc_flow_block_of(&s->flow, LLVMGetInstructionParent(i));
    if (s->flow.blocks[block].join)
        return varying;
    struct weftc_shape shape = {.kind = WEFTC_UNKNOWN};
    for (unsigned k = 0; k < LLVMCountIncoming(i); k++)
        shape = weftc_shape_meet(shape, weftc_shape_of(s, LLVMGetIncomingValue(i, k)));
    if (shape.kind == WEFTC_VARYING)
        return varying;
    shape.max = UINT64_MAX;
    if (shape.kind == WEFTC_STRIDED)
        shape.exact = false; // its 64-bit form would need a PHI of its own
    return shape;
}

static struct weftc_shape of_select(const struct weftc_shapes *s, LLVMValueRef i)
{
    if (weftc_shape_of(s, LLVMGetOperand(i, 0)).kind != WEFTC_UNIFORM)
        return varying;
    LLVMValueRef chosen = weftc_speculated_choice(s, i);
    if (chosen && weftc_shape_of(s, chosen).kind == WEFTC_STRIDED)
        return weftc_shape_of(s, chosen);
    struct weftc_shape shape =
        weftc_shape_meet(weftc_shape_of(s, LLVMGetOperand(i, 1)), weftc_shape_of(s, LLVMGetOperand(i, 2)));
    if (shape.kind == WEFTC_VARYING)
        return varying;
    if (shape.kind == WEFTC_STRIDED) {
        shape.exact = false;
        shape.max = UINT64_MAX;
    }
    return shape;
}

// whole: rows aren't split where 32-bit ids wrap, since that would split sub-groups.
static struct weftc_shape of_primitive(enum weftc_primitive p, unsigned dim, bool whole)
{
    struct weftc_shape id = {.kind = WEFTC_STRIDED, .exact = true, .stride = 1, .max = UINT64_MAX};
    switch (p) {
    case WEFTC_GLOBAL_ID32:
    case WEFTC_INDEX32:
        id.exact = !whole;
        id.max = whole ? UINT64_MAX : INT32_MAX; // work-items beyond that run one by one (workitem_loops)
        break;
    case WEFTC_LOCAL_ID:
    case WEFTC_LOCAL_ID32:
    case WEFTC_ITEM:
    case WEFTC_LANE:
        id.max = WEFT_GROUP_MAX - 1;
        break;
    case WEFTC_GLOBAL_ID:
    case WEFTC_INDEX:
        break;
    case WEFTC_LOCAL_SIZE:
    case WEFTC_FULL_LOCAL_SIZE:
        id = uniform;
        id.max = WEFT_GROUP_MAX;
        return id;
    default:
        return uniform;
    }
    if (dim > 0) {
        id.kind = WEFTC_UNIFORM;
        id.stride = 0;
        if (p == WEFTC_GLOBAL_ID32 || p == WEFTC_INDEX32)
            id.max = UINT64_MAX; // only dimension 0 is split where the low half wraps
    }
    return id;
}

static bool all_uniform(const struct weftc_shapes *s, LLVMValueRef i)
{
    for (unsigned k = 0; k < (unsigned)LLVMGetNumOperands(i); k++)
        if (weftc_shape_of(s, LLVMGetOperand(i, k)).kind != WEFTC_UNIFORM)
            return false;
    return true;
}

// clamp(x + k, 0, width - 1), where k counts the iterations of a loop: strided as x is, except at the edges.
// Clamps that can be computed at the start of the region are left out: they are checked there
// (shapes/speculation.c).
static struct weftc_shape of_clamp(const struct weftc_shapes *s, LLVMValueRef i, struct weftc_clamp clamp)
{
    bool second = weftc_shape_of(s, LLVMGetOperand(i, 0)).kind == WEFTC_UNIFORM;
    LLVMValueRef value = LLVMGetOperand(i, second), bound = LLVMGetOperand(i, !second);
    struct weftc_shape shape = weftc_shape_of(s, value), other = weftc_shape_of(s, bound);
    if (!clamp.is_signed || int_width(LLVMTypeOf(i)) != 32 || other.kind != WEFTC_UNIFORM)
        return varying;
    if (shape.clamped)
        return clamped_as(shape, i);
    if (shape.kind != WEFTC_STRIDED || shape.stride <= 0 || shape.stride >= MAX_GUARDED_STRIDE ||
        (!s->parameters && weftc_is_early(value) && weftc_is_early(bound)))
        return varying;
    struct weftc_shape result = varying;
    result.wrap_guarded = value;
    result.wrap_guarded_signed = true;
    result.clamped = i;
    result.stride = shape.stride;
    return result;
}

static struct weftc_shape of_call(const struct weftc_shapes *s, LLVMValueRef i)
{
    struct weftc_clamp clamp;
    if (weftc_clamp_of(i, &clamp) && !all_uniform(s, i))
        return of_clamp(s, i, clamp);
    enum weftc_primitive p;
    unsigned dim;
    if (weftc_primitive_of(i, &p, &dim))
        return of_primitive(
            p, dim, weftc_module_number(LLVMGetGlobalParent(s->flow.function), WEFTC_SUB_GROUPS) != 0);
    struct weftc_sub_call sub_group;
    if (weftc_sub_call_of(i, &sub_group))
        return weftc_sub_call_is_uniform(&sub_group) ? uniform : varying;
    LLVMValueRef f = weftc_callee(i);
    bool same = f && (weftc_is_pure(f) || (!LLVMIsDeclaration(f) && weftc_only_reads(f)));
    return same && all_uniform(s, i) ? uniform : varying;
}

static struct weftc_shape of_alloca(const struct weftc_shapes *s, LLVMValueRef i)
{
    uint32_t at = weftc_map_get(&s->private_of, i);
    return at == UINT32_MAX ? varying : strided((int64_t)s->privates[at].stride, true, UINT64_MAX);
}

// Is the shape of an operand still unknown? Then that of i is too.
static bool waits(const struct weftc_shapes *s, LLVMValueRef i)
{
    for (unsigned k = 0; k < (unsigned)LLVMGetNumOperands(i); k++)
        if (weftc_shape_of(s, LLVMGetOperand(i, k)).kind == WEFTC_UNKNOWN)
            return true;
    return false;
}

// Is it a comparison with a number that no lane's value can be equal to?
static bool never_equal(const struct weftc_shapes *s, LLVMValueRef i)
{
    LLVMIntPredicate p = LLVMGetICmpPredicate(i);
    struct weftc_shape a = weftc_shape_of(s, LLVMGetOperand(i, 0));
    LLVMValueRef b = LLVMGetOperand(i, 1);
    return (p == LLVMIntEQ || p == LLVMIntNE) && known(a) && a.max != UINT64_MAX && LLVMIsAConstantInt(b) &&
           int_width(LLVMTypeOf(b)) <= 64 && LLVMConstIntGetZExtValue(b) > a.max;
}

static struct weftc_shape without_speculation(const struct weftc_shapes *s, struct weftc_steps *scratch,
                                              LLVMValueRef i)
{
    LLVMOpcode opcode = LLVMGetInstructionOpcode(i);
    if (opcode == LLVMPHI)
        return of_phi(s, i);
    if (waits(s, i))
        return (struct weftc_shape){.kind = WEFTC_UNKNOWN};
    switch (opcode) {
    case LLVMAdd:
        return of_sum(s, i, false);
    case LLVMSub:
        return of_sum(s, i, true);
    case LLVMOr:
        if (LLVMGetIsDisjoint(i))
            return of_sum(s, i, false);
        break;
    case LLVMMul:
        if (LLVMIsAConstantInt(LLVMGetOperand(i, 1)))
            return of_product(s, i, false);
        return of_uniform_product(s, i);
    case LLVMShl:
        if (LLVMIsAConstantInt(LLVMGetOperand(i, 1)))
            return of_product(s, i, true);
        break;
    case LLVMSExt:
    case LLVMZExt:
        return of_extension(s, i);
    case LLVMAnd:
    case LLVMAShr:
    case LLVMLShr: {
        struct weftc_shape shape = of_cut(s, i);
        if (shape.kind != WEFTC_VARYING)
            return shape;
        break;
    }
    case LLVMICmp:
        if (never_equal(s, i))
            return uniform;
        break;
    case LLVMTrunc:
        return of_truncation(s, i);
    case LLVMFreeze: {
        struct weftc_shape shape = weftc_shape_of(s, LLVMGetOperand(i, 0));
        return shape.kind == WEFTC_VARYING ? varying : shape;
    }
    case LLVMGetElementPtr:
        return of_gep(s, scratch, i);
    case LLVMSelect:
        return of_select(s, i);
    case LLVMCall:
        return of_call(s, i);
    case LLVMAlloca:
        return of_alloca(s, i);
    case LLVMLoad:
        if (LLVMGetVolatile(i) || LLVMGetOrdering(i) != LLVMAtomicOrderingNotAtomic)
            return varying;
        break;
    case LLVMAtomicRMW:
    case LLVMAtomicCmpXchg:
    case LLVMVAArg:
        return varying;
    default:
        break;
    }
    return all_uniform(s, i) ? uniform : varying;
}

struct weftc_shape weftc_shape_find(const struct weftc_shapes *s, struct weftc_steps *scratch, LLVMValueRef i)
{
    struct weftc_shape shape = without_speculation(s, scratch, i);
    if (!s->speculate || shape.kind != WEFTC_VARYING)
        return shape;
    unsigned bits = int_width(LLVMTypeOf(i));
    switch (weftc_speculation_of(s, i)) {
    case WEFTC_SPECULATED_NOTHING:
        break;
    case WEFTC_SPECULATED_UNIFORM:
        shape = uniform;
        if (bits > 1)
            shape.max = max_of_width(bits) >> 1;
        break;
    case WEFTC_SPECULATED_STRIDED:
        shape = strided(1, true, max_of_width(bits) >> 1);
        break;
    case WEFTC_SPECULATED_UNWRAPPED: {
        struct weftc_extension e;
        weftc_speculated_extension(s, i, &e);
        shape = strided(e.stride, true, UINT64_MAX);
        break;
    }
    case WEFTC_SPECULATED_UNCLAMPED: {
        LLVMValueRef other, value = weftc_speculated_clamp(s, i, &other);
        if (!value)
            value = weftc_speculated_mirror(s, i, &other);
        shape = strided(weftc_shape_of(s, value).stride, true, UINT64_MAX);
        break;
    }
    case WEFTC_SPECULATED_SHIFTED: {
        uint64_t by = LLVMConstIntGetZExtValue(LLVMGetOperand(i, 1));
        shape = strided(weftc_shape_of(s, LLVMGetOperand(i, 0)).stride >> by, true,
                        max_of_width(bits) >> 1 >> by);
        break;
    }
    }
    return shape;
}

bool weftc_shape_is_speculated(const struct weftc_shapes *s, LLVMValueRef i)
{
    if (weftc_speculation_of(s, i) == WEFTC_SPECULATED_NOTHING)
        return false;
    struct weftc_steps none = {0}; // only addresses use the scratch memory
    return without_speculation(s, &none, i).kind == WEFTC_VARYING;
}
