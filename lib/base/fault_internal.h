// What the three files of fault handling share: fault.c (guarded calls, and the stacks they need), fault_signal.c (whose a signal
// is) and fault_chain.c (the application's handlers, and the installing of ours). The contract is include/weft/fault.h.
//
// A guarded call's record (struct weft_guarded_call) lies on the stack of its thread; the thread knows the innermost. The signal
// handler runs on the same thread and reads both, so what it reads is written in the order that it counts on, with signal
// fences. Nothing here is shared between threads but the chains, which are fault_chain.c's own.
#ifndef WEFT_BASE_FAULT_INTERNAL_H
#define WEFT_BASE_FAULT_INTERNAL_H

#include <signal.h>
#include <ucontext.h>

#include "base/arch/arch.h"
#include "base/base.h"
#include "weft/fault.h"

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define WEFT_ASAN 1
#endif
#if __has_feature(thread_sanitizer)
#define WEFT_TSAN 1
#endif
#endif
#ifndef WEFT_ASAN
#define WEFT_ASAN 0
#endif
#ifndef WEFT_TSAN
#define WEFT_TSAN 0 // with it every handler is called by the sanitizer's
#endif

#define WEFT_GUARD_REACH (64u << 10) // an access so near to the stack pointer is an overflow of the stack

#define WEFT_FAULT_SIGNALS 4
extern const int weft_fault_signals[WEFT_FAULT_SIGNALS];

struct weft_guarded_call {        // one weft_fault_call under way
    struct weft_arch_frame frame; // the way back
    uintptr_t high;               // where the stack for kernels begins, if it runs there; or 0
    uintptr_t fault_sp;           // where the stack ended when it was left
    struct weft_guarded_call *outer;
    struct weft_fault *fault;
    uint32_t held;            // of the thread, when it began
    const _Atomic bool *over; // NULL: it has no time limit
};

struct weft_guarded_thread {
    struct weft_guarded_call *top;
    bool ready;             // the rest has been set up
    bool pool;              // no asynchronous signal arrives here
    bool blocked;           // the thread blocks a signal of ours, and dies of it unless it is let through
    uint64_t looked;        // ticks when its mask was
    const void *forwarding; // context of the signal that is being handed to the application
    uint32_t forward_level; // entries of the chain that have had it
    bool scanning;          // our handler reads the interrupted stack, which may end
    bool reporting; // it writes down what has happened, for a call whose record a kernel may have overwritten
    uint32_t held;  // weft_fault_hold without its weft_fault_release
    bool interrupted; // while it was held
    void *alt_stack;  // ours; NULL: the application's own, or none
    const uintptr_t
        *way_back; // sp of the innermost call; unlike `top` also while the application's handlers run
    unsigned char *kernel_stack; // NULL: none yet
    size_t kernel_guard;         // bytes before and behind it
};
extern _Thread_local struct weft_guarded_thread weft_fault_self __attribute__((tls_model("initial-exec")));

// ---- fault.c ----

// Threads' stacks are freed at their ends from weft_fault_keep_stacks on, and none is made before; weft_fault_forget_stacks:
// those of living threads stay theirs. Under the lock of fault_chain.c.
void weft_fault_keep_stacks(void);
void weft_fault_forget_stacks(void);
// Looks whether the calling thread blocks our signals, or all: the application may have changed its mask.
void weft_fault_look_at_mask(void);
// In a handler: is `here` on the thread's alternate stack, and that in use?
bool weft_fault_on_alt_stack(uintptr_t here);

// ---- fault_signal.c ----

// In a handler: is the signal ours? Then what there is to do about it is done, and the handler returns. restorer: what a
// handler returns to that the system has called.
bool weft_fault_catch(int sig, const siginfo_t *info, ucontext_t *uc, uintptr_t restorer);

#endif
