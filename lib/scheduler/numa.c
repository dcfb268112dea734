// NUMA nodes: groups of processors with memory of their own, which others reach more slowly. Pool threads are
// bound to the processors of one node each, so what a thread touches first lies near it, and stays near.
// WEFT_NUMA says what is done; on a machine with one node it is nothing. Owns the list of nodes.
//
// The list is read from /sys and not with hwloc, which takes a millisecond or more: it is needed before the
// first thread starts.
#include "scheduler/internal.h"

#include <linux/mempolicy.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { LOCAL, INTERLEAVE, OFF };                         // the words of WEFT_NUMA
enum { NODE_BITS = 1024, LONG_BITS = sizeof(long) * 8 }; // Linux has at most 1,024 nodes

static struct weft_nodes machine;
static pthread_once_t once = PTHREAD_ONCE_INIT;

// Calls visit for each number of a list as "0-3,8". Stops at what is no list.
static void each_number(const char *list, void (*visit)(uint32_t number, void *arg), void *arg)
{
    while (*list >= '0' && *list <= '9') {
        char *end;
        const unsigned long first = strtoul(list, &end, 10);
        const unsigned long last = *end == '-' ? strtoul(end + 1, &end, 10) : first;
        for (unsigned long i = first; i <= last && i < WEFT_MASK_BYTES * 8; i++)
            visit((uint32_t)i, arg);
        list = *end == ',' ? end + 1 : end;
    }
}

struct reading {
    struct weft_nodes *out;
    const char *root;
    const cpu_set_t *allowed;
    size_t bytes;
};

static void add_processor(uint32_t cpu, void *arg)
{
    const struct reading *r = arg;
    struct weft_node *n = &r->out->node[r->out->count];
    if (cpu >= r->bytes * 8 || !CPU_ISSET_S(cpu, r->bytes, r->allowed))
        return;
    CPU_SET_S(cpu, sizeof n->cpus, (cpu_set_t *)n->cpus);
    n->processors++;
}

static void add_node(uint32_t number, void *arg)
{
    struct reading *r = arg;
    char path[64];
    snprintf(path, sizeof path, "sys/devices/system/node/node%u/cpulist", number);
    char *list =
        r->out->count < WEFT_NODES_MAX && number < NODE_BITS ? weft_system_file(r->root, path) : NULL;
    if (!list)
        return;
    struct weft_node *n = &r->out->node[r->out->count];
    *n = (struct weft_node){.number = number};
    each_number(list, add_processor, r);
    weft_free(list);
    // A node without processors of ours: memory alone, or for others.
    r->out->processors += n->processors;
    r->out->count += n->processors != 0;
}

void weft_nodes_read(struct weft_nodes *out, const char *root, const cpu_set_t *allowed, size_t bytes)
{
    struct reading r = {out, root, allowed, bytes};
    out->count = out->processors = 0;
    char *list = weft_system_file(root, "sys/devices/system/node/online");
    if (list)
        each_number(list, add_node, &r);
    weft_free(list);
    // If some can't be read or are too many, their processors would be used by nobody.
    if (out->processors != (uint32_t)CPU_COUNT_S(bytes, allowed))
        out->count = out->processors = 0;
}

static void read_machine(void)
{
    size_t bytes;
    weft_affinity_save();
    const cpu_set_t *allowed = weft_affinity_saved(&bytes);
    if (allowed && weft_config_uint(WEFT_CFG_NUMA) != OFF)
        weft_nodes_read(&machine, "/", allowed, bytes);
}

static const struct weft_nodes *nodes(void)
{
    pthread_once(&once, read_machine);
    return &machine;
}

const struct weft_node *weft_nodes_of_rank(const struct weft_nodes *n, uint32_t rank, uint32_t threads)
{
    uint64_t at = (uint64_t)rank * n->processors / threads;
    for (uint32_t i = 0; i < n->count; at -= n->node[i].processors, i++)
        if (at < n->node[i].processors)
            return &n->node[i];
    return NULL;
}

const struct weft_node *weft_numa_node(uint32_t rank, uint32_t threads, uint32_t *index)
{
    const struct weft_nodes *n = nodes();
    *index = 0;
    if (n->count <= 1)
        return NULL;
    // Of more threads than processors, those with the lowest ranks share ranges.
    const uint32_t sharing = threads < n->processors ? threads : n->processors;
    const struct weft_node *node = weft_nodes_of_rank(n, rank % sharing, sharing);
    *index = node ? (uint32_t)(node - n->node) : 0;
    return node;
}

// ---- Memory ----

static void set_policy(void *start, size_t bytes, int mode, const unsigned long *mask)
{
    static _Atomic bool told;
    if (syscall(SYS_mbind, start, bytes, mode, mask, (unsigned long)NODE_BITS + 1, 0) == 0 ||
        atomic_exchange(&told, true))
        return;
    // Containers often forbid it.
    weft_log(WEFT_LOG_INFO, "the system refuses to say on which NUMA node memory should lie");
}

static void add_to(unsigned long *mask, const struct weft_node *n)
{
    mask[n->number / LONG_BITS] |= 1ul << n->number % LONG_BITS;
}

// The node that has all of the processors. NULL: there is none.
static const struct weft_node *node_with(const struct weft_nodes *n, const cpu_set_t *cpus, size_t bytes)
{
    for (uint32_t i = 0; cpus && i < n->count; i++) {
        uint32_t found = 0;
        for (uint32_t cpu = 0; cpu < bytes * 8 && cpu < sizeof n->node[i].cpus * 8; cpu++)
            found += CPU_ISSET_S(cpu, bytes, cpus) &&
                     CPU_ISSET_S(cpu, sizeof n->node[i].cpus, (const cpu_set_t *)n->node[i].cpus);
        if (found && found == (uint32_t)CPU_COUNT_S(bytes, cpus))
            return &n->node[i];
    }
    return NULL;
}

void weft_numa_place(void *start, size_t bytes, const cpu_set_t *cpus, size_t mask_bytes)
{
    const struct weft_nodes *n = nodes();
    unsigned long mask[NODE_BITS / LONG_BITS] = {0};
    if (WEFT_LIKELY(n->count <= 1))
        return;
    const struct weft_node *own = cpus ? node_with(n, cpus, mask_bytes) : NULL;
    if (own)
        add_to(mask, own);
    for (uint32_t i = 0; !own && i < n->count; i++)
        add_to(mask, &n->node[i]);
    if (own)
        set_policy(start, bytes, MPOL_PREFERRED, mask);
    else if (weft_config_uint(WEFT_CFG_NUMA) == INTERLEAVE)
        set_policy(start, bytes, MPOL_INTERLEAVE, mask);
}
