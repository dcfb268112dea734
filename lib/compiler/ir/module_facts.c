// Reads and writes the facts of ir/module_facts.h.
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <llvm-c/Core.h>

#include "compiler/bridge/passes.h"
#include "compiler/ir/llvm_helpers.h"
#include "compiler/ir/module_facts.h"
#include "compiler/ir/region_functions.h"

const char *weftc_fact_name(enum weftc_fact fact)
{
    static const char *const names[] = {
#define FACT_NAME(id, name, sort, writer, reader, meaning) name,
        WEFTC_FACTS(FACT_NAME)
#undef FACT_NAME
    };
    return names[fact];
}

static void set_number(LLVMModuleRef module, const char *name, uint64_t value)
{
    LLVMContextRef c = LLVMGetModuleContext(module);
    LLVMMetadataRef number = LLVMValueAsMetadata(weftc_i64(c, value));
    LLVMAddNamedMetadataOperand(module, name, LLVMMetadataAsValue(c, LLVMMDNodeInContext2(c, &number, 1)));
}

static uint64_t get_number(LLVMModuleRef module, const char *name)
{
    LLVMValueRef node = weftc_bridge_last_operand(module, name), operand;
    if (!node)
        return 0;
    LLVMGetMDNodeOperands(node, &operand);
    return LLVMConstIntGetZExtValue(operand);
}

void weftc_module_number_set(LLVMModuleRef module, enum weftc_fact fact, uint64_t value)
{
    set_number(module, weftc_fact_name(fact), value);
}

uint64_t weftc_module_number(LLVMModuleRef module, enum weftc_fact fact)
{
    return get_number(module, weftc_fact_name(fact));
}

void weftc_module_number_set_at(LLVMModuleRef module, enum weftc_fact fact, unsigned at, uint64_t value)
{
    char name[48];
    snprintf(name, sizeof name, "%s%u", weftc_fact_name(fact), at);
    set_number(module, name, value);
}

uint64_t weftc_module_number_at(LLVMModuleRef module, enum weftc_fact fact, unsigned at)
{
    char name[48];
    snprintf(name, sizeof name, "%s%u", weftc_fact_name(fact), at);
    return get_number(module, name);
}

LLVMAttributeRef weftc_fact_attribute(LLVMValueRef f, LLVMAttributeIndex at, enum weftc_fact fact)
{
    const char *name = weftc_fact_name(fact);
    return LLVMGetStringAttributeAtIndex(f, at, name, (unsigned)strlen(name));
}

void weftc_fact_attribute_set(LLVMValueRef f, LLVMAttributeIndex at, enum weftc_fact fact, const char *value,
                              size_t length)
{
    const char *name = weftc_fact_name(fact);
    LLVMContextRef c = LLVMGetTypeContext(LLVMTypeOf(f));
    LLVMAddAttributeAtIndex(
        f, at, LLVMCreateStringAttribute(c, name, (unsigned)strlen(name), value, (unsigned)length));
}

unsigned weftc_fact_kind(LLVMContextRef c, enum weftc_fact fact)
{
    const char *name = weftc_fact_name(fact);
    return LLVMGetMDKindIDInContext(c, name, (unsigned)strlen(name));
}

// ---- Functions of regions (ir/region_functions.h) ----

bool weftc_region_is_single_item(LLVMValueRef region)
{
    return weftc_fact_attribute(region, WEFTC_OF_FUNCTION, WEFTC_ATTRIBUTE_SINGLE_ITEM) != NULL;
}

bool weftc_region_yields(LLVMValueRef region)
{
    return weftc_fact_attribute(region, WEFTC_OF_FUNCTION, WEFTC_ATTRIBUTE_YIELD) != NULL;
}
