// The mapping of builtins.pack (link/pack.c). For files of link/ alone.
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

// NULL: there are no built-in functions; *reason (static) says why.
const struct weftc_pack *weftc_pack_get(const char **reason);
// The index of the module that defines a symbol, or -1.
int64_t weftc_pack_find(const struct weftc_pack *p, const char *name);
// A module of the pack, without its functions' bodies, which come when they are needed.
weft_status weftc_pack_read(LLVMContextRef context, const struct weftc_pack *pack, uint32_t index,
                            LLVMModuleRef *module);

#endif
