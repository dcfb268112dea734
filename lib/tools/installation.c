// Where the parts of an installation are, found from where this program is: PREFIX/bin/weft, or
// BUILD/bin/weft in a build folder.
#include <dlfcn.h>
#include <limits.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/base.h"
#include "tools/tool.h"

char *weft_installation_read_icd(const char *path)
{
    char text[PATH_MAX + 2];
    FILE *f = fopen(path, "re");
    if (!f)
        return NULL;
    const bool read = fgets(text, sizeof text, f) != NULL;
    fclose(f);
    if (!read)
        return NULL;
    const char *start = text + strspn(text, " \t\r\n");
    size_t size = strlen(start);
    while (size && strchr(" \t\r\n", start[size - 1]))
        size--;
    return size ? weft_strndup(start, size) : NULL;
}

bool weft_installation_same_file(const char *a, const char *b)
{
    struct stat x, y;
    return stat(a, &x) == 0 && stat(b, &y) == 0 && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

// The folder above that of this program. NULL: unknown.
static char *find_prefix(void)
{
    char *self = realpath("/proc/self/exe", NULL);
    char *prefix = NULL, *slash = self ? strrchr(self, '/') : NULL;
    if (slash) {
        *slash = '\0';
        slash = strrchr(self, '/');
    }
    if (slash)
        prefix = weft_strndup(self, slash == self ? 1 : (size_t)(slash - self));
    free(self);
    return prefix;
}

// In an installation the folder of libraries may have any name, in a build folder it is lib.
static char *find_library(const char *prefix)
{
    static const char *const folders[] = {WEFT_TOOL_LIBDIR, "lib"};
    for (size_t k = 0; k < WEFT_COUNT_OF(folders); k++) {
        char *library = folders[k][0] == '/' ? weft_format("%s/libweft.so", folders[k])
                                             : weft_format("%s/%s/libweft.so", prefix, folders[k]);
        if (library && access(library, R_OK) == 0)
            return library;
        weft_free(library);
    }
    return NULL;
}

// A file of share/weft. NULL: it isn't there.
static char *find_shared(const char *prefix, const char *name)
{
    char *path = weft_format("%s/share/weft/%s", prefix, name);
    if (path && access(path, R_OK) != 0) {
        weft_free(path);
        path = NULL;
    }
    return path;
}

// Does a loader that opens this name get the library? It opens names without a slash as all libraries are.
static bool names_library(const char *name, const char *library)
{
    struct link_map *map = NULL;
    if (strchr(name, '/'))
        return weft_installation_same_file(name, library);
    void *opened = dlopen(name, RTLD_LAZY | RTLD_LOCAL);
    const bool same = opened && dlinfo(opened, RTLD_DI_LINKMAP, &map) == 0 && map &&
                      weft_installation_same_file(map->l_name, library);
    if (opened)
        dlclose(opened);
    return same;
}

static char *find_vendors(const char *prefix, const char *library)
{
    char *folders[] = {weft_format("%s/vendors", prefix), weft_format("%s/etc/OpenCL/vendors", prefix),
                       weft_strdup("/etc/OpenCL/vendors")};
    char *found = NULL;
    for (size_t k = 0; k < WEFT_COUNT_OF(folders); k++) {
        char *file = !found && folders[k] ? weft_format("%s/weft.icd", folders[k]) : NULL;
        char *named = file ? weft_installation_read_icd(file) : NULL;
        if (named && names_library(named, library))
            found = folders[k];
        else
            weft_free(folders[k]);
        weft_free(named);
        weft_free(file);
    }
    return found;
}

const struct weft_installation *weft_installation_find(void)
{
    static struct weft_installation found;
    static bool searched;
    if (searched)
        return &found;
    searched = true;
    char *prefix = find_prefix();
    char *library = prefix ? find_library(prefix) : NULL;
    if (library) {
        found.library = library;
        found.weftc = weft_format("%.*s/weft/weftc", (int)(strrchr(library, '/') - library), library);
        found.vendors = find_vendors(prefix, library);
        found.programs = weft_format("%s/bin", prefix);
        found.gdb_script = find_shared(prefix, "gdb.py");
        found.page = find_shared(prefix, "prof.html");
    }
    weft_free(prefix);
    return &found;
}
