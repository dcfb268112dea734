#include "api/api.h"

static const struct query_row rows[] = {
#include "runtime/info/context.def"
};

static cl_int ask(void *object, cl_uint name, size_t size, void *value, size_t *size_ret)
{
    return clGetContextInfo(object, name, size, value, size_ret);
}

TEST(every_query)
{
    cl_context c = new_context();
    check_queries(ask, c, rows, COUNT_OF(rows), CL_INVALID_CONTEXT);
    OK(clReleaseContext(c));
}

TEST(properties_come_back_as_given)
{
    cl_device_id d = the_device();
    const cl_context_properties p[] = {CL_CONTEXT_PLATFORM, (cl_context_properties)the_platform(), 0};
    cl_context_properties back[8];
    size_t size = 0;
    cl_context c = clCreateContext(p, 1, &d, NULL, NULL, NULL);
    OK(clGetContextInfo(c, CL_CONTEXT_PROPERTIES, sizeof back, back, &size));
    CHECK_EQ(size, sizeof p);
    CHECK_MEM(back, p, sizeof p);
    OK(clReleaseContext(c));
    c = new_context();
    OK(clGetContextInfo(c, CL_CONTEXT_PROPERTIES, sizeof back, back, &size));
    CHECK_EQ(size, 0);
    OK(clReleaseContext(c));
}
