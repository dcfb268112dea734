// One launch of a simulated program: what it runs, and the checks that it ran as it should.
#ifndef WEFT_TESTS_LAUNCH_H
#define WEFT_TESTS_LAUNCH_H

#include "scheduler/simulator/workloads.h"
#include "weft/scheduler.h"

#define GROUP_NS 4000
#define POLL_NS 3000
#define VISITORS_AWAY_NS 60000000 // longer than a launch that nobody has forgotten

struct launch {
    struct weft_task task;
    struct weft_park park;
    _Atomic uint32_t done, over; // over: nobody uses the launch any more
    uint64_t done_at;
    const struct workload *w;
    const uint64_t *cost; // of each group
    uint8_t *times;       // each group ran; the caller's
    uint8_t threads[512]; // by worker: it ran groups
    bool nested;
};

// Fills in a launch of `groups` groups, which take `total` ns. `told` is the cost that the scheduler is told.
// cost and times: one for each group; they live as long as the launch.
void launch_init(struct launch *l, const struct workload *w, const uint64_t *cost, uint8_t *times,
                 uint32_t groups, uint64_t total, uint64_t told);
bool launch_is_done(void *l); // for weft_sched_wait
// Ends the simulation unless each group ran once and `done` was called once. Returns how many threads ran
// groups.
uint64_t launch_check(const struct launch *l);
// Ends the simulation with a message: what is wrong, and a number.
_Noreturn void launch_fail(const char *what, uint64_t n);

// One burst of a program that launches several things at once (bursts.c).
void burst_run(const struct workload *w);
// The same if there are visitors: they are the only ones that work on a range when they leave it.
void burst_run_beside_visitors(const struct workload *w);

// Starts n threads that wait for events; ends them. When an event comes, all of them stop helping. away: for
// long, else they begin to wait for the next event. often: events also come by themselves, every 300 us or
// so.
void visitors_begin(uint32_t n, bool often);
void visitors_event(bool away);
void visitors_end(void);

#endif
