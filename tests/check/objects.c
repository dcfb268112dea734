// The checker knows the objects that an application makes: sub-buffers, shared virtual memory, variables of
// programs, null; also in kernels that kernels enqueue, and in recorded commands. docs/check.md.
// timeout: 120
// env: WEFT_CHECK=all
// env: WEFT_CHECK_REPORT=objects.json
// env: WEFT_CACHE=0
#include "e2e/e2e.h"

#include <CL/cl_ext.h>

static char *report(void)
{
    static char text[1 << 16];
    FILE *f = fopen("objects.json", "re");
    text[f ? fread(text, 1, sizeof text - 1, f) : 0] = '\0';
    if (f)
        fclose(f);
    return text;
}

static int findings(void)
{
    int lines = 0;
    for (const char *at = report(); *at; at++)
        lines += *at == '\n';
    return lines;
}

static void expect(int count, const char *words)
{
    if (findings() != count || (words && !strstr(report(), words)))
        FAIL("%d findings with \"%s\" are expected, but there are:\n%s", count, words ? words : "", report());
}

// The report of an earlier test isn't this one's.
static struct e2e open_device(void)
{
    unlink("objects.json");
    return e2e_open();
}

static const char at_place[] = "kernel void at(global int *a, int i) { a[i] = 1; }\n";

static void run_at(struct e2e *t, cl_kernel k, cl_int i)
{
    E2E_ARG(k, 1, i);
    e2e_run(t, k, 1, NULL);
    CHECK_EQ(clFinish(t->queue), CL_SUCCESS);
}

TEST(a_sub_buffer_ends_where_it_ends)
{
    struct e2e t = open_device();
    cl_int error = 1;
    cl_kernel k = e2e_kernel(&t, at_place, "", "at");
    cl_mem whole = e2e_buffer(&t, 8192, NULL);
    const cl_buffer_region part = {4096, 400};
    cl_mem m = clCreateSubBuffer(whole, 0, CL_BUFFER_CREATE_TYPE_REGION, &part, &error);
    CHECK_EQ(error, CL_SUCCESS);
    E2E_ARG(k, 0, m);
    run_at(&t, k, 0);
    run_at(&t, k, 99);
    expect(0, NULL);
    run_at(&t, k, 100);
    expect(1, "at offset 400 of argument 0, 'a', which has 400 bytes");
    run_at(&t, k, -1);
    expect(1, NULL); // of the same place
    E2E_ARG(k, 0, whole);
    run_at(&t, k, 2047);
    expect(1, NULL);
    int zeros[2] = {0};
    CHECK_EQ(clEnqueueReadBuffer(t.queue, whole, CL_TRUE, 4092, 4, zeros, 0, NULL, NULL), CL_SUCCESS);
    CHECK_EQ(clEnqueueReadBuffer(t.queue, whole, CL_TRUE, 4496, 4, zeros + 1, 0, NULL, NULL), CL_SUCCESS);
    CHECK_EQ(zeros[0], 0); // nothing was written there
    CHECK_EQ(zeros[1], 0);
    CHECK_EQ(clReleaseMemObject(m), CL_SUCCESS);
    CHECK_EQ(clReleaseMemObject(whole), CL_SUCCESS);
    CHECK_EQ(clReleaseKernel(k), CL_SUCCESS);
    e2e_close(&t);
}

TEST(shared_virtual_memory_and_pointers_into_it)
{
    struct e2e t = open_device();
    cl_kernel k = e2e_kernel(&t, at_place, "-cl-std=CL2.0", "at");
    int *memory = clSVMAlloc(t.context, CL_MEM_READ_WRITE, 100 * sizeof *memory, 0);
    CHECK(memory != NULL);
    CHECK_EQ(clSetKernelArgSVMPointer(k, 0, memory), CL_SUCCESS);
    run_at(&t, k, 99);
    CHECK_EQ(clSetKernelArgSVMPointer(k, 0, memory + 50), CL_SUCCESS);
    run_at(&t, k, 49);
    run_at(&t, k, -50);
    expect(0, NULL);
    run_at(&t, k, 50);
    expect(1, "at offset 400 of argument 0, 'a', which has 400 bytes");
    run_at(&t, k, -51);
    expect(1, NULL); // of the same place
    clSVMFree(t.context, memory);
    CHECK_EQ(clReleaseKernel(k), CL_SUCCESS);
    e2e_close(&t);
}

TEST(pointers_in_memory)
{
    struct e2e t = open_device();
    cl_kernel k = e2e_kernel(&t,
                             "struct node { global struct node *next; int values[3]; };\n"
                             "kernel void list(global struct node *n, int i) {\n"
                             "    int sum = 0;\n"
                             "    for (; n; n = n->next) sum += n->values[2];\n"
                             "    if (i) sum += n->values[0];\n"
                             "    if (sum == -1) printf(\"%d\", sum);\n"
                             "}\n",
                             "-cl-std=CL2.0", "list");
    struct node {
        struct node *next;
        int values[3];
    } *nodes = clSVMAlloc(t.context, CL_MEM_READ_WRITE, 3 * sizeof *nodes, 0);
    CHECK(nodes != NULL);
    memset(nodes, 0, 3 * sizeof *nodes);
    nodes[0].next = nodes + 2;
    nodes[2].next = nodes + 1;
    CHECK_EQ(clSetKernelExecInfo(k, CL_KERNEL_EXEC_INFO_SVM_PTRS, sizeof nodes, &nodes), CL_SUCCESS);
    CHECK_EQ(clSetKernelArgSVMPointer(k, 0, nodes), CL_SUCCESS);
    run_at(&t, k, 0);
    expect(0, NULL);
    run_at(&t, k, 1);
    expect(1, "\"line\": 5");
    nodes[1].next = (struct node *)(void *)((char *)(nodes + 3) - 8); // its values lie beyond the end
    run_at(&t, k, 0);
    expect(2, "4 bytes at offset 80 of the object that its address lies in, which has 72 bytes");
    clSVMFree(t.context, nodes);
    CHECK_EQ(clReleaseKernel(k), CL_SUCCESS);
    e2e_close(&t);
}

TEST(variables_of_the_program)
{
    struct e2e t = open_device();
    cl_kernel k =
        e2e_kernel(&t,
                   "global int before[4], table[10], after[4];\n"
                   "kernel void at(global int *a, int i) { table[i] = a[0] + before[0] + after[0]; }\n",
                   "-cl-std=CL2.0", "at");
    cl_mem m = e2e_buffer(&t, 64, NULL);
    E2E_ARG(k, 0, m);
    run_at(&t, k, 9);
    expect(0, NULL);
    run_at(&t, k, 10);
    expect(1, "at offset 40 of the program's variable 'table', which has 40 bytes");
    CHECK_EQ(clReleaseMemObject(m), CL_SUCCESS);
    CHECK_EQ(clReleaseKernel(k), CL_SUCCESS);
    e2e_close(&t);
}

TEST(null_is_no_object)
{
    struct e2e t = open_device();
    cl_kernel k = e2e_kernel(&t, at_place, "", "at");
    CHECK_EQ(clSetKernelArg(k, 0, sizeof(cl_mem), NULL), CL_SUCCESS);
    run_at(&t, k, 0);
    expect(1, "argument 0, 'a', which is NULL");
    CHECK_EQ(clReleaseKernel(k), CL_SUCCESS);
    e2e_close(&t);
}

// That on which kernels enqueue.
static cl_command_queue queue_on_device(const struct e2e *t)
{
    cl_int error = 1;
    const cl_queue_properties properties[] = {
        CL_QUEUE_PROPERTIES,
        CL_QUEUE_ON_DEVICE | CL_QUEUE_ON_DEVICE_DEFAULT | CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, 0};
    cl_command_queue queue = clCreateCommandQueueWithProperties(t->context, t->device, properties, &error);
    CHECK_EQ(error, CL_SUCCESS);
    return queue;
}

TEST(kernels_that_kernels_enqueue)
{
    struct e2e t = open_device();
    cl_command_queue on_device = queue_on_device(&t);
    cl_kernel k =
        e2e_kernel(&t,
                   "kernel void parent(global int *a, int n) {\n"
                   "    enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(n),\n"
                   "                   ^(local void *t) { local int *l = t; l[get_local_id(0)] = 1;\n"
                   "                     a[get_global_id(0)] = 1; }, 4096u);\n"
                   "}\n",
                   "-cl-std=CL2.0", "parent");
    cl_mem m = e2e_buffer(&t, 64 * sizeof(int), NULL);
    E2E_ARG(k, 0, m);
    run_at(&t, k, 64);
    expect(0, NULL);
    CHECK_EQ(clReleaseMemObject(m), CL_SUCCESS);
    CHECK_EQ(clReleaseKernel(k), CL_SUCCESS);
    CHECK_EQ(clReleaseCommandQueue(on_device), CL_SUCCESS);
    e2e_close(&t);
}

// What was read from a pipe is written; where there was nothing to read, it isn't.
TEST(packets_of_pipes)
{
    struct e2e t = open_device();
    cl_int error = 1;
    cl_kernel k =
        e2e_kernel(&t,
                   "kernel void pass(write_only pipe int to, read_only pipe int from, global int *out,\n"
                   "                 int i) {\n"
                   "    int n;\n"
                   "    if (read_pipe(from, &n) == 0 || i)\n"
                   "        if (n > 3)\n"
                   "            write_pipe(to, &n);\n"
                   "}\n"
                   "kernel void fill(write_only pipe int to, int i) { write_pipe(to, &i); }\n",
                   "-cl-std=CL2.0", "pass");
    cl_program p;
    CHECK_EQ(clGetKernelInfo(k, CL_KERNEL_PROGRAM, sizeof p, &p, NULL), CL_SUCCESS);
    cl_kernel fill = clCreateKernel(p, "fill", &error);
    CHECK_EQ(error, CL_SUCCESS);
    cl_mem pipes[2], m = e2e_buffer(&t, 64, NULL);
    for (unsigned n = 0; n < 2; n++) {
        pipes[n] = clCreatePipe(t.context, 0, sizeof(cl_int), 16, NULL, &error);
        CHECK_EQ(error, CL_SUCCESS);
        E2E_ARG(k, n, pipes[n]);
    }
    E2E_ARG(k, 2, m);
    for (cl_int even_if_none = 0; even_if_none < 2; even_if_none++) {
        E2E_ARG(fill, 0, pipes[1]);
        run_at(&t, fill, 7);
        E2E_ARG(k, 3, even_if_none);
        e2e_run(&t, k, even_if_none ? 2 : 1, NULL);
        CHECK_EQ(clFinish(t.queue), CL_SUCCESS);
        expect(even_if_none, even_if_none ? "\"line\": 5" : NULL);
    }
    for (unsigned n = 0; n < 2; n++)
        CHECK_EQ(clReleaseMemObject(pipes[n]), CL_SUCCESS);
    CHECK_EQ(clReleaseMemObject(m), CL_SUCCESS);
    CHECK_EQ(clReleaseKernel(fill), CL_SUCCESS);
    CHECK_EQ(clReleaseKernel(k), CL_SUCCESS);
    e2e_close(&t);
}

// A block has captured the address, and the launch has no argument that is the buffer.
TEST(what_a_block_has_captured)
{
    struct e2e t = open_device();
    cl_command_queue on_device = queue_on_device(&t);
    cl_kernel k =
        e2e_kernel(&t,
                   "kernel void parent(global int *a, int i) {\n"
                   "    enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1),\n"
                   "                   ^{\n"
                   "        a[i] = 1;\n"
                   "    });\n"
                   "}\n",
                   "-cl-std=CL2.0", "parent");
    cl_mem m = e2e_buffer(&t, 64 * sizeof(int), NULL);
    E2E_ARG(k, 0, m);
    run_at(&t, k, 63);
    expect(0, NULL);
    run_at(&t, k, 64);
    expect(1, "\"line\": 4");
    CHECK_EQ(clReleaseMemObject(m), CL_SUCCESS);
    CHECK_EQ(clReleaseKernel(k), CL_SUCCESS);
    CHECK_EQ(clReleaseCommandQueue(on_device), CL_SUCCESS);
    e2e_close(&t);
}

// The address itself is that of nothing: just behind an allocation.
TEST(a_pointer_to_the_end_of_an_allocation)
{
    struct e2e t = open_device();
    cl_kernel k = e2e_kernel(&t,
                             "struct s { int *to; };\n"
                             "kernel void through(global struct s *s, int i) {\n"
                             "    s->to[i] = 1;\n"
                             "}\n",
                             "-cl-std=CL2.0", "through");
    int *memory = clSVMAlloc(t.context, 0, 64, 0), *end = memory + 16;
    CHECK(memory != NULL);
    cl_mem m = e2e_buffer(&t, sizeof end, &end);
    E2E_ARG(k, 0, m);
    run_at(&t, k, -16);
    expect(0, NULL);
    run_at(&t, k, 0);
    expect(1, "4 bytes at offset 64 of the object that its address lies in, which has 64 bytes");
    clSVMFree(t.context, memory);
    CHECK_EQ(clReleaseMemObject(m), CL_SUCCESS);
    CHECK_EQ(clReleaseKernel(k), CL_SUCCESS);
    e2e_close(&t);
}

// Each launch writes what the one before has written: they are in order.
TEST(launches_are_in_order)
{
    struct e2e t = open_device();
    cl_kernel k = e2e_kernel(&t,
                             "kernel void turn(global int *a, int n) {\n"
                             "    int i = get_global_id(0); a[n & 1 ? 63 - i : i] = i + n; }\n",
                             "", "turn");
    cl_mem m = e2e_buffer(&t, 64 * sizeof(int), NULL);
    E2E_ARG(k, 0, m);
    for (cl_int n = 0; n < 50; n++) {
        E2E_ARG(k, 1, n);
        e2e_run(&t, k, 64, NULL);
    }
    CHECK_EQ(clFinish(t.queue), CL_SUCCESS);
    expect(0, NULL);
    CHECK_EQ(clReleaseMemObject(m), CL_SUCCESS);
    CHECK_EQ(clReleaseKernel(k), CL_SUCCESS);
    e2e_close(&t);
}

TEST(shared_memory_that_was_freed)
{
    struct e2e t = open_device();
    cl_kernel k = e2e_kernel(&t,
                             "struct s { global int *to; };\n"
                             "kernel void through(global struct s *s, int i) {\n    s->to[i] = 1;\n}\n",
                             "", "through");
    int *to = clSVMAlloc(t.context, 0, 64, 0);
    CHECK(to != NULL);
    cl_mem m = e2e_buffer(&t, sizeof to, &to);
    E2E_ARG(k, 0, m);
    run_at(&t, k, 15);
    expect(0, NULL);
    clSVMFree(t.context, to);
    run_at(&t, k, 15);
    expect(1, "\"line\": 3");
    CHECK_EQ(clReleaseMemObject(m), CL_SUCCESS);
    CHECK_EQ(clReleaseKernel(k), CL_SUCCESS);
    e2e_close(&t);
}

// Programs that are compiled apart and linked are checked as well.
TEST(linked_programs)
{
    struct e2e t = open_device();
    cl_int error = 1;
    cl_program inputs[] = {e2e_compile(&t, "void put(global int *a, int i) {\n    a[i] = 1;\n}\n", NULL),
                           e2e_compile(&t,
                                       "void put(global int *a, int i);\n"
                                       "kernel void at(global int *a, int i) { put(a, i); }\n",
                                       NULL)};
    cl_program p = clLinkProgram(t.context, 0, NULL, NULL, 2, inputs, NULL, NULL, &error);
    CHECK_EQ(error, CL_SUCCESS);
    cl_kernel k = clCreateKernel(p, "at", &error);
    CHECK_EQ(error, CL_SUCCESS);
    cl_mem m = e2e_buffer(&t, 64, NULL);
    E2E_ARG(k, 0, m);
    run_at(&t, k, 15);
    expect(0, NULL);
    run_at(&t, k, 16);
    expect(1, "\"line\": 2");
    CHECK_EQ(clReleaseMemObject(m), CL_SUCCESS);
    CHECK_EQ(clReleaseKernel(k), CL_SUCCESS);
    for (int i = 0; i < 2; i++)
        CHECK_EQ(clReleaseProgram(inputs[i]), CL_SUCCESS);
    CHECK_EQ(clReleaseProgram(p), CL_SUCCESS);
    e2e_close(&t);
}
