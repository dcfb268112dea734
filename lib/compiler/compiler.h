// The stages of the compiler: what each one takes and what it leaves. This is the contract between the
// folders of lib/compiler. A folder may include this header and the headers of the folders below it, nothing
// else of the compiler.
//
//     frontend | spirv    source or SPIR-V -> a module in spir64 IR (ir/ir.h)
//     link                links programs; later links one kernel with the built-in functions that it reaches
//     the stages below    work on that module in place, in their order; it has one kernel from here on
//     codegen             the optimised module -> an ELF shared object
//
// `weftc --emit=NAME` prints the module that a stage leaves. Only lib/compiler includes llvm-c. bridge/ has
// what llvm-c has no call for.
#ifndef WEFT_COMPILER_H
#define WEFT_COMPILER_H

#include <stdbool.h>
#include <stdint.h>

#include <llvm-c/Core.h>

#include "weft/kernel_abi.h"
#include "weft/status.h"

struct weft_buf;
struct weftc_target;

struct weftc_kernel_options {
    const char *name;
    uint32_t vector_width; // work-items per vector iteration; 0: the target chooses
    bool opt_disable, debug;
    // A debugger is to see the kernel's variables: they stay in memory (bridge/debug_variables.cpp). Code is
    // for one work-item at a time, and not optimised.
    bool variables;
    bool relaxed;      // -cl-fast-relaxed-math, for the built-in functions
    bool zero_private; // private memory is initialised with zeros
    bool count;        // the code counts its work (ir/passes/count_work.c)
    uint32_t check;    // kinds of faults that the code looks for (weft/checker.h)
    bool lines;        // keep source lines for a report; no code is generated then
    // Describe in the debug information which work-items each instruction works on (bridge/locate.h). The
    // machine code is the same as without it.
    bool locate;
    enum weft_code_level level;
    bool only_code;    // set by weftc_kernel_stages: no other code of this kernel may replace this code
    uint32_t variant;  // enum weft_variant
    uint32_t group[3]; // the local size that the code is for; {0}: any (see weft_kernel_request)
};

// STAGE(identifier, name, function, what it takes, what it leaves), in the order in which they run.
// clang-format off
#define WEFTC_STAGES(STAGE) \
    STAGE(PREPARE, "prepare", weftc_prepare, \
          "spir64 IR of one kernel with all that it calls, linked with built-in functions", \
          "callees inlined into the kernel, except those that prepare/inline.c keeps outlined; one return, " \
          "allocas in the entry block, one address space; work-item functions, barriers, local memory and " \
          "printf as primitives (ir/primitives.h)") \
    STAGE(REGIONS, "regions", weftc_regions, \
          "a kernel as prepare leaves it", \
          "a function for each region between barriers (ir/region_functions.h); values that live across a " \
          "barrier are rematerialized, passed as uniform values, or spilled to the state arena") \
    STAGE(VECTORIZE, "vectorize", weftc_vectorize, \
          "regions' functions for one work-item", \
          "these, and, where it is possible and pays, a function for several consecutive work-items for " \
          "each; a region that can't be vectorized is no error") \
    STAGE(WILOOPS, "wiloops", weftc_wiloops, \
          "regions' functions for one work-item and for several", \
          "`run` over a range of work-groups, and the constant weft_kernel_info, in which codegen later " \
          "sets stack_bytes and unsafe_stack_writes; no primitive is left") \
    STAGE(OPTIMIZE, "optimize", weftc_optimize, \
          "`run`, for the target", \
          "`run`, optimised; only codegen's fix-ups for the target are missing")
// clang-format on

enum weftc_stage {
#define WEFTC_STAGE_ID(id, name, function, takes, leaves) WEFTC_STAGE_##id,
    WEFTC_STAGES(WEFTC_STAGE_ID)
#undef WEFTC_STAGE_ID
};

// Each function is in the folder of its stage (OPTIMIZE: codegen/optimize.c). It changes the module in place.
// On an error it appends a message about the kernel to log.
#define WEFTC_STAGE_FUNCTION(id, name, function, takes, leaves)                   \
    weft_status function(LLVMModuleRef module, const struct weftc_target *target, \
                         const struct weftc_kernel_options *options, struct weft_buf *log);
WEFTC_STAGES(WEFTC_STAGE_FUNCTION)
#undef WEFTC_STAGE_FUNCTION

#endif
