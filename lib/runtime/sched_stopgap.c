// Until lib/scheduler has landed: runs every task at once, on the thread that submits it.
#include <sched.h>
#include <unistd.h>
#include "runtime.h"

#if WEFT_SCHED_STOPGAP
const struct weft_topology *weft_topology_get(void)
{
    static struct weft_topology t = {
        .cpu_name = "CPU", .cache_line = 64, .vendor = "unknown", .l2_bytes = 1 << 20};
    t.cpus = t.cpus_online = (uint32_t)sysconf(_SC_NPROCESSORS_ONLN);
    t.memory_bytes = (uint64_t)sysconf(_SC_PHYS_PAGES) * 4096u;
    return &t;
}
void weft_sched_submit(struct weft_task *t, enum weft_urgency urgency)
{
    (void)urgency;
    static __thread struct weft_worker w;
    if (t->count)
        t->run(t, &w, 0, t->count);
    t->done(t, &w);
}
void weft_sched_flush(void)
{
}
void weft_sched_wait(struct weft_park *park, bool (*ready)(void *arg), void *arg)
{
    (void)park;
    while (!ready(arg))
        sched_yield();
}
void weft_park_wake(struct weft_park *park)
{
    (void)park;
}
#endif

#if WEFT_FAULT_STOPGAP
#include "weft/fault.h"
// Until lib/base/fault.c has landed: without protection.
bool weft_fault_call(void (*fn)(void *arg), void *arg, struct weft_fault *fault)
{
    (void)fault;
    fn(arg);
    return true;
}
#endif
