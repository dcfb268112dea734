// Faults of kernel code: SIGSEGV, SIGBUS, SIGFPE and SIGILL raised between enter and leave by
// this thread end the call instead of the process. Implemented in lib/base/fault.c.
#ifndef WEFT_FAULT_H
#define WEFT_FAULT_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct weft_fault {
    int signal;        // 0: none
    int code;          // siginfo's si_code
    void *address;     // of the access, where the signal tells
    void *instruction; // program counter
    bool stack;        // the stack was used up
};

// Installs the handlers if they aren't (or aren't any longer). Cheap; called before a batch of kernel code.
void weft_fault_install(void);
// Puts the application's handlers back. At unload, with no kernel running.
void weft_fault_uninstall(void);

// Calls fn(arg) with the floating-point environment that kernels expect (round to nearest, denormals kept,
// exceptions masked), the caller's own being restored afterwards, also its exception flags. Returns false,
// with *fault filled, when fn was left because of a fault; fn's locals are then lost, so fn must hold no lock
// and own nothing. Nests. A fault outside of fn, or in a signal handler that interrupted it, goes to the
// application's own handler.
bool weft_fault_call(void (*fn)(void *arg), void *arg, struct weft_fault *fault);

// The same for kernels. With `over`, weft_fault_interrupt_over ends the call once *over is true; it lives until the call has
// returned. apart: fn runs on a stack of 8 MB between guards, if there is memory for one, of which nothing is believed
// afterwards, so that writes beyond fn's variables harm nobody. For threads of the pool only: collectors of garbage stop an
// application's threads by signals, and scan them from where the stack pointer is to where the thread's stack begins. Under
// sanitizers, which keep books on stacks, fn stays on its caller's.
bool weft_fault_call_kernel(void (*fn)(void *arg), void *arg, struct weft_fault *fault,
                            const _Atomic bool *over, bool apart);

// Between these a thread in a guarded call isn't interrupted (below) but later: for functions of the host that a
// kernel calls, which take locks. A fault there ends the call nevertheless, and must leave no lock held.
void weft_fault_hold(void);
void weft_fault_release(void);

// Makes a thread of the pool leave the guarded call it is in, as if by a fault (signal SIGILL, code
// SI_QUEUE); nothing happens when it is in none. For unload, when a kernel does not end.
void weft_fault_interrupt(pthread_t thread);
// Makes any thread leave the guarded call it is in, likewise, if that is a weft_fault_call_kernel whose time is over.
// Otherwise, or while the thread holds or is in a handler of the application's, nothing happens: to be repeated.
void weft_fault_interrupt_over(pthread_t thread);

#endif
