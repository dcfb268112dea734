// Between prepare and wiloops a kernel knows its place in the index space, its memory and the host only
// through *primitives*: calls of declared functions named "weft.*" that have no body. prepare makes them out
// of OpenCL's work-item functions, __local variables and printf; regions adds those that reach saved state;
// wiloops replaces each by a value of the loop nest that it builds. Primitives without side effects are
// `memory(none) speculatable`, so LLVM's passes move and merge them as they like.
#ifndef WEFTC_PRIMITIVES_H
#define WEFTC_PRIMITIVES_H

#include <stdbool.h>
#include <stdint.h>

#include <llvm-c/Core.h>

#include "weft/kernel_abi.h"

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

enum weftc_primitive {
#define WEFTC_PRIMITIVE_ID(id, name, dims, type, varying) WEFTC_##id,
    WEFTC_PRIMITIVES(WEFTC_PRIMITIVE_ID)
#undef WEFTC_PRIMITIVE_ID
        WEFTC_PRIMITIVE_COUNT
};

// Side effects: never merged, never speculated.
// Side effects: never merged, never speculated.
#define WEFTC_BARRIER "weft.barrier" // void()
// A barrier behind which one work-item runs for all of the group, up to the next barrier, which must be a plain
// one. What it computes there the others know from memory alone, or it is uniform.
#define WEFTC_SINGLE_ITEM_BARRIER "weft.barrier.solo" // void()
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
bool weftc_primitive_varies(enum weftc_primitive p);
LLVMTypeRef weftc_primitive_type(LLVMContextRef c, enum weftc_primitive p);
unsigned weftc_primitive_dims(enum weftc_primitive p);
const char *
weftc_primitive_name(enum weftc_primitive p); // of its function; with several dimensions without it
// The declared function of a side-effecting primitive.
LLVMValueRef weftc_effect_function(LLVMModuleRef module, const char *name);
bool weftc_is_barrier(LLVMValueRef value); // of any kind, where a region ends

// ---- lanes along another dimension than 0 (prepare/swap_dimensions.c): it and `d` change places ----
static inline unsigned
weftc_swapped_dimension(unsigned dim,
                        unsigned d) // where dimension `dim` is afterwards, or was before
{
    return dim == 0 ? d : dim == d ? 0 : dim;
}
static inline unsigned weftc_variant_dimension(uint32_t form) // d, in this form of the code
{
    return form > WEFT_VARIANT_DIM && form < WEFT_VARIANT_SCALAR ? form - WEFT_VARIANT_DIM : 0;
}

#endif
