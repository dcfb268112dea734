#include "api/api.h"

static const struct query_row rows[] = {
#include "runtime/info/device.def"
};

#define GET(name, type)                                                \
    ({                                                                 \
        type v_;                                                       \
        OK(clGetDeviceInfo(the_device(), name, sizeof v_, &v_, NULL)); \
        v_;                                                            \
    })

TEST(every_query)
{
    check_device_queries(the_device(), rows, COUNT_OF(rows));
}

// The floors that OpenCL 3.0 sets for a device of the full profile.
TEST(minimum_values)
{
    CHECK_GE(GET(CL_DEVICE_MAX_COMPUTE_UNITS, cl_uint), 1);
    CHECK_GE(GET(CL_DEVICE_MAX_WORK_ITEM_DIMENSIONS, cl_uint), 3);
    CHECK_GE(GET(CL_DEVICE_MAX_WORK_GROUP_SIZE, size_t), 4096);
    CHECK_GE(GET(CL_DEVICE_MAX_PARAMETER_SIZE, size_t), 1024);
    CHECK_GE(GET(CL_DEVICE_MAX_CONSTANT_BUFFER_SIZE, cl_ulong), 64 * 1024);
    CHECK_LE(GET(CL_DEVICE_MAX_CONSTANT_BUFFER_SIZE, cl_ulong), 1 << 30); // programs make one of this size
    CHECK_GE(GET(CL_DEVICE_MAX_CONSTANT_ARGS, cl_uint), 8);
    CHECK_GE(GET(CL_DEVICE_LOCAL_MEM_SIZE, cl_ulong), 64 * 1024);
    CHECK_GE(GET(CL_DEVICE_PRINTF_BUFFER_SIZE, size_t), 1024 * 1024);
    CHECK_GE(GET(CL_DEVICE_MIN_DATA_TYPE_ALIGN_SIZE, cl_uint), sizeof(cl_long16));
    CHECK_GE(GET(CL_DEVICE_MEM_BASE_ADDR_ALIGN, cl_uint), 8 * sizeof(cl_long16));
    cl_ulong global = GET(CL_DEVICE_GLOBAL_MEM_SIZE, cl_ulong),
             one = GET(CL_DEVICE_MAX_MEM_ALLOC_SIZE, cl_ulong);
    CHECK_GE(one, global / 4 < 1ull << 30 ? global / 4 : 1ull << 30);
    CHECK_LE(one, global);
    const cl_device_fp_config full = CL_FP_FMA | CL_FP_ROUND_TO_NEAREST | CL_FP_ROUND_TO_ZERO |
                                     CL_FP_ROUND_TO_INF | CL_FP_INF_NAN | CL_FP_DENORM;
    CHECK_EQ(GET(CL_DEVICE_DOUBLE_FP_CONFIG, cl_device_fp_config) & full, full);
    const cl_device_fp_config least = CL_FP_ROUND_TO_NEAREST | CL_FP_INF_NAN;
    CHECK_EQ(GET(CL_DEVICE_SINGLE_FP_CONFIG, cl_device_fp_config) & least, least);
}

TEST(names_the_processor)
{
    char name[256] = "";
    OK(clGetDeviceInfo(the_device(), CL_DEVICE_NAME, sizeof name, name, NULL));
    CHECK(name[0] != 0);
    CHECK(GET(CL_DEVICE_PLATFORM, cl_platform_id) == the_platform());
    CHECK(GET(CL_DEVICE_PARENT_DEVICE, cl_device_id) == NULL);
}

TEST(shares_virtual_memory_at_every_level)
{
    CHECK_EQ(GET(CL_DEVICE_SVM_CAPABILITIES, cl_device_svm_capabilities),
             CL_DEVICE_SVM_COARSE_GRAIN_BUFFER | CL_DEVICE_SVM_FINE_GRAIN_BUFFER |
                 CL_DEVICE_SVM_FINE_GRAIN_SYSTEM | CL_DEVICE_SVM_ATOMICS);
}

TEST(images_are_as_large_as_the_specification_wants)
{
    CHECK_EQ(GET(CL_DEVICE_IMAGE_SUPPORT, cl_bool), CL_TRUE);
    CHECK_GE(GET(CL_DEVICE_IMAGE2D_MAX_WIDTH, size_t), 16384);
    CHECK_GE(GET(CL_DEVICE_IMAGE2D_MAX_HEIGHT, size_t), 16384);
    CHECK_GE(GET(CL_DEVICE_IMAGE3D_MAX_DEPTH, size_t), 2048);
    CHECK_GE(GET(CL_DEVICE_IMAGE_MAX_BUFFER_SIZE, size_t), 65536);
    CHECK_GE(GET(CL_DEVICE_IMAGE_MAX_ARRAY_SIZE, size_t), 2048);
    CHECK_GE(GET(CL_DEVICE_MAX_READ_IMAGE_ARGS, cl_uint), 128);
    CHECK_GE(GET(CL_DEVICE_MAX_READ_WRITE_IMAGE_ARGS, cl_uint), 64);
    CHECK_GE(GET(CL_DEVICE_MAX_SAMPLERS, cl_uint), 16);
}

TEST(device_queues_have_what_the_full_profile_wants)
{
    CHECK_EQ(GET(CL_DEVICE_DEVICE_ENQUEUE_CAPABILITIES, cl_device_device_enqueue_capabilities),
             CL_DEVICE_QUEUE_SUPPORTED | CL_DEVICE_QUEUE_REPLACEABLE_DEFAULT);
    CHECK_EQ(GET(CL_DEVICE_QUEUE_ON_DEVICE_PROPERTIES, cl_command_queue_properties),
             CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_PROFILING_ENABLE);
    CHECK_GE(GET(CL_DEVICE_QUEUE_ON_DEVICE_PREFERRED_SIZE, cl_uint), 16384);
    CHECK_GE(GET(CL_DEVICE_QUEUE_ON_DEVICE_MAX_SIZE, cl_uint), 262144);
    CHECK_GE(GET(CL_DEVICE_MAX_ON_DEVICE_QUEUES, cl_uint), 1);
    CHECK_GE(GET(CL_DEVICE_MAX_ON_DEVICE_EVENTS, cl_uint), 1024);
}

TEST(reports_no_feature_that_is_off)
{
    CHECK_EQ(GET(CL_DEVICE_PIPE_SUPPORT, cl_bool), CL_TRUE);
    CHECK_EQ(GET(CL_DEVICE_MAX_NUM_SUB_GROUPS, cl_uint), GET(CL_DEVICE_MAX_WORK_GROUP_SIZE, size_t));
    CHECK_EQ(GET(CL_DEVICE_SUB_GROUP_INDEPENDENT_FORWARD_PROGRESS, cl_bool), CL_FALSE);
}

TEST(halves_have_all_that_numbers_need)
{
    CHECK_EQ(GET(CL_DEVICE_HALF_FP_CONFIG, cl_device_fp_config),
             CL_FP_DENORM | CL_FP_INF_NAN | CL_FP_ROUND_TO_NEAREST | CL_FP_FMA);
    CHECK_EQ(GET(CL_DEVICE_PREFERRED_VECTOR_WIDTH_HALF, cl_uint), 1);
    CHECK_EQ(GET(CL_DEVICE_NATIVE_VECTOR_WIDTH_HALF, cl_uint),
             GET(CL_DEVICE_NATIVE_VECTOR_WIDTH_SHORT, cl_uint));
}

// A UUID has a version and a variant where RFC 9562 wants them, and stays.
TEST(identifies_device_and_driver)
{
    const cl_device_info names[] = {CL_DEVICE_UUID_KHR, CL_DRIVER_UUID_KHR};
    cl_uchar id[2][CL_UUID_SIZE_KHR], again[CL_UUID_SIZE_KHR];
    for (int i = 0; i < 2; i++) {
        OK(clGetDeviceInfo(the_device(), names[i], sizeof id[i], id[i], NULL));
        OK(clGetDeviceInfo(the_device(), names[i], sizeof again, again, NULL));
        CHECK_EQ(memcmp(id[i], again, sizeof again), 0);
        CHECK_EQ(id[i][6] >> 4, 8);
        CHECK_EQ(id[i][8] >> 6, 2);
    }
    CHECK(memcmp(id[0], id[1], sizeof id[0]) != 0);
    CHECK_EQ(GET(CL_DEVICE_LUID_VALID_KHR, cl_bool), CL_FALSE);
    CHECK_EQ(GET(CL_DEVICE_NODE_MASK_KHR, cl_uint), 0);
}
