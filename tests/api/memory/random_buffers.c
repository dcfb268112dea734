// Memory of a process that creates and releases buffers of random sizes stays bounded: 20,000 of 1 byte to
// 64 MiB from several threads and contexts, some kept. WEFT_TEST_LONG: a million.
// timeout: 240
// labels: stress
#include <stdatomic.h>

#include "api/memory_fixture.h"

#define MIB ((size_t)1 << 20)
enum { THREADS = 4, KEPT = 24 };
#define KEPT_BYTES (96 * MIB) // of one thread, at most

static struct world w;
static size_t largest;
static _Atomic size_t most_resident;
static _Atomic long left;

static size_t resident(void)
{
    size_t all = 0, there = 0;
    FILE *f = fopen("/proc/self/statm", "r");
    CHECK(f && fscanf(f, "%zu %zu", &all, &there) == 2);
    fclose(f);
    return there * 4096;
}

static void look(void)
{
    size_t now = resident(), most = atomic_load(&most_resident);
    while (now > most && !atomic_compare_exchange_weak(&most_resident, &most, now))
        ;
}

static size_t any_size(uint64_t *seed)
{
    size_t most = (size_t)1 << harness_random(seed) % 27;
    size_t size = 1 + harness_random(seed) % most;
    return size < largest ? size : largest;
}

// Every page of it is written, by commands.
static void write_all(cl_command_queue q, cl_mem m, size_t size)
{
    const cl_uchar byte = 0x5a;
    CHECK_EQ(clEnqueueFillBuffer(q, m, &byte, 1, 0, size, 0, NULL, NULL), CL_SUCCESS);
    CHECK_EQ(clFinish(q), CL_SUCCESS);
}

static void *churn(void *arg)
{
    uint64_t seed = (uintptr_t)arg + 1;
    const bool second = (uintptr_t)arg % 2;
    cl_context c = second ? w.other : w.context;
    cl_command_queue q = make_queue(c, w.device, 0);
    cl_mem kept[KEPT] = {NULL};
    size_t size[KEPT] = {0}, bytes = 0;
    for (long n; (n = atomic_fetch_sub(&left, 1)) > 0;) {
        size_t at = harness_random(&seed) % KEPT, want = any_size(&seed);
        for (size_t i = at; kept[at] || bytes + want > KEPT_BYTES; i = (i + 1) % KEPT) {
            if (kept[i])
                CHECK_EQ(clReleaseMemObject(kept[i]), CL_SUCCESS);
            bytes -= size[i];
            kept[i] = NULL;
            size[i] = 0;
        }
        kept[at] = make_buffer(c, 0, want, NULL);
        size[at] = want;
        bytes += want;
        write_all(q, kept[at], want);
        if (n % 64 == 0)
            look();
    }
    for (size_t i = 0; i < KEPT; i++)
        if (kept[i])
            CHECK_EQ(clReleaseMemObject(kept[i]), CL_SUCCESS);
    CHECK_EQ(clReleaseCommandQueue(q), CL_SUCCESS);
    return NULL;
}

TEST(memory_stays_bounded)
{
    const bool is_long = getenv("WEFT_TEST_LONG") != NULL;
    pthread_t threads[THREADS];
    largest = 64 * MIB / (HARNESS_TSAN || HARNESS_ASAN ? 8 : 1);
    left = HARNESS_SCALE(is_long ? 1000000 : 20000);
    w = open_world(0);
    cl_mem first = make_buffer(w.context, 0, MIB, NULL);
    write_all(w.queue, first, MIB);
    CHECK_EQ(clReleaseMemObject(first), CL_SUCCESS);
    const size_t before = resident();
    for (uintptr_t i = 0; i < THREADS; i++)
        CHECK_EQ(pthread_create(&threads[i], NULL, churn, (void *)i), 0);
    for (int i = 0; i < THREADS; i++)
        CHECK_EQ(pthread_join(threads[i], NULL), 0);
    // What the threads keep, the pool (WEFT_POOL_MIB's default), small storage that stays warm, and what
    // classes and huge pages waste.
    const size_t bound = (THREADS * KEPT_BYTES + 1024 * MIB + 96 * MIB) * 9 / 8;
    printf("resident at most %zu MiB more than before, now %zu\n", (most_resident - before) / MIB,
           (resident() - before) / MIB);
    if (!HARNESS_TSAN && !HARNESS_ASAN)
        CHECK_LE(most_resident - before, bound);
    close_world(&w);
    // Contexts that are gone leave nothing in the pool. The thread that ran the last command may hold its
    // context a little longer. The wait is shorter than the time after which the pool gives back by itself.
    if (!HARNESS_TSAN && !HARNESS_ASAN) {
        for (int i = 0; i < 90 && resident() > before + 160 * MIB; i++)
            usleep(10000);
        CHECK_LE(resident(), before + 160 * MIB);
    }
}
