// RUN: --report=vectorize -k arithmetic
// RUN: --check-prefix=HASWELL WEFT_CPU=haswell WEFT_VF=8 --emit=asm -k arithmetic
// RUN: --check-prefix=FP16 WEFT_CPU=sapphirerapids WEFT_VF=32 --emit=asm -k arithmetic
// RUN: --check-prefix=DOUBLES WEFT_CPU=haswell WEFT_VF=8 --emit=asm -k of_doubles
// RUN: --check-prefix=EXP WEFT_CPU=haswell WEFT_VF=8 --emit=asm -k exponentials
// RUN: --check-prefix=OLD WEFT_CPU=x86-64 --emit=asm -k of_doubles
// Vectors of half: converted whole, computed as float; or computed as they are where the processor can.

// CHECK: region 0: vectorized
// HASWELL-NOT: hf2
// HASWELL: vcvtph2ps {{.*}}ymm
// HASWELL: vmulps {{.*}}ymm
// HASWELL: vcvtps2ph {{.*}}ymm
// HASWELL-NOT: hf2
// FP16: vmulph {{.*}}zmm
// FP16-NOT: vcvtph2ps
kernel void arithmetic(global const half *x, global half *y, half z)
{
    size_t i = get_global_id(0);
    half a = x[i] * z;
    if (a < y[i])
        y[i] = a + 1.0h;
}

// DOUBLES-NOT: hf2
// DOUBLES: vcvtpd2ps
// DOUBLES: vcvtps2ph
// DOUBLES-NOT: hf2
// OLD-NOT: __truncdfhf2
kernel void of_doubles(global const double *x, global half *y)
{
    size_t i = get_global_id(0);
    y[i] = (half)(x[i] / 3);
}

// EXP-NOT: hf2
// EXP-DAG: vcvtph2ps {{.*}}ymm
// EXP-DAG: vcvtps2ph {{.*}}ymm
// EXP-NOT: hf2
kernel void exponentials(global const half *x, global half *y)
{
    size_t i = get_global_id(0);
    y[i] = exp(x[i]);
}
