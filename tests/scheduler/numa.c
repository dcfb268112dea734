// NUMA nodes of made-up machines, and how threads are divided among them.
#include "base/base.h"
#include "scheduler/internal.h"
#include "made_up_root.h"

#include <sched.h>

static struct weft_nodes nodes;
static cpu_set_t allowed;

static void allow(int first, int last)
{
    for (int i = first; i <= last; i++)
        CPU_SET(i, &allowed);
}

static void read_nodes(void)
{
    weft_nodes_read(&nodes, root, &allowed, sizeof allowed);
}

static bool has(uint32_t node, int cpu)
{
    return CPU_ISSET(cpu, (const cpu_set_t *)nodes.node[node].cpus);
}

// As Linux numbers the processors of two sockets with two threads a core.
static void make_two_sockets(void)
{
    make_root();
    put("sys/devices/system/node/online", "0-1\n");
    put("sys/devices/system/node/node0/cpulist", "0-3,8-11\n");
    put("sys/devices/system/node/node1/cpulist", "4-7,12-15\n");
}

TEST(each_node_has_its_processors)
{
    make_two_sockets();
    allow(0, 15);
    read_nodes();
    CHECK_EQ(nodes.count, 2);
    CHECK_EQ(nodes.processors, 16);
    for (uint32_t i = 0; i < 2; i++) {
        CHECK_EQ(nodes.node[i].number, i);
        CHECK_EQ(nodes.node[i].processors, 8);
        for (int cpu = 0; cpu < 20; cpu++)
            CHECK_EQ(has(i, cpu), cpu < 16 && cpu / 4 % 2 == (int)i);
    }
    remove_root();
}

TEST(only_the_process_s_processors_count)
{
    make_two_sockets();
    allow(2, 5);
    read_nodes();
    CHECK_EQ(nodes.count, 2);
    CHECK_EQ(nodes.node[0].processors, 2);
    CHECK_EQ(nodes.node[1].processors, 2);
    CHECK(has(0, 2) && !has(0, 1) && has(1, 5) && !has(1, 6));
    CPU_ZERO(&allowed);
    allow(12, 13); // as numactl --cpunodebind=1 does
    read_nodes();
    CHECK_EQ(nodes.count, 1);
    CHECK_EQ(nodes.node[0].number, 1);
    CHECK_EQ(nodes.processors, 2);
    remove_root();
}

TEST(nodes_without_processors_are_left_out)
{
    make_two_sockets();
    put("sys/devices/system/node/online", "0-1,3,900\n"); // memory alone, and one that has gone away
    put("sys/devices/system/node/node3/cpulist", "\n");
    allow(0, 15);
    read_nodes();
    CHECK_EQ(nodes.count, 2);
    CHECK_EQ(nodes.processors, 16);
    remove_root();
}

TEST(a_machine_without_the_files_has_no_known_nodes)
{
    make_root();
    allow(0, 15);
    read_nodes();
    CHECK_EQ(nodes.count, 0);
    CHECK_EQ(nodes.processors, 0);
    remove_root();
}

TEST(with_damaged_lists_no_nodes_are_known)
{
    static const char *const bad[] = {
        "", "\n", "x", "0-", "-3", "0-4000000000", "1,,2", "5-2", "99999999999999"};
    make_two_sockets();
    allow(0, 15);
    for (size_t i = 0; i < WEFT_COUNT_OF(bad); i++) {
        put("sys/devices/system/node/node1/cpulist", bad[i]);
        read_nodes();
        CHECK_EQ(nodes.count, 0); // a node that isn't known would be used by nobody
        put("sys/devices/system/node/online", bad[i]);
        read_nodes();
        CHECK_LE(nodes.count, 2);
        put("sys/devices/system/node/online", "0-1\n");
    }
    remove_root();
}

// How many of `threads` threads each node gets.
static void check_shares(uint32_t threads, uint32_t first, uint32_t second)
{
    uint32_t share[2] = {0, 0}, last = 0;
    for (uint32_t rank = 0; rank < threads; rank++) {
        const struct weft_node *n = weft_nodes_of_rank(&nodes, rank, threads);
        CHECK(n != NULL);
        CHECK_GE(n->number, last); // threads of a node are neighbours
        last = n->number;
        share[n->number]++;
    }
    CHECK_EQ(share[0], first);
    CHECK_EQ(share[1], second);
}

TEST(threads_are_divided_as_the_processors_are)
{
    make_two_sockets();
    allow(0, 15);
    read_nodes();
    check_shares(16, 8, 8);
    check_shares(2, 1, 1);
    check_shares(1, 1, 0);
    check_shares(64, 32, 32);
    CPU_ZERO(&allowed);
    allow(0, 5); // four of the first node, two of the second
    read_nodes();
    check_shares(6, 4, 2);
    check_shares(3, 2, 1);
    check_shares(512, 342, 170);
    remove_root();
}

TEST(memory_is_placed_on_this_machine)
{
    enum { BYTES = 4 << 20 };
    unsigned char *p = weft_alloc_aligned(4096, BYTES);
    CHECK(p != NULL);
    weft_sched_place_memory(p, BYTES, NULL);
    memset(p, 1, BYTES);
    weft_free(p);
}
