// Which accesses can't be part of a race. Those of an object can't if
//
// * nobody writes it,
// * all of them are atomic,
// * or each work-item has bytes of its own there: all are at c + s * id, and what is added to that is less
//   than s; in two or three dimensions likewise (checker/forms.c).
//
// Of local memory only accesses between the same barriers are compared. Whether ids and sizes are such that
// work-items have bytes of their own, and whether two arguments share memory, is tested when the kernel runs:
//
//     kernel(...)
//         if (arguments don't overlap && stride >= size && ...)  the body, with fewer calls
//         else                                                   the body, with all calls
#include "compiler/checker/proofs.h"

#include <stddef.h>
#include <string.h>

#include <llvm-c/DebugInfo.h>
#include <llvm-c/Target.h>

#include "base/base.h"
#include "compiler/bridge/vectorize.h"
#include "compiler/checker/checker.h"
#include "compiler/checker/forms.h"
#include "compiler/ir/ir.h"
#include "compiler/ir/llvm_helpers.h"
#include "compiler/ir/module_facts.h"
#include "compiler/ir/primitives.h"
#include "compiler/ir/value_map.h"
#include "weft/checker.h"

// Larger kernels keep all calls.
enum { MOST_TOUCHES = 1000, MOST_INSTRUCTIONS = 6000 };

struct access {
    LLVMValueRef touch, root; // root NULL: not known
    struct weftc_form form;
    int64_t size; // 0: not known
    uint32_t how;
    bool is_local, needed;
    bool visited; // by the walk from a barrier
};

struct prover {
    LLVMModuleRef module;
    LLVMValueRef kernel;
    LLVMTargetDataRef layout;
    struct access *access;
    uint32_t count;
    LLVMBasicBlockRef *block;
    uint32_t block_count;
    struct weftc_map block_index, access_index;
    uint32_t *pending; // blocks to walk
    bool *entered;
    LLVMBuilderRef b;       // in the new entry
    LLVMValueRef condition; // i1, so far
};

// ---- what there is ----

// The object that the pointer was made from, over phis and selects too. NULL: there are several.
static LLVMValueRef single_root(LLVMValueRef pointer, struct weftc_map *seen, unsigned depth)
{
    enum { DEEP = 16 };
    for (;; pointer = LLVMGetOperand(pointer, 0)) {
        const bool expression = LLVMIsAConstantExpr(pointer) != NULL;
        const LLVMOpcode opcode = expression                    ? LLVMGetConstOpcode(pointer)
                                  : LLVMIsAInstruction(pointer) ? LLVMGetInstructionOpcode(pointer)
                                                                : LLVMRet;
        if (opcode != LLVMBitCast && opcode != LLVMAddrSpaceCast && opcode != LLVMGetElementPtr)
            break;
    }
    if (LLVMIsAArgument(pointer) || LLVMIsAGlobalVariable(pointer))
        return pointer;
    const bool phi = LLVMIsAPHINode(pointer) != NULL, select = LLVMIsASelectInst(pointer) != NULL;
    if ((!phi && !select) || depth > DEEP)
        return NULL;
    if (weftc_map_get(seen, pointer) != UINT32_MAX)
        return pointer; // says nothing new
    if (!weftc_map_put(seen, pointer, 1))
        return NULL;
    LLVMValueRef root = pointer;
    const unsigned count = phi ? LLVMCountIncoming(pointer) : 2;
    for (unsigned k = 0; k < count; k++) {
        LLVMValueRef from = phi ? LLVMGetIncomingValue(pointer, k) : LLVMGetOperand(pointer, k + 1);
        LLVMValueRef one = single_root(from, seen, depth + 1);
        if (!one)
            return NULL;
        if (LLVMIsAPHINode(one) || LLVMIsASelectInst(one))
            continue;
        if (root != pointer && root != one)
            return NULL;
        root = one;
    }
    return root;
}

static void describe(const struct prover *p, struct access *a, LLVMValueRef touch)
{
    LLVMValueRef pointer = LLVMGetOperand(touch, 0), size = LLVMIsAConstantInt(LLVMGetOperand(touch, 1));
    LLVMValueRef base;
    struct weftc_map seen = {0};
    a->touch = touch;
    a->root = single_root(pointer, &seen, 0);
    weftc_map_free(&seen);
    if (a->root && !LLVMIsAArgument(a->root) && !LLVMIsAGlobalVariable(a->root))
        a->root = NULL;
    a->is_local = a->root && LLVMGetPointerAddressSpace(LLVMTypeOf(a->root)) == WEFTC_SPACE_LOCAL;
    a->form = weftc_form_of(p->layout, pointer, a->is_local, &base);
    a->form.known &= base == a->root;
    a->size = size && LLVMConstIntGetZExtValue(size) < 1u << 20 ? (int64_t)LLVMConstIntGetZExtValue(size) : 0;
    a->how = (uint32_t)LLVMConstIntGetZExtValue(LLVMGetOperand(touch, 3));
}

static bool is_touch(LLVMValueRef i)
{
    LLVMValueRef f = weftc_callee(i);
    return f && LLVMIsDeclaration(f) &&
           strncmp(LLVMGetValueName(f), WEFTC_CHECK_TOUCH, strlen(WEFTC_CHECK_TOUCH)) == 0;
}

// False: no memory, or more than is looked at.
static bool list(struct prover *p)
{
    size_t instructions = 0;
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(p->kernel); b; b = LLVMGetNextBasicBlock(b)) {
        p->block_count++;
        for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i), instructions++)
            p->count += is_touch(i);
    }
    if (!p->count || p->count > MOST_TOUCHES || instructions > MOST_INSTRUCTIONS)
        return false;
    p->access = weft_alloc_array(p->count, sizeof *p->access);
    p->block = weft_alloc_array(p->block_count, sizeof *p->block);
    p->pending = weft_alloc_array(p->block_count, sizeof *p->pending);
    p->entered = weft_alloc_array(p->block_count, sizeof *p->entered);
    if (!p->access || !p->block || !p->pending || !p->entered)
        return false;
    p->count = p->block_count = 0;
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(p->kernel); b; b = LLVMGetNextBasicBlock(b)) {
        if (!weftc_map_put(&p->block_index, b, p->block_count))
            return false;
        p->block[p->block_count++] = b;
        for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i)) {
            if (!is_touch(i))
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

static bool is_same_object(const struct access *a, LLVMValueRef root)
{
    return a->root == root;
}

// What is said of the accesses of an object that are marked as visited.
enum verdict { RACES, NEVER, IF_APART };

static enum verdict judge(const struct prover *p, LLVMValueRef root, int64_t *first, int64_t *end,
                          const struct access **example)
{
    bool writes = false, plain = false, apart = true;
    *example = NULL;
    for (uint32_t k = 0; k < p->count; k++) {
        const struct access *a = &p->access[k];
        if (!a->visited || !is_same_object(a, root))
            continue;
        writes |= (a->how & WEFT_ACCESS_WRITE) != 0;
        plain |= !(a->how & WEFT_ACCESS_ATOMIC);
        apart &= a->form.known && a->size > 0 && (!*example || weftc_form_fits(&(*example)->form, &a->form));
        if (!apart)
            continue;
        const int64_t from = a->form.constant, to = from + a->size;
        *first = !*example || from < *first ? from : *first;
        *end = !*example || to > *end ? to : *end;
        *example = a;
    }
    return !writes || !plain ? NEVER : apart && *first >= 0 ? IF_APART : RACES;
}

static void require(struct prover *p, LLVMValueRef condition)
{
    p->condition = LLVMBuildAnd(p->b, p->condition, condition, "");
}

// Judges the visited accesses of an object, and notes what they need.
static void prove_visited(struct prover *p, LLVMValueRef root)
{
    int64_t first = 0, end = 0;
    const struct access *example;
    const enum verdict v = judge(p, root, &first, &end, &example);
    if (v == IF_APART)
        require(p, weftc_form_is_apart(p->b, p->module, &example->form, first, end));
    for (uint32_t k = 0; k < p->count && v == RACES; k++)
        if (p->access[k].visited && is_same_object(&p->access[k], root))
            p->access[k].needed = true;
}

// Is there memory of its own behind the argument? The driver knows (struct weft_check_range).
static void require_alone(struct prover *p, LLVMValueRef argument)
{
    LLVMContextRef c = LLVMGetModuleContext(p->module);
    unsigned number = 0;
    while (LLVMGetParam(p->kernel, number) != argument)
        number++;
    LLVMValueRef objects = weftc_primitive_build(p->b, p->module, WEFTC_CHECK_OBJECTS, 0);
    LLVMValueRef at = weftc_i64(c, sizeof(struct weft_check_range) / 8 * (uint64_t)number +
                                       offsetof(struct weft_check_range, alone) / 8);
    LLVMTypeRef i64 = LLVMInt64TypeInContext(c);
    LLVMValueRef alone = LLVMBuildLoad2(p->b, i64, LLVMBuildInBoundsGEP2(p->b, i64, objects, &at, 1, ""), "");
    require(p, LLVMBuildICmp(p->b, LLVMIntNE, alone, weftc_i64(c, 0), ""));
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
        if (is_first_of(p, k) && !p->access[k].is_local)
            prove_visited(p, p->access[k].root);
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
        a->needed |= !a->root;
    }
    for (uint32_t k = 0; k < p->count && reads; k++)
        for (uint32_t n = 0; n < p->count; n++)
            if (p->access[n].root == p->access[k].root && (writes || p->access[n].how & WEFT_ACCESS_WRITE))
                p->access[k].needed = true;
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

// The other body is called, and then inlined.
static weft_status add_full_body(struct prover *p, LLVMValueRef full, LLVMBasicBlockRef old,
                                 const struct weftc_target *target, struct weft_buf *log)
{
    LLVMContextRef c = LLVMGetModuleContext(p->module);
    LLVMBasicBlockRef otherwise = LLVMAppendBasicBlockInContext(c, p->kernel, "");
    LLVMBuildCondBr(p->b, p->condition, old, otherwise);
    LLVMPositionBuilderAtEnd(p->b, otherwise);
    const unsigned count = LLVMCountParams(p->kernel);
    LLVMValueRef *arguments = weft_alloc_array((size_t)count + 1, sizeof *arguments);
    if (!arguments)
        return WEFT_NO_MEMORY;
    LLVMGetParams(p->kernel, arguments);
    LLVMMetadataRef scope = LLVMGetSubprogram(p->kernel);
    if (scope)
        LLVMSetCurrentDebugLocation2(p->b, LLVMDIBuilderCreateDebugLocation(c, 0, 0, scope, NULL));
    LLVMValueRef call = LLVMBuildCall2(p->b, LLVMGlobalGetValueType(full), full, arguments, count, "");
    LLVMSetInstructionCallConv(call, LLVMGetFunctionCallConv(full));
    weft_free(arguments);
    LLVMBuildRetVoid(p->b);
    weftc_add_attribute(full, WEFTC_OF_FUNCTION, "alwaysinline", 0);
    return weftc_run_passes(p->module, target, "always-inline", log);
}

static weft_status remove_proved(struct prover *p, LLVMValueRef full, LLVMBasicBlockRef old,
                                 const struct weftc_target *target, struct weft_buf *log)
{
    for (uint32_t k = 0; k < p->count; k++)
        if (!p->access[k].needed)
            LLVMInstructionEraseFromParent(p->access[k].touch);
    return add_full_body(p, full, old, target, log);
}

static weft_status prove(struct prover *p, const struct weftc_target *target, struct weft_buf *log)
{
    LLVMValueRef full = weftc_bridge_clone_function(p->kernel, "weft.check.full");
    LLVMBasicBlockRef old = open_entry(p);
    LLVMContextRef c = LLVMGetModuleContext(p->module);
    p->condition = LLVMConstInt(LLVMInt1TypeInContext(c), 1, false);
    mind_unknown(p);
    prove_global(p);
    prove_local(p, LLVMGetFirstInstruction(old));
    bool any = false;
    for (uint32_t k = 0; k < p->count; k++) {
        const struct access *a = &p->access[k];
        any |= !a->needed;
        if (!a->needed && is_first_of(p, k) && !a->is_local && LLVMIsAArgument(a->root))
            require_alone(p, a->root);
    }
    if (any)
        return remove_proved(p, full, old, target, log);
    LLVMBuildBr(p->b, old);
    LLVMDeleteFunction(full);
    return WEFT_OK;
}

weft_status weftc_check_prove(LLVMModuleRef module, const struct weftc_target *target, LLVMValueRef kernel,
                              struct weft_buf *log)
{
    struct prover p = {.module = module, .kernel = kernel, .layout = LLVMGetModuleDataLayout(module)};
    p.b = LLVMCreateBuilderInContext(LLVMGetModuleContext(module));
    const weft_status status = list(&p) ? prove(&p, target, log) : WEFT_OK;
    LLVMDisposeBuilder(p.b);
    weftc_map_free(&p.block_index);
    weftc_map_free(&p.access_index);
    weft_free(p.access);
    weft_free(p.block);
    weft_free(p.pending);
    weft_free(p.entered);
    return status;
}
