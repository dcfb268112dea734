// The diagnostics for launches that ended early.
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "base/base.h"
#include "runtime/command/command.h"
#include "runtime/core/context.h"
#include "runtime/core/fault_text.h"
#include "runtime/launch/launch.h"
#include "runtime/launch/time_limit.h"
#include "runtime/program/kernel_code.h"
#include "runtime/program/make_code.h"
#include "weft/fault.h"
#include "weft/fault_location.h"
#include "weft/kernel_abi.h"

// ---- Where the fault was ----

struct place {
    uint64_t group[3];
    bool exact;                  // false: it was this group or one after it
    bool known[3];               // whether `item` is known
    uint64_t item[3];            // local id of the first work-item that the instruction worked on
    uint64_t items;              // number of work-items from there on; 0: not known
    uint32_t dimension;          // along which they are
    struct weft_location source; // file and line
};

// Adds to the group that the code has stored what the debug information says. The code of several groups may
// run as one loop, and the stored group is the first of these then. A kernel may have overwritten the
// registers and the stack that were read, so what they say must also be possible.
static void use_location(struct place *p, const struct weft_ndrange *nd, const struct weft_kernel_info *info,
                         const struct weft_location *l)
{
    struct place found = *p;
    found.exact = true;
    for (uint32_t d = 0; d < 3; d++) {
        bool together = (d == 0 && info->group_independence) ||
                        (d == 1 && info->group_independence == WEFT_GROUP_ROWS_INDEPENDENT);
        found.known[d] = l->known[d] || (!together && nd->local_size[d] == 1);
        uint64_t index = l->known[d] ? l->index[d] : 0;
        uint64_t id = p->group[d] * nd->local_size[d] + index;
        if (id >= nd->global_size[d] || (!together && index >= nd->local_size[d]))
            return;
        found.group[d] = id / nd->local_size[d];
        found.item[d] = id % nd->local_size[d];
        found.exact &= found.known[d] || !together;
        if (d == l->dimension) // the last vector iteration of a row may be a folded tail
            found.items = l->items < nd->global_size[d] - id ? l->items : nd->global_size[d] - id;
    }
    if (!found.exact)
        return;
    found.dimension = l->dimension;
    *p = found;
}

static void find_place(struct place *p, const struct weft_launch *l, const struct weft_kernel_info *info,
                       const struct weft_fault *f, uint64_t first)
{
    const uint64_t *groups = l->nd.num_groups;
    *p = (struct place){
        .group = {first % groups[0], first / groups[0] % groups[1], first / groups[0] / groups[1]},
        .exact = !info->group_independence};
    if (f->state && f->state->instruction && weft_code_locate(l->code, info, f->state, &p->source))
        use_location(p, &l->nd, info, &p->source);
}

static void describe_items(struct weft_buf *b, const struct place *p)
{
    weft_buf_puts(b, p->items > 1 ? ", one of the work-items (" : ", work-item (");
    for (uint32_t d = 0; d < 3; d++) {
        weft_buf_puts(b, d ? ", " : "");
        if (!p->known[d])
            weft_buf_puts(b, "?");
        else
            weft_buf_printf(b, "%" PRIu64, p->item[d]);
        if (p->known[d] && d == p->dimension && p->items > 1)
            weft_buf_printf(b, "..%" PRIu64, p->item[d] + p->items - 1);
    }
    weft_buf_puts(b, ")");
}

// Writes something like "work-group (3, 0, 0), work-items (16..31, 0, 0), at k.cl:12".
static void describe_place(struct weft_buf *b, const struct place *p)
{
    weft_buf_printf(b, "work-group (%" PRIu64 ", %" PRIu64 ", %" PRIu64 ")", p->group[0], p->group[1],
                    p->group[2]);
    if (!p->exact)
        weft_buf_puts(b, " or one after it");
    if (p->items)
        describe_items(b, p);
    if (p->source.line && p->source.file && *p->source.file)
        weft_buf_printf(b, ", %s:%u", p->source.file, p->source.line);
    else if (p->source.line)
        weft_buf_printf(b, ", line %u", p->source.line);
}

// ---- The report ----

// The first part of the sentence: what happened, without the place.
static void describe_fault(struct weft_buf *b, const struct weft_kernel_info *info,
                           const struct weft_fault *f)
{
    char place[WEFT_PLACE_BYTES];
    if (f->code == SI_QUEUE) {
        if (weft_time_limit_ns())
            weft_buf_printf(b, "the time limit of %llu s (WEFT_KERNEL_TIMEOUT) is over",
                            (unsigned long long)weft_config_uint(WEFT_CFG_KERNEL_TIMEOUT));
        else
            weft_buf_puts(b, "the program ends");
        // The place of a kernel that ran out of time says nothing: the next instruction is as likely.
        return;
    }
    weft_buf_puts(b, f->stack                       ? "its private memory needs more stack than there is"
                     : weft_fault_has_no_address(f) ? "invalid access to memory"
                     : f->signal == SIGSEGV         ? "access to memory that isn't there"
                     : f->signal == SIGBUS          ? "access beyond the end of mapped memory"
                     : f->signal == SIGFPE          ? "arithmetic exception"
                                                    : "invalid instruction");
    if (f->stack && info->stack_bytes != UINT64_MAX)
        weft_buf_printf(b, ": its code takes up to %" PRIu64 " bytes", info->stack_bytes);
    const char *name = sigabbrev_np(f->signal);
    weft_buf_printf(b, " (%s) at %s", name ? name : "?", weft_fault_place(f, place));
}

void weft_launch_report_fault(struct weft_command *c, const struct weft_launch *l,
                              const struct weft_kernel_info *info, const struct weft_fault *f, uint64_t group)
{
    struct place place;
    find_place(&place, l, info, f, group);
    struct weft_buf text = {0};
    describe_fault(&text, info, f);
    weft_buf_puts(&text, " in ");
    describe_place(&text, &place);
    // The likely reason is code for another processor (WEFT_CPU), since this one has all the features that
    // weftc detects.
    const char *cpu = f->signal == SIGILL && f->code != SI_QUEUE ? weft_config_str(WEFT_CFG_CPU) : NULL;
    char *words = weft_buf_take(&text, NULL);
    weft_context_report_from_command(c->context, "kernel %s: %s; the command has been ended%s%s",
                                     l->code->meta->name, words ? words : "a fault",
                                     cpu ? "; its code is for WEFT_CPU=" : "", cpu ? cpu : "");
    weft_free(words);
    weft_free(place.source.file);
}

void weft_launch_report_stuck(struct weft_command *c, const struct weft_launch *l, uint64_t group)
{
    uint64_t nx = l->nd.num_groups[0], ny = l->nd.num_groups[1];
    weft_context_report_from_command(
        c->context,
        "kernel %s: all sub-groups that are left in work-group (%llu, %llu, %llu) wait at barriers that the "
        "others never reach; the command has been ended",
        l->code->meta->name, (unsigned long long)(group % nx), (unsigned long long)(group / nx % ny),
        (unsigned long long)(group / nx / ny));
}
