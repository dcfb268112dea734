// Races (runtime/checker/races.h): each access of a checked kernel to memory that others can see, and what is
// said of two that nothing orders.
#include <string.h>

#include "base/arch/arch.h"
#include "base/base.h"
#include "runtime/checker/local_touches.h"
#include "runtime/checker/order.h"
#include "runtime/checker/races.h"
#include "runtime/code/kernel_code.h"
#include "runtime/launch/checks.h"
#include "weft/code_object.h"
#include "weft/fault.h"

// before: NULL: it isn't known who else it was.
static void describe_race(struct weft_buf *b, const struct weft_launch *l, const struct weft_check_site *now,
                          const struct weft_check_site *before, const char *name, const char *other_kernel,
                          bool same_group)
{
    if (!before) {
        weft_buf_puts(b, now->access & WEFT_ACCESS_WRITE ? "a work-item writes bytes of "
                                                         : "a work-item reads bytes of ");
        weft_launch_describe_object(b, now, name, l->code->meta);
        weft_buf_puts(b, " that another one accesses, and nothing orders the two");
        return;
    }
    const bool both_write = before->access & now->access & WEFT_ACCESS_WRITE;
    const bool mixed = (before->access ^ now->access) & WEFT_ACCESS_ATOMIC;
    if (other_kernel)
        weft_buf_printf(b, "this launch and an earlier one of kernel %s ", other_kernel);
    else
        weft_buf_printf(b, "two work-items of %s ", same_group ? "one work-group" : "two work-groups");
    weft_buf_puts(b, mixed        ? "access bytes of "
                     : both_write ? "write different values to bytes of "
                                  : "read and write bytes of ");
    weft_launch_describe_object(b, now, name, l->code->meta);
    weft_buf_puts(b, mixed ? ", one of them not atomically, " : ", ");
    weft_buf_puts(b, other_kernel ? "and no queue, event or wait of the host orders the two"
                     : same_group ? "with no barrier in between"
                                  : "which nothing orders");
}

static const struct weft_check_site *site_of(const void *sites, uint32_t place)
{
    const uint32_t *at = sites;
    return (const void *)((const unsigned char *)sites + at[place]);
}

static struct weft_finding_place place_of(const struct weft_ndrange *nd, const struct weft_check_site *site,
                                          uint64_t group, uint32_t local, const char **name)
{
    uint64_t id[3];
    weft_launch_item_ids(nd, group, local, id);
    return weft_launch_place_of(site, nd, id, name);
}

// with: the stamp of the other access; 0: who that was isn't known any more.
static void report_race(const struct weft_launch *l, const struct weft_running *r, const void *sites,
                        const struct weft_touch *t, uint64_t with)
{
    const struct weft_check_site *now = site_of(sites, t->what >> 16), *before = NULL;
    uint64_t group = r->exec.current_group, other_group = group;
    struct weft_other_launch other = {.kernel = NULL};
    const char *name;
    struct weft_finding f = {.kind = WEFT_CHECK_RACE, .kernel = l->code->meta->name};
    f.at = place_of(&l->nd, now, group, t->item, &name);
    // The last place stands for others, too.
    if (with && weft_race_place_of(with) < WEFT_RACE_PLACES - 1 &&
        weft_race_group_of(r->races, with, &other_group)) {
        before = site_of(sites, weft_race_place_of(with));
        f.other = place_of(&l->nd, before, other_group, weft_race_item_of(with), NULL);
    } else if (with && weft_launch_other_of(r, with, &other)) {
        before = site_of(other.sites, weft_race_place_of(with));
        f.other = place_of(other.nd, before, other.group, weft_race_item_of(with), NULL);
    }
    if (!weft_checker_is_new(f.kind, f.kernel, &f.at, &f.other))
        return;
    struct weft_buf text = {0};
    describe_race(&text, l, now, before, name, other.kernel, group == other_group);
    char *message = weft_buf_take(&text, NULL);
    f.message = message ? message : "";
    f.access = now->access & WEFT_ACCESS_WRITE ? "write" : "read";
    f.size = t->size;
    f.object = now->kind == WEFT_OBJECT_ARGUMENT && now->object < l->code->meta->arg_count
                   ? l->code->meta->args[now->object].name
                   : name;
    weft_checker_add(&f);
    weft_free(message);
}

// Private memory, whose address a generic pointer may hold: the kernel's frames, and its state. A buffer may
// lie close behind either.
static bool is_private(const struct weft_running *r, uint64_t address)
{
    const uint64_t here = (uintptr_t)__builtin_frame_address(0), state = (uintptr_t)r->exec.state;
    return address - here < r->frame - here || address - state < r->state_end - state;
}

static void touch(struct weft_exec *x, const void *sites, struct weft_touch *t)
{
    struct weft_running *r = WEFT_CONTAINER_OF(x, struct weft_running, exec);
    if (t->what & WEFT_ACCESS_GENERIC) {
        if (is_private(r, t->address))
            return;
        if (t->address - (uintptr_t)x->local_mem < (uintptr_t)x->state - (uintptr_t)x->local_mem)
            t->what |= WEFT_ACCESS_LOCAL;
    }
    uint64_t with;
    r->races->sites = sites;
    if (WEFT_LIKELY(!weft_race_touch(r->races, t, &with)) || weft_launch_has_parted(r))
        return;
    struct weft_arch_float kernels;
    weft_arch_float_enter(&kernels, false);
    weft_fault_hold();
    report_race(weft_launch_of(x->launch), r, sites, t, with);
    weft_fault_release();
    weft_arch_float_leave(&kernels);
}

void weft_host_touch(struct weft_exec *x, const void *sites, uint64_t address, uint64_t size, uint32_t what,
                     uint64_t item)
{
    touch(x, sites,
          &(struct weft_touch){.address = address, .size = size, .what = what, .item = (uint32_t)item});
}

void weft_host_touch_store(struct weft_exec *x, const void *sites, uint64_t address, uint64_t value,
                           uint32_t what, uint64_t item)
{
    const size_t size = (size_t)1 << (what >> 12 & 15);
    touch(x, sites,
          &(struct weft_touch){
              .address = address, .size = size, .value = &value, .what = what, .item = (uint32_t)item});
    memcpy((void *)(uintptr_t)address, &value, size); // NOLINT(performance-no-int-to-ptr)
}

// ---- what the first group says of those that follow ----

static bool has_whole_groups(const struct weft_ndrange *nd)
{
    for (unsigned d = 0; d < 3; d++)
        if (nd->num_groups[d] * nd->local_size[d] != nd->global_size[d])
            return false;
    return true;
}

// Smaller groups at the end do something else, and a single one needs nothing.
bool weft_launch_begin_groups(struct weft_running *r, size_t bytes)
{
    const struct weft_launch *l = weft_launch_of(r->exec.launch);
    const uint64_t *groups = l->nd.num_groups;
    const bool alike = has_whole_groups(&l->nd);
    *weft_launch_groups(l) = (struct weft_check_groups){.local = WEFT_LOCAL_SEEN};
    if (alike && bytes && groups[0] * groups[1] * groups[2] > 1)
        r->local_touches = weft_local_touches_new(bytes);
    if (r->local_touches)
        weft_launch_groups(l)->local = 0;
    return alike;
}

void weft_launch_note_local(struct weft_running *r, uint64_t address, uint64_t what)
{
    enum { HOW_BITS = 8, ITEM_BITS = 24, BELOW_SIZE = HOW_BITS + ITEM_BITS };
    if (r->local_touches)
        weft_local_touches_note(r->local_touches, address - (uintptr_t)r->exec.local_mem, what >> BELOW_SIZE,
                                what >> HOW_BITS & ((1u << ITEM_BITS) - 1), what & ((1u << HOW_BITS) - 1),
                                r->races->view.now);
}

bool weft_launch_end_group(struct weft_running *r, bool quiet)
{
    struct weft_check_groups *g = weft_launch_groups(weft_launch_of(r->exec.launch));
    const bool was = g->busy;
    if (r->local_touches) {
        g->local = weft_launch_has_parted(r) ? WEFT_LOCAL_SEEN : weft_local_touches_result(r->local_touches);
        weft_local_touches_free(r->local_touches);
        r->local_touches = NULL;
    }
    g->busy = 0;
    return quiet && !was;
}

// A command buffer's launches are in an order that isn't known here.
static bool is_compared(const struct weft_running *r)
{
    const struct weft_command *c = r->exec.launch;
    return weft_launch_of(r->exec.launch)->compared && c->order && c->order->launch;
}

bool weft_launch_begin_races(struct weft_running *r)
{
    r->races = weft_race_begin();
    if (r->races && is_compared(r) && !weft_launch_begin_compared(r)) {
        weft_race_end(r->races);
        r->races = NULL;
    }
    r->exec.races = r->races ? &r->races->view : NULL;
    return r->races != NULL;
}

void weft_launch_end_races(struct weft_running *r)
{
    weft_local_touches_free(r->local_touches);
    r->local_touches = NULL;
    if (is_compared(r))
        weft_launch_end_compared(r);
    weft_race_end(r->races);
    r->races = NULL;
}
