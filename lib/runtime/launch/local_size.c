// The local size for enqueues that specify none.
#include "runtime/launch/local_size.h"

#include <pthread.h>
#include <string.h>

#include "runtime/code/kernel_code.h"
#include "runtime/launch/ndrange.h"
#include "runtime/launch/sub_groups.h"
#include "runtime/program/kernel.h"
#include "weft/scheduler.h"

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

// ---- The local size of a kernel ----

// Do the kernel's accesses want groups that are long in dimension 1? Only optimised code knows, so what is
// chosen may change while a program runs. Kernels that depend on how their range is cut keep what they
// began with.
static bool has_rows_along_1(const struct weft_kernel_code *code)
{
    const struct weft_kernel_info *info = weft_kernel_code_info(code);
    return info && info->swap_dimensions && (info->group_independence || info->only_checks_depend);
}

void weft_kernel_default_local_locked(struct weft_kernel *k, cl_uint dim, const size_t *global,
                                      size_t local[3])
{
    if (k->meta->reqd_work_group_size[0]) {
        for (int i = 0; i < 3; i++)
            local[i] = k->meta->reqd_work_group_size[i];
        return;
    }
    const bool swapped = has_rows_along_1(k->code);
    if (k->chosen_dim != dim || k->chosen_swapped != swapped ||
        memcmp(k->chosen_global, global, dim * sizeof *global) != 0) {
        (swapped ? weft_ndrange_choose_local_swapped : weft_ndrange_choose_local)(
            dim, global, k->meta->uniform_groups, weft_sched_thread_count(), k->chosen_local);
        memcpy(k->chosen_global, global, dim * sizeof *global);
        k->chosen_dim = dim;
        k->chosen_swapped = swapped;
    }
    memcpy(local, k->chosen_local, sizeof k->chosen_local);
}

cl_int weft_ndrange_suggest_local(struct weft_kernel *k, cl_uint dim, const size_t *global, size_t local[3])
{
    if (k->meta->reqd_sub_groups)
        return weft_sub_groups_required_local(k, dim, global, NULL, local);
    pthread_mutex_lock(&k->lock);
    weft_kernel_default_local_locked(k, dim, global, local);
    pthread_mutex_unlock(&k->lock);
    return CL_SUCCESS;
}
