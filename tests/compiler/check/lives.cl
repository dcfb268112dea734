// RUN: --check-prefix=MASKED WEFT_CPU=skylake-avx512 --emit=llvm -k masked
// RUN: --check-prefix=STEPS --emit=prepare -k steps
// Nothing lives longer than it has to.

// What some lanes hand over is blended with what others have brought. Here nobody has, and what the step before left there isn't
// carried through the loops over work-items.
// MASKED: @masked.run
// MASKED-NOT: phi <16 x float> {{.*}}undef
// MASKED: phi <16 x float> [ %{{[0-9]+}}, %{{[0-9]+}} ], [ %{{[0-9]+}}, %{{[0-9]+}} ], [ %{{[0-9]+}}, %{{[0-9]+}} ]
// MASKED-NOT: phi <16 x float> {{.*}}undef
kernel void masked(global float *out, global const float *in, int how)
{
    size_t i = get_global_id(0);
    float x = in[i];
    if (x > 1.0f) {
        switch (how) {
        case 0:
            x = in[i + 5] * x;
            break;
        case 1:
            x = in[i + 9] - x;
            break;
        case 2:
            x = in[i + 11] / x;
            break;
        default:
            x = in[i + 20] + x;
        }
        out[i] = x;
    }
}

// A sum of what comes from many branches is formed step by step, not in the last block of all that were kept until then.
// STEPS: @steps
// STEPS: fmul float
// STEPS: switch i32
// STEPS: fmul float
// STEPS: switch i32
#define STEP(k)                   \
    switch (how >> k & 3) {       \
    case 0:                       \
        x = in[i + 5 + k];        \
        break;                    \
    case 1:                       \
        x = in[i * 2 + k];        \
        break;                    \
    case 2:                       \
        x = in[i * 3 + k];        \
        break;                    \
    default:                      \
        x = in[i * 4 + k];        \
    }                             \
    v = (v + x) * 0.9f;
#define STEPS(k) STEP(k) STEP(k + 1) STEP(k + 2) STEP(k + 3) STEP(k + 4) STEP(k + 5) STEP(k + 6) STEP(k + 7) STEP(k + 8) STEP(k + 9)
kernel void steps(global float *out, global const float *in, int how)
{
    size_t i = get_global_id(0);
    float x, v = 0;
    STEPS(0) STEPS(10) STEPS(20) STEPS(30) STEPS(40) STEPS(50)
    out[i] = v;
}
