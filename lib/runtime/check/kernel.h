// Argument checks of calls on programs and kernels (OpenCL 2.2 §5.8 to §5.10). They look only at their
// arguments and return CL_SUCCESS, or the error that the specification names first.
#ifndef WEFT_CHECK_KERNEL_H
#define WEFT_CHECK_KERNEL_H

#include "runtime/program/kernel.h"

// The device list and the callback of clBuildProgram, clCompileProgram and clLinkProgram.
cl_int weft_check_build_devices(cl_uint count, const cl_device_id *list, struct weft_device *const *of,
                                cl_uint of_count);
cl_int weft_check_build_notify(const void *notify, const void *user);
// The strings of clCreateProgramWithSource.
cl_int weft_check_source(cl_uint count, const char **strings);

// clSetKernelArg. Whether a handle is of the right kind is partly checked by weft_kernel_set_arg.
cl_int weft_check_arg(const struct weft_kernel *k, cl_uint index, size_t size, const void *value);

// clSetKernelArgSVMPointer: is the argument a pointer to global or constant memory?
cl_int weft_check_arg_pointer(const struct weft_kernel *k, cl_uint index);
// clSetKernelExecInfo.
cl_int weft_check_exec_info(cl_kernel_exec_info name, size_t size, const void *value);

// Checks the sizes of an enqueue against the device's limits and the kernel's attributes. offset and local
// may be NULL. From OpenCL 2.1 on, global may be NULL or 0; then nothing runs.
cl_int weft_check_ndrange(const struct weft_kernel *k, cl_uint dim, const size_t *offset,
                          const size_t *global, const size_t *local);

#endif
