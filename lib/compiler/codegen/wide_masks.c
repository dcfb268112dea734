// Masks of lanes, for processors without mask registers. There a comparison gives elements as wide as those
// that it compares, and that is also what blends, masked loads and gathers take. But LLVM keeps a vector of
// i1 that goes from one block to another, or that has more elements than a register, as bytes or 16-bit
// words: it packs masks, and unpacks them where they are used. So masks and what is computed of them become
// vectors of whole numbers here, with all bits set where the mask is on. Before they are used they are
// compared with 0, which costs nothing: the instructions look only at the highest bit. Runs after the
// optimiser, which would undo it.
#include <stdbool.h>
#include <stdint.h>

#include <llvm-c/Core.h>

#include "base/base.h"
#include "compiler/arch/target.h"
#include "compiler/codegen/codegen.h"
#include "compiler/ir/llvm_helpers.h"
#include "compiler/ir/value_map.h"

enum { WORD = 32, MAX_MASKS = 4096, MANY_REGISTERS = 32 };
#define NONE UINT32_MAX

struct mask {
    LLVMValueRef value, wide;
    uint32_t group;    // number of another mask of the same group, or its own
    uint32_t votes[2]; // for elements of 32 and of 64 bits; of the group
    uint32_t narrower; // votes for fewer bits
    bool is_far;       // it goes to another block
    unsigned bits;     // of its elements when it is wide; 0: it stays as it is
};

struct masks {
    struct mask *list;
    uint32_t count;
    struct weftc_map numbers;
    LLVMBuilderRef b;
    uint32_t register_bits;
    // Of a wide mask, and whether one is chosen by a condition that is the same for all lanes. Masks of four
    // vectors take many registers, which processors with 32 have.
    uint32_t most_bits;
    bool uniform_selects;
};

static bool is_mask_type(LLVMTypeRef type)
{
    return LLVMGetTypeKind(type) == LLVMVectorTypeKind && LLVMGetVectorSize(type) > 1 &&
           LLVMGetTypeKind(LLVMGetElementType(type)) == LLVMIntegerTypeKind &&
           LLVMGetIntTypeWidth(LLVMGetElementType(type)) == 1;
}

static uint32_t number_of(const struct masks *m, LLVMValueRef v)
{
    return weftc_map_get(&m->numbers, v);
}

// Is it computed of masks alone?
static bool is_logic(const struct masks *m, LLVMValueRef i)
{
    switch (LLVMGetInstructionOpcode(i)) {
    case LLVMAnd:
    case LLVMOr:
    case LLVMXor:
    case LLVMPHI:
        return true;
    case LLVMSelect:
        return m->uniform_selects || is_mask_type(LLVMTypeOf(LLVMGetOperand(i, 0)));
    default:
        return false;
    }
}

// ---- which masks become wide ----

static uint32_t find(struct masks *m, uint32_t n)
{
    while (m->list[n].group != n)
        n = m->list[n].group = m->list[m->list[n].group].group;
    return n;
}

static unsigned bits_of(LLVMTypeRef type)
{
    LLVMTypeRef element = weftc_element_of(type);
    switch (LLVMGetTypeKind(element)) {
    case LLVMFloatTypeKind:
        return WORD;
    case LLVMDoubleTypeKind:
    case LLVMPointerTypeKind:
        return 2 * WORD;
    case LLVMIntegerTypeKind:
        return LLVMGetIntTypeWidth(element);
    default:
        return WORD / 2;
    }
}

static void vote(struct mask *m, LLVMTypeRef type)
{
    const unsigned bits = bits_of(type);
    if (bits == WORD || bits == 2 * WORD)
        m->votes[bits / WORD - 1]++;
    else if (bits < WORD && bits > 1)
        m->narrower++;
}

// What a user that isn't a mask itself takes the mask for.
static void vote_of_user(struct mask *m, LLVMValueRef user)
{
    if (LLVMIsASelectInst(user))
        vote(m, LLVMTypeOf(user));
    else if (LLVMIsACallInst(user) && LLVMGetTypeKind(LLVMTypeOf(user)) == LLVMVectorTypeKind)
        vote(m, LLVMTypeOf(user));
    else if (LLVMIsACallInst(user) && LLVMGetNumArgOperands(user) > 0 &&
             LLVMGetTypeKind(LLVMTypeOf(LLVMGetOperand(user, 0))) == LLVMVectorTypeKind)
        vote(m, LLVMTypeOf(LLVMGetOperand(user, 0)));
}

// Lists the masks of a function. list: NULL, or room for them. Returns how many there are.
static uint32_t list_masks(LLVMValueRef f, struct mask *list)
{
    uint32_t count = 0;
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b))
        for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i)) {
            if (!is_mask_type(LLVMTypeOf(i)))
                continue;
            if (list)
                list[count] = (struct mask){.value = i, .group = count};
            count++;
        }
    return count;
}

static void look_at(struct masks *m, uint32_t n)
{
    struct mask *k = &m->list[n];
    LLVMBasicBlockRef block = LLVMGetInstructionParent(k->value);
    if (LLVMIsACmpInst(k->value))
        vote(k, LLVMTypeOf(LLVMGetOperand(k->value, 0)));
    k->is_far = LLVMIsAPHINode(k->value) != NULL;
    for (LLVMUseRef u = LLVMGetFirstUse(k->value); u; u = LLVMGetNextUse(u)) {
        LLVMValueRef user = LLVMGetUser(u);
        k->is_far |= LLVMGetInstructionParent(user) != block;
        const uint32_t to = number_of(m, user);
        if (to != NONE && is_logic(m, user))
            m->list[find(m, to)].group = find(m, n);
        else
            vote_of_user(k, user);
    }
}

static void add_up_groups(struct masks *m)
{
    for (uint32_t n = 0; n < m->count; n++) {
        const uint32_t g = find(m, n);
        if (g == n)
            continue;
        m->list[g].votes[0] += m->list[n].votes[0];
        m->list[g].votes[1] += m->list[n].votes[1];
        m->list[g].narrower += m->list[n].narrower;
        m->list[g].is_far |= m->list[n].is_far;
    }
}

static unsigned width_of(struct masks *m, uint32_t n)
{
    const struct mask *g = &m->list[find(m, n)];
    const unsigned lanes = LLVMGetVectorSize(LLVMTypeOf(m->list[n].value));
    const unsigned bits = g->votes[1] > g->votes[0] ? 2 * WORD : WORD;
    if (g->votes[bits / WORD - 1] <= g->narrower || lanes * bits > m->most_bits || (lanes & (lanes - 1)))
        return 0;
    return g->is_far || lanes * bits > m->register_bits ? bits : 0;
}

// ---- the change ----

static LLVMTypeRef wide_type(LLVMTypeRef mask, unsigned bits)
{
    return LLVMVectorType(LLVMIntTypeInContext(LLVMGetTypeContext(mask), bits), LLVMGetVectorSize(mask));
}

static LLVMValueRef behind(LLVMValueRef i)
{
    LLVMValueRef next = LLVMGetNextInstruction(i);
    while (LLVMIsAPHINode(next))
        next = LLVMGetNextInstruction(next);
    return next;
}

static LLVMValueRef is_on(const struct masks *m, LLVMValueRef wide)
{
    return LLVMBuildICmp(m->b, LLVMIntSLT, wide, LLVMConstNull(LLVMTypeOf(wide)), "");
}

// Makes what isn't computed of masks, and PHIs without values.
static void begin(struct masks *m, struct mask *k)
{
    LLVMTypeRef type = wide_type(LLVMTypeOf(k->value), k->bits);
    if (LLVMIsAPHINode(k->value)) {
        LLVMPositionBuilderBefore(m->b, k->value);
        k->wide = LLVMBuildPhi(m->b, type, "");
    } else if (!is_logic(m, k->value)) {
        LLVMPositionBuilderBefore(m->b, behind(k->value));
        k->wide = LLVMBuildSExt(m->b, k->value, type, "");
    }
}

static LLVMValueRef combine(struct masks *m, struct mask *k);

// The mask as a vector of numbers, for an instruction before `at`. v: one of the group, a constant or a
// parameter.
static LLVMValueRef wide_of(struct masks *m, LLVMValueRef v, unsigned bits, LLVMValueRef at)
{
    const uint32_t n = number_of(m, v);
    if (n == NONE) {
        LLVMPositionBuilderBefore(m->b, at);
        return LLVMBuildSExt(m->b, v, wide_type(LLVMTypeOf(v), bits), "");
    }
    struct mask *k = &m->list[n];
    if (!k->wide)
        k->wide = combine(m, k);
    return k->wide;
}

static LLVMValueRef combine(struct masks *m, struct mask *k)
{
    LLVMValueRef i = k->value, wide[3];
    const LLVMOpcode opcode = LLVMGetInstructionOpcode(i);
    const bool uniform = opcode == LLVMSelect && !is_mask_type(LLVMTypeOf(LLVMGetOperand(i, 0)));
    for (unsigned o = uniform; o < (unsigned)LLVMGetNumOperands(i); o++)
        wide[o] = wide_of(m, LLVMGetOperand(i, o), k->bits, i);
    LLVMPositionBuilderBefore(m->b, i);
    if (uniform)
        return LLVMBuildSelect(m->b, LLVMGetOperand(i, 0), wide[1], wide[2], "");
    if (opcode != LLVMSelect)
        return LLVMBuildBinOp(m->b, opcode, wide[0], wide[1], "");
    // What isn't chosen may be poison, which an operation on bits would pass on.
    if (LLVMIsNull(LLVMGetOperand(i, 2)))
        return LLVMBuildAnd(m->b, wide[0], LLVMBuildFreeze(m->b, wide[1], ""), "");
    return LLVMBuildSelect(m->b, is_on(m, wide[0]), wide[1], wide[2], "");
}

static void fill_phi(struct masks *m, struct mask *k)
{
    for (unsigned p = 0; p < LLVMCountIncoming(k->value); p++) {
        LLVMBasicBlockRef from = LLVMGetIncomingBlock(k->value, p);
        LLVMValueRef value = NULL;
        for (unsigned o = 0; o < p && !value; o++) // an edge of the same block brings the same value
            if (LLVMGetIncomingBlock(k->value, o) == from)
                value = LLVMGetIncomingValue(k->wide, o);
        if (!value)
            value = wide_of(m, LLVMGetIncomingValue(k->value, p), k->bits, LLVMGetBasicBlockTerminator(from));
        LLVMAddIncoming(k->wide, &value, &from, 1);
    }
}

// Does the user keep the mask as it is? A mask of the group goes away, or is the wide form. In the block of a
// comparison the others keep that.
static bool keeps(const struct masks *m, const struct mask *k, LLVMValueRef user)
{
    return (number_of(m, user) != NONE && is_logic(m, user)) || user == k->wide ||
           (!is_logic(m, k->value) && LLVMGetInstructionParent(user) == LLVMGetInstructionParent(k->value));
}

static LLVMUseRef next_use(const struct masks *m, const struct mask *k)
{
    LLVMUseRef u = LLVMGetFirstUse(k->value);
    while (u && keeps(m, k, LLVMGetUser(u)))
        u = LLVMGetNextUse(u);
    return u;
}

// The other users get a comparison with 0.
static void replace_uses(struct masks *m, struct mask *k)
{
    for (LLVMUseRef u; (u = next_use(m, k));) {
        LLVMValueRef user = LLVMGetUser(u);
        LLVMPositionBuilderBefore(m->b, user);
        LLVMValueRef test = is_on(m, k->wide);
        for (unsigned o = 0; o < (unsigned)LLVMGetNumOperands(user); o++)
            if (LLVMGetOperand(user, o) == k->value)
                LLVMSetOperand(user, o, test);
    }
}

static bool number_masks(struct masks *m)
{
    for (uint32_t n = 0; n < m->count; n++)
        if (!weftc_map_put(&m->numbers, m->list[n].value, n))
            return false;
    return true;
}

static void widen(struct masks *m)
{
    for (uint32_t n = 0; n < m->count; n++)
        look_at(m, n);
    add_up_groups(m);
    for (uint32_t n = 0; n < m->count; n++)
        if ((m->list[n].bits = width_of(m, n)) != 0)
            begin(m, &m->list[n]);
    for (uint32_t n = 0; n < m->count; n++) {
        struct mask *k = &m->list[n];
        if (k->bits && LLVMIsAPHINode(k->value))
            fill_phi(m, k);
        else if (k->bits && !k->wide)
            k->wide = combine(m, k);
    }
    for (uint32_t n = 0; n < m->count; n++)
        if (m->list[n].bits)
            replace_uses(m, &m->list[n]);
    // What is left uses only each other.
    for (uint32_t n = 0; n < m->count; n++)
        if (m->list[n].bits && is_logic(m, m->list[n].value))
            LLVMReplaceAllUsesWith(m->list[n].value, LLVMGetPoison(LLVMTypeOf(m->list[n].value)));
    for (uint32_t n = 0; n < m->count; n++)
        if (m->list[n].bits && is_logic(m, m->list[n].value))
            LLVMInstructionEraseFromParent(m->list[n].value);
}

static weft_status widen_in(struct masks *m, LLVMValueRef f)
{
    m->count = list_masks(f, NULL);
    if (m->count == 0 || m->count > MAX_MASKS)
        return WEFT_OK;
    m->list = weft_alloc_array(m->count, sizeof *m->list);
    const bool ok = m->list && list_masks(f, m->list) == m->count && number_masks(m);
    if (ok)
        widen(m);
    weftc_map_free(&m->numbers);
    weft_free(m->list);
    return ok ? WEFT_OK : WEFT_NO_MEMORY;
}

weft_status weftc_widen_masks(LLVMModuleRef module, const struct weftc_target *target)
{
    struct masks m = {.register_bits = target->native_width * WORD};
    m.uniform_selects = target->vector_registers >= MANY_REGISTERS;
    m.most_bits = (m.uniform_selects ? 4 : 2) * m.register_bits;
    m.b = LLVMCreateBuilderInContext(LLVMGetModuleContext(module));
    weft_status status = WEFT_OK;
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f && status == WEFT_OK; f = LLVMGetNextFunction(f))
        status = widen_in(&m, f);
    LLVMDisposeBuilder(m.b);
    return status;
}
