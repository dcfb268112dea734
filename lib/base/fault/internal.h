// What the files of fault handling share: guarded_call.c (guarded calls and their stacks), signal.c (decides
// whose a signal is) and chain.c (the application's handlers, and installing ours).
// include/weft/fault.h is the contract.
//
// The record of a guarded call (struct weft_guarded_call) lies on its thread's stack. The thread points to
// the innermost one. The signal handler runs on the same thread and reads both. So signal fences keep the
// order of writes that it relies on. Threads share nothing here but the chains, which belong to
// chain.c.
#ifndef WEFT_BASE_FAULT_INTERNAL_H
#define WEFT_BASE_FAULT_INTERNAL_H

#include <signal.h>
#include <ucontext.h>

#include "base/arch/arch.h"
#include "base/base.h"
#include "base/libc/libc.h"
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
#define WEFT_TSAN 0 // with it, the sanitizer's own handler calls every handler
#endif

#define WEFT_GUARD_REACH (64u << 10) // an access this close to the stack pointer is a stack overflow

#define WEFT_FAULT_SIGNALS 4
extern const int weft_fault_signals[WEFT_FAULT_SIGNALS];

struct weft_guarded_call {        // a weft_fault_call in progress
    struct weft_arch_frame frame; // the way back
    uintptr_t high;               // the upper end of the kernel stack if the call runs there; else 0
    uintptr_t fault_sp;           // the stack pointer at the fault
    struct weft_guarded_call *outer;
    struct weft_fault *fault;
    uint32_t held;            // the thread's `held` when the call began
    const _Atomic bool *over; // NULL: no time limit
    bool keeps_state;         // a fault fills fault->state
};

struct weft_guarded_thread {
    struct weft_guarded_call *top;
    bool ready;   // the other members have been set up
    bool pool;    // no asynchronous signal arrives on this thread
    bool blocked; // the thread blocks a signal of ours; unless it is unblocked, a fault kills the process
    uint64_t checked_at;    // ticks when the signal mask was last checked
    const void *forwarding; // context of the signal that is being passed to the application
    uint32_t forward_level; // number of chain entries that have had that signal
    bool scanning;          // our handler is reading the interrupted stack, which may end
    // Our handler is writing to the record of a call; a kernel may have overwritten that record.
    bool reporting;
    uint32_t held;               // weft_fault_hold calls without their weft_fault_release
    bool interrupted;            // an interruption came while `held` was not 0
    void *alt_stack;             // the one that we set; NULL: the application's own, or none
    unsigned char *kernel_stack; // NULL: none yet
    size_t kernel_guard;         // bytes of each of its guards
};
extern _Thread_local struct weft_guarded_thread weft_fault_self WEFT_STATIC_TLS;

// ---- fault.c ----

// keep: from now on threads may get stacks, which are freed when the thread ends. forget: the stacks of
// living threads are never freed, and no new ones are made. The caller holds the lock of chain.c.
void weft_fault_keep_stacks(void);
void weft_fault_forget_stacks(void);
// Checks whether the calling thread blocks our signals, or all signals. To be called again from time to time:
// the application may change the mask.
void weft_fault_check_mask(void);
// In a handler: is `here` on the thread's alternate stack, and is that stack in use?
bool weft_fault_on_alt_stack(uintptr_t here);

// ---- signal.c ----

// In a handler: is the signal ours? If so, handles it; the handler must then return. restorer: the return
// address of a handler that the system called.
bool weft_fault_catch(int sig, const siginfo_t *info, ucontext_t *uc, uintptr_t restorer);
// Whether our handlers are there. Until then, interrupting a thread has no effect.
void weft_fault_allow_interrupts(bool allow);

#endif
