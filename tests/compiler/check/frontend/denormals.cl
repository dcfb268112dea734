// RUN: -cl-denorms-are-zero -k floats --emit=llvm
// RUN: --check-prefix=KEPT -k floats --emit=llvm
// RUN: --check-prefix=DOUBLE -cl-denorms-are-zero -k doubles --emit=llvm
// RUN: --check-prefix=PRINTS -cl-fast-relaxed-math -k prints --emit=llvm
// Constants are folded as the processor computes: with -cl-denorms-are-zero, denormal floats are zero in
// kernels that have no doubles. The last number of weft_kernel_info says so.

// CHECK-DAG: @weft_kernel_info = {{.*}}, i32 1, i32 0, i32 0, i32 0, i32 0 }
// CHECK-DAG: store float 0.000000e+00
// KEPT-DAG: @weft_kernel_info = {{.*}}, i32 0, i32 0, i32 0, i32 0, i32 0 }
// KEPT-DAG: store float 0x38
kernel void floats(global float *p)
{
    float least = FLT_MIN, half_of_it = 0.5f;
    p[0] = least * half_of_it;
}

// DOUBLE-DAG: @weft_kernel_info = {{.*}}, i32 0, i32 0, i32 0, i32 0, i32 0 }
// DOUBLE-DAG: store float 0x38
// DOUBLE-DAG: store double {{0x0008|0x8000000000000|[0-9.]+e-308}}
kernel void doubles(global float *p, global double *q)
{
    float least = FLT_MIN, half_of_it = 0.5f;
    double least_double = DBL_MIN, half_of_that = 0.5;
    p[0] = least * half_of_it;
    q[0] = least_double * half_of_that;
}

// PRINTS-DAG: @weft_kernel_info = {{.*}}, i32 1, i32 0, i32 0, i32 0, i32 0 }
kernel void prints(global float *p)
{
    printf("%f\n", p[0] * 2.0f);
}
