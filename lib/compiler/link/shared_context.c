// What quick compiles of one process share. Most programs have several kernels, and each kernel is a separate
// request. Reading the program and the built-in functions each time took a third of the time of a quick
// compile. So they are read once, lazily, into one context. A kernel's module gets copies of what the kernel
// reaches.
//
// Owns the context, the last program (its module and the bytes that it points into) and the modules of
// builtins.pack. Only the compiling thread uses them. Constants and types of a compile stay in the context
// until it is disposed of, so there is a new context every MOST_COMPILES compiles.
#include <string.h>

#include <llvm-c/Core.h>

#include "base/base.h"
#include "compiler/bridge/link.h"
#include "compiler/link/link.h"

enum { MOST_COMPILES = 100 };

static struct {
    LLVMContextRef context;
    unsigned compiles;
    LLVMModuleRef program;
    uint8_t *bitcode;
    size_t size;
    LLVMModuleRef *builtins;
    uint32_t builtin_count;
} kept;

static void drop_program(void)
{
    if (kept.program)
        LLVMDisposeModule(kept.program);
    weft_free(kept.bitcode);
    kept.program = NULL;
    kept.bitcode = NULL;
    kept.size = 0;
}

void weftc_shared_forget(void)
{
    drop_program();
    for (uint32_t i = 0; i < kept.builtin_count; i++)
        if (kept.builtins[i])
            LLVMDisposeModule(kept.builtins[i]);
    weft_free(kept.builtins);
    kept.builtins = NULL;
    kept.builtin_count = 0;
    if (kept.context)
        LLVMContextDispose(kept.context);
    kept.context = NULL;
    kept.compiles = 0;
}

LLVMContextRef weftc_shared_context(void)
{
    if (kept.compiles++ >= MOST_COMPILES)
        weftc_shared_forget();
    if (!kept.context) {
        kept.context = LLVMContextCreate();
        LLVMContextSetDiscardValueNames(kept.context, true);
    }
    return kept.context;
}

static bool keep_program(const uint8_t *bitcode, size_t size, char **message)
{
    *message = NULL;
    if (kept.program && kept.size == size && memcmp(kept.bitcode, bitcode, size) == 0)
        return true;
    drop_program();
    kept.bitcode = weft_memdup(bitcode, size);
    if (!kept.bitcode)
        return false;
    kept.size = size;
    kept.program = weft_bridge_read_lazily(kept.context, kept.bitcode, size, message);
    return kept.program != NULL;
}

LLVMModuleRef weftc_shared_kernel(const uint8_t *bitcode, size_t size, const char *kernel, char **message)
{
    if (!keep_program(bitcode, size, message))
        return NULL;
    LLVMModuleRef module = LLVMModuleCreateWithNameInContext("kernel", kept.context);
    LLVMValueRef root = LLVMGetNamedFunction(kept.program, kernel);
    if (weft_bridge_copy_description(module, kept.program) &&
        (!root || weft_bridge_copy_reached(module, kept.program, &root, 1)))
        return module;
    LLVMDisposeModule(module);
    // The program may contain something that can't be copied. Then it is read for this kernel separately.
    return weft_bridge_read_lazily(kept.context, bitcode, size, message);
}

LLVMModuleRef *weftc_shared_builtins(LLVMContextRef context, uint32_t count)
{
    if (!context || context != kept.context)
        return NULL;
    if (!kept.builtins) {
        kept.builtins = weft_alloc_array(count, sizeof(LLVMModuleRef));
        kept.builtin_count = kept.builtins ? count : 0;
    }
    return kept.builtins;
}
