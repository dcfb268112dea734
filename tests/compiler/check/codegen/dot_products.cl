// RUN: WEFT_CPU=cascadelake --emit=asm -k mixed
// RUN: --check-prefix=AVXVNNI WEFT_CPU=alderlake --emit=asm -k mixed
// RUN: --check-prefix=SIGNED WEFT_CPU=sapphirerapids --emit=asm -k both_signed
// RUN: --check-prefix=PAIRS WEFT_CPU=haswell --emit=asm -k mixed
// RUN: --check-prefix=SMALL WEFT_CPU=nehalem --emit=asm -k mixed
// Dot products of bytes are single instructions with VNNI, which add them to the sum, too; else products of
// pairs of 16-bit numbers.

// CHECK-NOT: vpmull
// CHECK: vpdpbusd %zmm{{[0-9]+}}, %zmm{{[0-9]+}}, %zmm
// CHECK-NOT: vpmull
// CHECK: retq
// AVXVNNI: {vex} vpdpbusd %ymm{{[0-9]+}}, %ymm{{[0-9]+}}, %ymm
// AVXVNNI: retq
// PAIRS-NOT: vpmull
// PAIRS: vpmaddwd %ymm
// PAIRS-NOT: vpmull
// PAIRS: retq
// SMALL: pmaddwd %xmm
// SMALL: retq
kernel void mixed(global const uint *a, global const uint *b, global int *out, int n)
{
    size_t i = get_global_id(0);
    int sum = 0;
    for (int k = 0; k < n; k++)
        sum += dot_4x8packed_us_int(a[k * get_global_size(0) + i], b[k]);
    out[i] = sum;
}

// The bytes of one are shifted by 128. What that adds is subtracted.
// SIGNED-DAG: vpxor{{[dq]}} {{.*}}%zmm
// SIGNED-DAG: vpdpbusd {{.*}}%zmm
// SIGNED-DAG: vpsubd {{.*}}%zmm
// SIGNED: retq
kernel void both_signed(global const char4 *a, global const char4 *b, global int *out)
{
    size_t i = get_global_id(0);
    out[i] += dot(a[i], b[i]);
}
