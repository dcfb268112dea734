// The application's handlers: leaving to them every signal that isn't ours, and keeping ours in front of them.
//
// Owns, for each of the four signals, the chain of handlers that were there before ours: the first entry the
// application's first, the last one its newest. Under `lock`, but the signal handler reads without it:
// entries are written before the count that shows them.
#include "weft/fault.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/fault_internal.h"

#define CHAIN_MAX 16u
// How often the handlers are looked at, in ticks of the processor's clock (a few GHz): the one that matters
// most about every 10 us, all of them about every 100 us. A look costs a system call: 60 to 200 ns.
#define LOOK_ONE_TICKS (1u << 15)
#define LOOK_ALL_TICKS (1u << 18)

static struct chain {
    struct entry {
        struct sigaction action;
        _Atomic bool spent; // SA_RESETHAND, and it has had its signal: SIG_DFL since
    } entries[CHAIN_MAX];
    _Atomic uint32_t count; // 0: not installed
} chains[WEFT_FAULT_SIGNALS];

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static _Atomic uint64_t looked_one, looked_all; // ticks

static void on_signal(int sig, siginfo_t *info, void *context);

static struct chain *chain_of(int sig)
{
    for (size_t i = 0; i < WEFT_FAULT_SIGNALS; i++)
        if (weft_fault_signals[i] == sig)
            return &chains[i];
    return NULL;
}

// ---- Handing a signal on ----

// What the signal does to a process without a handler.
static void default_action(int sig, const siginfo_t *info)
{
    struct sigaction plain = {.sa_handler = SIG_DFL};
    sigaction(sig, &plain, NULL);
    // Raised by the processor: the instruction faults again on return. Sent: it is sent again, and waits
    // until we return.
    if (info->si_code <= 0)
        syscall(SYS_rt_tgsigqueueinfo, getpid(), (pid_t)syscall(SYS_gettid), sig, info);
}

// The same below a handler of the application's, which may not mean to return. That one stays installed: what the
// processor raised is raised again when it returns, and kills since the signal is blocked then.
static void default_action_below(int sig, const siginfo_t *info, ucontext_t *uc)
{
    if (info->si_code > 0)
        sigaddset(&uc->uc_sigmask, sig);
    else
        default_action(sig, info);
}

// A handler without SA_ONSTACK expects to be on the stack that was interrupted, unless that is the alternate one; ours has SA_ONSTACK.
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
    void (*handler)(int, siginfo_t *, void *) = a->sa_sigaction; // without SA_SIGINFO: of one argument
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
            default_action(sig, info); // there is no room on it
            return;
        }
        // Below what a function may have there without moving its stack pointer.
        weft_arch_on_stack(handler, sig, info, uc, (sp - 256) & ~(uintptr_t)63);
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

// Hands the signal to the application as if we were not there.
static void forward(int sig, siginfo_t *info, ucontext_t *uc, bool from_kernel)
{
    struct chain *chain = chain_of(sig);
    // Acquire: pairs with the release in look_at: the entries are written.
    uint32_t count = chain ? atomic_load_explicit(&chain->count, memory_order_acquire) : 0;
    // A handler of the application that calls the one it found, ours, comes here again with the same context:
    // then it is the turn of the one before. (One that left with siglongjmp leaves `forwarding` behind.)
    bool again = weft_fault_self.forwarding == uc && !from_kernel;
    uint32_t level = again ? weft_fault_self.forward_level : 0;
    const void *outer = weft_fault_self.forwarding;
    uint32_t outer_level = weft_fault_self.forward_level;
    // Only the handler that the signal is sent to is reset, or replaced; one that another calls by hand isn't.
    bool direct = level == 0 && (from_kernel || !WEFT_ARCH_CONTEXTS || WEFT_TSAN);
    struct entry *entry = level < count ? &chain->entries[count - 1 - level] : NULL;
    struct sigaction a = entry ? entry->action : (struct sigaction){.sa_handler = SIG_DFL};
    bool processor = info->si_code > 0, ignored = a.sa_handler == SIG_IGN; // whatever SA_SIGINFO says
    if (ignored && !processor)
        return;
    bool plain = ignored || a.sa_handler == SIG_DFL; // what the processor raised can't be ignored
    if (!plain && (a.sa_flags & (int)SA_RESETHAND))  // of two threads that fault at once one has the handler
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
    weft_fault_self.top = NULL; // a fault in the application's handler is the application's
    call_handler(&a, sig, info, uc);
    weft_fault_self.top = top;
    weft_fault_self.forwarding = outer;
    weft_fault_self.forward_level = outer_level;
}

static void on_signal(int sig, siginfo_t *info, void *context)
{
    int saved = errno;
    ucontext_t *uc = context;
    // Of this function's own frame: neither is known in one that it calls.
    bool from_kernel = weft_arch_is_direct(uc, (uintptr_t)__builtin_frame_address(0));
    uintptr_t restorer = (uintptr_t)__builtin_return_address(0);
    if (!weft_fault_catch(sig, info, uc, restorer))
        forward(sig, info, uc, from_kernel);
    errno = saved;
}

// ---- Installing ----

// How long the chain was when our handler was installed is written into the mask that it is installed with, as
// real-time signals, which it may well block. An application that takes its handler back by installing the one
// that it had found, ours, thereby says which entry was its own.
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

// Makes our handler the signal's, remembering what was there. lock is held. A handler that is set again, as one with
// SA_RESETHAND sets itself, is the one that we know, and as good as new.
static void look_at_locked(size_t i)
{
    struct sigaction now;
    if (sigaction(weft_fault_signals[i], NULL, &now) != 0)
        return;
    struct chain *c = &chains[i];
    uint32_t count = atomic_load_explicit(&c->count, memory_order_relaxed);
    if ((now.sa_flags & SA_SIGINFO) && now.sa_sigaction == on_signal) {
        uint32_t level = level_get(&now.sa_mask);
        if (level && level < count)
            atomic_store_explicit(&c->count, level, memory_order_release); // as below
        return;
    }
    if (count && is_same(&c->entries[count - 1].action, &now)) {
        atomic_store(&c->entries[count - 1].spent, false);
    } else {
        if (count == CHAIN_MAX) { // it never stops changing its handler: the oldest is forgotten
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
    if (WEFT_UNLIKELY(now - weft_fault_self.looked >= LOOK_ALL_TICKS)) {
        weft_fault_self.looked = now;
        weft_fault_look_at_mask();
    }
    // Acquire: pairs with the release below: the key of alternate stacks is there. Whoever finds it out of date
    // looks again under the lock.
    if (WEFT_LIKELY(now - atomic_load_explicit(&looked_one, memory_order_acquire) < LOOK_ONE_TICKS))
        return;
    bool all = now - atomic_load_explicit(&looked_all, memory_order_relaxed) >= LOOK_ALL_TICKS;
    pthread_mutex_lock(&lock);
    weft_fault_keep_stacks();
    for (size_t i = 0; i < (all ? WEFT_FAULT_SIGNALS : 1); i++)
        look_at_locked(i);
    pthread_mutex_unlock(&lock);
    atomic_store_explicit(&looked_one, now, memory_order_release);
    if (all)
        atomic_store_explicit(&looked_all, now, memory_order_relaxed);
}

void weft_fault_uninstall(void)
{
    pthread_mutex_lock(&lock);
    for (size_t i = 0; i < WEFT_FAULT_SIGNALS; i++) {
        struct chain *c = &chains[i];
        uint32_t count = atomic_load_explicit(&c->count, memory_order_relaxed);
        struct sigaction now;
        // When the application has put its own in front, that one stays.
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
    atomic_store_explicit(&looked_one, 0, memory_order_relaxed);
    atomic_store_explicit(&looked_all, 0, memory_order_relaxed);
    pthread_mutex_unlock(&lock);
}
