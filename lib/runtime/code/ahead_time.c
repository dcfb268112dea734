// The time spent on code that was made ahead, before anybody asked for it, and that hasn't been launched yet.
// Some programs create hundreds of kernels and run five. When the time exceeds a limit, further code is put
// off until it is asked for. Any thread.
#include <stdatomic.h>

#include "runtime/code/kernel_code.h"

#define MAX_AHEAD_NS 2000000000u

// relaxed throughout this file: a sum, which pairs with nothing.
static _Atomic uint64_t ahead_ns;

bool weft_ahead_time_is_spent(void)
{
    return atomic_load_explicit(&ahead_ns, memory_order_relaxed) >= MAX_AHEAD_NS;
}

void weft_ahead_time_add(struct weft_kernel_code *c, uint64_t ns)
{
    atomic_fetch_add_explicit(&ahead_ns, ns, memory_order_relaxed);
    atomic_store_explicit(&c->ahead_ns, ns, memory_order_relaxed);
}

void weft_ahead_time_return(struct weft_kernel_code *c)
{
    if (atomic_load_explicit(&c->ahead_ns, memory_order_relaxed))
        atomic_fetch_sub_explicit(&ahead_ns, atomic_exchange_explicit(&c->ahead_ns, 0, memory_order_relaxed),
                                  memory_order_relaxed);
}
