// Properties of the device that aren't constants: sizes that depend on the machine, its vector registers and
// the feature list. Computed on demand, hardly anything is stored. OpenCL 2.2 §4.2.
#include "runtime/device/device.h"

#include <fcntl.h>
#include <pthread.h>
#include <string.h>
#include <unistd.h>

#include "base/arch/arch.h"
#include "base/base.h"
#include "runtime/device/features.h"
#include "weft/code_object.h"
#include "weft/scheduler.h"

const size_t weft_device_max_item_sizes[3] = {WEFT_DEVICE_MAX_GROUP, WEFT_DEVICE_MAX_GROUP,
                                              WEFT_DEVICE_MAX_GROUP};

cl_ulong weft_device_max_alloc(const struct weft_device *d)
{
    (void)d;
    // The specification demands at least a quarter of global memory and at least 128 MiB. Half leaves the
    // host room for its own copy.
    const cl_ulong minimum = 128u << 20;
    cl_ulong half = (cl_ulong)weft_topology_basics()->memory_bytes / 2;
    return half > minimum ? half & ~(cl_ulong)0xfff : minimum;
}

cl_ulong weft_device_max_constant(const struct weft_device *d)
{
    // Constant memory is ordinary memory here. Some programs allocate a buffer of the reported size, and some
    // assume that constant memory is small and fast. 64 MiB is a size beyond which they do better with an
    // ordinary buffer.
    const cl_ulong tables = 64u << 20;
    cl_ulong maximum = weft_device_max_alloc(d);
    return maximum < tables ? maximum : tables;
}

enum { MIN_LOCAL = 64 << 10, MAX_LOCAL = WEFT_LOCAL_MAX };

cl_ulong weft_device_local_mem(const struct weft_device *d)
{
    (void)d;
    // Local memory is an arena of each thread. A quarter of the level-2 cache leaves room for the data that
    // the group reads.
    cl_ulong quarter = (cl_ulong)weft_topology_get()->l2_bytes / 4;
    return quarter < MIN_LOCAL ? MIN_LOCAL : quarter > MAX_LOCAL ? MAX_LOCAL : quarter & ~(cl_ulong)0xfff;
}

bool weft_device_local_fits(const struct weft_device *d, uint64_t bytes)
{
    return bytes <= MIN_LOCAL || bytes <= weft_device_local_mem(d);
}

cl_ulong weft_device_cache_bytes(void)
{
    const struct weft_topology *t = weft_topology_get();
    return t->l3_bytes ? t->l3_bytes : t->l2_bytes ? t->l2_bytes : t->l1d_bytes;
}

static uint64_t last_caches;
static pthread_once_t last_caches_once = PTHREAD_ONCE_INIT;

static void add_last_caches(void)
{
    const struct weft_topology *t = weft_topology_get();
    const struct weft_places *places = weft_topology_places();
    last_caches = t->l3_bytes;
    const uint32_t *at = places ? places->at[WEFT_LEVEL_L3] : NULL;
    for (uint32_t i = 1; at && i < places->count; i++)
        if (at[i] != at[i - 1]) // places that share a cache are neighbours
            last_caches += t->l3_bytes;
    if (last_caches == 0)
        last_caches = UINT64_MAX;
}

uint64_t weft_device_last_level_cache_bytes(void)
{
    pthread_once(&last_caches_once, add_last_caches);
    return last_caches;
}

cl_uint weft_device_vector_bytes(void)
{
    return weft_arch_vector_bytes();
}

const cl_device_integer_dot_product_acceleration_properties_khr weft_device_dot_product = {0};
const size_t weft_device_sub_groups[] = {WEFT_SUB_GROUP_SIZES};
const size_t weft_device_sub_group_count = WEFT_COUNT_OF(weft_device_sub_groups);

size_t weft_device_max_variable(void)
{
    return weft_has_language_feature("__opencl_c_program_scope_global_variables") ? WEFT_MAX_VARIABLE_BYTES
                                                                                  : 0;
}

cl_device_atomic_capabilities weft_device_atomics(bool fence)
{
    // The minimum that every device supports, and what the feature list adds.
    cl_device_atomic_capabilities c = CL_DEVICE_ATOMIC_ORDER_RELAXED | CL_DEVICE_ATOMIC_SCOPE_WORK_GROUP;
    if (fence)
        c |= CL_DEVICE_ATOMIC_SCOPE_WORK_ITEM | CL_DEVICE_ATOMIC_ORDER_ACQ_REL;
    if (weft_has_language_feature("__opencl_c_atomic_order_acq_rel"))
        c |= CL_DEVICE_ATOMIC_ORDER_ACQ_REL;
    if (weft_has_language_feature("__opencl_c_atomic_order_seq_cst"))
        c |= CL_DEVICE_ATOMIC_ORDER_SEQ_CST;
    if (weft_has_language_feature("__opencl_c_atomic_scope_device"))
        c |= CL_DEVICE_ATOMIC_SCOPE_DEVICE;
    if (weft_has_language_feature("__opencl_c_atomic_scope_all_devices"))
        c |= CL_DEVICE_ATOMIC_SCOPE_ALL_DEVICES;
    return c;
}

// A UUID of version 8, whose bits the vendor defines (RFC 9562).
static const cl_uchar *put_uuid(cl_uchar out[CL_UUID_SIZE_KHR], struct weft_hash h)
{
    _Static_assert(sizeof h == CL_UUID_SIZE_KHR, "128 bits");
    memcpy(out, &h, sizeof h);
    out[6] = (cl_uchar)((out[6] & 0x0f) | 0x80);
    out[8] = (cl_uchar)((out[8] & 0x3f) | 0x80);
    return out;
}

// Distinguishes machines with the same processor. Machines without a readable machine-id share a UUID.
static struct weft_hash hash_machine(struct weft_hash h)
{
    WEFT_NOT_CANCELLED;
    char id[64];
    int fd = open("/etc/machine-id", O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    ssize_t n = fd < 0 ? 0 : read(fd, id, sizeof id);
    if (fd >= 0)
        close(fd);
    return n > 0 ? weft_hash_bytes(h, id, (size_t)n) : h;
}

const cl_uchar *weft_device_uuid(const struct weft_device *d, cl_uchar out[CL_UUID_SIZE_KHR])
{
    struct weft_hash h = hash_machine(weft_hash_str((struct weft_hash){0}, "Weft device"));
    h = weft_hash_str(h, weft_topology_basics()->cpu_name);
    if (d->parent)
        h = weft_hash_bytes(h, d->units, d->unit_count * sizeof *d->units);
    return put_uuid(out, h);
}

const cl_uchar *weft_driver_uuid(cl_uchar out[CL_UUID_SIZE_KHR])
{
    return put_uuid(out, weft_hash_str((struct weft_hash){0},
                                       "Weft " WEFT_VERSION "-" WEFT_TEXT(WEFT_CODE_OBJECT_NUMBER)));
}

const char *weft_device_name(void)
{
    const char *given = weft_config_str(WEFT_CFG_DEVICE_NAME);
    return given ? given : weft_topology_basics()->cpu_name;
}

const char *weft_device_vendor(void)
{
    const char *given = weft_config_str(WEFT_CFG_DEVICE_VENDOR);
    return given ? given : weft_topology_basics()->vendor;
}

cl_uint weft_device_vendor_id(void)
{
    const uint64_t given = weft_config_uint(WEFT_CFG_DEVICE_VENDOR_ID);
    return given ? (cl_uint)given : weft_topology_basics()->vendor_id;
}

cl_uint weft_device_match(const struct weft_device *d, cl_device_type type)
{
    (void)d;
    // CL_DEVICE_TYPE_ALL means every type but CUSTOM; as a mask it contains the CPU's bit.
    return (type & (CL_DEVICE_TYPE_CPU | CL_DEVICE_TYPE_DEFAULT)) ? 1 : 0;
}

bool weft_device_type_valid(cl_device_type type)
{
    const cl_device_type known = CL_DEVICE_TYPE_DEFAULT | CL_DEVICE_TYPE_CPU | CL_DEVICE_TYPE_GPU |
                                 CL_DEVICE_TYPE_ACCELERATOR | CL_DEVICE_TYPE_CUSTOM;
    return type == CL_DEVICE_TYPE_ALL || (type && !(type & ~known));
}
