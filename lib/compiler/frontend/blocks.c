// Blocks for device-side enqueue (OpenCL C 3.0 §6.15.17). Stateless.
//
// Clang compiles a block to a function that takes the block's literal. For a block that is enqueued it adds a
// kernel, which calls that function. Such a kernel is compiled like others: separately, and when it is
// needed. Code that enqueues it identifies it by its number among the program's kernels. In the IR this
// number is the kernel's address.
//
// In SPIR-V, OpEnqueueKernel may name any function. The translator from SPIR-V adds no kernel. It passes a
// literal as Clang's, which begins with its size and alignment.
#include <string.h>

#include <llvm-c/Core.h>

#include "base/base.h"
#include "compiler/frontend/frontend.h"
#include "compiler/ir/ir.h"
#include "compiler/ir/module_facts.h"

#define OF_FUNCTION ((LLVMAttributeIndex)LLVMAttributeFunctionIndex)

static bool is_kernel(LLVMValueRef f)
{
    return LLVMGetFunctionCallConv(f) == LLVMSPIRKERNELCallConv && !LLVMIsDeclaration(f);
}

bool weftc_is_block(LLVMValueRef kernel)
{
    return weftc_fact_attribute(kernel, OF_FUNCTION, WEFTC_ATTRIBUTE_BLOCK);
}

// Kernels of the source have this metadata, even those without arguments.
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

// Replaces the address of a block's function in block literals by null. Calls name the function directly, so
// nothing reads that address. The literal may also end up in another kernel than the function.
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

// Makes the kernel internal. The application can't see it, and another program may have an internal kernel of
// the same name.
static void mark(LLVMValueRef kernel)
{
    LLVMSetLinkage(kernel, LLVMInternalLinkage);
    weftc_fact_attribute_set(kernel, OF_FUNCTION, WEFTC_ATTRIBUTE_BLOCK, "", 0);
}

void weftc_find_blocks(LLVMModuleRef module)
{
    static const char name[] = "_block_invoke";
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f)) {
        if (LLVMIsDeclaration(f) || !strstr(LLVMGetValueName(f), name))
            continue;
        if (!is_kernel(f))
            forget_address(f);
        else if (!is_described(f))
            mark(f);
    }
}

// ---- Functions that a module from SPIR-V enqueues ----

// Is f a function of OpenCL that takes a block, to enqueue it or to query it?
static bool takes_block(LLVMValueRef f)
{
    static const char enqueue[] = "__enqueue_kernel_", ask[] = "__get_kernel_";
    const char *name = LLVMGetValueName(f);
    return LLVMIsDeclaration(f) &&
           (strncmp(name, enqueue, sizeof enqueue - 1) == 0 || strncmp(name, ask, sizeof ask - 1) == 0);
}

static LLVMValueRef function_in(LLVMValueRef v)
{
    while (LLVMIsAAddrSpaceCastInst(v) || LLVMIsABitCastInst(v) ||
           (LLVMIsAConstantExpr(v) && LLVMGetNumOperands(v) == 1))
        v = LLVMGetOperand(v, 0);
    return LLVMIsAFunction(v) && !LLVMIsDeclaration(v) ? v : NULL;
}

// Returns a kernel that calls f with its own arguments. It is created on the first call for f.
static LLVMValueRef kernel_for(LLVMModuleRef module, LLVMValueRef f)
{
    static const char unnamed[] = "__weft_block";
    size_t length;
    LLVMGetValueName2(f, &length);
    if (length == 0)
        LLVMSetValueName2(f, unnamed, sizeof unnamed - 1); // LLVM appends a number if the name exists
    char *name = weft_format("__weft_enqueued.%s", LLVMGetValueName(f));
    LLVMValueRef kernel = name ? LLVMGetNamedFunction(module, name) : NULL;
    if (kernel && !weftc_is_block(kernel))
        kernel = NULL; // a function of the program has this name; LLVM gives our kernel another one
    unsigned count = LLVMCountParams(f);
    LLVMValueRef *arguments = weft_alloc_array((size_t)count + 1, sizeof(LLVMValueRef));
    if (name && arguments && !kernel) {
        LLVMTypeRef type = LLVMGlobalGetValueType(f);
        kernel = LLVMAddFunction(module, name, type);
        LLVMSetFunctionCallConv(kernel, LLVMSPIRKERNELCallConv);
        LLVMContextRef c = LLVMGetModuleContext(module);
        LLVMBuilderRef b = LLVMCreateBuilderInContext(c);
        LLVMPositionBuilderAtEnd(b, LLVMAppendBasicBlockInContext(c, kernel, ""));
        LLVMGetParams(kernel, arguments);
        LLVMSetInstructionCallConv(LLVMBuildCall2(b, type, f, arguments, count, ""),
                                   LLVMGetFunctionCallConv(f));
        LLVMBuildRetVoid(b);
        LLVMDisposeBuilder(b);
        mark(kernel);
    }
    weft_free(name);
    weft_free(arguments);
    return kernel;
}

// An enqueued kernel takes a block literal, also when the host can launch it. Only block literals are
// parameters in the generic address space.
static bool is_host_kernel(LLVMValueRef f)
{
    LLVMTypeRef first = LLVMCountParams(f) ? LLVMTypeOf(LLVMGetParam(f, 0)) : NULL;
    return !first || LLVMGetTypeKind(first) != LLVMPointerTypeKind ||
           LLVMGetPointerAddressSpace(first) != WEFTC_SPACE_GENERIC;
}

// Removes the descriptions of arguments. Kernels that Clang makes from blocks have none either.
static void forget_description(LLVMValueRef kernel)
{
    static const char *const kinds[] = {"kernel_arg_addr_space", "kernel_arg_access_qual", "kernel_arg_type",
                                        "kernel_arg_base_type",  "kernel_arg_type_qual",   "kernel_arg_name"};
    LLVMContextRef c = LLVMGetModuleContext(LLVMGetGlobalParent(kernel));
    for (size_t i = 0; i < WEFT_COUNT_OF(kinds); i++)
        LLVMGlobalEraseMetadata(kernel, LLVMGetMDKindIDInContext(c, kinds[i], (unsigned)strlen(kinds[i])));
}

static weft_status find_invoked(LLVMModuleRef module, LLVMValueRef call)
{
    for (unsigned i = 0; i < LLVMGetNumArgOperands(call); i++) {
        LLVMValueRef operand = LLVMGetOperand(call, i), f = function_in(operand);
        if (!f || LLVMGetTypeKind(LLVMGetReturnType(LLVMGlobalGetValueType(f))) != LLVMVoidTypeKind)
            continue;
        if (is_kernel(f) && (weftc_is_block(f) || !is_host_kernel(f))) {
            if (!weftc_is_block(f))
                mark(f);
            forget_description(f);
            continue;
        }
        LLVMValueRef kernel = kernel_for(module, f);
        if (!kernel)
            return WEFT_NO_MEMORY;
        LLVMSetOperand(call, i, LLVMConstAddrSpaceCast(kernel, LLVMTypeOf(operand)));
    }
    return WEFT_OK;
}

weft_status weftc_find_invoked(LLVMModuleRef module)
{
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f)) {
        if (!takes_block(f))
            continue;
        for (LLVMUseRef use = LLVMGetFirstUse(f); use; use = LLVMGetNextUse(use)) {
            LLVMValueRef call = LLVMGetUser(use);
            weft_status status = LLVMIsACallInst(call) ? find_invoked(module, call) : WEFT_OK;
            if (status != WEFT_OK)
                return status;
        }
    }
    return WEFT_OK;
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
