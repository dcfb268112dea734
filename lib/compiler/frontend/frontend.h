// frontend/ compiles a program's source, OpenCL C or C++ for OpenCL, to a module of spir64 IR. It also
// describes the program's kernels for the host.
//
// Input: a build request (weft/protocol.h) with source and options. Output: a module as in ir/ir.h, the
// diagnostics as Clang prints them, and the descriptions of kernels (also for modules that came from SPIR-V).
// This folder knows nothing of what later happens to the module, and one thing of the target, which the
// caller says: whether it has a fast fused multiply-add. Programs ask for that in the preprocessor.
#ifndef WEFTC_FRONTEND_H
#define WEFTC_FRONTEND_H

#include <stdbool.h>

#include <llvm-c/Core.h>

#include "weft/status.h"

struct weft_buf;
struct weft_build_options;
struct weft_build_request;
struct weft_program_object;
struct weft_program_reply;

// ---- frontend/opencl_c.c ----
// Compiles a program. fast_fma: the target has a fused multiply-add, so FP_FAST_FMA and FP_FAST_FMAF are
// defined (OpenCL C 3.0 §6.15.2). The log gets Clang's diagnostics. On success *module is the caller's, and
// *reply gets the files that the result depends on and whether it depends on the time. reply may be NULL.
weft_status weftc_frontend(const struct weft_build_request *request, bool fast_fma, LLVMContextRef context,
                           LLVMModuleRef *module, struct weft_buf *log, struct weft_program_reply *reply);
// Prints the syntax tree to ast instead of making a module (--emit=ast).
weft_status weftc_frontend_ast(const struct weft_build_request *request, bool fast_fma, struct weft_buf *ast,
                               struct weft_buf *log);

// ---- frontend/cxx_lifetimes.c ----
// For a module of C++ for OpenCL: makes an initializer that constructs the objects of program scope and a
// finalizer that destroys them. Returns WEFT_BUILD_FAILED after an error in the log.
weft_status weftc_lower_lifetimes(LLVMModuleRef module, struct weft_buf *log);

// ---- frontend/blocks.c ----
// For a module that Clang made: marks the kernels that Clang made from blocks, for weftc_is_block and
// weftc_number_blocks.
void weftc_find_blocks(LLVMModuleRef module);
// For a module that came from SPIR-V: marks the kernels that are enqueued by kernels. An enqueued function
// that isn't a kernel gets a kernel that calls it.
weft_status weftc_find_invoked(LLVMModuleRef module);
// Has the kernel been marked by one of these two?
bool weftc_is_block(LLVMValueRef kernel);
// For a complete program: replaces each use of such a kernel by the kernel's number among all kernels.
void weftc_number_blocks(LLVMModuleRef module);

// ---- frontend/kernel_metadata.c ----
// Fills out->kernels with what the host must know of the module's kernels. A kernel with too large arguments
// or an unsupported sub-group size is an error in the log.
weft_status weftc_metadata(LLVMModuleRef module, struct weft_program_object *out, struct weft_buf *log);

// ---- frontend/link_options.c ----
// Applies the options of clLinkProgram to the linked module.
void weftc_apply_link_options(LLVMModuleRef module, const struct weft_build_options *options);

#endif
