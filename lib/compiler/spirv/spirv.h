// spirv/ turns a program in SPIR-V into a module of spir64 IR. First it removes what the translator
// (llvm-spirv, a separate process) doesn't know (spirv/downgrade.h). Afterwards it repairs what the
// translator gets wrong.
//
// Input: a build request whose source is SPIR-V (weft/spirv.h). Output: a module like those of frontend. This
// folder knows nothing of targets and of what later happens to the module.
#ifndef WEFTC_SPIRV_H
#define WEFTC_SPIRV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <llvm-c/Core.h>

#include "weft/status.h"

struct weft_buf;
struct weft_build_request;

// ---- spirv/translate.c ----
// Translates the request's module. *module is the caller's; it depends on no files. Errors are reported in
// the log.
weft_status weftc_spirv(const struct weft_build_request *request, LLVMContextRef context,
                        LLVMModuleRef *module, struct weft_buf *log);

// ---- spirv/downgrade.c ----
// Replaces what the translator doesn't know. Writes the new module to out; out stays empty if nothing had to
// be replaced.
weft_status weftc_spirv_lower(const uint32_t *words, size_t count, struct weft_buf *out);

// ---- spirv/fit_calls.c ----
// The translator calls some functions that OpenCL C doesn't have. Replaces these calls by calls of functions
// that exist. words: the SPIR-V module. Functions that it imports under such a name are not changed: another
// module defines them.
weft_status weftc_spirv_fit_calls(LLVMModuleRef module, const uint32_t *words, size_t count);

// ---- spirv/pipe_storage.c ----
// Creates the pipes that the module declares. Returns WEFT_BUILD_FAILED after an error in the log if a pipe
// is too large.
weft_status weftc_spirv_make_pipes(LLVMModuleRef module, struct weft_buf *log);

// ---- spirv/float_controls.c ----
// Checks the execution modes of the module's kernels. *floats gets what kernels require of arithmetic,
// whatever the build options allow. Returns WEFT_BUILD_FAILED after an error in the log if the device can't
// meet a requirement, or if the operand of an execution mode isn't known.
struct weftc_spirv_floats {
    bool denormals; // must be preserved
    bool specials;  // negative zeros, infinities and NaNs must be preserved
};
weft_status weftc_spirv_check_modes(const uint32_t *words, size_t count, struct weftc_spirv_floats *floats,
                                    struct weft_buf *log);

// ---- spirv/execution_modes.c ----
// Transfers execution modes from the SPIR-V words to the translated module's kernels: the required number of
// sub-groups, and which kernels are initializers or finalizers. Returns WEFT_BUILD_FAILED after an error in
// the log.
weft_status weftc_spirv_apply_modes(const uint32_t *words, size_t count, LLVMModuleRef module,
                                    struct weft_buf *log);

#endif
