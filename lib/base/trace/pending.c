// Commands that have been submitted and aren't complete: a timeline shows those that were left when it was
// written, since they are what a program that hangs waits for. Owns the table, which is bounded.
#include <pthread.h>

#include "base/trace/internal.h"

enum { SLOTS = 1 << 13, MOST = SLOTS / 2 };

struct pending {
    struct weft_trace_command command; // address 0: the slot is free
    uint32_t queue;
    weft_trace_text name;
};

// Guards the table.
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct pending *table; // NULL: there is no timeline
static size_t count;

bool weft_trace_pending_start(void)
{
    table = weft_alloc_array(SLOTS, sizeof *table);
    count = 0;
    return table != NULL;
}

void weft_trace_pending_stop(void)
{
    weft_free(table);
    table = NULL;
}

void weft_trace_pending_lock(void)
{
    pthread_mutex_lock(&lock);
}

void weft_trace_pending_unlock(void)
{
    pthread_mutex_unlock(&lock);
}

void weft_trace_pending_after_fork(void)
{
    for (size_t i = 0; table && i < SLOTS; i++)
        table[i].command.address = 0;
    count = 0;
}

static size_t home_of(uint64_t address)
{
    return (size_t)(address * UINT64_C(0x9e3779b97f4a7c15) >> 51) % SLOTS;
}

// The slot of the command at this address, or the free one where it belongs.
static size_t slot_of(uint64_t address)
{
    size_t i = home_of(address);
    while (table[i].command.address && table[i].command.address != address)
        i = (i + 1) % SLOTS;
    return i;
}

void weft_trace_submitted(struct weft_trace_command command, uint32_t queue, weft_trace_text name)
{
    if (!weft_trace_is_on())
        return;
    pthread_mutex_lock(&lock);
    // Without a free slot the command isn't shown if it stays.
    if (table && count < MOST) {
        struct pending *p = &table[slot_of(command.address)];
        count += !p->command.address;
        *p = (struct pending){command, queue, name};
    }
    pthread_mutex_unlock(&lock);
}

void weft_trace_pending_remove(uint64_t address)
{
    pthread_mutex_lock(&lock);
    size_t i = table ? slot_of(address) : 0;
    if (table && table[i].command.address) {
        count--;
        table[i].command.address = 0;
        // What stands behind it moves up, if it was meant to be here or before.
        for (size_t k = (i + 1) % SLOTS; table[k].command.address; k = (k + 1) % SLOTS) {
            const size_t home = home_of(table[k].command.address);
            if ((k - home) % SLOTS < (k - i) % SLOTS)
                continue;
            table[i] = table[k];
            table[k].command.address = 0;
            i = k;
        }
    }
    pthread_mutex_unlock(&lock);
}

void weft_trace_pending_add(struct weft_trace_commands *all, uint64_t now)
{
    pthread_mutex_lock(&lock);
    for (size_t i = 0; table && i < SLOTS; i++) {
        const struct pending *p = &table[i];
        if (p->command.address)
            weft_trace_commands_add(
                all, &(struct weft_trace_record){WEFT_TRACE_COMMAND,
                                                 p->name,
                                                 p->command.queued,
                                                 now,
                                                 {0, 0, p->command.address, p->queue, WEFT_TRACE_PENDING}});
    }
    pthread_mutex_unlock(&lock);
}
