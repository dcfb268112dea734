// LLVM's StackSafety analysis: which accesses to a module's stack are within their variable
// (bridge/stack_safety.cpp). Only one thread at a time may use it for a module.
#ifndef WEFTC_BRIDGE_STACK_H
#define WEFTC_BRIDGE_STACK_H

#include <stdbool.h>

#include <llvm-c/Core.h>
#include <llvm-c/TargetMachine.h>

#ifdef __cplusplus
extern "C" {
#endif

// Analyses the module, which must not change until weftc_bridge_stack_free. Never returns NULL.
struct weftc_bridge_stack *weftc_bridge_stack_read(LLVMModuleRef module, LLVMTargetMachineRef machine);
void weftc_bridge_stack_free(struct weftc_bridge_stack *s); // s may be NULL
// Are all accesses to the variable known to be within it?
bool weftc_bridge_stack_safe(const struct weftc_bridge_stack *s, LLVMValueRef alloca);
// Is the instruction, which accesses a variable, either no write, or a write that is known to be within the
// variable?
bool weftc_bridge_write_safe(const struct weftc_bridge_stack *s, LLVMValueRef instruction);

#ifdef __cplusplus
}
#endif
#endif
