// Reads the metadata and attributes that the front end leaves on kernels and other functions.
#include <string.h>

#include <llvm-c/Core.h>

#include "base/base.h"
#include "compiler/ir/kernel_attributes.h"
#include "compiler/ir/module_facts.h"

LLVMValueRef weftc_find_node(LLVMContextRef context, LLVMValueMetadataEntry *entries, size_t count,
                             const char *kind)
{
    unsigned id = LLVMGetMDKindIDInContext(context, kind, (unsigned)strlen(kind));
    for (size_t i = 0; i < count; i++)
        if (LLVMValueMetadataEntriesGetKind(entries, (unsigned)i) == id)
            return LLVMMetadataAsValue(context, LLVMValueMetadataEntriesGetMetadata(entries, (unsigned)i));
    return NULL;
}

LLVMValueRef weftc_node_operand(LLVMValueRef node, unsigned i)
{
    unsigned count = node ? LLVMGetMDNodeNumOperands(node) : 0;
    if (i >= count)
        return NULL;
    LLVMValueRef *all = weft_alloc_array(count, sizeof(LLVMValueRef));
    if (!all)
        return NULL;
    LLVMGetMDNodeOperands(node, all);
    LLVMValueRef found = all[i];
    weft_free(all);
    return found;
}

uint32_t weftc_node_number(LLVMValueRef node, unsigned i, uint32_t fallback)
{
    LLVMValueRef value = weftc_node_operand(node, i);
    return value && LLVMIsAConstantInt(value) ? (uint32_t)LLVMConstIntGetZExtValue(value) : fallback;
}

bool weftc_groups_are_uniform(LLVMValueRef kernel)
{
    static const char name[] = "uniform-work-group-size";
    LLVMAttributeRef uniform = LLVMGetStringAttributeAtIndex(
        kernel, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, name, sizeof name - 1);
    unsigned length;
    return uniform && strcmp(LLVMGetStringAttributeValue(uniform, &length), "true") == 0;
}

void weftc_required_group(LLVMValueRef kernel, uint32_t sizes[3])
{
    size_t count;
    LLVMValueMetadataEntry *entries = LLVMGlobalCopyAllMetadata(kernel, &count);
    LLVMContextRef context = LLVMGetModuleContext(LLVMGetGlobalParent(kernel));
    LLVMValueRef node = weftc_find_node(context, entries, count, "reqd_work_group_size");
    for (unsigned i = 0; i < 3; i++)
        sizes[i] = node ? weftc_node_number(node, i, 1) : 0;
    LLVMDisposeValueMetadataEntries(entries);
}

// The number in the kernel's metadata of this kind; 0 if there is none.
static uint32_t number_of(LLVMValueRef kernel, const char *kind)
{
    size_t count;
    LLVMValueMetadataEntry *entries = LLVMGlobalCopyAllMetadata(kernel, &count);
    LLVMContextRef context = LLVMGetModuleContext(LLVMGetGlobalParent(kernel));
    LLVMValueRef node = weftc_find_node(context, entries, count, kind);
    uint32_t number = node ? weftc_node_number(node, 0, 0) : 0;
    LLVMDisposeValueMetadataEntries(entries);
    return number;
}

uint32_t weftc_required_sub_group(LLVMValueRef kernel)
{
    return number_of(kernel, "intel_reqd_sub_group_size");
}

uint32_t weftc_required_sub_groups(LLVMValueRef kernel)
{
    return number_of(kernel, weftc_fact_name(WEFTC_SUB_GROUPS_KIND));
}

const char *weftc_place_of(LLVMModuleRef module, LLVMValueRef function)
{
    size_t length;
    const char *name = LLVMGetValueName2(function, &length);
    const unsigned count = LLVMGetNamedMetadataNumOperands(module, weftc_fact_name(WEFTC_PLACES));
    LLVMValueRef *all = weft_alloc_array(count ? count : 1, sizeof *all);
    const char *place = "";
    if (all)
        LLVMGetNamedMetadataOperands(module, weftc_fact_name(WEFTC_PLACES), all);
    for (unsigned i = 0; all && i < count; i++) {
        LLVMValueRef pair[2];
        if (LLVMGetMDNodeNumOperands(all[i]) != 2)
            continue;
        LLVMGetMDNodeOperands(all[i], pair);
        unsigned size[2];
        const char *text[2];
        for (int k = 0; k < 2; k++)
            text[k] = pair[k] ? LLVMGetMDString(pair[k], &size[k]) : NULL;
        if (text[0] && text[1] && size[0] == length && memcmp(text[0], name, length) == 0)
            place = text[1]; // the last one, if several programs have this name
    }
    weft_free(all);
    return place;
}
