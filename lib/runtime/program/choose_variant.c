// How a range is cut: the size of its work-groups where an enqueue names none, and the form of the code that suits it.
#include "runtime/launch/ndrange.h"

// ---- Form ----

// In 1/16 of a single work-item: a step is dearer than the compiler's count of instructions says, since wide
// ones take the processor more, and memory.
enum { ITEM_COST = 16, STEP_FACTOR = 2, TURNED_ITEMS = 8 };

uint32_t weft_ndrange_form(const struct weft_ndrange *nd, const struct weft_kernel_info *own)
{
    uint64_t lanes = own->vector_width, row = own->indifferent ? nd->global_size[0] : nd->local_size[0];
    // Memory decides, if lanes aren't mostly empty.
    if (own->turned && nd->local_size[1] >= TURNED_ITEMS)
        return WEFT_FORM_ROWS + 1;
    uint64_t alone = own->alone_cost > ITEM_COST ? own->alone_cost : ITEM_COST;
    if (lanes < 2 || own->sub_groups || row >= alone / ITEM_COST * 8 * lanes || row % lanes == 0)
        return WEFT_FORM_ANY;
    uint64_t step = STEP_FACTOR * (uint64_t)own->step_cost;
    uint64_t steps = step * ((row + lanes - 1) / lanes); // of the row, its end under a mask
    uint64_t cost = step * (row / lanes) + alone * (row % lanes);
    uint32_t form = WEFT_FORM_ANY;
    if (5 * steps <= 4 * cost) {
        cost = steps;
        form = WEFT_FORM_ROWS;
    }
    if (alone > ITEM_COST && 5 * ITEM_COST * row <= 4 * cost) {
        cost = ITEM_COST * row;
        form = WEFT_FORM_ALONE;
    }
    // Along other dimensions memory is seldom consecutive: only for much.
    for (uint32_t d = 1; d < 3; d++) {
        uint64_t other = nd->local_size[d];
        steps = 2 * step * ((other + lanes - 1) / lanes);
        if (steps * row < cost * other) {
            cost = steps;
            row = other;
            form = WEFT_FORM_ROWS + d;
        }
    }
    return form;
}

// ---- Local size ----

enum { SHORT_ROW = 16 };

// The largest divisor of n that is at most `most`, multiples of 16 before others.
static size_t divisor(size_t n, size_t most)
{
    if (n <= most)
        return n;
    size_t power = n & (~n + 1);
    if (power >= 64)
        while (power > most)
            power /= 2;
    if (power >= 64)
        return power;
    size_t best = 1;
    for (size_t d = most; d > best; d--)
        if (n % d == 0) {
            if (d % 16 == 0)
                return d;
            if (best == 1)
                best = d;
            if (d < 32)
                break;
        }
    return best;
}

void weft_ndrange_choose_local(cl_uint dim, const size_t *global, bool uniform, uint32_t threads,
                               size_t local[3])
{
    size_t total = 1, size = 1;
    for (cl_uint i = 0; i < dim; i++)
        total *= global[i];
    // Groups enough for all threads to share, yet large enough that a group's own cost doesn't count.
    size_t goal = total / (8 * (size_t)(threads ? threads : 1));
    goal = goal < 64 ? 64 : goal > 1024 ? 1024 : goal;
    for (cl_uint i = 0; i < 3; i++) {
        local[i] = i < dim ? divisor(global[i], goal / size) : 1;
        // Where the last group may be smaller, rows needn't be short for want of a divisor.
        if (i == 0 && !uniform && local[0] < SHORT_ROW && global[0] > WEFT_NDRANGE_ROW)
            local[0] = WEFT_NDRANGE_ROW;
        size *= local[i];
    }
}
