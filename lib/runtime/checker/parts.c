#include "runtime/checker/parts.h"

#include <pthread.h>
#include <string.h>

#include "base/base.h"
#include "runtime/checker/fork_lock.h"
#include "runtime/checker/order.h"

// What launches have used lately.
enum { LATELY = 4 * WEFT_ORDER_WINDOW };
static struct used {
    struct weft_part part;
    uint64_t launch; // 0: none
    const char *kernel;
} used[LATELY];
static uint64_t next;
// The names of kernels, which are few.
static struct name {
    struct name *next;
    char text[];
} *names;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; // guards all of this

WEFT_FORK_LOCK(lock)

static bool clash(const struct weft_part *a, const struct weft_part *b)
{
    return a->root == b->root && a->object != b->object && a->first < b->end && b->first < a->end &&
           (a->writes || b->writes);
}

bool weft_parts_clash(const struct weft_part *parts, uint32_t count, uint32_t which[2])
{
    for (uint32_t b = 0; b < count; b++)
        for (uint32_t a = 0; a < b; a++)
            if (clash(&parts[a], &parts[b])) {
                which[0] = a;
                which[1] = b;
                return true;
            }
    return false;
}

// "" without memory.
static const char *keep_locked(const char *kernel)
{
    for (const struct name *n = names; n; n = n->next)
        if (strcmp(n->text, kernel) == 0)
            return n->text;
    const size_t size = strlen(kernel) + 1;
    struct name *n = weft_alloc(sizeof *n + size);
    if (!n)
        return "";
    memcpy(n->text, kernel, size);
    n->next = names;
    names = n;
    return n->text;
}

// Of two launches the later one looks for the earlier one.
bool weft_parts_enter(const struct weft_part *parts, uint32_t count, const char *kernel,
                      const struct weft_order *order, struct weft_parts_clash *out)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    bool found = false;
    pthread_once(&once, know_forks);
    pthread_mutex_lock(&lock);
    for (unsigned k = 0; k < LATELY && !found; k++)
        for (uint32_t p = 0; p < count && !found; p++) {
            const struct used *u = &used[k];
            found = u->launch && u->launch < order->launch && clash(&u->part, &parts[p]) &&
                    !weft_order_is_before(u->launch, order);
            if (found)
                *out = (struct weft_parts_clash){p, u->part, u->kernel};
        }
    const char *name = keep_locked(kernel);
    for (uint32_t p = 0; p < count; p++)
        used[next++ % LATELY] = (struct used){parts[p], order->launch, name};
    pthread_mutex_unlock(&lock);
    return found;
}

void weft_parts_forget(const void *root)
{
    pthread_mutex_lock(&lock);
    for (unsigned k = 0; k < LATELY; k++)
        if (used[k].part.root == root)
            used[k].launch = 0;
    pthread_mutex_unlock(&lock);
}
