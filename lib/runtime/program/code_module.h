// Machine code in memory.
#ifndef WEFT_RUNTIME_CODE_MODULE_H
#define WEFT_RUNTIME_CODE_MODULE_H

#include <stddef.h>

#include "weft/kernel_abi.h"
#include "weft/status.h"

// Maps an ELF object. WEFT_DAMAGED, WEFT_STALE (another ABI version), WEFT_NO_MEMORY; WEFT_IO, of which *why says more, if
// why isn't NULL (the caller's, perhaps NULL; NULL otherwise).
weft_status weft_module_load(const uint8_t *elf, size_t size, const char *name, void **module,
                             const struct weft_kernel_info **info, char **why);
void weft_module_unload(void *module); // NULL is fine; none of its code may be running

#endif
