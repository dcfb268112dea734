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
