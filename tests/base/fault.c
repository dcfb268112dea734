// A fault inside a guarded call ends only that call; a guarded call can be interrupted. fault_handlers.c
// tests the application's handlers.
// timeout: 60
#include "faults.h"

#include <fenv.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "float_control.h"

static void *mapped_file_end;
static void beyond_file(void *arg)
{
    (void)arg;
    *(volatile char *)mapped_file_end = 1;
}

TEST(each_kind_of_fault_ends_the_call)
{
    FILE *file = tmpfile();
    CHECK(file != NULL);
    char *p = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fileno(file), 0);
    CHECK(p != MAP_FAILED);
    mapped_file_end = p;
    for (int i = 0; i < 100; i++) {
        guarded(write_wild, SIGSEGV);
        guarded(write_non_canonical, SIGSEGV);
        guarded(trap, SIGILL);
#if defined(__x86_64__)
        guarded(divide, SIGFPE);
#endif
        guarded(beyond_file, SIGBUS);
    }
}

TEST(the_fault_has_address_and_instruction)
{
    struct weft_fault f = {0};
    weft_fault_install();
    CHECK(!weft_fault_call(write_wild, NULL, &f));
    CHECK_EQ(f.address, (void *)0x1234);
    CHECK_GE((uintptr_t)f.instruction, (uintptr_t)write_wild);
    CHECK_LT((uintptr_t)f.instruction, (uintptr_t)write_wild + 200);
    CHECK_EQ(f.code, SEGV_MAPERR);
}

TEST(the_signal_mask_and_callee_saved_state_survive)
{
    sigset_t mask, after;
    sigemptyset(&mask);
    sigaddset(&mask, SIGUSR2);
    sigprocmask(SIG_SETMASK, &mask, NULL);
    volatile int before = 42;
    guarded(write_wild, SIGSEGV);
    sigprocmask(SIG_SETMASK, NULL, &after);
    CHECK_EQ(before, 42);
    CHECK(sigismember(&after, SIGUSR2));
    CHECK(!sigismember(&after, SIGSEGV));
    CHECK(!sigismember(&after, SIGILL));
}

static void overflow(void *arg)
{
    *(volatile int *)arg = overflow_stack(1);
}

static void *overflow_thread(void *arg)
{
    if (arg)
        pthread_sigmask(SIG_BLOCK, arg, NULL);
    for (int i = 0; i < 3; i++) {
        struct weft_fault f = {0};
        int result = 0;
        weft_fault_install();
        CHECK(!weft_fault_call(overflow, &result, &f));
        CHECK_EQ(f.signal, SIGSEGV);
        CHECK(f.stack);
    }
    return NULL;
}

TEST(a_stack_overflow_ends_the_call)
{
    if (HARNESS_ASAN || HARNESS_TSAN)
        SKIP("sanitizers keep a stack of their own");
    sigset_t all;
    sigfillset(&all);
    sigdelset(&all, SIGSEGV);
    pthread_t t;
    pthread_create(&t, NULL, overflow_thread, &all); // as a pool thread
    pthread_join(t, NULL);
    pthread_create(&t, NULL, overflow_thread, NULL); // as a thread of the application
    pthread_join(t, NULL);
    struct rlimit small = {1 << 20, 1 << 20};
    setrlimit(RLIMIT_STACK, &small);
    overflow_thread(NULL); // the main thread
}

// ---- Nesting ----

struct nested {
    bool inner_ok;
    struct weft_fault inner;
};

static void nest(void *arg)
{
    struct nested *n = arg;
    n->inner_ok = weft_fault_call(write_wild, NULL, &n->inner);
    trap(NULL);
}

__attribute__((noinline, no_sanitize("address", "undefined", "thread"))) static void smash(void *arg)
{
    volatile unsigned char *frame = __builtin_frame_address(0);
    for (int i = 16; i < 2048; i++) // overwrites the record of the guarded call, too
        frame[i] = 0xee;
    write_wild(arg);
}

// Without the stack above it the call can't return, but the process ends: the handler must not fault for
// ever.
TEST(a_call_that_has_overwritten_the_stack_above_it_ends)
{
    if (HARNESS_ASAN || HARNESS_TSAN)
        SKIP("sanitizers have marks on the stack");
    fflush(NULL);
    pid_t pid = fork();
    if (pid == 0) {
        signal(SIGALRM, SIG_DFL);
        alarm(10);
        const struct rlimit no_core = {0, 0};
        setrlimit(RLIMIT_CORE, &no_core);
        struct weft_fault f;
        unsigned char room[4096];
        memset(room, 1, sizeof room);
        weft_fault_install();
        weft_fault_call(smash, room, &f);
        _exit(0);
    }
    int status = 0;
    CHECK_EQ(waitpid(pid, &status, 0), pid);
    CHECK(WIFSIGNALED(status));
    CHECK_EQ(WTERMSIG(status), SIGSEGV);
}

TEST(calls_nest)
{
    struct nested n = {.inner_ok = true};
    struct weft_fault f = {0};
    weft_fault_install();
    CHECK(!weft_fault_call(nest, &n, &f));
    CHECK(!n.inner_ok);
    CHECK_EQ(n.inner.signal, SIGSEGV);
    CHECK_EQ(f.signal, SIGILL);
}

// ---- Floating point ----

#if TEST_FLOAT_CONTROL
static void read_float_state(void *arg)
{
    *(unsigned *)arg = test_float_control();
    volatile double x = 1.0, y = 3.0;
    x = x / y;                                  // inexact
    test_set_float_control(TEST_FLOAT_STRANGE); // whatever a kernel could set
}

TEST(the_kernel_neither_sees_nor_changes_the_floating_point_environment)
{
    struct weft_fault f;
    unsigned inside = 0;
    fesetround(FE_UPWARD);
    feclearexcept(FE_ALL_EXCEPT);
    feraiseexcept(FE_DIVBYZERO);
    test_set_float_control(test_float_control() | TEST_FLOAT_FLUSH);
    unsigned before = test_float_control();
    CHECK(weft_fault_call(read_float_state, &inside, &f));
    CHECK_EQ(inside & ~TEST_FLOAT_STATUS, TEST_FLOAT_DEFAULT);
    CHECK_EQ(test_float_control(), before);
    CHECK_EQ(fegetround(), FE_UPWARD);
    CHECK(fetestexcept(FE_DIVBYZERO));
    CHECK(!fetestexcept(FE_INEXACT));
    weft_fault_install();
    CHECK(!weft_fault_call(write_wild, NULL, &f));
    CHECK_EQ(test_float_control(), before);
}

TEST(denormals_are_flushed_for_one_call)
{
    struct weft_fault f;
    unsigned inside = 0, before = test_float_control();
    CHECK(weft_fault_call_kernel(read_float_state, &inside, &f, NULL, WEFT_FAULT_FLUSH_DENORMALS));
    CHECK_EQ(inside & ~TEST_FLOAT_STATUS, TEST_FLOAT_DEFAULT | TEST_FLOAT_FLUSH);
    CHECK_EQ(test_float_control(), before);
    weft_fault_install();
    CHECK(!weft_fault_call_kernel(write_wild, NULL, &f, NULL, WEFT_FAULT_FLUSH_DENORMALS));
    CHECK_EQ(test_float_control(), before);
    CHECK(weft_fault_call(read_float_state, &inside, &f));
    CHECK_EQ(inside & ~TEST_FLOAT_STATUS, TEST_FLOAT_DEFAULT);
}
#endif

// ---- Interrupting ----

static void for_ever(void *arg)
{
    *(volatile bool *)arg = true;
    for (volatile int i = 0;; i++)
        ;
}

static volatile bool running; // true: the guarded call has begun
static void *endless_thread(void *arg)
{
    struct weft_fault *f = arg;
    weft_fault_install();
    CHECK(!weft_fault_call(for_ever, (void *)&running, f));
    return NULL;
}

TEST(an_endless_call_can_be_interrupted)
{
    if (HARNESS_TSAN)
        SKIP("the thread sanitizer delays signals");
    struct weft_fault f = {0};
    pthread_t t;
    pthread_create(&t, NULL, endless_thread, &f);
    while (!running)
        usleep(1000);
    weft_fault_interrupt(t);
    pthread_join(t, NULL);
    CHECK_EQ(f.signal, SIGILL);
    weft_fault_interrupt(pthread_self()); // not in a guarded call: no effect
}

static _Atomic int inside;

static void hold_and_release(void *arg)
{
    (void)arg;
    running = 1;
    for (;;) {
        weft_fault_hold();
        inside = 1;
        for (volatile int i = 0; i < 1000; i++)
            ;
        inside = 0;
        weft_fault_release();
    }
}

static void *holding_thread(void *fault)
{
    weft_fault_install();
    CHECK(!weft_fault_call(hold_and_release, NULL, fault));
    return NULL;
}

TEST(a_call_that_is_held_is_interrupted_later)
{
    if (HARNESS_TSAN)
        SKIP("the thread sanitizer delays signals");
    for (int i = 0; i < 100; i++) {
        struct weft_fault f = {0};
        pthread_t t;
        running = 0;
        pthread_create(&t, NULL, holding_thread, &f);
        while (!running)
            sched_yield();
        weft_fault_interrupt(t);
        pthread_join(t, NULL);
        CHECK_EQ(f.signal, SIGILL);
        CHECK_EQ(inside, 0);
    }
}

static _Atomic bool over;

static void *limited_thread(void *fault)
{
    weft_fault_install();
    CHECK(!weft_fault_call_kernel(for_ever, (void *)&running, fault, &over, 0));
    return NULL;
}

TEST(a_call_with_a_limit_ends_when_that_is_over_and_not_before)
{
    if (HARNESS_TSAN)
        SKIP("the thread sanitizer delays signals");
    struct weft_fault f = {0};
    pthread_t t;
    running = 0;
    pthread_create(&t, NULL, limited_thread, &f);
    while (!running)
        usleep(1000);
    for (int i = 0; i < 20; i++) {
        weft_fault_interrupt_over(t);
        usleep(1000);
    }
    CHECK_EQ(f.signal, 0);
    over = true;
    weft_fault_interrupt_over(t);
    pthread_join(t, NULL);
    CHECK_EQ(f.signal, SIGILL);
    CHECK(f.instruction != NULL);
    weft_fault_interrupt_over(pthread_self()); // not in a guarded call: no effect
}

static void *blocking_thread(void *arg)
{
    sigset_t all, now;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, NULL);
    for (int i = 0; i < 100; i++)
        guarded(i % 2 ? write_wild : trap, i % 2 ? SIGSEGV : SIGILL);
    pthread_sigmask(SIG_SETMASK, NULL, &now);
    CHECK_EQ(sigismember(&now, SIGSEGV), 1);
    CHECK_EQ(sigismember(&now, SIGILL), 1);
    return arg;
}

// A pool's threads may be slow to end in a process that has run no kernel.
TEST(an_interruption_without_our_handlers_has_no_effect)
{
    for (int i = 0; i < 2; i++) {
        weft_fault_interrupt(pthread_self());
        weft_fault_interrupt_over(pthread_self());
        weft_fault_install();
        weft_fault_uninstall();
    }
}

TEST(a_thread_that_blocks_the_signals_survives_its_faults)
{
    pthread_t t;
    pthread_create(&t, NULL, blocking_thread, NULL);
    pthread_join(t, NULL);
}

// ---- Threads ----

static void *many(void *arg)
{
    // Each thread enlarges the thread sanitizer's own record of the stack.
    for (int i = 0; i < (HARNESS_TSAN ? 200 : 20000); i++)
        guarded(i % 2 ? write_wild : trap, i % 2 ? SIGSEGV : SIGILL);
    return arg;
}

TEST(many_threads_fault_at_once)
{
    pthread_t t[4];
    for (int i = 0; i < 4; i++)
        pthread_create(&t[i], NULL, many, NULL);
    for (int i = 0; i < 4; i++)
        pthread_join(t[i], NULL);
}

TEST(a_call_is_cheap)
{
    struct weft_fault f;
    double best = 1;
    for (int round = 0; round < 20; round++) {
        double start = harness_seconds();
        for (int i = 0; i < 10000; i++) {
            weft_fault_install();
            weft_fault_call(nothing, NULL, &f);
        }
        double each = (harness_seconds() - start) / 10000;
        best = each < best ? each : best;
    }
    printf("install + call: %.1f ns\n", best * 1e9);
    CHECK_LT(best, HARNESS_ASAN || HARNESS_TSAN ? 1e-5 : 1e-7);
}
