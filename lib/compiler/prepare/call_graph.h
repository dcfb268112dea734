// The call graph of a kernel. prepare/inline_budget.c decides by it, prepare/inline.c inlines by it. It lives
// on the stack of weftc_prepare_inline.
#ifndef WEFTC_CALL_GRAPH_H
#define WEFTC_CALL_GRAPH_H

#include <stdbool.h>
#include <stdint.h>

#include <llvm-c/Core.h>

#include "compiler/ir/value_map.h"
#include "weft/status.h"

struct weft_buf;

struct weftc_call_node {
    LLVMValueRef function;
    uint64_t own;                   // its instructions
    uint64_t flat;                  // with everything inlined
    uint64_t expanded;              // with only those functions inlined that are to be
    uint64_t sites;                 // calls of it in the expanded kernel and the outlined functions
    uint32_t calls;                 // number of calls of this function in the source
    uint32_t first_callee, callees; // in graph.callees, one entry for each call
    bool must_inline;
    bool has_math;        // it calls math primitives; then it is inlined unless it is large and called often
    bool computes;        // it only computes with numbers
    bool needs_arguments; // hidden ones, if it is outlined
    bool is_costly;       // outlined, it keeps private arrays in memory, or costs the kernel its lanes
    bool outlined;
    // The state of the depth-first walk.
    bool open; // it is on the stack now
    LLVMBasicBlockRef block;
    LLVMValueRef next; // the next instruction to visit
};

struct weftc_call_graph {
    struct weftc_call_node *nodes; // nodes[0] is the kernel
    uint32_t count;
    struct weftc_map index;
    uint32_t *stack, depth;
    uint32_t *order, done; // callees before callers
    uint32_t *callees;     // nodes
};

// The sum, or UINT64_MAX if it is larger.
static inline uint64_t weftc_saturated_sum(uint64_t a, uint64_t b)
{
    uint64_t sum;
    return __builtin_add_overflow(a, b, &sum) ? UINT64_MAX : sum;
}

// ---- prepare/call_graph.c ----
// Finds what the kernel reaches. Recursion, assembly and calls through pointers are errors in the log. The
// caller frees *g, which begins as zeros, whatever the outcome.
weft_status weftc_call_graph_find(struct weftc_call_graph *g, LLVMModuleRef module, LLVMValueRef kernel,
                                  struct weft_buf *log);
void weftc_call_graph_free(struct weftc_call_graph *g);
// The node of a function; NULL if the graph has none.
struct weftc_call_node *weftc_call_node_of(struct weftc_call_graph *g, LLVMValueRef function);
// The function with a body that `i` calls; NULL if there is none.
LLVMValueRef weftc_called_body(LLVMValueRef i);
// Is it an operation of the math built-in functions that the target may have an instruction for?
bool weftc_is_math_primitive(LLVMValueRef f);
// Writes "function 'f' " and what is wrong with it to the log. Returns WEFT_BUILD_FAILED.
weft_status weftc_report_function_error(LLVMValueRef function, const char *what, struct weft_buf *log);

// ---- prepare/inline_budget.c ----
// Decides which functions stay outlined. A kernel that is too large all the same is an error in the log.
weft_status weftc_inline_budget(struct weftc_call_graph *g, LLVMModuleRef module, struct weft_buf *log);
#endif
