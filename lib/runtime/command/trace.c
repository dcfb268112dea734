// Commands in the timeline. Owns the names of the sorts of commands, which are made at load.
#include "runtime/command/trace.h"

#include "runtime/command/queue.h"

static struct {
    cl_command_type type;
    const char *text;
    weft_trace_text name;
} sorts[] = {{CL_COMMAND_NDRANGE_KERNEL, "NDRange kernel", 0},
             {CL_COMMAND_TASK, "task", 0},
             {CL_COMMAND_NATIVE_KERNEL, "native kernel", 0},
             {CL_COMMAND_READ_BUFFER, "read buffer", 0},
             {CL_COMMAND_WRITE_BUFFER, "write buffer", 0},
             {CL_COMMAND_COPY_BUFFER, "copy buffer", 0},
             {CL_COMMAND_READ_IMAGE, "read image", 0},
             {CL_COMMAND_WRITE_IMAGE, "write image", 0},
             {CL_COMMAND_COPY_IMAGE, "copy image", 0},
             {CL_COMMAND_COPY_IMAGE_TO_BUFFER, "copy image to buffer", 0},
             {CL_COMMAND_COPY_BUFFER_TO_IMAGE, "copy buffer to image", 0},
             {CL_COMMAND_MAP_BUFFER, "map buffer", 0},
             {CL_COMMAND_MAP_IMAGE, "map image", 0},
             {CL_COMMAND_UNMAP_MEM_OBJECT, "unmap", 0},
             {CL_COMMAND_MARKER, "marker", 0},
             {CL_COMMAND_READ_BUFFER_RECT, "read rectangle", 0},
             {CL_COMMAND_WRITE_BUFFER_RECT, "write rectangle", 0},
             {CL_COMMAND_COPY_BUFFER_RECT, "copy rectangle", 0},
             {CL_COMMAND_BARRIER, "barrier", 0},
             {CL_COMMAND_MIGRATE_MEM_OBJECTS, "migrate", 0},
             {CL_COMMAND_FILL_BUFFER, "fill buffer", 0},
             {CL_COMMAND_FILL_IMAGE, "fill image", 0},
             {CL_COMMAND_SVM_FREE, "free SVM", 0},
             {CL_COMMAND_SVM_MEMCPY, "copy SVM", 0},
             {CL_COMMAND_SVM_MEMFILL, "fill SVM", 0},
             {CL_COMMAND_SVM_MAP, "map SVM", 0},
             {CL_COMMAND_SVM_UNMAP, "unmap SVM", 0},
             {CL_COMMAND_SVM_MIGRATE_MEM, "migrate SVM", 0},
             {CL_COMMAND_SEMAPHORE_WAIT_KHR, "wait for semaphores", 0},
             {CL_COMMAND_SEMAPHORE_SIGNAL_KHR, "signal semaphores", 0},
             {CL_COMMAND_COMMAND_BUFFER_KHR, "command buffer", 0}};

__attribute__((constructor)) static void make_names(void)
{
    for (size_t i = 0; weft_trace_is_on() && i < WEFT_COUNT_OF(sorts); i++)
        sorts[i].name = weft_trace_name(sorts[i].text);
}

weft_trace_text weft_command_trace_name(const struct weft_command *c)
{
    // Relaxed: all threads that run the command store the same number.
    const weft_trace_text kernel = atomic_load_explicit(&c->trace_name, memory_order_relaxed);
    for (size_t i = 0; !kernel && i < WEFT_COUNT_OF(sorts); i++)
        if (sorts[i].type == c->type)
            return sorts[i].name;
    return kernel;
}

void weft_command_trace(const struct weft_command *c)
{
    const struct weft_trace_completion done = {.command = weft_command_trace_id(c),
                                               .submitted = c->time_submitted,
                                               .started = c->time_started,
                                               .completed = c->time_completed,
                                               .queue = c->queue->trace_number,
                                               .name = weft_command_trace_name(c),
                                               .status = c->outcome};
    weft_trace_complete(&done);
}

weft_trace_text (*weft_command_kernel_name)(const struct weft_command *c);

void weft_command_trace_waits(const struct weft_command *c, cl_uint wait_count, const cl_event *wait_list)
{
    const weft_trace_text kernel =
        weft_command_is_launch(c) && weft_command_kernel_name ? weft_command_kernel_name(c) : 0;
    weft_trace_submitted(weft_command_trace_id(c), c->queue->trace_number,
                         kernel ? kernel : weft_command_trace_name(c));
    for (cl_uint i = 0; i < wait_count; i++) {
        const struct weft_command *on = (const struct weft_command *)wait_list[i];
        if (on->queue)
            weft_trace_waits_for(weft_command_trace_id(c), weft_command_trace_id(on));
    }
}
