// Rectangular regions: their arithmetic against byte-by-byte references, and its limits.
#include "harness.h"

#include "runtime/check/rect.h"

#define SPACE 4096

static struct weft_rect_side side_of(size_t x, size_t y, size_t z, const size_t region[3], size_t row,
                                     size_t slice)
{
    struct weft_rect_side s;
    CHECK_EQ(weft_check_rect_side((const size_t[]){x, y, z}, region, row, slice, WEFT_SLICE_WHOLE_ROWS, &s),
             CL_SUCCESS);
    return s;
}

static void mark(unsigned char *space, const struct weft_rect_side *s, const size_t region[3],
                 unsigned char bit)
{
    for (size_t z = 0; z < region[2]; z++)
        for (size_t y = 0; y < region[1]; y++)
            for (size_t x = 0; x < region[0]; x++) {
                size_t at = s->begin + z * s->slice_pitch + y * s->row_pitch + x;
                CHECK_LT(at, s->end);
                CHECK_LT(at, (size_t)SPACE);
                space[at] |= bit;
            }
}

static bool reference_overlap(const struct weft_rect_side *a, const struct weft_rect_side *b,
                              const size_t region[3])
{
    static unsigned char space[SPACE];
    memset(space, 0, sizeof space);
    mark(space, a, region, 1);
    mark(space, b, region, 2);
    return memchr(space, 3, sizeof space) != NULL;
}

TEST(overlap_of_equal_pitches_is_that_of_the_bytes)
{
    uint64_t seed = 7;
    int overlapping = 0, apart_inside_hull = 0;
    for (int i = 0; i < HARNESS_SCALE(60000); i++) {
        size_t region[3] = {1 + harness_random(&seed) % 6, 1 + harness_random(&seed) % 4,
                            1 + harness_random(&seed) % 3};
        size_t row = region[0] + harness_random(&seed) % 7;
        size_t slice = row * (region[1] + harness_random(&seed) % 4);
        struct weft_rect_side s[2];
        for (int k = 0; k < 2; k++)
            s[k] = side_of(harness_random(&seed) % (2 * row), harness_random(&seed) % 5,
                           harness_random(&seed) % 4, region, row, slice);
        bool expected = reference_overlap(&s[0], &s[1], region);
        CHECK_EQ(weft_rects_overlap(&s[0], &s[1], region), expected);
        overlapping += expected;
        apart_inside_hull += !expected && s[0].begin < s[1].end && s[1].begin < s[0].end;
    }
    CHECK_GT(overlapping, 100);
    CHECK_GT(apart_inside_hull, 100);
}

TEST(overlap_of_different_pitches_is_that_of_the_bytes)
{
    uint64_t seed = 11;
    int overlapping = 0, apart_inside_hull = 0;
    for (int i = 0; i < HARNESS_SCALE(60000); i++) {
        size_t region[3] = {1 + harness_random(&seed) % 4, 1 + harness_random(&seed) % 4,
                            1 + harness_random(&seed) % 3};
        struct weft_rect_side s[2];
        for (int k = 0; k < 2; k++) {
            size_t row = region[0] + harness_random(&seed) % 9;
            size_t slice = row * (region[1] + harness_random(&seed) % 4);
            s[k] = side_of(harness_random(&seed) % 9, harness_random(&seed) % 5, harness_random(&seed) % 4,
                           region, row, slice);
        }
        bool expected = reference_overlap(&s[0], &s[1], region);
        CHECK_EQ(weft_rects_overlap(&s[0], &s[1], region), expected);
        overlapping += expected;
        apart_inside_hull += !expected && s[0].begin < s[1].end && s[1].begin < s[0].end;
    }
    CHECK_GT(overlapping, 100);
    CHECK_GT(apart_inside_hull, 100);
}

TEST(pitches_of_zero_are_those_of_a_packed_region)
{
    const size_t region[3] = {5, 7, 3};
    struct weft_rect_side s = side_of(1, 2, 1, region, 0, 0);
    CHECK_EQ(s.row_pitch, 5u);
    CHECK_EQ(s.slice_pitch, 35u);
    CHECK_EQ(s.begin, 35u + 10u + 1u);
    CHECK_EQ(s.end, s.begin + 2 * 35 + 6 * 5 + 5);
}

static cl_int check(const size_t origin[3], const size_t region[3], size_t row, size_t slice,
                    enum weft_slice_rule rule)
{
    struct weft_rect_side s;
    return weft_check_rect_side(origin, region, row, slice, rule, &s);
}

TEST(bad_regions_are_refused)
{
    CHECK_EQ(weft_check_rect_region(NULL), CL_INVALID_VALUE);
    for (int i = 0; i < 3; i++) {
        size_t region[3] = {2, 2, 2};
        CHECK_EQ(weft_check_rect_region(region), CL_SUCCESS);
        region[i] = 0;
        CHECK_EQ(weft_check_rect_region(region), CL_INVALID_VALUE);
    }
}

TEST(bad_pitches_are_refused)
{
    const size_t origin[3] = {0}, region[3] = {4, 3, 2};
    CHECK_EQ(check(NULL, region, 0, 0, WEFT_SLICE_ANY), CL_INVALID_VALUE);
    CHECK_EQ(check(origin, region, 3, 0, WEFT_SLICE_ANY), CL_INVALID_VALUE);
    CHECK_EQ(check(origin, region, 4, 0, WEFT_SLICE_ANY), CL_SUCCESS);
    CHECK_EQ(check(origin, region, 4, 11, WEFT_SLICE_ANY), CL_INVALID_VALUE);
    CHECK_EQ(check(origin, region, 4, 8, WEFT_SLICE_ANY), CL_INVALID_VALUE);
    CHECK_EQ(check(origin, region, 4, 12, WEFT_SLICE_WHOLE_ROWS), CL_SUCCESS);
    CHECK_EQ(check(origin, region, 4, 13, WEFT_SLICE_WHOLE_ROWS), CL_INVALID_VALUE);
    CHECK_EQ(check(origin, region, 4, 13, WEFT_SLICE_ANY), CL_SUCCESS);
}

TEST(sums_that_wrap_are_refused)
{
    const size_t huge = SIZE_MAX / 2 + 1, none[3] = {0};
    CHECK_EQ(check(none, (const size_t[]){4, huge, 1}, 4, 0, WEFT_SLICE_ANY), CL_INVALID_VALUE);
    CHECK_EQ(check(none, (const size_t[]){1, 1, 3}, huge, huge, WEFT_SLICE_ANY), CL_INVALID_VALUE);
    CHECK_EQ(check((const size_t[]){0, 2, 0}, (const size_t[]){1, 1, 1}, huge, 0, WEFT_SLICE_ANY),
             CL_INVALID_VALUE);
    CHECK_EQ(check((const size_t[]){0, 0, 2}, (const size_t[]){1, 1, 1}, 1, huge, WEFT_SLICE_ANY),
             CL_INVALID_VALUE);
    CHECK_EQ(check((const size_t[]){SIZE_MAX, 1, 0}, (const size_t[]){1, 1, 1}, 1, 1, WEFT_SLICE_ANY),
             CL_INVALID_VALUE);
    CHECK_EQ(check((const size_t[]){SIZE_MAX, 0, 0}, (const size_t[]){1, 1, 1}, 1, 1, WEFT_SLICE_ANY),
             CL_INVALID_VALUE);
    CHECK_EQ(check((const size_t[]){SIZE_MAX - 1, 0, 0}, (const size_t[]){1, 1, 1}, 1, 1, WEFT_SLICE_ANY),
             CL_SUCCESS);
}
