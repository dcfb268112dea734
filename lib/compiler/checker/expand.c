// The second step of the checker: code in place of the calls that mark.c has left.
//
//     weft.check.access(p, size, align, how)
//         ->  offset > length || length - offset < size || (address & (align - 1)) != 0
//     weft.check.report(p, size, align, how)
//         ->  event = {id, size, numbers}; weft.device_call(WEFT_CALL_CHECK_REPORT, site, 0, event)
#include <stddef.h>
#include <string.h>

#include <llvm-c/Core.h>
#include <llvm-c/DebugInfo.h>

#include "base/base.h"
#include "compiler/checker/checker.h"
#include "compiler/checker/races/same_groups.h"
#include "compiler/ir/group_independence.h"
#include "compiler/ir/ir.h"
#include "compiler/ir/llvm_helpers.h"
#include "compiler/ir/module_facts.h"
#include "compiler/ir/primitives.h"
#include "weft/checker.h"
#include "weft/device_call.h"

struct expander {
    LLVMModuleRef module;
    LLVMContextRef c;
    LLVMValueRef kernel;
    LLVMBuilderRef b;
    uint32_t kinds;
    struct weftc_check_places *places;
    LLVMValueRef event; // NULL: not needed yet
    struct weftc_check_touches *touches;
};

static bool wants(const struct expander *e, enum weft_check_kind kind)
{
    return e->kinds >> kind & 1;
}

// ---- reports ----

// A constant weft_check_site for what stands at the instruction's place in the source.
static LLVMValueRef site_at(struct expander *e, LLVMValueRef i, struct weft_check_site head, const char *name)
{
    struct weft_buf bytes = {0};
    weftc_check_append_site(&bytes, i, head, name);
    if (bytes.failed) {
        weft_buf_free(&bytes);
        return NULL;
    }
    LLVMValueRef text = LLVMConstStringInContext2(e->c, (const char *)bytes.data, bytes.size, true);
    weft_buf_free(&bytes);
    LLVMValueRef site = LLVMAddGlobal(e->module, LLVMTypeOf(text), "weft.check.site");
    LLVMSetInitializer(site, text);
    LLVMSetGlobalConstant(site, true);
    LLVMSetLinkage(site, LLVMPrivateLinkage);
    LLVMSetAlignment(site, 8);
    return site;
}

static void store_number(struct expander *e, size_t at, LLVMValueRef number)
{
    LLVMValueRef index = weftc_i64(e->c, at / 8);
    LLVMTypeRef i64 = LLVMInt64TypeInContext(e->c);
    LLVMBuildStore(e->b, number, LLVMBuildInBoundsGEP2(e->b, i64, e->event, &index, 1, ""));
}

// At the builder's position.
static LLVMValueRef report(struct expander *e, uint32_t request, LLVMValueRef site, LLVMValueRef size,
                           const LLVMValueRef number[3])
{
    if (!e->event)
        e->event = weftc_check_numbers(e->kernel, sizeof(struct weft_check_event) / 8);
    for (unsigned d = 0; d < 3; d++) {
        LLVMValueRef id = weftc_primitive_build(e->b, e->module, WEFTC_GLOBAL_ID, d);
        store_number(e, offsetof(struct weft_check_event, id) + 8 * (size_t)d, id);
        store_number(e, offsetof(struct weft_check_event, number) + 8 * (size_t)d,
                     number[d] ? number[d] : weftc_i64(e->c, 0));
    }
    store_number(e, offsetof(struct weft_check_event, size), size ? size : weftc_i64(e->c, 0));
    return weftc_check_device_call(e->b, e->module, request, site, NULL, e->event);
}

// ---- the calls ----

static LLVMValueRef is_outside(struct expander *e, const struct weftc_check_place *at, LLVMValueRef size)
{
    if (!at->length || !wants(e, WEFT_CHECK_BOUNDS))
        return LLVMConstInt(LLVMInt1TypeInContext(e->c), 0, false);
    LLVMValueRef beyond = LLVMBuildICmp(e->b, LLVMIntUGT, at->offset, at->length, "");
    LLVMValueRef left = LLVMBuildSub(e->b, at->length, at->offset, "");
    return LLVMBuildOr(e->b, beyond, LLVMBuildICmp(e->b, LLVMIntULT, left, size, ""), "");
}

static LLVMValueRef address_of(struct expander *e, LLVMValueRef pointer)
{
    return LLVMBuildPtrToInt(e->b, pointer, LLVMInt64TypeInContext(e->c), "");
}

// The start of an alloca is aligned to what LLVM knows of it, and a look at its address would keep it in
// memory.
static LLVMValueRef is_misaligned(struct expander *e, const struct weftc_check_place *at,
                                  LLVMValueRef pointer, uint64_t align)
{
    if (align <= 1 || !wants(e, WEFT_CHECK_ALIGN))
        return LLVMConstInt(LLVMInt1TypeInContext(e->c), 0, false);
    LLVMValueRef number = at->length && at->kind == WEFT_OBJECT_PRIVATE ? at->offset : address_of(e, pointer);
    LLVMValueRef low = LLVMBuildAnd(e->b, number, weftc_i64(e->c, align - 1), "");
    return LLVMBuildICmp(e->b, LLVMIntNE, low, weftc_i64(e->c, 0), "");
}

static bool expand_access(struct expander *e, LLVMValueRef call)
{
    LLVMValueRef pointer = LLVMGetOperand(call, 0), size = LLVMGetOperand(call, 1);
    const struct weftc_check_place *at = weftc_check_place_of(e->places, pointer);
    if (!at)
        return false;
    const uint64_t align = LLVMConstIntGetZExtValue(LLVMGetOperand(call, 2));
    LLVMPositionBuilderBefore(e->b, call);
    LLVMValueRef wrong = LLVMBuildOr(e->b, is_outside(e, at, size), is_misaligned(e, at, pointer, align), "");
    LLVMReplaceAllUsesWith(call, wrong);
    return true;
}

static bool expand_report(struct expander *e, LLVMValueRef call)
{
    LLVMValueRef pointer = LLVMGetOperand(call, 0), size = LLVMGetOperand(call, 1);
    const struct weftc_check_place *at = weftc_check_place_of(e->places, pointer);
    if (!at)
        return false;
    struct weft_check_site head = {.access = (uint32_t)LLVMConstIntGetZExtValue(LLVMGetOperand(call, 3)),
                                   .kind = at->kind,
                                   .object = at->object,
                                   .fault = WEFT_FAULT_OUTSIDE};
    LLVMValueRef outside = site_at(e, call, head, at->name);
    head.fault = WEFT_FAULT_MISALIGNED;
    head.bits = 8 * (uint32_t)LLVMConstIntGetZExtValue(LLVMGetOperand(call, 2));
    LLVMValueRef misaligned = site_at(e, call, head, at->name);
    if (!outside || !misaligned)
        return false;
    LLVMPositionBuilderBefore(e->b, call);
    LLVMValueRef site = LLVMBuildSelect(e->b, is_outside(e, at, size), outside, misaligned, "");
    LLVMValueRef number[3] = {at->length ? at->offset : NULL, at->length,
                              at->kind == WEFT_OBJECT_PRIVATE ? NULL : address_of(e, pointer)};
    report(e, WEFT_CALL_CHECK_REPORT, site, size, number);
    return true;
}

static bool expand_operation(struct expander *e, LLVMValueRef call)
{
    struct weft_check_site head = {.fault = (uint32_t)LLVMConstIntGetZExtValue(LLVMGetOperand(call, 0)),
                                   .bits = (uint32_t)LLVMConstIntGetZExtValue(LLVMGetOperand(call, 2))};
    LLVMValueRef site = site_at(e, call, head, NULL);
    if (!site)
        return false;
    LLVMPositionBuilderBefore(e->b, call);
    const LLVMValueRef number[3] = {LLVMGetOperand(call, 1)};
    report(e, WEFT_CALL_CHECK_REPORT, site, NULL, number);
    return true;
}

// The image is an argument, but for a choice between several.
static bool expand_texel(struct expander *e, LLVMValueRef call)
{
    LLVMValueRef image = LLVMGetOperand(call, 0);
    const uint32_t how = (uint32_t)LLVMConstIntGetZExtValue(LLVMGetOperand(call, 3));
    struct weft_check_site head = {.fault = WEFT_FAULT_TEXEL,
                                   .access = how & WEFT_TEXEL_WRITE ? WEFT_ACCESS_WRITE : WEFT_ACCESS_READ,
                                   .bits = how};
    for (unsigned k = 0; k < LLVMCountParams(e->kernel); k++)
        if (LLVMGetParam(e->kernel, k) == image) {
            head.kind = WEFT_OBJECT_ARGUMENT;
            head.object = k;
        }
    LLVMValueRef site = site_at(e, call, head, NULL);
    if (!site)
        return false;
    LLVMPositionBuilderBefore(e->b, call);
    const LLVMValueRef number[3] = {LLVMGetOperand(call, 1), LLVMGetOperand(call, 2)};
    report(e, WEFT_CALL_CHECK_REPORT, site, NULL, number);
    return true;
}

// Blocks that return may have been made one.
static bool returns(LLVMValueRef i)
{
    if (LLVMIsABranchInst(i) && !LLVMIsConditional(i))
        i = LLVMGetFirstInstruction(LLVMGetSuccessor(i, 0));
    return LLVMIsAReturnInst(i) != NULL;
}

static bool expand_arrival(struct expander *e, LLVMValueRef call)
{
    const struct weft_check_site head = {.fault = WEFT_FAULT_BARRIER,
                                         .object = returns(LLVMGetNextInstruction(call))};
    LLVMValueRef site = site_at(e, call, head, NULL);
    if (!site)
        return false;
    LLVMTypeRef params[] = {LLVMPointerTypeInContext(e->c, 0), LLVMInt64TypeInContext(e->c)};
    LLVMTypeRef type = LLVMFunctionType(LLVMVoidTypeInContext(e->c), params, WEFT_COUNT_OF(params), false);
    LLVMValueRef f = weftc_check_declare(e->module, WEFTC_ARRIVE, type);
    LLVMPositionBuilderBefore(e->b, call);
    LLVMValueRef arguments[] = {site, weftc_check_item(e->b, e->module)};
    LLVMBuildCall2(e->b, type, f, arguments, WEFT_COUNT_OF(arguments), "");
    return true;
}

// ---- values that nobody has written (checker/uninit.c) ----

// Tells the driver of an origin, at the builder's position.
static LLVMValueRef tell_origin(struct expander *e, uint32_t request, LLVMValueRef call, uint32_t use)
{
    const struct weft_check_site head = {.fault = WEFT_FAULT_UNWRITTEN, .object = use};
    LLVMValueRef site = site_at(e, call, head, NULL);
    if (!site)
        return NULL;
    LLVMPositionBuilderBefore(e->b, call);
    LLVMValueRef origin = LLVMGetOperand(call, 0), names = LLVMGetNamedGlobal(e->module, WEFTC_CHECK_NAMES);
    LLVMValueRef number[3] = {LLVMBuildZExt(e->b, origin, LLVMInt64TypeInContext(e->c), ""),
                              address_of(e, names)};
    return report(e, request, site, NULL, number);
}

static bool expand_unwritten(struct expander *e, LLVMValueRef call)
{
    const uint32_t use = (uint32_t)LLVMConstIntGetZExtValue(LLVMGetOperand(call, 1));
    return tell_origin(e, WEFT_CALL_CHECK_REPORT, call, use) != NULL;
}

static bool expand_chain(struct expander *e, LLVMValueRef call)
{
    LLVMValueRef number = tell_origin(e, WEFT_CALL_CHECK_CHAIN, call, WEFT_USE_OTHER);
    if (!number)
        return false;
    LLVMReplaceAllUsesWith(call, LLVMBuildTrunc(e->b, number, LLVMInt32TypeInContext(e->c), ""));
    return true;
}

static bool starts_with(const char *text, const char *prefix)
{
    return strncmp(text, prefix, strlen(prefix)) == 0;
}

// Returns false if memory is short. *was: it was one of the calls.
static bool expand_call(struct expander *e, LLVMValueRef i, bool *was)
{
    LLVMValueRef f = weftc_callee(i);
    const char *name = f && LLVMIsDeclaration(f) ? LLVMGetValueName(f) : "";
    *was = true;
    if (starts_with(name, WEFTC_CHECK_ACCESS))
        return expand_access(e, i);
    if (starts_with(name, WEFTC_CHECK_REPORT))
        return expand_report(e, i);
    if (starts_with(name, WEFTC_CHECK_TOUCH))
        return weftc_check_expand_touch(e->touches, e->places, i);
    if (starts_with(name, WEFTC_CHECK_ALIKE)) {
        weftc_check_expand_alike(e->b, e->kernel, i);
        return true;
    }
    if (starts_with(name, WEFTC_CHECK_OPERATION))
        return expand_operation(e, i);
    if (starts_with(name, WEFTC_CHECK_TEXEL))
        return expand_texel(e, i);
    if (starts_with(name, WEFTC_CHECK_ARRIVAL))
        return expand_arrival(e, i);
    if (starts_with(name, WEFTC_MSAN_METADATA))
        return weftc_check_expand_shadow(e->module, e->kernel, e->places, i);
    if (starts_with(name, WEFTC_CHECK_UNWRITTEN))
        return expand_unwritten(e, i);
    if (strcmp(name, WEFTC_MSAN_CHAIN) == 0)
        return expand_chain(e, i);
    *was = false;
    return true;
}

// Can nothing in the kernel, without its checks, depend on how the index space is cut into groups?
static bool is_group_shape_independent(LLVMValueRef kernel)
{
    struct weftc_primitive_call at = {0};
    while (weftc_next_primitive(kernel, &at))
        if (weftc_depends_on_groups(at.primitive))
            return false;
    for (LLVMValueRef v = LLVMGetFirstGlobal(LLVMGetGlobalParent(kernel)); v; v = LLVMGetNextGlobal(v))
        if (LLVMGetPointerAddressSpace(LLVMTypeOf(v)) == WEFTC_SPACE_LOCAL)
            return false;
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(kernel); b; b = LLVMGetNextBasicBlock(b))
        for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
            if (weftc_is_barrier(i))
                return false;
    return !weftc_takes_local_memory(kernel, LLVMCountParams(kernel));
}

weft_status weftc_check_expand(LLVMModuleRef module, LLVMValueRef kernel, uint32_t kinds)
{
    struct expander e = {
        .module = module, .c = LLVMGetModuleContext(module), .kernel = kernel, .kinds = kinds};
    weftc_module_number_set(module, WEFTC_WRITTEN, weftc_check_written(kernel));
    weftc_module_number_set(module, WEFTC_ONLY_CHECKS_DEPEND, is_group_shape_independent(kernel));
    e.places = weftc_check_places_new(module, kernel);
    e.touches = weftc_check_touches_begin(module, kernel);
    bool done = e.places && e.touches;
    e.b = LLVMCreateBuilderInContext(e.c);
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(kernel); b && done; b = LLVMGetNextBasicBlock(b))
        for (LLVMValueRef i = LLVMGetFirstInstruction(b), next; i && done; i = next) {
            bool was;
            done = expand_call(&e, i, &was);
            next = LLVMGetNextInstruction(i);
            if (was && done)
                LLVMInstructionEraseFromParent(i);
        }
    weftc_check_forget_shadow(module);
    done = weftc_check_touches_end(e.touches) && done;
    weftc_check_places_free(e.places);
    LLVMDisposeBuilder(e.b);
    return done ? WEFT_OK : WEFT_NO_MEMORY;
}
