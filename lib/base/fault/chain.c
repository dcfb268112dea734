// Passes each signal that isn't ours to the application's handlers, and keeps our handler installed in front
// of them.
//
// Owns, for each of the four signals, a chain of the handlers that were installed before ours, oldest first.
// `lock` guards it. The signal handler reads it without the lock: an entry is written before the count that
// includes it.
#include "weft/fault.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/fault/internal.h"
#include "base/libc/libc.h"

#define CHAIN_MAX 16u
// How often the installed handlers are checked, in ticks of the processor's clock (a few GHz): SIGSEGV, the
// most important, about every 10 us; all of them about every 100 us. A check is a system call of 60 to 200
// ns.
#define CHECK_ONE_TICKS (1u << 15)
#define CHECK_ALL_TICKS (1u << 18)

static struct chain {
    struct entry {
        struct sigaction action;
        _Atomic bool spent; // SA_RESETHAND and already used: SIG_DFL since then
    } entries[CHAIN_MAX];
    _Atomic uint32_t count; // 0: not installed
} chains[WEFT_FAULT_SIGNALS];

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
// In ticks. On a line of their own, because each launch on each thread reads them.
static _Alignas(64) _Atomic uint64_t checked_one;
static _Atomic uint64_t checked_all;

static void on_signal(int sig, siginfo_t *info, void *context);

static struct chain *chain_of(int sig)
{
    for (size_t i = 0; i < WEFT_FAULT_SIGNALS; i++)
        if (weft_fault_signals[i] == sig)
            return &chains[i];
    return NULL;
}

// ---- Passing a signal on ----

// Does what the signal does to a process without a handler.
static void default_action(int sig, const siginfo_t *info)
{
    struct sigaction plain = {.sa_handler = SIG_DFL};
    sigaction(sig, &plain, NULL);
    // Raised by the processor: the instruction faults again after our return. Sent by a process: it is sent
    // again and stays pending until we return.
    if (info->si_code <= 0)
        syscall(SYS_rt_tgsigqueueinfo, getpid(), weft_thread_id(), sig, info);
}

// The default action when it is called from a handler of the application, which may not intend to return.
// That handler stays installed. A signal of the processor is raised again when it returns; it is blocked
// then, so it kills the process.
static void default_action_below(int sig, const siginfo_t *info, ucontext_t *uc)
{
    if (info->si_code > 0)
        sigaddset(&uc->uc_sigmask, sig);
    else
        default_action(sig, info);
}

// A handler without SA_ONSTACK expects to run on the interrupted stack, unless that is the alternate stack.
// Our handler has SA_ONSTACK.
static bool expects_interrupted_stack(const struct sigaction *a, uintptr_t sp)
{
    stack_t alt;
    if (!WEFT_ARCH_CONTEXTS || (a->sa_flags & SA_ONSTACK) ||
        !weft_fault_on_alt_stack((uintptr_t)__builtin_frame_address(0)))
        return false;
    bool was_on_alt = sigaltstack(NULL, &alt) == 0 && sp - (uintptr_t)alt.ss_sp < alt.ss_size;
    return !was_on_alt;
}

static void call_handler(const struct sigaction *a, int sig, siginfo_t *info, ucontext_t *uc)
{
    void (*handler)(int, siginfo_t *, void *) =
        a->sa_sigaction; // without SA_SIGINFO it takes only the first argument
    sigset_t mask = uc->uc_sigmask, before;
    for (int s = 1; s < 65; s++)
        if (sigismember(&a->sa_mask, s) == 1)
            sigaddset(&mask, s);
    if (!(a->sa_flags & SA_NODEFER))
        sigaddset(&mask, sig);
    pthread_sigmask(SIG_SETMASK, &mask, &before);
    uintptr_t sp = weft_arch_context_sp(uc);
    if (!expects_interrupted_stack(a, sp)) {
        handler(sig, info, uc);
    } else {
        uintptr_t address = (uintptr_t)info->si_addr;
        if (sig == SIGSEGV && address - (sp - WEFT_GUARD_REACH) < 2 * WEFT_GUARD_REACH && info->si_code > 0) {
            default_action(sig, info); // the interrupted stack is full
            return;
        }
        // Below the red zone: a function may use it without moving its stack pointer.
        weft_arch_on_stack(handler, sig, info, uc, (sp - 256) & ~(uintptr_t)63);
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

// Passes the signal to the application as if our handler didn't exist.
static void forward(int sig, siginfo_t *info, ucontext_t *uc, bool from_kernel)
{
    struct chain *chain = chain_of(sig);
    // Acquire: pairs with the release in check_handler_locked, so the entries are written.
    uint32_t count = chain ? atomic_load_explicit(&chain->count, memory_order_acquire) : 0;
    // A handler of the application may call the handler that it replaced, which is ours. Then we are here
    // again with the same context, and the handler before it has to run. (A handler that left with siglongjmp
    // leaves `forwarding` set.)
    bool again = weft_fault_self.forwarding == uc && !from_kernel;
    uint32_t level = again ? weft_fault_self.forward_level : 0;
    const void *outer = weft_fault_self.forwarding;
    uint32_t outer_level = weft_fault_self.forward_level;
    // Only the handler that the system calls is reset or replaced, not one that another handler calls.
    bool direct = level == 0 && (from_kernel || !WEFT_ARCH_CONTEXTS || WEFT_TSAN);
    struct entry *entry = level < count ? &chain->entries[count - 1 - level] : NULL;
    struct sigaction a = entry ? entry->action : (struct sigaction){.sa_handler = SIG_DFL};
    // SIG_IGN, whether or not SA_SIGINFO is set.
    bool processor = info->si_code > 0, ignored = a.sa_handler == SIG_IGN;
    if (ignored && !processor)
        return;
    bool plain = ignored || a.sa_handler == SIG_DFL; // a signal of the processor can't be ignored
    if (!plain && (a.sa_flags & (int)SA_RESETHAND)) // if two threads fault at once, only one gets the handler
        plain = direct ? atomic_exchange(&entry->spent, true) : atomic_load(&entry->spent);
    if (plain && direct)
        default_action(sig, info);
    else if (plain)
        default_action_below(sig, info, uc);
    if (plain)
        return;
    weft_fault_self.forwarding = uc;
    weft_fault_self.forward_level = level + 1;
    struct weft_guarded_call *top = weft_fault_self.top;
    weft_fault_self.top = NULL; // a fault in the application's handler belongs to the application
    call_handler(&a, sig, info, uc);
    weft_fault_self.top = top;
    weft_fault_self.forwarding = outer;
    weft_fault_self.forward_level = outer_level;
}

static void on_signal(int sig, siginfo_t *info, void *context)
{
    int saved = errno;
    ucontext_t *uc = context;
    // These two need this function's own frame; a function that it calls doesn't know them.
    bool from_kernel = weft_arch_is_direct(uc, (uintptr_t)__builtin_frame_address(0));
    uintptr_t restorer = (uintptr_t)__builtin_return_address(0);
    if (!weft_fault_catch(sig, info, uc, restorer))
        forward(sig, info, uc, from_kernel);
    errno = saved;
}

// ---- Installing ----

// The length of the chain at the time of installing is encoded in the signal mask of our handler, as
// real-time signals, which it may block without harm. If an application restores a handler by installing the
// sigaction that it found, which is ours, the mask says which entry of the chain was the application's own at
// that time.
#define LEVEL_BITS 5
_Static_assert(CHAIN_MAX < 1u << LEVEL_BITS, "the length of a chain fits");

static void level_put(sigset_t *mask, uint32_t level)
{
    sigemptyset(mask);
    for (int bit = 0; bit < LEVEL_BITS; bit++)
        if (level & 1u << bit)
            sigaddset(mask, SIGRTMAX - bit);
}

static uint32_t level_get(const sigset_t *mask)
{
    uint32_t level = 0;
    for (int bit = 0; bit < LEVEL_BITS; bit++)
        level |= (uint32_t)(sigismember(mask, SIGRTMAX - bit) == 1) << bit;
    return level;
}

static bool is_same(const struct sigaction *a, const struct sigaction *b)
{
    bool same = a->sa_handler == b->sa_handler && a->sa_flags == b->sa_flags;
    for (int s = 1; s < 65 && same; s++)
        same = sigismember(&a->sa_mask, s) == sigismember(&b->sa_mask, s);
    return same;
}

// Installs our handler and appends the one that was there to the chain. The caller holds lock. If the same
// handler was installed again, as a handler with SA_RESETHAND may do itself, it is already in the chain and
// only stops being spent.
static void check_handler_locked(size_t i)
{
    struct sigaction now;
    if (sigaction(weft_fault_signals[i], NULL, &now) != 0)
        return;
    struct chain *c = &chains[i];
    uint32_t count = atomic_load_explicit(&c->count, memory_order_relaxed);
    if ((now.sa_flags & SA_SIGINFO) && now.sa_sigaction == on_signal) {
        uint32_t level = level_get(&now.sa_mask);
        if (level && level < count)
            atomic_store_explicit(&c->count, level, memory_order_release); // see the release below
        return;
    }
    if (count && is_same(&c->entries[count - 1].action, &now)) {
        atomic_store(&c->entries[count - 1].spent, false);
    } else {
        // The application keeps changing its handler, so the oldest entry is dropped.
        if (count == CHAIN_MAX) {
            memmove(&c->entries[0], &c->entries[1], (CHAIN_MAX - 1) * sizeof c->entries[0]);
            count--;
        }
        c->entries[count].action = now;
        atomic_store(&c->entries[count].spent, false);
        // Release: pairs with the acquire in forward.
        atomic_store_explicit(&c->count, ++count, memory_order_release);
    }
    struct sigaction ours = {.sa_sigaction = on_signal,
                             .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER | (now.sa_flags & SA_RESTART)};
    level_put(&ours.sa_mask, count);
    sigaction(weft_fault_signals[i], &ours, NULL);
}

static void fork_child(void)
{
    pthread_mutex_init(&lock, NULL); // another thread of the parent may have held it
}

__attribute__((constructor)) static void know_forks(void)
{
    weft_at_fork(NULL, NULL, fork_child);
}

void weft_fault_install(void)
{
    uint64_t now = weft_arch_ticks();
    if (WEFT_UNLIKELY(now - weft_fault_self.checked_at >= CHECK_ALL_TICKS)) {
        weft_fault_self.checked_at = now;
        weft_fault_check_mask();
    }
    // Acquire: pairs with the release below, so the key of alternate stacks exists.
    uint64_t last = atomic_load_explicit(&checked_one, memory_order_acquire);
    if (WEFT_LIKELY(now - last < CHECK_ONE_TICKS))
        return;
    // One thread checks. The others go on, unless this is the first time: many threads come here at once, and
    // each check takes locks of the kernel's, too.
    if (last && !atomic_compare_exchange_strong_explicit(&checked_one, &last, now, memory_order_relaxed,
                                                         memory_order_relaxed))
        return;
    bool all = now - atomic_load_explicit(&checked_all, memory_order_relaxed) >= CHECK_ALL_TICKS;
    pthread_mutex_lock(&lock);
    weft_fault_keep_stacks();
    for (size_t i = 0; i < (all ? WEFT_FAULT_SIGNALS : 1); i++)
        check_handler_locked(i);
    weft_fault_allow_interrupts(true);
    pthread_mutex_unlock(&lock);
    atomic_store_explicit(&checked_one, now, memory_order_release);
    if (all)
        atomic_store_explicit(&checked_all, now, memory_order_relaxed);
}

void weft_fault_uninstall(void)
{
    pthread_mutex_lock(&lock);
    weft_fault_allow_interrupts(false);
    for (size_t i = 0; i < WEFT_FAULT_SIGNALS; i++) {
        struct chain *c = &chains[i];
        uint32_t count = atomic_load_explicit(&c->count, memory_order_relaxed);
        struct sigaction now;
        // If the application has installed its own handler since, that one stays.
        if (count && sigaction(weft_fault_signals[i], NULL, &now) == 0 && (now.sa_flags & SA_SIGINFO) &&
            now.sa_sigaction == on_signal) {
            struct sigaction back = c->entries[count - 1].action;
            if (atomic_load(&c->entries[count - 1].spent))
                back.sa_handler = SIG_DFL;
            sigaction(weft_fault_signals[i], &back, NULL);
        }
        atomic_store_explicit(&c->count, 0, memory_order_relaxed);
    }
    weft_fault_forget_stacks();
    atomic_store_explicit(&checked_one, 0, memory_order_relaxed);
    atomic_store_explicit(&checked_all, 0, memory_order_relaxed);
    pthread_mutex_unlock(&lock);
}
