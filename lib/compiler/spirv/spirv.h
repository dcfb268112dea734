// spirv/ makes a module of spir64 IR of a program in SPIR-V: what the translator (llvm-spirv, another process) doesn't know is taken out before
// (spirv/downgrade.h), what it gets wrong is repaired behind it.
//
// Comes in: a build request whose source is SPIR-V (weft/spirv.h). Goes out: a module as frontend leaves it. Must not know: what becomes of
// the module, and any target.
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
// The module of such a request. It owes nothing to files. What is wrong is told in the log.
weft_status weftc_spirv(const struct weft_build_request *request, LLVMContextRef context,
                        LLVMModuleRef *module, struct weft_buf *log);

// ---- spirv/downgrade.c ----
// The module without what the translator doesn't know; out stays empty when it has nothing of that.
weft_status weftc_spirv_lower(const uint32_t *words, size_t count, struct weft_buf *out);

// ---- spirv/fit_calls.c ----
// The functions that the translator calls and OpenCL C hasn't got as those that it has.
// Those that the module, of these words, imports by such a name are other modules'.
weft_status weftc_spirv_fit_calls(LLVMModuleRef module, const uint32_t *words, size_t count);

// ---- spirv/pipe_storage.c ----
// The pipes that the module has of its own. WEFT_BUILD_FAILED: one is too large, which the log tells.
weft_status weftc_spirv_make_pipes(LLVMModuleRef module, struct weft_buf *log);

// ---- spirv/float_controls.c ----
// What kernels of the module demand of arithmetic, whatever the options let it be. WEFT_BUILD_FAILED: something that can't be
// had, as the log says; or an execution mode's operand isn't known.
struct weftc_spirv_floats {
    bool denormals; // are kept
    bool specials;  // negative zeros, infinities and NaNs are what they are
};
weft_status weftc_spirv_check_modes(const uint32_t *words, size_t count, struct weftc_spirv_floats *floats,
                                    struct weft_buf *log);

// ---- spirv/execution_modes.c ----
// Tells a translated module what the execution modes of the words that it comes of say of its kernels: how many sub-groups their groups
// must have, which of them run before and after all others. WEFT_BUILD_FAILED: as the log says.
weft_status weftc_spirv_apply_modes(const uint32_t *words, size_t count, LLVMModuleRef module,
                                    struct weft_buf *log);

#endif
