// Non-temporal copies and fills move exactly the bytes that they should, whatever the alignment.
#include "harness.h"

#include "runtime/memory/nontemporal_copy.h"

#define ROOM 4096
static unsigned char from[ROOM], to[ROOM], expected[ROOM];

static void prepare(uint64_t *seed)
{
    for (size_t i = 0; i < ROOM; i++) {
        from[i] = (unsigned char)harness_random(seed);
        to[i] = expected[i] = (unsigned char)harness_random(seed);
    }
}

TEST(a_nontemporal_copy_is_a_copy)
{
    uint64_t seed = 3;
    for (int i = 0; i < HARNESS_SCALE(4000); i++) {
        prepare(&seed);
        size_t d = harness_random(&seed) % 200, s = harness_random(&seed) % 200,
               n = harness_random(&seed) % (ROOM - 200);
        memcpy(expected + d, from + s, n);
        weft_nontemporal_copy(to + d, from + s, n);
        CHECK_MEM(to, expected, ROOM);
    }
}

TEST(a_fill_repeats_its_block)
{
    uint64_t seed = 5;
    for (int i = 0; i < HARNESS_SCALE(4000); i++) {
        prepare(&seed);
        size_t d = harness_random(&seed) % 200, n = harness_random(&seed) % (ROOM - 200);
        for (size_t k = 0; k < n; k++)
            expected[d + k] = from[k % WEFT_FILL_BLOCK];
        weft_block_fill(to + d, from, n, i % 2);
        CHECK_MEM(to, expected, ROOM);
    }
}
