// Link options that change floating-point arithmetic. They apply to programs that were compiled without them.
// OpenCL 2.2 §5.8.7.
//
// "The linker may apply these options only to libraries which were created with the enable-link-option". So
// the functions of a library that was created without it get the attribute WEFTC_ATTRIBUTE_SEALED. They never
// change, however often the library is linked into others.
#include <stdbool.h>
#include <stddef.h>

#include <llvm-c/Core.h>

#include "compiler/frontend/frontend.h"
#include "compiler/ir/denormals.h"
#include "compiler/ir/module_facts.h"
#include "weft/protocol.h"

#define FUNCTION ((LLVMAttributeIndex)LLVMAttributeFunctionIndex)

static LLVMFastMathFlags flags_of(const struct weft_build_options *o)
{
    LLVMFastMathFlags flags = 0;
    bool unsafe = o->unsafe_math || o->fast_relaxed_math,
         finite = o->finite_math_only || o->fast_relaxed_math;
    if (o->no_signed_zeros || unsafe)
        flags |= LLVMFastMathNoSignedZeros;
    if (o->mad_enable || unsafe)
        flags |= LLVMFastMathAllowContract;
    if (unsafe)
        flags |= LLVMFastMathAllowReassoc | LLVMFastMathAllowReciprocal | LLVMFastMathApproxFunc;
    if (finite)
        flags |= LLVMFastMathNoNaNs | LLVMFastMathNoInfs;
    return flags;
}

static bool is_sealed(LLVMValueRef f)
{
    return weftc_fact_attribute(f, FUNCTION, WEFTC_ATTRIBUTE_SEALED) != NULL;
}

static void relax(LLVMValueRef f, LLVMFastMathFlags flags)
{
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b))
        for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
            if (LLVMCanValueUseFastMathFlags(i))
                LLVMSetFastMathFlags(i, LLVMGetFastMathFlags(i) | flags);
}

void weftc_apply_link_options(LLVMModuleRef module, const struct weft_build_options *options)
{
    LLVMFastMathFlags flags = flags_of(options);
    bool seal = options->create_library && !options->enable_link_options;
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f)) {
        if (LLVMIsDeclaration(f) || is_sealed(f))
            continue;
        if (flags)
            relax(f, flags);
        if (options->denorms_are_zero)
            weftc_flush_denormals(f);
        if (seal)
            weftc_fact_attribute_set(f, FUNCTION, WEFTC_ATTRIBUTE_SEALED, "", 0);
    }
}
