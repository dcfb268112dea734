// RUN: WEFT_CPU=skylake-avx512 --report=vectorize -k uniform
// RUN: --check-prefix=CODE WEFT_CPU=skylake-avx512 --emit=vectorize -k uniform
// RUN: --check-prefix=VARYING WEFT_CPU=skylake-avx512 --report=vectorize -k varying
// Types that no vector register has as an element. A value that is the same for all lanes is loaded once,
// whatever its type, and that costs little. At addresses that differ from lane to lane, such a value is
// loaded lane by lane.

// CHECK: costs about as much as {{[1-9]}}.{{[0-9]}} work-items
// CHECK: accesses: 1 uniform, 2 consecutive{{$}}
// CHECK: load of 16 bytes: uniform: one for all lanes{{$}}
// CODE: define internal void @weft.region.0.vector(
// CODE: load i128, ptr
// CODE-NOT: load i128, ptr
// CODE: ret void
kernel void uniform(global float *out, global const _BitInt(128) *table, global const float *in)
{
    size_t i = get_global_id(0);
    out[i] = in[i] * (float)(int)(table[1] % 1001);
}

// VARYING: accesses: {{.*}}1 lane by lane
// VARYING: load of 16 bytes: lane by lane{{$}}
kernel void varying(global float *out, global const _BitInt(128) *table, global const int *in)
{
    size_t i = get_global_id(0);
    out[i] = (float)(int)(table[in[i]] % 1001);
}
