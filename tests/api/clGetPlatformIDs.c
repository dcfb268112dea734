#include "api/api.h"

TEST(finds_one_platform)
{
    cl_uint n = 0;
    OK(clGetPlatformIDs(0, NULL, &n));
    CHECK_EQ(n, 1);
    the_platform();
}

TEST(BadSizes)
{
    cl_platform_id p;
    CHECK_EQ(clGetPlatformIDs(0, &p, NULL), CL_INVALID_VALUE);
    CHECK_EQ(clGetPlatformIDs(0, NULL, NULL), CL_INVALID_VALUE);
}
