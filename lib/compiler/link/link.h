// link/ joins modules: programs with each other, a kernel with the built-in functions that it reaches, and
// program-scope variables in one block.
//
// Input: modules in spir64 IR (ir/ir.h), and builtins.pack. Output: one module in which nothing is undefined
// except what later stages lower. This folder doesn't know how a module was made, or what becomes of the
// kernel.
#ifndef WEFTC_LINK_H
#define WEFTC_LINK_H

#include <llvm-c/Core.h>

#include "base/base.h"

struct weft_program_object;
struct weftc_target;

// ---- link/builtins.c ----
// Links programs into `into` (clLinkProgram). Consumes all inputs, also after a failure. Reports duplicate
// definitions in the log.
weft_status weftc_link_programs(LLVMModuleRef into, LLVMModuleRef *inputs, uint32_t count,
                                struct weft_buf *log);
// Removes everything that the kernel doesn't reach. Returns WEFT_NOT_FOUND if the module has no such kernel.
weft_status weftc_extract_kernel(LLVMModuleRef module, const char *kernel, struct weft_buf *log);
// Reports called functions and used variables that neither the module nor the built-in functions define: an
// error for each in the log, and WEFT_LINK_FAILED.
weft_status weftc_check_undefined(LLVMModuleRef module, struct weft_buf *log);
// Links in the built-in functions that the module reaches, transitively, as internal functions. Calls of
// work-item functions (get_global_id, ...), barriers and printf remain: later stages lower them. Returns
// WEFT_LINK_FAILED after an error in the log if the module calls a built-in function with another type.
weft_status weftc_link_builtins(LLVMModuleRef module, struct weft_buf *log);
struct weft_hash weftc_builtins_identity(void); // identifies builtins.pack; zero if it can't be read

// ---- link/fit_calls.c ----
// Converts arguments and results of calls whose type differs from the called function's type.
weft_status weftc_fit_calls(LLVMModuleRef module);
// Reports the remaining calls with another type, and declarations of lowered functions with a wrong type.
// Functions that aren't internal are the built-in ones here.
weft_status weftc_check_builtin_calls(LLVMModuleRef module, struct weft_buf *log);

// ---- link/sincos.c ----
// Call it before linking built-in functions. For each type whose sin and cos the module calls, it declares
// sincos, such that sincos is linked although nothing calls it yet.
void weftc_declare_sincos(LLVMModuleRef module);
bool weftc_is_declared_sincos(LLVMValueRef function);
// Does the module have a sincos that was linked for its calls of sin and cos?
bool weftc_has_sincos_pair(LLVMModuleRef module);
// Replaces calls of sin and cos with the same argument in one block by one call of sincos. Values must be in
// registers (after mem2reg).
void weftc_merge_sincos(LLVMModuleRef module);

// ---- link/program_variables.c ----
// Gives each program-scope variable of a complete program its offset in the variables' block. Fills the
// initial contents of the block into *out, which may be NULL. Reports too large variables in the log.
weft_status weftc_place_program_variables(LLVMModuleRef module, struct weft_program_object *out,
                                          struct weft_buf *log);
bool weftc_has_place(LLVMValueRef variable); // is the variable in the block? (link/program_variables.c)
// Replaces a kernel's uses of program-scope variables by addresses in the block. Call it after inlining.
weft_status weftc_prepare_program_variables(LLVMModuleRef module, LLVMValueRef kernel,
                                            const struct weftc_target *target, struct weft_buf *log);

// ---- link/shared_context.c: what quick compiles of one process share, to read less bitcode ----
// Returns the shared context. It is replaced by a new one now and then, so the modules that the caller made
// in it for the previous compile must be disposed of.
LLVMContextRef weftc_shared_context(void);
// Returns a module in the shared context with what the kernel reaches. It is empty if the program has no such
// kernel. The module is the caller's. Returns NULL if the bitcode is damaged; then *message, which the caller
// frees with weft_free, may say more.
LLVMModuleRef weftc_shared_kernel(const uint8_t *bitcode, size_t size, const char *kernel, char **message);
// Returns the array of the shared context's modules of builtins.pack. It has `count` elements; NULL for
// modules that haven't been read yet. Returns NULL for other contexts, or if memory is exhausted.
LLVMModuleRef *weftc_shared_builtins(LLVMContextRef context, uint32_t count);
// Disposes of the shared context. Call it after a compile that may have left a lot of data in it.
void weftc_shared_forget(void);

#endif
