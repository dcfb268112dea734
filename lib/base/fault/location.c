// The messages and the hash of weft/fault_location.h.
#include "weft/fault_location.h"

#include <string.h>

#include "base/base.h"

// ---- Messages ----

static void put_state(struct weft_buf *b, const struct weft_fault_state *s)
{
    weft_put_u64(b, s->instruction);
    weft_put_u64(b, s->base);
    for (size_t i = 0; i < WEFT_FAULT_REGISTERS; i++)
        weft_put_u64(b, s->registers[i]);
    weft_put_u64(b, s->stack_begin);
    weft_put_bytes(b, s->stack, s->stack_bytes);
}

static void get_state(struct weft_reader *r, struct weft_fault_state *s)
{
    s->instruction = weft_get_u64(r);
    s->base = weft_get_u64(r);
    for (size_t i = 0; i < WEFT_FAULT_REGISTERS; i++)
        s->registers[i] = weft_get_u64(r);
    s->stack_begin = weft_get_u64(r);
    size_t size;
    const void *bytes = weft_get_bytes(r, &size);
    if (bytes && size > sizeof s->stack)
        r->bad = true;
    else if (bytes && size)
        memcpy(s->stack, bytes, s->stack_bytes = (uint32_t)size);
}

void weft_locate_request_put(struct weft_buf *b, const struct weft_locate_request *m)
{
    struct weft_buf kernel = {0};
    weft_kernel_request_put(&kernel, &m->kernel);
    b->failed |= kernel.failed;
    put_state(b, &m->state);
    weft_put_u64(b, m->code_hash[0]);
    weft_put_u64(b, m->code_hash[1]);
    weft_put_bytes(b, kernel.data, kernel.size);
    weft_buf_free(&kernel);
}

weft_status weft_locate_request_get(struct weft_locate_request *out, const void *payload, size_t size)
{
    struct weft_reader r = weft_reader_of(payload, size);
    *out = (struct weft_locate_request){0};
    get_state(&r, &out->state);
    out->code_hash[0] = weft_get_u64(&r);
    out->code_hash[1] = weft_get_u64(&r);
    size_t kernel_size;
    const void *kernel = weft_get_bytes(&r, &kernel_size);
    if (r.bad || r.at != r.end)
        return WEFT_DAMAGED;
    return weft_kernel_request_get(&out->kernel, kernel, kernel_size);
}

void weft_locate_request_fini(struct weft_locate_request *m)
{
    weft_kernel_request_fini(&m->kernel);
}

void weft_locate_reply_put(struct weft_buf *b, const struct weft_locate_reply *m)
{
    weft_put_u32(b, m->status);
    weft_put_str(b, m->log);
    if (m->status != WEFT_OK)
        return;
    const struct weft_location *l = &m->location;
    weft_put_str(b, l->file);
    weft_put_u32(b, l->line);
    weft_put_u32(b, l->column);
    for (size_t d = 0; d < 3; d++) {
        weft_put_u8(b, l->known[d]);
        weft_put_u64(b, l->first[d]);
        weft_put_u64(b, l->last[d]);
    }
}

weft_status weft_locate_reply_get(struct weft_locate_reply *out, const void *payload, size_t size)
{
    struct weft_reader r = weft_reader_of(payload, size);
    *out = (struct weft_locate_reply){0};
    out->status = weft_get_u32(&r);
    out->log = weft_get_str(&r);
    struct weft_location *l = &out->location;
    if (out->status == WEFT_OK) {
        l->file = weft_get_str(&r);
        l->line = weft_get_u32(&r);
        l->column = weft_get_u32(&r);
        for (size_t d = 0; d < 3; d++) {
            l->known[d] = weft_get_u8(&r) != 0;
            l->first[d] = weft_get_u64(&r);
            l->last[d] = weft_get_u64(&r);
            r.bad |= l->first[d] > l->last[d];
        }
    }
    if (!r.bad && r.at == r.end)
        return WEFT_OK;
    weft_locate_reply_fini(out);
    return r.no_memory ? WEFT_NO_MEMORY : WEFT_DAMAGED;
}

void weft_locate_reply_fini(struct weft_locate_reply *m)
{
    weft_free(m->log);
    weft_free(m->location.file);
    *m = (struct weft_locate_reply){0};
}

// ---- The hash ----

static bool is_code(const Elf64_Phdr *p)
{
    return p->p_type == PT_LOAD && (p->p_flags & PF_X);
}

static void store(struct weft_hash h, uint64_t hash[2])
{
    hash[0] = h.lo;
    hash[1] = h.hi;
}

bool weft_code_hash_of_file(const void *elf, size_t size, uint64_t hash[2])
{
    const uint8_t *bytes = elf;
    struct weft_hash sum = {0};
    Elf64_Ehdr h;
    if (size < sizeof h)
        return false;
    memcpy(&h, bytes, sizeof h);
    if (h.e_phentsize != sizeof(Elf64_Phdr) || h.e_phoff > size ||
        (size - h.e_phoff) / sizeof(Elf64_Phdr) < h.e_phnum)
        return false;
    for (size_t i = 0; i < h.e_phnum; i++) {
        Elf64_Phdr p;
        memcpy(&p, bytes + h.e_phoff + i * sizeof p, sizeof p);
        if (p.p_offset > size || p.p_filesz > size - p.p_offset)
            return false;
        if (is_code(&p))
            sum = weft_hash_bytes(sum, bytes + p.p_offset, p.p_filesz);
    }
    store(sum, hash);
    return true;
}

void weft_code_hash_loaded(uintptr_t base, const Elf64_Phdr *headers, size_t count, uint64_t hash[2])
{
    struct weft_hash sum = {0};
    for (size_t i = 0; i < count; i++)
        if (is_code(&headers[i]))
            sum = weft_hash_bytes(sum, (const void *)(base + headers[i].p_vaddr), headers[i].p_filesz);
    store(sum, hash);
}
