// Faults outside of guarded calls belong to the application, whenever it has set its handler. Without a
// handler the process dies as it would without Weft.
// timeout: 60
#include "faults.h"

#include <setjmp.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/time.h>

static volatile int caught, caught_signal, caught_on_alt, caught_blocked, caught_blocked_usr1;
static volatile uintptr_t caught_sp;
static sigjmp_buf escape;

static void app_handler(int sig, siginfo_t *info, void *context)
{
    (void)info, (void)context;
    stack_t s;
    sigset_t mask;
    caught++;
    caught_signal = sig;
    sigaltstack(NULL, &s);
    caught_on_alt = (s.ss_flags & SS_ONSTACK) != 0;
    caught_sp = (uintptr_t)__builtin_frame_address(0);
    pthread_sigmask(SIG_SETMASK, NULL, &mask);
    caught_blocked = sigismember(&mask, sig);
    caught_blocked_usr1 = sigismember(&mask, SIGUSR1);
    siglongjmp(escape, 1);
}

static void set_handler(int sig, int flags)
{
    struct sigaction a = {.sa_sigaction = app_handler, .sa_flags = SA_SIGINFO | flags};
    sigaddset(&a.sa_mask, SIGUSR1);
    CHECK_EQ(sigaction(sig, &a, NULL), 0);
}

static void fault_outside(int sig)
{
    int before = caught;
    if (sigsetjmp(escape, 1) == 0)
        write_wild(NULL);
    CHECK_EQ(caught, before + 1);
    CHECK_EQ(caught_signal, sig);
}

TEST(a_handler_set_before_gets_the_faults_outside)
{
    if (HARNESS_TSAN)
        SKIP("the thread sanitizer calls handlers itself");
    set_handler(SIGSEGV, 0);
    for (int i = 0; i < 10; i++) {
        guarded(write_wild, SIGSEGV);
        fault_outside(SIGSEGV);
        CHECK_EQ(caught_blocked, 1);
        CHECK_EQ(caught_blocked_usr1, 1);
    }
    CHECK_EQ(caught, 10);
}

TEST(a_handler_set_later_gets_the_faults_outside_and_no_others)
{
    if (HARNESS_TSAN)
        SKIP("the thread sanitizer calls handlers itself");
    guarded(write_wild, SIGSEGV);
    for (int i = 0; i < 40; i++) { // more often than the chain is long
        set_handler(SIGSEGV, i % 2 ? SA_RESTART : 0);
        usleep(1000); // handlers are checked only now and then
        guarded(write_wild, SIGSEGV);
        CHECK_EQ(caught, i);
        fault_outside(SIGSEGV);
    }
}

static void set_again(int sig, siginfo_t *info, void *context)
{
    struct sigaction a = {.sa_sigaction = set_again, .sa_flags = (int)SA_RESETHAND | SA_SIGINFO};
    CHECK_EQ(sigaction(sig, &a, NULL), 0);
    app_handler(sig, info, context);
}

TEST(a_handler_that_is_reset_and_sets_itself_again_gets_every_fault_outside)
{
    if (HARNESS_TSAN)
        SKIP("the thread sanitizer calls handlers itself");
    struct sigaction a = {.sa_sigaction = set_again, .sa_flags = (int)SA_RESETHAND | SA_SIGINFO};
    CHECK_EQ(sigaction(SIGSEGV, &a, NULL), 0);
    for (int i = 0; i < 40; i++) { // with our handler in front of it, and with it in front of ours
        if (i % 4) {
            usleep(1000);
            guarded(write_wild, SIGSEGV);
        }
        CHECK_EQ(caught, i);
        fault_outside(SIGSEGV);
    }
}

TEST(a_handler_that_has_been_reset_leaves_kernels_faults_caught)
{
    if (HARNESS_TSAN)
        SKIP("the thread sanitizer calls handlers itself");
    set_handler(SIGSEGV, (int)SA_RESETHAND);
    guarded(write_wild, SIGSEGV);
    fault_outside(SIGSEGV);
    for (int i = 0; i < 10; i++) {
        guarded(write_wild, SIGSEGV);
        usleep(200);
    }
    CHECK_EQ(caught, 1);
}

TEST(no_defer_is_respected)
{
    set_handler(SIGSEGV, SA_NODEFER);
    guarded(write_wild, SIGSEGV);
    fault_outside(SIGSEGV);
    CHECK_EQ(caught_blocked, 0);
}

TEST(a_handler_runs_on_the_stack_that_it_asked_for)
{
    if (HARNESS_TSAN)
        SKIP("the thread sanitizer calls handlers itself");
    static char stack[65536];
    guarded(write_wild, SIGSEGV); // now this thread has our alternate stack
    set_handler(SIGSEGV, 0);
    usleep(1000);
    guarded(write_wild, SIGSEGV);
    fault_outside(SIGSEGV);
    CHECK_EQ(caught_on_alt, 0);
    uintptr_t here = (uintptr_t)__builtin_frame_address(0);
    CHECK_LT(here - caught_sp, 65536);
    stack_t s = {.ss_sp = stack, .ss_size = sizeof stack};
    sigaltstack(&s, NULL);
    set_handler(SIGSEGV, SA_ONSTACK);
    usleep(1000);
    guarded(write_wild, SIGSEGV);
    fault_outside(SIGSEGV);
    CHECK_EQ(caught_on_alt, 1);
    CHECK_LT(caught_sp - (uintptr_t)stack, sizeof stack);
    stack_t now;
    sigaltstack(NULL, &now);
    CHECK_EQ(now.ss_sp, (void *)stack); // the application's own stack stays
}

static void (*simple_previous)(int);
static volatile int simple_count;
static void simple_handler(int sig)
{
    (void)sig;
    simple_count++;
    siglongjmp(escape, 1);
}

TEST(a_handler_without_siginfo_works)
{
    simple_previous = signal(SIGSEGV, simple_handler);
    CHECK_EQ((void *)simple_previous, (void *)SIG_DFL);
    guarded(write_wild, SIGSEGV);
    if (sigsetjmp(escape, 1) == 0)
        write_wild(NULL);
    CHECK_EQ(simple_count, 1);
}

// A handler that repairs the cause and returns.
static char *page;
static void mend(int sig, siginfo_t *info, void *context)
{
    (void)sig, (void)context;
    caught++;
    CHECK_EQ(info->si_addr, (void *)page);
    mprotect(page, 4096, PROT_READ | PROT_WRITE);
}

TEST(a_handler_may_mend_and_return)
{
    struct sigaction a = {.sa_sigaction = mend, .sa_flags = SA_SIGINFO};
    page = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    guarded(write_wild, SIGSEGV);
    sigaction(SIGSEGV, &a, NULL);
    usleep(1000);
    guarded(write_wild, SIGSEGV);
    for (int i = 0; i < 5; i++) {
        mprotect(page, 4096, PROT_READ);
        *(volatile char *)page = 7;
        CHECK_EQ(page[0], 7);
        CHECK_EQ(caught, i + 1);
    }
}

// A handler that calls the handler that it replaced, which is ours. The application's first handler comes
// after that.
static struct sigaction replaced;
static void chaining(int sig, siginfo_t *info, void *context)
{
    simple_count++;
    replaced.sa_sigaction(sig, info, context);
}

TEST(a_handler_that_calls_ours_reaches_the_one_before)
{
    if (HARNESS_TSAN)
        SKIP("the thread sanitizer calls handlers itself");
    set_handler(SIGSEGV, 0);
    guarded(write_wild, SIGSEGV);
    struct sigaction a = {.sa_sigaction = chaining, .sa_flags = SA_SIGINFO};
    sigaction(SIGSEGV, &a, &replaced);
    usleep(1000);
    guarded(write_wild, SIGSEGV);
    for (int i = 1; i < 4; i++) {
        fault_outside(SIGSEGV);
        CHECK_EQ(simple_count, i);
    }
}

static void count_and_return(int sig, siginfo_t *info, void *context)
{
    (void)sig, (void)info, (void)context;
    simple_count++;
}

static void chain_and_leave(int sig, siginfo_t *info, void *context)
{
    replaced.sa_sigaction(sig, info, context);
    app_handler(sig, info, context);
}

// The system resets only the handler that it calls itself. Tested with our handler in front of the newer one,
// and after it.
static void chain_to_one_that_is_reset(bool in_front)
{
    caught = simple_count = 0;
    struct sigaction old = {.sa_sigaction = count_and_return, .sa_flags = (int)SA_RESETHAND | SA_SIGINFO};
    CHECK_EQ(sigaction(SIGSEGV, &old, NULL), 0);
    usleep(1000);
    guarded(write_wild, SIGSEGV);
    struct sigaction a = {.sa_sigaction = chain_and_leave, .sa_flags = SA_SIGINFO};
    CHECK_EQ(sigaction(SIGSEGV, &a, &replaced), 0);
    for (int i = 1; i < 5; i++) {
        if (in_front) {
            usleep(1000);
            guarded(write_wild, SIGSEGV);
        }
        fault_outside(SIGSEGV);
        CHECK_EQ(simple_count, i);
    }
}

TEST(a_handler_that_another_calls_is_not_reset)
{
    if (HARNESS_TSAN)
        SKIP("the thread sanitizer calls handlers itself");
    chain_to_one_that_is_reset(true);
    chain_to_one_that_is_reset(false);
}

TEST(a_handler_that_calls_the_default_and_leaves_stays)
{
    if (HARNESS_TSAN)
        SKIP("the thread sanitizer calls handlers itself");
    guarded(write_wild, SIGSEGV);
    struct sigaction a = {.sa_sigaction = chain_and_leave, .sa_flags = SA_SIGINFO};
    CHECK_EQ(sigaction(SIGSEGV, &a, &replaced), 0);
    for (int i = 0; i < 4; i++) {
        fault_outside(SIGSEGV);
        usleep(1000);
        guarded(write_wild, SIGSEGV);
    }
}

static void async_handler(int sig)
{
    (void)sig;
    write_wild(NULL);
}

static volatile bool spinning_ended;
static void spin(void *arg)
{
    (void)arg;
    double end = harness_seconds() + 2;
    while (harness_seconds() < end)
        ;
    spinning_ended = true;
}

static void overlay(void *arg)
{
    volatile char big[16384]; // overwrites the place of the signal frame, where its remains are
    __asm__ volatile("" : : "r"(big) : "memory");
    write_wild(arg);
}

TEST(a_fault_in_a_handler_that_interrupted_a_kernel_is_the_applications)
{
    if (HARNESS_TSAN)
        SKIP("the thread sanitizer delays signals");
    set_handler(SIGSEGV, 0);
    signal(SIGALRM, async_handler);
    struct itimerval soon = {.it_value = {0, 50000}}, off = {0};
    struct weft_fault f = {0};
    weft_fault_install();
    if (sigsetjmp(escape, 1) == 0) {
        setitimer(ITIMER_REAL, &soon, NULL);
        weft_fault_call(spin, NULL, &f);
        FAIL("the kernel was not interrupted");
    }
    setitimer(ITIMER_REAL, &off, NULL);
    CHECK_EQ(caught, 1);
    CHECK(!spinning_ended);
    guarded(overlay, SIGSEGV);
    CHECK_EQ(caught, 1);
}

static sigjmp_buf within;
static volatile int left_within;

static void leave_within(int sig)
{
    (void)sig;
    siglongjmp(within, 1);
}

static void fault_and_go_on(int sig)
{
    (void)sig;
    if (sigsetjmp(within, 1) == 0)
        write_wild(NULL);
    left_within++;
}

static void raise_some(void *arg)
{
    for (int i = 0; i < 3; i++)
        raise(SIGUSR1);
    *(volatile bool *)arg = true;
}

// The kernel goes on and returns if such a fault is left within the handler.
TEST(a_kernel_goes_on_when_the_handler_that_interrupted_it_has_left_a_fault_of_its_own)
{
    if (HARNESS_TSAN)
        SKIP("the thread sanitizer delays signals");
    signal(SIGSEGV, leave_within);
    signal(SIGUSR1, fault_and_go_on);
    for (int apart = 0; apart < 2; apart++) {
        struct weft_fault f = {0};
        volatile bool ended = false;
        left_within = 0;
        weft_fault_install();
        CHECK(weft_fault_call_kernel(raise_some, (void *)(uintptr_t)&ended, &f, NULL,
                                     apart ? WEFT_FAULT_SEPARATE_STACK : 0));
        CHECK(ended);
        CHECK_EQ(left_within, 3);
        guarded(write_wild, SIGSEGV);
    }
}

// ---- Dying as without Weft: each in a process of its own ----

static int status_of(void (*child)(void))
{
    pid_t pid = fork();
    if (pid == 0) {
        guarded(write_wild, SIGSEGV);
        child();
        _exit(99);
    }
    int status;
    CHECK_EQ(waitpid(pid, &status, 0), pid);
    return status;
}

static void die_by_fault(void)
{
    write_wild(NULL);
}
static void die_by_raise(void)
{
    raise(SIGFPE);
}
static void die_by_kill(void)
{
    kill(getpid(), SIGBUS);
    usleep(100000);
}
static void ignored_raise(void)
{
    signal(SIGSEGV, SIG_IGN);
    usleep(1000);
    guarded(write_wild, SIGSEGV);
    raise(SIGSEGV);
    _exit(7);
}
static void ignored_fault(void)
{
    signal(SIGSEGV, SIG_IGN);
    usleep(1000);
    guarded(write_wild, SIGSEGV);
    write_wild(NULL);
}
static void reset_hand(void)
{
    set_handler(SIGSEGV, (int)SA_RESETHAND);
    usleep(1000);
    guarded(write_wild, SIGSEGV);
    fault_outside(SIGSEGV);
    write_wild(NULL); // the second fault kills
}
static void reset_hand_set_later(void)
{
    guarded(write_wild, SIGSEGV);
    set_handler(SIGSEGV, (int)SA_RESETHAND);
    fault_outside(SIGSEGV); // sent by the system, which leaves SIG_DFL with SA_SIGINFO
    for (int i = 0; i < 3; i++) {
        usleep(1000);
        guarded(write_wild, SIGSEGV);
    }
    if (caught != 1)
        _exit(5);
    write_wild(NULL);
}
static void reset_hand_spent_at_uninstall(void)
{
    set_handler(SIGSEGV, (int)SA_RESETHAND);
    guarded(write_wild, SIGSEGV);
    fault_outside(SIGSEGV);
    guarded(write_wild, SIGSEGV);
    weft_fault_uninstall();
    write_wild(NULL);
}
static void after_uninstall(void)
{
    weft_fault_uninstall();
    struct sigaction a;
    sigaction(SIGSEGV, NULL, &a);
    _exit(a.sa_handler == SIG_DFL ? 8 : 9);
}
// Restores the application's handler unchanged after ours has seen it.
static void taken_back(void)
{
    struct sigaction found, a = {.sa_sigaction = app_handler, .sa_flags = SA_SIGINFO};
    CHECK_EQ(sigaction(SIGSEGV, &a, &found), 0);
    usleep(1000);
    guarded(write_wild, SIGSEGV);
    fault_outside(SIGSEGV);
    CHECK_EQ(sigaction(SIGSEGV, &found, NULL), 0);
    usleep(1000);
    guarded(write_wild, SIGSEGV);
    if (sigsetjmp(escape, 1) == 0)
        write_wild(NULL); // the default action kills again
    _exit(6);
}
// Passes the signal on to the handler that it found, which is ours with no other before it, and returns.
static void default_below(void)
{
    struct sigaction a = {.sa_sigaction = chaining, .sa_flags = SA_SIGINFO};
    CHECK_EQ(sigaction(SIGSEGV, &a, &replaced), 0);
    usleep(1000);
    guarded(write_wild, SIGSEGV);
    write_wild(NULL);
}
static void overflow_outside(void)
{
    signal(SIGSEGV, simple_handler); // has no stack to run on
    usleep(1000);
    guarded(write_wild, SIGSEGV);
    struct rlimit small = {1 << 20, 1 << 20};
    setrlimit(RLIMIT_STACK, &small);
    if (sigsetjmp(escape, 1) == 0)
        _exit(overflow_stack(1));
    _exit(5);
}

TEST(without_a_handler_the_process_dies_as_it_would)
{
    CHECK_EQ(WTERMSIG(status_of(die_by_fault)), SIGSEGV);
    CHECK_EQ(WTERMSIG(status_of(die_by_raise)), SIGFPE);
    CHECK_EQ(WTERMSIG(status_of(die_by_kill)), SIGBUS);
    CHECK_EQ(WTERMSIG(status_of(ignored_fault)), SIGSEGV);
    CHECK_EQ(WTERMSIG(status_of(reset_hand)), SIGSEGV);
    CHECK_EQ(WTERMSIG(status_of(reset_hand_set_later)), SIGSEGV);
    CHECK_EQ(WTERMSIG(status_of(reset_hand_spent_at_uninstall)), SIGSEGV);
    CHECK_EQ(WTERMSIG(status_of(taken_back)), SIGSEGV);
    CHECK_EQ(WTERMSIG(status_of(default_below)), SIGSEGV);
    CHECK_EQ(WEXITSTATUS(status_of(ignored_raise)), 7);
    CHECK_EQ(WEXITSTATUS(status_of(after_uninstall)), 8);
    if (!HARNESS_ASAN && !HARNESS_TSAN)
        CHECK_EQ(WTERMSIG(status_of(overflow_outside)), SIGSEGV);
}
