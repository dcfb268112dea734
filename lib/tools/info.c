// `weft info`: what programs are told about the device, and what belongs to it.
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/base.h"
#include "base/cache_entry.h"
#include "base/config_file.h"
#include "tools/tool.h"
#include "weft/version.h"

static void print_text(const struct weft_driver *d, const char *title, cl_device_info what)
{
    char *text = weft_driver_text(d, what);
    printf("%-29s %s\n", title, text ? text : "?");
    weft_free(text);
}

static void print_bytes(const char *title, unsigned long long bytes)
{
    static const char *const units[] = {"bytes", "KiB", "MiB", "GiB", "TiB"};
    double n = (double)bytes;
    unsigned unit = 0;
    while (n >= 1024 && unit + 1 < WEFT_COUNT_OF(units)) {
        n /= 1024;
        unit++;
    }
    printf("%-29s %.4g %s\n", title, n, units[unit]);
}

static unsigned count_words(const char *text)
{
    unsigned count = 0;
    for (; *text; text += strcspn(text, " ")) {
        text += strspn(text, " ");
        count += *text != '\0';
    }
    return count;
}

static void print_device(const struct weft_driver *d)
{
    print_text(d, "device", CL_DEVICE_NAME);
    print_text(d, "vendor", CL_DEVICE_VENDOR);
    print_text(d, "version", CL_DEVICE_VERSION);
    print_text(d, "driver", CL_DRIVER_VERSION);
    print_text(d, "OpenCL C", CL_DEVICE_OPENCL_C_VERSION);
    char *il = weft_driver_text(d, CL_DEVICE_IL_VERSION);
    printf("%-29s %s\n", "SPIR-V", il && *il ? il : "none: there is no llvm-spirv");
    weft_free(il);
    char *extensions = weft_driver_text(d, CL_DEVICE_EXTENSIONS);
    printf("%-29s %u\n", "extensions", extensions ? count_words(extensions) : 0);
    weft_free(extensions);
    printf("%-29s %llu\n", "compute units", weft_driver_number(d, CL_DEVICE_MAX_COMPUTE_UNITS));
    printf("%-29s %llu MHz\n", "clock", weft_driver_number(d, CL_DEVICE_MAX_CLOCK_FREQUENCY));
    print_bytes("memory", weft_driver_number(d, CL_DEVICE_GLOBAL_MEM_SIZE));
    print_bytes("largest buffer", weft_driver_number(d, CL_DEVICE_MAX_MEM_ALLOC_SIZE));
    print_bytes("cache", weft_driver_number(d, CL_DEVICE_GLOBAL_MEM_CACHE_SIZE));
    print_bytes("local memory", weft_driver_number(d, CL_DEVICE_LOCAL_MEM_SIZE));
    printf("%-29s %llu\n", "largest work-group", weft_driver_number(d, CL_DEVICE_MAX_WORK_GROUP_SIZE));
    printf("%-29s %llu floats, %llu doubles\n", "vectors",
           weft_driver_number(d, CL_DEVICE_NATIVE_VECTOR_WIDTH_FLOAT),
           weft_driver_number(d, CL_DEVICE_NATIVE_VECTOR_WIDTH_DOUBLE));
}

// What weftc says about the processor, but for the long list of features.
static void print_target(const char *weftc)
{
    char *arguments[] = {"weftc", "--target", NULL}, *told = weft_tool_output(weftc, arguments, false);
    for (char *line = told; line && *line;) {
        const size_t size = strcspn(line, "\n"), name = strcspn(line, ":\n");
        if (line[name] == ':' && strncmp(line, "features:", strlen("features:")) != 0) {
            line[name] = '\0';
            printf("%-29s %.*s\n", line, (int)(size - name - 2), line + name + 2);
        }
        line += size + (line[size] == '\n');
    }
    weft_free(told);
}

static void print_cache(void)
{
    char *path, *folder = weft_cache_folder(0);
    struct weft_cache_totals t;
    printf("%-29s %s\n", "folder", folder ? folder : "none");
    if (folder && weft_cache_count(folder, false, &t)) {
        printf("%-29s %u programs, %u kernels, %u verdicts of autotuning\n", "entries", t.programs, t.kernels,
               t.verdicts);
        print_bytes("size", t.bytes);
    }
    weft_free(folder);
    for (unsigned i = 1; (path = weft_cache_entry_folder(i)); i++) {
        printf("%-29s %s%s\n", "also read", path, access(path, R_OK | X_OK) == 0 ? "" : " (can't be read)");
        weft_free(path);
    }
}

static void print_settings(void)
{
    bool any = false;
    for (unsigned k = 0; k < WEFT_CFG_COUNT; k++) {
        const enum weft_config c = (enum weft_config)k;
        if (weft_config_origin(c))
            printf("%-29s %s  (from %s)\n", weft_config_env(c), weft_config_str(c), weft_config_origin(c));
        any |= weft_config_origin(c) != NULL;
    }
    if (!any)
        puts("none");
}

int weft_tool_info(int argc, char **argv)
{
    if (argc > 1)
        return weft_tool_usage(argv[0], argv[1]);
    const struct weft_installation *i = weft_installation_find();
    const char *why;
    const struct weft_driver *d = weft_driver_open(&why);
    printf("%-29s %s\n", "weft", weft_full_version);
    if (!d) {
        fprintf(stderr, "weft: %s (weft doctor says more)\n", why);
        return 1;
    }
    printf("%-29s %s\n", "library", i->library);
    printf("%-29s %s\n", "vendor file", i->vendors ? i->vendors : "none (weft doctor)");
    print_device(d);
    puts("\nCompiler");
    printf("%-29s %s%s\n", "program", i->weftc, access(i->weftc, X_OK) == 0 ? "" : " (isn't there)");
    if (access(i->weftc, X_OK) == 0)
        print_target(i->weftc);
    puts("\nDisk cache");
    print_cache();
    puts("\nSettings in force (docs/environment.md)");
    print_settings();
    return 0;
}
