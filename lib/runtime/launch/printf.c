// printf of kernels, the host's half (OpenCL 2.2 C §6.13.13). Each conversion specification is parsed,
// checked and written again for the C library, for one element of a vector at a time. No part of the kernel's
// format reaches the C library unchecked.
#include "runtime/launch/printf.h"

#include <errno.h>
#include <locale.h>
#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/base.h"
#include "weft/fault.h"
#include "weft/kernel_abi.h"

#define MAX_STRING (1u << 20)
#define MAX_FIELD 4096         // larger widths and precisions are reduced to it
#define FLUSH_BYTES (4u << 20) // more text than this is written before the launch is complete

// ---- Conversion specifications ----

enum length { LENGTH_NONE, LENGTH_HH, LENGTH_H, LENGTH_HL, LENGTH_L };

struct spec {
    char flags[6];        // of "-+ #0", each at most once
    int width, precision; // -1: none given
    unsigned count;       // n of vn; 1 without it
    enum length length;
    char conversion;
};

// Reads digits. -1: there are none.
static int parse_number(const char **at)
{
    int n = -1;
    for (; **at >= '0' && **at <= '9'; (*at)++)
        if ((n = (n < 0 ? 0 : n) * 10 + (**at - '0')) > MAX_FIELD)
            n = MAX_FIELD;
    return n;
}

static bool parse_vector(const char **at, struct spec *s)
{
    s->count = 1;
    if (**at != 'v')
        return true;
    (*at)++;
    int n = parse_number(at);
    s->count = (unsigned)n;
    return n == 2 || n == 3 || n == 4 || n == 8 || n == 16;
}

static enum length parse_length(const char **at)
{
    static const struct {
        const char *text;
        enum length length;
    } lengths[] = {
        {"hh", LENGTH_HH}, {"hl", LENGTH_HL}, {"h", LENGTH_H}, {"ll", LENGTH_L},
        {"l", LENGTH_L},   {"z", LENGTH_L},   {"t", LENGTH_L}}; // size_t and ptrdiff_t (OpenCL C 3.1)
    for (size_t i = 0; i < WEFT_COUNT_OF(lengths); i++) {
        size_t n = strlen(lengths[i].text);
        if (strncmp(*at, lengths[i].text, n) == 0) {
            *at += n;
            return lengths[i].length;
        }
    }
    return LENGTH_NONE;
}

// *at is after the '%' and is set to the end of the specification. False: it isn't a valid one.
static bool parse_spec(const char **at, struct spec *s)
{
    *s = (struct spec){0};
    for (size_t n = 0; **at && strchr("-+ #0", **at); (*at)++)
        if (!strchr(s->flags, **at) || n == 0)
            s->flags[n++] = **at;
    s->width = parse_number(at);
    s->precision = -1;
    if (**at == '.') {
        (*at)++;
        s->precision = parse_number(at);
        if (s->precision < 0)
            s->precision = 0; // a dot without digits
    }
    if (!parse_vector(at, s))
        return false;
    s->length = parse_length(at);
    s->conversion = **at;
    if (!s->conversion || !strchr("diouxXfFeEgGaAcsp", s->conversion))
        return false;
    (*at)++;
    return true;
}

// ---- Arguments ----

struct args {
    const uint8_t *at, *end;
};

struct arg {
    uint8_t kind, size;
    uint16_t count;
    const uint8_t *data;
};

static bool next_arg(struct args *a, struct arg *out)
{
    struct weft_printf_arg head;
    if ((size_t)(a->end - a->at) < sizeof head)
        return false;
    memcpy(&head, a->at, sizeof head);
    size_t bytes = ((size_t)head.size * head.count + 7) & ~(size_t)7;
    if (bytes > (size_t)(a->end - a->at) - sizeof head)
        return false;
    *out = (struct arg){head.kind, head.size, head.count, a->at + sizeof head};
    a->at += sizeof head + bytes;
    return head.count >= 1 && (head.size == 1 || head.size == 2 || head.size == 4 || head.size == 8);
}

static uint64_t element_bits(const struct arg *a, unsigned i)
{
    uint64_t v = 0;
    memcpy(&v, a->data + (size_t)i * a->size, a->size); // little-endian, as all machines that Weft supports
    return v;
}

// The size of an element in bytes according to the specification, or the argument's size if it says nothing.
static unsigned spec_size(const struct spec *s, const struct arg *a)
{
    switch (s->length) {
    case LENGTH_HH:
        return 1;
    case LENGTH_H:
        return 2;
    case LENGTH_HL:
        return 4;
    case LENGTH_L:
        return 8;
    case LENGTH_NONE:
        break;
    }
    // Without a modifier: int. A vector without a modifier has elements of its own size.
    return s->count > 1 || a->size > 4 ? a->size : 4;
}

static uint64_t zero_extend(uint64_t v, unsigned bytes)
{
    return bytes >= 8 ? v : v & ((1ull << (8 * bytes)) - 1);
}

static int64_t sign_extend(uint64_t v, unsigned bytes)
{
    unsigned shift = 64 - 8 * (bytes >= 8 ? 8 : bytes);
    return (int64_t)(v << shift) >> shift;
}

static double half_to_double(uint16_t h)
{
    unsigned exponent = (h >> 10) & 31, mantissa = h & 1023;
    double v = exponent == 31  ? (mantissa ? NAN : INFINITY)
               : exponent == 0 ? ldexp(mantissa, -24)
                               : ldexp(1024 + mantissa, (int)exponent - 25);
    return h & 0x8000 ? -v : v;
}

static double element_float(const struct arg *a, unsigned i)
{
    if (a->size == 2)
        return half_to_double((uint16_t)element_bits(a, i));
    if (a->size == 4) {
        float f;
        memcpy(&f, a->data + (size_t)i * 4, 4);
        return (double)f;
    }
    double d;
    memcpy(&d, a->data + (size_t)i * 8, 8);
    return d;
}

// ---- One element ----

// Writes "%<flags><width>.<precision><modifier><conversion>" for the C library.
static void c_format(char out[48], const struct spec *s, const char *flags, int precision,
                     const char *modifier)
{
    int n = snprintf(out, 48, "%%%s", flags);
    if (s->width >= 0)
        n += snprintf(out + n, 48 - (size_t)n, "%d", s->width);
    if (precision >= 0)
        n += snprintf(out + n, 48 - (size_t)n, ".%d", precision);
    snprintf(out + n, 48 - (size_t)n, "%s%c", modifier, s->conversion);
}

static void without(char out[6], const char *flags, char flag)
{
    size_t n = 0;
    for (; *flags; flags++)
        if (*flags != flag)
            out[n++] = *flags;
    out[n] = '\0';
}

#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wformat-nonliteral"

static bool put_integer(struct weft_buf *out, const struct spec *s, const struct arg *a, unsigned i)
{
    char format[48];
    unsigned bytes = spec_size(s, a), have = a->size < bytes ? a->size : bytes;
    c_format(format, s, s->flags, s->precision, "ll");
    if (s->conversion == 'd' || s->conversion == 'i')
        return weft_buf_printf(out, format, (long long)sign_extend(element_bits(a, i), have));
    // As in C, an argument that is narrower than the conversion was sign-extended.
    uint64_t v = element_bits(a, i);
    if (s->count == 1 && a->size < bytes)
        v = (uint64_t)sign_extend(v, a->size);
    return weft_buf_printf(out, format, (unsigned long long)zero_extend(v, bytes));
}

static bool put_float(struct weft_buf *out, const struct spec *s, const struct arg *a, unsigned i)
{
    char format[48], flags[6];
    double v = element_float(a, i);
    if (isfinite(v)) {
        c_format(format, s, s->flags, s->precision, "");
    } else { // "inf" and "nan" are padded with blanks
        without(flags, s->flags, '0');
        if (isnan(v))
            v = NAN; // no sign is printed for a NaN
        c_format(format, s, flags, -1, "");
    }
    return weft_buf_printf(out, format, v);
}

static bool put_char(struct weft_buf *out, const struct spec *s, const struct arg *a)
{
    char format[48], flags[6];
    without(flags, s->flags, '0');
    c_format(format, s, flags, -1, "");
    // %c also prints a NUL, which can't be printed as text with padding.
    return weft_buf_printf(out, format, (int)(unsigned char)element_bits(a, 0));
}

static bool put_pointer(struct weft_buf *out, const struct spec *s, const struct arg *a)
{
    char text[24], format[48], flags[6];
    snprintf(text, sizeof text, "0x%llx", (unsigned long long)element_bits(a, 0));
    struct spec as_string = *s;
    as_string.conversion = 's';
    without(flags, s->flags, '0');
    c_format(format, &as_string, flags, -1, "");
    return weft_buf_printf(out, format, text);
}

struct piece {
    char *to;
    const char *from;
    size_t size;
};

// Reads no byte after the NUL.
static void copy_piece(void *arg)
{
    const struct piece *p = arg;
    for (size_t i = 0; i < p->size; i++)
        if (!(p->to[i] = p->from[i]))
            return;
}

// Copies the string at `address` without accessing it: the operating system copies, and reports a bad
// pointer. Ends at the NUL, after `max` bytes, or at memory that isn't mapped.
static bool read_string(struct weft_buf *out, uint64_t address, size_t max)
{
    while (max > 0) {
        char piece[256];
        size_t want = 4096 - address % 4096; // stay within one page
        want = want > sizeof piece ? sizeof piece : want;
        want = want > max ? max : want;
        struct iovec to = {piece, want}, from = {(void *)(uintptr_t)address, want};
        ssize_t got = process_vm_readv(getpid(), &to, 1, &from, 1, 0);
        // not permitted in this process: read it under a fault handler
        if (got < 0 && (errno == EPERM || errno == ENOSYS)) {
            struct piece p = {piece, from.iov_base, want};
            struct weft_fault fault;
            got = weft_fault_call(copy_piece, &p, &fault) ? (ssize_t)want : -1;
        }
        if (got <= 0)
            return false;
        size_t n = strnlen(piece, (size_t)got);
        weft_buf_append(out, piece, n);
        if (n < (size_t)got)
            return true;
        address += (uint64_t)got;
        max -= (size_t)got;
    }
    return true;
}

static bool put_string(struct weft_buf *out, const struct spec *s, const struct arg *a)
{
    uint64_t address = element_bits(a, 0);
    struct weft_buf text = {0};
    size_t max = s->precision >= 0 ? (size_t)s->precision : MAX_STRING;
    bool ok =
        address ? read_string(&text, address, max) : weft_buf_append(&text, "(null)", max < 6 ? max : 6);
    char format[48], flags[6];
    without(flags, s->flags, '0');
    c_format(format, s, flags, -1, "");
    char *z = weft_buf_take(&text, NULL);
    ok = z && weft_buf_printf(out, format, z) && ok;
    weft_free(z);
    return ok;
}

#pragma clang diagnostic pop

static bool put_element(struct weft_buf *out, const struct spec *s, const struct arg *a, unsigned i)
{
    bool is_float = strchr("fFeEgGaA", s->conversion) != NULL;
    if (is_float)
        return a->kind == WEFT_PRINTF_FLOAT && a->size >= 2 && put_float(out, s, a, i);
    if (s->conversion == 's')
        return a->kind == WEFT_PRINTF_POINTER && put_string(out, s, a);
    if (s->conversion == 'p')
        return (a->kind == WEFT_PRINTF_POINTER || a->kind == WEFT_PRINTF_INT) && put_pointer(out, s, a);
    if (a->kind == WEFT_PRINTF_FLOAT)
        return false;
    return s->conversion == 'c' ? put_char(out, s, a) : put_integer(out, s, a, i);
}

static bool put_conversion(struct weft_buf *out, const struct spec *s, struct args *args)
{
    struct arg a;
    if (!next_arg(args, &a))
        return false;
    unsigned count = s->count < a.count ? s->count : a.count;
    if (count > 1 && strchr("csp", s->conversion))
        return false;
    bool ok = s->count == a.count;
    for (unsigned i = 0; i < count; i++) {
        if (i)
            weft_buf_append(out, ",", 1);
        ok = put_element(out, s, &a, i) && ok;
    }
    return ok;
}

static bool format_all(struct weft_buf *out, const char *format, const void *blob, size_t blob_size)
{
    struct args args = {blob, blob ? (const uint8_t *)blob + blob_size : NULL};
    bool ok = true;
    while (*format) {
        size_t plain = strcspn(format, "%");
        weft_buf_append(out, format, plain);
        format += plain;
        if (*format != '%')
            break;
        const char *start = format++;
        struct spec s;
        if (*format == '%') {
            weft_buf_append(out, format++, 1);
        } else if (parse_spec(&format, &s)) {
            ok = put_conversion(out, &s, &args) && ok;
        } else { // not a specification: printed unchanged
            weft_buf_append(out, start, (size_t)(format - start));
            ok = false;
        }
    }
    return ok && !out->failed;
}

// The application's locale must not change the output of kernels.
static locale_t c_locale;

static void make_locale(void)
{
    c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
}

__attribute__((destructor(101))) static void free_locale(void)
{
    if (!weft_process_is_known()) // the object may be in the parent process's memory
        return;
    if (c_locale)
        freelocale(c_locale);
    c_locale = (locale_t)0;
}

bool weft_printf_format(struct weft_buf *out, const char *format, const void *blob, size_t blob_size)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, make_locale);
    locale_t before = c_locale ? uselocale(c_locale) : (locale_t)0;
    bool ok = format_all(out, format, blob, blob_size);
    if (before)
        uselocale(before);
    return ok;
}

// ---- The output of a launch ----

static void lock(struct weft_printf_output *o)
{
    // acquire and release: pair with each other. The lock is held for a copy, or for a write of megabytes.
    while (atomic_exchange_explicit(&o->lock, 1, memory_order_acquire))
        sched_yield();
}

static void unlock(struct weft_printf_output *o)
{
    atomic_store_explicit(&o->lock, 0, memory_order_release);
}

static void write_locked(struct weft_printf_output *o)
{
    WEFT_NOT_CANCELLED;
    if (o->text.size) {
        fwrite(o->text.data, 1, o->text.size, stdout);
        fflush(stdout);
    }
    weft_buf_free(&o->text);
}

void weft_printf_append(struct weft_printf_output *o, const struct weft_buf *text)
{
    lock(o);
    if (o->text.size > FLUSH_BYTES)
        write_locked(o);
    if (!weft_buf_append(&o->text, text->data, text->size))
        o->text.failed = false; // the earlier text stays; this call's text is lost
    unlock(o);
}

void weft_printf_flush(struct weft_printf_output *o)
{
    lock(o);
    write_locked(o);
    unlock(o);
}
