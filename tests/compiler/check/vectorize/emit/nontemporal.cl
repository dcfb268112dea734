// RUN: WEFT_CPU=skylake-avx512 --emit=vectorize -k triad
// RUN: --check-prefix=ASM WEFT_CPU=skylake-avx512 --emit=asm -k triad
// RUN: --check-prefix=INFO WEFT_CPU=skylake-avx512 --emit=wiloops -k triad
// RUN: --check-prefix=REPORT WEFT_CPU=skylake-avx512 --report=vectorize -k triad
// RUN: --check-prefix=VECTORS WEFT_CPU=skylake-avx512 --emit=asm -k vectors
// RUN: --check-prefix=VECTORS-REPORT WEFT_CPU=skylake-avx512 --report=vectorize -k vectors
// RUN: --check-prefix=DEINTERLEAVED WEFT_CPU=skylake-avx512 --emit=asm -k deinterleaved
// RUN: --check-prefix=DEINTERLEAVED-REPORT WEFT_CPU=skylake-avx512 --report=vectorize -k deinterleaved
// RUN: --check-prefix=GUARDED WEFT_CPU=skylake-avx512 -cl-std=CL3.0 --emit=vectorize -k guarded
// RUN: --check-prefix=GUARDED-REPORT WEFT_CPU=skylake-avx512 -cl-std=CL3.0 --report=vectorize -k guarded
// RUN: --check-prefix=HOLES WEFT_CPU=skylake-avx512 --emit=asm -k holes
// RUN: --check-prefix=HOLES-REPORT WEFT_CPU=skylake-avx512 --report=vectorize -k holes
// RUN: --check-prefix=PLANE WEFT_CPU=skylake-avx512 --emit=vectorize -k plane
// RUN: --check-prefix=PLACE WEFT_CPU=skylake-avx512 --emit=asm -k in_place
// RUN: --check-prefix=SETS-FLAG WEFT_CPU=skylake-avx512 --emit=asm -k sets_flag
// RUN: --check-prefix=AGAIN WEFT_CPU=skylake-avx512 --emit=asm -k again
// RUN: --check-prefix=HALVES WEFT_CPU=haswell WEFT_INTERLEAVE=1 --emit=asm -k triad
// Stores of whole cache lines may be non-temporal.

// CHECK: define internal void @weft.region.0.vector(
// CHECK: %[[TEMPORAL:[0-9]+]] = call i32 @weft.temporal_stores()
// CHECK: icmp eq i32 %[[TEMPORAL]], 0
// CHECK: and i32 %{{[0-9]+}}, 63
// CHECK: store <16 x float> {{.*}}, align 4
// CHECK: store <16 x float> {{.*}}, align 64{{.*}}!nontemporal
// ASM: vmovups %zmm{{[0-9]+}}, ({{.*}}
// ASM: vmovntps %zmm
// ASM: sfence
// INFO: @weft_kernel_info = {{.*}} i32 0, i32 12, i32 0, i32 0, i32 0, i32 0, i32 0 }
// REPORT: store of 4 bytes: consecutive; past the caches in large launches
// Eight lanes of it are half a line.
// HALVES-NOT: vmovnt
// HALVES-NOT: sfence
kernel void triad(global float *a, global const float *b, global const float *c, float s)
{
    size_t i = get_global_id(0);
    a[i] = b[i] + s * c[i];
}

// The guard costs next to nothing, but what it guards would be stored under a mask.
// VECTORS: vmovnt
// VECTORS: vmovnt
// VECTORS: vmovnt
// VECTORS: vmovnt
// VECTORS: sfence
// VECTORS-REPORT: load of 4 bytes: 4 words of each lane, which stay in the order of memory (4 times)
// VECTORS-REPORT: store of 4 bytes: 4 words of each lane, which stay in the order of memory; past the caches in large launches (4 times)
kernel void vectors(global float4 *a, global const float4 *b, float s, int n)
{
    int i = get_global_id(0);
    if (i < n)
        a[i] = b[i] * s;
}

// Members that are shuffled.
// DEINTERLEAVED: vmovnt
// DEINTERLEAVED: vmovnt
// DEINTERLEAVED-REPORT: store of 4 bytes: interleaved: 2 words of each 2, in a group of 2; past the caches in large launches
kernel void deinterleaved(global float2 *a, global const float *b, global const float *c)
{
    size_t i = get_global_id(0);
    a[i] = (float2)(b[i], c[i]);
}

// An index that may wrap. In kernels that ask for sub-groups nothing is speculated.
// GUARDED-DAG: !nontemporal
// GUARDED-DAG: call void @llvm.masked.scatter
// GUARDED-REPORT: store of 4 bytes: consecutive, unless a 32-bit index wraps; past the caches in large launches
kernel void guarded(global float *a, global const float *b, uint n)
{
    uint i = get_global_id(0);
    a[i + n] = b[i] * get_sub_group_size();
}

// What lies between the lanes' words isn't stored, so no line is stored as a whole.
// HOLES-NOT: vmovnt
// HOLES-REPORT-NOT: past the caches
// HOLES-REPORT: store of 4 bytes: interleaved: 1 word of each 2, in a group of 1{{$}}
kernel void holes(global float *a, global const float *b)
{
    size_t i = get_global_id(0);
    a[2 * i] = b[i];
}

// PLANE: call i32 @weft.temporal_stores()
// PLANE: !nontemporal
kernel void plane(global uchar4 *out, global const uchar4 *in, int width)
{
    int x = get_global_id(0), y = get_global_id(1), i = y * width + x;
    out[i] = in[i] ^ (uchar4)(255, 255, 255, 0);
}

// What is read from the same array is in the cache anyway.
// PLACE-NOT: vmovnt
// PLACE-NOT: sfence
kernel void in_place(global float *a, global const float *b, float s)
{
    size_t i = get_global_id(0);
    a[i] += s * b[i];
}

// Another work-group may wait for the flag.
// SETS-FLAG-NOT: vmovnt
kernel void sets_flag(global float *a, global const float *b, global int *flag)
{
    size_t i = get_global_id(0);
    a[i] = 2 * b[i];
    if (i == 0)
        atomic_xchg(flag, 1);
}

// It is stored in each iteration.
// AGAIN-NOT: vmovnt
kernel void again(global float *a, global const float *b, int n)
{
    size_t i = get_global_id(0);
    for (int k = 0; k < n; k++)
        a[i] = b[i + k];
}
