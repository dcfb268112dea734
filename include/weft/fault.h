// Faults of kernel code. SIGSEGV, SIGBUS, SIGFPE and SIGILL that a thread raises inside a guarded call end
// that call instead of the process. Implemented in lib/base/fault. Unless a comment says otherwise, any
// thread may call these functions.
#ifndef WEFT_FAULT_H
#define WEFT_FAULT_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct weft_fault_state;

struct weft_fault {
    int signal;        // 0: none
    int code;          // siginfo's si_code
    void *address;     // of the access, if the signal says so
    void *instruction; // program counter
    bool stack;        // stack overflow
    // weft_fault_call_kernel: the thread's registers and the top of its stack. The caller gives it back with
    // weft_fault_state_release. NULL: they weren't kept.
    struct weft_fault_state *state;
};

// Installs the handlers if they aren't installed (any more). Cheap. To be called before each batch of guarded
// calls.
void weft_fault_install(void);
// Restores the application's handlers. To be called at unload, when no kernel is running.
void weft_fault_uninstall(void);

// Calls fn(arg) with the floating-point environment that kernels expect: round to nearest, denormals kept,
// exceptions masked. Restores the caller's environment afterwards, including its exception flags.
//
// Returns false, and fills *fault, if a fault ended fn. The locals of fn are lost then. So fn must hold no
// lock and own nothing. Guarded calls may nest. A fault outside of fn, or in a signal handler that
// interrupted fn, is passed to the application's own handler.
bool weft_fault_call(void (*fn)(void *arg), void *arg, struct weft_fault *fault);

// weft_fault_call for kernels, with two more arguments.
//
// over: NULL, or a flag that must live until the call has returned. Once *over is true,
// weft_fault_interrupt_over ends the call.
//
// how: a set of enum weft_fault_how. WEFT_FAULT_SEPARATE_STACK: run fn on a separate stack of 8 MB between
// guards, if there is memory for one. The runtime trusts nothing on that stack afterwards, so writes beyond
// the variables of fn damage nothing else. Only pool threads may use it: garbage collectors stop the threads
// of an application by signals, and scan from the stack pointer to the beginning of the thread's stack. Under
// sanitizers, which track stacks, fn stays on the caller's stack. WEFT_FAULT_FLUSH_DENORMALS: denormal
// operands and results are zero in fn (weft_arch_float_enter).
enum weft_fault_how { WEFT_FAULT_SEPARATE_STACK = 1, WEFT_FAULT_FLUSH_DENORMALS = 2 };
bool weft_fault_call_kernel(void (*fn)(void *arg), void *arg, struct weft_fault *fault,
                            const _Atomic bool *over, unsigned how);

// Makes the state that a fault has kept available for other faults; there is memory for one only, so that a
// launch needs none. state may be NULL.
void weft_fault_state_release(struct weft_fault_state *state);

// Defer interruptions (see weft_fault_interrupt) of the calling thread until the release. For functions of
// the host that kernels call and that take locks. A fault between the two calls still ends the guarded call,
// so code there must not fault while it holds a lock.
void weft_fault_hold(void);
void weft_fault_release(void);

// Makes a pool thread leave the guarded call it is in, as if by a fault (signal SIGILL, code SI_QUEUE). Does
// nothing if the thread is in no guarded call. For unload, when a kernel doesn't end.
void weft_fault_interrupt(pthread_t thread);
// Makes any thread leave the guarded call it is in, if that is a weft_fault_call_kernel whose *over is true.
// The fault is reported as signal SIGILL, code SI_QUEUE. Does nothing if the thread has called
// weft_fault_hold or runs a signal handler of the application. Callers repeat it.
void weft_fault_interrupt_over(pthread_t thread);

#endif
