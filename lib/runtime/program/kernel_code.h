// The machine code of one kernel of a build: its own, better code that takes the place of what was quickly made, and other codes for
// launches that gain by them (kernel_variants.h).
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

// Where quickly made code is replaced by better code, once it is used enough.
enum weft_better_state {
    WEFT_BETTER_NONE, // no better code is to be had; or not yet known
    WEFT_BETTER_POSSIBLE, // the code is of the quick kind; after ASKED: there was no memory for better, or the like
    WEFT_BETTER_ASKED,
    WEFT_BETTER_DONE // info is the better code's, unless that couldn't be made
};

// Code in another form (kernel_abi.h) than the kernel's own: made when launches that gain by it run, and used by
// these alone. It takes over as better code does.
struct weft_kernel_variant {
    struct weft_kernel_code *code;
    uint32_t form;                               // enum weft_variant
    uint32_t group[3];                           // as weft_kernel_request has it
    const struct weft_kernel_info *_Atomic info; // NULL: there is none, yet or at all
    _Atomic bool asked, done;                    // done: the attempt to make it is over
    void *module;                                // dlopen handle
    struct weft_compile_job job;
};

// Code for launches whose work-groups are all of one size (ADR 22).
struct weft_kernel_sized {
    struct weft_kernel_sized *next; // constant once it is in the list
    struct weft_kernel_variant form;
};

// The code of one kernel of a build; lives as long as the build.
struct weft_kernel_code {
    const struct weft_kernel_meta *meta;
    struct weft_build *build;
    _Atomic uint32_t state; // enum weft_code_state; READY is final, and FAILED unless `again`
    struct weft_park ready;
    // When READY: of the best code that there is, which may change once, under launches that run. All but
    // `run`, vector_width and stack_bytes is the same in both.
    const struct weft_kernel_info *_Atomic info;
    const struct weft_kernel_info *first; // when READY: of the code that it became READY with
    void *modules[2];                     // dlopen handles: of the first code, of the better one
    uint8_t *elf;                         // the best code's bytes, for CL_PROGRAM_BINARIES; NULL: quick code
    size_t elf_size;
    _Atomic weft_status error;        // of the last attempt, when it is over
    char *_Atomic log;                // when FAILED for ever, without a line's end; written once
    bool again;                       // FAILED for now: the next request tries again; under the build's lock
    enum weft_compile_priority asked; // the highest priority of a request; under the build's lock
    _Atomic uint64_t ahead_ns; // what making it took, when nobody waited for it nor has launched it since
    struct weft_compile_job job;
    struct weft_code_waiter *waiters; // commands that start when it is final; under the build's lock
    struct weft_code_waiter *told;    // those of an attempt that is over, until they are told; likewise
    bool passing;                     // what `again` will be: the job's
    _Atomic uint32_t cost;            // measured: ns for 1024 work-items; 0: not yet known
    _Atomic uint32_t better;          // enum weft_better_state
    _Atomic uint32_t launches;        // until better code is asked for
    _Atomic bool better_wanted;
    _Atomic uint64_t
        retry_at; // weft_time_now's: when there was no memory for better code or a form. 0: there was
    struct weft_compile_job better_job;
    struct weft_kernel_variant forms[WEFT_VARIANT_NARROW + 1 - WEFT_VARIANT_DIM];
    bool each_size;             // WEFT_VARIANT=exact-size: launches wait for code for their size of groups
    bool by_turns;              // WEFT_VARIANT=tune: ranges run in any code of a trial, for ever
    bool waits;                 // one of the two
    _Atomic uint32_t better_ms; // what the best code took to make, about
    struct weft_kernel_sized *_Atomic sized; // grows at its front, under the build's lock
    // The size of groups with which the kernel runs most (size_key), and how long it has run with that and not with others, in
    // ns of one thread. Hints: threads may lose each other's.
    _Atomic uint64_t usual_size, usual_ns;
    _Atomic bool tries; // its code is autotune_candidates, or by_turns; known when there is code
    struct weft_autotune *_Atomic trial; // of code whose own is autotune_candidates; NULL: it hasn't begun
    _Atomic uint64_t doubtful_ns;        // how long the kernel has run until it does, a hint likewise
};

// Of a new build, zeroed before.
void weft_kernel_code_init(struct weft_kernel_code *code, struct weft_build *build,
                           const struct weft_kernel_meta *meta);
// When the build goes.
void weft_kernel_code_fini(struct weft_kernel_code *code);
// Sees to it that the code is made, at least at this priority; at WEFT_COMPILE_LATER only if not too much has been made
// for nothing. Does not wait. No lock held.
void weft_kernel_code_request(struct weft_kernel_code *code, enum weft_compile_priority priority);
// Is it FAILED, and another request wouldn't help?
bool weft_kernel_code_has_failed(struct weft_kernel_code *code);
// Waits until the code is READY or FAILED. WEFT_OK with code->info set, or why not.
weft_status weft_kernel_code_wait(struct weft_kernel_code *code);
// Waits until the code is final, and until there is better code, or it can't be made, or not now.
weft_status weft_kernel_code_wait_best(struct weft_kernel_code *code);
// ---- program/better_code.c ----

void weft_better_code_init(struct weft_kernel_code *code); // of a new build
// Has the kernel the best code of its own that it will have? Any thread.
bool weft_kernel_code_is_best(const struct weft_kernel_code *code);
// Has better code made, if the kernel has quick code, now or when it has it. Does not wait. No lock held.
void weft_kernel_code_improve(struct weft_kernel_code *code, enum weft_compile_priority priority);

// ---- program/kernel_code.c ----

// A launch is enqueued: one of many work-items, or one that isn't the first, makes better code worth its
// making.
void weft_kernel_code_note_launch(struct weft_kernel_code *code, uint64_t items);
static inline bool weft_kernel_code_can_improve(const struct weft_kernel_code *code)
{
    // relaxed: a hint; weft_kernel_code_improve decides.
    return atomic_load_explicit(&code->better, memory_order_relaxed) == WEFT_BETTER_POSSIBLE;
}
// Are its launches to be noted (weft_kernel_code_note_launch)? While they may lead to better code, and the first of code
// that was made before anybody asked for it.
static inline bool weft_kernel_code_notes_launches(const struct weft_kernel_code *code)
{
    // relaxed: hints, which pair with nothing; weft_kernel_code_note_launch decides.
    return code->waits || weft_kernel_code_can_improve(code) ||
           atomic_load_explicit(&code->ahead_ns, memory_order_relaxed) != 0;
}
static inline const struct weft_kernel_info *weft_kernel_code_info(const struct weft_kernel_code *code)
{
    // acquire: pairs with the release in program/make_code.c's adopt.
    return atomic_load_explicit(&code->info, memory_order_acquire);
}
// An event in `context` (a user event, one ref, the caller's) that becomes complete when the code is READY or
// FAILED. NULL: no memory.
struct weft_command *weft_kernel_code_event(struct weft_kernel_code *code, struct weft_context *context);
static inline bool weft_kernel_code_is_final(const struct weft_kernel_code *code)
{
    // acquire: pairs with the release in program/kernel_code.c's finish; info, error and log are written before.
    return atomic_load_explicit(&code->state, memory_order_acquire) >= WEFT_CODE_READY;
}

#endif
