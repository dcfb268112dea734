// When memory counts as short: made-up machines and cgroups.
#include "harness.h"
#include "made_up_root.h"
#include "scheduler/internal.h"

static bool is_short(void)
{
    return weft_memory_is_short_at(root);
}

TEST(what_is_unknown_isnt_short)
{
    make_root();
    CHECK(!is_short());
    put("proc/meminfo", "MemTotal: nonsense\n");
    put("proc/pressure/memory", "");
    CHECK(!is_short());
    put("proc/meminfo", "MemTotal:  16000000 kB\nMemFree:  100 kB\n"); // Linux before 3.14
    CHECK(!is_short());
    remove_root();
}

TEST(a_machine_with_little_available)
{
    make_root();
    put("proc/meminfo",
        "MemTotal:       16000000 kB\nMemFree:          100000 kB\nMemAvailable:    1100000 kB\n");
    CHECK(!is_short());
    put("proc/meminfo",
        "MemTotal:       16000000 kB\nMemFree:          100000 kB\nMemAvailable:     900000 kB\n");
    CHECK(is_short());
    remove_root();
}

TEST(a_machine_whose_threads_wait_for_memory)
{
    make_root();
    put("proc/meminfo", "MemTotal: 16000000 kB\nMemFree: 100000 kB\nMemAvailable: 8000000 kB\n");
    put("proc/pressure/memory", "some avg10=4.99 avg60=90.00 avg300=0.00 total=5\nfull avg10=9.00 avg60=0.00 "
                                "avg300=0.00 total=1\n");
    CHECK(!is_short());
    put("proc/pressure/memory", "some avg10=5.00 avg60=0.00 avg300=0.00 total=5\n");
    CHECK(is_short());
    remove_root();
}

TEST(a_group_near_its_limit)
{
    make_root();
    put("proc/self/cgroup", "0::/pod/box\n");
    put("proc/self/mountinfo",
        "29 23 0:26 / /sys/fs/cgroup rw,nosuid shared:9 - cgroup2 cgroup2 rw,nsdelegate\n");
    put("sys/fs/cgroup/pod/box/memory.max", "max\n");
    put("sys/fs/cgroup/pod/memory.max", "800000000\n");
    put("sys/fs/cgroup/pod/memory.current", "790000000\n");
    put("sys/fs/cgroup/pod/memory.stat",
        "anon 650000000\nfile 140000000\ninactive_anon 0\nactive_file 60000000\n"
        "inactive_file 80000000\n");
    CHECK(!is_short()); // files fill it
    put("sys/fs/cgroup/pod/memory.stat",
        "anon 750000000\nfile 40000000\nactive_file 20000000\ninactive_file 20000000\n");
    CHECK(is_short());
    put("sys/fs/cgroup/pod/memory.current", "300000000\n");
    CHECK(!is_short());
    put("sys/fs/cgroup/pod/memory.pressure", "some avg10=12.00 avg60=0.00 avg300=0.00 total=5\n");
    CHECK(is_short());
    remove_root();
}

TEST(a_group_of_the_first_version)
{
    make_root();
    put("proc/self/cgroup", "4:memory:/m\n");
    put("proc/self/mountinfo", "35 31 0:32 / /sys/fs/cgroup/memory rw,relatime - cgroup cgroup rw,memory\n");
    put("sys/fs/cgroup/memory/m/memory.limit_in_bytes", "800000000\n");
    put("sys/fs/cgroup/memory/m/memory.usage_in_bytes", "790000000\n");
    put("sys/fs/cgroup/memory/m/memory.stat",
        "cache 5\nactive_file 1\ninactive_file 1\ntotal_active_file 100000000\n"
        "total_inactive_file 100000000\n");
    CHECK(!is_short());
    put("sys/fs/cgroup/memory/m/memory.stat", "cache 5\nactive_file 100000\ninactive_file 100000\n");
    CHECK(is_short());
    remove_root();
}

// It may allocate nothing itself.
TEST(this_machine_can_be_asked_without_memory)
{
    bool before = weft_memory_is_short();
    weft_alloc_fail_from(1);
    errno = 5;
    bool now = weft_memory_is_short();
    weft_alloc_fail_at(0);
    CHECK_EQ(errno, 5);
    if (before != now)
        printf("it has changed meanwhile\n");
}
