// frontend/ makes a module of spir64 IR of a program's source, OpenCL C or C++ for OpenCL, and says what the host must know of its kernels.
//
// Comes in: a build request (weft/protocol.h), with source and options. Goes out: a module as ir/ir.h has it, the diagnostics as Clang prints
// them, and the kernels' descriptions; those for modules of SPIR-V too. Must not know: what becomes of the module, and any target.
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
// The log gets Clang's diagnostics; on success the reply (NULL: not wanted) what the result owes to files and to the time.
weft_status weftc_frontend(const struct weft_build_request *request, LLVMContextRef context,
                           LLVMModuleRef *module, struct weft_buf *log, struct weft_program_reply *reply);
// Prints the syntax tree instead (--emit=ast).
weft_status weftc_frontend_ast(const struct weft_build_request *request, struct weft_buf *ast,
                               struct weft_buf *log);

// ---- frontend/cxx_lifetimes.c ----
// Of a module of C++ for OpenCL: what constructs its objects of program scope becomes an initializer, what destroys them a
// finalizer. WEFT_BUILD_FAILED: as the log says.
weft_status weftc_lower_lifetimes(LLVMModuleRef module, struct weft_buf *log);

// ---- frontend/blocks.c ----
// In a module that Clang made: marks the kernels that are made of blocks, for weftc_is_block and weftc_number_blocks.
void weftc_find_blocks(LLVMModuleRef module);
// In a module that came of SPIR-V: marks those kernels, too. A function that is enqueued but isn't a kernel gets one that calls it.
weft_status weftc_find_invoked(LLVMModuleRef module);
bool weftc_is_block(LLVMValueRef kernel);
// In a whole program: where such a kernel is named its number among the kernels stands from now on.
void weftc_number_blocks(LLVMModuleRef module);

// ---- frontend/kernel_metadata.c ----
// What the host must know of the module's kernels; fills out->kernels. A kernel with too many arguments is told in the log.
weft_status weftc_metadata(LLVMModuleRef module, struct weft_program_object *out, struct weft_buf *log);

// ---- frontend/link_options.c ----
// What clLinkProgram's options say, on the linked module.
void weftc_apply_link_options(LLVMModuleRef module, const struct weft_build_options *options);

#endif
