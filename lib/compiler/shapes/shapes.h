// shapes/ is the divergence and stride analysis of a region's function. It finds how each value differs
// between lanes, which are consecutive work-items of dimension 0 that run together: it is the same in all
// lanes, grows from lane to lane, or varies. It also finds the control flow, in the order in which blocks are
// emitted.
//
// Input: the function of a region, with loops in simplified form. Output: struct weftc_shapes; the code isn't
// changed. shapes must not know what its results are used for. Functions that return a status fail if memory
// runs out, and where it says so.
#ifndef WEFTC_SHAPES_H
#define WEFTC_SHAPES_H

#include <stdbool.h>
#include <stdint.h>

#include <llvm-c/Core.h>
#include <llvm-c/Target.h>

#include "compiler/ir/cfg.h"
#include "compiler/ir/value_map.h"
#include "weft/status.h"

struct weft_buf;

// ---- shapes/block_order.c: control flow ----

// Blocks are numbered by their place in one linear order. The order is topological except for back edges.
// Every loop is contiguous in it, and within one loop level every subtree of the dominator tree is. So code
// that runs the blocks in this order, each one if at least one lane needs it, meets the definition of each
// value before its uses.

struct weftc_flow_block {
    LLVMBasicBlockRef block;
    uint32_t loop; // innermost loop; UINT32_MAX: none
    uint32_t idom; // immediate dominator; UINT32_MAX: none
    // immediate post-dominator, as in weftc_flow_post_dominates; UINT32_MAX: the end of the loop level
    uint32_t ipdom;
    // Found by the fixpoint over shapes:
    bool divergent; // its branch sends lanes different ways
    bool join;      // lanes may arrive here over different ways
    bool full;      // all lanes that entered the function are active here
    bool single;    // at most one lane is active: that whose id equals a uniform number
    // the first block that is sure to run for exactly the same lanes, in the same iteration
    uint32_t mask_class;
};

struct weftc_flow_loop {
    uint32_t parent;     // UINT32_MAX: none
    uint32_t begin, end; // its blocks, without `end`; begin is the header
    uint32_t ipdom;      // of the whole loop, in the level around it
    bool divergent;      // lanes leave it in different iterations, or different ways
};

struct weftc_flow {
    LLVMValueRef function;
    struct weftc_flow_block *blocks;
    uint32_t block_count;
    struct weftc_flow_loop *loops;
    uint32_t loop_count;
    struct weftc_edges edges;
};

// The function must have one entry, no unreachable block, and loops in simplified form (one latch, a
// preheader, exits of their own). WEFT_UNSUPPORTED: the control flow is irreducible. The caller calls
// weftc_flow_fini in any case.
weft_status weftc_flow_init(struct weftc_flow *g, LLVMValueRef function);
void weftc_flow_fini(struct weftc_flow *g);
static inline bool weftc_flow_in_loop(const struct weftc_flow *g, uint32_t loop, uint32_t block)
{
    return loop == UINT32_MAX || (block >= g->loops[loop].begin && block < g->loops[loop].end);
}
static inline bool weftc_flow_is_header(const struct weftc_flow *g, uint32_t block)
{
    return g->blocks[block].loop != UINT32_MAX && g->loops[g->blocks[block].loop].begin == block;
}
static inline uint32_t weftc_flow_block_of(const struct weftc_flow *g, LLVMBasicBlockRef block)
{
    return weftc_edges_block(&g->edges, block);
}
// Does each lane that runs `b` also run `a`, in the same iteration of their innermost loop? Both must have
// the same innermost loop.
bool weftc_flow_post_dominates(const struct weftc_flow *g, uint32_t a, uint32_t b);

// ---- shapes/private_layout.c: how private memory is laid out ----
enum weftc_layout {
    WEFTC_LAYOUT_BLOCKED, // a block for each lane, one after the other
    // interleaved: the first elements of all lanes, the second elements of all lanes, ...
    WEFTC_LAYOUT_SOA,
};
struct weftc_private {
    LLVMValueRef memory; // the alloca
    enum weftc_layout layout;
    uint64_t stride; // bytes from one lane's first byte to the next lane's
};

// ---- shapes/shapes.c ----
enum weftc_shape_kind {
    WEFTC_UNKNOWN, // not reached yet
    WEFTC_UNIFORM, // the same in all active lanes
    WEFTC_STRIDED, // lane 0's value plus lane * stride, modulo the type's size, in all lanes
    WEFTC_VARYING,
};
struct weftc_shape {
    uint8_t kind;
    bool exact;     // strided: the progression doesn't wrap, as signed numbers, in all active lanes
    int64_t stride; // strided: in bytes for pointers
    uint64_t max;   // upper bound of the unsigned value in all lanes; UINT64_MAX: unknown
    // The guard of a wrap-guarded value: a 32-bit strided value. The kind is varying, but the value is
    // strided(stride) if the guard doesn't wrap between lanes. An extended sum of unsigned numbers is such a
    // value. NULL: the value isn't wrap-guarded.
    LLVMValueRef wrap_guarded;
    bool wrap_guarded_signed; // the guard wraps at 2^31, as a signed number
    // For a clamped value, a second condition: this 32-bit value, which is the guard clamped and moved by
    // uniform amounts, grows from the first lane to the last one by as much as the guard does. NULL: the
    // guard isn't clamped.
    LLVMValueRef clamped;
};

struct weftc_shapes {
    struct weftc_flow flow;
    LLVMTargetDataRef layout;
    uint32_t lanes;
    // The shape of each parameter of an outlined function that lanes call together; NULL: all are uniform.
    const struct weftc_shape *parameters;
    // speculate: shapes may hold in most vector iterations only (shapes/speculation.c)
    bool speculate;
    struct weftc_map number; // instruction -> index into instructions and shapes
    LLVMValueRef *instructions;
    struct weftc_shape *shapes;
    uint32_t count;
    struct weftc_private *privates;
    uint32_t private_count;
    struct weftc_map private_of; // alloca, or pointer into an interleaved one -> index into privates
};

// Analyses the function of a region, which must be as weftc_flow_init requires. lanes: of a vector iteration.
// assume: speculate. The caller calls weftc_shapes_fini in any case.
weft_status weftc_shapes_init(struct weftc_shapes *s, LLVMValueRef function, uint32_t lanes, bool speculate);
// Analyses an outlined function, whose parameters have shapes. parameters: one for each parameter; the caller
// keeps them until weftc_shapes_fini, which it calls in any case.
weft_status weftc_shapes_init_called(struct weftc_shapes *s, LLVMValueRef function, uint32_t lanes,
                                     const struct weftc_shape *parameters);
void weftc_shapes_fini(struct weftc_shapes *s);
struct weftc_shape weftc_shape_of(const struct weftc_shapes *s, LLVMValueRef value);
// Is it an operation of sums and multiples, which makes progressions of progressions, in 64 bits as in 32
// bits?
bool weftc_is_progression(LLVMOpcode opcode);
// Is i an extension of a progression that may wrap in inactive lanes? Then its value in lane 0 must be
// computed in 64 bits from the parts of its operand.
bool weftc_is_wide_extension(const struct weftc_shapes *s, LLVMValueRef i);
// Does the instruction have a speculated shape? If s doesn't speculate: could it have one?
bool weftc_shape_is_speculated(const struct weftc_shapes *s, LLVMValueRef i);
// A minimum or maximum of integers. greater: maximum.
struct weftc_clamp {
    bool greater, is_signed;
};
bool weftc_clamp_of(LLVMValueRef i, struct weftc_clamp *clamp);
// Can the value be computed at the start of its function?
bool weftc_is_early(LLVMValueRef value);
// The value that i clamps, if it may be speculated that it lies within the uniform *bound in all lanes; NULL:
// none.
LLVMValueRef weftc_speculated_clamp(const struct weftc_shapes *s, LLVMValueRef i, LLVMValueRef *bound);
// What mirrors a coordinate at an edge of a picture: abs(x), or the least or greatest of a value that
// grows from lane to lane and of one that falls. Returns the value that grows, if it may be speculated that
// i is that value in all lanes; *falling: the other one, NULL if i is abs(x). NULL: i is something else.
LLVMValueRef weftc_speculated_mirror(const struct weftc_shapes *s, LLVMValueRef i, LLVMValueRef *falling);
// ---- shapes/unclamped.c ----

// The operand that i is speculated to be equal to, since i clamps or mirrors it; NULL: i does neither.
LLVMValueRef weftc_unclamped(const struct weftc_shapes *s, LLVMValueRef i);

// `value` without the constants that are added to it, through speculated clamps; *constant: their sum, less
// than 2^30.
LLVMValueRef weftc_without_constant(const struct weftc_shapes *s, LLVMValueRef value, int64_t *constant);
// Is comparison i, `v < size`, true in all lanes because v is also clamped to 0 and size - 1, and both clamps
// are speculated not to change it? No check of its own is needed then.
bool weftc_is_within_clamps(const struct weftc_shapes *s, LLVMValueRef i);

// ---- shapes/speculation.c ----

// An extension to 64 bits of a number that was truncated, or that has fewer bits. Speculated: it is a
// progression that begins with the value of i in lane 0, and doesn't wrap. That holds if the value in the
// last lane would be at most `max`, as a signed or unsigned number.
struct weftc_extension {
    int64_t stride; // of i: narrow_stride << up
    int64_t narrow_stride;
    unsigned up;
    bool is_signed;
    uint64_t max;
};
bool weftc_speculated_extension(const struct weftc_shapes *s, LLVMValueRef i, struct weftc_extension *e);
// The operand of comparison i that isn't uniform, if it may be speculated that the outcome is the same in all
// lanes; NULL: it may not. *second: it is the second operand.
LLVMValueRef weftc_speculated_comparison(const struct weftc_shapes *s, LLVMValueRef i, bool *second);
// The operand that select i takes in all lanes if the speculation on its condition holds; NULL: unknown.
LLVMValueRef weftc_speculated_choice(const struct weftc_shapes *s, LLVMValueRef i);
// Does i shift a progression to the right by a constant number of bits, which are the same in all lanes? It
// is a progression too then, where nothing wraps.
bool weftc_shifts_strides(const struct weftc_shapes *s, LLVMValueRef i);
// The outcome on which such a comparison is speculated. It depends only on the code of the function.
enum weftc_outcome { WEFTC_ANY_OUTCOME, WEFTC_IS_TRUE, WEFTC_IS_FALSE };
enum weftc_outcome weftc_speculated_outcome(LLVMValueRef i, LLVMValueRef value);
// The private memory that the pointer is sure to point into, if it is interleaved; otherwise NULL.
const struct weftc_private *weftc_is_soa(const struct weftc_shapes *s, LLVMValueRef pointer);
// Writes a line for each value, in the order of the flow.
void weftc_shapes_print(const struct weftc_shapes *s, struct weft_buf *out);
weft_status weftc_shapes_privates(struct weftc_shapes *s);
// Bytes of private memory of one work-item.
uint64_t weftc_shapes_private_bytes(const struct weftc_shapes *s);

#endif
