// What all enqueue functions check alike: the queue, the objects, their contexts, the wait list; and what a
// blocking call returns when an event that it waits for has failed. Everything else about each call is right,
// as its success at the end shows.
#include "api/api.h"

struct things {
    cl_mem buffer, second, image, second_image; // of 256 bytes and of 8 times 8 texels
    void *memory;                               // shared virtual memory, 256 bytes
    unsigned char *host;                        // 256 bytes
};

static const size_t origin[3] = {0, 0, 0}, bytes[3] = {8, 4, 1}, texels[3] = {4, 4, 1};
static const cl_uint colour[4] = {1, 2, 3, 4};

static void CL_CALLBACK nothing(void *args)
{
    (void)args;
}

typedef cl_int command_fn(const struct things *t, cl_command_queue q, cl_uint n, const cl_event *list);

#define COMMAND(name, ...)                                                                          \
    static cl_int name(const struct things *t, cl_command_queue q, cl_uint n, const cl_event *list) \
    {                                                                                               \
        (void)t;                                                                                    \
        return clEnqueue##name(q, __VA_ARGS__, n, list, NULL);                                      \
    }
COMMAND(ReadBuffer, t->buffer, CL_TRUE, 0, 64, t->host)
COMMAND(WriteBuffer, t->buffer, CL_TRUE, 0, 64, t->host)
COMMAND(ReadBufferRect, t->buffer, CL_TRUE, origin, origin, bytes, 0, 0, 0, 0, t->host)
COMMAND(WriteBufferRect, t->buffer, CL_TRUE, origin, origin, bytes, 0, 0, 0, 0, t->host)
COMMAND(FillBuffer, t->buffer, colour, 4, 0, 64)
COMMAND(CopyBuffer, t->buffer, t->second, 0, 0, 64)
COMMAND(CopyBufferRect, t->buffer, t->second, origin, origin, bytes, 0, 0, 0, 0)
COMMAND(ReadImage, t->image, CL_TRUE, origin, texels, 0, 0, t->host)
COMMAND(WriteImage, t->image, CL_TRUE, origin, texels, 0, 0, t->host)
COMMAND(FillImage, t->image, colour, origin, texels)
COMMAND(CopyImage, t->image, t->second_image, origin, origin, texels)
COMMAND(CopyImageToBuffer, t->image, t->buffer, origin, texels, 0)
COMMAND(CopyBufferToImage, t->buffer, t->image, 0, origin, texels)
COMMAND(MigrateMemObjects, 1, &t->buffer, CL_MIGRATE_MEM_OBJECT_HOST)
COMMAND(SVMMemcpy, CL_TRUE, t->memory, t->host, 64)
COMMAND(SVMMemFill, t->memory, colour, 4, 64)
COMMAND(SVMMap, CL_TRUE, CL_MAP_READ, t->memory, 64)
COMMAND(SVMUnmap, t->memory)
COMMAND(NativeKernel, nothing, NULL, 0, 0, NULL, NULL)

static cl_int MarkerWithWaitList(const struct things *t, cl_command_queue q, cl_uint n, const cl_event *list)
{
    (void)t;
    return clEnqueueMarkerWithWaitList(q, n, list, NULL);
}

static cl_int BarrierWithWaitList(const struct things *t, cl_command_queue q, cl_uint n, const cl_event *list)
{
    (void)t;
    return clEnqueueBarrierWithWaitList(q, n, list, NULL);
}

static cl_int SVMMigrateMem(const struct things *t, cl_command_queue q, cl_uint n, const cl_event *list)
{
    const void *pointers[] = {t->memory};
    return clEnqueueSVMMigrateMem(q, 1, pointers, NULL, 0, n, list, NULL);
}

static cl_int MapBuffer(const struct things *t, cl_command_queue q, cl_uint n, const cl_event *list)
{
    cl_int err = 1;
    void *p = clEnqueueMapBuffer(q, t->buffer, CL_TRUE, CL_MAP_READ, 0, 64, n, list, NULL, &err);
    CHECK_EQ(p != NULL, err == CL_SUCCESS);
    return err;
}

static cl_int MapImage(const struct things *t, cl_command_queue q, cl_uint n, const cl_event *list)
{
    cl_int err = 1;
    size_t pitch;
    void *p = clEnqueueMapImage(q, t->image, CL_TRUE, CL_MAP_READ, origin, texels, &pitch, NULL, n, list,
                                NULL, &err);
    CHECK_EQ(p != NULL, err == CL_SUCCESS);
    return err;
}

enum { BUFFER = 1, SECOND = 2, IMAGE = 4, SECOND_IMAGE = 8, BLOCKS = 16 };

static const struct row {
    const char *name;
    command_fn *call;
    unsigned uses; // of the things; BLOCKS: until it is complete
} rows[] = {
#define ROW(name, uses) {"clEnqueue" #name, name, uses}
    ROW(ReadBuffer, BUFFER | BLOCKS),
    ROW(WriteBuffer, BUFFER | BLOCKS),
    ROW(ReadBufferRect, BUFFER | BLOCKS),
    ROW(WriteBufferRect, BUFFER | BLOCKS),
    ROW(FillBuffer, BUFFER),
    ROW(CopyBuffer, BUFFER | SECOND),
    ROW(CopyBufferRect, BUFFER | SECOND),
    ROW(ReadImage, IMAGE | BLOCKS),
    ROW(WriteImage, IMAGE | BLOCKS),
    ROW(FillImage, IMAGE),
    ROW(CopyImage, IMAGE | SECOND_IMAGE),
    ROW(CopyImageToBuffer, IMAGE | BUFFER),
    ROW(CopyBufferToImage, IMAGE | BUFFER),
    ROW(MigrateMemObjects, BUFFER),
    ROW(SVMMemcpy, BLOCKS),
    ROW(SVMMemFill, 0),
    ROW(SVMMap, BLOCKS),
    ROW(SVMUnmap, 0),
    ROW(SVMMigrateMem, 0),
    ROW(NativeKernel, 0),
    ROW(MarkerWithWaitList, 0),
    ROW(BarrierWithWaitList, 0),
    ROW(MapBuffer, BUFFER | BLOCKS),
    ROW(MapImage, IMAGE | BLOCKS),
};

static cl_mem new_image(cl_context c)
{
    const cl_image_format format = {CL_RGBA, CL_UNSIGNED_INT8};
    const cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 8, .image_height = 8};
    cl_int err;
    cl_mem m = clCreateImage(c, 0, &format, &desc, NULL, &err);
    OK(err);
    return m;
}

static cl_mem new_bytes(cl_context c)
{
    cl_int err;
    cl_mem m = clCreateBuffer(c, 0, 256, NULL, &err);
    OK(err);
    return m;
}

static void expect(const struct row *r, const char *what, cl_int got, cl_int want)
{
    if (got != want)
        FAIL("%s with %s gives %d, not %d", r->name, what, got, want);
}

// The things with one of them replaced.
static struct things with(struct things t, unsigned which, void *by)
{
    *(which == BUFFER   ? &t.buffer
      : which == SECOND ? &t.second
      : which == IMAGE  ? &t.image
                        : &t.second_image) = by;
    return t;
}

static unsigned char host[256];

static struct things new_things(cl_context c)
{
    return (struct things){
        new_bytes(c), new_bytes(c), new_image(c), new_image(c), clSVMAlloc(c, CL_MEM_READ_WRITE, 256, 0),
        host};
}

static void free_things(cl_context c, const struct things *t)
{
    OK(clReleaseMemObject(t->buffer));
    OK(clReleaseMemObject(t->second));
    OK(clReleaseMemObject(t->image));
    OK(clReleaseMemObject(t->second_image));
    clSVMFree(c, t->memory);
}

TEST(queues_and_objects)
{
    cl_context c = new_context(), other = new_context();
    cl_command_queue q = new_queue(c, 0), foreign = new_queue(other, 0);
    const struct things t = new_things(c), theirs = new_things(other);
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const struct row *r = &rows[i];
        expect(r, "no queue", r->call(&t, NULL, 0, NULL), CL_INVALID_COMMAND_QUEUE);
        expect(r, "what is no queue", r->call(&t, not_an_object(q), 0, NULL), CL_INVALID_COMMAND_QUEUE);
        expect(r, "an object for a queue", r->call(&t, (cl_command_queue)(void *)c, 0, NULL),
               CL_INVALID_COMMAND_QUEUE);
        if (r->uses & ~(unsigned)BLOCKS)
            expect(r, "a queue of another context", r->call(&t, foreign, 0, NULL), CL_INVALID_CONTEXT);
        for (unsigned which = BUFFER; which < BLOCKS; which *= 2) {
            if (!(r->uses & which))
                continue;
            struct things wrong = with(t, which, not_an_object(t.buffer));
            expect(r, "what is no object", r->call(&wrong, q, 0, NULL), CL_INVALID_MEM_OBJECT);
            wrong = with(t, which, q);
            expect(r, "a queue for an object", r->call(&wrong, q, 0, NULL), CL_INVALID_MEM_OBJECT);
            wrong = with(t, which, which < IMAGE ? theirs.buffer : theirs.image);
            expect(r, "an object of another context", r->call(&wrong, q, 0, NULL), CL_INVALID_CONTEXT);
        }
        expect(r, "nothing wrong", r->call(&t, q, 0, NULL), CL_SUCCESS);
    }
    OK(clFinish(q));
    free_things(c, &t);
    free_things(other, &theirs);
    OK(clReleaseCommandQueue(q));
    OK(clReleaseCommandQueue(foreign));
    OK(clReleaseContext(other));
    OK(clReleaseContext(c));
}

TEST(wait_lists)
{
    cl_context c = new_context(), other = new_context();
    cl_command_queue q = new_queue(c, 0);
    const struct things t = new_things(c);
    cl_event done = new_user_event(c), failed = new_user_event(c), theirs = new_user_event(other),
             none = not_an_object(done), null = NULL;
    OK(clSetUserEventStatus(done, CL_COMPLETE));
    OK(clSetUserEventStatus(failed, -5));
    cl_event many[12], many_then_null[COUNT_OF(many) + 1];
    for (size_t i = 0; i < COUNT_OF(many); i++) {
        many[i] = many_then_null[i] = new_user_event(c);
        OK(clSetUserEventStatus(many[i], CL_COMPLETE));
    }
    many_then_null[COUNT_OF(many)] = null;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const struct row *r = &rows[i];
        const cl_event second_is_none[] = {done, none};
        expect(r, "a count and no list", r->call(&t, q, 1, NULL), CL_INVALID_EVENT_WAIT_LIST);
        expect(r, "a list and no count", r->call(&t, q, 0, &done), CL_INVALID_EVENT_WAIT_LIST);
        expect(r, "a NULL in the list", r->call(&t, q, 1, &null), CL_INVALID_EVENT_WAIT_LIST);
        expect(r, "what is no event", r->call(&t, q, 2, second_is_none), CL_INVALID_EVENT_WAIT_LIST);
        // The call holds the events before the bad one: few fit its own list, more take an allocation.
        for (cl_uint valid = 3; valid <= 17; valid += 1 + valid / 4) {
            cl_event last_is_null[18];
            for (cl_uint k = 0; k < valid; k++)
                last_is_null[k] = done;
            last_is_null[valid] = null;
            expect(r, "a NULL after many events", r->call(&t, q, valid + 1, last_is_null),
                   CL_INVALID_EVENT_WAIT_LIST);
        }
        expect(r, "many different events", r->call(&t, q, COUNT_OF(many) + 1, many_then_null),
               CL_INVALID_EVENT_WAIT_LIST);
        expect(r, "an event of another context", r->call(&t, q, 1, &theirs), CL_INVALID_CONTEXT);
        if (r->uses & BLOCKS)
            expect(r, "a wait that failed", r->call(&t, q, 1, &failed),
                   CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
        expect(r, "nothing wrong", r->call(&t, q, 1, &done), CL_SUCCESS);
    }
    OK(clFinish(q));
    free_things(c, &t);
    for (size_t i = 0; i < COUNT_OF(many); i++)
        OK(clReleaseEvent(many[i]));
    OK(clReleaseEvent(done));
    OK(clReleaseEvent(failed));
    OK(clReleaseEvent(theirs));
    OK(clReleaseCommandQueue(q));
    OK(clReleaseContext(other));
    OK(clReleaseContext(c));
}
