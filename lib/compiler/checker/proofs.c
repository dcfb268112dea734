// Which accesses can't be part of a race. Those of an object can't if
//
// * nobody writes it,
// * all of them are atomic,
// * or each work-item has bytes of its own there: all are at c + s * id, and what is added to that is less
//   than s; in several dimensions likewise (checker/races/forms.c).
//
// Of local memory only accesses between the same barriers are compared. Whether ids and sizes are such that
// work-items have bytes of their own, and whether two arguments share memory, is tested when the kernel runs:
//
//     kernel(...)
//         if (arguments don't overlap && stride >= size && ...)  the body, with the fewest calls
//         else                                                   the body, with all calls
//
// Where an object is accessed in several ways, which may not be apart, there is a third body between them.
// The first one also looks at less bounds (checker/fits.c) and shadow (checker/look_ups.c). Where it doesn't
// suffice for the bounds alone, a copy of it runs that looks at all of them.
//
// This file has more than 500 lines: what is found of all kinds decides together which bodies there are.
#include "compiler/checker/proofs.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <llvm-c/DebugInfo.h>
#include <llvm-c/Target.h>

#include "base/base.h"
#include "compiler/bridge/passes.h"
#include "compiler/bridge/vectorize.h"
#include "compiler/checker/checker.h"
#include "compiler/checker/races/forms.h"
#include "compiler/checker/ranges.h"
#include "compiler/checker/races/same_groups.h"
#include "compiler/ir/ir.h"
#include "compiler/ir/llvm_helpers.h"
#include "compiler/ir/module_facts.h"
#include "compiler/ir/primitives.h"
#include "compiler/ir/value_map.h"
#include "weft/checker.h"

// Larger kernels keep all calls.
enum { MOST_CALLS = 1000, MOST_INSTRUCTIONS = 6000 };

// i1(i1, i1): both. Is it the first one alone, a copy of the first body with all looks runs.
#define CHOOSES "weft.check.chooses"

// What WEFTC_CHECK_ACCESS is called where it is proved.
#define PROVED WEFTC_CHECK_ACCESS ".proved"

// The kernel's bodies, each of which has more of the calls than the one before.
enum { FEWEST, FEW, ALL, BODIES };

struct access {
    LLVMValueRef touch, root; // root NULL: not known
    struct weftc_form form;
    int64_t size; // 0: not known
    uint32_t how;
    bool is_local;
    bool alike;          // one group tells what all do (checker/races/same_groups.c)
    bool needed[BODIES]; // in which bodies
    bool visited;        // by the walk from a barrier
};

// A call WEFTC_CHECK_ACCESS.
struct check {
    LLVMValueRef call;
    bool proved; // but in the body with all calls
    bool later;  // it stays until look-ups are dropped
};

struct prover {
    LLVMModuleRef module;
    LLVMValueRef kernel;
    uint32_t kinds;
    const uint32_t *group;
    LLVMTargetDataRef layout;
    struct access *access;
    uint32_t count;
    struct check *check;
    uint32_t check_count;
    LLVMBasicBlockRef *block;
    uint32_t block_count;
    struct weftc_map block_index, access_index;
    uint32_t *pending; // blocks to walk
    bool *entered;
    LLVMBuilderRef b;            // in the new entry
    LLVMValueRef condition[ALL]; // i1, so far: when a body suffices
    LLVMValueRef fits;           // i1, so far: when the first body suffices for bounds
    LLVMValueRef local_apart;    // i1: the first group has found so. NULL: not needed yet
    bool keeps_alike;            // something needs what the first group tells
    LLVMValueRef few;            // the body, before it is inlined; NULL: there is none
};

// ---- what there is ----

static bool is_check(const struct prover *p, LLVMValueRef i)
{
    LLVMValueRef f = weftc_callee(i);
    return p->kinds & (1u << WEFT_CHECK_BOUNDS | 1u << WEFT_CHECK_ALIGN) && f && LLVMIsDeclaration(f) &&
           strncmp(LLVMGetValueName(f), WEFTC_CHECK_ACCESS, strlen(WEFTC_CHECK_ACCESS)) == 0;
}

static bool follows(const struct prover *p)
{
    return p->kinds >> WEFT_CHECK_UNINIT & 1;
}

static void describe(const struct prover *p, struct access *a, LLVMValueRef touch)
{
    LLVMValueRef pointer = LLVMGetOperand(touch, 0), size = LLVMIsAConstantInt(LLVMGetOperand(touch, 1));
    LLVMValueRef base;
    a->touch = touch;
    a->root = weftc_check_single_root(pointer);
    if (a->root && !LLVMIsAArgument(a->root) && !LLVMIsAGlobalVariable(a->root))
        a->root = NULL;
    a->is_local = a->root && LLVMGetPointerAddressSpace(LLVMTypeOf(a->root)) == WEFTC_SPACE_LOCAL;
    a->form = weftc_form_of(p->layout, pointer, a->is_local, &base);
    a->form.known &= base == a->root;
    a->size = size && LLVMConstIntGetZExtValue(size) < 1u << 20 ? (int64_t)LLVMConstIntGetZExtValue(size) : 0;
    a->how = (uint32_t)LLVMConstIntGetZExtValue(LLVMGetOperand(touch, 3));
}

// False: no memory, or more than is looked at.
static bool list(struct prover *p)
{
    size_t instructions = 0;
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(p->kernel); b; b = LLVMGetNextBasicBlock(b)) {
        p->block_count++;
        for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i), instructions++) {
            p->count += weftc_check_is_touch(i);
            p->check_count += is_check(p, i);
        }
    }
    const uint32_t calls =
        p->count + p->check_count + (follows(p) ? weftc_check_count_look_ups(p->kernel) : 0);
    if (!calls || calls > MOST_CALLS || instructions > MOST_INSTRUCTIONS)
        return false;
    p->access = weft_alloc_array(p->count + 1, sizeof *p->access);
    p->check = weft_alloc_array(p->check_count + 1, sizeof *p->check);
    p->block = weft_alloc_array(p->block_count, sizeof *p->block);
    p->pending = weft_alloc_array(p->block_count, sizeof *p->pending);
    p->entered = weft_alloc_array(p->block_count, sizeof *p->entered);
    if (!p->access || !p->check || !p->block || !p->pending || !p->entered)
        return false;
    p->count = p->check_count = p->block_count = 0;
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(p->kernel); b; b = LLVMGetNextBasicBlock(b)) {
        if (!weftc_map_put(&p->block_index, b, p->block_count))
            return false;
        p->block[p->block_count++] = b;
        for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i)) {
            if (is_check(p, i))
                p->check[p->check_count++] = (struct check){.call = i};
            if (!weftc_check_is_touch(i))
                continue;
            if (!weftc_map_put(&p->access_index, i, p->count))
                return false;
            p->access[p->count] = (struct access){0};
            describe(p, &p->access[p->count++], i);
        }
    }
    return true;
}

// ---- between barriers ----

// Marks the accesses that can follow `from` with no barrier in between.
static void walk(struct prover *p, LLVMValueRef from)
{
    uint32_t left = 0;
    for (uint32_t k = 0; k < p->count; k++)
        p->access[k].visited = false;
    memset(p->entered, 0, p->block_count * sizeof *p->entered);
    for (LLVMValueRef i = from;; i = LLVMGetFirstInstruction(p->block[p->pending[--left]])) {
        LLVMValueRef last = NULL;
        for (; i && !weftc_is_barrier(i); i = LLVMGetNextInstruction(i)) {
            const uint32_t at = weftc_map_get(&p->access_index, i);
            if (at != UINT32_MAX)
                p->access[at].visited = true;
            last = i;
        }
        const unsigned next = !i && last ? LLVMGetNumSuccessors(last) : 0;
        for (unsigned n = 0; n < next; n++) {
            const uint32_t to = weftc_map_get(&p->block_index, LLVMGetSuccessor(last, n));
            if (to != UINT32_MAX && !p->entered[to]) {
                p->entered[to] = true;
                p->pending[left++] = to;
            }
        }
        if (!left)
            return;
    }
}

// ---- proofs ----

enum { MOST_CLASSES = 4 };

// Accesses of one object, at distances that differ by constants.
struct class
{
    struct weftc_form form;
    struct weftc_runs runs;
    bool writes;
};

// What is said of the accesses of an object that are marked as visited.
enum verdict { RACES, NEVER, IF_APART };

static enum verdict classify(const struct prover *p, LLVMValueRef root, struct class *classes,
                             unsigned *count)
{
    bool writes = false, plain = false, known = true;
    *count = 0;
    for (uint32_t k = 0; k < p->count; k++) {
        const struct access *a = &p->access[k];
        if (!a->visited || a->root != root)
            continue;
        writes |= (a->how & WEFT_ACCESS_WRITE) != 0;
        plain |= !(a->how & WEFT_ACCESS_ATOMIC);
        unsigned n = 0;
        while (n < *count && !weftc_form_fits(&classes[n].form, &a->form))
            n++;
        known = known && a->form.known && a->size > 0 && n < MOST_CLASSES;
        if (!known)
            continue;
        const int64_t from = a->form.constant, to = from + a->size;
        if (n == *count)
            classes[(*count)++] = (struct class){.form = a->form};
        struct class *in = &classes[n];
        weftc_runs_add(&in->runs, from, to);
        in->writes |= (a->how & WEFT_ACCESS_WRITE) != 0;
    }
    // Several work-items that write the same bytes would keep other objects from being proved.
    for (unsigned n = 0; n < *count; n++)
        known = known && !(classes[n].writes && weftc_form_is_shared(&classes[n].form));
    return !writes || !plain ? NEVER : known ? IF_APART : RACES;
}

static void require_in(struct prover *p, unsigned body, LLVMValueRef condition)
{
    p->condition[body] = LLVMBuildAnd(p->b, p->condition[body], condition, "");
}

static LLVMValueRef truth(const struct prover *p)
{
    return LLVMConstInt(LLVMInt1TypeInContext(LLVMGetModuleContext(p->module)), 1, false);
}

// i1: each class is apart in itself, and each two of them lie in different bytes.
static LLVMValueRef are_apart(struct prover *p, struct class *classes, unsigned count)
{
    LLVMValueRef all = truth(p);
    struct weftc_extent extent[MOST_CLASSES];
    struct weftc_run whole[MOST_CLASSES];
    for (unsigned k = 0; k < count; k++) {
        whole[k] = weftc_runs_make_steps(&classes[k].runs, &classes[k].form);
        extent[k] = weftc_form_extent(p->b, p->module, &classes[k].form, whole[k].first, whole[k].end);
        all = LLVMBuildAnd(p->b, all, extent[k].known, "");
        if (classes[k].writes)
            all = LLVMBuildAnd(p->b, all, extent[k].apart, "");
        for (unsigned n = 0; n < k; n++) {
            if (!classes[k].writes && !classes[n].writes)
                continue;
            LLVMValueRef before = LLVMBuildICmp(p->b, LLVMIntSLE, extent[k].end, extent[n].first, ""),
                         behind = LLVMBuildICmp(p->b, LLVMIntSLE, extent[n].end, extent[k].first, "");
            LLVMValueRef apart = LLVMBuildOr(p->b, before, behind, "");
            const struct weftc_form_accesses both[] = {{&classes[k].form, whole[k].first, whole[k].end},
                                                       {&classes[n].form, whole[n].first, whole[n].end}};
            LLVMValueRef columns = weftc_form_columns_apart(p->b, p->module, both);
            apart = columns ? LLVMBuildOr(p->b, apart, columns, "") : apart;
            all = LLVMBuildAnd(p->b, all, apart, "");
        }
    }
    return all;
}

// i1: in the launch's first group no two work-items were in each other's way.
static LLVMValueRef local_is_apart(struct prover *p)
{
    if (!p->local_apart)
        p->local_apart = weftc_check_local_is(p->b, p->kernel, WEFT_LOCAL_APART);
    p->keeps_alike = true;
    return p->local_apart;
}

// Judges the visited accesses of an object, and notes what they need.
static void prove_visited(struct prover *p, LLVMValueRef root)
{
    struct class classes[MOST_CLASSES];
    unsigned count;
    bool alike = true;
    const enum verdict v = classify(p, root, classes, &count);
    for (uint32_t k = 0; k < p->count; k++)
        alike = alike && (p->access[k].root != root || p->access[k].alike);
    // Several classes are often not apart, so nothing else depends on that.
    bool fewest = v == RACES || (v == IF_APART && count > 1);
    for (unsigned n = 0; n < count && v == IF_APART; n++)
        fewest = fewest || weftc_form_has_own(&classes[n].form);
    LLVMValueRef apart = v == IF_APART ? are_apart(p, classes, count) : NULL;
    if (apart && fewest && alike)
        apart = LLVMBuildOr(p->b, apart, local_is_apart(p), "");
    else if (v == RACES && alike)
        apart = local_is_apart(p);
    if (apart)
        require_in(p, fewest ? FEWEST : FEW, apart);
    for (uint32_t k = 0; k < p->count; k++)
        if (p->access[k].visited && p->access[k].root == root) {
            p->access[k].needed[FEWEST] |= v == RACES && !alike;
            p->access[k].needed[FEW] |= fewest;
        }
}

// Is there memory of its own behind the argument? The driver knows (struct weft_check_range).
static void require_alone(struct prover *p, LLVMValueRef argument, unsigned body)
{
    LLVMContextRef c = LLVMGetModuleContext(p->module);
    unsigned number = 0;
    while (LLVMGetParam(p->kernel, number) != argument)
        number++;
    LLVMValueRef alone = weftc_check_object_number(p->b, p->module,
                                                   sizeof(struct weft_check_range) / 8 * (uint64_t)number +
                                                       offsetof(struct weft_check_range, alone) / 8);
    require_in(p, body, LLVMBuildICmp(p->b, LLVMIntNE, alone, weftc_i64(c, 0), ""));
}

static bool is_first_of(const struct prover *p, uint32_t k)
{
    for (uint32_t n = 0; n < k; n++)
        if (p->access[n].root == p->access[k].root)
            return false;
    return p->access[k].root != NULL;
}

static void prove_global(struct prover *p)
{
    for (uint32_t k = 0; k < p->count; k++)
        p->access[k].visited = true;
    for (uint32_t k = 0; k < p->count; k++)
        if (is_first_of(p, k) && !p->access[k].is_local && LLVMIsAArgument(p->access[k].root))
            prove_visited(p, p->access[k].root);
    // Of the program's variables it isn't known whether another launch that runs now uses them.
    for (uint32_t k = 0; k < p->count; k++)
        if (p->access[k].root && !p->access[k].is_local && !LLVMIsAArgument(p->access[k].root))
            p->access[k].needed[FEWEST] = p->access[k].needed[FEW] = true;
}

static void prove_local_from(struct prover *p, LLVMValueRef from)
{
    walk(p, from);
    for (uint32_t k = 0; k < p->count; k++)
        if (is_first_of(p, k) && p->access[k].is_local)
            prove_visited(p, p->access[k].root);
}

static void prove_local(struct prover *p, LLVMValueRef first)
{
    prove_local_from(p, first);
    for (uint32_t n = 0; n < p->block_count; n++)
        for (LLVMValueRef i = LLVMGetFirstInstruction(p->block[n]); i; i = LLVMGetNextInstruction(i))
            if (weftc_is_barrier(i))
                prove_local_from(p, LLVMGetNextInstruction(i));
}

// An access of which it isn't known what it touches may touch everything: then nothing is proved of what
// somebody writes.
static void mind_unknown(struct prover *p)
{
    bool reads = false, writes = false;
    for (uint32_t k = 0; k < p->count; k++) {
        struct access *a = &p->access[k];
        reads |= !a->root;
        writes |= !a->root && a->how & WEFT_ACCESS_WRITE;
        a->needed[FEWEST] |= !a->root;
        a->needed[FEW] |= !a->root;
    }
    for (uint32_t k = 0; k < p->count && reads; k++)
        for (uint32_t n = 0; n < p->count; n++)
            if (p->access[n].root == p->access[k].root && (writes || p->access[n].how & WEFT_ACCESS_WRITE))
                p->access[k].needed[FEWEST] = p->access[k].needed[FEW] = true;
}

// ---- two bodies ----

// The kernel gets a new entry, before the code that it has.
static LLVMBasicBlockRef open_entry(struct prover *p)
{
    LLVMContextRef c = LLVMGetModuleContext(p->module);
    LLVMBasicBlockRef old = LLVMGetEntryBasicBlock(p->kernel),
                      entry = LLVMInsertBasicBlockInContext(c, old, "");
    LLVMPositionBuilderAtEnd(p->b, entry);
    for (LLVMValueRef i = LLVMGetFirstInstruction(old), next; i; i = next) {
        next = LLVMGetNextInstruction(i);
        if (!LLVMIsAAllocaInst(i))
            continue;
        LLVMInstructionRemoveFromParent(i);
        LLVMInsertIntoBuilder(p->b, i);
    }
    return old;
}

// A body of its own is called, and later inlined. The builder is at the end of a block.
static bool call_body(struct prover *p, LLVMValueRef body)
{
    const unsigned count = LLVMCountParams(p->kernel);
    LLVMValueRef *arguments = weft_alloc_array((size_t)count + 1, sizeof *arguments);
    if (!arguments)
        return false;
    LLVMGetParams(p->kernel, arguments);
    LLVMMetadataRef scope = LLVMGetSubprogram(p->kernel);
    if (scope)
        LLVMSetCurrentDebugLocation2(
            p->b, LLVMDIBuilderCreateDebugLocation(LLVMGetModuleContext(p->module), 0, 0, scope, NULL));
    LLVMValueRef call = LLVMBuildCall2(p->b, LLVMGlobalGetValueType(body), body, arguments, count, "");
    LLVMSetInstructionCallConv(call, LLVMGetFunctionCallConv(body));
    weft_free(arguments);
    LLVMBuildRetVoid(p->b);
    weftc_add_attribute(body, WEFTC_OF_FUNCTION, "alwaysinline", 0);
    return true;
}

// The last body without looks at what fits. Looks cost less than calls for races: where there are such, one
// access of which it isn't found that it fits isn't to bring all of them back.
static unsigned last_without_looks(const struct prover *p)
{
    return p->count ? FEWEST : FEW;
}

// Copies have their calls in the same order.
static void remove_touches(const struct prover *p, LLVMValueRef f, unsigned body)
{
    uint32_t k = 0;
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b))
        for (LLVMValueRef i = LLVMGetFirstInstruction(b), next; i; i = next) {
            next = LLVMGetNextInstruction(i);
            if (weftc_check_is_touch(i) && !p->access[k++].needed[body])
                LLVMInstructionEraseFromParent(i);
        }
}

// Takes the checks of a body that are proved away. Those of which that is done later get a name of their own,
// so that they are known after other passes.
static void take_proved(const struct prover *p, LLVMValueRef f)
{
    uint32_t n = 0;
    LLVMValueRef never = LLVMConstInt(LLVMInt1TypeInContext(LLVMGetModuleContext(p->module)), 0, false);
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b))
        for (LLVMValueRef i = LLVMGetFirstInstruction(b), next; i; i = next) {
            next = LLVMGetNextInstruction(i);
            const struct check *k = is_check(p, i) ? &p->check[n++] : NULL;
            if (!k || !k->proved)
                continue;
            if (!k->later) {
                LLVMReplaceAllUsesWith(i, never);
                LLVMInstructionEraseFromParent(i);
                continue;
            }
            LLVMTypeRef type = LLVMGlobalGetValueType(weftc_callee(i));
            char name[64];
            snprintf(name, sizeof name, "%s.p%u", PROVED,
                     LLVMGetPointerAddressSpace(LLVMTypeOf(LLVMGetOperand(i, 0))));
            LLVMValueRef proved = weftc_check_declare(p->module, name, type);
            weftc_add_pure_attributes(proved);
            weftc_add_attribute(proved, 1, "nocapture", 0);
            LLVMSetOperand(i, (unsigned)LLVMGetNumOperands(i) - 1, proved);
        }
}

static void remove_proved(LLVMValueRef f)
{
    LLVMValueRef never =
        LLVMConstInt(LLVMInt1TypeInContext(LLVMGetModuleContext(LLVMGetGlobalParent(f))), 0, false);
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b))
        for (LLVMValueRef i = LLVMGetFirstInstruction(b), next; i; i = next) {
            next = LLVMGetNextInstruction(i);
            LLVMValueRef callee = weftc_callee(i);
            if (!callee || strncmp(LLVMGetValueName(callee), PROVED, strlen(PROVED)) != 0)
                continue;
            LLVMReplaceAllUsesWith(i, never);
            LLVMInstructionEraseFromParent(i);
        }
}

static bool is_smaller(const struct prover *p, unsigned body, unsigned than)
{
    const unsigned last = last_without_looks(p);
    for (uint32_t k = 0; k < p->check_count && body <= last && than > last; k++)
        if (p->check[k].proved)
            return true;
    for (uint32_t k = 0; k < p->count; k++)
        if (!p->access[k].needed[body] && p->access[k].needed[than])
            return true;
    return false;
}

// The group runs in another body than the first one.
static void note_busy(struct prover *p)
{
    LLVMContextRef c = LLVMGetModuleContext(p->module);
    LLVMTypeRef i64 = LLVMInt64TypeInContext(c);
    LLVMValueRef objects = weftc_primitive_build(p->b, p->module, WEFTC_CHECK_OBJECTS, 0);
    LLVMValueRef at = weftc_i64(c, (LLVMCountParams(p->kernel) * sizeof(struct weft_check_range) +
                                    offsetof(struct weft_check_groups, busy)) /
                                       8);
    LLVMBuildStore(p->b, weftc_i64(c, 1), LLVMBuildInBoundsGEP2(p->b, i64, objects, &at, 1, ""));
}

// Says if the first body needs no preparing of groups: it has no calls, and whether it suffices is the same
// for all groups of the same size. The builder is at the end of the code that finds that.
static void tell_quiet(struct prover *p)
{
    bool quiet = true;
    for (uint32_t k = 0; k < p->count; k++)
        quiet &= !p->access[k].needed[FEWEST];
    for (LLVMValueRef i = LLVMGetFirstInstruction(LLVMGetInsertBlock(p->b)); i;
         i = LLVMGetNextInstruction(i)) {
        enum weftc_primitive id;
        unsigned dim;
        if (weftc_primitive_of(i, &id, &dim))
            quiet &= id != WEFTC_GROUP_ID && !weftc_primitive_varies(id);
    }
    weftc_module_number_set(p->module, WEFTC_QUIET, quiet);
}

// The kernel keeps its code as the body with the fewest calls.
static bool add_bodies(struct prover *p, LLVMValueRef all, LLVMBasicBlockRef old)
{
    LLVMContextRef c = LLVMGetModuleContext(p->module);
    const bool has_few = (is_smaller(p, FEWEST, FEW) || follows(p)) && is_smaller(p, FEW, ALL);
    LLVMValueRef few = p->few = has_few ? weftc_bridge_clone_function(all, "weft.check.few") : NULL;
    LLVMBasicBlockRef otherwise = LLVMAppendBasicBlockInContext(c, p->kernel, "");
    tell_quiet(p);
    LLVMValueRef fewest = LLVMBuildAnd(p->b, p->condition[FEWEST], p->condition[FEW], "");
    // Whether bounds alone keep it from running is found last.
    LLVMTypeRef i1 = LLVMInt1TypeInContext(c), both[] = {i1, i1}, type = LLVMFunctionType(i1, both, 2, false);
    if (p->fits) {
        LLVMValueRef arguments[] = {fewest, p->fits};
        fewest = LLVMBuildCall2(p->b, type, weftc_check_declare(p->module, CHOOSES, type), arguments, 2, "");
    }
    // The calls of other bodies don't count when it is judged whether lanes pay.
    weftc_set_unlikely(LLVMBuildCondBr(p->b, fewest, old, otherwise), false);
    LLVMPositionBuilderAtEnd(p->b, otherwise);
    if (p->count)
        note_busy(p);
    if (has_few) {
        LLVMBasicBlockRef here = LLVMAppendBasicBlockInContext(c, p->kernel, "");
        otherwise = LLVMAppendBasicBlockInContext(c, p->kernel, "");
        weftc_set_unlikely(LLVMBuildCondBr(p->b, p->condition[FEW], here, otherwise), false);
        LLVMPositionBuilderAtEnd(p->b, here);
        remove_touches(p, few, FEW);
        if (!p->count)
            take_proved(p, few);
        if (!call_body(p, few))
            return false;
        LLVMPositionBuilderAtEnd(p->b, otherwise);
    }
    remove_touches(p, p->kernel, FEWEST);
    take_proved(p, p->kernel);
    return call_body(p, all);
}

// The first body with all looks at bounds: a copy of the kernel that goes there. False: no memory.
static bool add_looks(struct prover *p)
{
    LLVMContextRef c = LLVMGetModuleContext(p->module);
    LLVMValueRef chooses = LLVMGetNamedFunction(p->module, CHOOSES), choice = NULL, branch = NULL;
    LLVMUseRef use = chooses ? LLVMGetFirstUse(chooses) : NULL;
    if (use)
        choice = LLVMGetUser(use);
    use = choice ? LLVMGetFirstUse(choice) : NULL;
    if (use && LLVMIsABranchInst(LLVMGetUser(use)) && !LLVMGetNextUse(use))
        branch = LLVMGetUser(use);
    if (branch && !LLVMIsAPHINode(LLVMGetFirstInstruction(LLVMGetSuccessor(branch, 1)))) {
        LLVMValueRef looks = weftc_bridge_clone_function(p->kernel, "weft.check.looks");
        use = LLVMGetFirstUse(chooses);
        LLVMValueRef copy = LLVMGetUser(use) == choice ? LLVMGetUser(LLVMGetNextUse(use)) : LLVMGetUser(use);
        weftc_bridge_take_branch(LLVMGetUser(LLVMGetFirstUse(copy)));
        LLVMReplaceAllUsesWith(copy, truth(p));
        LLVMInstructionEraseFromParent(copy);
        weftc_check_drop_alike(looks);
        LLVMBasicBlockRef otherwise = LLVMGetSuccessor(branch, 1),
                          here = LLVMInsertBasicBlockInContext(c, otherwise, ""),
                          there = LLVMInsertBasicBlockInContext(c, otherwise, "");
        LLVMSetSuccessor(branch, 1, here);
        LLVMPositionBuilderAtEnd(p->b, here);
        weftc_set_unlikely(LLVMBuildCondBr(p->b, LLVMGetOperand(choice, 0), there, otherwise), false);
        LLVMPositionBuilderAtEnd(p->b, there);
        if (!call_body(p, looks))
            return false;
    }
    if (choice) {
        LLVMPositionBuilderBefore(p->b, choice);
        LLVMReplaceAllUsesWith(choice,
                               LLVMBuildAnd(p->b, LLVMGetOperand(choice, 0), LLVMGetOperand(choice, 1), ""));
        LLVMInstructionEraseFromParent(choice);
    }
    if (chooses)
        LLVMDeleteFunction(chooses);
    return true;
}

// What forms have that each work-item has for itself.
static void find_own(struct weftc_ranges *ranges, struct access *a)
{
    for (unsigned k = 0; k < a->form.count; k++) {
        struct weftc_term *t = &a->form.term[k];
        if (!t->own || !a->form.known)
            continue;
        const struct weftc_interval i = weftc_ranges_interval(ranges, t->value, a->touch);
        a->form.known = weftc_interval_is_known(i);
        t->low = i.low;
        t->high = i.high;
    }
}

// Accesses that are within their objects, whatever a work-item of the launch does.
static weft_status prove_bounds(struct prover *p)
{
    struct weftc_ranges *ranges;
    weft_status status =
        weftc_ranges_new(&ranges, p->module, p->kernel, p->block, p->block_count, p->group, p->b);
    for (uint32_t k = 0; k < p->count && status == WEFT_OK; k++)
        find_own(ranges, &p->access[k]);
    for (uint32_t k = 0; k < p->check_count && status == WEFT_OK; k++) {
        LLVMValueRef fits = weftc_check_fits(p->b, ranges, p->kernel, p->check[k].call, p->kinds);
        p->check[k].proved = fits && !(LLVMIsAConstantInt(fits) && !LLVMConstIntGetZExtValue(fits));
        // Arrays of a work-item are values, as long as nothing is looked at.
        LLVMValueRef root = weftc_check_single_root(LLVMGetOperand(p->check[k].call, 0));
        p->check[k].later = p->check[k].proved && p->count && !(root && LLVMIsAAllocaInst(root));
        if (p->check[k].later)
            p->fits = p->fits ? LLVMBuildAnd(p->b, p->fits, fits, "") : fits;
        else if (p->check[k].proved)
            require_in(p, last_without_looks(p), fits);
    }
    weftc_ranges_free(ranges);
    return status;
}

// enough: stands for what is found here.
static weft_status drop_look_ups(struct prover *p, const struct weftc_target *target, LLVMValueRef enough,
                                 struct weft_buf *log)
{
    LLVMValueRef found;
    const weft_status status = weftc_check_drop_look_ups(p->module, target, p->kernel, p->group, enough,
                                                         &found, &p->keeps_alike, log);
    LLVMValueRef always = LLVMConstInt(LLVMTypeOf(enough), 1, false), later = weftc_callee(enough);
    LLVMReplaceAllUsesWith(enough, found ? found : always);
    LLVMInstructionEraseFromParent(enough);
    LLVMDeleteFunction(later);
    return status;
}

// Who comes to the accesses.
static weft_status find_limits(struct prover *p)
{
    struct weftc_edges edges = {0};
    struct weftc_dominators dominators = {0};
    weft_status status = weftc_edges_init(&edges, p->block, p->block_count);
    if (status == WEFT_OK)
        status = weftc_dominators_init(&dominators, &edges, p->block_count);
    for (uint32_t k = 0; k < p->count && status == WEFT_OK; k++)
        weftc_form_limit(&p->access[k].form, p->block, &edges, &dominators,
                         weftc_edges_block(&edges, LLVMGetInstructionParent(p->access[k].touch)));
    weftc_edges_fini(&edges);
    weftc_dominators_fini(&dominators);
    return status;
}

// Which accesses to local memory all groups do alike.
static weft_status find_alike(struct prover *p)
{
    struct weftc_check_alike *of = weft_alloc_array(p->count + 1, sizeof *of);
    bool any = false;
    if (!of)
        return WEFT_NO_MEMORY;
    for (uint32_t k = 0; k < p->count; k++) {
        const struct access *a = &p->access[k];
        of[k] = (struct weftc_check_alike){a->touch, a->is_local ? a->root : NULL, false};
        any |= a->is_local;
    }
    const weft_status status =
        any ? weftc_check_find_alike(p->kernel, p->block, p->block_count, of, p->count) : WEFT_OK;
    for (uint32_t k = 0; k < p->count; k++)
        p->access[k].alike = of[k].alike;
    weft_free(of);
    return status;
}

static weft_status prove(struct prover *p, const struct weftc_target *target, struct weft_buf *log)
{
    weft_status status = find_alike(p);
    if (status != WEFT_OK)
        return status;
    LLVMValueRef all = weftc_bridge_clone_function(p->kernel, "weft.check.all");
    LLVMBasicBlockRef old = open_entry(p);
    LLVMContextRef c = LLVMGetModuleContext(p->module);
    for (unsigned k = 0; k < ALL; k++)
        p->condition[k] = LLVMConstInt(LLVMInt1TypeInContext(c), 1, false);
    for (uint32_t k = 0; k < p->count; k++)
        p->access[k].needed[ALL] = true;
    status = prove_bounds(p);
    if (status != WEFT_OK)
        return status;
    mind_unknown(p);
    prove_global(p);
    prove_local(p, LLVMGetFirstInstruction(old));
    for (uint32_t k = 0; k < p->count; k++) {
        const struct access *a = &p->access[k];
        if (is_first_of(p, k) && !a->is_local && LLVMIsAArgument(a->root) && !a->needed[FEWEST])
            require_alone(p, a->root, a->needed[FEW] ? FEWEST : FEW);
    }
    if (!is_smaller(p, FEWEST, ALL) && !follows(p)) {
        LLVMBuildBr(p->b, old);
        LLVMDeleteFunction(all);
        weftc_check_drop_alike(p->kernel);
        return WEFT_OK;
    }
    // Of look-ups of shadow the first body is to have fewer as well. Whether that does is found last.
    LLVMTypeRef later = LLVMFunctionType(LLVMInt1TypeInContext(c), NULL, 0, false);
    LLVMValueRef enough =
        follows(p) ? LLVMBuildCall2(p->b, later, weftc_check_declare(p->module, "weft.check.later", later),
                                    NULL, 0, "")
                   : NULL;
    if (enough)
        require_in(p, FEWEST, enough);
    if (!add_bodies(p, all, old))
        return WEFT_NO_MEMORY;
    if (enough)
        status = drop_look_ups(p, target, enough, log);
    if (status == WEFT_OK && !add_looks(p))
        status = WEFT_NO_MEMORY;
    remove_proved(p->kernel);
    weftc_check_drop_alike(p->kernel);
    if (!p->keeps_alike) {
        weftc_check_drop_alike(all);
        if (p->few)
            weftc_check_drop_alike(p->few);
    }
    return status == WEFT_OK ? weftc_run_passes(p->module, target, "always-inline", log) : status;
}

weft_status weftc_check_prove(LLVMModuleRef module, const struct weftc_target *target, LLVMValueRef kernel,
                              uint32_t kinds, const uint32_t group[3], struct weft_buf *log)
{
    struct prover p = {.module = module,
                       .kernel = kernel,
                       .kinds = kinds,
                       .group = group,
                       .layout = LLVMGetModuleDataLayout(module)};
    p.b = LLVMCreateBuilderInContext(LLVMGetModuleContext(module));
    weft_status status = WEFT_OK;
    const bool proves = list(&p);
    weftc_module_number_set(module, WEFTC_QUIET, p.count == 0);
    if (proves) {
        status = find_limits(&p);
        status = status == WEFT_OK ? prove(&p, target, log) : status;
    }
    LLVMDisposeBuilder(p.b);
    weftc_map_free(&p.block_index);
    weftc_map_free(&p.access_index);
    weft_free(p.access);
    weft_free(p.check);
    weft_free(p.block);
    weft_free(p.pending);
    weft_free(p.entered);
    return status;
}
