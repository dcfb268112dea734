// printf (OpenCL 2.2 C §6.13.13): the arguments go to a block on the work-item's stack, and the host prints
// them. weft/kernel_abi.h has the block's layout.
#include <string.h>

#include <llvm-c/Core.h>

#include "base/base.h"
#include "compiler/ir/llvm_helpers.h"
#include "compiler/ir/primitives.h"
#include "compiler/prepare/prepare.h"
#include "weft/kernel_abi.h"

#define ARGUMENT_HEADER (uint32_t)sizeof(struct weft_printf_arg)

struct element {
    struct weft_printf_arg header;
    uint32_t bytes; // bytes of data, without padding
};

static bool describe(LLVMTypeRef type, struct element *e)
{
    uint32_t count = 1;
    if (LLVMGetTypeKind(type) == LLVMVectorTypeKind) {
        count = LLVMGetVectorSize(type);
        type = LLVMGetElementType(type);
    }
    uint32_t size, kind = WEFT_PRINTF_FLOAT;
    switch (LLVMGetTypeKind(type)) {
    case LLVMHalfTypeKind:
        size = 2;
        break;
    case LLVMFloatTypeKind:
        size = 4;
        break;
    case LLVMDoubleTypeKind:
        size = 8;
        break;
    case LLVMPointerTypeKind:
        kind = WEFT_PRINTF_POINTER;
        size = 8;
        break;
    case LLVMIntegerTypeKind:
        kind = WEFT_PRINTF_INT;
        size = LLVMGetIntTypeWidth(type) / 8;
        if (size != 1 && size != 2 && size != 4 && size != 8)
            return false;
        break;
    default:
        return false;
    }
    e->header = (struct weft_printf_arg){(uint8_t)kind, (uint8_t)size, (uint16_t)count, 0};
    e->bytes = size * count;
    return true;
}

static uint32_t padded(uint32_t bytes)
{
    return (bytes + 7u) & ~7u;
}

static LLVMValueRef byte_at(LLVMBuilderRef b, LLVMContextRef c, LLVMValueRef blob, uint32_t offset)
{
    LLVMValueRef index = weftc_i32(c, offset);
    return LLVMBuildInBoundsGEP2(b, LLVMInt8TypeInContext(c), blob, &index, 1, "");
}

static void store_argument(LLVMBuilderRef b, LLVMContextRef c, LLVMValueRef blob, uint32_t offset,
                           const struct element *e, LLVMValueRef value)
{
    uint64_t header;
    memcpy(&header, &e->header, sizeof header);
    LLVMSetAlignment(LLVMBuildStore(b, weftc_i64(c, header), byte_at(b, c, blob, offset)), 8);
    LLVMValueRef data = byte_at(b, c, blob, offset + ARGUMENT_HEADER);
    if (e->header.count != 3) {
        LLVMSetAlignment(LLVMBuildStore(b, value, data), 8);
        return;
    }
    // A store of a vector of three elements writes four, but the block's next argument begins where the
    // fourth would end.
    for (uint32_t i = 0; i < 3; i++) {
        LLVMValueRef element = LLVMBuildExtractElement(b, value, weftc_i32(c, i), "");
        LLVMValueRef at = byte_at(b, c, blob, offset + ARGUMENT_HEADER + i * e->header.size);
        LLVMSetAlignment(LLVMBuildStore(b, element, at), e->header.size);
    }
}

static LLVMValueRef lifetime(LLVMModuleRef module, const char *name, LLVMTypeRef pointer, LLVMTypeRef *type)
{
    unsigned id = LLVMLookupIntrinsicID(name, strlen(name));
    *type = LLVMIntrinsicGetType(LLVMGetModuleContext(module), id, &pointer, 1);
    return LLVMGetIntrinsicDeclaration(module, id, &pointer, 1);
}

static void mark_lifetime(LLVMBuilderRef b, LLVMModuleRef module, const char *name, LLVMValueRef blob,
                          uint32_t size)
{
    LLVMTypeRef type;
    LLVMValueRef f = lifetime(module, name, LLVMTypeOf(blob), &type);
    LLVMValueRef arguments[] = {weftc_i64(LLVMGetModuleContext(module), size), blob};
    LLVMBuildCall2(b, type, f, arguments, 2, "");
}

static weft_status lower(LLVMModuleRef module, LLVMBuilderRef b, LLVMValueRef call, struct weft_buf *log)
{
    LLVMContextRef c = LLVMGetModuleContext(module);
    unsigned count = LLVMGetNumArgOperands(call);
    struct element *elements = weft_alloc_array(count ? count : 1, sizeof *elements);
    if (!elements)
        return WEFT_NO_MEMORY;
    uint32_t size = 0;
    for (unsigned i = 1; i < count; i++) {
        if (!describe(LLVMTypeOf(LLVMGetOperand(call, i)), &elements[i])) {
            weft_buf_printf(log, "error: argument %u of printf has a type that printf doesn't support\n", i);
            weft_free(elements);
            return WEFT_BUILD_FAILED;
        }
        size += ARGUMENT_HEADER + padded(elements[i].bytes);
    }

    LLVMBasicBlockRef entry = LLVMGetEntryBasicBlock(LLVMGetBasicBlockParent(LLVMGetInstructionParent(call)));
    LLVMPositionBuilderBefore(b, LLVMGetFirstInstruction(entry));
    LLVMTypeRef bytes = LLVMArrayType2(LLVMInt8TypeInContext(c), size ? size : 1);
    LLVMValueRef blob = LLVMBuildAlloca(b, bytes, "printf");
    LLVMSetAlignment(blob, 8);

    LLVMPositionBuilderBefore(b, call);
    mark_lifetime(b, module, "llvm.lifetime.start", blob, size);
    uint32_t offset = 0;
    for (unsigned i = 1; i < count; i++) {
        store_argument(b, c, blob, offset, &elements[i], LLVMGetOperand(call, i));
        offset += ARGUMENT_HEADER + padded(elements[i].bytes);
    }
    LLVMTypeRef pointer = LLVMPointerTypeInContext(c, 0);
    LLVMValueRef format = LLVMGetOperand(call, 0);
    if (LLVMGetPointerAddressSpace(LLVMTypeOf(format)) != 0)
        format = LLVMBuildAddrSpaceCast(b, format, pointer, "");
    LLVMValueRef f = weftc_effect_function(module, WEFTC_PRINTF);
    LLVMValueRef arguments[] = {format, blob, weftc_i32(c, size)};
    LLVMValueRef result = LLVMBuildCall2(b, LLVMGlobalGetValueType(f), f, arguments, 3, "");
    mark_lifetime(b, module, "llvm.lifetime.end", blob, size);
    LLVMReplaceAllUsesWith(call, result);
    LLVMInstructionEraseFromParent(call);
    weft_free(elements);
    return WEFT_OK;
}

weft_status weftc_prepare_printf(LLVMModuleRef module, struct weft_buf *log)
{
    LLVMValueRef f = LLVMGetNamedFunction(module, "printf");
    if (!f || !LLVMIsDeclaration(f))
        return WEFT_OK;
    LLVMBuilderRef b = LLVMCreateBuilderInContext(LLVMGetModuleContext(module));
    weft_status status = WEFT_OK;
    LLVMUseRef use;
    while (status == WEFT_OK && (use = LLVMGetFirstUse(f))) {
        LLVMValueRef call = LLVMGetUser(use);
        if (weftc_callee(call) != f) {
            weft_buf_puts(log, "error: the address of printf is taken, which is not allowed\n");
            status = WEFT_BUILD_FAILED;
            break;
        }
        status = lower(module, b, call, log);
    }
    LLVMDisposeBuilder(b);
    return status;
}
