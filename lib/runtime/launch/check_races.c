// Races (runtime/checker/races.h): each access of a checked kernel to memory that others can see, and what is
// said of two that nothing orders.
#include <string.h>

#include "base/arch/arch.h"
#include "base/base.h"
#include "runtime/checker/races.h"
#include "runtime/code/kernel_code.h"
#include "runtime/launch/checks.h"
#include "weft/code_object.h"
#include "weft/fault.h"

void weft_launch_new_serial(struct weft_launch *l)
{
    static _Atomic uint32_t last;
    *weft_launch_serial(l) = atomic_fetch_add_explicit(&last, 1, memory_order_relaxed) + 1;
}

struct item {
    const struct weft_ndrange *nd;
    uint64_t index[3]; // its global id without the offset
};

static void set_index(struct item *at, const struct weft_ndrange *nd, uint64_t number)
{
    at->nd = nd;
    at->index[0] = number % nd->global_size[0];
    at->index[1] = number / nd->global_size[0] % nd->global_size[1];
    at->index[2] = number / nd->global_size[0] / nd->global_size[1];
}

static bool is_same_group(const void *context, uint64_t number)
{
    const struct item *own = context;
    struct item other;
    set_index(&other, own->nd, number);
    for (unsigned d = 0; d < 3; d++)
        if (own->index[d] / own->nd->local_size[d] != other.index[d] / own->nd->local_size[d])
            return false;
    return true;
}

static void describe_race(struct weft_buf *b, const struct weft_launch *l, const struct weft_touch *now,
                          const struct weft_touch *before, const char *name, bool same_group)
{
    const bool both_write = before->how & now->how & WEFT_ACCESS_WRITE;
    const bool mixed = (before->how ^ now->how) & WEFT_ACCESS_ATOMIC;
    weft_buf_puts(b, "two work-items of ");
    weft_buf_puts(b, same_group ? "one work-group " : "two work-groups ");
    weft_buf_puts(b, mixed        ? "access bytes of "
                     : both_write ? "write different values to bytes of "
                                  : "read and write bytes of ");
    weft_launch_describe_object(b, now->site, name, l->code->meta);
    weft_buf_puts(b, mixed ? ", one of them not atomically, " : ", ");
    weft_buf_puts(b, same_group ? "with no barrier in between" : "which nothing orders");
}

static void report_race(const struct weft_launch *l, const struct item *item, const struct weft_touch *now,
                        const struct weft_touch *before, uint64_t size)
{
    struct item other;
    uint64_t ids[2][3];
    set_index(&other, &l->nd, before->item);
    for (unsigned d = 0; d < 3; d++) {
        ids[0][d] = item->index[d] + l->nd.global_offset[d];
        ids[1][d] = other.index[d] + l->nd.global_offset[d];
    }
    const char *name;
    struct weft_finding f = {.kind = WEFT_CHECK_RACE, .kernel = l->code->meta->name};
    f.at = weft_launch_place_of(now->site, &l->nd, ids[0], &name);
    f.other = weft_launch_place_of(before->site, &l->nd, ids[1], NULL);
    if (!weft_checker_is_new(f.kind, f.kernel, &f.at, &f.other))
        return;
    struct weft_buf text = {0};
    describe_race(&text, l, now, before, name, is_same_group(item, before->item));
    char *message = weft_buf_take(&text, NULL);
    f.message = message ? message : "";
    f.access = now->how & WEFT_ACCESS_WRITE ? "write" : "read";
    f.size = size;
    f.object = now->site->kind == WEFT_OBJECT_ARGUMENT && now->site->object < l->code->meta->arg_count
                   ? l->code->meta->args[now->site->object].name
                   : name;
    weft_checker_add(&f);
    weft_free(message);
}

// Private memory, whose address a generic pointer may hold: the thread's stack, and its state arena.
static bool is_private(const struct weft_exec *x, uint64_t address)
{
    const uint64_t here = (uintptr_t)__builtin_frame_address(0), state = (uintptr_t)x->state;
    enum { STACK = 8 << 20, STATE = 64 << 20 };
    return address - here < STACK || address - state < STATE;
}

void weft_host_touch(struct weft_exec *x, const void *site, uint64_t address, uint64_t size, uint32_t how,
                     uint64_t item)
{
    const struct weft_check_site *s = site;
    struct weft_command *c = x->launch;
    const struct weft_launch *l = weft_launch_of(c);
    if (s->kind == WEFT_OBJECT_UNKNOWN && is_private(x, address))
        return;
    const struct weft_running *r = WEFT_CONTAINER_OF(x, struct weft_running, exec);
    if (weft_launch_has_parted(r))
        return;
    struct item at;
    set_index(&at, &l->nd, item);
    const struct weft_toucher who = {.now = {.site = s,
                                             .item = item,
                                             .launch = (uint32_t)*weft_launch_serial(l),
                                             .phase = r->phase & 0xffffff,
                                             .how = how & 0xff},
                                     .is_local = address - (uintptr_t)x->local_mem <
                                                 (uintptr_t)x->state - (uintptr_t)x->local_mem,
                                     .is_same_group = is_same_group,
                                     .context = &at};
    struct weft_touch before;
    struct weft_arch_float kernels;
    weft_arch_float_enter(&kernels, false);
    weft_fault_hold();
    if (weft_checker_touch(&who, address, size, &before))
        report_race(l, &at, &who.now, &before, size);
    weft_fault_release();
    weft_arch_float_leave(&kernels);
}
