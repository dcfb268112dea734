// Kernels of one command buffer that treat denormal floats differently: each replay runs each in its mode
// (-cl-denorms-are-zero).
// timeout: 120
#include "command_buffer_fixture.h"

static cl_kernel halver(struct place *w, const char *options)
{
    const char *source = "kernel void halve(global float *p, int i) { p[i] = p[0] * 0.5f; }";
    cl_int error = 1;
    cl_program p = clCreateProgramWithSource(w->context, 1, &source, NULL, &error);
    CHECK_EQ(error, CL_SUCCESS);
    CHECK_EQ(clBuildProgram(p, 0, NULL, options, NULL, NULL), CL_SUCCESS);
    cl_kernel k = clCreateKernel(p, "halve", &error);
    CHECK_EQ(error, CL_SUCCESS);
    CHECK_EQ(clReleaseProgram(p), CL_SUCCESS);
    return k;
}

TEST(each_kernel_runs_in_its_mode)
{
    enum { KERNELS = 8, REPLAYS = 3 };
    struct place w = open_place(0);
    cl_kernel kernels[] = {halver(&w, ""), halver(&w, "-cl-denorms-are-zero")};
    buffer_handle b = make_command_buffer(&w, 0);
    for (cl_int i = 1; i <= KERNELS; i++) {
        const size_t one = 1;
        CHECK_EQ(clSetKernelArg(kernels[i & 1], 0, sizeof w.data, &w.data), CL_SUCCESS);
        CHECK_EQ(clSetKernelArg(kernels[i & 1], 1, sizeof i, &i), CL_SUCCESS);
        CHECK_EQ(clCommandNDRangeKernelKHR(b, NULL, NULL, kernels[i & 1], 1, NULL, &one, NULL, 0, NULL, NULL,
                                           NULL),
                 CL_SUCCESS);
    }
    CHECK_EQ(clFinalizeCommandBufferKHR(b), CL_SUCCESS);
    for (int replays = 0; replays < REPLAYS; replays++) {
        cl_float p[KERNELS + 1] = {1e-40f, 7, 7, 7, 7, 7, 7, 7, 7};
        CHECK_EQ(clEnqueueWriteBuffer(w.queue, w.data, CL_TRUE, 0, sizeof p, p, 0, NULL, NULL), CL_SUCCESS);
        replay(b);
        CHECK_EQ(clEnqueueReadBuffer(w.queue, w.data, CL_TRUE, 0, sizeof p, p, 0, NULL, NULL), CL_SUCCESS);
        for (int i = 1; i <= KERNELS; i++)
            CHECK_EQ(p[i], i & 1 ? 0 : 1e-40f * 0.5f);
    }
    CHECK_EQ(clReleaseCommandBufferKHR(b), CL_SUCCESS);
    CHECK_EQ(clReleaseKernel(kernels[0]), CL_SUCCESS);
    CHECK_EQ(clReleaseKernel(kernels[1]), CL_SUCCESS);
    close_place(&w);
}
