// vectorize/ decides which regions get a function for several work-items at once, one in each lane, and makes
// it. The stage weftc_vectorize (compiler.h) is here; what it needs is in the folders below:
//
//     access/    how each memory access is done             legalize/  the canonical form of a region
//     cost/      what a vector iteration costs              emit/      the code
//
// In: the functions of regions, for one work-item. Out: functions for several work-items beside them, and
// facts (ir/module_facts.h). This folder doesn't know how work-items are looped over.
#ifndef WEFTC_VECTORIZE_H
#define WEFTC_VECTORIZE_H

#include <stdbool.h>
#include <stdint.h>

#include <llvm-c/Core.h>

#include "compiler/vectorize/cost/cost.h"
#include "weft/status.h"

struct weft_buf;
struct weftc_kernel_options;
struct weftc_shapes;
struct weftc_target;
struct weftc_vec_notes;

// ---- vectorize/vectorize.c ----
// Vectorizes the kernel, and writes what was decided for each region, and why, into *out. To be called
// instead of weftc_vectorize, on a module that is thrown away. Source lines are reported if the front end
// left them (-weft-report).
weft_status weftc_vectorize_report(LLVMModuleRef module, const struct weftc_target *target,
                                   const struct weftc_kernel_options *options, struct weft_buf *out);
// The shapes of all values after regions, as text.
weft_status weftc_shapes_dump(LLVMModuleRef module, const struct weftc_target *target,
                              const struct weftc_kernel_options *options, struct weft_buf *out);

// ---- vectorize/tiling.c ----
struct weftc_vec_tiling {
    // Work-items that follow each other along dimension 1 often touch one cache line, those along dimension 0
    // lines far from each other.
    bool tiles;
    bool swap_dimensions; // all accesses are like that: lanes are better along dimension 1
    bool bound;           // some accesses are better as they are
};
weft_status weftc_vec_tiles(const struct weftc_shapes *s, struct weftc_vec_tiling *tiling);

// ---- vectorize/versioning.c ----
// Would some shape be better if what holds in most vector iterations were speculated?
bool weftc_vec_speculates(const struct weftc_shapes *s);
// Removes what is behind a likely branch of a function that runs seldom, if that saves code and costs little.
void weftc_vec_drop_likely(LLVMValueRef f);
// Makes less of the scalar code beside lanes, which runs for the end of a row. Once all regions have lanes.
void weftc_vec_shrink_scalar(LLVMModuleRef module);
// A copy of `canonical` in which a likely branch at its beginning always goes the likely way; *condition, a
// value of the copy, says whether it does. NULL: there is no such branch.
LLVMValueRef weftc_vec_specialize_likely(LLVMValueRef canonical, LLVMValueRef *condition);
// Makes *result, a function of that name. It runs `fast` if what s speculates holds and `likely` is true (a
// value of the function that s is of; may be NULL), and otherwise `slow`. slow may be NULL: then it runs
// `canonical`, which is for `step` work-items, as often as needed. fast and slow are inlined and gone
// afterwards.
weft_status weftc_vec_version(const struct weftc_shapes *s, LLVMValueRef canonical, uint32_t step,
                              LLVMValueRef likely, const char *name, LLVMValueRef fast, LLVMValueRef slow,
                              LLVMValueRef *result);

// ---- what was decided ----
enum weftc_vec_versions {
    WEFTC_ONE_VERSION,
    WEFTC_TWO_VERSIONS,
    WEFTC_SCALAR_SLOW_PATH,
    WEFTC_SLOW_PATH_OF_MANY // also scalar, though lanes would pay: the kernel has very many regions
};
// What came of an attempt to make a function for all lanes (vectorize/attempt.c).
struct weftc_vec_outcome {
    LLVMValueRef function; // NULL: there is none, for `reason`
    const char *reason;
    unsigned line; // the source line that is the reason; 0: no single one is
    enum weftc_vec_versions versions;
    bool nontemporal; // there is a function, and some of its stores may be non-temporal
    struct weftc_vec_cost cost;
    struct weftc_vec_notes
        *notes; // how its instructions are done (vectorize/notes.c); NULL: no report is wanted
};
// All that was decided for a region. The report prints it.
struct weftc_vec_decision {
    bool single_item; // one work-item runs the region for its group, so there are no lanes
    uint32_t lanes;
    struct weftc_vec_outcome outcome;
    struct weftc_vec_tiling tiling;
    bool tail; // there is a function for the tail of a row
    // vectors in one iteration of the interleaved function; 0: there is none, for not_interleaved
    unsigned vectors;
    const char *not_interleaved;
    uint32_t autotune; // the candidates that the runtime measures, a set of enum weft_autotune_candidate
};
// All that was decided for a kernel.
struct weftc_vec_decisions {
    uint32_t lanes;
    bool required;    // sub-groups must be of so many work-items
    bool sub_groups;  // the kernel has sub-group functions
    bool unoptimized; // it is built without optimization
    const char *none; // why no region gets lanes, whatever is in it; NULL: each was looked at
    struct weftc_vec_decision *regions;
    unsigned count;
    uint32_t autotune; // all regions' candidates
};

#endif
