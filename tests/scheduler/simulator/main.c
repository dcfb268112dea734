// Prints what the scheduler does on simulated machines (simulator.h).
//   simulate [processors [nodes]]
#include <stdio.h>
#include <stdlib.h>

#include "scheduler/simulator/workloads.h"

static void show(const struct sim_machine *m, const char *name, const struct workload *w)
{
    const struct result r = workload_run(m, w);
    printf("%-34s %9.1f us  worst %9.1f  efficiency %5.2f  threads %5.1f  shared writes %7.1f  wakes %6.1f  "
           "sleeps %6.1f\n",
           name, r.median_ns / 1e3, r.worst_ns / 1e3, r.efficiency, r.threads, r.shared_writes, r.wakes,
           r.sleeps);
    fflush(stdout);
}

// The number in argv[at], or `usual` if there are fewer. Ends the process if it isn't from 1 to `most`.
static uint32_t number(int argc, char **argv, int at, uint32_t usual, uint32_t most)
{
    char *end = NULL;
    if (at >= argc)
        return usual;
    const unsigned long n = strtoul(argv[at], &end, 10);
    if (*argv[at] && !*end && n >= 1 && n <= most)
        return (uint32_t)n;
    fprintf(stderr, "usage: simulate [processors (1 to 256) [nodes (1 to as many) [seed]]]\n");
    exit(2);
}

int main(int argc, char **argv)
{
    const uint32_t processors = number(argc, argv, 1, 64, 256);
    struct sim_machine m = {.processors = processors,
                            .nodes = number(argc, argv, 2, processors > 1 ? 2 : 1, processors),
                            .seed = number(argc, argv, 3, 1, UINT32_MAX)};
    printf("%u processors, %u nodes\n", m.processors, m.nodes);
    show(&m, "10 ms, warm", &(struct workload){.perfect_ns = 10000000, .launches = 5});
    show(&m, "1 ms, warm", &(struct workload){.perfect_ns = 1000000, .launches = 20});
    show(&m, "200 us, warm", &(struct workload){.perfect_ns = 200000, .launches = 40});
    show(&m, "50 us, warm", &(struct workload){.perfect_ns = 50000, .launches = 100});
    show(&m, "10 ms, cold", &(struct workload){.perfect_ns = 10000000, .launches = 5, .cold = true});
    show(&m, "1 ms, cold", &(struct workload){.perfect_ns = 1000000, .launches = 20, .cold = true});
    show(&m, "200 us, cold", &(struct workload){.perfect_ns = 200000, .launches = 20, .cold = true});
    show(&m, "50 us, cold", &(struct workload){.perfect_ns = 50000, .launches = 20, .cold = true});
    show(&m, "1 ms, gaps of 20 us",
         &(struct workload){.perfect_ns = 1000000, .launches = 20, .gap_ns = 20000});
    show(&m, "200 us, gaps of 100 us",
         &(struct workload){.perfect_ns = 200000, .launches = 40, .gap_ns = 100000});
    show(&m, "1 ms uneven, warm", &(struct workload){.perfect_ns = 1000000, .launches = 20, .shape = UNEVEN});
    show(&m, "1 ms, cost unknown",
         &(struct workload){.perfect_ns = 1000000, .launches = 20, .unknown_cost = true});
    show(&m, "all of 20 us", &(struct workload){.total_ns = 20000, .launches = 200});
    show(&m, "all of 50 us", &(struct workload){.total_ns = 50000, .launches = 200});
    show(&m, "all of 200 us", &(struct workload){.total_ns = 200000, .launches = 100});
    show(&m, "all of 1 ms", &(struct workload){.total_ns = 1000000, .launches = 100});
    show(&m, "tiny", &(struct workload){.tiny = true, .total_ns = 200, .launches = 2000});
    show(&m, "1 ms, one busy neighbour",
         &(struct workload){.perfect_ns = 1000000, .launches = 20, .neighbours = 1});
    show(&m, "1 ms, four programs", &(struct workload){.perfect_ns = 1000000, .launches = 20, .programs = 4});
    show(&m, "1 ms, nested", &(struct workload){.perfect_ns = 1000000, .launches = 20, .nested = true});
    return 0;
}
