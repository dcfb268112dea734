// The first and only program of a virtual machine with two NUMA nodes (numa_machine.py): on which nodes the
// threads and the pages of OpenCL's storage are, for each value of WEFT_NUMA.
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include <dirent.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/reboot.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { BYTES = 64 << 20, PAGE = 4096, PAGES = BYTES / PAGE, TRIES = 8, NODES = 2 };

static const char source[] = "kernel void set(global uint *out)\n"
                             "{\n"
                             "    uint i = get_global_id(0), x = i;\n"
                             "    for (int k = 0; k < 20; k++)\n"
                             "        x = x * 1664525u + 1013904223u;\n"
                             "    out[i] = x;\n"
                             "}\n";

static void check(cl_int error, const char *what)
{
    if (error == CL_SUCCESS)
        return;
    printf("FAIL %s: error %d\n", what, error);
    exit(1);
}

static void report(bool ok, const char *what)
{
    printf("%s %s, WEFT_NUMA=%s\n", ok ? "ok" : "FAIL", what, getenv("WEFT_NUMA"));
}

// ---- Storage ----

struct device {
    cl_device_id id;
    cl_context context;
    cl_command_queue queue;
    cl_kernel kernel;
};

static struct device open_device(cl_device_id id)
{
    cl_int error;
    const char *text = source;
    struct device d = {.id = id, .context = clCreateContext(NULL, 1, &id, NULL, NULL, &error)};
    check(error, "clCreateContext");
    d.queue = clCreateCommandQueue(d.context, id, 0, &error);
    check(error, "clCreateCommandQueue");
    cl_program program = clCreateProgramWithSource(d.context, 1, &text, NULL, &error);
    check(error, "clCreateProgramWithSource");
    check(clBuildProgram(program, 1, &id, "", NULL, NULL), "clBuildProgram");
    d.kernel = clCreateKernel(program, "set", &error);
    check(error, "clCreateKernel");
    clReleaseProgram(program);
    return d;
}

static cl_mem make_buffer(const struct device *d, void *contents)
{
    cl_int error;
    cl_mem m = clCreateBuffer(d->context, contents ? CL_MEM_COPY_HOST_PTR : 0, BYTES, contents, &error);
    check(error, "clCreateBuffer");
    return m;
}

static void run_kernel(const struct device *d, cl_mem m)
{
    const size_t items = BYTES / sizeof(cl_uint), local = 256;
    check(clSetKernelArg(d->kernel, 0, sizeof m, &m), "clSetKernelArg");
    check(clEnqueueNDRangeKernel(d->queue, d->kernel, 1, NULL, &items, &local, 0, NULL, NULL), "a launch");
    check(clFinish(d->queue), "clFinish");
}

// How much of each half of the buffer is on node 0: 0 to 1.
struct shares {
    double half[2];
};

static struct shares shares_of(const struct device *d, cl_mem m)
{
    static void *page[PAGES];
    static int node[PAGES];
    cl_int error;
    struct shares s = {{0, 0}};
    char *p = clEnqueueMapBuffer(d->queue, m, CL_TRUE, CL_MAP_READ, 0, BYTES, 0, NULL, NULL, &error);
    check(error, "clEnqueueMapBuffer");
    for (int i = 0; i < PAGES; i++)
        page[i] = p + (size_t)i * PAGE;
    if (syscall(SYS_move_pages, 0, (long)PAGES, page, NULL, node, 0) != 0)
        check(-1, "move_pages");
    for (int i = 0; i < PAGES; i++)
        s.half[i / (PAGES / 2)] += node[i] == 0 ? 2.0 / (double)PAGES : 0;
    check(clEnqueueUnmapMemObject(d->queue, m, p, 0, NULL, NULL), "clEnqueueUnmapMemObject");
    check(clFinish(d->queue), "clFinish");
    printf("   %.2f and %.2f on node 0\n", s.half[0], s.half[1]);
    return s;
}

static bool are_apart(struct shares s)
{
    return s.half[0] > 0.8 && s.half[1] < 0.2;
}

static bool are_mixed(struct shares s)
{
    return s.half[0] > 0.45 && s.half[0] < 0.55 && s.half[1] > 0.45 && s.half[1] < 0.55;
}

static bool are_on(struct shares s, int node)
{
    return s.half[0] == 1 - node && s.half[1] == 1 - node;
}

// A machine that is emulated on a busy one doesn't run all of its processors at once, and then threads steal.
// So one of several buffers must be as it should.
static bool some_buffer(const struct device *d, void *contents, bool (*fits)(struct shares))
{
    bool any = false;
    for (int i = 0; i < TRIES && !any; i++) {
        cl_mem m = make_buffer(d, contents);
        if (!contents)
            run_kernel(d, m);
        any = fits(shares_of(d, m));
        clReleaseMemObject(m);
    }
    return any;
}

static void check_sub_devices(cl_device_id root, void *contents)
{
    const cl_device_partition_property by[] = {CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN,
                                               CL_DEVICE_AFFINITY_DOMAIN_NUMA, 0};
    cl_device_id part[NODES];
    cl_uint count;
    check(clCreateSubDevices(root, by, NODES, part, &count), "clCreateSubDevices");
    report(count == NODES, "there is a sub-device for each node");
    for (int i = 0; i < NODES; i++) {
        struct device d = open_device(part[i]);
        cl_mem filled = make_buffer(&d, contents), fresh = make_buffer(&d, NULL);
        run_kernel(&d, fresh);
        report(are_on(shares_of(&d, filled), i), "the contents of a sub-device's buffer lie on its node");
        report(are_on(shares_of(&d, fresh), i), "what a sub-device writes lies on its node");
    }
}

// ---- Threads ----

// Which processors a thread may use, as "0-1".
static void read_thread(const char *id, char name[64], char cpus[64])
{
    char path[320], line[256];
    snprintf(path, sizeof path, "/proc/self/task/%s/status", id);
    FILE *f = fopen(path, "r");
    while (f && fgets(line, sizeof line, f)) {
        sscanf(line, "Name: %63s", name);
        sscanf(line, "Cpus_allowed_list: %63s", cpus);
    }
    if (f)
        fclose(f);
}

static void check_threads(bool bound)
{
    DIR *d = opendir("/proc/self/task");
    int on[NODES] = {0}, anywhere = 0, others_bound = 0, number;
    for (struct dirent *e; (e = readdir(d));) {
        char name[64] = "", cpus[64] = "";
        if (e->d_name[0] == '.')
            continue;
        read_thread(e->d_name, name, cpus);
        const bool pool = sscanf(name, "weft-%d", &number) == 1;
        on[0] += pool && strcmp(cpus, "0-1") == 0;
        on[1] += pool && strcmp(cpus, "2-3") == 0;
        anywhere += pool && strcmp(cpus, "0-3") == 0;
        others_bound += !pool && strcmp(cpus, "0-3") != 0;
    }
    closedir(d);
    if (bound)
        report(on[0] == 2 && on[1] == 2 && anywhere == 0, "each node has two threads");
    else
        report(on[0] == 0 && on[1] == 0 && anywhere > 0, "no thread is bound");
    report(others_bound == 0, "threads that run no kernels aren't bound");
}

// ---- The machine ----

static int try_everything(void)
{
    cl_platform_id platform;
    cl_device_id root;
    const char *numa = getenv("WEFT_NUMA");
    check(clGetPlatformIDs(1, &platform, NULL), "clGetPlatformIDs");
    check(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &root, NULL), "clGetDeviceIDs");
    char *contents = malloc(BYTES);
    memset(contents, 1, BYTES);
    struct device d = open_device(root);
    cl_mem first = make_buffer(&d, NULL);
    for (int i = 0; i < 20; i++) // all threads start, and the cost is known
        run_kernel(&d, first);
    check_threads(strcmp(numa, "off") != 0);
    if (strcmp(numa, "local") == 0) {
        report(some_buffer(&d, NULL, are_apart), "pages lie where they are written first");
        report(some_buffer(&d, contents, are_apart), "the contents of a buffer are copied by all threads");
    }
    if (strcmp(numa, "interleave") == 0)
        report(some_buffer(&d, NULL, are_mixed), "pages are spread over the nodes");
    if (strcmp(numa, "off") != 0)
        check_sub_devices(root, contents);
    return 0;
}

static void run_with(const char *numa, const char *self)
{
    const pid_t pid = fork();
    int status = -1;
    if (pid == 0) {
        setenv("WEFT_NUMA", numa, 1);
        execl(self, self, (char *)NULL);
        _exit(127);
    }
    waitpid(pid, &status, 0);
    printf("%s ends with WEFT_NUMA=%s\n", status == 0 ? "ok" : "FAIL", numa);
}

int main(int argc, char **argv)
{
    setvbuf(stdout, NULL, _IOLBF, 0);
    if (getpid() != 1)
        return try_everything();
    static const struct {
        const char *type, *at;
    } mounts[] = {{"proc", "/proc"}, {"sysfs", "/sys"}, {"devtmpfs", "/dev"}, {"tmpfs", "/tmp"}};
    for (size_t i = 0; i < sizeof mounts / sizeof *mounts; i++) {
        mkdir(mounts[i].at, 0755);
        mount(mounts[i].type, mounts[i].at, mounts[i].type, 0, NULL);
    }
    const int console = open("/dev/console", O_RDWR);
    for (int i = 0; i < 3; i++)
        dup2(console, i);
    // The contents of the machine's only folder that programs need.
    static const char *const settings[][2] = {{"OCL_ICD_VENDORS", "/weft/vendors"},
                                              {"WEFT_CONF", "none"},
                                              {"WEFT_CACHE", "0"},
                                              {"WEFT_POOL_MIB", "0"},
                                              {"WEFT_TIER", "1"},
                                              {"HOME", "/tmp"}};
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++)
        setenv(settings[i][0], settings[i][1], 1);
    putchar('\n'); // after what the firmware and the kernel have left on the line
    const char *values[] = {"local", "interleave", "off"};
    for (size_t i = 0; argc > 0 && i < sizeof values / sizeof *values; i++)
        run_with(values[i], argv[0]);
    printf("the machine ends\n");
    reboot(RB_POWER_OFF);
    return 0;
}
