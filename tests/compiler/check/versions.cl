// RUN: --check-prefix=V12 --emit=bc
// RUN: --check-prefix=V11 -cl-std=CL1.1 --emit=bc
// RUN: --check-prefix=V30 -cl-std=CL3.0 --emit=bc
// RUN: --check-prefix=V20 ! -cl-std=CL2.0 --emit=bc
// What a program sees of the version and of the device's features (include/weft/features.def).

// V12: c_version{{.*}} 120
// V12: version{{.*}} 300
// V12: fp64{{.*}} 1
// V11: c_version{{.*}} 110
// V30: c_version{{.*}} 300
// V20: error: OpenCL C 2.0 is not among the versions
constant int c_version = __OPENCL_C_VERSION__;
constant int version = __OPENCL_VERSION__;
#ifdef cl_khr_fp64
constant int fp64 = 1;
#endif
#ifdef __IMAGE_SUPPORT__
#error images are not supported yet
#endif
#ifdef cl_khr_fp16
#error half arithmetic is not supported yet
#endif
#if __OPENCL_C_VERSION__ == 300
#if !defined(__opencl_c_fp64) || !defined(__opencl_c_int64) || !defined(__opencl_c_atomic_scope_device) || !defined(__opencl_c_work_group_collective_functions) || !defined(__opencl_c_subgroups) || !defined(cl_khr_subgroup_ballot)
#error features are missing
#endif
#if defined(__opencl_c_pipes) || defined(__opencl_c_images) || defined(__opencl_c_generic_address_space)
#error features that the device lacks
#endif
#else
#ifdef __opencl_c_fp64
#error a feature macro of OpenCL C 3.0
#endif
#endif
kernel void k(global int *p)
{
    p[0] = c_version + version + fp64;
}
