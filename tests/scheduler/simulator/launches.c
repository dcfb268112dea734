// How well launches scale on simulated machines. The bars are what a launch must reach on any large machine;
// what the simulator leaves out (simulator.h) is the real machine's own.
// timeout: 240
#include "harness.h"
#include "scheduler/simulator/workloads.h"

#define SEEDS 6

static struct result run_seed(uint32_t processors, uint32_t nodes, uint64_t seed, const struct workload *w)
{
    const struct sim_machine m = {.processors = processors, .nodes = nodes, .seed = seed};
    const struct result r = workload_run(&m, w);
    // An application thread that helps takes the place of a thread of the pool. Of ranges inside of ranges
    // the two may have different ones, one after the other.
    CHECK(r.threads <= processors + w->nested || w->programs > 1);
    printf("%3u processors: %9.1f us, efficiency %.2f, %.1f threads, %.1f shared writes, %.1f wakes\n",
           processors, r.median_ns / 1e3, r.efficiency, r.threads, r.shared_writes, r.wakes);
    return r;
}

static struct result run(uint32_t processors, uint32_t nodes, const struct workload *w)
{
    return run_seed(processors, nodes, 1, w);
}

// Which threads take part in a short launch depends on which of them were awake first, so one run says
// little.
static double median_us(uint32_t processors, uint32_t nodes, const struct workload *w)
{
    double sum = 0;
    for (uint64_t seed = 1; seed <= SEEDS; seed++)
        sum += run_seed(processors, nodes, seed, w).median_ns / 1e3;
    return sum / SEEDS;
}

TEST(a_stream_of_equal_groups_on_64_processors)
{
    const struct result ms = run(64, 2, &(struct workload){.perfect_ns = 1000000, .launches = 20});
    CHECK(ms.efficiency >= 0.9);
    CHECK(ms.shared_writes <= 4 * ms.threads);
    const struct result us200 = run(64, 2, &(struct workload){.perfect_ns = 200000, .launches = 40});
    CHECK(us200.efficiency >= 0.75);
    CHECK(us200.shared_writes <= 4 * us200.threads);
    CHECK(us200.wakes < 1);
}

TEST(more_processors_are_faster_down_to_short_launches)
{
    static const uint64_t totals[] = {20000, 50000, 200000, 1000000, 3200000};
    for (size_t i = 0; i < sizeof totals / sizeof *totals; i++) {
        const struct workload w = {.total_ns = totals[i], .launches = 60};
        const double on_8 = median_us(8, 1, &w);
        CHECK(median_us(64, 1, &w) <= on_8 * 1.05);
        // The few threads of a short launch may be on both nodes.
        CHECK(median_us(64, 2, &w) <= on_8 * 1.3);
    }
}

TEST(threads_that_sleep_are_called_as_a_tree)
{
    const struct result ms =
        run(64, 2, &(struct workload){.perfect_ns = 1000000, .launches = 10, .cold = true});
    CHECK(ms.efficiency >= 0.9);
    const struct result us200 =
        run(64, 2, &(struct workload){.perfect_ns = 200000, .launches = 10, .cold = true});
    CHECK(us200.efficiency >= 0.65); // one thread alone would need 190 us to wake the others
}

TEST(uneven_groups)
{
    const struct result r =
        run(64, 2, &(struct workload){.perfect_ns = 1000000, .launches = 20, .shape = UNEVEN});
    CHECK(r.efficiency >= 0.85);
}

TEST(a_short_launch_is_shared_by_few)
{
    const struct result r = run(64, 2, &(struct workload){.total_ns = 20000, .launches = 100});
    CHECK(r.threads <= 3);
    CHECK(r.median_ns <= 20000);
}

TEST(a_tiny_launch_wakes_nobody)
{
    const struct result r = run(64, 2, &(struct workload){.tiny = true, .total_ns = 200, .launches = 1000});
    CHECK(r.threads <= 1.01);
    CHECK(r.wakes < 0.01);
}

TEST(a_busy_neighbour_costs_its_share)
{
    const struct workload alone = {.perfect_ns = 1000000, .launches = 20},
                          beside = {.perfect_ns = 1000000, .launches = 20, .neighbours = 1};
    const double a = run(64, 2, &alone).median_ns, b = run(64, 2, &beside).median_ns;
    CHECK(b <= a * 65 / 64 + 100000);
}

TEST(a_kernel_whose_cost_is_unknown)
{
    const struct result r =
        run(64, 2, &(struct workload){.perfect_ns = 1000000, .launches = 10, .unknown_cost = true});
    CHECK(r.efficiency >= 0.75);
}

// Each thread has one chunk, and nobody knows of the others' before his own has run.
TEST(as_many_long_groups_as_processors)
{
    static const uint32_t processors[] = {2, 4, 16};
    for (size_t i = 0; i < sizeof processors / sizeof *processors; i++) {
        struct workload w = {
            .perfect_ns = 2000000, .groups = processors[i], .launches = 10, .cold = true, .polls = false};
        CHECK(run(processors[i], 1, &w).efficiency >= 0.9);
        w.polls = true; // no thread of the application helps
        CHECK(run(processors[i], 1, &w).efficiency >= 0.9);
    }
}

TEST(ranges_inside_of_ranges)
{
    const struct result r =
        run(64, 2, &(struct workload){.perfect_ns = 1000000, .launches = 10, .nested = true});
    CHECK(r.efficiency >= 0.85);
}

TEST(programs_share_the_machine)
{
    const struct result r =
        run(64, 2, &(struct workload){.perfect_ns = 1000000, .launches = 10, .programs = 4});
    CHECK(r.median_ns <= 4 * 1000000 / 0.9);
}

TEST(on_256_processors)
{
    const struct result r = run(256, 4, &(struct workload){.perfect_ns = 10000000, .launches = 3});
    CHECK(r.efficiency >= 0.9);
}
