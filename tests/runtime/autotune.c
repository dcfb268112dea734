// Autotuning: what is measured when, and what becomes of the verdict. The fake kernels write which variant
// runs.
// timeout: 60
// env: WEFT_TIER=0
#include <sys/wait.h>

#include "runtime/code/kernel_variants.h"
#include "runtime/code/ladder.h"
#include "denied_call.h"
#include "fixture.h"

enum {
    ITEMS = 64,
    MANY = 50,
    ENOUGH = 600, // launches after which anything would have been measured
};

// The variant that ran all of a launch, or -1. Adds 1 << variant to the set *seen.
static int run(struct fixture *f, uint32_t *seen)
{
    int codes[ITEMS], all;
    fixture_run_tiers(f, codes, ITEMS);
    all = codes[0];
    for (int i = 0; i < ITEMS; i++) {
        *seen |= 1u << codes[i];
        all = codes[i] == all ? all : -1;
    }
    return all;
}

// Launches until many launches in a row have run in the variant.
static void run_until(struct fixture *f, int variant)
{
    int alike = 0;
    uint32_t seen = 0;
    for (int i = 0; i < 20000 && alike < MANY; i++)
        alike = run(f, &seen) == variant ? alike + 1 : 0;
    CHECK_EQ(alike, MANY);
}

static struct weft_kernel_code *code_of(const struct fixture *f)
{
    return ((struct weft_kernel *)f->kernel)->code;
}

TEST(the_narrow_variant_is_measured_while_there_is_code_with_lanes)
{
    struct fixture f = fixture_of_kernel("slow_default");
    struct weft_kernel_code *c = code_of(&f);
    atomic_store(&c->compile_us[WEFT_LEVEL_FULL], UINT32_MAX); // so that it isn't made
    run_until(&f, WEFT_VARIANT_NARROW);
    CHECK_EQ(atomic_load(&c->level), WEFT_LEVEL_LANES);
    const struct weft_kernel_variant *v = &c->variants[WEFT_VARIANT_NARROW - WEFT_VARIANT_DIM];
    CHECK(v->of_level[WEFT_LEVEL_LANES] != NULL);
    CHECK(!v->of_level[WEFT_LEVEL_FULL]);
    // With the best code it is made, and measured, once more.
    atomic_store(&c->compile_us[WEFT_LEVEL_FULL], 1000);
    for (int i = 0; i < 20000 && !v->of_level[WEFT_LEVEL_FULL]; i++) {
        uint32_t seen = 0;
        run(&f, &seen);
    }
    CHECK(v->of_level[WEFT_LEVEL_FULL] != NULL);
    run_until(&f, WEFT_VARIANT_NARROW);
    fixture_close(&f);
}

TEST(each_size_class_has_a_verdict_of_its_own)
{
    struct fixture f = fixture_of_kernel("slow_default");
    struct weft_kernel_code *c = code_of(&f);
    uint32_t variant;
    weft_autotune_decide(c, 2, WEFT_VARIANT_NARROW);
    CHECK(weft_autotune_verdict(c, 2, &variant));
    CHECK_EQ(variant, WEFT_VARIANT_NARROW);
    for (uint32_t k = 0; k < 2; k++)
        CHECK(!weft_autotune_verdict(c, k, &variant));
    fixture_close(&f);
}

// Launches until autotuning is over. Returns the set of variants that have run.
static uint32_t run_until_decided(struct fixture *f)
{
    uint32_t seen = 0, variant;
    for (int i = 0; i < 20000 && !weft_autotune_verdict(code_of(f), 0, &variant); i++)
        run(f, &seen);
    CHECK(weft_autotune_verdict(code_of(f), 0, &variant));
    return seen;
}

// A variant may be there as soon as a range has asked for it: before that range looks again. Here the range's
// thread makes it itself.
TEST(a_variant_that_is_made_while_a_range_asks_for_it_is_measured)
{
    if (!deny_threads())
        SKIP("no filter of system calls is allowed here: errno %d", errno);
    struct fixture f = fixture_of_kernel("fast_default");
    CHECK_EQ(run_until_decided(&f),
             1u << WEFT_VARIANT_ANY | 1u << WEFT_VARIANT_NARROW | 1u << WEFT_VARIANT_SCALAR);
    fixture_close(&f);
}

// ---- the verdict ----

struct costs {
    uint32_t any, narrow, scalar; // ns for 1024 work-items
};

static const struct weft_kernel_info *code_of_variant(struct weft_kernel_code *c, uint32_t variant)
{
    return atomic_load(&c->variants[variant - WEFT_VARIANT_DIM].info);
}

static uint32_t cost_in(const struct costs *costs, struct weft_kernel_code *c,
                        const struct weft_kernel_info *i)
{
    return i == code_of_variant(c, WEFT_VARIANT_NARROW)   ? costs->narrow
           : i == code_of_variant(c, WEFT_VARIANT_SCALAR) ? costs->scalar
                                                          : costs->any;
}

// Autotunes a kernel with all code, whose ranges aren't run but seem to have these costs. Each range whose number
// is a multiple of `long_one` seems to take a hundred times as long, as if its thread had been preempted (0: none).
static uint32_t verdict_for(struct costs costs, unsigned long_one)
{
    const struct weft_ndrange nd = {
        .global_size = {ITEMS, 1, 1}, .local_size = {1, 1, 1}, .num_groups = {ITEMS, 1, 1}, .work_dim = 1};
    struct fixture f = fixture_of_kernel("fast_scalar");
    struct weft_kernel_code *c = code_of(&f);
    CHECK_EQ(weft_kernel_code_wait_best(c), WEFT_OK);
    weft_kernel_variant_wait(&c->variants[WEFT_VARIANT_NARROW - WEFT_VARIANT_DIM]);
    weft_kernel_variant_wait(&c->variants[WEFT_VARIANT_SCALAR - WEFT_VARIANT_DIM]);
    CHECK(code_of_variant(c, WEFT_VARIANT_NARROW) && code_of_variant(c, WEFT_VARIANT_SCALAR));
    weft_autotune_note_time(c, &nd, WEFT_AUTOTUNE_NARROW | WEFT_AUTOTUNE_SCALAR, 1ull << 40);
    uint32_t variant;
    unsigned range = 0;
    for (; range < ENOUGH && !weft_autotune_verdict(c, 0, &variant); range++) {
        struct weft_autotune_sample sample = {0};
        const struct weft_kernel_info *i = weft_autotune_code(c, &nd, &sample);
        const uint32_t factor = long_one && range % long_one == 0 ? 100 : 1;
        CHECK(sample.autotune != NULL);
        weft_autotune_note(&sample, factor * cost_in(&costs, c, i));
    }
    CHECK_LT(range, ENOUGH);
    fixture_close(&f);
    return variant;
}

TEST(the_cheapest_code_wins)
{
    for (unsigned long_one = 0; long_one <= 7; long_one += 7) {
        CHECK_EQ(verdict_for((struct costs){1000, 3000, 2000}, long_one), WEFT_VARIANT_ANY);
        CHECK_EQ(verdict_for((struct costs){1000, 500, 2000}, long_one), WEFT_VARIANT_NARROW);
        CHECK_EQ(verdict_for((struct costs){1000, 500, 700}, long_one), WEFT_VARIANT_NARROW);
        CHECK_EQ(verdict_for((struct costs){1000, 500, 200}, long_one), WEFT_VARIANT_SCALAR);
        CHECK_EQ(verdict_for((struct costs){1000, 2000, 500}, long_one), WEFT_VARIANT_SCALAR);
        CHECK_EQ(verdict_for((struct costs){1000, 10000, 100}, long_one), WEFT_VARIANT_SCALAR);
    }
}

TEST(a_candidate_must_save_a_tenth_of_the_best_codes_time)
{
    CHECK_EQ(verdict_for((struct costs){1000, 920, 920}, 0), WEFT_VARIANT_ANY);
    CHECK_EQ(verdict_for((struct costs){1000, 900, 850}, 0), WEFT_VARIANT_NARROW);
    CHECK_EQ(verdict_for((struct costs){1000, 1100, 890}, 0), WEFT_VARIANT_SCALAR);
}

// ---- the disk cache ----

// In a process of its own. Returns the set of variants that its first launches run in; if `tunes` is set, it
// launches until the narrow one has won.
static uint32_t run_process(const char *kernel, bool tunes)
{
    int pipes[2], status;
    CHECK_EQ(pipe(pipes), 0);
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        struct fixture f = fixture_of_kernel(kernel);
        uint32_t seen = 0;
        if (tunes)
            for (uint32_t v; !weft_autotune_verdict(code_of(&f), 0, &v);)
                run(&f, &seen);
        // The thread that decided stores the verdict a moment later.
        for (int i = 0; i < (tunes ? MANY : ENOUGH); i++)
            run(&f, &seen);
        fixture_close(&f);
        exit(write(pipes[1], &seen, sizeof seen) == sizeof seen ? 0 : 1);
    }
    uint32_t seen = 0;
    CHECK_EQ(read(pipes[0], &seen, sizeof seen), (ssize_t)sizeof seen);
    CHECK_EQ(waitpid(child, &status, 0), child);
    CHECK_EQ(status, 0);
    close(pipes[0]);
    close(pipes[1]);
    return seen;
}

static void check_second_process(const char *kernel, uint32_t variant)
{
    char folder[] = "/tmp/weft-verdicts-XXXXXX", command[100];
    CHECK(mkdtemp(folder) != NULL);
    setenv("WEFT_CACHE", "1", 1);
    setenv("WEFT_CACHE_DIR", folder, 1);
    weft_config_reload();
    CHECK_NE(run_process(kernel, true), 1u << variant); // it tries others, too
    CHECK_EQ(run_process(kernel, false), 1u << variant);
    snprintf(command, sizeof command, "rm -rf %s", folder);
    CHECK_EQ(system(command), 0);
}

TEST(the_second_process_starts_with_the_variant_that_won)
{
    check_second_process("slow_default", WEFT_VARIANT_NARROW);
}

TEST(the_second_process_does_not_measure_what_lost)
{
    check_second_process("fast_default", WEFT_VARIANT_ANY);
}
