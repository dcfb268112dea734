// What quick compiles of one process share. Most programs have several kernels, and each kernel is a separate
// request. Reading the program and the built-in functions each time took a third of the time of a quick
// compile. So they are read once, lazily, into one context. A kernel's module gets copies of what the kernel
// reaches.
//
// Owns the context, the last program (its module and the bytes that it points into) and the modules of
// builtins.pack. Only the compiling thread uses them. Constants and types of a compile stay in the context
// until it is disposed of, so there is a new context every MAX_COMPILES compiles.
#include <string.h>

#include <llvm-c/Core.h>

#include "base/base.h"
#include "compiler/bridge/link.h"
#include "compiler/link/link.h"

enum { MAX_COMPILES = 100 };

static struct {
    LLVMContextRef context;
    unsigned compiles;
    LLVMModuleRef program;
    uint8_t *bitcode;
    size_t size;
    LLVMModuleRef *builtins;
    uint32_t builtin_count;
} shared;

static void drop_program(void)
{
    if (shared.program)
        LLVMDisposeModule(shared.program);
    weft_free(shared.bitcode);
    shared.program = NULL;
    shared.bitcode = NULL;
    shared.size = 0;
}

void weftc_shared_forget(void)
{
    drop_program();
    for (uint32_t i = 0; i < shared.builtin_count; i++)
        if (shared.builtins[i])
            LLVMDisposeModule(shared.builtins[i]);
    weft_free(shared.builtins);
    shared.builtins = NULL;
    shared.builtin_count = 0;
    if (shared.context)
        LLVMContextDispose(shared.context);
    shared.context = NULL;
    shared.compiles = 0;
}

LLVMContextRef weftc_shared_context(void)
{
    if (shared.compiles++ >= MAX_COMPILES)
        weftc_shared_forget();
    if (!shared.context) {
        shared.context = LLVMContextCreate();
        LLVMContextSetDiscardValueNames(shared.context, true);
    }
    return shared.context;
}

static bool share_program(const uint8_t *bitcode, size_t size, char **message)
{
    *message = NULL;
    if (shared.program && shared.size == size && memcmp(shared.bitcode, bitcode, size) == 0)
        return true;
    drop_program();
    shared.bitcode = weft_memdup(bitcode, size);
    if (!shared.bitcode)
        return false;
    shared.size = size;
    shared.program = weft_bridge_read_lazily(shared.context, shared.bitcode, size, message);
    return shared.program != NULL;
}

LLVMModuleRef weftc_shared_kernel(const uint8_t *bitcode, size_t size, const char *kernel, char **message)
{
    if (!share_program(bitcode, size, message))
        return NULL;
    LLVMModuleRef module = LLVMModuleCreateWithNameInContext("kernel", shared.context);
    LLVMValueRef root = LLVMGetNamedFunction(shared.program, kernel);
    if (weft_bridge_copy_description(module, shared.program) &&
        (!root || weft_bridge_copy_reached(module, shared.program, &root, 1)))
        return module;
    LLVMDisposeModule(module);
    // The program may contain something that can't be copied. Then it is read for this kernel separately.
    return weft_bridge_read_lazily(shared.context, bitcode, size, message);
}

LLVMModuleRef *weftc_shared_builtins(LLVMContextRef context, uint32_t count)
{
    if (!context || context != shared.context)
        return NULL;
    if (!shared.builtins) {
        shared.builtins = weft_alloc_array(count, sizeof(LLVMModuleRef));
        shared.builtin_count = shared.builtins ? count : 0;
    }
    return shared.builtins;
}
