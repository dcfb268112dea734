// Native kernels: functions of the application as commands. OpenCL 2.2 §5.10.
#include "runtime/launch/native_kernel.h"

#include <string.h>

#include "base/base.h"
#include "runtime/command/command.h"
#include "runtime/command/queue.h"
#include "runtime/core/application_call.h"
#include "runtime/memory/memory.h"

struct native {
    void(CL_CALLBACK *call)(void *args);
    void *args; // a copy, with pointers in place of the memory objects' handles. NULL: none given
    struct weft_mem **mems;
    cl_uint mem_count;
};

static struct native *native_of(struct weft_command *c)
{
    return (struct native *)(void *)c->payload;
}

static void release(struct weft_command *c)
{
    struct native *n = native_of(c);
    for (cl_uint i = 0; n->mems && i < n->mem_count; i++) {
        weft_mem_end_use(n->mems[i]);
        weft_mem_unref(n->mems[i]);
    }
    weft_free(n->mems);
    weft_free(n->args);
}

static cl_int run(struct weft_command *c)
{
    // other threads may need the command's end, too, not only the one that runs it while it waits
    WEFT_NOT_CANCELLED;
    struct native *n = native_of(c);
    volatile bool returned = false;
    WEFT_CALL_APPLICATION((n->call(n->args), returned = true));
    return returned ? CL_COMPLETE : CL_OUT_OF_RESOURCES;
}

cl_int weft_native_enqueue(struct weft_queue *q, void(CL_CALLBACK *call)(void *), const void *args,
                           size_t args_size, cl_uint mem_count, const cl_mem *mems, const void **mem_places,
                           cl_uint wait_count, const cl_event *wait_list, cl_event *event)
{
    struct weft_command *c = weft_command_create(q->context, q, CL_COMMAND_NATIVE_KERNEL);
    if (!c)
        return CL_OUT_OF_HOST_MEMORY;
    struct native *n = native_of(c);
    c->run = run;
    c->release = release;
    // Its stack use is unknown, and it may need a lock that a waiting thread of the application holds.
    weft_command_keep_to_pool(c, true);
    n->call = call;
    n->args = args ? weft_memdup(args, args_size) : NULL;
    n->mems = mem_count ? weft_alloc_array(mem_count, sizeof *n->mems) : NULL;
    if ((args && !n->args) || (mem_count && !n->mems)) {
        weft_command_abandon(c);
        return CL_OUT_OF_HOST_MEMORY;
    }
    for (cl_uint i = 0; i < mem_count; i++) {
        struct weft_mem *m = (struct weft_mem *)mems[i];
        weft_mem_ref(m);
        weft_mem_begin_use(m);
        n->mems[n->mem_count++] = m;
        // The place is in the caller's block. In the copy it has the same offset.
        size_t at = (size_t)((const char *)mem_places[i] - (const char *)args);
        void *data = m ? m->data : NULL;
        memcpy((char *)n->args + at, &data, sizeof data);
    }
    return weft_command_submit(c, wait_count, wait_list, event, false);
}
