// Modules: read lazily, copied in part, linked.
#ifndef WEFT_BRIDGE_LINK_H
#define WEFT_BRIDGE_LINK_H

#include <stdbool.h>
#include <stddef.h>

#include <llvm-c/Core.h>

#ifdef __cplusplus
extern "C" {
#endif

// Reads bitcode without the bodies of functions, which are read when they are needed. The bytes must outlive
// the module. Returns NULL if it isn't bitcode; *message, which the caller frees with weft_free, says why.
LLVMModuleRef weft_bridge_read_lazily(LLVMContextRef context, const void *bitcode, size_t size,
                                      char **message);
// Reads the bodies that the roots reach and deletes everything else. Returns false if the bitcode is damaged;
// *message, which the caller frees with weft_free, says where.
bool weft_bridge_keep_reached(LLVMModuleRef module, const LLVMValueRef *roots, size_t count, char **message);
// Copies the roots, and what they reach, into another module of the same context. If that module already
// defines a name, its definition is used. Returns false, without copying anything, if the bitcode is damaged
// or if something can't be copied (an alias).
bool weft_bridge_copy_reached(LLVMModuleRef into, LLVMModuleRef from, const LLVMValueRef *roots,
                              size_t count);
// Copies data layout, triple and named metadata. Returns false if the bitcode is damaged.
bool weft_bridge_copy_description(LLVMModuleRef into, LLVMModuleRef from);
// Turns a function into a declaration, even if its body has not been read yet.
void weft_bridge_delete_body(LLVMValueRef function);
// Deletes the named metadata of this name, if there is any.
void weft_bridge_drop_named_metadata(LLVMModuleRef module, const char *name);
// Deletes module flags, the compiler's name and similar metadata.
void weft_bridge_drop_module_metadata(LLVMModuleRef module);
// Links the sources into module, in order. Consumes them, also after a failure. only_needed: links only what
// defines a symbol that module declares, and what that needs. Returns whether it worked. Errors go to the
// context's diagnostic handler.
bool weft_bridge_link(LLVMModuleRef module, const LLVMModuleRef *sources, size_t count, bool only_needed);
// Makes all definitions internal, except those whose name `keep` accepts.
void weft_bridge_internalize(LLVMModuleRef module, bool (*keep)(void *arg, const char *name), void *arg);

#ifdef __cplusplus
}
#endif

#endif
