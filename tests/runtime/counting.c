// What a kernel costs isn't learned from code that counts its work (WEFT_PROFILE).
// timeout: 60
// env: WEFT_TIER=2
// env: WEFT_PROFILE=/tmp/weft-test-counting.%p
#include "runtime/code/counting.h"
#include "fixture.h"
#include "weft/trace.h"

// As the driver does at load (icd/config_files.c), before others ask whether sums are on.
__attribute__((constructor(102))) static void start(void)
{
    weft_trace_start();
}

TEST(counted_groups_are_not_measured)
{
    struct fixture f = fixture_of_kernel("tiers");
    struct weft_kernel_code *c = ((struct weft_kernel *)f.kernel)->code;
    struct weft_kernel_counts *counts =
        calloc(1, sizeof *counts + (2 * WEFT_COUNT_LEVELS + 1) * sizeof(uint64_t));
    uint64_t *most = (uint64_t *)(void *)counts->part;
    int tier;
    fixture_run_tiers(&f, &tier, 1);
    CHECK_GT(atomic_load(&c->cost), 0);
    // Of one block, and code that never counts it.
    counts->blocks = 1;
    c->counting[0].counts = counts;
    atomic_store(&c->counting[0].info, weft_kernel_code_info(c));
    atomic_store(&c->cost, 0);
    for (int i = 0; i < 2; i++) { // so many launches are counted at first
        *most = 1;
        fixture_run_tiers(&f, &tier, 1);
        CHECK_EQ(*most, 0);
        CHECK_EQ(atomic_load(&c->cost), 0);
    }
    *most = 1;
    fixture_run_tiers(&f, &tier, 1);
    CHECK_EQ(*most, 1);
    CHECK_GT(atomic_load(&c->cost), 0);
    fixture_close(&f);
    free(counts);
    char file[64];
    atomic_store(&weft_trace_on, false); // nothing is written
    snprintf(file, sizeof file, "/tmp/weft-test-counting.%d", (int)getpid());
    unlink(file); // unless that took long
}
