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
                                      .wild = true};
        workload_run(&m, &w);
        launches += w.launches * (w.programs ? w.programs : 1);
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

TEST(ranges_of_many_parts)
{
    explore_on(17, 40, &(struct workload){.total_ns = 600000, .launches = 40, .groups = 200, .programs = 2},
               24);
    explore_on(17, 40,
               &(struct workload){
                   .total_ns = 600000, .launches = 40, .groups = 60, .polls = true, .longest_ns = LONGEST_NS},
               24);
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
