// Devices: the root device, which is all processors of the machine, and its sub-devices. Also the limits that
// the queries report and the checks enforce. OpenCL 2.2 §4.2, §4.3.
//
// The folder device/ says what an application can compute on: the platform (platform.h), devices (this file;
// fission.h has older names for sub-devices), what they support (features.h), and contexts, which choose
// devices (context.h). It takes the machine's topology from the scheduler, and properties that are checked
// already, except that sub_device.c checks how a device is partitioned. It returns objects, and constants for
// the queries. It doesn't know queues, commands, memory objects and programs, of which a context only keeps
// pointers. It calls core/ and the scheduler.
#ifndef WEFT_RUNTIME_DEVICE_H
#define WEFT_RUNTIME_DEVICE_H

#include "runtime/core/object.h"
#include "weft/code_object.h"
#include "weft/kernel_abi.h"
#include "weft/scheduler.h"

struct weft_device {
    struct weft_object obj;
    struct weft_platform *platform;
    struct weft_device *parent; // a reference; NULL: the root device, which has none of the members below
    struct weft_domain *domain; // the scheduler's threads of the sub-device
    uint32_t unit_count;        // number of compute units, and their indices into weft_topology_places
    uint32_t *units;
    cl_device_partition_property *partition; // CL_DEVICE_PARTITION_TYPE, with the closing 0
    size_t partition_count;
};

// ---- device/sub_device.c ----
// The number of compute units of d.
cl_uint weft_device_units(const struct weft_device *d);
// CL_DEVICE_PARTITION_MAX_SUB_DEVICES. 0: d cannot be partitioned.
cl_uint weft_device_max_parts(const struct weft_device *d);
// CL_DEVICE_PARTITION_AFFINITY_DOMAIN: the domains that d can be divided by.
cl_device_affinity_domain weft_device_affinity_domains(const struct weft_device *d);
// CL_DEVICE_PARTITION_PROPERTIES and CL_DEVICE_PARTITION_TYPE of d, with *count entries including the closing
// 0. Never NULL. The arrays belong to the device.
const cl_device_partition_property *weft_device_partitions(const struct weft_device *d, size_t *count);
const cl_device_partition_property *weft_device_partition_type(const struct weft_device *d, size_t *count);
// Implements clCreateSubDevices for a live device d. out has room for `room` devices. The caller gets the one
// handle of each. Errors are those of OpenCL 2.2 §4.3.
cl_int weft_device_partition(struct weft_device *d, const cl_device_partition_property *properties,
                             cl_uint room, cl_device_id *out, cl_uint *count);

// ---- device/device.c ----
// What programs are told: the settings WEFT_DEVICE_NAME, WEFT_DEVICE_VENDOR and WEFT_DEVICE_VENDOR_ID, or
// else what the processor says. Nothing in Weft depends on them.
const char *weft_device_name(void);
const char *weft_device_vendor(void);
cl_uint weft_device_vendor_id(void);
// Limits that the device queries report and the checks enforce. Those that depend on the topology are
// functions.
#define WEFT_DEVICE_MAX_GROUP WEFT_GROUP_MAX // work-items in a group, and in each of its dimensions
#define WEFT_DEVICE_MAX_PARAMETERS WEFT_MAX_PARAMETER_BYTES
#define WEFT_DEVICE_MEM_ALIGN 128u // bytes; CL_DEVICE_MEM_BASE_ADDR_ALIGN is in bits
extern const size_t weft_device_max_item_sizes[3];
cl_ulong weft_device_max_alloc(const struct weft_device *d);    // bytes of one memory object
cl_ulong weft_device_max_constant(const struct weft_device *d); // bytes of one __constant buffer
#define WEFT_FLOAT_ATOMICS                                                               \
    (CL_DEVICE_GLOBAL_FP_ATOMIC_LOAD_STORE_EXT | CL_DEVICE_GLOBAL_FP_ATOMIC_ADD_EXT |    \
     CL_DEVICE_GLOBAL_FP_ATOMIC_MIN_MAX_EXT | CL_DEVICE_LOCAL_FP_ATOMIC_LOAD_STORE_EXT | \
     CL_DEVICE_LOCAL_FP_ATOMIC_ADD_EXT | CL_DEVICE_LOCAL_FP_ATOMIC_MIN_MAX_EXT)
#define WEFT_USM_CAPABILITIES                                                               \
    (CL_UNIFIED_SHARED_MEMORY_ACCESS_INTEL | CL_UNIFIED_SHARED_MEMORY_ATOMIC_ACCESS_INTEL | \
     CL_UNIFIED_SHARED_MEMORY_CONCURRENT_ACCESS_INTEL |                                     \
     CL_UNIFIED_SHARED_MEMORY_CONCURRENT_ATOMIC_ACCESS_INTEL)
extern const cl_device_integer_dot_product_acceleration_properties_khr weft_device_dot_product;
// Sub-group sizes that a kernel may require.
extern const size_t weft_device_sub_groups[], weft_device_sub_group_count;
size_t weft_device_max_variable(void); // bytes of one program-scope variable; 0: not supported
cl_ulong weft_device_local_mem(const struct weft_device *d); // bytes of local memory
// Is bytes <= weft_device_local_mem(d)? Usually cheaper than to compare.
bool weft_device_local_fits(const struct weft_device *d, uint64_t bytes);
// Bytes of the last-level cache that a processor shares.
cl_ulong weft_device_cache_bytes(void);
// Bytes of all last-level caches of the process's processors together. UINT64_MAX: unknown. Reads the
// topology once.
uint64_t weft_device_last_level_cache_bytes(void);
// cl_khr_device_uuid. The device's UUID stays the same across boots and versions of Weft. Both functions
// return `out`.
const cl_uchar *weft_device_uuid(const struct weft_device *d, cl_uchar out[CL_UUID_SIZE_KHR]);
const cl_uchar *weft_driver_uuid(cl_uchar out[CL_UUID_SIZE_KHR]);
cl_uint weft_device_vector_bytes(void); // bytes of the widest vector register
// Atomic memory or fence capabilities (CL_DEVICE_ATOMIC_{MEMORY,FENCE}_CAPABILITIES).
cl_device_atomic_capabilities weft_device_atomics(bool fence);
// How many devices of the platform (0 or 1) have one of these types.
cl_uint weft_device_match(const struct weft_device *d, cl_device_type type);
bool weft_device_type_valid(cl_device_type type);

void weft_device_destroy(struct weft_object *o); // for kinds.c

#endif
