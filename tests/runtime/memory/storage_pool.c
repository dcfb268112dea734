// Storage that a context gets again after it has freed it: lib/runtime/memory/storage_pool.h.
// timeout: 120
// env: WEFT_POOL_MIB=64
#include "harness.h"

#include <pthread.h>
#include <sys/resource.h>
#include <sys/syscall.h>

#include "base/base.h"
#include "runtime/memory/guarded_arena.h"
#include "runtime/memory/poison.h"
#include "runtime/memory/storage.h"
#include "runtime/memory/storage_pool.h"

#define MIB ((size_t)1 << 20)

static int owners[4]; // contexts: only their addresses matter
static const void *const mine = &owners[0], *const other = &owners[1];

// Of each kind: small, one to a span of the arena, mapped.
static const size_t sizes[] = {1, 1000, 20000, 60000, MIB, 2 * MIB - 1, 2 * MIB, 5 * MIB, 7 * MIB + 12345};
enum { SIZES = sizeof sizes / sizeof sizes[0] };

static struct weft_storage_pool_state look(void)
{
    struct weft_storage_pool_state s;
    weft_storage_pool_look(&s);
    return s;
}

static unsigned char *take(size_t size, const void *owner)
{
    unsigned char *p = weft_storage_alloc(size, owner, NULL);
    CHECK(p != NULL);
    return p;
}

static void check_zeros(const unsigned char *p, size_t size)
{
    for (size_t i = 0; i < size; i++)
        if (p[i])
            FAIL("byte %zu of %zu is %d", i, size, p[i]);
}

// Binds the thread to a processor: small storage is found by the processor that freed it.
static void stay_here(void)
{
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(sched_getcpu(), &set);
    CHECK_EQ(sched_setaffinity(0, sizeof set, &set), 0);
}

TEST(a_context_gets_again_what_it_freed)
{
    stay_here();
    for (int i = 0; i < SIZES; i++) {
        unsigned char *p = take(sizes[i], mine);
        check_zeros(p, sizes[i]);
        memset(p, 0xab, sizes[i]);
        weft_storage_free(p, sizes[i], mine);
        CHECK_EQ(look().entries, i + 1);
        CHECK(take(sizes[i], mine) == p);
        CHECK_EQ(p[0], 0xab);
        CHECK_EQ(p[sizes[i] - 1], 0xab);
        CHECK_EQ(look().entries, i);
        weft_storage_free(p, sizes[i], mine);
    }
    CHECK_EQ(look().hits, SIZES);
    CHECK_EQ(look().misses, SIZES);
}

TEST(nobody_sees_what_another_context_wrote)
{
    stay_here();
    for (int round = 0; round < 3; round++)
        for (int i = 0; i < SIZES; i++) {
            unsigned char *p = take(sizes[i], mine);
            memset(p, 0xab, sizes[i]);
            weft_storage_free(p, sizes[i], round == 1 ? NULL : mine); // through the pool, and past it
            if (round == 2)
                weft_storage_forget(mine);
            unsigned char *q = take(sizes[i], other);
            check_zeros(q, sizes[i]);
            memset(q, 0xcd, sizes[i]);
            weft_storage_free(q, sizes[i], NULL);
            q = weft_storage_zalloc(sizes[i]);
            check_zeros(q, sizes[i]);
            weft_storage_free(q, sizes[i], NULL);
        }
}

// Pieces that lie in one span, of which one context and then the other has each.
TEST(small_pieces_are_cleared_between_contexts)
{
    enum { N = 3000, SIZE = 500 };
    static unsigned char *p[N];
    for (int round = 0; round < 4; round++) {
        const void *who = &owners[round % 2];
        for (int i = 0; i < N; i++) {
            p[i] = take(SIZE, who);
            for (int k = 0; k < SIZE; k++)
                CHECK(p[i][k] == 0 || p[i][k] == 1 + round % 2);
            memset(p[i], 1 + round % 2, SIZE);
        }
        for (int i = 0; i < N; i++)
            weft_storage_free(p[i], SIZE, who);
    }
}

TEST(sizes_of_a_class_exchange_storage_and_waste_little)
{
    for (size_t size = 2 * MIB; size < 200 * MIB; size += size / 37) {
        size_t capacity = weft_storage_pool_capacity(size);
        CHECK_GE(capacity, size);
        CHECK_LE(capacity, size + size / 8 + 1);
        CHECK_EQ(capacity % 4096, 0);
        CHECK_EQ(weft_storage_pool_capacity(capacity), capacity);
    }
    unsigned char *p = take(8 * MIB - 100000, mine);
    weft_storage_free(p, 8 * MIB - 100000, mine);
    CHECK(take(8 * MIB, mine) == p); // a larger one of the class
    memset(p, 1, 8 * MIB);
    weft_storage_free(p, 8 * MIB, mine);
    unsigned char *q = take(8 * MIB + 1, mine); // of the next class
    CHECK(q != p);
    weft_storage_free(q, 8 * MIB + 1, mine);
}

TEST(the_last_freed_comes_first_and_that_of_the_same_node_before)
{
    unsigned char *p[3];
    for (int i = 0; i < 3; i++)
        p[i] = take(3 * MIB, mine);
    CHECK(weft_storage_pool_put(p[0], 3 * MIB, mine, (struct weft_storage_place){0, 5}));
    CHECK(weft_storage_pool_put(p[1], 3 * MIB, mine, (struct weft_storage_place){1, 6}));
    CHECK(weft_storage_pool_put(p[2], 3 * MIB, mine, (struct weft_storage_place){2, 6}));
    CHECK(weft_storage_pool_take(3 * MIB, mine, (struct weft_storage_place){7, 5}) == p[0]);
    CHECK(weft_storage_pool_take(3 * MIB, mine, (struct weft_storage_place){7, 5}) == p[2]);
    CHECK(weft_storage_pool_take(3 * MIB, mine, (struct weft_storage_place){7, 6}) == p[1]);
    CHECK(weft_storage_pool_take(3 * MIB, mine, (struct weft_storage_place){7, 6}) == NULL);
}

enum { MARK = 0xa7 };

// Frees storage and leaves a mark in it, which is_kept finds.
static void leave(unsigned char *p, size_t size)
{
    p[0] = MARK;
    weft_storage_free(p, size, mine);
}

// False: the storage went back to the system. A thread that starts may have got its addresses.
static bool is_kept(const unsigned char *p)
{
    unsigned char first = 0;
    int pair[2];
    CHECK_EQ(pipe(pair), 0);
    // Not write, which the address sanitizer looks at.
    bool readable = syscall(SYS_write, pair[1], p, 1) == 1 && read(pair[0], &first, 1) == 1;
    close(pair[0]);
    close(pair[1]);
    return readable && first == MARK;
}

TEST(the_pool_has_a_bound_and_the_oldest_goes_first)
{
    enum { N = 40 };
    unsigned char *p[N];
    CHECK_EQ(look().limit, 64 * MIB);
    for (int i = 0; i < N; i++)
        p[i] = take(3 * MIB, mine);
    for (int i = 0; i < N; i++) {
        leave(p[i], 3 * MIB);
        CHECK_LE(look().bytes, 64 * MIB);
    }
    CHECK_EQ(look().entries, 64 / 3);
    CHECK(!is_kept(p[0]));
    CHECK(is_kept(p[N - 1]));
    // Other classes push them out, and what is larger than half the pool isn't kept.
    for (int i = 0; i < 4; i++)
        p[i] = take(16 * MIB, mine);
    for (int i = 0; i < 4; i++)
        leave(p[i], 16 * MIB);
    CHECK_EQ(look().entries, 4);
    CHECK_EQ(look().bytes, 64 * MIB);
    CHECK(!is_kept(p[N - 1]));
    unsigned char *large = take(33 * MIB, mine);
    leave(large, 33 * MIB);
    CHECK(!is_kept(large));
    CHECK_EQ(look().entries, 4);
}

TEST(a_context_that_ends_leaves_nothing)
{
    unsigned char *kept = take(4 * MIB, other), *gone[SIZES];
    for (int i = 0; i < SIZES; i++)
        leave(gone[i] = take(sizes[i], mine), sizes[i]);
    weft_storage_free(kept, 4 * MIB, other);
    weft_storage_forget(mine);
    CHECK_EQ(look().entries, 1);
    CHECK_EQ(look().bytes, 4 * MIB);
    for (int i = 0; i < SIZES; i++)
        if (sizes[i] >= 2 * MIB)
            CHECK(!is_kept(gone[i]));
    CHECK(take(4 * MIB, other) == kept);
}

TEST(guards_stay_where_they_are)
{
    unsigned char *p = take(5 * MIB, mine);
    weft_storage_free(p, 5 * MIB, mine);
    CHECK(take(5 * MIB, mine) == p);
    const ptrdiff_t places[] = {-1, -(ptrdiff_t)MIB, 5 * MIB, 6 * MIB - 1};
    for (size_t i = 0; i < 4; i++) {
        fflush(NULL);
        pid_t pid = fork();
        if (pid == 0) {
            signal(SIGSEGV, SIG_DFL);
            ((volatile unsigned char *)p)[places[i]] = 1;
            _exit(0);
        }
        int status = 0;
        CHECK_EQ(waitpid(pid, &status, 0), pid);
        CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV);
    }
}

TEST(what_lies_long_is_given_back)
{
    unsigned char *old = take(6 * MIB, mine), *new = take(6 * MIB, mine);
    leave(old, 6 * MIB);
    usleep(20000);
    uint64_t between = weft_storage_pool_now();
    usleep(20000);
    leave(new, 6 * MIB);
    weft_storage_pool_trim(between);
    CHECK(!is_kept(old));
    CHECK_EQ(look().entries, 1);
    CHECK(take(6 * MIB, mine) == new);
}

// A program that does nothing more, with a thread of the pool that sleeps, and before there was one.
TEST(an_idle_process_gives_everything_back)
{
    unsigned char *p = take(24 * MIB, mine), *q = take(500, mine);
    memset(p, 1, 24 * MIB);
    weft_storage_free(q, 500, mine);
    weft_storage_free(p, 24 * MIB, mine);
    for (int round = 0; round < 2; round++) {
        CHECK_GE(look().entries, 1);
        double end = harness_seconds() + 30;
        while (look().entries && harness_seconds() < end)
            usleep(50000);
        CHECK_EQ(look().entries, 0);
        CHECK_EQ(look().bytes, 0);
        p = take(24 * MIB, mine);
        weft_storage_free(p, 24 * MIB, mine);
    }
}

static void in_a_child(void (*run)(void))
{
    fflush(NULL);
    pid_t pid = fork();
    if (pid == 0) {
        run();
        _exit(0);
    }
    int status = 1;
    CHECK_EQ(waitpid(pid, &status, 0), pid);
    CHECK_EQ(status, 0);
}

static unsigned char *of_parent;

static void use_in_child(void)
{
    unsigned char *p = take(8 * MIB, mine);
    weft_storage_free(p, 8 * MIB, mine);
    CHECK_EQ(look().entries, 1);
    CHECK(!is_kept(of_parent));
    CHECK(take(8 * MIB, mine) == p);
}

TEST(a_forked_child_gives_back_what_was_its_parents)
{
    of_parent = take(4 * MIB, mine);
    memset(of_parent, 0x77, 4 * MIB);
    leave(of_parent, 4 * MIB);
    in_a_child(use_in_child);
    CHECK(take(4 * MIB, mine) == of_parent);
    CHECK_EQ(of_parent[4 * MIB - 1], 0x77);
}

TEST(an_injected_failure_fails_and_changes_nothing)
{
    for (int i = 0; i < SIZES; i++) {
        weft_storage_free(take(sizes[i], mine), sizes[i], mine);
        size_t entries = look().entries;
        weft_alloc_fail_here_at(1);
        CHECK(weft_storage_alloc(sizes[i], mine, NULL) == NULL);
        weft_alloc_fail_at(0);
        CHECK_EQ(look().entries, entries);
    }
    CHECK_EQ(look().entries, SIZES);
}

// Addresses that the pool holds are given back to whoever has none.
static size_t address_pages(void)
{
    FILE *f = fopen("/proc/self/statm", "r");
    size_t pages = 0;
    CHECK(f && fscanf(f, "%zu", &pages) == 1);
    fclose(f);
    return pages;
}

TEST(a_failed_mapping_gets_the_pools_addresses)
{
    if (HARNESS_ASAN || HARNESS_TSAN)
        SKIP("sanitizers need addresses of their own");
    unsigned char *p[3];
    for (int i = 0; i < 3; i++)
        p[i] = take(20 * MIB, mine);
    for (int i = 0; i < 3; i++)
        weft_storage_free(p[i], 20 * MIB, mine);
    CHECK_EQ(look().entries, 3);
    // The thread that looks after the pool when all is idle starts meanwhile, and takes addresses.
    size_t pages = 0, before;
    do {
        before = pages;
        usleep(50000);
        pages = address_pages();
    } while (pages != before);
    struct rlimit limit = {pages * 4096 + 10 * MIB, RLIM_INFINITY};
    CHECK_EQ(setrlimit(RLIMIT_AS, &limit), 0);
    unsigned char *q = take(40 * MIB, mine);
    CHECK_EQ(look().entries, 0);
    weft_storage_free(q, 40 * MIB, mine);
    CHECK_EQ(look().entries, 0); // and it takes no more of them
}

TEST(zero_switches_it_off)
{
    CHECK_EQ(setenv("WEFT_POOL_MIB", "0", 1), 0);
    weft_config_reload();
    CHECK_EQ(look().limit, 0);
    CHECK_EQ(weft_storage_pool_capacity(5 * MIB + 1), 5 * MIB + 1);
    for (int i = 0; i < SIZES; i++) {
        unsigned char *p = take(sizes[i], mine);
        memset(p, 1, sizes[i]);
        leave(p, sizes[i]);
        CHECK_EQ(look().entries, 0);
        if (sizes[i] >= 2 * MIB)
            CHECK(!is_kept(p));
        p = take(sizes[i], mine);
        check_zeros(p, sizes[i]);
        weft_storage_free(p, sizes[i], mine);
    }
}

TEST(it_is_off_by_default_only_where_the_address_sanitizer_looks)
{
    CHECK_EQ(unsetenv("WEFT_POOL_MIB"), 0);
    weft_config_reload();
    if (WEFT_POISONS)
        CHECK_EQ(look().limit, 0);
    else
        CHECK_GT(look().limit, 0);
    CHECK_LE(look().limit, 1024 * MIB);
}

#if WEFT_POISONS
TEST(freed_storage_is_poisoned)
{
    stay_here();
    for (int i = 0; i < SIZES; i++) {
        unsigned char *p = take(sizes[i], mine);
        CHECK(!__asan_address_is_poisoned(p + sizes[i] - 1));
        weft_storage_free(p, sizes[i], mine);
        CHECK(__asan_address_is_poisoned(p));
        CHECK(__asan_address_is_poisoned(p + sizes[i] - 1));
        CHECK(take(sizes[i], mine) == p);
        CHECK(!__asan_address_is_poisoned(p));
        CHECK(!__asan_address_is_poisoned(p + sizes[i] - 1));
        weft_storage_free(p, sizes[i], mine);
    }
}
#endif

// Each piece is its holder's alone, and holds only what its context wrote.
static void *churn(void *arg)
{
    enum { PIECES = 12 };
    uint64_t seed = (uintptr_t)arg;
    const unsigned char who = (unsigned char)((uintptr_t)arg % 4);
    unsigned char *piece[PIECES] = {NULL};
    size_t size[PIECES] = {0};
    for (int i = 0; i < HARNESS_SCALE(20000); i++) {
        size_t at = harness_random(&seed) % PIECES;
        unsigned char *p = piece[at], mark = (unsigned char)(1 + who + 4 * at);
        if (p) {
            CHECK_EQ(p[0], mark);
            CHECK_EQ(p[size[at] - 1], mark);
            weft_storage_free(p, size[at], &owners[who]);
        }
        size[at] = 1 + harness_random(&seed) % ((size_t)64 << harness_random(&seed) % 17);
        p = piece[at] = take(size[at], &owners[who]);
        CHECK(p[0] == 0 || (p[0] - 1) % 4 == who);
        CHECK(p[size[at] - 1] == 0 || (p[size[at] - 1] - 1) % 4 == who);
        p[0] = p[size[at] - 1] = mark;
        if (i % 2000 == 1999)
            weft_storage_pool_drop();
        if (i % 500 == 499)
            CHECK_LE(look().entries, 100000);
    }
    for (size_t at = 0; at < PIECES; at++)
        if (piece[at])
            weft_storage_free(piece[at], size[at], &owners[who]);
    return NULL;
}

static void nothing(void)
{
    for (int i = 0; i < SIZES; i++)
        weft_storage_free(take(sizes[i], mine), sizes[i], mine);
}

TEST(threads_of_several_contexts)
{
    enum { THREADS = 8 };
    pthread_t threads[THREADS];
    for (uintptr_t i = 0; i < THREADS; i++)
        CHECK_EQ(pthread_create(&threads[i], NULL, churn, (void *)(i + 1)), 0);
    for (int i = 0; i < 10 && !HARNESS_TSAN; i++)
        in_a_child(nothing);
    for (int i = 0; i < THREADS; i++)
        CHECK_EQ(pthread_join(threads[i], NULL), 0);
    CHECK_LE(look().bytes, 64 * MIB);
    for (int i = 0; i < 4; i++)
        weft_storage_forget(&owners[i]);
    CHECK_EQ(look().entries, 0);
    CHECK_EQ(look().bytes, 0);
    struct weft_arena_state arena;
    weft_arena_look(&arena);
    CHECK_EQ(arena.pieces, 0);
}
