// What a build makes, of all devices that have the same inputs: metadata of all kernels and, one by one, their code. Immutable and
// counted: programs, kernels, launches and jobs under way have references.
#ifndef WEFT_RUNTIME_BUILD_RESULT_H
#define WEFT_RUNTIME_BUILD_RESULT_H

#include <pthread.h>
#include <stdatomic.h>

#include "runtime/core/callback.h"
#include "runtime/program/kernel_code.h"
#include "weft/code_object.h"

struct weft_variables;

// What a build does with its program-scope variables, which are made and filled by launches (launch/program_variables.c).
struct weft_variables_ops {
    // Where they have been initialized: runs what finalizes them, and waits for it; then they are as they were at first. What fails is
    // told. Any thread that may wait; no lock of the build held.
    void (*finalize)(struct weft_build *b);
    bool (*wants_finalizing)(struct weft_build *b);
    void (*free)(struct weft_build *b); // when the build goes
    // In a child of fork: who was initializing exists in the parent only. What it had begun is begun anew.
    void (*after_fork)(struct weft_build *b);
};

struct weft_build {
    _Atomic uint32_t refs;
    // program/build_result.c's, behind a pointer: the code of kernels, which holds builds, stands below that file.
    void (*destroy)(struct weft_build *b);
    pthread_mutex_t lock;              // states leaving NONE, waiters, binary, variables
    struct weft_program_object object; // metadata and bitcode
    char *options;                     // for code generation
    bool optimize_off, debug, relaxed,
        zero_private;            // what of them changes the code of a kernel whose IR is the same
    bool free_bits;              // the options let the optimiser choose the bits of results
    bool initializes, finalizes; // one of its kernels does
    bool quick_first;            // kernels get quickly made code at first,
    bool better_then;            // and better code when they are used
    uint32_t kernel_count;
    struct weft_kernel_code *code; // one for each of object.kernels
    // Set when the program-scope variables have their first block; NULL: there is none. Under the lock.
    const struct weft_variables_ops *variables_ops;
    struct weft_variables *variables; // launch/program_variables.c
    // Where it finalizes: programs, kernels and launches, and when there are none, who is called after that.
    _Atomic uint32_t users;
    _Atomic bool closing; // it waits for the thread for callbacks
    struct weft_callback close;
    struct weft_program_callback *callbacks; // of the program that is gone
    uint8_t *binary;                         // CL_PROGRAM_BINARIES, made when first asked for
    size_t binary_size;
};

// Takes *object over (and zeroes it); options may be NULL. NULL: no memory, and *object is freed.
struct weft_build *weft_build_create(struct weft_program_object *object, const char *options,
                                     const struct weft_context *context);
static inline void weft_build_ref(struct weft_build *b)
{
    // relaxed: the caller has a reference already.
    atomic_fetch_add_explicit(&b->refs, 1, memory_order_relaxed);
}
static inline void weft_build_unref(struct weft_build *b) // NULL is fine
{
    // acq_rel: pairs with itself; the last to go sees what the others did.
    if (b && atomic_fetch_sub_explicit(&b->refs, 1, memory_order_acq_rel) == 1)
        b->destroy(b);
}
// A reference of its program, its kernels and its launches. The last of them to go has what finalizes its variables run: here, in a
// clRelease of the application's, else on the thread for callbacks.
void weft_build_use(struct weft_build *b);
void weft_build_disuse(struct weft_build *b);      // NULL is fine
void weft_build_disuse_here(struct weft_build *b); // what finalizes is run here in any case
struct weft_kernel_code *weft_build_find(struct weft_build *b, const char *kernel); // NULL: none of that name
// The build's own log (NULL: none), and behind it a line for each kernel whose code couldn't be made, which is known after the build
// only: in *room, the caller's to free, if there is such a one. NULL: no memory. Any thread.
const char *weft_build_whole_log(const struct weft_build *b, const char *own, struct weft_buf *room);
// The bytes of CL_PROGRAM_BINARIES: metadata, bitcode, and the code of those kernels that anyone has asked
// for (waited for here), but for those whose code was put off because nobody launches so many. Made once; lives as long as the build. No lock held.
weft_status weft_build_binary(struct weft_build *b, const uint8_t **bytes, size_t *size);
// In a child of fork, of one that the parent's threads may have been at. NULL is fine.
void weft_build_after_fork(struct weft_build *b);

#endif
