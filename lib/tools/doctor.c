// `weft doctor`: why a program doesn't see Weft, or can't use it.
#include <dirent.h>
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

// ---- the parts of the installation ----

static void check_file(const char *folder_of, const char *name)
{
    char *path = weft_format("%.*s/%s", (int)(strrchr(folder_of, '/') - folder_of), folder_of, name);
    if (path && access(path, R_OK) != 0)
        weft_tool_say("WRONG", "%s is missing. Install Weft again.", path);
    weft_free(path);
}

static void check_parts(void)
{
    const struct weft_installation *i = weft_installation_find();
    if (!i->library) {
        weft_tool_say("WRONG", "libweft.so isn't where it should be: in " WEFT_TOOL_LIBDIR
                               "/, beside the folder of this program. "
                               "Install Weft again, or run the `weft` of the installation that is used.");
        return;
    }
    weft_tool_say("ok", "library %s", i->library);
    const char *given = getenv("WEFT_WEFTC");
    const char *weftc = given && *given ? given : i->weftc;
    if (access(weftc, X_OK) != 0)
        weft_tool_say("WRONG",
                      "the compiler %s can't be run, so only what the disk cache has can be built.%s", weftc,
                      weftc == given ? " WEFT_WEFTC names it." : " Install Weft again.");
    else
        weft_tool_say("ok", "compiler %s", weftc);
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
        weft_tool_say("WRONG", "%s is empty or can't be read, so loaders skip it.", file);
    } else if (!strchr(library, '/')) {
        weft_tool_say("note", "%s: %s, which is searched for as other libraries are", file, library);
        is_own = strstr(library, "libweft") != NULL;
    } else if (access(library, R_OK) != 0) {
        weft_tool_say("WRONG",
                      "%s names %s, which isn't there. Remove the file, or install that driver again.", file,
                      library);
    } else {
        is_own = own && weft_installation_same_file(library, own);
        weft_tool_say("ok", "%s: %s%s", file, library,
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
        weft_tool_say("ok", "%s (this Weft)", folder);
        return true;
    }
    DIR *d = opendir(folder);
    if (!d) {
        weft_tool_say("note", "there is no folder %s", folder);
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
        weft_tool_say("note", "%s has no vendor files (*.icd)", folder);
    return has_own;
}

// variable: what names the folder. NULL: it is where all loaders look.
static void check_vendors(const char *folder, const char *variable, const char *libraries)
{
    if (check_folder(folder) || (libraries && strstr(libraries, "libweft")))
        return;
    const struct weft_installation *i = weft_installation_find();
    if (variable)
        weft_tool_say(
            "WRONG",
            "%s=%s doesn't lead to this Weft. For one shell: eval \"$(weft env)\". Or unset it: then loaders "
            "look into " DEFAULT_FOLDER ".",
            variable, folder);
    else if (i->vendors)
        weft_tool_say("WRONG",
                      "%s doesn't lead to this Weft. For one shell: eval \"$(weft env)\". For all programs: "
                      "cp %s/weft.icd " DEFAULT_FOLDER "/",
                      folder, i->vendors);
    else
        weft_tool_say("WRONG",
                      "%s doesn't lead to this Weft. Write the path of libweft.so into " DEFAULT_FOLDER
                      "/weft.icd.",
                      folder);
}

// OCL_ICD_FILENAMES: paths, with colons between them.
static void check_libraries(const char *paths)
{
    weft_tool_say("note", "OCL_ICD_FILENAMES=%s: loaders open these libraries, too", paths);
    for (const char *at = paths; *at; at += *at == ':') {
        const size_t size = strcspn(at, ":");
        char *path = weft_strndup(at, size);
        if (path && strchr(path, '/') && access(path, R_OK) != 0)
            weft_tool_say("WRONG", "OCL_ICD_FILENAMES names %s, which can't be read.", path);
        weft_free(path);
        at += size;
    }
}

// Each loader has a variable of its own, and a program may come with any loader. So each that is set is
// checked.
static void check_vendor_files(void)
{
    static const char *const variables[] = {"OCL_ICD_VENDORS", "OPENCL_VENDOR_PATH"};
    const char *libraries = getenv("OCL_ICD_FILENAMES"), *before = NULL;
    if (libraries && *libraries)
        check_libraries(libraries);
    for (unsigned k = 0; k < WEFT_COUNT_OF(variables); k++) {
        const char *folder = getenv(variables[k]);
        if (!folder || !*folder)
            continue;
        weft_tool_say("note", "%s=%s: %s reads this instead of " DEFAULT_FOLDER, variables[k], folder,
                      k ? "Khronos's loader" : "Debian's loader, ocl-icd,");
        if (!before || strcmp(before, folder) != 0)
            check_vendors(folder, variables[k], libraries);
        before = folder;
    }
    if (!before)
        check_vendors(DEFAULT_FOLDER, NULL, libraries);
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
            weft_tool_say("WRONG", "the shared disk cache %s isn't used: it can't be read, or is no folder.",
                          folder);
        else if ((st.st_uid != geteuid() && st.st_uid != 0) || (st.st_mode & (S_IWGRP | S_IWOTH)))
            weft_tool_say(
                "WRONG",
                "the shared disk cache %s isn't used: it must belong to this user or to root, and nobody "
                "else may "
                "write to it.",
                folder);
        else
            weft_tool_say("ok", "shared disk cache %s", folder);
        weft_free(folder);
    }
}

// Is there room in the file system of this folder?
static bool has_room(const char *folder)
{
    struct statvfs fs;
    return statvfs(folder, &fs) != 0 || (unsigned long long)fs.f_bavail * fs.f_frsize >= 64ull << 20;
}

// The folder isn't there: can the first build make it? Cuts the path.
static void check_cache_place(char *path)
{
    struct stat st;
    char *slash;
    do { // up to a folder that is there
        slash = strrchr(path, '/');
        slash[slash == path] = '\0';
    } while (slash != path && stat(path, &st) != 0);
    // Rights don't say it all: /proc, for example, takes no folders.
    char *trial = weft_format("%s/.weft-doctor-XXXXXX", path);
    if (!trial || !mkdtemp(trial))
        weft_tool_say("WRONG",
                      "the disk cache has no folder, and none can be made in %s. Set WEFT_CACHE_DIR.", path);
    else if (rmdir(trial), !has_room(path))
        weft_tool_say("WRONG", "the disk of the cache, at %s, is full", path);
    else
        weft_tool_say("note", "the disk cache has no folder yet; the first build makes it");
    weft_free(trial);
}

static void check_cache(void)
{
    if (!weft_config_uint(WEFT_CFG_CACHE) || !weft_config_uint(WEFT_CFG_CACHE_SIZE)) {
        weft_tool_say("note", "the disk cache is switched off (WEFT_CACHE, WEFT_CACHE_SIZE)");
        return;
    }
    check_shared_caches();
    const char *given = weft_config_str(WEFT_CFG_CACHE_DIR);
    if (given && *given && *given != '/')
        weft_tool_say("WRONG", "WEFT_CACHE_DIR=%s isn't used: it must be an absolute path.", given);
    char *folder = weft_cache_entry_folder(0);
    struct stat st;
    if (!folder)
        weft_tool_say(
            "note", "there is no disk cache: neither WEFT_CACHE_DIR, XDG_CACHE_HOME nor HOME names a folder");
    else if (stat(folder, &st) != 0)
        check_cache_place(folder);
    else if (!S_ISDIR(st.st_mode))
        weft_tool_say("WRONG",
                      "the disk cache %s isn't used: it is no folder. Remove it, or set WEFT_CACHE_DIR.",
                      folder);
    else if (st.st_uid != geteuid() || (st.st_mode & (S_IWGRP | S_IWOTH)))
        weft_tool_say(
            "WRONG",
            "the disk cache %s isn't used: it must belong to this user, and nobody else may write to it. "
            "chmod go-w it, or set WEFT_CACHE_DIR.",
            folder);
    else if (access(folder, W_OK) != 0)
        weft_tool_say("WRONG", "nothing can be written to the disk cache %s. Set WEFT_CACHE_DIR.", folder);
    else if (!has_room(folder))
        weft_tool_say("WRONG", "the disk of the cache %s is full", folder);
    else
        weft_tool_say("ok", "disk cache %s", folder);
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
        weft_tool_say(strstr(line, "[never]") ? "note" : "ok", "huge pages: %s%s", line,
                      strstr(line, "[never]") ? ". Large buffers are slower to touch for the first time"
                                              : "");
    cpu_set_t set;
    const long online = sysconf(_SC_NPROCESSORS_ONLN);
    if (sched_getaffinity(0, sizeof set, &set) == 0 && CPU_COUNT(&set) < online)
        weft_tool_say("note", "this process may use %d of %ld processors (taskset, a cpuset or a container)",
                      CPU_COUNT(&set), online);
    const uint32_t quota = weft_cgroup_cpus("/");
    const uint64_t memory = weft_cgroup_memory("/");
    if (quota)
        weft_tool_say("note", "a cgroup's quota gives this process the time of at most %u processor%s", quota,
                      quota == 1 ? "" : "s");
    if (memory != UINT64_MAX)
        weft_tool_say("note", "a cgroup limits the memory of this process to %.0f MiB",
                      (double)memory / (1 << 20));
    if (!weft_config_uint(WEFT_CFG_SANDBOX))
        weft_tool_say("note", "WEFT_SANDBOX=0: compilers keep all rights of this user");
#ifdef SYS_landlock_create_ruleset
    else if (syscall(SYS_landlock_create_ruleset, NULL, 0, 1u) < 0)
        weft_tool_say(
            "note",
            "this system has no Landlock: compilers are kept from files by a filter of system calls alone");
#endif
}

int weft_tool_doctor(int argc, char **argv)
{
    unsigned patience_s = LOADER_PATIENCE_S;
    for (int k = 1; k < argc; k++) {
        patience_s = strcmp(argv[k], "--patience") == 0 && k + 1 < argc ? weft_tool_seconds(argv[++k]) : 0;
        if (!patience_s)
            return weft_tool_usage(argv[0], strcmp(argv[k], "--patience") == 0 ? "--patience without seconds"
                                                                               : argv[k]);
    }
    check_parts();
    check_vendor_files();
    weft_doctor_try_loader(patience_s);
    check_cache();
    check_system();
    weft_doctor_try_kernel(patience_s);
    const unsigned wrongs = weft_tool_wrongs();
    if (wrongs)
        printf("\n%u %s wrong.\n", wrongs, wrongs == 1 ? "thing is" : "things are");
    else
        puts("\nNothing is wrong. A program that still ignores Weft may accept GPUs only: docs/install.md "
             "has some.");
    return wrongs ? 1 : 0;
}
