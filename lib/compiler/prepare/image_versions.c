// Kernels with images check the format of the image at each read (ADR 13). For a kernel whose images all have
// the most common format, one check is enough. So a kernel gets two bodies:
//
//     if (all images' `common` is WEFT_IMAGE_RGBA8)
//         the body, in which that is a constant
//     else
//         the body
//
// The first body is small. So its loops are unrolled and its clamps can be speculated on
// (shapes/speculation.c), as if it read a buffer.
#include <string.h>

#include <llvm-c/Core.h>

#include "base/base.h"
#include "compiler/arch/target.h"
#include "compiler/bridge/passes.h"
#include "compiler/bridge/vectorize.h"
#include "compiler/ir/llvm_helpers.h"
#include "compiler/ir/module_facts.h"
#include "compiler/ir/primitives.h"
#include "compiler/prepare/prepare.h"
#include "weft/image.h"

enum {
    MAX_INSTRUCTIONS = 5000,
    MAX_KNOWN = 4000, // instructions of all outlined reads that are inlined again
    // Instructions of a read that scalar code calls, if there are several. It runs for a few work-items at
    // the end of a row.
    MIN_CALLED_BY_SCALAR = 60,
    // Instructions of a large read: its sampler isn't known. Lanes have one of them inlined, and call
    // several. Scalar code calls the function for any format, which asks for this one first.
    MIN_LARGE = 200,
    SAMPLER = 1, // the parameter that is the sampler
};

static const char *const simplify =
    "early-cse,simplifycfg,instcombine<no-verify-fixpoint;max-iterations=1>,simplifycfg";

static bool is_image(LLVMValueRef f, unsigned index)
{
    return weftc_fact_attribute(f, index + 1, WEFTC_ATTRIBUTE_IMAGE) != NULL;
}

static bool is_image_of(LLVMValueRef f, LLVMValueRef value)
{
    for (unsigned i = 0; i < LLVMCountParams(f); i++)
        if (LLVMGetParam(f, i) == value)
            return is_image(f, i);
    return false;
}

static size_t count_images(LLVMValueRef f)
{
    size_t count = 0;
    for (unsigned i = 0; i < LLVMCountParams(f); i++)
        count += is_image(f, i);
    return count;
}

// A barrier would have to be in both bodies, but regions begin and end at barriers.
static bool has_barrier(LLVMModuleRef module)
{
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
        for (LLVMUseRef use = LLVMGetFirstUse(f); use; use = LLVMGetNextUse(use))
            if (weftc_is_barrier(LLVMGetUser(use)))
                return true;
    return false;
}

bool weftc_can_have_image_versions(LLVMModuleRef module)
{
    return !has_barrier(module) && !weftc_module_number(module, WEFTC_SUB_GROUPS);
}

// ---- outlined reads and writes (prepare/outline_image_reads.c) ----

struct known {
    LLVMValueRef any, known; // the function; and its clone for the known format
    LLVMValueRef sampler;    // of a function that several constant samplers share: the clone's, or NULL
    uint64_t calls;
};

static bool is_large(const struct known *k)
{
    return weftc_function_size(k->known) >= MIN_LARGE;
}

// Lanes have the function inlined; scalar code calls it.
static bool is_called_by_scalar(const struct known *k)
{
    return is_large(k) || (k->calls > 1 && weftc_function_size(k->known) >= MIN_CALLED_BY_SCALAR);
}

static weft_status inline_everywhere(LLVMValueRef known)
{
    LLVMUseRef use;
    while ((use = LLVMGetFirstUse(known)))
        if (!weftc_bridge_inline(LLVMGetUser(use)))
            return WEFT_INTERNAL;
    LLVMDeleteFunction(known);
    return WEFT_OK;
}

// Decides which of the functions are inlined, and where.
static weft_status inline_known(const struct known *list, size_t count)
{
    uint64_t size = 0, large_calls = 0;
    for (size_t k = 0; k < count; k++) {
        size += list[k].calls * weftc_function_size(list[k].known);
        large_calls += is_large(&list[k]) ? list[k].calls : 0;
    }
    weft_log(WEFT_LOG_DEBUG, "image reads for the most common format: %llu instructions",
             (unsigned long long)size);
    weft_status status = WEFT_OK;
    for (size_t k = 0; k < count && status == WEFT_OK; k++) {
        LLVMValueRef known = list[k].known;
        const bool inlined = size <= MAX_KNOWN && (!is_large(&list[k]) || large_calls == 1);
        if (is_large(&list[k])) {
            size_t length;
            const char *name = LLVMGetValueName2(list[k].any, &length);
            weftc_fact_attribute_set(known, WEFTC_OF_FUNCTION, WEFTC_ATTRIBUTE_SCALAR_VERSION, name, length);
        }
        if (inlined && is_called_by_scalar(&list[k]))
            weftc_fact_attribute_set(known, WEFTC_OF_FUNCTION, WEFTC_ATTRIBUTE_INLINED_FOR_LANES, "", 0);
        else if (inlined)
            status = inline_everywhere(known);
    }
    return status;
}

// The constant sampler that a call hands over to a function for several samplers.
static LLVMValueRef constant_sampler(LLVMValueRef call, LLVMValueRef f)
{
    size_t length;
    const bool samples =
        strstr(LLVMGetValueName2(f, &length), "11ocl_sampler") && LLVMGetNumArgOperands(call) > SAMPLER;
    LLVMValueRef sampler = samples ? LLVMGetOperand(call, SAMPLER) : NULL;
    const bool known = sampler && LLVMIsConstant(sampler) && !LLVMIsUndef(sampler) &&
                       LLVMGetTypeKind(LLVMTypeOf(sampler)) == LLVMPointerTypeKind;
    return known ? sampler : NULL; // otherwise a coordinate, or a sampler that isn't known
}

// Clones each function that is called with one of the body's images, and makes the format a constant in the
// clone. If all of them together are small, the clones are inlined, here or where lanes are made. Adds to
// *replaced the number of loads that became constants.
static weft_status specialize_calls(LLVMValueRef body, const struct weftc_target *target, size_t *replaced)
{
    struct known *list = NULL;
    size_t count = 0, capacity = 0;
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(body); b; b = LLVMGetNextBasicBlock(b)) {
        for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i)) {
            LLVMValueRef f = LLVMIsACallInst(i) ? weftc_callee(i) : NULL;
            // The image is the first argument of a read or write.
            if (!f || LLVMIsDeclaration(f) || LLVMCountParams(f) == 0 ||
                !is_image_of(body, LLVMGetOperand(i, 0)))
                continue;
            LLVMValueRef sampler = constant_sampler(i, f);
            size_t k = 0;
            while (k < count && (list[k].any != f || list[k].sampler != sampler))
                k++;
            if (k == capacity) {
                capacity = capacity ? 2 * capacity : 8;
                struct known *larger = weft_realloc(list, capacity * sizeof *list);
                if (!larger) {
                    weft_free(list);
                    return WEFT_NO_MEMORY;
                }
                list = larger;
            }
            if (k == count) {
                list[count++] = (struct known){.any = f,
                                               .known = weftc_bridge_clone_function(f, "weft.access.known"),
                                               .sampler = sampler};
                if (sampler)
                    LLVMReplaceAllUsesWith(LLVMGetParam(list[k].known, SAMPLER), sampler);
                size_t found = weftc_bridge_replace_loads(
                    LLVMGetParam(list[k].known, 0), offsetof(struct weft_image, common), WEFT_IMAGE_RGBA8);
                *replaced += found;
                if (!weftc_bridge_run_on(list[k].known, target->machine, simplify)) {
                    weft_free(list);
                    return WEFT_INTERNAL;
                }
            }
            list[k].calls++;
            LLVMSetOperand(i, LLVMGetNumArgOperands(i), list[k].known);
        }
    }
    weft_status status = inline_known(list, count);
    weft_free(list);
    return status;
}

static LLVMValueRef all_are_common(LLVMBuilderRef b, LLVMValueRef kernel)
{
    LLVMContextRef c = LLVMGetModuleContext(LLVMGetGlobalParent(kernel));
    LLVMTypeRef i32 = LLVMInt32TypeInContext(c), i8 = LLVMInt8TypeInContext(c);
    LLVMValueRef place = weftc_i64(c, offsetof(struct weft_image, common)), all = NULL;
    for (unsigned i = 0; i < LLVMCountParams(kernel); i++) {
        if (!is_image(kernel, i))
            continue;
        LLVMValueRef at = LLVMBuildInBoundsGEP2(b, i8, LLVMGetParam(kernel, i), &place, 1, "");
        LLVMValueRef common = LLVMBuildLoad2(b, i32, at, "");
        LLVMValueRef is = LLVMBuildICmp(b, LLVMIntEQ, common, weftc_i32(c, WEFT_IMAGE_RGBA8), "");
        all = all ? LLVMBuildAnd(b, all, is, "") : is;
    }
    return all;
}

weft_status weftc_prepare_image_versions(LLVMModuleRef module, LLVMValueRef kernel,
                                         const struct weftc_target *target)
{
    unsigned count = LLVMCountParams(kernel);
    if (count_images(kernel) == 0 || !weftc_can_have_image_versions(module) ||
        weftc_function_size(kernel) > MAX_INSTRUCTIONS)
        return WEFT_OK;
    LLVMValueRef known = weftc_bridge_clone_function(kernel, "weft.images.known");
    size_t replaced = 0;
    for (unsigned i = 0; i < count; i++)
        if (is_image(known, i))
            replaced += weftc_bridge_replace_loads(LLVMGetParam(known, i),
                                                   offsetof(struct weft_image, common), WEFT_IMAGE_RGBA8);
    weft_status status = specialize_calls(known, target, &replaced);
    if (status != WEFT_OK)
        return status;
    if (replaced == 0) { // the kernel only asks for sizes
        LLVMDeleteFunction(known);
        return WEFT_OK;
    }
    LLVMValueRef *arguments = weft_alloc_array(count, sizeof *arguments);
    if (!arguments) {
        LLVMDeleteFunction(known);
        return WEFT_NO_MEMORY;
    }
    for (unsigned i = 0; i < count; i++)
        arguments[i] = LLVMGetParam(kernel, i);
    LLVMValueRef first = LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(kernel));
    while (LLVMIsAAllocaInst(first))
        first = LLVMGetNextInstruction(first);
    LLVMContextRef c = LLVMGetModuleContext(module);
    LLVMBasicBlockRef entry = LLVMGetEntryBasicBlock(kernel), any = weftc_bridge_split_block(first),
                      common = LLVMAppendBasicBlockInContext(c, kernel, "images.known");
    LLVMBuilderRef b = LLVMCreateBuilderInContext(c);
    LLVMInstructionEraseFromParent(LLVMGetBasicBlockTerminator(entry));
    LLVMPositionBuilderAtEnd(b, entry);
    LLVMValueRef branch = LLVMBuildCondBr(b, all_are_common(b, kernel), common, any);
    weftc_set_metadata(branch, weftc_fact_name(WEFTC_LIKELY_BRANCH), LLVMMDNodeInContext2(c, NULL, 0));
    LLVMPositionBuilderAtEnd(b, common);
    LLVMValueRef call = LLVMBuildCall2(b, LLVMGlobalGetValueType(known), known, arguments, count, "");
    LLVMBuildRetVoid(b);
    LLVMDisposeBuilder(b);
    weft_free(arguments);
    if (!weftc_bridge_inline(call))
        return WEFT_INTERNAL;
    LLVMDeleteFunction(known);
    return WEFT_OK;
}
