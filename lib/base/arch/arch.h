// What Weft asks of the processor, and the list of what a port to another one provides.
//
// A family of processors has two files here, <family>.h for what must be inline and <family>.c for the rest, and no other file
// of lib/base, lib/scheduler or lib/runtime knows which family it is. CMake chooses it (WEFT_ARCH). The list has six groups.
// A family says which it brings by a macro in its header; for each of the others portable.h and portable.c step in, with
// nothing but C and POSIX. So a port may begin with no file at all, and take the groups one after the other:
//
//   WEFT_ARCH_OWN_TIME       weft_arch_ticks, weft_arch_relax. Otherwise: a clock of the system's, three times as slow or
//                            worse at each launch; waiting loops that don't spare the neighbour on the core.
//   WEFT_ARCH_OWN_FLOAT      struct weft_arch_float, weft_arch_float_enter, weft_arch_float_leave. Otherwise: <fenv.h>, which is
//                            slower. Whether it knows of denormals is the C library's affair.
//   WEFT_ARCH_OWN_CONTEXTS   struct weft_arch_frame, weft_arch_enter, weft_arch_leave, weft_arch_on_stack, and the functions that
//                            read a signal's context. Otherwise: sigsetjmp, a system call at each launch; kernels run on their
//                            caller's stack; a stack overflow isn't told from another fault; a fault in a handler of the
//                            application's which interrupted a kernel is taken for the kernel's; and a handler of the
//                            application's that leaves by a jump is passed over at the next fault. (The tests base.fault and
//                            base.fault_handlers expect all of that to be right.)
//   WEFT_ARCH_OWN_PROCESSOR  weft_arch_level, weft_arch_vector_bytes, weft_arch_fma, weft_arch_brand, weft_arch_identity.
//                            Otherwise: no name, 16 bytes, and what the system's hardware capabilities tell apart.
//   WEFT_ARCH_OWN_STREAMS    weft_arch_stream_copy, weft_arch_stream_fill. Otherwise: plain copies.
//   WEFT_ARCH_OWN_CALLS      weft_arch_call, and the processor's marks of system calls. Otherwise: weftc becomes a child of a
//                            process 1 that uses OpenCL; and weftc itself doesn't build without WEFT_ARCH_AUDIT.
//
// lib/compiler, which makes code for the processor, has a list of its own.
#ifndef WEFT_BASE_ARCH_ARCH_H
#define WEFT_BASE_ARCH_ARCH_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <ucontext.h>

#include "base/base.h"

struct weft_arch_float; // the floating-point state of a thread, as saved
struct weft_arch_frame; // the way back from a guarded call. Has at least `uintptr_t sp`

#ifdef WEFT_ARCH_HEADER
#include WEFT_ARCH_HEADER
#endif
#include "base/arch/portable.h"

// ---- Time: inline, for any thread ----

// A clock of this processor that never goes back on one thread, of 1 to 5 ticks a nanosecond. Each launch reads it, to see
// whether it is time to look at something again: it must cost nanoseconds, and may be off between processors.
static inline uint64_t weft_arch_ticks(void);

// What a loop that waits for another thread does in between: lets the other hardware thread of the core go first. Does
// something in any case: nothing is read before it that stands behind.
static inline void weft_arch_relax(void);

// ---- Floating point: inline; around each guarded call, on the thread that makes it ----

// Saves the thread's state, also its exception flags, and sets the one that kernels expect: round to nearest, denormals kept,
// exceptions masked. Flags that were raised may stay.
static inline void weft_arch_float_enter(struct weft_arch_float *s);
// Restores what was saved, whatever the kernel has set.
static inline void weft_arch_float_leave(const struct weft_arch_float *s);

// ---- Guarded calls (lib/base/fault*.c) ----
// WEFT_ARCH_CONTEXTS, a constant: 1 where the functions below read and change the context of a signal, 0 where they are
// the portable ones. There stacks can't be told apart, and everything that asks about them takes the plain way.

// Calls fn(arg) and returns 0; returns 1 when weft_arch_leave has ended that. Any thread, each guarded call. frame is zeroed
// before. Once there is a way back, and not before, frame->sp isn't 0; with contexts it is the stack pointer then: everything
// that the call needs later lies at or above it. stack: 0, or where the stack begins on which fn runs (aligned by 64, contexts
// only). Of that nothing is believed when fn returns, no register either: the way back is asked of weft_fault_way_back.
int weft_arch_enter(void (*fn)(void *arg), void *arg, struct weft_arch_frame *frame, uintptr_t stack);
// Not a port's, but lib/base/fault.c's, for weft_arch_enter: the sp of the thread's innermost frame.
uintptr_t weft_fault_way_back(void);

// In a signal handler on the thread of the call: makes it return 1 from weft_arch_enter, by changing the interrupted context,
// to which the handler then returns, or by not returning itself. The rest of the processor's state is as a function of C
// expects it, whatever the kernel did to it (the direction of string instructions, say).
void weft_arch_leave(const struct weft_arch_frame *frame, ucontext_t *uc);

// Inline, in a signal handler: stack pointer and program counter of what was interrupted. 0: not known.
static inline uintptr_t weft_arch_context_sp(const ucontext_t *uc);
static inline uintptr_t weft_arch_context_pc(const ucontext_t *uc);

// Inline, in a signal handler whose frame (__builtin_frame_address(0)) is given: has the system called it with this context?
// False: a handler of the application's has. Always false without contexts.
static inline bool weft_arch_is_direct(const ucontext_t *uc, uintptr_t frame);

// Inline, in a signal handler: does a signal's frame begin at the word p of an interrupted stack? Its context then, otherwise
// NULL. restorer: the return address of a handler that the system has called. p and a whole context behind can be read.
static inline const ucontext_t *weft_arch_signal_frame(uintptr_t p, uintptr_t restorer);

// In a signal handler: calls handler(sig, info, context) on the stack that begins at sp, aligned by 64. Without contexts on
// the one it is called on.
void weft_arch_on_stack(void (*handler)(int, siginfo_t *, void *), int sig, siginfo_t *info, void *context,
                        uintptr_t sp);

// ---- What the processor is: any thread, a few times a process ----

// How much of its family's optional instructions this process sees, as a number that grows with it; 0: the family knows no
// levels. libweft tells it to weftc, which makes code for no more (a virtual machine or a checker may show them different ones).
int weft_arch_level(void);
// Bytes of the widest vector register that kernels are compiled for.
unsigned weft_arch_vector_bytes(void);
// Is a fused multiply-add one instruction here, in both precisions?
bool weft_arch_fma(void);
// What the processor calls itself, and who made it. Empty: it doesn't say.
void weft_arch_brand(char name[128], char vendor[32]);
// h, and all that makes code for this processor unfit for another: the disk cache is asked with it. The same on all
// processors of a machine, and each time.
struct weft_hash weft_arch_identity(struct weft_hash h);

// ---- Copies past the caches (runtime/memory/nontemporal_copy.c): any thread ----
// dst lies on a line, n is a multiple of WEFT_ARCH_BLOCK. Whoever sees what the caller writes next sees these bytes, too. Plain
// copies are right as well.
#define WEFT_ARCH_LINE 64
#define WEFT_ARCH_BLOCK 128

void weft_arch_stream_copy(void *dst, const void *src, size_t n);
void weft_arch_stream_fill(void *dst, const unsigned char block[WEFT_ARCH_BLOCK], size_t n);

// ---- System calls (runtime/compiler/spawn_parent.c, compiler/driver/sandbox.c) ----
// WEFT_ARCH_CALLS, a constant: 1 where weft_arch_call touches nothing but registers.
// WEFT_ARCH_AUDIT: the processor's name in <linux/audit.h>, which a filter of system calls compares; 0: not known.
// WEFT_ARCH_OLDER_CALLS(X): X(name) for each system call that only older processors have, which does what an allowed one does.

// A system call that returns -errno. Inline, and no function is called: for a thread that mustn't touch thread-local storage.
// Portable: through the C library.
static inline long weft_arch_call(long number, long a, long b, long c, long d, long e);

#endif
