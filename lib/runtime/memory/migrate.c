// The commands that move no bytes: migration (OpenCL 2.2 §5.5.4), acquire and release of imported memory
// (cl_khr_external_memory). They hold their memory objects.
#include "base/base.h"
#include "runtime/command/command.h"
#include "runtime/device/context.h"
#include "runtime/memory/dma_buf.h"
#include "runtime/memory/memory.h"
#include "runtime/memory/transfer.h"

#define INLINE_MEMS 24
struct migrate {
    struct weft_mem **mems; // inline_mems, or allocated
    size_t count;
    struct weft_mem *inline_mems[INLINE_MEMS];
};

_Static_assert(sizeof(struct migrate) <= WEFT_COMMAND_PAYLOAD, "payload");

static void release_migrate(struct weft_command *c)
{
    struct migrate *p = (void *)c->payload;
    for (size_t i = 0; i < p->count; i++)
        weft_mem_unref(p->mems[i]);
    if (p->mems != p->inline_mems)
        weft_free(p->mems);
}

static cl_int enqueue_on(const struct weft_queue_call *call, struct weft_mem *const *mems, size_t count,
                         weft_command_fn run)
{
    struct weft_command *c = weft_queue_call_command(call);
    if (!c)
        return CL_OUT_OF_HOST_MEMORY;
    struct migrate *p = (void *)c->payload;
    p->mems = count <= INLINE_MEMS ? p->inline_mems : weft_alloc_array(count, sizeof(struct weft_mem *));
    if (!p->mems) {
        weft_command_abandon(c);
        return CL_OUT_OF_HOST_MEMORY;
    }
    c->release = release_migrate;
    c->run = run;
    c->lengthy = run != NULL;
    for (; p->count < count; p->count++) {
        p->mems[p->count] = mems[p->count];
        weft_mem_ref(mems[p->count]);
    }
    return weft_queue_call_submit(c, call);
}

cl_int weft_enqueue_migrate(const struct weft_queue_call *call, struct weft_mem *const *mems, size_t count)
{
    return enqueue_on(call, mems, count, NULL);
}

static cl_int run_hand_over(struct weft_command *c)
{
    const struct migrate *p = (void *)c->payload;
    const bool take = c->type == CL_COMMAND_ACQUIRE_EXTERNAL_MEM_OBJECTS_KHR;
    cl_int error = CL_SUCCESS;
    for (size_t i = 0; i < p->count; i++) {
        struct weft_dma_buf *d = p->mems[i]->dma_buf;
        const char *why = d ? take ? weft_dma_buf_take(d) : weft_dma_buf_give(d) : NULL;
        if (!why)
            continue;
        weft_context_report_from_command(c->context, "a dma-buf can't be %s: %s",
                                         take ? "acquired" : "released", why);
        error = CL_OUT_OF_RESOURCES;
    }
    return error;
}

cl_int weft_enqueue_hand_over(const struct weft_queue_call *call, struct weft_mem *const *mems, size_t count)
{
    bool any_dma_buf = false;
    for (size_t i = 0; i < count; i++)
        any_dma_buf |= mems[i]->dma_buf != NULL;
    return enqueue_on(call, mems, count, any_dma_buf ? run_hand_over : NULL);
}
