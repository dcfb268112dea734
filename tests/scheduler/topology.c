// Topologies and limits of other machines: hwloc synthetic strings and made-up cgroup trees.
#include "base/base.h"
#include "scheduler/internal.h"
#include "denied_call.h"
#include "made_up_root.h"

#include <sched.h>

#define V2_MOUNT "29 23 0:26 / /sys/fs/cgroup rw,nosuid shared:9 - cgroup2 cgroup2 rw,nsdelegate\n"

TEST(without_cgroups_there_is_no_limit)
{
    make_root();
    CHECK_EQ(weft_cgroup_cpus(root), 0);
    CHECK_EQ(weft_cgroup_memory(root), UINT64_MAX);
    put("proc/self/cgroup", "0::/\n");
    put("proc/self/mountinfo", V2_MOUNT);
    CHECK_EQ(weft_cgroup_cpus(root), 0);
    CHECK_EQ(weft_cgroup_memory(root), UINT64_MAX);
    put("sys/fs/cgroup/cpu.max", "max 100000\n");
    put("sys/fs/cgroup/memory.max", "max\n");
    CHECK_EQ(weft_cgroup_cpus(root), 0);
    CHECK_EQ(weft_cgroup_memory(root), UINT64_MAX);
    remove_root();
}

TEST(v2_quotas_are_rounded_up_and_the_tightest_group_above_counts)
{
    make_root();
    put("proc/self/cgroup", "0::/a/b\n");
    put("proc/self/mountinfo", "21 1 0:19 / /proc rw - proc proc rw\n" V2_MOUNT);
    put("sys/fs/cgroup/a/b/cpu.max", "250000 100000\n");
    put("sys/fs/cgroup/a/b/memory.max", "max\n");
    CHECK_EQ(weft_cgroup_cpus(root), 3);
    put("sys/fs/cgroup/a/cpu.max", "150000 100000\n");
    put("sys/fs/cgroup/a/memory.max", "123456789\n");
    CHECK_EQ(weft_cgroup_cpus(root), 2);
    CHECK_EQ(weft_cgroup_memory(root), 123456789);
    put("sys/fs/cgroup/a/b/cpu.max", "10000 100000\n");
    CHECK_EQ(weft_cgroup_cpus(root), 1);
    put("sys/fs/cgroup/a/b/memory.max", "4096\n");
    CHECK_EQ(weft_cgroup_memory(root), 4096);
    remove_root();
}

TEST(v1_controllers_lie_in_hierarchies_of_their_own)
{
    make_root();
    put("proc/self/cgroup", "4:memory:/m/x\n2:cpuacct,cpu:/c\n1:name=systemd:/\n0::/\n");
    put("proc/self/mountinfo", "32 31 0:29 / /sys/fs/cgroup/cpu rw,relatime - cgroup cgroup rw,cpu,cpuacct\n"
                               "33 31 0:30 / /sys/fs/cgroup/cpuset rw,relatime - cgroup cgroup rw,cpuset\n"
                               "35 31 0:32 / /sys/fs/cgroup/memory rw,relatime - cgroup cgroup rw,memory\n");
    put("sys/fs/cgroup/cpu/c/cpu.cfs_quota_us", "-1\n");
    put("sys/fs/cgroup/cpu/c/cpu.cfs_period_us", "100000\n");
    put("sys/fs/cgroup/memory/m/x/memory.limit_in_bytes", "9223372036854771712\n");
    CHECK_EQ(weft_cgroup_cpus(root), 0);
    CHECK_EQ(weft_cgroup_memory(root), UINT64_MAX);
    put("sys/fs/cgroup/cpu/c/cpu.cfs_quota_us", "400000\n");
    put("sys/fs/cgroup/memory/m/memory.limit_in_bytes", "1048576\n");
    CHECK_EQ(weft_cgroup_cpus(root), 4);
    CHECK_EQ(weft_cgroup_memory(root), 1048576);
    remove_root();
}

TEST(a_container_sees_a_part_of_the_hierarchy)
{
    make_root();
    put("proc/self/cgroup", "3:cpu:/docker/abc\n");
    put("proc/self/mountinfo",
        "32 31 0:29 /docker/abc /sys/fs/cgroup/cpu ro,relatime master:12 - cgroup cgroup rw,cpu\n");
    put("sys/fs/cgroup/cpu/cpu.cfs_quota_us", "200000\n");
    put("sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000\n");
    CHECK_EQ(weft_cgroup_cpus(root), 2);
    remove_root();
}

TEST(damaged_files_mean_no_limit)
{
    static const char *const bad[] = {"", "\n", "x y\n", "100000", "100000 0\n", "-5 100000\n", "0 0\n"};
    make_root();
    put("proc/self/cgroup", "0::/\n");
    put("proc/self/mountinfo", V2_MOUNT);
    for (size_t i = 0; i < WEFT_COUNT_OF(bad); i++) {
        put("sys/fs/cgroup/cpu.max", bad[i]);
        put("sys/fs/cgroup/memory.max", i % 2 ? "" : "lots\n");
        CHECK_EQ(weft_cgroup_cpus(root), 0);
        CHECK_EQ(weft_cgroup_memory(root), UINT64_MAX);
    }
    put("proc/self/cgroup", "0:\nnonsense\n:::::\n0::");
    put("proc/self/mountinfo", "- - -\n1 2 3 - cgroup2\n - cgroup2 x y\n\n");
    CHECK_EQ(weft_cgroup_cpus(root), 0);
    remove_root();
}

TEST(the_affinity_mask_limits_the_threads)
{
    cpu_set_t one;
    uint32_t all = weft_cpus_allowed("/"), first = weft_cpu_nth_allowed(0);
    CHECK_GE(all, 1);
    CHECK_LE(all, (uint32_t)sysconf(_SC_NPROCESSORS_ONLN));
    CPU_ZERO(&one);
    CPU_SET(first, &one);
    CHECK_EQ(sched_setaffinity(0, sizeof one, &one), 0);
    CHECK_EQ(weft_cpus_allowed("/"), 1);
    CHECK_EQ(weft_cpu_nth_allowed(5), first);
    CHECK_EQ(weft_sched_thread_count(), 1);
}

TEST(the_quota_limits_the_topology)
{
    make_root();
    put("proc/self/cgroup", "0::/\n");
    put("proc/self/mountinfo", V2_MOUNT);
    put("sys/fs/cgroup/cpu.max", "200000 100000\n");
    put("sys/fs/cgroup/memory.max", "268435456\n");
    put("sys/devices/system/cpu/cpu0/cpufreq/cpuinfo_max_freq", "3500000\n");
    put("sys/devices/system/cpu/cpu1/cpufreq/cpuinfo_max_freq", "4700000\n");
    struct weft_topology t;
    CHECK(
        weft_topology_read(&t, "pack:1 l3:1(size=32MiB) l2:8(size=1MiB) l1:1(size=32KiB) core:1 pu:2", root));
    CHECK_EQ(t.cpus, 2);
    CHECK_EQ(t.cpus_online, 16);
    CHECK_EQ(t.memory_bytes, 268435456);
    CHECK_EQ(t.clock_mhz, 4700);
    CHECK_EQ(t.l1d_bytes, 32768);
    CHECK_EQ(t.l2_bytes, 1 << 20);
    CHECK_EQ(t.l3_bytes, 32 << 20);
    remove_root();
}

// ---- hwloc ----

TEST(this_machine_is_read)
{
    const struct weft_topology *t = weft_topology_get();
    CHECK_EQ(t, weft_topology_get());
    CHECK_GE(t->cpus, 1);
    CHECK_LE(t->cpus, t->cpus_online);
    CHECK_GE(t->numa_nodes, 1);
    CHECK_GT(t->memory_bytes, 16u << 20);
    CHECK_GE(t->cache_line, 16);
    CHECK_GT(strlen(t->cpu_name), 2);
    CHECK_NE(t->cpu_name[0], ' ');
    printf("%s (%s 0x%04x), %u of %u processors, %u nodes, %" PRIu64 " MB, caches %" PRIu64 " %" PRIu64
           " %" PRIu64 ", line %u, %u MHz\n",
           t->cpu_name, t->vendor, t->vendor_id, t->cpus, t->cpus_online, t->numa_nodes,
           t->memory_bytes >> 20, t->l1d_bytes, t->l2_bytes, t->l3_bytes, t->cache_line, t->clock_mhz);
}

TEST(several_numa_nodes)
{
    make_root();
    struct weft_topology t;
    CHECK(weft_topology_read(&t, "pack:2 [numa(memory=8GB)] l3:4(size=16MiB) core:8 pu:2", root));
    CHECK_EQ(t.cpus, 128);
    CHECK_EQ(t.numa_nodes, 2);
    CHECK_EQ(t.memory_bytes, 2ull * 8 * 1000 * 1000 * 1000);
    CHECK_EQ(t.l3_bytes, 16 << 20);
    CHECK_EQ(t.l1d_bytes, 0); // the string doesn't have it: unknown
    remove_root();
}

// hwloc runs where its messages can't be seen, in a descriptor table of its own. Linux before 5.9 has no
// close_range for that.
TEST(hwloc_is_used_where_there_is_no_close_range)
{
    DENY_CALL(SYS_close_range, ENOSYS);
    struct weft_topology t;
    CHECK(weft_topology_read(&t, "pack:2 l3:4(size=16MiB) core:8 pu:2", "/"));
    CHECK_EQ(t.cpus_online, 128);
    CHECK_EQ(t.l3_bytes, 16 << 20);
}

TEST(the_machine_is_read_without_hwloc_where_nothing_hides_its_messages)
{
    if (HARNESS_TSAN)
        SKIP("the thread sanitizer knows only one table of descriptors");
    DENY_CALL(SYS_close_range, ENOSYS);
    DENY_CALL(SYS_unshare, EPERM);
    struct weft_topology t;
    CHECK(!weft_topology_read(&t, NULL, "/"));
    CHECK_GE(t.cpus, 1);
    CHECK_GT(t.memory_bytes, 16u << 20);
    CHECK_EQ(t.l3_bytes, 0); // unknown
}

TEST(a_string_that_hwloc_refuses)
{
    struct weft_topology t;
    CHECK(!weft_topology_read(&t, "no such thing", "/"));
    CHECK_GE(t.cpus, 1); // the machine's own figures still apply
}
