// Values that very many conditions depend on: the x of a long chain of `else if (x < 8 && ...)`, the n of
// hundreds of loops. For each use of such a value instcombine looks at all conditions on it, so its time
// grows with the square of their number. While it runs, each MAX_CONDITIONS of these comparisons have a copy
// of the value, of which it knows nothing. Stateless.
#include <stdio.h>
#include <string.h>

#include <llvm-c/Core.h>

#include "base/base.h"
#include "compiler/ir/llvm_helpers.h"
#include "compiler/ir/passes/passes.h"
#include "compiler/ir/value_map.h"

enum { MAX_CONDITIONS = 48 };

#define COPY_NAME "weft.copy.i"

struct counted {
    LLVMValueRef copy; // for the comparisons that follow; NULL: the value itself
    uint32_t conditions;
};

struct state {
    LLVMBuilderRef b;
    LLVMModuleRef module;
    struct weftc_map numbers; // of values in `counted`
    struct counted *counted;
    uint32_t count, capacity;
    bool any;
};

static bool is_copy(LLVMValueRef v)
{
    LLVMValueRef f = LLVMIsACallInst(v) ? weftc_callee(v) : NULL;
    return f && LLVMIsDeclaration(f) && strncmp(LLVMGetValueName(f), COPY_NAME, strlen(COPY_NAME)) == 0;
}

// Builds a copy where the value is defined. The number keeps LLVM from merging copies.
static LLVMValueRef copy_of(struct state *s, LLVMValueRef function, LLVMValueRef v, uint32_t number)
{
    LLVMValueRef at = LLVMIsAInstruction(v) ? LLVMGetNextInstruction(v)
                                            : LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(function));
    while (LLVMIsAPHINode(at) || LLVMIsAAllocaInst(at))
        at = LLVMGetNextInstruction(at);
    LLVMTypeRef type = LLVMTypeOf(v), i32 = LLVMInt32TypeInContext(LLVMGetModuleContext(s->module)),
                params[] = {type, i32}, called = LLVMFunctionType(type, params, 2, false);
    char name[32];
    snprintf(name, sizeof name, COPY_NAME "%u", LLVMGetIntTypeWidth(type));
    LLVMValueRef f = LLVMGetNamedFunction(s->module, name);
    if (!f) {
        f = LLVMAddFunction(s->module, name, called);
        weftc_add_pure_attributes(f);
    }
    LLVMPositionBuilderBefore(s->b, at);
    s->any = true;
    return LLVMBuildCall2(s->b, called, f, (LLVMValueRef[]){v, LLVMConstInt(i32, number, false)}, 2, "");
}

static struct counted *count_of(struct state *s, LLVMValueRef v)
{
    uint32_t known = weftc_map_get(&s->numbers, v);
    if (known != UINT32_MAX)
        return &s->counted[known];
    if (s->count == s->capacity) {
        uint32_t capacity = s->capacity ? 2 * s->capacity : 64;
        struct counted *larger = weft_realloc(s->counted, capacity * sizeof *larger);
        if (!larger)
            return NULL;
        s->counted = larger;
        s->capacity = capacity;
    }
    if (!weftc_map_put(&s->numbers, v, s->count))
        return NULL;
    s->counted[s->count] = (struct counted){0};
    return &s->counted[s->count++];
}

// Counts a comparison of operand k of the instruction.
static bool count(struct state *s, LLVMValueRef function, LLVMValueRef i, unsigned k)
{
    LLVMValueRef v = LLVMGetOperand(i, k);
    const bool defined = LLVMIsAArgument(v) || (LLVMIsAInstruction(v) && !LLVMIsATerminatorInst(v));
    if (!defined || LLVMGetTypeKind(LLVMTypeOf(v)) != LLVMIntegerTypeKind || is_copy(v))
        return true;
    struct counted *c = count_of(s, v);
    if (!c)
        return false;
    if (++c->conditions % MAX_CONDITIONS == 0)
        c->copy = copy_of(s, function, v, c->conditions / MAX_CONDITIONS);
    if (c->copy)
        LLVMSetOperand(i, k, c->copy);
    return true;
}

// What a comparison says of `n & 7` it says of n.
static LLVMValueRef computed_from(LLVMValueRef v)
{
    return LLVMIsABinaryOperator(v) && LLVMIsAConstantInt(LLVMGetOperand(v, 1)) ? v : NULL;
}

weft_status weftc_copy_compared(LLVMModuleRef module, LLVMValueRef kernel, bool *any)
{
    struct state s = {.b = LLVMCreateBuilderInContext(LLVMGetModuleContext(module)), .module = module};
    bool ok = true;
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(kernel); b; b = LLVMGetNextBasicBlock(b))
        for (LLVMValueRef i = LLVMGetFirstInstruction(b); i && ok; i = LLVMGetNextInstruction(i))
            for (unsigned k = 0; LLVMIsAICmpInst(i) && k < 2 && ok; k++) {
                LLVMValueRef inner = computed_from(LLVMGetOperand(i, k));
                ok = (!inner || count(&s, kernel, inner, 0)) && count(&s, kernel, i, k);
            }
    *any = s.any;
    LLVMDisposeBuilder(s.b);
    weftc_map_free(&s.numbers);
    weft_free(s.counted);
    return ok ? WEFT_OK : WEFT_NO_MEMORY;
}

void weftc_remove_copies(LLVMModuleRef module)
{
    for (LLVMValueRef f = LLVMGetFirstFunction(module), next; f; f = next) {
        next = LLVMGetNextFunction(f);
        if (!LLVMIsDeclaration(f) || strncmp(LLVMGetValueName(f), COPY_NAME, strlen(COPY_NAME)) != 0)
            continue;
        for (LLVMUseRef use; (use = LLVMGetFirstUse(f));) {
            LLVMValueRef call = LLVMGetUser(use);
            LLVMReplaceAllUsesWith(call, LLVMGetOperand(call, 0));
            LLVMInstructionEraseFromParent(call);
        }
        LLVMDeleteFunction(f);
    }
}
