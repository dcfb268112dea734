// `weft debug -- PROGRAM`: starts gdb, or lldb, with what it takes to see kernels.
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/base.h"
#include "tools/tool.h"

// Kernels are built such that a debugger sees their variables.
static bool ask_for_variables(void)
{
    static const char wanted[] = "-g -cl-opt-disable";
    const char *given = getenv("WEFT_BUILD_OPTIONS");
    char *all = weft_format("%s%s%s", given ? given : "", given && *given ? " " : "", wanted);
    const bool ok = all && setenv("WEFT_BUILD_OPTIONS", all, 1) == 0;
    weft_free(all);
    return ok;
}

// Becomes the debugger, and returns if it can't be run. Some distributions only have an lldb with a version
// in its name.
static void become(char **arguments)
{
    enum { NEWEST_LLDB = 29, OLDEST_LLDB = 13 };
    char *const name = arguments[0];
    execvp(name, arguments);
    for (int version = NEWEST_LLDB; strcmp(name, "lldb") == 0 && version >= OLDEST_LLDB; version--) {
        char numbered[16];
        snprintf(numbered, sizeof numbered, "lldb-%d", version);
        if (errno != ENOENT)
            break;
        arguments[0] = numbered;
        execvp(numbered, arguments);
    }
    fprintf(stderr, "weft: %s can't be run: %s\n", name, strerror(errno));
}

int weft_tool_debug(int argc, char **argv)
{
    const bool lldb = argc > 1 && strcmp(argv[1], "--lldb") == 0;
    int first = lldb ? 2 : 1;
    if (first < argc && argv[first][0] == '-' && strcmp(argv[first], "--") != 0)
        return weft_tool_usage(argv[0], argv[first]);
    first += first < argc && strcmp(argv[first], "--") == 0;
    if (first >= argc)
        return weft_tool_usage(argv[0], NULL);
    static char *const of_gdb[] = {
        "gdb", "-q", "-ex", "set breakpoint pending on", "-ex", "set print thread-events off"};
    const char *script = weft_installation_find()->gdb_script;
    char **arguments = weft_alloc_array((size_t)argc + 10, sizeof *arguments);
    if (!arguments || !ask_for_variables())
        return 1;
    size_t count = 0;
    if (lldb) {
        arguments[count++] = "lldb";
        arguments[count++] = "--";
    } else {
        for (size_t k = 0; k < WEFT_COUNT_OF(of_gdb); k++)
            arguments[count++] = of_gdb[k];
        if (script) {
            arguments[count++] = "-x";
            arguments[count++] = (char *)(uintptr_t)script;
        }
        arguments[count++] = "--args";
    }
    for (int k = first; k < argc; k++)
        arguments[count++] = argv[k];
    become(arguments);
    return 1;
}
