// Bytes between the members of a structure: nobody writes them, but an assignment copies them with the
// members, and no program can mean what is in them. So after a copy they are taken as written.
//
// Where they are, Clang says in the copy's !tbaa.struct. Arrays of structures are one member there, and
// SPIR-V has none of it: there the types tell, of which the copy's pointers are made.
#include <string.h>

#include <llvm-c/Core.h>
#include <llvm-c/DebugInfo.h>
#include <llvm-c/Target.h>

#include "base/base.h"
#include "compiler/checker/checker.h"
#include "compiler/checker/instrumented.h"
#include "compiler/ir/llvm_helpers.h"

// Larger structures are copied as they are.
enum { MAX_BYTES = 1024 };

struct gaps {
    LLVMTargetDataRef layout;
    uint64_t size;
    bool used[MAX_BYTES]; // by a member
};

static void use(struct gaps *g, uint64_t from, uint64_t bytes)
{
    for (uint64_t k = from; k < g->size && k - from < bytes; k++)
        g->used[k] = true;
}

// ---- by Clang's metadata ----

// Triples of offset, size, and the kind of the member. False: there is nothing.
static bool use_members(struct gaps *g, LLVMValueRef copy)
{
    static const char name[] = "tbaa.struct";
    enum { MAX_OPERANDS = 3 * MAX_BYTES };
    LLVMContextRef c = LLVMGetTypeContext(LLVMTypeOf(copy));
    LLVMValueRef node = LLVMGetMetadata(copy, LLVMGetMDKindIDInContext(c, name, sizeof name - 1));
    const unsigned count = node ? LLVMGetMDNodeNumOperands(node) : 0;
    if (!count || count % 3 != 0 || count > MAX_OPERANDS)
        return false;
    LLVMValueRef *operands = weft_alloc_array(count, sizeof(LLVMValueRef));
    if (!operands)
        return false;
    LLVMGetMDNodeOperands(node, operands);
    for (unsigned k = 0; k < count; k += 3)
        use(g, LLVMConstIntGetZExtValue(operands[k]), LLVMConstIntGetZExtValue(operands[k + 1]));
    weft_free(operands);
    return true;
}

// ---- by types ----

// What a union's other members have in the gaps of the one that its type shows isn't known.
static bool is_union(LLVMTypeRef type)
{
    const char *name = LLVMGetStructName(type);
    return name && weftc_starts_with(name, "union.");
}

static void use_type(struct gaps *g, LLVMTypeRef type, uint64_t from)
{
    const uint64_t bytes = LLVMABISizeOfType(g->layout, type);
    if (from >= g->size)
        return;
    switch (LLVMGetTypeKind(type)) {
    case LLVMStructTypeKind:
        if (is_union(type))
            break;
        for (unsigned k = 0; k < LLVMCountStructElementTypes(type); k++)
            use_type(g, LLVMStructGetTypeAtIndex(type, k), from + LLVMOffsetOfElement(g->layout, type, k));
        return;
    case LLVMArrayTypeKind: {
        LLVMTypeRef element = LLVMGetElementType(type);
        const uint64_t each = LLVMABISizeOfType(g->layout, element);
        for (uint64_t at = from; each && at < from + bytes && at < g->size; at += each)
            use_type(g, element, at);
        return;
    }
    default:
        break;
    }
    use(g, from, bytes);
}

// The type of what a getelementptr points to.
static LLVMTypeRef pointed_to(LLVMValueRef gep)
{
    LLVMTypeRef type = LLVMGetGEPSourceElementType(gep);
    const unsigned operands = (unsigned)LLVMGetNumOperands(gep);
    for (unsigned k = 2; k < operands; k++)
        type =
            LLVMGetTypeKind(type) == LLVMStructTypeKind
                ? LLVMStructGetTypeAtIndex(type, (unsigned)LLVMConstIntGetZExtValue(LLVMGetOperand(gep, k)))
                : LLVMGetElementType(type);
    return type;
}

// The type that the pointer was made for, if it has this size. NULL: it isn't known.
static LLVMTypeRef type_at(const struct gaps *g, LLVMValueRef pointer)
{
    while (weftc_opcode(pointer) == LLVMAddrSpaceCast || weftc_opcode(pointer) == LLVMBitCast)
        pointer = LLVMGetOperand(pointer, 0);
    LLVMTypeRef type = LLVMIsAAllocaInst(pointer)                   ? LLVMGetAllocatedType(pointer)
                       : LLVMIsAGlobalVariable(pointer)             ? LLVMGlobalGetValueType(pointer)
                       : weftc_opcode(pointer) == LLVMGetElementPtr ? pointed_to(pointer)
                                                                    : NULL;
    return type && LLVMTypeIsSized(type) && LLVMABISizeOfType(g->layout, type) == g->size ? type : NULL;
}

// ---- all ----

static void take_as_written(struct weftc_instrumented *u, LLVMValueRef to, uint64_t from, uint64_t bytes)
{
    LLVMValueRef offset = weftc_i64(u->c, from), shadow, origins;
    LLVMValueRef at = LLVMBuildGEP2(u->b, u->i8, to, &offset, 1, "");
    weftc_check_not_followed(at);
    weftc_shadow_ask(u, true, at, &shadow, &origins);
    for (uint64_t k = 0; k < bytes; k++) {
        offset = weftc_i64(u->c, k);
        LLVMValueRef byte = LLVMBuildGEP2(u->b, u->i8, shadow, &offset, 1, "");
        LLVMValueRef store = LLVMBuildStore(u->b, LLVMConstNull(u->i8), byte);
        weftc_check_not_followed(store);
    }
}

void weftc_shadow_close_gaps(struct weftc_instrumented *u, LLVMValueRef copy)
{
    LLVMValueRef size = LLVMIsAConstantInt(LLVMGetOperand(copy, 2)), to = LLVMGetOperand(copy, 0);
    struct gaps g = {.layout = u->layout, .size = size ? LLVMConstIntGetZExtValue(size) : 0}, by_type = g;
    if (!g.size || g.size > MAX_BYTES)
        return;
    const bool members = use_members(&g, copy);
    LLVMTypeRef type = type_at(&g, to);
    type = type ? type : type_at(&g, LLVMGetOperand(copy, 1));
    if (type)
        use_type(&by_type, type, 0);
    LLVMPositionBuilderBefore(u->b, LLVMGetNextInstruction(copy));
    LLVMSetCurrentDebugLocation2(u->b, LLVMInstructionGetDebugLoc(copy));
    for (uint64_t at = 0; at < g.size;) {
        uint64_t end = at;
        while (end < g.size && ((members && !g.used[end]) || (type && !by_type.used[end])))
            end++;
        if (end > at)
            take_as_written(u, to, at, end - at);
        at = end > at ? end : at + 1;
    }
}
