// clSetKernelArgSVMPointer and clSetKernelExecInfo.
#include "program_fixture.h"

#define SOURCE                                                                                      \
    "kernel void add(global int *p, constant int *c, local int *l, int n)\n"                        \
    "{ l[get_local_id(0)] = n; p[get_global_id(0)] += c[0] + l[get_local_id(0)]; }\n"               \
    "struct node { global struct node *next; int value; };\n"                                       \
    "kernel void walk(global struct node *first, global int *sum)\n"                                \
    "{ int s = 0; for (global struct node *n = first; n; n = n->next) s += n->value; *sum = s; }\n" \
    "kernel void count(global int *total) { atomic_inc(total); }\n"

static void run(cl_command_queue q, cl_kernel k, size_t items)
{
    OK(clEnqueueNDRangeKernel(q, k, 1, NULL, &items, NULL, 0, NULL, NULL));
    OK(clFinish(q));
}

TEST(bad_arguments_are_refused)
{
    cl_context c = new_context();
    cl_program p = built_program(c, SOURCE, NULL);
    cl_kernel k = new_kernel(p, "add");
    int mine[4] = {0};
    CHECK_EQ(clSetKernelArgSVMPointer(NULL, 0, mine), CL_INVALID_KERNEL);
    CHECK_EQ(clSetKernelArgSVMPointer(k, 4, mine), CL_INVALID_ARG_INDEX);
    CHECK_EQ(clSetKernelArgSVMPointer(k, 2, mine), CL_INVALID_ARG_VALUE);
    CHECK_EQ(clSetKernelArgSVMPointer(k, 3, mine), CL_INVALID_ARG_VALUE);
    const void *list[] = {mine};
    const cl_bool yes = CL_TRUE, no = CL_FALSE;
    CHECK_EQ(clSetKernelExecInfo(NULL, CL_KERNEL_EXEC_INFO_SVM_PTRS, sizeof list, list), CL_INVALID_KERNEL);
    CHECK_EQ(clSetKernelExecInfo(k, CL_KERNEL_EXEC_INFO_SVM_PTRS, sizeof list, NULL), CL_INVALID_VALUE);
    CHECK_EQ(clSetKernelExecInfo(k, CL_KERNEL_EXEC_INFO_SVM_PTRS, 7, list), CL_INVALID_VALUE);
    CHECK_EQ(clSetKernelExecInfo(k, 0xdead, sizeof list, list), CL_INVALID_VALUE);
    CHECK_EQ(clSetKernelExecInfo(k, CL_KERNEL_EXEC_INFO_SVM_FINE_GRAIN_SYSTEM, 1, &yes), CL_INVALID_VALUE);
    CHECK_EQ(clSetKernelExecInfo(k, CL_KERNEL_EXEC_INFO_SVM_FINE_GRAIN_SYSTEM, sizeof yes, NULL),
             CL_INVALID_VALUE);
    OK(clSetKernelExecInfo(k, CL_KERNEL_EXEC_INFO_SVM_PTRS, sizeof list, list));
    OK(clSetKernelExecInfo(k, CL_KERNEL_EXEC_INFO_SVM_PTRS, 0, NULL)); // takes them back
    OK(clSetKernelExecInfo(k, CL_KERNEL_EXEC_INFO_SVM_FINE_GRAIN_SYSTEM, sizeof yes, &yes));
    OK(clSetKernelExecInfo(k, CL_KERNEL_EXEC_INFO_SVM_FINE_GRAIN_SYSTEM, sizeof no, &no));
    OK(clReleaseKernel(k));
    OK(clReleaseProgram(p));
    OK(clReleaseContext(c));
}

// A pointer, then a buffer, then a pointer again; the clone keeps what it was given.
TEST(pointers_and_buffers_take_turns)
{
    cl_context c = new_context();
    cl_command_queue q = new_queue(c, 0);
    cl_program p = built_program(c, SOURCE, NULL);
    cl_kernel k = new_kernel(p, "add");
    int *shared = clSVMAlloc(c, CL_MEM_READ_WRITE, 64 * sizeof(int), 0), *host = calloc(64, sizeof *host);
    const int three = 3;
    int n = 4;
    CHECK(shared && host);
    memset(shared, 0, 64 * sizeof(int));
    OK(clSetKernelArgSVMPointer(k, 0, shared));
    OK(clSetKernelArgSVMPointer(k, 1, &three));
    OK(clSetKernelArg(k, 2, 64 * sizeof(int), NULL));
    OK(clSetKernelArg(k, 3, sizeof n, &n));
    run(q, k, 64);
    for (int i = 0; i < 64; i++)
        CHECK_EQ(shared[i], 7);
    OK(clSetKernelArgSVMPointer(k, 0, shared + 32)); // into the middle
    run(q, k, 32);
    for (int i = 0; i < 64; i++)
        CHECK_EQ(shared[i], i < 32 ? 7 : 14);
    cl_int err = 1;
    cl_kernel clone = clCloneKernel(k, &err);
    OK(err);
    cl_mem m = new_buffer(c, 64 * sizeof(int));
    OK(clEnqueueFillBuffer(q, m, &(int){0}, sizeof(int), 0, 64 * sizeof(int), 0, NULL, NULL));
    OK(clSetKernelArg(k, 0, sizeof m, &m));
    run(q, k, 64);
    int back[64];
    OK(clEnqueueReadBuffer(q, m, CL_TRUE, 0, sizeof back, back, 0, NULL, NULL));
    for (int i = 0; i < 64; i++)
        CHECK_EQ(back[i], 7);
    CHECK_EQ(shared[63], 14);
    run(q, clone, 32);
    CHECK_EQ(shared[63], 21);
    OK(clSetKernelArgSVMPointer(k, 0, host)); // the application's own memory
    run(q, k, 64);
    for (int i = 0; i < 64; i++)
        CHECK_EQ(host[i], 7);
    free(host);
    clSVMFree(c, shared);
    OK(clReleaseMemObject(m));
    OK(clReleaseKernel(clone));
    OK(clReleaseKernel(k));
    OK(clReleaseProgram(p));
    OK(clReleaseCommandQueue(q));
    OK(clReleaseContext(c));
}

struct node {
    struct node *next;
    int value;
};

TEST(a_kernel_follows_pointers)
{
    cl_context c = new_context();
    cl_command_queue q = new_queue(c, 0);
    cl_program p = built_program(c, SOURCE, NULL);
    cl_kernel k = new_kernel(p, "walk");
    struct node *first = NULL;
    for (int i = 1; i <= 100; i++) { // of both kinds of memory
        struct node *n = i % 2 ? clSVMAlloc(c, CL_MEM_READ_WRITE, sizeof *n, 0) : malloc(sizeof *n);
        CHECK(n != NULL);
        *n = (struct node){first, i};
        first = n;
    }
    int sum = 0;
    OK(clSetKernelArgSVMPointer(k, 0, first));
    OK(clSetKernelArgSVMPointer(k, 1, &sum));
    run(q, k, 1);
    CHECK_EQ(sum, 5050);
    for (int i = 100; i >= 1; i--) {
        struct node *next = first->next;
        if (i % 2)
            clSVMFree(c, first);
        else
            free(first);
        first = next;
    }
    OK(clReleaseKernel(k));
    OK(clReleaseProgram(p));
    OK(clReleaseCommandQueue(q));
    OK(clReleaseContext(c));
}

// Host and kernel add to the same counter at the same time, and none of the additions is lost.
TEST(atomics_of_host_and_kernel_see_each_other)
{
    cl_context c = new_context();
    cl_command_queue q = new_queue(c, 0);
    cl_program p = built_program(c, SOURCE, NULL);
    cl_kernel k = new_kernel(p, "count");
    _Atomic int *total = clSVMAlloc(c, CL_MEM_SVM_FINE_GRAIN_BUFFER | CL_MEM_SVM_ATOMICS, sizeof *total, 0);
    CHECK(total != NULL);
    atomic_store(total, 0);
    OK(clSetKernelArgSVMPointer(k, 0, (const void *)(uintptr_t)total));
    const size_t items = 1 << 20;
    cl_event done;
    OK(clEnqueueNDRangeKernel(q, k, 1, NULL, &items, NULL, 0, NULL, &done));
    OK(clFlush(q));
    int mine = 0;
    for (; mine < 1000000 && status_of(done) > CL_COMPLETE; mine++)
        atomic_fetch_add(total, 1);
    OK(clWaitForEvents(1, &done));
    CHECK_EQ(atomic_load(total), mine + (int)items);
    OK(clReleaseEvent(done));
    clSVMFree(c, (void *)(uintptr_t)total);
    OK(clReleaseKernel(k));
    OK(clReleaseProgram(p));
    OK(clReleaseCommandQueue(q));
    OK(clReleaseContext(c));
}
