// The life of the timeline, of the kernels' sums and of a profiler's tasks: they begin at load, if
// WEFT_TRACE, WEFT_PROFILE or INTEL_LIBITTNOTIFY64 say so, and their files are written at exit or unload.
// Owns nothing; it calls the other files in the right order.
#include "base/trace/internal.h"

static bool has_timeline; // constant after load, but for a forked child that has no file of its own

static void fork_prepare(void)
{
    weft_trace_names_lock(); // first, as in at_unload
    weft_trace_rings_lock();
    weft_trace_memory_lock();
    weft_trace_pending_lock();
    weft_profile_lock();
}

static void fork_parent(void)
{
    weft_profile_unlock();
    weft_trace_pending_unlock();
    weft_trace_memory_unlock();
    weft_trace_rings_unlock();
    weft_trace_names_unlock();
}

// What the parent did is in the parent's file. The child begins anew, if its file has another name.
static void fork_child(void)
{
    weft_trace_rings_after_fork();
    weft_trace_memory_after_fork();
    weft_trace_pending_after_fork();
    weft_profile_after_fork();
    if (weft_profile_on && !weft_profile_has_file_of_its_own())
        atomic_store(&weft_profile_on, false);
    if (has_timeline && !weft_trace_has_file_of_its_own()) {
        has_timeline = false;
        weft_trace_rings_close();
    }
    if (!has_timeline && !weft_profile_on)
        atomic_store(&weft_trace_on, false);
    atomic_store(&weft_itt_on, false); // what the profiler's library does in a child isn't known
    fork_parent();
}

static bool is_set(enum weft_config setting)
{
    const char *file = weft_config_str(setting);
    return file && *file;
}

void weft_trace_start(void)
{
    has_timeline = is_set(WEFT_CFG_TRACE);
    const bool sums = is_set(WEFT_CFG_PROFILE), tasks = weft_itt_start();
    if (!has_timeline && !sums && !tasks)
        return;
    enum { LEAST_KIB = 64 }; // of which the ends of calls remain
    const uint64_t kib = weft_config_uint(WEFT_CFG_TRACE_KIB);
    if ((has_timeline &&
         !(weft_trace_file_start() && weft_trace_memory_start() && weft_trace_pending_start())) ||
        !weft_trace_names_start() ||
        !weft_trace_rings_start(has_timeline ? (kib > LEAST_KIB ? kib : LEAST_KIB) << 10 : 0) ||
        (sums && !weft_profile_start())) {
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
    if (weft_profile_on)
        weft_profile_end_writer(); // it takes the names' lock
    weft_trace_names_lock();
    if (has_timeline)
        weft_trace_write();
    if (weft_profile_on)
        weft_profile_write();
    weft_trace_names_unlock();
    if (weft_process_is_ending())
        return;
    weft_profile_stop();
    weft_itt_stop();
    weft_trace_rings_stop();
    weft_trace_memory_stop();
    weft_trace_pending_stop();
    weft_trace_names_stop();
    weft_trace_file_stop();
}
