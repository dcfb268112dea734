// Kernels that write far beyond their memory don't reach the program's memory. Each case runs in a process of
// its own, which continues, runs another kernel and ends normally.
// timeout: 300
#include <pthread.h>
#include <sys/wait.h>

#include "e2e/e2e.h"

static const char source[] =
    "void write_beyond(global uchar *p, long begin, ulong bytes)\n"
    "{\n"
    "    ulong n = get_global_size(0), i = get_global_id(0), step = bytes / n;\n"
    "    if (step == 0) p[begin + (long)(i % bytes)] = 0xee;\n"
    "    else for (ulong k = i * step; k < (i + 1) * step; k++) p[begin + (long)k] = 0xee;\n"
    "}\n"
    "kernel void beyond(global uchar *p, long begin, ulong bytes) { write_beyond(p, begin, bytes); }\n";

// Heap memory of the program, which nothing else writes.
enum { BLOCKS = 2000 };
static unsigned char *block[BLOCKS];

static size_t block_size(size_t i)
{
    return (size_t)24 << i % 10;
}

static void fill_blocks(size_t from)
{
    for (size_t i = from; i < BLOCKS; i += 2) {
        block[i] = malloc(block_size(i));
        CHECK(block[i] != NULL);
        memset(block[i], (int)(i % 251), block_size(i));
    }
}

static void check_blocks(void)
{
    for (size_t i = 0; i < BLOCKS; i++)
        for (size_t at = 0; at < block_size(i); at++)
            CHECK_EQ(block[i][at], i % 251);
}

static void run_beyond(struct e2e *t, cl_kernel k, cl_mem m, cl_long begin, cl_ulong bytes, size_t items)
{
    cl_event e;
    E2E_ARG(k, 0, m);
    E2E_ARG(k, 1, begin);
    E2E_ARG(k, 2, bytes);
    int notices = e2e_notices;
    CHECK_EQ(clEnqueueNDRangeKernel(t->queue, k, 1, NULL, &items, NULL, 0, NULL, &e), CL_SUCCESS);
    CHECK_EQ(clFinish(t->queue), CL_SUCCESS);
    cl_int status = e2e_status(e);
    if (status != CL_COMPLETE) { // otherwise it has only hit other storage of kernels
        CHECK_LT(status, 0);
        CHECK_GT(e2e_notices, notices);
        CHECK_CONTAINS(e2e_notice, "kernel beyond: access to memory that isn't there (SEGV) at address 0x");
    }
    CHECK_EQ(clReleaseEvent(e), CL_SUCCESS);
}

static void one_case(size_t size, cl_ulong bytes, bool behind)
{
    fill_blocks(0);
    struct e2e t = e2e_open();
    cl_kernel k = e2e_kernel(&t, source, "", "beyond");
    cl_mem before[4], after[4]; // neighbours
    for (int i = 0; i < 4; i++)
        before[i] = e2e_buffer(&t, size, NULL);
    cl_mem m = e2e_buffer(&t, size, NULL);
    for (int i = 0; i < 4; i++)
        after[i] = e2e_buffer(&t, size, NULL);
    fill_blocks(1);
    static const size_t items[] = {1, 256, 100000};
    for (size_t i = 0; i < sizeof items / sizeof items[0]; i++)
        run_beyond(&t, k, m, behind ? (cl_long)size : -(cl_long)bytes, bytes, items[i]);
    check_blocks();
    e2e_works(&t, "-DAFTER");
    for (int i = 0; i < 4; i++) {
        CHECK_EQ(clReleaseMemObject(before[i]), CL_SUCCESS);
        CHECK_EQ(clReleaseMemObject(after[i]), CL_SUCCESS);
    }
    CHECK_EQ(clReleaseMemObject(m), CL_SUCCESS);
    CHECK_EQ(clReleaseKernel(k), CL_SUCCESS);
    e2e_close(&t);
    for (size_t i = 0; i < BLOCKS; i++)
        free(block[i]);
}

#define IN_A_PROCESS(run, size, bytes, behind) in_a_process(#run, run, size, bytes, behind)

static void in_a_process(const char *what, void (*run)(size_t size, cl_ulong bytes, bool behind), size_t size,
                         cl_ulong bytes, bool behind)
{
    fflush(NULL);
    pid_t pid = fork();
    if (pid == 0) {
        alarm(100);
        run(size, bytes, behind);
        exit(0);
    }
    int status = 1;
    CHECK_EQ(waitpid(pid, &status, 0), pid);
    if (status)
        FAIL("%s of %zu, %llu bytes %s it, WEFT_TIER=%s: status %#x", what, size, (unsigned long long)bytes,
             behind ? "behind" : "before", getenv("WEFT_TIER") ? getenv("WEFT_TIER") : "", (unsigned)status);
}

static const size_t sizes[] = {64, 256, 4 << 10, 64 << 10, 1 << 20, 3 << 20};
static const cl_ulong distances[] = {4 << 10, 64 << 10, 1 << 20};

static void all_cases(bool behind)
{
    if (HARNESS_TSAN)
        SKIP("the thread sanitizer delays signals");
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
        for (size_t d = 0; d < sizeof distances / sizeof distances[0]; d++)
            IN_A_PROCESS(one_case, sizes[i], distances[d], behind);
}

TEST(kernels_that_write_after_their_buffers)
{
    all_cases(true);
}

TEST(kernels_that_write_before_their_buffers)
{
    all_cases(false);
}

// ---- Other memory that kernels write ----

static void shared_virtual_memory(size_t size, cl_ulong bytes, bool behind)
{
    fill_blocks(0);
    struct e2e t = e2e_open();
    cl_kernel k = e2e_kernel(&t, source, "", "beyond");
    unsigned char *p = clSVMAlloc(t.context, CL_MEM_READ_WRITE, size, 0);
    CHECK(p != NULL);
    fill_blocks(1);
    cl_long begin = behind ? (cl_long)size : -(cl_long)bytes;
    CHECK_EQ(clSetKernelArgSVMPointer(k, 0, p), CL_SUCCESS);
    E2E_ARG(k, 1, begin);
    E2E_ARG(k, 2, bytes);
    e2e_run(&t, k, 256, NULL);
    CHECK_EQ(clFinish(t.queue), CL_SUCCESS);
    check_blocks();
    e2e_works(&t, "-DAFTER");
    clSVMFree(t.context, p);
    CHECK_EQ(clReleaseKernel(k), CL_SUCCESS);
    e2e_close(&t);
}

// Program-scope variables, and local memory that is static or an argument.
static void own_memory(size_t size, cl_ulong bytes, bool behind)
{
    fill_blocks(0);
    struct e2e t = e2e_open();
    char options[64];
    snprintf(options, sizeof options, "-cl-std=CL3.0 -DSIZE=%zu", size);
    cl_program p = e2e_build(
        &t,
        "global uchar variable[SIZE];\n"
        "kernel void of_program(long at, ulong n) { for (ulong i = 0; i < n; i++) variable[at + (long)i] = "
        "0xee; }\n"
        "kernel void of_group(long at, ulong n)\n"
        "{ local uchar l[SIZE]; local uchar *p = l; for (ulong i = 0; i < n; i++) p[at + (long)i] = 0xee; }\n"
        "kernel void of_argument(long at, ulong n, local uchar *l)\n"
        "{ for (ulong i = 0; i < n; i++) l[at + (long)i] = 0xee; }\n",
        options);
    fill_blocks(1);
    static const char *const names[] = {"of_program", "of_group", "of_argument"};
    for (int i = 0; i < 3; i++) {
        cl_int error = 1;
        cl_kernel k = clCreateKernel(p, names[i], &error);
        CHECK_EQ(error, CL_SUCCESS);
        cl_long begin = behind ? (cl_long)size : -(cl_long)bytes;
        E2E_ARG(k, 0, begin);
        E2E_ARG(k, 1, bytes);
        if (i == 2)
            CHECK_EQ(clSetKernelArg(k, 2, size, NULL), CL_SUCCESS);
        for (size_t items = 1; items < 10000; items *= 64)
            e2e_run(&t, k, items, NULL);
        CHECK_EQ(clFinish(t.queue), CL_SUCCESS);
        CHECK_EQ(clReleaseKernel(k), CL_SUCCESS);
    }
    check_blocks();
    CHECK_EQ(clReleaseProgram(p), CL_SUCCESS);
    e2e_works(&t, "-DAFTER");
    e2e_close(&t);
}

TEST(kernels_that_write_beyond_other_memory_of_theirs)
{
    if (HARNESS_TSAN)
        SKIP("the thread sanitizer delays signals");
    for (int behind = 0; behind < 2; behind++)
        for (size_t d = 0; d < sizeof distances / sizeof distances[0]; d++) {
            IN_A_PROCESS(shared_virtual_memory, 64, distances[d], behind);
            IN_A_PROCESS(shared_virtual_memory, 64 << 10, distances[d], behind);
            IN_A_PROCESS(own_memory, 64, distances[d], behind);
            IN_A_PROCESS(own_memory, 16 << 10, distances[d], behind);
        }
}

// ---- Private arrays ----

// Beyond private arrays lie the frames of the kernel's callers. A kernel may overwrite its own variables and
// never end. The next element of an array is up to 64 elements away, because lanes are interleaved. The
// kernel writes whole words, which are no valid pointers: a half-overwritten pointer might lead anywhere.
static void private_arrays(size_t items, cl_ulong bytes, bool behind)
{
    CHECK_EQ(setenv("WEFT_KERNEL_TIMEOUT", "1", 1), 0);
    fill_blocks(0);
    struct e2e t = e2e_open();
    cl_program p = e2e_build(
        &t,
        "kernel void in_bytes(global int *out, long begin, ulong n)\n"
        "{ uchar a[64]; for (int i = 0; i < 64; i++) a[i] = (uchar)(i + n);\n"
        "  for (ulong i = 0; i < n; i++) a[begin + (long)i] = 0xee;\n"
        "  out[get_global_id(0)] = a[n % 64]; }\n"
        "void fill(ulong *a, long begin, ulong n) { for (ulong i = 0; i < n; i++) a[begin + (long)i] = "
        "0xeeeeeeeeeeeeeeeeul; }\n"
        "kernel void in_words(global int *out, long begin, ulong n)\n"
        "{ ulong a[8]; for (int i = 0; i < 8; i++) a[i] = n;\n"
        "  fill(a, begin / 8, n / 8); barrier(CLK_GLOBAL_MEM_FENCE);\n"
        "  out[get_global_id(0)] = (int)a[n % 8]; }\n"
        "kernel void one_word(global int *out, long begin, ulong n)\n"
        "{ ulong a[8]; for (int i = 0; i < 8; i++) a[i] = n;\n"
        "  a[(begin > 0 ? (long)n : -(long)n) / 8 + (long)get_local_id(0)] = 0xeeeeeeeeeeeeeeeeul;\n"
        "  out[get_global_id(0)] = (int)a[get_local_id(0) % 8]; }\n",
        "");
    cl_mem out = e2e_buffer(&t, items * sizeof(cl_int), NULL);
    fill_blocks(1);
    static const char *const names[] = {"in_bytes", "in_words", "one_word"};
    for (int i = 0; i < 3; i++) {
        cl_int error = 1;
        cl_kernel k = clCreateKernel(p, names[i], &error);
        CHECK_EQ(error, CL_SUCCESS);
        // A launch whose code exists may run on the thread that waits for it.
        cl_long begin = 1;
        cl_ulong eight = 8;
        E2E_ARG(k, 0, out);
        E2E_ARG(k, 1, begin);
        E2E_ARG(k, 2, eight);
        e2e_run(&t, k, 1, NULL);
        CHECK_EQ(clFinish(t.queue), CL_SUCCESS);
        begin = behind ? 64 : -(cl_long)bytes;
        E2E_ARG(k, 1, begin);
        E2E_ARG(k, 2, bytes);
        e2e_run(&t, k, items, NULL);
        CHECK_EQ(clFinish(t.queue), CL_SUCCESS);
        CHECK_EQ(clReleaseKernel(k), CL_SUCCESS);
    }
    check_blocks();
    CHECK_EQ(clReleaseMemObject(out), CL_SUCCESS);
    CHECK_EQ(clReleaseProgram(p), CL_SUCCESS);
    e2e_works(&t, "-DAFTER");
    e2e_close(&t);
}

// A thread with a small stack.
static size_t items_now;
static cl_ulong bytes_now;
static bool behind_now;

static void *with_little_stack(void *unused)
{
    private_arrays(items_now, bytes_now, behind_now);
    return unused;
}

static void private_arrays_on_little_stack(size_t items, cl_ulong bytes, bool behind)
{
    items_now = items, bytes_now = bytes, behind_now = behind;
    pthread_attr_t a;
    pthread_t thread;
    CHECK_EQ(pthread_attr_init(&a), 0);
    CHECK_EQ(pthread_attr_setstacksize(&a, 1 << 20), 0);
    CHECK_EQ(pthread_create(&thread, &a, with_little_stack, NULL), 0);
    CHECK_EQ(pthread_join(thread, NULL), 0);
    CHECK_EQ(pthread_attr_destroy(&a), 0);
}

// The bytes before and after the address's mapping that nobody can write.
static void guards_around(cl_ulong at, cl_ulong guards[2])
{
    cl_ulong low, high, end = 0, closed = 0; // closed: bytes up to `end` that can't be written
    char line[512], access[8];
    bool found = false;
    FILE *f = fopen("/proc/self/maps", "r");
    CHECK(f != NULL);
    while (fgets(line, sizeof line, f)) {
        CHECK_EQ(sscanf(line, "%lx-%lx %4s", &low, &high, access), 3);
        if (found && (low != end || access[1] == 'w'))
            break;
        if (low != end)
            closed = 0;
        end = high;
        if (at >= low && at < high) {
            found = true;
            guards[0] = closed;
            closed = 0;
        } else {
            closed = access[1] == 'w' ? 0 : closed + (high - low);
        }
    }
    fclose(f);
    CHECK(found);
    guards[1] = closed;
}

// For arrays that live across a barrier and arrays that don't.
TEST(nothing_is_near_private_arrays)
{
    if (HARNESS_TSAN || HARNESS_ASAN)
        SKIP("sanitizers keep books on a thread's stack: there kernels run on it");
    struct e2e t = e2e_open();
    cl_program p =
        e2e_build(&t,
                  "kernel void on_stack(global ulong *out, ulong n)\n"
                  "{ ulong a[8]; for (int i = 0; i < 8; i++) a[i] = n; a[n + get_local_id(0)] = 5;\n"
                  "  out[0] = (ulong)a; out[1] = a[n % 8]; }\n"
                  "kernel void in_room(global ulong *out, ulong n)\n"
                  "{ ulong a[8]; for (int i = 0; i < 8; i++) a[i] = n; a[n + get_local_id(0) % 4] = 5;\n"
                  "  barrier(CLK_GLOBAL_MEM_FENCE); out[0] = (ulong)a; out[1] = a[n % 8]; }\n",
                  "");
    cl_mem out = e2e_buffer(&t, 16, NULL);
    static const char *const names[] = {"on_stack", "in_room"};
    for (int i = 0; i < 2; i++) {
        cl_ulong n = 1, got[2], guards[2];
        cl_int error = 1;
        cl_kernel k = clCreateKernel(p, names[i], &error);
        CHECK_EQ(error, CL_SUCCESS);
        E2E_ARG(k, 0, out);
        E2E_ARG(k, 1, n);
        e2e_run(&t, k, 4, NULL);
        e2e_read(&t, out, sizeof got, got);
        guards_around(got[0], guards);
        CHECK_GE(guards[0], (cl_ulong)1 << 30);
        CHECK_GE(guards[1], (cl_ulong)1 << 30);
        CHECK_EQ(clReleaseKernel(k), CL_SUCCESS);
    }
    CHECK_EQ(clReleaseMemObject(out), CL_SUCCESS);
    CHECK_EQ(clReleaseProgram(p), CL_SUCCESS);
    e2e_close(&t);
}

TEST(kernels_that_write_beyond_private_arrays)
{
    if (HARNESS_TSAN || HARNESS_ASAN)
        SKIP("sanitizers keep books on a thread's stack: there kernels run on it");
    static const cl_ulong distances[] = {8, 16, 24, 64, 1024, 48 << 10, 1 << 20, 8 << 20};
    static const char *const tiers[] = {"1", "2"};
    for (size_t tier = 0; tier < 2; tier++)
        for (int behind = 0; behind < 2; behind++)
            for (size_t d = 0; d < sizeof distances / sizeof distances[0]; d++) {
                CHECK_EQ(setenv("WEFT_TIER", tiers[tier], 1), 0);
                IN_A_PROCESS(private_arrays, 1, distances[d], behind);
                IN_A_PROCESS(private_arrays, 256, distances[d], behind);
                IN_A_PROCESS(private_arrays_on_little_stack, 1, distances[d], behind);
                IN_A_PROCESS(private_arrays_on_little_stack, 256, distances[d], behind);
            }
}
