// A launch of a kernel inside its command, for the files that make and run launches.
//
// This folder makes commands out of kernels and runs them. Its input: a queue, a kernel and sizes that check/
// has checked (ndrange.h), or a request of a running kernel (device_enqueue.c). It captures the arguments,
// chooses how the range is split, runs it in the code that code/ provides, and reports what a kernel
// printed or why it failed. Its output is a submitted command.
//
// What is captured can be run again (command_buffer/). The folder must not know command_buffer/ or the entry
// points that it works for. It calls program/, code/, memory/, command/, device/, core/ and the scheduler,
// and knows the members of images.
#ifndef WEFT_RUNTIME_LAUNCH_H
#define WEFT_RUNTIME_LAUNCH_H

#include "runtime/command/command.h"
#include "runtime/code/build_result.h"
#include "runtime/checker/races.h"
#include "runtime/code/kernel_code.h"
#include "runtime/program/kernel.h"
#include "weft/checker.h"

#define WEFT_LAUNCH_INLINE_BYTES 80
#define WEFT_LAUNCH_INLINE_ALIGN 64
#define WEFT_LAUNCH_BLOCK_ALIGN 128u

struct weft_launch {
    _Alignas(WEFT_LAUNCH_INLINE_ALIGN) unsigned char inline_block[WEFT_LAUNCH_INLINE_BYTES];
    struct weft_ndrange nd;
    struct weft_kernel_code *code; // its build is referenced
    void *block; // memory for args, mems and late if they don't fit into inline_block; otherwise NULL
    unsigned char *args;
    struct weft_mem **mems; // a reference to each
    // Offsets of local arguments relative to the first one, which the code's own local variables precede.
    // Added to args when a range runs. NULL: args has the final offsets.
    uint64_t *local_offsets;
    uint64_t local_arg_bytes;
    void *variables; // program-scope variables. NULL: the program has none
    _Atomic(struct weft_printf_output *) output;
    uint32_t mem_count;
    bool measure : 1; // measure how long this launch takes
    bool first : 1;   // the kernel's cost was unknown when this launch was planned
    // A byte of their own: these are constant, unlike the bits before, and others read them meanwhile.
    bool : 0;
    bool extra : 1;      // some arguments are queues, with a reference to each; or the kernel is checked
    bool compared : 1;   // for RACE: with other launches (launch/check_order.c)
    bool own_shadow : 1; // some arguments have shadow that the launch has made (launch/check_shadow.c)
    // As how many launches it is noted (weft_kernel_code_note_launch). 0: it isn't
    uint8_t counts_for;
    // the units are groups in strips of this many groups along dimension 0. 0: groups in the usual order
    uint8_t strip;
};
_Static_assert(sizeof(struct weft_launch) <= WEFT_COMMAND_PAYLOAD, "a launch fits into its command");
_Static_assert(offsetof(struct weft_launch, inline_block) == 0, "aligned as the payload is");

static inline struct weft_launch *weft_launch_of(struct weft_command *c)
{
    return (struct weft_launch *)(void *)c->payload;
}

// One thread's execution of a range.
struct weft_running {
    struct weft_exec exec;
    // Children that wait for the work-groups of the range, linked by next_settled.
    struct weft_command *waiting_children;
    // Of a checked kernel: the local linear id of the work-item that has come to its next barrier first.
    uint64_t first_item;
    uint64_t parted; // 1 + number of the group whose work-items have come to different barriers; 0: none
    struct weft_race_run *races;              // for RACE and BARRIER; NULL: they aren't looked for
    struct weft_local_touches *local_touches; // of the first group, for RACE; NULL: nobody wants to know
    // For RACE: where the memory of one work-item may lie, which nobody else has: below this frame, which has
    // called the kernel, and from exec.state to state_end.
    uintptr_t frame, state_end;
    // For RACE: how many of the following groups run at a time, without preparing. 0: none.
    uint64_t unprepared;
    unsigned char *local_shadow; // for UNINIT: of local memory, and behind it its origins. NULL: none yet
    bool stuck; // all remaining work-items of exec.current_group wait at barriers that can't be completed
};

// Bytes of the packed block, rounded up.
static inline size_t weft_launch_packed_bytes(const struct weft_kernel_code *code)
{
    return ((size_t)code->meta->args_size + 7) & ~(size_t)7; // can't overflow: args_size is at most 1 MiB
}
// Bytes of `args`: the packed block and, of a checked kernel, the object of each argument and a
// weft_check_groups after it.
static inline size_t weft_launch_args_bytes(const struct weft_kernel_code *code)
{
    return weft_launch_packed_bytes(code) +
           (code->build->check
                ? code->meta->arg_count * sizeof(struct weft_check_range) + sizeof(struct weft_check_groups)
                : 0);
}
static inline struct weft_check_range *weft_launch_objects(const struct weft_launch *l)
{
    return (struct weft_check_range *)(void *)(l->args + weft_launch_packed_bytes(l->code));
}
static inline struct weft_check_groups *weft_launch_groups(const struct weft_launch *l)
{
    return (struct weft_check_groups *)(void *)(weft_launch_objects(l) + l->code->meta->arg_count);
}

// ---- launch/ndrange.c ----
// Sets the launch's index space. The arrays have dim elements, in work-items. offset may be NULL.
void weft_launch_set_range(struct weft_launch *l, cl_uint dim, const size_t *offset, const size_t *global,
                           const size_t local[3]);
// Completes c when everything about the launch is known: afterwards it runs the launch.
void weft_launch_ready(struct weft_command *c);
// Must the launch wait until its program's variables are initialized on its device, or will they have to be
// finalized there?
bool weft_launch_initializes(const struct weft_launch *l);

// ---- launch/run_range.c ----
// The weft_command_range_fn of a launch: runs the units [first, last), which are work-groups, or work-groups
// in strips.
void weft_launch_run(struct weft_command *c, struct weft_worker *w, uint64_t first, uint64_t last);
// The same, for a process that writes a timeline.
void weft_launch_run_traced(struct weft_command *c, struct weft_worker *w, uint64_t first, uint64_t last);
void weft_launch_release(struct weft_command *c); // The weft_command.release of a launch.
// Writes what the launch's kernels have printed so far to stdout.
void weft_launch_flush_output(struct weft_launch *l);
// Releases the queues among the launch's first `args` arguments, and what checked kernels need.
void weft_launch_drop_extra(struct weft_launch *l, uint32_t args);
#define WEFT_LAUNCH_SMALL_STACK \
    (64u << 10) // bytes that are certainly free on the stack of an application's thread that waits
// Must the code run on threads of the pool? These have large stacks, and a separate stack for kernels with
// unsafe stack writes.
static inline bool weft_launch_wants_pool(const struct weft_kernel_info *i)
{
    return i->stack_bytes > WEFT_LAUNCH_SMALL_STACK || i->unsafe_stack_writes;
}

// The error of a launch whose kernel has no code. If this process lacked memory or the like, the program
// isn't to blame. (WEFT_OK: another attempt has just succeeded, too late for this launch.)
static inline cl_int weft_launch_no_code_error(const struct weft_kernel_code *code)
{
    weft_status error = atomic_load(&code->error);
    return error == WEFT_NO_MEMORY || error == WEFT_OK ? CL_OUT_OF_HOST_MEMORY
           : error == WEFT_NO_RESOURCES                ? CL_OUT_OF_RESOURCES
                                                       : CL_INVALID_PROGRAM_EXECUTABLE;
}

static inline const char *weft_launch_no_code_reason(const struct weft_kernel_code *code)
{
    const char *log = atomic_load(&code->log);
    return log ? log : weft_status_text(atomic_load(&code->error));
}

// ---- launch/fault_report.c ----
struct weft_fault;
// Reports to the context of c that its launch ended early, in the code `info`. group: the linear id of the
// work-group that the code has stored last (weft_exec). To say more, it may ask a compiler, and waits for it.
// The caller holds no lock.
void weft_launch_report_fault(struct weft_command *c, const struct weft_launch *l,
                              const struct weft_kernel_info *info, const struct weft_fault *f,
                              uint64_t group);
// For named barriers: too few or the wrong sub-groups arrived.
void weft_launch_report_stuck(struct weft_command *c, const struct weft_launch *l, uint64_t group);

// ---- launch/device_enqueue.c ----
// Functions that kernels call (kernel_abi.h). They run on the thread that runs the kernel, in a guarded call.
int32_t weft_host_enqueue(struct weft_exec *x, void *queue, uint32_t flags,
                          const struct weft_device_range *range, uint32_t wait_count, void *const *wait_list,
                          void **event, uint64_t kernel, const void *literal, uint32_t local_count,
                          const uint64_t *sizes);
uint64_t weft_host_device_call(struct weft_exec *x, uint32_t what, void *object, uint64_t number,
                               const void *pointer);

#endif
