// vectorize/emit/ writes the function for all lanes: its control flow block by block, its values instruction by instruction, and each kind of
// memory access in a file of its own.
//
// Comes in: a region with its groups and callees found (vectorize/access/access.h, vectorize/legalize/legalize.h). Goes out: code in v->to, or
// v->reason. Must not know: whether it is worth it.
#ifndef WEFTC_VECTORIZE_EMIT_H
#define WEFTC_VECTORIZE_EMIT_H

#include <stdbool.h>
#include <stdint.h>

#include <llvm-c/Core.h>

#include "weft/status.h"

struct weftc_shapes;
struct weftc_vec;
struct weftc_vec_group;

// What a value of the old function is in the new one. Made when first needed, right behind the definition.
struct weftc_vec_value {
    LLVMValueRef scalar; // uniform: the value; strided: lane 0's
    LLVMValueRef vector; // of all lanes
    LLVMValueRef wide;   // strided and exact: lane 0's as if computed in 64 bits
};

// A set of blocks, in rising order.
struct weftc_vec_set {
    uint32_t *list;
    uint32_t count, capacity;
};

struct weftc_vec_block {
    LLVMBasicBlockRef head;       // where one comes in
    LLVMValueRef mask_slot;       // memory for the mask of lanes that come here; NULL: that of its class
    LLVMValueRef mask;            // the mask, of a class's first block, once emitted
    struct weftc_vec_set pending; // where other lanes wait when one comes here
    uint32_t first_behind;        // the first of the blocks whose PHIs are cleared here; 0: none
    uint32_t next_behind;         // in the list that this block is in
    bool maybe_empty;             // one may come here though no lane does
    bool sure;                    // what is emitted runs for one lane at least
    bool reached;                 // an edge to it was emitted
};

struct weftc_vec_loop {
    struct weftc_vec_set outside; // where lanes that didn't enter it wait
    struct weftc_vec_set exits;   // divergent: where lanes that left it wait
    LLVMBasicBlockRef end;        // divergent: the end of a round
};

// ---- vectorize/emit/control_flow.c ----
// Emits all of the function. Afterwards `reason` or no_memory tells what went wrong, if anything did.
void weftc_vec_emit(struct weftc_vec *v);

// ---- vectorize/emit/instructions.c ----
void weftc_vec_instruction(struct weftc_vec *v, LLVMValueRef i);
// Emits i once, for operands that are uniform or strided. Also how uniform loads are done.
void weftc_vec_emit_scalar(struct weftc_vec *v, LLVMValueRef i);
// Roughly what instruction i takes, where it is asked whether a branch is worth it.
unsigned weftc_vec_cost(const struct weftc_vec *v, LLVMValueRef i);

// ---- vectorize/emit/values.c ----
LLVMTypeRef weftc_vec_type(const struct weftc_vec *v, LLVMTypeRef scalar);
// The value of lane 0 (or of all, when uniform), of all lanes, of one lane.
LLVMValueRef weftc_vec_scalar(struct weftc_vec *v, LLVMValueRef value);
LLVMValueRef weftc_vec_vector(struct weftc_vec *v, LLVMValueRef value);
LLVMValueRef weftc_vec_lane(struct weftc_vec *v, LLVMValueRef value, LLVMValueRef lane);
// The lane's address; `lane` is a constant.
LLVMValueRef weftc_vec_lane_address(struct weftc_vec *v, LLVMValueRef pointer, unsigned lane);
// Lane 0's value as if everything that it is made of were computed in 64 bits, where it doesn't wrap: for
// values whose progression is exact in the active lanes, though lane 0 itself may not be among these.
LLVMValueRef weftc_vec_wide(struct weftc_vec *v, LLVMValueRef value);
void weftc_vec_set_scalar(struct weftc_vec *v, LLVMValueRef i, LLVMValueRef scalar);
void weftc_vec_set_vector(struct weftc_vec *v, LLVMValueRef i, LLVMValueRef vector);
LLVMValueRef weftc_vec_splat(struct weftc_vec *v, LLVMBuilderRef b, LLVMValueRef scalar);
// Inserts an instruction that has been cloned and has its operands, of a lane that may be off: what flags say holds in lanes that are on,
// and bits that are disjoint in these are a sum in all.
LLVMValueRef weftc_vec_insert_for_any_lane(LLVMBuilderRef b, LLVMValueRef copy);
LLVMValueRef weftc_vec_blend(struct weftc_vec *v, LLVMValueRef mask, LLVMValueRef yes, LLVMValueRef no);
// Mask of lanes that the block being emitted runs for; NULL: all.
LLVMValueRef weftc_vec_mask(const struct weftc_vec *v);
LLVMValueRef weftc_vec_true(const struct weftc_vec *v);
LLVMValueRef weftc_vec_bits(struct weftc_vec *v, LLVMValueRef mask); // as an integer of `lanes` bits
LLVMValueRef weftc_vec_any(struct weftc_vec *v, LLVMValueRef mask);
LLVMValueRef weftc_vec_slot(struct weftc_vec *v, LLVMTypeRef type);

// ---- vectorize/emit/calls.c ----
bool weftc_vec_call(struct weftc_vec *v, LLVMValueRef i); // false: it must go lane by lane

// ---- vectorize/emit/sub_groups.c ----
bool weftc_vec_sub_group(struct weftc_vec *v,
                         LLVMValueRef i); // false: it's no call that concerns the sub-group

// ---- vectorize/emit/addresses.c ----
void weftc_vec_alloca(struct weftc_vec *v, LLVMValueRef i);
void weftc_vec_gep(struct weftc_vec *v, LLVMValueRef i);

// ---- accesses, one by one: the columns of vectorize/access/kinds.def ----
// Each emits access i, which is of that kind. Of a group only the member at the insert position comes here; it does the work of all.
// vectorize/emit/loads_stores.c
void weftc_vec_uniform_store(struct weftc_vec *v, LLVMValueRef i);
void weftc_vec_consecutive_load(struct weftc_vec *v, LLVMValueRef i);
void weftc_vec_consecutive_store(struct weftc_vec *v, LLVMValueRef i);
void weftc_vec_reversed_load(struct weftc_vec *v, LLVMValueRef i);
void weftc_vec_reversed_store(struct weftc_vec *v, LLVMValueRef i);
void weftc_vec_gather(struct weftc_vec *v, LLVMValueRef i);
void weftc_vec_scatter(struct weftc_vec *v, LLVMValueRef i);
// vectorize/emit/serial.c: i, an access or any other instruction, for one active lane after the other
void weftc_vec_serial(struct weftc_vec *v, LLVMValueRef i);
// vectorize/emit/wrap_guarded.c
void weftc_vec_wrap_guarded_load(struct weftc_vec *v, LLVMValueRef i);
void weftc_vec_wrap_guarded_store(struct weftc_vec *v, LLVMValueRef i);
// vectorize/emit/table_lookup.c
void weftc_vec_table_load(struct weftc_vec *v, LLVMValueRef i);
// vectorize/emit/interleaved.c
void weftc_vec_in_order_load(struct weftc_vec *v, LLVMValueRef i);
void weftc_vec_in_order_store(struct weftc_vec *v, LLVMValueRef i);
void weftc_vec_interleaved_load(struct weftc_vec *v, LLVMValueRef i);
void weftc_vec_interleaved_store(struct weftc_vec *v, LLVMValueRef i);
// vectorize/emit/windowed.c
void weftc_vec_windowed_load(struct weftc_vec *v, LLVMValueRef i);
void weftc_vec_windowed_store(struct weftc_vec *v, LLVMValueRef i);
// vectorize/emit/per_lane.c
void weftc_vec_per_lane_load(struct weftc_vec *v, LLVMValueRef i);
void weftc_vec_per_lane_store(struct weftc_vec *v, LLVMValueRef i);
// vectorize/emit/atomic_reduction.c
void weftc_vec_reduced(struct weftc_vec *v, LLVMValueRef i);

// ---- vectorize/emit/nontemporal.c: stores that may go past the caches ----
struct weftc_nontemporal { // of a kernel
    struct weftc_nontemporal_argument {
        bool loaded;     // the kernel reads what it points to
        uint32_t stride; // bytes from one work-item's accesses to the next one's; 0: nobody knows
    } *arguments;
    uint32_t count; // of the kernel's arguments; 0: no store may
};
// All regions are there. The caller frees *s whatever the outcome.
weft_status weftc_nontemporal_find(LLVMModuleRef module, struct weftc_nontemporal *s);
void weftc_nontemporal_free(struct weftc_nontemporal *s);
// What a work-item touches of arrays, in bytes; 0 where no function has stores that may go past the caches.
uint32_t weftc_nontemporal_bytes(const struct weftc_nontemporal *s, LLVMModuleRef module);
bool weftc_has_nontemporal_stores(LLVMValueRef f); // has it such stores?
// Between barriers a region that loads much may go column by column (workitem_loops/loop_order.c), as one with such stores can't, and it is
// hardly what the memory holds up.
bool weftc_loads_little(const struct weftc_shapes *s);
// Notes how far apart work-items' accesses are.
void weftc_vec_note_nontemporal(const struct weftc_vec *v);
// May all lanes' part of the store, of so many bytes without a hole, go past the caches?
bool weftc_vec_is_nontemporal(const struct weftc_vec *v, LLVMValueRef store, uint64_t bytes);
// A store of all lanes is emitted in as many ways as fork says, 1 or 2: each after take, and marked; then join.
// place: where the lanes' bytes begin; bytes: of each vector that is stored; 0: not all lanes', or with holes.
struct weftc_vec_fork {
    LLVMBasicBlockRef ways[2], after; // through the caches, and past them; after NULL: there is one way
};
unsigned weftc_vec_fork(struct weftc_vec *v, LLVMValueRef store, LLVMValueRef place, uint64_t bytes,
                        struct weftc_vec_fork *fork);
void weftc_vec_take(struct weftc_vec *v, const struct weftc_vec_fork *fork, unsigned way);
void weftc_vec_mark_store(struct weftc_vec *v, const struct weftc_vec_fork *fork, unsigned way,
                          LLVMValueRef store);
void weftc_vec_join(struct weftc_vec *v, const struct weftc_vec_fork *fork);
// Store i for all lanes, which lie together from `place` on.
void weftc_vec_store_all(struct weftc_vec *v, LLVMValueRef i, LLVMValueRef vector, LLVMValueRef place);

#endif
