// Sub-devices: how a device can be partitioned, and the creation of the parts. OpenCL 2.2 §4.3.
//
// A sub-device is a set of places of the machine's topology, with a domain of the scheduler. The domain's
// threads run everything that is enqueued to the sub-device. A sub-device holds a reference to its parent;
// contexts and programs hold references to it. It doesn't change after its creation, so it needs no lock.
#include <string.h>

#include "base/base.h"
#include "runtime/device/device.h"
#include "runtime/core/diagnostics.h"
#include "runtime/core/object.h"
#include "weft/scheduler.h"

// In the order in which CL_DEVICE_AFFINITY_DOMAIN_NEXT_PARTITIONABLE tries them.
static const cl_device_affinity_domain domain_of[WEFT_LEVELS] = {
    CL_DEVICE_AFFINITY_DOMAIN_NUMA, CL_DEVICE_AFFINITY_DOMAIN_L4_CACHE, CL_DEVICE_AFFINITY_DOMAIN_L3_CACHE,
    CL_DEVICE_AFFINITY_DOMAIN_L2_CACHE, CL_DEVICE_AFFINITY_DOMAIN_L1_CACHE};

// The part that each unit of a device goes to.
struct parts {
    uint32_t *of; // one entry for each unit; NOWHERE: in no part
    uint32_t count;
    cl_device_partition_property type[3]; // CL_DEVICE_PARTITION_TYPE, with NEXT_PARTITIONABLE resolved
};
#define NOWHERE UINT32_MAX

void weft_device_destroy(struct weft_object *o)
{
    // Always a sub-device: the root device's last reference is never given back.
    struct weft_device *d = (struct weft_device *)o;
    weft_domain_destroy(d->domain);
    weft_free(d->units);
    weft_free(d->partition);
}

cl_uint weft_device_units(const struct weft_device *d)
{
    return d->parent ? d->unit_count : weft_topology_basics()->cpus;
}

// The number of compute units of d that have a place in the topology.
static uint32_t placed_units(const struct weft_device *d, const struct weft_places *p)
{
    return d->parent ? d->unit_count : p->count;
}

static uint32_t place_of(const struct weft_device *d, uint32_t unit)
{
    return d->parent ? d->units[unit] : unit;
}

// ---- Levels ----

// The number of nodes or caches of this level that d's units belong to. 0: unknown.
static uint32_t nodes_at(const struct weft_device *d, const struct weft_places *p, int level)
{
    const uint32_t *at = p->at[level];
    uint32_t n = placed_units(d, p), nodes = 0;
    // Units of a node are neighbours, because the topology is in the order of its tree.
    for (uint32_t i = 0; at && i < n; i++)
        nodes += i == 0 || at[place_of(d, i)] != at[place_of(d, i - 1)];
    return nodes;
}

cl_device_affinity_domain weft_device_affinity_domains(const struct weft_device *d)
{
    const struct weft_places *p = weft_topology_places();
    cl_device_affinity_domain domains = 0;
    for (int l = 0; p && l < WEFT_LEVELS; l++)
        if (nodes_at(d, p, l) > 1)
            domains |= domain_of[l] | CL_DEVICE_AFFINITY_DOMAIN_NEXT_PARTITIONABLE;
    return domains;
}

cl_uint weft_device_max_parts(const struct weft_device *d)
{
    cl_uint units = weft_device_units(d);
    return units > 1 ? units : 0;
}

const cl_device_partition_property *weft_device_partitions(const struct weft_device *d, size_t *count)
{
    static const cl_device_partition_property none[] = {0}, all[] = {CL_DEVICE_PARTITION_EQUALLY,
                                                                     CL_DEVICE_PARTITION_BY_COUNTS,
                                                                     CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN};
    if (weft_device_max_parts(d) == 0) {
        *count = 1;
        return none;
    }
    *count = weft_device_affinity_domains(d) ? 3 : 2;
    return all;
}

const cl_device_partition_property *weft_device_partition_type(const struct weft_device *d, size_t *count)
{
    static const cl_device_partition_property none[] = {0};
    *count = d->parent ? d->partition_count : 1;
    return d->parent ? d->partition : none;
}

// ---- Partitions ----
// Each function fills in `parts`, whose units are NOWHERE at first, or returns an error.

static cl_int divide_equally(struct parts *parts, uint32_t units, cl_device_partition_property size)
{
    // "each containing n compute units": a size of 0 gives no number of parts.
    if (size <= 0)
        return weft_error(CL_INVALID_VALUE, "CL_DEVICE_PARTITION_EQUALLY is given 0 compute units");
    // "CL_INVALID_DEVICE_PARTITION_COUNT if ... the total number of compute units requested exceeds
    // CL_DEVICE_PARTITION_MAX_COMPUTE_UNITS for in_device". The conformance suite applies this sentence not
    // only to CL_DEVICE_PARTITION_BY_COUNTS, but to this scheme, too.
    if ((uint64_t)size > units)
        return weft_error_with(CL_INVALID_DEVICE_PARTITION_COUNT,
                               "the device has fewer compute units than %n", size);
    // A single part that is the whole device is no partition. divide_by_domain has the same rule.
    if ((uint64_t)size == units)
        return CL_DEVICE_PARTITION_FAILED;
    parts->count = units / (uint32_t)size;
    for (uint32_t i = 0; i < parts->count * (uint32_t)size; i++)
        parts->of[i] = i / (uint32_t)size; // "the remaining compute units are not used"
    return CL_SUCCESS;
}

static cl_int divide_by_counts(struct parts *parts, uint32_t units,
                               const cl_device_partition_property *counts)
{
    uint32_t used = 0;
    if (counts[0] == CL_DEVICE_PARTITION_BY_COUNTS_LIST_END)
        return weft_error(CL_INVALID_VALUE, "CL_DEVICE_PARTITION_BY_COUNTS is given no counts");
    for (; *counts != CL_DEVICE_PARTITION_BY_COUNTS_LIST_END; counts++) {
        // "CL_INVALID_DEVICE_PARTITION_COUNT if ... the total number of compute units requested exceeds
        // CL_DEVICE_PARTITION_MAX_COMPUTE_UNITS for in_device, or the number of compute units requested for
        // one or more sub-devices is less than zero". This check also limits the number of parts.
        if (*counts < 0 || (uint64_t)*counts > units - used)
            return weft_error_with(CL_INVALID_DEVICE_PARTITION_COUNT,
                                   "a count is negative, or their sum exceeds the device's %n compute units",
                                   units);
        for (uint32_t i = 0; i < (uint32_t)*counts; i++)
            parts->of[used++] = parts->count;
        parts->count++;
    }
    return CL_SUCCESS;
}

static cl_int divide_by_domain(struct parts *parts, const struct weft_device *d, const struct weft_places *p,
                               cl_device_partition_property domain)
{
    int level = 0;
    bool next = (cl_device_affinity_domain)domain == CL_DEVICE_AFFINITY_DOMAIN_NEXT_PARTITIONABLE;
    while (level < WEFT_LEVELS &&
           (next ? nodes_at(d, p, level) <= 1 : domain_of[level] != (cl_device_affinity_domain)domain))
        level++;
    if (level == WEFT_LEVELS)
        return next ? CL_DEVICE_PARTITION_FAILED
                    : weft_error(CL_INVALID_VALUE, "the affinity domain is not valid");
    // "valid but not supported by the device"
    if (!p->at[level])
        return weft_error(CL_INVALID_VALUE, "the device has no affinity domain of this kind");
    if (nodes_at(d, p, level) <= 1)
        return CL_DEVICE_PARTITION_FAILED;
    const uint32_t *at = p->at[level];
    for (uint32_t i = 0; i < placed_units(d, p); i++) {
        parts->count += i == 0 || at[place_of(d, i)] != at[place_of(d, i - 1)];
        parts->of[i] = parts->count - 1;
    }
    parts->type[1] = (cl_device_partition_property)domain_of[level];
    return CL_SUCCESS;
}

static bool is_scheme(cl_device_partition_property name)
{
    return name == CL_DEVICE_PARTITION_EQUALLY || name == CL_DEVICE_PARTITION_BY_COUNTS ||
           name == CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN;
}

// The number of entries of the list without its closing 0. 0: not a list that clCreateSubDevices takes.
static size_t list_entries(const cl_device_partition_property *list)
{
    size_t n = 2;
    if (!list || !is_scheme(list[0]))
        return 0;
    // SYCL's runtimes end the list with the end of the counts. The memory after it may not even be mapped.
    if (list[0] == CL_DEVICE_PARTITION_BY_COUNTS) {
        for (n = 1; list[n++] != CL_DEVICE_PARTITION_BY_COUNTS_LIST_END;)
            ;
        return n;
    }
    // "Only one of the listed partitioning schemes can be specified in properties."
    return list[n] == 0 ? n : 0;
}

static cl_int divide(struct parts *parts, const struct weft_device *d, const struct weft_places *p,
                     const cl_device_partition_property *properties)
{
    uint32_t units = placed_units(d, p);
    for (uint32_t i = 0; i < units; i++)
        parts->of[i] = NOWHERE;
    memcpy(parts->type, properties, 2 * sizeof *properties);
    cl_int err = properties[0] == CL_DEVICE_PARTITION_EQUALLY ? divide_equally(parts, units, properties[1])
                 : properties[0] == CL_DEVICE_PARTITION_BY_COUNTS
                     ? divide_by_counts(parts, units, properties + 1)
                     : divide_by_domain(parts, d, p, properties[1]);
    // "CL_DEVICE_PARTITION_FAILED if the partition name is supported by the implementation but in_device
    // could not be further partitioned."
    return err == CL_SUCCESS && units < 2 ? CL_DEVICE_PARTITION_FAILED : err;
}

// ---- Devices ----

static struct weft_device *make_part(struct weft_device *d, const struct parts *parts, uint32_t part,
                                     const cl_device_partition_property *properties, size_t entries,
                                     uint32_t units)
{
    struct weft_device *s = weft_object_create(WEFT_KIND_DEVICE, sizeof *s, &d->obj);
    if (!s)
        return NULL;
    weft_object_ref(&d->obj);
    s->parent = d;
    s->platform = d->platform;
    s->units = weft_alloc_array(units, sizeof *s->units);
    s->partition = weft_alloc_array(entries + 1, sizeof *s->partition);
    for (uint32_t i = 0; s->units && i < units; i++)
        if (parts->of[i] == part)
            s->units[s->unit_count++] = place_of(d, i);
    if (s->partition) {
        memcpy(s->partition, properties, entries * sizeof *properties);
        s->partition_count = entries + 1; // with the closing 0
        s->partition[1] = parts->type[1];
    }
    if (s->units && s->partition)
        s->domain = weft_domain_create(s->units, s->unit_count);
    if (!s->domain) {
        weft_object_release_handle(&s->obj);
        return NULL;
    }
    return s;
}

static cl_int make_parts(struct weft_device *d, const struct parts *parts,
                         const cl_device_partition_property *properties, uint32_t units, cl_device_id *out)
{
    for (uint32_t i = 0; i < parts->count; i++) {
        struct weft_device *s = make_part(d, parts, i, properties, list_entries(properties), units);
        if (!s) {
            while (i-- > 0)
                weft_object_release_handle((struct weft_object *)out[i]);
            return CL_OUT_OF_HOST_MEMORY;
        }
        out[i] = (cl_device_id)s;
    }
    for (uint32_t i = 0; i < parts->count; i++)
        weft_object_publish((struct weft_object *)out[i]);
    return CL_SUCCESS;
}

cl_int weft_device_partition(struct weft_device *d, const cl_device_partition_property *properties,
                             cl_uint room, cl_device_id *out, cl_uint *count)
{
    // "CL_INVALID_VALUE if values specified in properties are not valid"
    if (list_entries(properties) == 0)
        return weft_error(CL_INVALID_VALUE, "the partition's properties are empty or not valid");
    const struct weft_places *p = weft_topology_places();
    struct parts parts = {.of = p ? weft_alloc_array(placed_units(d, p), sizeof *parts.of) : NULL};
    if (!parts.of)
        return CL_OUT_OF_HOST_MEMORY;
    cl_int err = divide(&parts, d, p, properties);
    // "CL_INVALID_VALUE if out_devices is not NULL and num_devices is less than the number of sub-devices
    // created by the partition scheme."
    if (!err && out && room < parts.count)
        err = weft_error_with(CL_INVALID_VALUE, "num_devices is %n, but the partition has %n devices", room,
                              parts.count);
    if (!err && out)
        err = make_parts(d, &parts, properties, placed_units(d, p), out);
    if (!err && count)
        *count = parts.count;
    weft_free(parts.of);
    return err;
}
