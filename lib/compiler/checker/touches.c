// Accesses to memory that other work-items can see, for RACE (weft/races.h):
//
//     weft.check.touch(p, size, align, READ)
//         ->  weft.touch(sites, p, size, what, item)
//     weft.check.touch(p, size, align, WRITE); store v, p
//         ->  weft.touch_store(sites, p, v, what, item)
//
// A store is done by the call: whether it writes what is there already is to be known, and lanes that run
// together would all look before any of them has stored.
#include <string.h>

#include <llvm-c/Core.h>
#include <llvm-c/DebugInfo.h>
#include <llvm-c/Target.h>

#include "base/base.h"
#include "compiler/checker/checker.h"
#include "compiler/ir/ir.h"
#include "compiler/ir/llvm_helpers.h"
#include "compiler/ir/primitives.h"
#include "weft/checker.h"
#include "weft/races.h"

struct weftc_check_touches {
    LLVMModuleRef module;
    LLVMContextRef c;
    LLVMTargetDataRef layout;
    LLVMBuilderRef b;
    bool ordered;         // work-groups may wait for each other (WEFT_ACCESS_ORDERED)
    unsigned granules[2]; // binary logarithms, of global and of local memory
    // struct weft_check_site of each access, and where in `sites` it begins.
    struct weft_buf sites, starts;
    uint32_t count;
    LLVMValueRef placeholder; // for the constant that is made of them; NULL: not needed yet
};

// ---- what is known before ----

// mark.c has made a phi of each result.
static bool is_used(LLVMValueRef i)
{
    for (LLVMUseRef use = LLVMGetFirstUse(i); use; use = LLVMGetNextUse(use))
        if (!LLVMIsAPHINode(LLVMGetUser(use)) || LLVMGetFirstUse(LLVMGetUser(use)))
            return true;
    return false;
}

static bool uses_atomic_results(LLVMValueRef f)
{
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b))
        for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i)) {
            const bool reads = LLVMIsAAtomicRMWInst(i) || LLVMIsAAtomicCmpXchgInst(i) ||
                               (LLVMIsALoadInst(i) && LLVMGetOrdering(i));
            const unsigned space = reads ? LLVMGetPointerAddressSpace(LLVMTypeOf(LLVMGetOperand(i, 0))) : 0;
            if (reads && space != WEFTC_SPACE_LOCAL && is_used(i))
                return true;
        }
    return false;
}

bool weftc_check_is_touch(LLVMValueRef i)
{
    LLVMValueRef f = weftc_callee(i);
    return f && LLVMIsDeclaration(f) &&
           strncmp(LLVMGetValueName(f), WEFTC_CHECK_TOUCH, strlen(WEFTC_CHECK_TOUCH)) == 0;
}

static unsigned space_of(LLVMValueRef touch)
{
    return LLVMGetPointerAddressSpace(LLVMTypeOf(LLVMGetOperand(touch, 0)));
}

static uint64_t number_of(LLVMValueRef constant)
{
    return LLVMConstIntGetZExtValue(constant);
}

// The store that the touch is of. NULL: something else. Other checks may have come in between, with branches.
static LLVMValueRef store_of(LLVMValueRef touch)
{
    enum { MANY = 16 };
    LLVMBasicBlockRef blocks[MANY];
    unsigned count = 0;
    if (number_of(LLVMGetOperand(touch, 3)) != WEFT_ACCESS_WRITE)
        return NULL;
    LLVMValueRef i = LLVMGetNextInstruction(touch);
    for (unsigned k = 0;; i = LLVMGetFirstInstruction(blocks[k++])) {
        LLVMValueRef last = NULL;
        for (; i && !weftc_check_is_touch(i); i = LLVMGetNextInstruction(i)) {
            if (LLVMIsAStoreInst(i) && LLVMGetOperand(i, 1) == LLVMGetOperand(touch, 0))
                return i;
            last = i;
        }
        const unsigned next = !i && LLVMIsATerminatorInst(last) ? LLVMGetNumSuccessors(last) : 0;
        for (unsigned n = 0; n < next && count < MANY; n++)
            blocks[count++] = LLVMGetSuccessor(last, n);
        if (k == count)
            return NULL;
    }
}

// The bits of the words that a stored value is cut into; 0: it isn't.
static unsigned word_bits(const struct weftc_check_touches *t, LLVMValueRef store)
{
    LLVMTypeRef type = LLVMTypeOf(LLVMGetOperand(store, 0));
    LLVMTypeKind kind = LLVMGetTypeKind(type);
    if (kind == LLVMVectorTypeKind) {
        type = LLVMGetElementType(type);
        kind = LLVMGetTypeKind(type);
    }
    if (kind != LLVMIntegerTypeKind && kind != LLVMFloatTypeKind && kind != LLVMDoubleTypeKind &&
        kind != LLVMHalfTypeKind)
        return 0;
    const uint64_t bits = LLVMSizeOfTypeInBits(t->layout, type);
    return bits > 64 && bits % 64 == 0                           ? 64
           : bits == 8 || bits == 16 || bits == 32 || bits == 64 ? (unsigned)bits
                                                                 : 0;
}

// The binary logarithm of the granules that the access is made of.
static unsigned granule_of(const struct weftc_check_touches *t, LLVMValueRef touch)
{
    LLVMValueRef size = LLVMIsAConstantInt(LLVMGetOperand(touch, 1)), store = store_of(touch);
    const unsigned bits = store ? word_bits(t, store) : 0;
    uint64_t all = (size ? number_of(size) : 1) | number_of(LLVMGetOperand(touch, 2)) | bits / 8 |
                   1u << (WEFT_RACE_GRANULES - 1);
    return (unsigned)__builtin_ctzll(all);
}

static void find_granules(struct weftc_check_touches *t, LLVMValueRef kernel)
{
    bool generic = false;
    t->granules[0] = t->granules[1] = WEFT_RACE_GRANULES - 1;
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(kernel); b; b = LLVMGetNextBasicBlock(b))
        for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i)) {
            if (!weftc_check_is_touch(i))
                continue;
            const unsigned granule = granule_of(t, i), local = space_of(i) == WEFTC_SPACE_LOCAL;
            generic |= space_of(i) == WEFTC_SPACE_GENERIC;
            t->granules[local] = granule < t->granules[local] ? granule : t->granules[local];
        }
    if (!generic)
        return;
    // Either memory may be touched by the same accesses.
    const unsigned least = t->granules[0] < t->granules[1] ? t->granules[0] : t->granules[1];
    t->granules[0] = t->granules[1] = least;
}

struct weftc_check_touches *weftc_check_touches_begin(LLVMModuleRef module, LLVMValueRef kernel)
{
    struct weftc_check_touches *t = weft_zalloc(sizeof *t);
    if (!t)
        return NULL;
    t->module = module;
    t->c = LLVMGetModuleContext(module);
    t->layout = LLVMGetModuleDataLayout(module);
    t->b = LLVMCreateBuilderInContext(t->c);
    t->ordered = uses_atomic_results(kernel);
    find_granules(t, kernel);
    return t;
}

// ---- places ----

static LLVMValueRef sites_of(struct weftc_check_touches *t)
{
    if (!t->placeholder)
        t->placeholder = LLVMAddGlobal(t->module, LLVMInt8TypeInContext(t->c), "weft.check.sites");
    return t->placeholder;
}

// The number of a new place.
static uint32_t add_place(struct weftc_check_touches *t, LLVMValueRef touch,
                          const struct weftc_check_place *at, uint32_t how)
{
    static const unsigned char zeros[8];
    const struct weft_check_site head = {
        .fault = WEFT_FAULT_RACE, .access = how, .kind = at->kind, .object = at->object};
    if (t->count > UINT16_MAX)
        return UINT16_MAX;
    const uint32_t start = (uint32_t)t->sites.size;
    weft_buf_append(&t->starts, &start, sizeof start);
    weftc_check_append_site(&t->sites, touch, head, at->name);
    weft_buf_append(&t->sites, zeros, -t->sites.size % sizeof zeros);
    return t->count++;
}

// The numbers of the beginnings, from the first byte of all on, and then the sites.
static bool make_sites(struct weftc_check_touches *t)
{
    struct weft_buf all = {0};
    static const unsigned char zeros[8];
    const uint32_t head = ((uint32_t)t->starts.size + 7) & ~7u;
    for (uint32_t i = 0; i < t->count; i++) {
        uint32_t start;
        memcpy(&start, t->starts.data + i * sizeof start, sizeof start);
        start += head;
        weft_buf_append(&all, &start, sizeof start);
    }
    weft_buf_append(&all, zeros, head - t->starts.size);
    weft_buf_append(&all, t->sites.data, t->sites.size);
    if (!all.failed) {
        LLVMValueRef text = LLVMConstStringInContext2(t->c, (const char *)all.data, all.size, true);
        LLVMValueRef sites = LLVMAddGlobal(t->module, LLVMTypeOf(text), "weft.check.sites");
        LLVMSetInitializer(sites, text);
        LLVMSetGlobalConstant(sites, true);
        LLVMSetLinkage(sites, LLVMPrivateLinkage);
        LLVMSetAlignment(sites, 8);
        LLVMReplaceAllUsesWith(t->placeholder, sites);
        LLVMDeleteGlobal(t->placeholder);
    }
    weft_buf_free(&all);
    return !all.failed;
}

bool weftc_check_touches_end(struct weftc_check_touches *t)
{
    if (!t)
        return false;
    const bool ok = !t->sites.failed && !t->starts.failed && (!t->placeholder || make_sites(t));
    weft_buf_free(&t->sites);
    weft_buf_free(&t->starts);
    LLVMDisposeBuilder(t->b);
    weft_free(t);
    return ok;
}

// ---- the calls ----

LLVMValueRef weftc_check_item(LLVMBuilderRef b, LLVMModuleRef module)
{
    LLVMValueRef number = NULL;
    for (unsigned d = 3; d-- > 0;) {
        LLVMValueRef id = weftc_primitive_build(b, module, WEFTC_LOCAL_ID, d);
        if (number) {
            LLVMValueRef size = weftc_primitive_build(b, module, WEFTC_LOCAL_SIZE, d);
            id = LLVMBuildAdd(b, LLVMBuildMul(b, number, size, ""), id, "");
        }
        number = id;
    }
    return number;
}

static void build_touch(struct weftc_check_touches *t, const char *name, LLVMValueRef address,
                        LLVMValueRef size_or_value, uint32_t what)
{
    LLVMTypeRef i32 = LLVMInt32TypeInContext(t->c), i64 = LLVMInt64TypeInContext(t->c);
    LLVMTypeRef params[] = {LLVMPointerTypeInContext(t->c, 0), i64, i64, i32, i64};
    LLVMTypeRef type = LLVMFunctionType(LLVMVoidTypeInContext(t->c), params, WEFT_COUNT_OF(params), false);
    LLVMValueRef f = weftc_check_declare(t->module, name, type);
    LLVMValueRef arguments[] = {sites_of(t), address, size_or_value, weftc_i32(t->c, what),
                                weftc_check_item(t->b, t->module)};
    LLVMBuildCall2(t->b, type, f, arguments, WEFT_COUNT_OF(arguments), "");
}

// Stores a value word by word. The store goes.
static void touch_store(struct weftc_check_touches *t, LLVMValueRef store, unsigned bits, uint32_t how,
                        unsigned granule, uint32_t place)
{
    LLVMTypeRef i64 = LLVMInt64TypeInContext(t->c), word = LLVMIntTypeInContext(t->c, bits);
    LLVMPositionBuilderBefore(t->b, store);
    LLVMValueRef value = LLVMGetOperand(store, 0),
                 address = LLVMBuildPtrToInt(t->b, LLVMGetOperand(store, 1), i64, "");
    const uint64_t bytes = LLVMStoreSizeOfType(t->layout, LLVMTypeOf(value)), words = bytes / (bits / 8);
    const unsigned size = (unsigned)__builtin_ctz(bits / 8);
    value = LLVMBuildBitCast(t->b, value, words > 1 ? LLVMVectorType(word, (unsigned)words) : word, "");
    for (uint64_t k = 0; k < words; k++) {
        LLVMValueRef part = words > 1 ? LLVMBuildExtractElement(t->b, value, weftc_i64(t->c, k), "") : value;
        LLVMValueRef at = LLVMBuildAdd(t->b, address, weftc_i64(t->c, k * (bits / 8)), "");
        build_touch(t, WEFTC_TOUCH_STORE, at, LLVMBuildZExt(t->b, part, i64, ""),
                    WEFT_RACE_WHAT(how, granule, size, place));
    }
    LLVMInstructionEraseFromParent(store);
}

bool weftc_check_expand_touch(struct weftc_check_touches *t, struct weftc_check_places *places,
                              LLVMValueRef call)
{
    LLVMValueRef pointer = LLVMGetOperand(call, 0), store = store_of(call);
    const struct weftc_check_place *at = weftc_check_place_of(places, pointer);
    if (!at || at->kind == WEFT_OBJECT_PRIVATE)
        return at != NULL;
    const unsigned space = space_of(call), granule = t->granules[space == WEFTC_SPACE_LOCAL];
    uint32_t how = (uint32_t)number_of(LLVMGetOperand(call, 3));
    const uint32_t place = add_place(t, call, at, how);
    how |= (t->ordered ? WEFT_ACCESS_ORDERED : 0) | (space == WEFTC_SPACE_LOCAL ? WEFT_ACCESS_LOCAL : 0) |
           (space == WEFTC_SPACE_GENERIC ? WEFT_ACCESS_GENERIC : 0);
    LLVMSetCurrentDebugLocation2(t->b, LLVMInstructionGetDebugLoc(call));
    const unsigned bits = store ? word_bits(t, store) : 0;
    if (bits) {
        touch_store(t, store, bits, how, granule, place);
        return true;
    }
    LLVMPositionBuilderBefore(t->b, call);
    LLVMValueRef address = LLVMBuildPtrToInt(t->b, pointer, LLVMInt64TypeInContext(t->c), "");
    build_touch(t, WEFTC_TOUCH, address, LLVMGetOperand(call, 1), WEFT_RACE_WHAT(how, granule, 0, place));
    return true;
}
