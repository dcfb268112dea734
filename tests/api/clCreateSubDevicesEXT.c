// cl_ext_device_fission: clCreateSubDevicesEXT, clRetainDeviceEXT, clReleaseDeviceEXT and the queries, found
// as programs of OpenCL 1.1 find them.
#include "api/program_fixture.h"

#define MACHINE "numa:2 l3:2 l2:2 core:1 pu:1" // 8 units

typedef cl_device_partition_property_ext property;

static struct {
    clCreateSubDevicesEXT_fn create;
    clRetainDeviceEXT_fn retain;
    clReleaseDeviceEXT_fn release;
} ext;

static cl_device_id device_of(const char *synthetic)
{
    setenv("WEFT_HWLOC_SYNTHETIC", synthetic, 1); // before the first call
    cl_device_id d = the_device();
    cl_platform_id p = NULL;
    OK(clGetDeviceInfo(d, CL_DEVICE_PLATFORM, sizeof p, &p, NULL));
#define FIND(fn) (fn##_fn) clGetExtensionFunctionAddressForPlatform(p, #fn)
    ext.create = FIND(clCreateSubDevicesEXT);
    ext.retain = FIND(clRetainDeviceEXT);
    ext.release = FIND(clReleaseDeviceEXT);
    CHECK(ext.create && ext.retain && ext.release);
    return d;
}

static cl_uint units_of(cl_device_id d)
{
    cl_uint n = 0;
    OK(clGetDeviceInfo(d, CL_DEVICE_MAX_COMPUTE_UNITS, sizeof n, &n, NULL));
    return n;
}

static void check_list(cl_device_id d, cl_device_info name, const property *expected, size_t count)
{
    property got[16];
    size_t size = 77;
    OK(clGetDeviceInfo(d, name, 0, NULL, &size));
    CHECK_EQ(size, count * sizeof *got);
    OK(clGetDeviceInfo(d, name, sizeof got, got, &size));
    CHECK_EQ(size, count * sizeof *got);
    for (size_t i = 0; i < count; i++)
        CHECK_EQ(got[i], expected[i]);
    if (count)
        CHECK_EQ(clGetDeviceInfo(d, name, size - 1, got, NULL), CL_INVALID_VALUE);
}

// Partitions d and checks how the parts say that they came to be: as `style`.
static void check_parts(cl_device_id d, const property *how, const property *style, size_t entries,
                        cl_uint parts, const cl_uint *units)
{
    cl_device_id part[16], parent = NULL;
    cl_uint n = 77, count = 77;
    OK(ext.create(d, how, 0, NULL, &n));
    CHECK_EQ(n, parts);
    CHECK_EQ(ext.create(d, how, n - 1, part, NULL), CL_INVALID_VALUE);
    OK(ext.create(d, how, n, part, NULL));
    for (cl_uint i = 0; i < n; i++) {
        CHECK_EQ(units_of(part[i]), units[i]);
        check_list(part[i], CL_DEVICE_PARTITION_STYLE_EXT, style, entries);
        OK(clGetDeviceInfo(part[i], CL_DEVICE_PARENT_DEVICE_EXT, sizeof parent, &parent, NULL));
        CHECK(parent == d);
        OK(ext.retain(part[i]));
        OK(clGetDeviceInfo(part[i], CL_DEVICE_REFERENCE_COUNT_EXT, sizeof count, &count, NULL));
        CHECK_EQ(count, 2);
        OK(ext.release(part[i]));
        OK(clGetDeviceInfo(part[i], CL_DEVICE_REFERENCE_COUNT_EXT, sizeof count, &count, NULL));
        CHECK_EQ(count, 1);
        OK(ext.release(part[i]));
        CHECK_EQ(ext.release(part[i]), CL_INVALID_DEVICE);
    }
}

TEST(each_way_to_partition)
{
    cl_device_id root = device_of(MACHINE);
    const property end = CL_PROPERTIES_LIST_END_EXT;
    const property equally[] = {CL_DEVICE_PARTITION_EQUALLY_EXT, 3, end};
    check_parts(root, equally, equally, 3, 2, (const cl_uint[]){3, 3});
    const property counts[] = {CL_DEVICE_PARTITION_BY_COUNTS_EXT,   5,  1, 2,
                               CL_PARTITION_BY_COUNTS_LIST_END_EXT, end};
    check_parts(root, counts, counts, 6, 3, (const cl_uint[]){5, 1, 2});
    const property l3[] = {CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN_EXT, CL_AFFINITY_DOMAIN_L3_CACHE_EXT, end};
    check_parts(root, l3, l3, 3, 4, (const cl_uint[]){2, 2, 2, 2});
    const property next[] = {CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN_EXT,
                             CL_AFFINITY_DOMAIN_NEXT_FISSIONABLE_EXT, end};
    const property numa[] = {CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN_EXT, CL_AFFINITY_DOMAIN_NUMA_EXT, end};
    check_parts(root, next, numa, 3, 2, (const cl_uint[]){4, 4});
}

TEST(what_a_device_says_of_itself)
{
    cl_device_id root = device_of(MACHINE), parent = root;
    cl_uint count = 77;
    OK(clGetDeviceInfo(root, CL_DEVICE_PARENT_DEVICE_EXT, sizeof parent, &parent, NULL));
    CHECK(!parent);
    OK(clGetDeviceInfo(root, CL_DEVICE_REFERENCE_COUNT_EXT, sizeof count, &count, NULL));
    CHECK_EQ(count, 1);
    check_list(root, CL_DEVICE_PARTITION_STYLE_EXT, (const property[]){CL_PROPERTIES_LIST_END_EXT}, 1);
    check_list(root, CL_DEVICE_PARTITION_TYPES_EXT,
               (const property[]){CL_DEVICE_PARTITION_EQUALLY_EXT, CL_DEVICE_PARTITION_BY_COUNTS_EXT,
                                  CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN_EXT},
               3);
    check_list(root, CL_DEVICE_AFFINITY_DOMAINS_EXT,
               (const property[]){CL_AFFINITY_DOMAIN_L2_CACHE_EXT, CL_AFFINITY_DOMAIN_L3_CACHE_EXT,
                                  CL_AFFINITY_DOMAIN_NUMA_EXT, CL_AFFINITY_DOMAIN_NEXT_FISSIONABLE_EXT},
               4);
    char names[8192] = "";
    OK(clGetDeviceInfo(root, CL_DEVICE_EXTENSIONS, sizeof names, names, NULL));
    CHECK(strstr(names, "cl_ext_device_fission"));
}

TEST(a_device_of_one_unit_has_no_ways)
{
    cl_device_id root = device_of("numa:1 core:1 pu:1");
    check_list(root, CL_DEVICE_PARTITION_TYPES_EXT, NULL, 0);
    check_list(root, CL_DEVICE_AFFINITY_DOMAINS_EXT, NULL, 0);
    cl_uint n;
    CHECK_EQ(ext.create(root, (const property[]){CL_DEVICE_PARTITION_EQUALLY_EXT, 1, 0}, 0, NULL, &n),
             CL_DEVICE_PARTITION_FAILED_EXT);
}

TEST(a_part_runs_kernels)
{
    cl_device_id root = device_of(MACHINE), part = NULL;
    const property one[] = {CL_DEVICE_PARTITION_BY_COUNTS_EXT, 3, CL_PARTITION_BY_COUNTS_LIST_END_EXT, 0};
    OK(ext.create(root, one, 1, &part, NULL));
    cl_int err = 1, four = 4;
    cl_context c = clCreateContext(NULL, 1, &part, NULL, NULL, &err);
    OK(err);
    OK(ext.release(part)); // the context keeps it
    cl_command_queue q = clCreateCommandQueue(c, part, 0, &err);
    OK(err);
    cl_mem m = clCreateBuffer(c, 0, 4000, NULL, &err);
    OK(err);
    OK(clEnqueueFillBuffer(q, m, &four, 4, 0, 4000, 0, NULL, NULL));
    OK(clEnqueueReadBuffer(q, m, CL_TRUE, 3996, 4, &err, 0, NULL, NULL));
    CHECK_EQ(err, 4);
    OK(clReleaseMemObject(m));
    OK(clReleaseCommandQueue(q));
    OK(clReleaseContext(c));
}

TEST(what_is_refused)
{
    cl_device_id root = device_of(MACHINE), out[16];
    const property equally[] = {CL_DEVICE_PARTITION_EQUALLY_EXT, 1, 0};
    cl_uint n = 77;
    CHECK_EQ(ext.create(NULL, equally, 0, NULL, &n), CL_INVALID_DEVICE);
    CHECK_EQ(ext.create(not_an_object(root), equally, 0, NULL, &n), CL_INVALID_DEVICE);
    CHECK_EQ(ext.retain(NULL), CL_INVALID_DEVICE);
    CHECK_EQ(ext.release(NULL), CL_INVALID_DEVICE);
    CHECK_EQ(ext.create(root, equally, 0, out, &n), CL_INVALID_VALUE);
    CHECK_EQ(ext.create(root, equally, 0, NULL, NULL), CL_INVALID_VALUE);
    const struct {
        cl_int err;
        property how[6];
    } bad[] = {
        {CL_INVALID_VALUE, {0}},
        {CL_INVALID_VALUE, {CL_DEVICE_PARTITION_EQUALLY, 1, 0}}, // OpenCL 1.2's name
        {CL_INVALID_VALUE, {CL_DEVICE_PARTITION_BY_NAMES_EXT, 0, CL_PARTITION_BY_NAMES_LIST_END_EXT, 0}},
        {CL_INVALID_VALUE, {CL_DEVICE_PARTITION_EQUALLY_EXT, 0, 0}},
        {CL_INVALID_VALUE, {CL_DEVICE_PARTITION_EQUALLY_EXT, 1, CL_DEVICE_PARTITION_EQUALLY_EXT, 1, 0}},
        {CL_INVALID_VALUE, {CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN_EXT, 5, 0}},
        {CL_INVALID_VALUE,
         {CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN_EXT, CL_DEVICE_AFFINITY_DOMAIN_L2_CACHE, 0}},
        {CL_INVALID_PARTITION_COUNT_EXT, {CL_DEVICE_PARTITION_EQUALLY_EXT, 9, 0}},
        {CL_INVALID_PARTITION_COUNT_EXT, {CL_DEVICE_PARTITION_BY_COUNTS_EXT, 8, 1, 0, 0}},
        {CL_INVALID_PARTITION_COUNT_EXT, {CL_DEVICE_PARTITION_BY_COUNTS_EXT, (property)-1, 0, 0}},
        {CL_DEVICE_PARTITION_FAILED_EXT, {CL_DEVICE_PARTITION_EQUALLY_EXT, 8, 0}},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        CHECK_EQ(ext.create(root, bad[i].how, 0, NULL, &n), bad[i].err);
    CHECK_EQ(ext.create(root, NULL, 0, NULL, &n), CL_INVALID_VALUE);
    CHECK_EQ(n, 77);
}
