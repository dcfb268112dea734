// Masked accesses that the processor hasn't become branches, one for each lane. LLVM's code generator does
// so, but for each access it visits all blocks of the function again from the first one on, and what follows
// an access in its block moves each time. So in functions of very many, LLVM expands each kind of access
// once, in a function of its own, and that is inlined from the end of each block on. The code is the same.
#include <string.h>

#include <llvm-c/Core.h>
#include <llvm-c/DebugInfo.h>

#include "base/base.h"
#include "compiler/arch/target.h"
#include "compiler/bridge/passes.h"
#include "compiler/bridge/vectorize.h"
#include "compiler/codegen/codegen.h"
#include "compiler/ir/llvm_helpers.h"

enum { MANY_ACCESSES = 64 }; // of a function: fewer are left to LLVM

// A kind of access: an intrinsic, and how its address is aligned.
struct kind {
    LLVMValueRef intrinsic, body; // body: NULL: the processor has an instruction
    uint64_t align;
};

struct kinds {
    struct kind *list;
    size_t count;
};

// Does the access depend on a mask that isn't constant?
static bool is_masked_access(LLVMValueRef i)
{
    LLVMValueRef f = LLVMIsACallInst(i) ? weftc_callee(i) : NULL;
    if (!f || !LLVMIsDeclaration(f) || strncmp(LLVMGetValueName(f), "llvm.masked.", 12) != 0)
        return false;
    for (unsigned k = 0; k < LLVMGetNumArgOperands(i); k++) {
        LLVMTypeRef type = LLVMTypeOf(LLVMGetOperand(i, k));
        if (LLVMGetTypeKind(type) == LLVMVectorTypeKind &&
            LLVMGetElementType(type) == LLVMInt1TypeInContext(LLVMGetTypeContext(type)))
            return !LLVMIsAConstant(LLVMGetOperand(i, k));
    }
    return false;
}

// An operand, or, in later versions of LLVM, an attribute of the address.
static uint64_t align_of(LLVMValueRef call)
{
    uint64_t align = 0;
    for (unsigned k = 0; k < LLVMGetNumArgOperands(call); k++) {
        LLVMValueRef operand = LLVMGetOperand(call, k);
        LLVMAttributeRef a =
            LLVMGetCallSiteEnumAttribute(call, k + 1, LLVMGetEnumAttributeKindForName("align", 5));
        if (LLVMIsAConstantInt(operand))
            align = LLVMConstIntGetZExtValue(operand);
        else if (a)
            align = LLVMGetEnumAttributeValue(a);
    }
    return align;
}

// A function with the operands of the access that does it. NULL in *out if LLVM leaves it as it is.
static weft_status expand(LLVMValueRef call, const struct weftc_target *target, LLVMValueRef *out)
{
    LLVMValueRef intrinsic = weftc_callee(call), in = LLVMGetBasicBlockParent(LLVMGetInstructionParent(call));
    LLVMModuleRef module = LLVMGetGlobalParent(in);
    LLVMContextRef c = LLVMGetModuleContext(module);
    LLVMTypeRef type = LLVMGlobalGetValueType(intrinsic);
    LLVMValueRef f = LLVMAddFunction(module, "weft.masked", type);
    LLVMSetLinkage(f, LLVMInternalLinkage);
    weftc_copy_target(f, in);
    LLVMBuilderRef b = LLVMCreateBuilderInContext(c);
    LLVMPositionBuilderAtEnd(b, LLVMAppendBasicBlockInContext(c, f, ""));
    LLVMValueRef access = LLVMInstructionClone(call);
    LLVMInsertIntoBuilder(b, access);
    LLVMInstructionSetDebugLoc(access, NULL);
    for (unsigned k = 0; k < LLVMGetNumArgOperands(call); k++)
        if (!LLVMIsAConstantInt(LLVMGetOperand(call, k)))
            LLVMSetOperand(access, k, LLVMGetParam(f, k));
    if (LLVMGetTypeKind(LLVMTypeOf(access)) == LLVMVoidTypeKind)
        LLVMBuildRetVoid(b);
    else
        LLVMBuildRet(b, access);
    LLVMDisposeBuilder(b);
    if (!weftc_bridge_run_on(f, target->machine, "scalarize-masked-mem-intrin"))
        return WEFT_INTERNAL;
    const bool stays = LLVMCountBasicBlocks(f) == 1;
    if (stays)
        LLVMDeleteFunction(f);
    *out = stays ? NULL : f;
    return WEFT_OK;
}

static weft_status find_kind(struct kinds *kinds, LLVMValueRef call, const struct weftc_target *target,
                             LLVMValueRef *body)
{
    const struct kind wanted = {.intrinsic = weftc_callee(call), .align = align_of(call)};
    size_t k = 0;
    while (k < kinds->count &&
           (kinds->list[k].intrinsic != wanted.intrinsic || kinds->list[k].align != wanted.align))
        k++;
    if (k == kinds->count) {
        struct kind *larger = weft_realloc(kinds->list, (k + 1) * sizeof *larger);
        if (!larger)
            return WEFT_NO_MEMORY;
        kinds->list = larger;
        larger[k] = wanted;
        weft_status status = expand(call, target, &larger[k].body);
        if (status != WEFT_OK)
            return status;
        kinds->count++;
    }
    *body = kinds->list[k].body;
    return WEFT_OK;
}

static size_t masked_accesses(LLVMValueRef f)
{
    size_t count = 0;
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b))
        for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
            count += is_masked_access(i);
    return count;
}

// Blocks that are added follow the one at hand.
static weft_status expand_all(LLVMValueRef f, struct kinds *kinds, const struct weftc_target *target)
{
    for (LLVMBasicBlockRef b = LLVMGetLastBasicBlock(f), above; b; b = above) {
        above = LLVMGetPreviousBasicBlock(b);
        for (LLVMValueRef i = LLVMGetLastInstruction(b), before; i; i = before) {
            before = LLVMGetPreviousInstruction(i);
            LLVMValueRef body = NULL;
            weft_status status = is_masked_access(i) ? find_kind(kinds, i, target, &body) : WEFT_OK;
            if (status != WEFT_OK)
                return status;
            if (!body)
                continue;
            LLVMSetOperand(i, LLVMGetNumArgOperands(i), body);
            if (!weftc_bridge_inline(i))
                return WEFT_INTERNAL;
        }
    }
    return WEFT_OK;
}

weft_status weftc_expand_masked_accesses(LLVMModuleRef module, const struct weftc_target *target)
{
    struct kinds kinds = {0};
    weft_status status = WEFT_OK;
    LLVMValueRef last = LLVMGetLastFunction(module); // functions for kinds follow
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f && status == WEFT_OK; f = LLVMGetNextFunction(f)) {
        if (masked_accesses(f) > MANY_ACCESSES)
            status = expand_all(f, &kinds, target);
        if (f == last)
            break;
    }
    for (size_t k = 0; k < kinds.count; k++)
        if (kinds.list[k].body)
            LLVMDeleteFunction(kinds.list[k].body);
    weft_free(kinds.list);
    return status;
}
