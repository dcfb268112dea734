// Catching the faults of kernel code, and leaving every other signal to the application
// (include/weft/fault.h).
//
// Owns, for each of the four signals, the chain of handlers that were there before ours: the first entry the
// application's first, the last one its newest. Under `lock`, but the signal handler reads without it:
// entries are written before the count that shows them. Each thread has the innermost guarded call (`top`)
// and, unless the application gave it one, an alternate stack.
//
// A kernel that may write beyond its private arrays runs on a stack of its own, between guards. The way back is in
// thread-local storage.
//
// Leaving a kernel is done by the kernel of the system: the handler points the interrupted context to
// `weft_fault_resume` and returns, so that signal mask, alternate stack and processor state are put right by
// sigreturn, and entering costs a few pushes.
#include "weft/fault.h"

#include "base/base.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#if defined(__x86_64__)
#define NATIVE 1
#else
#define NATIVE 0
#include <fenv.h>
#include <setjmp.h>
#endif

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define WEFT_ASAN 1
#include <sanitizer/asan_interface.h>
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

#define CHAIN_MAX 16u
#define STACK_MOST ((uintptr_t)1 << 30) // between a guarded frame and a fault
#define ALT_STACK_BYTES (64u << 10)
#define KERNEL_STACK_BYTES ((size_t)8 << 20) // as a thread of the pool has
#define GUARD_REACH (64u << 10) // an access so near to the stack pointer is an overflow of the stack
// How often the handlers are looked at, in ticks of the processor's clock (a few GHz): the one that matters
// most about every 10 us, all of them about every 100 us. A look costs a system call: 60 to 200 ns.
#define LOOK_ONE_TICKS (1u << 15)
#define LOOK_ALL_TICKS (1u << 18)

static const int signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL};

struct call {           // one weft_fault_call under way
    uintptr_t sp;       // of the guarded frame, with the callee-saved registers on it
    uintptr_t high;     // where the stack for kernels begins, if it runs there; or 0
    uintptr_t fault_sp; // where the stack ended when it was left
    struct call *outer;
    struct weft_fault *fault;
    uint32_t held;            // of the thread, when it began
    const _Atomic bool *over; // NULL: it has no time limit
#if !NATIVE
    sigjmp_buf env;
#endif
};

struct guarded_thread {
    struct call *top;
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
static _Thread_local struct guarded_thread self __attribute__((tls_model("initial-exec")));

static struct chain {
    struct entry {
        struct sigaction action;
        _Atomic bool spent; // SA_RESETHAND, and it has had its signal: SIG_DFL since
    } entries[CHAIN_MAX];
    _Atomic uint32_t count; // 0: not installed
} chains[WEFT_COUNT_OF(signals)];

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static _Atomic uint64_t looked_one, looked_all; // ticks
static pthread_key_t alt_key;
static bool alt_key_made;

static void on_signal(int sig, siginfo_t *info, void *context);

static uint64_t ticks(void)
{
#if NATIVE
    return __builtin_ia32_rdtsc();
#else
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return ((uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec) * 3;
#endif
}

static struct chain *chain_of(int sig)
{
    for (size_t i = 0; i < WEFT_COUNT_OF(signals); i++)
        if (signals[i] == sig)
            return &chains[i];
    return NULL;
}

// ---- Entering and leaving ----

#if NATIVE
// int weft_fault_enter(void (*fn)(void *), void *arg, uintptr_t *sp, uintptr_t stack): calls fn(arg) and returns 0. With stack
// other than 0, which is aligned by 64, fn runs with rsp = stack; nothing that it finds there is believed when it returns.
// weft_fault_resume: where a signal handler sends the thread, with rsp = *sp: returns 1 from that call.
int weft_fault_enter(void (*fn)(void *arg), void *arg, uintptr_t *sp, uintptr_t stack);
uintptr_t weft_fault_way_back(void);
extern const char weft_fault_resume[];
__asm__(".text\n"
        ".p2align 4\n"
        ".globl weft_fault_enter\n"
        ".hidden weft_fault_enter\n"
        ".type weft_fault_enter, @function\n"
        "weft_fault_enter:\n"
        ".cfi_startproc\n"
        "    endbr64\n"
        "    pushq %rbp\n    .cfi_adjust_cfa_offset 8\n    .cfi_rel_offset %rbp, 0\n"
        "    pushq %rbx\n    .cfi_adjust_cfa_offset 8\n    .cfi_rel_offset %rbx, 0\n"
        "    pushq %r12\n    .cfi_adjust_cfa_offset 8\n    .cfi_rel_offset %r12, 0\n"
        "    pushq %r13\n    .cfi_adjust_cfa_offset 8\n    .cfi_rel_offset %r13, 0\n"
        "    pushq %r14\n    .cfi_adjust_cfa_offset 8\n    .cfi_rel_offset %r14, 0\n"
        "    pushq %r15\n    .cfi_adjust_cfa_offset 8\n    .cfi_rel_offset %r15, 0\n"
        "    subq $8, %rsp\n    .cfi_adjust_cfa_offset 8\n"
        "    movq %rsp, (%rdx)\n"
        "    movq %rdi, %rax\n"
        "    movq %rsi, %rdi\n"
        "    testq %rcx, %rcx\n"
        "    jnz 2f\n"
        "    callq *%rax\n"
        "    xorl %eax, %eax\n"
        "    jmp 1f\n"
        "2:  movq %rsp, %rbx\n    .cfi_remember_state\n    .cfi_def_cfa_register %rbx\n"
        "    movq %rcx, %rsp\n"
        "    callq *%rax\n"
        "    callq weft_fault_way_back\n"
        "    movq %rax, %rsp\n    .cfi_restore_state\n"
        "    xorl %eax, %eax\n"
        "    jmp 1f\n"
        ".globl weft_fault_resume\n"
        ".hidden weft_fault_resume\n"
        "weft_fault_resume:\n"
        "    endbr64\n"
        "    movl $1, %eax\n"
        "1:  addq $8, %rsp\n    .cfi_adjust_cfa_offset -8\n"
        "    popq %r15\n    .cfi_adjust_cfa_offset -8\n    .cfi_restore %r15\n"
        "    popq %r14\n    .cfi_adjust_cfa_offset -8\n    .cfi_restore %r14\n"
        "    popq %r13\n    .cfi_adjust_cfa_offset -8\n    .cfi_restore %r13\n"
        "    popq %r12\n    .cfi_adjust_cfa_offset -8\n    .cfi_restore %r12\n"
        "    popq %rbx\n    .cfi_adjust_cfa_offset -8\n    .cfi_restore %rbx\n"
        "    popq %rbp\n    .cfi_adjust_cfa_offset -8\n    .cfi_restore %rbp\n"
        "    retq\n"
        ".cfi_endproc\n"
        ".size weft_fault_enter, .-weft_fault_enter\n");

// Called from above, on the stack of the kernel, of which nothing else is believed.
__attribute__((visibility("hidden"), used)) uintptr_t weft_fault_way_back(void)
{
    return *self.way_back;
}

// void weft_fault_on_stack(handler, sig, info, context, sp): calls handler(sig, info, context) with rsp = sp.
void weft_fault_on_stack(void (*handler)(int, siginfo_t *, void *), int sig, siginfo_t *info, void *context,
                         uintptr_t sp);
__asm__(".text\n"
        ".p2align 4\n"
        ".globl weft_fault_on_stack\n"
        ".hidden weft_fault_on_stack\n"
        ".type weft_fault_on_stack, @function\n"
        "weft_fault_on_stack:\n"
        ".cfi_startproc\n"
        "    endbr64\n"
        "    pushq %rbp\n    .cfi_adjust_cfa_offset 8\n    .cfi_rel_offset %rbp, 0\n"
        "    movq %rsp, %rbp\n    .cfi_def_cfa_register %rbp\n"
        "    movq %rdi, %rax\n"
        "    movl %esi, %edi\n"
        "    movq %rdx, %rsi\n"
        "    movq %rcx, %rdx\n"
        "    movq %r8, %rsp\n"
        "    callq *%rax\n"
        "    movq %rbp, %rsp\n"
        "    popq %rbp\n    .cfi_def_cfa %rsp, 8\n"
        "    retq\n"
        ".cfi_endproc\n"
        ".size weft_fault_on_stack, .-weft_fault_on_stack\n");

#define MXCSR_DEFAULT 0x1f80u // round to nearest, denormals kept, exceptions masked, no flags

struct float_state {
    uint32_t mxcsr; // of the x87 there is nothing to keep: kernels hold no code for it
};

// Writing the register is slow, reading it isn't: it is written only when it differs.
static inline void float_enter(struct float_state *s)
{
    s->mxcsr = __builtin_ia32_stmxcsr();
    if (WEFT_UNLIKELY((s->mxcsr & ~0x3fu) != MXCSR_DEFAULT))
        __builtin_ia32_ldmxcsr(MXCSR_DEFAULT);
}

static inline void float_leave(const struct float_state *s)
{
    if (__builtin_ia32_stmxcsr() != s->mxcsr)
        __builtin_ia32_ldmxcsr(s->mxcsr);
}
#else
struct float_state {
    fenv_t env;
};
static inline void float_enter(struct float_state *s)
{
    feholdexcept(&s->env);
    fesetenv(FE_DFL_ENV);
}
static inline void float_leave(const struct float_state *s)
{
    fesetenv(&s->env);
}
#endif

// ---- Alternate stacks, and kernels' ----

// The stacks that this thread has of us. At its end, by way of alt_key.
static void drop_stacks(void *unused)
{
    (void)unused;
    stack_t now;
    if (self.alt_stack && sigaltstack(NULL, &now) == 0 && now.ss_sp == self.alt_stack)
        sigaltstack(&(stack_t){.ss_flags = (int)SS_DISABLE}, NULL);
    if (self.alt_stack)
        munmap(self.alt_stack, ALT_STACK_BYTES);
    self.alt_stack = NULL;
    weft_unmap_guarded(self.kernel_stack, KERNEL_STACK_BYTES, self.kernel_guard);
    self.kernel_stack = NULL;
}

// Threads that leave signals to others block them all, often. One that is raised by an instruction then kills the process.
static void look_at_mask(void)
{
    sigset_t mask;
    bool known = pthread_sigmask(SIG_SETMASK, NULL, &mask) == 0;
    self.pool =
        known && sigismember(&mask, SIGALRM) && sigismember(&mask, SIGTERM) && sigismember(&mask, SIGUSR1);
    self.blocked = false;
    for (size_t i = 0; known && i < WEFT_COUNT_OF(signals); i++)
        self.blocked |= sigismember(&mask, signals[i]) == 1;
    self.pool &= !self.blocked;
}

static void let_through(sigset_t *before)
{
    sigset_t ours;
    sigemptyset(&ours);
    for (size_t i = 0; i < WEFT_COUNT_OF(signals); i++)
        sigaddset(&ours, signals[i]);
    pthread_sigmask(SIG_UNBLOCK, &ours, before);
}

// Once for each thread. A stack overflow can only be caught on another stack.
static void set_up_thread(void)
{
    self.ready = alt_key_made; // false: faults have not been installed yet
    look_at_mask();
    stack_t now;
    if (!alt_key_made || sigaltstack(NULL, &now) != 0 || !(now.ss_flags & SS_DISABLE))
        return;
    void *stack = mmap(NULL, ALT_STACK_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (stack == MAP_FAILED)
        return;
    stack_t ours = {.ss_sp = stack, .ss_size = ALT_STACK_BYTES};
    if (pthread_setspecific(alt_key, &self) != 0 || sigaltstack(&ours, NULL) != 0) {
        munmap(stack, ALT_STACK_BYTES);
        return;
    }
    self.alt_stack = stack;
}

// Where the thread's stack for kernels begins. 0: there is none, or it is in use.
static uintptr_t kernel_stack(void)
{
    uintptr_t here = (uintptr_t)__builtin_frame_address(0);
    if (!alt_key_made || (self.kernel_stack && here - (uintptr_t)self.kernel_stack < KERNEL_STACK_BYTES))
        return 0;
    if (WEFT_UNLIKELY(!self.kernel_stack)) {
        // Without a destructor nobody would free it.
        if (pthread_setspecific(alt_key, &self) != 0 || weft_alloc_fails())
            return 0;
        self.kernel_guard = WEFT_FAR_GUARD;
        self.kernel_stack = weft_map_guarded(4096, KERNEL_STACK_BYTES, &self.kernel_guard);
        if (!self.kernel_stack)
            return 0;
        madvise(self.kernel_stack, KERNEL_STACK_BYTES, MADV_NOHUGEPAGE); // some KB are touched, of megabytes
    }
    return (uintptr_t)self.kernel_stack + KERNEL_STACK_BYTES;
}

bool weft_fault_call_kernel(void (*fn)(void *arg), void *arg, struct weft_fault *fault,
                            const _Atomic bool *over, bool apart)
{
    if (WEFT_UNLIKELY(!self.ready))
        set_up_thread();
    struct call c = {.outer = self.top, .fault = fault, .held = self.held, .over = over};
    const uintptr_t *outer_way_back = self.way_back;
    if (apart && NATIVE && !WEFT_ASAN && !WEFT_TSAN)
        c.high = kernel_stack();
    struct float_state fp;
    float_enter(&fp);
    sigset_t before;
    bool blocked = self.blocked;
    if (WEFT_UNLIKELY(blocked))
        let_through(&before);
    self.top = &c;
    self.way_back = &c.sp;
    // The handler on this thread reads `top` and `sp`: the compiler must have written them, nothing more.
    atomic_signal_fence(memory_order_seq_cst);
#if NATIVE
    int left = weft_fault_enter(fn, arg, &c.sp, c.high);
#else
    int left = sigsetjmp(c.env, 1);
    if (!left)
        fn(arg);
#endif
    atomic_signal_fence(memory_order_seq_cst);
    self.top = c.outer;
    self.held = c.held;
    self.way_back = outer_way_back;
#if WEFT_ASAN
    if (left) // the frames that were left behind had marks of the address sanitizer on the stack
        __asan_unpoison_memory_region((void *)c.fault_sp, c.sp - c.fault_sp);
#endif
    if (WEFT_UNLIKELY(blocked))
        pthread_sigmask(SIG_SETMASK, &before, NULL);
    float_leave(&fp);
    return left == 0;
}

bool weft_fault_call(void (*fn)(void *arg), void *arg, struct weft_fault *fault)
{
    return weft_fault_call_kernel(fn, arg, fault, NULL, false);
}

void weft_fault_hold(void)
{
    self.held++;
    atomic_signal_fence(memory_order_seq_cst);
}

void weft_fault_release(void)
{
    atomic_signal_fence(memory_order_seq_cst);
    if (--self.held || WEFT_LIKELY(!self.interrupted))
        return;
    self.interrupted = false;
    weft_fault_interrupt(pthread_self());
}

// ---- The handler ----

#if NATIVE
// Does the stack between the fault and the guarded frame hold the frame of a signal? Then the fault is that
// of a handler of the application which interrupted the kernel. A frame begins with the address of the C
// library's return code (which `restorer` is), followed by the interrupted context. While its handler runs
// its signal is blocked and was not before, which tells it from the remains of an earlier one.
__attribute__((no_sanitize("address", "thread", "undefined"))) static bool
handler_interrupted(const ucontext_t *uc, uintptr_t from, uintptr_t to, uintptr_t restorer)
{
    for (uintptr_t p = (from + 7) & ~(uintptr_t)7; p + sizeof(uintptr_t) + sizeof(ucontext_t) < to; p += 8) {
        if (*(const uintptr_t *)p != restorer)
            continue;
        const ucontext_t *in = (const ucontext_t *)(p + 8);
        uintptr_t sp = (uintptr_t)in->uc_mcontext.gregs[REG_RSP];
        uint64_t then, now; // the system's masks: 64 signals
        memcpy(&then, &in->uc_sigmask, sizeof then);
        memcpy(&now, &uc->uc_sigmask, sizeof now);
        if (sp > p && sp <= to && (then & ~now) == 0 && then != now)
            return true;
    }
    return false;
}
#endif

// Makes the interrupted context go on where the guarded call returns.
static void redirect(struct call *c, ucontext_t *uc)
{
#if NATIVE
    greg_t *r = uc->uc_mcontext.gregs;
    r[REG_RIP] = (greg_t)(uintptr_t)weft_fault_resume;
    r[REG_RSP] = (greg_t)c->sp;
    r[REG_EFL] &= ~(greg_t)0x40500; // direction, trap, alignment check
#else
    (void)uc;
    siglongjmp(c->env, 1);
#endif
}

static bool on_alt_stack(uintptr_t here)
{
    stack_t s;
    return sigaltstack(NULL, &s) == 0 && (s.ss_flags & SS_ONSTACK) && here - (uintptr_t)s.ss_sp < s.ss_size;
}

#if NATIVE
// A kernel that has overwritten what its functions return with may have any stack pointer. Nothing interrupts a thread of the
// pool; elsewhere it is told from a handler on a stack of its own by that there is no stack.
static bool has_lost_stack(const struct call *c, uintptr_t sp)
{
    uintptr_t address = (uintptr_t)c->fault->address;
    bool nowhere = c->fault->signal == SIGSEGV && address - (sp - GUARD_REACH) < 2 * GUARD_REACH;
    bool impossible =
        sp + ((uintptr_t)1 << 56) >= (uintptr_t)2 << 56; // whatever number of levels the page tables have
    return self.pool || ((nowhere || impossible) && !on_alt_stack(sp));
}
#endif

// Is c what the signal interrupted, and not a handler of the application's that has interrupted it?
static bool is_in_call(struct call *c, const ucontext_t *uc, uintptr_t restorer)
{
#if NATIVE
    uintptr_t sp = (uintptr_t)uc->uc_mcontext.gregs[REG_RSP];
    if (!c->sp) // the call hasn't begun in earnest: there is nowhere to go on. Then fn runs at once
        return false;
    uintptr_t high = c->high ? c->high : c->sp;
    bool elsewhere = sp > high || high - sp > STACK_MOST;
    if (elsewhere && !(c->high && has_lost_stack(c, sp)))
        return false; // on another stack
    c->fault->instruction = (void *)(uintptr_t)uc->uc_mcontext.gregs[REG_RIP];
    c->fault_sp = sp;
    // What isn't there so near to the stack pointer, and below the call's own frame, is the guard of the stack.
    uintptr_t address = (uintptr_t)c->fault->address;
    c->fault->stack = !elsewhere && c->fault->signal == SIGSEGV && address < high &&
                      address - (sp - GUARD_REACH) < 2 * GUARD_REACH;
    if (self.pool || elsewhere) // a pool thread takes no asynchronous signals
        return true;
    self.scanning = true;
    atomic_signal_fence(memory_order_seq_cst);
    bool theirs = handler_interrupted(uc, sp, high, restorer);
    atomic_signal_fence(memory_order_seq_cst);
    self.scanning = false;
    return !theirs;
#else
    (void)c, (void)uc, (void)restorer;
    return true;
#endif
}

enum interruption { INTERRUPTED_NOT, INTERRUPTED_NOW, INTERRUPTED_OVER };
static _Atomic bool sent_now, sent_over; // weft_fault_interrupt, weft_fault_interrupt_over: ever

// Which signal of ours it is. Where the system can queue no more (RLIMIT_SIGPENDING) it comes bare: of nobody, and without
// what it was sent with. Nobody else in this process space sends such a one.
static enum interruption interruption_of(int sig, const siginfo_t *info)
{
    if (info->si_code == SI_QUEUE)
        return info->si_value.sival_ptr == (void *)chains        ? INTERRUPTED_NOW
               : info->si_value.sival_ptr == (void *)&looked_one ? INTERRUPTED_OVER
                                                                 : INTERRUPTED_NOT;
    if (sig != SIGILL || info->si_code != SI_USER || info->si_pid != 0)
        return INTERRUPTED_NOT;
    return atomic_load(&sent_now)    ? INTERRUPTED_NOW
           : atomic_load(&sent_over) ? INTERRUPTED_OVER
                                     : INTERRUPTED_NOT;
}

static bool catch_fault(int sig, const siginfo_t *info, ucontext_t *uc, uintptr_t restorer)
{
    struct call *c = self.top;
    switch (interruption_of(sig, info)) {
    case INTERRUPTED_NOW: // of interest only while a kernel runs
        if (c && self.held) {
            self.interrupted = true;
        } else if (c) {
            *c->fault = (struct weft_fault){.signal = sig, .code = SI_QUEUE};
            c->fault_sp = c->sp; // (the stack of the kernel needs no cleaning: the thread is about to end)
            redirect(c, uc);
        }
        return true;
    case INTERRUPTED_OVER:
        // Relaxed: whoever sent this signal has set it before.
        if (c && c->over && !self.held && !self.scanning &&
            atomic_load_explicit(c->over, memory_order_relaxed)) {
            *c->fault = (struct weft_fault){.signal = sig, .code = SI_QUEUE};
            if (is_in_call(c, uc, restorer))
                redirect(c, uc);
        }
        return true;
    default:
        break;
    }
    // Sent by a process, not raised by the processor: never the kernel's.
    if (!c || info->si_code <= 0)
        return false;
    if (self.scanning) {
        // We ran off the interrupted stack: the kernel had used it up.
        self.scanning = self.reporting = false;
        redirect(c, uc);
        return true;
    }
    if (self.reporting) // the record of the call is gone, and the stack above the kernel's with it: no way back
        return false;
    self.reporting = true;
    atomic_signal_fence(memory_order_seq_cst);
    *c->fault = (struct weft_fault){.signal = sig, .code = info->si_code, .address = info->si_addr};
    bool ours = is_in_call(c, uc, restorer);
    atomic_signal_fence(memory_order_seq_cst);
    self.reporting = false;
    if (ours)
        redirect(c, uc);
    return ours;
}

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
#if NATIVE
    uintptr_t sp = (uintptr_t)uc->uc_mcontext.gregs[REG_RSP];
    uintptr_t here = (uintptr_t)__builtin_frame_address(0);
    stack_t alt;
    bool was_on_alt = sigaltstack(NULL, &alt) == 0 && sp - (uintptr_t)alt.ss_sp < alt.ss_size;
    if (!(a->sa_flags & SA_ONSTACK) && on_alt_stack(here) && !was_on_alt) {
        // It expects the stack that was interrupted; below its red zone.
        uintptr_t address = (uintptr_t)info->si_addr;
        if (sig == SIGSEGV && address - (sp - GUARD_REACH) < 2 * GUARD_REACH && info->si_code > 0) {
            default_action(sig, info); // there is no room on it
            return;
        }
        weft_fault_on_stack(handler, sig, info, uc, (sp - 256) & ~(uintptr_t)63);
    } else
#endif
        handler(sig, info, uc);
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
    bool again = self.forwarding == uc && !from_kernel;
    uint32_t level = again ? self.forward_level : 0;
    const void *outer = self.forwarding;
    uint32_t outer_level = self.forward_level;
    // Only the handler that the signal is sent to is reset, or replaced; one that another calls by hand isn't.
    bool direct = level == 0 && (from_kernel || !NATIVE || WEFT_TSAN);
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
    self.forwarding = uc;
    self.forward_level = level + 1;
    struct call *top = self.top;
    self.top = NULL; // a fault in the application's handler is the application's
    call_handler(&a, sig, info, uc);
    self.top = top;
    self.forwarding = outer;
    self.forward_level = outer_level;
}

static void on_signal(int sig, siginfo_t *info, void *context)
{
    int saved = errno;
    ucontext_t *uc = context;
#if NATIVE
    // The system's frame begins with our return address, and the context follows it.
    bool from_kernel = (uintptr_t)uc == (uintptr_t)__builtin_frame_address(0) + 16;
    uintptr_t restorer = (uintptr_t)__builtin_return_address(0);
#else
    bool from_kernel = false;
    uintptr_t restorer = 0;
#endif
    if (!catch_fault(sig, info, uc, restorer))
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
    if (sigaction(signals[i], NULL, &now) != 0)
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
    sigaction(signals[i], &ours, NULL);
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
    uint64_t now = ticks();
    if (WEFT_UNLIKELY(now - self.looked >= LOOK_ALL_TICKS)) {
        self.looked = now;
        look_at_mask();
    }
    // Acquire: pairs with the release below: the key of alternate stacks is there. Whoever finds it out of date
    // looks again under the lock.
    if (WEFT_LIKELY(now - atomic_load_explicit(&looked_one, memory_order_acquire) < LOOK_ONE_TICKS))
        return;
    bool all = now - atomic_load_explicit(&looked_all, memory_order_relaxed) >= LOOK_ALL_TICKS;
    pthread_mutex_lock(&lock);
    if (!alt_key_made)
        alt_key_made = pthread_key_create(&alt_key, drop_stacks) == 0;
    for (size_t i = 0; i < (all ? WEFT_COUNT_OF(signals) : 1); i++)
        look_at_locked(i);
    pthread_mutex_unlock(&lock);
    atomic_store_explicit(&looked_one, now, memory_order_release);
    if (all)
        atomic_store_explicit(&looked_all, now, memory_order_relaxed);
}

void weft_fault_uninstall(void)
{
    pthread_mutex_lock(&lock);
    for (size_t i = 0; i < WEFT_COUNT_OF(signals); i++) {
        struct chain *c = &chains[i];
        uint32_t count = atomic_load_explicit(&c->count, memory_order_relaxed);
        struct sigaction now;
        // When the application has put its own in front, that one stays.
        if (count && sigaction(signals[i], NULL, &now) == 0 && (now.sa_flags & SA_SIGINFO) &&
            now.sa_sigaction == on_signal) {
            struct sigaction back = c->entries[count - 1].action;
            if (atomic_load(&c->entries[count - 1].spent))
                back.sa_handler = SIG_DFL;
            sigaction(signals[i], &back, NULL);
        }
        atomic_store_explicit(&c->count, 0, memory_order_relaxed);
    }
    if (alt_key_made)
        pthread_key_delete(alt_key); // stacks of living threads stay theirs: they may be in use
    alt_key_made = false;
    atomic_store_explicit(&looked_one, 0, memory_order_relaxed);
    atomic_store_explicit(&looked_all, 0, memory_order_relaxed);
    pthread_mutex_unlock(&lock);
}

void weft_fault_interrupt(pthread_t thread)
{
    atomic_store(&sent_now, true);
    pthread_sigqueue(thread, SIGILL, (union sigval){.sival_ptr = chains});
}

void weft_fault_interrupt_over(pthread_t thread)
{
    atomic_store(&sent_over, true);
    pthread_sigqueue(thread, SIGILL, (union sigval){.sival_ptr = &looked_one});
}
