// The graph of memory in use, for the whole run of the process. Owns its points.
//
// A program makes its large buffers when it starts. In the rings of threads those records would be
// overwritten first, so the graph has a place of its own. It is bounded: when it is full, each two points
// become one, that with more bytes, and from then on a point stands for twice as many changes. So peaks stay.
//
// `lock` guards everything. Who allocates storage takes longer than it is held.
#include <inttypes.h>
#include <pthread.h>

#include "base/trace/internal.h"

enum { POINTS = 1 << 14 };

struct point {
    uint64_t time, bytes;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct point *points; // POINTS of them; NULL: there is no graph
static size_t count;
static uint64_t stride, behind; // changes that a point stands for; that the last point stands for so far
static struct point now;

bool weft_trace_memory_start(void)
{
    points = weft_alloc_array(POINTS, sizeof *points);
    count = 0;
    stride = 1;
    behind = 0;
    return points != NULL;
}

void weft_trace_memory_stop(void)
{
    weft_free(points);
    points = NULL;
}

void weft_trace_memory_lock(void)
{
    pthread_mutex_lock(&lock);
}

void weft_trace_memory_unlock(void)
{
    pthread_mutex_unlock(&lock);
}

// What the parent had before the fork is the child's, too.
void weft_trace_memory_after_fork(void)
{
    count = 0;
    stride = 1;
    behind = 0;
}

static struct point larger(struct point a, struct point b)
{
    return b.bytes > a.bytes ? b : a;
}

static void halve_locked(void)
{
    for (size_t i = 0; i < POINTS / 2; i++)
        points[i] = larger(points[2 * i], points[2 * i + 1]);
    count = POINTS / 2;
    stride *= 2;
}

void weft_trace_memory(int64_t bytes)
{
    if (!weft_trace_is_on())
        return;
    pthread_mutex_lock(&lock);
    if (points) {
        // A change that was before the timeline began isn't known, so there may be more releases.
        now.bytes = bytes < 0 && now.bytes < (uint64_t)-bytes ? 0 : now.bytes + (uint64_t)bytes;
        now.time = weft_time_now();
        if (count && behind < stride) {
            points[count - 1] = larger(points[count - 1], now);
            behind++;
        } else {
            if (count == POINTS)
                halve_locked();
            points[count++] = now;
            behind = 1;
        }
    }
    pthread_mutex_unlock(&lock);
}

static void put(struct weft_trace_output *o, int64_t process, struct point p)
{
    weft_trace_put_event(o, 'C', "memory", "memory in use", process, process, p.time);
    weft_trace_put(o, ",\"args\":{\"bytes\":%" PRIu64 "}}", p.bytes);
}

void weft_trace_memory_put(struct weft_trace_output *o, int64_t process)
{
    pthread_mutex_lock(&lock);
    for (size_t i = 0; i < count; i++)
        put(o, process, points[i]);
    if (count && now.time != points[count - 1].time)
        put(o, process, now);
    pthread_mutex_unlock(&lock);
}
