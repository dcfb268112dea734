// Modules: read lazily, copied in part, linked.
#ifndef WEFT_BRIDGE_LINK_H
#define WEFT_BRIDGE_LINK_H

#include <stdbool.h>
#include <stddef.h>

#include <llvm-c/Core.h>

#ifdef __cplusplus
extern "C" {
#endif

// Reads bitcode without its function bodies; they come when they are needed. The bytes must outlive the
// module. NULL: not bitcode, *message says why (the caller's, weft_free).
LLVMModuleRef weft_bridge_read_lazily(LLVMContextRef context, const void *bitcode, size_t size,
                                      char **message);
// Reads the bodies of what the roots reach and deletes everything else. False: damaged bitcode, *message says in what (the
// caller's, weft_free).
bool weft_bridge_keep_reached(LLVMModuleRef module, const LLVMValueRef *roots, size_t count, char **message);
// Copies the roots, with what they reach, into another module of the same context; what that defines already by these
// names is taken instead. False: damaged bitcode, or something that can't be copied (an alias); nothing has been copied then.
bool weft_bridge_copy_reached(LLVMModuleRef into, LLVMModuleRef from, const LLVMValueRef *roots,
                              size_t count);
// The data layout, the triple, named metadata. False: damaged bitcode.
bool weft_bridge_copy_description(LLVMModuleRef into, LLVMModuleRef from);
// What is left is a declaration, also where the body has not been read yet.
void weft_bridge_delete_body(LLVMValueRef function);
// Named metadata of this name; there may be none.
void weft_bridge_drop_named_metadata(LLVMModuleRef module, const char *name);
// Module flags, the compiler's name and such.
void weft_bridge_drop_module_metadata(LLVMModuleRef module);
// Links the sources into module, in order, and consumes them, also after a failure: all of each, or only what
// defines a symbol that module declares, with what that needs. True: it worked. Errors go to the context's
// diagnostic handler.
bool weft_bridge_link(LLVMModuleRef module, const LLVMModuleRef *sources, size_t count, bool only_needed);
// Every definition becomes internal but those that `keep` names.
void weft_bridge_internalize(LLVMModuleRef module, bool (*keep)(void *arg, const char *name), void *arg);

#ifdef __cplusplus
}
#endif

#endif
