// What LLVM knows of the accesses to a module's stack. C++ behind it (bridge/stack_safety.cpp). One thread at a time for one module.
#ifndef WEFTC_BRIDGE_STACK_H
#define WEFTC_BRIDGE_STACK_H

#include <stdbool.h>

#include <llvm-c/Core.h>
#include <llvm-c/TargetMachine.h>

#ifdef __cplusplus
extern "C" {
#endif

// Reads the module, which must not change until weftc_bridge_stack_free. Never NULL.
struct weftc_bridge_stack *weftc_bridge_stack_read(LLVMModuleRef module, LLVMTargetMachineRef machine);
void weftc_bridge_stack_free(struct weftc_bridge_stack *s); // NULL is fine
// Is every access to the variable known to be within it?
bool weftc_bridge_stack_safe(const struct weftc_bridge_stack *s, LLVMValueRef alloca);
// Does an instruction that accesses a variable not write, or within the variable only, as far as is known?
bool weftc_bridge_write_safe(const struct weftc_bridge_stack *s, LLVMValueRef instruction);

#ifdef __cplusplus
}
#endif
#endif
