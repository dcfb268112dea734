// The compiler's stages: what each takes and what it leaves. This is the contract between the folders of lib/compiler, and all that they
// may know of each other beside the headers of the folders below them.
//
//     frontend | spirv    source or SPIR-V -> a module in spir64 IR (ir/ir.h)
//     link                modules of programs with each other; then, for one kernel, with the built-in functions it reaches
//     the stages below    that module, which from now on has one kernel, in place, one after the other
//     codegen             the optimised module -> an ELF shared object
//
// `weftc --emit=NAME` prints the module behind a stage. Only lib/compiler includes llvm-c; what that has no call for is in bridge/.
#ifndef WEFT_COMPILER_H
#define WEFT_COMPILER_H

#include <stdbool.h>
#include <stdint.h>

#include <llvm-c/Core.h>

#include "weft/status.h"

struct weft_buf;
struct weftc_target;

struct weftc_kernel_options {
    const char *name;
    uint32_t vector_width; // 0: the target's choice
    bool opt_disable, debug;
    bool relaxed;      // -cl-fast-relaxed-math, for the built-in functions
    bool zero_private; // private memory begins as zeros
    bool lines;        // source lines stay, for a report; no code is made then
    bool quick;     // little optimised and soon there: the first code of a kernel, until the good one is made
    bool only_code; // weftc_kernel_stages sets it: no other code of this kernel may stand in for this one
    uint32_t form;  // enum weft_variant
    uint32_t group[3]; // as weft_kernel_request has it
};

// STAGE(identifier, name, function, what it takes, what it leaves), in their order.
// clang-format off
#define WEFTC_STAGES(STAGE) \
    STAGE(PREPARE, "prepare", weftc_prepare, \
          "spir64 IR of one kernel with all that it calls, linked with built-in functions", \
          "everything inlined into the kernel, one return, allocas in the entry block, one address space; work-item functions, barriers, " \
          "local memory and printf as primitives (ir/primitives.h); no irreducible loop where regions need none") \
    STAGE(REGIONS, "regions", weftc_regions, \
          "a kernel as prepare leaves it", \
          "a function for each region between barriers (ir/region_functions.h); what lives across a barrier is computed again, handed over " \
          "as a uniform value, or kept in the state arena for each work-item") \
    STAGE(VECTORIZE, "vectorize", weftc_vectorize, \
          "the functions of regions, for one work-item", \
          "beside each, where that can be and pays, a function for several consecutive work-items; never an error for want of one") \
    STAGE(WILOOPS, "wiloops", weftc_wiloops, \
          "the functions of regions, for one work-item and for several", \
          "`run` over a range of work-groups, and the constant weft_kernel_info (its stack_bytes and strays are codegen's); no primitive is left") \
    STAGE(OPTIMIZE, "optimize", weftc_optimize, \
          "`run`, for the target", \
          "the same, optimised; only what codegen must still fit to the target is missing")
// clang-format on

enum weftc_stage {
#define WEFTC_STAGE_ID(id, name, function, takes, leaves) WEFTC_STAGE_##id,
    WEFTC_STAGES(WEFTC_STAGE_ID)
#undef WEFTC_STAGE_ID
};

// Each is in the folder of its name (OPTIMIZE: codegen) and works on the module in place. What is wrong with the kernel is told in the log.
#define WEFTC_STAGE_FUNCTION(id, name, function, takes, leaves)                   \
    weft_status function(LLVMModuleRef module, const struct weftc_target *target, \
                         const struct weftc_kernel_options *options, struct weft_buf *log);
WEFTC_STAGES(WEFTC_STAGE_FUNCTION)
#undef WEFTC_STAGE_FUNCTION

#endif
