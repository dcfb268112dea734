// Kernels with images ask what a texel is made of at each read (ADR 13). Where all of a kernel's images are of the most common
// format that is known from the start: such a kernel gets two bodies, and asks once.
//
//     if (all images' `common` is WEFT_IMAGE_RGBA8)
//         the body, in which that is a constant
//     else
//         the body
//
// The first is small, so that its loops are unrolled and its clamps assumed (shapes_assumed.c), as if it read a buffer.
#include <stddef.h>

#include "bridge_passes.h"
#include "bridge_vectorize.h"
#include "middle.h"
#include "weft/image.h"

enum { MOST_INSTRUCTIONS = 5000 };

static bool is_image(LLVMValueRef f, unsigned index)
{
    return LLVMGetStringAttributeAtIndex(f, index + 1, WEFTC_ATTRIBUTE_IMAGE,
                                         sizeof WEFTC_ATTRIBUTE_IMAGE - 1) != NULL;
}

static size_t count_images(LLVMValueRef f)
{
    size_t count = 0;
    for (unsigned i = 0; i < LLVMCountParams(f); i++)
        count += is_image(f, i);
    return count;
}

// A barrier would be in both bodies, and regions begin and end there.
static bool has_barrier(LLVMModuleRef module)
{
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
        for (LLVMUseRef use = LLVMGetFirstUse(f); use; use = LLVMGetNextUse(use))
            if (weftc_is_barrier(LLVMGetUser(use)))
                return true;
    return false;
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

weft_status weftc_prepare_images(LLVMModuleRef module, LLVMValueRef kernel)
{
    unsigned count = LLVMCountParams(kernel);
    if (count_images(kernel) == 0 || has_barrier(module) || weftc_module_number(module, WEFTC_SUB_GROUPS) ||
        weftc_instruction_count(module) > MOST_INSTRUCTIONS)
        return WEFT_OK;
    LLVMValueRef known = weftc_bridge_clone_function(kernel, "weft.images.known");
    size_t replaced = 0;
    for (unsigned i = 0; i < count; i++)
        if (is_image(known, i))
            replaced += weftc_bridge_replace_loads(LLVMGetParam(known, i),
                                                   offsetof(struct weft_image, common), WEFT_IMAGE_RGBA8);
    if (replaced == 0) { // a kernel that asks for sizes only
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
    weftc_set_metadata(branch, WEFTC_USUAL_BRANCH, LLVMMDNodeInContext2(c, NULL, 0));
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
