// Allocations of shared virtual memory, and the command that frees them (OpenCL 2.2 §5.6.1). They are nodes
// of a search tree in their context, ordered by address, so that any pointer into an allocation finds it. One
// lock guards all trees. A fork waits for it, so the child has no tree that a thread of the parent was
// changing.
#include "runtime/memory/svm.h"

#include <pthread.h>
#include <search.h>
#include <string.h>

#include "base/base.h"
#include "runtime/checker/checker.h"
#include "runtime/checker/known.h"
#include "runtime/checker/misuse.h"
#include "runtime/command/command.h"
#include "runtime/core/application_call.h"
#include "runtime/device/context.h"
#include "runtime/memory/storage.h"
#include "runtime/memory/transfer.h"

struct svm {
    unsigned char *base;
    size_t size;
    struct weft_usm usm; // type 0: SVM
    size_t guard;        // bytes behind it that are nobody's, for the checker
    struct svm *next;    // in quarantine
};

#define EVERYTHING                                                                                         \
    (CL_SVM_CAPABILITY_SINGLE_ADDRESS_SPACE_KHR | CL_SVM_CAPABILITY_CONTEXT_ACCESS_KHR |                   \
     CL_SVM_CAPABILITY_HOST_READ_KHR | CL_SVM_CAPABILITY_HOST_WRITE_KHR | CL_SVM_CAPABILITY_HOST_MAP_KHR | \
     CL_SVM_CAPABILITY_DEVICE_READ_KHR | CL_SVM_CAPABILITY_DEVICE_WRITE_KHR |                              \
     CL_SVM_CAPABILITY_DEVICE_ATOMIC_ACCESS_KHR | CL_SVM_CAPABILITY_CONCURRENT_ACCESS_KHR |                \
     CL_SVM_CAPABILITY_CONCURRENT_ATOMIC_ACCESS_KHR | CL_SVM_CAPABILITY_INDIRECT_ACCESS_KHR)
const cl_bitfield weft_svm_types[WEFT_SVM_TYPES] = {
    EVERYTHING | CL_SVM_CAPABILITY_DEVICE_UNASSOCIATED_KHR,
    EVERYTHING | CL_SVM_CAPABILITY_DEVICE_OWNED_KHR,
    EVERYTHING | CL_SVM_CAPABILITY_DEVICE_UNASSOCIATED_KHR | CL_SVM_CAPABILITY_HOST_OWNED_KHR,
    EVERYTHING | CL_SVM_CAPABILITY_DEVICE_UNASSOCIATED_KHR | CL_SVM_CAPABILITY_SYSTEM_ALLOCATED_KHR,
};

// Guards the trees of all contexts. No other lock is taken under it.
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void fork_prepare(void)
{
    pthread_mutex_lock(&lock);
}

static void fork_done(void)
{
    pthread_mutex_unlock(&lock);
}

__attribute__((constructor)) static void know_forks(void)
{
    weft_at_fork(fork_prepare, fork_done, fork_done);
}

// Allocations don't overlap. Ranges that overlap compare as equal, which finds the allocation of a pointer.
static int compare(const void *a, const void *b)
{
    const struct svm *x = a, *y = b;
    uintptr_t p = (uintptr_t)x->base, q = (uintptr_t)y->base;
    if (p < q)
        return q - p < x->size ? 0 : -1;
    return p - q < y->size ? 0 : 1;
}

static struct svm *find_locked(struct weft_context *context, const void *pointer)
{
    struct svm key = {.base = (unsigned char *)(uintptr_t)pointer, .size = 1};
    struct svm **node = tfind(&key, &context->svm, compare);
    return node ? *node : NULL;
}

// With the checker, allocations that have been freed keep their storage for a while, so that kernels that use
// it are found: nothing else comes to lie there. The oldest goes first.
enum { QUARANTINE = 64 << 20 };
static struct {
    struct svm *first, **end;
    size_t bytes;
} quarantine = {.end = &quarantine.first}; // guarded by `lock`

static void quarantine_locked(struct svm *s)
{
    s->next = NULL;
    *quarantine.end = s;
    quarantine.end = &s->next;
    quarantine.bytes += s->size;
    while (quarantine.bytes > QUARANTINE && quarantine.first->next) {
        struct svm *oldest = quarantine.first;
        quarantine.first = oldest->next;
        quarantine.bytes -= oldest->size;
        weft_storage_free(oldest->base, oldest->size + oldest->guard, NULL);
        weft_free(oldest);
    }
}

bool weft_svm_was_freed(const void *pointer)
{
    const unsigned char *at = pointer;
    pthread_mutex_lock(&lock);
    const struct svm *s = quarantine.first;
    while (s && !(at >= s->base && (size_t)(at - s->base) < s->size))
        s = s->next;
    pthread_mutex_unlock(&lock);
    return s != NULL;
}

// next_owner: the context, which may get the storage again; NULL: it ends.
static void destroy(struct svm *s, const struct weft_context *next_owner)
{
    if (s->base && s->guard)
        weft_known_remove(s->base);
    if (s->base && *weft_checker_option()) {
        pthread_mutex_lock(&lock);
        quarantine_locked(s);
        pthread_mutex_unlock(&lock);
        return;
    }
    weft_storage_free(s->base, s->size + s->guard, next_owner);
    weft_free(s);
}

static void destroy_node(void *node)
{
    destroy(node, NULL);
}

void *weft_usm_alloc(struct weft_context *context, size_t size, const struct weft_usm *usm)
{
    struct svm *s = weft_alloc(sizeof *s);
    if (!s)
        return NULL;
    const size_t guard = weft_misuse_guard_bytes();
    *s = (struct svm){.size = size, .usm = *usm, .guard = guard};
    s->base = weft_storage_alloc(size + guard, context, weft_context_domain(context));
    s->usm.base = s->base;
    s->usm.size = size;
    void *node = NULL;
    if (s->base) {
        pthread_mutex_lock(&lock);
        node = tsearch(s, &context->svm, compare);
        pthread_mutex_unlock(&lock);
    }
    if (node && guard)
        weft_known_add(s->base, size, guard);
    if (node)
        return s->base;
    weft_storage_free(s->base, size + guard, context);
    weft_free(s);
    return NULL;
}

void *weft_svm_alloc(struct weft_context *context, size_t size)
{
    return weft_usm_alloc(context, size, &(struct weft_usm){0});
}

// usm: must it be unified shared memory, or SVM? False: pointer isn't the beginning of such an allocation.
static bool free_one(struct weft_context *context, void *pointer, bool usm)
{
    pthread_mutex_lock(&lock);
    struct svm *s = pointer ? find_locked(context, pointer) : NULL;
    if (s && (s->base != pointer || (s->usm.type != 0) != usm))
        s = NULL;
    if (s)
        tdelete(s, &context->svm, compare);
    pthread_mutex_unlock(&lock);
    if (s)
        destroy(s, context);
    return s != NULL;
}

bool weft_usm_free(struct weft_context *context, void *pointer)
{
    return free_one(context, pointer, true);
}

static bool find(struct weft_context *context, const void *pointer, bool usm, struct weft_usm *out)
{
    pthread_mutex_lock(&lock);
    const struct svm *s = find_locked(context, pointer);
    bool found = s && (s->usm.type != 0) == usm;
    if (found)
        *out = s->usm;
    pthread_mutex_unlock(&lock);
    return found;
}

bool weft_usm_find(struct weft_context *context, const void *pointer, struct weft_usm *out)
{
    return find(context, pointer, true, out);
}

bool weft_svm_find(struct weft_context *context, const void *pointer, struct weft_usm *out)
{
    return find(context, pointer, false, out);
}

bool weft_svm_free(struct weft_context *context, void *pointer)
{
    const bool freed = free_one(context, pointer, false);
    if (!freed && pointer)
        weft_log(WEFT_LOG_WARN, "%p isn't freed: it isn't the beginning of an SVM allocation of this context",
                 pointer);
    return freed;
}

size_t weft_svm_bytes_from(struct weft_context *context, const void *pointer)
{
    pthread_mutex_lock(&lock);
    const struct svm *s = find_locked(context, pointer);
    size_t bytes = s && s->usm.type == 0 ? s->size - (size_t)((const unsigned char *)pointer - s->base) : 0;
    pthread_mutex_unlock(&lock);
    return bytes;
}

void weft_svm_free_all(struct weft_context *context)
{
    tdestroy(context->svm, destroy_node);
    context->svm = NULL;
}

// ---- clEnqueueSVMFree ----

#define INLINE_POINTERS 16
struct svm_free {
    weft_svm_free_func call; // NULL: the command frees them
    void *user;
    void **pointers; // inline_pointers, or allocated
    cl_uint count;
    void *inline_pointers[INLINE_POINTERS];
};
_Static_assert(sizeof(struct svm_free) <= WEFT_COMMAND_PAYLOAD, "payload");

static struct svm_free *svm_free_of(struct weft_command *c)
{
    return (struct svm_free *)(void *)c->payload;
}

static cl_int run(struct weft_command *c)
{
    struct svm_free *f = svm_free_of(c);
    if (f->call)
        WEFT_CALL_APPLICATION(f->call((cl_command_queue)(void *)c->queue, f->count, f->pointers, f->user));
    for (cl_uint i = 0; !f->call && i < f->count; i++)
        weft_svm_free(c->context, f->pointers[i]);
    return CL_COMPLETE;
}

static void release(struct weft_command *c)
{
    struct svm_free *f = svm_free_of(c);
    if (f->pointers != f->inline_pointers)
        weft_free(f->pointers);
}

cl_int weft_enqueue_svm_free(const struct weft_queue_call *call, cl_uint count, void *const *pointers,
                             weft_svm_free_func free_func, void *user)
{
    struct weft_command *c = weft_command_create(call->queue->context, call->queue, call->type);
    if (!c)
        return CL_OUT_OF_HOST_MEMORY;
    struct svm_free *f = svm_free_of(c);
    c->run = run;
    c->release = release;
    // The application's function may need much stack, or a lock that a waiting thread holds. So it runs on
    // the pool.
    weft_command_keep_to_pool(c, free_func != NULL);
    f->call = free_func;
    f->user = user;
    f->count = count;
    f->pointers =
        count <= INLINE_POINTERS ? f->inline_pointers : weft_alloc_array(count, sizeof *f->pointers);
    if (!f->pointers) {
        weft_command_abandon(c);
        return CL_OUT_OF_HOST_MEMORY;
    }
    if (count)
        memcpy(f->pointers, pointers, count * sizeof *pointers);
    return weft_command_submit(c, call->wait_count, call->wait_list, call->event, call->blocking);
}
