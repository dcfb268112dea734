// Stores past the caches by wish, whatever the launch touches.
// env: WEFT_TIER=2
// env: WEFT_NONTEMPORAL=always
#include "fixture.h"

TEST(what_is_wished_for_is_done)
{
    struct fixture f = fixture_of_kernel("streams");
    int said = 77;
    const size_t items = 64;
    cl_mem out = fixture_buffer(&f, sizeof said, &said);
    CHECK_EQ(weft_clSetKernelArg(f.kernel, 0, sizeof out, &out), CL_SUCCESS);
    for (int round = 0; round < 2; round++) { // the first launch is planned before there is code
        CHECK_EQ(weft_clEnqueueNDRangeKernel(f.queue, f.kernel, 1, NULL, &items, NULL, 0, NULL, NULL),
                 CL_SUCCESS);
        CHECK_EQ(weft_clEnqueueReadBuffer(f.queue, out, CL_TRUE, 0, sizeof said, &said, 0, NULL, NULL),
                 CL_SUCCESS);
    }
    CHECK_EQ(said, 0);
    CHECK_EQ(weft_clReleaseMemObject(out), CL_SUCCESS);
    fixture_close(&f);
}
