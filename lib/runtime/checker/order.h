// Which launches are in order with each other, for RACE and API: one is before another if a queue, events,
// barriers, markers, or the host that has waited for it, say so. Not what happened to run first.
//
// Each command knows the launches that are before it: what is before all that it waits for. For API reads
// that don't block count as launches. Launches have numbers; of those that are more than WEFT_ORDER_WINDOW
// older than the last one it is taken that they are before everything. Nothing of this is there without
// WEFT_CHECK. Any thread; the folder knows no commands.
#ifndef WEFT_RUNTIME_CHECKER_ORDER_H
#define WEFT_RUNTIME_CHECKER_ORDER_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

enum { WEFT_ORDER_WINDOW = 1024 };

// Launches that are before something.
struct weft_order_set {
    uint64_t bits[WEFT_ORDER_WINDOW / 64]; // by number, modulo the window
    uint64_t end;                          // later launches aren't in it
    // It also waits for what the host does later, such as a user event; or for something of which it isn't
    // known what is before it.
    bool host, all;
};

// Of a queue: before the next command of a queue in order, or of one out of order behind its last barrier;
// and all commands so far.
struct weft_order_queue {
    struct weft_order_set next, sofar;
    bool in_order;
};

// Of a command.
struct weft_order {
    struct weft_order_set before; // with itself, if it is a launch
    uint64_t launch;              // its number; 0: it is no launch that is compared
    // Called when the command has been submitted, before the call into the driver returns. NULL: nobody.
    void (*entered)(const struct weft_order *o, void *user);
    void *user;
};

extern atomic_bool weft_order_wanted;
static inline bool weft_order_is_on(void)
{
    // relaxed: it is set before the first object is created, and stays.
    return atomic_load_explicit(&weft_order_wanted, memory_order_relaxed);
}

// NULL: no memory, or it isn't on. Freed with weft_free.
struct weft_order_queue *weft_order_queue_new(bool in_order);
struct weft_order *weft_order_new(void);

// A command is submitted to a queue.
struct weft_order_entry {
    bool is_launch;
    bool waits_for_all; // a barrier or marker without a wait list
    bool is_barrier;
    bool waits_elsewhere; // e.g. for a semaphore
};
void weft_order_enter(struct weft_order_queue *q, struct weft_order *o, const struct weft_order_entry *e);
// Before that: it waits for a command. NULL: a user event.
void weft_order_wait_for(struct weft_order *o, const struct weft_order *on);

// The host knows that a command is complete.
void weft_order_seen(const struct weft_order *o);
// Does the host know that the launch is complete?
bool weft_order_is_seen(uint64_t launch);
// Is the launch before the command, which runs?
bool weft_order_is_before(uint64_t launch, const struct weft_order *o);

#endif
