// Kernels in which work-items wait for each other, or try until they succeed, with eight lanes from the first
// launch on. They must end, with the result of running the work-items one after the other. A kernel that
// doesn't end is killed.
// timeout: 240
// env: WEFT_TIER=2
// env: WEFT_VF=8
// env: WEFT_CACHE=0
#include "e2e.h"

#include <string.h>

enum { ITEMS = 64, KEYS = 3, LIMIT = 30 };

// body: the kernel's body; enough arithmetic precedes it to make lanes pay. The cells of out that belong to a
// key hold how many items have it.
static void count_by_key(const char *body)
{
    char source[4096];
    snprintf(
        source, sizeof source,
        "kernel void k(volatile global int *lock, global int *key, global int *out, global float *work)\n"
        "{\n"
        "    int g = get_global_id(0);\n"
        "    float a = work[g];\n"
        "    for (int i = 0; i < 20; i++)\n"
        "        a = a * a * 0.5f + a * 0.25f + 1.0f / (1.0f + a * a);\n"
        "    work[g] = a;\n"
        "    %s\n"
        "}\n",
        body);
    int zero[2 * ITEMS] = {0}, key[ITEMS], want[4] = {0}, got[4];
    for (int i = 0; i < ITEMS; i++)
        want[key[i] = i % KEYS]++;
    alarm(LIMIT);
    struct e2e t = e2e_open();
    cl_kernel k = e2e_kernel(&t, source, "", "k");
    cl_mem lock = e2e_buffer(&t, sizeof zero, zero), keys = e2e_buffer(&t, sizeof key, key);
    cl_mem out = e2e_buffer(&t, sizeof zero, zero), work = e2e_buffer(&t, sizeof zero, zero);
    E2E_ARG(k, 0, lock);
    E2E_ARG(k, 1, keys);
    E2E_ARG(k, 2, out);
    E2E_ARG(k, 3, work);
    e2e_run(&t, k, ITEMS, &(size_t){ITEMS});
    e2e_read(&t, out, sizeof got, got);
    alarm(0);
    for (int i = 0; i < 4; i++)
        CHECK_EQ(got[i], want[i]);
    CHECK_EQ(clReleaseMemObject(lock), CL_SUCCESS);
    CHECK_EQ(clReleaseMemObject(keys), CL_SUCCESS);
    CHECK_EQ(clReleaseMemObject(out), CL_SUCCESS);
    CHECK_EQ(clReleaseMemObject(work), CL_SUCCESS);
    CHECK_EQ(clReleaseKernel(k), CL_SUCCESS);
    e2e_close(&t);
}

#define COUNT "out[key[g]] = out[key[g]] + 1; mem_fence(CLK_GLOBAL_MEM_FENCE);"

TEST(lock_whose_place_is_read_in_each_iteration)
{
    count_by_key("while (atomic_cmpxchg(&lock[key[g]], 0, 1) != 0);" COUNT "atomic_xchg(&lock[key[g]], 0);");
}

TEST(lock_whose_place_is_known)
{
    count_by_key("int b = key[g]; while (atomic_cmpxchg(&lock[b], 0, 1) != 0);" COUNT
                 "atomic_xchg(&lock[b], 0);");
}

TEST(lock_that_names_its_owner)
{
    count_by_key("int got; do { got = atomic_cmpxchg(&lock[key[g] & 3], 0, g + 1); } while (got != 0);" COUNT
                 "atomic_xchg(&lock[key[g] & 3], 0);");
}

TEST(lock_that_counts_attempts)
{
    count_by_key("int tries = 0; while (atomic_cmpxchg(&lock[0], 0, 1 + tries) != 0) tries++;" COUNT
                 "atomic_xchg(&lock[0], 0);");
}

TEST(lock_in_a_bit)
{
    count_by_key(
        "int old; do { old = lock[0] & ~1; } while (atomic_cmpxchg(&lock[0], old, old | 1) != old);" COUNT
        "atomic_and(&lock[0], ~1);");
}

TEST(lock_in_a_bit_that_is_set_again_and_again)
{
    count_by_key("int old; do { old = lock[0]; } while (atomic_cmpxchg(&lock[0], old, old | 1) != old || "
                 "(old & 1));" COUNT "atomic_and(&lock[0], ~1);");
}

TEST(lock_by_increment)
{
    count_by_key("while (atomic_inc(&lock[0]) != 0) atomic_dec(&lock[0]);" COUNT "atomic_dec(&lock[0]);");
}

TEST(lock_by_increment_only)
{
    count_by_key("while (atomic_inc(&lock[0]) != 0);" COUNT "atomic_xchg(&lock[0], 0);");
}

TEST(lock_by_maximum)
{
    count_by_key("while (atomic_max(&lock[0], 1) == 1);" COUNT "atomic_min(&lock[0], 0);");
}

TEST(one_of_two_locks)
{
    count_by_key("int at = g & 1; while (atomic_cmpxchg(&lock[at], 0, 1) != 0) at = (at + 1) & 1;"
                 "atomic_inc(&out[key[g]]); atomic_xchg(&lock[at], 0);");
}

TEST(chain_of_flags)
{
    count_by_key("int l = get_local_id(0); if (l > 0) while (lock[0] < l);" COUNT "lock[0] = l + 1;");
}

TEST(tickets)
{
    count_by_key("int mine = atomic_inc(&lock[0]); while (atomic_or(&lock[1], 0) != mine);" COUNT
                 "atomic_inc(&lock[1]);");
}

TEST(lock_freed_in_the_loop)
{
    count_by_key("for (bool done = false; !done;) if (!atomic_cmpxchg(&lock[key[g]], 0, 1)) {" COUNT
                 "done = true; atomic_xchg(&lock[key[g]], 0); }");
}

TEST(lock_freed_where_the_loop_ends)
{
    count_by_key("for (;;) if (!atomic_cmpxchg(&lock[key[g]], 0, 1)) {" COUNT
                 "atomic_xchg(&lock[key[g]], 0); break; }");
}

TEST(lock_in_local_memory)
{
    count_by_key("local int own; if (get_local_id(0) == 0) own = 0; barrier(CLK_LOCAL_MEM_FENCE);"
                 "while (atomic_cmpxchg(&own, 0, 1) != 0);" COUNT "atomic_xchg(&own, 0);");
}

TEST(lock_remembered_in_memory)
{
    count_by_key("int z = lock[100]; out[64 + g] = 1;"
                 "while (out[64 + g + z] != 0) out[64 + g] = atomic_cmpxchg(&lock[0], 0, 1);" COUNT
                 "atomic_xchg(&lock[0], 0);");
}

TEST(sums_by_compare_and_exchange)
{
    count_by_key("volatile global int *p = (volatile global int *)&out[key[g]]; int old;"
                 "do { old = *p; } while (atomic_cmpxchg(p, old, as_int(old + 1)) != old);");
}

TEST(sums_by_two_exchanges)
{
    count_by_key("volatile global int *p = (volatile global int *)&out[key[g]]; int mine = 1;"
                 "do { mine += atomic_xchg(p, 0); mine = atomic_xchg(p, mine); } while (mine != 0);");
}
