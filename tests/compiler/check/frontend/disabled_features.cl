// RUN: --check-prefix=OFF -cl-std=CL3.0 -cl-ext=-__opencl_c_pipes,-cl_khr_integer_dot_product --emit=bc
// RUN: --check-prefix=ON -cl-std=CL3.0 -cl-ext=-all,+cl_khr_integer_dot_product --emit=bc
// RUN: --check-prefix=AGAIN -cl-std=CL3.0 -cl-ext=-all,+all --emit=bc
// What -cl-ext switches off has no macro, whether Clang or Weft defines it.

// OFF: pipes{{.*}} 0
// OFF: products{{.*}} 0
// OFF: images{{.*}} 1
// ON: pipes{{.*}} 0
// ON: products{{.*}} 1
// ON: images{{.*}} 0
// AGAIN: pipes{{.*}} 1
// AGAIN: products{{.*}} 1
// AGAIN: images{{.*}} 1
#ifdef __opencl_c_pipes
constant int pipes = 1;
#else
constant int pipes = 0;
#endif
#ifdef cl_khr_integer_dot_product
constant int products = 1;
#else
constant int products = 0;
#endif
#ifdef __opencl_c_images
constant int images = 1;
#else
constant int images = 0;
#endif
kernel void k(global int *p)
{
    p[0] = pipes;
    p[1] = products;
    p[2] = images;
}
