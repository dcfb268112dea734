// Generated code against an oracle. Every kernel of kernels.cl is compiled by weftc, in several ways, and by
// Clang for the host, where the work-items of a group are coroutines and a barrier switches to the next one.
// Both must leave the same bytes in memory, for odd sizes, groups that don't fill up, offsets and three
// dimensions.

#include <dlfcn.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <ucontext.h>

#include "harness.h"
#include "base/base.h"
#include "weft/code_object.h"
#include "weft/kernel_abi.h"

// ---- the oracle ----

typedef void oracle_kernel(int *out, const int *in, int *scratch, int n);
#define KERNEL(name) oracle_kernel name;
#include "kernels.def"
#undef KERNEL

static const struct {
    const char *name;
    oracle_kernel *oracle;
} kernels[] = {
#define KERNEL(name) {#name, name},
#include "kernels.def"
#undef KERNEL
};

enum { MAX_ITEMS = 512, STACK = 1 << 16 };

static struct {
    const struct weft_ndrange *nd;
    uint64_t group[3], size[3], local[3];
    ucontext_t scheduler, items[MAX_ITEMS];
    bool finished[MAX_ITEMS];
    unsigned current;
    oracle_kernel *kernel;
    int *out, *scratch, n;
    const int *in;
} oracle;

// What Clang's object calls, by its mangled names.
uint64_t get_global_id(uint32_t d) __asm__("_Z13get_global_idj");
uint64_t get_local_id(uint32_t d) __asm__("_Z12get_local_idj");
uint64_t get_group_id(uint32_t d) __asm__("_Z12get_group_idj");
uint64_t get_global_size(uint32_t d) __asm__("_Z15get_global_sizej");
uint64_t get_local_size(uint32_t d) __asm__("_Z14get_local_sizej");
uint64_t get_num_groups(uint32_t d) __asm__("_Z14get_num_groupsj");
uint64_t get_global_offset(uint32_t d) __asm__("_Z17get_global_offsetj");
uint32_t get_work_dim(void) __asm__("_Z12get_work_dimv");
void barrier(uint32_t flags) __asm__("_Z7barrierj");

uint64_t get_global_id(uint32_t d)
{
    return d < 3 ? oracle.nd->global_offset[d] + oracle.group[d] * oracle.nd->local_size[d] + get_local_id(d)
                 : 0;
}
uint64_t get_local_id(uint32_t d)
{
    // Of the coroutine that asks: recomputed, since others ran since the last time.
    uint64_t item = oracle.current;
    if (d > 2)
        return 0;
    uint64_t ids[3] = {item % oracle.size[0], item / oracle.size[0] % oracle.size[1],
                       item / oracle.size[0] / oracle.size[1]};
    return ids[d];
}
uint64_t get_group_id(uint32_t d)
{
    return d < 3 ? oracle.group[d] : 0;
}
uint64_t get_global_size(uint32_t d)
{
    return d < 3 ? oracle.nd->global_size[d] : 1;
}
uint64_t get_local_size(uint32_t d)
{
    return d < 3 ? oracle.size[d] : 1;
}
uint64_t get_num_groups(uint32_t d)
{
    return d < 3 ? oracle.nd->num_groups[d] : 1;
}
uint64_t get_global_offset(uint32_t d)
{
    return d < 3 ? oracle.nd->global_offset[d] : 0;
}
uint32_t get_work_dim(void)
{
    return oracle.nd->work_dim;
}
// A work-item leaves these two by swapcontext, and the second for good: TSan, which counts calls and returns
// on a stack of its own that every work-item shares here, would run out of it.
#define LEFT_BY_SWAPCONTEXT __attribute__((disable_sanitizer_instrumentation))

LEFT_BY_SWAPCONTEXT void barrier(uint32_t flags)
{
    (void)flags;
    swapcontext(&oracle.items[oracle.current], &oracle.scheduler);
}

LEFT_BY_SWAPCONTEXT static void oracle_item(void)
{
    oracle.kernel(oracle.out, oracle.in, oracle.scratch, oracle.n);
    oracle.finished[oracle.current] = true;
    swapcontext(&oracle.items[oracle.current], &oracle.scheduler);
}

static void oracle_group(char *stacks)
{
    unsigned count = (unsigned)(oracle.size[0] * oracle.size[1] * oracle.size[2]), left = count;
    for (unsigned i = 0; i < count; i++) {
        oracle.finished[i] = false;
        getcontext(&oracle.items[i]);
        oracle.items[i].uc_stack.ss_sp = stacks + (size_t)i * STACK;
        oracle.items[i].uc_stack.ss_size = STACK;
        oracle.items[i].uc_link = NULL;
        makecontext(&oracle.items[i], oracle_item, 0);
    }
    while (left > 0) {
        for (unsigned i = 0; i < count; i++) {
            if (oracle.finished[i])
                continue;
            oracle.current = i;
            swapcontext(&oracle.scheduler, &oracle.items[i]);
            left -= oracle.finished[i];
        }
    }
}

static void oracle_run(oracle_kernel *kernel, const struct weft_ndrange *nd, int *out, const int *in, int n)
{
    char *stacks = malloc((size_t)MAX_ITEMS * STACK);
    oracle.kernel = kernel;
    oracle.nd = nd;
    oracle.out = out;
    oracle.in = in;
    oracle.n = n;
    oracle.scratch = calloc(MAX_ITEMS, sizeof(int));
    for (uint64_t z = 0; z < nd->num_groups[2]; z++) {
        for (uint64_t y = 0; y < nd->num_groups[1]; y++) {
            for (uint64_t x = 0; x < nd->num_groups[0]; x++) {
                uint64_t id[3] = {x, y, z};
                for (unsigned d = 0; d < 3; d++) {
                    uint64_t left = nd->global_size[d] - id[d] * nd->local_size[d];
                    oracle.group[d] = id[d];
                    oracle.size[d] = left < nd->local_size[d] ? left : nd->local_size[d];
                }
                oracle_group(stacks);
            }
        }
    }
    free(oracle.scratch);
    free(stacks);
}

// ---- Weft ----

struct program {
    struct weft_program_object object;
};

static struct program compile(const char *environment, const char *options)
{
    char path[] = "/tmp/weft-execute-XXXXXX", command[1024];
    int fd = mkstemp(path);
    CHECK(fd >= 0);
    const char *weftc = getenv("WEFTC");
    CHECK(weftc != NULL);
    // Version 3.0: groups needn't fill up.
    snprintf(command, sizeof command, "%s %s -cl-std=CL3.0 %s %s -o %s", environment, weftc, options,
             KERNELS_CL, path);
    CHECK_EQ(system(command), 0);
    off_t size = lseek(fd, 0, SEEK_END);
    void *bytes = mmap(NULL, (size_t)size, PROT_READ, MAP_PRIVATE, fd, 0);
    CHECK(bytes != MAP_FAILED);
    struct program p;
    CHECK_EQ(weft_program_object_decode(&p.object, bytes, (size_t)size), WEFT_OK);
    munmap(bytes, (size_t)size);
    close(fd);
    unlink(path);
    return p;
}

static const struct weft_kernel_info *load(const struct program *p, const char *name)
{
    for (uint32_t i = 0; i < p->object.kernel_count; i++) {
        const struct weft_kernel_meta *meta = &p->object.kernels[i];
        if (strcmp(meta->name, name) != 0)
            continue;
        CHECK(meta->code != NULL);
        int fd = memfd_create(name, 0);
        CHECK_EQ(write(fd, meta->code, meta->code_size), (ssize_t)meta->code_size);
        char path[64];
        snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
        void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
        if (!handle)
            FAIL("%s", dlerror());
        const struct weft_kernel_info *info = dlsym(handle, WEFT_KERNEL_INFO_SYMBOL);
        CHECK(info != NULL);
        return info; // fd stays open: dlopen knows objects by their path
    }
    FAIL("no kernel %s", name);
}

static int32_t host_printf(struct weft_exec *x, const char *format, const void *blob, uint32_t size)
{
    (void)x, (void)format, (void)blob, (void)size;
    return 0;
}

enum { GUARD = 0x5a };

// Runs groups in two ranges, so that a range that starts in the middle is met too.
static void weft_run(const struct weft_kernel_info *info, const struct weft_ndrange *nd, int *out,
                     const int *in, int n)
{
    static const struct weft_kernel_host host = {.printf = host_printf};
    uint64_t items = nd->local_size[0] * nd->local_size[1] * nd->local_size[2];
    uint64_t rows = (items + WEFT_STATE_ROW - 1) / WEFT_STATE_ROW * WEFT_STATE_ROW;
    uint64_t local_arguments =
        (info->local_static_bytes + WEFT_LOCAL_ALIGN - 1) / WEFT_LOCAL_ALIGN * WEFT_LOCAL_ALIGN;
    size_t local_bytes = local_arguments + MAX_ITEMS * sizeof(int);
    size_t state_bytes = info->state_fixed + info->state_per_item * rows;
    char *local = aligned_alloc(WEFT_LOCAL_ALIGN, local_bytes + WEFT_LOCAL_ALIGN);
    char *state = aligned_alloc(WEFT_LOCAL_ALIGN, (state_bytes / WEFT_LOCAL_ALIGN + 2) * WEFT_LOCAL_ALIGN);
    memset(local, 0, local_bytes);
    memset(state, GUARD, (state_bytes / WEFT_LOCAL_ALIGN + 2) * WEFT_LOCAL_ALIGN);
    struct {
        int *out;
        const int *in;
        uint64_t scratch;
        int n;
    } arguments = {out, in, local_arguments, n};
    struct weft_exec x = {.host = &host, .local_mem = local, .state = state, .current_group = UINT64_MAX};
    uint64_t groups = nd->num_groups[0] * nd->num_groups[1] * nd->num_groups[2], middle = groups / 3;
    info->run(nd, &arguments, &x, 0, middle);
    info->run(nd, &arguments, &x, middle, groups);
    CHECK_LT(x.current_group, groups);
    for (size_t i = state_bytes; i < state_bytes + WEFT_LOCAL_ALIGN; i++)
        CHECK_EQ(state[i], GUARD);
    free(local);
    free(state);
}

// ---- the comparison ----

static const struct weft_ndrange shapes[] = {
    {{0, 0, 0}, {1, 1, 1}, {1, 1, 1}, {1, 1, 1}, 1, 0},
    {{0, 0, 0}, {7, 1, 1}, {1, 1, 1}, {7, 1, 1}, 1, 0},
    {{0, 0, 0}, {64, 1, 1}, {16, 1, 1}, {4, 1, 1}, 1, 0},
    {{5, 0, 0}, {100, 1, 1}, {7, 1, 1}, {15, 1, 1}, 1, 0},
    {{0, 0, 0}, {300, 1, 1}, {65, 1, 1}, {5, 1, 1}, 1, 0},
    {{0, 0, 0}, {777, 1, 1}, {256, 1, 1}, {4, 1, 1}, 1, 0},
    {{0, 0, 0}, {10, 6, 1}, {4, 3, 1}, {3, 2, 1}, 2, 0},
    {{3, 1, 0}, {33, 9, 1}, {32, 4, 1}, {2, 3, 1}, 2, 0},
    {{2, 0, 9}, {9, 5, 7}, {4, 2, 3}, {3, 3, 3}, 3, 0},
    {{0, 0, 0}, {17, 3, 2}, {17, 3, 2}, {1, 1, 1}, 3, 0},
    {{3, 5, 0}, {40, 37, 2}, {40, 5, 1}, {1, 8, 2}, 3, 0}, // rows of groups, and ranges that end within one
    {{0, 0, 0}, {70, 50, 1}, {16, 1, 1}, {5, 50, 1}, 2, 0},
    {{0x7fffffc0, 0, 0}, {200, 1, 1}, {200, 1, 1}, {1, 1, 1}, 1, 0}, // ids cross 2^31 inside a group
    {{0xffffffd0, 0, 0}, {150, 1, 1}, {50, 1, 1}, {3, 1, 1}, 1, 0},  // and 2^32
};

static void compare(const struct weft_kernel_info *info, size_t k, const struct weft_ndrange *nd, int n)
{
    size_t items = (size_t)(nd->global_size[0] * nd->global_size[1] * nd->global_size[2]);
    int *in = malloc(items * sizeof(int)), *expected = malloc(items * sizeof(int)),
        *out = malloc(items * sizeof(int));
    uint32_t random = 12345u + (uint32_t)n;
    for (size_t i = 0; i < items; i++) {
        random = random * 1664525u + 1013904223u;
        in[i] = (int)(random >> 8) - (1 << 22);
        expected[i] = out[i] = (int)i;
    }
    oracle_run(kernels[k].oracle, nd, expected, in, n);
    weft_run(info, nd, out, in, n);
    for (size_t i = 0; i < items; i++)
        if (out[i] != expected[i])
            FAIL("%s: item %zu is %d, not %d (global %" PRIu64 "x%" PRIu64 "x%" PRIu64 ", local %" PRIu64
                 "x%" PRIu64 "x%" PRIu64 ", n %d)",
                 kernels[k].name, i, out[i], expected[i], nd->global_size[0], nd->global_size[1],
                 nd->global_size[2], nd->local_size[0], nd->local_size[1], nd->local_size[2], n);
    free(in);
    free(expected);
    free(out);
}

static void compare_all(const char *environment, const char *options)
{
    struct program p = compile(environment, options);
    for (size_t k = 0; k < WEFT_COUNT_OF(kernels); k++) {
        const struct weft_kernel_info *info = load(&p, kernels[k].name);
        for (size_t s = 0; s < WEFT_COUNT_OF(shapes); s++)
            for (int n = 0; n < 9; n += s < 6 ? 1 : 4)
                compare(info, k, &shapes[s], n);
    }
    weft_program_object_fini(&p.object);
}

TEST(quickly_made_code_does_what_the_oracle_does)
{
    compare_all("WEFT_TIER=1", "");
}

TEST(native_code_does_what_the_oracle_does)
{
    compare_all("", "");
}

TEST(scalar_code_does_what_the_oracle_does)
{
    compare_all("WEFT_VF=1", "");
}

TEST(code_for_narrow_vectors_does_what_the_oracle_does)
{
    compare_all("WEFT_VF=4", "");
}

TEST(folded_tails_do_what_the_oracle_does)
{
    compare_all("WEFT_VARIANT=dim0 WEFT_VF=8", "");
}

TEST(lanes_along_dimension_1_do_what_the_oracle_does)
{
    compare_all("WEFT_VARIANT=dim1 WEFT_VF=4", "");
}

TEST(lanes_along_dimension_2_do_what_the_oracle_does)
{
    compare_all("WEFT_VARIANT=dim2 WEFT_VF=2", "");
}

TEST(code_without_lanes_does_what_the_oracle_does)
{
    compare_all("WEFT_VARIANT=scalar", "");
}

TEST(unoptimised_code_does_what_the_oracle_does)
{
    compare_all("", "-cl-opt-disable");
}
