// Reads the configuration files while the library is loaded, after base/config.c has read the environment and
// before anything asks for a setting. Loaders open the driver at a program's first call, so the libraries
// that sections may name are there.
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "base/config_file.h"
#include "weft/trace.h"

// The file that was installed with the library, beside weftc. NULL: unknown. Freed with weft_free.
static char *shipped_path(void)
{
    static const char here;
    Dl_info info;
    if (!dladdr(&here, &info) || !info.dli_fname)
        return NULL;
    char *real = realpath(info.dli_fname, NULL);
    const char *library = real ? real : info.dli_fname, *slash = strrchr(library, '/');
    char *path = slash ? weft_format("%.*s/weft/weft.conf", (int)(slash - library), library) : NULL;
    free(real);
    return path;
}

__attribute__((constructor(102))) static void read_files(void)
{
    const char *given = weft_config_str(WEFT_CFG_CONF);
    if (!given || strcmp(given, "none") != 0) {
        struct weft_program_names program;
        weft_program_names_init(&program);
        char *shipped = shipped_path(), *user = weft_config_user_path();
        const struct weft_config_paths paths = {shipped, "/etc/weft.conf", user};
        weft_config_load(&paths, &program);
        weft_free(shipped);
        weft_free(user);
    }
    weft_config_report();
    weft_report_translator();
    weft_trace_start();
}
