// Copies of private structures become copies of their members, before SROA takes the structures apart. For a
// memcpy SROA cuts both structures at each other's members, and looks at all accesses to both again. So one
// that is copied to a thousand others is looked at a thousand times. Only for large functions (promote.c).
// Stateless.
#include <llvm-c/Core.h>
#include <llvm-c/Target.h>

#include "base/base.h"
#include "compiler/bridge/passes.h"
#include "compiler/ir/llvm_helpers.h"
#include "compiler/ir/passes/passes.h"

enum { MAX_MEMBERS = 32 }; // of a structure; larger ones stay copied as a whole

struct member {
    LLVMTypeRef type;
    uint64_t offset, size; // of the store: without padding
};

struct copy {
    LLVMTargetDataRef layout;
    LLVMValueRef call, sides[2];
    uint64_t align[2], end; // end: the bytes that `members` covers
    struct member members[MAX_MEMBERS];
    unsigned count;
};

static bool add_member(struct copy *c, LLVMTypeRef type, uint64_t offset, uint64_t size)
{
    if (c->count == MAX_MEMBERS)
        return false;
    c->members[c->count++] = (struct member){type, offset, size};
    c->end = offset + size;
    return true;
}

// Padding is copied, too: a union has the type of one of its members, and others may lie in its padding.
static bool add_padding(struct copy *c, uint64_t until)
{
    LLVMContextRef context = LLVMGetTypeContext(LLVMTypeOf(c->call));
    while (c->end < until) {
        uint64_t size = 8;
        while (c->end % size || c->end + size > until)
            size /= 2;
        if (!add_member(c, LLVMIntTypeInContext(context, (unsigned)(8 * size)), c->end, size))
            return false;
    }
    return true;
}

static bool add_members(struct copy *c, LLVMTypeRef type, uint64_t offset)
{
    const LLVMTypeKind kind = LLVMGetTypeKind(type);
    if (kind == LLVMStructTypeKind) {
        for (unsigned k = 0; k < LLVMCountStructElementTypes(type); k++)
            if (!add_members(c, LLVMStructGetTypeAtIndex(type, k),
                             offset + LLVMOffsetOfElement(c->layout, type, k)))
                return false;
        return true;
    }
    if (kind == LLVMArrayTypeKind) {
        LLVMTypeRef element = LLVMGetElementType(type);
        const uint64_t size = LLVMABISizeOfType(c->layout, element), count = LLVMGetArrayLength2(type);
        for (uint64_t k = 0; k < count; k++)
            if (!add_members(c, element, offset + k * size))
                return false;
        return true;
    }
    const uint64_t size = LLVMStoreSizeOfType(c->layout, type);
    return 8 * size == LLVMSizeOfTypeInBits(c->layout, type) && add_padding(c, offset) &&
           add_member(c, type, offset, size);
}

static uint64_t alignment(LLVMValueRef call, unsigned operand)
{
    static const char name[] = "align";
    LLVMAttributeRef a = LLVMGetCallSiteEnumAttribute(call, operand + 1,
                                                      LLVMGetEnumAttributeKindForName(name, sizeof name - 1));
    return a ? LLVMGetEnumAttributeValue(a) : 1;
}

static LLVMValueRef private_base(LLVMValueRef pointer)
{
    while (LLVMIsAGetElementPtrInst(pointer))
        pointer = LLVMGetOperand(pointer, 0);
    return LLVMIsAAllocaInst(pointer);
}

// Is it a copy from a private structure to another? Finds the members of the type of one of them.
static bool find_copy(struct copy *c, LLVMValueRef i)
{
    if (!LLVMIsAMemCpyInst(i) || !LLVMIsAConstantInt(LLVMGetOperand(i, 2)) ||
        !LLVMIsConstant(LLVMGetOperand(i, 3)) || !LLVMIsNull(LLVMGetOperand(i, 3)))
        return false;
    const uint64_t size = LLVMConstIntGetZExtValue(LLVMGetOperand(i, 2));
    c->call = i;
    LLVMTypeRef type = NULL;
    for (unsigned k = 0; k < 2; k++) {
        c->sides[k] = LLVMGetOperand(i, k);
        c->align[k] = alignment(i, k);
        LLVMValueRef base = private_base(c->sides[k]);
        uint64_t at;
        if (!base || !weftc_bridge_constant_offset(c->sides[k], base, &at))
            return false;
        LLVMTypeRef whole = LLVMGetAllocatedType(base);
        if (!type && at == 0 && LLVMGetTypeKind(whole) == LLVMStructTypeKind &&
            LLVMABISizeOfType(c->layout, whole) == size)
            type = whole;
    }
    c->count = 0;
    c->end = 0;
    return type && add_members(c, type, 0) && add_padding(c, size);
}

static LLVMValueRef place(LLVMBuilderRef b, const struct copy *c, unsigned side, uint64_t offset)
{
    LLVMContextRef context = LLVMGetTypeContext(LLVMTypeOf(c->call));
    LLVMValueRef index = weftc_i64(context, offset);
    return LLVMBuildInBoundsGEP2(b, LLVMInt8TypeInContext(context), c->sides[side], &index, 1, "");
}

static void split(LLVMBuilderRef b, const struct copy *c)
{
    LLVMPositionBuilderBefore(b, c->call);
    for (unsigned k = 0; k < c->count; k++) {
        const struct member *m = &c->members[k];
        LLVMValueRef value = LLVMBuildLoad2(b, m->type, place(b, c, 1, m->offset), "");
        LLVMValueRef accesses[] = {LLVMBuildStore(b, value, place(b, c, 0, m->offset)), value};
        for (unsigned side = 0; side < 2; side++) {
            const uint64_t at = m->offset | c->align[side]; // the lowest bit that is set divides the address
            LLVMSetAlignment(accesses[side], (unsigned)(at & -at));
        }
    }
    LLVMInstructionEraseFromParent(c->call);
}

void weftc_split_copies(LLVMValueRef function)
{
    LLVMModuleRef module = LLVMGetGlobalParent(function);
    struct copy c = {.layout = LLVMGetModuleDataLayout(module)};
    LLVMBuilderRef b = LLVMCreateBuilderInContext(LLVMGetModuleContext(module));
    for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(function); block;
         block = LLVMGetNextBasicBlock(block))
        for (LLVMValueRef i = LLVMGetFirstInstruction(block), next; i; i = next) {
            next = LLVMGetNextInstruction(i);
            if (find_copy(&c, i))
                split(b, &c);
        }
    LLVMDisposeBuilder(b);
}
