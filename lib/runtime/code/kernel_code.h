// The machine code of one kernel of a build: its own code, quick first and better later, and its code
// variants (kernel_variants.h).
#ifndef WEFT_RUNTIME_KERNEL_CODE_H
#define WEFT_RUNTIME_KERNEL_CODE_H

#include "runtime/compiler/compile_queue.h"
#include "runtime/core/cl.h"
#include "weft/code_object.h"
#include "weft/kernel_abi.h"
#include "weft/scheduler.h"

struct weft_build;
struct weft_command;
struct weft_context;
struct weft_autotune;

enum weft_code_state {
    WEFT_CODE_NONE,
    WEFT_CODE_QUEUED,
    WEFT_CODE_COMPILING,
    WEFT_CODE_READY,
    WEFT_CODE_FAILED
};

// How far the replacement of the kernel's code by code of a higher level is (ladder.h).
enum weft_better_state {
    WEFT_BETTER_NONE, // there will be no better code, or it isn't known yet
    // the kernel has code below the full level. After ASKED: the attempt failed for now, for want of memory
    // or the like, or there is code of a level between
    WEFT_BETTER_POSSIBLE,
    WEFT_BETTER_ASKED,
    WEFT_BETTER_DONE // the attempt is over. info is the better code's unless that couldn't be made
};

// Autotuning has a verdict for each class of launches, by the number of their work-items: what fits into the
// caches of a processor, into those of all, or into none.
enum { WEFT_SIZE_CLASSES = 3 };

// One code variant of a kernel (kernel_abi.h). It is made when a launch would gain by it, and only such
// launches run it. It takes over between two ranges of work-groups. While the kernel has code with lanes
// only, the narrow variant may be made at that level, and later once more.
struct weft_kernel_variant {
    struct weft_kernel_code *code;
    uint32_t variant;  // enum weft_variant
    uint32_t group[3]; // the local size that it is made for, as in weft_kernel_request
    const struct weft_kernel_info *_Atomic info; // NULL: there is none, yet or for good
    // Which attempt to make it is under way or over (kernel_variants.h). 0: none
    _Atomic uint32_t attempt;
    // By enum weft_code_level: dlopen handles, and their code. NULL: not made
    void *modules[WEFT_LEVEL_FULL + 1];
    const struct weft_kernel_info *_Atomic of_level[WEFT_LEVEL_FULL + 1];
    struct weft_compile_job job;
};

// Code that counts the kernel's work. One thread at a time, which has set `busy`, runs it.
struct weft_counting {
    void *module;
    const struct weft_kernel_info *_Atomic info; // NULL: there is none. The others are set before it
    struct weft_kernel_counts *counts;
    _Atomic bool busy;
};

// Code for launches whose work-groups all have one size (ADR 22).
struct weft_size_variant {
    struct weft_size_variant *next; // constant once this is in the list
    struct weft_kernel_variant variant;
};

// The code of one kernel of a build. Lives as long as the build.
struct weft_kernel_code {
    const struct weft_kernel_meta *meta;
    struct weft_build *build;
    _Atomic uint32_t state; // enum weft_code_state. READY is final. FAILED is final unless `again` is set
    struct weft_park ready;
    // Valid when READY: the best own code so far. It may change while launches run, once for each higher
    // level. All codes differ only in `run`, vector_width and stack_bytes.
    const struct weft_kernel_info *_Atomic info;
    const struct weft_kernel_info *first; // valid when READY: the code that it became READY with
    // By enum weft_code_level: dlopen handles, and their code. NULL: not made
    void *modules[WEFT_LEVEL_FULL + 1];
    const struct weft_kernel_info *_Atomic of_level[WEFT_LEVEL_FULL + 1];
    _Atomic uint32_t level; // enum weft_code_level that `info` was asked for
    uint8_t *elf;           // the bytes of the full code, for CL_PROGRAM_BINARIES. NULL: there is none yet
    size_t elf_size;
    _Atomic weft_status error;        // of the last attempt that is over
    char *_Atomic log;                // why it is FAILED for good, without a newline at the end. Written once
    bool again;                       // FAILED for now: the next request tries again. Under the build's lock
    enum weft_compile_priority asked; // the highest priority requested. Under the build's lock
    _Atomic uint64_t ahead_ns; // what compiling took, if it was done before anybody asked; 0 after a launch
    struct weft_compile_job job;
    struct weft_code_waiter *waiters; // commands that start when the code is final. Under the build's lock
    // those of an attempt that is over, until they are notified. Under the build's lock
    struct weft_code_waiter *to_notify;
    struct weft_code_waiter *lanes_waiters; // commands that start when there is code with lanes. Likewise
    bool transient;                         // what `again` will be set to. Only the job accesses it
    _Atomic uint32_t cost;                  // measured: ns for 1024 work-items. 0: not known yet
    _Atomic uint32_t better;                // enum weft_better_state
    _Atomic uint32_t launches;              // counted until the kernel has its best code
    // What the ladder knows (ladder.h): the time that the kernel has run in its present code, in ns of one
    // thread; when it was last used (weft_time_now); the processor time that compiling took, in microseconds,
    // by level (0: unknown); the level that the better job makes. Hints: threads may overwrite each other's.
    _Atomic uint64_t spent_ns, used_at;
    _Atomic uint64_t largest_launch; // work-items of the largest launch so far, until there is the best code
    // The dimensions along which launches have had their work-items (weft_ndrange_along), as bits. A hint
    _Atomic uint32_t along;
    _Atomic uint32_t compile_us[WEFT_LEVEL_FULL + 1];
    _Atomic uint32_t next_level;
    _Atomic bool no_lanes; // the attempt to make code of WEFT_LEVEL_LANES has failed
    _Atomic bool better_wanted;
    // A launch would run a variant that is made only when the kernel has its best code. A hint.
    _Atomic bool variant_wanted;
    // weft_time_now at which an attempt that failed for want of memory may be repeated. 0: none failed
    _Atomic uint64_t retry_at;
    struct weft_compile_job better_job;
    struct weft_kernel_variant variants[WEFT_VARIANT_NARROW + 1 - WEFT_VARIANT_DIM];
    bool exact_size;        // WEFT_VARIANT=exact-size: launches wait for the size variant of their local size
    bool tune_forever;      // WEFT_VARIANT=tune: each range runs in any of the codes, for ever
    bool waits_for_variant; // one of the two
    _Atomic uint32_t better_ms;                      // how long compiling the best code took, roughly
    struct weft_size_variant *_Atomic size_variants; // a list that grows at its front, under the build's lock
    // The local size with which the kernel runs most (size_key), and how much longer it has run with this
    // size than with others, in ns of one thread. Hints: threads may overwrite each other's.
    _Atomic uint64_t dominant_size, dominant_ns;
    // Its code has autotune_candidates, or tune_forever is set. Known when there is code.
    _Atomic bool autotunes;
    // Of a kernel whose own code has autotune_candidates, by the size class of launches (kernel_variants.h).
    // NULL: autotuning hasn't begun
    struct weft_autotune *_Atomic autotune[WEFT_SIZE_CLASSES];
    _Atomic uint64_t autotune_ns; // how long the kernel has run before autotuning begins. A hint, too
    uint32_t trace_name;          // weft_trace_text: its name in the timeline
    struct weft_counting
        counting[WEFT_COUNT_DIMS]; // for WEFT_PROFILE, by the dimension of lanes (counting.h)
};

// For a new build, whose memory is zeroed. program: tells programs apart in the timeline; unused without one.
void weft_kernel_code_init(struct weft_kernel_code *code, struct weft_build *build,
                           const struct weft_kernel_meta *meta, struct weft_hash program);
// Requests the code at this priority or a higher one. With WEFT_COMPILE_LATER it does nothing if too much
// code has been made that nobody launched. Does not wait. The caller holds no lock.
void weft_kernel_code_request(struct weft_kernel_code *code, enum weft_compile_priority priority);
// Is the code FAILED for good, so that another request wouldn't help?
bool weft_kernel_code_has_failed(struct weft_kernel_code *code);
// Waits until the code is READY or FAILED. Returns WEFT_OK with code->info set, or the error.
weft_status weft_kernel_code_wait(struct weft_kernel_code *code);
// Waits until the code is READY or FAILED, and until the attempt to make better code is over.
weft_status weft_kernel_code_wait_best(struct weft_kernel_code *code);
// ---- code/ahead_time.c ----

// Has too much time been spent on code that was made ahead and that nobody has launched? Any thread.
bool weft_ahead_time_is_spent(void);
// Notes that the code was made ahead, which took so long.
void weft_ahead_time_add(struct weft_kernel_code *code, uint64_t ns);
// Returns the time of this code, if it was made ahead: it is launched, or freed.
void weft_ahead_time_return(struct weft_kernel_code *code);
// ---- code/better_code.c ----

void weft_better_code_init(struct weft_kernel_code *code); // for a new build
// Has the kernel the best own code that it will ever have? Any thread.
bool weft_kernel_code_is_best(const struct weft_kernel_code *code);
// Requests better code, if the kernel has quick code or will have it. Does not wait. The caller holds no
// lock.
void weft_kernel_code_improve(struct weft_kernel_code *code, enum weft_compile_priority priority);

// ---- code/kernel_code.c ----

// Notes that so many launches of this range are enqueued. Better code is requested when the ladder says so.
void weft_kernel_code_note_launch(struct weft_kernel_code *code, const struct weft_ndrange *nd,
                                  uint32_t count);
static inline bool weft_kernel_code_can_improve(const struct weft_kernel_code *code)
{
    // relaxed: a hint; weft_kernel_code_improve decides.
    uint32_t better = atomic_load_explicit(&code->better, memory_order_relaxed);
    return better == WEFT_BETTER_POSSIBLE || better == WEFT_BETTER_ASKED;
}
// Has the kernel quick code only, or none yet?
static inline bool weft_kernel_code_is_quick(const struct weft_kernel_code *code)
{
    // relaxed: a hint, which pairs with nothing.
    return atomic_load_explicit(&code->level, memory_order_relaxed) == WEFT_LEVEL_QUICK;
}
// Had a launch of so many work-items better wait for code with lanes (ladder.h)? The kernel is READY.
bool weft_kernel_code_waits_for_lanes(const struct weft_kernel_code *code, uint64_t items);
// Must launches be noted with weft_kernel_code_note_launch? Yes while they may lead to better code, and for
// the first launch of code that was made before anybody asked for it.
static inline bool weft_kernel_code_notes_launches(const struct weft_kernel_code *code)
{
    // relaxed: hints, which pair with nothing. weft_kernel_code_note_launch decides.
    return code->waits_for_variant || weft_kernel_code_can_improve(code) ||
           atomic_load_explicit(&code->ahead_ns, memory_order_relaxed) != 0;
}
static inline const struct weft_kernel_info *weft_kernel_code_info(const struct weft_kernel_code *code)
{
    // acquire: pairs with the release in adopt (code/make_code.c).
    return atomic_load_explicit(&code->info, memory_order_acquire);
}
// A user event of `context` that becomes complete when the code is READY or FAILED. lanes: it also waits
// until the attempt to make code with lanes is over, if one has been requested. The caller owns the
// reference. NULL: no memory.
struct weft_command *weft_kernel_code_event(struct weft_kernel_code *code, struct weft_context *context,
                                            bool lanes);
static inline bool weft_kernel_code_is_final(const struct weft_kernel_code *code)
{
    // acquire: pairs with the release in publish (code/kernel_code.c). info, error and log are written
    // before it.
    return atomic_load_explicit(&code->state, memory_order_acquire) >= WEFT_CODE_READY;
}

#endif
