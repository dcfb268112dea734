// The simulated machine's weakly ordered memory shows what a missing release, acquire or fence does, and
// nothing that these forbid.
#include "scheduler/simulator/litmus.h"

#include "harness.h"

enum { SEEDS = 10 };

static int shown(enum litmus which)
{
    int count = 0;
    for (uint64_t seed = 1; seed <= SEEDS; seed++)
        count += litmus_shows_old_values(which, seed);
    return count;
}

TEST(what_is_released_is_read_by_who_acquires_it)
{
    CHECK_EQ(shown(LITMUS_RELEASE), 0);
    CHECK_EQ(shown(LITMUS_RELEASE_FENCE), 0);
}

TEST(a_missing_release_shows)
{
    CHECK_GE(shown(LITMUS_RELAXED_WRITE), SEEDS / 2);
}

TEST(a_missing_acquire_shows)
{
    CHECK_GE(shown(LITMUS_RELAXED_READ), SEEDS / 2);
}

TEST(of_two_fences_the_later_one_sees_what_is_before_the_other)
{
    CHECK_EQ(shown(LITMUS_FENCES), 0);
}

TEST(without_fences_both_may_read_old_values)
{
    CHECK_GE(shown(LITMUS_NO_FENCES), SEEDS / 2);
}
