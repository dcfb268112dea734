// The diagnostics for launches that ended early.
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "base/base.h"
#include "base/libc/libc.h"
#include "runtime/command/command.h"
#include "runtime/device/context.h"
#include "runtime/core/fault_text.h"
#include "runtime/launch/launch.h"
#include "runtime/launch/time_limit.h"
#include "runtime/code/kernel_code.h"
#include "runtime/code/make_code.h"
#include "weft/fault.h"
#include "weft/fault_location.h"
#include "weft/kernel_abi.h"
#include "weft/trace.h"

// ---- Where the fault was ----

// Intervals of ids, both ends included, in each dimension.
struct place {
    uint64_t first_group[3], last_group[3];
    bool known[3];                        // whether these work-items are known
    uint64_t first_item[3], last_item[3]; // global ids
    struct weft_location source;          // file and line
};

static void set_group(uint64_t group[3], const struct weft_ndrange *nd, uint64_t linear)
{
    group[0] = linear % nd->num_groups[0];
    group[1] = linear / nd->num_groups[0] % nd->num_groups[1];
    group[2] = linear / nd->num_groups[0] / nd->num_groups[1];
}

// Are several groups run as one loop in this dimension? Then weft_exec.current_group is the first of them.
static bool run_together(const struct weft_kernel_info *info, uint32_t d)
{
    return (d == 0 && info->group_independence) ||
           (d == 1 && info->group_independence == WEFT_GROUP_ROWS_INDEPENDENT);
}

// Narrows one dimension down by what the debug information says. A kernel may have overwritten the registers
// and the stack that were read, so what they say must also be possible.
static void use_location(struct place *p, const struct weft_ndrange *nd, const struct weft_location *l,
                         bool together, uint32_t d)
{
    uint64_t size = nd->local_size[d], base = p->first_group[d] * size;
    uint64_t first = l->first[d], last = l->last[d], end = nd->global_size[d] - base;
    if (!l->known[d]) {
        p->known[d] = !together && size == 1;
        first = last = 0;
    } else {
        p->known[d] = first < end && (together || first < size);
        end = together || size > end ? end : size;
        last = last < end ? last : end - 1;
    }
    if (!p->known[d])
        return;
    p->first_group[d] = (base + first) / size;
    p->last_group[d] = (base + last) / size;
    p->first_item[d] = base + first + nd->global_offset[d];
    p->last_item[d] = base + last + nd->global_offset[d];
}

static void find_place(struct place *p, const struct weft_launch *l, const struct weft_kernel_info *info,
                       const struct weft_fault *f, uint64_t current)
{
    *p = (struct place){0};
    set_group(p->first_group, &l->nd, current);
    bool located = f->state && f->state->instruction && weft_code_locate(l->code, info, f->state, &p->source);
    for (uint32_t d = 0; d < 3; d++) {
        bool together = run_together(info, d);
        p->last_group[d] = together ? l->nd.num_groups[d] - 1 : p->first_group[d];
        if (located)
            use_location(p, &l->nd, &p->source, together, d);
    }
}

// Appends something like "(16..31, 0, 0)". known: NULL: all are.
static void describe_ids(struct weft_buf *b, const uint64_t first[3], const uint64_t last[3],
                         const bool *known)
{
    for (uint32_t d = 0; d < 3; d++) {
        weft_buf_puts(b, d ? ", " : "(");
        if (known && !known[d]) {
            weft_buf_puts(b, "?");
            continue;
        }
        weft_buf_printf(b, "%" PRIu64, first[d]);
        if (last[d] > first[d])
            weft_buf_printf(b, "..%" PRIu64, last[d]);
    }
    weft_buf_puts(b, ")");
}

static bool is_one(const uint64_t first[3], const uint64_t last[3])
{
    return memcmp(first, last, 3 * sizeof *first) == 0;
}

// Appends something like "work-group (3, 0, 0), work-items with global id (208..223, 0, 0), k.cl:12".
static void describe_place(struct weft_buf *b, const struct place *p)
{
    weft_buf_puts(b, is_one(p->first_group, p->last_group) ? "work-group " : "one of the work-groups ");
    describe_ids(b, p->first_group, p->last_group, NULL);
    if (p->known[0] || p->known[1] || p->known[2]) {
        weft_buf_puts(b, is_one(p->first_item, p->last_item) ? ", work-item" : ", one of the work-items");
        weft_buf_puts(b, " with global id ");
        describe_ids(b, p->first_item, p->last_item, p->known);
    }
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
        return; // there is no address: nothing was wrong with the access under way
    }
    weft_buf_puts(b, f->stack                       ? "its private memory needs more stack than there is"
                     : weft_fault_has_no_address(f) ? "invalid access to memory"
                     : f->signal == SIGSEGV         ? "access to memory that isn't there"
                     : f->signal == SIGBUS          ? "access beyond the end of mapped memory"
                     : f->signal == SIGFPE          ? "arithmetic exception"
                                                    : "invalid instruction");
    if (f->stack && info->stack_bytes != UINT64_MAX)
        weft_buf_printf(b, ": its code takes up to %" PRIu64 " bytes", info->stack_bytes);
    weft_buf_printf(b, " (%s) at %s", weft_signal_name(f->signal), weft_fault_place(f, place));
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
    if (weft_trace_is_on())
        weft_trace_point(WEFT_TRACE_FAULT, weft_trace_name("fault"), l->code->trace_name,
                         weft_trace_name(words), group);
    weft_context_report_from_command(c->context, "kernel %s: %s; the command has been ended%s%s",
                                     l->code->meta->name, words ? words : "a fault",
                                     cpu ? "; its code is for WEFT_CPU=" : "", cpu ? cpu : "");
    weft_free(words);
    weft_free(place.source.file);
}

void weft_launch_report_stuck(struct weft_command *c, const struct weft_launch *l, uint64_t group)
{
    uint64_t at[3];
    set_group(at, &l->nd, group);
    weft_context_report_from_command(c->context,
                                     "kernel %s: all sub-groups that are left in work-group (%" PRIu64
                                     ", %" PRIu64 ", %" PRIu64 ") wait at barriers that the "
                                     "others never reach; the command has been ended",
                                     l->code->meta->name, at[0], at[1], at[2]);
}
