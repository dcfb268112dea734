// The clock of all times that the runtime reports and compares.
#include <time.h>

#include "base/base.h"

static uint64_t read_clock(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

uint64_t weft_time_now(void)
{
    return read_clock(CLOCK_MONOTONIC);
}

uint64_t weft_time_coarse(void)
{
    return read_clock(CLOCK_MONOTONIC_COARSE);
}
