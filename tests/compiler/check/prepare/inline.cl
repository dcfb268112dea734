// RUN: --emit=prepare -k huge
// RUN: --check-prefix=SMALL --emit=prepare -k small
// RUN: --check-prefix=REPORT WEFT_VF=8 --report=vectorize -k huge
// RUN: --check-prefix=LANES WEFT_VF=8 --emit=vectorize -k numbers
// RUN: --check-prefix=PAYS --report=vectorize -k numbers
// RUN: --check-prefix=ATOMIC --report=vectorize -k atomics
// RUN: --check-prefix=POWERS WEFT_VF=8 --emit=vectorize -k powers
// RUN: --check-prefix=FLOATS WEFT_VF=8 --emit=vectorize -k floats
// RUN: --check-prefix=TWICE WEFT_VF=8 --emit=vectorize -k twice
// Inlining everything would make these kernels huge (here a million instructions). Functions that are large
// and called from several places stay functions. What asks for an id, or uses local memory, is inlined all
// the same.

#define MIX(k) v = (v ^ a[v % 8u]) * k; a[v >> 29] = v;
#define TEN(F) F(1) F(2) F(3) F(4) F(5) F(6) F(7) F(8) F(9) F(10)
#define TEN_TIMES(F) F(1) F(2) F(3) F(4) F(5) F(6) F(7) F(8) F(9) F(10)
uint one(uint *a, uint v)
{
    TEN(MIX)
    return v;
}
uint two(uint *a, uint v)
{
#define ONE(k) v += one(a, v + k);
#define TEN_ONES(k) TEN(ONE)
    TEN_TIMES(TEN_ONES)
    return v;
}
uint with_id(uint *a, uint v)
{
    return two(a, v) + get_local_id(0) + two(a, v + 1) + get_group_id(0);
}

// CHECK: define {{.*}} @huge(
// CHECK: @weft.local_id.0
// CHECK: call {{.*}} @two.flat(
// CHECK-NOT: @with_id
// CHECK: define internal {{.*}} @two.flat(
// REPORT: region 0: vectorized, 8 lanes
// REPORT: calls of all lanes together: 20
kernel void huge(global uint *out)
{
    uint a[8] = {0, 1, 2, 3, 4, 5, 6, 7}, v = get_global_id(0);
#define WITH_ID(k) v = with_id(a, v);
    TEN(WITH_ID)
    out[get_global_id(0)] = v;
}

// SMALL: define {{.*}} @small(
// SMALL-NOT: call {{.*}} @{{one|two}}(
// SMALL-NOT: define
kernel void small(global uint *out)
{
    uint a[8] = {0, 1, 2, 3, 4, 5, 6, 7};
    out[get_global_id(0)] = one(a, 0);
}

// All lanes call together what takes numbers and gives numbers, too.
// LANES: define internal { <8 x i32>, <8 x i32> } @weft.called{{[.0-9]*}}(<8 x i32> {{%[0-9]+}}, <8 x i32> {{%[0-9]+}})
// PAYS: region 0: vectorized
// PAYS: calls of all lanes together: 200
#define STIR(k) v.x = (v.x ^ v.y >> 7) * k##1u; v.y = rotate(v.y, k##u) + v.x * v.x; v.x -= v.y ^ v.y >> k;
uint2 stirred(uint2 v)
{
#define STIR_TEN(k) TEN(STIR)
    TEN_TIMES(STIR_TEN)
    return v;
}
kernel void numbers(global uint2 *out)
{
    uint2 v = (uint2)(get_global_id(0), 5);
#define AGAIN(k) v = stirred(stirred(v + (uint2)(k)));
#define AGAIN_TEN(k) TEN(AGAIN)
    TEN_TIMES(AGAIN_TEN)
    out[get_global_id(0)] = v;
}

// A lane that waits in such a function for what other lanes do after the call would wait for ever.
// ATOMIC: not vectorized: it calls functions that are too large to be inlined and access memory atomically
uint2 counted(uint2 v, volatile global uint *n)
{
    TEN_TIMES(STIR_TEN)
    atomic_add(n, v.x);
    return v;
}
kernel void atomics(global uint2 *out, volatile global uint *n)
{
    uint2 v = (uint2)(get_global_id(0), 5);
#define COUNT(k) v = counted(counted(v + (uint2)(k), n), n);
#define COUNT_TEN(k) TEN(COUNT)
    TEN_TIMES(COUNT_TEN)
    out[get_global_id(0)] = v;
}

// Large functions of doubles that are called often are calls of one function, for lanes too.
// POWERS: define {{.*}}@weft.region.0(
// POWERS-COUNT-4: call double @_Z3powdd.flat(
// POWERS: define {{.*}}@weft.region.0.vector(
// POWERS-COUNT-4: call <8 x double> @weft.called(
kernel void powers(global double *out, global const double *in)
{
    int i = get_global_id(0);
    double s = in[i], t = in[i + 1];
    out[i] = pow(s, t) + pow(t, s) * pow(s, s) + pow(s + 1, t);
}

// Of floats, or called less often, they are inlined.
// FLOATS-NOT: call {{.*}}@_Z3pow
// FLOATS-NOT: weft.called
kernel void floats(global float *out, global const float *in)
{
    int i = get_global_id(0);
    float s = in[i], t = in[i + 1];
    out[i] = pow(s, t) + pow(t, s) * pow(s, s) + pow(s + 1, t);
}

// TWICE-NOT: call {{.*}}@_Z3pow
// TWICE-NOT: weft.called
kernel void twice(global double *out, global const double *in)
{
    int i = get_global_id(0);
    out[i] = pow(in[i], 2.5) + pow(2.5, in[i]);
}
