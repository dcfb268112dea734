// Command buffers (cl_khr_command_buffer 0.9.8, cl_khr_command_buffer_mutable_dispatch 0.9.5): commands that
// are recorded once and replayed.
// Input: commands that were enqueued to a buffer's own queues, the recorders, where command/ hands them out
// instead of running them; and updates of recorded launches, which are captured already. Output: the commands
// of enqueues. Each runs what was recorded, in one queue (command_buffer.c) or several (multi_queue.c).
// The folder must not know what recorded commands do, except that it asks launch/ to prepare launches. It
// must not know how arguments are checked either: weft_command_buffer_remap gets the check as a function. The
// folder calls launch/, program/, code/, memory/, command/, device/, core/ and the scheduler.
#ifndef WEFT_RUNTIME_COMMAND_BUFFER_H
#define WEFT_RUNTIME_COMMAND_BUFFER_H

#include "runtime/command/command.h"
#include "runtime/program/kernel.h"

// The state of a recorded launch: its copy of the kernel, the command captured from that copy (NULL:
// arguments are missing), and its sizes.
struct weft_launch_shape {
    struct weft_kernel *own;      // a reference
    struct weft_command *command; // a reference
    bool has_local;
    size_t offset[3], global[3], local[3];
};

// One recorded command. A cl_mutable_command_khr points to it. It belongs to its buffer.
struct weft_recorded {
    struct weft_object obj;
    struct weft_command_buffer *buffer; // no reference: the buffer lives longer
    cl_command_type type;
    struct weft_queue *queue; // the application's queue; the buffer holds a reference
    uint32_t stream;          // the queue's index in the buffer
    // its own sync-point, and those it waits for. These are stored only if there are several queues
    cl_uint point;
    cl_uint *waits, wait_count;
    // Its position in its queue stream, from 1. Set while a plan is made, under the buffer's lock.
    uint32_t position;
    cl_properties *properties; // as the application gave them, with the 0 at the end. NULL: none
    size_t property_count;
    // For launches only:
    struct weft_kernel *kernel; // the application's; a reference
    cl_bitfield fields;         // which fields may be updated
    bool no_more_groups;        // an update may not increase the number of work-groups
    cl_uint dim;
    bool counted; // the number of groups at first, `groups`, is known
    size_t groups;
    // Launches use all of it. Other commands use only `command` (NULL: a barrier). If `own` is NULL, it never
    // changes. Under the buffer's lock.
    struct weft_launch_shape shape;
};

// What one enqueue runs. Constant, and shared by the enqueues under way. An update replaces it.
struct weft_sequence;

struct weft_command_buffer {
    struct weft_object obj;
    struct weft_context *context; // a reference
    cl_command_queue *queues;     // a reference to each
    cl_uint queue_count;
    cl_properties *properties; // as the application gave them, with the 0 at the end. NULL: none
    size_t property_count;
    cl_bitfield flags;
    bool no_more_groups; // no update may increase the number of work-groups of any launch
    // a reference to each. One for each queue: commands to record are enqueued there
    struct weft_queue **recorders;
    pthread_mutex_t lock; // guards the following members
    cl_uint state;
    struct weft_recorded **commands; // a reference to each
    size_t count, capacity;
    struct weft_sequence *sequence;              // a reference. NULL before the buffer is finalized
    struct weft_command *running;                // the enqueue that is being replayed; no reference
    struct weft_command *waiting, **waiting_end; // replays that became ready meanwhile, in that order
};

// Creates a buffer that is recording. The arguments are checked; queues and properties are copied. NULL: no
// memory.
struct weft_command_buffer *weft_command_buffer_create(struct weft_queue *const *queues, cl_uint count,
                                                       const cl_properties *properties, size_t entries,
                                                       cl_bitfield flags, bool no_more_groups);

// Appends r and takes its reference, also on failure. *point is set to its sync-point. CL_INVALID_OPERATION:
// the buffer isn't recording any more. CL_OUT_OF_HOST_MEMORY, CL_OUT_OF_RESOURCES.
cl_int weft_command_buffer_append(struct weft_command_buffer *b, struct weft_recorded *r, cl_uint *point);
// Creates a recorded command without contents, which isn't in the buffer yet. waits are sync-points, which
// are copied. NULL: no memory.
struct weft_recorded *weft_recorded_create(struct weft_command_buffer *b, cl_command_type type,
                                           uint32_t stream, const cl_uint *waits, cl_uint wait_count);

// clFinalizeCommandBufferKHR. Waits for the code of kernels. CL_INVALID_OPERATION: the buffer isn't
// recording. CL_OUT_OF_HOST_MEMORY. The caller holds no lock.
cl_int weft_command_buffer_finalize(struct weft_command_buffer *b);
// Exchanges the shapes of changed[i] with shapes[i], for `count` launches. Later enqueues run the new shapes;
// enqueues under way aren't affected. The caller owns the old shapes, which are in `shapes` afterwards.
// CL_OUT_OF_HOST_MEMORY: nothing has changed.
cl_int weft_command_buffer_exchange(struct weft_command_buffer *b, struct weft_recorded *const *changed,
                                    struct weft_launch_shape *shapes, cl_uint count);
// A copy of the launch's shape that can be changed. The caller owns its references.
struct weft_launch_shape weft_recorded_shape(struct weft_recorded *r);
// clEnqueueCommandBufferKHR, arguments checked. There are as many queues as the buffer has.
// CL_INVALID_OPERATION: the buffer isn't executable.
cl_int weft_command_buffer_enqueue(struct weft_command_buffer *b, const cl_command_queue *queues,
                                   cl_uint wait_count, const cl_event *wait_list, cl_event *event);
// clRemapCommandBufferKHR, arguments checked. Makes a copy in the same state, for `count` queues; the queue
// with index i becomes the one with index i modulo count. check is weft_check_ndrange; it is called for
// launches that run other code on the new device. *made is the copy; on failure it is set to NULL.
// CL_INVALID_PROGRAM_EXECUTABLE: a program isn't built for a device; errors of `check`; CL_OUT_OF_RESOURCES,
// CL_OUT_OF_HOST_MEMORY.
typedef cl_int weft_ndrange_check(const struct weft_kernel *k, cl_uint dim, const size_t *offset,
                                  const size_t *global, const size_t *local);
cl_int weft_command_buffer_remap(struct weft_command_buffer *b, struct weft_queue *const *queues,
                                 cl_uint count, weft_ndrange_check *check, struct weft_command_buffer **made);
// For command_buffer/remap.c: does what the end of a recording does, without waiting for code. False: no
// memory.
bool weft_command_buffer_settle(struct weft_command_buffer *b);
cl_uint weft_command_buffer_state(struct weft_command_buffer *b);

// Functions of the objects' kinds, for kinds.c.
void weft_command_buffer_destroy(struct weft_object *o);
void weft_command_buffer_after_fork(struct weft_object *o);
void weft_recorded_destroy(struct weft_object *o);

#endif
