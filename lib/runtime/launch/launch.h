// A launch of a kernel inside its command, for the files that make and run launches.
//
// The folder makes commands of kernels and runs them. In come a queue, a kernel and sizes that check/ has looked at (ndrange.h), or what
// a running kernel asks for (device_enqueue.c). It captures the arguments, chooses how the range is cut, runs it in the code that
// program/ has for it, and tells what a kernel printed, or why it failed. Out goes a submitted command. What is captured can be run
// again (command_buffer/), which the folder must not know; nor does it know the entry points that it works for. It calls program/,
// memory/, command/ and core/.
#ifndef WEFT_RUNTIME_LAUNCH_H
#define WEFT_RUNTIME_LAUNCH_H

#include "runtime/command/command.h"
#include "runtime/program/kernel.h"

#define WEFT_LAUNCH_INLINE_BYTES 80
#define WEFT_LAUNCH_INLINE_ALIGN 64
#define WEFT_LAUNCH_BLOCK_ALIGN 128u

struct weft_launch {
    _Alignas(WEFT_LAUNCH_INLINE_ALIGN) unsigned char inline_block[WEFT_LAUNCH_INLINE_BYTES];
    struct weft_ndrange nd;
    struct weft_kernel_code *code; // a ref to its build
    void *block;                   // args, mems and late when they aren't in inline_block; else NULL
    unsigned char *args;
    struct weft_mem **mems; // a ref each
    // Offsets of local arguments within their part, to be added to where it begins; NULL: done.
    uint64_t *late;
    uint64_t local_arg_bytes;
    void *variables; // of the program; NULL: it has none
    _Atomic(struct weft_printf_output *) output;
    uint32_t mem_count;
    bool sample;   // measure this one
    bool first;    // nothing was known of what it takes when it was planned
    bool queues;   // there are queues among the arguments, a ref each
    uint8_t strip; // its units are groups in strips of so many along dimension 0; 0: in their order
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
    struct weft_command
        *behind; // children that wait for the work-groups of the range, linked by next_settled
    bool stuck;  // all work-items of exec.current_group wait, for nobody
};

// ---- launch/ndrange.c ----
// sizes: of dim elements each, in work-items; offset may be NULL.
void weft_launch_set_range(struct weft_launch *l, cl_uint dim, const size_t *offset, const size_t *global,
                           const size_t local[3]);
// Everything of the launch is known: makes c one that runs it.
void weft_launch_ready(struct weft_command *c);
// Has it to wait for what initializes its program's variables on its device, or to note that they will be finalized there?
bool weft_launch_initializes(const struct weft_launch *l);

// ---- launch/run_range.c ----
// weft_command_range_fn of a launch: runs groups [first, last), or strips of them.
void weft_launch_run(struct weft_command *c, struct weft_worker *w, uint64_t first, uint64_t last);
void weft_launch_release(struct weft_command *c); // weft_command.release
// What its kernels have printed so far goes to stdout.
void weft_launch_flush_output(struct weft_launch *l);
// Lets go of the queues among its first `args` arguments.
void weft_launch_drop_queues(struct weft_launch *l, uint32_t args);
#define WEFT_LAUNCH_SMALL_STACK \
    (64u << 10) // bytes that are surely free on a waiting thread of the application
// Is the code for the pool's threads, whose stacks are large, and which have one apart for kernels that stray?
static inline bool weft_launch_wants_pool(const struct weft_kernel_info *i)
{
    return i->stack_bytes > WEFT_LAUNCH_SMALL_STACK || i->unsafe_stack_writes;
}

// Why there is no code: a want of the process's isn't the program's fault. (WEFT_OK: another attempt has just
// succeeded, which this launch doesn't belong to.)
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

// ---- launch/fault_report.c: told to the context of c, whose launch ended early in a work-group. No lock held. ----
struct weft_fault;
void weft_launch_report_fault(struct weft_command *c, const struct weft_launch *l, const struct weft_fault *f,
                              uint64_t group);
// Named barriers: others, or more, sub-groups should have come than did.
void weft_launch_report_stuck(struct weft_command *c, const struct weft_launch *l, uint64_t group);

// ---- launch/device_enqueue.c: what kernels call (kernel_abi.h). On a thread that runs one, in a guarded call. ----
int32_t weft_host_enqueue(struct weft_exec *x, void *queue, uint32_t flags,
                          const struct weft_device_range *range, uint32_t wait_count, void *const *wait_list,
                          void **event, uint64_t kernel, const void *literal, uint32_t local_count,
                          const uint64_t *sizes);
uint64_t weft_host_device_call(struct weft_exec *x, uint32_t what, void *object, uint64_t number,
                               const void *pointer);

#endif
