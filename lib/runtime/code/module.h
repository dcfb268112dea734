// Kernels' machine code in memory: loading and unloading code objects.
#ifndef WEFT_RUNTIME_CODE_MODULE_H
#define WEFT_RUNTIME_CODE_MODULE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "weft/kernel_abi.h"
#include "weft/status.h"

// Maps an ELF object. for_debugger: from a file that stays, where debuggers find it. Errors: WEFT_DAMAGED;
// WEFT_STALE: it has another ABI version; WEFT_IO: the file couldn't be written or mapped. If why isn't NULL,
// *why is set to a sentence about WEFT_IO, which the caller frees and which may be NULL; otherwise it is set
// to NULL.
weft_status weft_module_load(const uint8_t *elf, size_t size, const char *name, bool for_debugger,
                             void **module, const struct weft_kernel_info **info, char **why);
// The address of a symbol of a module. NULL: it has none of that name.
void *weft_module_symbol(void *module, const char *name);
void weft_module_unload(void *module); // may be NULL. None of its code may be running

// The loaded object that contains an instruction: where its address 0 is, and the hash of its code
// (weft/fault_location.h). False: no object contains it.
bool weft_module_of_code(uintptr_t instruction, uint64_t *base, uint64_t hash[2]);

#endif
