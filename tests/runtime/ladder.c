// The ladder of code: quick, with lanes, optimised. The fake kernel `steps` writes which code it is: 1, 3, 2.
// timeout: 60
// env: WEFT_TIER=0
#include "runtime/code/build_result.h"
#include "runtime/code/ladder.h"
#include "fixture.h"

static struct fixture fixture_of_options(const char *options)
{
    struct fixture f = fixture_open();
    f.program = fixture_source(&f, "");
    CHECK_EQ(weft_clBuildProgram(f.program, 0, NULL, options, NULL, NULL), CL_SUCCESS);
    f.kernel = fixture_kernel(f.program, "steps");
    return f;
}

// Launches until this code has taken over, which takes long on a busy machine.
static void run_until(struct fixture *f, int wanted)
{
    int tier = 0;
    const uint64_t begin = weft_time_now();
    while (tier != wanted && weft_time_now() - begin < 20000000000)
        fixture_run_tiers(f, &tier, 1);
    CHECK_EQ(tier, wanted);
}

TEST(code_with_lanes_comes_between_quick_and_optimised_code)
{
    struct fixture f = fixture_of_options("");
    struct weft_kernel_code *c = ((struct weft_kernel *)f.kernel)->code;
    int tier = 0;
    // On an idle processor, optimised code is asked for after a part of its compile time. The fake's compiles
    // are so short that it might be there before code with lanes has run once. So it is said to take an hour.
    weft_ladder_note_compile(c, WEFT_LEVEL_FULL, 3600000000u);
    fixture_run_tiers(&f, &tier, 1);
    CHECK_EQ(tier, 1);
    run_until(&f, 3);
    CHECK_EQ(atomic_load(&c->level), WEFT_LEVEL_LANES);
    CHECK(!weft_kernel_code_is_best(c));
    // It has to run for four times as long as optimised code takes to make.
    atomic_store(&c->spent_ns, 4 * weft_ladder_compile_ns(c, WEFT_LEVEL_FULL));
    run_until(&f, 2);
    CHECK_EQ(atomic_load(&c->level), WEFT_LEVEL_FULL);
    // The code runs before the compile's job is over, which looks for verdicts of the autotuner.
    for (int i = 0; i < 5000 && !weft_kernel_code_is_best(c); i++)
        usleep(1000);
    CHECK(weft_kernel_code_is_best(c));
    fixture_close(&f);
}

TEST(a_kernel_without_code_with_lanes_gets_optimised_code)
{
    struct fixture f = fixture_of_options("-DFAKE_NO_LANES");
    run_until(&f, 2);
    fixture_close(&f);
}

// The fake's compiles are slow here, so the launch is there before quick code is.
TEST(a_large_first_launch_waits_for_code_with_lanes)
{
    enum { ITEMS = 200000 };
    static int tiers[ITEMS];
    struct fixture f = fixture_of_options("-DFAKE_CODE_SLOW");
    fixture_run_tiers(&f, tiers, ITEMS);
    for (int i = 0; i < ITEMS; i++)
        CHECK_EQ(tiers[i], 3);
    fixture_close(&f);
}

// Runs a launch of so many work-items that it would wait anyway. Returns whether there is quick code.
static bool makes_quick_code(const char *options, bool lanes)
{
    enum { ITEMS = 400000 };
    static int tiers[ITEMS];
    struct fixture f = fixture_of_options(options);
    struct weft_kernel_code *c = ((struct weft_kernel *)f.kernel)->code;
    fixture_run_tiers(&f, tiers, ITEMS);
    for (int i = 0; i < ITEMS; i++)
        CHECK_EQ(tiers[i] == 3, lanes); // without it, optimised code may take over
    const bool made = c->of_level[WEFT_LEVEL_QUICK] != NULL;
    fixture_close(&f);
    return made;
}

// On a busy machine the launch may come when the compile of quick code has begun.
TEST(a_very_large_first_launch_has_no_quick_code)
{
    bool made = true;
    for (int i = 0; i < 20 && made; i++)
        made = makes_quick_code("-DFAKE_CODE_SLOW", true);
    CHECK(!made);
    CHECK(makes_quick_code("-DFAKE_CODE_SLOW -DFAKE_NO_LANES", false));
}

// Launches a kernel with local memory in groups of 64 work-items, in rows or in columns. Returns which code
// ran.
static int run_groups(struct fixture *f, size_t items, bool columns)
{
    int *codes = calloc(items, sizeof *codes);
    cl_mem out = fixture_buffer(f, items * sizeof *codes, NULL);
    const size_t global[2] = {columns ? 1 : items, columns ? items : 1},
                 local[2] = {columns ? 1 : 64, columns ? 64 : 1};
    CHECK_EQ(weft_clSetKernelArg(f->kernel, 0, sizeof out, &out), CL_SUCCESS);
    CHECK_EQ(weft_clSetKernelArg(f->kernel, 1, 64, NULL), CL_SUCCESS);
    CHECK_EQ(weft_clEnqueueNDRangeKernel(f->queue, f->kernel, 2, NULL, global, local, 0, NULL, NULL),
             CL_SUCCESS);
    CHECK_EQ(weft_clEnqueueReadBuffer(f->queue, out, CL_TRUE, 0, items * sizeof *codes, codes, 0, NULL, NULL),
             CL_SUCCESS);
    CHECK_EQ(weft_clReleaseMemObject(out), CL_SUCCESS);
    const int code = codes[items - 1];
    free(codes);
    return code;
}

TEST(lanes_lie_along_the_dimension_that_has_the_work_items)
{
    enum { ITEMS = 400000 / 64 * 64 };
    struct fixture f = fixture_of_options("");
    CHECK_EQ(weft_clReleaseKernel(f.kernel), CL_SUCCESS);
    f.kernel = fixture_kernel(f.program, "columns");
    struct weft_kernel_code *c = ((struct weft_kernel *)f.kernel)->code;
    weft_ladder_note_compile(c, WEFT_LEVEL_FULL, 3600000000u); // not before this test wants it
    CHECK_EQ(run_groups(&f, ITEMS, true), 4);
    CHECK_EQ(atomic_load(&c->level), WEFT_LEVEL_LANES);
    CHECK(c->of_level[WEFT_LEVEL_LANES] == c->variants[1].of_level[WEFT_LEVEL_LANES]); // it was made once
    CHECK_EQ(run_groups(&f, ITEMS, true), 4);
    // Rows have no lanes in that code, and want the next one.
    CHECK(!atomic_load(&c->variant_wanted));
    CHECK_EQ(run_groups(&f, ITEMS, false), 4);
    CHECK(atomic_load(&c->variant_wanted));
    atomic_store(&c->spent_ns, 4 * weft_ladder_compile_ns(c, WEFT_LEVEL_FULL));
    int code = 0;
    for (int i = 0; i < 20000 && code != 2; i++)
        code = run_groups(&f, ITEMS, false);
    CHECK_EQ(code, 2);
    CHECK_EQ(run_groups(&f, ITEMS, true), 4); // columns keep their lanes
    fixture_close(&f);
    // A kernel with launches of both kinds has them along dimension 0.
    f = fixture_of_options("-DFAKE_CODE_SLOW");
    CHECK_EQ(weft_clReleaseKernel(f.kernel), CL_SUCCESS);
    f.kernel = fixture_kernel(f.program, "columns");
    c = ((struct weft_kernel *)f.kernel)->code;
    weft_kernel_code_note_launch(
        c, &(struct weft_ndrange){.global_size = {64, 1, 1}, .local_size = {64, 1, 1}}, 1);
    CHECK_EQ(run_groups(&f, ITEMS, true), 3);
    fixture_close(&f);
}

TEST(quick_code_is_left_out_only_where_a_launch_is_large_for_its_program)
{
    struct weft_build small = {.object = {.bitcode_size = 1000}}, large = {.object = {.bitcode_size = 50000}},
                      huge = {.object = {.bitcode_size = 1000000}};
    struct weft_kernel_code c = {.build = &small};
    CHECK(!weft_ladder_skips_quick(&c, 0)); // not launched yet
    CHECK(!weft_ladder_skips_quick(&c, 50000));
    CHECK(weft_ladder_skips_quick(&c, 200000));
    c.build = &large;
    CHECK(!weft_ladder_skips_quick(&c, 200000));
    CHECK(weft_ladder_skips_quick(&c, 2000000));
    c.build = &huge; // code with lanes may never be made
    CHECK(!weft_ladder_skips_quick(&c, UINT64_MAX / 2));
}

// Once it is known how long the kernel takes in quick code.
TEST(a_later_launch_waits_for_code_with_lanes)
{
    enum { ITEMS = 64 };
    int tiers[ITEMS];
    struct fixture f = fixture_of_options("-DFAKE_CODE_SLOW");
    struct weft_kernel_code *c = ((struct weft_kernel *)f.kernel)->code;
    fixture_run_tiers(&f, tiers, 1);
    CHECK_EQ(tiers[0], 1);
    atomic_store(&c->cost, UINT32_MAX); // 4 ms for each work-item
    fixture_run_tiers(&f, tiers, ITEMS);
    for (int i = 0; i < ITEMS; i++)
        CHECK_EQ(tiers[i], 3);
    fixture_close(&f);
}

TEST(a_launch_that_waits_in_vain_for_code_with_lanes_runs_in_what_there_is)
{
    int tier = 0;
    struct fixture f = fixture_of_options("-DFAKE_CODE_SLOW -DFAKE_NO_LANES");
    struct weft_kernel_code *c = ((struct weft_kernel *)f.kernel)->code;
    fixture_run_tiers(&f, &tier, 1);
    atomic_store(&c->cost, UINT32_MAX);
    fixture_run_tiers(&f, &tier, 1);
    CHECK_EQ(tier, 1);
    CHECK(atomic_load(&c->no_lanes));
    fixture_close(&f);
}

TEST(a_launch_waits_if_it_would_run_in_quick_code_for_a_sixteenth_of_what_the_compile_takes)
{
    struct weft_kernel_code c = {.compile_us = {1000}};
    const uint64_t lanes = weft_ladder_compile_ns(&c, WEFT_LEVEL_LANES);
    struct weft_kernel_code coarse = {.compile_us = {1}}; // a clock that only ticks now and then
    CHECK_LT(lanes, weft_ladder_compile_ns(&coarse, WEFT_LEVEL_LANES));
    CHECK(!weft_ladder_waits_for_lanes(&c, lanes / 600)); // 32 ns each
    CHECK(weft_ladder_waits_for_lanes(&c, lanes / 400));
    atomic_store(&c.cost, 1024 * 320); // as others have taken
    CHECK(!weft_ladder_waits_for_lanes(&c, lanes / 6000));
    CHECK(weft_ladder_waits_for_lanes(&c, lanes / 4000));
    atomic_store(&c.no_lanes, true);
    CHECK(!weft_ladder_waits_for_lanes(&c, lanes));
}

TEST(on_few_processors_a_launch_of_a_kernel_that_has_run_before_waits_much_sooner)
{
    struct weft_kernel_code c = {.compile_us = {1000}, .cost = 1024000}; // 1 us for each work-item
    const uint64_t lanes = weft_ladder_compile_ns(&c, WEFT_LEVEL_LANES), items = lanes / 300 / 1000;
    CHECK(!weft_ladder_waits_for_lanes(&c, items));
    atomic_store(&c.spent_ns, lanes / 300); // one launch
    CHECK(!weft_ladder_waits_for_lanes(&c, items));
    atomic_store(&c.spent_ns, lanes / 150);
    CHECK_EQ(weft_ladder_waits_for_lanes(&c, items), weft_compiler_count() < 8);
}

// Its job is given up when its turn comes, and asked for again by the next launch.
TEST(a_kernel_that_nobody_launches_any_more_gets_no_better_code)
{
    struct weft_kernel_code c = {.compile_us = {1000}};
    weft_ladder_note_launch(&c, 100);
    const uint64_t now = atomic_load(&c.used_at);
    CHECK_LT(0, weft_ladder_gain(&c, now));
    CHECK_EQ(weft_ladder_gain(&c, now + 3000000000), 0);
    weft_ladder_note_launch(&c, 100);
    CHECK_LT(0, weft_ladder_gain(&c, atomic_load(&c.used_at)));
}

TEST(the_kernel_that_gains_most_gets_better_code_first)
{
    struct weft_kernel_code a = {.compile_us = {1000}, .spent_ns = 5000000, .used_at = 1},
                            b = {.compile_us = {1000}, .spent_ns = 9000000, .used_at = 1},
                            large = {.compile_us = {3000}, .spent_ns = 9000000, .used_at = 1};
    CHECK_LT(weft_ladder_gain(&a, 1), weft_ladder_gain(&b, 1));
    CHECK_LT(weft_ladder_gain(&large, 1), weft_ladder_gain(&b, 1));
    CHECK_LT(weft_ladder_gain(&b, 1000000000), weft_ladder_gain(&a, 1)); // it wasn't used for a second
}

TEST(optimised_code_is_asked_for_when_a_kernel_has_run_four_times_as_long_as_it_takes_to_make)
{
    struct weft_kernel_code c = {.level = WEFT_LEVEL_LANES, .compile_us = {1000, 8000}, .cost = 1024000};
    const uint64_t full = weft_ladder_compile_ns(&c, WEFT_LEVEL_FULL);
    CHECK_LT(8000000, full);
    uint64_t launches = 1; // of a millisecond each
    while (!weft_ladder_note_launch(&c, 1000) && launches < 1000)
        launches++;
    CHECK_LE(launches, 4 * full / 1000000 + 1);
    // Where there are many processors, an idle one makes it early.
    CHECK_LE(weft_compiler_count() < 8 ? 4 * full / 1000000 : full / 16000000, launches);
}

TEST(a_sixteenth_of_a_compile_suffices_for_early_code)
{
    const struct weft_kernel_code c = {.level = WEFT_LEVEL_LANES, .compile_us = {1000, 8000, 32000}};
    CHECK(!weft_ladder_pays_early(&c, WEFT_LEVEL_FULL, 1900000));
    CHECK(weft_ladder_pays_early(&c, WEFT_LEVEL_FULL, 2000000));
}
