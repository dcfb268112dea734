// Kernel arguments: their slots in the packed block, and private copies of structures that are passed by
// value.
#include <stdio.h>
#include <string.h>

#include <llvm-c/Core.h>
#include <llvm-c/Target.h>

#include "base/base.h"
#include "compiler/ir/ir.h"
#include "compiler/ir/llvm_helpers.h"
#include "compiler/ir/module_facts.h"
#include "compiler/prepare/prepare.h"
#include "weft/kernel_abi.h"

static LLVMAttributeRef parameter_attribute(LLVMValueRef f, unsigned index, const char *name)
{
    return LLVMGetEnumAttributeAtIndex(f, index + 1, LLVMGetEnumAttributeKindForName(name, strlen(name)));
}

// The type of a structure passed by value, which Clang passes as a pointer; NULL for other arguments.
static LLVMTypeRef by_value_type(LLVMValueRef kernel, unsigned index)
{
    LLVMAttributeRef attribute = parameter_attribute(kernel, index, "byval");
    return attribute ? LLVMGetTypeAttributeValue(attribute) : NULL;
}

// An argument's place in the packed block, in bytes. The layout is that of frontend/kernel_metadata.c: slots
// follow in order, each at its natural alignment. A pointer takes 8 bytes, a structure (byval) its own size.
struct slot {
    uint32_t offset, size, align;
};

// Computes the slots of a kernel that comes from the front end. slots: LLVMCountParams(kernel) elements.
// Returns the size of the block in bytes.
static uint32_t argument_slots(LLVMValueRef kernel, struct slot *slots)
{
    LLVMTargetDataRef layout = LLVMGetModuleDataLayout(LLVMGetGlobalParent(kernel));
    uint64_t offset = 0;
    for (unsigned i = 0; i < LLVMCountParams(kernel); i++) {
        LLVMTypeRef type = LLVMTypeOf(LLVMGetParam(kernel, i)), by_value = by_value_type(kernel, i);
        bool is_pointer =
            LLVMGetTypeKind(type) == LLVMPointerTypeKind || LLVMGetTypeKind(type) == LLVMTargetExtTypeKind;
        uint64_t size = 8, align = 8;
        if (by_value || !is_pointer) {
            size = LLVMABISizeOfType(layout, by_value ? by_value : type);
            align = LLVMABIAlignmentOfType(layout, by_value ? by_value : type);
            if (align > WEFT_LOCAL_ALIGN)
                align = WEFT_LOCAL_ALIGN;
        }
        offset = (offset + align - 1) & ~(align - 1);
        slots[i] = (struct slot){(uint32_t)offset, (uint32_t)size, (uint32_t)align};
        offset += size;
    }
    return (uint32_t)offset;
}

// The kernel may write to its copy of a structure, but all work-items share the slot. So each work-item gets
// a private copy. SROA removes it where nothing writes to it. The slot itself is never written.
static void copy_struct(LLVMValueRef kernel, unsigned index, LLVMTypeRef type, uint32_t slot_align)
{
    LLVMContextRef c = LLVMGetTypeContext(type);
    LLVMValueRef param = LLVMGetParam(kernel, index);
    LLVMBuilderRef b = LLVMCreateBuilderInContext(c);
    LLVMBasicBlockRef entry = LLVMGetEntryBasicBlock(kernel);
    LLVMPositionBuilderBefore(b, LLVMGetFirstInstruction(entry));
    LLVMValueRef copy = LLVMBuildAlloca(b, type, "");
    // The front end aligns the copy by the attributes in the source, and the slot by its type. The slot's
    // alignment may be less.
    LLVMAttributeRef attribute = parameter_attribute(kernel, index, "align");
    uint64_t copy_align = attribute ? LLVMGetEnumAttributeValue(attribute) : slot_align;
    LLVMSetAlignment(copy, (unsigned)copy_align);
    LLVMReplaceAllUsesWith(param, copy);
    LLVMTargetDataRef layout = LLVMGetModuleDataLayout(LLVMGetGlobalParent(kernel));
    LLVMBuildMemCpy(b, copy, (unsigned)copy_align, param, slot_align,
                    weftc_i64(c, LLVMABISizeOfType(layout, type)));
    LLVMDisposeBuilder(b);
    weftc_remove_attribute(kernel, index + 1, "byval");
    weftc_add_attribute(kernel, index + 1, "align", slot_align);
    static const char *const attributes[] = {"noalias", "readonly", "nocapture"};
    for (size_t i = 0; i < WEFT_COUNT_OF(attributes); i++)
        weftc_add_attribute(kernel, index + 1, attributes[i], 0);
    weftc_add_attribute(kernel, index + 1, "dereferenceable", LLVMABISizeOfType(layout, type));
}

weft_status weftc_prepare_kernel_arguments(LLVMValueRef kernel)
{
    unsigned count = LLVMCountParams(kernel);
    struct slot *slots = weft_alloc_array(count ? count : 1, sizeof *slots);
    if (!slots)
        return WEFT_NO_MEMORY;
    argument_slots(kernel, slots);
    for (unsigned i = 0; i < count; i++) {
        char offset[16];
        snprintf(offset, sizeof offset, "%u", slots[i].offset);
        weftc_fact_attribute_set(kernel, i + 1, WEFTC_ATTRIBUTE_OFFSET, offset, strlen(offset));
        LLVMTypeRef type = LLVMTypeOf(LLVMGetParam(kernel, i)), by_value = by_value_type(kernel, i);
        const char *kind = "value";
        if (by_value) {
            kind = "memory";
            copy_struct(kernel, i, by_value, slots[i].align);
        } else if (LLVMGetTypeKind(type) == LLVMPointerTypeKind &&
                   LLVMGetPointerAddressSpace(type) == WEFTC_SPACE_LOCAL) {
            kind = "local";
        }
        weftc_fact_attribute_set(kernel, i + 1, WEFTC_ATTRIBUTE_KIND, kind, strlen(kind));
    }
    weft_free(slots);
    return WEFT_OK;
}
