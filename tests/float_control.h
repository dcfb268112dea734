// The register that says how this processor computes with floating-point numbers in vector registers, for
// tests that set it and look at it. TEST_FLOAT_CONTROL: this header knows the register.
#ifndef WEFT_TESTS_FLOAT_CONTROL_H
#define WEFT_TESTS_FLOAT_CONTROL_H

#include <stdint.h>

#if defined(__x86_64__)
#include <xmmintrin.h>

#define TEST_FLOAT_CONTROL 1
#define TEST_FLOAT_FLUSH 0x8040u                          // denormals are zero, as operands and as results
#define TEST_FLOAT_DEFAULT 0x1f80u                        // to nearest, exceptions masked
#define TEST_FLOAT_STATUS 0x3fu                           // exceptions that have happened
#define TEST_FLOAT_STRANGE 0xe040u                        // to zero, flushed, exceptions not masked
#define TEST_FLOAT_ROUNDING(mode) ((unsigned)(mode) << 3) // FE_*
#define TEST_FLOAT_ROUNDING_BITS 0x6000u

static inline unsigned test_float_control(void)
{
    return _mm_getcsr();
}

static inline void test_set_float_control(unsigned control)
{
    _mm_setcsr(control);
}

#elif defined(__aarch64__)

#define TEST_FLOAT_CONTROL 1
#define TEST_FLOAT_FLUSH (1u << 24)
#define TEST_FLOAT_DEFAULT 0u
#define TEST_FLOAT_STATUS 0u          // in another register
#define TEST_FLOAT_STRANGE (7u << 22) // to zero, flushed
#define TEST_FLOAT_ROUNDING(mode) ((unsigned)(mode))
#define TEST_FLOAT_ROUNDING_BITS (3u << 22)

static inline unsigned test_float_control(void)
{
    uint64_t control;
    __asm__ volatile("mrs %0, fpcr" : "=r"(control)::"memory");
    return (unsigned)control;
}

static inline void test_set_float_control(unsigned control)
{
    __asm__ volatile("msr fpcr, %0" ::"r"((uint64_t)control) : "memory");
}

#else
#define TEST_FLOAT_CONTROL 0
#endif

#endif
