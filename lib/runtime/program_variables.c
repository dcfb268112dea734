// The program-scope variables of a build: a block for each device, made and filled when a kernel is first enqueued there, kept until
// the build goes (OpenCL C 3.0 §6.7.1). All code of all of its kernels, whichever tier or form it is of, gets the
// block's address with each range of work-groups. The list is under the build's lock; blocks never move.
#include "program.h"

struct weft_variables {
    struct weft_variables *next;
    struct weft_device *device; // a ref, so that its place isn't another's
    void *memory;               // storage
    size_t bytes;
    unsigned char *block; // in it
};

static void fill(const struct weft_program_object *o, unsigned char *block)
{
    if (o->variables_size)
        memcpy(block, o->variables, o->variables_size);
    for (uint32_t i = 0; i < o->variable_pointer_count; i++) {
        unsigned char *at = block + o->variable_pointers[i];
        uint64_t pointer;
        memcpy(&pointer, at, sizeof pointer);
        pointer += (uintptr_t)block;
        memcpy(at, &pointer, sizeof pointer);
    }
}

static struct weft_variables *make(const struct weft_program_object *o, struct weft_device *d)
{
    struct weft_variables *v = weft_zalloc(sizeof *v);
    size_t bytes;
    if (v && weft_add_size((size_t)o->global_variable_bytes, WEFT_VARIABLES_ALIGN, &bytes))
        v->memory = weft_storage_zalloc(bytes);
    if (!v || !v->memory) {
        weft_free(v);
        return NULL;
    }
    weft_object_ref(&d->obj);
    v->device = d;
    v->bytes = bytes;
    uintptr_t at = ((uintptr_t)v->memory + WEFT_VARIABLES_ALIGN - 1) & ~(uintptr_t)(WEFT_VARIABLES_ALIGN - 1);
    v->block = (unsigned char *)v->memory + (at - (uintptr_t)v->memory);
    fill(o, v->block);
    return v;
}

void *weft_build_variables(struct weft_build *b, struct weft_device *d)
{
    pthread_mutex_lock(&b->lock);
    struct weft_variables *v = b->variables;
    while (v && v->device != d)
        v = v->next;
    if (!v && (v = make(&b->object, d))) {
        v->next = b->variables;
        b->variables = v;
    }
    pthread_mutex_unlock(&b->lock);
    return v ? v->block : NULL;
}

void weft_build_variables_free(struct weft_build *b)
{
    while (b->variables) {
        struct weft_variables *v = b->variables;
        b->variables = v->next;
        weft_object_unref(&v->device->obj);
        weft_storage_free(v->memory, v->bytes);
        weft_free(v);
    }
}
