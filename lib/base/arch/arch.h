// What Weft needs of a processor. A port to another processor provides the functions of this list.
//
// A family of processors has two files here: <family>.h for inline functions and <family>.c for the others.
// They include nothing else of Weft but base/libc/libc.h, and call nothing else of it. No other file of
// lib/base, lib/scheduler or lib/runtime depends on the family. CMake chooses it
// (WEFT_ARCH). The functions form six groups. The header of a family defines a macro for each group that it
// provides. portable.h and portable.c provide the other groups with C and POSIX only. So a port may start
// with no file at all and add one group after the other:
//
// WEFT_ARCH_OWN_TIME       weft_arch_ticks, weft_arch_relax. Without it: a clock of the system, three times
//                          as slow or worse at each launch; waiting loops slow down the other hardware thread
//                          of the core.
// WEFT_ARCH_OWN_FLOAT      struct weft_arch_float, weft_arch_float_enter, weft_arch_float_leave. Without it:
//                          <fenv.h>, which is slower. Whether it handles denormals depends on the C library.
// WEFT_ARCH_OWN_CONTEXTS   struct weft_arch_frame, weft_arch_enter, weft_arch_leave, weft_arch_on_stack, and
//                          the functions that read a signal's context. Without it: sigsetjmp, a system call
//                          at each launch; kernels run on their caller's stack; a stack overflow looks like
//                          any other fault; a fault in a handler of the application that interrupted a kernel
//                          counts as the kernel's; and a handler of the application that leaves by a jump is
//                          skipped at the next fault. (The tests base.fault and base.fault_handlers expect
//                          all of this to work.)
// WEFT_ARCH_OWN_PROCESSOR  weft_arch_level, weft_arch_vector_bytes, weft_arch_brand,
//                          weft_arch_identity_bytes. Without it: no name, 16 bytes, and only the system's
//                          hardware capabilities identify the processor.
// WEFT_ARCH_OWN_NONTEMPORAL
//                          weft_arch_nontemporal_copy, weft_arch_nontemporal_fill. Without it: ordinary
//                          copies.
// WEFT_ARCH_OWN_CALLS      weft_arch_call, and the processor's constants for system calls. Without it: weftc
//                          becomes a child of a process 1 that uses OpenCL; and weftc doesn't build without
//                          WEFT_ARCH_AUDIT.
//
// lib/compiler, which generates code for the processor, has a list of its own: compiler/arch/target.h.
#ifndef WEFT_BASE_ARCH_ARCH_H
#define WEFT_BASE_ARCH_ARCH_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <ucontext.h>

#include "base/libc/libc.h"

struct weft_arch_float; // the saved floating-point state of a thread
struct weft_arch_frame; // where a guarded call returns to. Has at least `uintptr_t sp`

#define WEFT_ARCH_REGISTERS 32 // maximum number of general registers of a processor

#ifdef WEFT_ARCH_HEADER
#include WEFT_ARCH_HEADER
#endif
#include "base/arch/portable.h"

// ---- Time: inline, any thread ----

// A clock of this processor that never goes back on one thread, with 1 to 5 ticks per nanosecond. Each launch
// reads it to decide whether something has to be checked again. So it must cost only nanoseconds; it may
// differ between processors.
static inline uint64_t weft_arch_ticks(void);

// To be called in a loop that waits for another thread: lets the other hardware thread of the core run. It is
// at least a compiler barrier: later reads aren't moved before it.
static inline void weft_arch_relax(void);

// ---- Floating point: inline; around each guarded call, on its thread ----

// Saves the thread's state, including its exception flags, and sets the state that kernels expect: round to
// nearest, exceptions masked. Raised flags may stay raised. flush: denormal floats are zero, as operands and
// as results (doubles may be too); a processor that can't do that keeps them. Otherwise all denormals are
// kept.
static inline void weft_arch_float_enter(struct weft_arch_float *s, bool flush);
// Restores the saved state, whatever state the kernel has set.
static inline void weft_arch_float_leave(const struct weft_arch_float *s);

// ---- Guarded calls (lib/base/fault) ----
// WEFT_ARCH_CONTEXTS, a constant: 1: the functions below read and change the context of a signal. 0: the
// portable versions. Those can't tell which stack a signal came from, so callers take the simple way.

// Calls fn(arg) and returns 0. Returns 1 if weft_arch_leave has ended the call. Any thread.
// - frame: zeroed before. frame->sp becomes non-zero exactly when there is a place to return to. With
//   contexts it is the stack pointer: all that the call needs later lies at or above it.
// - stack: 0, or the upper end of the stack on which fn runs (aligned to 64 bytes, only with contexts). When
//   fn returns, neither that stack nor any register is trusted. The call then returns by the thread's way
//   back, which the caller has set to &frame->sp.
int weft_arch_enter(void (*fn)(void *arg), void *arg, struct weft_arch_frame *frame, uintptr_t stack);

// Inline, on the thread of the call: sets the thread's way back, the place of the sp of its innermost frame.
// NULL: it has none. Returns the previous one, which the caller sets again after the call. Without contexts
// it does nothing and returns NULL.
static inline const uintptr_t *weft_arch_set_way_back(const uintptr_t *sp);

// In a signal handler on the thread of the call: makes weft_arch_enter return 1. It either changes the
// interrupted context, to which the handler then returns, or doesn't return itself. The rest of the
// processor's state is as a C function expects it, whatever the kernel has set (for example the direction
// flag of string instructions).
void weft_arch_leave(const struct weft_arch_frame *frame, ucontext_t *uc);

// Inline, in a signal handler: stack pointer and program counter of the interrupted code. 0: unknown. The
// context may lie on a foreign stack (weft_arch_signal_frame), so sanitizers don't check these reads.
static inline uintptr_t weft_arch_context_sp(const ucontext_t *uc);
static inline uintptr_t weft_arch_context_pc(const ucontext_t *uc);

// Inline, in a signal handler: the general registers of the interrupted code, as DWARF numbers them for the
// processor. Registers that it doesn't have stay unchanged. False: they aren't known.
static inline bool weft_arch_context_registers(const ucontext_t *uc, uint64_t out[WEFT_ARCH_REGISTERS]);

// Inline, in a signal handler. frame: the handler's __builtin_frame_address(0). Did the system call the
// handler with this context? False: a handler of the application called it. Always false without contexts.
static inline bool weft_arch_is_direct(const ucontext_t *uc, uintptr_t frame);

// Inline, in a signal handler: does a signal frame begin at the word p of an interrupted stack? Returns its
// context, or NULL. restorer: the return address of a handler that the system called. The word at p and a
// whole context after it must be readable.
static inline const ucontext_t *weft_arch_signal_frame(uintptr_t p, uintptr_t restorer);

// In a signal handler: calls handler(sig, info, context) on the stack whose upper end is sp, aligned to 64
// bytes. Without contexts it calls it on the current stack.
void weft_arch_on_stack(void (*handler)(int, siginfo_t *, void *), int sig, siginfo_t *info, void *context,
                        uintptr_t sp);

// ---- The processor: any thread, called a few times in a process ----

// The level of optional instructions that this process sees; a higher level includes the lower ones. 0: the
// family has no levels. libweft reports it to weftc, which generates code for no higher level: a virtual
// machine or a checking tool may show the two processes different processors.
int weft_arch_level(void);
// Bytes of the widest vector register that kernels are compiled for.
unsigned weft_arch_vector_bytes(void);
// The processor's name for itself, and its vendor. "": it doesn't say.
void weft_arch_brand(char name[128], char vendor[32]);
// Writes all that makes code for this processor unusable on another, and returns the number of bytes. They
// are always the same, on all processors of a machine. weft_arch_identity (base.h) hashes them.
#define WEFT_ARCH_IDENTITY_BYTES 256
size_t weft_arch_identity_bytes(unsigned char out[WEFT_ARCH_IDENTITY_BYTES]);

// ---- Non-temporal copies (runtime/memory/nontemporal_copy.c): any thread ----
// dst is aligned to WEFT_ARCH_LINE, n is a multiple of WEFT_ARCH_BLOCK. A thread that sees the caller's later
// writes sees these bytes too. An ordinary copy is a valid implementation.
#define WEFT_ARCH_LINE 64
#define WEFT_ARCH_BLOCK 128

void weft_arch_nontemporal_copy(void *dst, const void *src, size_t n);
void weft_arch_nontemporal_fill(void *dst, const unsigned char block[WEFT_ARCH_BLOCK], size_t n);

// ---- System calls (runtime/compiler/spawn_parent.c, compiler/driver/sandbox.c) ----
// WEFT_ARCH_CALLS, a constant: 1: weft_arch_call uses nothing but registers.
// WEFT_ARCH_AUDIT: the processor's constant in <linux/audit.h>, which a system call filter compares; 0:
// unknown.
// WEFT_ARCH_OLDER_CALLS(X): X(name) for each system call that only older processors have and that has the
// effect of an allowed one.

// A system call that returns -errno. Inline; it calls no function, for threads that mustn't touch
// thread-local storage. The portable version uses the C library.
static inline long weft_arch_call(long number, long a, long b, long c, long d, long e);

#endif
