// `weft env`: shell commands that select this installation.
#include <stdio.h>

#include "base/base.h"
#include "tools/tool.h"

// In single quotes nothing is special but the quote itself.
static void print_export(const char *name, const char *value)
{
    printf("export %s='", name);
    for (; *value; value++)
        if (*value == '\'')
            fputs("'\\''", stdout);
        else
            putchar(*value);
    puts("'");
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
        return 0;
    }
    // The installation was moved, so that no vendor file names the library. Loaders take the library itself.
    print_export("OCL_ICD_VENDORS", i->library);
    print_export("OCL_ICD_FILENAMES", i->library);
    return 0;
}
