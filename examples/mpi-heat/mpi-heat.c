// The heat equation in three dimensions on several processes (MPI), each of which computes with OpenCL. Messages go
// straight from and into mapped buffers, while the device computes what needs no neighbour.
// mpi-heat [--restart] [STEPS]          writes mpi-heat.png
// mpi-heat --scaling                    one process, two, four, ... all: each with as much work
#define CL_TARGET_OPENCL_VERSION 120
#define _GNU_SOURCE // sched_getaffinity
#include <CL/cl.h>

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <mpi.h>
#include <png.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

// A cube of N planes of N x N cells, or several cubes in a row. Planes are shared out to the processes. Outside it is cold.
enum { N = 96, PLANE = N * N, STEPS = 240, CHECKPOINT_STEPS = 40, SCALING_STEPS = 40, SCALING_CUBES = 4 };
enum { WHAT = 64 }; // characters that say what a process computes on
#define CHECKPOINT "mpi-heat.checkpoint"
#define CONDUCTIVITY 0.15f

static const char source[] =
    "float update(global const float *below, global const float *plane, global const float *above, int x, "
    "int y)\n"
    "{\n"
    "    int i = y * N + x;\n"
    "    float sum = below[i] + above[i];\n"
    "    sum += x > 0 ? plane[i - 1] : 0.0f;\n"
    "    sum += x < N - 1 ? plane[i + 1] : 0.0f;\n"
    "    sum += y > 0 ? plane[i - N] : 0.0f;\n"
    "    sum += y < N - 1 ? plane[i + N] : 0.0f;\n"
    "    return plane[i] + CONDUCTIVITY * (sum - 6.0f * plane[i]);\n"
    "}\n"
    // All planes but the first and the last.
    "kernel void inner(global const float *now, global float *next)\n"
    "{\n"
    "    int x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);\n"
    "    global const float *plane = now + z * N * N;\n"
    "    next[(z * N + y) * N + x] = update(plane - N * N, plane, plane + N * N, x, y);\n"
    "}\n"
    // The first plane (z = 0) or the last one, with what the neighbour has sent.
    "kernel void edge(global const float *now, global float *next, global const float *halo_below,\n"
    "                 global const float *halo_above, int z, int planes)\n"
    "{\n"
    "    int x = get_global_id(0), y = get_global_id(1);\n"
    "    global const float *plane = now + z * N * N;\n"
    "    global const float *below = z == 0 ? halo_below : plane - N * N;\n"
    "    global const float *above = z == planes - 1 ? halo_above : plane + N * N;\n"
    "    next[(z * N + y) * N + x] = update(below, plane, above, x, y);\n"
    "}\n";

// A process's part of the cube.
struct part {
    MPI_Comm comm;                  // the processes that share the planes
    int rank, ranks, first, planes; // its planes are first ... first + planes - 1
    int depth;                      // planes of all
    cl_device_id device;
    cl_context context;
    cl_command_queue queue; // out of order: events say what waits for what
    cl_program program;
    cl_kernel inner, edge;
    cl_mem grid[2];         // the state now, and the next one, in turn
    cl_mem halo[2];         // the neighbours' planes below and above
    cl_event inner_done;    // of the last step, as the next one; NULL before the first
    cl_event edges_done[2]; // the first plane, the last plane
};

// Of a process: process `ranks` would begin after the last plane.
static int first_plane(int depth, int rank, int ranks)
{
    return (int)((long long)depth * rank / ranks);
}

// MPI's own errors end all processes: that is its default.
static void check(cl_int error, const char *what)
{
    if (error != CL_SUCCESS) {
        fprintf(stderr, "mpi-heat: %s failed with error %d\n", what, error);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
}

// Processes of this host that may run on the same processors as this one share them. How many they are, and which of
// them this is. A launcher that binds each to its own cores has divided the host already: then it is one.
static void count_sharers(int *rank, int *ranks)
{
    MPI_Comm host;
    int host_rank, host_ranks;
    cpu_set_t own;
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &host);
    MPI_Comm_rank(host, &host_rank);
    MPI_Comm_size(host, &host_ranks);
    cpu_set_t *all = calloc((size_t)host_ranks, sizeof *all);
    CPU_ZERO(&own);
    if (!all || sched_getaffinity(0, sizeof own, &own) != 0) {
        fprintf(stderr, "mpi-heat: cannot find out on which processors this process may run\n");
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    MPI_Allgather(&own, sizeof own, MPI_BYTE, all, sizeof own, MPI_BYTE, host);
    *rank = *ranks = 0;
    for (int i = 0; i < host_ranks; i++) {
        const int same = CPU_EQUAL(&own, &all[i]) != 0;
        *rank += same && i < host_rank;
        *ranks += same;
    }
    free(all);
    MPI_Comm_free(&host);
}

// The first device of any platform.
static cl_device_id find_first_device(void)
{
    cl_platform_id platforms[16];
    cl_device_id device;
    cl_uint count = 0;
    check(clGetPlatformIDs(16, platforms, &count), "clGetPlatformIDs (is a driver installed?)");
    for (cl_uint i = 0; i < count && i < 16; i++)
        if (clGetDeviceIDs(platforms[i], CL_DEVICE_TYPE_ALL, 1, &device, NULL) == CL_SUCCESS)
            return device;
    fprintf(stderr, "mpi-heat: there is no OpenCL device\n");
    MPI_Abort(MPI_COMM_WORLD, 1);
    return NULL;
}

// The first device. If several processes share it, each gets an equal part. *what says what this one has.
static cl_device_id find_device(char what[WHAT])
{
    cl_device_id device = find_first_device(), parts[256];
    cl_uint all = 1, units = 1, count = 0;
    int rank, ranks;
    check(clGetDeviceInfo(device, CL_DEVICE_MAX_COMPUTE_UNITS, sizeof all, &all, NULL), "clGetDeviceInfo");
    count_sharers(&rank, &ranks);
    snprintf(what, WHAT, "%u of %u compute units", all, all);
    if (ranks == 1 || all < (cl_uint)ranks)
        return device;
    const cl_device_partition_property equally[] = {CL_DEVICE_PARTITION_EQUALLY,
                                                    (cl_device_partition_property)(all / (cl_uint)ranks), 0};
    const cl_device_partition_property by_node[] = {CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN,
                                                    CL_DEVICE_AFFINITY_DOMAIN_NUMA, 0};
    // A process for each NUMA node has its memory near.
    const int a_node_each =
        clCreateSubDevices(device, by_node, 0, NULL, &count) == CL_SUCCESS && count == (cl_uint)ranks;
    if (clCreateSubDevices(device, a_node_each ? by_node : equally, 256, parts, &count) != CL_SUCCESS)
        return device;
    for (cl_uint i = 0; i < count; i++)
        if (i != (cl_uint)rank)
            clReleaseDevice(parts[i]);
    check(clGetDeviceInfo(parts[rank], CL_DEVICE_MAX_COMPUTE_UNITS, sizeof units, &units, NULL),
          "clGetDeviceInfo");
    snprintf(what, WHAT, "%u of %u compute units%s", units, all, a_node_each ? ", a NUMA node" : "");
    return parts[rank];
}

// In the processes' order.
static void print_devices(const struct part *p, char what[WHAT])
{
    char *all = malloc((size_t)p->ranks * WHAT);
    if (!all)
        check(CL_OUT_OF_HOST_MEMORY, "malloc");
    MPI_Gather(what, WHAT, MPI_CHAR, all, WHAT, MPI_CHAR, 0, MPI_COMM_WORLD);
    for (int i = 0; i < p->ranks && p->rank == 0; i++)
        printf("process %d: %s\n", i, all + (size_t)i * WHAT);
    free(all);
}

static void open_part(struct part *p)
{
    cl_int error;
    const char *text = source;
    char options[64];
    const size_t bytes = sizeof(float) * PLANE * (size_t)p->planes;
    const cl_float cold = 0;
    cl_device_id device = p->device;
    cl_command_queue_properties can = 0;
    check(clGetDeviceInfo(device, CL_DEVICE_QUEUE_PROPERTIES, sizeof can, &can, NULL), "clGetDeviceInfo");
    p->context = clCreateContext(NULL, 1, &device, NULL, NULL, &error);
    check(error, "clCreateContext");
    p->queue = clCreateCommandQueue(p->context, device, can & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, &error);
    check(error, "clCreateCommandQueue");
    snprintf(options, sizeof options, "-DN=%d -DCONDUCTIVITY=%ff", N, CONDUCTIVITY);
    p->program = clCreateProgramWithSource(p->context, 1, &text, NULL, &error);
    check(error, "clCreateProgramWithSource");
    error = clBuildProgram(p->program, 1, &device, options, NULL, NULL);
    if (error == CL_BUILD_PROGRAM_FAILURE) {
        static char log[16384];
        clGetProgramBuildInfo(p->program, device, CL_PROGRAM_BUILD_LOG, sizeof log, log, NULL);
        fprintf(stderr, "%s\n", log);
    }
    check(error, "clBuildProgram");
    p->inner = clCreateKernel(p->program, "inner", &error);
    check(error, "clCreateKernel");
    p->edge = clCreateKernel(p->program, "edge", &error);
    check(error, "clCreateKernel");
    for (int i = 0; i < 2; i++) {
        // ALLOC_HOST_PTR: memory that can be mapped without a copy.
        p->grid[i] =
            clCreateBuffer(p->context, CL_MEM_READ_WRITE | CL_MEM_ALLOC_HOST_PTR, bytes, NULL, &error);
        check(error, "clCreateBuffer");
        p->halo[i] = clCreateBuffer(p->context, CL_MEM_READ_ONLY | CL_MEM_ALLOC_HOST_PTR,
                                    sizeof(float) * PLANE, NULL, &error);
        check(error, "clCreateBuffer");
        check(clEnqueueFillBuffer(p->queue, p->halo[i], &cold, sizeof cold, 0, sizeof(float) * PLANE, 0, NULL,
                                  NULL),
              "clEnqueueFillBuffer");
    }
    check(clFinish(p->queue), "clFinish");
}

static void close_part(struct part *p)
{
    for (int i = 0; i < 2; i++) {
        clReleaseMemObject(p->grid[i]);
        clReleaseMemObject(p->halo[i]);
    }
    clReleaseKernel(p->inner);
    clReleaseKernel(p->edge);
    clReleaseProgram(p->program);
    clReleaseCommandQueue(p->queue);
    clReleaseContext(p->context);
}

// Waits until the buffer is the host's.
static float *map(struct part *p, cl_mem buffer, cl_map_flags flags, size_t plane, size_t planes)
{
    cl_int error;
    float *memory = clEnqueueMapBuffer(p->queue, buffer, CL_TRUE, flags, sizeof(float) * PLANE * plane,
                                       sizeof(float) * PLANE * planes, 0, NULL, NULL, &error);
    check(error, "clEnqueueMapBuffer");
    return memory;
}

// Returns the command's event.
static cl_event unmap(struct part *p, cl_mem buffer, float *memory)
{
    cl_event done;
    check(clEnqueueUnmapMemObject(p->queue, buffer, memory, 0, NULL, &done), "clEnqueueUnmapMemObject");
    return done;
}

static cl_event launch_inner(struct part *p, cl_mem now, cl_mem next, cl_uint count, const cl_event *after)
{
    const size_t first[3] = {0, 0, 1}, size[3] = {N, N, (size_t)p->planes - 2};
    cl_event done;
    check(clSetKernelArg(p->inner, 0, sizeof now, &now), "clSetKernelArg");
    check(clSetKernelArg(p->inner, 1, sizeof next, &next), "clSetKernelArg");
    check(clEnqueueNDRangeKernel(p->queue, p->inner, 3, first, size, NULL, count, after, &done),
          "clEnqueueNDRangeKernel");
    check(clFlush(p->queue), "clFlush");
    return done;
}

static cl_event launch_edge(struct part *p, cl_mem now, cl_mem next, cl_int z, cl_uint count,
                            const cl_event *after)
{
    const size_t size[2] = {N, N};
    const cl_int planes = p->planes;
    cl_event done;
    check(clSetKernelArg(p->edge, 0, sizeof now, &now), "clSetKernelArg");
    check(clSetKernelArg(p->edge, 1, sizeof next, &next), "clSetKernelArg");
    check(clSetKernelArg(p->edge, 2, sizeof p->halo[0], &p->halo[0]), "clSetKernelArg");
    check(clSetKernelArg(p->edge, 3, sizeof p->halo[1], &p->halo[1]), "clSetKernelArg");
    check(clSetKernelArg(p->edge, 4, sizeof z, &z), "clSetKernelArg");
    check(clSetKernelArg(p->edge, 5, sizeof planes, &planes), "clSetKernelArg");
    check(clEnqueueNDRangeKernel(p->queue, p->edge, 2, NULL, size, NULL, count, after, &done),
          "clEnqueueNDRangeKernel");
    return done;
}

// MPI_Waitall would spin, and take the processor from the device, or from other processes of the host.
static void await(int count /* at most 4 */, MPI_Request *requests)
{
    const struct timespec pause = {0, 20000};
    MPI_Status statuses[4];
    for (int done = 0;;) {
        MPI_Testall(count, requests, &done, statuses);
        if (done)
            return;
        nanosleep(&pause, NULL);
    }
}

// Until all have come here.
static void meet(MPI_Comm comm)
{
    MPI_Request request;
    MPI_Ibarrier(comm, &request);
    await(1, &request);
}

// Begins to send the first and the last plane, and to receive the neighbours'. At the ends of the cube there is no
// neighbour, and the halo stays cold.
static void begin_exchange(const struct part *p, const float *first, const float *last, float *below,
                           float *above, MPI_Request requests[4])
{
    const int rank_below = p->rank > 0 ? p->rank - 1 : MPI_PROC_NULL;
    const int rank_above = p->rank < p->ranks - 1 ? p->rank + 1 : MPI_PROC_NULL;
    MPI_Irecv(below, PLANE, MPI_FLOAT, rank_below, 0, p->comm, &requests[0]);
    MPI_Irecv(above, PLANE, MPI_FLOAT, rank_above, 0, p->comm, &requests[1]);
    MPI_Isend(first, PLANE, MPI_FLOAT, rank_below, 0, p->comm, &requests[2]);
    MPI_Isend(last, PLANE, MPI_FLOAT, rank_above, 0, p->comm, &requests[3]);
}

static void step(struct part *p, int number)
{
    cl_mem now = p->grid[number % 2], next = p->grid[1 - number % 2];
    const size_t end = (size_t)p->planes - 1;
    const cl_event before[3] = {p->inner_done, p->edges_done[0], p->edges_done[1]};
    const cl_uint have = before[0] != NULL;
    MPI_Request requests[4];

    // Map before the inner planes are launched: on a CPU, who waits for a map helps with what was launched before it, and
    // the messages would wait, too. Kernels may read what is mapped for reading; the halos are the host's alone.
    if (have)
        check(clWaitForEvents(2, p->edges_done), "clWaitForEvents");
    float *first = map(p, now, CL_MAP_READ, 0, 1), *last = map(p, now, CL_MAP_READ, end, 1);
    float *below = map(p, p->halo[0], CL_MAP_WRITE, 0, 1), *above = map(p, p->halo[1], CL_MAP_WRITE, 0, 1);
    begin_exchange(p, first, last, below, above, requests);

    // The inner planes need what the last step computed, and no neighbour: they are computed while messages travel.
    cl_event inner_done = launch_inner(p, now, next, 3 * have, have ? before : NULL);
    await(4, requests);
    const cl_event ready[5] = {unmap(p, now, first), unmap(p, now, last), unmap(p, p->halo[0], below),
                               unmap(p, p->halo[1], above), p->inner_done};

    // The edges read the second plane, so they also need the last step's inner planes.
    cl_event first_done = launch_edge(p, now, next, 0, 4 + have, ready);
    cl_event last_done = launch_edge(p, now, next, (cl_int)end, 4 + have, ready);
    check(clFlush(p->queue), "clFlush");
    for (int i = 0; i < 4; i++)
        clReleaseEvent(ready[i]);
    for (int i = 0; i < 3 && have; i++)
        clReleaseEvent(before[i]);
    p->inner_done = inner_done;
    p->edges_done[0] = first_done;
    p->edges_done[1] = last_done;
}

// Until everything is computed. A kernel that has failed ends the program: clFinish doesn't say that one has, the
// events do.
static void finish(struct part *p)
{
    const cl_event last[3] = {p->inner_done, p->edges_done[0], p->edges_done[1]};
    check(clFinish(p->queue), "clFinish");
    if (last[0])
        check(clWaitForEvents(3, last), "clWaitForEvents");
    for (int i = 0; i < 3 && last[i]; i++)
        clReleaseEvent(last[i]);
    p->inner_done = NULL;
}

// ---- Checkpoints ----

#define MAGIC "WHEAT 2" // 8 bytes, with its NUL

// What a checkpoint begins with. All planes follow.
struct header {
    char magic[8];
    int n, steps;
    uint64_t checksum;
};

// why: NULL, or more about it.
static _Noreturn void fail(const struct part *p, const char *what, const char *why)
{
    fprintf(stderr, "mpi-heat: process %d: " CHECKPOINT " %s%s%s\n", p->rank, what, why ? ": " : "",
            why ? why : "");
    MPI_Abort(MPI_COMM_WORLD, 1);
    abort();
}

// Of this process's planes. All processes' sum is the same however many there are. One wrong cell changes it, as the
// factors are odd.
static uint64_t sum_of(const struct part *p, const float *memory, int steps)
{
    uint64_t sum = p->rank == 0 ? (uint64_t)steps : 0;
    for (size_t i = 0; i < (size_t)p->planes * PLANE; i++) {
        uint32_t bits;
        memcpy(&bits, &memory[i], sizeof bits);
        sum += bits * (2 * ((uint64_t)p->first * PLANE + i) + 1);
    }
    return sum;
}

static MPI_Offset place_of(const struct part *p)
{
    return (MPI_Offset)sizeof(struct header) + (MPI_Offset)sizeof(float) * PLANE * p->first;
}

// A full disk is no error to MPI: only the count says that less was written.
static int is_whole(int error, const MPI_Status *status, int bytes)
{
    int count = 0;
    return error == MPI_SUCCESS && MPI_Get_count(status, MPI_BYTE, &count) == MPI_SUCCESS && count == bytes;
}

// Under another name until all have written: a process that fails or dies leaves the checkpoint before.
static void save(struct part *p, int number)
{
    const int bytes = (int)sizeof(float) * PLANE * p->planes;
    char why[MPI_MAX_ERROR_STRING] = "";
    struct header header = {MAGIC, N, number, 0};
    MPI_File file;
    MPI_Status status;
    int length;
    finish(p);
    float *memory = map(p, p->grid[number % 2], CL_MAP_READ, 0, (size_t)p->planes);
    const uint64_t sum = sum_of(p, memory, number);
    MPI_Allreduce(&sum, &header.checksum, 1, MPI_UINT64_T, MPI_SUM, p->comm);
    int error =
        MPI_File_open(p->comm, CHECKPOINT ".new", MPI_MODE_CREATE | MPI_MODE_WRONLY, MPI_INFO_NULL, &file);
    if (error != MPI_SUCCESS) {
        MPI_Error_string(error, why, &length);
        fail(p, "cannot be opened for writing", why);
    }
    error = MPI_File_write_at(file, place_of(p), memory, bytes, MPI_BYTE, &status);
    int whole = is_whole(error, &status, bytes);
    if (p->rank == 0) {
        error = MPI_File_write_at(file, 0, &header, sizeof header, MPI_BYTE, &status);
        whole = whole && is_whole(error, &status, sizeof header);
    }
    if (!whole || MPI_File_sync(file) != MPI_SUCCESS || MPI_File_close(&file) != MPI_SUCCESS)
        fail(p, "cannot be written (is the disk full?)", NULL);
    meet(p->comm);
    if (p->rank == 0 && rename(CHECKPOINT ".new", CHECKPOINT) != 0)
        fail(p, "cannot be renamed", strerror(errno));
    clReleaseEvent(unmap(p, p->grid[number % 2], memory));
    check(clFinish(p->queue), "clFinish");
}

// What is wrong with the open checkpoint; NULL: nothing. Leaves the planes in the device's buffer. *sum: theirs.
static const char *read_all(struct part *p, MPI_File file, struct header *header, uint64_t *sum)
{
    const int bytes = (int)sizeof(float) * PLANE * p->planes;
    MPI_Status status;
    int error = MPI_File_read_at(file, 0, header, sizeof *header, MPI_BYTE, &status);
    if (!is_whole(error, &status, sizeof *header) || memcmp(header->magic, MAGIC, sizeof MAGIC) != 0)
        return "isn't a checkpoint of this program";
    if (header->n != N || header->steps < 0)
        return "is of a cube of another size";
    cl_mem grid = p->grid[header->steps % 2];
    float *memory = map(p, grid, CL_MAP_WRITE, 0, (size_t)p->planes);
    error = MPI_File_read_at(file, place_of(p), memory, bytes, MPI_BYTE, &status);
    const int whole = is_whole(error, &status, bytes);
    *sum = whole ? sum_of(p, memory, header->steps) : 0;
    clReleaseEvent(unmap(p, grid, memory));
    check(clFinish(p->queue), "clFinish");
    return whole ? NULL : "isn't whole";
}

// Has nobody seen that the checkpoint is wrong? Otherwise the first process that has says so.
static int is_good(const struct part *p, const char *wrong)
{
    int mine = wrong ? p->rank : p->ranks, first;
    MPI_Allreduce(&mine, &first, 1, MPI_INT, MPI_MIN, p->comm);
    if (first == p->rank)
        fprintf(stderr, "mpi-heat: process %d: " CHECKPOINT " %s\n", p->rank, wrong);
    return first == p->ranks;
}

// Returns the number of steps that the checkpoint has. -1: there is none, or it is wrong, which has been said.
static int load(struct part *p)
{
    struct header header;
    const char *wrong = "isn't there";
    MPI_File file;
    uint64_t sum = 0, total;
    if (MPI_File_open(p->comm, CHECKPOINT, MPI_MODE_RDONLY, MPI_INFO_NULL, &file) == MPI_SUCCESS) {
        wrong = read_all(p, file, &header, &sum);
        MPI_File_close(&file);
    }
    if (!is_good(p, wrong))
        return -1;
    MPI_Allreduce(&sum, &total, 1, MPI_UINT64_T, MPI_SUM, p->comm);
    return is_good(p, total == header.checksum ? NULL : "is damaged: its checksum is another") ? header.steps
                                                                                               : -1;
}

// ---- The same in plain C ----

// A hot ball, and a hot bar beside it.
static float initial(int x, int y, int z)
{
    const int dx = x - N / 3, dy = y - N / 2, dz = z - N / 3;
    const int ball = dx * dx + dy * dy + dz * dz < N * N / 36;
    const int bar =
        x > 2 * N / 3 && x < 3 * N / 4 && y > N / 3 && y < 2 * N / 3 && z > N / 4 && z < 7 * N / 8;
    return ball || bar ? 100.0f : 0.0f;
}

static void fill(float *cells, int first, int planes)
{
    for (int z = 0; z < planes; z++)
        for (int i = 0; i < PLANE; i++)
            cells[z * PLANE + i] = initial(i % N, i / N, (first + z) % N);
}

static void step_in_c(const float *now, float *next, int depth)
{
    for (int z = 0; z < depth; z++)
        for (int y = 0; y < N; y++)
            for (int x = 0; x < N; x++) {
                const float *cell = &now[(z * N + y) * N + x];
                float sum = (z > 0 ? cell[-PLANE] : 0) + (z < depth - 1 ? cell[PLANE] : 0);
                sum += x > 0 ? cell[-1] : 0;
                sum += x < N - 1 ? cell[1] : 0;
                sum += y > 0 ? cell[-N] : 0;
                sum += y < N - 1 ? cell[N] : 0;
                next[(z * N + y) * N + x] = *cell + CONDUCTIVITY * (sum - 6.0f * *cell);
            }
}

// Cuts the cube in its middle: black is cold, the hottest cell is white. Returns whether the picture could be written.
static int draw(const char *path, const float *cells)
{
    enum { ZOOM = 3, SIZE = N * ZOOM };
    static unsigned char pixels[SIZE][SIZE][3];
    float hottest = 1e-30f;
    for (int z = 0; z < N; z++)
        for (int x = 0; x < N; x++)
            hottest = fmaxf(hottest, cells[(z * N + N / 2) * N + x]);
    for (int z = 0; z < SIZE; z++)
        for (int x = 0; x < SIZE; x++)
            for (int c = 0; c < 3; c++) {
                const float heat = cells[(z / ZOOM * N + N / 2) * N + x / ZOOM] / hottest;
                const float light = 3 * 255 * heat - 255.0f * (float)c;
                pixels[z][x][c] = (unsigned char)fminf(fmaxf(light, 0.0f), 255.0f);
            }
    png_image png;
    memset(&png, 0, sizeof png);
    png.version = PNG_IMAGE_VERSION;
    png.width = png.height = SIZE;
    png.format = PNG_FORMAT_RGB;
    if (png_image_write_to_file(&png, path, 0, pixels, 0, NULL))
        return 1;
    fprintf(stderr, "mpi-heat: cannot write %s: %s\n", path, png.message);
    return 0;
}

// Collects all parts at process 0, which draws them. Returns whether it could.
static int draw_all(const struct part *p, const float *memory)
{
    float *cells = malloc(sizeof(float) * N * PLANE);
    int *counts = malloc(sizeof *counts * (size_t)p->ranks);
    int *places = malloc(sizeof *places * (size_t)p->ranks);
    if (!cells || !counts || !places)
        check(CL_OUT_OF_HOST_MEMORY, "malloc");
    for (int r = 0; r < p->ranks; r++) {
        places[r] = PLANE * first_plane(N, r, p->ranks);
        counts[r] = PLANE * first_plane(N, r + 1, p->ranks) - places[r];
    }
    MPI_Gatherv(memory, PLANE * p->planes, MPI_FLOAT, cells, counts, places, MPI_FLOAT, 0, p->comm);
    const int drawn = p->rank != 0 || draw("mpi-heat.png", cells);
    free(cells);
    free(counts);
    free(places);
    return drawn;
}

// Each process computes its planes once more in plain C, from the beginning. In each step a plane is changed by its
// neighbours only, so planes that are further away than there were steps don't matter.
static int planes_are_right(const struct part *p, const float *memory, int steps)
{
    const int end = p->first + p->planes;
    const int from = p->first > steps ? p->first - steps : 0;
    const int to = p->depth - end > steps ? end + steps : p->depth;
    const size_t bytes = sizeof(float) * PLANE * (size_t)(to - from);
    float *plain[2] = {malloc(bytes), malloc(bytes)};
    int right = 1;
    if (!plain[0] || !plain[1])
        check(CL_OUT_OF_HOST_MEMORY, "malloc");
    fill(plain[0], from, to - from);
    for (int i = 0; i < steps; i++)
        step_in_c(plain[i % 2], plain[1 - i % 2], to - from);
    const float *expected = plain[steps % 2] + PLANE * (size_t)(p->first - from);
    for (size_t i = 0; i < PLANE * (size_t)p->planes; i++)
        right &= fabsf(memory[i] - expected[i]) < 1e-3f;
    free(plain[0]);
    free(plain[1]);
    return right;
}

// Whether all processes' planes are right. *drawn, unless NULL: whether there is a picture of them.
static int is_right(struct part *p, int steps, int *drawn)
{
    float *memory = map(p, p->grid[steps % 2], CL_MAP_READ, 0, (size_t)p->planes);
    int right = planes_are_right(p, memory, steps);
    if (drawn)
        *drawn = draw_all(p, memory);
    clReleaseEvent(unmap(p, p->grid[steps % 2], memory));
    check(clFinish(p->queue), "clFinish");
    meet(p->comm);
    MPI_Allreduce(MPI_IN_PLACE, &right, 1, MPI_INT, MPI_MIN, p->comm);
    return right;
}

// This process's part of `depth` planes.
static struct part part_of(MPI_Comm comm, int depth, cl_device_id device)
{
    struct part p = {.comm = comm, .depth = depth, .device = device};
    MPI_Comm_rank(comm, &p.rank);
    MPI_Comm_size(comm, &p.ranks);
    p.first = first_plane(depth, p.rank, p.ranks);
    p.planes = first_plane(depth, p.rank + 1, p.ranks) - p.first;
    return p;
}

static void begin_anew(struct part *p)
{
    float *memory = map(p, p->grid[0], CL_MAP_WRITE, 0, (size_t)p->planes);
    fill(memory, p->first, p->planes);
    clReleaseEvent(unmap(p, p->grid[0], memory));
    check(clFinish(p->queue), "clFinish");
}

// Returns the seconds that it took, of the slowest process.
static double run(struct part *p, int begin, int steps, int checkpoints)
{
    meet(p->comm);
    const double start = MPI_Wtime();
    for (int number = begin; number < steps; number++) {
        if (checkpoints && number % CHECKPOINT_STEPS == 0 && number > begin)
            save(p, number);
        step(p, number);
    }
    finish(p);
    meet(p->comm);
    return MPI_Wtime() - start;
}

static double million_cells(const struct part *p, int steps)
{
    return 1e-6 * (double)PLANE * p->depth * steps;
}

// Returns the milliseconds of a step of the slowest process of `all`. Some of them may compute apart from the others.
static double time_steps(struct part *p, MPI_Comm all)
{
    open_part(p);
    begin_anew(p);
    run(p, 0, 2, 0); // the first launches wait for code
    begin_anew(p);
    meet(all);
    double seconds = run(p, 0, SCALING_STEPS, 0);
    meet(all);
    MPI_Allreduce(MPI_IN_PLACE, &seconds, 1, MPI_DOUBLE, MPI_MAX, all);
    return 1e3 * seconds / (int)SCALING_STEPS;
}

// Each process has some cubes: how much longer do more take? On one machine they share its memory, so each also computes
// without the others' messages, at the same time as they do. Returns whether all that this process took part in is right.
static int print_scaling(cl_device_id device)
{
    int rank, ranks, right = 1;
    double alone = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    for (int n = 0; n < ranks;) {
        n = n == 0 ? 1 : 2 * n < ranks ? 2 * n : ranks;
        MPI_Comm comm;
        MPI_Comm_split(MPI_COMM_WORLD, rank < n ? 0 : MPI_UNDEFINED, rank, &comm);
        if (comm != MPI_COMM_NULL) {
            struct part apart = part_of(MPI_COMM_SELF, SCALING_CUBES * N, device);
            const double ms_apart = time_steps(&apart, comm);
            close_part(&apart);
            struct part p = part_of(comm, SCALING_CUBES * N * n, device);
            const double ms = time_steps(&p, comm);
            right &= is_right(&p, SCALING_STEPS, NULL);
            alone = n == 1 ? ms : alone;
            if (rank == 0)
                printf(
                    "%d process%s: %.2f ms a step (%.2f ms without messages), %.0f million cells a second, "
                    "efficiency %.0f %%\n",
                    n, n > 1 ? "es" : "", ms, ms_apart, 1e3 * million_cells(&p, 1) / ms, 100 * alone / ms);
            close_part(&p);
            MPI_Comm_free(&comm);
        }
        meet(MPI_COMM_WORLD); // the others sleep
    }
    return right;
}

struct arguments {
    int scaling, restart, steps;
};

// Returns 0 if they can't be understood.
static int read_arguments(int argc, char **argv, struct arguments *a)
{
    *a = (struct arguments){0};
    a->scaling = argc == 2 && strcmp(argv[1], "--scaling") == 0;
    a->restart = argc > 1 && strcmp(argv[1], "--restart") == 0;
    const int at = 1 + a->restart;
    char *end = NULL;
    long steps = STEPS;
    errno = 0;
    if (!a->scaling && argc > at)
        steps = strtol(argv[at], &end, 10);
    a->steps = steps > 0 && steps <= INT_MAX && errno == 0 ? (int)steps : 0;
    return a->scaling || (argc <= at + 1 && (!end || (end != argv[at] && *end == 0)) && a->steps > 0);
}

int main(int argc, char **argv)
{
    // Weft's threads, and those of other drivers, call no MPI: only this one does.
    int level;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level);
    if (level < MPI_THREAD_FUNNELED) {
        fprintf(stderr, "mpi-heat: this MPI allows no threads beside its own\n");
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    struct arguments a;
    struct part p = part_of(MPI_COMM_WORLD, N, NULL);
    int right, drawn = 1, begin = 0;
    if (!read_arguments(argc, argv, &a) || (!a.scaling && p.ranks > N / 3)) {
        if (p.rank == 0)
            fprintf(stderr,
                    "usage: mpirun -np PROCESSES mpi-heat [--restart] [STEPS]    at most %d processes\n"
                    "       mpirun -np PROCESSES mpi-heat --scaling\n",
                    N / 3);
        MPI_Finalize();
        return 2;
    }
    char what[WHAT] = "";
    p.device = find_device(what);
    print_devices(&p, what);
    if (a.scaling) {
        right = print_scaling(p.device);
    } else {
        open_part(&p);
        if (a.restart)
            begin = load(&p);
        else
            begin_anew(&p);
        if (begin > a.steps && p.rank == 0)
            fprintf(stderr, "mpi-heat: the checkpoint is of step %d: %d steps are needed, or more\n", begin,
                    begin);
        if (begin < 0 || begin > a.steps) {
            close_part(&p);
            clReleaseDevice(p.device);
            MPI_Finalize();
            return begin < 0 ? 1 : 2;
        }
        const double seconds = run(&p, begin, a.steps, 1);
        right = is_right(&p, a.steps, &drawn);
        if (p.rank == 0)
            printf("%d process%s, steps %d to %d: %.2f s, %.0f million cells a second\n", p.ranks,
                   p.ranks > 1 ? "es" : "", begin, a.steps, seconds,
                   million_cells(&p, a.steps - begin) / seconds);
        close_part(&p);
    }
    if (p.rank == 0)
        printf("the result is %s\n", right ? "right" : "WRONG");
    clReleaseDevice(p.device);
    MPI_Finalize();
    return !(right && drawn);
}
