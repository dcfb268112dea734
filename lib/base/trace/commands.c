// The tracks of command queues: when each command was queued and ran, and what it waited for. Owns nothing
// beyond a call.
//
// What runs is a slice. On a track slices must not overlap, and the commands of an out-of-order queue may. So
// a queue has as many tracks as it had commands that ran at the same time. The time from queued to complete
// overlaps in every queue; it is an asynchronous event, for which viewers find the place.
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/trace/internal.h"

enum { MAX_TRACKS = 256 }; // of a queue
enum { SUBMITTED, STARTED, ADDRESS, QUEUE, STATUS };
enum { WAITER, WAITER_QUEUED, ON, ON_QUEUED };

// A command that is in the file: where its slice is.
struct place {
    uint64_t address, queued, start, end;
    int64_t track;
};

static bool append(struct weft_trace_record **array, size_t *count, size_t *room,
                   const struct weft_trace_record *r)
{
    if (*count == *room) {
        const size_t more = *room ? 2 * *room : 1024;
        struct weft_trace_record *larger = weft_realloc(*array, more * sizeof **array);
        if (!larger)
            return false;
        *array = larger;
        *room = more;
    }
    (*array)[(*count)++] = *r;
    return true;
}

void weft_trace_commands_add(struct weft_trace_commands *all, const struct weft_trace_record *r)
{
    if (!(r->kind == WEFT_TRACE_COMMAND ? append(&all->command, &all->command_count, &all->command_room, r)
                                        : append(&all->edge, &all->edge_count, &all->edge_room, r)))
        all->lost++;
}

static uint64_t later(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

// What a command never came to, it came to when it ended. Clocks of a thread that was late are set right.
static void complete_times(struct weft_trace_record *r)
{
    r->end = later(r->end, r->time);
    for (int i = STARTED; i >= SUBMITTED; i--) {
        const uint64_t next = i == STARTED ? r->end : r->value[STARTED];
        if (r->value[i] == 0 || r->value[i] > next)
            r->value[i] = next;
        r->value[i] = later(r->value[i], r->time);
    }
}

static int by_queue_and_start(const void *a, const void *b)
{
    const struct weft_trace_record *x = a, *y = b;
    if (x->value[QUEUE] != y->value[QUEUE])
        return x->value[QUEUE] < y->value[QUEUE] ? -1 : 1;
    return x->value[STARTED] < y->value[STARTED] ? -1 : x->value[STARTED] > y->value[STARTED];
}

static int by_command(const void *a, const void *b)
{
    const struct place *x = a, *y = b;
    if (x->address != y->address)
        return x->address < y->address ? -1 : 1;
    return x->queued < y->queued ? -1 : x->queued > y->queued;
}

// Slices that begin and end at once would lie in their neighbours, and no arrow finds them.
static uint64_t end_of(const struct weft_trace_record *r)
{
    return r->end > r->value[STARTED] ? r->end : r->value[STARTED] + 1;
}

static void put_slice(struct weft_trace_output *o, const struct weft_trace_record *r, int64_t process,
                      const struct place *p)
{
    weft_trace_put_event(o, 'X', "command", weft_trace_text_of(r->name), process, p->track, p->start);
    weft_trace_put_duration(o, p->end - p->start);
    static const char *const names[] = {"queued", "submit", "start", "end"};
    const uint64_t times[] = {r->time, r->value[SUBMITTED], r->value[STARTED], r->end};
    for (size_t i = 0; i < WEFT_COUNT_OF(names); i++) {
        weft_trace_put(o, "%s\"%s\":", i ? "," : ",\"args\":{", names[i]);
        weft_trace_put_time(o, times[i]);
    }
    weft_trace_put(o, ",\"command\":\"%" PRIx64 ".%" PRIx64 "\",\"status\":%" PRId64 "}}", p->address,
                   p->queued, (int64_t)r->value[STATUS]);
}

static void put_lifetime(struct weft_trace_output *o, const struct weft_trace_record *r, int64_t process,
                         const struct place *p)
{
    char category[32];
    snprintf(category, sizeof category, "queue %" PRIu64, r->value[QUEUE]);
    for (int end = 0; end < 2; end++) {
        weft_trace_put_event(o, end ? 'e' : 'b', category, weft_trace_text_of(r->name), process, p->track,
                             end ? p->end : r->time);
        weft_trace_put(o, ",\"id2\":{\"local\":\"%" PRIx64 ".%" PRIx64 "\"}}", p->address, p->queued);
    }
}

static void put_arrow(struct weft_trace_output *o, size_t id, int64_t process, const struct place *from,
                      const struct place *to)
{
    weft_trace_put_event(o, 's', "wait list", "waits for", process, from->track, from->end - 1);
    weft_trace_put(o, ",\"id\":%zu}", id);
    weft_trace_put_event(o, 'f', "wait list", "waits for", process, to->track, to->start);
    weft_trace_put(o, ",\"bp\":\"e\",\"id\":%zu}", id);
}

// The first track of the queue that is free at that time, or a new one. -1: there are too many.
static int track_at(uint64_t *busy_until, int *count, uint64_t time)
{
    for (int i = 0; i < *count; i++)
        if (busy_until[i] <= time)
            return i;
    return *count < MAX_TRACKS ? (*count)++ : -1;
}

static void name_track(struct weft_trace_output *o, int64_t process, uint32_t queue, int track)
{
    char name[200], part[16] = "";
    const char *what = weft_trace_queue_name(queue);
    if (track)
        snprintf(part, sizeof part, " (%d)", track + 1);
    snprintf(name, sizeof name, "queue %u%s: %.150s", queue, part, what ? what : "");
    weft_trace_put_name(o, "thread_name", process, (int64_t)queue * MAX_TRACKS + track, name);
}

// Writes the commands, and where they are to `place`, which has room for all. Returns how many there are.
static size_t put_commands(struct weft_trace_output *o, struct weft_trace_commands *all, int64_t process,
                           struct place *place)
{
    uint64_t busy_until[MAX_TRACKS];
    size_t written = 0;
    int tracks = 0;
    for (size_t i = 0; i < all->command_count; i++) {
        const struct weft_trace_record *r = &all->command[i];
        const uint32_t queue = (uint32_t)r->value[QUEUE];
        if (i == 0 || queue != (uint32_t)r[-1].value[QUEUE])
            tracks = 0;
        const int before = tracks, track = track_at(busy_until, &tracks, r->value[STARTED]);
        if (track < 0) {
            all->lost++;
            continue;
        }
        if (tracks > before)
            name_track(o, process, queue, track);
        busy_until[track] = end_of(r);
        struct place *p = &place[written++];
        *p = (struct place){r->value[ADDRESS], r->time, r->value[STARTED], end_of(r),
                            (int64_t)queue * MAX_TRACKS + track};
        put_slice(o, r, process, p);
        put_lifetime(o, r, process, p);
    }
    return written;
}

void weft_trace_commands_put(struct weft_trace_output *o, struct weft_trace_commands *all, int64_t process)
{
    if (!all->command_count)
        return;
    for (size_t i = 0; i < all->command_count; i++)
        complete_times(&all->command[i]);
    qsort(all->command, all->command_count, sizeof *all->command, by_queue_and_start);
    struct place *place = weft_alloc_array(all->command_count, sizeof *place);
    if (!place) {
        all->lost += all->command_count + all->edge_count;
        return;
    }
    const size_t count = put_commands(o, all, process, place);
    qsort(place, count, sizeof *place, by_command);
    for (size_t i = 0; i < all->edge_count; i++) {
        const uint64_t *v = all->edge[i].value;
        const struct place waiter = {.address = v[WAITER], .queued = v[WAITER_QUEUED]},
                           on = {.address = v[ON], .queued = v[ON_QUEUED]};
        const struct place *to = bsearch(&waiter, place, count, sizeof *place, by_command),
                           *from = bsearch(&on, place, count, sizeof *place, by_command);
        if (from && to) // one of them may have been dropped
            put_arrow(o, i + 1, process, from, to);
    }
    weft_free(place);
}
