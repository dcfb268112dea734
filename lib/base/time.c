// The clock of all times that the runtime reports and compares.
#include <time.h>

#include "base/base.h"

uint64_t weft_time_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}
