// Tests that every family of processors must pass. arch.c and arch_portable.c include this after
// base/arch/arch.h or its replacement.
#ifndef WEFT_TESTS_BASE_ARCH_TESTS_H
#define WEFT_TESTS_BASE_ARCH_TESTS_H

#include <errno.h>
#include <fenv.h>
#include <sys/syscall.h>
#include <sys/types.h>

#include "float_control.h"
#include "harness.h"

// ---- Time ----

TEST(ticks_go_up_at_a_processors_pace)
{
    uint64_t last = weft_arch_ticks(), first = last;
    for (int i = 0; i < 100000; i++) {
        uint64_t now = weft_arch_ticks();
        CHECK_GE(now, last);
        last = now;
        weft_arch_relax();
    }
    CHECK_GT(last, first);
    struct timespec from, to;
    clock_gettime(CLOCK_MONOTONIC, &from);
    first = weft_arch_ticks();
    usleep(20000);
    uint64_t ticks = weft_arch_ticks() - first;
    clock_gettime(CLOCK_MONOTONIC, &to);
    uint64_t ns = (uint64_t)(to.tv_sec - from.tv_sec) * 1000000000u + (uint64_t)(to.tv_nsec - from.tv_nsec);
    CHECK_LT(ticks, 10 * ns);
    CHECK_GT(ticks, 10000000u); // at least half a tick per nanosecond of the time slept
}

// ---- Floating point ----

// Sets the unit that kernels use. On some processors fesetround sets another unit too.
static void set_rounding(int mode)
{
#if TEST_FLOAT_CONTROL
    test_set_float_control((test_float_control() & ~TEST_FLOAT_ROUNDING_BITS) | TEST_FLOAT_ROUNDING(mode));
#else
    fesetround(mode);
#endif
}

// The result shows the rounding mode.
__attribute__((noinline)) static double third(void)
{
    volatile double one = 1.0, three = 3.0, result = one / three;
    return result;
}

TEST(the_float_state_is_set_and_restored_whatever_the_callers)
{
    const int rounding[] = {FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};
    const double nearest = third();
    double expected[4];
    for (int i = 0; i < 4; i++) {
        set_rounding(rounding[i]);
        expected[i] = third();
    }
    CHECK(expected[0] == nearest);
    CHECK(expected[1] > nearest);
    for (int i = 0; i < 16; i++) {
        struct weft_arch_float state;
        const int flags = i & 4 ? FE_DIVBYZERO : 0;
        set_rounding(rounding[i & 3]);
        feclearexcept(FE_ALL_EXCEPT);
        feraiseexcept(flags);
        weft_arch_float_enter(&state, false);
        CHECK(third() == nearest); // this raises a flag, too
        if (i & 8)                 // whatever a kernel may set
            set_rounding(rounding[(i + 1) & 3]);
        weft_arch_float_leave(&state);
        CHECK_EQ(fetestexcept(FE_ALL_EXCEPT), flags);
        CHECK(third() == expected[i & 3]);
    }
    set_rounding(FE_TONEAREST);
}

#if TEST_FLOAT_CONTROL
TEST(denormals_are_kept_inside_and_the_callers_mode_comes_back)
{
    volatile float least = 1.17549435e-38f, half = 0.5f, kept;
    struct weft_arch_float state;
    const unsigned before = test_float_control();
    test_set_float_control(before | TEST_FLOAT_FLUSH);
    weft_arch_float_enter(&state, false);
    kept = least * half;
    weft_arch_float_leave(&state);
    CHECK_EQ(test_float_control(), before | TEST_FLOAT_FLUSH);
    test_set_float_control(before);
    CHECK(kept > 0);
}

// C alone can't do it.
#ifdef WEFT_ARCH_OWN_FLOAT
TEST(denormals_are_zero_inside_where_they_are_to_be)
{
    volatile float least = 1.17549435e-38f, half = 0.5f, denormal = 1e-40f, many = 1e30f, result, operand;
    struct weft_arch_float state;
    const unsigned before = test_float_control();
    weft_arch_float_enter(&state, true);
    result = least * half;
    operand = denormal * many;
    weft_arch_float_leave(&state);
    CHECK_EQ(test_float_control(), before);
    CHECK_EQ(result, 0);
    CHECK_EQ(operand, 0);
    CHECK_GT(denormal * many, 0);
}
#endif
#endif

// ---- Guarded calls ----

static struct weft_arch_frame frame;
static volatile uintptr_t seen_sp, seen_pc, seen_frame, fault_frame;
static volatile int inner_left;

static void on_fault(int sig, siginfo_t *info, void *context)
{
    (void)sig, (void)info;
    seen_sp = weft_arch_context_sp(context);
    seen_pc = weft_arch_context_pc(context);
    weft_arch_leave(&frame, context);
}

__attribute__((noinline, no_sanitize("address", "thread", "undefined"))) static void raise_fault(void *arg)
{
    (void)arg;
    fault_frame = (uintptr_t)__builtin_frame_address(0);
    *(int *volatile)0x1234 = 1;
}

static void do_nothing(void *arg)
{
    *(volatile int *)arg += 1;
}

TEST(a_call_returns_or_is_left)
{
    if (HARNESS_ASAN || HARNESS_TSAN)
        SKIP("sanitizers have marks on the stack that is left, or call handlers themselves");
    struct sigaction a = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO};
    sigaction(SIGSEGV, &a, NULL);
    volatile int calls = 0, kept = 42;
    for (int i = 0; i < 100; i++) {
        memset(&frame, 0, sizeof frame);
        CHECK_EQ(weft_arch_enter(do_nothing, (void *)&calls, &frame, 0), 0);
        CHECK(frame.sp != 0);
        memset(&frame, 0, sizeof frame);
        CHECK_EQ(weft_arch_enter(raise_fault, NULL, &frame, 0), 1);
        sigset_t mask;
        pthread_sigmask(SIG_SETMASK, NULL, &mask);
        CHECK_EQ(sigismember(&mask, SIGSEGV), 0);
    }
    CHECK_EQ(calls, 100);
    CHECK_EQ(kept, 42);
    if (seen_pc) { // known on this family
        CHECK_GE(seen_pc, (uintptr_t)raise_fault);
        CHECK_LT(seen_pc, (uintptr_t)raise_fault + 200);
        CHECK_LT(fault_frame - seen_sp + 256, 512u); // within one small frame
    }
    if (WEFT_ARCH_CONTEXTS) {
        CHECK(seen_pc != 0);
        CHECK_LT(seen_sp, frame.sp);
    }
}

static void note_frame(int sig, siginfo_t *info, void *context)
{
    seen_frame = (uintptr_t)__builtin_frame_address(0);
    CHECK_EQ(sig, SIGUSR1);
    CHECK_EQ(info, (siginfo_t *)16);
    CHECK_EQ(context, (void *)32);
}

TEST(a_handler_is_called_on_the_stack_it_is_given)
{
    if (HARNESS_ASAN || HARNESS_TSAN)
        SKIP("sanitizers keep books on stacks");
    static unsigned char stack[65536] __attribute__((aligned(64)));
    const uintptr_t begin = (uintptr_t)(stack + sizeof stack);
    weft_arch_on_stack(note_frame, SIGUSR1, (siginfo_t *)16, (void *)32, begin);
    CHECK(seen_frame != 0);
    if (WEFT_ARCH_CONTEXTS)
        CHECK_LT(begin - seen_frame, 256u);
}

// ---- The other functions ----

TEST(what_the_processor_is_does_not_change)
{
    unsigned char a[WEFT_ARCH_IDENTITY_BYTES], b[WEFT_ARCH_IDENTITY_BYTES];
    const size_t n = weft_arch_identity_bytes(a);
    CHECK_LE(n, sizeof a);
    CHECK_EQ(weft_arch_identity_bytes(b), n);
    CHECK_EQ(memcmp(a, b, n), 0);
    CHECK_GE(weft_arch_vector_bytes(), 16u);
    CHECK_EQ(weft_arch_vector_bytes() & (weft_arch_vector_bytes() - 1), 0u);
}

TEST(nontemporal_copies_move_what_plain_copies_move)
{
    enum { ROOM = 64 * WEFT_ARCH_BLOCK };
    static unsigned char from[ROOM + 64], to[ROOM + WEFT_ARCH_BLOCK] __attribute__((aligned(WEFT_ARCH_LINE)));
    uint64_t seed = 7;
    for (size_t i = 0; i < sizeof from; i++)
        from[i] = (unsigned char)harness_random(&seed);
    for (size_t n = 0; n <= ROOM; n += WEFT_ARCH_BLOCK) {
        const size_t off = n / WEFT_ARCH_BLOCK % 64;
        memset(to, 0x5a, sizeof to);
        weft_arch_nontemporal_copy(to, from + off, n);
        CHECK_MEM(to, from + off, n);
        CHECK_EQ(to[n], 0x5a);
        memset(to, 0x5a, sizeof to);
        weft_arch_nontemporal_fill(to, from, n);
        for (size_t i = 0; i < n; i += WEFT_ARCH_BLOCK)
            CHECK_MEM(to + i, from, WEFT_ARCH_BLOCK);
        CHECK_EQ(to[n], 0x5a);
    }
}

TEST(a_system_call_answers_with_its_error)
{
    CHECK_EQ(weft_arch_call(SYS_getpid, 0, 0, 0, 0, 0), getpid());
    CHECK_EQ(weft_arch_call(SYS_close, -1, 0, 0, 0, 0), -EBADF);
}

#endif
