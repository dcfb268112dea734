// From a module to machine code, and to an ELF shared object.
#ifndef WEFT_BRIDGE_CODEGEN_H
#define WEFT_BRIDGE_CODEGEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <llvm-c/Core.h>
#include <llvm-c/TargetMachine.h>

#include "weft/status.h"

#ifdef __cplusplus
extern "C" {
#endif

struct weft_buf;

// ---- bridge/cpu_features.cpp ----
// All that LLVM takes the named processor to have: "+a,+b". The caller's, free. NULL: it knows no processor of that
// name, or none with 64-bit code. The targets must be initialised.
char *weft_bridge_cpu_features(const char *triple, const char *cpu);

// ---- bridge/codegen.cpp ----
// Codegen lists each function's frame size in section .stack_sizes.
void weftc_bridge_emit_stack_sizes(LLVMTargetMachineRef machine);
// Machine code of the module, as an object file or as text. longest_block: blocks with more instructions are cut into
// pieces of so many before instructions are selected, where the code is optimised at all, and so is each before a call of a function of the module; 0: none is. False: the target has no means
// to emit that. *out is the caller's.
bool weftc_bridge_emit(LLVMTargetMachineRef machine, LLVMModuleRef module, LLVMCodeGenFileType type,
                       size_t longest_block, size_t piece, LLVMMemoryBufferRef *out);
// How much codegen does for the code's speed from now on.
void weftc_bridge_set_codegen_level(LLVMTargetMachineRef machine, LLVMCodeGenOptLevel level);
// Sets one of LLVM's process-wide options, such as "enable-misched", to true or false. Not thread-safe.
void weftc_bridge_set_option(const char *name, bool value);
void weftc_bridge_set_number(const char *name, unsigned value); // of one that is a number

// ---- bridge/lld.cpp ----
// An ELF object to an ELF shared object, in memory. *out is the caller's (weft_free). WEFT_INTERNAL: lld says in the log why;
// WEFT_IO: so large a file may not be made, or none; WEFT_NO_MEMORY.
weft_status weft_bridge_link_elf(const void *object, size_t object_size, uint8_t **out, size_t *out_size,
                                 struct weft_buf *log);

#ifdef __cplusplus
}
#endif

#endif
