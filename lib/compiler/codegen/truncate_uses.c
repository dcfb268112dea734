// Numbers that are also extended, such as the `pc` of an interpreter, whose extension is an index. Where both
// are alive in other blocks, LLVM's CodeGenPrepare keeps only the extension, and truncates it where the
// number is used. It changes one use, then visits all blocks again. Where there are very many uses, all of
// them are changed here, in the same way. Stateless.
#include <llvm-c/Core.h>

#include "base/base.h"
#include "compiler/codegen/codegen.h"
#include "compiler/ir/llvm_helpers.h"
#include "compiler/ir/value_map.h"

enum { LARGE = 4000, MANY = 32 }; // instructions of a function; uses in other blocks

// The users of a value in other blocks than its own. Returns SIZE_MAX if one of them is no place for this: a
// phi, or an access, whose address or value the truncation would delay.
static size_t outside_uses(LLVMValueRef v, LLVMBasicBlockRef home)
{
    size_t count = 0;
    for (LLVMUseRef u = LLVMGetFirstUse(v); u; u = LLVMGetNextUse(u)) {
        LLVMValueRef user = LLVMGetUser(u);
        if (LLVMGetInstructionParent(user) == home)
            continue;
        if (LLVMIsAPHINode(user) || LLVMIsALoadInst(user) || LLVMIsAStoreInst(user))
            return SIZE_MAX;
        count++;
    }
    return count;
}

static bool is_used_outside(LLVMValueRef v)
{
    for (LLVMUseRef u = LLVMGetFirstUse(v); u; u = LLVMGetNextUse(u))
        if (LLVMGetInstructionParent(LLVMGetUser(u)) != LLVMGetInstructionParent(v))
            return true;
    return false;
}

static bool is_fit(LLVMValueRef extension)
{
    LLVMValueRef v = LLVMGetOperand(extension, 0);
    LLVMBasicBlockRef home = LLVMGetInstructionParent(extension);
    if (!LLVMIsAInstruction(v) || LLVMGetInstructionParent(v) != home ||
        LLVMGetTypeKind(LLVMTypeOf(v)) != LLVMIntegerTypeKind || LLVMGetIntTypeWidth(LLVMTypeOf(v)) != 32 ||
        LLVMGetIntTypeWidth(LLVMTypeOf(extension)) != 64)
        return false;
    const size_t uses = outside_uses(v, home);
    return uses > MANY && uses != SIZE_MAX && is_used_outside(extension);
}

static LLVMValueRef first_after_phis(LLVMBasicBlockRef b)
{
    LLVMValueRef i = LLVMGetFirstInstruction(b);
    while (LLVMIsAPHINode(i))
        i = LLVMGetNextInstruction(i);
    return i;
}

static bool truncate_uses(LLVMBuilderRef b, LLVMValueRef extension)
{
    LLVMValueRef v = LLVMGetOperand(extension, 0);
    LLVMBasicBlockRef home = LLVMGetInstructionParent(extension);
    struct weftc_map number = {0}; // of a block's truncation
    const size_t count = outside_uses(v, home);
    LLVMValueRef *made = weft_alloc_array(count, sizeof(LLVMValueRef)),
                 *users = weft_alloc_array(count, sizeof(LLVMValueRef));
    size_t user_count = 0;
    uint32_t made_count = 0;
    bool ok = made && users;
    for (LLVMUseRef u = LLVMGetFirstUse(v); ok && u; u = LLVMGetNextUse(u))
        if (LLVMGetInstructionParent(LLVMGetUser(u)) != home)
            users[user_count++] = LLVMGetUser(u);
    for (size_t k = 0; ok && k < user_count; k++) {
        LLVMBasicBlockRef block = LLVMGetInstructionParent(users[k]);
        LLVMValueRef key = LLVMBasicBlockAsValue(block);
        uint32_t n = weftc_map_get(&number, key);
        if (n == UINT32_MAX) {
            n = made_count++;
            ok = weftc_map_put(&number, key, n);
            LLVMPositionBuilderBefore(b, first_after_phis(block));
            made[n] = LLVMBuildTrunc(b, extension, LLVMTypeOf(v), "");
        }
        for (unsigned o = 0; o < (unsigned)LLVMGetNumOperands(users[k]); o++)
            if (LLVMGetOperand(users[k], o) == v)
                LLVMSetOperand(users[k], o, made[n]);
    }
    weftc_map_free(&number);
    weft_free(made);
    weft_free(users);
    return ok;
}

weft_status weftc_truncate_uses(LLVMModuleRef module)
{
    LLVMBuilderRef b = LLVMCreateBuilderInContext(LLVMGetModuleContext(module));
    bool ok = true;
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f)) {
        if (LLVMIsDeclaration(f) || weftc_function_size(f) < LARGE)
            continue;
        for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(f); block; block = LLVMGetNextBasicBlock(block))
            for (LLVMValueRef i = LLVMGetFirstInstruction(block); i && ok; i = LLVMGetNextInstruction(i))
                if ((LLVMIsASExtInst(i) || LLVMIsAZExtInst(i)) && is_fit(i))
                    ok = truncate_uses(b, i);
    }
    LLVMDisposeBuilder(b);
    return ok ? WEFT_OK : WEFT_NO_MEMORY;
}
