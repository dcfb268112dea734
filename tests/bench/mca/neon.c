// Loops that a person would write with NEON by hand, for the table of tests/bench/mca/mca.py: the inner loops
// of the bench's kernels of the same names. Only compiled, never run.
#include <arm_neon.h>

// Four work-items' 16 chains: as many accumulators as leave room for the factor and the addend.
void fma_chains(float *out, float a, float b, int n)
{
    const float32x4_t factor = vdupq_n_f32(a), addend = vdupq_n_f32(b);
    float32x4_t c[16];
    for (int k = 0; k < 16; k++)
        c[k] = vdupq_n_f32((float)k);
    for (int i = 0; i < n; i++)
#pragma clang loop unroll(full)
        for (int k = 0; k < 16; k++)
            c[k] = vfmaq_f32(addend, c[k], factor);
    float32x4_t sum = c[0];
    for (int k = 1; k < 16; k++)
        sum = vaddq_f32(sum, c[k]);
    vst1q_f32(out, sum);
}

// 16 points at once. A point that has left stays out: its numbers only grow, to infinities and NaNs at last.
void mandelbrot(int *out, const float *re, float im, int limit)
{
    enum { VECTORS = 4 };
    float32x4_t zr[VECTORS], zi[VECTORS], cr[VECTORS];
    const float32x4_t ci = vdupq_n_f32(im), four = vdupq_n_f32(4.0f);
    uint32x4_t n[VECTORS];
    for (int k = 0; k < VECTORS; k++) {
        cr[k] = vld1q_f32(re + 4 * k);
        zr[k] = zi[k] = vdupq_n_f32(0.0f);
        n[k] = vdupq_n_u32(0);
    }
    for (int i = 0; i < limit; i++) {
        uint32x4_t inside[VECTORS];
#pragma clang loop unroll(full)
        for (int k = 0; k < VECTORS; k++)
            inside[k] = vcltq_f32(vfmaq_f32(vmulq_f32(zi[k], zi[k]), zr[k], zr[k]), four);
        const uint32x4_t any = vorrq_u32(vorrq_u32(inside[0], inside[1]), vorrq_u32(inside[2], inside[3]));
        if (!vmaxvq_u32(any))
            break;
#pragma clang loop unroll(full)
        for (int k = 0; k < VECTORS; k++) {
            const float32x4_t t = vaddq_f32(vfmsq_f32(vmulq_f32(zr[k], zr[k]), zi[k], zi[k]), cr[k]);
            zi[k] = vfmaq_f32(ci, vaddq_f32(zr[k], zr[k]), zi[k]);
            zr[k] = t;
            n[k] = vsubq_u32(n[k], inside[k]);
        }
    }
    for (int k = 0; k < VECTORS; k++)
        vst1q_s32(out + 4 * k, vreinterpretq_s32_u32(n[k]));
}

void triad(float *restrict a, const float *restrict b, const float *restrict c, float s, long n)
{
#pragma clang loop unroll_count(4)
    for (long i = 0; i < n; i += 4)
        vst1q_f32(a + i, vfmaq_n_f32(vld1q_f32(b + i), vld1q_f32(c + i), s));
}

// Four rows of 16 columns, one step of k at a time: 16 accumulators.
void gemm_naive(const float *a, const float *b, float *c, long n)
{
    enum { ROWS = 4, VECTORS = 4 };
    float32x4_t sum[ROWS][VECTORS];
    for (int y = 0; y < ROWS; y++)
        for (int x = 0; x < VECTORS; x++)
            sum[y][x] = vdupq_n_f32(0.0f);
    for (long k = 0; k < n; k++) {
        float32x4_t row[VECTORS];
#pragma clang loop unroll(full)
        for (int x = 0; x < VECTORS; x++)
            row[x] = vld1q_f32(b + k * n + 4 * x);
#pragma clang loop unroll(full)
        for (int y = 0; y < ROWS; y++)
#pragma clang loop unroll(full)
            for (int x = 0; x < VECTORS; x++)
                sum[y][x] = vfmaq_n_f32(sum[y][x], row[x], a[y * n + k]);
    }
    for (int y = 0; y < ROWS; y++)
        for (int x = 0; x < VECTORS; x++)
            vst1q_f32(c + y * n + 4 * x, sum[y][x]);
}
