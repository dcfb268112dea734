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

enum lane_state { LANE_WAITS, LANE_HAS_CHILDREN, LANE_ENDED };

struct lane {
    struct weft_joint *joint;
    struct weft_queue *queue; // a reference is held by the queue's command
    uint32_t index, next;     // its next position
    struct weft_task task;
    struct weft_waiting waiting;
    struct weft_command *family; // the command that has run and whose children the stream waits for
    enum lane_state state;       // why its last run ended
    struct weft_need need;       // what it waits for if the state is STREAM_WAITS
    bool parked;                 // it is waiting for `dependency`. Under the lock
    struct lane *next_woken;
    _Atomic uint32_t done; // number of completed positions
};

struct weft_joint {
    _Atomic uint32_t refs;              // one for each command, and one for each function at work
    struct weft_command_buffer *buffer; // a reference
    struct weft_sequence *sequence;     // a reference
    // one in each different queue, sorted by queue; they hold this until they end
    struct weft_command **parts;
    struct weft_command *leader; // one of them
    uint32_t part_count, lane_count;
    _Atomic uint32_t unready; // number of commands that aren't ready
    _Atomic uint32_t active;  // number of streams that haven't ended
    _Atomic uint32_t parked;  // number of streams
    _Atomic cl_int failure;   // the first failure
    pthread_mutex_t lock;
    struct lane lanes[];
};

static void unref(struct weft_joint *j)
{
    // acq_rel: pairs with itself. The thread that drops the last reference sees what all wrote.
    if (atomic_fetch_sub_explicit(&j->refs, 1, memory_order_acq_rel) != 1)
        return;
    weft_sequence_unref(j->sequence);
    weft_object_unref(&j->buffer->obj);
    pthread_mutex_destroy(&j->lock);
    weft_free(j->parts);
    weft_free(j);
}

// ---- Plans ----

static bool is_barrier_of_all(const struct weft_recorded *r)
{
    return r->type == CL_COMMAND_BARRIER && r->wait_count == 0;
}

// Counts the steps of each stream in first[stream + 1], gives each command its number in its stream, from 1,
// and sets *needs to the maximum number of dependencies. False: there are too many.
static bool count_steps(const struct weft_command_buffer *b, uint32_t *first, size_t *needs)
{
    *needs = 0;
    for (size_t i = 0; i < b->count; i++) {
        struct weft_recorded *r = b->commands[i];
        r->nth = ++first[r->lane + 1];
        // plus one for the last barrier
        size_t own = is_barrier_of_all(r) ? b->queue_count : (size_t)r->wait_count + 1;
        if (!weft_add_size(*needs, own, needs))
            return false;
    }
    return *needs <= UINT32_MAX;
}

static struct weft_plan *plan_alloc(size_t lanes, size_t steps, size_t needs)
{
    size_t step_bytes, need_bytes, lane_bytes, bytes;
    if (!weft_mul_size(steps, sizeof(struct weft_step), &step_bytes) ||
        !weft_mul_size(needs, sizeof(struct weft_need), &need_bytes) ||
        !weft_mul_size(lanes + 1, sizeof(uint32_t) + sizeof(bool), &lane_bytes) ||
        !weft_add_size(sizeof(struct weft_plan), step_bytes, &bytes) ||
        !weft_add_size(bytes, need_bytes, &bytes) || !weft_add_size(bytes, lane_bytes, &bytes))
        return NULL;
    struct weft_plan *p = weft_zalloc(bytes);
    if (!p)
        return NULL;
    p->steps = (struct weft_step *)(p + 1);
    p->needs = (struct weft_need *)(p->steps + steps);
    p->first = (uint32_t *)(p->needs + needs);
    p->pool_only = (bool *)(p->first + lanes + 1);
    p->lanes = (uint32_t)lanes;
    return p;
}

// Stores the dependencies of r, the next command in the order of recording. so_far has the number of steps of
// each stream before it. Returns the number of dependencies.
static uint32_t add_needs(const struct weft_command_buffer *b, struct weft_need *to,
                          const struct weft_recorded *r, const struct weft_recorded *barrier,
                          const uint32_t *so_far)
{
    uint32_t n = 0;
    if (is_barrier_of_all(r)) {
        for (uint32_t l = 0; l < b->queue_count; l++)
            if (l != r->lane && so_far[l])
                to[n++] = (struct weft_need){l, so_far[l]};
        return n;
    }
    if (barrier && barrier->lane != r->lane)
        to[n++] = (struct weft_need){barrier->lane, barrier->nth};
    for (uint32_t i = 0; i < r->wait_count; i++) {
        const struct weft_recorded *on = b->commands[r->waits[i] - 1];
        if (on->lane != r->lane)
            to[n++] = (struct weft_need){on->lane, on->nth};
    }
    return n;
}

static void fill_plan(struct weft_plan *p, const struct weft_command_buffer *b, uint32_t *so_far)
{
    const struct weft_recorded *barrier = NULL;
    uint32_t needs = 0;
    for (size_t i = 0; i < b->count; i++) {
        const struct weft_recorded *r = b->commands[i];
        struct weft_command *c = r->shape.command;
        struct weft_step *s = &p->steps[p->first[r->lane] + so_far[r->lane]];
        s->command = c && (c->run || c->run_range) ? c : NULL;
        s->first_need = needs;
        s->need_count = add_needs(b, p->needs + needs, r, barrier, so_far);
        needs += s->need_count;
        so_far[r->lane]++;
        p->pool_only[r->lane] |= s->command && weft_command_keeps_to_pool(s->command);
        if (r->type == CL_COMMAND_BARRIER)
            barrier = r;
    }
}

struct weft_plan *weft_plan_make_locked(const struct weft_command_buffer *b)
{
    size_t lanes = b->queue_count, needs;
    uint32_t *first = weft_alloc_array(lanes + 1, sizeof *first);
    uint32_t *so_far = weft_alloc_array(lanes, sizeof *so_far);
    struct weft_plan *p = NULL;
    if (first && so_far && count_steps(b, first, &needs))
        p = plan_alloc(lanes, b->count, needs);
    if (p) {
        for (size_t l = 0; l < lanes; l++)
            first[l + 1] += first[l];
        memcpy(p->first, first, (lanes + 1) * sizeof *first);
        fill_plan(p, b, so_far);
    }
    weft_free(first);
    weft_free(so_far);
    return p;
}

// ---- Queue streams ----

static void start_lane(struct lane *l, enum weft_urgency urgency)
{
    weft_queue_start_task(l->queue, &l->task, urgency);
}

static void lane_goes_on(struct weft_waiting *w)
{
    start_lane(WEFT_CONTAINER_OF(w, struct lane, waiting), WEFT_LAZY);
}

static bool is_met(const struct weft_joint *j, struct weft_need n)
{
    // Sequentially consistent, together with the count of parked streams: either the thread that completes
    // the position sees that a stream is parked, or that stream sees the position.
    return atomic_load(&j->lanes[n.lane].done) >= n.steps;
}

// Starts the streams that waited for this one's position.
static void wake_others(struct lane *l)
{
    struct weft_joint *j = l->joint;
    struct lane *woken = NULL;
    if (WEFT_LIKELY(atomic_load(&j->parked) == 0))
        return;
    pthread_mutex_lock(&j->lock);
    for (uint32_t i = 0; i < j->lane_count; i++) {
        struct lane *o = &j->lanes[i];
        if (!o->parked || o->need.lane != l->index || !is_met(j, o->need))
            continue;
        o->parked = false;
        atomic_fetch_sub(&j->parked, 1);
        o->next_woken = woken;
        woken = o;
    }
    pthread_mutex_unlock(&j->lock);
    while (woken) {
        struct lane *o = woken;
        woken = o->next_woken; // o may end once it is started, but this stream can't end before
        start_lane(o, WEFT_URGENT);
    }
}

static void end_step(struct lane *l)
{
    atomic_store(&l->done, ++l->next);
    wake_others(l);
}

// Are the step's dependencies met? If not, stores the first that isn't.
static bool may_run(struct lane *l, const struct weft_step *step)
{
    const struct weft_need *needs = l->joint->sequence->plan->needs + step->first_need;
    for (uint32_t i = 0; i < step->need_count; i++) {
        if (is_met(l->joint, needs[i]))
            continue;
        l->need = needs[i];
        return false;
    }
    return true;
}

static void note_failure(struct weft_joint *j, cl_int error)
{
    cl_int none = 0;
    // Sequentially consistent, before the position is completed: a stream that waits for it also sees the
    // failure.
    if (error)
        atomic_compare_exchange_strong(&j->failure, &none, error);
}

static void run_lane(struct weft_task *t, struct weft_worker *w, uint64_t first, uint64_t last)
{
    (void)first, (void)last;
    struct lane *l = WEFT_CONTAINER_OF(t, struct lane, task);
    struct weft_joint *j = l->joint;
    const struct weft_plan *p = j->sequence->plan;
    uint32_t count = p->first[l->index + 1] - p->first[l->index];
    weft_command_mark_running(j->leader);
    if (l->family) {
        // relaxed: the thread that completed the last child has published it.
        note_failure(j, atomic_load_explicit(&l->family->failure, memory_order_relaxed));
        l->family = NULL;
        end_step(l);
    }
    while (l->next < count) {
        const struct weft_step *step = &p->steps[p->first[l->index] + l->next];
        bool runs = !atomic_load(&j->failure);
        if (runs && !may_run(l, step)) {
            l->state = LANE_WAITS;
            return;
        }
        if (step->command && runs && !atomic_load(&j->failure)) {
            step->command->waiting = &l->waiting;
            note_failure(j, weft_recorded_run(step->command, w));
            // relaxed: the command has run, and counts itself as a child until stream_has_run.
            if (WEFT_UNLIKELY(atomic_load_explicit(&step->command->children, memory_order_relaxed))) {
                l->family = step->command;
                l->state = LANE_HAS_CHILDREN;
                return;
            }
        }
        end_step(l);
    }
    l->state = LANE_ENDED;
}

// Parks the stream. Returns true, without parking it, if the dependency is met already.
static bool park(struct lane *l)
{
    struct weft_joint *j = l->joint;
    pthread_mutex_lock(&j->lock);
    l->parked = true;
    atomic_fetch_add(&j->parked, 1);
    bool met = is_met(j, l->need);
    if (met) {
        l->parked = false;
        atomic_fetch_sub(&j->parked, 1);
    }
    pthread_mutex_unlock(&j->lock);
    return met;
}

// Called when the last stream has ended.
static void finish(struct weft_joint *j)
{
    cl_int failure = atomic_load(&j->failure);
    atomic_fetch_add(&j->refs, 1);
    if (failure)
        weft_command_fail(j->leader, failure);
    weft_replay_pass_turn(j->buffer);
    struct weft_command *leader = j->leader;
    for (uint32_t i = 0; i < j->part_count; i++)
        if (j->parts[i] != leader)
            weft_command_end(j->parts[i]);
    weft_command_end(leader);
    unref(j);
}

// Called when the scheduler is done with the task. From now on other threads may start it again.
static void lane_has_run(struct weft_task *t, struct weft_worker *w)
{
    (void)w;
    struct lane *l = WEFT_CONTAINER_OF(t, struct lane, task);
    switch (l->state) {
    case LANE_WAITS:
        if (park(l))
            start_lane(l, WEFT_LAZY);
        return;
    case LANE_HAS_CHILDREN:
        if (weft_command_await_children(l->family))
            start_lane(l, WEFT_LAZY);
        return;
    case LANE_ENDED:
        if (atomic_fetch_sub(&l->joint->active, 1) == 1)
            finish(l->joint);
        return;
    }
}

// ---- Enqueues ----

static bool has_steps(const struct weft_joint *j, uint32_t lane)
{
    const struct weft_plan *p = j->sequence->plan;
    return p->first[lane + 1] > p->first[lane];
}

// Called when the replay has the turn.
static void start(struct weft_joint *j)
{
    uint32_t active = 0;
    for (uint32_t i = 0; i < j->lane_count; i++)
        active += i == 0 || has_steps(j, i); // if there is nothing to do, the first stream ends the replay
    atomic_store(&j->active, active);
    for (uint32_t i = 0; i < j->part_count; i++)
        weft_command_mark_submitted(j->parts[i]);
    // Once the last stream is started, the replay may end at any time.
    atomic_fetch_add(&j->refs, 1);
    for (uint32_t i = j->lane_count; i-- > 0;)
        if (i == 0 || has_steps(j, i))
            start_lane(&j->lanes[i], i == 0 ? WEFT_LAZY : WEFT_URGENT);
    unref(j);
}

static void start_leader(struct weft_command *c)
{
    start(weft_replay_of(c)->joint);
}

static void part_is_ready(struct weft_command *c)
{
    struct weft_joint *j = weft_replay_of(c)->joint;
    if (atomic_fetch_sub(&j->unready, 1) == 1 && weft_replay_await_turn(j->buffer, j->leader))
        start(j);
}

static void release_part(struct weft_command *c)
{
    unref(weft_replay_of(c)->joint);
}

static int by_address(const void *a, const void *b)
{
    uintptr_t x = *(const uintptr_t *)a, y = *(const uintptr_t *)b;
    return (x > y) - (x < y);
}

// Creates a replay with one reference and without commands. NULL: no memory.
static struct weft_joint *joint_create_locked(struct weft_command_buffer *b, const cl_command_queue *queues)
{
    size_t bytes;
    if (!weft_mul_size(b->queue_count, sizeof(struct lane), &bytes) ||
        !weft_add_size(bytes, sizeof(struct weft_joint), &bytes))
        return NULL;
    struct weft_joint *j = weft_zalloc(bytes);
    struct weft_command **parts = weft_alloc_array(b->queue_count, sizeof(struct weft_command *));
    if (!j || !parts) {
        weft_free(j);
        weft_free(parts);
        return NULL;
    }
    pthread_mutex_init(&j->lock, NULL);
    weft_object_ref(&b->obj);
    j->buffer = b;
    // relaxed: the buffer holds a reference.
    atomic_fetch_add_explicit(&b->sequence->refs, 1, memory_order_relaxed);
    j->sequence = b->sequence;
    j->parts = parts;
    atomic_store(&j->refs, 1);
    j->lane_count = b->queue_count;
    for (uint32_t i = 0; i < j->lane_count; i++) {
        struct lane *l = &j->lanes[i];
        l->joint = j;
        l->queue = (struct weft_queue *)queues[i];
        l->index = i;
        l->waiting = (struct weft_waiting){lane_goes_on};
        l->task = (struct weft_task){.run = run_lane,
                                     .done = lane_has_run,
                                     .count = 1,
                                     .grain = 1,
                                     .flags = b->sequence->plan->pool_only[i] ? WEFT_TASK_POOL_ONLY : 0u};
    }
    return j;
}

// Should the command in q be the leader? The event's times are the leader's. So it is in a queue with
// profiling, if there is one, preferably the first queue.
static bool leads(const struct weft_joint *j, const struct weft_queue *q)
{
    const struct weft_queue *first = j->lanes[0].queue;
    return !j->leader || (!j->leader->queue->profiling && q->profiling) ||
           (q == first && q->profiling == j->leader->queue->profiling);
}

// Creates one command in each different queue. `sorted` may contain a queue several times. False: no memory.
static bool make_parts(struct weft_joint *j, const cl_command_queue *sorted)
{
    for (uint32_t i = 0; i < j->lane_count; i++) {
        struct weft_queue *q = (struct weft_queue *)sorted[i];
        if (i && sorted[i] == sorted[i - 1])
            continue;
        struct weft_command *c = weft_command_create(j->buffer->context, q, CL_COMMAND_COMMAND_BUFFER_KHR);
        if (!c)
            return false;
        *weft_replay_of(c) = (struct weft_replay){.joint = j, .start = start_leader};
        atomic_fetch_add(&j->refs, 1);
        c->release = release_part;
        c->on_ready = part_is_ready;
        j->parts[j->part_count++] = c;
        if (leads(j, q))
            j->leader = c;
    }
    atomic_store(&j->unready, j->part_count);
    j->leader->many_queues = j->part_count > 1;
    return true;
}

cl_int weft_joint_enqueue(struct weft_command_buffer *b, const cl_command_queue *queues, cl_uint wait_count,
                          const cl_event *wait_list, cl_event *event)
{
    pthread_mutex_lock(&b->lock);
    bool ready = b->state == CL_COMMAND_BUFFER_STATE_EXECUTABLE_KHR;
    struct weft_joint *j = ready ? joint_create_locked(b, queues) : NULL;
    pthread_mutex_unlock(&b->lock);
    if (!j)
        return ready ? CL_OUT_OF_HOST_MEMORY
                     : weft_refuse(CL_INVALID_OPERATION, "the command buffer isn't finalized");
    cl_int error = CL_OUT_OF_HOST_MEMORY;
    cl_command_queue *sorted = weft_memdup(queues, b->queue_count * sizeof(cl_command_queue));
    if (sorted) {
        qsort(sorted, b->queue_count, sizeof(cl_command_queue), by_address);
        if (make_parts(j, sorted))
            error = weft_command_submit_together(j->parts, j->part_count, wait_count, wait_list, j->leader,
                                                 event);
        else
            while (j->part_count)
                weft_command_abandon(j->parts[--j->part_count]);
    }
    weft_free(sorted);
    unref(j);
    return error;
}
