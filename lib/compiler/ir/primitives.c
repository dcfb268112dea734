// The primitives of ir/primitives.h: their properties, and calls of them. Stateless.
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <llvm-c/Core.h>

#include "compiler/bridge/bridge.h"
#include "compiler/ir/llvm_helpers.h"
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

bool weftc_is_stages_function(LLVMValueRef f)
{
    static const char prefix[] = "weft.";
    return f && strncmp(LLVMGetValueName(f), prefix, sizeof prefix - 1) == 0;
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

LLVMValueRef weftc_primitive_function(LLVMModuleRef module, enum weftc_primitive p, unsigned dim)
{
    LLVMContextRef c = LLVMGetModuleContext(module);
    char name[64];
    if (primitives[p].dims > 1)
        snprintf(name, sizeof name, "%s.%u", primitives[p].name, dim);
    else
        snprintf(name, sizeof name, "%s", primitives[p].name);
    LLVMValueRef f = LLVMGetNamedFunction(module, name);
    if (!f) {
        f = LLVMAddFunction(module, name, LLVMFunctionType(weftc_primitive_type(c, p), NULL, 0, false));
        weftc_add_pure_attributes(f);
    }
    return f;
}

LLVMValueRef weftc_primitive_build(LLVMBuilderRef b, LLVMModuleRef module, enum weftc_primitive p,
                                   unsigned dim)
{
    LLVMValueRef f = weftc_primitive_function(module, p, dim);
    return LLVMBuildCall2(b, LLVMGlobalGetValueType(f), f, NULL, 0, "");
}

bool weftc_primitive_of(LLVMValueRef value, enum weftc_primitive *p, unsigned *dim)
{
    LLVMValueRef f = weftc_callee(value);
    if (!f || !LLVMIsDeclaration(f))
        return false;
    size_t length;
    const char *name = LLVMGetValueName2(f, &length);
    if (strncmp(name, WEFTC_RESERVED_PREFIX, strlen(WEFTC_RESERVED_PREFIX)) != 0)
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
    return weftc_calls(value, WEFTC_BARRIER) || weftc_calls(value, WEFTC_SINGLE_ITEM_BARRIER) ||
           weftc_calls(value, WEFTC_YIELD);
}

LLVMValueRef weftc_effect_function(LLVMModuleRef module, const char *name)
{
    LLVMValueRef f = LLVMGetNamedFunction(module, name);
    if (f)
        return f;
    LLVMContextRef c = LLVMGetModuleContext(module);
    LLVMTypeRef type;
    bool site = strcmp(name, WEFTC_BARRIER_SITE) == 0;
    bool barrier = site || strcmp(name, WEFTC_BARRIER) == 0 || strcmp(name, WEFTC_SINGLE_ITEM_BARRIER) == 0 ||
                   strcmp(name, WEFTC_YIELD) == 0;
    if (barrier) {
        type = LLVMFunctionType(site ? LLVMInt32TypeInContext(c) : LLVMVoidTypeInContext(c), NULL, 0, false);
    } else {
        LLVMTypeRef pointer = LLVMPointerTypeInContext(c, 0);
        LLVMTypeRef params[] = {pointer, pointer, pointer, LLVMInt32TypeInContext(c)};
        bool exec = strcmp(name, WEFTC_PRINTF_WITH_EXEC) == 0;
        type = LLVMFunctionType(LLVMInt32TypeInContext(c), exec ? params : params + 1, exec ? 4 : 3, false);
    }
    f = LLVMAddFunction(module, name, type);
    weftc_add_attribute(f, WEFTC_OF_FUNCTION, "nounwind", 0);
    if (barrier)
        weftc_add_attribute(f, WEFTC_OF_FUNCTION, "convergent", 0);
    return f;
}
