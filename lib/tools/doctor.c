// `weft doctor`: why a program doesn't see Weft, or can't use it.
#include <dirent.h>
#include <dlfcn.h>
#include <link.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/base.h"
#include "base/cache_entry.h"
#include "base/text/cgroup.h"
#include "tools/tool.h"

#define DEFAULT_FOLDER "/etc/OpenCL/vendors"

enum { LOADER_PATIENCE_S = 30 };

static unsigned wrongs;

// Prints one finding. word: "ok", "note" or "WRONG".
static void WEFT_PRINTF(2, 3) say(const char *word, const char *fmt, ...)
{
    va_list args;
    wrongs += strcmp(word, "WRONG") == 0;
    printf("%-6s ", word);
    va_start(args, fmt);
    vprintf(fmt, args);
    va_end(args);
    putchar('\n');
    fflush(stdout); // in order with what drivers print on stderr
}

// ---- the parts of the installation ----

static void check_file(const char *folder_of, const char *name)
{
    char *path = weft_format("%.*s/%s", (int)(strrchr(folder_of, '/') - folder_of), folder_of, name);
    if (path && access(path, R_OK) != 0)
        say("WRONG", "%s is missing. Install Weft again.", path);
    weft_free(path);
}

static void check_parts(void)
{
    const struct weft_installation *i = weft_installation_find();
    if (!i->library) {
        say("WRONG", "libweft.so isn't where it should be: in " WEFT_TOOL_LIBDIR
                     "/, beside the folder of this program. "
                     "Install Weft again, or run the `weft` of the installation that is used.");
        return;
    }
    say("ok", "library %s", i->library);
    const char *given = getenv("WEFT_WEFTC");
    const char *weftc = given && *given ? given : i->weftc;
    if (access(weftc, X_OK) != 0)
        say("WRONG", "the compiler %s can't be run, so only what the disk cache has can be built.%s", weftc,
            weftc == given ? " WEFT_WEFTC names it." : " Install Weft again.");
    else
        say("ok", "compiler %s", weftc);
    check_file(i->weftc, "builtins.pack");
    check_file(i->weftc, "support.a");
}

// ---- what loaders read ----

// Says what a vendor file leads to. Returns true if it is this Weft.
static bool describe_icd(const char *file)
{
    char *library = weft_installation_read_icd(file);
    const char *own = weft_installation_find()->library;
    bool is_own = false;
    if (!library) {
        say("WRONG", "%s is empty or can't be read, so loaders skip it.", file);
    } else if (!strchr(library, '/')) {
        say("note", "%s: %s, which is searched for as other libraries are", file, library);
        is_own = strstr(library, "libweft") != NULL;
    } else if (access(library, R_OK) != 0) {
        say("WRONG", "%s names %s, which isn't there. Remove the file, or install that driver again.", file,
            library);
    } else {
        is_own = own && weft_installation_same_file(library, own);
        say("ok", "%s: %s%s", file, library,
            is_own                          ? " (this Weft)"
            : strstr(library, "libweft.so") ? " (another Weft)"
                                            : "");
    }
    weft_free(library);
    return is_own;
}

static bool is_vendor_file(const char *name)
{
    const size_t size = strlen(name);
    return size > 4 && strcmp(name + size - 4, ".icd") == 0;
}

// Returns true if the folder leads to this Weft. ocl-icd takes a vendor file or a library instead of a
// folder, too.
static bool check_folder(const char *folder)
{
    const char *own = weft_installation_find()->library;
    if (is_vendor_file(folder))
        return describe_icd(folder);
    if (own && weft_installation_same_file(folder, own)) {
        say("ok", "%s (this Weft)", folder);
        return true;
    }
    DIR *d = opendir(folder);
    if (!d) {
        say("note", "there is no folder %s", folder);
        return false;
    }
    bool has_own = false;
    unsigned count = 0;
    for (struct dirent *f; (f = readdir(d));) {
        char *file = is_vendor_file(f->d_name) ? weft_format("%s/%s", folder, f->d_name) : NULL;
        if (file) {
            has_own |= describe_icd(file);
            count++;
        }
        weft_free(file);
    }
    closedir(d);
    if (!count)
        say("note", "%s has no vendor files (*.icd)", folder);
    return has_own;
}

// variable: what names the folder. NULL: it is where all loaders look.
static void check_vendors(const char *folder, const char *variable, const char *libraries)
{
    if (check_folder(folder) || (libraries && strstr(libraries, "libweft")))
        return;
    const struct weft_installation *i = weft_installation_find();
    if (variable)
        say("WRONG",
            "%s=%s doesn't lead to this Weft. For one shell: eval \"$(weft env)\". Or unset it: then loaders "
            "look into " DEFAULT_FOLDER ".",
            variable, folder);
    else if (i->vendors)
        say("WRONG",
            "%s doesn't lead to this Weft. For one shell: eval \"$(weft env)\". For all programs: "
            "cp %s/weft.icd " DEFAULT_FOLDER "/",
            folder, i->vendors);
    else
        say("WRONG",
            "%s doesn't lead to this Weft. Write the path of libweft.so into " DEFAULT_FOLDER "/weft.icd.",
            folder);
}

// Each loader has a variable of its own, and a program may come with any loader. So each that is set is
// checked.
static void check_vendor_files(void)
{
    static const char *const variables[] = {"OCL_ICD_VENDORS", "OPENCL_VENDOR_PATH"};
    const char *libraries = getenv("OCL_ICD_FILENAMES"), *before = NULL;
    if (libraries && *libraries)
        say("note", "OCL_ICD_FILENAMES=%s: loaders open these libraries, too", libraries);
    for (unsigned k = 0; k < WEFT_COUNT_OF(variables); k++) {
        const char *folder = getenv(variables[k]);
        if (!folder || !*folder)
            continue;
        say("note", "%s=%s: %s reads this instead of " DEFAULT_FOLDER, variables[k], folder,
            k ? "Khronos's loader" : "Debian's loader, ocl-icd,");
        if (!before || strcmp(before, folder) != 0)
            check_vendors(folder, variables[k], libraries);
        before = folder;
    }
    if (!before)
        check_vendors(DEFAULT_FOLDER, NULL, libraries);
}

// ---- the loader, in a process of its own: a driver that it opens may crash or hang ----

// In the child: writes a line for each platform. The exit status: 0 if Weft is one of them.
static int list_platforms(void *loader, FILE *out)
{
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
        fprintf(out, "%s, %s\n", name, version);
        fflush(out); // the next driver may crash
        has_weft |= strstr(version, "Weft") || strstr(name, "Weft");
    }
    return has_weft ? 0 : 1;
}

static void take_platform(void *loader, char *line)
{
    (void)loader;
    say("ok", "programs see the platform %s", line);
}

static void check_loader(unsigned patience_s)
{
    void *loader = dlopen("libOpenCL.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!loader) {
        say("note",
            "there is no OpenCL loader (libOpenCL.so.1). On Debian: apt install ocl-icd-libopencl1. Programs "
            "that bring their own don't need it.");
        return;
    }
    struct link_map *map;
    if (dlinfo(loader, RTLD_DI_LINKMAP, &map) == 0)
        say("ok", "loader %s", map->l_name);
    const struct weft_child c = {list_platforms, take_platform, loader, patience_s, .quiet = false};
    int status;
    weft_tool_progress("listing the platforms");
    const enum weft_child_end end = weft_tool_child(&c, &status);
    weft_tool_progress(NULL);
    if (end == WEFT_CHILD_KILLED)
        say("WRONG",
            "listing the platforms ended with signal %d (%s): one of the drivers above crashes. Try each "
            "alone: OCL_ICD_VENDORS=FILE.icd weft doctor",
            status, strsignal(status));
    else if (end == WEFT_CHILD_SILENT)
        say("WRONG",
            "listing the platforms took more than %u s: one of the drivers above hangs. Try each alone: "
            "OCL_ICD_VENDORS=FILE.icd weft doctor. Remove the vendor file of the one that hangs, or wait "
            "longer: "
            "--patience SECONDS",
            patience_s);
    else if (end == WEFT_CHILD_ENDED && status != 0)
        say("WRONG", "programs that use this loader don't see Weft.");
}

// ---- the system ----

// Folders behind the first: somebody else fills them.
static void check_shared_caches(void)
{
    char *folder;
    struct stat st;
    for (unsigned i = 1; (folder = weft_cache_entry_folder(i)); i++) {
        if (folder[0] != '/' || stat(folder, &st) != 0 || !S_ISDIR(st.st_mode) ||
            access(folder, R_OK | X_OK) != 0)
            say("WRONG", "the shared disk cache %s isn't used: it can't be read, or is no folder.", folder);
        else if ((st.st_uid != geteuid() && st.st_uid != 0) || (st.st_mode & (S_IWGRP | S_IWOTH)))
            say("WRONG",
                "the shared disk cache %s isn't used: it must belong to this user or to root, and nobody "
                "else may "
                "write to it.",
                folder);
        else
            say("ok", "shared disk cache %s", folder);
        weft_free(folder);
    }
}

// The folder isn't there: can the first build make it? Cuts the path.
static void check_cache_place(char *path)
{
    struct stat st;
    char *slash;
    while ((slash = strrchr(path, '/')) && slash != path) {
        *slash = '\0';
        if (stat(path, &st) != 0)
            continue;
        if (!S_ISDIR(st.st_mode) || access(path, W_OK | X_OK) != 0)
            say("WRONG", "the disk cache has no folder, and none can be made in %s. Set WEFT_CACHE_DIR.",
                path);
        else
            say("note", "the disk cache has no folder yet; the first build makes it");
        return;
    }
    say("note", "the disk cache has no folder yet");
}

static void check_cache(void)
{
    if (!weft_config_uint(WEFT_CFG_CACHE) || !weft_config_uint(WEFT_CFG_CACHE_SIZE)) {
        say("note", "the disk cache is switched off (WEFT_CACHE, WEFT_CACHE_SIZE)");
        return;
    }
    check_shared_caches();
    char *folder = weft_cache_entry_folder(0);
    struct stat st;
    struct statvfs fs;
    if (!folder)
        say("note", "there is no disk cache: neither WEFT_CACHE_DIR, XDG_CACHE_HOME nor HOME names a folder");
    else if (stat(folder, &st) != 0)
        check_cache_place(folder);
    else if (!S_ISDIR(st.st_mode))
        say("WRONG", "the disk cache %s isn't used: it is no folder. Remove it, or set WEFT_CACHE_DIR.",
            folder);
    else if (st.st_uid != geteuid() || (st.st_mode & (S_IWGRP | S_IWOTH)))
        say("WRONG",
            "the disk cache %s isn't used: it must belong to this user, and nobody else may write to it. "
            "chmod go-w it, or set WEFT_CACHE_DIR.",
            folder);
    else if (access(folder, W_OK) != 0)
        say("WRONG", "nothing can be written to the disk cache %s. Set WEFT_CACHE_DIR.", folder);
    else if (statvfs(folder, &fs) == 0 && (unsigned long long)fs.f_bavail * fs.f_frsize < 64ull << 20)
        say("WRONG", "the disk of the cache %s is full", folder);
    else
        say("ok", "disk cache %s", folder);
    weft_free(folder);
}

// The first line of a file, without its end. False: there is none.
static bool read_line(const char *path, char *line, int size)
{
    FILE *f = fopen(path, "re");
    const bool read = f && fgets(line, size, f);
    if (f)
        fclose(f);
    if (read)
        line[strcspn(line, "\n")] = '\0';
    return read;
}

static void check_system(void)
{
    char line[256];
    if (read_line("/sys/kernel/mm/transparent_hugepage/enabled", line, sizeof line))
        say(strstr(line, "[never]") ? "note" : "ok", "huge pages: %s%s", line,
            strstr(line, "[never]") ? ". Large buffers are slower to touch for the first time" : "");
    cpu_set_t set;
    const long online = sysconf(_SC_NPROCESSORS_ONLN);
    if (sched_getaffinity(0, sizeof set, &set) == 0 && CPU_COUNT(&set) < online)
        say("note", "this process may use %d of %ld processors (taskset, a cpuset or a container)",
            CPU_COUNT(&set), online);
    const uint32_t quota = weft_cgroup_cpus("/");
    const uint64_t memory = weft_cgroup_memory("/");
    if (quota)
        say("note", "a cgroup's quota gives this process the time of at most %u processor%s", quota,
            quota == 1 ? "" : "s");
    if (memory != UINT64_MAX)
        say("note", "a cgroup limits the memory of this process to %.0f MiB", (double)memory / (1 << 20));
    if (!weft_config_uint(WEFT_CFG_SANDBOX))
        say("note", "WEFT_SANDBOX=0: compilers keep all rights of this user");
#ifdef SYS_landlock_create_ruleset
    else if (syscall(SYS_landlock_create_ruleset, NULL, 0, 1u) < 0)
        say("note",
            "this system has no Landlock: compilers are kept from files by a filter of system calls alone");
#endif
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

static void check_kernel(void)
{
    const char *why;
    const struct weft_driver *d = weft_driver_open(&why);
    if (!d) {
        say("WRONG", "the driver can't be opened: %s", why);
        return;
    }
    char room[1024], *name = weft_driver_text(d, CL_DEVICE_NAME);
    const uint64_t start = weft_time_now();
    weft_tool_progress("running a kernel");
    const char *wrong = run_kernel(d, room, sizeof room);
    weft_tool_progress(NULL);
    if (wrong)
        say("WRONG", "%s.", wrong);
    else
        say("ok", "a kernel was built and run on %s in %.1f ms", name ? name : "the device",
            (double)(weft_time_now() - start) / 1e6);
    weft_free(name);
}

int weft_tool_doctor(int argc, char **argv)
{
    unsigned patience_s = LOADER_PATIENCE_S;
    for (int k = 1; k < argc; k++) {
        patience_s = strcmp(argv[k], "--patience") == 0 && k + 1 < argc ? weft_tool_seconds(argv[++k]) : 0;
        if (!patience_s)
            return weft_tool_usage(argv[0], argv[k]);
    }
    check_parts();
    check_vendor_files();
    check_loader(patience_s);
    check_cache();
    check_system();
    check_kernel();
    if (wrongs)
        printf("\n%u %s wrong.\n", wrongs, wrongs == 1 ? "thing is" : "things are");
    else
        puts("\nNothing is wrong. A program that still ignores Weft may accept GPUs only: docs/install.md "
             "has some.");
    return wrongs ? 1 : 0;
}
