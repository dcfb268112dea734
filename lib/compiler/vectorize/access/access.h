// vectorize/access/ says of every instruction of a region what it is over the lanes: where accesses go, which belong together, and how each
// group's memory is accessed. Cost, emission and the report all ask here, so that they have the same answer.
//
// Comes in: a region's function with its shapes (shapes/shapes.h). Goes out: answers, and groups with their plans; the code isn't changed.
// Must not know: what an access costs, and what is emitted for it.
#ifndef WEFTC_VECTORIZE_ACCESS_H
#define WEFTC_VECTORIZE_ACCESS_H

#include <stdbool.h>
#include <stdint.h>

#include <llvm-c/Core.h>

#include "compiler/ir/value_map.h"
#include "compiler/shapes/shapes.h"

struct weftc_nontemporal;
struct weftc_vec_block;
struct weftc_vec_callees;
struct weftc_vec_loop;
struct weftc_vec_value;

// ---- vectorize/access/groups.c ----
// Accesses that happen together: the loads at the first of them, the stores at the last (vectorize/access/groups.c).
enum { WEFTC_MAX_MEMBERS = 16, WEFTC_IN_A_LINE = 64 /* bytes of most groups */ };
struct weftc_vec_group {
    LLVMValueRef members[WEFTC_MAX_MEMBERS]; // in the order of the block
    uint64_t offsets[WEFTC_MAX_MEMBERS];     // bytes from the lowest member's address
    uint32_t count;
    uint32_t element; // bytes that each accesses; offsets are multiples of it
    uint64_t span;    // bytes from the lowest member's first to the highest one's last
    unsigned align;   // of the lowest
    bool store;       // then there is no hole in the span
    bool
        in_order; // word j of the lanes is the j-th vector from lane 0's part on (vectorize/access/memory_order.c)
};

// A region's function of which a function for all lanes is made. What it emits with is vectorize/emit's alone.
struct weftc_vec {
    struct weftc_shapes *s;
    struct weftc_vec_callees *callees; // NULL: calls go lane by lane (vectorize/legalize/legalize.h)
    LLVMModuleRef module;
    LLVMContextRef c;
    LLVMValueRef from, to;
    uint32_t lanes;
    unsigned permutes;                 // WEFTC_PERMUTES_* of the target
    struct weftc_nontemporal *streams; // NULL: no store goes past the caches (vectorize/emit/emit.h)
    LLVMBuilderRef b;                  // where code is emitted
    LLVMBuilderRef at_def;             // scratch: behind definitions
    LLVMBasicBlockRef entry;           // memory and what depends on arguments alone; gets its branch last
    struct weftc_vec_value *values;    // by number of instruction (vectorize/emit/emit.h)
    struct weftc_vec_value *arguments;
    struct weftc_vec_block *blocks;
    struct weftc_vec_loop *loops;
    LLVMValueRef *slots; // of PHIs, by number of instruction
    struct weftc_vec_group *groups;
    uint32_t group_count, group_capacity;
    struct weftc_map group_of;  // access -> group
    struct weftc_map callee_of; // call -> number in callees->list
    LLVMValueRef lane_numbers;  // <lanes x i64> 0, 1, ...
    uint32_t block;             // being emitted
    const char *reason;         // why it can't be done
    bool no_memory;
};

void weftc_vec_find_groups(struct weftc_vec *v);
struct weftc_vec_group *weftc_vec_group_of(const struct weftc_vec *v, LLVMValueRef i); // NULL: in none
// The member at which the group's accesses happen.
LLVMValueRef weftc_vec_insert_position(const struct weftc_vec_group *g);
uint64_t weftc_group_insert_offset(const struct weftc_vec_group *g); // from the part's start

// ---- vectorize/access/memory_order.c ----
// Which groups' words stay in the order of memory.
void weftc_vec_find_order(struct weftc_vec *v);

// ---- vectorize/access/plan.c ----
// How a group's memory is accessed.
enum weftc_vec_way {
    WEFTC_WAY_SINGLY, // each member by a gather or scatter
    WEFTC_WAY_NEAR, // the lanes' parts lie close to each other: all that is between them in vectors, shuffled
    WEFTC_WAY_LANES,  // each lane's part for itself, shuffled
    WEFTC_WAY_WINDOW, // the lanes' parts lie anywhere in a few registers' worth of memory, which are permuted
};
enum { WEFTC_MAX_PIECES = 16, WEFTC_MAX_LANES = 64 };
struct weftc_vec_plan {
    enum weftc_vec_way way;
    uint32_t word;   // bytes: what is shuffled; a member, or several that are small
    uint32_t words;  // in a lane's part
    uint32_t stride; // NEAR: words from lane to lane; WINDOW: registers
};
struct weftc_vec_plan weftc_vec_plan(const struct weftc_vec *v, const struct weftc_vec_group *g);
// Must run for one lane at least.
bool weftc_vec_needs_lane(const struct weftc_vec *v, LLVMValueRef i);

// ---- vectorize/access/classify.c: values ----
struct weftc_shape weftc_vec_shape(const struct weftc_vec *v, LLVMValueRef value);
// Has the value its scalar form only (uniform, strided)?
bool weftc_vec_is_scalar(const struct weftc_vec *v, LLVMValueRef value);

// ---- vectorize/access/classify.c: calls ----
// A call that tells the optimiser something and does nothing.
bool weftc_vec_is_hint(LLVMValueRef i);
// A mark of where a `restrict` pointer's scope begins.
bool weftc_vec_is_scope(LLVMValueRef i);
bool weftc_vec_is_call(LLVMValueRef i); // of a function that has a body
bool weftc_vec_is_extreme(
    LLVMValueRef call); // of the least or greatest of two whole numbers, one instruction

// ---- vectorize/access/classify.c: loads and stores ----
// Where the address of a load or store goes over the lanes.
enum weftc_vec_address {
    WEFTC_ADDRESS_UNIFORM,
    WEFTC_ADDRESS_CONSECUTIVE,
    WEFTC_ADDRESS_REVERSE,
    WEFTC_ADDRESS_SCATTERED,
};
enum weftc_vec_address weftc_vec_address_of(const struct weftc_vec *v, LLVMValueRef i);
LLVMTypeRef weftc_vec_accessed_type(LLVMValueRef i); // of a load or store
LLVMValueRef weftc_vec_pointer(LLVMValueRef i);      // its address
// Must it go lane by lane?
bool weftc_vec_is_serial_access(const struct weftc_vec *v, LLVMValueRef i);
bool weftc_vec_is_wrap_guarded(const struct weftc_vec *v,
                               LLVMValueRef i); // a load or store of such an address

// ---- vectorize/access/classify.c: atomics ----
// How the lanes' operands of an atomic are put together.
struct weftc_reduction {
    LLVMAtomicRMWBinOp op;
    const char *intrinsic;
    enum {
        WEFTC_NEUTRAL_ZERO,
        WEFTC_NEUTRAL_ONES,
        WEFTC_NEUTRAL_SMALLEST,
        WEFTC_NEUTRAL_LARGEST
    } neutral; // of signed numbers
};
const struct weftc_reduction *weftc_vec_reduction_of(LLVMValueRef i);
bool weftc_vec_is_reduced(const struct weftc_vec *v, LLVMValueRef i); // an atomic that is one for all lanes

// ---- vectorize/access/tables.c ----
// Neither uniform nor consecutive, nor looked up.
bool weftc_vec_is_scattered(const struct weftc_vec *v, LLVMValueRef i);
bool weftc_vec_is_table_lookup(const struct weftc_vec *v,
                               LLVMValueRef i); // taken out of registers, instead of a gather
unsigned weftc_vec_permuted(LLVMValueRef f);    // WEFTC_PERMUTES_* of the target of the module that f is in
bool weftc_vec_is_lookup(const struct weftc_vec *v,
                         LLVMValueRef i); // a load, at any place, from a table that registers can hold
// In the units of weftc_vec_work (vectorize/cost/cost.h).
uint64_t weftc_vec_lookup_cost(const struct weftc_vec *v, LLVMValueRef i);

#endif
