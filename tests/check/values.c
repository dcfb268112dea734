// Kernels compute the same with values followed (kind uninit), also with lanes. docs/check.md.
// timeout: 120
// env: WEFT_CHECK=uninit
// env: WEFT_TIER=2
// env: WEFT_CACHE=0
#include "e2e/e2e.h"

enum { ITEMS = 64 };

// The fourth element of such a vector is open.
TEST(vectors_of_three_keep_their_values)
{
    struct e2e t = e2e_open();
    unsigned char numbers[3 * ITEMS], got[sizeof numbers] = {0};
    cl_int error = 1;
    for (size_t i = 0; i < sizeof numbers; i++)
        numbers[i] = (unsigned char)(i * 7);
    cl_kernel k = e2e_kernel(
        &t,
        "kernel void threes(global const uchar *in, int n, int m, global uchar *out, float scale)\n"
        "{\n"
        "    int x = get_global_id(0), y = get_global_id(1);\n"
        "    if (x < n && y < m) {\n"
        "        int from = min(convert_int_rtz(x * scale), n - 1);\n"
        "        uchar3 v = vload3(0, in + mad24(y, n, from * 3));\n"
        "        vstore3(v, 0, out + mad24(y, n, x * 3));\n"
        "    }\n"
        "}\n",
        "", "threes");
    const cl_int n = ITEMS;
    const size_t items[] = {ITEMS, 1};
    cl_mem in = clCreateBuffer(t.context, CL_MEM_COPY_HOST_PTR, sizeof numbers, numbers, &error);
    CHECK_EQ(error, CL_SUCCESS);
    cl_mem out = clCreateBuffer(t.context, 0, sizeof got, NULL, &error);
    CHECK_EQ(error, CL_SUCCESS);
    E2E_ARG(k, 0, in);
    const cl_int one = 1;
    const cl_float scale = 1;
    E2E_ARG(k, 1, n);
    E2E_ARG(k, 2, one);
    E2E_ARG(k, 3, out);
    E2E_ARG(k, 4, scale);
    CHECK_EQ(clEnqueueNDRangeKernel(t.queue, k, 2, NULL, items, NULL, 0, NULL, NULL), CL_SUCCESS);
    CHECK_EQ(clEnqueueReadBuffer(t.queue, out, CL_TRUE, 0, sizeof got, got, 0, NULL, NULL), CL_SUCCESS);
    CHECK(memcmp(got, numbers, sizeof got) == 0);
    clReleaseMemObject(in);
    clReleaseMemObject(out);
    clReleaseKernel(k);
    e2e_close(&t);
}
