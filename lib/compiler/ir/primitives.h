// What the middle of the compiler (prepare, regions, wiloops, optimize, codegen) shares and nobody else
// needs.
//
// Between prepare and wiloops a kernel knows its place in the index space, its memory and the host only
// through *primitives*: calls of declared functions named "weft.*" that have no body. prepare makes them out
// of OpenCL's work-item functions, __local variables and printf; regions adds those that reach saved state;
// wiloops replaces each by a value of the loop nest that it builds. Primitives without side effects are
// `memory(none) speculatable`, so LLVM's passes move and merge them as they like.
#ifndef WEFTC_MIDDLE_H
#define WEFTC_MIDDLE_H

#include "compiler/compiler.h"
#include "compiler/ir/module_facts.h"

// PRIMITIVE(id, name, dims, type, varying): dims 3: one function for each dimension, "weft.name.0" to ".2".
// varying: differs between the work-items of a group.
#define WEFTC_PRIMITIVES(PRIMITIVE)                                                                          \
    PRIMITIVE(GLOBAL_ID, "weft.global_id", 3, INDEX, true)                                                   \
    PRIMITIVE(LOCAL_ID, "weft.local_id", 3, INDEX, true)                                                     \
    PRIMITIVE(GLOBAL_ID32, "weft.global_id32", 3, INT, true) /* the low halves, known not to wrap */         \
    PRIMITIVE(LOCAL_ID32, "weft.local_id32", 3, INT, true)   /* within one loop over the items */            \
    PRIMITIVE(INDEX, "weft.index", 3, INDEX, true)           /* global id less the offset */                 \
    PRIMITIVE(INDEX32, "weft.index32", 3, INT, true)                                                         \
    PRIMITIVE(ITEM, "weft.item", 1, INDEX, true) /* place in the order of the nest */                        \
    PRIMITIVE(LANE, "weft.lane", 1, INT,                                                                     \
              true) /* 0, 1 ... in masked functions, and wherever sub-groups are known of */                 \
    PRIMITIVE(LANES_LEFT, "weft.lanes_left", 1, INT, false) /* in masked functions: how many */              \
    PRIMITIVE(GROUP_ID, "weft.group_id", 3, INDEX, false)                                                    \
    PRIMITIVE(LOCAL_SIZE, "weft.local_size", 3, INDEX, false)           /* of this group */                  \
    PRIMITIVE(FULL_LOCAL_SIZE, "weft.full_local_size", 3, INDEX, false) /* of a full group */                \
    PRIMITIVE(NUM_GROUPS, "weft.num_groups", 3, INDEX, false)                                                \
    PRIMITIVE(GLOBAL_SIZE, "weft.global_size", 3, INDEX, false)                                              \
    PRIMITIVE(GLOBAL_OFFSET, "weft.global_offset", 3, INDEX, false)                                          \
    PRIMITIVE(WORK_DIM, "weft.work_dim", 1, INT, false)                                                      \
    PRIMITIVE(CACHED, "weft.cached", 1, INT, false) /* 0: stores of whole lines go past the caches */        \
    PRIMITIVE(LOCAL_MEMORY, "weft.local_memory", 1, POINTER, false)           /* weft_exec.local_mem */      \
    PRIMITIVE(EXEC, "weft.exec", 1, POINTER, false)                           /* the thread's weft_exec */   \
    PRIMITIVE(PROGRAM_VARIABLES, "weft.program_variables", 1, POINTER, false) /* weft_exec.variables */      \
    PRIMITIVE(LOCAL_END, "weft.local_end", 1, POINTER, false) /* and of what is to be told apart by */       \
    PRIMITIVE(STATE_END, "weft.state_end", 1, POINTER, false) /* address (prepare/generic_pointers.c) */     \
    PRIMITIVE(FRAME, "weft.frame", 1, POINTER, false)         /* of run, which goes down from here */        \
    PRIMITIVE(FRAME_END, "weft.frame_end", 1, POINTER, false)                                                \
    PRIMITIVE(STATE, "weft.state", 1, POINTER, false)           /* weft_exec.state */                        \
    PRIMITIVE(STATE_ROWS, "weft.state_rows", 1, INDEX, false)   /* local size, rounded to WEFT_STATE_ROW */  \
    PRIMITIVE(GROUP_SLOT, "weft.group_slot", 1, POINTER, false) /* 8 bytes that the group shares */          \
    PRIMITIVE(GROUP_BARRIERS, "weft.group_barriers", 1, POINTER,                                             \
              false) /* words of the group's named barriers (weft/named_barrier.h) */                        \
    PRIMITIVE(SUB_GROUP_ID, "weft.sub_group_id", 1, INT, true)                /* the same in all lanes, */   \
    PRIMITIVE(SUB_GROUP_ITEMS, "weft.sub_group_items", 1, INT, true)          /* as this one is */           \
    PRIMITIVE(MAX_SUB_GROUP_SIZE, "weft.max_sub_group_size", 1, INT, false)   /* as the launch has groups */ \
    PRIMITIVE(NUM_SUB_GROUPS, "weft.num_sub_groups", 1, INT, false)           /* in this group */            \
    PRIMITIVE(FULL_NUM_SUB_GROUPS, "weft.full_num_sub_groups", 1, INT, false) /* in a full group */

// Address spaces of spir64. prepare flattens all of them to 0, the host's.
enum {
    WEFTC_SPACE_PRIVATE,
    WEFTC_SPACE_GLOBAL,
    WEFTC_SPACE_CONSTANT,
    WEFTC_SPACE_LOCAL,
    WEFTC_SPACE_GENERIC
};

enum weftc_primitive {
#define WEFTC_PRIMITIVE_ID(id, name, dims, type, varying) WEFTC_##id,
    WEFTC_PRIMITIVES(WEFTC_PRIMITIVE_ID)
#undef WEFTC_PRIMITIVE_ID
        WEFTC_PRIMITIVE_COUNT
};

// Side effects: never merged, never speculated.
#define WEFTC_BARRIER "weft.barrier" // void()
// A barrier behind which one work-item runs for all of the group, up to the next barrier, which must be a plain
// one. What it computes there the others know from memory alone, or it is uniform.
#define WEFTC_SOLO_BARRIER "weft.barrier.solo" // void()
// In scheduled kernels: where a work-item that waits lets the others run; when its turn comes it goes on, to look again.
#define WEFTC_YIELD "weft.barrier.yield"       // void()
#define WEFTC_BARRIER_SITE "weft.barrier.site" // i32(): the number of the place that makes a named barrier
#define WEFTC_PRINTF "weft.printf"             // i32(ptr format, ptr blob, i32 size): weft_kernel_host.printf

// Of the types that lib/kernel-builtins/enqueue declares them with; weft_kernel_host has the same parameters behind the weft_exec.
#define WEFTC_ENQUEUE "weft.enqueue"
#define WEFTC_DEVICE_CALL "weft.device_call"

// ---- ir/primitives.c ----
// Emits a call of the primitive at the builder's position. dim is 0 for those with one dimension.
LLVMValueRef weftc_primitive_build(LLVMBuilderRef b, LLVMModuleRef module, enum weftc_primitive p,
                                   unsigned dim);
// True when `value` is a call of a pure primitive.
bool weftc_primitive_of(LLVMValueRef value, enum weftc_primitive *p, unsigned *dim);
// The calls of primitives in a function, in its order. The one that the walk is at may be erased; who erases the
// instruction that is looked at next moves that on.
struct weftc_primitive_call {
    LLVMValueRef call;
    enum weftc_primitive primitive;
    unsigned dim;
    LLVMBasicBlockRef block; // of `next`
    LLVMValueRef next;       // looked at next
};
bool weftc_next_primitive(LLVMValueRef f, struct weftc_primitive_call *at); // *at begins zeroed

// Calls of math primitives, `weft.math.*`, become instructions of the target (codegen/math_intrinsics.c).
weft_status weftc_lower_math(LLVMModuleRef module, struct weft_buf *log);
// For targets that don't compute with halves: what LLVM would do for each element, for whole vectors (codegen/half_vectors.c).
void weftc_lower_halves(LLVMModuleRef module);
// For targets whose operands in memory are spread over lanes: loops' bodies that don't fit into registers part by part (codegen/split_loops.c).
void weftc_part_loops(LLVMModuleRef module);
bool weftc_primitive_varies(enum weftc_primitive p);
LLVMTypeRef weftc_primitive_type(LLVMContextRef c, enum weftc_primitive p);
unsigned weftc_primitive_dims(enum weftc_primitive p);
const char *
weftc_primitive_name(enum weftc_primitive p); // of its function; with several dimensions without it
// The declared function of a side-effecting primitive.
LLVMValueRef weftc_effect_function(LLVMModuleRef module, const char *name);
bool weftc_is_barrier(LLVMValueRef value);              // of any kind, where a region ends
bool weftc_calls(LLVMValueRef value, const char *name); // `value` is a direct call of the function `name`
// The function that `value` calls directly; NULL when it isn't a call or the callee isn't known.
LLVMValueRef weftc_callee(LLVMValueRef value);
bool weftc_is_lifetime(LLVMValueRef value); // a mark of where a variable's life begins or ends
bool weftc_is_pure(LLVMValueRef f);         // f touches no memory
bool weftc_only_reads(LLVMValueRef f);      // f touches no memory, or reads it

// ---- small helpers over llvm-c (ir/primitives.c) ----
LLVMValueRef weftc_find_kernel(LLVMModuleRef module, const struct weftc_kernel_options *options);
#define WEFTC_OF_FUNCTION ((LLVMAttributeIndex)LLVMAttributeFunctionIndex)
void weftc_add_attribute(LLVMValueRef f, LLVMAttributeIndex at, const char *name, uint64_t value);
void weftc_add_pure_attributes(LLVMValueRef f); // a declared one: no side effects, and its result is known
void weftc_call_attribute(LLVMValueRef call, const char *name);
void weftc_remove_attribute(LLVMValueRef f, LLVMAttributeIndex at, const char *name);
void weftc_set_metadata(LLVMValueRef instruction, const char *kind, LLVMMetadataRef node);
size_t weftc_instruction_count(LLVMModuleRef module);
size_t weftc_function_size(LLVMValueRef f);          // in instructions
size_t weftc_largest_function(LLVMModuleRef module); // in instructions
// Runs a textual pass pipeline. WEFT_INTERNAL (and a line in log) when LLVM refuses it.
weft_status weftc_run_passes(LLVMModuleRef module, const struct weftc_target *target, const char *pipeline,
                             struct weft_buf *log);
static inline LLVMValueRef weftc_i64(LLVMContextRef c, uint64_t v)
{
    return LLVMConstInt(LLVMInt64TypeInContext(c), v, false);
}
static inline bool weftc_is_power(uint64_t n) // of two, or 0
{
    return (n & (n - 1)) == 0;
}
static inline bool weftc_is_division(LLVMOpcode opcode) // of whole numbers
{
    return opcode == LLVMSDiv || opcode == LLVMSRem || opcode == LLVMUDiv || opcode == LLVMURem;
}
static inline LLVMValueRef weftc_i32(LLVMContextRef c, uint32_t v)
{
    return LLVMConstInt(LLVMInt32TypeInContext(c), v, false);
}

struct weftc_map;
// ---- prepare_*.c: steps of prepare on the whole module before and after inlining ----
weft_status weftc_prepare_arguments(LLVMValueRef kernel);
void weftc_prepare_zeros(LLVMModuleRef module); // private memory begins as zeros
void weftc_prepare_calls(LLVMModuleRef module); // work-item functions, barriers, fences
void weftc_prepare_fused(LLVMModuleRef module,
                         const struct weftc_target *target); // x * y + z: rounded once or twice
weft_status weftc_prepare_inline(LLVMModuleRef module, LLVMValueRef kernel, const struct weftc_target *target,
                                 const struct weftc_kernel_options *options, struct weft_buf *log);
// prepare/outline_image_reads.c: loops with reads of images that the program wants unrolled are so, before those are inlined.
weft_status weftc_prepare_read_loops(LLVMModuleRef module, const struct weftc_target *target);
bool weftc_is_image_read(LLVMValueRef f); // the built-in function
// Reads of images that aren't to be inlined are marked. times, by the numbers of `index`: how often each function would stand in the
// kernel. *changed: there are functions now that weren't there.
weft_status weftc_prepare_reads(LLVMModuleRef module, const struct weftc_map *index, const uint64_t *times,
                                const struct weftc_target *target, const struct weftc_kernel_options *options,
                                bool *changed);
// prepare/outlined_signatures.c: functions that are called, behind the inliner. Leaves WEFTC_CALLS_ATOMIC.
weft_status weftc_prepare_called(LLVMModuleRef module, LLVMValueRef kernel);
weft_status weftc_prepare_restrict(LLVMModuleRef module, LLVMValueRef kernel); // behind weftc_prepare_calls
// prepare/generic_pointers.c: what a call of to_global and its like becomes, at the builder; NULL: `name` is none of them. Behind the
// inliner weftc_prepare_generic makes of that what the kernel can compute.
LLVMValueRef weftc_prepare_generic_call(LLVMBuilderRef b, LLVMModuleRef module, LLVMValueRef call,
                                        const char *name);
void weftc_prepare_generic(LLVMModuleRef module, LLVMValueRef kernel);
// Two bodies for a kernel with images. Behind the inliner.
weft_status weftc_prepare_images(LLVMModuleRef module, LLVMValueRef kernel,
                                 const struct weftc_target *target);
weft_status weftc_prepare_printf(LLVMModuleRef module, struct weft_buf *log);
// Leaves the numbers WEFTC_UNIFORM_GROUPS, WEFTC_GROUP_SIZE_*, WEFTC_SMALL_IDS.
void weftc_prepare_indices(LLVMValueRef kernel, const struct weftc_kernel_options *options);
void weftc_prepare_narrow_ids(LLVMValueRef kernel);
// Exchanges dimension 0 and dimension `d`: what follows takes d for the one whose work-items lie side by side.
static inline unsigned weftc_turned(unsigned dim,
                                    unsigned d) // where dimension `dim` is afterwards, or was before
{
    return dim == 0 ? d : dim == d ? 0 : dim;
}
static inline unsigned weftc_form_along(uint32_t form) // d, in this form of the code
{
    return form > WEFT_FORM_ROWS && form < WEFT_FORM_ALONE ? form - WEFT_FORM_ROWS : 0;
}
void weftc_prepare_turn(LLVMValueRef kernel, unsigned d);
// prepare/named_barriers.c: numbers the places that make them, and leaves WEFTC_SCHEDULED. Behind the inliner.
weft_status weftc_prepare_named_barriers(LLVMModuleRef module, struct weft_buf *log);
// link/sincos.c: calls of sin and cos with one argument, in one block, become one of sincos, where that was linked for it.
bool weftc_has_pairs(LLVMModuleRef module);
void weftc_prepare_pairs(LLVMModuleRef module); // values are in registers
// A vector's element, and of what is none the type itself.
static inline LLVMTypeRef weftc_element_of(LLVMTypeRef type)
{
    return LLVMGetTypeKind(type) == LLVMVectorTypeKind ? LLVMGetElementType(type) : type;
}
void weftc_prepare_divisions(LLVMValueRef function);
void weftc_prepare_conversions(LLVMValueRef function); // to narrow integers
void weftc_prepare_access_info(LLVMValueRef kernel);   // what the address spaces tell, as metadata
bool weftc_has_place(LLVMValueRef variable);           // link/program_variables.c: it is in the block of them
// link/program_variables.c: a kernel's uses of them. Behind the inliner.
weft_status weftc_prepare_program_variables(LLVMModuleRef module, LLVMValueRef kernel,
                                            const struct weftc_target *target, struct weft_buf *log);
weft_status weftc_prepare_local_memory(LLVMModuleRef module, LLVMValueRef kernel);
// prepare/uniform_trip_counts.c: loops whose rounds the work-items of a group share out end for all at once where the group's size tells.
void weftc_prepare_rounds(LLVMValueRef kernel, const struct weftc_kernel_options *options);
// prepare/constant_arrays.c: private arrays of constants become constant data.
weft_status weftc_prepare_tables(LLVMModuleRef module, LLVMValueRef kernel);
// prepare/expand_memory_intrinsics.c: private arrays that are filled or copied as a whole are so element by element.
void weftc_prepare_moves(LLVMModuleRef module, LLVMValueRef kernel);
// prepare/unroll_private_arrays.c: private arrays of all functions are aligned as the vectors that programs read and write in them.
void weftc_align_private_arrays(LLVMModuleRef module);
// Private arrays of a kernel with barriers become values where that takes unrolling. The last step.
weft_status weftc_prepare_private(LLVMModuleRef module, LLVMValueRef kernel,
                                  const struct weftc_target *target, struct weft_buf *log);

// ---- workitem_loops/run.c ----
// Before primitives become parameters: can nothing in the kernel tell how the index space is cut into groups?
bool weftc_is_indifferent_to_groups(LLVMModuleRef module);
// Does the primitive's value depend on how the index space is cut?
bool weftc_tells_groups_apart(enum weftc_primitive p);
// Is one of the function's first arguments local memory?
bool weftc_takes_local_memory(LLVMValueRef f, unsigned argument_count);

// ---- ir/value_map.c: from values or blocks to numbers ----
struct weftc_map {
    void **keys;
    uint32_t *values;
    size_t capacity, count; // capacity: a power of two, or 0
};
bool weftc_map_put(struct weftc_map *m, void *key, uint32_t value); // false: no memory
uint32_t weftc_map_get(const struct weftc_map *m, const void *key); // UINT32_MAX: not there
void weftc_map_free(struct weftc_map *m);

// ---- ir/cfg.c: the edges between the blocks of a function, which are known by number ----
struct weftc_edges {
    struct weftc_map index;                    // of a block
    uint32_t *first_out, *out, *first_in, *in; // block b's: out[first_out[b]] up to out[first_out[b + 1]]
};
// blocks: all of a function. Fini must follow whatever the outcome.
weft_status weftc_edges_init(struct weftc_edges *g, const LLVMBasicBlockRef *blocks, uint32_t count);
void weftc_edges_fini(struct weftc_edges *g);
static inline uint32_t weftc_edges_block(const struct weftc_edges *g, LLVMBasicBlockRef block)
{
    return weftc_map_get(&g->index, block);
}
static inline uint32_t weftc_out_count(const struct weftc_edges *g, uint32_t block)
{
    return g->first_out[block + 1] - g->first_out[block];
}
static inline const uint32_t *weftc_outs(const struct weftc_edges *g, uint32_t block)
{
    return &g->out[g->first_out[block]];
}
static inline uint32_t weftc_in_count(const struct weftc_edges *g, uint32_t block)
{
    return g->first_in[block + 1] - g->first_in[block];
}
static inline const uint32_t *weftc_ins(const struct weftc_edges *g, uint32_t block)
{
    return &g->in[g->first_in[block]];
}

// The attribute `memory` of a function: it reads, and does nothing else.
#define WEFTC_MEMORY_READ 0x15

// ---- functions that stages find by name ----

// regions/regions.c makes "weft.region.N" of each region, with the kernel's parameters and then one for each uniform value that comes
// in. With one region the result is void; else {i32 next region (0: the work-item is done), uniform values that go out}. Which
// values and successors these are is in attributes (WEFTC_ATTRIBUTE_IN, WEFTC_ATTRIBUTE_OUT, WEFTC_ATTRIBUTE_NEXT).
#define WEFTC_REGION_NAME "weft.region."
// vectorize/vectorize.c adds, where it can, "weft.region.N.vector" with the same parameters and result: one call is for
// WEFTC_LANES work-items (a module number), from the one on whose ids its primitives give.
#define WEFTC_REGION_VECTOR ".vector"
// Runs the first WEFTC_LANES_LEFT of them, at least one; in forms that want it.
#define WEFTC_REGION_MASKED ".masked"
// Run twice or four times WEFTC_LANES of them, where one step of so many is better than two or four
// (vectorize/cost/wide_step.c). There is at most one of the two.
#define WEFTC_REGION_TWICE ".twice"
#define WEFTC_REGION_FOURFOLD ".fourfold"
// What all lanes call together (vectorize/legalize/callees.c).
#define WEFTC_CALLED_NAME "weft.called"
// The section of functions that wiloops makes of the regions' loops where `run` would be huge. They call no other
// of them, so only the largest frame counts.
#define WEFTC_NEST_SECTION ".text.nest"
// The section of regions' functions for one work-item that aren't inlined; of them, too, only the largest frame counts.
#define WEFTC_REST_SECTION ".text.rest"
bool weftc_region_is_solo(LLVMValueRef region); // one work-item runs it for all of the group
bool weftc_region_yields(LLVMValueRef region);  // it begins behind a WEFTC_YIELD

// Vectors that the rows of a group share, for it to be walked through by columns, at least.
enum { WEFTC_FEWEST_SHARED = 4 };

#endif
