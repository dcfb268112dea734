// What `weft doctor` tries: the OpenCL loader with all drivers, and a kernel on this Weft. Each runs in a
// process of its own, since a driver may crash or hang, and so may a damaged library.
#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "tools/tool.h"

// ---- the loader ----

// In the child: writes a line for each platform, after "loader" with the loader's path, or "none" with why
// there is no loader. The exit status: 0 if Weft is one of them.
static int list_platforms(void *context, FILE *out)
{
    (void)context;
    void *loader = dlopen("libOpenCL.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!loader) {
        fprintf(out, "none\t%s\n", dlerror());
        return 0;
    }
    struct link_map *map;
    if (dlinfo(loader, RTLD_DI_LINKMAP, &map) == 0)
        fprintf(out, "loader\t%s\n", map->l_name);
    fflush(out);
    cl_int(CL_API_CALL * platforms)(cl_uint, cl_platform_id *, cl_uint *);
    cl_int(CL_API_CALL * info)(cl_platform_id, cl_platform_info, size_t, void *, size_t *);
    *(void **)&platforms = dlsym(loader, "clGetPlatformIDs");
    *(void **)&info = dlsym(loader, "clGetPlatformInfo");
    cl_platform_id found[32];
    cl_uint count = 0;
    if (!platforms || !info || platforms(WEFT_COUNT_OF(found), found, &count) != CL_SUCCESS)
        count = 0;
    bool has_weft = false;
    for (cl_uint k = 0; k < count && k < WEFT_COUNT_OF(found); k++) {
        char name[256] = "?", version[256] = "?";
        info(found[k], CL_PLATFORM_NAME, sizeof name, name, NULL);
        info(found[k], CL_PLATFORM_VERSION, sizeof version, version, NULL);
        fprintf(out, "platform\t%s, %s\n", name, version);
        fflush(out); // the next driver may crash
        has_weft |= strstr(version, "Weft") || strstr(name, "Weft");
    }
    return has_weft ? 0 : 1;
}

static void take_platform(void *has_loader, char *line)
{
    const char *text = line + strcspn(line, "\t");
    text += *text == '\t';
    if (strncmp(line, "none", 4) == 0 && strstr(text, "cannot open shared object file"))
        weft_tool_say(
            "note",
            "there is no OpenCL loader (libOpenCL.so.1). On Debian: apt install ocl-icd-libopencl1. Programs "
            "that bring their own don't need it.");
    else if (strncmp(line, "none", 4) == 0)
        weft_tool_say("WRONG", "the OpenCL loader can't be opened: %s. Install it again.", text);
    else if (strncmp(line, "loader", 6) == 0)
        weft_tool_say("ok", "loader %s", text);
    else
        weft_tool_say("ok", "programs see the platform %s", text);
    *(bool *)has_loader |= strncmp(line, "loader", 6) == 0;
}

void weft_doctor_try_loader(unsigned patience_s)
{
    bool has_loader = false;
    const struct weft_child c = {list_platforms, take_platform, &has_loader, patience_s, .quiet = false};
    int status;
    weft_tool_progress("listing the platforms");
    const enum weft_child_end end = weft_tool_child(&c, &status);
    weft_tool_progress(NULL);
    if (end == WEFT_CHILD_KILLED && !has_loader)
        weft_tool_say(
            "WRONG",
            "the OpenCL loader (libOpenCL.so.1) crashes with signal %d (%s): it is damaged. Install it "
            "again.",
            status, strsignal(status));
    else if (end == WEFT_CHILD_KILLED)
        weft_tool_say(
            "WRONG",
            "listing the platforms ended with signal %d (%s): one of the drivers above crashes. Try each "
            "alone: OCL_ICD_VENDORS=FILE.icd weft doctor",
            status, strsignal(status));
    else if (end == WEFT_CHILD_SILENT)
        weft_tool_say(
            "WRONG",
            "listing the platforms took more than %u s: one of the drivers above hangs. Try each alone: "
            "OCL_ICD_VENDORS=FILE.icd weft doctor. Remove the vendor file of the one that hangs, or wait "
            "longer: "
            "--patience SECONDS",
            patience_s);
    else if (end == WEFT_CHILD_ENDED && status != 0)
        weft_tool_say("WRONG", "programs that use this loader don't see Weft.");
}

// ---- a kernel ----

static const char source[] =
    "kernel void twice(global int *a) { size_t i = get_global_id(0); a[i] = 2 * a[i] + 1; }";

enum { ITEMS = 1000 };

// A sentence on what fails. NULL: the results are right.
static const char *run_kernel(const struct weft_driver *d, char *room, size_t size)
{
    const cl_icd_dispatch *cl = d->call;
    cl_int e[6] = {0};
    int data[ITEMS];
    for (int k = 0; k < ITEMS; k++)
        data[k] = k;
    const char *text = source, *wrong = NULL;
    cl_context c = cl->clCreateContext(NULL, 1, &d->device, NULL, NULL, &e[0]);
    cl_command_queue q = c ? cl->clCreateCommandQueueWithProperties(c, d->device, NULL, &e[1]) : NULL;
    cl_mem m = c ? cl->clCreateBuffer(c, CL_MEM_COPY_HOST_PTR, sizeof data, data, &e[2]) : NULL;
    cl_program p = c ? cl->clCreateProgramWithSource(c, 1, &text, NULL, &e[3]) : NULL;
    const cl_int built = p ? cl->clBuildProgram(p, 1, &d->device, "", NULL, NULL) : CL_INVALID_PROGRAM;
    cl_kernel k = built == CL_SUCCESS ? cl->clCreateKernel(p, "twice", &e[4]) : NULL;
    const size_t items = ITEMS;
    if (p && built != CL_SUCCESS) {
        char log[512] = "";
        cl->clGetProgramBuildInfo(p, d->device, CL_PROGRAM_BUILD_LOG, sizeof log, log, NULL);
        snprintf(room, size, "a program can't be built (error %d): %s", built, log);
        wrong = room;
    } else if (!q || !m || !k || cl->clSetKernelArg(k, 0, sizeof m, &m) != CL_SUCCESS ||
               cl->clEnqueueNDRangeKernel(q, k, 1, NULL, &items, NULL, 0, NULL, NULL) != CL_SUCCESS ||
               cl->clEnqueueReadBuffer(q, m, CL_TRUE, 0, sizeof data, data, 0, NULL, NULL) != CL_SUCCESS) {
        snprintf(room, size,
                 "a kernel can't be run (errors %d %d %d %d %d). WEFT_LOG=info weft doctor says why", e[0],
                 e[1], e[2], e[3], e[4]);
        wrong = room;
    }
    for (int j = 0; !wrong && j < ITEMS; j++)
        if (data[j] != 2 * j + 1)
            wrong = "a kernel's results are wrong. Please report this";
    if (k)
        cl->clReleaseKernel(k);
    if (p)
        cl->clReleaseProgram(p);
    if (m)
        cl->clReleaseMemObject(m);
    if (q)
        cl->clReleaseCommandQueue(q);
    if (c)
        cl->clReleaseContext(c);
    return wrong;
}

// In the child: writes "ok" with the device's name and the time in ms, or "wrong" with what is wrong.
static int try_kernel(void *context, FILE *out)
{
    (void)context;
    setenv("WEFT_CACHE", "0", 1); // before the driver is opened: the kernel is to be compiled
    const char *why;
    const struct weft_driver *d = weft_driver_open(&why);
    if (!d) {
        fprintf(out, "wrong\tthe driver can't be opened: %s\n", why);
        return 0;
    }
    char room[1024], *name = weft_driver_text(d, CL_DEVICE_NAME);
    const uint64_t start = weft_time_now();
    const char *wrong = run_kernel(d, room, sizeof room);
    if (wrong)
        fprintf(out, "wrong\t%.*s\n", (int)strcspn(wrong, "\n"), wrong);
    else
        fprintf(out, "ok\t%s in %.1f ms\n", name ? name : "the device",
                (double)(weft_time_now() - start) / 1e6);
    weft_free(name);
    return 0;
}

static void take_kernel(void *context, char *line)
{
    (void)context;
    const char *text = line + strcspn(line, "\t");
    text += *text == '\t';
    if (strncmp(line, "ok", 2) == 0)
        weft_tool_say("ok", "a kernel was built and run on %s", text);
    else
        weft_tool_say("WRONG", "%s.", text);
}

void weft_doctor_try_kernel(unsigned patience_s)
{
    const struct weft_child c = {try_kernel, take_kernel, NULL, patience_s, .quiet = false};
    int status;
    weft_tool_progress("running a kernel");
    const enum weft_child_end end = weft_tool_child(&c, &status);
    weft_tool_progress(NULL);
    if (end == WEFT_CHILD_KILLED)
        weft_tool_say("WRONG", "Weft ends with signal %d (%s): it may be damaged. Install it again.", status,
                      strsignal(status));
    else if (end == WEFT_CHILD_SILENT)
        weft_tool_say("WRONG", "a kernel took more than %u s. --patience SECONDS waits longer.", patience_s);
}
