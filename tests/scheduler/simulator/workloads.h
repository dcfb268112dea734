// What the simulated program does: launches of ranges, and what is measured of them.
#ifndef WEFT_TESTS_WORKLOADS_H
#define WEFT_TESTS_WORKLOADS_H

#include "scheduler/simulator/simulator.h"

enum shape { EQUAL, UNEVEN }; // UNEVEN: costs of groups are random powers of two, 1 to 1,000 times the least

struct workload {
    uint64_t perfect_ns; // of a launch: the work divided by the processors
    uint64_t total_ns;   // or all of the work; 0: from perfect_ns
    uint32_t groups;     // of a launch; 0: as many as take 4 us each, at least 4 for each processor
    enum shape shape;
    uint32_t launches;
    uint64_t gap_ns;        // between launches
    bool cold;              // a long pause before each launch, so that all threads sleep
    uint32_t programs;      // threads that launch at the same time, each on its own
    uint32_t neighbours;    // threads of other programs that compute all the time
    bool unknown_cost;      // each launch as if it were the kernel's first
    bool tiny;              // each launch is lazy and has one group of 200 ns
    uint32_t tiny_programs; // the first so many of the programs launch tiny ones
    uint64_t long_ns;    // the first program's launches have one group that takes that long; 0: no such one
    bool nested;         // each range launches another one, and waits
    bool polls;          // the programs look whether a launch is done and sleep in between; they don't help
    uint64_t longest_ns; // a launch that takes longer has been forgotten by somebody; 0: no limit
    // Threads that wait for an event, not for a launch, and help meanwhile. It comes for all of them at once.
    // Then they stop helping, and some of the times they are away for long.
    uint32_t visitors;
    // Each launch is so many things, submitted one right after the other (bursts.c). At most one of them
    // takes long: it needs one or two threads for long_ns. The program polls; before, if it isn't one that
    // always polls, it sometimes waits for one of the things. With visitors: one range beside long tasks.
    uint32_t burst;
};

struct result {
    double median_ns, worst_ns;          // of a launch
    double efficiency;                   // perfect time divided by the median
    double shared_writes, wakes, sleeps; // for each launch
    double threads;                      // that ran groups, for each launch
};

extern struct sim_machine workload_machine;

// In a child process, because the scheduler has one pool in a process. Ends the test if a group doesn't run
// exactly once, if a launch takes too long, or if afterwards not all is quiet: a range is open, or a thread
// doesn't sleep for good.
struct result workload_run(const struct sim_machine *machine, const struct workload *w);

#endif
