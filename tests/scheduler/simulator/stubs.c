// What the simulated scheduler asks the machine for, and sub-devices, which the simulator doesn't have.
#include <stdlib.h>

#include "scheduler/internal.h"
#include "scheduler/simulator/workloads.h"

uint32_t weft_cpus_allowed(const char *root)
{
    (void)root;
    return workload_machine.processors;
}

uint32_t weft_cpus_of_thread(void)
{
    return workload_machine.processors;
}

uint32_t weft_cgroup_cpus(const char *root)
{
    (void)root;
    return 0;
}

uint32_t weft_cpus_lost(const cpu_set_t *first, size_t bytes)
{
    (void)first, (void)bytes;
    return 0;
}

bool weft_thread_is_free(void)
{
    return true;
}

void weft_affinity_save(void)
{
}

const cpu_set_t *weft_affinity_saved(size_t *bytes)
{
    (void)bytes;
    return NULL;
}

uint32_t weft_cpu_nth_allowed(uint32_t n)
{
    return n;
}

bool weft_thread_bind(struct weft_thread *t, const cpu_set_t *cpus, size_t bytes)
{
    (void)t, (void)cpus, (void)bytes;
    return true;
}

uint32_t weft_thread_cpus_at_first(void)
{
    return workload_machine.processors;
}

void weft_placement_fork_child(void)
{
}

void weft_thread_keep_apart(const struct weft_thread *t)
{
    (void)t;
}

void weft_thread_ask_for_short_slices(void)
{
}

void weft_thread_note_cpu(struct weft_pool_thread *self)
{
    (void)self;
}

bool weft_thread_unbind(void)
{
    return false;
}

void weft_thread_rebind(bool was_bound)
{
    (void)was_bound;
}

const struct weft_node *weft_numa_node(uint32_t rank, uint32_t threads, uint32_t *index)
{
    (void)rank, (void)threads;
    *index = 0;
    return NULL;
}

_Atomic uint32_t weft_domains_stranded;

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
