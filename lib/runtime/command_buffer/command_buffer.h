// Command buffers (cl_khr_command_buffer 0.9.8, ..._mutable_dispatch 0.9.5): commands recorded once and replayed.
//
// In come commands that were enqueued to a buffer's own queues, the recorders, where command/ hands them out instead of running them;
// and changes of recorded launches, already captured. Out go the commands of enqueues, each of which runs what was recorded, in one
// queue (this file's functions) or several (replay.h). The folder must not know what recorded commands do, but for launches, which it
// asks launch/ to make ready; nor how arguments are checked: remapping is given the check. It calls launch/, program/, command/ and core/.
#ifndef WEFT_RUNTIME_COMMAND_BUFFER_H
#define WEFT_RUNTIME_COMMAND_BUFFER_H

#include "runtime/command/command.h"
#include "runtime/program/kernel.h"

// A launch as it is to be: its copy of the kernel, the command captured from that (NULL: arguments are missing), and
// its sizes.
struct weft_launch_shape {
    struct weft_kernel *own;      // a ref
    struct weft_command *command; // a ref
    bool has_local;
    size_t offset[3], global[3], local[3];
};

// One recorded command; what a cl_mutable_command_khr points to. Belongs to its buffer.
struct weft_recorded {
    struct weft_object obj;
    struct weft_command_buffer *buffer; // no ref: it goes before the buffer does
    cl_command_type type;
    struct weft_queue *queue; // the application's; the buffer holds it
    uint32_t lane;            // its index among the buffer's
    cl_uint point; // its own sync-point, and those it waits for; these only where there are several queues
    cl_uint *waits, wait_count;
    uint32_t nth;              // of its lane, from 1; a plan's, under the buffer's lock
    cl_properties *properties; // as given, with the closing 0; NULL: none given
    size_t property_count;
    // Of a launch.
    struct weft_kernel *kernel; // a ref: the application's
    cl_bitfield fields;         // that may be updated
    bool keeps_groups;          // there will never be more work-groups
    cl_uint dim;
    bool counted; // it is known how many there were at first, `groups`
    size_t groups;
    // Of other commands the command alone; NULL: a barrier. Without `own` it is never changed. Under the buffer's lock.
    struct weft_launch_shape shape;
};

// What one enqueue runs: constant, shared by the enqueues under way, replaced by an update.
struct weft_sequence;

struct weft_command_buffer {
    struct weft_object obj;
    struct weft_context *context; // a ref
    cl_command_queue *queues;     // a ref each
    cl_uint queue_count;
    cl_properties *properties; // as given, with the closing 0; NULL: none given
    size_t property_count;
    cl_bitfield flags;
    bool keep_groups;              // of all launches
    struct weft_queue **recorders; // a ref each: where commands for each queue are enqueued to be recorded
    pthread_mutex_t lock;          // all below
    cl_uint state;
    struct weft_recorded **commands; // a ref each
    size_t count, capacity;
    struct weft_sequence *sequence;        // a ref; once it is executable
    struct weft_command *running;          // the enqueue that is being replayed; not a ref
    struct weft_command *turn, **turn_end; // those that were ready meanwhile, in their order
};

// Arguments checked; queues and properties are copied. NULL: no memory.
struct weft_command_buffer *weft_command_buffer_create(struct weft_queue *const *queues, cl_uint count,
                                                       const cl_properties *properties, size_t entries,
                                                       cl_bitfield flags, bool keep_groups);

// Appends r, whose ref it takes over, also on failure. *point: its sync-point. CL_INVALID_OPERATION: no longer
// recording; CL_OUT_OF_HOST_MEMORY, CL_OUT_OF_RESOURCES.
cl_int weft_command_buffer_append(struct weft_command_buffer *b, struct weft_recorded *r, cl_uint *point);
// Without its contents; it isn't in the buffer yet. NULL: no memory.
// waits, which is copied: sync-points.
struct weft_recorded *weft_recorded_create(struct weft_command_buffer *b, cl_command_type type, uint32_t lane,
                                           const cl_uint *waits, cl_uint wait_count);

// CL_INVALID_OPERATION: not recording. Waits for the code of kernels. No lock held.
cl_int weft_command_buffer_finalize(struct weft_command_buffer *b);
// Exchanges the shapes of changed[0 ...] and `shapes`, which has the old ones afterwards, and enqueues to come run the
// new ones. What is under way isn't touched. CL_OUT_OF_HOST_MEMORY: nothing has changed.
cl_int weft_command_buffer_exchange(struct weft_command_buffer *b, struct weft_recorded *const *changed,
                                    struct weft_launch_shape *shapes, cl_uint count);
// A copy to change, with refs of its own.
struct weft_launch_shape weft_recorded_shape(struct weft_recorded *r);
// Arguments checked; as many queues as the buffer has. CL_INVALID_OPERATION: not executable.
cl_int weft_command_buffer_enqueue(struct weft_command_buffer *b, const cl_command_queue *queues,
                                   cl_uint wait_count, const cl_event *wait_list, cl_event *event);
// clRemapCommandBufferKHR, arguments checked: a copy, in the same state, for `count` queues; queue i of b's becomes i modulo that
// many. check: weft_check_ndrange, for launches of which the new device has other code. *made is its, also on failure: NULL.
// CL_INVALID_PROGRAM_EXECUTABLE: a program isn't built for a device; what `check` says; CL_OUT_OF_RESOURCES, CL_OUT_OF_HOST_MEMORY.
typedef cl_int weft_ndrange_check(const struct weft_kernel *k, cl_uint dim, const size_t *offset,
                                  const size_t *global, const size_t *local);
cl_int weft_command_buffer_remap(struct weft_command_buffer *b, struct weft_queue *const *queues,
                                 cl_uint count, weft_ndrange_check *check, struct weft_command_buffer **made);
// For command_buffer/remap.c: as at the end of a recording, without waiting for code. False: no memory.
bool weft_command_buffer_settle(struct weft_command_buffer *b);
cl_uint weft_command_buffer_state(struct weft_command_buffer *b);

// For kinds.c.
void weft_command_buffer_destroy(struct weft_object *o);
void weft_command_buffer_after_fork(struct weft_object *o);
void weft_recorded_destroy(struct weft_object *o);

#endif
