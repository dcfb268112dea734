// Times of commands that kernels enqueue (capture_event_profiling_info of OpenCL C). They are written to the
// address that the kernel gave, when they are known.
#include "base/base.h"
#include "runtime/command/command.h"
#include "runtime/command/engine.h"
#include "runtime/device/context.h"
#include "weft/fault.h"

struct weft_profile_request {
    struct weft_profile_request *next;
    cl_ulong *value;
};
static struct weft_profile_request no_more_requests; // marks a closed list

struct profile_target {
    const struct weft_command *command;
    cl_ulong *value;
};

static void write_profile(void *arg)
{
    const struct profile_target *t = arg;
    const struct weft_command *c = t->command;
    t->value[0] = c->time_ended - c->time_started;
    t->value[1] = c->time_completed - c->time_started;
}

// A guarded call, because the address comes from a kernel and may be invalid.
static void report_profile(const struct weft_command *c, cl_ulong *value)
{
    struct profile_target profile_target = {c, value};
    struct weft_fault fault;
    weft_fault_install();
    if (!weft_fault_call(write_profile, &profile_target, &fault))
        weft_context_report_from_command(
            c->context, "capture_event_profiling_info: the address %p can't be written", (void *)value);
}

void weft_command_answer_profile_requests(struct weft_command *c)
{
    // Acquire-release, pairs with weft_command_request_profile.
    struct weft_profile_request *w =
        atomic_exchange_explicit(&c->profile_requests, &no_more_requests, memory_order_acq_rel);
    while (w) {
        struct weft_profile_request *next = w->next;
        report_profile(c, w->value);
        weft_free(w);
        w = next;
    }
}

bool weft_command_request_profile(struct weft_command *c, cl_ulong *value)
{
    struct weft_profile_request *w = weft_alloc(sizeof *w);
    if (!w)
        return false;
    w->value = value;
    // Acquire, pairs with weft_command_answer_profile_requests: the times. Release, pairs with it, too: the
    // request.
    w->next = atomic_load_explicit(&c->profile_requests, memory_order_acquire);
    while (w->next != &no_more_requests)
        if (atomic_compare_exchange_weak_explicit(&c->profile_requests, &w->next, w, memory_order_acq_rel,
                                                  memory_order_acquire))
            return true;
    weft_free(w);
    report_profile(c, value);
    return true;
}
