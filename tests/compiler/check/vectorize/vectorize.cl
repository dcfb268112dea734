// RUN: --emit=vectorize -k straight
// RUN: --check-prefix=BRANCH --emit=vectorize -k branch
// RUN: --check-prefixes=LOOP,FUSED WEFT_CPU=haswell,skylake-avx512 --emit=vectorize -k loop
// RUN: --check-prefixes=LOOP,UNFUSED WEFT_CPU=nehalem --emit=vectorize -k loop
// RUN: --check-prefix=SERIAL --emit=vectorize -k serial
// RUN: --check-prefix=ONCE --emit=vectorize -k once
// RUN: --check-prefix=BIT WEFT_VF=8 --emit=vectorize -k bit
// RUN: --check-prefix=DIVIDE WEFT_VF=16 --emit=vectorize -k divide
// RUN: --check-prefix=SCOPE --emit=vectorize -k scope
// RUN: --check-prefix=ADDRESSES WEFT_VF=16 --emit=vectorize -k addresses
// The vector function of a region, before LLVM optimises it. Vector lengths are the target's.

// CHECK: define internal void @weft.region.0.vector(
// CHECK: load <[[N:[0-9]+]] x float>, ptr {{.*}}, align 4
// CHECK: fadd <[[N]] x float>
// CHECK: store <[[N]] x float>
// CHECK-NOT: masked
// CHECK: ret void
kernel void straight(global float *a, global const float *b)
{
    size_t i = get_global_id(0);
    a[i] = b[i] + b[0];
}

// Code that only some lanes run is masked, and skipped if no lane runs it.
// BRANCH: icmp ne i{{[0-9]+}} {{.*}}, 0
// BRANCH: br i1
// BRANCH: @llvm.masked.load
// BRANCH: @llvm.masked.store
// BRANCH: ret void
kernel void branch(global float *a, global const float *b, int n)
{
    int i = get_global_id(0);
    if (i < n)
        a[i] = b[i];
}

// A uniform loop stays a scalar loop.
// LOOP: define internal void @weft.region.0.vector(
// LOOP: load float, ptr
// FUSED: call <{{[0-9]+}} x float> @llvm.fma.
// UNFUSED: fmul <[[N:[0-9]+]] x float>
// UNFUSED-NEXT: fadd <[[N]] x float>
// LOOP: icmp eq i{{32|64}}
kernel void loop(global float *a, constant float *weights, int n)
{
    int i = get_global_id(0);
    float sum = 0.0f;
    for (int k = 0; k < n; k++)
        sum += weights[k] * a[i + k];
    a[i] = sum;
}

// Atomics go lane by lane, from the first on.
// SERIAL: define internal void @weft.region.0.vector(
// SERIAL: call i64 @llvm.cttz.i64(
// SERIAL: atomicrmw {{.*}}add ptr
// SERIAL: ret void
kernel void serial(global int *count, global const float *a, global float *b)
{
    int i = get_global_id(0);
    b[i] = sqrt(a[i]) * 3.0f + a[i] * a[i] - exp(a[i]);
    atomic_add(count + (i & 1), i);
}

// But for those on one address that give nothing back.
// ONCE: define internal void @weft.region.0.vector(
// ONCE: select <[[N:[0-9]+]] x i1> {{.*}} zeroinitializer
// ONCE: [[SUM:%[0-9]+]] = call i32 @llvm.vector.reduce.add.v[[N]]i32
// ONCE-NEXT: atomicrmw {{.*}}add ptr %{{[0-9]+}}, i32 [[SUM]]
// ONCE: ret void
kernel void once(global int *count, global const int *a)
{
    int v = a[get_global_id(0)];
    if (v > 3)
        atomic_add(count, v);
}

// A condition that is spilled across a barrier is one byte.
// BIT: load <[[N:[0-9]+]] x i8>
// BIT: ret
kernel void bit(global int *a, local int *t)
{
    int l = get_local_id(0), g = get_global_id(0);
    bool odd = a[g] & 1;
    t[l] = a[g] * 3;
    barrier(CLK_LOCAL_MEM_FENCE);
    int r = t[get_local_size(0) - 1 - l];
    a[g] = odd ? r : -r;
}

// A lane that isn't there divides by one. 64 bits are more than a double has.
// DIVIDE: define internal void @weft.region.0.vector(
// DIVIDE: select <[[N:[0-9]+]] x i1> {{.*}}, <[[N]] x i64> {{.*}}, <[[N]] x i64> {{<|splat \(}}i64 1
// DIVIDE: udiv <[[N]] x i64>
// DIVIDE: ret void
kernel void divide(global ulong *a, global const ulong *b)
{
    int i = get_global_id(0);
    if (b[i] != 0)
        a[i] = a[i] / b[i] + 3u * b[i];
}

// The vector function must declare again where the scope of a restrict pointer begins: each iteration of an
// unrolled loop has its own.
void step(global int *restrict to, global const int *restrict from, int i, int j)
{
    to[i] = from[j] * 3 + 1;
}
// SCOPE: define internal void @weft.region.0.vector(
// SCOPE: call void @llvm.experimental.noalias.scope.decl(
// SCOPE: store <{{[0-9]+}} x i32> {{.*}} !noalias
kernel void scope(global int *a, global int *b, int n, int zero)
{
    int i = get_global_id(0);
    for (int t = 0; t < n; t++)
        step(t & 1 ? a : b, t & 1 ? b : a, i, i + zero);
}

// Addresses that lanes take one after the other are in memory once, not once for each lane.
// ADDRESSES: store <{{[0-9]+}} x ptr> %[[ALL:.*]], ptr %[[SLOT:.*]],
// ADDRESSES: llvm.cttz
// ADDRESSES: getelementptr ptr, ptr %[[SLOT]]
// ADDRESSES: atomicrmw volatile add
kernel void addresses(global uint *bins, global const uint *in)
{
    int i = get_global_id(0);
    atomic_inc(&bins[in[i] & 255]);
}
