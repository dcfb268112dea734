// Races (weft/races.h): where it is plain that an access is in order with all others, the code itself notes
// it. The driver does the rest (weft_kernel_host.touch); is_plain in lib/runtime/checker/races.c is the same
// test in C.
//
//     cell = view->leaves[granule][address >> 22] + ...
//     plain = max(cell->write, cell->read) < first ||
//             ((cell->write < first || own || in an earlier phase of the group) && ...)
//     if (plain) cell->read = stamp; else touch(...);
#include <stddef.h>

#include <llvm-c/Core.h>
#include <llvm-c/DebugInfo.h>

#include "base/base.h"
#include "compiler/bridge/passes.h"
#include "compiler/ir/llvm_helpers.h"
#include "compiler/ir/primitives.h"
#include "compiler/workitem_loops/workitem_loops.h"
#include "weft/checker.h"
#include "weft/device_call.h"
#include "weft/races.h"

// Accesses of more granules call.
enum { MOST_GRANULES = 4 };

struct touch {
    struct weftc_loops *l;
    LLVMValueRef call, address;
    LLVMTypeRef i64, pointer;
    uint32_t how, granule, place;
    uint64_t count; // granules
    bool stores, near_only;
    LLVMValueRef first, group, now, phases, stamp;
    LLVMValueRef cell[MOST_GRANULES];
};

static LLVMValueRef number(const struct touch *t, uint64_t n)
{
    return weftc_i64(t->l->c, n);
}

static LLVMValueRef at(const struct touch *t, LLVMValueRef base, LLVMValueRef offset)
{
    return LLVMBuildGEP2(t->l->b, LLVMInt8TypeInContext(t->l->c), base, &offset, 1, "");
}

// What doesn't change while `run` runs one group.
static LLVMValueRef constant_field(const struct touch *t, LLVMValueRef base, size_t offset, LLVMTypeRef type)
{
    LLVMValueRef v = weftc_loops_field(t->l, base, offset, type);
    weftc_set_metadata(v, "invariant.load", LLVMMDNodeInContext2(t->l->c, NULL, 0));
    return v;
}

static LLVMValueRef is_less(const struct touch *t, LLVMValueRef a, LLVMValueRef b)
{
    return LLVMBuildICmp(t->l->b, LLVMIntULT, a, b, "");
}

static LLVMValueRef either(const struct touch *t, LLVMValueRef a, LLVMValueRef b)
{
    return LLVMBuildOr(t->l->b, a, b, "");
}

static LLVMValueRef latest_of(const struct touch *t, LLVMValueRef a, LLVMValueRef b)
{
    return LLVMBuildSelect(t->l->b, is_less(t, a, b), b, a, "");
}

static LLVMValueRef both(const struct touch *t, LLVMValueRef a, LLVMValueRef b)
{
    return LLVMBuildAnd(t->l->b, a, b, "");
}

static LLVMValueRef has(const struct touch *t, LLVMValueRef stamp, uint64_t flags)
{
    return LLVMBuildICmp(t->l->b, LLVMIntNE, both(t, stamp, number(t, flags)), number(t, 0), "");
}

static LLVMValueRef has_not(const struct touch *t, LLVMValueRef stamp, uint64_t flags)
{
    return LLVMBuildNot(t->l->b, has(t, stamp, flags), "");
}

// Do the stamps agree from this bit on?
static LLVMValueRef agrees(const struct touch *t, LLVMValueRef stamp, unsigned bit)
{
    LLVMValueRef differs = LLVMBuildXor(t->l->b, stamp, t->stamp, "");
    return is_less(t, differs, number(t, 1ull << bit));
}

static LLVMValueRef is_old(const struct touch *t, LLVMValueRef stamp)
{
    return is_less(t, stamp, t->near_only ? t->now : t->first);
}

// In an earlier phase of the group, and no flag says more. near_only: that is old.
static LLVMValueRef is_earlier(const struct touch *t, LLVMValueRef stamp, uint64_t but_flags)
{
    if (t->near_only)
        return LLVMConstInt(LLVMInt1TypeInContext(t->l->c), 0, false);
    LLVMValueRef earlier = is_less(t, LLVMBuildSub(t->l->b, stamp, t->group, ""), t->phases);
    return but_flags ? both(t, earlier, has_not(t, stamp, but_flags)) : earlier;
}

enum {
    OTHERS_NEAR = WEFT_RACE_NEAR | WEFT_RACE_NEAR_ATOMIC,
    OTHERS_FAR = WEFT_RACE_FAR | WEFT_RACE_FAR_ATOMIC,
    FLAGS = WEFT_RACE_ATOMIC | OTHERS_NEAR | OTHERS_FAR
};

static LLVMValueRef is_own(const struct touch *t, LLVMValueRef stamp)
{
    return agrees(t, stamp, WEFT_RACE_ITEM_SHIFT);
}

static LLVMValueRef write_is_plain(const struct touch *t, LLVMValueRef write)
{
    LLVMValueRef before = either(t, is_old(t, write), is_earlier(t, write, 0));
    return either(t, before,
                  t->how & WEFT_ACCESS_ATOMIC ? has(t, write, WEFT_RACE_ATOMIC) : is_own(t, write));
}

// For a write: no reader matters.
static LLVMValueRef readers_are_plain(const struct touch *t, LLVMValueRef read)
{
    LLVMValueRef before = either(t, is_old(t, read), is_earlier(t, read, OTHERS_FAR));
    return either(t, before, both(t, is_own(t, read), has_not(t, read, FLAGS)));
}

// For a read. *stamp: what the cell says then.
static LLVMValueRef note_read(const struct touch *t, LLVMValueRef read, LLVMValueRef *stamp)
{
    LLVMValueRef replaces = either(t, is_old(t, read), is_earlier(t, read, OTHERS_FAR));
    LLVMValueRef near = both(t, agrees(t, read, WEFT_RACE_EPOCH_SHIFT), has(t, read, WEFT_RACE_NEAR));
    LLVMValueRef known = either(t, is_own(t, read), near);
    if (!t->near_only)
        known = either(t, known, has(t, read, WEFT_RACE_FAR));
    *stamp = LLVMBuildSelect(t->l->b, replaces, t->stamp, read, "");
    return either(t, replaces, both(t, known, has_not(t, read, WEFT_RACE_ATOMIC)));
}

static LLVMValueRef load_of(const struct touch *t, unsigned k, size_t member)
{
    return weftc_loops_field(t->l, t->cell[k], member, t->i64);
}

// What is noted, and the driver, don't change the numbers of the phase, so that these stay in registers. (The
// driver may make a leaf; who doesn't know it yet asks once more.)
static void set_scope(const struct touch *t, LLVMValueRef i, const char *kind)
{
    LLVMContextRef c = t->l->c;
    LLVMMetadataRef domain = LLVMMDStringInContext2(c, "weft.race", 9);
    domain = LLVMMDNodeInContext2(c, &domain, 1);
    LLVMMetadataRef scope[] = {LLVMMDStringInContext2(c, "weft.race.view", 14), domain};
    LLVMMetadataRef list = LLVMMDNodeInContext2(c, scope, 2);
    weftc_set_metadata(i, kind, LLVMMDNodeInContext2(c, &list, 1));
}

static void store_to(const struct touch *t, unsigned k, size_t member, LLVMValueRef stamp)
{
    set_scope(t, LLVMBuildStore(t->l->b, stamp, at(t, t->cell[k], number(t, member))), "noalias");
}

static void load_view(struct touch *t)
{
    LLVMBuilderRef b = t->l->b;
    LLVMValueRef x = weftc_primitive_build(b, t->l->module, WEFTC_EXEC, 0);
    LLVMValueRef view = constant_field(t, x, offsetof(struct weft_exec, races), t->pointer);
    t->first = constant_field(t, view, offsetof(struct weft_race_view, first), t->i64);
    t->group = constant_field(t, view, offsetof(struct weft_race_view, group), t->i64);
    t->now = weftc_loops_field(t->l, view, offsetof(struct weft_race_view, now), t->i64);
    set_scope(t, t->now, "alias.scope");
    t->phases = LLVMBuildSub(b, t->now, t->group, "");
    LLVMValueRef item = LLVMBuildShl(b, LLVMGetOperand(t->call, 4), number(t, WEFT_RACE_ITEM_SHIFT), "");
    const uint64_t place = t->place < WEFT_RACE_PLACES ? t->place : WEFT_RACE_PLACES - 1;
    item = LLVMBuildOr(b, item, number(t, place << WEFT_RACE_FLAG_BITS), "");
    t->stamp = LLVMBuildOr(b, t->now, item, "");
    LLVMValueRef leaves = constant_field(
        t, view, offsetof(struct weft_race_view, leaves) + sizeof(void *) * (size_t)t->granule, t->pointer);
    LLVMValueRef index = LLVMBuildLShr(b, t->address, number(t, WEFT_RACE_LEAF_BITS), "");
    index =
        LLVMBuildAnd(b, index, number(t, (1ull << (WEFT_RACE_ADDRESS_BITS - WEFT_RACE_LEAF_BITS)) - 1), "");
    t->cell[0] = LLVMBuildLoad2(b, t->pointer, LLVMBuildGEP2(b, t->pointer, leaves, &index, 1, ""), "");
    set_scope(t, t->cell[0], "alias.scope");
}

// Replaces the call by the test and, where it fails, a call. Accesses that it doesn't fit are left.
static void expand(struct weftc_loops *l, LLVMValueRef call, bool stores)
{
    LLVMValueRef what = LLVMIsAConstantInt(LLVMGetOperand(call, 3)),
                 size = LLVMIsAConstantInt(LLVMGetOperand(call, 2));
    if (!what || (!stores && !size))
        return;
    const uint32_t bits = (uint32_t)LLVMConstIntGetZExtValue(what);
    struct touch t = {.l = l, .call = call, .address = LLVMGetOperand(call, 1), .stores = stores};
    t.i64 = weftc_loops_i64(l);
    t.pointer = LLVMPointerTypeInContext(l->c, 0);
    t.how = bits & 255;
    t.granule = bits >> 8 & 15;
    t.place = bits >> 16;
    t.count = (stores ? 1ull << (bits >> 12 & 15) : LLVMConstIntGetZExtValue(size)) >> t.granule;
    t.near_only = t.how & (WEFT_ACCESS_LOCAL | WEFT_ACCESS_ORDERED);
    const bool writes = t.how & WEFT_ACCESS_WRITE;
    if (t.count < 1 || t.count > MOST_GRANULES || (t.how & WEFT_ACCESS_GENERIC) ||
        (t.how & WEFT_ACCESS_ATOMIC && !writes))
        return;
    LLVMContextRef c = l->c;
    LLVMBasicBlockRef before = LLVMGetInstructionParent(call), slow = weftc_bridge_split_block(call),
                      after = weftc_bridge_split_block(LLVMGetNextInstruction(call));
    LLVMBasicBlockRef look = LLVMInsertBasicBlockInContext(c, slow, ""),
                      careful = LLVMInsertBasicBlockInContext(c, slow, ""),
                      plain = LLVMInsertBasicBlockInContext(c, slow, "");
    LLVMInstructionEraseFromParent(LLVMGetBasicBlockTerminator(before));
    LLVMPositionBuilderAtEnd(l->b, before);
    LLVMSetCurrentDebugLocation2(l->b, NULL);
    set_scope(&t, call, "noalias");
    load_view(&t);
    const uint64_t leaf = 1ull << WEFT_RACE_LEAF_BITS, bytes = t.count << t.granule;
    LLVMValueRef offset = LLVMBuildAnd(l->b, t.address, number(&t, leaf - 1), "");
    LLVMValueRef there = LLVMBuildICmp(l->b, LLVMIntNE, t.cell[0], LLVMConstNull(t.pointer), "");
    if (t.count > 1)
        there = both(&t, there, is_less(&t, offset, number(&t, leaf - bytes + 1)));
    weftc_set_unlikely(LLVMBuildCondBr(l->b, there, look, slow), false);

    LLVMPositionBuilderAtEnd(l->b, look);
    offset = LLVMBuildLShr(l->b, offset, number(&t, t.granule), "");
    t.cell[0] = at(&t, t.cell[0], LLVMBuildMul(l->b, offset, number(&t, sizeof(struct weft_race_cell)), ""));
    LLVMValueRef fine = NULL, stamp[MOST_GRANULES], write[MOST_GRANULES], read[MOST_GRANULES], quick = NULL;
    for (unsigned k = 0; k < t.count; k++) {
        t.cell[k] = at(&t, t.cell[0], number(&t, k * sizeof(struct weft_race_cell)));
        write[k] = load_of(&t, k, offsetof(struct weft_race_cell, write));
        read[k] = load_of(&t, k, offsetof(struct weft_race_cell, read));
        LLVMValueRef latest = latest_of(&t, write[k], read[k]);
        quick = quick ? latest_of(&t, quick, latest) : latest;
    }
    weftc_set_unlikely(LLVMBuildCondBr(l->b, is_old(&t, quick), plain, careful), false);

    LLVMPositionBuilderAtEnd(l->b, careful);
    for (unsigned k = 0; k < t.count; k++) {
        LLVMValueRef one = both(&t, write_is_plain(&t, write[k]),
                                writes ? readers_are_plain(&t, read[k]) : note_read(&t, read[k], &stamp[k]));
        fine = fine ? both(&t, fine, one) : one;
    }
    weftc_set_unlikely(LLVMBuildCondBr(l->b, fine, plain, slow), false);

    LLVMPositionBuilderAtEnd(l->b, plain);
    for (unsigned k = 0; k < t.count && !writes; k++) {
        LLVMValueRef phi = LLVMBuildPhi(l->b, t.i64, ""), from[] = {t.stamp, stamp[k]};
        LLVMBasicBlockRef blocks[] = {look, careful};
        LLVMAddIncoming(phi, from, blocks, 2);
        stamp[k] = phi;
    }
    const uint64_t atomic = t.how & WEFT_ACCESS_ATOMIC ? WEFT_RACE_ATOMIC : 0;
    for (unsigned k = 0; k < t.count; k++)
        store_to(&t, k,
                 writes ? offsetof(struct weft_race_cell, write) : offsetof(struct weft_race_cell, read),
                 writes ? LLVMBuildOr(l->b, t.stamp, number(&t, atomic), "") : stamp[k]);
    if (stores) {
        LLVMTypeRef word = LLVMIntTypeInContext(c, 8u << (bits >> 12 & 15));
        LLVMValueRef value = LLVMBuildTrunc(l->b, LLVMGetOperand(call, 2), word, "");
        LLVMValueRef to = LLVMBuildIntToPtr(l->b, t.address, t.pointer, "");
        LLVMValueRef store = LLVMBuildStore(l->b, value, to);
        LLVMSetAlignment(store, 1);
        set_scope(&t, store, "noalias");
    }
    LLVMBuildBr(l->b, after);
}

static void expand_all(struct weftc_loops *l, const char *name, bool stores)
{
    LLVMValueRef f = LLVMGetNamedFunction(l->module, name);
    for (LLVMUseRef use = f ? LLVMGetFirstUse(f) : NULL, next; use; use = next) {
        next = LLVMGetNextUse(use);
        expand(l, LLVMGetUser(use), stores);
    }
}

// Counts who comes to where the first work-item of the group is. The driver hears of the first and the last
// one, and of those who come elsewhere.
static void expand_arrival(struct weftc_loops *l, LLVMValueRef call)
{
    struct touch t = {.l = l, .call = call};
    t.i64 = weftc_loops_i64(l);
    t.pointer = LLVMPointerTypeInContext(l->c, 0);
    LLVMBasicBlockRef before = LLVMGetInstructionParent(call), tell = weftc_bridge_split_block(call),
                      after = weftc_bridge_split_block(LLVMGetNextInstruction(call));
    LLVMBasicBlockRef count = LLVMInsertBasicBlockInContext(l->c, tell, "");
    LLVMInstructionEraseFromParent(LLVMGetBasicBlockTerminator(before));
    LLVMPositionBuilderAtEnd(l->b, before);
    LLVMSetCurrentDebugLocation2(l->b, LLVMInstructionGetDebugLoc(call));
    LLVMValueRef x = weftc_primitive_build(l->b, l->module, WEFTC_EXEC, 0);
    LLVMValueRef view = constant_field(&t, x, offsetof(struct weft_exec, races), t.pointer);
    LLVMValueRef first = weftc_loops_field(l, view, offsetof(struct weft_race_view, arrival), t.pointer);
    LLVMValueRef elsewhere = LLVMBuildICmp(l->b, LLVMIntNE, first, LLVMGetOperand(call, 0), "");
    weftc_set_unlikely(LLVMBuildCondBr(l->b, elsewhere, tell, count), true);

    LLVMPositionBuilderAtEnd(l->b, count);
    LLVMValueRef arrived = weftc_loops_field(l, view, offsetof(struct weft_race_view, arrived), t.i64);
    arrived = LLVMBuildAdd(l->b, arrived, number(&t, 1), "");
    LLVMBuildStore(l->b, arrived, at(&t, view, number(&t, offsetof(struct weft_race_view, arrived))));
    LLVMValueRef all = weftc_loops_field(l, view, offsetof(struct weft_race_view, arriving), t.i64);
    LLVMValueRef last = LLVMBuildICmp(l->b, LLVMIntEQ, arrived, all, "");
    weftc_set_unlikely(LLVMBuildCondBr(l->b, last, tell, after), true);

    LLVMPositionBuilderBefore(l->b, call);
    LLVMTypeRef params[] = {LLVMInt32TypeInContext(l->c), t.pointer, t.i64, t.pointer};
    LLVMTypeRef type = LLVMFunctionType(t.i64, params, WEFT_COUNT_OF(params), false);
    LLVMValueRef f = LLVMGetNamedFunction(l->module, WEFTC_DEVICE_CALL);
    if (!f)
        f = LLVMAddFunction(l->module, WEFTC_DEVICE_CALL, type);
    LLVMValueRef arguments[] = {weftc_i32(l->c, WEFT_CALL_CHECK_ARRIVAL), LLVMGetOperand(call, 0),
                                LLVMGetOperand(call, 1), LLVMConstNull(t.pointer)};
    LLVMBuildCall2(l->b, type, f, arguments, WEFT_COUNT_OF(arguments), "");
    LLVMInstructionEraseFromParent(call);
}

void weftc_loops_touches(struct weftc_loops *l)
{
    LLVMValueRef f = LLVMGetNamedFunction(l->module, WEFTC_ARRIVE);
    for (LLVMUseRef use; f && (use = LLVMGetFirstUse(f));)
        expand_arrival(l, LLVMGetUser(use));

    expand_all(l, WEFTC_TOUCH, false);
    expand_all(l, WEFTC_TOUCH_STORE, true);
}
