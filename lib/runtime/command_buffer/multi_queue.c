// Replays of command buffers with several queues (cl_khr_command_buffer_multi_device 0.9.2).
// The commands of each queue are a queue stream. They run in the order of recording, on the threads of the
// queue's device, while other streams run on theirs. A command depends on commands of other streams through
// its sync-points and barriers. Each dependency is a number of positions that another stream must have
// completed. A stream that must wait leaves its thread. The thread that completes the position starts it
// again. A stream also leaves its thread after a kernel that has enqueued others. Commands depend on earlier
// commands only, so the earliest one that hasn't run can always run.
// An enqueue makes a command in each queue. When all of these are ready and it is the buffer's turn, the
// streams start. When the last stream has ended, all the commands end. So the replay has its place in the
// order of every queue, as one command would. One of the commands, the leader, is the event that the
// application gets.
// Owns weft_multi_replay, which its commands hold. Its lock guards which streams wait.
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "runtime/command/command.h"
#include "runtime/command/queue.h"
#include "runtime/command_buffer/command_buffer.h"
#include "runtime/command_buffer/replay.h"
#include "runtime/core/diagnostics.h"
#include "runtime/core/object.h"
#include "weft/scheduler.h"
#include "weft/trace.h"

enum stream_state { STREAM_WAITS, STREAM_HAS_CHILDREN, STREAM_ENDED };

struct queue_stream {
    struct weft_multi_replay *multi;
    struct weft_queue *queue; // a reference is held by the queue's command
    uint32_t index, next;     // its next position
    struct weft_task task;
    struct weft_waiting waiting;
    struct weft_command *parent; // the command that has run and whose children the stream waits for
    enum stream_state state;     // why its last run ended
    struct weft_stream_dependency dependency; // what it waits for if the state is STREAM_WAITS
    bool parked;                              // it is waiting for `dependency`. Under the lock
    struct queue_stream *next_woken;
    _Atomic uint32_t done; // number of completed positions
};

struct weft_multi_replay {
    _Atomic uint32_t refs;              // one for each command, and one for each function at work
    struct weft_command_buffer *buffer; // a reference
    struct weft_sequence *sequence;     // a reference
    // one in each different queue, sorted by queue; they hold this until they end
    struct weft_command **commands;
    struct weft_command *leader; // one of them
    uint32_t command_count, stream_count;
    _Atomic uint32_t unready; // number of commands that aren't ready
    _Atomic uint32_t active;  // number of streams that haven't ended
    _Atomic uint32_t parked;  // number of streams
    _Atomic cl_int failure;   // the first failure
    pthread_mutex_t lock;
    struct queue_stream streams[];
};

static void unref(struct weft_multi_replay *m)
{
    // acq_rel: pairs with itself. The thread that drops the last reference sees what all wrote.
    if (atomic_fetch_sub_explicit(&m->refs, 1, memory_order_acq_rel) != 1)
        return;
    weft_sequence_unref(m->sequence);
    weft_object_unref(&m->buffer->obj);
    pthread_mutex_destroy(&m->lock);
    weft_free(m->commands);
    weft_free(m);
}

// ---- Plans ----

static bool is_barrier_of_all(const struct weft_recorded *r)
{
    return r->type == CL_COMMAND_BARRIER && r->wait_count == 0;
}

// Counts the entries of each stream in first[stream + 1], gives each command its position, from 1,
// and sets *needs to the maximum number of dependencies. False: there are too many.
static bool count_entries(const struct weft_command_buffer *b, uint32_t *first, size_t *dependencies)
{
    *dependencies = 0;
    for (size_t i = 0; i < b->count; i++) {
        struct weft_recorded *r = b->commands[i];
        r->position = ++first[r->stream + 1];
        // plus one for the last barrier
        size_t own = is_barrier_of_all(r) ? b->queue_count : (size_t)r->wait_count + 1;
        if (!weft_add_size(*dependencies, own, dependencies))
            return false;
    }
    return *dependencies <= UINT32_MAX;
}

static struct weft_replay_plan *plan_alloc(size_t streams, size_t entries, size_t dependencies)
{
    size_t entry_bytes, dependency_bytes, stream_bytes, bytes;
    if (!weft_mul_size(entries, sizeof(struct weft_stream_entry), &entry_bytes) ||
        !weft_mul_size(dependencies, sizeof(struct weft_stream_dependency), &dependency_bytes) ||
        !weft_mul_size(streams + 1, sizeof(uint32_t) + sizeof(bool), &stream_bytes) ||
        !weft_add_size(sizeof(struct weft_replay_plan), entry_bytes, &bytes) ||
        !weft_add_size(bytes, dependency_bytes, &bytes) || !weft_add_size(bytes, stream_bytes, &bytes))
        return NULL;
    struct weft_replay_plan *p = weft_zalloc(bytes);
    if (!p)
        return NULL;
    p->entries = (struct weft_stream_entry *)(p + 1);
    p->dependencies = (struct weft_stream_dependency *)(p->entries + entries);
    p->first = (uint32_t *)(p->dependencies + dependencies);
    p->pool_only = (bool *)(p->first + streams + 1);
    p->stream_count = (uint32_t)streams;
    return p;
}

// Stores the dependencies of r, the next command in the order of recording, and returns their number. so_far
// has the number of entries of each stream before it.
static uint32_t add_dependencies(const struct weft_command_buffer *b, struct weft_stream_dependency *to,
                                 const struct weft_recorded *r, const struct weft_recorded *barrier,
                                 const uint32_t *so_far)
{
    uint32_t n = 0;
    if (is_barrier_of_all(r)) {
        for (uint32_t s = 0; s < b->queue_count; s++)
            if (s != r->stream && so_far[s])
                to[n++] = (struct weft_stream_dependency){s, so_far[s]};
        return n;
    }
    if (barrier && barrier->stream != r->stream)
        to[n++] = (struct weft_stream_dependency){barrier->stream, barrier->position};
    for (uint32_t i = 0; i < r->wait_count; i++) {
        const struct weft_recorded *on = b->commands[r->waits[i] - 1];
        if (on->stream != r->stream)
            to[n++] = (struct weft_stream_dependency){on->stream, on->position};
    }
    return n;
}

static void fill_plan(struct weft_replay_plan *p, const struct weft_command_buffer *b, uint32_t *so_far)
{
    const struct weft_recorded *barrier = NULL;
    uint32_t dependencies = 0;
    for (size_t i = 0; i < b->count; i++) {
        const struct weft_recorded *r = b->commands[i];
        struct weft_command *c = r->shape.command;
        struct weft_stream_entry *e = &p->entries[p->first[r->stream] + so_far[r->stream]];
        e->command = c && (c->run || c->run_range) ? c : NULL;
        e->first_dependency = dependencies;
        e->dependency_count = add_dependencies(b, p->dependencies + dependencies, r, barrier, so_far);
        dependencies += e->dependency_count;
        so_far[r->stream]++;
        p->pool_only[r->stream] |= e->command && weft_command_keeps_to_pool(e->command);
        if (r->type == CL_COMMAND_BARRIER)
            barrier = r;
    }
}

struct weft_replay_plan *weft_replay_plan_make_locked(const struct weft_command_buffer *b)
{
    size_t streams = b->queue_count, dependencies;
    uint32_t *first = weft_alloc_array(streams + 1, sizeof *first);
    uint32_t *so_far = weft_alloc_array(streams, sizeof *so_far);
    struct weft_replay_plan *p = NULL;
    if (first && so_far && count_entries(b, first, &dependencies))
        p = plan_alloc(streams, b->count, dependencies);
    if (p) {
        for (size_t s = 0; s < streams; s++)
            first[s + 1] += first[s];
        memcpy(p->first, first, (streams + 1) * sizeof *first);
        fill_plan(p, b, so_far);
    }
    weft_free(first);
    weft_free(so_far);
    return p;
}

// ---- Queue streams ----

static void start_stream(struct queue_stream *s, enum weft_urgency urgency)
{
    weft_queue_start_task(s->queue, &s->task, urgency);
}

static void stream_continues(struct weft_waiting *w)
{
    start_stream(WEFT_CONTAINER_OF(w, struct queue_stream, waiting), WEFT_LAZY);
}

static bool is_met(const struct weft_multi_replay *m, struct weft_stream_dependency n)
{
    // Sequentially consistent, together with the count of parked streams: either the thread that completes
    // the position sees that a stream is parked, or that stream sees the position.
    return atomic_load(&m->streams[n.stream].done) >= n.position;
}

// Starts the streams that waited for this one's position.
static void wake_others(struct queue_stream *s)
{
    struct weft_multi_replay *m = s->multi;
    struct queue_stream *woken = NULL;
    if (WEFT_LIKELY(atomic_load(&m->parked) == 0))
        return;
    pthread_mutex_lock(&m->lock);
    for (uint32_t i = 0; i < m->stream_count; i++) {
        struct queue_stream *o = &m->streams[i];
        if (!o->parked || o->dependency.stream != s->index || !is_met(m, o->dependency))
            continue;
        o->parked = false;
        atomic_fetch_sub(&m->parked, 1);
        o->next_woken = woken;
        woken = o;
    }
    pthread_mutex_unlock(&m->lock);
    while (woken) {
        struct queue_stream *o = woken;
        woken = o->next_woken; // o may end once it is started, but this stream can't end before
        start_stream(o, WEFT_URGENT);
    }
}

static void complete_position(struct queue_stream *s)
{
    atomic_store(&s->done, ++s->next);
    wake_others(s);
}

// Are the entry's dependencies met? If not, stores the first that isn't.
static bool may_run(struct queue_stream *s, const struct weft_stream_entry *entry)
{
    const struct weft_stream_dependency *dependencies =
        s->multi->sequence->plan->dependencies + entry->first_dependency;
    for (uint32_t i = 0; i < entry->dependency_count; i++) {
        if (is_met(s->multi, dependencies[i]))
            continue;
        s->dependency = dependencies[i];
        return false;
    }
    return true;
}

static void note_failure(struct weft_multi_replay *m, cl_int error)
{
    cl_int none = 0;
    // Sequentially consistent, before the position is completed: a stream that waits for it also sees the
    // failure.
    if (error)
        atomic_compare_exchange_strong(&m->failure, &none, error);
}

// Inlined in both callers, as in command_buffer.c.
WEFT_ALWAYS_INLINE void go_through(struct weft_task *t, struct weft_worker *w, bool traced)
{
    struct queue_stream *s = WEFT_CONTAINER_OF(t, struct queue_stream, task);
    struct weft_multi_replay *m = s->multi;
    const struct weft_replay_plan *p = m->sequence->plan;
    uint32_t count = p->first[s->index + 1] - p->first[s->index];
    weft_command_mark_running(m->leader);
    if (s->parent) {
        // relaxed: the thread that completed the last child has published it.
        note_failure(m, atomic_load_explicit(&s->parent->failure, memory_order_relaxed));
        s->parent = NULL;
        complete_position(s);
    }
    while (s->next < count) {
        const struct weft_stream_entry *entry = &p->entries[p->first[s->index] + s->next];
        bool runs = !atomic_load(&m->failure);
        if (runs && !may_run(s, entry)) {
            s->state = STREAM_WAITS;
            return;
        }
        if (entry->command && runs && !atomic_load(&m->failure)) {
            entry->command->waiting = &s->waiting;
            note_failure(m, traced ? weft_recorded_run_traced(entry->command, w, s->queue)
                                   : weft_recorded_run(entry->command, w));
            // relaxed: the command has run, and counts itself as a child until stream_has_run.
            if (WEFT_UNLIKELY(atomic_load_explicit(&entry->command->children, memory_order_relaxed))) {
                s->parent = entry->command;
                s->state = STREAM_HAS_CHILDREN;
                return;
            }
        }
        complete_position(s);
    }
    s->state = STREAM_ENDED;
}

static void run_stream(struct weft_task *t, struct weft_worker *w, uint64_t first, uint64_t last)
{
    (void)first, (void)last;
    go_through(t, w, false);
}

static void run_stream_traced(struct weft_task *t, struct weft_worker *w, uint64_t first, uint64_t last)
{
    (void)first, (void)last;
    go_through(t, w, true);
}

static void (*run)(struct weft_task *t, struct weft_worker *w, uint64_t first, uint64_t last) = run_stream;

__attribute__((constructor)) static void choose_run(void)
{
    if (weft_trace_is_on())
        run = run_stream_traced;
}

// Parks the stream. Returns true, without parking it, if the dependency is met already.
static bool park(struct queue_stream *s)
{
    struct weft_multi_replay *m = s->multi;
    pthread_mutex_lock(&m->lock);
    s->parked = true;
    atomic_fetch_add(&m->parked, 1);
    bool met = is_met(m, s->dependency);
    if (met) {
        s->parked = false;
        atomic_fetch_sub(&m->parked, 1);
    }
    pthread_mutex_unlock(&m->lock);
    return met;
}

static bool has_entries(const struct weft_multi_replay *m, uint32_t stream)
{
    const struct weft_replay_plan *p = m->sequence->plan;
    return p->first[stream + 1] > p->first[stream];
}

// Called when the replay has the turn.
static void start(struct weft_multi_replay *m)
{
    uint32_t active = 0;
    for (uint32_t i = 0; i < m->stream_count; i++)
        active += i == 0 || has_entries(m, i); // if there is nothing to do, the first stream ends the replay
    atomic_store(&m->active, active);
    for (uint32_t i = 0; i < m->command_count; i++)
        weft_command_mark_submitted(m->commands[i]);
    // Once the last stream is started, the replay may end at any time.
    atomic_fetch_add(&m->refs, 1);
    for (uint32_t i = m->stream_count; i-- > 0;)
        if (i == 0 || has_entries(m, i))
            start_stream(&m->streams[i], i == 0 ? WEFT_LAZY : WEFT_URGENT);
    unref(m);
}

// Called when the last stream has ended.
static void finish(struct weft_multi_replay *m)
{
    cl_int failure = atomic_load(&m->failure);
    atomic_fetch_add(&m->refs, 1);
    if (failure)
        weft_command_fail(m->leader, failure);
    struct weft_command *next = weft_replay_pass_turn(m->buffer);
    if (next)
        start(weft_replay_of(next)->multi);
    struct weft_command *leader = m->leader;
    for (uint32_t i = 0; i < m->command_count; i++)
        if (m->commands[i] != leader)
            weft_command_end(m->commands[i]);
    weft_command_end(leader);
    unref(m);
}

// Called when the scheduler is done with the task. From now on other threads may start it again.
static void stream_has_run(struct weft_task *t, struct weft_worker *w)
{
    (void)w;
    struct queue_stream *s = WEFT_CONTAINER_OF(t, struct queue_stream, task);
    switch (s->state) {
    case STREAM_WAITS:
        if (park(s))
            start_stream(s, WEFT_LAZY);
        return;
    case STREAM_HAS_CHILDREN:
        if (weft_command_await_children(s->parent))
            start_stream(s, WEFT_LAZY);
        return;
    case STREAM_ENDED:
        if (atomic_fetch_sub(&s->multi->active, 1) == 1)
            finish(s->multi);
        return;
    }
}

// ---- Enqueues ----

static void command_is_ready(struct weft_command *c)
{
    struct weft_multi_replay *m = weft_replay_of(c)->multi;
    if (atomic_fetch_sub(&m->unready, 1) == 1 && weft_replay_await_turn(m->buffer, m->leader))
        start(m);
}

static void release_command(struct weft_command *c)
{
    unref(weft_replay_of(c)->multi);
}

static int by_address(const void *a, const void *b)
{
    uintptr_t x = *(const uintptr_t *)a, y = *(const uintptr_t *)b;
    return (x > y) - (x < y);
}

// Creates a replay with one reference and without commands. NULL: no memory.
static struct weft_multi_replay *multi_create_locked(struct weft_command_buffer *b,
                                                     const cl_command_queue *queues)
{
    size_t bytes;
    if (!weft_mul_size(b->queue_count, sizeof(struct queue_stream), &bytes) ||
        !weft_add_size(bytes, sizeof(struct weft_multi_replay), &bytes))
        return NULL;
    struct weft_multi_replay *m = weft_zalloc(bytes);
    struct weft_command **commands = weft_alloc_array(b->queue_count, sizeof(struct weft_command *));
    if (!m || !commands) {
        weft_free(m);
        weft_free(commands);
        return NULL;
    }
    pthread_mutex_init(&m->lock, NULL);
    weft_object_ref(&b->obj);
    m->buffer = b;
    // relaxed: the buffer holds a reference.
    atomic_fetch_add_explicit(&b->sequence->refs, 1, memory_order_relaxed);
    m->sequence = b->sequence;
    m->commands = commands;
    atomic_store(&m->refs, 1);
    m->stream_count = b->queue_count;
    for (uint32_t i = 0; i < m->stream_count; i++) {
        struct queue_stream *s = &m->streams[i];
        s->multi = m;
        s->queue = (struct weft_queue *)queues[i];
        s->index = i;
        s->waiting = (struct weft_waiting){stream_continues};
        s->task = (struct weft_task){.run = run,
                                     .done = stream_has_run,
                                     .count = 1,
                                     .grain = 1,
                                     .flags = b->sequence->plan->pool_only[i] ? WEFT_TASK_POOL_ONLY : 0u};
    }
    return m;
}

// Should the command in q be the leader? The event's times are the leader's. So it is in a queue with
// profiling, if there is one, preferably the first queue.
static bool should_lead(const struct weft_multi_replay *m, const struct weft_queue *q)
{
    const struct weft_queue *first = m->streams[0].queue;
    return !m->leader || (!m->leader->queue->profiling && q->profiling) ||
           (q == first && q->profiling == m->leader->queue->profiling);
}

// Creates one command in each different queue. `sorted` may contain a queue several times. False: no memory.
static bool make_commands(struct weft_multi_replay *m, const cl_command_queue *sorted)
{
    for (uint32_t i = 0; i < m->stream_count; i++) {
        struct weft_queue *q = (struct weft_queue *)sorted[i];
        if (i && sorted[i] == sorted[i - 1])
            continue;
        struct weft_command *c = weft_command_create(m->buffer->context, q, CL_COMMAND_COMMAND_BUFFER_KHR);
        if (!c)
            return false;
        *weft_replay_of(c) = (struct weft_replay){.multi = m};
        atomic_fetch_add(&m->refs, 1);
        c->release = release_command;
        c->on_ready = command_is_ready;
        m->commands[m->command_count++] = c;
        if (should_lead(m, q))
            m->leader = c;
    }
    atomic_store(&m->unready, m->command_count);
    m->leader->many_queues = m->command_count > 1;
    return true;
}

cl_int weft_multi_replay_enqueue(struct weft_command_buffer *b, const cl_command_queue *queues,
                                 cl_uint wait_count, const cl_event *wait_list, cl_event *event)
{
    pthread_mutex_lock(&b->lock);
    bool ready = b->state == CL_COMMAND_BUFFER_STATE_EXECUTABLE_KHR;
    struct weft_multi_replay *m = ready ? multi_create_locked(b, queues) : NULL;
    pthread_mutex_unlock(&b->lock);
    if (!m)
        return ready ? CL_OUT_OF_HOST_MEMORY
                     : weft_error(CL_INVALID_OPERATION, "the command buffer isn't finalized");
    cl_int error = CL_OUT_OF_HOST_MEMORY;
    cl_command_queue *sorted = weft_memdup(queues, b->queue_count * sizeof(cl_command_queue));
    if (sorted) {
        qsort(sorted, b->queue_count, sizeof(cl_command_queue), by_address);
        if (make_commands(m, sorted))
            error = weft_command_submit_together(m->commands, m->command_count, wait_count, wait_list,
                                                 m->leader, event);
        else
            while (m->command_count)
                weft_command_abandon(m->commands[--m->command_count]);
    }
    weft_free(sorted);
    unref(m);
    return error;
}
