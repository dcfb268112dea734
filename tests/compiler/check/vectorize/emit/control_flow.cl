// RUN: --check-prefix=MASKED WEFT_CPU=skylake-avx512 --emit=llvm -k masked
// Where divergent branches meet, values of their lanes are blended.

// What some lanes hand over is blended with what others have brought. Here nobody has, and what the step
// before left there isn't carried through the loops over work-items.
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
