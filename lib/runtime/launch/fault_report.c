// The diagnostics for launches that ended early.
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "base/base.h"
#include "runtime/command/command.h"
#include "runtime/device/context.h"
#include "runtime/core/fault_text.h"
#include "runtime/launch/launch.h"
#include "runtime/launch/time_limit.h"
#include "runtime/code/kernel_code.h"
#include "weft/fault.h"
#include "weft/kernel_abi.h"

void weft_launch_report_fault(struct weft_command *c, const struct weft_launch *l, const struct weft_fault *f,
                              uint64_t group)
{
    const char *what = f->stack                       ? "its private memory needs more stack than there is"
                       : weft_fault_has_no_address(f) ? "invalid access to memory"
                       : f->signal == SIGSEGV         ? "access to memory that isn't there"
                       : f->signal == SIGBUS          ? "access beyond the end of mapped memory"
                       : f->signal == SIGFPE          ? "arithmetic exception"
                                                      : "invalid instruction";
    bool interrupted = f->code == SI_QUEUE;
    char over[80], place[WEFT_PLACE_BYTES], at[WEFT_PLACE_BYTES + 32] = "", stack[64] = "";
    const struct weft_kernel_info *info = f->stack ? weft_kernel_code_info(l->code) : NULL;
    if (info && info->stack_bytes != UINT64_MAX)
        snprintf(stack, sizeof stack, ": its code takes up to %llu bytes",
                 (unsigned long long)info->stack_bytes);
    snprintf(over, sizeof over, "the time limit of %llu s (WEFT_KERNEL_TIMEOUT) is over",
             (unsigned long long)weft_config_uint(WEFT_CFG_KERNEL_TIMEOUT));
    if (interrupted)
        what = weft_time_limit_ns() ? over : "the program ends";
    // The likely reason is code for another processor (WEFT_CPU), since this one has all the features that
    // weftc detects.
    const char *cpu = f->signal == SIGILL && !interrupted ? weft_config_str(WEFT_CFG_CPU) : NULL;
    uint64_t nx = l->nd.num_groups[0], ny = l->nd.num_groups[1];
    // The place of a kernel that ran out of time says nothing: the next instruction is as likely.
    const char *name = sigabbrev_np(f->signal);
    if (!interrupted)
        snprintf(at, sizeof at, " (%s) at %s", name ? name : "?", weft_fault_place(f, place));
    weft_context_report_from_command(
        c->context, "kernel %s: %s%s%s in work-group (%llu, %llu, %llu); the command has been ended%s%s",
        l->code->meta->name, what, stack, at, (unsigned long long)(group % nx),
        (unsigned long long)(group / nx % ny), (unsigned long long)(group / nx / ny),
        cpu ? "; its code is for WEFT_CPU=" : "", cpu ? cpu : "");
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
