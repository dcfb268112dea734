// Many threads, each with a layer of one image, and with images that it creates and releases: texels arrive,
// maps are counted, samplers and images over buffers are destroyed once.
// timeout: 120
// labels: stress
#include "api/image_fixture.h"

enum { THREADS = 4, SIDE = 32, BYTES = SIDE * SIDE * 4 };

static struct world w;
static cl_mem shared; // an array of THREADS layers; thread i uses layer i
static int destroyed, created;

// An image over a buffer, both released while a command uses them.
static void use_and_release(cl_command_queue own, const float *color)
{
    const size_t zero[3] = {0}, all[3] = {SIDE, SIDE, 1};
    cl_mem buffer = make_buffer(w.context, 0, BYTES, NULL);
    const cl_image_desc d = {
        .image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = SIDE, .image_height = SIDE, .mem_object = buffer};
    cl_int error = 1;
    cl_mem image = clCreateImage(w.context, 0, &rgba8, &d, NULL, &error);
    CHECK_EQ(error, CL_SUCCESS);
    __atomic_fetch_add(&created, 2, __ATOMIC_SEQ_CST);
    CHECK_EQ(clSetMemObjectDestructorCallback(buffer, count_destruction, &destroyed), CL_SUCCESS);
    CHECK_EQ(clSetMemObjectDestructorCallback(image, count_destruction, &destroyed), CL_SUCCESS);
    cl_sampler s = clCreateSamplerWithProperties(w.context, NULL, &error);
    CHECK_EQ(error, CL_SUCCESS);
    CHECK_EQ(clEnqueueFillImage(own, image, color, zero, all, 0, NULL, NULL), CL_SUCCESS);
    CHECK_EQ(clReleaseSampler(s), CL_SUCCESS);
    CHECK_EQ(clReleaseMemObject(buffer), CL_SUCCESS);
    CHECK_EQ(clReleaseMemObject(image), CL_SUCCESS);
}

static void *churn(void *arg)
{
    size_t me = (size_t)(uintptr_t)arg;
    uint64_t seed = me + 1;
    cl_command_queue own =
        make_queue(w.context, w.device, me % 2 ? CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE : 0);
    const size_t layer[3] = {0, 0, me}, all[3] = {SIDE, SIDE, 1};
    static unsigned char memory[THREADS][2][BYTES];
    unsigned char *out = memory[me][0], *back = memory[me][1];
    for (int i = 0; i < HARNESS_SCALE(2000); i++) {
        cl_uchar v = (cl_uchar)harness_random(&seed);
        const float color[4] = {(float)v / 255, (float)v / 255, (float)v / 255, (float)v / 255};
        memset(out, v, BYTES);
        switch (harness_random(&seed) % 4) {
        case 0: // the shared queue, in order
            CHECK_EQ(clEnqueueWriteImage(w.queue, shared, CL_TRUE, layer, all, 0, 0, out, 0, NULL, NULL),
                     CL_SUCCESS);
            CHECK_EQ(clEnqueueReadImage(w.queue, shared, CL_TRUE, layer, all, 0, 0, back, 0, NULL, NULL),
                     CL_SUCCESS);
            CHECK_MEM(back, out, BYTES);
            break;
        case 1: { // an event chain
            cl_event a = NULL, b = NULL;
            CHECK_EQ(clEnqueueFillImage(own, shared, color, layer, all, 0, NULL, &a), CL_SUCCESS);
            CHECK_EQ(clEnqueueReadImage(own, shared, CL_FALSE, layer, all, 0, 0, back, 1, &a, &b),
                     CL_SUCCESS);
            CHECK_EQ(clWaitForEvents(1, &b), CL_SUCCESS);
            CHECK_MEM(back, out, BYTES);
            CHECK_EQ(clReleaseEvent(a), CL_SUCCESS);
            CHECK_EQ(clReleaseEvent(b), CL_SUCCESS);
            break;
        }
        case 2: { // a map of one's layer
            cl_int error = 1;
            size_t row = 0, slice = 0;
            unsigned char *p = clEnqueueMapImage(w.queue, shared, CL_TRUE, CL_MAP_WRITE, layer, all, &row,
                                                 &slice, 0, NULL, NULL, &error);
            CHECK_EQ(error, CL_SUCCESS);
            CHECK_EQ(row, SIDE * 4);
            memset(p, v, BYTES);
            CHECK_EQ(clEnqueueUnmapMemObject(w.queue, shared, p, 0, NULL, NULL), CL_SUCCESS);
            break;
        }
        default:
            use_and_release(own, color);
        }
    }
    CHECK_EQ(clFinish(own), CL_SUCCESS);
    CHECK_EQ(clReleaseCommandQueue(own), CL_SUCCESS);
    return NULL;
}

TEST(threads_do_not_disturb_each_other)
{
    w = open_world(0);
    shared = make_image(w.context, 0, rgba8, CL_MEM_OBJECT_IMAGE2D_ARRAY, SIDE, SIDE, THREADS, NULL);
    churn_in_threads(&w, churn, THREADS, shared, &destroyed, &created);
    close_world(&w);
}
