// link/ puts modules together: programs with each other, a kernel with the built-in functions that it reaches, and program-scope variables
// in one block.
//
// Comes in: modules in spir64 IR (ir/ir.h), and builtins.pack. Goes out: one module in which nothing is undefined but what later stages lower.
// Must not know: how a module was made, and what the kernel becomes.
#ifndef WEFTC_LINK_H
#define WEFTC_LINK_H

#include <llvm-c/Core.h>

#include "base/base.h"

struct weft_program_object;
struct weftc_target;

// ---- link/builtins.c ----
// Each input is consumed, also when this fails. Duplicate definitions are told in the log.
weft_status weftc_link_programs(LLVMModuleRef into, LLVMModuleRef *inputs, uint32_t count,
                                struct weft_buf *log);
// Removes everything that the kernel doesn't reach.
weft_status weftc_extract_kernel(LLVMModuleRef module, const char *kernel, struct weft_buf *log);
// Names of called functions that neither the module nor the built-ins define go to the log; WEFT_LINK_FAILED then.
weft_status weftc_check_undefined(LLVMModuleRef module, struct weft_buf *log);
// A kernel that reaches a function which calls itself, or a call through a pointer, is told in the log, and it is
// WEFT_BUILD_FAILED then: OpenCL C allows neither (OpenCL C 2.0 §6.9), and no kernel could be made of it (prepare/inline.c).
weft_status weftc_check_calls(LLVMModuleRef module, struct weft_buf *log);
// Links in the built-in functions that the module reaches, transitively, as internal functions. Work-item
// functions (get_global_id ...), barriers and printf stay calls: later stages lower them.
// WEFT_LINK_FAILED, as the log says: it calls one of another type.
weft_status weftc_link_builtins(LLVMModuleRef module, struct weft_buf *log);
struct weft_hash weftc_builtins_identity(void); // of builtins.pack; zero without one

// ---- link/fit_calls.c ----
// Calls of functions whose types are others than the calls say are made to fit.
weft_status weftc_fit_calls(LLVMModuleRef module);
// Calls of built-in functions, which alone aren't internal, that don't fit are refused.
weft_status weftc_check_builtin_calls(LLVMModuleRef module, struct weft_buf *log);

// ---- link/sincos.c ----
// Before built-in functions are linked: declares sincos for each type whose sin and cos the module calls; such a declaration is linked
// though nobody calls it.
void weftc_declare_sincos(LLVMModuleRef module);
bool weftc_is_declared_sincos(LLVMValueRef function);
// Once values are in registers: calls of sin and cos with one argument, in one block, become one of sincos, where that was linked for it.
bool weftc_has_sincos_pair(LLVMModuleRef module);
void weftc_merge_sincos(LLVMModuleRef module); // values are in registers

// ---- link/program_variables.c ----
// Gives each program-scope variable of a whole program its place in the block of them; out (NULL: not wanted) gets what that
// holds at first. One that is too large is told in the log.
weft_status weftc_place_program_variables(LLVMModuleRef module, struct weft_program_object *out,
                                          struct weft_buf *log);
bool weftc_has_program_variables(LLVMModuleRef module);
bool weftc_has_place(LLVMValueRef variable); // link/program_variables.c: it is in the block of them
// A kernel's uses of them. Behind the inliner.
weft_status weftc_prepare_program_variables(LLVMModuleRef module, LLVMValueRef kernel,
                                            const struct weftc_target *target, struct weft_buf *log);

// ---- link/shared_context.c: what quick compiles of one process share, so that each reads little ----
// A context that stays, and is emptied now and then. All modules made in it for the last compile are gone by now.
LLVMContextRef weftc_shared_context(void);
// In the kept context: a module, the caller's, with what the kernel of the program reaches (no kernel, if it has none of that
// name). NULL: damaged bitcode, *message says more (the caller's, weft_free).
LLVMModuleRef weftc_shared_kernel(const uint8_t *bitcode, size_t size, const char *kernel, char **message);
// Where the kept context's modules of builtins.pack are, `count` in number, NULL where one has not been read yet. NULL for
// other contexts, or for want of memory.
LLVMModuleRef *weftc_shared_builtins(LLVMContextRef context, uint32_t count);
// After a compile that may have left much behind in the kept context.
void weftc_shared_forget(void);

#endif
