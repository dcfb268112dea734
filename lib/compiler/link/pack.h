// The mapping of builtins.pack (link/pack.c). Only files of link/ include this header.
#ifndef WEFTC_PACK_H
#define WEFTC_PACK_H

#include <llvm-c/Core.h>

#include "base/base.h"

struct weftc_pack {
    const uint8_t *bytes;
    size_t size;
    uint32_t module_count, symbol_count;
    const uint8_t *modules, *symbols;
    const char *strings;
    size_t strings_size;
    struct weft_hash identity;
};

// Maps the file on the first call. Returns NULL if there are no built-in functions; then *reason, a static
// string, says why.
const struct weftc_pack *weftc_pack_get(const char **reason);
// Returns the index of the module that defines a symbol, or -1.
int64_t weftc_pack_find(const struct weftc_pack *p, const char *name);
// Reads a module of the pack lazily: bodies of functions are read when they are needed.
weft_status weftc_pack_read(LLVMContextRef context, const struct weftc_pack *pack, uint32_t index,
                            LLVMModuleRef *module);

#endif
