// Tells Intel's profilers of code that was loaded, by their JIT interface: names, places and lines. The
// profiler names its library in INTEL_JIT_PROFILER64, beside INTEL_LIBITTNOTIFY64 (base/trace/itt.c). Owns
// the library, which stays until the process ends, and the numbers of functions.
#include "runtime/perf/jit_profiler.h"

#include <dlfcn.h>
#include <stdlib.h>

#include "base/base.h"

enum { METHOD_LOADED = 21, FIRST_METHOD = 1000 }; // smaller numbers are the profiler's

struct method {
    unsigned number;
    const char *name;
    void *address;
    unsigned size, line_count;
    const struct weft_jit_line *lines;
    const char *class_file, *source_file, *module;
};

static int (*notify)(unsigned event, void *what);
static unsigned next_method = FIRST_METHOD;

bool weft_jit_profiler_start(void)
{
    const char *path = secure_getenv("INTEL_JIT_PROFILER64");
    void *library = path && *path ? dlopen(path, RTLD_LAZY | RTLD_LOCAL) : NULL;
    int (*initialize)(void) = NULL;
    if (!library)
        return false;
    *(void **)&initialize = dlsym(library, "Initialize");
    *(void **)&notify = dlsym(library, "NotifyEvent");
    if (notify && initialize && !initialize()) // nothing is being profiled
        notify = NULL;
    return notify != NULL;
}

void weft_jit_profiler_after_fork(void)
{
    notify = NULL;
}

bool weft_jit_profiler_is_on(void)
{
    return notify != NULL;
}

void weft_jit_profiler_add(const char *name, uintptr_t address, size_t size,
                           const struct weft_jit_line *lines, size_t line_count, const char *file)
{
    struct method m = {.number = next_method++,
                       .name = name,
                       .address = (void *)address,
                       .size = (unsigned)size,
                       .line_count = (unsigned)line_count,
                       .lines = line_count ? lines : NULL,
                       .source_file = file,
                       .module = "OpenCL kernels"};
    notify(METHOD_LOADED, &m);
}
