// Argument checks of the program and kernel calls (OpenCL 2.2 §5.8 to §5.10). Pure: they look at their
// arguments only, and return CL_SUCCESS or the error that the spec names, in the spec's order.
#ifndef WEFT_CHECK_KERNEL_H
#define WEFT_CHECK_KERNEL_H

#include "runtime/program/kernel.h"

// clBuildProgram and its kin: the device list, then the callback.
cl_int weft_check_build_devices(cl_uint count, const cl_device_id *list, struct weft_device *const *of,
                                cl_uint of_count);
cl_int weft_check_build_notify(const void *notify, const void *user);
// clCreateProgramWithSource: strings as given.
cl_int weft_check_source(cl_uint count, const char **strings);

// clSetKernelArg, and the value's kind.
cl_int weft_check_arg(const struct weft_kernel *k, cl_uint index, size_t size, const void *value);

// clSetKernelArgSVMPointer: is there a pointer argument?
cl_int weft_check_arg_pointer(const struct weft_kernel *k, cl_uint index);
// clSetKernelExecInfo.
cl_int weft_check_exec_info(cl_kernel_exec_info name, size_t size, const void *value);

// The sizes of an enqueue against the device and the kernel's attributes; offset and local may be NULL. A
// NULL or zero global size is fine (nothing runs).
cl_int weft_check_ndrange(const struct weft_kernel *k, cl_uint dim, const size_t *offset,
                          const size_t *global, const size_t *local);

#endif
