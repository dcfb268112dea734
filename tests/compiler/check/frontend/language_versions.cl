// RUN: --check-prefix=V12 --emit=bc
// RUN: --check-prefix=V11 -cl-std=CL1.1 --emit=bc
// RUN: --check-prefix=V30 -cl-std=CL3.0 --emit=bc
// RUN: --check-prefix=V20 -cl-std=CL2.0 --emit=bc
// What a program sees of the version and of the device's features (include/weft/features.def).

// V12: c_version{{.*}} 120
// 300 without a translator of SPIR-V
// V12: version{{.*}} 3{{[01]}}0
// V12: fp64{{.*}} 1
// V11: c_version{{.*}} 110
// V30: c_version{{.*}} 300
// V20: c_version{{.*}} 200
constant int c_version = __OPENCL_C_VERSION__;
constant int version = __OPENCL_VERSION__;
#ifdef cl_khr_fp64
constant int fp64 = 1;
#endif
#ifndef __IMAGE_SUPPORT__
#error images are missing
#endif
#ifndef cl_khr_fp16
#error half is missing
#endif
// Without a pragma too. The constants are those of half.
constant half pi = M_PI_H;
#if !defined(cl_khr_extended_bit_ops) || !defined(cl_khr_integer_dot_product) || !defined(__opencl_c_integer_dot_product_input_4x8bit)
#error extensions are missing
#endif
#if __OPENCL_C_VERSION__ >= 200
#if !defined(__opencl_c_fp64) || !defined(__opencl_c_images) || !defined(__opencl_c_read_write_images) || !defined(__opencl_c_int64) || !defined(__opencl_c_atomic_scope_device) || !defined(__opencl_c_work_group_collective_functions) || !defined(__opencl_c_subgroups) || !defined(cl_khr_subgroup_ballot) || !defined(__opencl_c_pipes) || !defined(__opencl_c_device_enqueue) || !defined(__opencl_c_generic_address_space) || !defined(__opencl_c_program_scope_global_variables)
#error features are missing
#endif
#else
#ifdef __opencl_c_fp64
#error a feature macro of later versions
#endif
#endif
kernel void k(global int *p)
{
    p[0] = c_version + version + fp64;
}
