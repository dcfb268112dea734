// Tasks for profilers that know Intel's ITT interface, such as VTune: each range of work-groups that a thread
// runs is a task, named after its kernel, in the domain "OpenCL kernels". The profiler names its library in
// INTEL_LIBITTNOTIFY64; without that, nothing here is done. Owns the library and the names that it has been
// told; both stay until the process ends.
//
// A library either offers the functions by their names, or it has __itt_api_init, which takes a table of them
// and fills it in. What is declared here is as much of the interface as that takes.
#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "base/trace/internal.h"

struct itt_id {
    unsigned long long part[3];
};
struct itt_domain {
    volatile int enabled;
    // more follows
};
enum { ITT_GROUP_STRUCTURE = 1 << 12, ITT_GROUP_ALL = -1 };
struct itt_function {
    const char *name;
    void **function;
    void *at_first_call, *that_does_nothing;
    int group;
};
struct itt_global {
    unsigned char magic[8];
    unsigned long major, minor, build;
    volatile long api_initialized, mutex_initialized, counter;
    pthread_mutex_t mutex;
    void *library, *error_handler;
    const char **path;
    struct itt_function *functions;
    void *next, *threads, *domains, *strings;
    int collection;
    void *counters;
    unsigned int collect_events;
    void *histograms;
};

_Atomic bool weft_itt_on;

static struct itt_domain *(*domain_create)(const char *name);
static void *(*string_handle_create)(const char *text);
static void (*task_begin)(const struct itt_domain *d, struct itt_id own, struct itt_id parent, void *name);
static void (*task_end)(const struct itt_domain *d);

static struct itt_function functions[] = {
    {"__itt_domain_create", (void **)&domain_create, NULL, NULL, ITT_GROUP_STRUCTURE},
    {"__itt_string_handle_create", (void **)&string_handle_create, NULL, NULL, ITT_GROUP_STRUCTURE},
    {"__itt_task_begin", (void **)&task_begin, NULL, NULL, ITT_GROUP_STRUCTURE},
    {"__itt_task_end", (void **)&task_end, NULL, NULL, ITT_GROUP_STRUCTURE},
    {NULL, NULL, NULL, NULL, 0}};

static const char *path;
static struct itt_global global = {.magic = {0xed, 0xab, 0xab, 0xec, 0x0d, 0xee, 0xda, 0x30},
                                   .major = 3,
                                   .minor = 25,
                                   .mutex = PTHREAD_MUTEX_INITIALIZER,
                                   .path = &path,
                                   .functions = functions};
static const struct itt_domain *domain;
static _Atomic(void *) *handles; // [weft_trace_text]; NULL: none yet

bool weft_itt_start(void)
{
    void (*init)(struct itt_global *, int) = NULL;
    path = secure_getenv("INTEL_LIBITTNOTIFY64");
    if (!path || !*path)
        return false;
    global.library = dlopen(path, RTLD_LAZY | RTLD_LOCAL);
    if (!global.library) {
        weft_log(WEFT_LOG_WARN, "INTEL_LIBITTNOTIFY64: %s", dlerror());
        return false;
    }
    *(void **)&init = dlsym(global.library, "__itt_api_init");
    if (init)
        init(&global, ITT_GROUP_ALL);
    else
        for (struct itt_function *f = functions; f->name; f++)
            *f->function = dlsym(global.library, f->name);
    domain = domain_create && string_handle_create && task_begin && task_end ? domain_create("OpenCL kernels")
                                                                             : NULL;
    handles = domain ? weft_alloc_array(WEFT_TRACE_MAX_TEXTS, sizeof *handles) : NULL;
    if (handles)
        atomic_store(&weft_itt_on, true);
    return handles != NULL;
}

void weft_itt_stop(void)
{
    atomic_store(&weft_itt_on, false);
    weft_free((void *)handles);
    handles = NULL;
}

static void *handle_of(weft_trace_text name)
{
    if (name >= WEFT_TRACE_MAX_TEXTS)
        return NULL;
    // Two threads may ask at once; the library returns the same handle for the same text.
    void *handle = atomic_load_explicit(&handles[name], memory_order_acquire);
    if (handle)
        return handle;
    weft_trace_names_lock();
    const char *text = weft_trace_text_of(name);
    weft_trace_names_unlock(); // texts stay
    handle = text ? string_handle_create(text) : NULL;
    atomic_store_explicit(&handles[name], handle, memory_order_release); // pairs with the load above
    return handle;
}

bool weft_itt_task_begin(weft_trace_text name)
{
    if (!atomic_load_explicit(&weft_itt_on, memory_order_relaxed) || !domain->enabled)
        return false;
    void *handle = handle_of(name);
    if (!handle)
        return false;
    task_begin(domain, (struct itt_id){{0}}, (struct itt_id){{0}}, handle);
    return true;
}

void weft_itt_task_end(void)
{
    task_end(domain);
}
