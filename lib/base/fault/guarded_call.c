// Guarded calls: where kernel code is entered, and where it is left after a fault (include/weft/fault.h).
//
// Owns, for each thread: the record of its guarded calls (weft_fault_self, thread-local), its alternate
// signal stack unless the application set one, and its stack for kernels that may write beyond their private
// arrays, between guards.
//
// To leave a kernel, the signal handler changes the interrupted context to the end of the guarded call and
// returns. sigreturn then restores the signal mask, the alternate stack and the processor's state. So
// entering a guarded call costs only a few pushes. lib/base/arch has the details. Where a context can't be
// changed it uses siglongjmp.
#include "weft/fault.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/mman.h>

#include "base/fault/internal.h"
#if WEFT_ASAN
#include <sanitizer/asan_interface.h>
#endif

#define ALT_STACK_BYTES (64u << 10)
#define KERNEL_STACK_BYTES ((size_t)8 << 20) // like the stack of a pool thread

const int weft_fault_signals[WEFT_FAULT_SIGNALS] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL};

_Thread_local struct weft_guarded_thread weft_fault_self WEFT_STATIC_TLS;

static pthread_key_t alt_key;
static bool alt_key_made;

// ---- Alternate stacks and kernel stacks ----

// Frees the stacks that we gave this thread. Runs at the thread's end, as the destructor of alt_key.
static void drop_stacks(void *unused)
{
    (void)unused;
    stack_t now;
    if (weft_fault_self.alt_stack && sigaltstack(NULL, &now) == 0 && now.ss_sp == weft_fault_self.alt_stack)
        sigaltstack(&(stack_t){.ss_flags = (int)SS_DISABLE}, NULL);
    if (weft_fault_self.alt_stack)
        munmap(weft_fault_self.alt_stack, ALT_STACK_BYTES);
    weft_fault_self.alt_stack = NULL;
    weft_unmap_guarded(weft_fault_self.kernel_stack, KERNEL_STACK_BYTES, weft_fault_self.kernel_guard);
    weft_fault_self.kernel_stack = NULL;
}

// A thread that leaves signals to other threads often blocks them all. An instruction that raises a blocked
// signal kills the process.
void weft_fault_check_mask(void)
{
    sigset_t mask;
    bool known = pthread_sigmask(SIG_SETMASK, NULL, &mask) == 0;
    weft_fault_self.pool =
        known && sigismember(&mask, SIGALRM) && sigismember(&mask, SIGTERM) && sigismember(&mask, SIGUSR1);
    weft_fault_self.blocked = false;
    for (size_t i = 0; known && i < WEFT_FAULT_SIGNALS; i++)
        weft_fault_self.blocked |= sigismember(&mask, weft_fault_signals[i]) == 1;
    weft_fault_self.pool &= !weft_fault_self.blocked;
}

static void let_through(sigset_t *before)
{
    sigset_t ours;
    sigemptyset(&ours);
    for (size_t i = 0; i < WEFT_FAULT_SIGNALS; i++)
        sigaddset(&ours, weft_fault_signals[i]);
    pthread_sigmask(SIG_UNBLOCK, &ours, before);
}

void weft_fault_keep_stacks(void)
{
    if (!alt_key_made)
        alt_key_made = pthread_key_create(&alt_key, drop_stacks) == 0;
}

void weft_fault_forget_stacks(void)
{
    if (alt_key_made)
        pthread_key_delete(alt_key); // the stacks of living threads may be in use, so they stay
    alt_key_made = false;
}

// Runs once for each thread. A stack overflow can only be handled on another stack.
static void set_up_thread(void)
{
    weft_fault_self.ready = alt_key_made; // false: the handlers have not been installed yet
    weft_fault_check_mask();
    stack_t now;
    if (!alt_key_made || sigaltstack(NULL, &now) != 0 || !(now.ss_flags & SS_DISABLE))
        return;
    void *stack = mmap(NULL, ALT_STACK_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (stack == MAP_FAILED)
        return;
    stack_t ours = {.ss_sp = stack, .ss_size = ALT_STACK_BYTES};
    if (pthread_setspecific(alt_key, &weft_fault_self) != 0 || sigaltstack(&ours, NULL) != 0) {
        munmap(stack, ALT_STACK_BYTES);
        return;
    }
    weft_fault_self.alt_stack = stack;
}

// The upper end of the thread's kernel stack. 0: there is none, or it is in use.
static uintptr_t kernel_stack(void)
{
    uintptr_t here = (uintptr_t)__builtin_frame_address(0);
    if (!alt_key_made ||
        (weft_fault_self.kernel_stack && here - (uintptr_t)weft_fault_self.kernel_stack < KERNEL_STACK_BYTES))
        return 0;
    if (WEFT_UNLIKELY(!weft_fault_self.kernel_stack)) {
        // Without the destructor nobody would free the stack.
        if (pthread_setspecific(alt_key, &weft_fault_self) != 0 || weft_alloc_fails())
            return 0;
        weft_fault_self.kernel_guard = WEFT_FAR_GUARD;
        weft_fault_self.kernel_stack =
            weft_map_guarded(4096, KERNEL_STACK_BYTES, &weft_fault_self.kernel_guard);
        if (!weft_fault_self.kernel_stack)
            return 0;
        // Only some KB of the 8 MB are touched.
        madvise(weft_fault_self.kernel_stack, KERNEL_STACK_BYTES, MADV_NOHUGEPAGE);
    }
    return (uintptr_t)weft_fault_self.kernel_stack + KERNEL_STACK_BYTES;
}

bool weft_fault_on_alt_stack(uintptr_t here)
{
    stack_t s;
    return sigaltstack(NULL, &s) == 0 && (s.ss_flags & SS_ONSTACK) && here - (uintptr_t)s.ss_sp < s.ss_size;
}

// ---- Calls ----

static inline __attribute__((always_inline)) bool guarded_call(void (*fn)(void *arg), void *arg,
                                                               struct weft_fault *fault,
                                                               const _Atomic bool *over, unsigned how,
                                                               bool keeps_state)
{
    if (WEFT_UNLIKELY(!weft_fault_self.ready))
        set_up_thread();
    struct weft_guarded_call c = {.outer = weft_fault_self.top,
                                  .fault = fault,
                                  .held = weft_fault_self.held,
                                  .over = over,
                                  .keeps_state = keeps_state};
    if ((how & WEFT_FAULT_SEPARATE_STACK) && WEFT_ARCH_CONTEXTS && !WEFT_ASAN && !WEFT_TSAN)
        c.high = kernel_stack();
    struct weft_arch_float fp;
    weft_arch_float_enter(&fp, how & WEFT_FAULT_FLUSH_DENORMALS);
    sigset_t before;
    bool blocked = weft_fault_self.blocked;
    if (WEFT_UNLIKELY(blocked))
        let_through(&before);
    weft_fault_self.top = &c;
    // Unlike `top` it is also set while handlers of the application run.
    const uintptr_t *outer_way_back = weft_arch_set_way_back(&c.frame.sp);
    // The handler on this thread reads `top` and `sp`. So the compiler must have stored them; no more is
    // needed.
    atomic_signal_fence(memory_order_seq_cst);
    int left = weft_arch_enter(fn, arg, &c.frame, c.high);
    atomic_signal_fence(memory_order_seq_cst);
    weft_fault_self.top = c.outer;
    weft_fault_self.held = c.held;
    weft_arch_set_way_back(outer_way_back);
#if WEFT_ASAN
    // The abandoned frames still have marks of the address sanitizer on the stack.
    if (left && WEFT_ARCH_CONTEXTS)
        __asan_unpoison_memory_region((void *)c.fault_sp, c.frame.sp - c.fault_sp);
#endif
    if (WEFT_UNLIKELY(blocked))
        pthread_sigmask(SIG_SETMASK, &before, NULL);
    weft_arch_float_leave(&fp);
    return left == 0;
}

bool weft_fault_call_kernel(void (*fn)(void *arg), void *arg, struct weft_fault *fault,
                            const _Atomic bool *over, unsigned how)
{
    return guarded_call(fn, arg, fault, over, how, true);
}

bool weft_fault_call(void (*fn)(void *arg), void *arg, struct weft_fault *fault)
{
    return guarded_call(fn, arg, fault, NULL, 0, false);
}

void weft_fault_hold(void)
{
    weft_fault_self.held++;
    atomic_signal_fence(memory_order_seq_cst);
}

void weft_fault_release(void)
{
    atomic_signal_fence(memory_order_seq_cst);
    if (--weft_fault_self.held || WEFT_LIKELY(!weft_fault_self.interrupted))
        return;
    weft_fault_self.interrupted = false;
    weft_fault_interrupt(pthread_self());
}
