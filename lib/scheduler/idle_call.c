// One call that is made when the pool is idle: what a process that does nothing more must still do, without a
// thread of its own. The first pool thread that goes to sleep while a call is ahead sleeps until it is due;
// it is the keeper. The others sleep until there is work. A keeper that is called to work leaves, and the
// next thread that goes to sleep takes its place.
#include "scheduler/internal.h"

static _Atomic uint64_t due;            // time of the call; 0: none is ahead
static void (*_Atomic idle_call)(void); // written before `due`
static _Atomic bool has_keeper;

void weft_sched_call_when_idle(void (*call)(void), uint64_t ns)
{
    // Relaxed: if a call is ahead, somebody else sees to it.
    if (WEFT_LIKELY(atomic_load_explicit(&due, memory_order_relaxed) != 0) || weft_pool_stopping())
        return;
    uint64_t none = 0;
    atomic_store(&idle_call, call);
    if (!atomic_compare_exchange_strong(&due, &none, weft_time_now() + ns) || atomic_load(&has_keeper))
        return;
    // A thread that hasn't said yet that it sleeps reads `due` afterwards.
    if (weft_pool_asleep() > 0)
        weft_pool_wake_one();
    else
        weft_pool_want_threads(1);
}

int64_t weft_idle_call_begin(void)
{
    const uint64_t when = atomic_load(&due);
    if (WEFT_LIKELY(when == 0) || atomic_exchange(&has_keeper, true))
        return -1;
    const uint64_t now = weft_time_now();
    return when > now ? (int64_t)(when - now) : 0;
}

void weft_idle_call_end(int64_t timeout)
{
    if (timeout < 0)
        return;
    atomic_store(&has_keeper, false);
    uint64_t when = atomic_load(&due);
    // Another thread may have become the keeper meanwhile. Only one of them makes the call.
    if (when != 0 && weft_time_now() >= when && !weft_pool_stopping() &&
        atomic_compare_exchange_strong(&due, &when, 0))
        atomic_load (&idle_call)();
}

void weft_idle_call_fork_child(void)
{
    atomic_store(&has_keeper, false);
    atomic_store(&due, 0);
}
