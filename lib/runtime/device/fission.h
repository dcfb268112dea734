// cl_ext_device_fission: sub-devices under the names that they had before OpenCL 1.2. Translates to and from
// device/sub_device.c.
#ifndef WEFT_RUNTIME_DEVICE_FISSION_H
#define WEFT_RUNTIME_DEVICE_FISSION_H

#include "runtime/device/device.h"

// The maximum number of entries that the two queries below return.
#define WEFT_FISSION_TYPES 3
#define WEFT_FISSION_DOMAINS 6

// CL_DEVICE_PARTITION_TYPES_EXT and CL_DEVICE_AFFINITY_DOMAINS_EXT: the ways in which d can be partitioned.
// Both write *count entries to `out`, 0 when d can't be partitioned, and return `out`.
const cl_device_partition_property_ext *
weft_fission_types(const struct weft_device *d, cl_device_partition_property_ext *out, size_t *count);
const cl_device_partition_property_ext *
weft_fission_domains(const struct weft_device *d, cl_device_partition_property_ext *out, size_t *count);
// CL_DEVICE_PARTITION_STYLE_EXT: the property list that d was created with, of any length. Only the closing 0
// when d is no sub-device. Returns what weft_info_write returns, or CL_OUT_OF_HOST_MEMORY.
cl_int weft_fission_style(const struct weft_device *d, size_t size, void *value, size_t *size_ret);

// Implements clCreateSubDevicesEXT for a live device d. The caller gets the one handle of each new device.
// Errors: CL_INVALID_VALUE, CL_INVALID_PARTITION_COUNT_EXT, CL_DEVICE_PARTITION_FAILED_EXT,
// CL_OUT_OF_HOST_MEMORY.
cl_int weft_fission(struct weft_device *d, const cl_device_partition_property_ext *properties, cl_uint room,
                    cl_device_id *out, cl_uint *count);

#endif
