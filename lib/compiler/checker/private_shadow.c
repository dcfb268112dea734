// The shadow and the origins of private variables (checker/uninit.c): variables beside them, which become
// values when they do.
#include <string.h>

#include "compiler/checker/checker.h"
#include "compiler/checker/instrumented.h"
#include "compiler/ir/gep.h"

enum { MAX_VARIABLES = 254 };

LLVMValueRef weftc_shadow_base(LLVMValueRef p)
{
    while (LLVMIsAGetElementPtrInst(p) || LLVMIsABitCastInst(p) || LLVMIsAAddrSpaceCastInst(p))
        p = LLVMGetOperand(p, 0);
    return p;
}

bool weftc_shadow_has_size(LLVMValueRef v)
{
    return LLVMIsAAllocaInst(v) && LLVMIsAConstantInt(LLVMGetOperand(v, 0));
}

// Does all code that uses the address use it directly? Else it also comes by ways that shadow.c will follow.
static bool is_used_directly(LLVMValueRef pointer)
{
    for (LLVMUseRef use = LLVMGetFirstUse(pointer); use; use = LLVMGetNextUse(use)) {
        LLVMValueRef user = LLVMGetUser(use);
        if (LLVMIsALoadInst(user) || weftc_is_lifetime(user) ||
            weftc_starts_with(weftc_shadow_callee(user), "__msan_"))
            continue;
        if (LLVMIsAStoreInst(user) && LLVMGetOperand(user, 0) != pointer)
            continue;
        if (weftc_shadow_base(user) == user || !is_used_directly(user))
            return false;
    }
    return true;
}

// What the shadow of a variable consists of: numbers as large as its elements, so that it lies in lanes as
// the variable does.
static LLVMTypeRef element_of(const struct weftc_instrumented *u, LLVMTypeRef type, uint64_t bytes)
{
    while (LLVMGetTypeKind(type) == LLVMArrayTypeKind || LLVMGetTypeKind(type) == LLVMVectorTypeKind)
        type = LLVMGetElementType(type);
    const LLVMTypeKind kind = LLVMGetTypeKind(type);
    if (kind != LLVMIntegerTypeKind && kind != LLVMFloatTypeKind && kind != LLVMDoubleTypeKind &&
        kind != LLVMHalfTypeKind)
        return u->i8;
    const uint64_t size = LLVMStoreSizeOfType(u->layout, type);
    const bool whole = size <= 8 && (size & (size - 1)) == 0 && bytes % size == 0;
    return whole ? LLVMIntTypeInContext(u->c, 8 * (unsigned)size) : u->i8;
}

const struct weftc_shadowed *weftc_shadow_variable(struct weftc_instrumented *u, LLVMValueRef memory)
{
    const uint32_t known = weftc_map_get(&u->index, memory);
    if (known != UINT32_MAX)
        return &u->variable[known];
    if (u->count == u->capacity) {
        const uint32_t capacity = u->capacity ? 2 * u->capacity : 64;
        struct weftc_shadowed *larger = weft_realloc(u->variable, capacity * sizeof *larger);
        if (!larger)
            return NULL;
        u->variable = larger;
        u->capacity = capacity;
    }
    if (!weftc_map_put(&u->index, memory, u->count))
        return NULL;
    struct weftc_shadowed *v = &u->variable[u->count++];
    const uint64_t bytes = LLVMConstIntGetZExtValue(LLVMGetOperand(memory, 0)) *
                           LLVMABISizeOfType(u->layout, LLVMGetAllocatedType(memory));
    LLVMBuilderRef b = LLVMCreateBuilderInContext(u->c);
    LLVMPositionBuilderBefore(b, LLVMGetNextInstruction(memory));
    v->memory = memory;
    LLVMTypeRef element = element_of(u, LLVMGetAllocatedType(memory), bytes);
    v->shadow =
        LLVMBuildAlloca(b, LLVMArrayType2(element, bytes / LLVMABISizeOfType(u->layout, element)), "");
    LLVMSetAlignment(v->shadow, LLVMGetAlignment(memory));
    v->origins =
        LLVMBuildAlloca(b, LLVMArrayType2(u->i32, (bytes + WEFTC_ORIGIN_WORD - 1) / WEFTC_ORIGIN_WORD), "");
    LLVMSetAlignment(v->origins, LLVMGetAlignment(memory) > 8 ? LLVMGetAlignment(memory) : 8);
    if (!is_used_directly(memory)) {
        LLVMTypeRef params[] = {u->pointer, u->pointer, u->pointer};
        LLVMTypeRef type =
            LLVMFunctionType(LLVMVoidTypeInContext(u->c), params, WEFT_COUNT_OF(params), false);
        LLVMValueRef arguments[] = {memory, v->shadow, v->origins};
        LLVMBuildCall2(b, type, weftc_check_declare(u->module, WEFTC_CHECK_SHADOW_OF, type), arguments,
                       WEFT_COUNT_OF(arguments), "");
    }
    LLVMDisposeBuilder(b);
    return v;
}

// Bytes from the variable's first byte to where the pointer points.
static LLVMValueRef offset_of(struct weftc_instrumented *u, LLVMValueRef pointer)
{
    LLVMValueRef offset = weftc_i64(u->c, 0);
    for (; weftc_shadow_base(pointer) != pointer; pointer = LLVMGetOperand(pointer, 0)) {
        if (!LLVMIsAGetElementPtrInst(pointer))
            continue;
        struct weftc_step *steps = weft_alloc_array((size_t)LLVMGetNumOperands(pointer), sizeof *steps);
        const unsigned count = steps ? weftc_gep_steps(u->layout, pointer, steps) : 0;
        for (unsigned k = 0; k < count; k++) {
            LLVMValueRef distance = weftc_i64(u->c, steps[k].offset);
            if (steps[k].index)
                distance = LLVMBuildMul(u->b, LLVMBuildIntCast2(u->b, steps[k].index, u->i64, true, ""),
                                        weftc_i64(u->c, steps[k].scale), "");
            offset = LLVMBuildAdd(u->b, offset, distance, "");
        }
        weft_free(steps);
    }
    return offset;
}

LLVMValueRef weftc_check_word_of(LLVMBuilderRef b, LLVMValueRef offset)
{
    LLVMContextRef c = LLVMGetTypeContext(LLVMTypeOf(offset));
    return LLVMBuildAnd(b, offset, weftc_i64(c, ~(uint64_t)(WEFTC_ORIGIN_WORD - 1)), "");
}

void weftc_shadow_place_in(struct weftc_instrumented *u, const struct weftc_shadowed *v, LLVMValueRef pointer,
                           LLVMValueRef place[2])
{
    LLVMValueRef offset = offset_of(u, pointer), word = weftc_check_word_of(u->b, offset);
    place[0] = LLVMBuildGEP2(u->b, u->i8, v->shadow, &offset, 1, "");
    place[1] = LLVMBuildGEP2(u->b, u->i8, v->origins, &word, 1, "");
}

// Replaces what a request for shadow returns, {shadow, origins}.
static void replace_parts(LLVMValueRef call, const LLVMValueRef place[2])
{
    for (LLVMUseRef use; (use = LLVMGetFirstUse(call));) {
        LLVMValueRef part = LLVMGetUser(use); // an extractvalue
        LLVMReplaceAllUsesWith(part, place[LLVMGetIndices(part)[0]]);
        LLVMInstructionEraseFromParent(part);
    }
    LLVMInstructionEraseFromParent(call);
}

bool weftc_shadow_of_variable(struct weftc_instrumented *u, LLVMValueRef call)
{
    LLVMValueRef pointer = LLVMGetOperand(call, 0), memory = weftc_shadow_base(pointer), place[2];
    if (!weftc_shadow_has_size(memory))
        return true; // of other memory: checker/shadow.c
    const struct weftc_shadowed *v = weftc_shadow_variable(u, memory);
    if (!v)
        return false;
    LLVMPositionBuilderBefore(u->b, call);
    weftc_shadow_place_in(u, v, pointer, place);
    replace_parts(call, place);
    return true;
}

static uint8_t number_of(struct weftc_instrumented *u, LLVMValueRef memory)
{
    size_t length;
    const char *name = LLVMGetValueName2(memory, &length);
    if (u->named == MAX_VARIABLES)
        return MAX_VARIABLES;
    // Clang's and the inliner's names have suffixes.
    const char *dot = memchr(name, '.', length);
    weft_buf_append(&u->names, name, dot ? (size_t)(dot - name) : length);
    weft_buf_append(&u->names, "", 1);
    return (uint8_t)++u->named;
}

bool weftc_shadow_begin_variable(struct weftc_instrumented *u, LLVMValueRef call, bool written)
{
    LLVMValueRef memory = weftc_shadow_base(LLVMGetOperand(call, 0));
    const struct weftc_shadowed *v = weftc_shadow_has_size(memory) ? weftc_shadow_variable(u, memory) : NULL;
    if (v) {
        LLVMPositionBuilderBefore(u->b, call);
        LLVMValueRef bytes = LLVMGetOperand(call, 1);
        LLVMBuildMemSet(u->b, v->shadow, LLVMConstInt(u->i8, written ? 0 : 255, false), bytes,
                        LLVMGetAlignment(v->shadow));
        const uint64_t words = LLVMGetArrayLength2(LLVMGetAllocatedType(v->origins));
        if (!written)
            LLVMBuildMemSet(u->b, v->origins, LLVMConstInt(u->i8, number_of(u, memory), false),
                            weftc_i64(u->c, words * WEFTC_ORIGIN_WORD), 8);
    }
    // MemorySanitizer's text about the variable
    LLVMValueRef text =
        LLVMGetNumArgOperands(call) > 2 ? LLVMIsAGlobalVariable(LLVMGetOperand(call, 2)) : NULL;
    LLVMInstructionEraseFromParent(call);
    if (text && !LLVMGetFirstUse(text))
        LLVMDeleteGlobal(text);
    return v || !weftc_shadow_has_size(memory);
}
