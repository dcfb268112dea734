// cl_ext_device_fission: sub-devices by the names that they had before OpenCL 1.2. The devices are those of core/sub_device.c.
#ifndef WEFT_RUNTIME_FISSION_H
#define WEFT_RUNTIME_FISSION_H

#include "runtime/core/device.h"

// The most entries that the arrays of the two queries have.
#define WEFT_FISSION_TYPES 3
#define WEFT_FISSION_DOMAINS 6

// CL_DEVICE_PARTITION_TYPES_EXT and CL_DEVICE_AFFINITY_DOMAINS_EXT: what d can be partitioned by. Returns out, of which
// *count entries were written: 0 when it can't be partitioned.
const cl_device_partition_property_ext *
weft_fission_types(const struct weft_device *d, cl_device_partition_property_ext *out, size_t *count);
const cl_device_partition_property_ext *
weft_fission_domains(const struct weft_device *d, cl_device_partition_property_ext *out, size_t *count);
// CL_DEVICE_PARTITION_STYLE_EXT: the list that d was made with, of any length; the end alone when it is no part. As
// weft_info_write, or CL_OUT_OF_HOST_MEMORY.
cl_int weft_fission_style(const struct weft_device *d, size_t size, void *value, size_t *size_ret);

// clCreateSubDevicesEXT on a device that is one. The devices' one handle is the caller's. CL_INVALID_VALUE,
// CL_INVALID_PARTITION_COUNT_EXT, CL_DEVICE_PARTITION_FAILED_EXT, CL_OUT_OF_HOST_MEMORY.
cl_int weft_fission(struct weft_device *d, const cl_device_partition_property_ext *properties, cl_uint room,
                    cl_device_id *out, cl_uint *count);

#endif
