// A call that is made aside: by a pool thread that has nothing to do, so that it doesn't hold up the thread
// that asks for it. To wake a thread of another processor is a system call of 5 to 20 us, longer in a virtual
// machine. A command that waits for such a call is late.
//
// Owns the one call that is owed. A pool thread looks at it between two tasks: before it runs anything long,
// looks for a task that doesn't follow from the last one, or becomes idle. So does the thread that searches
// while it spins (idle.c). That thread says first that it doesn't search any more, and looks at the call
// afterwards. Who asks for a call stores it first, and reads afterwards whether a thread searches. One of the
// two sees the other, so no call is lost, other than at unload.
#include "scheduler/internal.h"

static void (*_Atomic owed)(void);

void weft_sched_call_aside(void (*call)(void))
{
    const struct weft_thread *me = weft_thread_now();
    // Without tasks to go back to, a pool thread would make the call too late, or never.
    const bool is_between_tasks = me && me->own && me->depth == 0 && me->in_done;
    atomic_store(&owed, call);
    if (!is_between_tasks && atomic_load(&weft_pool.searching) == 0)
        weft_aside_call_make();
}

void weft_aside_call_make(void)
{
    // Read first: to write a word that all threads share is dear.
    void (*call)(void) = atomic_load(&owed) ? atomic_exchange(&owed, NULL) : NULL;
    if (call)
        call();
}

bool weft_aside_call_is_owed(void)
{
    // Relaxed: weft_aside_call_make decides.
    return WEFT_UNLIKELY(atomic_load_explicit(&owed, memory_order_relaxed) != NULL);
}
