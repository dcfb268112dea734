// RUN: --report=vectorize -k once
// RUN: --check-prefix=WIDE --report=vectorize -k steps
// RUN: --check-prefix=TWICE --report=vectorize -k twice
// Loops that end after their first iteration are no loops, whether the program wants them unrolled or not.

// CHECK: accesses: 1 consecutive, 1 interleaved
// CHECK-NOT: loop
kernel void once(global int *out, global const int2 *in, int rows)
{
    int x = get_global_id(0), y0 = get_global_id(1);
#pragma unroll
    for (int y = y0, end = min(rows, y0 + 1); y < end; ++y)
        out[1000 * y + x] = in[1000 * y + x].y;
}

// WIDE: accesses: 2 consecutive
// WIDE-NOT: loop
kernel void steps(global int *out, global const int *in, int rows)
{
    int x = get_global_id(0), y0 = 4 * get_global_id(1);
    for (int y = y0; y < y0 + 4; y += 4)
        out[1000 * y + x] = in[1000 * y + x];
}

// TWICE: loop 0: uniform
kernel void twice(global int *out, global const int *in, int rows)
{
    int x = get_global_id(0), y0 = 2 * get_global_id(1);
    for (int y = y0, end = min(rows, y0 + 2); y < end; ++y)
        out[1000 * y + x] = in[1000 * y + x];
}
