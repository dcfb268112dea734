// Blocks for device-side enqueue (OpenCL C 3.0 §6.15.17). Clang makes of a block a function that takes the block's literal, and
// of one that is enqueued a kernel too, which calls that function. Such a kernel is compiled as others are, on its own and when it
// is wanted; what enqueues it knows it by its number among the program's kernels, which is its address in the IR.
// Stateless.
#include <string.h>

#include "compiler.h"

#define BLOCK_ATTRIBUTE "weft-block"
#define OF_FUNCTION ((LLVMAttributeIndex)LLVMAttributeFunctionIndex)

static bool is_kernel(LLVMValueRef f)
{
    return LLVMGetFunctionCallConv(f) == LLVMSPIRKERNELCallConv && !LLVMIsDeclaration(f);
}

bool weftc_is_block(LLVMValueRef kernel)
{
    return LLVMGetStringAttributeAtIndex(kernel, OF_FUNCTION, BLOCK_ATTRIBUTE, sizeof BLOCK_ATTRIBUTE - 1);
}

// Kernels of the source have this, whatever their arguments are.
static bool is_described(LLVMValueRef kernel)
{
    static const char kind[] = "kernel_arg_addr_space";
    LLVMContextRef c = LLVMGetModuleContext(LLVMGetGlobalParent(kernel));
    unsigned id = LLVMGetMDKindIDInContext(c, kind, sizeof kind - 1);
    size_t count;
    bool found = false;
    LLVMValueMetadataEntry *entries = LLVMGlobalCopyAllMetadata(kernel, &count);
    for (unsigned i = 0; i < count; i++)
        found |= LLVMValueMetadataEntriesGetKind(entries, i) == id;
    LLVMDisposeValueMetadataEntries(entries);
    return found;
}

// A literal names the function that the block is. Nobody looks there: calls name the function itself. And the literal may
// be in another kernel than the function.
static void forget_address(LLVMValueRef f)
{
    LLVMUseRef next;
    for (LLVMUseRef use = LLVMGetFirstUse(f); use; use = next) {
        LLVMValueRef user = LLVMGetUser(use);
        next = LLVMGetNextUse(use);
        if (LLVMIsAConstantExpr(user))
            LLVMReplaceAllUsesWith(user, LLVMConstNull(LLVMTypeOf(user)));
    }
}

void weftc_find_blocks(LLVMModuleRef module)
{
    static const char mark[] = "_block_invoke";
    LLVMContextRef c = LLVMGetModuleContext(module);
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f)) {
        if (LLVMIsDeclaration(f) || !strstr(LLVMGetValueName(f), mark))
            continue;
        if (!is_kernel(f)) {
            forget_address(f);
        } else if (!is_described(f)) {
            // Functions of two programs may have the same name, if they are static, and so have their blocks.
            LLVMSetLinkage(f, LLVMInternalLinkage);
            LLVMAttributeRef a =
                LLVMCreateStringAttribute(c, BLOCK_ATTRIBUTE, sizeof BLOCK_ATTRIBUTE - 1, "", 0);
            LLVMAddAttributeAtIndex(f, OF_FUNCTION, a);
        }
    }
}

void weftc_number_blocks(LLVMModuleRef module)
{
    LLVMTypeRef i64 = LLVMInt64TypeInContext(LLVMGetModuleContext(module));
    uint64_t number = 0;
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f)) {
        if (!is_kernel(f))
            continue;
        if (weftc_is_block(f))
            LLVMReplaceAllUsesWith(f, LLVMConstIntToPtr(LLVMConstInt(i64, number, false), LLVMTypeOf(f)));
        number++;
    }
}
