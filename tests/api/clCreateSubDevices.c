// Sub-devices: how devices of several machines are partitioned, what the parts say of themselves, and that
// they do all that a device does, on their processors.
#include "api/program_fixture.h"

#include <sched.h>
#include <sys/mman.h>
#include <unistd.h>

#define MACHINE "numa:2 l3:2 l2:2 core:1 pu:1" // 8 units

typedef cl_device_partition_property property;

static cl_device_id device_of(const char *synthetic)
{
    setenv("WEFT_HWLOC_SYNTHETIC", synthetic, 1); // before the first call
    return the_device();
}

static cl_uint units_of(cl_device_id d)
{
    cl_uint n = 0;
    OK(clGetDeviceInfo(d, CL_DEVICE_MAX_COMPUTE_UNITS, sizeof n, &n, NULL));
    return n;
}

static cl_uint count_of(cl_device_id d)
{
    cl_uint n = 77;
    OK(clGetDeviceInfo(d, CL_DEVICE_REFERENCE_COUNT, sizeof n, &n, NULL));
    return n;
}

static cl_device_affinity_domain domains_of(cl_device_id d)
{
    cl_device_affinity_domain a = 77;
    OK(clGetDeviceInfo(d, CL_DEVICE_PARTITION_AFFINITY_DOMAIN, sizeof a, &a, NULL));
    return a;
}

static void check_type(cl_device_id d, const property *expected, size_t count)
{
    property got[16];
    size_t size = 0;
    OK(clGetDeviceInfo(d, CL_DEVICE_PARTITION_TYPE, sizeof got, got, &size));
    CHECK_EQ(size, count * sizeof *got);
    for (size_t i = 0; i < count; i++)
        CHECK_EQ(got[i], expected[i]);
}

static cl_uint parts_of(cl_device_id d, const property *how, cl_device_id *out)
{
    cl_uint n = 77, again = 77;
    OK(clCreateSubDevices(d, how, 0, NULL, &n));
    OK(clCreateSubDevices(d, how, n, out, &again));
    CHECK_EQ(n, again);
    return n;
}

static void release(cl_device_id *d, cl_uint n)
{
    for (cl_uint i = 0; i < n; i++)
        OK(clReleaseDevice(d[i]));
}

TEST(Equally)
{
    cl_device_id root = device_of(MACHINE), part[8];
    const property threes[] = {CL_DEVICE_PARTITION_EQUALLY, 3, 0},
                   seven[] = {CL_DEVICE_PARTITION_EQUALLY, 7, 0};
    CHECK_EQ(units_of(root), 8);
    CHECK_EQ(parts_of(root, threes, part), 2);
    for (int i = 0; i < 2; i++) {
        CHECK_EQ(units_of(part[i]), 3);
        check_type(part[i], threes, 3);
        cl_device_id parent = NULL;
        OK(clGetDeviceInfo(part[i], CL_DEVICE_PARENT_DEVICE, sizeof parent, &parent, NULL));
        CHECK(parent == root);
        cl_uint most = 0;
        OK(clGetDeviceInfo(part[i], CL_DEVICE_PARTITION_MAX_SUB_DEVICES, sizeof most, &most, NULL));
        CHECK_EQ(most, 3);
    }
    CHECK(part[0] != part[1]);
    release(part, 2);
    CHECK_EQ(parts_of(root, seven, part), 1); // the eighth is not used
    CHECK_EQ(units_of(part[0]), 7);
    release(part, 1);
}

TEST(ByCounts)
{
    cl_device_id root = device_of(MACHINE), part[8];
    const property counts[] = {CL_DEVICE_PARTITION_BY_COUNTS,          5, 1, 2,
                               CL_DEVICE_PARTITION_BY_COUNTS_LIST_END, 0};
    CHECK_EQ(parts_of(root, counts, part), 3);
    CHECK_EQ(units_of(part[0]), 5);
    CHECK_EQ(units_of(part[1]), 1);
    CHECK_EQ(units_of(part[2]), 2);
    for (int i = 0; i < 3; i++)
        check_type(part[i], counts, 6);
    release(part, 3);

    // Unified Runtime, which SYCL's runtimes are built on, closes the counts and not the list.
    property open[6];
    memcpy(open, counts, sizeof open);
    open[5] = -77;
    CHECK_EQ(parts_of(root, open, part), 3);
    for (int i = 0; i < 3; i++)
        check_type(part[i], counts, 6);
    release(part, 3);
}

static void check_domain(cl_device_id d, cl_device_affinity_domain a, cl_uint parts, cl_uint units)
{
    const property how[] = {CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN, (property)a, 0};
    cl_device_id part[16];
    CHECK_EQ(parts_of(d, how, part), parts);
    for (cl_uint i = 0; i < parts; i++) {
        CHECK_EQ(units_of(part[i]), units);
        check_type(part[i], how, 3);
    }
    release(part, parts);
}

TEST(ByAffinityDomain)
{
    cl_device_id root = device_of("numa:2 l4:2 l3:2 l2:2 l1:2 core:1 pu:1");
    CHECK_EQ(domains_of(root), CL_DEVICE_AFFINITY_DOMAIN_NUMA | CL_DEVICE_AFFINITY_DOMAIN_L4_CACHE |
                                   CL_DEVICE_AFFINITY_DOMAIN_L3_CACHE | CL_DEVICE_AFFINITY_DOMAIN_L2_CACHE |
                                   CL_DEVICE_AFFINITY_DOMAIN_L1_CACHE |
                                   CL_DEVICE_AFFINITY_DOMAIN_NEXT_PARTITIONABLE);
    check_domain(root, CL_DEVICE_AFFINITY_DOMAIN_NUMA, 2, 16);
    check_domain(root, CL_DEVICE_AFFINITY_DOMAIN_L4_CACHE, 4, 8);
    check_domain(root, CL_DEVICE_AFFINITY_DOMAIN_L3_CACHE, 8, 4);
    check_domain(root, CL_DEVICE_AFFINITY_DOMAIN_L2_CACHE, 16, 2);
}

TEST(NextPartitionable_goes_down_level_by_level)
{
    const property next[] = {CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN,
                             CL_DEVICE_AFFINITY_DOMAIN_NEXT_PARTITIONABLE, 0};
    const cl_device_affinity_domain levels[] = {CL_DEVICE_AFFINITY_DOMAIN_NUMA,
                                                CL_DEVICE_AFFINITY_DOMAIN_L3_CACHE,
                                                CL_DEVICE_AFFINITY_DOMAIN_L2_CACHE};
    cl_device_id d = device_of(MACHINE), part[3][2];
    for (int i = 0; i < 3; i++) {
        const property done[] = {CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN, (property)levels[i], 0};
        CHECK_EQ(parts_of(d, next, part[i]), 2);
        check_type(part[i][1], done, 3);
        d = part[i][1];
        CHECK_EQ(units_of(d), 4 >> i);
    }
    cl_uint n = 77, most = 77;
    CHECK_EQ(clCreateSubDevices(d, next, 0, NULL, &n), CL_DEVICE_PARTITION_FAILED);
    CHECK_EQ(n, 77);
    CHECK_EQ(domains_of(d), 0);
    property none[4] = {77};
    size_t size = 0;
    OK(clGetDeviceInfo(d, CL_DEVICE_PARTITION_PROPERTIES, sizeof none, none, &size));
    CHECK_EQ(size, sizeof *none);
    CHECK_EQ(none[0], 0);
    OK(clGetDeviceInfo(d, CL_DEVICE_PARTITION_MAX_SUB_DEVICES, sizeof most, &most, NULL));
    CHECK_EQ(most, 0);
    for (int i = 0; i < 3; i++) // parents first: children keep them
        release(part[i], 2);
}

TEST(Queries)
{
    static const struct query_row rows[] = {
#include "runtime/info/device.def"
    };
    cl_device_id root = device_of(MACHINE), part[8];
    const property halves[] = {CL_DEVICE_PARTITION_EQUALLY, 4, 0};
    property list[8];
    size_t size;
    OK(clGetDeviceInfo(root, CL_DEVICE_PARTITION_PROPERTIES, sizeof list, list, &size));
    CHECK_EQ(size, 3 * sizeof *list);
    CHECK_EQ(list[0], CL_DEVICE_PARTITION_EQUALLY);
    CHECK_EQ(list[1], CL_DEVICE_PARTITION_BY_COUNTS);
    CHECK_EQ(list[2], CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN);
    check_type(root, (const property[]){0}, 1);
    CHECK_EQ(parts_of(root, halves, part), 2);
    cl_uchar id[2][CL_UUID_SIZE_KHR];
    for (int i = 0; i < 2; i++)
        OK(clGetDeviceInfo(part[i], CL_DEVICE_UUID_KHR, sizeof id[i], id[i], NULL));
    CHECK(memcmp(id[0], id[1], sizeof id[0]) != 0);
    check_device_queries(part[0], rows, COUNT_OF(rows));
    release(part, 2);
}

TEST(reference_counts)
{
    cl_device_id root = device_of(MACHINE), part[8];
    const property halves[] = {CL_DEVICE_PARTITION_EQUALLY, 4, 0};
    CHECK_EQ(parts_of(root, halves, part), 2);
    CHECK_EQ(count_of(part[0]), 1);
    OK(clRetainDevice(part[0]));
    CHECK_EQ(count_of(part[0]), 2);
    OK(clReleaseDevice(part[0]));
    cl_int err = 1;
    cl_context c = clCreateContext(NULL, 2, part, NULL, NULL, &err);
    OK(err);
    CHECK_EQ(count_of(part[0]), 1); // the application's alone
    OK(clReleaseDevice(part[0]));
    // "After the device reference count becomes zero and all the objects attached to device ... are released"
    CHECK_EQ(units_of(part[0]), 4);
    OK(clReleaseContext(c));
    CHECK_EQ(clReleaseDevice(part[0]), CL_INVALID_DEVICE);
    CHECK_EQ(clRetainDevice(part[0]), CL_INVALID_DEVICE);
    OK(clReleaseDevice(part[1]));
    for (int i = 0; i < 3; i++)
        OK(clReleaseDevice(root));
    CHECK_EQ(count_of(root), 1);
}

TEST(the_platform_has_root_devices_only)
{
    cl_device_id root = device_of(MACHINE), part[8], found[8];
    const property ones[] = {CL_DEVICE_PARTITION_EQUALLY, 1, 0};
    cl_uint n = 0;
    CHECK_EQ(parts_of(root, ones, part), 8);
    OK(clGetDeviceIDs(the_platform(), CL_DEVICE_TYPE_ALL, 8, found, &n));
    CHECK_EQ(n, 1);
    CHECK(found[0] == root);
    release(part, 8);
}

// ---- At work ----

static cl_command_queue queue_of(cl_context c, cl_device_id d, cl_command_queue_properties bits)
{
    const cl_queue_properties p[] = {CL_QUEUE_PROPERTIES, bits, 0};
    cl_int err = 1;
    cl_command_queue q = clCreateCommandQueueWithProperties(c, d, p, &err);
    OK(err);
    return q;
}

static const char variable_source[] =
    "global int calls; kernel void k(global int *p) { if (get_global_id(0) == 0) p[0] = ++calls; }\n";

TEST(a_program_built_for_the_parent_runs_on_its_parts)
{
    cl_device_id root = device_of(MACHINE), part[3];
    const property halves[] = {CL_DEVICE_PARTITION_EQUALLY, 4, 0};
    CHECK_EQ(parts_of(root, halves, part), 2);
    part[2] = root;
    cl_int err = 1;
    cl_context c = clCreateContext(NULL, 3, part, NULL, NULL, &err);
    OK(err);
    cl_program p = new_program(c, variable_source);
    OK(clBuildProgram(p, 1, &root, "-cl-std=CL3.0", NULL, NULL));
    cl_kernel k = new_kernel(p, "k");
    cl_mem m = new_buffer(c, sizeof(cl_int));
    OK(clSetKernelArg(k, 0, sizeof m, &m));
    const size_t items = 1000;
    // "program scope variables ... each device has its own": the n-th call on each.
    for (int i = 0; i < 9; i++) {
        cl_command_queue q = queue_of(c, part[i % 3], i % 2 ? CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE : 0);
        cl_int value = 0;
        OK(clEnqueueNDRangeKernel(q, k, 1, NULL, &items, NULL, 0, NULL, NULL));
        OK(clFinish(q));
        OK(clEnqueueReadBuffer(q, m, CL_TRUE, 0, sizeof value, &value, 0, NULL, NULL));
        CHECK_EQ(value, i / 3 + 1);
        OK(clReleaseCommandQueue(q));
    }
    OK(clReleaseMemObject(m));
    OK(clReleaseKernel(k));
    OK(clReleaseProgram(p));
    OK(clReleaseContext(c));
    release(part, 2);
}

// Without a context of its own a queue can't be made.
TEST(a_queue_needs_a_device_of_its_context)
{
    cl_device_id root = device_of(MACHINE), part[8];
    const property halves[] = {CL_DEVICE_PARTITION_EQUALLY, 4, 0};
    CHECK_EQ(parts_of(root, halves, part), 2);
    cl_int err = 1;
    cl_context c = clCreateContext(NULL, 1, part, NULL, NULL, &err);
    OK(err);
    CHECK(clCreateCommandQueueWithProperties(c, root, NULL, &err) == NULL);
    CHECK_EQ(err, CL_INVALID_DEVICE);
    CHECK(clCreateCommandQueueWithProperties(c, part[1], NULL, &err) == NULL);
    CHECK_EQ(err, CL_INVALID_DEVICE);
    OK(clReleaseContext(c));
    release(part, 2);
}

static void CL_CALLBACK where_am_i(void *arg)
{
    cpu_set_t set;
    int *cpu;
    memcpy(&cpu, arg, sizeof cpu);
    CHECK_EQ(sched_getaffinity(0, sizeof set, &set), 0);
    CHECK_EQ(CPU_COUNT(&set), 1);
    *cpu = sched_getcpu();
    CHECK(CPU_ISSET(*cpu, &set));
}

TEST(each_part_works_on_its_processors)
{
    cl_device_id root = the_device(), part[64]; // of this machine
    const property ones[] = {CL_DEVICE_PARTITION_EQUALLY, 1, 0};
    if (units_of(root) < 2 || units_of(root) > 64)
        SKIP("one processor can't be divided");
    cl_uint n = parts_of(root, ones, part);
    cl_int err = 1;
    cl_context c = clCreateContext(NULL, n, part, NULL, NULL, &err);
    OK(err);
    cl_event first[64], gate = new_user_event(c);
    int cpu[64];
    cl_command_queue q[64];
    for (cl_uint i = 0; i < n; i++) {
        int *to = &cpu[i];
        q[i] = queue_of(c, part[i], 0);
        // Behind one another, through all queues: whoever ends one starts the next.
        OK(clEnqueueNativeKernel(q[i], where_am_i, &to, sizeof to, 0, NULL, NULL, 1,
                                 i ? &first[i - 1] : &gate, &first[i]));
    }
    OK(clSetUserEventStatus(gate, CL_COMPLETE));
    for (cl_uint i = 0; i < n; i++) {
        OK(clFinish(q[i]));
        CHECK_EQ(status_of(first[i]), CL_COMPLETE);
        for (cl_uint j = 0; j < i; j++)
            CHECK(cpu[i] != cpu[j]);
        OK(clReleaseEvent(first[i]));
        OK(clReleaseCommandQueue(q[i]));
    }
    OK(clReleaseEvent(gate));
    OK(clReleaseContext(c));
    release(part, n);
}

// ---- Errors ----

TEST(BadDevice)
{
    const property equally[] = {CL_DEVICE_PARTITION_EQUALLY, 1, 0};
    cl_uint n;
    CHECK_EQ(clCreateSubDevices(not_an_object(the_device()), equally, 0, NULL, &n), CL_INVALID_DEVICE);
}

static cl_int refused(cl_device_id d, const property *how)
{
    cl_device_id out[8] = {0};
    cl_uint n = 77;
    cl_int err = clCreateSubDevices(d, how, 8, out, &n);
    CHECK_EQ(n, 77);
    CHECK(out[0] == NULL);
    return err;
}

TEST(BadProperties)
{
    cl_device_id root = device_of(MACHINE);
    CHECK_EQ(refused(root, NULL), CL_INVALID_VALUE);
    CHECK_EQ(refused(root, (const property[]){0}), CL_INVALID_VALUE);
    CHECK_EQ(refused(root, (const property[]){0x1234, 1, 0}), CL_INVALID_VALUE);
    CHECK_EQ(refused(root, (const property[]){CL_DEVICE_PARTITION_EQUALLY, 0, 0}), CL_INVALID_VALUE);
    CHECK_EQ(refused(root, (const property[]){CL_DEVICE_PARTITION_EQUALLY, -1, 0}), CL_INVALID_VALUE);
    CHECK_EQ(
        refused(root, (const property[]){CL_DEVICE_PARTITION_EQUALLY, 2, CL_DEVICE_PARTITION_EQUALLY, 2, 0}),
        CL_INVALID_VALUE);
    CHECK_EQ(refused(root, (const property[]){CL_DEVICE_PARTITION_BY_COUNTS, 0, 0}), CL_INVALID_VALUE);
    CHECK_EQ(refused(root, (const property[]){CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN, 0, 0}),
             CL_INVALID_VALUE);
    CHECK_EQ(refused(root, (const property[]){CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN, 3, 0}),
             CL_INVALID_VALUE);
    // Valid, but this machine has no such caches.
    CHECK_EQ(refused(root, (const property[]){CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN,
                                              CL_DEVICE_AFFINITY_DOMAIN_L4_CACHE, 0}),
             CL_INVALID_VALUE);
}

// As SYCL's runtimes write it: only with the end of the counts, after which there may be no memory.
TEST(nothing_is_read_beyond_the_counts)
{
    cl_device_id root = device_of(MACHINE), out[2];
    const property list[] = {CL_DEVICE_PARTITION_BY_COUNTS, 1, 2, CL_DEVICE_PARTITION_BY_COUNTS_LIST_END};
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    char *at = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(at != MAP_FAILED);
    CHECK_EQ(mprotect(at + page, page, PROT_NONE), 0);
    const property *last = memcpy(at + page - sizeof list, list, sizeof list);
    cl_uint n = 0;
    CHECK_EQ(clCreateSubDevices(root, last, 2, out, &n), CL_SUCCESS);
    CHECK_EQ(n, 2);
    property reported[5] = {0};
    size_t bytes = 0;
    CHECK_EQ(clGetDeviceInfo(out[0], CL_DEVICE_PARTITION_TYPE, sizeof reported, reported, &bytes),
             CL_SUCCESS);
    CHECK(bytes >= sizeof list && memcmp(reported, list, sizeof list) == 0);
    CHECK_EQ(clReleaseDevice(out[0]), CL_SUCCESS);
    CHECK_EQ(clReleaseDevice(out[1]), CL_SUCCESS);
    munmap(at, 2 * page);
}

TEST(TooManyUnits)
{
    cl_device_id root = device_of(MACHINE);
    CHECK_EQ(refused(root, (const property[]){CL_DEVICE_PARTITION_BY_COUNTS, 4, 5, 0, 0}),
             CL_INVALID_DEVICE_PARTITION_COUNT);
    CHECK_EQ(refused(root, (const property[]){CL_DEVICE_PARTITION_BY_COUNTS, -1, 0, 0}),
             CL_INVALID_DEVICE_PARTITION_COUNT);
    CHECK_EQ(
        refused(root, (const property[]){CL_DEVICE_PARTITION_BY_COUNTS, INTPTR_MAX, INTPTR_MAX, 2, 0, 0}),
        CL_INVALID_DEVICE_PARTITION_COUNT);
    CHECK_EQ(refused(root, (const property[]){CL_DEVICE_PARTITION_EQUALLY, 9, 0}),
             CL_INVALID_DEVICE_PARTITION_COUNT);
}

TEST(TooLittleRoom)
{
    cl_device_id root = device_of(MACHINE), out[8] = {0};
    const property ones[] = {CL_DEVICE_PARTITION_EQUALLY, 1, 0};
    CHECK_EQ(clCreateSubDevices(root, ones, 7, out, NULL), CL_INVALID_VALUE);
    CHECK_EQ(clCreateSubDevices(root, ones, 0, out, NULL), CL_INVALID_VALUE);
    CHECK(out[0] == NULL);
}

TEST(PartitionFailed)
{
    cl_device_id root = device_of("numa:1 core:2 pu:1"), part[2];
    const property ones[] = {CL_DEVICE_PARTITION_EQUALLY, 1, 0};
    CHECK_EQ(refused(root, (const property[]){CL_DEVICE_PARTITION_EQUALLY, 2, 0}),
             CL_DEVICE_PARTITION_FAILED);
    CHECK_EQ(refused(root, (const property[]){CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN,
                                              CL_DEVICE_AFFINITY_DOMAIN_NUMA, 0}),
             CL_DEVICE_PARTITION_FAILED);
    CHECK_EQ(parts_of(root, ones, part), 2);
    CHECK_EQ(refused(part[0], ones), CL_DEVICE_PARTITION_FAILED);
    CHECK_EQ(refused(part[0], (const property[]){CL_DEVICE_PARTITION_BY_COUNTS, 1, 0, 0}),
             CL_DEVICE_PARTITION_FAILED);
    release(part, 2);
}

static void *release_last(void *last)
{
    OK(clReleaseDevice((cl_device_id)last));
    return NULL;
}

// On a thread with a small stack: what goes with the last is as many as there are.
TEST(parts_that_are_the_whole_may_have_parts_without_end)
{
    enum { DEVICES = 10000, STACK = 256 * 1024 };
    cl_device_id root = device_of(MACHINE), d = root;
    const property whole[] = {CL_DEVICE_PARTITION_BY_COUNTS, units_of(root),
                              CL_DEVICE_PARTITION_BY_COUNTS_LIST_END, 0};
    for (int i = 0; i < DEVICES; i++) {
        cl_device_id part;
        OK(clCreateSubDevices(d, whole, 1, &part, NULL));
        if (d != root)
            OK(clReleaseDevice(d));
        d = part;
    }
    pthread_t thread;
    pthread_attr_t attributes;
    CHECK_EQ(pthread_attr_init(&attributes), 0);
    CHECK_EQ(pthread_attr_setstacksize(&attributes, STACK), 0);
    CHECK_EQ(pthread_create(&thread, &attributes, release_last, d), 0);
    CHECK_EQ(pthread_join(thread, NULL), 0);
    CHECK_EQ(pthread_attr_destroy(&attributes), 0);
}
