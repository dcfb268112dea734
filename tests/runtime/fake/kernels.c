// Kernels of fake_weftc, one for each KERNEL_ macro: what weftc would have made, written by hand.
#include <stdint.h>

#include "weft/kernel_abi.h"

#define UNUSED __attribute__((unused))

typedef void (*item_fn)(const struct weft_ndrange *nd, const void *args, struct weft_exec *x, uint64_t gid[3],
                        uint64_t lid);

UNUSED static uint64_t slot(const void *args, uint32_t offset)
{
    return *(const uint64_t *)(const void *)((const char *)args + offset);
}

UNUSED static void each_item(const struct weft_ndrange *nd, const void *args, struct weft_exec *x,
                             uint64_t first, uint64_t last, item_fn item)
{
    for (uint64_t g = first; g < last; g++) {
        x->current_group = g;
        uint64_t id[3] = {g % nd->num_groups[0], g / nd->num_groups[0] % nd->num_groups[1],
                          g / nd->num_groups[0] / nd->num_groups[1]};
        uint64_t lid = 0;
        for (uint64_t k = 0; k < nd->local_size[2]; k++)
            for (uint64_t j = 0; j < nd->local_size[1]; j++)
                for (uint64_t i = 0; i < nd->local_size[0]; i++, lid++) {
                    uint64_t gid[3] = {nd->global_offset[0] + id[0] * nd->local_size[0] + i,
                                       nd->global_offset[1] + id[1] * nd->local_size[1] + j,
                                       nd->global_offset[2] + id[2] * nd->local_size[2] + k};
                    item(nd, args, x, gid, lid);
                }
    }
}

// What one work-item does; RUN makes the kernel of it.
#define ITEM                                                                        \
    static void item(UNUSED const struct weft_ndrange *nd, UNUSED const void *args, \
                     UNUSED struct weft_exec *x, UNUSED uint64_t g[3], UNUSED uint64_t lid)

#define RUN(item)                                                                                         \
    static void run(const struct weft_ndrange *nd, const void *args, struct weft_exec *x, uint64_t first, \
                    uint64_t last)                                                                        \
    {                                                                                                     \
        each_item(nd, args, x, first, last, item);                                                        \
    }

#ifdef KERNEL_abi
#define ABI (WEFT_KERNEL_ABI_VERSION + 1)
#else
#define ABI WEFT_KERNEL_ABI_VERSION
#endif

#if defined(KERNEL_twice) || defined(KERNEL_abi)
// (global const int *in, global int *out): out[i] = 2 * in[i], i counted over all dimensions.
ITEM
{
    uint64_t i = (g[2] * nd->global_size[1] + g[1]) * nd->global_size[0] + g[0];
    const int32_t *in = (const int32_t *)slot(args, 0);
    int32_t *out = (int32_t *)slot(args, 8);
    out[i] = 2 * in[i];
}
RUN(item)
#endif

#ifdef KERNEL_local_sums
// (global ulong *out, local ulong *a, local uchar *b) with 24 bytes of local variables: each item checks that
// nobody else writes where it does; out[group] = sum of ids seen through both arguments.
static void run(const struct weft_ndrange *nd, const void *args, struct weft_exec *x, uint64_t first,
                uint64_t last)
{
    uint64_t *out = (uint64_t *)slot(args, 0);
    char *local = x->local_mem, *state = x->state;
    uint64_t *a = (uint64_t *)(void *)(local + slot(args, 8));
    unsigned char *b = (unsigned char *)(local + slot(args, 16));
    for (uint64_t g = first; g < last; g++) {
        x->current_group = g;
        for (int i = 0; i < 24; i++)
            local[i] = 77;
        for (uint64_t i = 0; i < nd->local_size[0]; i++) {
            a[i] = g * nd->local_size[0] + i;
            b[i] = (unsigned char)i;
            state[64 + i * 8] = 55;
        }
        uint64_t sum = 0;
        for (uint64_t i = 0; i < nd->local_size[0]; i++)
            sum += a[i] + b[i];
        for (int i = 0; i < 24; i++)
            sum += local[i] != 77 ? 1000000 : 0;
        sum += ((uintptr_t)a | (uintptr_t)b | (uintptr_t)local | (uintptr_t)state) % WEFT_LOCAL_ALIGN
                   ? 1000000
                   : 0;
        out[g] = sum;
    }
}
#endif

#ifdef KERNEL_wild
// (ulong address, ulong group): that group writes to the address.
ITEM
{
    if (x->current_group == slot(args, 8))
        *(volatile int *)slot(args, 0) = 1;
}
RUN(item)
#endif

#ifdef KERNEL_say
// (int n): each item prints n and its id.
static const char format[] = "item %d of %d\n";
ITEM
{
    struct {
        struct weft_printf_arg head;
        int32_t value, pad;
    } blob[2] = {{{WEFT_PRINTF_INT, 4, 1, 0}, (int32_t)g[0], 0},
                 {{WEFT_PRINTF_INT, 4, 1, 0}, *(const int32_t *)args, 0}};
    x->host->printf(x, format, blob, sizeof blob);
}
RUN(item)
#endif

#ifdef KERNEL_aligned
// (global ulong *out, double16 v): out[0] = address of v modulo 128; out[1] = does v arrive whole?
ITEM
{
    uint64_t *out = (uint64_t *)slot(args, 0);
    const double *v = (const double *)(const void *)((const char *)args + 128);
    out[0] = (uintptr_t)v % 128;
    out[1] = 1;
    for (int i = 0; i < 16; i++)
        out[1] &= v[i] == i + 0.5;
}
RUN(item)
#endif

#ifdef KERNEL_first
ITEM
{
    *(int32_t *)x->variables += 41;
}
RUN(item)
#endif

#ifdef KERNEL_second
ITEM
{
    *(int32_t *)x->variables *= 2;
}
RUN(item)
#endif

#ifdef KERNEL_last
// A finalizer: the test maps the page.
ITEM
{
    *(volatile int32_t *)(uintptr_t)0x10000000 += *(const int32_t *)x->variables;
}
RUN(item)
#endif

#ifdef KERNEL_value
// (global int *out)
ITEM
{
    *(int32_t *)slot(args, 0) = *(const int32_t *)x->variables;
}
RUN(item)
#endif

#ifdef KERNEL_slow
// (global int *out): as any other; its compile takes long.
ITEM
{
    ((int32_t *)slot(args, 0))[g[0]] = 1;
}
RUN(item)
#endif

#if defined(KERNEL_tiers) || defined(KERNEL_tiers_quick) || defined(KERNEL_odd_tiers) ||                 \
    defined(KERNEL_odd_tiers_quick) || defined(KERNEL_deep_tiers) || defined(KERNEL_deep_tiers_quick) || \
    defined(KERNEL_steps) || defined(KERNEL_steps_quick) || defined(KERNEL_steps_lanes)
#if defined(KERNEL_steps_lanes)
enum { TIER = 3 };
#elif defined(KERNEL_steps_quick) || defined(KERNEL_tiers_quick) || defined(KERNEL_odd_tiers_quick) || \
    defined(KERNEL_deep_tiers_quick)
enum { TIER = 1 };
#else
enum { TIER = 2 };
#endif
// (global int *out): which code it was that ran. The quick one takes its time: 0.1 ms or so.
ITEM
{
    for (volatile int i = 0; TIER == 1 && i < 50000; i++)
        ;
    ((volatile int32_t *)slot(args, 0))[g[0]] = TIER;
}
RUN(item)
#endif

#if defined(KERNEL_columns) || defined(KERNEL_columns_quick) || defined(KERNEL_columns_lanes) || \
    defined(KERNEL_columns_2)
#if defined(KERNEL_columns_2)
enum { TIER = 4 };
#elif defined(KERNEL_columns_lanes)
enum { TIER = 3 };
#elif defined(KERNEL_columns_quick)
enum { TIER = 1 };
#else
enum { TIER = 2 };
#endif
// (global int *out, local int *tile): which code it was that ran. 4 has lanes along dimension 1.
ITEM
{
    ((volatile int32_t *)slot(args, 0))[g[0] + g[1]] = TIER;
}
RUN(item)
#endif

#if defined(KERNEL_variants) || defined(KERNEL_variants_2) || defined(KERNEL_variants_3) || \
    defined(KERNEL_variants_sized)
#ifdef KERNEL_variants
enum { VARIANT = 0 };
#elif defined(KERNEL_variants_2)
enum { VARIANT = 2 };
#elif defined(KERNEL_variants_sized)
enum { VARIANT = 5 };
#else
enum { VARIANT = 3 };
#endif
// (global int *out): the code variant that ran last. Lanes along dimension 2 don't pay.
ITEM
{
    *(volatile int32_t *)slot(args, 0) = VARIANT;
}
RUN(item)
#endif

#if defined(KERNEL_slow_default) || defined(KERNEL_fast_default) || defined(KERNEL_fast_scalar) || \
    defined(KERNEL_no_narrow)
#define ANY 1
#elif defined(KERNEL_slow_default_6) || defined(KERNEL_fast_default_6) || defined(KERNEL_fast_scalar_6)
#define NARROW 1
#elif defined(KERNEL_slow_default_4) || defined(KERNEL_fast_default_4) || defined(KERNEL_fast_scalar_4) || \
    defined(KERNEL_no_narrow_4)
#define SCALAR 1
#endif
#if defined(ANY) || defined(NARROW) || defined(SCALAR)
#if defined(ANY)
enum { CODE = WEFT_VARIANT_ANY };
#elif defined(NARROW)
enum { CODE = WEFT_VARIANT_NARROW };
#else
enum { CODE = WEFT_VARIANT_SCALAR };
#endif
#if defined(KERNEL_slow_default) || defined(KERNEL_fast_default_6) || defined(KERNEL_fast_default_4) || \
    defined(KERNEL_fast_scalar) || defined(KERNEL_no_narrow)
enum { ITERATIONS = 50000 }; // 0.1 ms or so
#elif defined(KERNEL_fast_scalar_6)
enum { ITERATIONS = 10000 };
#else
enum { ITERATIONS = 2000 };
#endif
// (global int *out): the code variant that ran. In `slow_default` the default variant is slow, in
// `fast_default` the others are. In `fast_scalar` the scalar variant is faster than the narrow one, which is
// faster than the default one. `no_narrow` has no narrow variant.
ITEM
{
    for (volatile int i = 0; i < ITERATIONS; i++)
        ;
    ((volatile int32_t *)slot(args, 0))[g[0]] = CODE;
}
RUN(item)
#endif

#ifdef KERNEL_nontemporal
// (global int *out): what the launch says about the caches.
ITEM
{
    if (g[0] == 0)
        *(int32_t *)slot(args, 0) = (int32_t)nd->temporal_stores;
}
RUN(item)
#endif

__attribute__((visibility("default"))) const struct weft_kernel_info weft_kernel_info = {
    .abi_version = ABI,
    .sub_group_max = 1,
#if defined(KERNEL_variants) || defined(KERNEL_variants_2) || defined(KERNEL_variants_sized) || \
    defined(KERNEL_columns) || defined(KERNEL_columns_lanes) || defined(KERNEL_columns_2)
    .vector_width = 16,
    .vector_iteration_cost = 16,
#elif defined(ANY)
    .vector_width = 1,
#ifdef KERNEL_slow_default
    .autotune_candidates = WEFT_AUTOTUNE_NARROW,
#else
    .autotune_candidates = WEFT_AUTOTUNE_NARROW | WEFT_AUTOTUNE_SCALAR,
#endif
#elif defined(NARROW)
    .vector_width = 8,
#else
    .vector_width = 1,
#endif
#ifdef KERNEL_local_sums
    .local_static_bytes = 24,
    .state_fixed = 64,
    .state_per_item = 8,
#endif
#ifdef KERNEL_odd_tiers_quick
    .local_static_bytes = 8,
#endif
#ifdef KERNEL_nontemporal
    .nontemporal_bytes = 12,
#endif
    .private_bytes = 40,
#ifdef KERNEL_deep_tiers
    .stack_bytes = 256 << 10, // not for the application's threads
#else
    .stack_bytes = 256,
#endif
    .run = run,
};
