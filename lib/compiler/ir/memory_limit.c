// What this process may take, as messages name it.
#include <stdio.h>
#include <sys/resource.h>

#include "compiler/compiler.h"

const char *weftc_memory_limit(char *room, size_t size)
{
    const uint64_t wanted = weft_config_uint(WEFT_CFG_BUILD_MEMORY);
    struct rlimit limit = {RLIM_INFINITY, RLIM_INFINITY};
    getrlimit(RLIMIT_AS, &limit);
    // One process can't let another have more than it may have itself.
    if (limit.rlim_cur != RLIM_INFINITY && (!wanted || limit.rlim_cur >> 20 < wanted))
        snprintf(room, size, "RLIMIT_AS, the limit of addresses that it was started with: %llu MiB",
                 (unsigned long long)(limit.rlim_cur >> 20));
    else if (wanted)
        snprintf(room, size, "WEFT_BUILD_MEMORY, %llu MiB", (unsigned long long)wanted);
    else
        snprintf(room, size, "the machine has no more");
    return room;
}
