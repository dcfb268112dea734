// Program objects: source or binary, the current build, and the text of the last one. What builds them is
// program_build.c. OpenCL 2.2 §5.8.
#include "program.h"

struct weft_program_callback {
    struct weft_program_callback *next;
    weft_program_notify notify;
    void *user;
};

struct weft_program *weft_program_create(struct weft_context *c, cl_uint device_count,
                                         struct weft_device *const *devices)
{
    struct weft_program *p = weft_object_create(WEFT_KIND_PROGRAM, sizeof *p, &c->obj);
    if (!p)
        return NULL;
    pthread_mutex_init(&p->lock, NULL);
    p->status = CL_BUILD_NONE;
    p->context = c;
    weft_object_ref(&c->obj);
    p->devices = weft_alloc_array(device_count, sizeof *p->devices);
    if (!p->devices) {
        weft_object_release_handle(&p->obj);
        return NULL;
    }
    for (cl_uint i = 0; i < device_count; i++) {
        p->devices[i] = devices[i];
        weft_object_ref(&devices[i]->obj);
    }
    p->device_count = device_count;
    return p;
}

void weft_program_call_back(struct weft_program_callback *list, cl_program program)
{
    while (list) {
        struct weft_program_callback *c = list;
        list = c->next;
        WEFT_CALL_APPLICATION(c->notify(program, c->user));
        weft_free(c);
    }
}

// "The registered user callback functions are called after destructors (if any) for program scope global variables (if any) are
// called", which may have to wait for launches.
void weft_program_destroy(struct weft_object *o)
{
    struct weft_program *p = (struct weft_program *)(void *)o;
    if (p->build && p->build->finalizes && p->callbacks) {
        p->build->callbacks = p->callbacks;
        p->build->gone = (cl_program)p;
    } else {
        weft_program_call_back(p->callbacks, (cl_program)p);
    }
    weft_build_disuse(p->build);
    weft_build_unref(p->loaded);
    weft_free(p->source);
    weft_free(p->il);
    weft_spirv_fini(&p->spirv);
    weft_free(p->options);
    weft_free(p->log);
    weft_free(p->told_log);
    for (cl_uint i = 0; i < p->device_count; i++)
        weft_object_unref(&p->devices[i]->obj);
    weft_free(p->devices);
    pthread_mutex_destroy(&p->lock);
    weft_object_unref(&p->context->obj);
}

cl_int weft_program_set_il(struct weft_program *p, const void *il, size_t size)
{
    const char *why;
    weft_status status = weft_spirv_read(&p->spirv, il, size, &why);
    if (status == WEFT_DAMAGED) {
        weft_context_report(p->context, "the intermediate language is not well-formed SPIR-V: %s", why);
        return CL_INVALID_VALUE;
    }
    if (status == WEFT_OK && !(p->il = weft_memdup(il, size)))
        status = WEFT_NO_MEMORY;
    p->il_size = size;
    return weft_status_to_cl(status);
}

// "CL_INVALID_SPEC_ID if spec_id is not a valid specialization constant identifier", then "CL_INVALID_VALUE if
// spec_size does not match the size of the specialization constant in the module, or if spec_value is NULL".
cl_int weft_program_specialize(struct weft_program *p, cl_uint id, size_t size, const void *value)
{
    uint32_t bytes = weft_spirv_constant_size(&p->spirv, id); // doesn't change
    if (!bytes)
        return CL_INVALID_SPEC_ID;
    if (size != bytes || !value)
        return weft_refuse_with(CL_INVALID_VALUE,
                                "spec_value is NULL, or spec_size %n isn't the constant's, %n", size, bytes);
    pthread_mutex_lock(&p->lock);
    weft_spirv_specialize(&p->spirv, id, value);
    pthread_mutex_unlock(&p->lock);
    return CL_SUCCESS;
}

cl_int weft_program_add_release_callback(struct weft_program *p, weft_program_notify notify, void *user)
{
    struct weft_program_callback *c = weft_alloc(sizeof *c);
    if (!c)
        return CL_OUT_OF_HOST_MEMORY;
    c->notify = notify;
    c->user = user;
    pthread_mutex_lock(&p->lock);
    c->next = p->callbacks;
    p->callbacks = c;
    pthread_mutex_unlock(&p->lock);
    return CL_SUCCESS;
}

struct weft_build *weft_program_current(struct weft_program *p)
{
    pthread_mutex_lock(&p->lock);
    struct weft_build *b = p->build ? p->build : p->status == CL_BUILD_NONE ? p->loaded : NULL;
    if (b)
        weft_build_ref(b);
    pthread_mutex_unlock(&p->lock);
    return b;
}

struct weft_build *weft_program_executable(struct weft_program *p)
{
    pthread_mutex_lock(&p->lock);
    struct weft_build *b = p->build;
    if (b && b->object.binary_type != WEFT_BINARY_EXECUTABLE)
        b = NULL;
    if (b)
        weft_build_ref(b);
    pthread_mutex_unlock(&p->lock);
    return b;
}
