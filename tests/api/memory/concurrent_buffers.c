// Many threads with queues and buffers, their own and shared ones: bytes arrive, maps are counted, objects
// are destroyed once.
// timeout: 120
// labels: stress
#include "api/memory_fixture.h"

enum { THREADS = 4, SLOT = 4096 };

static struct world w;
static cl_mem shared; // THREADS slots; thread i uses slot i
static int destroyed, created;

static void *churn(void *arg)
{
    size_t me = (size_t)(uintptr_t)arg;
    uint64_t seed = me + 1;
    cl_command_queue own =
        make_queue(w.context, w.device, me % 2 ? CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE : 0);
    unsigned char out[SLOT], back[SLOT];
    for (int i = 0; i < HARNESS_SCALE(4000); i++) {
        cl_uchar v = (cl_uchar)harness_random(&seed);
        memset(out, v, SLOT);
        switch (harness_random(&seed) % 4) {
        case 0: { // the shared queue, in order
            CHECK_EQ(clEnqueueWriteBuffer(w.queue, shared, CL_TRUE, me * SLOT, SLOT, out, 0, NULL, NULL),
                     CL_SUCCESS);
            CHECK_EQ(clEnqueueReadBuffer(w.queue, shared, CL_TRUE, me * SLOT, SLOT, back, 0, NULL, NULL),
                     CL_SUCCESS);
            CHECK_MEM(back, out, SLOT);
            break;
        }
        case 1: { // an event chain
            cl_event a = NULL, b = NULL;
            CHECK_EQ(clEnqueueFillBuffer(own, shared, &v, 1, me * SLOT, SLOT, 0, NULL, &a), CL_SUCCESS);
            CHECK_EQ(clEnqueueReadBuffer(own, shared, CL_FALSE, me * SLOT, SLOT, back, 1, &a, &b),
                     CL_SUCCESS);
            CHECK_EQ(clWaitForEvents(1, &b), CL_SUCCESS);
            CHECK_MEM(back, out, SLOT);
            CHECK_EQ(clReleaseEvent(a), CL_SUCCESS);
            CHECK_EQ(clReleaseEvent(b), CL_SUCCESS);
            break;
        }
        case 2: { // a map of one's slot
            cl_int error = 1;
            unsigned char *p = clEnqueueMapBuffer(w.queue, shared, CL_TRUE, CL_MAP_WRITE, me * SLOT, SLOT, 0,
                                                  NULL, NULL, &error);
            CHECK_EQ(error, CL_SUCCESS);
            memset(p, v, SLOT);
            CHECK_EQ(clEnqueueUnmapMemObject(w.queue, shared, p, 0, NULL, NULL), CL_SUCCESS);
            break;
        }
        default: { // a buffer and its sub-buffer, released while used
            cl_mem m = make_buffer(w.context, 0, 2 * SLOT, NULL), sub = make_sub(m, SLOT, SLOT);
            __atomic_fetch_add(&created, 2, __ATOMIC_SEQ_CST);
            CHECK_EQ(clSetMemObjectDestructorCallback(m, count_destruction, &destroyed), CL_SUCCESS);
            CHECK_EQ(clSetMemObjectDestructorCallback(sub, count_destruction, &destroyed), CL_SUCCESS);
            cl_event e = NULL;
            CHECK_EQ(clEnqueueFillBuffer(own, m, &v, 1, 0, SLOT, 0, NULL, &e), CL_SUCCESS);
            CHECK_EQ(clEnqueueCopyBuffer(own, m, sub, 0, 0, SLOT, 1, &e, NULL), CL_SUCCESS);
            CHECK_EQ(clReleaseEvent(e), CL_SUCCESS);
            CHECK_EQ(clReleaseMemObject(m), CL_SUCCESS);
            CHECK_EQ(clReleaseMemObject(sub), CL_SUCCESS);
        }
        }
    }
    CHECK_EQ(clFinish(own), CL_SUCCESS);
    CHECK_EQ(clReleaseCommandQueue(own), CL_SUCCESS);
    return NULL;
}

TEST(threads_do_not_disturb_each_other)
{
    w = open_world(0);
    shared = make_buffer(w.context, 0, THREADS * SLOT, NULL);
    churn_in_threads(&w, churn, THREADS, shared, &destroyed, &created);
    close_world(&w);
}
