// Growing byte buffers, and the wire format (base.h). Owns nothing.
#include "base/base.h"

#include <stdio.h>
#include <string.h>

void weft_buf_free(struct weft_buf *b)
{
    weft_free(b->data);
    *b = (struct weft_buf){0};
}

static bool reserve(struct weft_buf *b, size_t more)
{
    size_t need;
    if (b->failed || !weft_add_size(b->size, more, &need)) {
        b->failed = true;
        return false;
    }
    if (need <= b->capacity)
        return true;
    size_t capacity = b->capacity + b->capacity / 2;
    if (capacity < need)
        capacity = need;
    if (capacity < 64)
        capacity = 64;
    uint8_t *data = weft_realloc(b->data, capacity);
    if (!data) {
        b->failed = true;
        return false;
    }
    b->data = data;
    b->capacity = capacity;
    return true;
}

bool weft_buf_append(struct weft_buf *b, const void *p, size_t n)
{
    if (!reserve(b, n))
        return false;
    if (n)
        memcpy(b->data + b->size, p, n);
    b->size += n;
    return true;
}

bool weft_buf_puts(struct weft_buf *b, const char *s)
{
    return weft_buf_append(b, s, strlen(s));
}

static bool append_formatted(struct weft_buf *b, const char *fmt, va_list ap)
{
    va_list again;
    va_copy(again, ap);
    int n = vsnprintf(NULL, 0, fmt, ap);
    bool ok = n >= 0 && reserve(b, (size_t)n + 1);
    if (ok) {
        vsnprintf((char *)b->data + b->size, (size_t)n + 1, fmt, again);
        b->size += (size_t)n;
    } else {
        b->failed = true;
    }
    va_end(again);
    return ok;
}

bool weft_buf_printf(struct weft_buf *b, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    bool ok = append_formatted(b, fmt, ap);
    va_end(ap);
    return ok;
}

char *weft_buf_take(struct weft_buf *b, size_t *size)
{
    weft_buf_append(b, "", 1);
    char *data = NULL;
    if (!b->failed) {
        data = (char *)b->data;
        if (size)
            *size = b->size - 1;
        b->data = NULL;
    }
    weft_buf_free(b);
    return data;
}

static void put_le(struct weft_buf *b, uint64_t v, size_t bytes)
{
    uint8_t raw[8];
    for (size_t i = 0; i < bytes; i++)
        raw[i] = (uint8_t)(v >> (8 * i));
    weft_buf_append(b, raw, bytes);
}

void weft_put_u8(struct weft_buf *b, uint8_t v)
{
    put_le(b, v, 1);
}

void weft_put_u32(struct weft_buf *b, uint32_t v)
{
    put_le(b, v, 4);
}

void weft_put_u64(struct weft_buf *b, uint64_t v)
{
    put_le(b, v, 8);
}

void weft_put_bytes(struct weft_buf *b, const void *p, size_t n)
{
    weft_put_u64(b, n);
    weft_buf_append(b, p, n);
}

void weft_put_str(struct weft_buf *b, const char *s)
{
    weft_put_bytes(b, s ? s : "", s ? strlen(s) : 0);
}

static uint64_t get_le(struct weft_reader *r, size_t bytes)
{
    if (r->bad || (size_t)(r->end - r->at) < bytes) {
        r->bad = true;
        return 0;
    }
    uint64_t v = 0;
    for (size_t i = 0; i < bytes; i++)
        v |= (uint64_t)r->at[i] << (8 * i);
    r->at += bytes;
    return v;
}

uint8_t weft_get_u8(struct weft_reader *r)
{
    return (uint8_t)get_le(r, 1);
}

uint32_t weft_get_u32(struct weft_reader *r)
{
    return (uint32_t)get_le(r, 4);
}

uint64_t weft_get_u64(struct weft_reader *r)
{
    return get_le(r, 8);
}

const void *weft_get_bytes(struct weft_reader *r, size_t *n)
{
    uint64_t size = weft_get_u64(r);
    *n = 0;
    if (r->bad || size > (uint64_t)(r->end - r->at)) {
        r->bad = true;
        return NULL;
    }
    const void *p = r->at;
    r->at += size;
    *n = (size_t)size;
    return p;
}

char *weft_get_str(struct weft_reader *r)
{
    size_t n;
    const char *p = weft_get_bytes(r, &n);
    if (!p || memchr(p, '\0', n)) {
        r->bad = true;
        return NULL;
    }
    char *s = weft_strndup(p, n);
    if (!s)
        weft_reader_no_memory(r);
    return s;
}

uint32_t weft_get_count(struct weft_reader *r, size_t min_bytes)
{
    uint32_t n = weft_get_u32(r);
    if (min_bytes && n > (size_t)(r->end - r->at) / min_bytes)
        r->bad = true;
    return r->bad ? 0 : n;
}

char *weft_format(const char *fmt, ...)
{
    struct weft_buf b = {0};
    va_list ap;
    va_start(ap, fmt);
    append_formatted(&b, fmt, ap);
    va_end(ap);
    return weft_buf_take(&b, NULL);
}
