// What the simulated scheduler asks the machine for, and sub-devices, which the simulator doesn't have.
#include <stdlib.h>

#include "scheduler/internal.h"
#include "scheduler/simulator/workloads.h"

uint32_t weft_cpus_allowed(const char *root)
{
    (void)root;
    return workload_machine.processors;
}

void weft_affinity_save(void)
{
}

uint32_t weft_cpu_nth_allowed(uint32_t n)
{
    return n;
}

_Atomic uint32_t weft_domains_stranded;

struct weft_domain *weft_domain_step_out(void)
{
    return NULL;
}

void weft_domain_step_in(struct weft_domain *d)
{
    (void)d;
}

struct weft_team *weft_domain_team(struct weft_domain *d)
{
    (void)d;
    abort();
}

struct weft_task *weft_domain_claim(struct weft_domain *d)
{
    (void)d;
    abort();
}

void weft_domain_call(struct weft_domain *d, uint32_t n)
{
    (void)d, (void)n;
    abort();
}

void weft_domain_call_more(struct weft_domain *d, uint32_t n)
{
    (void)d, (void)n;
    abort();
}

void weft_domain_put_back(struct weft_domain *d, struct weft_task *t)
{
    (void)d, (void)t;
    abort();
}

bool weft_domain_help(struct weft_thread *t, const struct weft_range_rules *rules)
{
    (void)t, (void)rules;
    abort();
}

void weft_domains_rescue(struct weft_thread *t, const struct weft_range_rules *rules)
{
    (void)t, (void)rules;
    abort();
}

void weft_domain_submit(struct weft_domain *d, struct weft_task *t, enum weft_urgency urgency)
{
    (void)d, (void)t, (void)urgency;
    abort();
}

void weft_sched_submit_inside(struct weft_task *t)
{
    weft_sched_submit(t, WEFT_URGENT);
}

void weft_domains_fork_prepare(void)
{
}

void weft_domains_fork_parent(void)
{
}

void weft_domains_fork_child(void)
{
}

void weft_domains_shutdown(uint64_t since)
{
    (void)since;
}

void weft_domains_free(void)
{
}
