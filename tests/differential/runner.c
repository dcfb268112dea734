// differential_runner PROGRAM.cl RESULTS [OPTIONS]: runs every kernel of the program in every launch of
// data.h, twice (with guard pages before and after its buffers), and writes what it computed to RESULTS. It
// judges nothing: engine.py compares the files of several runs. Exit 2: nothing could be run.
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include <sys/mman.h>
#include <unistd.h>

#include "data.h"

static _Noreturn void give_up(const char *what, cl_int error)
{
    fprintf(stderr, "%s: error %d\n", what, error);
    exit(2);
}
#define CHECK(call)                 \
    do {                            \
        cl_int error_ = (call);     \
        if (error_ != CL_SUCCESS)   \
            give_up(#call, error_); \
    } while (0)

// ---- Memory between guard pages ----

struct guarded {
    unsigned char *pages, *data; // the pages that can be touched, and the buffer in them
    size_t size, span;           // of data, of pages
};

static struct guarded guarded(size_t size, bool at_end)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE), span = (size + page - 1) / page * page;
    unsigned char *p = mmap(NULL, span + 2 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p == MAP_FAILED || mprotect(p + page, span, PROT_READ | PROT_WRITE) != 0)
        give_up("mmap", 0);
    memset(p + page, 0xa5, span);
    return (struct guarded){p + page, at_end ? p + page + span - size : p + page, size, span};
}

// Whether the rest of its pages is as it was.
static bool rest_untouched(const struct guarded *g)
{
    for (const unsigned char *p = g->pages; p < g->pages + g->span; p++)
        if ((p < g->data || p >= g->data + g->size) && *p != 0xa5)
            return false;
    return true;
}

static void unmap(struct guarded *g)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    munmap(g->pages - page, g->span + 2 * page);
}

// ---- Launches ----

static cl_context context;
static cl_command_queue queue;

static cl_mem buffer_at(struct guarded *g, cl_mem_flags access)
{
    cl_int error;
    cl_mem m = clCreateBuffer(context, CL_MEM_USE_HOST_PTR | access, g->size, g->data, &error);
    CHECK(error);
    return m;
}

static cl_int launch(cl_kernel kernel, const struct data_launch *l)
{
    cl_event event;
    cl_int status = clEnqueueNDRangeKernel(queue, kernel, l->dims, l->offset, l->global,
                                           l->local[0] ? l->local : NULL, 0, NULL, &event);
    if (status != CL_SUCCESS)
        return status;
    status = clWaitForEvents(1, &event);
    cl_int executed = CL_SUCCESS;
    CHECK(clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof executed, &executed, NULL));
    clReleaseEvent(event);
    return executed < 0 ? executed : status;
}

enum { STRAY_WRITE = 1 }; // a status of our own

static void run(FILE *results, cl_kernel kernel, const struct data_kernel *k, uint32_t index, uint32_t number,
                bool at_end)
{
    const struct data_launch *l = &data_launches[number];
    size_t items = data_items(l), group = 1;
    for (unsigned d = 0; d < l->dims; d++)
        group *= l->local[0] ? l->local[d] : 1;
    cl_uint args = 0;
    CHECK(clGetKernelInfo(kernel, CL_KERNEL_NUM_ARGS, sizeof args, &args, NULL));
    struct guarded in = guarded(k->in * items, at_end), out = guarded(k->out * items, at_end),
                   sums = guarded(sizeof(uint32_t) * DATA_SUMS, at_end);
    data_fill(in.data, in.size, k->kind, number + 1);
    memset(out.data, 0xcd, out.size);
    data_fill_sums((uint32_t *)(void *)sums.data);
    cl_mem memory[3] = {buffer_at(&in, CL_MEM_READ_ONLY), buffer_at(&out, CL_MEM_READ_WRITE),
                        buffer_at(&sums, CL_MEM_READ_WRITE)};
    for (cl_uint i = 0; i < 3 && i < args; i++)
        CHECK(clSetKernelArg(kernel, i, sizeof memory[i], &memory[i]));
    if (args > 3)
        CHECK(clSetKernelArg(kernel, 3, k->local * group, NULL));
    struct data_record r = {index, number, at_end, launch(kernel, l), out.size};
    for (int i = 0; i < 3; i++)
        CHECK(clReleaseMemObject(memory[i]));
    if (r.status == 0 && !(rest_untouched(&in) && rest_untouched(&out) && rest_untouched(&sums)))
        r.status = STRAY_WRITE;
    data_write(results, &r, out.data, (const uint32_t *)(const void *)sums.data);
    unmap(&in);
    unmap(&out);
    unmap(&sums);
}

static cl_program build(cl_device_id device, const char *text, const char *options)
{
    cl_int error;
    cl_program program = clCreateProgramWithSource(context, 1, &text, NULL, &error);
    CHECK(error);
    if (clBuildProgram(program, 1, &device, options, NULL, NULL) != CL_SUCCESS) {
        static char log[1 << 16];
        clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, sizeof log, log, NULL);
        fprintf(stderr, "%s\n", log);
        exit(2);
    }
    return program;
}

int main(int argc, char **argv)
{
    if (argc < 3)
        give_up("usage: differential_runner PROGRAM.cl RESULTS [OPTIONS]", 0);
    cl_platform_id platform;
    cl_device_id device;
    cl_int error;
    CHECK(clGetPlatformIDs(1, &platform, NULL));
    CHECK(clGetDeviceIDs(platform, CL_DEVICE_TYPE_CPU, 1, &device, NULL));
    context = clCreateContext(NULL, 1, &device, NULL, NULL, &error);
    CHECK(error);
    queue = clCreateCommandQueue(context, device, 0, &error);
    CHECK(error);

    char *text = data_read(argv[1]);
    static struct data_kernel list[DATA_KERNELS];
    static cl_kernel kernels[DATA_KERNELS];
    size_t count = data_kernels(text, list);
    cl_program program = build(device, text, argc > 3 ? argv[3] : "");
    FILE *results = fopen(argv[2], "wb");
    if (!results)
        give_up(argv[2], 0);
    // All first: their code is made in the background from here on.
    for (size_t i = 0; i < count; i++) {
        kernels[i] = clCreateKernel(program, list[i].name, &error);
        CHECK(error);
    }
    for (uint32_t i = 0; i < count; i++) {
        for (uint32_t l = 0; l < DATA_LAUNCHES; l++) {
            for (int at_end = 0; at_end < 2; at_end++) {
                if (data_runs(&list[i], &data_launches[l]))
                    run(results, kernels[i], &list[i], i, l, at_end);
            }
        }
        CHECK(clReleaseKernel(kernels[i]));
    }
    CHECK(clReleaseProgram(program));
    CHECK(clReleaseCommandQueue(queue));
    CHECK(clReleaseContext(context));
    free(text);
    return fclose(results) == 0 ? 0 : 2;
}
