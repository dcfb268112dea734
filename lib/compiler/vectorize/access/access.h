// vectorize/access/ decides how each load, store, atomic and call of a region is done: it classifies them by
// the kinds in kinds.def and calls.def. Emission, cost and the report all ask here.
//
// In: a region's function with its shapes (shapes/shapes.h). Out: struct weftc_access for each access, struct
// weftc_call for each call, and interleave groups; the code isn't changed. This folder doesn't know the cost
// model, or what is emitted: kinds.def and calls.def only name the functions of cost/ and emit/ that do.
// Where an access may be done in two ways, it takes the one with fewer shuffles (plan.c).
#ifndef WEFTC_VECTORIZE_ACCESS_H
#define WEFTC_VECTORIZE_ACCESS_H

#include <stdbool.h>
#include <stdint.h>

#include <llvm-c/Core.h>

#include "compiler/ir/value_map.h"
#include "compiler/shapes/shapes.h"

struct weftc_price;

struct weftc_nontemporal;
struct weftc_vec_callee;
struct weftc_vec_callees;
struct weftc_window;

// ---- vectorize/access/kinds.def ----
enum weftc_access_kind {
    WEFTC_ACCESS_NONE, // no load, store or atomic
#define ACCESS(kind, ...) WEFTC_ACCESS_##kind,
#include "compiler/vectorize/access/kinds.def"
#undef ACCESS
    WEFTC_ACCESS_KINDS
};

// ---- vectorize/access/calls.def ----
enum weftc_call_kind {
    WEFTC_CALL_NONE, // no call
#define CALL(kind, ...) WEFTC_CALL_##kind,
#include "compiler/vectorize/access/calls.def"
#undef CALL
    WEFTC_CALL_KINDS
};

// How far the addresses of neighbouring lanes are from each other.
enum weftc_access_reach {
    WEFTC_REACH_TOGETHER, // one place, consecutive elements, or no memory at all
    WEFTC_REACH_NEAR,     // segments that lie close to each other
    WEFTC_REACH_FAR,      // anywhere, or done lane by lane
};

// Which accesses of a kind may only run where at least one lane is active. This is about loads and stores;
// atomics always need a lane.
enum weftc_access_lane { WEFTC_LANE_NEITHER, WEFTC_LANE_LOADS, WEFTC_LANE_BOTH };

struct weftc_access_traits {
    const char *name, *words; // of the report
    enum weftc_access_reach reach;
    enum weftc_access_lane lane;
};
extern const struct weftc_access_traits weftc_access_traits[WEFTC_ACCESS_KINDS];

struct weftc_call_traits {
    enum weftc_access_reach reach;
    const char *words; // of the report; "": it has none
};
extern const struct weftc_call_traits weftc_call_traits[WEFTC_CALL_KINDS];

// ---- vectorize/access/groups.c ----
// An interleave group: accesses of one block that happen together, the loads at the first of them, the stores
// at the last. Each lane's accesses are in its *segment* of memory.
enum {
    WEFTC_MAX_MEMBERS = 16,
    WEFTC_USUAL_SPAN = 64, // bytes that most groups span at most
    WEFTC_MAX_PIECES = 16,
    WEFTC_MAX_LANES = 64
};
// How a group's memory is accessed, in words. A word is one member, or several small ones.
struct weftc_vec_plan {
    uint32_t word;   // bytes of a word
    uint32_t words;  // in a lane's segment
    uint32_t stride; // INTERLEAVED, IN_ORDER: words from lane to lane; WINDOWED: registers of the window;
                     // ALIGNED: 1 if a segment may go on in the next aligned word
    bool whole;      // INTERLEAVED: it is, where all lanes are active; else bytes are accessed one by one
    bool backwards;  // INTERLEAVED: the last lane's segment is the lowest
};
struct weftc_vec_group {
    LLVMValueRef members[WEFTC_MAX_MEMBERS]; // in the order of the block
    uint64_t offsets[WEFTC_MAX_MEMBERS];     // bytes from the lowest member's address
    uint32_t count;
    uint32_t element; // bytes that each accesses; offsets are multiples of it
    uint64_t span;    // bytes from the lowest member's first to the highest one's last
    unsigned align;   // of the lowest member
    bool store;       // it stores; then there is no hole in the span
    bool in_order;    // word j of the lanes is the j-th vector from lane 0's segment on (memory_order.c)
    enum weftc_access_kind kind; // of all members; GATHER: each is done by itself
    struct weftc_vec_plan plan;
    struct weftc_window *window; // WINDOWED: where the segments lie; else NULL
};

// ---- vectorize/access/classify.c ----
struct weftc_lookup;
// How one load, store or atomic is done: decided once, by weftc_vec_classify.
struct weftc_access {
    enum weftc_access_kind kind;
    uint32_t bytes;                      // that each lane accesses
    int64_t stride;                      // bytes from lane to lane; 0: uniform, or unknown
    const struct weftc_vec_group *group; // IN_ORDER, INTERLEAVED, WINDOWED, ALIGNED, PER_LANE; else NULL
    struct weftc_lookup *table;          // TABLE; else NULL
    bool nontemporal;                    // a store that may go past the caches (access/nontemporal.h)
};
// How one call is done: decided once, by weftc_vec_classify; for functions that have a body, by
// weftc_vec_make_callees (vectorize/legalize/legalize.h).
struct weftc_call {
    enum weftc_call_kind kind;
    bool needs_lane;                       // it may only run for at least one active lane
    const struct weftc_vec_callee *callee; // what is known of a function that has a body; NULL: nothing
};

// What is decided for a function of which a function for all lanes is made. Constant once its accesses and
// calls are classified, its callees are made and its branches are found (decide in vectorize/attempt.c). What
// emission needs besides is in vectorize/emit/emit.h.
struct weftc_vec {
    struct weftc_shapes *s;
    struct weftc_vec_callees *callees; // NULL: calls are done lane by lane (vectorize/legalize/legalize.h)
    struct weftc_nontemporal *nontemporal; // NULL: no store is non-temporal (access/nontemporal.h)
    LLVMValueRef from;
    uint32_t lanes;
    unsigned permutes;                // WEFTC_PERMUTES_* of the target
    const struct weftc_price *prices; // by enum weftc_operation; NULL: no cost is asked for
    struct weftc_access *accesses;    // by number of instruction
    struct weftc_call *calls;         // by number of instruction
    bool *branches;                   // by block: a branch around it is worth it (vectorize/cost/branches.c)
    struct weftc_vec_group *groups;
    uint32_t group_count, group_capacity;
    struct weftc_map group_of; // access -> group
    bool no_memory;
};

// Classifies all accesses and calls of v->s's function, and finds its groups. If memory is short,
// v->no_memory is set. The caller calls weftc_vec_access_free whatever the outcome.
void weftc_vec_classify(struct weftc_vec *v);
void weftc_vec_access_free(struct weftc_vec *v);
// How i would be done if it were the only access of its function. For passes that run before groups are
// found. v needs only s, lanes and permutes.
enum weftc_access_kind weftc_access_by_itself(const struct weftc_vec *v, LLVMValueRef i);
// Must instruction i, an access or any other, run for at least one active lane?
bool weftc_vec_needs_lane(const struct weftc_vec *v, LLVMValueRef i);

// ---- vectorize/access/calls.c: a step of weftc_vec_classify ----
struct weftc_call weftc_vec_classify_call(const struct weftc_vec *v, LLVMValueRef i);

// ---- vectorize/access/groups.c, memory_order.c, plan.c: steps of weftc_vec_classify ----
// Finds v->groups, from accesses that are classified by themselves.
void weftc_vec_find_groups(struct weftc_vec *v);
// Finds the groups whose words stay in the order of memory.
void weftc_vec_find_order(struct weftc_vec *v);
// Fills g->kind, g->plan and g->window.
void weftc_vec_plan_group(struct weftc_vec *v, struct weftc_vec_group *g);
// May the lanes' segments be loaded out of the aligned words in which they lie (emit/aligned_words.c)?
bool weftc_vec_fits_aligned(const struct weftc_vec *v, const struct weftc_vec_group *g);
// NULL: it is in no group
struct weftc_vec_group *weftc_vec_group_of(const struct weftc_vec *v, LLVMValueRef i);
// The member at which the group's accesses happen.
LLVMValueRef weftc_vec_insert_position(const struct weftc_vec_group *g);
// bytes from the segment's start to that member
uint64_t weftc_group_insert_offset(const struct weftc_vec_group *g);

// ---- vectorize/access/instructions.c: what has been decided ----
// How instruction i is done. The kind is NONE where i is no access.
const struct weftc_access *weftc_vec_access(const struct weftc_vec *v, LLVMValueRef i);
// How call i is done. The kind is NONE where i is no call.
const struct weftc_call *weftc_vec_call(const struct weftc_vec *v, LLVMValueRef i);

// ---- vectorize/access/instructions.c: values ----
struct weftc_shape weftc_vec_shape(const struct weftc_vec *v, LLVMValueRef value);
// Is the value uniform or strided, so that lane 0's is enough?
bool weftc_vec_is_scalar(const struct weftc_vec *v, LLVMValueRef value);

// ---- vectorize/access/instructions.c: calls ----
// A call that only tells the optimiser something.
bool weftc_vec_is_hint(LLVMValueRef i);
// A mark of where a `restrict` pointer's scope begins.
bool weftc_vec_is_scope(LLVMValueRef i);
bool weftc_vec_is_call(LLVMValueRef i);       // a call of a function that has a body
bool weftc_vec_is_extreme(LLVMValueRef call); // the minimum or maximum of two whole numbers, one instruction

// ---- vectorize/access/instructions.c: loads and stores ----
LLVMTypeRef weftc_vec_accessed_type(LLVMValueRef i); // of a load or store
LLVMValueRef weftc_vec_pointer(LLVMValueRef i);      // the address of a load or store

// ---- vectorize/access/instructions.c: atomics ----
// How an atomic combines the lanes' operands.
struct weftc_reduction {
    LLVMAtomicRMWBinOp op;
    const char *intrinsic;
    enum {
        WEFTC_NEUTRAL_ZERO,
        WEFTC_NEUTRAL_ONES,
        WEFTC_NEUTRAL_SMALLEST,
        WEFTC_NEUTRAL_LARGEST
    } neutral; // the operand of lanes that are inactive; SMALLEST and LARGEST of signed numbers
};
const struct weftc_reduction *weftc_vec_reduction_of(LLVMValueRef i);

// ---- vectorize/access/tables.c ----
// Returns WEFTC_PERMUTES_* of the target of the module that f is in.
unsigned weftc_vec_permuted(LLVMValueRef f);
#endif
