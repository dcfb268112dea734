// cl_ext_device_fission: sub-devices under the names that they had before OpenCL 1.2. Owns nothing.
// Translates property lists to those of device/sub_device.c and back.
#include "runtime/device/fission.h"

#include "base/base.h"
#include "runtime/device/device.h"
#include "runtime/core/diagnostics.h"
#include "runtime/core/query.h"

// The extension numbers the affinity domains; OpenCL 1.2 gives each a bit. In the order of the extension's
// header.
static const struct {
    cl_device_partition_property_ext old;
    cl_device_affinity_domain now;
} domain_names[] = {
    {CL_AFFINITY_DOMAIN_L1_CACHE_EXT, CL_DEVICE_AFFINITY_DOMAIN_L1_CACHE},
    {CL_AFFINITY_DOMAIN_L2_CACHE_EXT, CL_DEVICE_AFFINITY_DOMAIN_L2_CACHE},
    {CL_AFFINITY_DOMAIN_L3_CACHE_EXT, CL_DEVICE_AFFINITY_DOMAIN_L3_CACHE},
    {CL_AFFINITY_DOMAIN_L4_CACHE_EXT, CL_DEVICE_AFFINITY_DOMAIN_L4_CACHE},
    {CL_AFFINITY_DOMAIN_NUMA_EXT, CL_DEVICE_AFFINITY_DOMAIN_NUMA},
    {CL_AFFINITY_DOMAIN_NEXT_FISSIONABLE_EXT, CL_DEVICE_AFFINITY_DOMAIN_NEXT_PARTITIONABLE},
};
_Static_assert(sizeof domain_names / sizeof *domain_names == WEFT_FISSION_DOMAINS,
               "device/fission.h has this number, too");

static const struct {
    cl_device_partition_property_ext old;
    cl_device_partition_property now;
} type_names[] = {
    {CL_DEVICE_PARTITION_EQUALLY_EXT, CL_DEVICE_PARTITION_EQUALLY},
    {CL_DEVICE_PARTITION_BY_COUNTS_EXT, CL_DEVICE_PARTITION_BY_COUNTS},
    {CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN_EXT, CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN},
};
enum { TYPES = sizeof type_names / sizeof *type_names };
_Static_assert(TYPES == WEFT_FISSION_TYPES, "device/fission.h has this number, too");

static int type_of_old(cl_device_partition_property_ext old)
{
    int t = 0;
    while (t < TYPES && type_names[t].old != old)
        t++;
    return t; // TYPES: not supported
}

// ---- Queries ----

const cl_device_partition_property_ext *
weft_fission_types(const struct weft_device *d, cl_device_partition_property_ext *out, size_t *count)
{
    size_t known;
    const cl_device_partition_property *now = weft_device_partitions(d, &known);
    *count = 0;
    for (size_t i = 0; i < known; i++)
        for (int t = 0; t < TYPES; t++)
            if (type_names[t].now == now[i])
                out[(*count)++] = type_names[t].old;
    return out;
}

const cl_device_partition_property_ext *
weft_fission_domains(const struct weft_device *d, cl_device_partition_property_ext *out, size_t *count)
{
    cl_device_affinity_domain domains = weft_device_affinity_domains(d);
    *count = 0;
    for (size_t i = 0; i < WEFT_FISSION_DOMAINS; i++)
        if (domains & domain_names[i].now)
            out[(*count)++] = domain_names[i].old;
    return out;
}

cl_int weft_fission_style(const struct weft_device *d, size_t size, void *value, size_t *size_ret)
{
    size_t n;
    const cl_device_partition_property *now = weft_device_partition_type(d, &n);
    cl_device_partition_property_ext *old = weft_alloc_array(n, sizeof *old);
    if (!old)
        return CL_OUT_OF_HOST_MEMORY;
    for (size_t i = 0; i < n; i++)
        old[i] = (cl_device_partition_property_ext)now[i]; // counts, sizes and list ends have the same values
    for (int t = 0; t < TYPES; t++)
        if (now[0] == type_names[t].now)
            old[0] = type_names[t].old;
    for (size_t i = 0; now[0] == CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN && i < WEFT_FISSION_DOMAINS; i++)
        if ((cl_device_affinity_domain)now[1] == domain_names[i].now)
            old[1] = domain_names[i].old;
    cl_int err = weft_info_write(old, n * sizeof *old, size, value, size_ret);
    weft_free(old);
    return err;
}

// ---- Partition ----

// Translates an old list to one of OpenCL 1.2. NULL: *err says what is wrong. This checks only what the
// translation needs; weft_device_partition checks the rest.
static cl_device_partition_property *list_of_old(const cl_device_partition_property_ext *old, cl_int *err)
{
    *err = CL_INVALID_VALUE;
    int t = old ? type_of_old(old[0]) : TYPES;
    if (t == TYPES) // CL_DEVICE_PARTITION_BY_NAMES_EXT, too: compute units have no names
        return NULL;
    size_t n = 2;
    if (old[0] == CL_DEVICE_PARTITION_BY_COUNTS_EXT)
        for (n = 1; old[n++] != CL_PARTITION_BY_COUNTS_LIST_END_EXT;)
            ;
    if (old[n] != CL_PROPERTIES_LIST_END_EXT)
        return NULL;
    cl_device_partition_property *now = weft_alloc_array(n + 1, sizeof *now);
    *err = CL_OUT_OF_HOST_MEMORY;
    if (!now)
        return NULL;
    for (size_t i = 1; i <= n; i++)
        now[i] = (cl_device_partition_property)old[i];
    now[0] = type_names[t].now;
    if (now[0] == CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN) {
        now[1] = 0; // stays 0 if the domain is unknown: an error in OpenCL 1.2, too
        for (size_t i = 0; i < WEFT_FISSION_DOMAINS; i++)
            if (domain_names[i].old == old[1])
                now[1] = (cl_device_partition_property)domain_names[i].now;
    }
    return now;
}

cl_int weft_fission(struct weft_device *d, const cl_device_partition_property_ext *properties, cl_uint room,
                    cl_device_id *out, cl_uint *count)
{
    cl_int err;
    if ((room == 0 && out) || (!out && !count))
        return weft_error(
            CL_INVALID_VALUE,
            "num_entries is 0 and out_devices isn't NULL, or both out_devices and num_devices are NULL");
    cl_device_partition_property *now = list_of_old(properties, &err);
    if (!now)
        return err == CL_INVALID_VALUE ? weft_error(err, "the partition's properties are not valid") : err;
    err = weft_device_partition(d, now, room, out, count);
    weft_free(now);
    return err == CL_INVALID_DEVICE_PARTITION_COUNT ? CL_INVALID_PARTITION_COUNT_EXT
           : err == CL_DEVICE_PARTITION_FAILED      ? CL_DEVICE_PARTITION_FAILED_EXT
                                                    : err;
}
