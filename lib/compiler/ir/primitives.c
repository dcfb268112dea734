// The primitives of ir/primitives.h, and small helpers over llvm-c that every stage of the middle uses. Stateless.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <llvm-c/DebugInfo.h>
#include <llvm-c/Error.h>
#include <llvm-c/Transforms/PassBuilder.h>

#include "compiler/bridge/passes.h"
#include "compiler/ir/primitives.h"

enum primitive_type { INDEX, INT, POINTER };

struct primitive {
    const char *name;
    unsigned dims;
    enum primitive_type type;
    bool varying;
};

static const struct primitive primitives[WEFTC_PRIMITIVE_COUNT] = {
#define WEFTC_PRIMITIVE_ROW(id, name, dims, type, varying) {name, dims, type, varying},
    WEFTC_PRIMITIVES(WEFTC_PRIMITIVE_ROW)
#undef WEFTC_PRIMITIVE_ROW
};

bool weftc_primitive_varies(enum weftc_primitive p)
{
    return primitives[p].varying;
}

const char *weftc_primitive_name(enum weftc_primitive p)
{
    return primitives[p].name;
}

unsigned weftc_primitive_dims(enum weftc_primitive p)
{
    return primitives[p].dims;
}

LLVMTypeRef weftc_primitive_type(LLVMContextRef c, enum weftc_primitive p)
{
    switch (primitives[p].type) {
    case INT:
        return LLVMInt32TypeInContext(c);
    case POINTER:
        return LLVMPointerTypeInContext(c, 0);
    case INDEX:
        break;
    }
    return LLVMInt64TypeInContext(c);
}

static LLVMAttributeRef enum_attribute(LLVMContextRef c, const char *name, uint64_t value)
{
    return LLVMCreateEnumAttribute(c, LLVMGetEnumAttributeKindForName(name, strlen(name)), value);
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

void weftc_add_pure_attributes(LLVMValueRef f)
{
    static const char *const attributes[] = {"memory", "nounwind", "willreturn", "speculatable",
                                             "nosync", "nofree",   "nocallback"};
    for (size_t i = 0; i < WEFT_COUNT_OF(attributes); i++)
        weftc_add_attribute(f, WEFTC_OF_FUNCTION, attributes[i], 0); // memory: 0 is "none"
    weftc_add_attribute(f, LLVMAttributeReturnIndex, "noundef", 0);
}

LLVMValueRef weftc_primitive_build(LLVMBuilderRef b, LLVMModuleRef module, enum weftc_primitive p,
                                   unsigned dim)
{
    LLVMContextRef c = LLVMGetModuleContext(module);
    char name[64];
    if (primitives[p].dims > 1)
        snprintf(name, sizeof name, "%s.%u", primitives[p].name, dim);
    else
        snprintf(name, sizeof name, "%s", primitives[p].name);
    LLVMTypeRef type = LLVMFunctionType(weftc_primitive_type(c, p), NULL, 0, false);
    LLVMValueRef f = LLVMGetNamedFunction(module, name);
    if (!f) {
        f = LLVMAddFunction(module, name, type);
        weftc_add_pure_attributes(f);
    }
    return LLVMBuildCall2(b, type, f, NULL, 0, "");
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

bool weftc_primitive_of(LLVMValueRef value, enum weftc_primitive *p, unsigned *dim)
{
    LLVMValueRef f = weftc_callee(value);
    if (!f || !LLVMIsDeclaration(f))
        return false;
    size_t length;
    const char *name = LLVMGetValueName2(f, &length);
    if (length < 5 || memcmp(name, "weft.", 5) != 0)
        return false;
    for (unsigned i = 0; i < WEFTC_PRIMITIVE_COUNT; i++) {
        size_t n = strlen(primitives[i].name);
        bool indexed = primitives[i].dims > 1;
        if (length != n + (indexed ? 2 : 0) || memcmp(name, primitives[i].name, n) != 0)
            continue;
        *p = (enum weftc_primitive)i;
        *dim = indexed ? (unsigned)(name[n + 1] - '0') : 0;
        return true;
    }
    return false;
}

bool weftc_next_primitive(LLVMValueRef f, struct weftc_primitive_call *at)
{
    if (!at->block) {
        at->block = LLVMGetFirstBasicBlock(f);
        at->next = at->block ? LLVMGetFirstInstruction(at->block) : NULL;
    }
    while (at->block) {
        while (at->next) {
            at->call = at->next;
            at->next = LLVMGetNextInstruction(at->call);
            if (weftc_primitive_of(at->call, &at->primitive, &at->dim))
                return true;
        }
        at->block = LLVMGetNextBasicBlock(at->block);
        at->next = at->block ? LLVMGetFirstInstruction(at->block) : NULL;
    }
    return false;
}

bool weftc_is_barrier(LLVMValueRef value)
{
    return weftc_calls(value, WEFTC_BARRIER) || weftc_calls(value, WEFTC_SOLO_BARRIER) ||
           weftc_calls(value, WEFTC_YIELD);
}

bool weftc_is_lifetime(LLVMValueRef value)
{
    static const char prefix[] = "llvm.lifetime.";
    LLVMValueRef f = weftc_callee(value);
    return f && strncmp(LLVMGetValueName(f), prefix, sizeof prefix - 1) == 0;
}

bool weftc_region_is_solo(LLVMValueRef region)
{
    return weftc_fact_attribute(region, WEFTC_OF_FUNCTION, WEFTC_ATTRIBUTE_SOLO) != NULL;
}

bool weftc_region_yields(LLVMValueRef region)
{
    return weftc_fact_attribute(region, WEFTC_OF_FUNCTION, WEFTC_ATTRIBUTE_YIELD) != NULL;
}

LLVMValueRef weftc_effect_function(LLVMModuleRef module, const char *name)
{
    LLVMValueRef f = LLVMGetNamedFunction(module, name);
    if (f)
        return f;
    LLVMContextRef c = LLVMGetModuleContext(module);
    LLVMTypeRef type;
    bool site = strcmp(name, WEFTC_BARRIER_SITE) == 0;
    bool barrier = site || strcmp(name, WEFTC_BARRIER) == 0 || strcmp(name, WEFTC_SOLO_BARRIER) == 0 ||
                   strcmp(name, WEFTC_YIELD) == 0;
    if (barrier) {
        type = LLVMFunctionType(site ? LLVMInt32TypeInContext(c) : LLVMVoidTypeInContext(c), NULL, 0, false);
    } else {
        LLVMTypeRef pointer = LLVMPointerTypeInContext(c, 0);
        LLVMTypeRef params[] = {pointer, pointer, LLVMInt32TypeInContext(c)};
        type = LLVMFunctionType(LLVMInt32TypeInContext(c), params, 3, false);
    }
    f = LLVMAddFunction(module, name, type);
    weftc_add_attribute(f, WEFTC_OF_FUNCTION, "nounwind", 0);
    if (barrier)
        weftc_add_attribute(f, WEFTC_OF_FUNCTION, "convergent", 0);
    return f;
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
