// Private arrays of constants, `const float w[5] = {...}` inside a kernel, become constant data. As a private
// array, each work-item writes it before it reads it. As constant data nobody writes it. One load serves all
// lanes that read the same element. Where unrolling makes the index constant, no load is left.
//
// The array must be written in one block only, and not be read between the first and the last write there. A
// read elsewhere either comes after that block, or it reads memory that nobody has written, whose value is
// undefined.
#include <stdlib.h>
#include <string.h>

#include <llvm-c/Core.h>
#include <llvm-c/Target.h>

#include "base/base.h"
#include "compiler/bridge/passes.h"
#include "compiler/ir/llvm_helpers.h"
#include "compiler/ir/value_map.h"
#include "compiler/prepare/prepare.h"

enum { MAX_BYTES = 16384, MAX_USES = 4096 };

struct table {
    LLVMValueRef memory, *pointers; // the alloca; and it with all pointers derived from it
    LLVMValueRef *writes, *marks;   // stores and memory intrinsics; lifetime markers
    size_t pointer_count, write_count, mark_count;
    struct weftc_map known; // pointer -> its index in `pointers`
    LLVMBasicBlockRef block;
    uint64_t size;
};

static bool is_intrinsic(LLVMValueRef i, const char *prefix)
{
    LLVMValueRef f = weftc_callee(i);
    return f && LLVMGetIntrinsicID(f) && strncmp(LLVMGetValueName(f), prefix, strlen(prefix)) == 0;
}

static bool is_known(const struct table *t, LLVMValueRef pointer)
{
    return weftc_map_get(&t->known, pointer) != UINT32_MAX;
}

static bool is_zero(LLVMValueRef constant)
{
    return LLVMIsAConstantInt(constant) && LLVMConstIntGetZExtValue(constant) == 0;
}

static bool is_plain(LLVMValueRef access)
{
    return !LLVMGetVolatile(access) && LLVMGetOrdering(access) == LLVMAtomicOrderingNotAtomic;
}

// A memset or memcpy of a known length that isn't volatile (operand 3).
static bool is_plain_move(LLVMValueRef i)
{
    return (is_intrinsic(i, "llvm.memset.p") || is_intrinsic(i, "llvm.memcpy.p")) &&
           LLVMIsAConstantInt(LLVMGetOperand(i, 2)) && is_zero(LLVMGetOperand(i, 3));
}

static bool reads(const struct table *t, LLVMValueRef i)
{
    if (LLVMIsALoadInst(i))
        return is_known(t, LLVMGetOperand(i, 0));
    return is_intrinsic(i, "llvm.memcpy.p") && is_known(t, LLVMGetOperand(i, 1));
}

static bool add_pointer(struct table *t, LLVMValueRef pointer)
{
    if (t->pointer_count == MAX_USES || !weftc_map_put(&t->known, pointer, (uint32_t)t->pointer_count))
        return false;
    t->pointers[t->pointer_count++] = pointer;
    return true;
}

static bool add_write(struct table *t, LLVMValueRef i)
{
    LLVMBasicBlockRef block = LLVMGetInstructionParent(i);
    if (t->write_count == MAX_USES || (t->block && t->block != block))
        return false;
    t->block = block;
    t->writes[t->write_count++] = i;
    return true;
}

static bool note_use(struct table *t, LLVMValueRef pointer, LLVMValueRef user)
{
    if (LLVMIsALoadInst(user))
        return is_plain(user);
    if (LLVMIsAStoreInst(user))
        return LLVMGetOperand(user, 0) != pointer && is_plain(user) &&
               LLVMIsConstant(LLVMGetOperand(user, 0)) && add_write(t, user);
    if (LLVMIsAGetElementPtrInst(user))
        return LLVMGetOperand(user, 0) == pointer &&
               LLVMGetTypeKind(LLVMTypeOf(user)) == LLVMPointerTypeKind && add_pointer(t, user);
    if (weftc_is_lifetime(user)) {
        if (t->mark_count == MAX_USES)
            return false;
        t->marks[t->mark_count++] = user;
        return true;
    }
    if (!is_plain_move(user))
        return false;
    return LLVMGetOperand(user, 0) == pointer ? add_write(t, user) : LLVMGetOperand(user, 1) == pointer;
}

static bool note_uses(struct table *t)
{
    if (!add_pointer(t, t->memory))
        return false;
    for (size_t next = 0; next < t->pointer_count; next++)
        for (LLVMUseRef use = LLVMGetFirstUse(t->pointers[next]); use; use = LLVMGetNextUse(use))
            if (!note_use(t, t->pointers[next], LLVMGetUser(use)))
                return false;
    return t->write_count > 0;
}

// Writes to `bytes` what instruction `i` writes to the array.
static bool write_bytes(const struct table *t, LLVMTargetDataRef layout, LLVMValueRef i, uint8_t *bytes)
{
    bool store = LLVMIsAStoreInst(i) != NULL;
    LLVMValueRef value = LLVMGetOperand(i, store ? 0 : 1);
    uint64_t at, count = store ? LLVMStoreSizeOfType(layout, LLVMTypeOf(value))
                               : LLVMConstIntGetZExtValue(LLVMGetOperand(i, 2));
    if (!weftc_bridge_constant_offset(LLVMGetOperand(i, store ? 1 : 0), t->memory, &at) || at > t->size ||
        count > t->size - at)
        return false;
    if (store)
        return weftc_bridge_constant_bytes(value, layout, 0, count, bytes + at);
    if (is_intrinsic(i, "llvm.memset.p")) {
        if (!LLVMIsAConstantInt(value))
            return false;
        memset(bytes + at, (int)LLVMConstIntGetZExtValue(value), count);
        return true;
    }
    uint64_t from;
    LLVMValueRef global = weftc_bridge_constant_global(value, &from);
    return global && weftc_bridge_constant_bytes(LLVMGetInitializer(global), layout, from, count, bytes + at);
}

static int compare_places(const void *a, const void *b)
{
    LLVMValueRef x = *(LLVMValueRef const *)a, y = *(LLVMValueRef const *)b;
    return x == y ? 0 : weftc_bridge_comes_before(x, y) ? -1 : 1;
}

// Is the array read between the first and the last write?
static bool is_read_between(const struct table *t)
{
    LLVMValueRef first = t->writes[0], last = t->writes[t->write_count - 1];
    for (size_t k = 0; k < t->pointer_count; k++)
        for (LLVMUseRef use = LLVMGetFirstUse(t->pointers[k]); use; use = LLVMGetNextUse(use)) {
            LLVMValueRef user = LLVMGetUser(use);
            if (LLVMGetInstructionParent(user) == t->block && reads(t, user) &&
                weftc_bridge_comes_before(first, user) && weftc_bridge_comes_before(user, last))
                return true;
        }
    return false;
}

// Finds what the array holds after the last write.
static bool find_bytes(struct table *t, LLVMTargetDataRef layout, uint8_t *bytes)
{
    qsort(t->writes, t->write_count, sizeof *t->writes, compare_places);
    if (is_read_between(t))
        return false;
    for (size_t w = 0; w < t->write_count; w++)
        if (!write_bytes(t, layout, t->writes[w], bytes))
            return false;
    return true;
}

static void replace(const struct table *t, LLVMModuleRef module, const uint8_t *bytes)
{
    LLVMContextRef c = LLVMGetModuleContext(module);
    LLVMValueRef data = LLVMConstStringInContext2(c, (const char *)bytes, t->size, true);
    LLVMValueRef global = LLVMAddGlobal(module, LLVMTypeOf(data), "weft.table");
    LLVMSetInitializer(global, data);
    LLVMSetGlobalConstant(global, true);
    LLVMSetLinkage(global, LLVMInternalLinkage);
    LLVMSetUnnamedAddress(global, LLVMGlobalUnnamedAddr);
    LLVMSetAlignment(global, LLVMGetAlignment(t->memory));
    for (size_t i = 0; i < t->write_count; i++)
        LLVMInstructionEraseFromParent(t->writes[i]);
    for (size_t i = 0; i < t->mark_count; i++)
        LLVMInstructionEraseFromParent(t->marks[i]);
    LLVMReplaceAllUsesWith(t->memory, global);
    LLVMInstructionEraseFromParent(t->memory);
}

static weft_status replace_if_constant(LLVMModuleRef module, LLVMTargetDataRef layout, LLVMValueRef memory,
                                       struct table *t)
{
    t->memory = memory;
    t->size = LLVMABISizeOfType(layout, LLVMGetAllocatedType(memory));
    t->pointer_count = t->write_count = t->mark_count = 0;
    t->known = (struct weftc_map){0};
    t->block = NULL;
    if (!t->size || t->size > MAX_BYTES)
        return WEFT_OK;
    weft_status status = WEFT_OK;
    uint8_t *bytes = weft_zalloc(t->size);
    if (!bytes)
        status = WEFT_NO_MEMORY;
    else if (note_uses(t) && find_bytes(t, layout, bytes))
        replace(t, module, bytes);
    weft_free(bytes);
    weftc_map_free(&t->known);
    return status;
}

weft_status weftc_prepare_constant_arrays(LLVMModuleRef module, LLVMValueRef kernel)
{
    LLVMTargetDataRef layout = LLVMGetModuleDataLayout(module);
    struct table t = {.pointers = weft_alloc_array(3 * MAX_USES, sizeof *t.pointers)};
    if (!t.pointers)
        return WEFT_NO_MEMORY;
    t.writes = t.pointers + MAX_USES;
    t.marks = t.writes + MAX_USES;
    weft_status status = WEFT_OK;
    LLVMValueRef next;
    for (LLVMValueRef i = LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(kernel)); i && status == WEFT_OK;
         i = next) {
        next = LLVMGetNextInstruction(i);
        if (LLVMIsAAllocaInst(i) && LLVMGetTypeKind(LLVMGetAllocatedType(i)) == LLVMArrayTypeKind) {
            // Skip instructions that the replacement may erase.
            while (next && !LLVMIsAAllocaInst(next))
                next = LLVMGetNextInstruction(next);
            status = replace_if_constant(module, layout, i, &t);
        }
    }
    weft_free(t.pointers);
    return status;
}
