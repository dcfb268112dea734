// RUN: --emit=shapes -k filter
// RUN: --check-prefix=BOTH --emit=shapes -k nothing_to_gain
// RUN: --check-prefix=STORE --emit=shapes -k stored_before
// RUN: --check-prefix=TWO --report=vectorize -k two_arrays
// A load whose address depends on a branch goes back into the arms, where one arm's address is regular.

// Inside of the picture, bytes lie side by side; at its edge they are mirrored.
// CHECK: shapes of filter, region 0
// CHECK-NOT: phi ptr
// CHECK: strided(4)? {{.*}} and i32 {{.*}}, -4
// CHECK-NOT: phi ptr
// CHECK: load i8
// CHECK: load i8
// CHECK: phi i8
kernel void filter(global const uchar *in, global uchar *out, int width, int pitch)
{
    int x = ((int)get_global_id(0) * 4 - 1) & ~3, y = get_global_id(1);
    uchar2 r;
    if (x < 0 | x >= width) {
        int at = abs(x), next = abs(x + 1);
        at = y * pitch + (at < width ? at : 2 * width - at - 2);
        r = (uchar2)(in[at], in[y * pitch + (next < width ? next : 2 * width - next - 2)]);
    } else
        r = (uchar2)(in[y * pitch + x], in[y * pitch + x + 1]);
    out[get_global_id(0)] = r.x + r.y;
}

// Both arms' addresses are anywhere: one gather is better than two.
// BOTH: shapes of nothing_to_gain, region 0
// BOTH: load i32
// BOTH: phi
// BOTH: load i32
// BOTH-NOT: load i32, ptr
kernel void nothing_to_gain(global const int *a, global const int *at, global int *out, int n)
{
    int i = get_global_id(0), k = at[i], r;
    if (k > 5)
        r = a[k % n];
    else
        r = a[k / n];
    out[i] = r;
}

// What is stored before the load may be what it loads.
// STORE: store i32
// STORE: load i32
kernel void stored_before(global int *a, global int *out, int n)
{
    int i = get_global_id(0);
    global int *p = i < n ? a + i : a + i * i % 7;
    a[n] = 5;
    out[i] = *p;
}

// Lanes read from both arrays, each in order.
// TWO: accesses: 4 consecutive
// TWO-NOT: gathered
kernel void two_arrays(global const int *which, global const float *a, global const float *b, global float *out)
{
    int i = get_global_id(0);
    out[i] = which[i] > 3 ? a[i] : b[i];
}
