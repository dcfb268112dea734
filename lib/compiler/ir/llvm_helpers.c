// Small helpers over llvm-c that every stage uses. Stateless.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <llvm-c/Core.h>
#include <llvm-c/DebugInfo.h>
#include <llvm-c/Error.h>
#include <llvm-c/Transforms/PassBuilder.h>

#include "base/base.h"
#include "compiler/arch/target.h"
#include "compiler/compiler.h"
#include "compiler/bridge/passes.h"
#include "compiler/ir/llvm_helpers.h"

static LLVMAttributeRef enum_attribute(LLVMContextRef c, const char *name, uint64_t value)
{
    unsigned kind = LLVMGetEnumAttributeKindForName(name, strlen(name));
    // From LLVM 21 on, nocapture is `captures(none)`, whose number is 0. LLVM expects an attribute of kind 0
    // nowhere.
    if (!kind && strcmp(name, "nocapture") == 0)
        kind = LLVMGetEnumAttributeKindForName("captures", strlen("captures"));
    return LLVMCreateEnumAttribute(c, kind, value);
}

LLVMValueRef weftc_constant(LLVMTypeRef type, uint64_t number)
{
    if (LLVMGetTypeKind(type) != LLVMVectorTypeKind)
        return LLVMConstInt(type, number, false);
    LLVMValueRef one = LLVMConstInt(LLVMGetElementType(type), number, false),
                 source = LLVMConstVector(&one, 1);
    LLVMTypeRef i32 = LLVMInt32TypeInContext(LLVMGetTypeContext(type));
    LLVMValueRef all_first = LLVMConstNull(LLVMVectorType(i32, LLVMGetVectorSize(type)));
    return LLVMConstShuffleVector(source, LLVMGetUndef(LLVMTypeOf(source)), all_first);
}

unsigned weftc_number_bits(LLVMTypeRef type)
{
    switch (LLVMGetTypeKind(type)) {
    case LLVMIntegerTypeKind:
        return LLVMGetIntTypeWidth(type);
    case LLVMHalfTypeKind:
        return 16;
    case LLVMFloatTypeKind:
        return 32;
    case LLVMDoubleTypeKind:
        return 64;
    default:
        return 0;
    }
}

bool weftc_is_integer_operation(LLVMOpcode opcode)
{
    switch (opcode) {
    case LLVMAdd:
    case LLVMSub:
    case LLVMMul:
    case LLVMShl:
    case LLVMLShr:
    case LLVMAShr:
    case LLVMAnd:
    case LLVMOr:
    case LLVMXor:
    case LLVMTrunc:
    case LLVMZExt:
    case LLVMSExt:
    case LLVMICmp:
    case LLVMSelect:
        return true;
    default:
        return false;
    }
}

bool weftc_is_splat(LLVMValueRef v, uint64_t *number)
{
    if (!LLVMIsConstant(v) || LLVMGetTypeKind(LLVMTypeOf(v)) != LLVMVectorTypeKind)
        return false;
    LLVMValueRef first = LLVMGetAggregateElement(v, 0);
    if (!first || !LLVMIsAConstantInt(first))
        return false;
    for (unsigned k = 1; k < LLVMGetVectorSize(LLVMTypeOf(v)); k++)
        if (LLVMGetAggregateElement(v, k) != first) // equal constants are one
            return false;
    *number = LLVMConstIntGetZExtValue(first);
    return true;
}

unsigned weftc_source_line(LLVMValueRef instruction)
{
    LLVMMetadataRef inner = LLVMInstructionGetDebugLoc(instruction), outer = inner;
    for (LLVMMetadataRef at = inner; at; at = LLVMDILocationGetInlinedAt(at))
        outer = at;
    LLVMMetadataRef file = outer ? LLVMDIScopeGetFile(LLVMDILocationGetScope(outer)) : NULL;
    for (LLVMMetadataRef at = inner; at; at = LLVMDILocationGetInlinedAt(at))
        if (LLVMDIScopeGetFile(LLVMDILocationGetScope(at)) == file)
            return LLVMDILocationGetLine(at);
    return 0;
}

void weftc_replace_instructions(LLVMModuleRef module, LLVMValueRef (*instead)(void *context, LLVMValueRef i),
                                void *context)
{
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
        for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b))
            for (LLVMValueRef i = LLVMGetFirstInstruction(b), next; i; i = next) {
                next = LLVMGetNextInstruction(i);
                LLVMValueRef made = instead(context, i);
                if (!made)
                    continue;
                LLVMReplaceAllUsesWith(i, made);
                LLVMInstructionEraseFromParent(i);
            }
}

void weftc_add_attribute(LLVMValueRef f, LLVMAttributeIndex at, const char *name, uint64_t value)
{
    LLVMContextRef c = LLVMGetTypeContext(LLVMTypeOf(f));
    LLVMAddAttributeAtIndex(f, at, enum_attribute(c, name, value));
}

void weftc_remove_attribute(LLVMValueRef f, LLVMAttributeIndex at, const char *name)
{
    LLVMRemoveEnumAttributeAtIndex(f, at, LLVMGetEnumAttributeKindForName(name, strlen(name)));
}

void weftc_call_attribute(LLVMValueRef call, const char *name)
{
    LLVMContextRef c = LLVMGetTypeContext(LLVMTypeOf(call));
    LLVMAddCallSiteAttribute(call, WEFTC_OF_FUNCTION, enum_attribute(c, name, 0));
}

void weftc_copy_target(LLVMValueRef to, LLVMValueRef from)
{
    static const char *const copied[] = {"target-cpu", "target-features", "prefer-vector-width"};
    for (size_t k = 0; k < WEFT_COUNT_OF(copied); k++) {
        LLVMAttributeRef a =
            LLVMGetStringAttributeAtIndex(from, WEFTC_OF_FUNCTION, copied[k], (unsigned)strlen(copied[k]));
        if (a)
            LLVMAddAttributeAtIndex(to, WEFTC_OF_FUNCTION, a);
    }
}

void weftc_add_pure_attributes(LLVMValueRef f)
{
    static const char *const attributes[] = {"memory", "nounwind", "willreturn", "speculatable",
                                             "nosync", "nofree",   "nocallback"};
    for (size_t i = 0; i < WEFT_COUNT_OF(attributes); i++)
        weftc_add_attribute(f, WEFTC_OF_FUNCTION, attributes[i], 0); // for `memory`, 0 means "none"
    weftc_add_attribute(f, LLVMAttributeReturnIndex, "noundef", 0);
}

LLVMOpcode weftc_opcode(LLVMValueRef value)
{
    return LLVMIsAInstruction(value)    ? LLVMGetInstructionOpcode(value)
           : LLVMIsAConstantExpr(value) ? LLVMGetConstOpcode(value)
                                        : LLVMRet;
}

LLVMValueRef weftc_callee(LLVMValueRef value)
{
    LLVMValueRef call = LLVMIsACallInst(value);
    return call ? LLVMIsAFunction(LLVMGetCalledValue(call)) : NULL;
}

bool weftc_calls(LLVMValueRef value, const char *name)
{
    LLVMValueRef f = weftc_callee(value);
    if (!f)
        return false;
    size_t length;
    const char *actual = LLVMGetValueName2(f, &length);
    return length == strlen(name) && memcmp(actual, name, length) == 0;
}

static LLVMAttributeRef memory_of(LLVMValueRef f)
{
    unsigned kind = LLVMGetEnumAttributeKindForName("memory", strlen("memory"));
    return LLVMGetEnumAttributeAtIndex(f, WEFTC_OF_FUNCTION, kind);
}

bool weftc_is_pure(LLVMValueRef f)
{
    LLVMAttributeRef memory = memory_of(f);
    return memory && LLVMGetEnumAttributeValue(memory) == 0;
}

bool weftc_only_reads(LLVMValueRef f)
{
    LLVMAttributeRef memory = memory_of(f);
    return memory && (LLVMGetEnumAttributeValue(memory) & ~(uint64_t)WEFTC_MEMORY_READ) == 0;
}

bool weftc_is_lifetime(LLVMValueRef value)
{
    static const char prefix[] = "llvm.lifetime.";
    LLVMValueRef f = weftc_callee(value);
    return f && strncmp(LLVMGetValueName(f), prefix, sizeof prefix - 1) == 0;
}

LLVMValueRef weftc_find_kernel(LLVMModuleRef module, const struct weftc_kernel_options *options)
{
    LLVMValueRef f = LLVMGetNamedFunction(module, options->name);
    return f && !LLVMIsDeclaration(f) ? f : NULL;
}

size_t weftc_function_size(LLVMValueRef f)
{
    size_t count = 0;
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b))
        for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
            count++;
    return count;
}

bool weftc_cut_long_blocks(LLVMValueRef f, size_t longest, size_t piece)
{
    bool any = false;
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f), next; b; b = next) {
        next = LLVMGetNextBasicBlock(b);
        size_t count = 0;
        for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
            count++;
        if (count <= longest)
            continue;
        // From its end on, so that each instruction moves once.
        size_t size = 0;
        for (LLVMValueRef i = LLVMGetBasicBlockTerminator(b), before; i; i = before) {
            before = LLVMGetPreviousInstruction(i);
            if (!before || LLVMIsAPHINode(i) || LLVMIsAAllocaInst(i))
                break;
            if (++size < piece)
                continue;
            weftc_bridge_split_block(i);
            any = true;
            size = 0;
        }
    }
    return any;
}

size_t weftc_instruction_count(LLVMModuleRef module)
{
    size_t count = 0;
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
        count += weftc_function_size(f);
    return count;
}

size_t weftc_largest_function(LLVMModuleRef module)
{
    size_t largest = 0;
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f)) {
        size_t count = weftc_function_size(f);
        largest = count > largest ? count : largest;
    }
    return largest;
}

void weftc_set_metadata(LLVMValueRef instruction, const char *kind, LLVMMetadataRef node)
{
    LLVMContextRef c = LLVMGetTypeContext(LLVMTypeOf(instruction));
    unsigned id = LLVMGetMDKindIDInContext(c, kind, (unsigned)strlen(kind));
    LLVMSetMetadata(instruction, id, node ? LLVMMetadataAsValue(c, node) : NULL);
}

void weftc_set_unlikely(LLVMValueRef branch, bool first)
{
    enum { LIKELY = 1 << 20 };
    LLVMContextRef c = LLVMGetTypeContext(LLVMTypeOf(branch));
    LLVMMetadataRef parts[] = {LLVMMDStringInContext2(c, "branch_weights", 14),
                               LLVMValueAsMetadata(weftc_i32(c, first ? 1 : LIKELY)),
                               LLVMValueAsMetadata(weftc_i32(c, first ? LIKELY : 1))};
    weftc_set_metadata(branch, "prof", LLVMMDNodeInContext2(c, parts, WEFT_COUNT_OF(parts)));
}

weft_status weftc_run_passes(LLVMModuleRef module, const struct weftc_target *target, const char *pipeline,
                             struct weft_buf *log)
{
    LLVMPassBuilderOptionsRef options = LLVMCreatePassBuilderOptions();
    LLVMErrorRef error = LLVMRunPasses(module, pipeline, target->machine, options);
    LLVMDisposePassBuilderOptions(options);
    if (!error)
        return WEFT_OK;
    char *message = LLVMGetErrorMessage(error);
    weft_buf_printf(log, "internal error: passes %s: %s\n", pipeline, message);
    LLVMDisposeErrorMessage(message);
    return WEFT_INTERNAL;
}

// ---- vectors of three elements ----

bool weftc_has_elements(LLVMValueRef value, unsigned count)
{
    LLVMTypeRef type = LLVMTypeOf(value);
    return LLVMGetTypeKind(type) == LLVMVectorTypeKind && LLVMGetVectorSize(type) == count &&
           LLVMGetElementType(type) != LLVMInt1TypeInContext(LLVMGetTypeContext(type));
}

LLVMValueRef weftc_with_fourth(LLVMBuilderRef b, LLVMValueRef value)
{
    LLVMTypeRef type = LLVMTypeOf(value), i32 = LLVMInt32TypeInContext(LLVMGetTypeContext(type));
    LLVMValueRef mask[4], first = value, second = LLVMGetPoison(type);
    for (unsigned k = 0; k < 4; k++)
        mask[k] = LLVMConstInt(i32, k < 3 ? k : k - 1, false);
    if (LLVMIsAShuffleVectorInst(value) && LLVMGetNumMaskElements(value) == 4) {
        for (unsigned k = 0; k < 4; k++) {
            const int from = LLVMGetMaskValue(value, k < 3 ? k : k - 1);
            mask[k] = from == LLVMGetUndefMaskElem() ? LLVMGetPoison(i32)
                                                     : LLVMConstInt(i32, (unsigned)from, false);
        }
        first = LLVMGetOperand(value, 0);
        second = LLVMGetOperand(value, 1);
    }
    return LLVMBuildShuffleVector(b, first, second, LLVMConstVector(mask, 4), "");
}
