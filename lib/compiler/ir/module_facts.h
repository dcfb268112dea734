// What stages tell later stages besides the code: numbers and lists in the module's metadata, attributes of
// functions and parameters, and kinds of metadata of single instructions or kernels. Their names are only in
// this list; bridge/ gets them as arguments.
//
// A number that isn't set is 0. Facts are stored in bitcode with the module. So facts of the front end are
// there when another process compiles a kernel of the program. Changing a name of those requires a new
// version of the format.
#ifndef WEFTC_MODULE_FACTS_H
#define WEFTC_MODULE_FACTS_H

#include <stddef.h>
#include <stdint.h>

#include <llvm-c/Core.h>

// FACT(identifier, name, sort, who writes it, who reads it, what it means)
//
// sort: NUMBER, a number of the module; METADATA, named metadata of the module; ATTRIBUTE, a string attribute
// of a function or parameter; KIND, a kind of metadata. Writers and readers are files or folders below
// lib/compiler.
// clang-format off
#define WEFTC_FACTS(FACT) \
    /* facts of prepare and link */ \
    FACT(SINCOS, "weft.sincos.", NUMBER, \
         "link/sincos", "link/sincos", \
         "followed by a number for each type; 1: sincos was linked for calls of sin and cos") \
    FACT(FLUSHES_DENORMALS, "weft.flushes_denormals", NUMBER, \
         "ir/denormals", "ir/denormals, workitem_loops/host_calls", \
         "see weft_kernel_info") \
    FACT(LOCAL_BYTES, "weft.local_bytes", NUMBER, \
         "prepare/address_spaces", "workitem_loops/host_calls", \
         "bytes of static local memory") \
    FACT(UNIFORM_GROUPS, "weft.uniform_groups", NUMBER, \
         "prepare/known_sizes", "workitem_loops/run", \
         "1: every group has the full size") \
    FACT(GROUP_SIZE_0, "weft.group_size.0", NUMBER, \
         "prepare/known_sizes", "prepare/uniform_trip_counts, vectorize, workitem_loops/run", \
         "local size in dimension 0 that the kernel requires, or that the code is made for; 0: any") \
    FACT(GROUP_SIZE_1, "weft.group_size.1", NUMBER, \
         "prepare/known_sizes", "prepare/uniform_trip_counts, vectorize, workitem_loops/run", \
         "local size in dimension 1; 0: any") \
    FACT(GROUP_SIZE_2, "weft.group_size.2", NUMBER, \
         "prepare/known_sizes", "prepare/uniform_trip_counts, vectorize, workitem_loops/run", \
         "local size in dimension 2; 0: any") \
    FACT(SMALL_IDS, "weft.small_ids", NUMBER, \
         "prepare/known_sizes", "workitem_loops/run", \
         "1: global ids are below 2^31") \
    FACT(OUTLINED_CALLS, "weft.outlined_calls", NUMBER, \
         "prepare/inline", "prepare, vectorize, driver/report", \
         "1: the kernel calls functions that weren't inlined") \
    FACT(OUTLINED_ATOMICS, "weft.outlined_atomics", NUMBER, \
         "prepare/outlined_signatures", "vectorize", \
         "1: these functions have atomic or volatile accesses") \
    FACT(DEEP_NEST, "weft.deep_nest", NUMBER, \
         "vectorize/legalize/canonicalize", "codegen/optimize", \
         "a region has loops in so many loops that LLVM's passes for loops didn't run before it got lanes") \
    FACT(NO_SINKING, "weft.no_sinking", NUMBER, \
         "prepare/prepare", "codegen", \
         "1: values that are used only after a branch are computed before it") \
    FACT(SUB_GROUPS, "weft.sub_groups", NUMBER, \
         "prepare/prepare", \
         "prepare/image_versions, shapes, vectorize, workitem_loops, ir/group_independence", \
         "1: the kernel depends on sub-groups (ir/sub_groups.h)") \
    FACT(SUB_GROUP_REQUIRED, "weft.sub_group_required", NUMBER, \
         "prepare/prepare", "vectorize", \
         "size of sub-groups that the kernel requires; 0: any") \
    FACT(SCHEDULED, "weft.scheduled", NUMBER, \
         "prepare/named_barriers", "regions, vectorize, workitem_loops/run", \
         "1: the kernel has named barriers, so run schedules each work-item separately between barriers") \
    FACT(BARRIER_COUNT, "weft.barrier_count", NUMBER, \
         "prepare/named_barriers", "workitem_loops/item_scheduler", \
         "number of named barriers") \
    FACT(ITEMS_GROUP, "weft.items", METADATA, \
         "prepare/address_spaces", "regions/private_rows, workitem_loops/run", \
         "the access group of accesses that work-items may make in parallel") \
    FACT(PRIVATE_ACCESS, "weft.private_access", METADATA, \
         "prepare/address_spaces", "regions/private_rows", \
         "the lists alias.scope and noalias for accesses to private memory") \
    FACT(LIKELY_BRANCH, "weft.likely", KIND, \
         "prepare/image_versions, vectorize/emit/control_flow", "vectorize/versioning", \
         "of a branch on a condition that is known when a kernel begins: it is mostly true, and code behind " \
         "the other way does the same, whatever the condition is") \
    FACT(ATTRIBUTE_OFFSET, "weft-offset", ATTRIBUTE, \
         "prepare/kernel_arguments", "workitem_loops/run", \
         "of a kernel's parameter: its offset in the packed block of arguments, decimal bytes") \
    FACT(ATTRIBUTE_KIND, "weft-kind", ATTRIBUTE, \
         "prepare/kernel_arguments, workitem_loops/run", \
         "vectorize/access/nontemporal, workitem_loops/run, ir/group_independence, codegen/sink_far_values", \
         "of a kernel's parameter: value; memory (a struct: pointer to the argument; of `run`: the block of " \
         "all arguments); local (offset)") \
    FACT(CHECK_OWN, "weft-own", ATTRIBUTE, \
         "checker/mark", "checker/mark, checker/operations", \
         "of a function: it is the program's, not a built-in function") \
    FACT(ATTRIBUTE_CALLED, "weft-called", ATTRIBUTE, \
         "prepare/outline_image_reads, prepare/outlined_signatures, vectorize/legalize/callees", \
         "prepare/inline_budget, codegen/optimize", \
         "of a function that reads or writes an image and must not be inlined, and of its versions") \
    FACT(ATTRIBUTE_LANES_DO_NOT_PAY, "weft-lanes-do-not-pay", ATTRIBUTE, \
         "vectorize", "workitem_loops/nest", \
         "a region that isn't worth vectorizing, by LLVM neither, because of bytes that lie anywhere") \
    FACT(ATTRIBUTE_INLINED_FOR_LANES, "weft-inlined-for-lanes", ATTRIBUTE, \
         "prepare/image_versions", \
         "vectorize/legalize/canonicalize, vectorize/versioning, codegen/optimize", \
         "of a function: code with lanes has it inlined, scalar code beside it calls it") \
    FACT(ATTRIBUTE_SCALAR_VERSION, "weft-scalar-version", ATTRIBUTE, \
         "prepare/image_versions", "vectorize/legalize/callees, vectorize/versioning", \
         "of a function: the name of the one that scalar code beside lanes calls instead") \
    FACT(ATTRIBUTE_WANTED, "weft-wanted", ATTRIBUTE, \
         "link/sincos", "link/sincos", \
         "of a declaration that must be linked although nothing calls it") \
    FACT(VARIABLE_PLACE, "weft.place", KIND, \
         "link/program_variables", "link/program_variables", \
         "of a program-scope variable: its offset in the block of them") \
    /* facts of the front end */ \
    FACT(PLACES, "weft.places", METADATA, \
         "frontend/opencl_c (bridge/clang/clang.cpp)", "frontend, driver/build_program, ir/kernel_attributes", \
         "pairs of strings: a function's name, and its place in the source") \
    FACT(ATTRIBUTE_MAX_BYTES, "weft-max-bytes", ATTRIBUTE, \
         "spirv/translate", "frontend/kernel_metadata", \
         "of a kernel's pointer: maximum size of its memory in bytes, decimal") \
    FACT(ATTRIBUTE_IMAGE, "weft-image", ATTRIBUTE, \
         "frontend/opencl_c (bridge/retype.cpp)", "prepare/image_versions", \
         "of a parameter that is the address of a struct weft_image") \
    FACT(ATTRIBUTE_BLOCK, "weft-block", ATTRIBUTE, \
         "frontend/blocks", "frontend", \
         "of a kernel that was made from a block") \
    FACT(ATTRIBUTE_SEALED, "weft-sealed", ATTRIBUTE, \
         "frontend/link_options", "frontend/link_options", \
         "of a function of a library: options of later links don't change it") \
    FACT(SUB_GROUPS_KIND, "weft_reqd_sub_groups", KIND, \
         "spirv/execution_modes", "frontend/kernel_metadata, ir/kernel_attributes", \
         "of a kernel: number of sub-groups that a work-group must have") \
    FACT(INITIALIZER_KIND, "weft_initializer", KIND, \
         "frontend/cxx_lifetimes, spirv/execution_modes", "frontend/kernel_metadata", \
         "of a kernel that initializes the program's variables, if the number isn't 0") \
    FACT(FINALIZER_KIND, "weft_finalizer", KIND, \
         "frontend/cxx_lifetimes, spirv/execution_modes", "frontend/kernel_metadata", \
         "of a kernel that runs when the program is released") \
    /* facts of regions */ \
    FACT(REGION_COUNT, "weft.region_count", NUMBER, \
         "regions/regions", "vectorize, workitem_loops/run, ir/group_independence", \
         "number of regions") \
    FACT(STATE_PER_ITEM, "weft.state_per_item", NUMBER, \
         "regions/regions", "workitem_loops", \
         "bytes of the state arena for each work-item") \
    FACT(PRIVATE_BYTES, "weft.private_bytes", NUMBER, \
         "regions/regions", "workitem_loops/host_calls", \
         "bytes of private memory for each work-item") \
    FACT(ITEM_FRAME_BYTES, "weft.item_frame_bytes", NUMBER, \
         "prepare/prepare", "regions, workitem_loops", \
         "size of a work-item's variables that a debugger sees; 0: none") \
    FACT(ITEM_FRAME_PLACE, "weft.item_frame_place", NUMBER, \
         "regions/regions", "workitem_loops", \
         "in kernels with barriers: where these variables are in the state of a work-item, in bytes") \
    FACT(VARIABLES, "weft.variables", METADATA, \
         "prepare/prepare (bridge/debug_variables.cpp)", \
         "workitem_loops/debug_info (bridge/debug_variables.cpp)", \
         "what these variables are, and where in a work-item's frame") \
    FACT(SCHEDULE_ROW, "weft.schedule_row", NUMBER, \
         "regions/regions", "workitem_loops/item_scheduler", \
         "offset of the arena's row that has the next region of each work-item") \
    FACT(ATTRIBUTE_IN, "weft-in", ATTRIBUTE, \
         "regions/build", "workitem_loops/nest", \
         "of a region's function: its uniform inputs, a list of decimal numbers") \
    FACT(ATTRIBUTE_OUT, "weft-out", ATTRIBUTE, \
         "regions/build", "workitem_loops/nest", \
         "of a region's function: its uniform outputs, a list of decimal numbers") \
    FACT(ATTRIBUTE_NEXT, "weft-next", ATTRIBUTE, \
         "regions/build", "workitem_loops/run", \
         "of a region's function: next regions, a list of decimal numbers; 0: the work-item is done") \
    FACT(ATTRIBUTE_SINGLE_ITEM, "weft-single-item", ATTRIBUTE, \
         "regions/build", "ir/module_facts", \
         "of a region's function: one work-item runs it for the whole group") \
    FACT(ATTRIBUTE_YIELD, "weft-yield", ATTRIBUTE, \
         "regions/build", "ir/module_facts", \
         "of a region's function: it begins after a WEFTC_YIELD") \
    /* facts of vectorize */ \
    FACT(PERMUTES, "weft.permutes", NUMBER, \
         "vectorize/vectorize", "vectorize/access/tables", \
         "the target's permutations of registers, a set of WEFTC_PERMUTES_*") \
    FACT(LANES, "weft.lanes", NUMBER, \
         "vectorize/vectorize", "workitem_loops/run", \
         "work-items that one call of a vectorized function runs") \
    FACT(ALL_IN_LANES, "weft.all_in_lanes", NUMBER, \
         "vectorize/vectorize", "workitem_loops/host_calls, codegen/optimize", \
         "1: every region has a function for several work-items") \
    FACT(TILES, "weft.tiles", NUMBER, \
         "vectorize/vectorize", "workitem_loops/run", \
         "1: work-items should run in tiles") \
    FACT(SUB_GROUP_MAX, "weft.sub_group_max", NUMBER, \
         "vectorize/vectorize", "workitem_loops", \
         "maximum number of work-items in a sub-group") \
    FACT(SWAP_DIMENSIONS, "weft.swap_dimensions", NUMBER, \
         "vectorize/vectorize", "workitem_loops/host_calls", \
         "see weft_kernel_info") \
    FACT(VECTOR_ITERATION_COST, "weft.vector_iteration_cost", NUMBER, \
         "vectorize/vectorize", "workitem_loops/host_calls", \
         "see weft_kernel_info") \
    FACT(AUTOTUNE, "weft.autotune", NUMBER, \
         "vectorize/vectorize", "workitem_loops/host_calls", \
         "see weft_kernel_info") \
    FACT(NONTEMPORAL_BYTES, "weft.nontemporal_bytes", NUMBER, \
         "vectorize/vectorize", "workitem_loops/host_calls", \
         "see weft_kernel_info") \
    FACT(PHASES, "weft.phases", NUMBER, \
         "regions/arrivals", "workitem_loops/run", \
         "1: after each region the driver is told that a barrier was passed") \
    FACT(WRITTEN, "weft.written", NUMBER, \
         "checker/expand", "workitem_loops/host_calls", \
         "see weft_kernel_info") \
    FACT(ONLY_CHECKS_DEPEND, "weft.only_checks_depend", NUMBER, \
         "checker/expand", "workitem_loops/host_calls", \
         "see weft_kernel_info") \
    FACT(QUIET, "weft.quiet", NUMBER, \
         "checker/proofs", "workitem_loops/host_calls", \
         "see weft_kernel_info") \
    FACT(LIMITS_HOLD, "weft.limits", NUMBER, \
         "codegen/limits", "codegen/limits", \
         "for the report: what is left out since the kernel is large: a set of enum weftc_limit (codegen/codegen.h)") \
    FACT(ITERATIONS, "weft.iterations", KIND, \
         "vectorize/legalize/unroll_rows (bridge/vectorize.cpp)", "vectorize/legalize/unroll_rows", \
         "of a loop's last branch: iterations of the source's loop in one iteration")
// clang-format on

enum weftc_fact {
#define WEFTC_FACT_ID(id, name, sort, writer, reader, meaning) WEFTC_##id,
    WEFTC_FACTS(WEFTC_FACT_ID)
#undef WEFTC_FACT_ID
        WEFTC_FACT_COUNT
};

const char *weftc_fact_name(enum weftc_fact fact);

// ---- facts of sort NUMBER ----
void weftc_module_number_set(LLVMModuleRef module, enum weftc_fact fact, uint64_t value);
uint64_t weftc_module_number(LLVMModuleRef module, enum weftc_fact fact); // 0 if not set
// For facts that exist several times: `at` is appended to the name.
void weftc_module_number_set_at(LLVMModuleRef module, enum weftc_fact fact, unsigned at, uint64_t value);
uint64_t weftc_module_number_at(LLVMModuleRef module, enum weftc_fact fact, unsigned at);

// ---- facts of sort ATTRIBUTE, of the function or of one of its parameters ----
LLVMAttributeRef weftc_fact_attribute(LLVMValueRef f, LLVMAttributeIndex at,
                                      enum weftc_fact fact); // NULL if there is none
void weftc_fact_attribute_set(LLVMValueRef f, LLVMAttributeIndex at, enum weftc_fact fact, const char *value,
                              size_t length);

// ---- facts of sort KIND ----
unsigned weftc_fact_kind(LLVMContextRef c, enum weftc_fact fact); // LLVM's number of the kind

#endif
