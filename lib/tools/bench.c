// `weft bench`: a minute's benchmark of this Weft and of the other drivers that are installed. Each driver is
// opened without a loader in a process of its own, so one that crashes or hangs is a line of the table.
#include <dirent.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/base.h"
#include "tools/tool.h"

enum { MAX_DRIVERS = 16, PATIENCE_S = 60 };

struct driver {
    char *library, *name;
    double ns[WEFT_BENCH_CASES]; // 0: not measured
    // 't': measured; 'w': a wrong result; 'e': an error; 0: it didn't come so far
    char what[WEFT_BENCH_CASES];
    const char *running; // the last case that has begun. NULL: none
    char *end;           // why it ended early. NULL: it didn't
};

struct drivers {
    struct driver driver[MAX_DRIVERS];
    unsigned count;
};

// ---- Which drivers there are ----

static void add_library(struct drivers *d, const char *library)
{
    for (unsigned k = 0; k < d->count; k++)
        if (strcmp(d->driver[k].library, library) == 0 ||
            weft_installation_same_file(d->driver[k].library, library))
            return;
    char *copy = d->count < MAX_DRIVERS ? weft_strdup(library) : NULL;
    if (copy)
        d->driver[d->count++] = (struct driver){.library = copy};
}

static bool ends_with(const char *text, const char *end)
{
    const size_t size = strlen(text), own = strlen(end);
    return size > own && strcmp(text + size - own, end) == 0;
}

// A vendor file, a folder of them, or a library. False: it is none of these.
static bool add_place(struct drivers *d, const char *place)
{
    if (ends_with(place, ".icd")) {
        char *library = weft_installation_read_icd(place);
        if (library)
            add_library(d, library);
        weft_free(library);
        return library != NULL;
    }
    DIR *folder = opendir(place);
    for (struct dirent *f; folder && (f = readdir(folder));) {
        char *file = ends_with(f->d_name, ".icd") ? weft_format("%s/%s", place, f->d_name) : NULL;
        if (file)
            add_place(d, file);
        weft_free(file);
    }
    if (folder)
        closedir(folder);
    else if (access(place, R_OK) == 0)
        add_library(d, place);
    return folder || access(place, R_OK) == 0;
}

static void add_installed(struct drivers *d)
{
    static const char *const variables[] = {"OCL_ICD_VENDORS", "OPENCL_VENDOR_PATH", "OCL_ICD_FILENAMES"};
    for (unsigned k = 0; k < WEFT_COUNT_OF(variables); k++) {
        char *list = getenv(variables[k]) ? weft_strdup(getenv(variables[k])) : NULL;
        for (char *at = list, *place; at && (place = strsep(&at, ":"));)
            if (*place)
                add_place(d, place);
        weft_free(list);
    }
    add_place(d, "/etc/OpenCL/vendors");
}

// ---- One driver, in the child ----

// A device of the driver, a CPU if it has one. NULL: it has none.
static cl_device_id find_device(cl_platform_id *platforms, cl_uint count, const cl_icd_dispatch **call)
{
    static const cl_device_type types[] = {CL_DEVICE_TYPE_CPU, CL_DEVICE_TYPE_ALL};
    for (unsigned t = 0; t < WEFT_COUNT_OF(types); t++)
        for (cl_uint k = 0; k < count; k++) {
            cl_device_id device;
            memcpy(call, platforms[k], sizeof *call); // the first word of an object: the driver's functions
            if ((*call)->clGetDeviceIDs(platforms[k], types[t], 1, &device, NULL) == CL_SUCCESS)
                return device;
        }
    return NULL;
}

static void put_name(FILE *out, const cl_icd_dispatch *call, cl_device_id device)
{
    char version[256] = "?", name[256] = "?";
    cl_platform_id platform = NULL;
    call->clGetDeviceInfo(device, CL_DEVICE_PLATFORM, sizeof platform, &platform, NULL);
    if (platform)
        call->clGetPlatformInfo(platform, CL_PLATFORM_NAME, sizeof name, name, NULL);
    call->clGetDeviceInfo(device, CL_DRIVER_VERSION, sizeof version, version, NULL);
    fprintf(out, "name\t%s %s\n", name, version);
    fflush(out);
}

static int measure_driver(void *context, FILE *out)
{
    const char *path = ((struct driver *)context)->library;
    cl_int(CL_API_CALL * platforms)(cl_uint, cl_platform_id *, cl_uint *) = NULL;
    void *(CL_API_CALL * find)(const char *) = NULL;
    cl_platform_id found[8];
    cl_uint count = 0;
    const cl_icd_dispatch *call = NULL;
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        fprintf(out, "failed\t%s\n", dlerror());
        return 0;
    }
    *(void **)&find = dlsym(library, "clGetExtensionFunctionAddress");
    if (find)
        *(void **)&platforms = find("clIcdGetPlatformIDsKHR");
    if (!platforms)
        *(void **)&platforms = dlsym(library, "clIcdGetPlatformIDsKHR");
    if (!platforms || platforms(WEFT_COUNT_OF(found), found, &count) != CL_SUCCESS)
        count = 0;
    cl_device_id device =
        find_device(found, count < WEFT_COUNT_OF(found) ? count : WEFT_COUNT_OF(found), &call);
    if (!device) {
        fputs("failed\tit has no device\n", out);
        return 0;
    }
    put_name(out, call, device);
    weft_bench_run(out, call, device);
    return 0;
}

// ---- One driver, from outside ----

static void take_line(void *context, char *line)
{
    struct driver *d = context;
    char *rest = line, *word = strsep(&rest, "\t");
    if (!rest)
        return;
    char *end = rest;
    const unsigned long k = strtoul(rest, &end, 10);
    if (strcmp(word, "name") == 0) {
        weft_free(d->name);
        d->name = weft_strdup(rest);
    } else if (strcmp(word, "failed") == 0) {
        d->end = weft_strdup(rest);
    } else if (end != rest && k < WEFT_BENCH_CASES) {
        if (strcmp(word, "begin") == 0)
            d->running = weft_bench_name((unsigned)k);
        else
            d->what[k] = word[0];
        if (strcmp(word, "time") == 0)
            d->ns[k] = strtod(end, NULL);
    }
}

// What the driver was doing when it ended.
static char *during(const struct driver *d)
{
    return d->running ? weft_format("in %s", d->running)
                      : weft_strdup(d->name ? "before the first case" : "when it is loaded");
}

static void measure(struct driver *d, unsigned patience_s)
{
    const struct weft_child c = {measure_driver, take_line, d, patience_s, .quiet = true};
    int status;
    char *doing = weft_format("measuring %s", d->library);
    weft_tool_progress(doing);
    const enum weft_child_end end = weft_tool_child(&c, &status);
    weft_tool_progress(NULL);
    weft_free(doing);
    char *when = during(d);
    if (!when)
        return;
    if (end == WEFT_CHILD_SILENT)
        d->end = weft_format("it hangs %s: it was silent for %u s", when, patience_s);
    else if (end == WEFT_CHILD_KILLED)
        d->end = weft_format("it crashes %s (signal %d)", when, status);
    else if (!d->end && status != 0)
        d->end = weft_format("it ends the process %s (exit status %d)", when, status);
    weft_free(when);
}

// ---- The table ----

static void print_time(double ns)
{
    if (ns < 1e3)
        printf("%9.0f ns", ns);
    else if (ns < 1e6)
        printf("%9.2f us", ns / 1e3);
    else
        printf("%9.2f ms", ns / 1e6);
}

static void print_cell(const struct driver *d, const struct driver *weft, unsigned k)
{
    if (d->what[k] == 't')
        print_time(d->ns[k]);
    else
        printf("%12s", d->what[k] == 'w' ? "wrong" : d->what[k] == 'e' ? "error" : "-");
    if (d == weft)
        return;
    if (d->what[k] == 't' && weft->ns[k] > 0)
        printf(" %7.2f", d->ns[k] / weft->ns[k]);
    else
        printf(" %7s", "");
}

static void print_table(const struct drivers *d)
{
    for (unsigned i = 0; i < d->count; i++) {
        printf("%c  %s (%s)\n", 'A' + (int)i, d->driver[i].name ? d->driver[i].name : "?",
               d->driver[i].library);
        if (d->driver[i].end)
            printf("   %s\n", d->driver[i].end);
    }
    printf("\n%-12s", "");
    for (unsigned i = 0; i < d->count; i++)
        printf(i ? "%12c %c / A  " : "%12c", 'A' + (int)i, 'A' + (int)i);
    putchar('\n');
    for (unsigned k = 0; k < WEFT_BENCH_CASES; k++) {
        printf("%-12s", weft_bench_name(k));
        for (unsigned i = 0; i < d->count; i++)
            print_cell(&d->driver[i], &d->driver[0], k);
        printf("  %s\n", weft_bench_says(k));
    }
    puts("\nShortest times. A ratio above 1: A, this Weft, is faster.");
}

int weft_tool_bench(int argc, char **argv)
{
    struct drivers d = {0};
    const struct weft_installation *i = weft_installation_find();
    bool only = false;
    unsigned patience_s = PATIENCE_S;
    if (!i->library) {
        fputs("weft: libweft.so isn't found (weft doctor says more)\n", stderr);
        return 1;
    }
    add_library(&d, i->library);
    for (int k = 1; k < argc; k++) {
        if (strcmp(argv[k], "--only") == 0) {
            only = true;
        } else if (strcmp(argv[k], "--patience") == 0) {
            patience_s = k + 1 < argc ? weft_tool_seconds(argv[++k]) : 0;
            if (!patience_s)
                return weft_tool_usage(argv[0], argv[k]);
        } else if (argv[k][0] == '-') {
            return weft_tool_usage(argv[0], argv[k]);
        } else if (!add_place(&d, argv[k])) {
            fprintf(stderr, "weft: %s is no vendor file, folder or library\n", argv[k]);
            return 1;
        }
    }
    if (!only)
        add_installed(&d);
    for (unsigned k = 0; k < d.count; k++)
        measure(&d.driver[k], patience_s);
    print_table(&d);
    int status = d.driver[0].end != NULL;
    for (unsigned k = 0; k < WEFT_BENCH_CASES; k++)
        status |= d.driver[0].what[k] != 't';
    for (unsigned k = 0; k < d.count; k++) {
        weft_free(d.driver[k].library);
        weft_free(d.driver[k].name);
        weft_free(d.driver[k].end);
    }
    return status;
}
