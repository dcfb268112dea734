// The local size for enqueues that specify none.
#include "runtime/launch/local_size.h"

enum { SHORT_ROW = 16 };

// The largest divisor of n that is at most `max`, but multiples of 16 are preferred.
static size_t divisor(size_t n, size_t max)
{
    if (n <= max)
        return n;
    size_t power = n & (~n + 1);
    if (power >= 64)
        while (power > max)
            power /= 2;
    if (power >= 64)
        return power;
    size_t best = 1;
    for (size_t d = max; d > best; d--)
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
    // There should be enough groups for all threads, but a group should be large enough that its own cost
    // doesn't matter.
    size_t goal = total / (8 * (size_t)(threads ? threads : 1));
    goal = goal < 64 ? 64 : goal > 1024 ? 1024 : goal;
    for (cl_uint i = 0; i < 3; i++) {
        local[i] = i < dim ? divisor(global[i], goal / size) : 1;
        // If the last group may be smaller, rows needn't be short just because there is no good divisor.
        if (i == 0 && !uniform && local[0] < SHORT_ROW && global[0] > WEFT_NDRANGE_ROW)
            local[0] = WEFT_NDRANGE_ROW;
        size *= local[i];
    }
}

void weft_ndrange_choose_local_swapped(cl_uint dim, const size_t *global, bool uniform, uint32_t threads,
                                       size_t local[3])
{
    if (dim < 2) {
        weft_ndrange_choose_local(dim, global, uniform, threads, local);
        return;
    }
    const size_t swapped[3] = {global[1], global[0], dim > 2 ? global[2] : 1};
    weft_ndrange_choose_local(dim, swapped, uniform, threads, local);
    const size_t row = local[0];
    local[0] = local[1];
    local[1] = row;
}
