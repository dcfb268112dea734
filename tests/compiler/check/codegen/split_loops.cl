// RUN: WEFT_CPU=skylake-avx512 --emit=asm -k product
// RUN: --check-prefix=HALF WEFT_CPU=haswell --emit=llvm -k product
// RUN: --check-prefix=FITS WEFT_CPU=skylake-avx512 --emit=llvm -k fits
// RUN: --check-prefix=STORES WEFT_CPU=skylake-avx512 --emit=llvm -k stores
// A loop body that doesn't fit into 32 registers is split into parts. Nothing is spilled in the loop; what is
// uniform stays in memory.

// CHECK: #APP
// CHECK-NOT: (%rsp)
// CHECK-NOT: vbroadcastss
// CHECK: vmulps {{.*}}{1to16}, %zmm
// CHECK: #APP
// CHECK-NOT: (%rsp)
// CHECK-NOT: vbroadcastss
// CHECK: vfmadd231ps {{.*}}{1to16}, %zmm
// CHECK: #APP
// CHECK: #APP
// CHECK-NOT: (%rsp)
// CHECK-NOT: vbroadcastss
// CHECK: vaddps {{.*}}, %zmm
// CHECK: j
// HALF-NOT: call void asm
kernel void product(global float4 *c, global const float4 *a, global const float4 *b, int n)
{
    int x = get_global_id(0);
    float4 sum0 = 0.0f, sum1 = 0.0f, sum2 = 0.0f, sum3 = 0.0f;
    for (int k = 0; k < n; k++) {
        float4 a0 = a[k], a1 = a[n + k], a2 = a[2 * n + k], a3 = a[3 * n + k];
        float4 b0 = b[k + x], b1 = b[k + n + x], b2 = b[k + 2 * n + x], b3 = b[k + 3 * n + x];
        sum0 += a0.x * b0 + a0.y * b1 + a0.z * b2 + a0.w * b3;
        sum1 += a1.x * b0 + a1.y * b1 + a1.z * b2 + a1.w * b3;
        sum2 += a2.x * b0 + a2.y * b1 + a2.z * b2 + a2.w * b3;
        sum3 += a3.x * b0 + a3.y * b1 + a3.z * b2 + a3.w * b3;
    }
    c[x] = sum0;
    c[n + x] = sum1;
    c[2 * n + x] = sum2;
    c[3 * n + x] = sum3;
}

// FITS-NOT: call void asm
kernel void fits(global float4 *c, global const float4 *a, global const float4 *b, int n)
{
    int x = get_global_id(0);
    float4 sum0 = 0.0f;
    for (int k = 0; k < n; k++)
        sum0 += a[k].x * b[k + x] + a[k].y * b[k + n + x];
    c[x] = sum0;
}

// STORES-NOT: call void asm
kernel void stores(global float4 *c, global const float4 *a, global const float4 *b, int n)
{
    int x = get_global_id(0);
    float4 sum0 = 0.0f, sum1 = 0.0f, sum2 = 0.0f, sum3 = 0.0f;
    for (int k = 0; k < n; k++) {
        float4 a0 = a[k], a1 = a[n + k], a2 = a[2 * n + k], a3 = a[3 * n + k];
        float4 b0 = b[k + x], b1 = b[k + n + x], b2 = b[k + 2 * n + x], b3 = b[k + 3 * n + x];
        sum0 += a0.x * b0 + a0.y * b1 + a0.z * b2 + a0.w * b3;
        sum1 += a1.x * b0 + a1.y * b1 + a1.z * b2 + a1.w * b3;
        sum2 += a2.x * b0 + a2.y * b1 + a2.z * b2 + a2.w * b3;
        sum3 += a3.x * b0 + a3.y * b1 + a3.z * b2 + a3.w * b3;
        c[k * n + x] = sum3;
    }
    c[x] = sum0;
    c[n + x] = sum1;
    c[2 * n + x] = sum2;
}
