// StarPU's MPI layer: a vector in blocks that belong to the processes. Tasks, of which there are a
// function for the processor and a kernel for OpenCL, are shared out by StarPU. Each process says how
// many ran where.
#include <starpu.h>
#include <starpu_mpi.h>
#include <starpu_opencl.h>

enum { BLOCKS = 24, LENGTH = 20000, ROUNDS = 4 };

static const char source[] =
    "kernel void iterate(global float *block, global const float *neighbour, unsigned length)\n"
    "{\n"
    "    unsigned i = get_global_id(0);\n"
    "    float x = block[i], y = neighbour[length - 1 - i];\n"
    "    for (int k = 0; k < 200; k++)\n"
    "        x = 0.5f * x + 0.25f * y + 0.125f;\n"
    "    block[i] = x;\n"
    "}\n";
static struct starpu_opencl_program program;
static int rank;

// The numbers are chosen so that each sum is rounded alike everywhere, with fused operations or without.
static float iterate(float x, float y)
{
    for (int k = 0; k < 200; k++)
        x = 0.5f * x + 0.25f * y + 0.125f;
    return x;
}

static void on_cpu(void *buffers[], void *unused)
{
    float *block = (float *)STARPU_VECTOR_GET_PTR(buffers[0]);
    const float *neighbour = (const float *)STARPU_VECTOR_GET_PTR(buffers[1]);
    const unsigned length = STARPU_VECTOR_GET_NX(buffers[0]);
    (void)unused;
    for (unsigned i = 0; i < length; i++)
        block[i] = iterate(block[i], neighbour[length - 1 - i]);
}

static void check(cl_int error)
{
    if (error != CL_SUCCESS)
        STARPU_OPENCL_REPORT_ERROR(error);
}

static void on_opencl(void *buffers[], void *unused)
{
    const unsigned length = STARPU_VECTOR_GET_NX(buffers[0]);
    cl_mem block = (cl_mem)STARPU_VECTOR_GET_DEV_HANDLE(buffers[0]);
    cl_mem neighbour = (cl_mem)STARPU_VECTOR_GET_DEV_HANDLE(buffers[1]);
    const size_t size = length;
    cl_kernel kernel;
    cl_command_queue queue;
    cl_event event;
    (void)unused;
    check(starpu_opencl_load_kernel(&kernel, &queue, &program, "iterate",
                                    starpu_worker_get_devid(starpu_worker_get_id())));
    check(clSetKernelArg(kernel, 0, sizeof block, &block));
    check(clSetKernelArg(kernel, 1, sizeof neighbour, &neighbour));
    check(clSetKernelArg(kernel, 2, sizeof length, &length));
    check(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &size, NULL, 0, NULL, &event));
    check(clFinish(queue));
    starpu_opencl_collect_stats(event);
    check(clReleaseEvent(event));
    check(starpu_opencl_release_kernel(kernel));
}

static struct starpu_codelet codelet = {.cpu_funcs = {on_cpu},
                                        .opencl_funcs = {on_opencl},
                                        .nbuffers = 2,
                                        .modes = {STARPU_RW, STARPU_R},
                                        .name = "iterate"};

static float first(int block, int i)
{
    return (float)((block * 31 + i * 7) % 64) / 64;
}

// Of this process's blocks.
static int is_right(float blocks[BLOCKS][LENGTH], int ranks)
{
    static float expected[BLOCKS][LENGTH];
    for (int b = 0; b < BLOCKS; b++)
        for (int i = 0; i < LENGTH; i++)
            expected[b][i] = first(b, i);
    for (int round = 0; round < ROUNDS; round++)
        for (int b = 0; b < BLOCKS; b++)
            for (int i = 0; i < LENGTH; i++)
                expected[b][i] = iterate(expected[b][i], expected[(b + 1) % BLOCKS][LENGTH - 1 - i]);
    for (int b = rank; b < BLOCKS; b += ranks)
        for (int i = 0; i < LENGTH; i++)
            if (blocks[b][i] - expected[b][i] > 1e-5f || expected[b][i] - blocks[b][i] > 1e-5f)
                return 0;
    return 1;
}

int main(int argc, char **argv)
{
    static float blocks[BLOCKS][LENGTH];
    starpu_data_handle_t handles[BLOCKS];
    int ranks;
    if (starpu_mpi_init_conf(&argc, &argv, 1, MPI_COMM_WORLD, NULL) != 0)
        return 2;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (starpu_opencl_load_opencl_from_string(source, &program, NULL) != 0)
        return 2;
    starpu_profiling_status_set(STARPU_PROFILING_ENABLE);
    for (int b = 0; b < BLOCKS; b++) {
        for (int i = 0; i < LENGTH; i++)
            blocks[b][i] = first(b, i);
        const int mine = b % ranks == rank;
        starpu_vector_data_register(&handles[b], mine ? STARPU_MAIN_RAM : -1, mine ? (uintptr_t)blocks[b] : 0,
                                    LENGTH, sizeof(float));
        starpu_mpi_data_register(handles[b], b, b % ranks);
    }
    // The next block belongs to another process: StarPU sends it.
    for (int round = 0; round < ROUNDS; round++)
        for (int b = 0; b < BLOCKS; b++)
            starpu_mpi_task_insert(MPI_COMM_WORLD, &codelet, STARPU_RW, handles[b], STARPU_R,
                                   handles[(b + 1) % BLOCKS], 0);
    starpu_task_wait_for_all();
    int ran[2] = {0, 0};
    for (unsigned w = 0; w < starpu_worker_get_count(); w++) {
        struct starpu_profiling_worker_info info;
        starpu_profiling_worker_get_info((int)w, &info);
        ran[starpu_worker_get_type((int)w) == STARPU_OPENCL_WORKER] += info.executed_tasks;
    }
    starpu_mpi_barrier(MPI_COMM_WORLD);
    for (int b = 0; b < BLOCKS; b++)
        starpu_data_unregister(handles[b]); // what is this process's comes back to `blocks`
    const int right = is_right(blocks, ranks);
    printf("process %d: %d tasks on the processor, %d on OpenCL, the result is %s\n", rank, ran[0], ran[1],
           right ? "right" : "WRONG");
    starpu_opencl_unload_opencl(&program);
    starpu_mpi_shutdown();
    return !right;
}
