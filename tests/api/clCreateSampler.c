// clCreateSampler, clCreateSamplerWithProperties, clGetSamplerInfo, retaining and releasing.
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include "memory_fixture.h"

static cl_int create(cl_context c, const cl_sampler_properties *properties)
{
    cl_int error = 1;
    cl_sampler s = clCreateSamplerWithProperties(c, properties, &error);
    CHECK_EQ(s != NULL, error == CL_SUCCESS);
    if (s)
        CHECK_EQ(clReleaseSampler(s), CL_SUCCESS);
    return error;
}

#define LIST(...) ((const cl_sampler_properties[]){__VA_ARGS__, 0})

TEST(wrong_arguments)
{
    struct world w = open_world(0);
    cl_int error = 1;
    CHECK_EQ(create(NULL, NULL), CL_INVALID_CONTEXT);
    CHECK_EQ(create((cl_context)w.queue, NULL), CL_INVALID_CONTEXT);
    CHECK_EQ(create(w.context, LIST(1, 1)), CL_INVALID_VALUE);
    CHECK_EQ(create(w.context, LIST(CL_SAMPLER_NORMALIZED_COORDS, 2)), CL_INVALID_VALUE);
    CHECK_EQ(create(w.context, LIST(CL_SAMPLER_ADDRESSING_MODE, CL_FILTER_LINEAR)), CL_INVALID_VALUE);
    CHECK_EQ(create(w.context, LIST(CL_SAMPLER_FILTER_MODE, CL_ADDRESS_CLAMP)), CL_INVALID_VALUE);
    CHECK_EQ(
        create(w.context, LIST(CL_SAMPLER_FILTER_MODE, CL_FILTER_LINEAR | (cl_sampler_properties)1 << 32)),
        CL_INVALID_VALUE);
    CHECK_EQ(create(w.context,
                    LIST(CL_SAMPLER_FILTER_MODE, CL_FILTER_LINEAR, CL_SAMPLER_FILTER_MODE, CL_FILTER_LINEAR)),
             CL_INVALID_VALUE);
    CHECK_EQ(create(w.context, LIST(CL_SAMPLER_FILTER_MODE, CL_FILTER_LINEAR)), CL_SUCCESS);
    CHECK(clCreateSampler(w.context, 7, CL_ADDRESS_CLAMP, CL_FILTER_LINEAR, &error) == NULL);
    CHECK_EQ(error, CL_INVALID_VALUE);
    CHECK(clCreateSampler(w.context, CL_TRUE, 7, CL_FILTER_LINEAR, &error) == NULL);
    CHECK_EQ(error, CL_INVALID_VALUE);
    CHECK(clCreateSampler(w.context, CL_TRUE, CL_ADDRESS_CLAMP, 7, &error) == NULL);
    CHECK_EQ(error, CL_INVALID_VALUE);
    CHECK(clCreateSampler(NULL, CL_TRUE, CL_ADDRESS_CLAMP, CL_FILTER_LINEAR, &error) == NULL);
    CHECK_EQ(error, CL_INVALID_CONTEXT);
    close_world(&w);
}

static void expect(cl_sampler s, cl_bool normalized, cl_addressing_mode addressing, cl_filter_mode filter)
{
    cl_uint value = 77;
    CHECK_EQ(clGetSamplerInfo(s, CL_SAMPLER_NORMALIZED_COORDS, sizeof value, &value, NULL), CL_SUCCESS);
    CHECK_EQ(value, normalized);
    CHECK_EQ(clGetSamplerInfo(s, CL_SAMPLER_ADDRESSING_MODE, sizeof value, &value, NULL), CL_SUCCESS);
    CHECK_EQ(value, addressing);
    CHECK_EQ(clGetSamplerInfo(s, CL_SAMPLER_FILTER_MODE, sizeof value, &value, NULL), CL_SUCCESS);
    CHECK_EQ(value, filter);
}

TEST(values_and_defaults)
{
    struct world w = open_world(0);
    cl_int error = 1;
    cl_sampler s = clCreateSamplerWithProperties(w.context, NULL, &error);
    CHECK_EQ(error, CL_SUCCESS);
    expect(s, CL_TRUE, CL_ADDRESS_CLAMP, CL_FILTER_NEAREST);
    size_t size = 77;
    CHECK_EQ(clGetSamplerInfo(s, CL_SAMPLER_PROPERTIES, 0, NULL, &size), CL_SUCCESS);
    CHECK_EQ(size, 0);
    CHECK_EQ(clReleaseSampler(s), CL_SUCCESS);
    s = clCreateSamplerWithProperties(
        w.context,
        LIST(CL_SAMPLER_ADDRESSING_MODE, CL_ADDRESS_REPEAT, CL_SAMPLER_NORMALIZED_COORDS, CL_FALSE), &error);
    CHECK_EQ(error, CL_SUCCESS);
    expect(s, CL_FALSE, CL_ADDRESS_REPEAT, CL_FILTER_NEAREST);
    cl_sampler_properties back[8] = {0};
    CHECK_EQ(clGetSamplerInfo(s, CL_SAMPLER_PROPERTIES, sizeof back, back, &size), CL_SUCCESS);
    CHECK_EQ(size, 5 * sizeof *back);
    CHECK_EQ(back[1], CL_ADDRESS_REPEAT);
    CHECK_EQ(clReleaseSampler(s), CL_SUCCESS);
    s = clCreateSampler(w.context, CL_FALSE, CL_ADDRESS_MIRRORED_REPEAT, CL_FILTER_LINEAR, &error);
    CHECK_EQ(error, CL_SUCCESS);
    expect(s, CL_FALSE, CL_ADDRESS_MIRRORED_REPEAT, CL_FILTER_LINEAR);
    CHECK_EQ(clReleaseSampler(s), CL_SUCCESS);
    close_world(&w);
}

static const struct {
    cl_sampler_info name;
    size_t size; // 0: an array, empty here
} rows[] = {
#define WEFT_INFO_VALUE(name, type, expression) {name, sizeof(type)},
#define WEFT_INFO_ARRAY(name, type, pointer, count) {name, 0},
#include "runtime/info/sampler.def"
};

TEST(every_row_follows_the_rules_of_queries)
{
    struct world w = open_world(0);
    cl_int error = 1;
    cl_sampler s = clCreateSamplerWithProperties(w.context, NULL, &error);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        unsigned char value[32];
        size_t size = 99;
        CHECK_EQ(clGetSamplerInfo(s, rows[i].name, 0, NULL, &size), CL_SUCCESS);
        CHECK_EQ(size, rows[i].size);
        CHECK_EQ(clGetSamplerInfo(s, rows[i].name, sizeof value, value, NULL), CL_SUCCESS);
        if (size)
            CHECK_EQ(clGetSamplerInfo(s, rows[i].name, size - 1, value, NULL), CL_INVALID_VALUE);
        CHECK_EQ(clGetSamplerInfo((cl_sampler)w.queue, rows[i].name, sizeof value, value, NULL),
                 CL_INVALID_SAMPLER);
    }
    CHECK_EQ(clGetSamplerInfo(s, CL_SAMPLER_REFERENCE_COUNT - 1, 0, NULL, NULL), CL_INVALID_VALUE);
    CHECK_EQ(clReleaseSampler(s), CL_SUCCESS);
    close_world(&w);
}

TEST(references_are_counted)
{
    struct world w = open_world(0);
    cl_int error = 1;
    cl_uint count = 0;
    cl_sampler s = clCreateSamplerWithProperties(w.context, NULL, &error);
    CHECK_EQ(clRetainSampler(s), CL_SUCCESS);
    CHECK_EQ(clGetSamplerInfo(s, CL_SAMPLER_REFERENCE_COUNT, sizeof count, &count, NULL), CL_SUCCESS);
    CHECK_EQ(count, 2);
    CHECK_EQ(clReleaseSampler(s), CL_SUCCESS);
    CHECK_EQ(clReleaseSampler(s), CL_SUCCESS);
    CHECK_EQ(clReleaseSampler(s), CL_INVALID_SAMPLER);
    CHECK_EQ(clRetainSampler(s), CL_INVALID_SAMPLER);
    CHECK_EQ(clRetainSampler(NULL), CL_INVALID_SAMPLER);
    CHECK_EQ(clReleaseSampler(NULL), CL_INVALID_SAMPLER);
    close_world(&w);
}
