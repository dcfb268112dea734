// clCreateProgramWithIL: the device takes no intermediate language, which counts before what is given (3.0 §5.8.1).
#include "program_fixture.h"

TEST(is_refused_for_the_device_before_anything_else)
{
    cl_context c = new_context();
    static const unsigned char il[] = {3, 2, 0x23, 7};
    cl_int err = 1;
    CHECK(clCreateProgramWithIL(NULL, NULL, 0, &err) == NULL);
    CHECK_EQ(err, CL_INVALID_CONTEXT);
    CHECK(clCreateProgramWithIL(c, NULL, 0, &err) == NULL);
    CHECK_EQ(err, CL_INVALID_OPERATION);
    CHECK(clCreateProgramWithIL(c, il, sizeof il, &err) == NULL);
    CHECK_EQ(err, CL_INVALID_OPERATION);
    OK(clReleaseContext(c));
}
