// Between prepare and wiloops, a kernel accesses its ids, its memory and the host only through *primitives*:
// calls of declared functions "weft.*" without a body. prepare creates them from OpenCL's work-item
// functions, __local variables and printf. regions adds those for spilled values. wiloops replaces each one
// by a value of the loop nest that it builds. Primitives without side effects are `memory(none)
// speculatable`, so LLVM's passes may move and merge them.
#ifndef WEFTC_PRIMITIVES_H
#define WEFTC_PRIMITIVES_H

#include <stdbool.h>
#include <stdint.h>

#include <llvm-c/Core.h>

#include "weft/kernel_abi.h"

// PRIMITIVE(id, name, dims, type, varying)
// dims: 3: there is a function for each dimension, "weft.name.0" to "weft.name.2".
// varying: the value differs between the work-items of a group.
// clang-format off
#define WEFTC_PRIMITIVES(PRIMITIVE) \
    /* ids; the 32-bit ones are the low halves, known not to wrap within one loop over the work-items */ \
    PRIMITIVE(GLOBAL_ID, "weft.global_id", 3, INDEX, true) \
    PRIMITIVE(LOCAL_ID, "weft.local_id", 3, INDEX, true) \
    PRIMITIVE(GLOBAL_ID32, "weft.global_id32", 3, INT, true) \
    PRIMITIVE(LOCAL_ID32, "weft.local_id32", 3, INT, true) \
    /* global id minus global offset */ \
    PRIMITIVE(INDEX, "weft.index", 3, INDEX, true) \
    PRIMITIVE(INDEX32, "weft.index32", 3, INT, true) \
    /* number of the work-item in the order of the loop nest: its local linear id */ \
    PRIMITIVE(ITEM, "weft.item", 1, INDEX, true) \
    /* 0, 1, ...: in tail-folded functions, and wherever code depends on sub-groups */ \
    PRIMITIVE(LANE, "weft.lane", 1, INT, true) \
    /* in tail-folded functions: the number of active lanes */ \
    PRIMITIVE(LANES_LEFT, "weft.lanes_left", 1, INT, false) \
    /* in vectorized functions: ids of the first work-item of the row that a loop over vector iterations runs, */ \
    /* and the number of work-items that it runs */ \
    PRIMITIVE(ROW_GLOBAL_ID, "weft.row_global_id", 1, INDEX, false) \
    PRIMITIVE(ROW_LOCAL_ID, "weft.row_local_id", 1, INDEX, false) \
    PRIMITIVE(ROW_GLOBAL_ID32, "weft.row_global_id32", 1, INT, false) \
    PRIMITIVE(ROW_LOCAL_ID32, "weft.row_local_id32", 1, INT, false) \
    PRIMITIVE(ROW_INDEX, "weft.row_index", 1, INDEX, false) \
    PRIMITIVE(ROW_INDEX32, "weft.row_index32", 1, INT, false) \
    PRIMITIVE(ROW_ITEM, "weft.row_item", 1, INDEX, false) \
    PRIMITIVE(ROW_ITEMS, "weft.row_items", 1, INDEX, false) \
    PRIMITIVE(GROUP_ID, "weft.group_id", 3, INDEX, false) \
    /* of this group, which may be a smaller one at the end of the index space; and of a full group */ \
    PRIMITIVE(LOCAL_SIZE, "weft.local_size", 3, INDEX, false) \
    PRIMITIVE(FULL_LOCAL_SIZE, "weft.full_local_size", 3, INDEX, false) \
    PRIMITIVE(NUM_GROUPS, "weft.num_groups", 3, INDEX, false) \
    PRIMITIVE(GLOBAL_SIZE, "weft.global_size", 3, INDEX, false) \
    PRIMITIVE(GLOBAL_OFFSET, "weft.global_offset", 3, INDEX, false) \
    PRIMITIVE(WORK_DIM, "weft.work_dim", 1, INT, false) \
    /* 0: stores of whole cache lines are non-temporal */ \
    PRIMITIVE(TEMPORAL_STORES, "weft.temporal_stores", 1, INT, false) \
    /* weft_exec.local_mem; the thread's weft_exec; weft_exec.variables */ \
    PRIMITIVE(LOCAL_MEMORY, "weft.local_memory", 1, POINTER, false) \
    PRIMITIVE(EXEC, "weft.exec", 1, POINTER, false) \
    PRIMITIVE(PROGRAM_VARIABLES, "weft.program_variables", 1, POINTER, false) \
    /* the objects of the kernel's arguments, for the checker: weft_check_range[] */ \
    PRIMITIVE(CHECK_OBJECTS, "weft.check.objects", 1, POINTER, false) \
    /* what is written of the thread's local memory, and where what isn't comes from (checker/shadow.c) */ \
    PRIMITIVE(CHECK_LOCAL_SHADOW, "weft.check.local_shadow", 1, POINTER, false) \
    PRIMITIVE(CHECK_LOCAL_ORIGINS, "weft.check.local_origins", 1, POINTER, false) \
    /* ends of local memory and of the state arena; top and bottom of run's stack frame: generic pointers */ \
    /* are recognised by their address (prepare/generic_pointers.c) */ \
    PRIMITIVE(LOCAL_END, "weft.local_end", 1, POINTER, false) \
    PRIMITIVE(STATE_END, "weft.state_end", 1, POINTER, false) \
    PRIMITIVE(FRAME, "weft.frame", 1, POINTER, false) \
    PRIMITIVE(FRAME_END, "weft.frame_end", 1, POINTER, false) \
    /* weft_exec.state; local size, rounded up to WEFT_STATE_ROW */ \
    PRIMITIVE(STATE, "weft.state", 1, POINTER, false) \
    PRIMITIVE(STATE_ROWS, "weft.state_rows", 1, INDEX, false) \
    /* the variables of this work-item, for a debugger (bridge/debug_variables.cpp) */ \
    PRIMITIVE(ITEM_FRAME, "weft.item_frame", 1, POINTER, true) \
    /* 8 bytes that the work-items of a group share */ \
    PRIMITIVE(GROUP_SLOT, "weft.group_slot", 1, POINTER, false) \
    /* memory of the group's named barriers (weft/named_barrier.h) */ \
    PRIMITIVE(GROUP_BARRIERS, "weft.group_barriers", 1, POINTER, false) \
    /* sub-group's number and size: the same in all lanes of a vector iteration */ \
    PRIMITIVE(SUB_GROUP_ID, "weft.sub_group_id", 1, INT, true) \
    PRIMITIVE(SUB_GROUP_ITEMS, "weft.sub_group_items", 1, INT, true) \
    /* for the group size of the launch; in this group; in a full group */ \
    PRIMITIVE(MAX_SUB_GROUP_SIZE, "weft.max_sub_group_size", 1, INT, false) \
    PRIMITIVE(NUM_SUB_GROUPS, "weft.num_sub_groups", 1, INT, false) \
    PRIMITIVE(FULL_NUM_SUB_GROUPS, "weft.full_num_sub_groups", 1, INT, false)
// clang-format on

// At the beginning of WEFTC_ITEM_FRAME there is room for the work-item's ids, in bytes.
enum { WEFTC_ITEM_FRAME_IDS = 128 };

enum weftc_primitive {
#define WEFTC_PRIMITIVE_ID(id, name, dims, type, varying) WEFTC_##id,
    WEFTC_PRIMITIVES(WEFTC_PRIMITIVE_ID)
#undef WEFTC_PRIMITIVE_ID
        WEFTC_PRIMITIVE_COUNT
};

// Primitives with side effects. LLVM must never merge or speculate them.
#define WEFTC_BARRIER "weft.barrier" // void()
// A barrier at which a single-item region begins: one work-item runs the code up to the next barrier for the
// whole group. That barrier must be WEFTC_BARRIER. The other work-items see results of this code only in
// memory or as uniform values.
#define WEFTC_SINGLE_ITEM_BARRIER "weft.barrier.single_item" // void()
// In scheduled kernels: a work-item that waits at a named barrier lets the others run here. When it runs
// again it checks the barrier again.
#define WEFTC_YIELD "weft.barrier.yield" // void()
// i32(): number of the place in the source that creates a named barrier
#define WEFTC_BARRIER_SITE "weft.barrier.site"
#define WEFTC_PRINTF "weft.printf" // i32(ptr format, ptr blob, i32 size): weft_kernel_host.printf
// In outlined functions: i32(ptr weft_exec, ptr format, ptr blob, i32 size)
#define WEFTC_PRINTF_WITH_EXEC "weft.printf.exec"

// void(ptr sites, i64 address, i64 size, i32 what, i64 item): weft_kernel_host.touch
#define WEFTC_TOUCH "weft.touch"
// The same with the stored value instead of the size: weft_kernel_host.touch_store
#define WEFTC_TOUCH_STORE "weft.touch_store"

// void(ptr site, i64 item): the work-item has come to a barrier, or to the end of the kernel (weft/races.h)
#define WEFTC_ARRIVE "weft.arrive"

// lib/kernel-builtins/enqueue declares these functions, and their types. The callbacks in weft_kernel_host
// have the same parameters after the weft_exec.
#define WEFTC_ENQUEUE "weft.enqueue"
#define WEFTC_DEVICE_CALL "weft.device_call"

// ---- ir/primitives.c ----
// Emits a call of the primitive at the builder's position. dim is 0 for primitives with one dimension.
LLVMValueRef weftc_primitive_build(LLVMBuilderRef b, LLVMModuleRef module, enum weftc_primitive p,
                                   unsigned dim);
// Returns the declaration of a primitive without side effects; adds it if the module has none.
LLVMValueRef weftc_primitive_function(LLVMModuleRef module, enum weftc_primitive p, unsigned dim);
// If `value` is a call of a primitive without side effects, sets *p and *dim and returns true.
bool weftc_primitive_of(LLVMValueRef value, enum weftc_primitive *p, unsigned *dim);
// Is f a function of the stages ("weft.*"): a primitive, with side effects or without, or one that stages
// make for each other? Kernels can't have functions of such names. False for NULL.
bool weftc_is_stages_function(LLVMValueRef f);
// Iterates over the calls of primitives in a function, in the function's order. The caller may erase the
// current call. If it erases the instruction in `next`, it must first advance `next`.
struct weftc_primitive_call {
    LLVMValueRef call;
    enum weftc_primitive primitive;
    unsigned dim;
    LLVMBasicBlockRef block; // of `next`
    LLVMValueRef next;       // the next instruction to look at
};
// zero-initialise *at before the first call
bool weftc_next_primitive(LLVMValueRef f, struct weftc_primitive_call *at);
bool weftc_primitive_varies(enum weftc_primitive p);
LLVMTypeRef weftc_primitive_type(LLVMContextRef c, enum weftc_primitive p);
unsigned weftc_primitive_dims(enum weftc_primitive p);
const char *weftc_primitive_name(enum weftc_primitive p); // name of its function, without the dimension
// Returns the declaration of a primitive with side effects; adds it if the module has none.
LLVMValueRef weftc_effect_function(LLVMModuleRef module, const char *name);
bool weftc_is_barrier(LLVMValueRef value); // a call of any barrier at which a region ends

// ---- Lane dimension d (prepare/swap_dimensions.c): dimensions 0 and d are swapped ----
static inline unsigned
weftc_swapped_dimension(unsigned dim,
                        // the place of dimension `dim` after swapping; the mapping is its own inverse
                        unsigned d)
{
    return dim == 0 ? d : dim == d ? 0 : dim;
}

#endif
