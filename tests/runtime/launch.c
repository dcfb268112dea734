// Launches: arguments, local memory, alignment, faults, printf, local sizes, kernels whose code isn't ready.
// The file is long since all of it launches the same fake kernels and looks at which code of them ran.
// timeout: 60
// env: WEFT_TIER=0
#include "runtime/launch/ndrange.h"
#include "runtime/launch/local_size.h"
#include "runtime/code/kernel_variants.h"
#include "runtime/code/ladder.h"
#include "fixture.h"

#include "scheduler/internal.h"

static void check_twice(struct fixture *f, cl_kernel k, cl_uint dim, const size_t *global,
                        const size_t *local)
{
    size_t n = 1;
    for (cl_uint i = 0; i < dim; i++)
        n *= global[i];
    int *data = malloc(n * sizeof *data);
    for (size_t i = 0; i < n; i++)
        data[i] = (int)i;
    cl_mem in = fixture_buffer(f, n * sizeof *data, data), out = fixture_buffer(f, n * sizeof *data, NULL);
    CHECK_EQ(weft_clSetKernelArg(k, 0, sizeof in, &in), CL_SUCCESS);
    CHECK_EQ(weft_clSetKernelArg(k, 1, sizeof out, &out), CL_SUCCESS);
    CHECK_EQ(weft_clEnqueueNDRangeKernel(f->queue, k, dim, NULL, global, local, 0, NULL, NULL), CL_SUCCESS);
    CHECK_EQ(weft_clEnqueueReadBuffer(f->queue, out, CL_TRUE, 0, n * sizeof *data, data, 0, NULL, NULL),
             CL_SUCCESS);
    for (size_t i = 0; i < n; i++)
        CHECK_EQ(data[i], 2 * (int)i);
    CHECK_EQ(weft_clReleaseMemObject(in), CL_SUCCESS);
    CHECK_EQ(weft_clReleaseMemObject(out), CL_SUCCESS);
    free(data);
}

TEST(every_item_runs_once_in_one_to_three_dimensions)
{
    struct fixture f = fixture_of_kernel("twice");
    check_twice(&f, f.kernel, 1, (size_t[]){1}, NULL);
    check_twice(&f, f.kernel, 1, (size_t[]){1000000}, NULL);
    check_twice(&f, f.kernel, 1, (size_t[]){1009}, NULL);
    check_twice(&f, f.kernel, 1, (size_t[]){4096}, (size_t[]){4096});
    check_twice(&f, f.kernel, 2, (size_t[]){120, 33}, NULL);
    check_twice(&f, f.kernel, 2, (size_t[]){120, 33}, (size_t[]){10, 11});
    check_twice(&f, f.kernel, 3, (size_t[]){16, 9, 5}, (size_t[]){8, 3, 5});
    check_twice(&f, f.kernel, 3, (size_t[]){64, 64, 7}, NULL);
    fixture_close(&f);
}

static void check_local_sums(struct fixture *f, size_t local, size_t groups)
{
    size_t global = local * groups;
    uint64_t *sums = calloc(groups, sizeof *sums);
    cl_mem out = fixture_buffer(f, groups * sizeof *sums, NULL);
    CHECK_EQ(weft_clSetKernelArg(f->kernel, 0, sizeof out, &out), CL_SUCCESS);
    CHECK_EQ(weft_clSetKernelArg(f->kernel, 1, local * 8, NULL), CL_SUCCESS);
    CHECK_EQ(weft_clSetKernelArg(f->kernel, 2, local, NULL), CL_SUCCESS);
    CHECK_EQ(weft_clEnqueueNDRangeKernel(f->queue, f->kernel, 1, NULL, &global, &local, 0, NULL, NULL),
             CL_SUCCESS);
    CHECK_EQ(weft_clEnqueueReadBuffer(f->queue, out, CL_TRUE, 0, groups * sizeof *sums, sums, 0, NULL, NULL),
             CL_SUCCESS);
    for (size_t g = 0; g < groups; g++) {
        uint64_t want = 0;
        for (size_t i = 0; i < local; i++)
            want += g * local + i + (unsigned char)i;
        CHECK_EQ(sums[g], want);
    }
    CHECK_EQ(weft_clReleaseMemObject(out), CL_SUCCESS);
    free(sums);
}

TEST(local_arguments_lie_apart_whether_the_code_is_ready_or_not)
{
    struct fixture f = fixture_of_kernel("local_sums");
    check_local_sums(&f, 100, 50); // most likely before its code is there
    check_local_sums(&f, 1, 1000);
    check_local_sums(&f, 1000, 3);
    cl_ulong bytes;
    CHECK_EQ(weft_clGetKernelWorkGroupInfo(f.kernel, f.device, CL_KERNEL_LOCAL_MEM_SIZE, sizeof bytes, &bytes,
                                           NULL),
             CL_SUCCESS);
    CHECK_EQ(bytes, 24u + 8000u + 1000u);
    fixture_close(&f);
}

// ---- tiers ----

// Launches until the better code has taken over; what ran last.
static int run_until_better(struct fixture *f)
{
    int tier = 1;
    for (int i = 0; i < 20000 && tier == 1; i++) {
        fixture_run_tiers(f, &tier, 1);
        usleep(1000);
    }
    return tier;
}

TEST(a_kernel_that_is_launched_again_gets_better_code)
{
    struct fixture f = fixture_of_kernel("tiers");
    int tier = 0;
    fixture_run_tiers(&f, &tier, 1);
    CHECK_EQ(tier, 1);
    CHECK_EQ(run_until_better(&f), 2);
    fixture_close(&f);
}

// A kernel whose launches ask for no better code. Otherwise the first may, when its thread had to wait long
// for a processor, and so the kernel seemed slow.
static struct fixture fixture_without_launches_asking(struct weft_kernel_code **c)
{
    struct fixture f = fixture_of_kernel("tiers");
    int tier = 0;
    *c = ((struct weft_kernel *)f.kernel)->code;
    atomic_store(&(*c)->retry_at, UINT64_MAX); // until something has failed
    fixture_run_tiers(&f, &tier, 1);
    CHECK_EQ(tier, 1);
    return f;
}

static bool ahead_at_the_end; // of the last improve_in_want: the n-th allocation never came

// Asks for better code with every allocation from the n-th on failing, or the n-th alone. How it ended.
static uint32_t improve_in_want(struct weft_kernel_code *c, void (*fail)(uint64_t), uint64_t n)
{
    fail(n);
    weft_kernel_code_improve(c, WEFT_COMPILE_NOW);
    while (atomic_load(&c->better) == WEFT_BETTER_ASKED)
        usleep(100);
    ahead_at_the_end = weft_alloc_fail_is_ahead();
    weft_alloc_fail_at(0);
    return atomic_load(&c->better);
}

TEST(better_code_that_there_was_no_memory_for_is_made_later)
{
    struct weft_kernel_code *c;
    struct fixture f = fixture_without_launches_asking(&c);
    CHECK_EQ(improve_in_want(c, weft_alloc_fail_from, 1), WEFT_BETTER_POSSIBLE);
    CHECK_EQ(run_until_better(&f), 2);
    fixture_close(&f);
}

// One kernel: as many allocations for its better code fail in turn as do, from *n on. True when it was made
// with a failure still ahead: there are no more.
static bool better_code_in_want(uint64_t *n, int *failures)
{
    struct weft_kernel_code *c;
    struct fixture f = fixture_without_launches_asking(&c);
    int tier = 0;
    uint32_t state;
    while ((state = improve_in_want(c, weft_alloc_fail_at, *n)) != WEFT_BETTER_DONE) {
        CHECK_EQ(state, WEFT_BETTER_POSSIBLE);
        ++*n;
        ++*failures;
    }
    bool whole = ahead_at_the_end;
    fixture_run_tiers(&f, &tier, 1);
    CHECK_EQ(tier, 2);
    fixture_close(&f);
    return whole;
}

// Threads that are just starting may take a failure that is meant for the compile. So the same allocation
// fails again, with another kernel. Some failures may not matter: after three times the next allocation
// fails.
TEST(each_allocation_for_better_code_may_fail)
{
    int failures = 0, tries = 0;
    uint64_t n = 1;
    for (uint64_t before = n; n < 100 && !better_code_in_want(&n, &failures); before = n) {
        tries = n == before ? tries + 1 : 1;
        if (tries == 3) {
            n++;
            tries = 0;
        }
    }
    CHECK_LT(n, 100);
    CHECK_GT(failures, 5);
}

// Requests the variant until an attempt begins.
static bool variant_is_requested(struct weft_kernel_code *c)
{
    struct weft_kernel_variant *variant = &c->variants[0];
    for (int i = 0; i < 20000 && !atomic_load(&variant->attempt); i++) {
        weft_kernel_code_of_variant(c, WEFT_VARIANT_DIM);
        usleep(1000);
    }
    return atomic_load(&variant->attempt);
}

TEST(a_variant_that_there_was_no_memory_for_is_requested_again)
{
    struct fixture f = fixture_of_kernel("tiers");
    struct weft_kernel_code *c = ((struct weft_kernel *)f.kernel)->code;
    int tier = 0;
    fixture_run_tiers(&f, &tier, 1);
    CHECK_EQ(weft_kernel_code_wait_best(c), WEFT_OK);
    weft_alloc_fail_from(1);
    weft_kernel_code_of_variant(c, WEFT_VARIANT_DIM);
    for (int i = 0; i < 20000 && atomic_load(&c->variants[0].attempt); i++)
        usleep(1000);
    weft_alloc_fail_at(0);
    CHECK_GT(atomic_load(&c->retry_at), 0); // it was asked for
    CHECK(!atomic_load(&c->variants[0].attempt));
    CHECK(variant_is_requested(c));
    usleep(100000);
    CHECK(atomic_load(&c->variants[0].attempt)); // this time nothing was wanting
    fixture_close(&f);
}

TEST(better_code_takes_over_in_the_middle_of_a_launch)
{
    enum { ITEMS = 32000 }; // seconds of quick code, for the compile to come in between on any machine
    static int tiers[ITEMS];
    struct fixture f = fixture_of_kernel("tiers");
    // A launch would wait for code with lanes, unless that takes long to make.
    weft_ladder_note_compile(((struct weft_kernel *)f.kernel)->code, WEFT_LEVEL_LANES, 3600000000u);
    fixture_run_tiers(&f, tiers, ITEMS);
    int quick = 0, better = 0;
    for (int i = 0; i < ITEMS; i++) {
        quick += tiers[i] == 1;
        better += tiers[i] == 2;
    }
    CHECK_EQ(quick + better, ITEMS);
    CHECK_LT(0, quick);
    CHECK_LT(0, better);
    fixture_close(&f);
}

// deep_tiers' better code needs more stack than there surely is where the launch may have been let.
TEST(better_code_that_needs_more_stack_waits_for_the_next_launch)
{
    enum { ITEMS = 5000 };
    static int tiers[ITEMS];
    struct fixture f = fixture_of_kernel("deep_tiers");
    fixture_run_tiers(&f, tiers, 1);
    CHECK_EQ(tiers[0], 1);
    fixture_run_tiers(&f, tiers, ITEMS);
    for (int i = 0; i < ITEMS; i++)
        CHECK_EQ(tiers[i], tiers[0]);
    CHECK_EQ(run_until_better(&f), 2);
    fixture_close(&f);
}

TEST(a_programs_binary_holds_the_better_code)
{
    struct fixture f = fixture_of_kernel("tiers");
    int tier = 0;
    fixture_run_tiers(&f, &tier, 1);
    CHECK_EQ(tier, 1);
    size_t size;
    CHECK_EQ(weft_clGetProgramInfo(f.program, CL_PROGRAM_BINARY_SIZES, sizeof size, &size, NULL), CL_SUCCESS);
    fixture_run_tiers(&f, &tier, 1);
    CHECK_EQ(tier, 2);
    fixture_close(&f);
}

TEST(better_code_of_another_layout_is_not_taken)
{
    struct fixture f = fixture_of_kernel("odd_tiers");
    int tier = 0;
    fixture_run_tiers(&f, &tier, 1);
    CHECK_EQ(tier, 1);
    size_t size;
    CHECK_EQ(weft_clGetProgramInfo(f.program, CL_PROGRAM_BINARY_SIZES, sizeof size, &size, NULL), CL_SUCCESS);
    fixture_run_tiers(&f, &tier, 1);
    CHECK_EQ(tier, 1);
    fixture_close(&f);
}

// ---- code variants ----

static uint32_t variant_of(size_t x, size_t y, size_t z, bool group_independence)
{
    const struct weft_kernel_info own = {
        .vector_width = 16, .vector_iteration_cost = 16, .group_independence = group_independence};
    const struct weft_ndrange nd = {
        .global_size = {4 * x, 4 * y, z}, .local_size = {x, y, z}, .num_groups = {4, 4, 1}, .work_dim = 3};
    return weft_ndrange_variant(&nd, &own);
}

TEST(the_variant_follows_the_local_size)
{
    const uint32_t along_1 = WEFT_VARIANT_DIM + 1, along_2 = WEFT_VARIANT_DIM + 2;
    CHECK_EQ(variant_of(64, 1, 1, false), WEFT_VARIANT_ANY);
    CHECK_EQ(variant_of(16, 16, 1, false), WEFT_VARIANT_ANY);
    CHECK_EQ(variant_of(1, 64, 1, false), along_1);
    CHECK_EQ(variant_of(1, 1, 64, false), along_2);
    CHECK_EQ(variant_of(1, 1, 1, false), WEFT_VARIANT_ANY);
    CHECK_EQ(variant_of(24, 1, 1, false), WEFT_VARIANT_DIM);
    CHECK_EQ(variant_of(8, 8, 1, false), WEFT_VARIANT_DIM);
    CHECK_EQ(variant_of(2, 2, 1, false), WEFT_VARIANT_ANY);
    CHECK_EQ(variant_of(129, 1, 1, false), WEFT_VARIANT_ANY);
    // Four groups of 16 are a row, and four of 24 one without an end; of four of one there is little to make.
    CHECK_EQ(variant_of(4, 64, 1, true), WEFT_VARIANT_ANY);
    CHECK_EQ(variant_of(8, 1, 1, true), WEFT_VARIANT_ANY);
    CHECK_EQ(variant_of(5, 1, 1, true), WEFT_VARIANT_DIM);
    // Single work-items are slow here: a tail is worth a mask, and rows without a whole vector another
    // code.
    const struct weft_kernel_info expensive_scalar = {
        .vector_width = 16, .vector_iteration_cost = 64, .scalar_cost = 64};
    const struct weft_ndrange tiny = {.global_size = {8, 8, 1}, .local_size = {2, 2, 1}};
    const struct weft_ndrange odd = {.global_size = {350, 1, 1}, .local_size = {175, 1, 1}};
    const struct weft_ndrange long_row = {.global_size = {1060, 1, 1}, .local_size = {530, 1, 1}};
    CHECK_EQ(weft_ndrange_variant(&tiny, &expensive_scalar), WEFT_VARIANT_SCALAR);
    CHECK_EQ(weft_ndrange_variant(&odd, &expensive_scalar), WEFT_VARIANT_DIM);
    CHECK_EQ(weft_ndrange_variant(&long_row, &expensive_scalar), WEFT_VARIANT_ANY);
    CHECK_EQ(variant_of(175, 1, 1, false), WEFT_VARIANT_ANY);
    // Scalar code has no lanes whose dimension could be swapped.
    const struct weft_kernel_info scalar = {.vector_width = 1};
    const struct weft_ndrange nd = {.global_size = {1, 64, 1}, .local_size = {1, 64, 1}};
    CHECK_EQ(weft_ndrange_variant(&nd, &scalar), WEFT_VARIANT_ANY);
    // But where memory is along dimension 1 it wasn't vectorized for that.
    const struct weft_kernel_info swapped = {.vector_width = 1, .swap_dimensions = 1};
    CHECK_EQ(weft_ndrange_variant(&nd, &swapped), along_1);
    const struct weft_ndrange square = {.global_size = {64, 64, 1}, .local_size = {16, 16, 1}};
    CHECK_EQ(weft_ndrange_variant(&square, &swapped), along_1);
    const struct weft_ndrange flat = {.global_size = {64, 64, 1}, .local_size = {64, 4, 1}};
    CHECK_EQ(weft_ndrange_variant(&flat, &swapped), WEFT_VARIANT_ANY);
}

TEST(a_launch_lies_along_the_dimension_that_has_its_work_items)
{
    struct weft_arg_meta tile = {.kind = WEFT_ARG_LOCAL}, buffer = {.kind = WEFT_ARG_GLOBAL};
    const struct weft_kernel_meta apart = {.arg_count = 1, .args = &tile},
                                  joined = {.arg_count = 1, .args = &buffer},
                                  with_variable = {.local_static_bytes = 64};
    const struct weft_kernel_info rows = {.group_independence = WEFT_GROUP_SHAPE_INDEPENDENT}, groups = {0};
    const struct weft_ndrange row = {.local_size = {64, 1, 1}}, column = {.local_size = {1, 64, 1}},
                              deep = {.local_size = {1, 1, 64}}, narrow = {.local_size = {2, 64, 1}},
                              single = {.local_size = {1, 4, 1}};
    CHECK_EQ(weft_ndrange_along(&column, NULL, &apart), 1);
    CHECK_EQ(weft_ndrange_along(&column, NULL, &with_variable), 1);
    CHECK_EQ(weft_ndrange_along(&deep, NULL, &apart), 2);
    CHECK_EQ(weft_ndrange_along(&row, NULL, &apart), 0);
    CHECK_EQ(weft_ndrange_along(&narrow, NULL, &apart), 0);
    CHECK_EQ(weft_ndrange_along(&single, NULL, &apart), 0);
    // Groups without local memory can be joined to rows, as far as is known. The code knows.
    CHECK_EQ(weft_ndrange_along(&column, NULL, &joined), 0);
    CHECK_EQ(weft_ndrange_along(&column, &groups, &joined), 1);
    CHECK_EQ(weft_ndrange_along(&column, &rows, &apart), 0);
}

TEST(lanes_along_another_dimension_stay_where_their_own_estimate_pays)
{
    const uint32_t along_1 = WEFT_VARIANT_DIM + 1;
    const struct weft_ndrange column = {.global_size = {60, 1088, 1}, .local_size = {1, 32, 1}},
                              narrow = {.global_size = {60, 1088, 1}, .local_size = {2, 32, 1}};
    // 8 lanes for 2.6 work-items: enough for rows of a single work-item only.
    const struct weft_kernel_info own = {.vector_width = 8, .vector_iteration_cost = 42},
                                  swapped = {.vector_width = 8, .swap_dimensions = 1};
    CHECK_EQ(weft_ndrange_variant(&column, &own), along_1);
    CHECK_EQ(weft_ndrange_variant(&narrow, &own), WEFT_VARIANT_ANY);
    const struct weft_kernel_info good = {.vector_width = 8, .vector_iteration_cost = 69},
                                  bad = {.vector_width = 8, .vector_iteration_cost = 90},
                                  none = {.vector_width = 1, .vector_iteration_cost = 16};
    CHECK(weft_ndrange_variant_pays(&column, along_1, &own, &good));
    CHECK(!weft_ndrange_variant_pays(&column, along_1, &own, &bad));
    CHECK(!weft_ndrange_variant_pays(&column, along_1, &own, &none));
    // Where memory lies along dimension 1, that was known before; other variants aren't asked about.
    CHECK(weft_ndrange_variant_pays(&column, along_1, &swapped, &bad));
    CHECK(weft_ndrange_variant_pays(&column, WEFT_VARIANT_DIM, &own, &bad));
}

static int run_variant(struct fixture *f, const size_t local[3])
{
    int variant = -1;
    cl_mem out = fixture_buffer(f, sizeof variant, NULL);
    CHECK_EQ(weft_clSetKernelArg(f->kernel, 0, sizeof out, &out), CL_SUCCESS);
    CHECK_EQ(weft_clEnqueueNDRangeKernel(f->queue, f->kernel, 3, NULL, local, local, 0, NULL, NULL),
             CL_SUCCESS);
    CHECK_EQ(weft_clEnqueueReadBuffer(f->queue, out, CL_TRUE, 0, sizeof variant, &variant, 0, NULL, NULL),
             CL_SUCCESS);
    CHECK_EQ(weft_clReleaseMemObject(out), CL_SUCCESS);
    return variant;
}

TEST(a_launch_gets_the_variant_that_suits_it)
{
    struct fixture f = fixture_of_kernel("variants");
    const size_t row[3] = {64, 1, 1}, column[3] = {1, 64, 1}, deep[3] = {1, 1, 64};
    CHECK_EQ(run_variant(&f, column), 0); // the first launch doesn't wait for the variant
    int variant = 0;
    for (int i = 0; i < 20000 && variant == 0; i++) {
        variant = run_variant(&f, column);
        CHECK_EQ(run_variant(&f, row), 0);
        CHECK_EQ(run_variant(&f, deep), 0); // that code isn't vectorized
        usleep(1000);
    }
    CHECK_EQ(variant, 2);
    fixture_close(&f);
}

// ---- autotuning ----

// The variant that ran all of a launch, or -1 if its parts ran in several. Adds 1 << variant to the set
// *sampled.
static int run_sampled(struct fixture *f, uint32_t *sampled)
{
    enum { ITEMS = 64 };
    int codes[ITEMS], all;
    fixture_run_tiers(f, codes, ITEMS);
    all = codes[0];
    for (int i = 0; i < ITEMS; i++) {
        *sampled |= 1u << codes[i];
        if (codes[i] != all)
            all = -1;
    }
    return all;
}

// Launches until autotuning is over, and then some more, which run in what it has decided for. Returns that
// variant. Adds to *sampled what launches have run in.
static int tune(struct fixture *f, uint32_t *sampled)
{
    enum { MANY = 50 };
    const uint64_t wait_ns = 20000000000, start = weft_time_now();
    struct weft_kernel_code *c = ((struct weft_kernel *)f->kernel)->code;
    uint32_t variant;
    bool decided;
    run_sampled(f, sampled); // it may change over before it ends
    CHECK(*sampled & 1);
    while (!(decided = weft_autotune_verdict(c, 0, &variant)) && weft_time_now() - start < wait_ns)
        run_sampled(f, sampled);
    CHECK(decided);
    for (int i = 0; i < MANY; i++)
        CHECK_EQ(run_sampled(f, sampled), (int)variant);
    return (int)variant;
}

// Checks that launches sample all variants of the set `expected` (of 1 << variant), and then run in this
// variant. All must be sampled each time. But while other programs use the processors, a few samples may be
// long and the verdict wrong, as may happen to any kernel. So a fresh kernel may then have another try. What
// the verdict is for given samples is tested in autotune.c.
static void check_chosen_variant(const char *kernel, uint32_t expected, int code)
{
    enum { TRIES = 5 };
    int chosen = -1;
    for (int i = 0; i < TRIES && chosen != code; i++) {
        struct fixture f = fixture_of_kernel(kernel);
        uint32_t sampled = 0;
        chosen = tune(&f, &sampled);
        CHECK_EQ(sampled, expected);
        fixture_close(&f);
    }
    CHECK_EQ(chosen, code);
}

enum { ANY = 1 << WEFT_VARIANT_ANY, SCALAR = 1 << WEFT_VARIANT_SCALAR, NARROW = 1 << WEFT_VARIANT_NARROW };

TEST(a_variant_that_is_faster_than_estimated_is_chosen)
{
    check_chosen_variant("slow_default", ANY | NARROW, WEFT_VARIANT_NARROW);
}

TEST(variants_that_are_slower_are_rejected)
{
    check_chosen_variant("fast_default", ANY | NARROW | SCALAR, WEFT_VARIANT_ANY);
}

TEST(scalar_code_is_measured_against_the_best_vector_code)
{
    check_chosen_variant("fast_scalar", ANY | NARROW | SCALAR, WEFT_VARIANT_SCALAR);
}

TEST(a_variant_that_cannot_be_compiled_is_skipped)
{
    check_chosen_variant("no_narrow", ANY | SCALAR, WEFT_VARIANT_SCALAR);
}

// ---- code for one size of groups ----

static struct weft_ndrange groups_of(uint64_t x, uint64_t y, uint64_t count)
{
    return (struct weft_ndrange){.global_size = {count * x, y, 1},
                                 .local_size = {x, y, 1},
                                 .num_groups = {count, 1, 1},
                                 .work_dim = 2};
}

static const struct weft_kernel_info *sized(struct weft_kernel_code *c, const struct weft_ndrange *nd)
{
    return weft_size_variant_code(c, weft_kernel_code_info(c), nd);
}

TEST(a_launch_gets_code_for_its_size_of_groups)
{
    struct fixture f = fixture_of_kernel("variants");
    struct weft_kernel_code *c = ((struct weft_kernel *)f.kernel)->code;
    const size_t row[3] = {64, 1, 1}, square[3] = {16, 16, 1}, column[3] = {1, 64, 1};
    struct weft_ndrange nd = groups_of(64, 1, 3);
    CHECK_EQ(run_variant(&f, row), 0);
    CHECK(!sized(c, &nd));
    weft_size_variant_wait(c, &nd);
    CHECK(sized(c, &nd) != NULL);
    CHECK_EQ(run_variant(&f, row), 5);
    CHECK_EQ(run_variant(&f, square), 0);
    CHECK_NE(run_variant(&f, column), 5); // another variant suits that one
    fixture_close(&f);
}

TEST(other_launches_dont_get_that_code)
{
    struct fixture f = fixture_of_kernel("variants");
    struct weft_kernel_code *c = ((struct weft_kernel *)f.kernel)->code;
    struct weft_ndrange nd = groups_of(64, 1, 3);
    weft_size_variant_wait(c, &nd);
    CHECK(sized(c, &nd) != NULL);
    nd.global_size[0]--; // the last group is smaller
    CHECK(!sized(c, &nd));
    nd = groups_of(64, 1, 1u << 25); // ids up to 2^31 - 1
    CHECK(sized(c, &nd) != NULL);
    nd.global_offset[0] = 1;
    CHECK(!sized(c, &nd));
    nd = groups_of(64, 1, (1u << 25) + 1);
    CHECK(!sized(c, &nd));
    nd = groups_of(64, 1, 3);
    nd.global_offset[2] = UINT64_MAX; // whose sum with the size wraps
    CHECK(!sized(c, &nd));
    nd.global_offset[2] = 1u << 30;
    CHECK(sized(c, &nd) != NULL);
    nd = groups_of(64, 2, 3);
    CHECK(!sized(c, &nd));
    nd = groups_of(32, 1, 3);
    CHECK(!sized(c, &nd));
    fixture_close(&f);
}

TEST(there_is_code_for_two_sizes_at_most)
{
    struct fixture f = fixture_of_kernel("variants");
    struct weft_kernel_code *c = ((struct weft_kernel *)f.kernel)->code;
    for (unsigned n = 1; n <= 4; n++) {
        struct weft_ndrange nd = groups_of(16 * n, 1, 2);
        weft_size_variant_wait(c, &nd);
        CHECK_EQ(sized(c, &nd) != NULL, n <= 2);
    }
    fixture_close(&f);
}

TEST(a_size_that_a_kernel_runs_long_with_gets_code)
{
    enum { MS = 1000000 };
    struct fixture f = fixture_of_kernel("variants");
    struct weft_kernel_code *c = ((struct weft_kernel *)f.kernel)->code;
    CHECK_EQ(weft_kernel_code_wait_best(c), WEFT_OK);
    const struct weft_kernel_info *own = weft_kernel_code_info(c);
    const struct weft_ndrange usual = groups_of(64, 1, 3), other = groups_of(16, 16, 3);
    struct weft_ndrange odd = usual;
    odd.global_size[0]--;
    weft_kernel_code_note_time(c, own, &odd, 100000ull * MS); // it would not be used
    atomic_store(&c->better_ms, 30);
    weft_kernel_code_note_time(c, own, &usual, 200 * MS);
    weft_kernel_code_note_time(c, own, &other, 150 * MS); // in between, which is taken off
    weft_kernel_code_note_time(c, own, &usual, 200 * MS);
    CHECK(!atomic_load(&c->size_variants)); // 300 ms would pay
    weft_kernel_code_note_time(c, own, &usual, 60 * MS);
    CHECK(atomic_load(&c->size_variants) != NULL);
    for (int i = 0; i < 20000 && !sized(c, &usual); i++)
        usleep(1000);
    CHECK(sized(c, &usual) != NULL);
    CHECK(!sized(c, &other));
    fixture_close(&f);
}

// Groups that are one to the kernel, sub-groups, and what has no lanes.
TEST(kernels_that_gain_nothing_get_no_code_for_a_size)
{
    struct fixture f = fixture_of_kernel("variants");
    struct weft_kernel_code *c = ((struct weft_kernel *)f.kernel)->code;
    CHECK_EQ(weft_kernel_code_wait_best(c), WEFT_OK);
    const struct weft_kernel_info own[] = {{.vector_width = 16, .group_independence = 1},
                                           {.vector_width = 16, .sub_groups = 1},
                                           {.vector_width = 1}};
    const struct weft_ndrange nd = groups_of(64, 1, 3);
    for (size_t i = 0; i < 3; i++)
        weft_kernel_code_note_time(c, &own[i], &nd, 1ull << 40);
    CHECK(!atomic_load(&c->size_variants));
    fixture_close(&f);
}

// A program of its own, whose code takes more than a second to make.
static cl_kernel slow_kernel(struct fixture *f, const char *options)
{
    cl_program p = fixture_source(f, "");
    CHECK_EQ(weft_clBuildProgram(p, 0, NULL, options, NULL, NULL), CL_SUCCESS);
    cl_kernel k = fixture_kernel(p, "twice");
    CHECK_EQ(weft_clReleaseProgram(p), CL_SUCCESS);
    return k;
}

static void wait_for_state(cl_kernel k, uint32_t state)
{
    for (int n = 0; atomic_load(&((struct weft_kernel *)k)->code->state) != state; n++) {
        if (n == 40000)
            FAIL("the code never came to state %u", state);
        usleep(1000);
    }
}

TEST(no_more_code_is_made_ahead_than_is_used)
{
    struct fixture f = fixture_open();
    cl_kernel unused[2], later, again;
    for (int i = 0; i < 2; i++)
        unused[i] = slow_kernel(&f, i ? "-DFAKE_CODE_SLOW=1" : "-DFAKE_CODE_SLOW");
    for (int i = 0; i < 2; i++)
        wait_for_state(unused[i], WEFT_CODE_READY);
    later = slow_kernel(&f, "-DFAKE_CODE_SLOW=2");
    wait_for_state(later, WEFT_CODE_NONE); // put off
    check_twice(&f, later, 1, (size_t[]){100}, NULL);
    for (int i = 0; i < 2; i++)
        check_twice(&f, unused[i], 1, (size_t[]){100}, NULL); // which makes room
    again = slow_kernel(&f, "-DFAKE_CODE_SLOW=3");
    wait_for_state(again, WEFT_CODE_READY);
    for (int i = 0; i < 2; i++)
        weft_clReleaseKernel(unused[i]);
    weft_clReleaseKernel(later);
    weft_clReleaseKernel(again);
    fixture_close(&f);
}

TEST(options_that_let_the_bits_differ_get_one_code_only)
{
    struct fixture f = fixture_open();
    f.program = fixture_source(&f, "");
    CHECK_EQ(weft_clBuildProgram(f.program, 0, NULL, "-cl-fast-relaxed-math", NULL, NULL), CL_SUCCESS);
    int tier = 0;
    f.kernel = fixture_kernel(f.program, "tiers");
    fixture_run_tiers(&f, &tier, 1);
    CHECK_EQ(tier, 2);
    fixture_close(&f);
}

TEST(a_large_vector_argument_is_aligned)
{
    struct fixture f = fixture_of_kernel("aligned");
    double v[16];
    for (int i = 0; i < 16; i++)
        v[i] = i + 0.5;
    uint64_t out[2] = {9, 9};
    cl_mem m = fixture_buffer(&f, sizeof out, out);
    CHECK_EQ(weft_clSetKernelArg(f.kernel, 0, sizeof m, &m), CL_SUCCESS);
    CHECK_EQ(weft_clSetKernelArg(f.kernel, 1, sizeof v, v), CL_SUCCESS);
    CHECK_EQ(weft_clEnqueueTask(f.queue, f.kernel, 0, NULL, NULL), CL_SUCCESS);
    CHECK_EQ(weft_clEnqueueReadBuffer(f.queue, m, CL_TRUE, 0, sizeof out, out, 0, NULL, NULL), CL_SUCCESS);
    CHECK_EQ(out[0], 0u);
    CHECK_EQ(out[1], 1u);
    weft_clReleaseMemObject(m);
    fixture_close(&f);
}

TEST(arguments_are_those_of_the_time_of_the_enqueue)
{
    struct fixture f = fixture_of_kernel("slow");
    int zero[64] = {0};
    cl_mem first = fixture_buffer(&f, sizeof zero, zero), second = fixture_buffer(&f, sizeof zero, zero);
    size_t n = 64;
    CHECK_EQ(weft_clSetKernelArg(f.kernel, 0, sizeof first, &first), CL_SUCCESS);
    CHECK_EQ(weft_clEnqueueNDRangeKernel(f.queue, f.kernel, 1, NULL, &n, NULL, 0, NULL, NULL), CL_SUCCESS);
    CHECK_EQ(weft_clSetKernelArg(f.kernel, 0, sizeof second, &second), CL_SUCCESS);
    // The kernel and the program may go while the command waits for its code.
    weft_clReleaseKernel(f.kernel);
    weft_clReleaseProgram(f.program);
    f.kernel = NULL;
    f.program = NULL;
    int got[64];
    CHECK_EQ(weft_clEnqueueReadBuffer(f.queue, second, CL_TRUE, 0, sizeof got, got, 0, NULL, NULL),
             CL_SUCCESS);
    CHECK_EQ(got[5], 0);
    CHECK_EQ(weft_clEnqueueReadBuffer(f.queue, first, CL_TRUE, 0, sizeof got, got, 0, NULL, NULL),
             CL_SUCCESS);
    CHECK_EQ(got[5], 1);
    weft_clReleaseMemObject(first);
    weft_clReleaseMemObject(second);
    fixture_close(&f);
}

TEST(an_enqueue_does_not_wait_for_code)
{
    struct fixture f = fixture_of_kernel("slow");
    cl_mem m = fixture_buffer(&f, 4, NULL);
    size_t n = 1;
    CHECK_EQ(weft_clSetKernelArg(f.kernel, 0, sizeof m, &m), CL_SUCCESS);
    double began = harness_seconds();
    cl_event e;
    CHECK_EQ(weft_clEnqueueNDRangeKernel(f.queue, f.kernel, 1, NULL, &n, NULL, 0, NULL, &e), CL_SUCCESS);
    CHECK_LT(harness_seconds() - began, 0.15); // the fake takes 0.3 s to make the code
    cl_int status;
    CHECK_EQ(weft_clGetEventInfo(e, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL),
             CL_SUCCESS);
    CHECK_GT(status, CL_COMPLETE);
    CHECK_EQ(weft_clWaitForEvents(1, &e), CL_SUCCESS);
    weft_clReleaseEvent(e);
    weft_clReleaseMemObject(m);
    fixture_close(&f);
}

TEST(a_kernel_without_code_fails_its_command_and_says_why)
{
    struct fixture f = fixture_open();
    cl_program p = fixture_build(&f, "");
    static const char *const names[] = {"codeless", "abi"};
    for (int i = 0; i < 2; i++) {
        cl_kernel k = fixture_kernel(p, names[i]);
        cl_mem m = fixture_buffer(&f, 64, NULL);
        for (cl_uint a = 0; i == 1 && a < 2; a++)
            CHECK_EQ(weft_clSetKernelArg(k, a, sizeof m, &m), CL_SUCCESS);
        size_t n = 4;
        cl_event e;
        cl_int err = weft_clEnqueueNDRangeKernel(f.queue, k, 1, NULL, &n, NULL, 0, NULL, &e);
        if (err == CL_SUCCESS) { // the compile wasn't through yet
            CHECK_EQ(weft_clWaitForEvents(1, &e), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
            weft_clReleaseEvent(e);
        } else {
            CHECK_EQ(err, CL_INVALID_PROGRAM_EXECUTABLE);
        }
        CHECK_CONTAINS(fixture_report, names[i]);
        // Now it is known.
        CHECK_EQ(weft_clEnqueueNDRangeKernel(f.queue, k, 1, NULL, &n, NULL, 0, NULL, NULL),
                 CL_INVALID_PROGRAM_EXECUTABLE);
        weft_clReleaseMemObject(m);
        weft_clReleaseKernel(k);
    }
    weft_clReleaseProgram(p);
    fixture_close(&f);
}

TEST(a_fault_ends_the_command_and_the_next_launch_is_right)
{
    struct fixture f = fixture_open();
    cl_program p = fixture_build(&f, "");
    cl_kernel wild = fixture_kernel(p, "wild"), twice = fixture_kernel(p, "twice");
    cl_ulong address = 0x123450, group = 37;
    size_t n = 640, local = 10;
    for (int round = 0; round < 20; round++) {
        CHECK_EQ(weft_clSetKernelArg(wild, 0, sizeof address, &address), CL_SUCCESS);
        CHECK_EQ(weft_clSetKernelArg(wild, 1, sizeof group, &group), CL_SUCCESS);
        cl_event e;
        CHECK_EQ(weft_clEnqueueNDRangeKernel(f.queue, wild, 1, NULL, &n, &local, 0, NULL, &e), CL_SUCCESS);
        CHECK_EQ(weft_clWaitForEvents(1, &e), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
        cl_int status;
        CHECK_EQ(weft_clGetEventInfo(e, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL),
                 CL_SUCCESS);
        CHECK_EQ(status, CL_OUT_OF_RESOURCES);
        CHECK_CONTAINS(fixture_report, "kernel wild");
        CHECK_CONTAINS(fixture_report, "0x123450");
        CHECK_CONTAINS(fixture_report, "(37, 0, 0)");
        weft_clReleaseEvent(e);
        // An in-order queue goes on.
        check_twice(&f, twice, 1, (size_t[]){1000}, NULL);
    }
    weft_clReleaseKernel(wild);
    weft_clReleaseKernel(twice);
    weft_clReleaseProgram(p);
    fixture_close(&f);
}

TEST(printf_is_written_before_the_command_is_complete)
{
    struct fixture f = fixture_of_kernel("say");
    int n = 4;
    size_t global = 4, local = 4;
    CHECK_EQ(weft_clSetKernelArg(f.kernel, 0, sizeof n, &n), CL_SUCCESS);
    int pipes[2], keep = dup(1);
    CHECK_EQ(pipe(pipes), 0);
    fflush(stdout);
    dup2(pipes[1], 1);
    CHECK_EQ(weft_clEnqueueNDRangeKernel(f.queue, f.kernel, 1, NULL, &global, &local, 0, NULL, NULL),
             CL_SUCCESS);
    CHECK_EQ(weft_clFinish(f.queue), CL_SUCCESS);
    dup2(keep, 1);
    char text[256];
    ssize_t got = read(pipes[0], text, sizeof text - 1);
    CHECK_GT(got, 0);
    text[got] = '\0';
    CHECK_STR(text, "item 0 of 4\nitem 1 of 4\nitem 2 of 4\nitem 3 of 4\n");
    fixture_close(&f);
}

TEST(a_size_of_zero_runs_nothing_and_completes)
{
    struct fixture f = fixture_of_kernel("twice");
    cl_mem m = fixture_buffer(&f, 64, NULL);
    CHECK_EQ(weft_clEnqueueNDRangeKernel(f.queue, f.kernel, 1, NULL, (size_t[]){0}, NULL, 0, NULL, NULL),
             CL_INVALID_KERNEL_ARGS);
    for (cl_uint a = 0; a < 2; a++)
        CHECK_EQ(weft_clSetKernelArg(f.kernel, a, sizeof m, &m), CL_SUCCESS);
    cl_event e;
    CHECK_EQ(weft_clEnqueueNDRangeKernel(f.queue, f.kernel, 2, NULL, (size_t[]){4, 0}, NULL, 0, NULL, &e),
             CL_SUCCESS);
    CHECK_EQ(weft_clWaitForEvents(1, &e), CL_SUCCESS);
    weft_clReleaseEvent(e);
    weft_clReleaseMemObject(m);
    fixture_close(&f);
}

TEST(a_local_size_divides_and_leaves_groups_for_all_threads)
{
    static const size_t sizes[][3] = {{1, 1, 1},    {7, 1, 1},       {64, 1, 1},      {1000, 1, 1},
                                      {4096, 1, 1}, {1000000, 1, 1}, {1000003, 1, 1}, {1920, 1080, 1},
                                      {16, 16, 16}, {3, 5, 7},       {1, 100000, 1},  {640, 480, 3}};
    for (size_t i = 0; i < WEFT_COUNT_OF(sizes); i++) {
        size_t local[3], items = 1;
        weft_ndrange_choose_local(3, sizes[i], true, 8, local);
        for (int d = 0; d < 3; d++) {
            CHECK_GE(local[d], 1u);
            CHECK_EQ(sizes[i][d] % local[d], 0u);
            items *= local[d];
        }
        CHECK_LE(items, 1024u);
    }
    size_t local[3];
    weft_ndrange_choose_local(1, (size_t[]){1000000}, true, 8, local);
    CHECK_GE(local[0], 64u);
    CHECK_EQ(local[0] % 16, 0u);
    weft_ndrange_choose_local(2, (size_t[]){1920, 1080}, true, 8, local);
    CHECK_GE(local[0] * local[1], 64u);
    // A prime number of work-items: one by one, unless groups may be unlike.
    weft_ndrange_choose_local(2, (size_t[]){10007, 1024}, true, 8, local);
    CHECK_EQ(local[0], 1u);
    weft_ndrange_choose_local(2, (size_t[]){10007, 1024}, false, 8, local);
    CHECK_EQ(local[0], 64u);
    CHECK_LE(local[0] * local[1], 1024u);
    weft_ndrange_choose_local(1, (size_t[]){53}, false, 8, local);
    CHECK_EQ(local[0], 53u);
}

TEST(a_local_size_has_rows_along_dimension_1_where_accesses_are_consecutive_there)
{
    size_t plain[3], local[3];
    weft_ndrange_choose_local(2, (size_t[]){480, 512}, true, 8, plain);
    weft_ndrange_choose_local_swapped(2, (size_t[]){512, 480}, true, 8, local);
    CHECK_EQ(local[0], plain[1]);
    CHECK_EQ(local[1], plain[0]);
    CHECK_EQ(local[2], 1u);
    CHECK_GE(local[1], 64u);
    weft_ndrange_choose_local(3, (size_t[]){48, 6, 10}, true, 8, plain);
    weft_ndrange_choose_local_swapped(3, (size_t[]){6, 48, 10}, true, 8, local);
    CHECK_EQ(local[0], plain[1]);
    CHECK_EQ(local[1], plain[0]);
    CHECK_EQ(local[2], plain[2]);
    weft_ndrange_choose_local(1, (size_t[]){4096}, true, 8, plain);
    weft_ndrange_choose_local_swapped(1, (size_t[]){4096}, true, 8, local);
    CHECK_EQ(local[0], plain[0]);
}

// cl_khr_priority_hints: idle threads are called at once, though it is a small launch.
TEST(a_queue_of_high_priority_calls_threads_for_each_launch)
{
    struct fixture f = fixture_of_kernel("twice");
    cl_int err = 1, values[64] = {0};
    const cl_queue_properties high[] = {CL_QUEUE_PRIORITY_KHR, CL_QUEUE_PRIORITY_HIGH_KHR, 0};
    cl_command_queue q = weft_clCreateCommandQueueWithProperties(f.context, f.device, high, &err);
    CHECK_EQ(err, CL_SUCCESS);
    cl_mem m = fixture_buffer(&f, sizeof values, values);
    for (cl_uint i = 0; i < 2; i++)
        CHECK_EQ(weft_clSetKernelArg(f.kernel, i, sizeof m, &m), CL_SUCCESS);
    const size_t one = 1;
    for (int i = 0; i < 5; i++) {
        uint32_t before = atomic_load(&weft_pool.urgent);
        CHECK_EQ(weft_clEnqueueNDRangeKernel(q, f.kernel, 1, NULL, &one, NULL, 0, NULL, NULL), CL_SUCCESS);
        CHECK_EQ(weft_clFinish(q), CL_SUCCESS);
        CHECK_NE(atomic_load(&weft_pool.urgent), before); // not sooner: a launch may wait for its code
    }
    CHECK_EQ(weft_clReleaseMemObject(m), CL_SUCCESS);
    CHECK_EQ(weft_clReleaseCommandQueue(q), CL_SUCCESS);
    fixture_close(&f);
}
