// Which accesses can't be part of a race. Those of an object can't if
//
// * nobody writes it,
// * all of them are atomic,
// * or each work-item has bytes of its own there: all are at c + s * id, and what is added to that is less
//   than s; in several dimensions likewise (checker/forms.c).
//
// Of local memory only accesses between the same barriers are compared. Whether ids and sizes are such that
// work-items have bytes of their own, and whether two arguments share memory, is tested when the kernel runs:
//
//     kernel(...)
//         if (arguments don't overlap && stride >= size && ...)  the body, with the fewest calls
//         else                                                   the body, with all calls
//
// Where an object is accessed in several ways, which may not be apart, there is a third body between them.
// The first one also looks at less bounds (checker/fits.c) and shadow (checker/look_ups.c), and where it
// doesn't suffice for that, the third one runs.
//
// This file has more than 500 lines: what is found of all kinds decides together which bodies there are.
#include "compiler/checker/proofs.h"

#include <stddef.h>
#include <string.h>

#include <llvm-c/DebugInfo.h>
#include <llvm-c/Target.h>

#include "base/base.h"
#include "compiler/bridge/vectorize.h"
#include "compiler/checker/checker.h"
#include "compiler/checker/forms.h"
#include "compiler/checker/ranges.h"
#include "compiler/ir/ir.h"
#include "compiler/ir/llvm_helpers.h"
#include "compiler/ir/module_facts.h"
#include "compiler/ir/primitives.h"
#include "compiler/ir/value_map.h"
#include "weft/checker.h"

// Larger kernels keep all calls.
enum { MOST_CALLS = 1000, MOST_INSTRUCTIONS = 6000 };

// The kernel's bodies, each of which has more of the calls than the one before.
enum { FEWEST, FEW, ALL, BODIES };

struct access {
    LLVMValueRef touch, root; // root NULL: not known
    struct weftc_form form;
    int64_t size; // 0: not known
    uint32_t how;
    bool is_local;
    bool needed[BODIES]; // in which bodies
    bool visited;        // by the walk from a barrier
};

// A call WEFTC_CHECK_ACCESS.
struct check {
    LLVMValueRef call;
    bool proved; // but in the body with all calls
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

// Accesses of one object, at distances that differ by constants.
struct class
{
    const struct weftc_form *form;
    int64_t first, end;
    bool writes;
};
enum { MOST_CLASSES = 4 };

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
        while (n < *count && !weftc_form_fits(classes[n].form, &a->form))
            n++;
        known = known && a->form.known && a->size > 0 && n < MOST_CLASSES;
        if (!known)
            continue;
        const int64_t from = a->form.constant, to = from + a->size;
        if (n == *count)
            classes[(*count)++] = (struct class){.form = &a->form, .first = from, .end = to};
        struct class *in = &classes[n];
        in->first = from < in->first ? from : in->first;
        in->end = to > in->end ? to : in->end;
        in->writes |= (a->how & WEFT_ACCESS_WRITE) != 0;
    }
    // Several work-items that write the same bytes would keep other objects from being proved.
    for (unsigned n = 0; n < *count; n++)
        known = known && !(classes[n].writes && weftc_form_is_shared(classes[n].form));
    return !writes || !plain ? NEVER : known ? IF_APART : RACES;
}

static void require_in(struct prover *p, unsigned body, LLVMValueRef condition)
{
    p->condition[body] = LLVMBuildAnd(p->b, p->condition[body], condition, "");
}

// Each class is apart in itself, and each two of them lie in different bytes.
static void require_apart(struct prover *p, const struct class *classes, unsigned count)
{
    const unsigned body = count > 1 ? FEWEST : FEW;
    struct weftc_extent extent[MOST_CLASSES];
    for (unsigned k = 0; k < count; k++) {
        extent[k] = weftc_form_extent(p->b, p->module, classes[k].form, classes[k].first, classes[k].end);
        require_in(p, body, extent[k].known);
        if (classes[k].writes)
            require_in(p, body, extent[k].apart);
        for (unsigned n = 0; n < k; n++) {
            if (!classes[k].writes && !classes[n].writes)
                continue;
            LLVMValueRef before = LLVMBuildICmp(p->b, LLVMIntSLE, extent[k].end, extent[n].first, ""),
                         behind = LLVMBuildICmp(p->b, LLVMIntSLE, extent[n].end, extent[k].first, "");
            LLVMValueRef apart = LLVMBuildOr(p->b, before, behind, "");
            const struct weftc_form_accesses both[] = {{classes[k].form, classes[k].first, classes[k].end},
                                                       {classes[n].form, classes[n].first, classes[n].end}};
            LLVMValueRef columns = weftc_form_columns_apart(p->b, p->module, both);
            require_in(p, body, columns ? LLVMBuildOr(p->b, apart, columns, "") : apart);
        }
    }
}

// Judges the visited accesses of an object, and notes what they need.
static void prove_visited(struct prover *p, LLVMValueRef root)
{
    struct class classes[MOST_CLASSES];
    unsigned count;
    const enum verdict v = classify(p, root, classes, &count);
    if (v == IF_APART)
        require_apart(p, classes, count);
    // Several classes are often not apart, so nothing else depends on that.
    for (uint32_t k = 0; k < p->count; k++)
        if (p->access[k].visited && p->access[k].root == root) {
            p->access[k].needed[FEWEST] |= v == RACES;
            p->access[k].needed[FEW] |= v == RACES || (v == IF_APART && count > 1);
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
static void remove_proved(struct prover *p, LLVMValueRef f, unsigned body)
{
    uint32_t k = 0, n = 0;
    LLVMValueRef never = LLVMConstInt(LLVMInt1TypeInContext(LLVMGetModuleContext(p->module)), 0, false);
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b))
        for (LLVMValueRef i = LLVMGetFirstInstruction(b), next; i; i = next) {
            next = LLVMGetNextInstruction(i);
            const bool fits = is_check(p, i) && p->check[n++].proved && body <= last_without_looks(p);
            if (fits)
                LLVMReplaceAllUsesWith(i, never);
            if (fits || (weftc_check_is_touch(i) && !p->access[k++].needed[body]))
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

// The kernel keeps its code as the body with the fewest calls.
static bool add_bodies(struct prover *p, LLVMValueRef all, LLVMBasicBlockRef old)
{
    LLVMContextRef c = LLVMGetModuleContext(p->module);
    const bool has_few = (is_smaller(p, FEWEST, FEW) || follows(p)) && is_smaller(p, FEW, ALL);
    LLVMValueRef few = has_few ? weftc_bridge_clone_function(all, "weft.check.few") : NULL;
    LLVMBasicBlockRef otherwise = LLVMAppendBasicBlockInContext(c, p->kernel, "");
    LLVMValueRef fewest = LLVMBuildAnd(p->b, p->condition[FEWEST], p->condition[FEW], "");
    // The calls of other bodies don't count when it is judged whether lanes pay.
    weftc_set_unlikely(LLVMBuildCondBr(p->b, fewest, old, otherwise), false);
    LLVMPositionBuilderAtEnd(p->b, otherwise);
    if (has_few) {
        LLVMBasicBlockRef here = LLVMAppendBasicBlockInContext(c, p->kernel, "");
        otherwise = LLVMAppendBasicBlockInContext(c, p->kernel, "");
        weftc_set_unlikely(LLVMBuildCondBr(p->b, p->condition[FEW], here, otherwise), false);
        LLVMPositionBuilderAtEnd(p->b, here);
        remove_proved(p, few, FEW);
        if (!call_body(p, few))
            return false;
        LLVMPositionBuilderAtEnd(p->b, otherwise);
    }
    remove_proved(p, p->kernel, FEWEST);
    return call_body(p, all);
}

// Accesses that are within their objects, whatever a work-item of the launch does.
static weft_status prove_bounds(struct prover *p)
{
    struct weftc_ranges *ranges;
    weft_status status =
        weftc_ranges_new(&ranges, p->module, p->kernel, p->block, p->block_count, p->group, p->b);
    for (uint32_t k = 0; k < p->check_count && status == WEFT_OK; k++) {
        LLVMValueRef fits = weftc_check_fits(p->b, ranges, p->kernel, p->check[k].call, p->kinds);
        p->check[k].proved = fits && !(LLVMIsAConstantInt(fits) && !LLVMConstIntGetZExtValue(fits));
        if (p->check[k].proved)
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
    const weft_status status =
        weftc_check_drop_look_ups(p->module, target, p->kernel, p->group, enough, &found, log);
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

static weft_status prove(struct prover *p, const struct weftc_target *target, struct weft_buf *log)
{
    LLVMValueRef all = weftc_bridge_clone_function(p->kernel, "weft.check.all");
    LLVMBasicBlockRef old = open_entry(p);
    LLVMContextRef c = LLVMGetModuleContext(p->module);
    for (unsigned k = 0; k < ALL; k++)
        p->condition[k] = LLVMConstInt(LLVMInt1TypeInContext(c), 1, false);
    for (uint32_t k = 0; k < p->count; k++)
        p->access[k].needed[ALL] = true;
    weft_status status = p->check_count ? prove_bounds(p) : WEFT_OK;
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
    if (list(&p)) {
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
