// The vectorizer's state while it emits one function (DESIGN §8, C3). Private to vectorize*.c.
#ifndef WEFTC_VECTORIZE_H
#define WEFTC_VECTORIZE_H

#include "compiler/shapes/shapes.h"

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

// Accesses that happen together: the loads at the first of them, the stores at the last (vectorize/access/groups.c).
enum { WEFTC_MOST_MEMBERS = 16, WEFTC_IN_A_LINE = 64 /* bytes of most groups */ };
struct weftc_vec_group {
    LLVMValueRef members[WEFTC_MOST_MEMBERS]; // in the order of the block
    uint64_t offsets[WEFTC_MOST_MEMBERS];     // bytes from the lowest member's address
    uint32_t count;
    uint32_t element; // bytes that each accesses; offsets are multiples of it
    uint64_t span;    // bytes from the lowest member's first to the highest one's last
    unsigned align;   // of the lowest
    bool store;       // then there is no hole in the span
    bool
        in_order; // word j of the lanes is the j-th vector from lane 0's part on (vectorize/access/memory_order.c)
};
// How a group's memory is accessed (vectorize/emit/interleaved.c).
enum weftc_vec_way {
    WEFTC_WAY_SINGLY, // each member by a gather or scatter
    WEFTC_WAY_NEAR, // the lanes' parts lie close to each other: all that is between them in vectors, shuffled
    WEFTC_WAY_LANES,  // each lane's part for itself, shuffled
    WEFTC_WAY_WINDOW, // the lanes' parts lie anywhere in a few registers' worth of memory, which are permuted
};
enum { WEFTC_MOST_PIECES = 16, WEFTC_MOST_LANES = 64 };
struct weftc_vec_plan {
    enum weftc_vec_way way;
    uint32_t word;   // bytes: what is shuffled; a member, or several that are small
    uint32_t words;  // in a lane's part
    uint32_t stride; // NEAR: words from lane to lane; WINDOW: registers
};

// What came of vectorizing a function.
struct weftc_vec_callees;
struct weftc_vec_made {
    LLVMValueRef vector;     // NULL: there is none, for reason
    uint64_t at_once, alone; // what running it costs for all lanes, and for each
    const char *reason;
};
// The functions that lanes call together, of one kernel (vectorize/legalize/callees.c).
struct weftc_vec_callee {
    LLVMValueRef function;
    LLVMValueRef vector; // NULL: there is none, and lanes call one after the other
    uint32_t lanes;
    bool masked;             // not all lanes call it: which do so is the last argument
    uint64_t at_once, alone; // what a call of all lanes costs, and one of each
    struct weftc_shape *shapes;
};
struct weftc_vec_callees {
    struct weftc_vec_callee **list;
    uint32_t count, capacity;
    const struct weftc_target *target;
    const struct weftc_kernel_options *options;
    // Makes the function for all lanes of a form whose parameters have these shapes.
    weft_status (*vectorize)(struct weftc_vec_callees *c, LLVMValueRef form, const struct weftc_shape *shapes,
                             uint32_t lanes, struct weftc_vec_made *made);
};

// ---- vectorize/emit/nontemporal.c: stores that may go past the caches ----
struct weftc_streams { // of a kernel
    struct weftc_stream {
        bool loaded;     // the kernel reads what it points to
        uint32_t stride; // bytes from one work-item's accesses to the next one's; 0: nobody knows
    } *arguments;
    uint32_t count; // of the kernel's arguments; 0: no store may
};

struct weftc_vec {
    struct weftc_shapes *s;
    struct weftc_vec_callees *callees; // NULL: calls go lane by lane
    LLVMModuleRef module;
    LLVMContextRef c;
    LLVMValueRef from, to;
    uint32_t lanes;
    unsigned permutes;              // as weftc_vec_permutes says
    struct weftc_streams *streams;  // NULL: no store goes past the caches
    LLVMBuilderRef b;               // where code is emitted
    LLVMBuilderRef at_def;          // scratch: behind definitions
    LLVMBasicBlockRef entry;        // memory and what depends on arguments alone; gets its branch last
    struct weftc_vec_value *values; // by number of instruction
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

// ---- vectorize/emit/control_flow.c ----
// Emits all of the function. Afterwards `reason` or no_memory tells what went wrong, if anything did.
void weftc_vec_emit(struct weftc_vec *v);

// ---- vectorize/emit/nontemporal.c ----
// All regions are there. The caller frees *s whatever the outcome.
weft_status weftc_streams_find(LLVMModuleRef module, struct weftc_streams *s);
void weftc_streams_free(struct weftc_streams *s);
// What a work-item touches of arrays, in bytes; 0 where no function has stores that may go past the caches.
uint32_t weftc_streams_bytes(const struct weftc_streams *s, LLVMModuleRef module);
bool weftc_function_streams(LLVMValueRef f); // has it such stores?
// Between barriers a region that loads much may go column by column (workitem_loops/loop_order.c), as one with such stores can't, and it is
// hardly what the memory holds up.
bool weftc_loads_little(const struct weftc_shapes *s);
// Notes how far apart work-items' accesses are.
void weftc_vec_count_streams(const struct weftc_vec *v);
// May all lanes' part of the store, of so many bytes without a hole, go past the caches?
bool weftc_vec_streams(const struct weftc_vec *v, LLVMValueRef store, uint64_t bytes);
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

// ---- vectorize/legalize/canonicalize.c ----
enum { WEFTC_VEC_HUGE = 10000, WEFTC_VEC_LARGE = 400 }; // regions, in instructions
bool weftc_vec_is_large(LLVMValueRef f, size_t most);   // has it more instructions?
// A copy of a region or of a function that one calls, of that name, in the form that lanes are made of.
LLVMValueRef weftc_vec_form(LLVMValueRef region, const char *name, uint32_t lanes,
                            const struct weftc_target *target, const struct weftc_kernel_options *options);
// *reason: NULL when nothing speaks against lanes; *at: the instruction that does.
weft_status weftc_vec_why_not(const struct weftc_shapes *s, const char **reason, LLVMValueRef *at);

// What a step of all lanes is reckoned to be, and what it may be at most, in tenths of a work-item that runs alone. allowed 0: it
// isn't asked.
struct weftc_vec_bound {
    uint32_t reckoned, allowed;
};

// ---- vectorize/cost/wide_step.c ----
struct weftc_vec_twice {
    const char *reason; // why one step of twice the lanes isn't better than two; NULL: it is
    unsigned times;     // by how much more lanes the best step has: 2 or 4; 2 where there is a reason
    // Cycles, of one step in the part of the region that counts most: from round to round at least, for the units at least,
    // and of that what a wide step needs but once.
    uint32_t chain, work, shared;
    uint32_t registers; // that the values of one step take
    uint32_t percent;   // of so many steps' time that one of `times` the lanes takes
    uint64_t weight;    // of that part
    // Latencies reckoned with, all lanes at once are much faster than one by one, and none waits for another.
    bool saves;
    // Likewise, they are no faster, though loops were unrolled in which each lane goes along a row of its own (vectorize/legalize/unroll_rows.c).
    bool loses;
    struct weftc_vec_bound time; // by which one of both is decided
};
// v: with its groups found. alone: the kernel has no other region.
void weftc_vec_find_twice(struct weftc_vec *v, const struct weftc_target *target, bool alone,
                          struct weftc_vec_twice *t);

// ---- vectorize/cost/work.c ----
bool weftc_vec_is_extreme(
    LLVMValueRef call); // of the least or greatest of two whole numbers, one instruction
struct weftc_vec_cost {
    uint32_t step;  // of one step of all lanes, in 1/16 of a work-item that runs alone
    uint64_t total; // likewise, in a unit of no meaning that is the same for all forms of all regions
    uint64_t alone; // of as many work-items that run alone, in that unit
    // In instructions, where those that count rounds or are the same for all lanes and outside of loops don't count for work-items.
    struct weftc_vec_bound work;
    LLVMValueRef dearest; // of the sort that exceeds most what lanes may cost; NULL: nothing does
    uint32_t percent;     // of the step's work that is that sort's
    struct weftc_vec_twice twice;
    bool refused;        // there are no lanes because of that
    bool diverges_again; // lanes take a branch apart in a loop, which isn't its regular end
    bool uneven;         // some may stay much longer in a loop than others
    bool apart;          // they access memory neither at one place nor side by side
    bool far_apart;      // nor interleaved, or something is done one by one
    uint32_t tried;      // what the runtime is to try beside this: a set of enum weft_doubt
};
enum weftc_vec_sort {
    WEFTC_VEC_LOADS,
    WEFTC_VEC_STORES,
    WEFTC_VEC_ATOMICS,
    WEFTC_VEC_CALLS,
    WEFTC_VEC_OPERATIONS,
    WEFTC_VEC_SORTS
};
enum weftc_vec_sort weftc_vec_sort(LLVMValueRef i);
bool weftc_vec_pays(const struct weftc_vec *v, struct weftc_vec_cost *cost);
// What a step costs, in 1/16 of a work-item that runs alone, if all lanes cost at_once, and as many work-items alone.
uint32_t weftc_vec_step(unsigned lanes, uint64_t at_once, uint64_t alone);
// Likewise, in tenths.
struct weftc_vec_bound weftc_vec_bound(unsigned lanes, uint64_t at_once, uint64_t alone, unsigned allowed);
// Of instruction i for all lanes, in instructions that are done about as quickly as an addition.
uint64_t weftc_vec_work(const struct weftc_vec *v, LLVMValueRef i);

// ---- vectorize/cost/autotune_candidates.c ----
// What of a region makes it hard to tell whether lanes pay: diverges_again, uneven, apart and far_apart. v: with its groups found.
void weftc_vec_find_doubts(const struct weftc_vec *v, struct weftc_vec_cost *cost);

// ---- vectorize/legalize/spin_loops.c ----
// *for_what: the access in a loop in which lanes wait for what others do behind it, and would for ever; NULL: there is none.
weft_status weftc_vec_waits(const struct weftc_shapes *s, LLVMValueRef *for_what);

// ---- vectorize/tiling.c ----
struct weftc_vec_tiling {
    // Work-items that follow each other along dimension 1 often touch one line of memory, those along dimension 0 lines far
    // from each other.
    bool tiles;
    bool turned; // all accesses are so: lanes are better off along dimension 1
    bool bound;  // some are better off as it is
};
weft_status weftc_vec_tiles(const struct weftc_shapes *s, struct weftc_vec_tiling *tiling);

// ---- vectorize/versioning.c ----
// Would some shape be better if one assumed what holds in most steps?
bool weftc_vec_assumes(const struct weftc_shapes *s);
// A copy of form in which a branch at its beginning, that usually goes one way, always does; *condition, in the copy, says
// whether it does. NULL: there is none.
LLVMValueRef weftc_vec_usual(LLVMValueRef form, LLVMValueRef *condition);
// *result, of that name: does what `assumed` does, if what s assumes holds and so does `usual` (a value of the function of which
// s is; may be NULL), and else what `any` does; that may be NULL, then form, which runs `step` work-items, does that as often as it must.
// Both are gone afterwards.
weft_status weftc_vec_assumed(const struct weftc_shapes *s, LLVMValueRef form, uint32_t step,
                              LLVMValueRef usual, const char *name, LLVMValueRef assumed, LLVMValueRef any,
                              LLVMValueRef *result);

// ---- vectorize/legalize/tail_folding.c ----
// f, in form, then runs for the first WEFTC_LANES_LEFT lanes alone.
void weftc_vec_mask_lanes(LLVMValueRef f);
// ... for those for which that is true, a parameter.
void weftc_vec_mask_by(LLVMValueRef f, LLVMValueRef condition);

// ---- vectorize/legalize/callees.c ----
void weftc_vec_callees_free(struct weftc_vec_callees *c);
// Makes the functions for all calls of the region, so that they can be asked for. Call it once, before the cost is asked.
void weftc_vec_make_callees(struct weftc_vec *v);
const struct weftc_vec_callee *weftc_vec_callee_of(const struct weftc_vec *v,
                                                   LLVMValueRef i); // NULL: it is none
bool weftc_vec_is_call(LLVMValueRef i);                             // of a function that has a body
// Do all lanes do that together?
bool weftc_vec_is_together(const struct weftc_vec *v, LLVMValueRef i);
// In the units of weftc_vec_work: of a call for each lane, and of one for all. False: i is no such call.
bool weftc_vec_call_costs(const struct weftc_vec *v, LLVMValueRef i, uint64_t *alone, uint64_t *at_once);
bool weftc_vec_call(struct weftc_vec *v, LLVMValueRef i); // false: it must go lane by lane

// ---- vectorize/report.c ----
struct weftc_vec_outcome {
    const char *reason; // why the region isn't vectorized; NULL: it is
    LLVMValueRef at;    // what is to blame; NULL: no single instruction
    struct weftc_vec_cost cost;
};
// Source lines are in it where the front end left them (-weft-report).
void weftc_vec_report(const struct weftc_vec *v, unsigned region, const struct weftc_vec_outcome *outcome,
                      struct weft_buf *out);

// ---- vectorize/emit/values.c ----
LLVMTypeRef weftc_vec_type(const struct weftc_vec *v, LLVMTypeRef scalar);
// The value of lane 0 (or of all, when uniform), of all lanes, of one lane.
LLVMValueRef weftc_vec_scalar(struct weftc_vec *v, LLVMValueRef value);
LLVMValueRef weftc_vec_vector(struct weftc_vec *v, LLVMValueRef value);
LLVMValueRef weftc_vec_lane(struct weftc_vec *v, LLVMValueRef value, LLVMValueRef lane);
struct weftc_shape weftc_vec_shape(const struct weftc_vec *v, LLVMValueRef value);
// Has the value its scalar form only (uniform, strided)?
bool weftc_vec_is_scalar(const struct weftc_vec *v, LLVMValueRef value);
LLVMValueRef weftc_vec_splat(struct weftc_vec *v, LLVMBuilderRef b, LLVMValueRef scalar);
// Inserts an instruction that has been cloned and has its operands, of a lane that may be off: what flags say holds in lanes that are on,
// and bits that are disjoint in these are a sum in all.
LLVMValueRef weftc_vec_insert_for_any_lane(LLVMBuilderRef b, LLVMValueRef copy);
// Lane 0's value as if everything that it is made of were computed in 64 bits, where it doesn't wrap: for
// values whose progression is exact in the active lanes, though lane 0 itself may not be among these.
LLVMValueRef weftc_vec_wide(struct weftc_vec *v, LLVMValueRef value);
LLVMValueRef weftc_vec_blend(struct weftc_vec *v, LLVMValueRef mask, LLVMValueRef yes, LLVMValueRef no);
// Mask of lanes that the block being emitted runs for; NULL: all.
LLVMValueRef weftc_vec_mask(const struct weftc_vec *v);
LLVMValueRef weftc_vec_true(const struct weftc_vec *v);
LLVMValueRef weftc_vec_bits(struct weftc_vec *v, LLVMValueRef mask); // as an integer of `lanes` bits
LLVMValueRef weftc_vec_any(struct weftc_vec *v, LLVMValueRef mask);
void weftc_vec_set_scalar(struct weftc_vec *v, LLVMValueRef i, LLVMValueRef scalar);
void weftc_vec_set_vector(struct weftc_vec *v, LLVMValueRef i, LLVMValueRef vector);
void weftc_vec_instruction(struct weftc_vec *v, LLVMValueRef i);
LLVMValueRef weftc_vec_slot(struct weftc_vec *v, LLVMTypeRef type);
// A call that tells the optimiser something and does nothing.
bool weftc_vec_is_hint(LLVMValueRef i);
// Must run for one lane at least.
bool weftc_vec_needs_lane(const struct weftc_vec *v, LLVMValueRef i);
unsigned weftc_vec_cost(const struct weftc_vec *v, LLVMValueRef i);

// ---- vectorize/emit/loads_stores.c ----
void weftc_vec_alloca(struct weftc_vec *v, LLVMValueRef i);
void weftc_vec_gep(struct weftc_vec *v, LLVMValueRef i);
void weftc_vec_load(struct weftc_vec *v, LLVMValueRef i);
void weftc_vec_store(struct weftc_vec *v, LLVMValueRef i);
// Store i for all lanes, which lie together from `place` on.
void weftc_vec_store_all(struct weftc_vec *v, LLVMValueRef i, LLVMValueRef vector, LLVMValueRef place);
// One lane after the other.
void weftc_vec_serial(struct weftc_vec *v, LLVMValueRef i);
bool weftc_vec_is_serial_access(const struct weftc_vec *v, LLVMValueRef i);
// Neither uniform nor consecutive, nor looked up.
bool weftc_vec_is_scattered(const struct weftc_vec *v, LLVMValueRef i);
bool weftc_vec_is_looked_up(const struct weftc_vec *v,
                            LLVMValueRef i); // taken out of registers, instead of a gather
// The lane's address; `lane` is a constant.
LLVMValueRef weftc_vec_lane_address(struct weftc_vec *v, LLVMValueRef pointer, unsigned lane);

// ---- vectorize/emit/atomic_reduction.c ----
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
void weftc_vec_reduced(struct weftc_vec *v, LLVMValueRef i);

// ---- vectorize/emit/sub_groups.c ----
bool weftc_vec_sub_group(struct weftc_vec *v,
                         LLVMValueRef i); // false: it's no call that concerns the sub-group

// ---- vectorize/emit/wrap_guarded.c ----
bool weftc_vec_is_nearly(const struct weftc_vec *v, LLVMValueRef i); // a load or store of such an address
void weftc_vec_nearly_load(struct weftc_vec *v, LLVMValueRef i);
void weftc_vec_nearly_store(struct weftc_vec *v, LLVMValueRef i);

// ---- vectorize/emit/table_lookup.c ----
// Which elements the target takes out of registers by number, in one instruction each.
enum {
    WEFTC_PERMUTES_16_BYTES = 1,
    WEFTC_PERMUTES_8_WORDS = 2, // of 32 bits
    WEFTC_PERMUTES_512 = 4,     // of 32 and 64 bits, in registers of 512
    WEFTC_PERMUTES_512_SHORTS = 8,
    WEFTC_PERMUTES_512_BYTES = 16,
};
unsigned weftc_vec_permutes(const struct weftc_target *t);
unsigned weftc_vec_permuted(LLVMValueRef f); // the target of the module that f is in
bool weftc_vec_is_lookup(const struct weftc_vec *v,
                         LLVMValueRef i); // a load, at any place, from a table that registers can hold
void weftc_vec_lookup(struct weftc_vec *v, LLVMValueRef i);
uint64_t weftc_vec_lookup_cost(const struct weftc_vec *v, LLVMValueRef i); // as weftc_vec_work

// ---- vectorize/legalize/unroll_rows.c ----
// Unrolls the loops of form in which each lane goes along a row of its own, as far as memory suffices.
void weftc_vec_unroll_rows(LLVMValueRef form, uint32_t lanes, const struct weftc_target *target);
// How many rounds that has made one of the loop, or of that to which the loop is the rest; 1 for others.
unsigned weftc_vec_rounds(const struct weftc_flow *g, uint32_t loop);
// Does LLVM make lanes of the loop's rounds where work-items run alone?
bool weftc_vec_rounds_have_lanes(const struct weftc_vec *v, const struct weftc_flow_loop *loop);
// Has the region such a loop along rows that lanes would gather?
bool weftc_vec_has_rows_with_lanes(const struct weftc_vec *v);

// ---- vectorize/access/groups.c ----
void weftc_vec_find_groups(struct weftc_vec *v);
struct weftc_vec_group *weftc_vec_group_of(const struct weftc_vec *v, LLVMValueRef i); // NULL: in none

// ---- vectorize/access/memory_order.c ----
// Which groups' words stay in the order of memory.
void weftc_vec_find_order(struct weftc_vec *v);

// ---- vectorize/emit/interleaved.c ----
struct weftc_vec_plan weftc_vec_plan(const struct weftc_vec *v, const struct weftc_vec_group *g);
// The member at which the group's accesses happen.
LLVMValueRef weftc_vec_anchor(const struct weftc_vec_group *g);
uint64_t weftc_group_anchor_offset(const struct weftc_vec_group *g); // from the part's start
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
// A mark of where a `restrict` pointer's scope begins.
bool weftc_vec_is_scope(LLVMValueRef i);
// For accesses whose plan isn't to go singly. What isn't the anchor was or will be done by it.
void weftc_vec_group_load(struct weftc_vec *v, const struct weftc_vec_group *g, LLVMValueRef i);
void weftc_vec_group_store(struct weftc_vec *v, const struct weftc_vec_group *g, LLVMValueRef i);

#endif
