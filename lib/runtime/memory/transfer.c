// The commands that move bytes: read, write, copy (also rectangular), fill (OpenCL 2.2 §5.2.2, §5.2.3).
//
// There are three ways, by size. A small move is done at once by the calling thread, without a command, if
// the queue has no unfinished commands and no event is wanted; the application can't see the difference. A
// larger move is a command that one thread runs. A large one is a range that all threads share, with
// non-temporal stores if it exceeds the caches. Owns no data of its own; a command's payload holds references
// to its memory objects.
//
// Memory of the application may be missing or not writable. So every move is a guarded call (weft/fault.h),
// like a kernel: a fault ends the move, and the call or command fails.
//
// The file is long (some 500 lines) because the four moves share how they are divided into units, guarded and
// chosen by size, inlined in each.
#include "runtime/memory/transfer.h"

#include <pthread.h>
#include <signal.h>
#include <string.h>

#include "base/base.h"
#include "base/libc/libc.h"
#include "runtime/checker/shadow.h"
#include "runtime/command/command.h"
#include "runtime/command/queue.h"
#include "runtime/device/context.h"
#include "runtime/core/fault_text.h"
#include "runtime/memory/memory.h"
#include "runtime/memory/nontemporal_copy.h"
#include "weft/fault.h"
#include "weft/scheduler.h"

#define UNIT ((size_t)64 << 10)               // bytes in a unit of a range; whole pages
#define GRAIN 1                               // units worth another thread
#define GRAIN_NS 4000u                        // about how long these take
#define RANGE_FROM ((size_t)512 << 10)        // bytes worth several threads
#define DIRECT_BLOCKING RANGE_FROM            // a blocking call below this size does the move itself
#define DIRECT_UP_TO ((size_t)16 << 10)       // a non-blocking call up to this size does so, too
#define CACHE_UNKNOWN ((size_t)8 << 20)       // size of the caches if the system doesn't report it
#define MIN_NONTEMPORAL_ROW ((size_t)4 << 10) // shorter rows don't use non-temporal stores

// Every payload begins with it.
struct held {
    struct weft_mem *mem[2];
};

struct copy {
    struct held held;
    unsigned char *dst;
    const unsigned char *src;
    size_t size;
    bool nontemporal;
};

// `slices` slices of `rows` rows of `bytes` bytes, at the views' pitches.
struct rect {
    struct held held;
    struct weft_rect_view dst, src;
    size_t bytes, rows, slices;
    bool nontemporal;
};

struct fill {
    struct held held;
    unsigned char *dst;
    size_t size;
    bool nontemporal;
    unsigned char block[WEFT_FILL_BLOCK];
};

struct fill_rect {
    struct held held;
    struct weft_rect_view dst;
    size_t bytes, rows, slices;
    bool nontemporal;
    unsigned char block[WEFT_FILL_BLOCK];
};

_Static_assert(sizeof(struct copy) <= WEFT_COMMAND_PAYLOAD, "payload");
_Static_assert(sizeof(struct rect) <= WEFT_COMMAND_PAYLOAD, "payload");
_Static_assert(sizeof(struct fill) <= WEFT_COMMAND_PAYLOAD, "payload");
_Static_assert(sizeof(struct fill_rect) <= WEFT_COMMAND_PAYLOAD, "payload");

static void *payload_of(struct weft_command *c)
{
    return c->payload;
}

static void release_held(struct weft_command *c)
{
    struct held *h = payload_of(c);
    weft_mem_end_use(h->mem[0]);
    weft_mem_end_use(h->mem[1]);
    weft_mem_unref(h->mem[0]);
    weft_mem_unref(h->mem[1]);
}

// Takes references to both objects for the command, whose payload is to begin with *h.
static void hold(struct held *h, struct weft_mem *a, struct weft_mem *b)
{
    weft_mem_ref(a);
    weft_mem_ref(b);
    weft_mem_begin_use(a);
    weft_mem_begin_use(b);
    *h = (struct held){{a, b}};
}

// Are all commands that were submitted to q so far complete?
static bool is_idle(struct weft_queue *q)
{
    pthread_mutex_lock(&q->lock);
    bool idle = q->live == NULL;
    if (idle && q->last)
        idle = weft_command_status(q->last) <= CL_COMPLETE;
    pthread_mutex_unlock(&q->lock);
    return idle;
}

bool weft_queue_call_is_direct(const struct weft_queue_call *call, size_t bytes)
{
    if (call->queue->observed || call->event || call->wait_count ||
        (call->blocking ? bytes >= DIRECT_BLOCKING : bytes > DIRECT_UP_TO))
        return false;
    // A command that another thread enqueues meanwhile isn't ordered with this call.
    return is_idle(call->queue);
}

static void set_range(struct weft_command *c, weft_command_range_fn run_range, uint64_t units, uint64_t grain)
{
    c->run_range = run_range;
    c->units = units;
    c->grain = grain;
    c->cost = (units / grain + 1) * GRAIN_NS;
    c->urgent = true;
}

static uint64_t units_of(size_t size)
{
    return size / UNIT + (size % UNIT != 0);
}

// The number of bytes in units [first, last) of a move of `size` bytes. *offset: where they begin.
static size_t span_of(size_t size, uint64_t first, uint64_t last, size_t *offset)
{
    size_t from = (size_t)first * UNIT, to = last >= units_of(size) ? size : (size_t)last * UNIT;
    *offset = from;
    return to - from;
}

// Would a move that touches `bytes` bytes in total evict everything else from the caches?
static bool exceeds_caches(size_t bytes)
{
    if (bytes < RANGE_FROM)
        return false;
    uint64_t l3 = weft_topology_get()->l3_bytes;
    return bytes > (l3 ? l3 : CACHE_UNKNOWN);
}

// ---- Faults ----

// A part of a move: units [first, last) of what `payload` describes.
struct part {
    const void *payload;
    uint64_t first, last;
};
typedef void (*move_fn)(void *part);

static bool move(move_fn fn, struct part *part, struct weft_fault *fault)
{
    weft_fault_install();
    return weft_fault_call(fn, part, fault);
}

static const char *fault_text(const struct weft_fault *f)
{
    return f->signal == SIGBUS && !weft_fault_has_no_address(f) ? "bytes beyond the end of mapped memory"
                                                                : "memory that isn't accessible";
}

#define MOVE_FAILED "a transfer accessed %s (%s) at %s, and was stopped"

// Moves at once, in a call of the application.
static cl_int move_now(const struct weft_queue_call *call, move_fn fn, const void *payload)
{
    struct part part = {payload, 0, UINT64_MAX};
    struct weft_fault fault;
    if (WEFT_LIKELY(move(fn, &part, &fault)))
        return CL_SUCCESS;
    char place[WEFT_PLACE_BYTES];
    weft_context_report(call->queue->context, MOVE_FAILED, fault_text(&fault), weft_signal_name(fault.signal),
                        weft_fault_place(&fault, place));
    return CL_OUT_OF_RESOURCES;
}

static void move_part(struct weft_command *c, move_fn fn, uint64_t first, uint64_t last)
{
    // Relaxed: only saves needless work. Pairs with weft_command_fail.
    if (WEFT_UNLIKELY(atomic_load_explicit(&c->failure, memory_order_relaxed)))
        return;
    struct part part = {c->payload, first, last};
    struct weft_fault fault;
    if (WEFT_LIKELY(move(fn, &part, &fault)) || !weft_command_fail(c, CL_OUT_OF_RESOURCES))
        return;
    char place[WEFT_PLACE_BYTES];
    weft_context_report_from_command(c->context, MOVE_FAILED, fault_text(&fault),
                                     weft_signal_name(fault.signal), weft_fault_place(&fault, place));
}

static cl_int move_all(struct weft_command *c, move_fn fn)
{
    move_part(c, fn, 0, UINT64_MAX);
    return atomic_load_explicit(&c->failure, memory_order_relaxed); // set by this thread
}

// ---- Copies of contiguous bytes ----

static void copy_part(void *arg)
{
    const struct part *part = arg;
    const struct copy *p = part->payload;
    size_t offset, n = span_of(p->size, part->first, part->last, &offset);
    if (p->nontemporal)
        weft_nontemporal_copy(p->dst + offset, p->src + offset, n);
    // memmove: an application may read a CL_MEM_USE_HOST_PTR buffer into its own storage.
    else
        memmove(p->dst + offset, p->src + offset, n);
    if (WEFT_UNLIKELY(weft_shadow_is_on()))
        weft_shadow_moved(p->dst + offset, p->src + offset, n);
}

static cl_int run_copy(struct weft_command *c)
{
    return move_all(c, copy_part);
}

static void run_copy_range(struct weft_command *c, struct weft_worker *w, uint64_t first, uint64_t last)
{
    (void)w;
    move_part(c, copy_part, first, last);
}

cl_int weft_enqueue_copy(const struct weft_queue_call *call, struct weft_mem *a, struct weft_mem *b,
                         void *dst, const void *src, size_t size)
{
    if (weft_queue_call_is_direct(call, size)) {
        const struct copy now = {.dst = dst, .src = src, .size = size};
        return move_now(call, copy_part, &now);
    }
    struct weft_command *c = weft_queue_call_command(call);
    if (!c)
        return CL_OUT_OF_HOST_MEMORY;
    // If source and destination are the same bytes, only the ordering of commands is left to do.
    size_t moved = dst == src ? 0 : size;
    struct copy copy = {.dst = dst, .src = src, .size = moved, .nontemporal = exceeds_caches(2 * moved)};
    hold(&copy.held, a, b);
    *(struct copy *)payload_of(c) = copy;
    c->release = release_held;
    if (moved >= RANGE_FROM)
        set_range(c, run_copy_range, units_of(moved), GRAIN);
    else
        c->run = run_copy;
    return weft_queue_call_submit(c, call);
}

// A copy by all threads outside of any queue, for the initial contents of a buffer.
struct bulk {
    struct weft_task task;
    struct weft_park park;
    _Atomic bool done, failed;
    _Atomic uint32_t refs; // one of the task, one of the waiting thread: the last frees it
    struct copy copy;
};

static void drop_bulk(struct bulk *b)
{
    if (atomic_fetch_sub(&b->refs, 1) == 1)
        weft_free(b);
}

static void run_bulk(struct weft_task *t, struct weft_worker *w, uint64_t first, uint64_t last)
{
    (void)w;
    struct bulk *b = WEFT_CONTAINER_OF(t, struct bulk, task);
    struct part part = {&b->copy, first, last};
    struct weft_fault fault;
    if (!move(copy_part, &part, &fault))
        atomic_store(&b->failed, true);
}

static void finish_bulk(struct weft_task *t, struct weft_worker *w)
{
    (void)w;
    struct bulk *b = WEFT_CONTAINER_OF(t, struct bulk, task);
    atomic_store(&b->done, true);
    weft_park_wake(&b->park);
    drop_bulk(b);
}

static bool bulk_is_done(void *arg)
{
    return atomic_load(&((struct bulk *)arg)->done);
}

bool weft_bulk_copy(void *dst, const void *src, size_t size)
{
    struct bulk *b = size >= RANGE_FROM ? weft_zalloc(sizeof *b) : NULL;
    if (!b) { // small, or no memory for a parallel copy
        const struct copy now = {.dst = dst, .src = src, .size = size};
        struct part part = {&now, 0, UINT64_MAX};
        struct weft_fault fault;
        return move(copy_part, &part, &fault);
    }
    b->task = (struct weft_task){.run = run_bulk,
                                 .done = finish_bulk,
                                 .count = units_of(size),
                                 .grain = GRAIN,
                                 .cost = units_of(size) / GRAIN * GRAIN_NS};
    b->copy = (struct copy){{{NULL, NULL}}, dst, src, size, exceeds_caches(2 * size)};
    atomic_store(&b->refs, 2);
    weft_sched_submit_inside(&b->task);
    weft_sched_wait(&b->park, bulk_is_done, b);
    bool whole = !atomic_load(&b->failed);
    drop_bulk(b);
    return whole;
}

// ---- Copies of rows ----

static void copy_rows(const struct rect *p, size_t first, size_t last)
{
    size_t slice = first / p->rows, row = first % p->rows;
    for (size_t i = first; i < last; i++) {
        unsigned char *dst = p->dst.at + slice * p->dst.slice_pitch + row * p->dst.row_pitch;
        const unsigned char *src = p->src.at + slice * p->src.slice_pitch + row * p->src.row_pitch;
        if (p->nontemporal)
            weft_nontemporal_copy(dst, src, p->bytes);
        else
            memmove(dst, src, p->bytes);
        if (WEFT_UNLIKELY(weft_shadow_is_on()))
            weft_shadow_moved(dst, src, p->bytes);
        if (++row == p->rows) {
            row = 0;
            slice++;
        }
    }
}

static void rect_part(void *arg)
{
    const struct part *part = arg;
    const struct rect *p = part->payload;
    size_t rows = p->rows * p->slices;
    copy_rows(p, (size_t)part->first, part->last < rows ? (size_t)part->last : rows);
}

static cl_int run_rect(struct weft_command *c)
{
    return move_all(c, rect_part);
}

static void run_rect_range(struct weft_command *c, struct weft_worker *w, uint64_t first, uint64_t last)
{
    (void)w;
    move_part(c, rect_part, first, last);
}

// Merges rows that are contiguous on both sides into one long row.
static struct rect flatten(struct weft_rect_view dst, struct weft_rect_view src, const size_t region[3])
{
    struct rect r = {.dst = dst, .src = src, .bytes = region[0], .rows = region[1], .slices = region[2]};
    if (r.rows == 1 || (dst.row_pitch == r.bytes && src.row_pitch == r.bytes)) {
        r.bytes *= r.rows;
        r.rows = r.slices;
        r.slices = 1;
        r.dst.row_pitch = dst.slice_pitch;
        r.src.row_pitch = src.slice_pitch;
        if (r.rows > 1 && r.dst.row_pitch == r.bytes && r.src.row_pitch == r.bytes) {
            r.bytes *= r.rows;
            r.rows = 1;
        }
    }
    return r;
}

cl_int weft_enqueue_copy_rect(const struct weft_queue_call *call, struct weft_mem *a, struct weft_mem *b,
                              struct weft_rect_view dst, struct weft_rect_view src, const size_t region[3])
{
    struct rect r = flatten(dst, src, region);
    // The region lies inside a buffer or image, so the products fit.
    size_t count = r.rows * r.slices;
    if (count == 1)
        return weft_enqueue_copy(call, a, b, dst.at, src.at, r.bytes);
    size_t total = r.bytes * count;
    if (weft_queue_call_is_direct(call, total))
        return move_now(call, rect_part, &r);
    struct weft_command *c = weft_queue_call_command(call);
    if (!c)
        return CL_OUT_OF_HOST_MEMORY;
    hold(&r.held, a, b);
    r.nontemporal = r.bytes >= MIN_NONTEMPORAL_ROW && exceeds_caches(2 * total);
    *(struct rect *)payload_of(c) = r;
    c->release = release_held;
    if (total >= RANGE_FROM) {
        size_t grain = GRAIN * UNIT / r.bytes;
        set_range(c, run_rect_range, count, grain ? grain : 1);
    } else {
        c->run = run_rect;
    }
    return weft_queue_call_submit(c, call);
}

// ---- Fills ----

static void fill_part(void *arg)
{
    const struct part *part = arg;
    const struct fill *p = part->payload;
    // A unit is a multiple of the block, so each unit begins with the pattern's first byte.
    size_t offset, n = span_of(p->size, part->first, part->last, &offset);
    weft_block_fill(p->dst + offset, p->block, n, p->nontemporal);
    if (WEFT_UNLIKELY(weft_shadow_is_on()))
        weft_shadow_moved(p->dst + offset, NULL, n);
}
_Static_assert(UNIT % WEFT_FILL_BLOCK == 0, "units begin with the pattern");

static cl_int run_fill(struct weft_command *c)
{
    return move_all(c, fill_part);
}

static void run_fill_range(struct weft_command *c, struct weft_worker *w, uint64_t first, uint64_t last)
{
    (void)w;
    move_part(c, fill_part, first, last);
}

static void make_block(unsigned char block[WEFT_FILL_BLOCK], const void *pattern, size_t pattern_size)
{
    memcpy(block, pattern, pattern_size);
    for (size_t n = pattern_size; n < WEFT_FILL_BLOCK; n *= 2)
        memcpy(block + n, block, n);
}

cl_int weft_enqueue_fill(const struct weft_queue_call *call, struct weft_mem *m, void *dst,
                         const void *pattern, size_t pattern_size, size_t size)
{
    struct fill f = {.dst = dst, .size = size};
    make_block(f.block, pattern, pattern_size);
    if (weft_queue_call_is_direct(call, size))
        return move_now(call, fill_part, &f);
    struct weft_command *c = weft_queue_call_command(call);
    if (!c)
        return CL_OUT_OF_HOST_MEMORY;
    hold(&f.held, m, NULL);
    f.nontemporal = exceeds_caches(size);
    *(struct fill *)payload_of(c) = f;
    c->release = release_held;
    if (size >= RANGE_FROM)
        set_range(c, run_fill_range, units_of(size), GRAIN);
    else
        c->run = run_fill;
    return weft_queue_call_submit(c, call);
}

// ---- Fills of rows ----

static void fill_rect_part(void *arg)
{
    const struct part *part = arg;
    const struct fill_rect *p = part->payload;
    size_t rows = p->rows * p->slices, last = part->last < rows ? (size_t)part->last : rows;
    for (size_t i = (size_t)part->first; i < last; i++) {
        unsigned char *row = p->dst.at + i / p->rows * p->dst.slice_pitch + i % p->rows * p->dst.row_pitch;
        weft_block_fill(row, p->block, p->bytes, p->nontemporal);
        if (WEFT_UNLIKELY(weft_shadow_is_on()))
            weft_shadow_moved(row, NULL, p->bytes);
    }
}

static cl_int run_fill_rect(struct weft_command *c)
{
    return move_all(c, fill_rect_part);
}

static void run_fill_rect_range(struct weft_command *c, struct weft_worker *w, uint64_t first, uint64_t last)
{
    (void)w;
    move_part(c, fill_rect_part, first, last);
}

cl_int weft_enqueue_fill_rect(const struct weft_queue_call *call, struct weft_mem *m,
                              struct weft_rect_view dst, const void *pattern, size_t pattern_size,
                              const size_t region[3])
{
    struct rect r = flatten(dst, dst, region);
    if (r.rows * r.slices == 1)
        return weft_enqueue_fill(call, m, dst.at, pattern, pattern_size, r.bytes);
    struct fill_rect f = {.dst = r.dst, .bytes = r.bytes, .rows = r.rows, .slices = r.slices};
    make_block(f.block, pattern, pattern_size);
    // The region lies inside an image, so the products fit.
    size_t count = f.rows * f.slices, total = f.bytes * count;
    if (weft_queue_call_is_direct(call, total))
        return move_now(call, fill_rect_part, &f);
    struct weft_command *c = weft_queue_call_command(call);
    if (!c)
        return CL_OUT_OF_HOST_MEMORY;
    hold(&f.held, m, NULL);
    f.nontemporal = f.bytes >= MIN_NONTEMPORAL_ROW && exceeds_caches(total);
    *(struct fill_rect *)payload_of(c) = f;
    c->release = release_held;
    if (total >= RANGE_FROM)
        set_range(c, run_fill_rect_range, count, GRAIN * UNIT / f.bytes + 1);
    else
        c->run = run_fill_rect;
    return weft_queue_call_submit(c, call);
}
