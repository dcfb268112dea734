// clSVMAlloc, clSVMFree, and buffers over shared virtual memory.
#include "memory_fixture.h"

#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

static cl_ulong device_ulong(cl_device_id d, cl_device_info name)
{
    cl_ulong value = 0;
    CHECK_EQ(clGetDeviceInfo(d, name, sizeof value, &value, NULL), CL_SUCCESS);
    return value;
}

TEST(what_cannot_be_allocated_is_NULL)
{
    struct world w = open_world(0);
    CHECK(clSVMAlloc(NULL, CL_MEM_READ_WRITE, 64, 0) == NULL);
    CHECK(clSVMAlloc(w.context, CL_MEM_SVM_ATOMICS, 64, 0) == NULL);
    CHECK(clSVMAlloc(w.context, CL_MEM_READ_WRITE | CL_MEM_READ_ONLY, 64, 0) == NULL);
    CHECK(clSVMAlloc(w.context, CL_MEM_USE_HOST_PTR, 64, 0) == NULL);
    CHECK(clSVMAlloc(w.context, (cl_svm_mem_flags)1 << 60, 64, 0) == NULL);
    CHECK(clSVMAlloc(w.context, CL_MEM_READ_WRITE, 0, 0) == NULL);
    cl_ulong most = device_ulong(w.device, CL_DEVICE_MAX_MEM_ALLOC_SIZE);
    CHECK(clSVMAlloc(w.context, CL_MEM_READ_WRITE, (size_t)most + 1, 0) == NULL);
    CHECK(clSVMAlloc(w.context, CL_MEM_READ_WRITE, SIZE_MAX, 0) == NULL);
    CHECK(clSVMAlloc(w.context, CL_MEM_READ_WRITE, 64, 3) == NULL);
    CHECK(clSVMAlloc(w.context, CL_MEM_READ_WRITE, 64, 256) == NULL);
    close_world(&w);
}

TEST(what_is_allocated_is_aligned_and_writable)
{
    struct world w = open_world(0);
    const cl_svm_mem_flags flags[] = {0,
                                      CL_MEM_READ_WRITE,
                                      CL_MEM_READ_ONLY,
                                      CL_MEM_WRITE_ONLY,
                                      CL_MEM_READ_WRITE | CL_MEM_SVM_FINE_GRAIN_BUFFER,
                                      CL_MEM_SVM_FINE_GRAIN_BUFFER | CL_MEM_SVM_ATOMICS};
    const size_t sizes[] = {1, 100, 4096, 1 << 20, 9 << 20};
    for (size_t f = 0; f < sizeof flags / sizeof *flags; f++)
        for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
            for (cl_uint align = 0; align <= 128; align = align ? 2 * align : 1) {
                unsigned char *p = clSVMAlloc(w.context, flags[f], sizes[s], align);
                CHECK(p != NULL);
                CHECK_EQ((uintptr_t)p % (align ? align : 128), 0);
                memset(p, 0x5a, sizes[s]);
                clSVMFree(w.context, p);
            }
    clSVMFree(w.context, NULL);
    close_world(&w);
}

// Nothing is freed that isn't the beginning of an allocation of the context.
TEST(foreign_pointers_are_not_freed)
{
    struct world w = open_world(0);
    unsigned char *p = clSVMAlloc(w.context, CL_MEM_READ_WRITE, 1000, 0);
    CHECK(p != NULL);
    memset(p, 7, 1000);
    int mine = 5;
    clSVMFree(w.context, &mine);
    clSVMFree(w.context, p + 1);
    clSVMFree(w.context, p + 1000);
    clSVMFree(w.other, p);
    clSVMFree(NULL, p);
    for (int i = 0; i < 1000; i++)
        CHECK_EQ(p[i], 7);
    CHECK_EQ(mine, 5);
    clSVMFree(w.context, p);
    clSVMFree(w.context, p); // once more is too late, and no harm
    close_world(&w);
}

// Freed in another order than made, found by any address meanwhile; what is left goes with the context.
TEST(many_allocations)
{
    struct world w = open_world(0);
    enum { N = 20000 };
    unsigned char **p = calloc(N, sizeof *p);
    CHECK(p != NULL);
    for (size_t i = 0; i < N; i++) {
        p[i] = clSVMAlloc(w.context, CL_MEM_READ_WRITE, 1 + i % 300, 0);
        CHECK(p[i] != NULL);
        memset(p[i], (int)(i % 255), 1 + i % 300);
    }
    for (size_t i = 0; i < N; i++) {
        size_t at = i * 7919 % N;
        for (size_t k = 0; k < 1 + at % 300; k++)
            CHECK_EQ(p[at][k], at % 255);
        CHECK(is_shared(w.queue, p[at] + at % 300));
        if (i < N / 2)
            clSVMFree(w.context, p[at]);
    }
    CHECK_EQ(clFinish(w.queue), CL_SUCCESS);
    free(p);
    close_world(&w);
}

static cl_bool uses_svm(cl_mem m)
{
    cl_bool uses = 99;
    CHECK_EQ(clGetMemObjectInfo(m, CL_MEM_USES_SVM_POINTER, sizeof uses, &uses, NULL), CL_SUCCESS);
    return uses;
}

TEST(buffers_over_it_know_it)
{
    struct world w = open_world(0);
    cl_int error = 1;
    static int mine[256];
    unsigned char *p = clSVMAlloc(w.context, CL_MEM_READ_WRITE, 4096, 0);
    CHECK(p != NULL);
    cl_mem over = make_buffer(w.context, CL_MEM_USE_HOST_PTR, 4096, p), sub = make_sub(over, 1024, 1024);
    cl_mem within = make_buffer(w.context, CL_MEM_USE_HOST_PTR, 96, p + 4000);
    cl_mem copy = make_buffer(w.context, CL_MEM_COPY_HOST_PTR, 4096, p);
    cl_mem host = make_buffer(w.context, CL_MEM_USE_HOST_PTR, sizeof mine, mine);
    CHECK_EQ(uses_svm(over), CL_TRUE);
    CHECK_EQ(uses_svm(sub), CL_TRUE);
    CHECK_EQ(uses_svm(within), CL_TRUE);
    CHECK_EQ(uses_svm(copy), CL_FALSE);
    CHECK_EQ(uses_svm(host), CL_FALSE);
    CHECK(clCreateBuffer(w.context, CL_MEM_USE_HOST_PTR, 4097, p, &error) == NULL);
    CHECK_EQ(error, CL_INVALID_BUFFER_SIZE);
    CHECK_EQ(clEnqueueFillBuffer(w.queue, sub, "x", 1, 0, 1024, 0, NULL, NULL), CL_SUCCESS);
    CHECK_EQ(clFinish(w.queue), CL_SUCCESS);
    CHECK_EQ(p[1024], 'x');
    CHECK_EQ(p[2047], 'x');
    cl_mem all[] = {sub, over, within, copy, host};
    for (int i = 0; i < 5; i++)
        CHECK_EQ(clReleaseMemObject(all[i]), CL_SUCCESS);
    clSVMFree(w.context, p);
    close_world(&w);
}

static _Atomic bool forked_enough;

static void *allocate_and_free(void *context)
{
    void *p[64] = {0};
    for (unsigned seed = 1; !forked_enough;) {
        seed = seed * 1103515245u + 12345u;
        void **at = &p[seed >> 16 & 63];
        if (*at)
            clSVMFree(context, *at);
        *at = *at ? NULL : clSVMAlloc(context, CL_MEM_READ_WRITE, 64, 0);
    }
    for (int i = 0; i < 64; i++)
        clSVMFree(context, p[i]);
    return NULL;
}

// The child has no tree of allocations that a thread of the parent was changing.
TEST(a_child_can_allocate_whatever_the_parents_threads_did)
{
    enum { CHILDREN = HARNESS_ASAN || HARNESS_TSAN ? 50 : 600, BLOCKS = 300 };
    struct world w = open_world(0);
    // What is done once is done: the thread sanitizer's pthread_once, unlike the C library's, stays under way
    // in a child.
    clSVMFree(w.context, clSVMAlloc(w.context, CL_MEM_READ_WRITE, 64, 0));
    pthread_t t;
    CHECK_EQ(pthread_create(&t, NULL, allocate_and_free, w.context), 0);
    for (int i = 0; i < CHILDREN; i++) {
        pid_t child = fork();
        CHECK_GE(child, 0);
        if (child == 0) {
            alarm(20);
            void *p[BLOCKS];
            for (int k = 0; k < BLOCKS; k++)
                p[k] = clSVMAlloc(w.context, CL_MEM_READ_WRITE, 64, 0);
            for (int k = 0; k < BLOCKS; k++)
                clSVMFree(w.context, p[k]);
            _exit(0);
        }
        int status = -1;
        CHECK_EQ(waitpid(child, &status, 0), child);
        CHECK_EQ(status, 0);
    }
    forked_enough = true;
    CHECK_EQ(pthread_join(t, NULL), 0);
    close_world(&w);
}
