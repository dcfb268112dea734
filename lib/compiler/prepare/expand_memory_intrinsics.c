// Private arrays that are filled or copied as a whole: `int t[16] = {0}`, `float w[4] = {...}`, and
// structures that hold arrays. A memset or memcpy becomes stores of elements. As an intrinsic it would access
// a contiguous block of each lane, and the array couldn't be interleaved over the lanes (SoA,
// shapes/private_layout.c). In scalar code LLVM turns the stores back into the intrinsics.
#include <string.h>

#include <llvm-c/Core.h>
#include <llvm-c/Target.h>

#include "base/base.h"
#include "compiler/bridge/passes.h"
#include "compiler/ir/llvm_helpers.h"
#include "compiler/prepare/prepare.h"

enum { MAX_UNROLLED = 16 }; // more elements than this are moved by a loop

struct expansion {
    LLVMValueRef call, to, from; // from: NULL for memset
    LLVMTypeRef element;
    uint64_t size, count; // bytes of an element; number of elements
};

static LLVMValueRef private_array(LLVMValueRef pointer, LLVMTargetDataRef layout, uint64_t size)
{
    LLVMValueRef base = pointer;
    while (LLVMIsAGetElementPtrInst(base))
        base = LLVMGetOperand(base, 0);
    uint64_t at;
    // A member of a packed structure may begin at any address.
    if (!LLVMIsAAllocaInst(base) || LLVMABISizeOfType(layout, LLVMGetAllocatedType(base)) <= size ||
        LLVMGetAlignment(base) < size || !weftc_bridge_constant_offset(pointer, base, &at) || at % size)
        return NULL;
    return base;
}

// The element type, if all elements of the type have one size; otherwise NULL.
static LLVMTypeRef element_of(LLVMTargetDataRef layout, LLVMTypeRef type)
{
    LLVMTypeKind kind = LLVMGetTypeKind(type);
    if (kind == LLVMArrayTypeKind || kind == LLVMVectorTypeKind)
        return element_of(layout, LLVMGetElementType(type));
    if (kind != LLVMStructTypeKind)
        return type;
    LLVMTypeRef first = NULL;
    for (unsigned k = 0; k < LLVMCountStructElementTypes(type); k++) {
        LLVMTypeRef e = element_of(layout, LLVMStructGetTypeAtIndex(type, k));
        if (!e || (first && LLVMStoreSizeOfType(layout, e) != LLVMStoreSizeOfType(layout, first)))
            return NULL;
        if (first && e != first)
            e = LLVMIntTypeInContext(LLVMGetTypeContext(type),
                                     (unsigned)(8 * LLVMStoreSizeOfType(layout, e)));
        first = e;
    }
    return first;
}

static bool is_aligned(LLVMValueRef call, unsigned operand, uint64_t size)
{
    static const char name[] = "align";
    LLVMAttributeRef a = LLVMGetCallSiteEnumAttribute(call, operand + 1,
                                                      LLVMGetEnumAttributeKindForName(name, sizeof name - 1));
    return a && LLVMGetEnumAttributeValue(a) >= size;
}

// Is it an array of bytes that is only filled and copied as a whole? The padding of a structure that SROA has
// taken apart is one.
static bool is_bytes_as_a_whole(LLVMValueRef array)
{
    LLVMTypeRef type = LLVMGetAllocatedType(array);
    if (LLVMGetTypeKind(type) != LLVMArrayTypeKind ||
        LLVMGetElementType(type) != LLVMInt8TypeInContext(LLVMGetTypeContext(type)))
        return false;
    for (LLVMUseRef u = LLVMGetFirstUse(array); u; u = LLVMGetNextUse(u))
        if (!LLVMIsAMemIntrinsic(LLVMGetUser(u)) && !weftc_is_lifetime(LLVMGetUser(u)))
            return false;
    return true;
}

static bool has_alignment(LLVMTargetDataRef layout, const struct expansion *m, uint64_t size)
{
    const LLVMValueRef sides[] = {m->to, m->from};
    for (unsigned k = 0; k < 2; k++)
        if (sides[k] && !private_array(sides[k], layout, size) && !is_aligned(m->call, k, size))
            return false;
    return true;
}

static bool find_expansion(LLVMTargetDataRef layout, LLVMValueRef i, struct expansion *m)
{
    LLVMValueRef f = weftc_callee(i);
    const char *name = f && LLVMGetIntrinsicID(f) ? LLVMGetValueName(f) : "";
    bool fill = strncmp(name, "llvm.memset.p", 13) == 0, copy = strncmp(name, "llvm.memcpy.p", 13) == 0;
    if ((!fill && !copy) || !LLVMIsAConstantInt(LLVMGetOperand(i, 2)) ||
        !LLVMIsConstant(LLVMGetOperand(i, 3)) || !LLVMIsNull(LLVMGetOperand(i, 3)) ||
        (fill && !LLVMIsAConstantInt(LLVMGetOperand(i, 1))))
        return false;
    *m =
        (struct expansion){.call = i, .to = LLVMGetOperand(i, 0), .from = copy ? LLVMGetOperand(i, 1) : NULL};
    uint64_t bytes = LLVMConstIntGetZExtValue(LLVMGetOperand(i, 2));
    const LLVMValueRef sides[] = {m->to, m->from};
    for (unsigned k = 0; k < 2 && sides[k] && !m->element; k++) {
        LLVMValueRef array = private_array(sides[k], layout, 1);
        m->element = array ? element_of(layout, LLVMGetAllocatedType(array)) : NULL;
        // Words of it are fewer accesses.
        LLVMTypeRef word = LLVMInt32TypeInContext(LLVMGetTypeContext(LLVMTypeOf(i)));
        if (m->element && bytes % 4 == 0 && is_bytes_as_a_whole(array) && has_alignment(layout, m, 4))
            m->element = word;
    }
    if (!m->element)
        return false;
    m->size = LLVMStoreSizeOfType(layout, m->element);
    bool pointers = LLVMGetTypeKind(m->element) == LLVMPointerTypeKind;
    if (m->size > 8 || (m->size & (m->size - 1)) || bytes % m->size || bytes == 0 || (fill && pointers))
        return false;
    if (8 * m->size != LLVMSizeOfTypeInBits(layout, m->element))
        return false; // it has padding bits that a store wouldn't write
    m->count = bytes / m->size;
    return has_alignment(layout, m, m->size);
}

static void copy_metadata(LLVMValueRef access, LLVMValueRef call)
{
    static const char *const kinds[] = {"noalias", "alias.scope", "llvm.access.group"};
    for (size_t k = 0; k < WEFT_COUNT_OF(kinds); k++) {
        unsigned kind = LLVMGetMDKindIDInContext(LLVMGetTypeContext(LLVMTypeOf(call)), kinds[k],
                                                 (unsigned)strlen(kinds[k]));
        LLVMValueRef facts = LLVMGetMetadata(call, kind);
        if (facts)
            LLVMSetMetadata(access, kind, facts);
    }
}

static LLVMValueRef filling(const struct expansion *m)
{
    uint64_t byte = LLVMConstIntGetZExtValue(LLVMGetOperand(m->call, 1)) & 0xff;
    if (byte == 0)
        return LLVMConstNull(m->element);
    LLVMTypeRef bits = LLVMIntTypeInContext(LLVMGetTypeContext(m->element), (unsigned)(8 * m->size));
    return LLVMConstBitCast(LLVMConstInt(bits, byte * 0x0101010101010101u, false), m->element);
}

static LLVMValueRef place(LLVMBuilderRef b, const struct expansion *m, LLVMValueRef pointer,
                          LLVMValueRef index)
{
    return LLVMBuildInBoundsGEP2(b, m->element, pointer, &index, 1, "");
}

static void expand_element(LLVMBuilderRef b, const struct expansion *m, LLVMValueRef index)
{
    LLVMValueRef value;
    if (m->from) {
        value = LLVMBuildLoad2(b, m->element, place(b, m, m->from, index), "");
        LLVMSetAlignment(value, (unsigned)m->size);
        copy_metadata(value, m->call);
    } else {
        value = filling(m);
    }
    LLVMValueRef store = LLVMBuildStore(b, value, place(b, m, m->to, index));
    LLVMSetAlignment(store, (unsigned)m->size);
    copy_metadata(store, m->call);
}

static void expand_in_loop(LLVMBuilderRef b, const struct expansion *m)
{
    LLVMContextRef c = LLVMGetTypeContext(m->element);
    LLVMBasicBlockRef before = LLVMGetInstructionParent(m->call);
    LLVMBasicBlockRef after = weftc_bridge_split_block(m->call);
    LLVMBasicBlockRef loop = LLVMInsertBasicBlockInContext(c, after, "memory_loop");
    LLVMInstructionEraseFromParent(LLVMGetBasicBlockTerminator(before));
    LLVMPositionBuilderAtEnd(b, before);
    LLVMBuildBr(b, loop);
    LLVMPositionBuilderAtEnd(b, loop);
    LLVMValueRef index = LLVMBuildPhi(b, LLVMInt64TypeInContext(c), "");
    expand_element(b, m, index);
    LLVMValueRef next = LLVMBuildNUWAdd(b, index, weftc_i64(c, 1), "");
    LLVMSetNSW(next, true);
    LLVMBuildCondBr(b, LLVMBuildICmp(b, LLVMIntEQ, next, weftc_i64(c, m->count), ""), after, loop);
    LLVMAddIncoming(index, (LLVMValueRef[]){weftc_i64(c, 0), next}, (LLVMBasicBlockRef[]){before, loop}, 2);
}

void weftc_prepare_expand_memory_intrinsics(LLVMModuleRef module, LLVMValueRef kernel)
{
    LLVMTargetDataRef layout = LLVMGetModuleDataLayout(module);
    LLVMContextRef c = LLVMGetModuleContext(module);
    LLVMBuilderRef b = LLVMCreateBuilderInContext(c);
    for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(kernel); block;
         block = LLVMGetNextBasicBlock(block))
        for (LLVMValueRef i = LLVMGetFirstInstruction(block), next; i; i = next) {
            next = LLVMGetNextInstruction(i);
            struct expansion m;
            if (!find_expansion(layout, i, &m))
                continue;
            LLVMPositionBuilderBefore(b, i);
            for (uint64_t k = 0; k < m.count && m.count <= MAX_UNROLLED; k++)
                expand_element(b, &m, weftc_i64(c, k));
            if (m.count > MAX_UNROLLED) {
                expand_in_loop(b, &m);
                next = NULL; // the rest of the block is in a new block, which comes later
            }
            LLVMInstructionEraseFromParent(i);
        }
    LLVMDisposeBuilder(b);
}
