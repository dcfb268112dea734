// Checks whether code is for the processor that WEFT_CPU names.
#include <string.h>

#include "base/base.h"
#include "runtime/compiler/client.h"

void weft_compiler_check_processor(const char *target)
{
    static _Atomic bool logged;
    const char *wanted = weft_config_str(WEFT_CFG_CPU), *cpu = target ? strchr(target, '/') : NULL;
    size_t length = wanted ? strlen(wanted) : 0;
    if (!wanted || !cpu || (strncmp(cpu + 1, wanted, length) == 0 && cpu[1 + length] == '/'))
        return;
    if (!atomic_exchange(&logged, true))
        weft_log_ignored_setting("WEFT_CPU=%.100s is ignored: LLVM knows no processor of that name with "
                                 "64-bit code, which Weft needs; code is generated for %.*s",
                                 wanted, (int)strcspn(cpu + 1, "/"), cpu + 1);
}
