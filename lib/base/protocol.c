// The frames and messages of weft/protocol.h. Both sides decode with the reader of base.h, which never reads
// beyond its bytes. A message with bytes left over is damaged, like one that is too short.
//
// More than 500 lines in one file: each message is written and read side by side, so that a field is added
// in one place.
#include "weft/protocol.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "base/base.h"

#define FRAME_BYTES 24u
// Minimum bytes of an element on the wire. Bounds counts before anything is allocated.
#define HEADER_WIRE_MIN 16u
#define DEPENDENCY_WIRE_MIN 28u
#define PROGRAM_WIRE_MIN 8u
// A frame is received in steps. So a false size costs no more memory than the bytes that really arrived.
#define RECEIVE_STEP ((size_t)1 << 20)

// ---- Messages ----

// The result of a decoder. If it isn't WEFT_OK the caller calls `fini`.
static weft_status verdict(const struct weft_reader *r)
{
    return r->no_memory ? WEFT_NO_MEMORY : r->bad || r->at != r->end ? WEFT_DAMAGED : WEFT_OK;
}

static bool get_bool(struct weft_reader *r)
{
    uint8_t v = weft_get_u8(r);
    if (v > 1)
        r->bad = true;
    return v == 1;
}

// A status, as the other process numbers it. A number out of range is damage.
static uint32_t get_status(struct weft_reader *r)
{
    uint32_t v = weft_get_u32(r);
    if (v > (uint32_t)WEFT_INTERNAL)
        r->bad = true;
    return v;
}

// A NUL-terminated copy of bytes, which may contain NULs themselves.
static char *get_text(struct weft_reader *r, size_t *size)
{
    const void *p = weft_get_bytes(r, size);
    if (!p)
        return NULL;
    char *copy = weft_alloc(*size + 1);
    if (!copy) {
        weft_reader_no_memory(r);
        return NULL;
    }
    if (*size)
        memcpy(copy, p, *size);
    copy[*size] = '\0';
    return copy;
}

void weft_hello_put(struct weft_buf *b, const struct weft_hello *m)
{
    weft_put_u32(b, m->pid);
    weft_put_str(b, m->target);
    weft_put_str(b, m->identity);
}

weft_status weft_hello_get(struct weft_hello *out, const void *payload, size_t size)
{
    struct weft_reader r = weft_reader_of(payload, size);
    *out = (struct weft_hello){0};
    out->pid = weft_get_u32(&r);
    out->target = weft_get_str(&r);
    out->identity = weft_get_str(&r);
    weft_status status = verdict(&r);
    if (status != WEFT_OK)
        weft_hello_fini(out);
    return status;
}

void weft_hello_fini(struct weft_hello *m)
{
    weft_free(m->target);
    weft_free(m->identity);
    *m = (struct weft_hello){0};
}

void weft_build_request_put(struct weft_buf *b, const struct weft_build_request *m)
{
    weft_put_u8(b, m->compile_only);
    weft_put_u8(b, m->spirv);
    weft_put_bytes(b, m->source, m->source_size);
    weft_put_str(b, m->options);
    weft_put_str(b, m->directory);
    weft_put_str(b, m->debug_path ? m->debug_path : "");
    weft_put_u32(b, m->header_count);
    for (uint32_t i = 0; i < m->header_count; i++) {
        weft_put_str(b, m->headers[i].name);
        weft_put_bytes(b, m->headers[i].source, m->headers[i].size);
    }
}

weft_status weft_build_request_get(struct weft_build_request *out, const void *payload, size_t size)
{
    struct weft_reader r = weft_reader_of(payload, size);
    *out = (struct weft_build_request){0};
    out->compile_only = get_bool(&r);
    out->spirv = get_bool(&r);
    out->source = get_text(&r, &out->source_size);
    out->options = weft_get_str(&r);
    out->directory = weft_get_str(&r);
    out->debug_path = weft_get_str(&r);
    uint32_t count = weft_get_count(&r, HEADER_WIRE_MIN);
    if (count && !(out->headers = weft_alloc_array(count, sizeof *out->headers)))
        weft_reader_no_memory(&r);
    for (uint32_t i = 0; i < count && !r.bad; i++) {
        out->header_count = i + 1;
        out->headers[i].name = weft_get_str(&r);
        out->headers[i].source = get_text(&r, &out->headers[i].size);
    }
    weft_status status = verdict(&r);
    if (status != WEFT_OK)
        weft_build_request_fini(out);
    return status;
}

void weft_build_request_fini(struct weft_build_request *m)
{
    for (uint32_t i = 0; i < m->header_count; i++) {
        weft_free(m->headers[i].name);
        weft_free(m->headers[i].source);
    }
    weft_free(m->headers);
    weft_free(m->source);
    weft_free(m->options);
    weft_free(m->directory);
    weft_free(m->debug_path);
    *m = (struct weft_build_request){0};
}

static void put_program(struct weft_buf *b, const struct weft_program_object *p)
{
    struct weft_buf bytes = {0};
    if (weft_program_object_encode(&bytes, p, false) != WEFT_OK)
        b->failed = true;
    weft_put_bytes(b, bytes.data, bytes.size);
    weft_buf_free(&bytes);
}

static void get_program(struct weft_reader *r, struct weft_program_object *out)
{
    size_t size;
    const void *bytes = weft_get_bytes(r, &size);
    weft_status status = r->bad ? WEFT_DAMAGED : weft_program_object_decode(out, bytes, size);
    if (status == WEFT_NO_MEMORY)
        weft_reader_no_memory(r);
    else if (status != WEFT_OK)
        r->bad = true;
}

void weft_link_request_put(struct weft_buf *b, const struct weft_link_request *m)
{
    weft_put_str(b, m->options);
    weft_put_u8(b, m->create_library);
    weft_put_u32(b, m->input_count);
    for (uint32_t i = 0; i < m->input_count; i++)
        put_program(b, &m->inputs[i]);
}

weft_status weft_link_request_get(struct weft_link_request *out, const void *payload, size_t size)
{
    struct weft_reader r = weft_reader_of(payload, size);
    *out = (struct weft_link_request){0};
    out->options = weft_get_str(&r);
    out->create_library = get_bool(&r);
    uint32_t count = weft_get_count(&r, PROGRAM_WIRE_MIN);
    if (count && !(out->inputs = weft_alloc_array(count, sizeof *out->inputs)))
        weft_reader_no_memory(&r);
    for (uint32_t i = 0; i < count && !r.bad; i++) {
        out->input_count = i + 1;
        get_program(&r, &out->inputs[i]);
    }
    weft_status status = verdict(&r);
    if (status != WEFT_OK)
        weft_link_request_fini(out);
    return status;
}

void weft_link_request_fini(struct weft_link_request *m)
{
    for (uint32_t i = 0; i < m->input_count; i++)
        weft_program_object_fini(&m->inputs[i]);
    weft_free(m->inputs);
    weft_free(m->options);
    *m = (struct weft_link_request){0};
}

void weft_program_reply_put(struct weft_buf *b, const struct weft_program_reply *m)
{
    weft_put_u32(b, m->status);
    weft_put_str(b, m->log);
    if (m->status != WEFT_OK)
        return;
    put_program(b, &m->program);
    weft_put_u8(b, m->uses_time_macros);
    weft_put_u32(b, m->dependency_count);
    for (uint32_t i = 0; i < m->dependency_count; i++) {
        weft_put_str(b, m->dependencies[i].path);
        weft_put_u32(b, m->dependencies[i].kind);
        weft_put_u64(b, m->dependencies[i].hash_lo);
        weft_put_u64(b, m->dependencies[i].hash_hi);
    }
}

weft_status weft_program_reply_get(struct weft_program_reply *out, const void *payload, size_t size)
{
    struct weft_reader r = weft_reader_of(payload, size);
    *out = (struct weft_program_reply){0};
    out->status = get_status(&r);
    out->log = weft_get_str(&r);
    if (!r.bad && out->status == WEFT_OK) {
        get_program(&r, &out->program);
        out->uses_time_macros = weft_get_u8(&r) != 0;
        uint32_t count = weft_get_count(&r, DEPENDENCY_WIRE_MIN);
        if (count && !(out->dependencies = weft_alloc_array(count, sizeof *out->dependencies)))
            weft_reader_no_memory(&r);
        for (uint32_t i = 0; i < count && !r.bad; i++) {
            out->dependency_count = i + 1;
            out->dependencies[i].path = weft_get_str(&r);
            out->dependencies[i].kind = weft_get_u32(&r);
            if (out->dependencies[i].kind > WEFT_DEPENDENCY_ABSENT)
                r.bad = true;
            out->dependencies[i].hash_lo = weft_get_u64(&r);
            out->dependencies[i].hash_hi = weft_get_u64(&r);
        }
    }
    weft_status status = verdict(&r);
    if (status != WEFT_OK)
        weft_program_reply_fini(out);
    return status;
}

void weft_program_reply_fini(struct weft_program_reply *m)
{
    for (uint32_t i = 0; i < m->dependency_count; i++)
        weft_free(m->dependencies[i].path);
    weft_free(m->dependencies);
    weft_program_object_fini(&m->program);
    weft_free(m->log);
    *m = (struct weft_program_reply){0};
}

void weft_kernel_request_put(struct weft_buf *b, const struct weft_kernel_request *m)
{
    weft_put_str(b, m->kernel);
    weft_put_str(b, m->options);
    weft_put_u32(b, m->vector_width);
    weft_put_u32(b, m->level);
    weft_put_u32(b, m->variant);
    weft_put_u32(b, m->background);
    for (int i = 0; i < 3; i++)
        weft_put_u32(b, m->group[i]);
    weft_put_bytes(b, m->bitcode, m->bitcode_size);
}

weft_status weft_kernel_request_get(struct weft_kernel_request *out, const void *payload, size_t size)
{
    struct weft_reader r = weft_reader_of(payload, size);
    *out = (struct weft_kernel_request){0};
    out->kernel = weft_get_str(&r);
    out->options = weft_get_str(&r);
    out->vector_width = weft_get_u32(&r);
    out->level = weft_get_u32(&r);
    out->variant = weft_get_u32(&r);
    out->background = weft_get_u32(&r) != 0;
    bool sized = true, any = true;
    for (int i = 0; i < 3; i++) {
        uint32_t n = out->group[i] = weft_get_u32(&r);
        sized = sized && n > 0 && n <= WEFT_GROUP_MAX;
        any = any && n == 0;
    }
    out->bitcode = weft_get_bytes(&r, &out->bitcode_size);
    if (out->level > WEFT_LEVEL_FULL ||
        (out->variant >= WEFT_VARIANTS && out->variant != WEFT_VARIANT_NARROW) || (!sized && !any))
        r.bad = true;
    weft_status status = verdict(&r);
    if (status != WEFT_OK)
        weft_kernel_request_fini(out);
    return status;
}

void weft_kernel_request_fini(struct weft_kernel_request *m)
{
    weft_free(m->kernel);
    weft_free(m->options);
    *m = (struct weft_kernel_request){0};
}

void weft_kernel_reply_put(struct weft_buf *b, const struct weft_kernel_reply *m)
{
    weft_put_u32(b, m->status);
    weft_put_str(b, m->log);
    weft_put_bytes(b, m->code, m->code_size);
    weft_put_u32(b, m->cpu_us);
}

weft_status weft_kernel_reply_get(struct weft_kernel_reply *out, const void *payload, size_t size)
{
    struct weft_reader r = weft_reader_of(payload, size);
    *out = (struct weft_kernel_reply){0};
    out->status = get_status(&r);
    out->log = weft_get_str(&r);
    const void *code = weft_get_bytes(&r, &out->code_size);
    if (!r.bad && out->code_size && !(out->code = weft_memdup(code, out->code_size)))
        weft_reader_no_memory(&r);
    out->cpu_us = weft_get_u32(&r);
    // A compiler never reports success without code, or code without success.
    if (!r.bad && (out->status == WEFT_OK) != (out->code_size > 0))
        r.bad = true;
    weft_status status = verdict(&r);
    if (status != WEFT_OK)
        weft_kernel_reply_fini(out);
    return status;
}

void weft_kernel_reply_fini(struct weft_kernel_reply *m)
{
    weft_free(m->log);
    weft_free(m->code);
    *m = (struct weft_kernel_reply){0};
}

// ---- Frames ----

static int64_t now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

static int64_t deadline_of(int64_t timeout_ms)
{
    int64_t now = now_ms();
    return timeout_ms < 0 || timeout_ms > INT64_MAX - now ? -1 : now + timeout_ms;
}

// Waits until fd is ready for `events`. deadline: as of now_ms; negative: none. WEFT_OK may also mean that a
// signal arrived.
static weft_status wait_until(int fd, short events, int64_t deadline)
{
    int64_t left = deadline < 0 ? -1 : deadline - now_ms();
    if (deadline >= 0 && left < 0)
        left = 0;
    struct pollfd wait = {.fd = fd, .events = events};
    int ready = poll(&wait, 1, left > INT32_MAX ? INT32_MAX : (int)left);
    if (ready < 0 && errno != EINTR)
        return WEFT_CRASHED;
    return ready == 0 && deadline >= 0 && now_ms() >= deadline ? WEFT_TIMEOUT : WEFT_OK;
}

static weft_status send_all(int fd, int64_t deadline, const void *data, size_t size)
{
    const uint8_t *p = data;
    while (size) {
        ssize_t n = send(fd, p, size, MSG_NOSIGNAL | (deadline >= 0 ? MSG_DONTWAIT : 0));
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) {
            weft_status status = wait_until(fd, POLLOUT, deadline);
            if (status != WEFT_OK)
                return status;
            continue;
        }
        if (n <= 0)
            return WEFT_CRASHED;
        p += n;
        size -= (size_t)n;
    }
    return WEFT_OK;
}

// The checksum of a frame. A request holds a whole program, which is large, so it sums four words at once,
// independently.
static uint64_t checksum_of(const uint8_t *p, size_t size)
{
    uint64_t lanes[5] = {0x9e3779b97f4a7c15ull, 0xc2b2ae3d27d4eb4full, 0xff51afd7ed558ccdull,
                         0xc4ceb9fe1a85ec53ull, size};
    for (size_t at = 0; at < size; at += 32) {
        uint64_t words[4] = {0};
        memcpy(words, p + at, size - at < sizeof words ? size - at : sizeof words);
        for (size_t i = 0; i < 4; i++) {
            uint64_t v = (lanes[i] ^ words[i]) * 0xd6e8feb86659fd93ull;
            lanes[i] = v ^ v >> 32;
        }
    }
    return weft_hash_bytes((struct weft_hash){0}, lanes, sizeof lanes).lo;
}

weft_status weft_frame_send_within(int fd, int64_t timeout_ms, enum weft_message type,
                                   const struct weft_buf *payload)
{
    if (payload->failed)
        return WEFT_NO_MEMORY;
    if (payload->size > WEFT_PROTOCOL_MAX_FRAME)
        return WEFT_NO_RESOURCES;
    int64_t deadline = deadline_of(timeout_ms);
    uint8_t bytes[FRAME_BYTES];
    // `bytes` has space for the whole head, so nothing allocates.
    struct weft_buf head = {.data = bytes, .capacity = sizeof bytes};
    weft_put_u32(&head, WEFT_PROTOCOL_MAGIC);
    weft_put_u32(&head, WEFT_PROTOCOL_VERSION | (uint32_t)type << 16);
    weft_put_u64(&head, payload->size);
    weft_put_u64(&head, checksum_of(payload->data, payload->size));
    weft_status status = send_all(fd, deadline, head.data, head.size);
    return status == WEFT_OK ? send_all(fd, deadline, payload->data, payload->size) : status;
}

weft_status weft_frame_send(int fd, enum weft_message type, const struct weft_buf *payload)
{
    return weft_frame_send_within(fd, -1, type, payload);
}

// deadline: as of now_ms; negative: none. WEFT_CRASHED: the other side has closed the socket. errno is then
// ECONNRESET if it had left bytes unread (Linux reports that for local sockets), else 0.
static weft_status receive_all(int fd, int64_t deadline, void *data, size_t size)
{
    uint8_t *p = data;
    while (size) {
        if (deadline >= 0) {
            weft_status status = wait_until(fd, POLLIN, deadline);
            if (status != WEFT_OK)
                return status;
        }
        ssize_t n = recv(fd, p, size, deadline >= 0 ? MSG_DONTWAIT : 0);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) {
            if (deadline < 0 && wait_until(fd, POLLIN, -1) != WEFT_OK)
                return WEFT_CRASHED;
            continue;
        }
        if (n <= 0) {
            errno = n < 0 ? errno : 0;
            return WEFT_CRASHED;
        }
        p += n;
        size -= (size_t)n;
    }
    return WEFT_OK;
}

// The buffer grows with the bytes that arrive.
static weft_status receive_payload(int fd, int64_t deadline, uint64_t size, uint8_t **out)
{
    uint8_t *data = NULL;
    size_t have = 0;
    do {
        size_t step = size - have < RECEIVE_STEP ? (size_t)(size - have) : RECEIVE_STEP;
        // Doubling keeps the number of copies of a large frame small.
        if (step < have && size - have >= have)
            step = have;
        uint8_t *grown = weft_realloc(data, have + step + 1);
        if (!grown) {
            weft_free(data);
            return WEFT_NO_MEMORY;
        }
        data = grown;
        weft_status status = receive_all(fd, deadline, data + have, step);
        if (status != WEFT_OK) {
            weft_free(data);
            return status;
        }
        have += step;
    } while (have < size);
    *out = data;
    return WEFT_OK;
}

weft_status weft_frame_receive(int fd, int64_t timeout_ms, uint16_t *type, uint8_t **payload, size_t *size)
{
    *payload = NULL;
    *size = 0;
    int64_t deadline = deadline_of(timeout_ms);
    uint8_t head[FRAME_BYTES];
    weft_status status = receive_all(fd, deadline, head, sizeof head);
    if (status != WEFT_OK)
        return status;
    struct weft_reader r = weft_reader_of(head, sizeof head);
    uint32_t magic = weft_get_u32(&r), version_and_type = weft_get_u32(&r);
    uint64_t bytes = weft_get_u64(&r), checksum = weft_get_u64(&r);
    if (magic != WEFT_PROTOCOL_MAGIC || (version_and_type & 0xffff) != WEFT_PROTOCOL_VERSION ||
        bytes > WEFT_PROTOCOL_MAX_FRAME)
        return WEFT_DAMAGED;
    uint8_t *data;
    status = receive_payload(fd, deadline, bytes, &data);
    if (status != WEFT_OK)
        return status;
    if (checksum_of(data, (size_t)bytes) != checksum) {
        weft_free(data);
        return WEFT_DAMAGED;
    }
    *type = (uint16_t)(version_and_type >> 16);
    *payload = data;
    *size = (size_t)bytes;
    return WEFT_OK;
}
