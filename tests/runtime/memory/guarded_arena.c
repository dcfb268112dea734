// Where small buffers lie, between guard pages: lib/runtime/memory/guarded_arena.h.
// timeout: 120
#include "harness.h"

#include <sys/resource.h>
#include <sys/wait.h>

#include "runtime/memory/memory.h"
#include "runtime/memory/guarded_arena.h"
#include "runtime/memory/storage.h"
#include "weft/fault.h"

static struct weft_arena_state look(void)
{
    struct weft_arena_state s;
    weft_arena_look(&s);
    return s;
}

static uint32_t next(uint64_t *seed)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(*seed >> 33);
}

static size_t any_size(uint64_t *seed)
{
    size_t most = (size_t)128 << next(seed) % 15;
    size_t n = 1 + next(seed) % most;
    return n > WEFT_ARENA_MAX ? WEFT_ARENA_MAX : n;
}

// Takes and frees pieces of any size and checks that each is its owner's alone.
static void *churn(void *arg)
{
    enum { PIECES = 100 };
    uint64_t seed = (uintptr_t)arg;
    unsigned char *piece[PIECES] = {NULL};
    size_t size[PIECES] = {0};
    for (int i = 0; i < HARNESS_SCALE(20000); i++) {
        size_t at = next(&seed) % PIECES;
        if (piece[at]) {
            CHECK_EQ(piece[at][0], at);
            CHECK_EQ(piece[at][size[at] / 2], at);
            CHECK_EQ(piece[at][size[at] - 1], at);
            weft_arena_free(piece[at]);
        }
        size[at] = any_size(&seed);
        piece[at] = weft_arena_alloc(size[at]);
        CHECK(piece[at] != NULL);
        CHECK_EQ((uintptr_t)piece[at] % WEFT_DEVICE_MEM_ALIGN, 0);
        piece[at][0] = piece[at][size[at] / 2] = piece[at][size[at] - 1] = (unsigned char)at;
    }
    for (size_t at = 0; at < PIECES; at++)
        if (piece[at])
            weft_arena_free(piece[at]);
    return NULL;
}

TEST(no_two_owners_share_a_piece)
{
    pthread_t threads[4];
    for (uintptr_t i = 0; i < 4; i++)
        CHECK_EQ(pthread_create(&threads[i], NULL, churn, (void *)(i + 1)), 0);
    for (int i = 0; i < 4; i++)
        CHECK_EQ(pthread_join(threads[i], NULL), 0);
    struct weft_arena_state s = look();
    CHECK_EQ(s.pieces, 0);
    CHECK_LE(s.warm, 64 << 20);
    CHECK_LE(s.regions, 4);
}

TEST(every_size_has_a_piece_that_fits_and_wastes_little)
{
    for (size_t n = 1; n <= WEFT_ARENA_MAX; n += n < 5000 ? 1 : n / 50) {
        unsigned char *a = weft_arena_alloc(n), *b = weft_arena_alloc(n);
        CHECK(a && b);
        size_t apart = (size_t)(a > b ? a - b : b - a);
        CHECK_GE(apart, n);
        if (n <= 32 << 10) // of one span
            CHECK_LE(apart, n + n / 4 + 127 + 64);
        if (n <= 512) // and keeps a distance
            CHECK_GE(apart, n + 64);
        a[n - 1] = b[n - 1] = 1;
        weft_arena_free(a);
        weft_arena_free(b);
    }
}

static int count_mappings(void)
{
    FILE *f = fopen("/proc/self/maps", "r");
    CHECK(f != NULL);
    int lines = 0;
    for (int c; (c = getc(f)) != EOF;)
        lines += c == '\n';
    fclose(f);
    return lines;
}

TEST(many_tiny_pieces_need_neither_a_page_nor_a_mapping_each)
{
    enum { N = 100000 };
    static void *piece[N];
    weft_arena_free(weft_arena_alloc(1));
    int before = count_mappings();
    for (int i = 0; i < N; i++)
        CHECK((piece[i] = weft_arena_alloc(1)) != NULL);
    CHECK_LE(look().spans, N / 2048 + 2);
    CHECK_LE(count_mappings(), before + 20);
    for (int i = 0; i < N; i++)
        weft_arena_free(piece[i]);
    CHECK_EQ(look().pieces, 0);
}

static long faults(void)
{
    struct rusage u;
    CHECK_EQ(getrusage(RUSAGE_SELF, &u), 0);
    return u.ru_minflt;
}

TEST(what_is_made_and_released_in_a_loop_stays_warm)
{
    static const size_t sizes[] = {128, 4096, 64 << 10, 300 << 10, 1 << 20, 1500000};
    if (HARNESS_ASAN || HARNESS_TSAN)
        SKIP("sanitizers have page faults of their own");
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        long before = 0;
        for (int round = 0; round < 200; round++) {
            if (round == 1)
                before = faults();
            void *p = weft_arena_alloc(sizes[i]);
            CHECK(p != NULL);
            memset(p, round, sizes[i]);
            weft_arena_free(p);
        }
        CHECK_LE(faults() - before, 3);
    }
}

// Of this process, in bytes: its addresses, and the memory that is there.
static void sizes(size_t *addresses, size_t *resident)
{
    FILE *f = fopen("/proc/self/statm", "r");
    CHECK(f && fscanf(f, "%zu %zu", addresses, resident) == 2);
    fclose(f);
    *addresses *= 4096;
    *resident *= 4096;
}

static size_t resident(void)
{
    size_t all, there;
    sizes(&all, &there);
    return there;
}

static size_t addresses(void)
{
    size_t all, there;
    sizes(&all, &there);
    return all;
}

// What stays warm has a bound, and is what was used last.
TEST(what_nobody_uses_goes_back)
{
    enum { N = 300, SIZE = 1 << 20 };
    static char *piece[N];
    size_t before = resident();
    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < N; i++) {
            CHECK((piece[i] = weft_arena_alloc(SIZE)) != NULL);
            memset(piece[i], 1, SIZE);
        }
        for (int i = 0; i < N; i++)
            weft_arena_free(piece[i]);
        CHECK_LE(look().warm, 64 << 20);
        CHECK_GE(look().warm, 32 << 20);
        if (!HARNESS_ASAN && !HARNESS_TSAN)
            CHECK_LE(resident(), before + (80u << 20));
    }
    // Another size pushes them out.
    for (int i = 0; i < N; i++)
        CHECK((piece[i] = weft_arena_alloc(100 << 10)) != NULL);
    for (int i = 0; i < N; i++)
        weft_arena_free(piece[i]);
    for (int i = 0; i < 2000; i++)
        weft_arena_free(weft_arena_alloc(SIZE / 2 + (size_t)i % 4 * SIZE / 4));
    CHECK_LE(look().warm, 64 << 20);
}

static int by_address(const void *a, const void *b)
{
    char *x = *(char *const *)a, *y = *(char *const *)b;
    return (x > y) - (x < y);
}

// More than any region has: what isn't written costs nothing.
TEST(many_regions_come_and_go)
{
    enum { N = 12000, SIZE = 1500000 };
    static char *piece[N], *sorted[N];
    if (HARNESS_ASAN || HARNESS_TSAN)
        SKIP("their marks of so much memory are memory");
    weft_arena_free(weft_arena_alloc(1));
    size_t before = addresses();
    int mappings = count_mappings();
    for (int round = 0; round < 2; round++) {
        for (int i = 0; i < N; i++) {
            CHECK((piece[i] = weft_arena_alloc(SIZE)) != NULL);
            if (i % 100 == 0)
                piece[i][0] = piece[i][SIZE - 1] = 1;
        }
        CHECK_GE(look().regions, 3);
        memcpy(sorted, piece, sizeof piece);
        qsort(sorted, N, sizeof *sorted, by_address);
        for (int i = 1; i < N; i++)
            CHECK_GE(sorted[i] - sorted[i - 1], SIZE);
        // With holes between them they need no mapping each.
        for (int i = 0; i < N; i += 2)
            weft_arena_free(piece[i]);
        CHECK_LE(count_mappings(), mappings + 100);
        for (int i = 1; i < N; i += 2)
            weft_arena_free(piece[i]);
        CHECK_EQ(look().pieces, 0);
        CHECK_LE(look().warm, 64 << 20);
    }
    weft_arena_trim();
    CHECK_EQ(look().regions, 0);
    CHECK_LE(addresses(), before);
}

// Pieces that are left keep no others' pages.
TEST(holes_between_large_pieces_go_back)
{
    enum { N = 800, SIZE = 256 << 10 };
    static char *piece[N];
    if (HARNESS_ASAN || HARNESS_TSAN)
        SKIP("sanitizers have memory of their own");
    size_t before = resident();
    for (int i = 0; i < N; i++) {
        CHECK((piece[i] = weft_arena_alloc(SIZE)) != NULL);
        memset(piece[i], 1, SIZE);
    }
    for (int i = 0; i < N; i++)
        if (i % 4)
            weft_arena_free(piece[i]);
    CHECK_LE(resident(), before + (size_t)N / 4 * SIZE + (80u << 20));
    for (int i = 0; i < N; i += 4)
        weft_arena_free(piece[i]);
}

TEST(a_failed_allocation_leaves_nothing_behind)
{
    for (uint64_t n = 1; n < 6; n++) {
        size_t size = (size_t)200 << 2 * n;
        struct weft_arena_state before = look();
        weft_alloc_fail_here_at(n);
        void *p = weft_arena_alloc(size);
        bool failed = !weft_alloc_fail_is_ahead();
        weft_alloc_fail_at(0);
        CHECK_EQ(p == NULL, failed);
        if (failed) {
            CHECK_EQ(look().pieces, before.pieces);
            CHECK_EQ(look().spans, before.spans);
            p = weft_arena_alloc(size);
        }
        CHECK(p != NULL);
        memset(p, 1, size);
        weft_arena_free(p);
    }
}

// As many as there are addresses for, in regions of their size; and all again when there are more.
TEST(scarce_addresses)
{
    if (HARNESS_ASAN || HARNESS_TSAN)
        SKIP("sanitizers need more than that");
    enum { N = 1000 };
    static void *piece[N];
    const struct rlimit few = {addresses() + (40u << 20), RLIM_INFINITY},
                        all = {RLIM_INFINITY, RLIM_INFINITY};
    CHECK_EQ(setrlimit(RLIMIT_AS, &few), 0);
    for (int round = 0; round < 3; round++) {
        int n = 0;
        while (n < N && (piece[n] = weft_arena_alloc(round == 1 ? 100 << 10 : 1 << 20)) != NULL) {
            memset(piece[n], n & 255, 100 << 10);
            n++;
        }
        for (int i = 0; i < n; i++)
            for (int at = 0; at < 100 << 10; at += 4096)
                CHECK_EQ(((unsigned char *)piece[i])[at], i & 255);
        CHECK_LT(n, N);
        CHECK_GE(n, round == 1 ? 200 : 20);
        while (n)
            weft_arena_free(piece[--n]);
    }
    CHECK_LE(look().regions, 20);
    void *large = weft_storage_alloc(4 << 20, NULL, NULL); // with smaller guards, or none
    if (large)
        weft_storage_free(large, 4 << 20, NULL);
    CHECK_EQ(setrlimit(RLIMIT_AS, &all), 0);
    for (int n = 0; n < N; n++)
        CHECK((piece[n] = weft_arena_alloc(100 << 10)) != NULL);
    for (int n = 0; n < N; n++)
        weft_arena_free(piece[n]);
}

static _Atomic bool stop;

static void *churn_on(void *arg)
{
    while (!atomic_load(&stop))
        churn(arg);
    return NULL;
}

TEST(a_fork_finds_it_whole)
{
    if (HARNESS_TSAN)
        SKIP("the thread sanitizer has no threads after a fork");
    pthread_t threads[2];
    for (uintptr_t i = 0; i < 2; i++)
        CHECK_EQ(pthread_create(&threads[i], NULL, churn_on, (void *)(i + 1)), 0);
    for (int i = 0; i < HARNESS_SCALE(50); i++) {
        fflush(NULL);
        pid_t pid = fork();
        if (pid == 0) {
            alarm(60);
            void *p[20];
            for (size_t n = 0; n < 20; n++) {
                p[n] = weft_arena_alloc((size_t)150 << n % 14);
                CHECK(p[n] != NULL);
                memset(p[n], 1, (size_t)150 << n % 14);
            }
            for (size_t n = 0; n < 20; n++)
                weft_arena_free(p[n]);
            _exit(0);
        }
        int status = 1;
        CHECK_EQ(waitpid(pid, &status, 0), pid);
        CHECK_EQ(status, 0);
    }
    atomic_store(&stop, true);
    for (int i = 0; i < 2; i++)
        CHECK_EQ(pthread_join(threads[i], NULL), 0);
}

static void write_one(void *at)
{
    *(volatile char *)at = 1;
}

static bool is_writable(char *at)
{
    struct weft_fault fault;
    weft_fault_install();
    return weft_fault_call(write_one, at, &fault);
}

// Kernels of real programs load a row before or behind an image.
TEST(near_loads_beyond_storage_give_zeros)
{
    enum { SIZE = 3 << 20, MARGIN = 512 << 10 };
    char *p = weft_storage_alloc(SIZE, NULL, NULL);
    CHECK(p != NULL);
    for (int at = 1; at <= MARGIN; at += 4096) {
        CHECK_EQ(p[-at], 0);
        CHECK_EQ(p[SIZE + at - 1], 0);
    }
    weft_storage_free(p, SIZE, NULL);
}

TEST(large_storage_lies_between_guards)
{
    enum { SIZE = 3 << 20, GUARD = 1 << 20 };
    char *two[2];
    for (int i = 0; i < 2; i++)
        CHECK((two[i] = weft_storage_alloc(SIZE, NULL, NULL)) != NULL);
    for (int i = 0; i < 2; i++) {
        CHECK_EQ((uintptr_t)two[i] % (2 << 20), 0);
        CHECK(is_writable(two[i]));
        CHECK(is_writable(two[i] + SIZE - 1));
        for (int at = 0; at < GUARD; at += 4096) {
            CHECK(!is_writable(two[i] - 1 - at));
            CHECK(!is_writable(two[i] + SIZE + at));
        }
    }
    for (int i = 0; i < 2; i++)
        weft_storage_free(two[i], SIZE, NULL);
}
