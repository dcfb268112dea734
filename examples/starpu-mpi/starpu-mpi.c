// StarPU's MPI layer: a vector in blocks that belong to the processes. Tasks, of which there are a function for
// the processor and a kernel for OpenCL, are shared out by StarPU. Each process says how many ran where.
// starpu-mpi          writes starpu-mpi.png
#define CL_TARGET_OPENCL_VERSION 120
#include <math.h>
#include <png.h>
#include <starpu.h>
#include <starpu_mpi.h>
#include <starpu_opencl.h>

#ifndef ROUNDS
#define ROUNDS 8
#endif
enum { BLOCKS_A_PROCESS = 8, PROCESSES_MAX = 64, LENGTH = 8000 };
enum { BLOCKS_MAX = BLOCKS_A_PROCESS * PROCESSES_MAX };

static const char source[] =
    "kernel void iterate(global float *next, global const float *block, global const float *neighbour,\n"
    "                    unsigned length)\n"
    "{\n"
    "    unsigned i = get_global_id(0);\n"
    "    float x = block[i], y = neighbour[length - 1 - i];\n"
    "    for (int k = 0; k < 200; k++)\n"
    "        x = 0.5f * x + 0.25f * y + 0.125f;\n"
    "    next[i] = x;\n"
    "}\n";
static struct starpu_opencl_program program;
static int rank, ranks, blocks;
// Rounds read one and write the other, in turn. So the tasks of a round don't wait for each other.
static float own[2][BLOCKS_A_PROCESS][LENGTH], expected[2][BLOCKS_MAX][LENGTH];
static int place[ROUNDS * BLOCKS_MAX]; // of each task: 1 + 2 * process, and one more for OpenCL

// The numbers are chosen so that each sum is rounded alike everywhere, with fused operations or without.
static float iterate(float x, float y)
{
    for (int k = 0; k < 200; k++)
        x = 0.5f * x + 0.25f * y + 0.125f;
    return x;
}

static void on_cpu(void *buffers[], void *arguments)
{
    float *next = (float *)STARPU_VECTOR_GET_PTR(buffers[0]);
    const float *block = (const float *)STARPU_VECTOR_GET_PTR(buffers[1]);
    const float *neighbour = (const float *)STARPU_VECTOR_GET_PTR(buffers[2]);
    const unsigned length = STARPU_VECTOR_GET_NX(buffers[0]);
    int task;
    starpu_codelet_unpack_args(arguments, &task);
    for (unsigned i = 0; i < length; i++)
        next[i] = iterate(block[i], neighbour[length - 1 - i]);
    place[task] = 1 + 2 * rank;
}

static void check(cl_int error)
{
    if (error != CL_SUCCESS)
        STARPU_OPENCL_REPORT_ERROR(error); // ends the process, and mpirun the others
}

static void on_opencl(void *buffers[], void *arguments)
{
    const unsigned length = STARPU_VECTOR_GET_NX(buffers[0]);
    cl_mem vectors[3];
    const size_t size = length;
    cl_kernel kernel;
    cl_command_queue queue;
    cl_event event;
    int task;
    starpu_codelet_unpack_args(arguments, &task);
    check(starpu_opencl_load_kernel(&kernel, &queue, &program, "iterate",
                                    starpu_worker_get_devid(starpu_worker_get_id())));
    for (cl_uint i = 0; i < 3; i++) {
        vectors[i] = (cl_mem)STARPU_VECTOR_GET_DEV_HANDLE(buffers[i]);
        check(clSetKernelArg(kernel, i, sizeof vectors[i], &vectors[i]));
    }
    check(clSetKernelArg(kernel, 3, sizeof length, &length));
    check(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &size, NULL, 0, NULL, &event));
    check(clFinish(queue));
    starpu_opencl_collect_stats(event);
    check(clReleaseEvent(event));
    check(starpu_opencl_release_kernel(kernel));
    place[task] = 2 + 2 * rank;
}

// StarPU learns how long a task takes on each kind of worker. Its schedulers of the family dm use that.
static struct starpu_perfmodel model = {.type = STARPU_HISTORY_BASED, .symbol = "starpu-mpi-iterate"};
static struct starpu_codelet codelet = {.cpu_funcs = {on_cpu},
                                        .opencl_funcs = {on_opencl},
                                        .nbuffers = 3,
                                        .modes = {STARPU_W, STARPU_R, STARPU_R},
                                        .model = &model,
                                        .name = "iterate"};

static float initial(int block, int i)
{
    return (float)((block * 31 + i * 7) % 64) / 64;
}

// One process computes everything once more. Of this process's blocks.
static int is_right(void)
{
    for (int b = 0; b < blocks; b++)
        for (int i = 0; i < LENGTH; i++)
            expected[0][b][i] = initial(b, i);
    for (int round = 0; round < ROUNDS; round++)
        for (int b = 0; b < blocks; b++)
            for (int i = 0; i < LENGTH; i++)
                expected[1 - round % 2][b][i] =
                    iterate(expected[round % 2][b][i], expected[round % 2][(b + 1) % blocks][LENGTH - 1 - i]);
    for (int b = rank; b < blocks; b += ranks)
        for (int i = 0; i < LENGTH; i++)
            if (!(fabsf(own[ROUNDS % 2][b / ranks][i] - expected[ROUNDS % 2][b][i]) <= 1e-5f))
                return 0;
    return 1;
}

// Columns are blocks, rows are rounds. Each process has a colour: light on the processor, dark on OpenCL. Returns
// whether the picture could be written.
static int draw(const char *path)
{
    enum { CELL = 20 };
    static const unsigned char colours[3][3] = {{230, 130, 80}, {90, 150, 220}, {120, 190, 100}};
    static unsigned char pixels[ROUNDS * CELL * BLOCKS_MAX * CELL][3];
    for (int y = 0; y < ROUNDS * CELL; y++)
        for (int x = 0; x < blocks * CELL; x++) {
            const int where = place[y / CELL * blocks + x / CELL] - 1, edge = x % CELL == 0 || y % CELL == 0;
            for (int c = 0; c < 3; c++)
                pixels[y * blocks * CELL + x][c] =
                    edge ? 255 : (unsigned char)(colours[where / 2 % 3][c] / (1 + where % 2));
        }
    png_image png = {.version = PNG_IMAGE_VERSION, .format = PNG_FORMAT_RGB};
    png.width = (png_uint_32)(blocks * CELL);
    png.height = ROUNDS * CELL;
    if (png_image_write_to_file(&png, path, 0, pixels, 0, NULL))
        return 1;
    fprintf(stderr, "starpu-mpi: cannot write %s: %s\n", path, png.message);
    return 0;
}

int main(int argc, char **argv)
{
    if (argc > 1) {
        fprintf(stderr,
                "usage: mpirun -np PROCESSES starpu-mpi          StarPU's settings are in the environment\n");
        return 2;
    }
    static starpu_data_handle_t handles[2][BLOCKS_MAX];
    int ran[2] = {0, 0}, right, all_right = 0, drawn = 1, level;
    // StarPU has a thread that calls MPI, and this one does so, too.
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
    if (level < MPI_THREAD_MULTIPLE) {
        fprintf(stderr, "starpu-mpi: this MPI lets one thread call it at a time\n");
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    const int error = starpu_mpi_init_conf(&argc, &argv, 0, MPI_COMM_WORLD, NULL);
    if (error != 0) {
        fprintf(stderr, "starpu-mpi: StarPU doesn't start: %s\n", strerror(-error));
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    blocks = BLOCKS_A_PROCESS * ranks;
    if (ranks > PROCESSES_MAX || starpu_opencl_load_opencl_from_string(source, &program, NULL) != 0) {
        fprintf(stderr, "starpu-mpi: there are more than %d processes, or the kernel doesn't build\n",
                PROCESSES_MAX);
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    if (starpu_worker_get_count_by_type(STARPU_OPENCL_WORKER) == 0)
        fprintf(stderr, "starpu-mpi: process %d has no worker of OpenCL (is a driver installed?)\n", rank);
    for (int k = 0; k < 2 * blocks; k++) {
        const int b = k / 2, mine = b % ranks == rank;
        for (int i = 0; i < LENGTH && mine; i++)
            own[k % 2][b / ranks][i] = initial(b, i);
        starpu_vector_data_register(&handles[k % 2][b], mine ? STARPU_MAIN_RAM : -1,
                                    mine ? (uintptr_t)own[k % 2][b / ranks] : 0, LENGTH, sizeof(float));
        starpu_mpi_data_register(handles[k % 2][b], k, b % ranks);
    }
    starpu_mpi_barrier(MPI_COMM_WORLD);
    const double start = starpu_timing_now();
    // The next block belongs to another process: StarPU sends it.
    for (int task = 0; task < ROUNDS * blocks; task++) {
        const int round = task / blocks, b = task % blocks;
        starpu_data_handle_t *now = handles[round % 2], *next = handles[1 - round % 2];
        if (starpu_mpi_task_insert(MPI_COMM_WORLD, &codelet, STARPU_VALUE, &task, sizeof task, STARPU_W,
                                   next[b], STARPU_R, now[b], STARPU_R, now[(b + 1) % blocks], 0) != 0) {
            fprintf(stderr, "starpu-mpi: there is no worker for a task\n");
            MPI_Abort(MPI_COMM_WORLD, 2);
        }
    }
    starpu_mpi_wait_for_all(MPI_COMM_WORLD); // tasks and messages, until nothing is left
    starpu_mpi_barrier(MPI_COMM_WORLD);
    const double seconds = 1e-6 * (starpu_timing_now() - start);
    for (int k = 0; k < 2 * blocks; k++)
        starpu_data_unregister(handles[k % 2][k / 2]); // what is this process's comes back to `own`
    for (int task = 0; task < ROUNDS * blocks; task++)
        if (place[task])
            ran[(place[task] - 1) % 2]++;
    right = is_right();
    printf("process %d: %d tasks on the processor, %d on OpenCL, the result is %s\n", rank, ran[0], ran[1],
           right ? "right" : "WRONG");
    fflush(stdout);
    MPI_Reduce(rank ? place : MPI_IN_PLACE, place, ROUNDS * blocks, MPI_INT, MPI_MAX, 0, MPI_COMM_WORLD);
    MPI_Allreduce(&right, &all_right, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    if (rank == 0) {
        drawn = draw("starpu-mpi.png");
        printf("%d process%s: %d tasks in %.3f s, %.0f tasks a second\n", ranks, ranks > 1 ? "es" : "",
               ROUNDS * blocks, seconds, ROUNDS * blocks / seconds);
    }
    starpu_opencl_unload_opencl(&program);
    starpu_mpi_shutdown();
    MPI_Finalize();
    return !(all_right && drawn);
}
