// The result of a build, shared by all devices with the same inputs: the metadata of all kernels, and the
// code of each kernel as it is made. It is immutable otherwise, and reference-counted. Programs, kernels,
// launches and jobs hold references.
//
// The folder code/ makes the machine code of kernels. Builds come in: what programs are made of is parsed
// already (include/weft/code_object.h). The best code so far goes out, for a launch or for a binary
// (kernel_code.h, kernel_variants.h); compilers make it in the background. Run times of launches come in,
// too: they say which variants are worth making. The folder doesn't know programs, kernels with their
// arguments, and launches. It calls command/ for events, compiler/, device/, core/ and the scheduler. It has
// one table of functions of an upper folder, weft_variables_ops below.
#ifndef WEFT_RUNTIME_BUILD_RESULT_H
#define WEFT_RUNTIME_BUILD_RESULT_H

#include <pthread.h>
#include <stdatomic.h>

#include "runtime/core/callback.h"
#include "runtime/code/kernel_code.h"
#include "weft/code_object.h"

struct weft_variables;

// What a build does with its program-scope variables. Only launches can create, initialize and finalize these
// (launch/program_variables.c), but they live as long as the build, whose last user may be anybody. So
// launch/ gives the build this table of operations together with the first variables.
struct weft_variables_ops {
    // If the variables are initialized: runs the program's finalizers and waits for them. Afterwards the
    // variables are uninitialized again. Errors are reported. Any thread that may wait; the caller doesn't
    // hold the build's lock.
    void (*finalize)(struct weft_build *b);
    bool (*wants_finalizing)(struct weft_build *b);
    void (*free)(struct weft_build *b); // when the build is destroyed
    // In a child of fork. The thread that was initializing exists in the parent only, so initialization
    // starts again.
    void (*after_fork)(struct weft_build *b);
};

struct weft_build {
    _Atomic uint32_t refs;
    pthread_mutex_t lock;              // guards: states leaving NONE, waiters, binary, variables
    struct weft_program_object object; // metadata and bitcode
    char *options;                     // for code generation
    uint32_t check;                    // kinds that the code looks for: bits 1 << enum weft_check_kind
    bool optimize_off, debug, relaxed,
        zero_private;                 // options that change a kernel's code without changing its IR
    bool free_bits;                   // the options let the optimizer change the bits of results
    bool initializes, finalizes;      // one of the kernels is an initializer, a finalizer
    enum weft_code_level first_level; // what kernels get first
    bool better_later;                // they get better code when they are used
    uint32_t kernel_count;
    struct weft_kernel_code *code; // one for each of object.kernels
    // Set when the first program-scope variables get memory. NULL: there are none. Under the lock.
    const struct weft_variables_ops *variables_ops;
    struct weft_variables *variables; // launch/program_variables.c
    // For a program with finalizers: the number of its programs, kernels and launches. When it drops to 0,
    // the callbacks are called after the finalizers.
    _Atomic uint32_t users;
    _Atomic bool closing; // it waits for the callback thread
    struct weft_callback close;
    struct weft_program_callback *callbacks; // of the program that is destroyed
    uint8_t *binary;                         // CL_PROGRAM_BINARIES, made on the first query
    size_t binary_size;
};

// Takes ownership of *object and zeroes it. options may be NULL. Returns NULL, with *object freed, if there
// is no memory.
struct weft_build *weft_build_create(struct weft_program_object *object, const char *options,
                                     const struct weft_context *context);
static inline void weft_build_ref(struct weft_build *b)
{
    // relaxed: the caller has a reference already.
    atomic_fetch_add_explicit(&b->refs, 1, memory_order_relaxed);
}
// Do kernels get fully optimised code, at once or later? Not with WEFT_TIER=1 and 3.
static inline bool weft_build_optimizes(const struct weft_build *b)
{
    return b->first_level == WEFT_LEVEL_FULL || b->better_later;
}
// ---- code/free_build.c ----
void weft_build_free(struct weft_build *b); // called when the last reference is gone; may be half-built
static inline void weft_build_unref(struct weft_build *b) // b may be NULL
{
    // acq_rel: pairs with itself. The thread that drops the last reference sees what the others wrote.
    if (b && atomic_fetch_sub_explicit(&b->refs, 1, memory_order_acq_rel) == 1)
        weft_build_free(b);
}
// ---- code/build_result.c ----
// A reference of a program, a kernel or a launch. When the last is dropped, the finalizers run: in this call
// if it is made in a clRelease of the application, otherwise on the callback thread.
void weft_build_use(struct weft_build *b);
void weft_build_disuse(struct weft_build *b);      // b may be NULL
void weft_build_disuse_here(struct weft_build *b); // runs the finalizers in this call in any case
// NULL: no kernel of that name
struct weft_kernel_code *weft_build_find(struct weft_build *b, const char *kernel);
// The build log: `own` (NULL: none), followed by a line for each kernel whose code couldn't be made, since
// that is known only after the build. If there is such a kernel, the text is in *room, which the caller
// frees. NULL: no memory. Any thread.
const char *weft_build_whole_log(const struct weft_build *b, const char *own, struct weft_buf *room);
// The bytes of CL_PROGRAM_BINARIES: metadata, bitcode, and the code of each kernel that has been requested.
// Waits for that code, except for code that is put off because nobody launches the kernels. Made once; lives
// as long as the build. The caller holds no lock.
weft_status weft_build_binary(struct weft_build *b, const uint8_t **bytes, size_t *size);
// In a child of fork: repairs a build that the parent's threads may have been changing. b may be NULL.
void weft_build_after_fork(struct weft_build *b);

#endif
