// shapes/ finds what is known of each value of a region's function, seen over the lanes, that is over consecutive work-items of dimension 0
// that run together: whether it is the same in all, goes up from lane to lane, or varies; and the function's control flow, in the order
// that lanes are emitted in.
//
// Comes in: a function of a region, with loops in simplified form. Goes out: struct weftc_shapes; the code isn't changed. Must not know: what
// is made of it.
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
// Blocks are known by their place in one linear order that is topological (but for back edges) and in which
// every loop, and within one loop level every subtree of the dominator tree, is contiguous. So whoever
// follows it and runs each block when at least one lane wants it meets each value's definition before its
// uses.

struct weftc_flow_block {
    LLVMBasicBlockRef block;
    uint32_t loop;  // innermost; UINT32_MAX: none
    uint32_t idom;  // UINT32_MAX: none
    uint32_t ipdom; // see weftc_flow_post_dominates; UINT32_MAX: the end of the level
    // Found by shapes:
    bool divergent;      // its branch sends lanes different ways
    bool join;           // lanes that come here may have come different ways
    bool full;           // all lanes that entered the function are here together
    bool single;         // no more than one lane is here: that whose number is a uniform one
    uint32_t mask_class; // the first block that surely runs for exactly the same lanes (in the same round)
};

struct weftc_flow_loop {
    uint32_t parent;     // UINT32_MAX: none
    uint32_t begin, end; // its blocks; begin is the header
    uint32_t ipdom;      // of the loop as a whole, in the level around it
    bool divergent;      // lanes leave it in different rounds, or different ways
};

struct weftc_flow {
    LLVMValueRef function;
    struct weftc_flow_block *blocks;
    uint32_t block_count;
    struct weftc_flow_loop *loops;
    uint32_t loop_count;
    struct weftc_edges edges;
};

// The function must have one entry, no unreachable block and loops in simplified form (one latch, a
// preheader, exits of their own). WEFT_UNSUPPORTED: irreducible.
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
// Whoever runs `b` comes to `a`, in the same round of the innermost loop, which must be the same for both.
bool weftc_flow_post_dominates(const struct weftc_flow *g, uint32_t a, uint32_t b);

// ---- shapes/private_layout.c: where private memory lies ----
enum weftc_layout {
    WEFTC_LAYOUT_BLOCKED, // a block for each lane, one behind the other
    WEFTC_LAYOUT_SOA,     // the lanes' first elements, the lanes' second elements ...
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
    WEFTC_STRIDED, // lane 0's plus lane * stride, modulo the type's size, in all lanes
    WEFTC_VARYING,
};
struct weftc_shape {
    uint8_t kind;
    bool exact;     // strided: the progression holds without the modulus, seen as signed, in all active lanes
    int64_t stride; // bytes for pointers
    uint64_t most;  // in all lanes the value, unsigned, is at most this; UINT64_MAX: who knows
    // Varying, but strided(stride) wherever `nearly`, which is strided in 32 bits, doesn't wrap from one lane to
    // the next: a sum of unsigned numbers, extended. NULL: nothing of the kind is known.
    LLVMValueRef nearly;
    bool nearly_signed; // it wraps at 2^31
    // And wherever this, `nearly` clamped and moved by what is uniform, in 32 bits, grows from the first lane to the last one as
    // `nearly` does. NULL: it isn't clamped.
    LLVMValueRef clamped;
};

struct weftc_shapes {
    struct weftc_flow flow;
    LLVMTargetDataRef layout;
    uint32_t lanes;
    // Of a function that lanes call: a shape for each of its parameters. NULL: they are all uniform.
    const struct weftc_shape *parameters;
    bool assume;             // shapes are those that hold in most steps only (shapes/speculation.c)
    struct weftc_map number; // of each instruction
    LLVMValueRef *instructions;
    struct weftc_shape *shapes;
    uint32_t count;
    struct weftc_private *privates;
    uint32_t private_count;
    struct weftc_map private_of; // alloca, or pointer into a woven one -> private
};

// function: as weftc_flow_init wants it. The caller calls fini whatever the outcome.
weft_status weftc_shapes_init(struct weftc_shapes *s, LLVMValueRef function, uint32_t lanes, bool assume);
// Of a function whose parameters have shapes; they stay the caller's.
weft_status weftc_shapes_init_called(struct weftc_shapes *s, LLVMValueRef function, uint32_t lanes,
                                     const struct weftc_shape *parameters);
void weftc_shapes_fini(struct weftc_shapes *s);
struct weftc_shape weftc_shape_of(const struct weftc_shapes *s, LLVMValueRef value);
// What keeps progressions in 64 bits as in 32: sums and multiples.
bool weftc_is_progression(LLVMOpcode opcode);
// An extension of a progression that may wrap in lanes that are off: it begins with what 64 bits make of the operand's parts in lane 0.
bool weftc_is_wide_extension(const struct weftc_shapes *s, LLVMValueRef i);
// Has the instruction a shape (when s assumes any; else, could it have one) that is assumed?
bool weftc_shape_is_speculated(const struct weftc_shapes *s, LLVMValueRef i);
// A minimum or maximum.
struct weftc_clamp {
    bool greater, is_signed;
};
bool weftc_clamp_of(LLVMValueRef i, struct weftc_clamp *clamp);
// Can the value be computed where its function begins?
bool weftc_is_early(LLVMValueRef value);
// What instruction i clamps, of which it may be assumed that it lies within the uniform *bound in all lanes; NULL: nothing.
LLVMValueRef weftc_assumed_clamp(const struct weftc_shapes *s, LLVMValueRef i, LLVMValueRef *bound);
// A number that is cut to fewer bits, or has no more, and extended to 64: a progression that begins with what i is in lane 0, unless it
// wraps. It doesn't where that is at most `most`, as a signed number or an unsigned one.
struct weftc_extension {
    int64_t stride;
    bool is_signed;
    uint64_t most;
};
bool weftc_assumed_extension(const struct weftc_shapes *s, LLVMValueRef i, struct weftc_extension *e);
// What comparison i compares with something uniform, when it may be assumed that the outcome is the same in all lanes; NULL:
// it may not. *second: it is the second operand.
LLVMValueRef weftc_assumed_comparison(const struct weftc_shapes *s, LLVMValueRef i, bool *second);
// The operand of select i that is taken in all lanes, if what is assumed of its condition holds; NULL: nobody knows.
LLVMValueRef weftc_speculated_choice(const struct weftc_shapes *s, LLVMValueRef i);
// Which outcome of such a comparison is assumed. It depends on the function's text alone.
enum weftc_outcome { WEFTC_ANY_OUTCOME, WEFTC_IS_TRUE, WEFTC_IS_FALSE };
enum weftc_outcome weftc_assumed_outcome(LLVMValueRef i, LLVMValueRef value);
// The private memory that a pointer surely points into, when that is woven; else NULL.
const struct weftc_private *weftc_is_soa(const struct weftc_shapes *s, LLVMValueRef pointer);
// One line a value, in the order of the flow.
void weftc_shapes_print(const struct weftc_shapes *s, struct weft_buf *out);
weft_status weftc_shapes_privates(struct weftc_shapes *s);
uint64_t weftc_shapes_private_bytes(const struct weftc_shapes *s); // of one work-item

#endif
