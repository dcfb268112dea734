// What autotuning knows of a kernel's size class (autotune.c): which candidates it compares, how far it is,
// and what it has decided. Read and changed by any thread without a lock.
#ifndef WEFT_AUTOTUNE_STATE_H
#define WEFT_AUTOTUNE_STATE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/base.h"
#include "runtime/code/kernel_code.h"
#include "runtime/code/kernel_variants.h"

enum { WEFT_AUTOTUNE_SAMPLES = 15 }; // of each code
enum { WEFT_AUTOTUNE_CANDIDATES = 2 };

// The candidates in the order in which they are measured, and their names for the log.
struct weft_autotune_kind {
    uint32_t flag, variant;
    const char *name;
};
extern const struct weft_autotune_kind weft_autotune_candidates[WEFT_AUTOTUNE_CANDIDATES];

// The comparison of one candidate with the best code so far. If the candidate is the best so far, since it
// won at a lower level, the kernel's own code is measured against it.
struct weft_autotune_stage {
    unsigned candidate;
    enum weft_code_level level; // the lowest of the candidate's code
    _Atomic uint32_t random;
    _Atomic uint32_t count[2];                         // ranges measured: of the best code, of the candidate
    _Atomic uint32_t sample[2][WEFT_AUTOTUNE_SAMPLES]; // ns for 1024 work-items; 0: none yet
};

struct weft_autotune {
    struct weft_kernel_code *code;
    // It may grow once, when the best code is there: `extended` is set by the thread that does that.
    _Atomic uint32_t stage_count;
    _Atomic bool extended;
    _Atomic uint32_t state; // see weft_autotune_state
    struct weft_autotune_stage stages[WEFT_AUTOTUNE_CANDIDATES + 1];
};

// The state of autotuning: the current stage (stage_count: autotuning is over), and the variant that is the
// best so far (WEFT_VARIANT_ANY: the code that a launch would run without autotuning). Both are in one word
// because they change together.
static inline uint32_t weft_autotune_state(unsigned stage, uint32_t best)
{
    return stage << 8 | best;
}

static inline unsigned weft_autotune_stage_in(uint32_t state)
{
    return state >> 8;
}

static inline uint32_t weft_autotune_best_in(uint32_t state)
{
    return state & 0xff;
}

// The autotuning of a size class. NULL: it hasn't begun.
struct weft_autotune *weft_autotune_of(struct weft_kernel_code *c, uint32_t size_class);
// Autotuning of a size class: the one that has begun, or one with a stage for each candidate of the set. With
// no candidate it is decided for the variant `best`. Returns NULL if there is no memory.
struct weft_autotune *weft_autotune_begin(struct weft_kernel_code *c, uint32_t size_class,
                                          uint32_t candidate_set, enum weft_code_level level, uint32_t best);
// Adds a stage for each candidate of the set (enum weft_autotune_candidate).
void weft_autotune_add_stages(struct weft_autotune *t, uint32_t candidate_set, enum weft_code_level level);
// Has it all its stages? Those of the best code come last; a verdict of an earlier process has none.
bool weft_autotune_is_whole(const struct weft_autotune *t);

#endif
