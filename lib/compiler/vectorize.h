// The vectorizer's state while it emits one function (DESIGN §8, C3). Private to vectorize*.c.
#ifndef WEFTC_VECTORIZE_H
#define WEFTC_VECTORIZE_H

#include "shapes.h"

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
    bool maybe_empty;             // one may come here though no lane does
    bool sure;                    // what is emitted runs for one lane at least
    bool reached;                 // an edge to it was emitted
};

struct weftc_vec_loop {
    struct weftc_vec_set outside; // where lanes that didn't enter it wait
    struct weftc_vec_set exits;   // divergent: where lanes that left it wait
    LLVMBasicBlockRef end;        // divergent: the end of a round
};

struct weftc_vec {
    struct weftc_shapes *s;
    LLVMModuleRef module;
    LLVMContextRef c;
    LLVMValueRef from, to;
    uint32_t lanes;
    LLVMBuilderRef b;               // where code is emitted
    LLVMBuilderRef at_def;          // scratch: behind definitions
    LLVMBasicBlockRef entry;        // memory and what depends on arguments alone; gets its branch last
    struct weftc_vec_value *values; // by number of instruction
    struct weftc_vec_value *arguments;
    struct weftc_vec_block *blocks;
    struct weftc_vec_loop *loops;
    LLVMValueRef *slots;       // of PHIs, by number of instruction
    LLVMValueRef lane_numbers; // <lanes x i64> 0, 1, ...
    uint32_t block;            // being emitted
    const char *reason;        // why it can't be done
    bool no_memory;
};

// ---- vectorize_flow.c ----
// Emits all of the function. Afterwards `reason` or no_memory tells what went wrong, if anything did.
void weftc_vec_emit(struct weftc_vec *v);

// ---- vectorize_cost.c ----
bool weftc_vec_pays(const struct weftc_vec *v);

// ---- vectorize_masked.c ----
// f, in form, then runs for the first WEFTC_LANES_LEFT lanes alone.
void weftc_vec_mask_lanes(LLVMValueRef f);

// ---- vectorize_report.c ----
// reason: why the region isn't vectorized; NULL: it is.
void weftc_vec_report(const struct weftc_vec *v, unsigned region, const char *reason, struct weft_buf *out);

// ---- vectorize_values.c ----
LLVMTypeRef weftc_vec_type(const struct weftc_vec *v, LLVMTypeRef scalar);
// The value of lane 0 (or of all, when uniform), of all lanes, of one lane.
LLVMValueRef weftc_vec_scalar(struct weftc_vec *v, LLVMValueRef value);
LLVMValueRef weftc_vec_vector(struct weftc_vec *v, LLVMValueRef value);
LLVMValueRef weftc_vec_lane(struct weftc_vec *v, LLVMValueRef value, LLVMValueRef lane);
struct weftc_shape weftc_vec_shape(const struct weftc_vec *v, LLVMValueRef value);
// Has the value its scalar form only (uniform, strided)?
bool weftc_vec_is_scalar(const struct weftc_vec *v, LLVMValueRef value);
LLVMValueRef weftc_vec_splat(struct weftc_vec *v, LLVMBuilderRef b, LLVMValueRef scalar);
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
// Must run for one lane at least.
bool weftc_vec_needs_lane(const struct weftc_vec *v, LLVMValueRef i);
unsigned weftc_vec_cost(const struct weftc_vec *v, LLVMValueRef i);

// ---- vectorize_memory.c ----
void weftc_vec_alloca(struct weftc_vec *v, LLVMValueRef i);
void weftc_vec_gep(struct weftc_vec *v, LLVMValueRef i);
void weftc_vec_load(struct weftc_vec *v, LLVMValueRef i);
void weftc_vec_store(struct weftc_vec *v, LLVMValueRef i);
// One lane after the other.
void weftc_vec_serial(struct weftc_vec *v, LLVMValueRef i);
bool weftc_vec_is_serial_access(const struct weftc_vec *v, LLVMValueRef i);

#endif
