// Autotuning: what is measured when, and what becomes of the verdict. The fake kernels write which variant
// runs.
// timeout: 60
// env: WEFT_TIER=0
#include <sys/wait.h>

#include "runtime/code/autotune_state.h"
#include "runtime/code/kernel_variants.h"
#include "runtime/code/ladder.h"
#include "denied_call.h"
#include "fixture.h"

enum {
    ITEMS = 64,
    MANY = 50,
    ENOUGH = 600, // launches after which anything would have been measured
    TRIES = 5,    // with fresh kernels, where other load may lead to a wrong verdict
};
#define WAIT_NS 20000000000u

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

static struct weft_kernel_code *code_of(const struct fixture *f)
{
    return ((struct weft_kernel *)f->kernel)->code;
}

// Launches until autotuning is over. Returns the set of variants that have run.
static uint32_t run_until_decided(struct fixture *f)
{
    const uint64_t start = weft_time_now();
    uint32_t seen = 0, variant;
    bool decided;
    while (!(decided = weft_autotune_verdict(code_of(f), 0, &variant)) && weft_time_now() - start < WAIT_NS)
        run(f, &seen);
    CHECK(decided);
    return seen;
}

// Do many launches in a row run in the variant?
static bool many_run_in(struct fixture *f, uint32_t variant)
{
    uint32_t seen = 0;
    for (int i = 0; i < MANY; i++)
        run(f, &seen);
    return seen == 1u << variant;
}

// Launches until the narrow variant has been measured once. Returns whether it has won.
static bool wins_once(struct fixture *f)
{
    const uint64_t start = weft_time_now();
    const struct weft_autotune *t = NULL;
    uint32_t seen = 0, state = 0;
    while (!weft_autotune_stage_in(state) && weft_time_now() - start < WAIT_NS) {
        run(f, &seen);
        t = t ? t : weft_autotune_of(code_of(f), 0);
        state = t ? atomic_load(&t->state) : 0;
    }
    CHECK(weft_autotune_stage_in(state));
    return weft_autotune_best_in(state) == WEFT_VARIANT_NARROW;
}

// False where other programs use the processors so much that a verdict is wrong, or that a thread requests
// code to follow quick code only when code with lanes is there already, and so gets full code.
static bool narrow_wins_two_times(struct fixture *f)
{
    struct weft_kernel_code *c = code_of(f);
    const struct weft_kernel_variant *v = &c->variants[WEFT_VARIANT_NARROW - WEFT_VARIANT_DIM];
    atomic_store(&c->compile_us[WEFT_LEVEL_FULL], UINT32_MAX); // so that it isn't made
    const bool won = wins_once(f), runs = many_run_in(f, WEFT_VARIANT_NARROW),
               made_again = v->of_level[WEFT_LEVEL_FULL];
    if (!won || atomic_load(&c->level) != WEFT_LEVEL_LANES)
        return false;
    CHECK(runs);
    CHECK(v->of_level[WEFT_LEVEL_LANES] != NULL);
    CHECK(!made_again);
    // With the best code it is made, and measured, once more.
    atomic_store(&c->compile_us[WEFT_LEVEL_FULL], 1000);
    run_until_decided(f);
    CHECK(v->of_level[WEFT_LEVEL_FULL] != NULL);
    uint32_t variant;
    CHECK(weft_autotune_verdict(c, 0, &variant));
    CHECK(many_run_in(f, variant));
    return variant == WEFT_VARIANT_NARROW;
}

TEST(the_narrow_variant_is_measured_while_there_is_code_with_lanes)
{
    bool won = false;
    for (int i = 0; i < TRIES && !won; i++) {
        struct fixture f = fixture_of_kernel("slow_default");
        won = narrow_wins_two_times(&f);
        fixture_close(&f);
    }
    CHECK(won);
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

// They run in none of the variants that are measured.
TEST(launches_with_lanes_along_another_dimension_measure_nothing)
{
    const struct weft_ndrange column = {
        .global_size = {1, ITEMS, 1}, .local_size = {1, ITEMS, 1}, .num_groups = {1, 1, 1}, .work_dim = 2};
    const struct weft_ndrange row = {
        .global_size = {ITEMS, 1, 1}, .local_size = {ITEMS, 1, 1}, .num_groups = {1, 1, 1}, .work_dim = 1};
    struct fixture f = fixture_of_kernel("fast_scalar");
    struct weft_kernel_code *c = code_of(&f);
    CHECK_EQ(weft_kernel_code_wait_best(c), WEFT_OK);
    struct weft_kernel_info own = *weft_kernel_code_info(c);
    own.vector_width = 8;
    own.scalar_cost = own.vector_iteration_cost = 16;
    own.group_independence = false;
    CHECK_EQ(weft_ndrange_variant(&column, &own), WEFT_VARIANT_DIM + 1);
    weft_kernel_code_note_time(c, &own, &column, 1ull << 40);
    CHECK(!weft_autotune_of(c, 0));
    weft_kernel_code_note_time(c, &own, &row, 1ull << 40);
    CHECK(weft_autotune_of(c, 0) != NULL);
    fixture_close(&f);
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

// Autotunes a kernel with all code, whose ranges aren't run but seem to have these costs. Each range whose
// number is a multiple of `long_one` seems to take a hundred times as long, as if its thread had been
// preempted (0: none).
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

// What a process has seen: the set of variants that its first launches ran in, and the one that has won.
struct outcome {
    uint32_t seen, variant;
};

// Runs a process. If `tunes` is set, it launches until autotuning is over.
static struct outcome run_process(const char *kernel, bool tunes)
{
    int pipes[2], status;
    CHECK_EQ(pipe(pipes), 0);
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        struct fixture f = fixture_of_kernel(kernel);
        struct outcome o = {.seen = tunes ? run_until_decided(&f) : 0};
        // The thread that decided stores the verdict a moment later.
        for (int i = 0; i < (tunes ? MANY : ENOUGH); i++)
            run(&f, &o.seen);
        CHECK(weft_autotune_verdict(code_of(&f), 0, &o.variant));
        fixture_close(&f);
        exit(write(pipes[1], &o, sizeof o) == sizeof o ? 0 : 1);
    }
    struct outcome o = {0};
    close(pipes[1]);
    CHECK_EQ(read(pipes[0], &o, sizeof o), (ssize_t)sizeof o);
    CHECK_EQ(waitpid(child, &status, 0), child);
    CHECK_EQ(status, 0);
    close(pipes[0]);
    return o;
}

// Returns what the first process has decided, which the second one must run in.
static uint32_t run_two_processes(const char *kernel)
{
    char folder[] = "/tmp/weft-verdicts-XXXXXX", command[100];
    CHECK(mkdtemp(folder) != NULL);
    setenv("WEFT_CACHE", "1", 1);
    setenv("WEFT_CACHE_DIR", folder, 1);
    weft_config_reload();
    const struct outcome first = run_process(kernel, true), second = run_process(kernel, false);
    CHECK_NE(first.seen, 1u << first.variant); // it tries others, too
    CHECK_EQ(second.seen, 1u << first.variant);
    CHECK_EQ(second.variant, first.variant);
    snprintf(command, sizeof command, "rm -rf %s", folder);
    CHECK_EQ(system(command), 0);
    return first.variant;
}

static void check_second_process(const char *kernel, uint32_t variant)
{
    uint32_t won = UINT32_MAX;
    for (int i = 0; i < TRIES && won != variant; i++)
        won = run_two_processes(kernel);
    CHECK_EQ(won, variant);
}

TEST(the_second_process_starts_with_the_variant_that_won)
{
    check_second_process("slow_default", WEFT_VARIANT_NARROW);
}

TEST(the_second_process_does_not_measure_what_lost)
{
    check_second_process("fast_default", WEFT_VARIANT_ANY);
}
