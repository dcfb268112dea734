// Changed program binaries, SPIR-V and cache entries. They are rejected or regenerated, and never run.
// timeout: 300
#include <fcntl.h>
#include <ftw.h>
#include <sys/stat.h>

#include "e2e/e2e.h"

static const char source[] =
    "kernel void twice(global int *p, int n) { p[get_global_id(0)] = p[get_global_id(0)] * 2 + n; }";

enum { MAX_BYTES = 1 << 20 };

// Flips, changes, removes or inserts bytes. The result always differs from the input. Returns the new size.
static size_t mutate(unsigned char *p, size_t n, uint64_t *seed)
{
    size_t at = harness_random(seed) % n, length = 1 + harness_random(seed) % 64;
    switch (harness_random(seed) % 5) {
    case 0:
        p[at] ^= (unsigned char)(1u << harness_random(seed) % 8);
        return n;
    case 1:
        p[at] = (unsigned char)(p[at] + 1 + harness_random(seed) % 255);
        return n;
    case 2:
        return at;
    case 3:
        memmove(p + at + length, p + at, n - at);
        memset(p + at, (int)harness_random(seed), length);
        p[n + length - 1] ^=
            1; // if it were inserted at the end, or bytes repeat, the result might be equivalent
        return n + length;
    default:
        for (size_t i = at; i < n && i < at + length; i++)
            p[i] = (unsigned char)~p[i];
        return n;
    }
}

TEST(changed_binaries_are_refused)
{
    setenv("WEFT_CACHE", "0", 1);
    struct e2e t = e2e_open();
    cl_program p = e2e_build(&t, source, "");
    static unsigned char good[MAX_BYTES], bad[MAX_BYTES + 64];
    unsigned char *to = good;
    size_t size = 0;
    CHECK_EQ(clGetProgramInfo(p, CL_PROGRAM_BINARY_SIZES, sizeof size, &size, NULL), CL_SUCCESS);
    CHECK(size > 100 && size < MAX_BYTES);
    CHECK_EQ(clGetProgramInfo(p, CL_PROGRAM_BINARIES, sizeof to, &to, NULL), CL_SUCCESS);
    CHECK_EQ(clReleaseProgram(p), CL_SUCCESS);
    uint64_t seed = 1;
    const unsigned char *from = bad;
    for (int i = 0; i < HARNESS_SCALE(20000); i++) {
        memcpy(bad, good, size);
        size_t n = mutate(bad, size, &seed);
        cl_int error = 1, status = 1;
        p = clCreateProgramWithBinary(t.context, 1, &t.device, &n, &from, &status, &error);
        if (p || error != (n ? CL_INVALID_BINARY : CL_INVALID_VALUE) || status != error)
            FAIL("mutant %d of %zu bytes: %d, %d", i, n, error, status);
    }
    // The unchanged binary still works.
    cl_int error = 1;
    from = good;
    p = clCreateProgramWithBinary(t.context, 1, &t.device, &size, &from, NULL, &error);
    CHECK_EQ(error, CL_SUCCESS);
    CHECK_EQ(clBuildProgram(p, 1, &t.device, "", NULL, NULL), CL_SUCCESS);
    CHECK_EQ(clReleaseProgram(p), CL_SUCCESS);
    e2e_works(&t, "");
    e2e_close(&t);
}

// Changes whole words: flips that break the framing are rejected too early to reach the translator. A module
// that is still valid may run; its kernel gets arguments of its own.
TEST(changed_modules_build_or_do_not)
{
    setenv("WEFT_CACHE", "0", 1);
    setenv("WEFT_BUILD_TIMEOUT", "30", 1);
    struct e2e t = e2e_open();
    e2e_needs_spirv(&t);
    const char *where = getenv("WEFT_TEST_MODULES");
    if (where && !*where)
        SKIP("there is no spirv-as, so there are no modules");
    static const char *const names[] = {"saxpy", "image", "constants", "newer"};
    int iterations = getenv("WEFT_TEST_LONG") ? 2000 : HARNESS_SCALE(100), built = 0;
    uint64_t seed = 2;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        static unsigned char good[MAX_BYTES], bad[MAX_BYTES];
        char path[512];
        snprintf(path, sizeof path, "%s/%s.spv", where ? where : ".", names[i]);
        FILE *f = fopen(path, "rb");
        if (!f)
            FAIL("no module %s", path);
        size_t size = fread(good, 1, sizeof good, f);
        fclose(f);
        for (int round = 0; round < iterations; round++) {
            memcpy(bad, good, size);
            for (uint64_t changes = 1 + harness_random(&seed) % 3; changes; changes--) {
                size_t at = 20 + 4 * (harness_random(&seed) % ((size - 20) / 4));
                uint32_t word;
                memcpy(&word, bad + at, 4);
                word ^= harness_random(&seed) % 4 ? (uint32_t)(1u << harness_random(&seed) % 16)
                                                  : (uint32_t)harness_random(&seed);
                memcpy(bad + at, &word, 4);
            }
            cl_int error = 1;
            cl_program p = clCreateProgramWithIL(t.context, bad, size, &error);
            if (!p) {
                CHECK_EQ(error, CL_INVALID_VALUE);
                continue;
            }
            error = clBuildProgram(p, 1, &t.device, "", NULL, NULL);
            if (error != CL_SUCCESS && error != CL_BUILD_PROGRAM_FAILURE)
                FAIL("%s, round %d: %d", names[i], round, error);
            built += error == CL_SUCCESS;
            CHECK_EQ(clReleaseProgram(p), CL_SUCCESS);
        }
    }
    printf("%d changed modules of %d were built\n", built, 4 * iterations);
    e2e_works(&t, "");
    e2e_close(&t);
}

// ---- The cache ----

static char folder[] = "/tmp/weft-test-XXXXXX";
static uint64_t cache_seed = 3;
static int changed;

static int change_one(const char *path, const struct stat *st, int type, struct FTW *place)
{
    (void)place;
    static unsigned char bytes[MAX_BYTES + 64];
    if (type != FTW_F || st->st_size == 0 || st->st_size > MAX_BYTES)
        return 0;
    int fd = open(path, O_RDWR | O_CLOEXEC);
    ssize_t n = fd >= 0 ? read(fd, bytes, MAX_BYTES) : -1;
    if (n > 0) {
        size_t size = mutate(bytes, (size_t)n, &cache_seed);
        if (ftruncate(fd, (off_t)size) == 0 && pwrite(fd, bytes, size, 0) == (ssize_t)size)
            changed++;
    }
    if (fd >= 0)
        close(fd);
    return 0;
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *place)
{
    (void)st, (void)type, (void)place;
    return remove(path);
}

TEST(a_changed_cache_is_made_again)
{
    CHECK(mkdtemp(folder) != NULL);
    setenv("WEFT_CACHE", "1", 1);
    setenv("WEFT_CACHE_DIR", folder, 1);
    for (int round = 0; round < HARNESS_SCALE(40); round++) {
        fflush(NULL);
        pid_t pid = fork();
        if (pid == 0) {
            alarm(100);
            struct e2e t = e2e_open();
            e2e_works(&t, "-DONE");
            e2e_works(&t, "-DTWO");
            e2e_close(&t);
            exit(0); // stores what hasn't been stored yet
        }
        int status = 1;
        CHECK_EQ(waitpid(pid, &status, 0), pid);
        CHECK_EQ(status, 0);
        CHECK_EQ(nftw(folder, change_one, 16, FTW_PHYS), 0);
    }
    CHECK_GT(changed, 0);
    int left = -1;
    for (int i = 0; left != 0 && i < 500; i++)
        if ((left = nftw(folder, remove_one, 16, FTW_DEPTH | FTW_PHYS)) != 0)
            usleep(20000);
    CHECK_EQ(left, 0);
}

// ---- The cache, changed while it is in use ----

static _Atomic bool spoiled_enough;

// What another program, or a person, may do to a file.
static int spoil_one(const char *path, const struct stat *st, int type, struct FTW *place)
{
    static uint64_t seed = 5;
    if (type == FTW_D && place->level == 0 && harness_random(&seed) % 50 == 0 && chmod(path, 0) == 0) {
        usleep(300);
        CHECK_EQ(chmod(path, 0700), 0);
    }
    if (type != FTW_F)
        return 0;
    int result = -1;
    switch (harness_random(&seed) % 8) {
    case 0:
        result = truncate(path, 0);
        break;
    case 1:
        result = truncate(path, (off_t)1 << 40); // larger than any memory
        break;
    case 2:
        result = truncate(path, st->st_size / 2);
        break;
    case 3:
        unlink(path);
        result = mkfifo(path, 0600);
        break;
    case 4:
        unlink(path);
        result = mkdir(path, 0700);
        break;
    case 5:
        unlink(path);
        result = symlink("/dev/zero", path);
        break;
    case 6:
        result = chmod(path, 0666);
        break;
    default:
        result = unlink(path);
    }
    changed += result == 0;
    return 0;
}

static void *keep_spoiling(void *unused)
{
    while (!spoiled_enough) {
        nftw(folder, spoil_one, 16, FTW_PHYS);
        usleep(500);
    }
    return unused;
}

static void *build_with_the_cache(void *unused)
{
    struct e2e t = e2e_open();
    for (int i = 0; i < HARNESS_SCALE(60); i++) {
        char option[32];
        snprintf(option, sizeof option, "-DROUND=%d", i % 6);
        e2e_works(&t, option);
    }
    e2e_close(&t);
    return unused;
}

TEST(a_cache_that_is_spoiled_while_it_is_used)
{
    CHECK(mkdtemp(folder) != NULL);
    setenv("WEFT_CACHE", "1", 1);
    setenv("WEFT_CACHE_DIR", folder, 1);
    setenv("WEFT_CACHE_SIZE", "1", 1);
    pthread_t spoiler, threads[4];
    CHECK_EQ(pthread_create(&spoiler, NULL, keep_spoiling, NULL), 0);
    for (int i = 0; i < 4; i++)
        CHECK_EQ(pthread_create(&threads[i], NULL, build_with_the_cache, NULL), 0);
    for (int i = 0; i < 4; i++)
        CHECK_EQ(pthread_join(threads[i], NULL), 0);
    spoiled_enough = true;
    CHECK_EQ(pthread_join(spoiler, NULL), 0);
    CHECK_GT(changed, 0);
    nftw(folder, remove_one, 16, FTW_DEPTH | FTW_PHYS);
    struct e2e t = e2e_open(); // also after the folder has been removed
    e2e_works(&t, "-DGONE");
    e2e_close(&t);
    nftw(folder, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

TEST(a_header_without_instructions_is_no_module)
{
    struct e2e t = e2e_open();
    e2e_needs_spirv(&t);
    static const uint32_t header[] = {0x07230203, 0x10000, 0, 10, 0};
    cl_int error = 0;
    CHECK(clCreateProgramWithIL(t.context, header, sizeof header, &error) == NULL);
    CHECK_EQ(error, CL_INVALID_VALUE);
    CHECK_CONTAINS(e2e_notice, "OpMemoryModel");
    e2e_close(&t);
}
