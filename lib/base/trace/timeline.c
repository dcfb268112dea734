// The life of the timeline: it begins at load, if WEFT_TRACE says so, and its file is written at exit or
// unload. Owns nothing; it calls the other files in the right order.
#include "base/trace/internal.h"

static void fork_prepare(void)
{
    weft_trace_names_lock(); // first, as in at_unload
    weft_trace_rings_lock();
}

static void fork_parent(void)
{
    weft_trace_rings_unlock();
    weft_trace_names_unlock();
}

// What the parent did is in the parent's file. The child begins anew, if its file has another name.
static void fork_child(void)
{
    weft_trace_rings_after_fork();
    if (!weft_trace_has_file_of_its_own())
        atomic_store(&weft_trace_on, false);
    fork_parent();
}

void weft_trace_start(void)
{
    const char *file = weft_config_str(WEFT_CFG_TRACE);
    if (!file || !*file)
        return;
    if (!weft_trace_file_start() || !weft_trace_names_start() ||
        !weft_trace_rings_start(weft_config_uint(WEFT_CFG_TRACE_KIB) << 10)) {
        weft_log(WEFT_LOG_WARN, "WEFT_TRACE: there is not enough memory for a timeline");
        return;
    }
    weft_at_fork(fork_prepare, fork_parent, fork_child);
    atomic_store(&weft_trace_on, true);
}

// After the scheduler's threads and the compilers have ended. At exit other threads may go on, and what they
// use stays allocated.
__attribute__((destructor(150))) static void at_unload(void)
{
    if (!weft_process_is_known() || !atomic_exchange(&weft_trace_on, false))
        return;
    weft_trace_names_lock();
    weft_trace_write();
    weft_trace_names_unlock();
    if (weft_process_is_ending())
        return;
    weft_trace_rings_stop();
    weft_trace_names_stop();
    weft_trace_file_stop();
}
