// Memory that is written, and stays so while the launch runs, needs no shadow (UNINIT). It is assumed of
//
// * buffers all of whose bytes are written when the launch begins: the driver knows (weft_check_range);
// * local memory that all work-items of the group have written, each a part, before the last barrier; or of
//   which the launch's first group has read only what it had written, if all do the same
//   (checker/races/same_groups.h).
//
// From that it must follow again that nothing is stored there that isn't written. So the assumption is tried
// on a copy of the kernel: where look-ups are taken for zeros, most of the shadow of values is zero, too.
// Objects into which something else is still stored lose the assumption, and so do those that read from
// them, until it holds. What only running code knows is tested before the body that it is about.
//
// This file has more than 500 lines: what is assumed, tried and tested is the same list of look-ups.
#include "compiler/checker/proofs.h"

#include <stddef.h>
#include <string.h>

#include <llvm-c/Target.h>

#include "base/base.h"
#include "compiler/bridge/passes.h"
#include "compiler/bridge/vectorize.h"
#include "compiler/checker/checker.h"
#include "compiler/checker/races/forms.h"
#include "compiler/checker/ranges.h"
#include "compiler/checker/races/same_groups.h"
#include "compiler/ir/cfg.h"
#include "compiler/ir/ir.h"
#include "compiler/ir/llvm_helpers.h"
#include "compiler/ir/primitives.h"
#include "weft/checker.h"
#include "weft/device_call.h"

enum { MOST_ROUNDS = 8, MOST_FILLS = 6 };

// What becomes of shadow that is mostly zeros.
static const char simplify[] = "function(instsimplify,sccp,early-cse,simplifycfg,instsimplify,adce)";

// What a look-up asks of.
enum memory { BUFFER, LOCAL, OTHER, UNKNOWN };

struct object {
    LLVMValueRef root; // of the kernel: an argument, or a variable
    enum memory memory;
    bool spoilt;  // something is stored there that perhaps isn't written
    bool assumed; // look-ups of it are left out
    bool asked;   // some aren't
};

struct look_up {
    LLVMValueRef call, pointer;
    bool store;
    bool alike; // a load of which the first group tells
    uint32_t object;
    int64_t bytes;                    // of the access; 0: not known
    uint32_t fill[MOST_FILLS], fills; // the stores that all work-items have done before
};

struct dropper {
    LLVMModuleRef module;
    LLVMContextRef c;
    LLVMValueRef kernel;
    LLVMTargetDataRef layout;
    struct look_up *look_up;
    struct object *object;
    uint32_t count, objects;
    LLVMBasicBlockRef *block;
    uint32_t blocks;
    struct weftc_edges edges;
    struct weftc_dominators dominators;
    LLVMBuilderRef b;
    LLVMValueRef enough;
};

static bool is_store(LLVMValueRef call)
{
    return strstr(LLVMGetValueName(weftc_callee(call)), "store") != NULL;
}

uint32_t weftc_check_count_look_ups(LLVMValueRef kernel)
{
    uint32_t count = 0;
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(kernel); b; b = LLVMGetNextBasicBlock(b))
        for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
            count += weftc_check_asks_for_shadow(i);
    return count;
}

// ---- what there is ----

static enum memory memory_of(LLVMValueRef root)
{
    const unsigned space = root ? LLVMGetPointerAddressSpace(LLVMTypeOf(root)) : 0;
    if (!root)
        return UNKNOWN;
    if (LLVMIsAAllocaInst(root))
        return OTHER;
    if (space == WEFTC_SPACE_LOCAL)
        return LOCAL;
    return LLVMIsAArgument(root) && (space == WEFTC_SPACE_GLOBAL || space == WEFTC_SPACE_CONSTANT) ? BUFFER
                                                                                                   : OTHER;
}

// The bytes that are stored, or loaded, in the shadow that the call has returned; 0: they aren't known.
static int64_t bytes_of(const struct dropper *d, LLVMValueRef call)
{
    int64_t bytes = 0;
    for (LLVMUseRef use = LLVMGetFirstUse(call); use; use = LLVMGetNextUse(use)) {
        LLVMValueRef part = LLVMGetUser(use);
        if (LLVMGetIndices(part)[0])
            continue; // the origin's
        for (LLVMUseRef u = LLVMGetFirstUse(part); u; u = LLVMGetNextUse(u)) {
            LLVMValueRef user = LLVMGetUser(u);
            LLVMTypeRef type = LLVMIsALoadInst(user)    ? LLVMTypeOf(user)
                               : LLVMIsAStoreInst(user) ? LLVMTypeOf(LLVMGetOperand(user, 0))
                                                        : NULL;
            const int64_t n = type ? (int64_t)LLVMStoreSizeOfType(d->layout, type) : 0;
            if (!n || (bytes && n != bytes))
                return 0;
            bytes = n;
        }
    }
    return bytes;
}

// False: no memory.
static bool list(struct dropper *d)
{
    d->count = weftc_check_count_look_ups(d->kernel);
    d->blocks = LLVMCountBasicBlocks(d->kernel);
    d->look_up = weft_alloc_array(d->count, sizeof *d->look_up);
    d->object = weft_alloc_array((size_t)d->count + 1, sizeof *d->object);
    d->block = weft_alloc_array(d->blocks, sizeof(LLVMBasicBlockRef));
    if (!d->look_up || !d->object || !d->block)
        return false;
    LLVMGetBasicBlocks(d->kernel, d->block);
    uint32_t k = 0;
    for (uint32_t n = 0; n < d->blocks; n++)
        for (LLVMValueRef i = LLVMGetFirstInstruction(d->block[n]); i; i = LLVMGetNextInstruction(i)) {
            if (!weftc_check_asks_for_shadow(i))
                continue;
            LLVMValueRef pointer = LLVMGetOperand(i, 0), root = weftc_check_single_root(pointer);
            uint32_t at = 0;
            while (at < d->objects && d->object[at].root != root)
                at++;
            if (at == d->objects)
                d->object[d->objects++] = (struct object){.root = root, .memory = memory_of(root)};
            d->look_up[k++] = (struct look_up){
                .call = i, .pointer = pointer, .store = is_store(i), .object = at, .bytes = bytes_of(d, i)};
        }
    return weftc_edges_init(&d->edges, d->block, d->blocks) == WEFT_OK &&
           weftc_dominators_init(&d->dominators, &d->edges, d->blocks) == WEFT_OK;
}

// Do all ways to b pass a before?
static bool comes_before(const struct dropper *d, LLVMValueRef a, LLVMValueRef b)
{
    LLVMBasicBlockRef first = LLVMGetInstructionParent(a), second = LLVMGetInstructionParent(b);
    if (first == second)
        return weftc_bridge_comes_before(a, b);
    return weftc_dominates(&d->dominators, weftc_edges_block(&d->edges, first),
                           weftc_edges_block(&d->edges, second));
}

static struct weftc_form form_of(const struct dropper *d, const struct look_up *l)
{
    LLVMValueRef base;
    struct weftc_form f = weftc_form_of(d->layout, l->pointer, true, &base);
    f.known &= base == d->object[l->object].root && !weftc_form_has_own(&f);
    return f;
}

// Finds the stores after which each work-item came to a barrier before the look-up.
static void find_fills(struct dropper *d, struct look_up *of)
{
    for (uint32_t n = 0; n < d->blocks; n++)
        for (LLVMValueRef i = LLVMGetFirstInstruction(d->block[n]); i; i = LLVMGetNextInstruction(i)) {
            if (!weftc_calls(i, WEFTC_BARRIER) || !comes_before(d, i, of->call))
                continue;
            for (uint32_t k = 0; k < d->count && of->fills < MOST_FILLS; k++) {
                bool known = !d->look_up[k].store || d->look_up[k].object != of->object;
                for (uint32_t f = 0; f < of->fills; f++)
                    known |= of->fill[f] == k;
                if (!known && comes_before(d, d->look_up[k].call, i) && d->look_up[k].bytes &&
                    form_of(d, &d->look_up[k]).known)
                    of->fill[of->fills++] = k;
            }
        }
}

static LLVMValueRef without_casts(LLVMValueRef pointer)
{
    while (LLVMIsAAddrSpaceCastInst(pointer) || LLVMIsABitCastInst(pointer))
        pointer = LLVMGetOperand(pointer, 0);
    return pointer;
}

// Does a call before the look-up tell of the same access?
static bool is_told(const struct dropper *d, const struct look_up *l)
{
    LLVMValueRef pointer = without_casts(l->pointer);
    for (LLVMUseRef use = LLVMGetFirstUse(pointer); use && l->bytes; use = LLVMGetNextUse(use)) {
        LLVMValueRef i = LLVMGetUser(use);
        if (LLVMIsAInstruction(i) && weftc_check_is_alike(i) && comes_before(d, i, l->call) &&
            LLVMConstIntGetZExtValue(LLVMGetOperand(i, 1)) >= (uint64_t)l->bytes &&
            LLVMConstIntGetZExtValue(LLVMGetOperand(i, 3)) & WEFT_ACCESS_READ)
            return true;
    }
    return false;
}

// ---- trials ----

// Is the look-up left out?
static bool is_left_out(const struct dropper *d, const struct look_up *l)
{
    const struct object *o = &d->object[l->object];
    return !l->store && !o->spoilt &&
           (o->memory == BUFFER || (o->memory == LOCAL && (l->fills > 0 || l->alike)));
}

// Is all that is stored through a pointer into shadow zero?
static bool stores_zeros(LLVMValueRef pointer)
{
    for (LLVMUseRef use = LLVMGetFirstUse(pointer); use; use = LLVMGetNextUse(use)) {
        LLVMValueRef user = LLVMGetUser(use);
        const bool zeros = LLVMIsAStoreInst(user)           ? LLVMIsNull(LLVMGetOperand(user, 0))
                           : LLVMIsAMemSetInst(user)        ? LLVMIsNull(LLVMGetOperand(user, 1))
                           : LLVMIsAGetElementPtrInst(user) ? stores_zeros(user)
                                                            : LLVMIsALoadInst(user) != NULL;
        if (!zeros)
            return false;
    }
    return true;
}

// Is there a part of what a call has returned, the shadow, in which something else is stored?
static bool spoils(LLVMValueRef call)
{
    for (LLVMUseRef use = LLVMGetFirstUse(call); use; use = LLVMGetNextUse(use)) {
        LLVMValueRef part = LLVMGetUser(use);
        if (!LLVMIsAExtractValueInst(part) || (!LLVMGetIndices(part)[0] && !stores_zeros(part)))
            return true;
    }
    return false;
}

// Marks the object that such a call in a copy of the kernel spoils. Returns whether it wasn't.
static bool mark_spoilt(struct dropper *d, LLVMValueRef copy, LLVMValueRef call, bool *unknown)
{
    LLVMValueRef root = weftc_check_single_root(LLVMGetOperand(call, 0));
    if (root && LLVMIsAAllocaInst(root))
        return false; // look-ups of private variables stay
    for (unsigned k = 0; root && k < LLVMCountParams(copy); k++)
        if (LLVMGetParam(copy, k) == root) {
            root = LLVMGetParam(d->kernel, k);
            break;
        }
    for (uint32_t k = 0; root && k < d->objects; k++)
        if (d->object[k].root == root) {
            const bool was = d->object[k].spoilt;
            d->object[k].spoilt = true;
            return !was;
        }
    *unknown = true;
    return true;
}

// The calls of a function that ask for shadow, in order. NULL: no memory.
static LLVMValueRef *calls_of(LLVMValueRef f, uint32_t *count)
{
    *count = weftc_check_count_look_ups(f);
    LLVMValueRef *calls = weft_alloc_array((size_t)*count + 1, sizeof *calls);
    uint32_t k = 0;
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b && calls; b = LLVMGetNextBasicBlock(b))
        for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
            if (weftc_check_asks_for_shadow(i))
                calls[k++] = i;
    return calls;
}

// Tries the assumption on a copy. *again: it was too much. *unknown: nothing can be assumed.
static weft_status try_once(struct dropper *d, const struct weftc_target *target, bool *again, bool *unknown,
                            struct weft_buf *log)
{
    LLVMValueRef copy = weftc_bridge_clone_function(d->kernel, "weft.check.trial");
    weftc_remove_attribute(copy, WEFTC_OF_FUNCTION, "optnone");
    uint32_t count;
    LLVMValueRef *calls = calls_of(copy, &count);
    for (uint32_t k = 0; calls && k < count; k++)
        if (is_left_out(d, &d->look_up[k]))
            weftc_check_take_as_written(calls[k]);
    weft_status status = calls ? weftc_check_fold_zeros(copy) : WEFT_NO_MEMORY;
    weft_free(calls);
    if (status == WEFT_OK)
        status = weftc_run_passes(d->module, target, simplify, log);
    calls = status == WEFT_OK ? calls_of(copy, &count) : NULL;
    *again = false;
    for (uint32_t k = 0; calls && k < count; k++)
        if (is_store(calls[k]) && spoils(calls[k]))
            *again |= mark_spoilt(d, copy, calls[k], unknown);
    if (status == WEFT_OK && !calls)
        status = WEFT_NO_MEMORY;
    weft_free(calls);
    LLVMDeleteFunction(copy);
    return status;
}

// Finds what can be assumed. *none: nothing.
static weft_status try_all(struct dropper *d, const struct weftc_target *target, bool *none,
                           struct weft_buf *log)
{
    // The kernel itself stays as it is meanwhile.
    weftc_add_attribute(d->kernel, WEFTC_OF_FUNCTION, "optnone", 0);
    weftc_add_attribute(d->kernel, WEFTC_OF_FUNCTION, "noinline", 0);
    weft_status status = WEFT_OK;
    bool again = true;
    *none = false;
    for (unsigned k = 0; status == WEFT_OK && again && !*none; k++) {
        status = try_once(d, target, &again, none, log);
        *none |= k == MOST_ROUNDS;
    }
    weftc_remove_attribute(d->kernel, WEFTC_OF_FUNCTION, "optnone");
    weftc_remove_attribute(d->kernel, WEFTC_OF_FUNCTION, "noinline");
    return status;
}

// ---- what running code tests ----

static void require(struct dropper *d, LLVMValueRef condition)
{
    d->enough = LLVMBuildAnd(d->b, d->enough, condition, "");
}

static LLVMValueRef number(const struct dropper *d, int64_t n)
{
    return weftc_i64(d->c, (uint64_t)n);
}

static LLVMValueRef object_number(const struct dropper *d, LLVMValueRef argument, size_t offset)
{
    uint64_t k = 0;
    while (LLVMGetParam(d->kernel, (unsigned)k) != argument)
        k++;
    return weftc_check_object_number(d->b, d->module, (sizeof(struct weft_check_range) * k + offset) / 8);
}

static void require_number(struct dropper *d, LLVMValueRef argument, size_t offset)
{
    require(d, LLVMBuildICmp(d->b, LLVMIntNE, object_number(d, argument, offset), number(d, 0), ""));
}

// The bytes of a local object.
static LLVMValueRef length_of(const struct dropper *d, LLVMValueRef root)
{
    if (LLVMIsAGlobalVariable(root))
        return number(d, (int64_t)LLVMABISizeOfType(d->layout, LLVMGlobalGetValueType(root)));
    LLVMValueRef first = object_number(d, root, offsetof(struct weft_check_range, first)),
                 end = object_number(d, root, offsetof(struct weft_check_range, end));
    return LLVMBuildSub(d->b, end, first, "");
}

// The bytes that a work-group has written before a look-up of local memory: those of the first of its stores,
// and of all that lie beside them.
struct filled {
    LLVMValueRef any;       // i1
    LLVMValueRef low, high; // i64
};

static LLVMValueRef select_if(const struct dropper *d, LLVMValueRef condition, LLVMValueRef a, LLVMValueRef b)
{
    return LLVMBuildSelect(d->b, condition, a, b, "");
}

static struct filled filled_before(const struct dropper *d, const struct look_up *l)
{
    const struct weftc_intervals u = {d->b, d->c};
    struct filled f = {LLVMConstInt(LLVMInt1TypeInContext(d->c), 0, false), number(d, 0), number(d, 0)};
    for (uint32_t k = 0; k < l->fills; k++) {
        const struct look_up *s = &d->look_up[l->fill[k]];
        const struct weftc_form form = form_of(d, s);
        const struct weftc_extent x =
            weftc_form_extent(d->b, d->module, &form, form.constant, form.constant + s->bytes);
        LLVMValueRef beside = LLVMBuildAnd(d->b, weftc_interval_is_below(&u, x.first, f.high),
                                           weftc_interval_is_below(&u, f.low, x.end), "");
        LLVMValueRef fine = LLVMBuildAnd(d->b, x.known, x.solid, "");
        LLVMValueRef first = LLVMBuildAnd(d->b, fine, LLVMBuildNot(d->b, f.any, ""), ""),
                     more = LLVMBuildAnd(d->b, fine, LLVMBuildAnd(d->b, f.any, beside, ""), "");
        LLVMValueRef low = select_if(d, more, weftc_interval_least(&u, f.low, x.first), f.low),
                     high = select_if(d, more, weftc_interval_most(&u, f.high, x.end), f.high);
        f.low = select_if(d, first, x.first, low);
        f.high = select_if(d, first, x.end, high);
        f.any = LLVMBuildOr(d->b, f.any, fine, "");
    }
    return f;
}

static void require_filled(struct dropper *d, struct weftc_ranges *ranges, const struct look_up *l)
{
    const struct weftc_intervals u = {d->b, d->c};
    const struct filled f = filled_before(d, l);
    // Whatever the index is,
    LLVMValueRef length = length_of(d, d->object[l->object].root);
    LLVMValueRef fits = LLVMBuildAnd(d->b, weftc_interval_is_below(&u, f.low, number(d, 0)),
                                     weftc_interval_is_below(&u, length, f.high), "");
    // or it is known.
    const struct weftc_interval at = weftc_ranges_interval(ranges, l->pointer, l->call);
    if (l->bytes && weftc_interval_is_known(at)) {
        LLVMValueRef end = LLVMBuildAdd(d->b, at.high, number(d, l->bytes), "");
        LLVMValueRef within = LLVMBuildAnd(d->b, weftc_interval_is_below(&u, f.low, at.low),
                                           weftc_interval_is_below(&u, end, f.high), "");
        within = LLVMBuildAnd(d->b, within, LLVMBuildNot(d->b, weftc_interval_is_endless(&u, at), ""), "");
        fits = LLVMBuildOr(d->b, fits, within, "");
    }
    fits = LLVMBuildAnd(d->b, f.any, fits, "");
    if (l->alike)
        fits = LLVMBuildOr(d->b, fits, weftc_check_local_is(d->b, d->kernel, WEFT_LOCAL_FILLED), "");
    require(d, fits);
}

// Forms have the numbers of whole work-groups.
static void require_whole_groups(struct dropper *d)
{
    for (unsigned dim = 0; dim < 3; dim++) {
        LLVMValueRef groups = weftc_primitive_build(d->b, d->module, WEFTC_NUM_GROUPS, dim),
                     local = weftc_primitive_build(d->b, d->module, WEFTC_FULL_LOCAL_SIZE, dim),
                     all = weftc_primitive_build(d->b, d->module, WEFTC_GLOBAL_SIZE, dim);
        require(d, LLVMBuildICmp(d->b, LLVMIntEQ, LLVMBuildMul(d->b, groups, local, ""), all, ""));
    }
}

static weft_status test(struct dropper *d, const uint32_t group[3], bool local)
{
    bool assumes = false;
    for (uint32_t k = 0; k < d->objects; k++)
        if (d->object[k].assumed && d->object[k].memory == BUFFER) {
            assumes = true;
            require_number(d, d->object[k].root, offsetof(struct weft_check_range, written));
        }
    for (uint32_t k = 0; k < d->objects && assumes; k++)
        if (d->object[k].spoilt && d->object[k].memory == BUFFER)
            require_number(d, d->object[k].root, offsetof(struct weft_check_range, alone));
    if (!local)
        return WEFT_OK;
    struct weftc_ranges *ranges;
    const weft_status status =
        weftc_ranges_new(&ranges, d->module, d->kernel, d->block, d->blocks, group, d->b);
    require_whole_groups(d);
    for (uint32_t k = 0; k < d->count && status == WEFT_OK; k++)
        if (is_left_out(d, &d->look_up[k]) && d->object[d->look_up[k].object].memory == LOCAL)
            require_filled(d, ranges, &d->look_up[k]);
    weftc_ranges_free(ranges);
    return status;
}

// ---- all ----

// Does the kernel copy memory by the driver? What that is isn't looked at here.
static bool moves(const struct dropper *d)
{
    for (uint32_t n = 0; n < d->blocks; n++)
        for (LLVMValueRef i = LLVMGetFirstInstruction(d->block[n]); i; i = LLVMGetNextInstruction(i))
            if (weftc_calls(i, WEFTC_DEVICE_CALL) &&
                LLVMConstIntGetZExtValue(LLVMGetOperand(i, 0)) == WEFT_CALL_CHECK_MOVED)
                return true;
    return false;
}

// What is stored in memory that counts as written, and that nobody asks of, needs no shadow either.
static bool is_unread(const struct dropper *d, const struct look_up *l, bool asks)
{
    const struct object *o = &d->object[l->object];
    return l->store && !o->spoilt &&
           (o->memory == BUFFER ? o->assumed : o->memory == LOCAL && o->assumed && !o->asked && !asks);
}

static weft_status drop(struct dropper *d, const uint32_t group[3])
{
    bool local = false, asks = false;
    for (uint32_t k = 0; k < d->count; k++) {
        const struct look_up *l = &d->look_up[k];
        struct object *o = &d->object[l->object];
        const bool left_out = is_left_out(d, l);
        local |= left_out && o->memory == LOCAL;
        o->assumed |= left_out;
        o->asked |= !left_out && !l->store;
        asks |= !l->store && o->memory == UNKNOWN;
        d->enough = left_out ? LLVMConstInt(LLVMInt1TypeInContext(d->c), 1, false) : d->enough;
    }
    const weft_status status = d->enough ? test(d, group, local) : WEFT_OK;
    for (uint32_t k = 0; k < d->count && status == WEFT_OK && d->enough; k++)
        if (is_left_out(d, &d->look_up[k]) || is_unread(d, &d->look_up[k], asks))
            weftc_check_take_as_written(d->look_up[k].call);
    return status == WEFT_OK && d->enough ? weftc_check_fold_zeros(d->kernel) : status;
}

weft_status weftc_check_drop_look_ups(LLVMModuleRef module, const struct weftc_target *target,
                                      LLVMValueRef kernel, const uint32_t group[3], LLVMValueRef before,
                                      LLVMValueRef *enough, bool *alike, struct weft_buf *log)
{
    struct dropper d = {.module = module,
                        .c = LLVMGetModuleContext(module),
                        .kernel = kernel,
                        .layout = LLVMGetModuleDataLayout(module)};
    *enough = NULL;
    weft_status status = weftc_run_passes(module, target, simplify, log);
    if (status != WEFT_OK)
        return status;
    bool none = true;
    d.b = LLVMCreateBuilderInContext(d.c);
    LLVMPositionBuilderBefore(d.b, before);
    if (!list(&d))
        status = WEFT_NO_MEMORY;
    else if (!moves(&d)) {
        for (uint32_t k = 0; k < d.count; k++)
            if (!d.look_up[k].store && d.object[d.look_up[k].object].memory == LOCAL) {
                find_fills(&d, &d.look_up[k]);
                d.look_up[k].alike = is_told(&d, &d.look_up[k]);
            }
        status = try_all(&d, target, &none, log);
    }
    if (status == WEFT_OK && !none)
        status = drop(&d, group);
    for (uint32_t k = 0; k < d.count && d.enough; k++)
        *alike |= d.look_up[k].alike;
    *enough = d.enough;
    LLVMDisposeBuilder(d.b);
    weftc_edges_fini(&d.edges);
    weftc_dominators_fini(&d.dominators);
    weft_free(d.look_up);
    weft_free(d.object);
    weft_free(d.block);
    return status;
}
