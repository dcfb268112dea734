// RUN: WEFT_CPU=znver4 --report=vectorize -k along
// RUN: --check-prefix=CODE WEFT_CPU=znver4 --emit=vectorize -k along
// RUN: --check-prefix=FOUR WEFT_CPU=nehalem --report=vectorize -k along
// RUN: --check-prefix=AGAIN WEFT_CPU=znver4 --report=vectorize -k again
// RUN: --check-prefix=BYTES WEFT_CPU=znver4 --report=vectorize -k bytes
// RUN: --check-prefix=STORED WEFT_CPU=znver4 --report=vectorize -k stored
// RUN: --check-prefix=OTHER WEFT_CPU=znver4 --report=vectorize -k other
// RUN: --check-prefix=MOST WEFT_CPU=znver4 --report=vectorize -k most
// RUN: --check-prefix=APART WEFT_CPU=znver4 --report=vectorize -k apart
// Each lane goes along a row of its own.

// CHECK: vectorized, 16 lanes
// CHECK: no iterations of 32 lanes: each lane goes along a row of its own
// CHECK: load of 4 bytes: {{.*}}: each lane's 16 words at once, then shuffled
// CHECK: loop 1: uniform
// CHECK: load of 4 bytes: {{.*}}: each lane's 4 words at once, then shuffled
// CHECK: loop 2: uniform
// CHECK: load of 4 bytes: gathered
// CODE: define internal void @weft.region.0.vector(
// CODE-COUNT-16: load <16 x i32>, ptr
// CODE-COUNT-16: @llvm.fma.v16f32
// FOUR-NOT: words at once
kernel void along(global float *y, global const float *a, global const float *x, int n)
{
    int i = get_global_id(0);
    float s = 0;
    for (int k = 0; k < n; k++)
        s = fma(a[i * n + k], x[k], s);
    y[i] = s;
}

// A row that is read again and again: nothing is left of the loop over it, and LLVM reads it before the one
// around it.
// AGAIN: vectorized, 16 lanes
// AGAIN: {{.*}}: each lane's 16 words at once, then shuffled (32 times)
kernel void again(global float *y, global const float *q, global const float *k, int n)
{
    int i = get_global_id(0);
    float best = -1.0f;
    for (int j = 0; j < n; j++) {
        float s = 0;
        for (int c = 0; c < 32; c++)
            s = fma(q[i * 32 + c], k[j * 32 + c], s);
        best = fmax(best, s);
    }
    y[i] = best;
}

// BYTES: vectorized, 16 lanes
// BYTES: load of 1 byte: {{.*}}: each lane's 4 words at once, then shuffled
kernel void bytes(global float *y, global const uchar *a, global const float *x, int n)
{
    int i = get_global_id(0);
    float s = 0;
    for (int k = 0; k < n; k++)
        s = fma((float)a[i * n + k], x[k], s);
    y[i] = s;
}

// The next iteration may load what this one stores. Where the iterations are independent, LLVM vectorizes
// them.
// STORED: not vectorized
// STORED-NOT: words at once
kernel void stored(global float *y, global const float *a, int n)
{
    int i = get_global_id(0);
    for (int k = 0; k < n; k++)
        y[i * n + k] = 2 * a[i * n + k];
}

// Most of what is gathered goes along no row.
// OTHER-NOT: words at once
kernel void other(global float *y, global const float *a, global const int *to, global const float *x, int n)
{
    int i = get_global_id(0);
    float s = 0;
    for (int k = 0; k < n; k++)
        s += x[to[i * n + k]] * a[to[i * n + k]];
    y[i] = s;
}

// LLVM makes lanes of one work-item's row: of work-items they would gather.
// MOST: region 0: not vectorized
kernel void most(global int *y, global const short *a, int n)
{
    int i = get_global_id(0), s = 0;
    for (int k = 0; k < n; k++)
        s = max(s, (int)a[i * n + k]);
    y[i] = s;
}

// APART: region 0: not vectorized
kernel void apart(global int *y, global const int *a, int n)
{
    int i = get_global_id(0), s = 0;
    for (int k = 0; k < n; k++)
        s += abs_diff(a[i * n + k], a[k]);
    y[i] = s;
}
