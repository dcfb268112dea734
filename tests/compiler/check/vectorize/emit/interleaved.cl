// RUN: WEFT_CPU=skylake-avx512 --emit=vectorize -k four
// RUN: --check-prefix=HALVES WEFT_CPU=haswell WEFT_VF=8 --emit=vectorize -k four
// RUN: --check-prefix=EIGHT WEFT_CPU=haswell --emit=asm -k eight
// RUN: WEFT_CPU=nehalem WEFT_VF=4 --emit=vectorize -k four
// RUN: --check-prefix=BYTES WEFT_CPU=haswell,skylake-avx512 --emit=vectorize -k bytes
// RUN: --check-prefix=BYTES WEFT_CPU=nehalem WEFT_VF=4 --emit=vectorize -k bytes
// RUN: --check-prefix=SOME WEFT_CPU=haswell,skylake-avx512 --emit=vectorize -k some
// RUN: --check-prefix=SOME WEFT_CPU=nehalem WEFT_VF=4 --emit=vectorize -k some
// RUN: --check-prefix=HOLES WEFT_CPU=haswell,skylake-avx512 --emit=vectorize -k holes
// RUN: --check-prefix=HOLES WEFT_CPU=nehalem WEFT_VF=4 --emit=vectorize -k holes
// RUN: --check-prefix=CROSSED --emit=vectorize -k crossed
// RUN: --check-prefix=FIELDS WEFT_CPU=haswell,skylake-avx512 --emit=vectorize -k fields
// RUN: --check-prefix=FIELDS WEFT_CPU=nehalem WEFT_VF=4 --emit=vectorize -k fields
// RUN: --check-prefix=FAR --emit=vectorize -k far
// RUN: --check-prefix=ORDER --emit=vectorize -k order
// RUN: --check-prefix=WEIGHED WEFT_CPU=skylake-avx512 --emit=vectorize -k weighed
// RUN: --check-prefix=WEIGHED WEFT_CPU=haswell WEFT_VF=8 --emit=vectorize -k weighed
// RUN: --check-prefix=WEIGHED WEFT_CPU=nehalem WEFT_VF=4 --emit=vectorize -k weighed
// RUN: --check-prefix=BESIDE --emit=vectorize -k beside
// RUN: --check-prefix=ALONE WEFT_CPU=skylake-avx512 --emit=vectorize -k alone
// RUN: --check-prefix=SELECTED WEFT_CPU=skylake-avx512 --emit=asm -k alone
// RUN: --check-prefix=LONGS WEFT_CPU=znver4 --report=vectorize -k longs
// RUN: --check-prefix=MIXED WEFT_CPU=znver4 --report=vectorize -k mixed_longs
// Arrays of structures: each work-item accesses neighbouring memory. Whole vectors are loaded or stored, and
// shuffled. With vectors of 4 and 8 some of these don't pay, so the test asks for vectors.

// AVX2 joins halves of registers and interleaves words within them.
// HALVES: define internal void @weft.region.0.vector(
// HALVES-COUNT-4: load <8 x i32>, ptr {{.*}}, align 16
// HALVES: <i32 0, i32 1, i32 2, i32 3, i32 8, i32 9, i32 10, i32 11>
// HALVES: <i32 0, i32 8, i32 1, i32 9, i32 4, i32 12, i32 5, i32 13>
// HALVES-NOT: <i32 0, i32 2,
// HALVES-COUNT-4: store <8 x i32> {{.*}}, align 16
// HALVES: ret void

// CHECK: define internal void @weft.region.0.vector(
// CHECK-COUNT-4: load <[[N:[0-9]+]] x i32>, ptr {{.*}}, align 16
// CHECK: shufflevector <[[N]] x i32> {{.*}} <i32 0, i32 2,
// CHECK-NOT: gather
// CHECK-COUNT-4: store <[[N]] x i32> {{.*}}, align 16
// CHECK: ret void
kernel void four(global float4 *out, global const float4 *in)
{
    int i = get_global_id(0);
    out[i] = in[i].wzyx * 2.0f;
}

// Bytes of one word are separated by shifts.
// BYTES: define internal void @weft.region.0.vector(
// BYTES: load <[[N:[0-9]+]] x i32>, ptr
// BYTES: trunc <[[N]] x i32> {{.*}} to <[[N]] x i8>
// BYTES: lshr <[[N]] x i32>
// BYTES-NOT: load
// BYTES: or <[[N]] x i32>
// BYTES: store <[[N]] x i32>
// BYTES: ret void
kernel void bytes(global uchar4 *out, global const uchar4 *in)
{
    int i = get_global_id(0);
    out[i] = in[i].wzyx + (uchar4)(1, 2, 3, 4);
}

// Each element has its lane's mask.
// SOME: define internal void @weft.region.0.vector(
// SOME: shufflevector <[[N:[0-9]+]] x i1> {{.*}} <i32 0, i32 0, i32 1, i32 1
// SOME: call <[[N]] x i32> @llvm.masked.load
// SOME: call void @llvm.masked.store.v[[N]]i32
// SOME: ret void
kernel void some(global float2 *out, global const float2 *in, int n)
{
    int i = get_global_id(0);
    if (i < n)
        out[i] = in[i].yx;
}

// Nothing after the last lane's element is read.
// HOLES: define internal void @weft.region.0.vector(
// HOLES: load <[[N:[0-9]+]] x i32>
// HOLES: call <[[N]] x i32> @llvm.masked.load{{.*}} i1 true, i1 false>
// HOLES: ret void
kernel void holes(global uint *out, global const uint *in)
{
    int i = get_global_id(0);
    out[i] = in[2 * i];
}

// A store between two loads that it may change: they don't happen together.
// CROSSED: define internal void @weft.region.0.vector(
// CROSSED: load <
// CROSSED: store <
// CROSSED: load <
// CROSSED: ret void
kernel void crossed(global uint *out, global const uint *in)
{
    int i = get_global_id(0);
    uint a = in[2 * i];
    out[i] = a * 5 + (a ^ 77) * (a + 3);
    out[i] += in[2 * i + 1];
}

// Places that nobody knows: each lane's part is one load.
// FAR: define internal void @weft.region.0.vector(
// FAR: load <4 x i32>, ptr {{.*}}, align 16
// FAR-NOT: gather
// FAR: ret void
kernel void far(global float *out, global const float4 *in, global const int *at)
{
    int i = get_global_id(0);
    float4 v = in[at[i]];
    float r = v.x * v.y + v.z * v.w;
    for (int k = 0; k < 9; k++)
        r = sqrt(r) / (v.x + r);
    out[i] = r;
}

// Fields that nobody stores to stay as they are.
// FIELDS: define internal void @weft.region.0.vector(
// FIELDS: call void @llvm.masked.store{{.*}} <i1 true, i1 true, i1 false, i1 false{{[,>]}}
// FIELDS: ret void
struct particle {
    float x, y, mass, spin;
};
kernel void fields(global struct particle *p, float step)
{
    int i = get_global_id(0);
    struct particle q = p[i];
    p[i].x = q.x + q.mass * step;
    p[i].y = q.y + q.spin * step;
}

// What treats all words alike, in all lanes, leaves them in the order of memory; bytes too.
// ORDER: define internal void @weft.region.0.vector(
// ORDER-NOT: shufflevector {{.*}} <i32 0, i32 2,
// ORDER-COUNT-4: store <[[N:[0-9]+]] x i8>
// ORDER-NOT: shufflevector {{.*}} <i32 0, i32 2,
// ORDER-COUNT-4: load <[[N]] x i8>, ptr
// ORDER: {{^}}}
kernel void order(global uchar4 *out, global const uchar4 *in, float scale, int n)
{
    int i = get_global_id(0);
    float4 sum = 0.0f;
    for (int k = 0; k < n; k++)
        sum += convert_float4(in[k * 512 + i]) * scale;
    out[i] = convert_uchar4_sat_rte(sum);
}

// A lane's own weight is for its words alone.
// WEIGHED: define internal void @weft.region.0.vector(
// WEIGHED: shufflevector {{.*}} <i32 0, i32 {{2|8}},
// WEIGHED: ret void
kernel void weighed(global float4 *out, global const float4 *in, global const float *weight)
{
    int i = get_global_id(0);
    out[i] = in[i] * weight[i];
}

// Neighbours' parts would overlap: each is a group of its own.
// BESIDE: define internal void @weft.region.0.vector(
// BESIDE-COUNT-8: load <[[N:[0-9]+]] x i32>, ptr
// BESIDE-NOT: shufflevector {{.*}} <i32 0, i32 {{2|8}},
// BESIDE: ret void
kernel void beside(global float4 *out, global const float4 *in)
{
    int i = get_global_id(0);
    out[i] = in[i] + in[i + 1];
}

// Vectors of 128 bytes: whole, or work-item by work-item, but not shuffled.
// LONGS: vectorized, 16 lanes
// LONGS: 16 words of each lane, which stay in the order of memory (16 times)
kernel void longs(global ulong16 *out, global const ulong16 *in)
{
    ulong16 a = in[get_global_id(0)];
    out[get_global_id(0)] = a * a + 3;
}

// MIXED-NOT: in a group of 16
kernel void mixed_longs(global ulong16 *out, global const ulong16 *in)
{
    ulong16 a = in[get_global_id(0)];
    out[get_global_id(0)] = a.s1032547698badcfe * a + 3;
}

// Each step is an instruction for each vector: 24 for eight words.
// EIGHT: eight.run:
// EIGHT-NOT: {{vshufps|vpermp}}
// EIGHT-COUNT-8: vunpck
// EIGHT-NOT: {{vshufps|vpermp}}
// EIGHT: retq
kernel void eight(global float *out, global const float8 *in)
{
    int i = get_global_id(0);
    float8 v = in[i];
    out[i] = v.s0 * v.s1 + v.s2 / v.s3 - v.s4 * (v.s5 - v.s6 / v.s7);
}

// One member alone: each piece is one shuffle of it. LLVM 22 dies of shuffles of shuffles here.
// ALONE: define internal void @weft.region.0.vector(
// ALONE: fmul <16 x float>
// ALONE-NOT: shufflevector{{.*}}i32 16
// ALONE: shufflevector {{.*}} poison, <16 x i32> <i32 0, i32 poison, i32 poison, i32 poison, i32 1, i32 poison,
// ALONE: shufflevector {{.*}} poison, <16 x i32> <i32 4, i32 poison, i32 poison, i32 poison, i32 5, i32 poison,
// ALONE: shufflevector {{.*}} poison, <16 x i32> <i32 8, i32 poison, i32 poison, i32 poison, i32 9, i32 poison,
// ALONE: shufflevector {{.*}} poison, <16 x i32> <i32 12, i32 poison, i32 poison, i32 poison, i32 13, i32 poison,
// ALONE-NOT: shufflevector
// ALONE: ret void

// SELECTED: vperm{{ps|d}} %zmm
// SELECTED: vmovdqu32 %zmm{{.*}} {%k{{[0-7]}}}
kernel void alone(global float *out, global const float *in)
{
    size_t i = get_global_id(0);
    out[4 * i + 3] = in[i] * 3.0f;
}
