// Payloads of semaphores that processes share. Owns the list of payloads that this process has mapped, under
// one lock.
//
// A payload is a memfd of one page. It is sealed so that its size is fixed: mapped memory can be accessed,
// whatever other processes with the descriptor do. Only one word of it is read, for zero or not zero. It has
// no lock, so a process that dies leaves nothing locked.
#include "runtime/command/external_semaphore.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/base.h"

#ifndef SYS_futex_waitv // Linux 5.16; the headers of some C libraries are older
#define SYS_futex_waitv 449
#endif

enum {
    PAGE_BYTES = 4096,
    SEALS = F_SEAL_SHRINK | F_SEAL_GROW,
    POLL_NS = 1000000, // if the kernel can't wait for several words at once
};
#ifndef MFD_NOEXEC_SEAL // Linux 6.3
#define MFD_NOEXEC_SEAL 8u
#endif

// The layout is shared between processes, which may have different versions of Weft. A different layout must
// have a different name.
static const char layout[32] = "Weft semaphore 1";
struct page {
    char layout[sizeof layout];
    _Alignas(64) _Atomic uint32_t state; // not 0: signaled
};

struct weft_payload {
    struct weft_payload *next;
    struct page *page;
    dev_t device; // identify the memfd
    ino_t inode;
    int fd; // for exports; -1: imported
    // Changed from 1 to 0, and found by an import, only under the lock.
    _Atomic uint32_t refs;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; // no other lock is taken under it
static struct weft_payload *payloads;

static void fork_prepare(void)
{
    pthread_mutex_lock(&lock);
}

static void fork_end(void)
{
    pthread_mutex_unlock(&lock);
}

__attribute__((constructor)) static void know_forks(void)
{
    weft_at_fork(fork_prepare, fork_end, fork_end);
}

// ---- Life ----

// Does the descriptor still refer to the memfd? The application may have closed all descriptors and opened
// something else.
static bool is_ours(int fd, const struct weft_payload *p)
{
    struct stat st;
    return fd >= 0 && fstat(fd, &st) == 0 && st.st_dev == p->device && st.st_ino == p->inode;
}

static void destroy(struct weft_payload *p)
{
    if (p->page)
        (void)munmap(p->page, PAGE_BYTES);
    if (is_ours(p->fd, p))
        (void)close(p->fd);
    weft_free(p);
}

static cl_int error_of(int error)
{
    return error == ENOMEM ? CL_OUT_OF_HOST_MEMORY : CL_OUT_OF_RESOURCES;
}

static int new_memfd(void)
{
    int fd = memfd_create("weft-semaphore", MFD_CLOEXEC | MFD_ALLOW_SEALING | MFD_NOEXEC_SEAL);
    return fd >= 0 || errno != EINVAL ? fd : memfd_create("weft-semaphore", MFD_CLOEXEC | MFD_ALLOW_SEALING);
}

static cl_int fill(int fd)
{
    // Written instead of ftruncate: with a limit on file sizes, ftruncate raises a signal that ends the
    // process.
    static const union {
        char bytes[PAGE_BYTES];
        char layout[sizeof layout];
    } content = {.layout = "Weft semaphore 1"};
    if (!weft_write_all(fd, content.bytes, sizeof content.bytes) ||
        fcntl(fd, F_ADD_SEALS, SEALS | F_SEAL_SEAL) != 0)
        return error_of(errno);
    return CL_SUCCESS;
}

static cl_int map(struct weft_payload *p, int fd)
{
    struct stat st;
    if (fstat(fd, &st) != 0)
        return CL_INVALID_PROPERTY;
    p->device = st.st_dev;
    p->inode = st.st_ino;
    void *at = mmap(NULL, PAGE_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (at != MAP_FAILED)
        p->page = at;
    return at != MAP_FAILED ? CL_SUCCESS : errno == ENOMEM ? CL_OUT_OF_HOST_MEMORY : CL_INVALID_PROPERTY;
}

static struct weft_payload *new_payload(void)
{
    struct weft_payload *p = weft_alloc_fails() ? NULL : weft_zalloc(sizeof *p);
    if (p) {
        p->fd = -1;
        atomic_init(&p->refs, 1);
    }
    return p;
}

static void publish_locked(struct weft_payload *p)
{
    p->next = payloads;
    payloads = p;
}

struct weft_payload *weft_payload_create(cl_int *error)
{
    struct weft_payload *p = new_payload();
    *error = p ? CL_SUCCESS : CL_OUT_OF_HOST_MEMORY;
    if (!p)
        return NULL;
    const int fd = new_memfd();
    *error = fd < 0 ? error_of(errno) : fill(fd);
    if (!*error)
        *error = map(p, fd);
    if (*error) {
        weft_log(WEFT_LOG_ERROR, "a semaphore for export can't be created: %m");
        if (fd >= 0)
            (void)close(fd);
        destroy(p);
        return NULL;
    }
    p->fd = fd;
    pthread_mutex_lock(&lock);
    publish_locked(p);
    pthread_mutex_unlock(&lock);
    return p;
}

// Only a memfd can be sealed. Only a sealed one keeps its pages, so that no access raises SIGBUS or waits for
// another process.
static bool can_be_trusted(int fd)
{
    struct stat st;
    const int seals = fcntl(fd, F_GET_SEALS);
    return seals >= 0 && (seals & SEALS) == SEALS && fstat(fd, &st) == 0 && st.st_size == PAGE_BYTES;
}

static struct weft_payload *known_locked(const struct weft_payload *as)
{
    struct weft_payload *p = payloads;
    while (p && weft_payload_order(p, as) != 0)
        p = p->next;
    return p;
}

struct weft_payload *weft_payload_import(int fd, cl_int *error)
{
    *error = CL_INVALID_PROPERTY;
    if (!can_be_trusted(fd))
        return NULL;
    struct weft_payload *p = new_payload(), *known = NULL;
    *error = p ? map(p, fd) : CL_OUT_OF_HOST_MEMORY;
    if (p && !*error && memcmp(p->page->layout, layout, sizeof layout) != 0)
        *error = CL_INVALID_PROPERTY;
    if (!*error) {
        pthread_mutex_lock(&lock);
        known = known_locked(p);
        if (known)
            weft_payload_ref(known);
        else
            publish_locked(p);
        pthread_mutex_unlock(&lock);
    }
    if (p && (*error || known))
        destroy(p);
    return *error ? NULL : known ? known : p;
}

void weft_payload_ref(struct weft_payload *p)
{
    // Relaxed: the caller has a reference or the lock.
    atomic_fetch_add_explicit(&p->refs, 1, memory_order_relaxed);
}

void weft_payload_unref(struct weft_payload *p)
{
    if (!p)
        return;
    pthread_mutex_lock(&lock);
    const bool last = atomic_fetch_sub(&p->refs, 1) == 1;
    if (last) {
        struct weft_payload **at = &payloads;
        while (*at != p)
            at = &(*at)->next;
        *at = p->next;
    }
    pthread_mutex_unlock(&lock);
    if (last)
        destroy(p);
}

cl_int weft_payload_export(struct weft_payload *p, int *fd)
{
    const int got = is_ours(p->fd, p) ? fcntl(p->fd, F_DUPFD_CLOEXEC, 0) : -1;
    if (got < 0) {
        weft_log(WEFT_LOG_ERROR, "a semaphore can't be exported: %s",
                 is_ours(p->fd, p) ? strerror(errno) : "the application has closed its descriptor");
        return CL_OUT_OF_RESOURCES;
    }
    *fd = got;
    return CL_SUCCESS;
}

// ---- State ----

bool weft_payload_is_set(const struct weft_payload *p)
{
    return atomic_load(&p->page->state) != 0;
}

bool weft_payload_take(struct weft_payload *p)
{
    return atomic_exchange(&p->page->state, 0) != 0;
}

void weft_payload_set(struct weft_payload *p)
{
    atomic_store(&p->page->state, 1);
}

static void wake(const _Atomic uint32_t *word, int how)
{
    const int saved = errno;
    syscall(SYS_futex, word, how, INT32_MAX, NULL, NULL, 0);
    errno = saved;
}

void weft_payload_wake(const struct weft_payload *p)
{
    wake(&p->page->state, FUTEX_WAKE);
}

void weft_payloads_interrupt(_Atomic uint32_t *word)
{
    wake(word, FUTEX_WAKE_PRIVATE);
}

int weft_payload_order(const struct weft_payload *a, const struct weft_payload *b)
{
    if (a->device != b->device)
        return a->device < b->device ? -1 : 1;
    return a->inode == b->inode ? 0 : a->inode < b->inode ? -1 : 1;
}

static void wait_for(struct futex_waitv *v, uint64_t value, _Atomic uint32_t *word, uint32_t flags)
{
    *v = (struct futex_waitv){.val = value, .uaddr = (uintptr_t)word, .flags = FUTEX_32 | flags};
}

// Fallback before Linux 5.16, or where a sandbox forbids futex_waitv.
static bool poll_for(struct weft_payload *const *list, size_t count, _Atomic uint32_t *word, uint32_t value,
                     uint64_t until)
{
    static const struct timespec pause = {.tv_nsec = POLL_NS};
    while (weft_time_now() < until) {
        // Relaxed: threads that wake up look again under locks.
        if (atomic_load_explicit(word, memory_order_relaxed) != value)
            return true;
        for (size_t i = 0; i < count; i++)
            if (weft_payload_is_set(list[i]))
                return true;
        syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, value, count ? &pause : NULL, NULL, 0);
    }
    return false;
}

bool weft_payloads_wait(struct weft_payload *const *list, size_t count, _Atomic uint32_t *word,
                        uint32_t value, uint64_t timeout_ns)
{
    struct futex_waitv v[WEFT_MAX_PAYLOADS + 1];
    const uint64_t until = timeout_ns ? weft_time_now() + timeout_ns : UINT64_MAX;
    const struct timespec t = {(time_t)(until / 1000000000u), (long)(until % 1000000000u)};
    wait_for(&v[0], value, word, FUTEX_PRIVATE_FLAG);
    for (size_t i = 0; i < count; i++)
        wait_for(&v[i + 1], 0, &list[i]->page->state, 0);
    if (syscall(SYS_futex_waitv, v, count + 1, 0, timeout_ns ? &t : NULL, CLOCK_MONOTONIC) >= 0 ||
        errno == EAGAIN || errno == EINTR)
        return true;
    return errno != ETIMEDOUT && poll_for(list, count, word, value, until);
}
