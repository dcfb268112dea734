// vectorize/emit/ writes the function for all lanes: its control flow block by block, its values instruction
// by instruction, and each kind of memory access in a file of its own.
//
// In: a region whose accesses and calls are classified (vectorize/access/access.h), and for which it is
// decided around which blocks a branch is worth it (v->branches). Out: code in em->to, or em->reason. This
// folder doesn't know what anything costs, or whether lanes are worth it.
#ifndef WEFTC_VECTORIZE_EMIT_H
#define WEFTC_VECTORIZE_EMIT_H

#include <stdbool.h>
#include <stdint.h>

#include <llvm-c/Core.h>

#include "weft/status.h"

struct weftc_shapes;
struct weftc_vec;
struct weftc_vec_group;

// What a value of the old function is in the new one. Each form is made when it is first needed, right after
// the definition.
struct weftc_vec_value {
    LLVMValueRef scalar; // of a uniform value: the value; of a strided one: lane 0's
    LLVMValueRef vector; // of all lanes
    LLVMValueRef wide;   // of a strided and exact value: lane 0's as if computed in 64 bits
};

// A set of blocks, in rising order.
struct weftc_vec_set {
    uint32_t *list;
    uint32_t count, capacity;
};

struct weftc_vec_block {
    LLVMBasicBlockRef head;       // where code enters it
    LLVMValueRef mask_slot;       // memory for the mask of the lanes that come here; NULL: its class has it
    LLVMValueRef mask;            // the mask, in a class's first block, once it is emitted
    struct weftc_vec_set pending; // blocks where other lanes wait when this one runs
    uint32_t first_cleared;       // the first of the blocks whose PHIs are cleared here; 0: none
    uint32_t next_cleared;        // the next block in the list that this one is in
    bool maybe_empty;             // it may run though no lane came to it
    bool nonempty;                // what is emitted now runs for at least one lane
    bool reached;                 // an edge to it was emitted
};

struct weftc_vec_loop {
    struct weftc_vec_set outside; // blocks where lanes that didn't enter the loop wait
    struct weftc_vec_set exits;   // of a divergent loop: blocks where lanes that left it wait
    LLVMBasicBlockRef end;        // of a divergent loop: the end of an iteration
};

// The emission of a function for all lanes, from what was decided for it.
struct weftc_emission {
    const struct weftc_vec *v;
    LLVMModuleRef module;
    LLVMContextRef c;
    LLVMValueRef to;                // the function for all lanes
    LLVMBuilderRef b;               // where code is emitted
    LLVMBuilderRef at_def;          // scratch, for what is inserted after a definition
    LLVMBasicBlockRef entry;        // allocas, and what depends on arguments only; gets its branch last
    struct weftc_vec_value *values; // by number of instruction
    struct weftc_vec_value *arguments;
    struct weftc_vec_block *blocks;
    struct weftc_vec_loop *loops;
    LLVMValueRef *slots;       // of PHIs, by number of instruction
    bool *flags;               // by number of instruction: a PHI of truth values, a constant on each edge
    LLVMValueRef lane_numbers; // <lanes x i64> 0, 1, ...
    uint32_t block;            // the block that is being emitted
    const char *reason;        // why there can't be a function for all lanes; NULL: so far there can
    bool no_memory;
};

// ---- vectorize/emit/control_flow.c ----
// Emits all of the function. If anything goes wrong, em->reason or em->no_memory is set.
void weftc_vec_emit(struct weftc_emission *em);

// ---- vectorize/emit/instructions.c ----
void weftc_vec_instruction(struct weftc_emission *em, LLVMValueRef i);
// Emits i once, from operands that are uniform or strided. Uniform loads are done like this, too.
void weftc_vec_emit_scalar(struct weftc_emission *em, LLVMValueRef i);

// ---- vectorize/emit/values.c ----
LLVMTypeRef weftc_vec_type(const struct weftc_emission *em, LLVMTypeRef scalar);
// The value of lane 0 (which is that of all lanes, if it is uniform), of all lanes, of one lane.
LLVMValueRef weftc_vec_scalar(struct weftc_emission *em, LLVMValueRef value);
LLVMValueRef weftc_vec_vector(struct weftc_emission *em, LLVMValueRef value);
LLVMValueRef weftc_vec_lane(struct weftc_emission *em, LLVMValueRef value, LLVMValueRef lane);
// The address of one lane; `lane` is a constant.
LLVMValueRef weftc_vec_lane_address(struct weftc_emission *em, LLVMValueRef pointer, unsigned lane);
// Lane 0's value as if all that it is made of were computed in 64 bits, where it doesn't wrap. For values
// that are strided and exact in the active lanes, though lane 0 itself may be inactive.
LLVMValueRef weftc_vec_wide(struct weftc_emission *em, LLVMValueRef value);
void weftc_vec_set_scalar(struct weftc_emission *em, LLVMValueRef i, LLVMValueRef scalar);
void weftc_vec_set_vector(struct weftc_emission *em, LLVMValueRef i, LLVMValueRef vector);
LLVMValueRef weftc_vec_splat(struct weftc_emission *em, LLVMBuilderRef b, LLVMValueRef scalar);
// Inserts a cloned instruction that has its operands already, for a lane that may be inactive. Its flags hold
// in active lanes only, so they are dropped; `or` of bits that are disjoint in active lanes becomes a sum.
LLVMValueRef weftc_vec_insert_for_any_lane(LLVMBuilderRef b, LLVMValueRef copy);
LLVMValueRef weftc_vec_blend(struct weftc_emission *em, LLVMValueRef mask, LLVMValueRef yes, LLVMValueRef no);
// The mask of the lanes that the current block runs for; NULL: all lanes.
LLVMValueRef weftc_vec_mask(const struct weftc_emission *em);
LLVMValueRef weftc_vec_true(const struct weftc_emission *em);
LLVMValueRef weftc_vec_bits(struct weftc_emission *em, LLVMValueRef mask); // as an integer of `lanes` bits
LLVMValueRef weftc_vec_any(struct weftc_emission *em, LLVMValueRef mask);
LLVMValueRef weftc_vec_slot(struct weftc_emission *em, LLVMTypeRef type);

// ---- calls, one by one: a column of vectorize/access/calls.def ----
// Each emits call i, which is of that kind.
//
// vectorize/emit/calls.c
void weftc_vec_call_together(struct weftc_emission *em, LLVMValueRef i);
// vectorize/emit/sub_groups.c
void weftc_vec_sub_group(struct weftc_emission *em, LLVMValueRef i);

// ---- vectorize/emit/addresses.c ----
void weftc_vec_alloca(struct weftc_emission *em, LLVMValueRef i);
void weftc_vec_gep(struct weftc_emission *em, LLVMValueRef i);

// ---- accesses, one by one: the columns of vectorize/access/kinds.def ----
// Each emits access i, which is of that kind. Of a group, only the member at the insert position is emitted;
// it does the work of all members.
//
// vectorize/emit/loads_stores.c
void weftc_vec_uniform_store(struct weftc_emission *em, LLVMValueRef i);
void weftc_vec_side_by_side_load(struct weftc_emission *em, LLVMValueRef i); // forwards or backwards
void weftc_vec_side_by_side_store(struct weftc_emission *em, LLVMValueRef i);
void weftc_vec_gather(struct weftc_emission *em, LLVMValueRef i);
// The vector with its elements in the opposite order.
LLVMValueRef weftc_vec_reversed(struct weftc_emission *em, LLVMValueRef vector);
// Loads what the lanes of the mask load by load i, or stores what they store by store i, where their elements
// lie side by side from `place`, lane 0's address, on. The builder may stand in another block then.
LLVMValueRef weftc_vec_load_from(struct weftc_emission *em, LLVMValueRef i, LLVMValueRef place);
void weftc_vec_store_to(struct weftc_emission *em, LLVMValueRef i, LLVMValueRef place);
void weftc_vec_scatter(struct weftc_emission *em, LLVMValueRef i);
// vectorize/emit/serial.c: i, an access or any other instruction, for one active lane after the other
void weftc_vec_serial(struct weftc_emission *em, LLVMValueRef i);
// vectorize/emit/wrap_guarded.c
void weftc_vec_wrap_guarded_load(struct weftc_emission *em, LLVMValueRef i);
void weftc_vec_wrap_guarded_store(struct weftc_emission *em, LLVMValueRef i);
// Is access i, whose address is wrap-guarded, strided from lane `first` to the last lane? The condition; and
// lane 0's address if so.
LLVMValueRef weftc_vec_guard(struct weftc_emission *em, LLVMValueRef i, LLVMValueRef first,
                             LLVMValueRef *place);
// vectorize/emit/table_lookup.c
void weftc_vec_table_load(struct weftc_emission *em, LLVMValueRef i);
// vectorize/emit/interleaved.c
void weftc_vec_in_order_load(struct weftc_emission *em, LLVMValueRef i);
void weftc_vec_in_order_store(struct weftc_emission *em, LLVMValueRef i);
void weftc_vec_interleaved_load(struct weftc_emission *em, LLVMValueRef i);
void weftc_vec_interleaved_store(struct weftc_emission *em, LLVMValueRef i);
// vectorize/emit/windowed.c
void weftc_vec_windowed_load(struct weftc_emission *em, LLVMValueRef i);
void weftc_vec_windowed_store(struct weftc_emission *em, LLVMValueRef i);
// vectorize/emit/aligned_words.c
void weftc_vec_aligned_load(struct weftc_emission *em, LLVMValueRef i);
// vectorize/emit/per_lane.c
void weftc_vec_per_lane_load(struct weftc_emission *em, LLVMValueRef i);
void weftc_vec_per_lane_store(struct weftc_emission *em, LLVMValueRef i);
// vectorize/emit/atomic_reduction.c
void weftc_vec_reduced(struct weftc_emission *em, LLVMValueRef i);

// ---- vectorize/emit/nontemporal.c: stores that may go past the caches ----
// A store of all lanes is emitted in as many ways as weftc_vec_fork says, 1 or 2. For each way:
// weftc_vec_take, then the stores, each with weftc_vec_mark_store. Last: weftc_vec_join. store: the access,
// of a group the member at the insert position. place: where the lanes' bytes begin.
struct weftc_vec_fork {
    // through the caches, and past them; after is NULL where there is one way
    LLVMBasicBlockRef ways[2], after;
};
unsigned weftc_vec_fork(struct weftc_emission *em, LLVMValueRef store, LLVMValueRef place,
                        struct weftc_vec_fork *fork);
void weftc_vec_take(struct weftc_emission *em, const struct weftc_vec_fork *fork, unsigned way);
void weftc_vec_mark_store(struct weftc_emission *em, const struct weftc_vec_fork *fork, unsigned way,
                          LLVMValueRef store);
void weftc_vec_join(struct weftc_emission *em, const struct weftc_vec_fork *fork);
// Emits store i for all lanes, which store side by side from `place` on.
void weftc_vec_store_all(struct weftc_emission *em, LLVMValueRef i, LLVMValueRef vector, LLVMValueRef place);

#endif
