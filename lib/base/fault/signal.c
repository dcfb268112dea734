// Decides whose a signal is: a guarded call's, an interruption that we have sent, or the application's.
//
// Owns only the marks of the signals that it sends itself. internal.h describes what it knows of a
// call. It reads the rest from the interrupted stack, any part of which a faulting kernel may have
// overwritten.
#include "weft/fault.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

#include "base/fault/internal.h"
#include "base/libc/libc.h"
#include "weft/fault_location.h"

#define MAX_STACK_DISTANCE ((uintptr_t)1 << 30) // maximum distance between a guarded frame and a fault

// Is there a signal frame on the stack between the fault and the guarded frame? Then the fault is in a
// handler of the application that interrupted the kernel. While such a handler runs, its signal is blocked,
// and it wasn't blocked before. That distinguishes its frame from the remains of an earlier one.
__attribute__((no_sanitize("address", "thread", "undefined"))) static bool
handler_interrupted(const ucontext_t *uc, uintptr_t from, uintptr_t to, uintptr_t restorer)
{
    for (uintptr_t p = (from + 7) & ~(uintptr_t)7; p + sizeof(uintptr_t) + sizeof(ucontext_t) < to; p += 8) {
        const ucontext_t *in = weft_arch_signal_frame(p, restorer);
        if (!in)
            continue;
        uintptr_t sp = weft_arch_context_sp(in);
        uint64_t then, now; // the kernel's masks have 64 signals
        memcpy(&then, &in->uc_sigmask, sizeof then);
        memcpy(&now, &uc->uc_sigmask, sizeof now);
        if (sp > p && sp <= to && (then & ~now) == 0 && then != now)
            return true;
    }
    return false;
}

// Has the kernel lost its stack pointer? A kernel that overwrote saved registers or return addresses may have
// any value there. Nothing interrupts a pool thread, so there the answer is yes. On other threads, a handler
// with a stack of its own is excluded by the fact that there is no memory at the pointer.
static bool has_lost_stack(const struct weft_guarded_call *c, uintptr_t sp)
{
    uintptr_t address = (uintptr_t)c->fault->address;
    bool nowhere = c->fault->signal == SIGSEGV && address - (sp - WEFT_GUARD_REACH) < 2 * WEFT_GUARD_REACH;
    // This holds for any number of page-table levels.
    bool impossible = sp + ((uintptr_t)1 << 56) >= (uintptr_t)2 << 56;
    return weft_fault_self.pool || ((nowhere || impossible) && !weft_fault_on_alt_stack(sp));
}

// Did the signal interrupt c itself, and not a handler of the application that had interrupted c?
static bool is_in_call(struct weft_guarded_call *c, const ucontext_t *uc, uintptr_t restorer)
{
    if (!c->frame.sp) // the call has not begun: there is no place to return to. Then fn runs anyway
        return false;
    uintptr_t sp = weft_arch_context_sp(uc);
    c->fault->instruction = (void *)weft_arch_context_pc(uc);
    if (!WEFT_ARCH_CONTEXTS) // it can't be found out which stack this is and what is on it
        return true;
    uintptr_t high = c->high ? c->high : c->frame.sp;
    bool elsewhere = sp > high || high - sp > MAX_STACK_DISTANCE;
    if (elsewhere && !(c->high && has_lost_stack(c, sp)))
        return false; // on another stack
    c->fault_sp = sp;
    // An address near the stack pointer and below the call's frame that isn't mapped is the guard of the
    // stack.
    uintptr_t address = (uintptr_t)c->fault->address;
    c->fault->stack = !elsewhere && c->fault->signal == SIGSEGV && address < high &&
                      address - (sp - WEFT_GUARD_REACH) < 2 * WEFT_GUARD_REACH;
    if (weft_fault_self.pool || elsewhere) // a pool thread gets no asynchronous signals
        return true;
    weft_fault_self.scanning = true;
    atomic_signal_fence(memory_order_seq_cst);
    bool theirs = handler_interrupted(uc, sp, high, restorer);
    atomic_signal_fence(memory_order_seq_cst);
    weft_fault_self.scanning = false;
    return !theirs;
}

// ---- The state of a kernel that has faulted ----

// One is enough: only the first fault of a command is reported. A fault while the state is in use is reported
// without it.
static struct weft_fault_state kept_state;
static _Atomic bool state_in_use;

void weft_fault_state_release(struct weft_fault_state *state)
{
    if (state)
        atomic_store_explicit(&state_in_use, false, memory_order_release); // pairs with keep_state
}

// Copies registers and the top of the stack. The stack is the kernel's, up to c's frame, so it can be read;
// should it end before, the fault of this handler is caught (`scanning`).
__attribute__((no_sanitize("address", "thread", "undefined"))) static void
keep_state(struct weft_guarded_call *c, const ucontext_t *uc)
{
    enum { RED_ZONE = 128 }; // bytes below the stack pointer that a leaf function uses
    if (!c->keeps_state || !WEFT_ARCH_CONTEXTS ||
        atomic_exchange_explicit(&state_in_use, true, memory_order_acquire))
        return;
    struct weft_fault_state *s = c->fault->state = &kept_state;
    if (!weft_arch_context_registers(uc, s->registers))
        return;
    s->instruction = weft_arch_context_pc(uc);
    s->stack_bytes = 0;
    uintptr_t sp = weft_arch_context_sp(uc), high = c->high ? c->high : c->frame.sp;
    if (c->fault->stack || sp > high || high - sp > MAX_STACK_DISTANCE)
        return;
    s->stack_begin = sp - RED_ZONE;
    uintptr_t bytes = high - s->stack_begin;
    bytes = bytes < sizeof s->stack ? bytes : sizeof s->stack;
    weft_fault_self.scanning = true;
    atomic_signal_fence(memory_order_seq_cst);
    for (uintptr_t i = 0; i < bytes; i++)
        s->stack[i] = ((const volatile uint8_t *)s->stack_begin)[i];
    s->stack_bytes = (uint32_t)bytes;
    atomic_signal_fence(memory_order_seq_cst);
    weft_fault_self.scanning = false;
}

// ---- Signals ----

enum interruption { INTERRUPTED_NOT, INTERRUPTED_NOW, INTERRUPTED_OVER };
// Their addresses mark our own signals: [0]: leave now; [1]: leave if the time is over.
static const char marks[2];
static _Atomic bool sent_now,
    sent_over; // whether weft_fault_interrupt and weft_fault_interrupt_over were ever called

// Which interruption of ours is it? If the system can't queue more signals (RLIMIT_SIGPENDING), a signal
// arrives without a sender and without its value. Nothing else in the process's pid namespace sends such a
// SIGILL.
static enum interruption interruption_of(int sig, const siginfo_t *info)
{
    if (info->si_code == SI_QUEUE)
        return info->si_value.sival_ptr == (void *)&marks[0]   ? INTERRUPTED_NOW
               : info->si_value.sival_ptr == (void *)&marks[1] ? INTERRUPTED_OVER
                                                               : INTERRUPTED_NOT;
    if (sig != SIGILL || info->si_code != SI_USER || info->si_pid != 0)
        return INTERRUPTED_NOT;
    return atomic_load(&sent_now)    ? INTERRUPTED_NOW
           : atomic_load(&sent_over) ? INTERRUPTED_OVER
                                     : INTERRUPTED_NOT;
}

bool weft_fault_catch(int sig, const siginfo_t *info, ucontext_t *uc, uintptr_t restorer)
{
    struct weft_guarded_call *c = weft_fault_self.top;
    switch (interruption_of(sig, info)) {
    case INTERRUPTED_NOW: // matters only while a kernel runs
        if (c && weft_fault_self.held) {
            weft_fault_self.interrupted = true;
        } else if (c) {
            *c->fault = (struct weft_fault){.signal = sig, .code = SI_QUEUE};
            c->fault_sp = c->frame.sp; // the kernel's stack needn't be cleaned: the thread is about to end
            weft_arch_leave(&c->frame, uc);
        }
        return true;
    case INTERRUPTED_OVER:
        // Relaxed: the sender has set it before it sent the signal.
        if (c && c->over && !weft_fault_self.held && !weft_fault_self.scanning &&
            atomic_load_explicit(c->over, memory_order_relaxed)) {
            *c->fault = (struct weft_fault){.signal = sig, .code = SI_QUEUE};
            bool in_call = is_in_call(c, uc, restorer);
            if (in_call)
                keep_state(c, uc);
            if (in_call)
                weft_arch_leave(&c->frame, uc);
        }
        return true;
    default:
        break;
    }
    // A process sent it, so it isn't a fault of the kernel.
    if (!c || info->si_code <= 0)
        return false;
    if (weft_fault_self.scanning) {
        // We read beyond the end of the interrupted stack: the kernel had used it up.
        weft_fault_self.scanning = weft_fault_self.reporting = false;
        weft_arch_leave(&c->frame, uc);
        return true;
    }
    // The record of the call is damaged, and so is the stack above the kernel's: there is no way back.
    if (weft_fault_self.reporting)
        return false;
    weft_fault_self.reporting = true;
    atomic_signal_fence(memory_order_seq_cst);
    *c->fault = (struct weft_fault){.signal = sig, .code = info->si_code, .address = info->si_addr};
    bool ours = is_in_call(c, uc, restorer);
    if (ours)
        keep_state(c, uc);
    atomic_signal_fence(memory_order_seq_cst);
    weft_fault_self.reporting = false;
    if (ours)
        weft_arch_leave(&c->frame, uc);
    return ours;
}

static _Atomic bool allowed;

void weft_fault_allow_interrupts(bool allow)
{
    atomic_store(&allowed, allow);
}

// Without our handlers, no thread is in a guarded call, and the signal would end the process.
static void interrupt(pthread_t thread, _Atomic bool *sent, const char *mark)
{
    if (!atomic_load(&allowed))
        return;
    atomic_store(sent, true);
    weft_signal_thread(thread, SIGILL, (void *)mark);
}

void weft_fault_interrupt(pthread_t thread)
{
    interrupt(thread, &sent_now, &marks[0]);
}

void weft_fault_interrupt_over(pthread_t thread)
{
    interrupt(thread, &sent_over, &marks[1]);
}
