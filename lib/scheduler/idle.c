// How the pool's threads idle.
//
// An idle pool thread spins for some microseconds, longer in a stream of launches. It watches whether threads
// are called to a range. One of the spinning threads, the searching one, also watches whether help with tasks
// is called for. The first thread that has spun in vain becomes the watcher. It dozes, in short timed sleeps,
// and looks at queues and ranges each time it wakes. It only takes work that was already there at its last
// look. So a series of small launches, each of which the submitter runs itself while it waits, needs neither
// system calls nor a second core. After WATCH_NS without activity the watcher sleeps like the others. A lazy
// submit wakes one thread as the watcher if there is none. An urgent submit wakes as many threads as it has
// work for.
//
// No wake-up is lost. A thread that goes to sleep publishes that (watching, searching, asleep) before it
// looks at queues and ranges. A submitter makes the work visible first and reads those variables
// afterwards. One of the two sees the other.
//
// The pool's last thread and an application thread that helps have one processor between them. Each takes
// part in a range only if it gets the range's last place. While the last thread has none, ranges don't count
// for it, and it dozes for longer, since the threads that run them look at the queues between their chunks.
// When one of these has nothing to do, it becomes the watcher instead.
//
// Each thread sleeps on a word of its own. Who wakes a thread takes its bit from `asleep` first, so nobody
// else wakes it, too. Threads with the lowest numbers after the waker's are woken first. So the same few
// threads take part in a series of short launches, and have its data in their caches.
#include "base/arch/arch.h"
#include "scheduler/internal.h"
#include "scheduler/range.h"

#define SPIN_NS 10000         // that a thread spins before it sleeps; longer in a stream of launches
#define SPIN_LOOKS 16         // turns of a spinning thread between two looks at the clock
#define LATER_TURNS 32        // turns after which it answers a call that was for others
#define PREEMPTED_NS 100000   // if these take longer, another thread had the processor
#define CROWDED_NS 20000000   // if that comes twice in this time, the thread doesn't spin long for as long
#define LONG_IDLE_NS 50000000 // a longer pause counts as one of that time
#define DOZE_NS 50000         // if something is queued: it is taken if it is still there at the next look
#define DOZE_IDLE_NS 100000   // if nothing is queued
#define DOZE_BUSY_NS 2000000  // if ranges are under way that have no place for the thread
#define SELDOM 0x80000000u    // in weft_pool.watching: the watcher dozes for that long
#define WATCH_NS 1500000      // time without activity after which the watcher sleeps

// Is there a range for the thread?
static bool is_range_open(const struct weft_pool_thread *self)
{
    return weft_range_is_open(weft_pool.team, weft_pool_is_last(self));
}

// Is there anything that the thread must not miss when it goes to sleep?
static bool anything_pending(const struct weft_pool_thread *self)
{
    return weft_runqueue_pending(&weft_pool.injection) ||
           weft_next_bit(weft_pool.queued, 0, weft_pool.size) < weft_pool.size || is_range_open(self);
}

bool weft_pool_other_work(void)
{
    // Relaxed, of the injection queue: who has claimed from it has been told of the rest.
    return atomic_load_explicit(&weft_pool.injection.size, memory_order_relaxed) != 0 ||
           weft_next_bit(weft_pool.queued, 0, weft_pool.size) < weft_pool.size ||
           weft_range_is_open(weft_pool.team, false);
}

struct weft_calls weft_pool_calls(void)
{
    return (struct weft_calls){atomic_load(&weft_pool.urgent), atomic_load(&weft_pool.team->calls)};
}

static bool is_called(const struct weft_pool_thread *self, struct weft_calls seen)
{
    return atomic_load(&weft_pool.urgent) != seen.tasks ||
           (atomic_load(&weft_pool.team->calls) != seen.ranges &&
            (!weft_pool_is_last(self) || is_range_open(self)));
}

static void begin_sleep(struct weft_pool_thread *self)
{
    atomic_store(&self->called, 0);
    atomic_fetch_or(&weft_pool.asleep[self->index / 64], UINT64_C(1) << self->index % 64);
}

static void end_sleep(struct weft_pool_thread *self)
{
    atomic_fetch_and(&weft_pool.asleep[self->index / 64], ~(UINT64_C(1) << self->index % 64));
    const uint32_t called = atomic_load_explicit(&self->called, memory_order_relaxed);
    self->caller = called > WEFT_CALLED ? called - WEFT_CALLED : 0;
}

struct activity {
    uint32_t pushes, claims;
    uint32_t ranges; // weft_range_signature
    uint64_t opened; // how many ranges so far
    bool queued;
    bool left_out; // ranges are under way, but none for this thread
};

static void add_queue(struct activity *a, struct weft_runqueue *q)
{
    // Relaxed: it only matters whether they change.
    a->pushes += atomic_load_explicit(&q->pushes, memory_order_relaxed);
    a->claims += atomic_load_explicit(&q->claims, memory_order_relaxed);
    a->queued |= atomic_load_explicit(&q->size, memory_order_relaxed) != 0;
}

static struct activity look(const struct weft_pool_thread *self)
{
    struct weft_team *team = weft_pool.team;
    struct activity a = {.ranges = weft_range_signature(team, weft_pool_is_last(self)),
                         .opened = atomic_load_explicit(&team->ages, memory_order_relaxed)};
    a.left_out = a.ranges == 0 && atomic_load_explicit(&team->open, memory_order_relaxed) != 0;
    struct weft_pool_thread *workers = atomic_load_explicit(&weft_pool.workers, memory_order_acquire);
    add_queue(&a, &weft_pool.injection);
    for (uint32_t i = 0; (i = weft_next_bit(weft_pool.queued, i, weft_pool.size)) < weft_pool.size; i++)
        add_queue(&a, &workers[i].queue);
    return a;
}

static int64_t doze_ns(const struct activity *a)
{
    return a->queued || a->ranges ? DOZE_NS : a->left_out ? DOZE_BUSY_NS : DOZE_IDLE_NS;
}

// False: there is another watcher, which looks often enough.
static bool become_watcher(const struct weft_pool_thread *self)
{
    uint32_t watching = 0;
    while (!atomic_compare_exchange_strong(&weft_pool.watching, &watching, self->index + 1))
        if (!(watching & SELDOM))
            return false;
    return true;
}

// *called: a thread has called this one. False: another thread is the watcher now.
static bool doze(struct weft_pool_thread *self, struct weft_calls seen, const struct activity *before,
                 bool *called)
{
    const uint32_t mine = self->index + 1;
    const int64_t ns = doze_ns(before);
    uint32_t watching = ns == DOZE_BUSY_NS ? mine | SELDOM : mine;
    atomic_store(&weft_pool.watching, watching);
    begin_sleep(self);
    if (!is_called(self, seen)) // by a submit that hasn't seen the bit
        weft_futex_wait(&self->called, 0, ns);
    *called = atomic_load(&self->called) != 0;
    end_sleep(self);
    return atomic_compare_exchange_strong(&weft_pool.watching, &watching, mine);
}

// Runs as the watcher. Returns when there is something to take, when it was quiet for long and nothing is
// queued, or when another thread is the watcher.
static void watch(struct weft_pool_thread *self, struct weft_calls seen)
{
    struct activity before = look(self);
    uint64_t quiet_since = weft_time_now();
    while (!weft_pool_stopping() && !is_called(self, seen)) {
        bool called;
        if (!doze(self, seen, &before, &called))
            return;
        if (called)
            break;
        struct activity now = look(self);
        if ((now.queued && before.queued && now.claims == before.claims) ||
            (now.ranges && now.ranges == before.ranges))
            break;
        uint64_t time = weft_time_now();
        if (now.pushes != before.pushes || now.claims != before.claims || now.queued ||
            now.ranges != before.ranges || now.opened != before.opened)
            quiet_since = time;
        before = now;
        if (time - quiet_since > WATCH_NS)
            break;
    }
    atomic_store(&weft_pool.watching, 0);
}

// How long the thread spins. In a stream of launches it runs out of work often and for a short time. Then it
// spins for four times that time, since some pauses are longer than others. WEFT_SPIN limits it.
static uint64_t spin_ns(const struct weft_pool_thread *self, uint64_t now)
{
    const uint64_t longest = weft_config_uint(WEFT_CFG_SPIN) * 1000;
    // Relaxed: a hint.
    const bool is_helped = atomic_load_explicit(&weft_pool.helpers, memory_order_relaxed) != 0;
    // The last thread would take the processor that the application's thread needs.
    if (weft_pool_is_last(self))
        return is_helped ? 0 : SPIN_NS;
    if (self->usual_idle > longest || now < self->crowded_until)
        return SPIN_NS;
    const uint64_t ns = SPIN_NS + 4 * self->usual_idle;
    return ns < longest ? ns : longest;
}

void weft_pool_note_work(struct weft_pool_thread *self, bool is_range)
{
    if (!self->idle_since)
        return;
    // Single tasks are no stream of ranges: a thread that spins for the next one takes the time of the thread
    // that submits it, if both are on one core.
    const uint64_t ns = is_range ? weft_time_now() - self->idle_since : 5 * self->usual_idle + 4 * SPIN_NS;
    self->usual_idle = (3 * self->usual_idle + (ns < LONG_IDLE_NS ? ns : LONG_IDLE_NS)) / 4;
    self->idle_since = 0;
}

// Has the spinning thread been called to a range? If it was for few threads, those with low numbers come, and
// the others only if there is still room a little later. So they don't fight for it, and the same few threads
// take part in a series of short launches. *seen: the last call that this thread has answered.
static bool is_called_to_range(const struct weft_pool_thread *self, uint32_t *seen)
{
    // Relaxed, both: the work is found by other means.
    const uint32_t calls = atomic_load_explicit(&weft_pool.team->calls, memory_order_relaxed);
    if (calls == *seen)
        return false;
    // One of those that it was for is the application's thread.
    if (self->index + 1 < atomic_load_explicit(&weft_pool.team->called, memory_order_relaxed))
        return true;
    for (int i = 0; i < LATER_TURNS; i++)
        weft_arch_relax();
    *seen = calls;
    return is_range_open(self);
}

// Another thread had the processor while this one spun. Once may be the system's own work.
static void note_preemption(struct weft_pool_thread *self, uint64_t now)
{
    if (now - self->preempted_at < CROWDED_NS)
        self->crowded_until = now + CROWDED_NS;
    self->preempted_at = now;
}

// True: the thread has been called.
static bool spin(struct weft_pool_thread *self, struct weft_calls *seen, uint64_t now)
{
    const uint64_t end = self->idle_since + spin_ns(self, now);
    bool searching = false, called = false;
    for (uint32_t i = 1; !called && now < end; i++) {
        weft_arch_relax();
        uint32_t none = 0;
        if (!searching && atomic_load_explicit(&weft_pool.searching, memory_order_relaxed) == 0 &&
            atomic_compare_exchange_strong(&weft_pool.searching, &none, 1)) {
            searching = true;
            called = weft_runqueue_pending(&weft_pool.injection); // nobody looked for a while
        }
        // Relaxed: the work is found by other means.
        called |= searching && atomic_load_explicit(&weft_pool.urgent, memory_order_relaxed) != seen->tasks;
        called |= is_called_to_range(self, &seen->ranges);
        if (searching && weft_aside_call_is_owed())
            weft_aside_call_make();
        if (i % SPIN_LOOKS != 0)
            continue;
        const uint64_t before = now;
        now = weft_time_now();
        weft_thread_note_cpu(self);
        if (now - before > PREEMPTED_NS)
            note_preemption(self, now);
    }
    if (searching) {
        atomic_store(&weft_pool.searching, 0);
        weft_aside_call_make(); // who asked for it may have seen this thread search
    }
    return called;
}

static void idle(struct weft_pool_thread *self, struct weft_calls seen, bool worked)
{
    if (weft_aside_call_is_owed())
        weft_aside_call_make();
    const uint64_t now = weft_time_now();
    weft_pool_look_at_processors(self, now);
    if (worked)
        self->idle_since = now;
    // A call that was for others doesn't end its spin.
    if (self->idle_since && spin(self, &seen, now))
        return;
    if (become_watcher(self)) {
        watch(self, seen);
        // From now on a lazy submit wakes another watcher. Earlier submits are seen by anything_pending.
        if (weft_pool_stopping() || is_called(self, seen) || anything_pending(self))
            return;
    }
    begin_sleep(self);
    // A lazy submit that saw this thread searching, or saw the last watcher before it left, relies on this
    // look.
    if (!is_called(self, seen) && !weft_pool_stopping() &&
        (atomic_load(&weft_pool.watching) != 0 || !anything_pending(self))) {
        const int64_t timeout = weft_idle_call_begin();
        weft_futex_wait(&self->called, 0, timeout);
        end_sleep(self);
        weft_idle_call_end(timeout);
        return;
    }
    end_sleep(self);
}

void weft_pool_idle(struct weft_pool_thread *self, struct weft_calls seen, bool worked)
{
    // Relaxed, both: a hint.
    atomic_store_explicit(&self->idle, true, memory_order_relaxed);
    idle(self, seen, worked);
    atomic_store_explicit(&self->idle, false, memory_order_relaxed);
}
