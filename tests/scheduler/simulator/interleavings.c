// Launches on small simulated machines with random delays: each group runs exactly once, `done` is called
// once, and no thread sleeps for ever, whatever the interleaving. WEFT_TEST_LONG: a hundred times as many.
// timeout: 300
#include "harness.h"
#include "scheduler/simulator/workloads.h"

static uint64_t scale(void)
{
    return getenv("WEFT_TEST_LONG") ? 100 : 1;
}

// Runs `launches` of the workload in each of `seeds` worlds, with `least` to `most` processors.
static void explore_on(uint32_t least, uint32_t most, const struct workload *base, uint64_t seeds)
{
    uint64_t launches = 0;
    for (uint64_t seed = 1; seed <= seeds * scale(); seed++) {
        struct workload w = *base;
        const struct sim_machine m = {.processors = least + (uint32_t)(seed % (most - least + 1)),
                                      .nodes = 1,
                                      .seed = seed,
                                      // With visitors a burst needs the times that it is made for.
                                      .wild = !(base->burst && base->visitors),
                                      .weak = seed % 2 == 0};
        workload_run(&m, &w);
        launches += (uint64_t)w.launches * (w.programs ? w.programs : 1) * (w.burst ? w.burst : 1);
    }
    printf("%llu launches\n", (unsigned long long)launches);
}

static void explore(const struct workload *base, uint64_t seeds)
{
    explore_on(1, 9, base, seeds);
}

// No launch takes so long as the sleep of a waiting thread, after which that helps itself (wait.c).
#define LONGEST_NS 15000000

TEST(short_ranges)
{
    explore(&(struct workload){.total_ns = 40000, .launches = 200, .groups = 9, .longest_ns = LONGEST_NS},
            60);
    explore(
        &(struct workload){
            .total_ns = 40000, .launches = 200, .groups = 9, .unknown_cost = true, .longest_ns = LONGEST_NS},
        60);
}

TEST(ranges_of_several_programs)
{
    explore(&(struct workload){.total_ns = 60000, .launches = 60, .groups = 20, .programs = 3}, 60);
}

TEST(more_ranges_than_places)
{
    explore(&(struct workload){.total_ns = 60000, .launches = 20, .groups = 20, .programs = 14}, 30);
}

TEST(nested_ranges)
{
    explore(
        &(struct workload){.total_ns = 60000, .launches = 40, .groups = 12, .programs = 2, .nested = true},
        40);
}

TEST(ranges_beside_tiny_launches)
{
    explore(
        &(struct workload){
            .total_ns = 60000, .launches = 100, .groups = 20, .programs = 3, .tiny_programs = 2},
        40);
}

// Nobody helps, so each launch relies on a thread that is woken or looks by itself.
TEST(programs_that_poll)
{
    explore(
        &(struct workload){
            .total_ns = 60000, .launches = 60, .groups = 20, .polls = true, .longest_ns = LONGEST_NS},
        60);
    explore(&(struct workload){.total_ns = 60000,
                               .launches = 60,
                               .groups = 20,
                               .programs = 3,
                               .tiny_programs = 1,
                               .polls = true,
                               .longest_ns = LONGEST_NS},
            60);
    explore(&(struct workload){.total_ns = 60000,
                               .launches = 20,
                               .groups = 20,
                               .programs = 2,
                               .polls = true,
                               .cold = true,
                               .longest_ns = LONGEST_NS},
            30);
}

// A thread may be busy for long while the others sleep or have just fallen asleep. On two processors four
// threads take turns, so a launch may wait for several time slices (SIM_SLICE), but not for the long task.
TEST(programs_that_poll_beside_a_long_task)
{
    static const uint64_t gaps[] = {0, 100000, 3000000};
    for (size_t i = 0; i < sizeof gaps / sizeof *gaps; i++)
        for (uint32_t programs = 2; programs < 4; programs++)
            explore_on(programs, 6,
                       &(struct workload){.total_ns = 40000,
                                          .launches = 20,
                                          .groups = 10,
                                          .programs = programs,
                                          .gap_ns = gaps[i],
                                          .long_ns = 30000000,
                                          .polls = true,
                                          .longest_ns = LONGEST_NS + 4 * SIM_SLICE},
                       20);
}

// Several submits rely on one thread, which then does only one of these things for long.
TEST(things_that_are_submitted_at_once)
{
    const struct workload w = {.total_ns = 60000,
                               .launches = 12,
                               .burst = 2,
                               .long_ns = 30000000,
                               .longest_ns = LONGEST_NS + 4 * SIM_SLICE};
    struct workload more = w;
    more.burst = 5;
    explore_on(3, 7, &w, 60);
    explore_on(3, 7, &more, 60);
}

// Threads that wait for something else take part in ranges, and leave them while they have chunks.
TEST(helpers_that_leave)
{
    explore_on(3, 9,
               &(struct workload){.total_ns = 200000,
                                  .launches = 40,
                                  .groups = 40,
                                  .shape = UNEVEN,
                                  .programs = 2,
                                  .tiny_programs = 1,
                                  .visitors = 3,
                                  .polls = true,
                                  .longest_ns = LONGEST_NS},
               60);
}

TEST(the_only_helpers_leave)
{
    explore_on(3, 6,
               &(struct workload){.total_ns = 2400000,
                                  .launches = 3,
                                  .burst = 1,
                                  .visitors = 2,
                                  .long_ns = 150000000,
                                  .polls = true,
                                  .longest_ns = 80000000},
               40);
}

TEST(ranges_of_many_parts)
{
    explore_on(17, 40, &(struct workload){.total_ns = 600000, .launches = 40, .groups = 200, .programs = 2},
               14);
    explore_on(17, 40,
               &(struct workload){
                   .total_ns = 600000, .launches = 40, .groups = 60, .polls = true, .longest_ns = LONGEST_NS},
               14);
}

TEST(threads_that_fall_asleep)
{
    explore(
        &(struct workload){
            .total_ns = 60000, .launches = 60, .groups = 20, .gap_ns = 30000, .longest_ns = LONGEST_NS},
        60);
    explore(
        &(struct workload){
            .total_ns = 60000, .launches = 30, .groups = 20, .cold = true, .longest_ns = LONGEST_NS},
        30);
}

TEST(uneven_groups_beside_busy_neighbours)
{
    explore(
        &(struct workload){
            .total_ns = 300000, .launches = 30, .groups = 40, .shape = UNEVEN, .neighbours = 2},
        30);
}
