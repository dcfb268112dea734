// A deterministic simulator of a machine with many processors, for the scheduler's own source.
//
// The source is compiled once more with virtual.h in front, which turns each access to an atomic variable,
// each futex call, each look at the clock and each start of a thread into a call of the functions below.
// Threads are coroutines on one thread of the host. Time is virtual: it passes with accesses, calls and work,
// by the costs below, and by nothing else. The same seed gives the same run on every host.
//
// What is modelled: which processor has a cache line, alone or shared, and how long it takes to get it from
// the same node or another one; writers of a line wait for each other. A wake-up costs its caller time, and
// the woken thread comes later. If more threads are runnable than there are processors, they take turns.
// What isn't: bandwidth, frequency, plain variables; reordering of accesses, unless the machine is weak
// (weak.h).
#ifndef WEFT_TESTS_SIMULATOR_H
#define WEFT_TESTS_SIMULATOR_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Costs in ns. A pair is the range that a random number is taken from.
#define SIM_ACCESS 1                 // of a line that the processor has
#define SIM_ATOMIC 6                 // a read-modify-write or a sequentially consistent store of such a line
#define SIM_NEAR 40, 70              // a line from another processor of the node
#define SIM_FAR 100, 150             // from another node
#define SIM_RELAX 60                 // one turn of a waiting loop
#define SIM_CLOCK 25                 // reading the clock
#define SIM_CALL 300                 // a futex call that neither sleeps nor wakes
#define SIM_WAKE 3000                // for each thread that is woken, for the waker
#define SIM_WAKE_LATENCY 5000, 50000 // until the woken thread runs
#define SIM_SWITCH 1500              // from one thread to another on a processor
#define SIM_SLICE 3000000            // that a thread runs while others wait for a processor
#define SIM_CREATE 15000             // starting a thread

struct sim_machine {
    uint32_t processors; // 1 to 256
    uint32_t nodes;      // the processors are divided evenly
    uint64_t seed;
    bool wild; // accesses are delayed at random, seldom by 100 us, to reach unlikely interleavings
    bool weak; // loads may read older values where nothing forbids it
};

struct sim_counts {
    uint64_t shared_writes; // of lines that another processor had
    uint64_t wakes, sleeps; // futex calls that woke or slept
    uint64_t steps;         // changes of coroutine
};

// Runs `main` as the first thread of a machine, until it returns. What it started is dropped. Once in a
// process. Ends the process with a message if all threads sleep for ever.
void sim_run(const struct sim_machine *machine, void (*main)(void *arg), void *arg);
struct sim_counts sim_counts(void);

// For the running thread.
void sim_work(uint64_t ns);  // computes that long
void sim_pause(uint64_t ns); // sleeps that long
uint64_t sim_now(void);
uint64_t sim_random(void);
void sim_spawn(void (*main)(void *arg), void *arg); // another thread of the program, or of another program

// What virtual.h calls.
void sim_read(const volatile void *at);
void sim_write(const volatile void *at);
void sim_atomic(const volatile void *at);
uint64_t sim_clock(void);
void sim_relax(void);
int sim_thread_create(pthread_t *thread, void *(*main)(void *), void *arg);
int sim_thread_join(pthread_t thread);
pthread_t sim_thread_self(void);
int sim_thread_stack(void **base, size_t *size);

#endif
