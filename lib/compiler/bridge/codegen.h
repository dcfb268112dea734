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
// Returns all features that LLVM knows of the named processor, as "+a,+b". The caller frees it with free().
// Returns NULL if LLVM doesn't know the processor, or if the processor lacks the feature `needed`
// (NULL: none is needed). The targets must be initialised.
char *weft_bridge_cpu_features(const char *triple, const char *cpu, const char *needed);

// What LLVM's scheduling model of a processor says of an instruction, in quarters of a cycle: when the
// result is there, and when the units that it needs are free for the next one. known: false if there is no
// such instruction, or if the model has no number for it, whatever its operands are.
struct weft_bridge_timing {
    bool known;
    uint16_t latency, work;
};
// Finds the timings of `count` instructions by LLVM's names. A name may be NULL.
void weft_bridge_instruction_timings(LLVMTargetMachineRef machine, const char *const *names,
                                     struct weft_bridge_timing *timings, size_t count);

// ---- bridge/codegen.cpp ----
// Makes codegen list the frame size of each function in the section .stack_sizes.
void weftc_bridge_emit_stack_sizes(LLVMTargetMachineRef machine);
// Generates machine code for the module, as an object file or as text. If the code is optimised, two kinds of
// blocks are cut before instruction selection: those of more than longest_block instructions, and those that
// call a function of the module. They are cut before each such call, and into pieces of at most `piece`
// instructions. longest_block 0: no block is cut. Returns false if the target can't emit this type. *out is
// the caller's. *spills: how many instructions store a register to the stack because there are too few
// registers; UINT32_MAX: code that isn't optimised doesn't count them.
bool weftc_bridge_emit(LLVMTargetMachineRef machine, LLVMModuleRef module, LLVMCodeGenFileType type,
                       size_t longest_block, size_t piece, LLVMMemoryBufferRef *out, uint32_t *spills);
// Should codegen follow the values of variables in optimised code as well as it can, for debug information?
// The code stays the same.
void weftc_bridge_follow_variables(LLVMTargetMachineRef machine, bool follow);
// Sets how much codegen optimises from now on.
void weftc_bridge_set_codegen_level(LLVMTargetMachineRef machine, LLVMCodeGenOptLevel level);
// Sets one of LLVM's process-wide boolean options, such as "enable-misched", until the next link: lld gives
// all options their defaults. Not thread-safe.
void weftc_bridge_set_option(const char *name, bool value);
void weftc_bridge_set_number(const char *name, unsigned value); // sets an integer option
// Sets an integer option for all compiles of this process.
void weftc_bridge_keep_number(const char *name, unsigned value);
// Sets those options again. For bridge/lld.cpp.
void weftc_bridge_set_kept_options(void);

// ---- bridge/lld.cpp ----
// Links an ELF object to an ELF shared object, in memory. *out is the caller's (weft_free). Errors:
// WEFT_INTERNAL, with lld's messages in the log; WEFT_IO if the temporary file can't be created or is too
// large; WEFT_NO_MEMORY.
weft_status weft_bridge_link_elf(const void *object, size_t object_size, uint8_t **out, size_t *out_size,
                                 struct weft_buf *log);

#ifdef __cplusplus
}
#endif

#endif
