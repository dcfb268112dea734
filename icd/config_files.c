// Reads the configuration files while the library is loaded, after base/config.c has read the environment and
// before anything asks for a setting. Loaders open the driver at a program's first call, so the libraries
// that sections may name are there.
#include <dlfcn.h>

#include "base/config_file.h"
#include "weft/trace.h"

__attribute__((constructor(102))) static void read_files(void)
{
    static const char here;
    Dl_info info;
    weft_config_load_for(dladdr(&here, &info) ? info.dli_fname : NULL);
    weft_config_report();
    weft_report_translator();
    weft_trace_start();
}
