// cl_khr_kernel_clock. All scopes use one clock, the processor's.
#include "../builtin.h"

ulong __weft_clock(void); // lowered by the compiler (prepare/workitem_functions.c)

#define CLOCK(scope)                                  \
    ulong OVERLOAD clock_read_##scope(void)           \
    {                                                 \
        return __weft_clock();                        \
    }                                                 \
    uint2 OVERLOAD clock_read_hilo_##scope(void)      \
    {                                                 \
        ulong now = __weft_clock();                   \
        return (uint2)((uint)now, (uint)(now >> 32)); \
    }
CLOCK(device)
CLOCK(work_group)
CLOCK(sub_group)
