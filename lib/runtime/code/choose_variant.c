// Chooses the code variant that suits a launch, by its local and global size.
#include "runtime/code/kernel_variants.h"
#include "weft/kernel_abi.h"

// Costs are in 1/16 of the cost of a work-item in WEFT_VARIANT_SCALAR. A vector iteration costs more than the
// compiler's count of instructions says, because wide instructions load the processor and memory more.
enum {
    ITEM_COST = 16,
    ITERATION_FACTOR = 2,
    OWN_FACTOR_2 = 3, // halves: for a variant's own estimate
    MIN_SWAPPED_ITEMS = 8,
};

uint32_t weft_ndrange_variant(const struct weft_ndrange *nd, const struct weft_kernel_info *own)
{
    uint64_t lanes = own->vector_width,
             row = own->group_independence ? nd->global_size[0] : nd->local_size[0];
    // Memory accesses decide, unless most lanes would be empty.
    if (own->swap_dimensions && nd->local_size[1] >= MIN_SWAPPED_ITEMS)
        return WEFT_VARIANT_DIM + 1;
    uint64_t scalar_cost = own->scalar_cost > ITEM_COST ? own->scalar_cost : ITEM_COST;
    if (lanes < 2 || own->sub_groups || row >= scalar_cost / ITEM_COST * 8 * lanes || row % lanes == 0)
        return WEFT_VARIANT_ANY;
    uint64_t iteration_cost = ITERATION_FACTOR * (uint64_t)own->vector_iteration_cost;
    // A row with a folded tail.
    uint64_t vector_cost = iteration_cost * ((row + lanes - 1) / lanes);
    uint64_t cost = iteration_cost * (row / lanes) + scalar_cost * (row % lanes);
    uint32_t variant = WEFT_VARIANT_ANY;
    if (5 * vector_cost <= 4 * cost) {
        cost = vector_cost;
        variant = WEFT_VARIANT_DIM;
    }
    if (scalar_cost > ITEM_COST && 5 * ITEM_COST * row <= 4 * cost) {
        cost = ITEM_COST * row;
        variant = WEFT_VARIANT_SCALAR;
    }
    // Along dimensions 1 and 2, memory accesses are seldom consecutive. So these variants must save a lot.
    // Where the row is a single work-item, there are no lanes without them, and half of that will do.
    for (uint32_t d = 1; d < 3; d++) {
        uint64_t other = nd->local_size[d];
        vector_cost = (row == 1 ? 1 : 2) * iteration_cost * ((other + lanes - 1) / lanes);
        if (vector_cost * row < cost * other) {
            cost = vector_cost;
            row = other;
            variant = WEFT_VARIANT_DIM + d;
        }
    }
    return variant;
}

// Can the code join work-groups to longer rows? Most that uses local memory can't.
static bool may_join_groups(const struct weft_kernel_info *own, const struct weft_kernel_meta *meta)
{
    if (own)
        return own->group_independence;
    bool local = meta->local_static_bytes > 0;
    for (uint32_t i = 0; i < meta->arg_count; i++)
        local |= meta->args[i].kind == WEFT_ARG_LOCAL;
    return !local;
}

uint32_t weft_ndrange_along(const struct weft_ndrange *nd, const struct weft_kernel_info *own,
                            const struct weft_kernel_meta *meta)
{
    const uint64_t *local = nd->local_size;
    if (local[0] != 1 || (local[1] < MIN_SWAPPED_ITEMS && local[2] < MIN_SWAPPED_ITEMS) ||
        may_join_groups(own, meta))
        return 0;
    return local[2] > local[1] ? 2 : 1;
}

bool weft_ndrange_variant_pays(const struct weft_ndrange *nd, uint32_t variant,
                               const struct weft_kernel_info *own, const struct weft_kernel_info *made)
{
    if (variant <= WEFT_VARIANT_DIM || variant > WEFT_VARIANT_DIM + 2 || own->swap_dimensions)
        return true;
    // Its count of instructions knows what the accesses are along that dimension.
    const uint64_t lanes = made->vector_width, row = nd->local_size[0],
                   other = nd->local_size[variant - WEFT_VARIANT_DIM];
    return lanes > 1 &&
           (uint64_t)made->vector_iteration_cost * ((other + lanes - 1) / lanes) * row * OWN_FACTOR_2 <
               2 * (uint64_t)ITEM_COST * other * row;
}
