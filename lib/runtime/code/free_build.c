// The end of a build: frees it with the code of its kernels. This file knows what these consist of and calls
// nothing that holds builds, so that whoever drops the last reference can call it directly.
#include <pthread.h>
#include <stdatomic.h>

#include "base/base.h"
#include "runtime/code/build_result.h"
#include "runtime/code/counting.h"
#include "runtime/code/kernel_code.h"
#include "runtime/code/module.h"
#include "weft/code_object.h"

static void unload(void *const modules[WEFT_LEVEL_FULL + 1])
{
    for (size_t level = 0; level <= WEFT_LEVEL_FULL; level++)
        weft_module_unload(modules[level]);
}

static void free_size_variants(struct weft_kernel_code *c)
{
    for (struct weft_size_variant *s = atomic_load(&c->size_variants), *next; s; s = next) {
        next = s->next;
        unload(s->variant.modules);
        weft_free(s);
    }
}

static void free_code(struct weft_kernel_code *c)
{
    free_size_variants(c);
    for (size_t k = 0; k < WEFT_SIZE_CLASSES; k++)
        weft_free(atomic_load(&c->autotune[k]));
    weft_ahead_time_return(c); // code of released programs must not keep that of others from being made
    unload(c->modules);
    weft_counting_free(c);
    for (size_t f = 0; f < WEFT_COUNT_OF(c->variants); f++)
        unload(c->variants[f].modules);
    weft_free(c->elf);
    weft_free(c->log);
}

void weft_build_free(struct weft_build *b)
{
    for (uint32_t i = 0; b->code && i < b->kernel_count; i++)
        free_code(&b->code[i]);
    weft_free(b->code);
    weft_free(b->options);
    weft_free(b->binary);
    if (b->variables_ops)
        b->variables_ops->free(b);
    weft_program_object_fini(&b->object);
    pthread_mutex_destroy(&b->lock);
    weft_free(b);
}
