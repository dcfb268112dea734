// Faults for the tests of guarded calls.
#ifndef WEFT_TESTS_BASE_FAULTS_H
#define WEFT_TESTS_BASE_FAULTS_H

#include "base/base.h"
#include "harness.h"
#include "weft/fault.h"
static int *volatile wild = (int *)0x1234;

HARNESS_UNUSED __attribute__((no_sanitize("address", "thread", "undefined"))) static void
write_wild(void *arg)
{
    (void)arg;
    *wild = 1;
}

HARNESS_UNUSED static void write_non_canonical(void *arg)
{
    (void)arg;
    *(int *volatile)0x8000000000000000ull = 1;
}

HARNESS_UNUSED static void trap(void *arg)
{
    (void)arg;
#if defined(__aarch64__)
    __asm__ volatile("udf #0");
#else
    __asm__ volatile("ud2");
#endif
}

#if defined(__x86_64__) // elsewhere a division by zero may be no fault
HARNESS_UNUSED static void divide(void *arg)
{
    (void)arg;
    int q, r;
    __asm__ volatile("idivl %2" : "=a"(q), "=d"(r) : "r"(0), "0"(1), "1"(0));
}
#endif

HARNESS_UNUSED HARNESS_UNUSED static void nothing(void *arg)
{
    (void)arg;
}

HARNESS_UNUSED static void guarded(void (*fn)(void *), int signal)
{
    struct weft_fault f = {0};
    weft_fault_install();
    CHECK(!weft_fault_call(fn, NULL, &f));
    CHECK_EQ(f.signal, signal);
    CHECK(weft_fault_call(nothing, NULL, &f));
}

HARNESS_UNUSED static int overflow_stack(int depth)
{
    volatile char big[4000];
    big[0] = (char)depth;
    if (depth < 0)
        return 0;
    return overflow_stack(depth + 1) + big[0];
}

#endif
