// RUN: --emit=prepare -k huge
// RUN: --check-prefix=SMALL --emit=prepare -k small
// RUN: --check-prefix=REPORT --report=vectorize -k huge
// A kernel that inlining alone would make huge (here a million instructions) keeps calls of what is large and called
// from several places; what asks for a place in the index space, or for local memory, is inlined nevertheless.

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

// CHECK: define internal {{.*}} @two(
// CHECK: define {{.*}} @huge(
// CHECK: @weft.local_id.0
// CHECK: call {{.*}} @two(
// CHECK-NOT: @with_id
// REPORT: not vectorized: it calls functions that are too large to be inlined
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
