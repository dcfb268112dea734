// RUN: WEFT_VF=16 --emit=vectorize -k rows
// RUN: --check-prefix=SCALAR --emit=vectorize -k sparse
// RUN: --check-prefix=SAME --emit=vectorize -k same
// RUN: --check-prefix=ASKED --emit=vectorize -k asked
// Regions that aren't vectorized: a loop whose trip count differs from work-item to work-item isn't unrolled,
// so that it needs no remainder loop.

#define ROW(hint)                                                                          \
    int row = get_global_id(0);                                                            \
    float sum = 0.0f;                                                                      \
    hint for (int k = first[row]; k < first[row + 1]; k++) sum += value[k] * x[column[k]]; \
    y[row] = sum;

// SCALAR-NOT: @weft.region.0.vector
// SCALAR: br label %for.cond, !llvm.loop ![[#LOOP:]]
// SCALAR: ![[#LOOP]] = distinct !{![[#LOOP]], {{.*}}![[#STAYS:]]}
// SCALAR: ![[#STAYS]] = !{!"llvm.loop.unroll.runtime.disable"}
kernel void sparse(global float *y, global const int *first, global const int *column,
                   global const float *value, global const float *x){ROW()}

// What the program asks for, it gets.
// ASKED: !"llvm.loop.unroll.count", i32 4
// ASKED-NOT: llvm.loop.unroll.runtime.disable
kernel
    void asked(global float *y, global const int *first, global const int *column, global const float *value,
               global const float *x){ROW(__attribute__((opencl_unroll_hint(4))))}

// All work-items have the same trip count.
// SAME-NOT: llvm.loop.unroll.runtime.disable
kernel
    void same(global float *y, global const int *column, global const int *next, global const float *x, int n)
{
    int row = get_global_id(0);
    float sum = 0.0f;
    for (int k = 0; k < n; k++)
        sum += x[next[column[row * n + k]]];
    y[row] = sum;
}

// Where there are lanes, nothing is predicted from one work-item to the next.
// CHECK: @weft.region.0.vector
// CHECK-NOT: llvm.loop.unroll.runtime.disable
kernel void rows(global float *y, global const int *first, global const int *column,
                 global const float *value, global const float *x)
{
    ROW()
}
