// Group-shape independence: can anything in a kernel depend on how the index space is cut into work-groups?
// If nothing can, the runtime may merge a row of small groups into one.
#include <stdbool.h>
#include <string.h>

#include <llvm-c/Core.h>

#include "compiler/ir/group_independence.h"
#include "compiler/ir/module_facts.h"
#include "compiler/ir/primitives.h"
#include "compiler/ir/region_functions.h"

bool weftc_depends_on_groups(enum weftc_primitive p)
{
    switch (p) {
    case WEFTC_GLOBAL_ID:
    case WEFTC_GLOBAL_ID32:
    case WEFTC_INDEX:
    case WEFTC_INDEX32:
    case WEFTC_FULL_LOCAL_SIZE:
    case WEFTC_NUM_GROUPS:
    case WEFTC_GLOBAL_SIZE:
    case WEFTC_GLOBAL_OFFSET:
    case WEFTC_WORK_DIM:
    case WEFTC_EXEC:
    case WEFTC_CHECK_OBJECTS:
    case WEFTC_PROGRAM_VARIABLES:
        return false;
    default:
        return true;
    }
}

bool weftc_takes_local_memory(LLVMValueRef f, unsigned argument_count)
{
    for (unsigned i = 0; i < argument_count; i++) {
        LLVMAttributeRef kind = weftc_fact_attribute(f, i + 1, WEFTC_ATTRIBUTE_KIND);
        unsigned length;
        if (kind && strcmp(LLVMGetStringAttributeValue(kind, &length), "local") == 0)
            return true;
    }
    return false;
}

bool weftc_is_group_shape_independent(LLVMModuleRef module)
{
    LLVMValueRef region = LLVMGetNamedFunction(module, WEFTC_REGION_NAME "0");
    if (!region || weftc_module_number(module, WEFTC_REGION_COUNT) != 1 ||
        weftc_module_number(module, WEFTC_SUB_GROUPS))
        return false;
    struct weftc_primitive_call at = {0};
    while (weftc_next_primitive(region, &at))
        if (weftc_depends_on_groups(at.primitive))
            return false;
    return !weftc_takes_local_memory(region, LLVMCountParams(region));
}
