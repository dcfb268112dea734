// Checks and arithmetic of rectangular regions. No state.
#include "runtime/check/rect.h"

#include "base/base.h"
#include "runtime/core/diagnostics.h"

cl_int weft_check_rect_region(const size_t region[3])
{
    // "CL_INVALID_VALUE if any region array element is 0."
    return region && region[0] && region[1] && region[2]
               ? CL_SUCCESS
               : weft_error(CL_INVALID_VALUE, "region is NULL, or one of its three values is 0");
}

// *sum += a * b. False: it overflows.
static bool add_product(size_t a, size_t b, size_t *sum)
{
    size_t product;
    return weft_mul_size(a, b, &product) && weft_add_size(*sum, product, sum);
}

cl_int weft_check_rect_side(const size_t origin[3], const size_t region[3], size_t row_pitch,
                            size_t slice_pitch, enum weft_slice_rule rule, struct weft_rect_side *side)
{
    if (!origin)
        return weft_error(CL_INVALID_VALUE, "an origin is NULL");
    // "If row_pitch is 0, row_pitch is computed as region[0]."
    if (row_pitch == 0)
        row_pitch = region[0];
    // "CL_INVALID_VALUE if row_pitch is not 0 and is less than region[0]."
    if (row_pitch < region[0])
        return weft_error_with(CL_INVALID_VALUE, "a row pitch of %n is less than the region's rows, %n",
                               row_pitch, region[0]);
    // "If slice_pitch is 0, slice_pitch is computed as region[1] * row_pitch."
    size_t least;
    if (!weft_mul_size(region[1], row_pitch, &least))
        return weft_error(CL_INVALID_VALUE, "a slice of the region is larger than size_t holds");
    if (slice_pitch == 0)
        slice_pitch = least;
    // "CL_INVALID_VALUE if slice_pitch is not 0 and is less than region[1] * row_pitch" ("and" or "or", the
    // specification has both) "is not a multiple of row_pitch." Smaller slice pitches would let the slices of
    // a write overlap.
    if (slice_pitch < least || (rule == WEFT_SLICE_WHOLE_ROWS && slice_pitch % row_pitch != 0))
        return weft_error_with(
            CL_INVALID_VALUE,
            "a slice pitch of %n is less than region[1] rows, %n, or no multiple of the row pitch",
            slice_pitch, least);

    size_t begin = origin[0];
    if (!add_product(origin[1], row_pitch, &begin) || !add_product(origin[2], slice_pitch, &begin))
        return weft_error(CL_INVALID_VALUE, "an origin lies beyond what size_t holds");
    size_t end = begin;
    if (!add_product(region[2] - 1, slice_pitch, &end) || !add_product(region[1] - 1, row_pitch, &end) ||
        !weft_add_size(end, region[0], &end))
        return weft_error(CL_INVALID_VALUE, "the region reaches beyond what size_t holds");
    *side = (struct weft_rect_side){row_pitch, slice_pitch, begin, end};
    return CL_SUCCESS;
}

// Both sides have the same pitches, so they are the same pattern of rows, shifted by `shift` bytes. Do the
// patterns overlap?
static bool rows_overlap(size_t shift, const struct weft_rect_side *side, const size_t region[3])
{
    size_t row = side->row_pitch, slice = side->slice_pitch;
    if (shift >= side->end - side->begin)
        return false;
    // Does every row fall into the gap between two rows of the other side?
    size_t x = shift % row;
    if (x >= region[0] && row - x >= region[0])
        return false;
    // Otherwise they overlap, unless every slice falls into the gap between two slices of the other side.
    size_t rows = (region[1] - 1) * row + region[0];
    size_t y = shift % slice;
    return y < rows || slice - y < rows;
}

// Visits the rows of a region in the order of their addresses.
struct row_walk {
    size_t at; // the address at which this row begins
    size_t row, slice;
};

static bool next_row(struct row_walk *w, const struct weft_rect_side *side, const size_t region[3])
{
    if (++w->row == region[1]) {
        w->row = 0;
        if (++w->slice == region[2])
            return false;
    }
    w->at = side->begin + w->slice * side->slice_pitch + w->row * side->row_pitch;
    return true;
}

bool weft_rects_overlap(const struct weft_rect_side *a, const struct weft_rect_side *b,
                        const size_t region[3])
{
    if (a->end <= b->begin || b->end <= a->begin)
        return false;
    // If a slice has one row, the row pitch doesn't matter; if there is one slice, the slice pitch doesn't.
    // Two sides may differ there and still be the same pattern. The walk below handles them, too.
    if (a->row_pitch == b->row_pitch && a->slice_pitch == b->slice_pitch) {
        size_t shift = a->begin < b->begin ? b->begin - a->begin : a->begin - b->begin;
        return rows_overlap(shift, a, region);
    }
    // The pitches differ, which is possible between two sub-buffers of a buffer. Merge the two sorted lists
    // of rows.
    struct row_walk wa = {a->begin, 0, 0}, wb = {b->begin, 0, 0};
    for (;;) {
        if (wa.at + region[0] <= wb.at) {
            if (!next_row(&wa, a, region))
                return false;
        } else if (wb.at + region[0] <= wa.at) {
            if (!next_row(&wb, b, region))
                return false;
        } else {
            return true;
        }
    }
}
