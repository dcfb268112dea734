// The compiler's stages (DESIGN §8). Each works on an LLVM module in place and can be dumped with
// `weftc --emit=STAGE`. Only this room includes llvm-c; what has no C API is in bridge/bridge.h.
//
// Between the front end and codegen a module is LLVM IR with triple spir64, address spaces 0 private, 1
// global, 2 constant, 3 local, 4 generic, and OpenCL-mangled calls of built-in functions; kernels have the
// calling convention spir_kernel. Metadata of kernels is in struct weft_kernel_meta, not in the IR.
#ifndef WEFT_COMPILER_H
#define WEFT_COMPILER_H

#include <llvm-c/Core.h>
#include <llvm-c/TargetMachine.h>

#include "base/base.h"
#include "weft/code_object.h"
#include "weft/kernel_abi.h"
#include "weft/protocol.h"

// ---- driver/main.c, driver/server.c: command line and `--serve` ----
int weftc_serve(int fd, int level); // level: as weftc_target_init has it

// ---- ir/memory_limit.c: the limit of memory that holds for this process, as messages name it; returns room ----
const char *weftc_memory_limit(char *room, size_t size);

// ---- ir/large_stack.c: compiling is done inside of this. *result: what run returned. ----
weft_status weftc_run_on_big_stack(int (*run)(void *arg), void *arg, int *result);

// ---- ir/target.c: the machine code is for ----
struct weftc_target {
    LLVMTargetMachineRef machine;
    char *cpu, *features;
    char *identity;
    uint32_t native_width; // lanes of 32 bits in the widest vector register
    uint32_t vector_registers;
    bool has_mask_registers;
};
// cpu_override: a processor's name; NULL: this machine's. Of that, no more than weft_processor_level has found in the process that will
// run the code: a tool such as Valgrind may do less than the processor. 0: all of it.
weft_status weftc_target_init(struct weftc_target *t, const char *cpu_override, int level);
void weftc_target_fini(struct weftc_target *t);
// True when products and sums of this type, or of vectors of it, are best rounded together.
bool weftc_target_fuses(const struct weftc_target *t, LLVMTypeRef type);
bool weftc_target_has_halves(const struct weftc_target *t); // computes with them
// Has it the feature that LLVM calls so?
bool weftc_target_has(const struct weftc_target *t, const char *feature);
// Tells linked built-in functions what they ask about the target (lib/kernel-builtins/math/target.cl), before
// the optimiser runs, and whether the program was built with -cl-fast-relaxed-math.
void weftc_target_describe(const struct weftc_target *t, LLVMModuleRef module, bool relaxed);

// ---- driver/build_program.c: the requests of protocol.h. The reply is filled in whatever the outcome (also its status and
// log) and is the caller's, to be freed with weft_*_reply_fini. ----
void weftc_build(const struct weft_build_request *request, const struct weftc_target *target,
                 struct weft_program_reply *reply);
void weftc_link(const struct weft_link_request *request, const struct weftc_target *target,
                struct weft_program_reply *reply);

// ---- driver/replay.c ----
struct weftc_replay {
    uint32_t type; // WEFT_MSG_BUILD or WEFT_MSG_LINK: which of the two it is
    struct weft_build_request build;
    struct weft_link_request link;
};
// What is wrong is told in the log. To be freed whatever the outcome.
weft_status weftc_replay_decode(struct weftc_replay *r, const void *bytes, size_t size, struct weft_buf *log);
void weftc_replay_fini(struct weftc_replay *r);

// ---- frontend/opencl_c.c: source -> module. The log gets Clang's diagnostics as Clang prints them; on success the reply
// (NULL: not wanted) what the result owes to files and to the time. ----
weft_status weftc_frontend(const struct weft_build_request *request, LLVMContextRef context,
                           LLVMModuleRef *module, struct weft_buf *log, struct weft_program_reply *reply);

// Prints the syntax tree instead (--emit=ast).
weft_status weftc_frontend_ast(const struct weft_build_request *request, struct weft_buf *ast,
                               struct weft_buf *log);

// frontend/cxx_lifetimes.c: of a module of C++ for OpenCL, what constructs its objects of program scope becomes an initializer, what destroys them a
// finalizer. WEFT_BUILD_FAILED: as the log says.
weft_status weftc_lower_lifetimes(LLVMModuleRef module, struct weft_buf *log);

// ---- spirv/translate.c: the same for a request whose source is SPIR-V (weft/spirv.h). It owes nothing to files. ----
weft_status weftc_spirv(const struct weft_build_request *request, LLVMContextRef context,
                        LLVMModuleRef *module, struct weft_buf *log);

// spirv/downgrade.c: the module without what the translator doesn't know; out stays empty when it has nothing of that.
weft_status weftc_spirv_lower(const uint32_t *words, size_t count, struct weft_buf *out);
// spirv/fit_calls.c: the functions that the translator calls and OpenCL C hasn't got as those that it has.
// Those that the module, of these words, imports by such a name are other modules'.
weft_status weftc_spirv_fit_calls(LLVMModuleRef module, const uint32_t *words, size_t count);
// spirv/pipe_storage.c: the pipes that the module has of its own. WEFT_BUILD_FAILED: one is too large, which the log tells.
weft_status weftc_spirv_make_pipes(LLVMModuleRef module, struct weft_buf *log);
// spirv/float_controls.c: what kernels of the module demand of arithmetic, whatever the options let it be. WEFT_BUILD_FAILED: something that can't be
// had, as the log says; or an execution mode's operand isn't known.
struct weftc_spirv_floats {
    bool denormals; // are kept
    bool specials;  // negative zeros, infinities and NaNs are what they are
};
weft_status weftc_spirv_check_modes(const uint32_t *words, size_t count, struct weftc_spirv_floats *floats,
                                    struct weft_buf *log);
// spirv/execution_modes.c: tells a translated module how many sub-groups the words that it comes of demand in its kernels' groups. WEFT_BUILD_FAILED:
// one of the numbers isn't known, as the log says.
weft_status weftc_spirv_apply_modes(const uint32_t *words, size_t count, LLVMModuleRef module,
                                    struct weft_buf *log);

// ---- frontend/kernel_metadata.c: what the host must know of the module's kernels; fills out->kernels. ----
// A kernel with too many arguments is told in the log.
weft_status weftc_metadata(LLVMModuleRef module, struct weft_program_object *out, struct weft_buf *log);

// ---- link/program_variables.c: gives each program-scope variable of a whole program its place in the block of them; out
// (NULL: not wanted) gets what that holds at first. One that is too large is told in the log. ----
weft_status weftc_place_program_variables(LLVMModuleRef module, struct weft_program_object *out,
                                          struct weft_buf *log);
bool weftc_has_program_variables(LLVMModuleRef module);

// ---- link/builtins.c ----
// Each input is consumed, also when this fails. Duplicate definitions are told in the log.
weft_status weftc_link_programs(LLVMModuleRef into, LLVMModuleRef *inputs, uint32_t count,
                                struct weft_buf *log);
// What clLinkProgram's options say, on the linked module (frontend/link_options.c).
void weftc_apply_link_options(LLVMModuleRef module, const struct weft_build_options *options);
// Removes everything that the kernel doesn't reach.
weft_status weftc_extract_kernel(LLVMModuleRef module, const char *kernel, struct weft_buf *log);
// Names of called functions that neither the module nor the built-ins define go to the log; WEFT_LINK_FAILED
// then.
// Where the source has it, "file:line:column: " as diagnostics begin; "": that isn't known. The module's.
const char *weftc_place_of(LLVMModuleRef module, LLVMValueRef function);
weft_status weftc_check_undefined(LLVMModuleRef module, struct weft_buf *log);
// A kernel that reaches a function which calls itself, or a call through a pointer, is told in the log, and it is
// WEFT_BUILD_FAILED then: OpenCL C allows neither (OpenCL C 2.0 §6.9), and no kernel could be made of it (prepare/inline.c).
weft_status weftc_check_calls(LLVMModuleRef module, struct weft_buf *log);

// ---- frontend/blocks.c ----
// In a module that Clang made: marks the kernels that are made of blocks, for those below.
void weftc_find_blocks(LLVMModuleRef module);
// The same in a module that came of SPIR-V. A function that is enqueued but isn't a kernel gets one that calls it.
weft_status weftc_find_invoked(LLVMModuleRef module);
bool weftc_is_block(LLVMValueRef kernel);
// In a whole program: where such a kernel is named its number among the kernels stands from now on.
void weftc_number_blocks(LLVMModuleRef module);
// Links in the built-in functions that the module reaches, transitively, as internal functions. Work-item
// functions (get_global_id ...), barriers and printf stay calls: later stages lower them.
// WEFT_LINK_FAILED, as the log says: it calls one of another type.
weft_status weftc_link_builtins(LLVMModuleRef module, struct weft_buf *log);
// link/fit_calls.c: calls of functions whose types are others than the calls say are made to fit.
weft_status weftc_fit_calls(LLVMModuleRef module);
// And those of built-in functions, which alone aren't internal, that don't fit are refused.
weft_status weftc_check_builtin_calls(LLVMModuleRef module, struct weft_buf *log);
// link/sincos.c: declares sincos for each type whose sin and cos the module calls; such a declaration is linked though nobody calls it.
void weftc_want_pairs(LLVMModuleRef module);
bool weftc_is_wanted_pair(LLVMValueRef function);
struct weft_hash weftc_builtins_identity(void); // of builtins.pack; zero without one

// ---- link/shared_context.c: what quick compiles of one process share, so that each reads little. ----
// A context that stays, and is emptied now and then. All modules made in it for the last compile are gone by now.
LLVMContextRef weftc_kept_context(void);
// In the kept context: a module, the caller's, with what the kernel of the program reaches (no kernel, if it has none of that
// name). NULL: damaged bitcode, *message says more (the caller's, weft_free).
LLVMModuleRef weftc_kept_kernel(const uint8_t *bitcode, size_t size, const char *kernel, char **message);
// Where the kept context's modules of builtins.pack are, `count` in number, NULL where one has not been read yet. NULL for
// other contexts, or for want of memory.
LLVMModuleRef *weftc_kept_builtins(LLVMContextRef context, uint32_t count);
// After a compile that may have left much behind in the kept context.
void weftc_kept_forget(void);

// ---- The middle: from here on the module has one kernel. ----

// Where an argument lies in the packed block, by the rule of frontend/kernel_metadata.c: slots follow in order, each at its
// natural alignment; a pointer takes 8 bytes, a struct (byval) its own size.
struct weftc_slot {
    uint32_t offset, size, align;
};
// For a kernel as the front end leaves it. slots: LLVMCountParams(kernel) elements. Returns the block's size.
uint32_t weftc_argument_slots(LLVMValueRef kernel, struct weftc_slot *slots);

struct weftc_kernel_options {
    const char *name;
    uint32_t vector_width; // 0: the target's choice
    bool opt_disable, debug;
    bool relaxed;      // -cl-fast-relaxed-math, for the built-in functions
    bool zero_private; // private memory begins as zeros
    bool lines;        // source lines stay, for a report; no code is made then
    bool quick;        // little optimised and soon there: T0 of DESIGN §8
    bool only_code;    // weftc_kernel_stages sets it: no other code of this kernel may stand in for this one
    uint32_t form;     // enum weft_form
    uint32_t group[3]; // as weft_kernel_request has it
};

// frontend/kernel_metadata.c: what reqd_work_group_size says of the kernel; all 0 when it doesn't.
void weftc_required_group(LLVMValueRef kernel, uint32_t sizes[3]);

// frontend/kernel_metadata.c: what intel_reqd_sub_group_size says of the kernel; 0 when it doesn't.
uint32_t weftc_required_sub_group(LLVMValueRef kernel);

// A function's metadata node of one kind, as a value; NULL: none.
LLVMValueRef weftc_find_node(LLVMContextRef context, LLVMValueMetadataEntry *entries, size_t count,
                             const char *kind);
// Operand i of a node; NULL when it has fewer.
LLVMValueRef weftc_node_operand(LLVMValueRef node, unsigned i);
// Operand i of a node as a number; fallback when there is none.
uint32_t weftc_node_number(LLVMValueRef node, unsigned i, uint32_t fallback);

// How many sub-groups the kernel wants in a work-group; 0: any number. Modules of SPIR-V alone can say it.
uint32_t weftc_required_sub_groups(LLVMValueRef kernel);

// frontend/kernel_metadata.c: does the kernel's language want all groups of a launch to be of one size?
bool weftc_groups_are_uniform(LLVMValueRef kernel);

// prepare/prepare.c (C0): everything inlined into the kernel, one return, allocas in the entry block, no switch or
// irreducible loop left where regions need it, printf lowered to weft_kernel_host.printf, barriers numbered,
// `llvm.memcpy` etc. self-contained.
weft_status weftc_prepare(LLVMModuleRef module, const struct weftc_target *target,
                          const struct weftc_kernel_options *options, struct weft_buf *log);
// regions/regions.c (C2): splits at barriers; decides REMAT, UNIFORM or PER_WI for what lives across one.
weft_status weftc_regions(LLVMModuleRef module, const struct weftc_target *target,
                          const struct weftc_kernel_options *options, struct weft_buf *log);
// vectorize/vectorize.c (C1, C3): a second function for each region, for several work-items at once, where that can be.
weft_status weftc_vectorize(LLVMModuleRef module, const struct weftc_target *target,
                            const struct weftc_kernel_options *options, struct weft_buf *log);
// What vectorize does with each region and why, in words. Called in its place.
weft_status weftc_vectorize_report(LLVMModuleRef module, const struct weftc_target *target,
                                   const struct weftc_kernel_options *options, struct weft_buf *out);
// ---- driver/report.c ----
// The same for each kernel of a program as the front end or the linker left it, or for options->name alone when that is
// given. WEFT_NOT_FOUND: there is none.
weft_status weftc_report(LLVMModuleRef module, const struct weftc_target *target,
                         const struct weftc_kernel_options *options, struct weft_buf *out,
                         struct weft_buf *log);

// The shapes of all values after regions, as text.
weft_status weftc_shapes_dump(LLVMModuleRef module, const struct weftc_target *target,
                              const struct weftc_kernel_options *options, struct weft_buf *out);
// workitem_loops/run.c (C4): work-item loops, the entry point `run` over a range of groups, and the constant
// weft_kernel_info. stack_bytes and strays are filled in by codegen.
weft_status weftc_wiloops(LLVMModuleRef module, const struct weftc_target *target,
                          const struct weftc_kernel_options *options, struct weft_buf *log);
// codegen/codegen.c: optimises for the target and makes the ELF shared object. *elf is the caller's (weft_free).
weft_status weftc_optimize(LLVMModuleRef module, const struct weftc_target *target,
                           const struct weftc_kernel_options *options, struct weft_buf *log);
// The machine code alone, as an object file or as text. *out is the caller's (LLVMDisposeMemoryBuffer).
weft_status weftc_emit_machine_code(LLVMModuleRef module, const struct weftc_target *target,
                                    const struct weftc_kernel_options *options, LLVMCodeGenFileType type,
                                    LLVMMemoryBufferRef *out, struct weft_buf *log);
// codegen/unsafe_stack.c: does the final code write to private memory beyond the end of an array, as far as is known?
bool weftc_strays(LLVMModuleRef module, const struct weftc_target *target);
weft_status weftc_codegen(LLVMModuleRef module, const struct weftc_target *target,
                          const struct weftc_kernel_options *options, uint8_t **elf, size_t *elf_size,
                          struct weft_buf *log);

// ---- driver/compile_kernel.c ----
enum weftc_stage {
    WEFTC_STAGE_PREPARE,
    WEFTC_STAGE_REGIONS,
    WEFTC_STAGE_VECTORIZE,
    WEFTC_STAGE_WILOOPS,
    WEFTC_STAGE_OPTIMIZE
};
// A program's module through all stages up to `last`, for one kernel. Clears options->quick where quick and
// full code could compute different bits.
weft_status weftc_kernel_stages(LLVMModuleRef module, const struct weftc_target *target,
                                struct weftc_kernel_options *options, enum weftc_stage last,
                                struct weft_buf *log);
// All of the above for one kernel of a program. The reply is filled in whatever the outcome.
weft_status weftc_compile_kernel(const struct weft_kernel_request *request, const struct weftc_target *target,
                                 struct weft_kernel_reply *reply);

#endif
