// `weft env`: shell commands that select this installation.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/base.h"
#include "tools/tool.h"

// In single quotes nothing is special but the quote itself.
static void print_quoted(const char *value)
{
    putchar('\'');
    for (; *value; value++)
        if (*value == '\'')
            fputs("'\\''", stdout);
        else
            putchar(*value);
    putchar('\'');
}

static void print_export(const char *name, const char *value)
{
    printf("export %s=", name);
    print_quoted(value);
    putchar('\n');
}

// Is this the file that a shell runs by its name alone?
static bool is_found(const char *file)
{
    const char *name = strrchr(file, '/') + 1, *path = getenv("PATH");
    bool found = false, same = false;
    for (const char *end; path && !found; path = *end ? end + 1 : NULL) {
        end = path + strcspn(path, ":");
        // An empty entry is the current folder.
        char *there = end > path ? weft_format("%.*s/%s", (int)(end - path), path, name) : weft_strdup(name);
        found = there && access(there, X_OK) == 0;
        same = found && weft_installation_same_file(there, file);
        weft_free(there);
    }
    return same;
}

// The folder of a program comes first in PATH, unless PATH leads to the program already: an installation's
// folder has other programs, too, which must not come before those that the user has chosen.
static void print_path_to(const char *file)
{
    char *folder = access(file, X_OK) == 0 && !is_found(file)
                       ? weft_strndup(file, (size_t)(strrchr(file, '/') - file))
                       : NULL;
    if (folder) {
        fputs("export PATH=", stdout);
        print_quoted(folder);
        puts(":\"$PATH\"");
    }
    weft_free(folder);
}

int weft_tool_env(int argc, char **argv)
{
    if (argc > 1)
        return weft_tool_usage(argv[0], argv[1]);
    const struct weft_installation *i = weft_installation_find();
    if (!i->library) {
        fputs("weft: libweft.so isn't found (weft doctor says more)\n", stderr);
        return 1;
    }
    if (i->vendors) {
        print_export("OCL_ICD_VENDORS", i->vendors);    // the loader of Debian, ocl-icd
        print_export("OPENCL_VENDOR_PATH", i->vendors); // Khronos's loader
    } else {
        // The installation was moved: no vendor file names the library. Loaders take the library itself.
        print_export("OCL_ICD_VENDORS", i->library);
        print_export("OCL_ICD_FILENAMES", i->library);
    }
    // In a build folder weftc isn't beside this program.
    char *self = i->programs ? weft_format("%s/weft", i->programs) : NULL;
    char *beside = i->programs ? weft_format("%s/weftc", i->programs) : NULL;
    if (self)
        print_path_to(self);
    if (beside && i->weftc)
        print_path_to(access(beside, X_OK) == 0 ? beside : i->weftc);
    weft_free(self);
    weft_free(beside);
    return 0;
}
