// Numbers that are zero whatever the kernel does: most of the shadow of values, once memory counts as written
// (checker/look_ups.c). All sums, choices and parts of others are taken for zeros first. Then those lose that
// which are made of something else, and those made of these, until all that are left make each other.
//
// LLVM's passes find that of scalars. Here it goes through vectors and private arrays as well: what is read
// from an array is zero if a loop or a fill has put zeros into all of it before, and only zeros came later.
#include "compiler/checker/proofs.h"

#include <llvm-c/Target.h>

#include "base/base.h"
#include "compiler/ir/cfg.h"
#include "compiler/ir/gep.h"
#include "compiler/ir/llvm_helpers.h"
#include "compiler/ir/value_map.h"

enum { MOST_FILLS = 8, MOST_STEPS = 8, DEEP = 16, LARGEST = 4096 };

// Zeros in all of an array, from where control leaves block `at` for a block outside of the loop.
struct fill {
    LLVMValueRef memset; // NULL: a loop
    uint32_t header;     // of the loop
    bool *inside;        // the loop's blocks
};

struct array {
    LLVMValueRef memory;
    uint64_t bytes;
    bool may_be_zero;
    struct fill fill[MOST_FILLS];
    unsigned fills;
};

struct zeros {
    LLVMTargetDataRef layout;
    LLVMBasicBlockRef *block;
    uint32_t blocks;
    struct weftc_edges edges;
    struct weftc_dominators dominators;
    struct weftc_map others; // instructions that aren't zero
    struct array *array;
    uint32_t arrays;
};

static bool is_zero(const struct zeros *z, LLVMValueRef v)
{
    return LLVMIsAInstruction(v) ? weftc_map_get(&z->others, v) == UINT32_MAX
                                 : LLVMIsAConstant(v) && LLVMIsNull(v);
}

static uint32_t block_of(const struct zeros *z, LLVMValueRef i)
{
    return weftc_edges_block(&z->edges, LLVMGetInstructionParent(i));
}

// Do all ways to the second instruction pass the first one?
static bool comes_first(const struct zeros *z, LLVMValueRef a, LLVMValueRef b)
{
    const uint32_t first = block_of(z, a), second = block_of(z, b);
    if (first != second)
        return weftc_dominates(&z->dominators, first, second);
    while (a && a != b)
        a = LLVMGetNextInstruction(a);
    return a == b;
}

// ---- arrays ----

static LLVMValueRef array_of(LLVMValueRef pointer)
{
    for (unsigned k = 0; k < DEEP && LLVMIsAGetElementPtrInst(pointer); k++)
        pointer = LLVMGetOperand(pointer, 0);
    return LLVMIsAAllocaInst(pointer);
}

static struct array *find(const struct zeros *z, LLVMValueRef memory)
{
    for (uint32_t k = 0; k < z->arrays && memory; k++)
        if (z->array[k].memory == memory)
            return &z->array[k];
    return NULL;
}

static bool is_poison(LLVMValueRef i)
{
    return LLVMIsAMemSetInst(i) && !LLVMIsNull(LLVMGetOperand(i, 1));
}

// Is the array used directly, in loads, stores and fills alone?
static bool is_plain(LLVMValueRef pointer, unsigned depth)
{
    for (LLVMUseRef use = LLVMGetFirstUse(pointer); use; use = LLVMGetNextUse(use)) {
        LLVMValueRef user = LLVMGetUser(use);
        if (LLVMIsALoadInst(user) || weftc_is_lifetime(user) ||
            (LLVMIsAStoreInst(user) && LLVMGetOperand(user, 0) != pointer))
            continue;
        if (LLVMIsAMemSetInst(user) && LLVMIsAConstantInt(LLVMGetOperand(user, 1)))
            continue;
        if (!LLVMIsAGetElementPtrInst(user) || depth > DEEP || !is_plain(user, depth + 1))
            return false;
    }
    return true;
}

// The constants of a loop `for (k = first; k < end; k++)` whose number the phi is.
static bool counts(LLVMValueRef phi, uint32_t latch, const struct zeros *z, int64_t *first, int64_t *end)
{
    LLVMBasicBlockRef header = LLVMGetInstructionParent(phi);
    LLVMValueRef branch = LLVMGetBasicBlockTerminator(header), start = NULL, next = NULL;
    if (LLVMCountIncoming(phi) != 2 || !LLVMIsABranchInst(branch) || !LLVMIsConditional(branch))
        return false;
    for (unsigned k = 0; k < 2; k++) {
        const bool again = weftc_edges_block(&z->edges, LLVMGetIncomingBlock(phi, k)) == latch;
        *(again ? &next : &start) = LLVMGetIncomingValue(phi, k);
    }
    LLVMValueRef compare = LLVMGetCondition(branch);
    if (!start || !next || !LLVMIsAConstantInt(start) || !LLVMIsAInstruction(next) ||
        !LLVMIsAICmpInst(compare))
        return false;
    const LLVMIntPredicate p = LLVMGetICmpPredicate(compare);
    LLVMValueRef limit = LLVMIsAConstantInt(LLVMGetOperand(compare, 1)),
                 one = LLVMGetInstructionOpcode(next) == LLVMAdd ? LLVMIsAConstantInt(LLVMGetOperand(next, 1))
                                                                 : NULL;
    if ((p != LLVMIntSLT && p != LLVMIntULT && p != LLVMIntNE) || LLVMGetOperand(compare, 0) != phi ||
        !limit || !one || LLVMGetOperand(next, 0) != phi || LLVMConstIntGetZExtValue(one) != 1)
        return false;
    *first = LLVMConstIntGetSExtValue(start);
    *end = LLVMConstIntGetSExtValue(limit);
    return *first >= 0 && *first < *end;
}

static LLVMValueRef without_casts(LLVMValueRef v)
{
    while (LLVMIsASExtInst(v) || LLVMIsAZExtInst(v))
        v = LLVMGetOperand(v, 0);
    return v;
}

// Does the store reach `offset` plus the loop's number, `phi`, times its own size?
static bool reaches(const struct zeros *z, LLVMValueRef store, LLVMValueRef *phi, int64_t *offset)
{
    *phi = NULL;
    *offset = 0;
    const int64_t size = (int64_t)LLVMStoreSizeOfType(z->layout, LLVMTypeOf(LLVMGetOperand(store, 0)));
    for (LLVMValueRef p = LLVMGetOperand(store, 1); LLVMIsAGetElementPtrInst(p); p = LLVMGetOperand(p, 0)) {
        struct weftc_step steps[MOST_STEPS];
        if (LLVMGetNumOperands(p) > MOST_STEPS)
            return false;
        const unsigned count = weftc_gep_steps(z->layout, p, steps);
        for (unsigned k = 0; k < count; k++) {
            *offset += steps[k].index ? 0 : (int64_t)steps[k].offset;
            LLVMValueRef index = steps[k].index, n = NULL;
            int64_t scale = (int64_t)steps[k].scale;
            for (; index && LLVMIsABinaryOperator(index); index = LLVMGetOperand(index, 0)) {
                n = LLVMIsAConstantInt(LLVMGetOperand(index, 1));
                const LLVMOpcode opcode = LLVMGetInstructionOpcode(index);
                const int64_t number = n ? LLVMConstIntGetSExtValue(n) : -1;
                if (number < 0 || number > LARGEST || (opcode != LLVMMul && opcode != LLVMShl))
                    return false;
                scale = opcode == LLVMMul ? scale * number : scale << (number & 15);
            }
            if (!index)
                continue;
            if (*phi || scale != size || !LLVMIsAPHINode(without_casts(index)))
                return false;
            *phi = without_casts(index);
        }
    }
    return *phi != NULL;
}

// Marks the blocks of the loop from its header to its latch. False: it can be left elsewhere.
static bool mark_loop(const struct zeros *z, uint32_t header, uint32_t latch, bool *inside)
{
    bool changed = true;
    inside[header] = inside[latch] = true;
    while (changed) {
        changed = false;
        for (uint32_t n = 0; n < z->blocks; n++)
            for (uint32_t k = 0; inside[n] && n != header && k < weftc_in_count(&z->edges, n); k++) {
                const uint32_t from = weftc_ins(&z->edges, n)[k];
                changed |= !inside[from];
                inside[from] = true;
            }
    }
    for (uint32_t n = 0; n < z->blocks; n++)
        for (uint32_t k = 0; inside[n] && k < weftc_out_count(&z->edges, n); k++)
            if (n != header && !inside[weftc_outs(&z->edges, n)[k]])
                return false;
    return true;
}

// False: no memory.
static bool note_loop(struct zeros *z, struct array *a, LLVMValueRef store)
{
    LLVMValueRef phi;
    int64_t offset, first, end;
    if (a->fills == MOST_FILLS || !reaches(z, store, &phi, &offset))
        return true;
    const uint32_t header = block_of(z, phi);
    uint32_t latch = UINT32_MAX;
    for (uint32_t k = 0; k < weftc_in_count(&z->edges, header); k++)
        if (weftc_dominates(&z->dominators, header, weftc_ins(&z->edges, header)[k]))
            latch = latch == UINT32_MAX ? weftc_ins(&z->edges, header)[k] : z->blocks;
    const int64_t size = (int64_t)LLVMStoreSizeOfType(z->layout, LLVMTypeOf(LLVMGetOperand(store, 0)));
    if (latch >= z->blocks || !counts(phi, latch, z, &first, &end) || first * size + offset > 0 ||
        end * size + offset < (int64_t)a->bytes ||
        !weftc_dominates(&z->dominators, block_of(z, store), latch))
        return true;
    bool *inside = weft_zalloc(z->blocks * sizeof *inside);
    if (!inside)
        return false;
    if (mark_loop(z, header, latch, inside) && inside[block_of(z, store)] && block_of(z, store) != header)
        a->fill[a->fills++] = (struct fill){.header = header, .inside = inside};
    else
        weft_free(inside);
    return true;
}

// Has the array been filled when control comes to the instruction? After the last time that it got something
// else, since that is passed before each fill.
static bool is_filled(const struct zeros *z, const struct array *a, LLVMValueRef at)
{
    for (unsigned k = 0; k < a->fills; k++) {
        const struct fill *f = &a->fill[k];
        if (f->memset
                ? comes_first(z, f->memset, at)
                : !f->inside[block_of(z, at)] && weftc_dominates(&z->dominators, f->header, block_of(z, at)))
            return true;
    }
    return false;
}

// Calls `each` for the accesses of an array, until it returns false.
static bool for_all(struct zeros *z, struct array *a, LLVMValueRef pointer,
                    bool (*each)(struct zeros *z, struct array *a, LLVMValueRef access))
{
    for (LLVMUseRef use = LLVMGetFirstUse(pointer); use; use = LLVMGetNextUse(use)) {
        LLVMValueRef user = LLVMGetUser(use);
        if (LLVMIsAGetElementPtrInst(user) ? !for_all(z, a, user, each) : !each(z, a, user))
            return false;
    }
    return true;
}

static bool note_fill(struct zeros *z, struct array *a, LLVMValueRef access)
{
    if (LLVMIsAStoreInst(access))
        return note_loop(z, a, access);
    LLVMValueRef size = LLVMIsAMemSetInst(access) ? LLVMIsAConstantInt(LLVMGetOperand(access, 2)) : NULL;
    if (size && !is_poison(access) && LLVMGetOperand(access, 0) == a->memory &&
        LLVMConstIntGetZExtValue(size) >= a->bytes && a->fills < MOST_FILLS)
        a->fill[a->fills++] = (struct fill){.memset = access};
    return true;
}

// Fills with something else must come before all fills.
static bool comes_before_fills(struct zeros *z, struct array *a, LLVMValueRef access)
{
    for (unsigned k = 0; is_poison(access) && k < a->fills; k++) {
        const struct fill *f = &a->fill[k];
        if (f->memset ? !comes_first(z, access, f->memset)
                      : f->inside[block_of(z, access)] ||
                            !weftc_dominates(&z->dominators, block_of(z, access), f->header))
            return false;
    }
    return true;
}

static bool stores_zero(struct zeros *z, struct array *a, LLVMValueRef access)
{
    (void)a;
    return !LLVMIsAStoreInst(access) || is_zero(z, LLVMGetOperand(access, 0));
}

// False: no memory.
static bool list_arrays(struct zeros *z)
{
    uint32_t count = 0;
    for (LLVMValueRef i = LLVMGetFirstInstruction(z->block[0]); i; i = LLVMGetNextInstruction(i))
        count += LLVMIsAAllocaInst(i) != NULL;
    z->array = weft_alloc_array((size_t)count + 1, sizeof *z->array);
    for (LLVMValueRef i = LLVMGetFirstInstruction(z->block[0]); z->array && i;
         i = LLVMGetNextInstruction(i)) {
        if (!LLVMIsAAllocaInst(i) || !LLVMIsAConstantInt(LLVMGetOperand(i, 0)) || !is_plain(i, 0))
            continue;
        struct array *a = &z->array[z->arrays++];
        *a = (struct array){.memory = i};
        a->bytes = LLVMConstIntGetZExtValue(LLVMGetOperand(i, 0)) *
                   LLVMABISizeOfType(z->layout, LLVMGetAllocatedType(i));
        if (!for_all(z, a, i, note_fill))
            return false;
        a->may_be_zero = for_all(z, a, i, comes_before_fills);
    }
    return z->array != NULL;
}

// ---- values ----

// Is the value zero if what it is made of is?
static bool is_made_of_zeros(const struct zeros *z, LLVMValueRef i)
{
    LLVMTypeRef type = LLVMTypeOf(i);
    if (LLVMGetTypeKind(type) == LLVMVectorTypeKind)
        type = LLVMGetElementType(type);
    if (LLVMGetTypeKind(type) != LLVMIntegerTypeKind)
        return false;
    struct array *a;
    switch (LLVMGetInstructionOpcode(i)) {
    case LLVMLoad:
        a = find(z, array_of(LLVMGetOperand(i, 0)));
        return a && a->may_be_zero && is_filled(z, a, i);
    case LLVMAnd:
        return is_zero(z, LLVMGetOperand(i, 0)) || is_zero(z, LLVMGetOperand(i, 1));
    case LLVMShl:
    case LLVMLShr:
    case LLVMZExt:
    case LLVMSExt:
    case LLVMTrunc:
    case LLVMExtractElement:
        return is_zero(z, LLVMGetOperand(i, 0));
    case LLVMBitCast:
        return is_zero(z, LLVMGetOperand(i, 0));
    case LLVMOr:
    case LLVMInsertElement:
        return is_zero(z, LLVMGetOperand(i, 0)) && is_zero(z, LLVMGetOperand(i, 1));
    case LLVMShuffleVector:
        return is_zero(z, LLVMGetOperand(i, 0)) &&
               (is_zero(z, LLVMGetOperand(i, 1)) || LLVMIsUndef(LLVMGetOperand(i, 1)) ||
                LLVMIsPoison(LLVMGetOperand(i, 1)));
    case LLVMSelect:
        return is_zero(z, LLVMGetOperand(i, 1)) && is_zero(z, LLVMGetOperand(i, 2));
    case LLVMPHI:
        for (unsigned k = 0; k < LLVMCountIncoming(i); k++)
            if (!is_zero(z, LLVMGetIncomingValue(i, k)))
                return false;
        return true;
    default:
        return false;
    }
}

// One round. False: no memory.
static bool judge(struct zeros *z, bool *changed)
{
    *changed = false;
    for (uint32_t n = 0; n < z->blocks; n++)
        for (LLVMValueRef i = LLVMGetFirstInstruction(z->block[n]); i; i = LLVMGetNextInstruction(i)) {
            if (!is_zero(z, i) || is_made_of_zeros(z, i))
                continue;
            *changed = true;
            if (!weftc_map_put(&z->others, i, 1))
                return false;
        }
    for (uint32_t k = 0; k < z->arrays; k++)
        if (z->array[k].may_be_zero && !for_all(z, &z->array[k], z->array[k].memory, stores_zero)) {
            z->array[k].may_be_zero = false;
            *changed = true;
        }
    return true;
}

static void replace(struct zeros *z)
{
    for (uint32_t n = 0; n < z->blocks; n++)
        for (LLVMValueRef i = LLVMGetFirstInstruction(z->block[n]); i; i = LLVMGetNextInstruction(i))
            if (is_zero(z, i))
                LLVMReplaceAllUsesWith(i, LLVMConstNull(LLVMTypeOf(i)));
}

weft_status weftc_check_fold_zeros(LLVMValueRef f)
{
    struct zeros z = {.layout = LLVMGetModuleDataLayout(LLVMGetGlobalParent(f)),
                      .blocks = LLVMCountBasicBlocks(f)};
    z.block = weft_alloc_array(z.blocks, sizeof(LLVMBasicBlockRef));
    bool done = z.block != NULL, changed = true;
    if (done)
        LLVMGetBasicBlocks(f, z.block);
    done = done && weftc_edges_init(&z.edges, z.block, z.blocks) == WEFT_OK &&
           weftc_dominators_init(&z.dominators, &z.edges, z.blocks) == WEFT_OK && list_arrays(&z);
    while (done && changed)
        done = judge(&z, &changed);
    if (done)
        replace(&z);
    for (uint32_t k = 0; k < z.arrays; k++)
        for (unsigned n = 0; n < z.array[k].fills; n++)
            weft_free(z.array[k].fill[n].inside);
    weftc_edges_fini(&z.edges);
    weftc_dominators_fini(&z.dominators);
    weftc_map_free(&z.others);
    weft_free(z.array);
    weft_free(z.block);
    return done ? WEFT_OK : WEFT_NO_MEMORY;
}
