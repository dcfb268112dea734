// Programs as bytes (weft/code_object.h). weftc and the disk cache write them. They are read from anywhere,
// so decoding trusts nothing. The file format is
//
//   u32 magic, u32 version, u64 payload bytes, u64 u64 hash of the payload, payload
//
// The payload holds the fields of the struct in order, in the wire format of base.h. Nothing follows it.
#include "weft/code_object.h"

#include "base/base.h"

#define HEADER_BYTES 32u
// Limits that no real program reaches. They keep sums of checked values far from overflow.
#define MAX_ARGS_SIZE (1u << 20)
#define MAX_ALIGN 128u
#define MAX_LOCAL_BYTES (1ull << 40)
#define MAX_VARIABLES (1ull << 40)
// Minimum bytes of an element on the wire. Bounds counts before anything is allocated.
#define ARG_WIRE_MIN (2u * 8u + 7u * 4u)
#define KERNEL_WIRE_MIN (3u * 8u + 12u * 4u + 3u * 8u + 4u + 8u)

void weft_program_object_fini(struct weft_program_object *p)
{
    for (uint32_t k = 0; p->kernels && k < p->kernel_count; k++) {
        struct weft_kernel_meta *m = &p->kernels[k];
        for (uint32_t a = 0; m->args && a < m->arg_count; a++) {
            weft_free(m->args[a].name);
            weft_free(m->args[a].type_name);
        }
        weft_free(m->args);
        weft_free(m->name);
        weft_free(m->attributes);
        weft_free(m->vec_type_hint);
        weft_free(m->code);
    }
    weft_free(p->kernels);
    weft_free(p->target);
    weft_free(p->options);
    weft_free(p->bitcode);
    weft_free(p->variables);
    weft_free(p->variable_pointers);
    *p = (struct weft_program_object){0};
}

// ---- Writing ----

static void put_arg(struct weft_buf *b, const struct weft_arg_meta *a)
{
    weft_put_str(b, a->name);
    weft_put_str(b, a->type_name);
    weft_put_u32(b, a->kind);
    weft_put_u32(b, a->addr_qual);
    weft_put_u32(b, a->access_qual);
    weft_put_u32(b, a->type_qual);
    weft_put_u32(b, a->size);
    weft_put_u32(b, a->align);
    weft_put_u32(b, a->offset);
    weft_put_u32(b, a->max_bytes);
}

static void put_kernel(struct weft_buf *b, const struct weft_kernel_meta *k, bool with_code)
{
    weft_put_str(b, k->name);
    weft_put_str(b, k->attributes);
    weft_put_str(b, k->vec_type_hint);
    for (int i = 0; i < 3; i++)
        weft_put_u32(b, k->reqd_work_group_size[i]);
    for (int i = 0; i < 3; i++)
        weft_put_u32(b, k->work_group_size_hint[i]);
    weft_put_u32(b, k->reqd_sub_group_size);
    weft_put_u32(b, k->reqd_sub_groups);
    weft_put_u32(b, k->uniform_groups);
    weft_put_u32(b, k->block);
    weft_put_u32(b, k->initializes);
    weft_put_u32(b, k->finalizes);
    weft_put_u32(b, k->enqueues);
    weft_put_u32(b, k->args_size);
    weft_put_u64(b, k->local_static_bytes);
    weft_put_u64(b, k->hash_lo);
    weft_put_u64(b, k->hash_hi);
    weft_put_u32(b, k->arg_count);
    for (uint32_t a = 0; a < k->arg_count; a++)
        put_arg(b, &k->args[a]);
    weft_put_bytes(b, k->code, with_code && k->code ? k->code_size : 0);
}

static void put_payload(struct weft_buf *b, const struct weft_program_object *p, bool with_code)
{
    weft_put_u32(b, p->binary_type);
    weft_put_str(b, p->target);
    weft_put_str(b, p->options);
    weft_put_bytes(b, p->bitcode, p->bitcode_size);
    weft_put_u64(b, p->global_variable_bytes);
    weft_put_bytes(b, p->variables, p->variables_size);
    weft_put_u32(b, p->variable_pointer_count);
    for (uint32_t i = 0; i < p->variable_pointer_count; i++)
        weft_put_u64(b, p->variable_pointers[i]);
    weft_put_u32(b, p->kernel_count);
    for (uint32_t k = 0; k < p->kernel_count; k++)
        put_kernel(b, &p->kernels[k], with_code);
}

weft_status weft_program_object_encode(struct weft_buf *out, const struct weft_program_object *p,
                                       bool with_code)
{
    struct weft_buf payload = {0};
    put_payload(&payload, p, with_code);
    if (payload.failed) {
        weft_buf_free(&payload);
        return WEFT_NO_MEMORY;
    }
    struct weft_hash h = weft_hash_bytes((struct weft_hash){0}, payload.data, payload.size);
    weft_put_u32(out, WEFT_CODE_OBJECT_MAGIC);
    weft_put_u32(out, WEFT_CODE_OBJECT_VERSION);
    weft_put_u64(out, payload.size);
    weft_put_u64(out, h.lo);
    weft_put_u64(out, h.hi);
    weft_buf_append(out, payload.data, payload.size);
    weft_buf_free(&payload);
    return out->failed ? WEFT_NO_MEMORY : WEFT_OK;
}

// ---- Reading ----

// A copy of a byte string; NULL if it is empty.
static uint8_t *get_copy(struct weft_reader *r, size_t *n)
{
    const void *p = weft_get_bytes(r, n);
    if (!p || *n == 0)
        return NULL;
    uint8_t *copy = weft_memdup(p, *n);
    if (!copy)
        weft_reader_no_memory(r);
    return copy;
}

static bool arg_is_sound(const struct weft_arg_meta *a, uint32_t args_size)
{
    if (a->kind < WEFT_ARG_VALUE || a->kind > WEFT_ARG_QUEUE)
        return false;
    if (a->addr_qual < WEFT_ADDR_GLOBAL || a->addr_qual > WEFT_ADDR_PRIVATE ||
        a->access_qual < WEFT_ACCESS_RO || a->access_qual > WEFT_ACCESS_NONE)
        return false;
    if (a->align == 0 || a->align > MAX_ALIGN || (a->align & (a->align - 1)) || a->offset % a->align)
        return false;
    bool size_fits_kind =
        a->kind == WEFT_ARG_VALUE ? a->size > 0 : a->size == (a->kind == WEFT_ARG_LOCAL ? 0 : 8);
    // A slot holds a value, or at most 8 bytes that stand for an object.
    uint32_t slot = a->kind == WEFT_ARG_VALUE ? a->size : 8;
    return size_fits_kind && slot <= args_size && a->offset <= args_size - slot;
}

static void get_arg(struct weft_reader *r, struct weft_arg_meta *a, uint32_t args_size)
{
    a->name = weft_get_str(r);
    a->type_name = weft_get_str(r);
    a->kind = weft_get_u32(r);
    a->addr_qual = weft_get_u32(r);
    a->access_qual = weft_get_u32(r);
    a->type_qual = weft_get_u32(r);
    a->size = weft_get_u32(r);
    a->align = weft_get_u32(r);
    a->offset = weft_get_u32(r);
    a->max_bytes = weft_get_u32(r);
    if (!r->bad && !arg_is_sound(a, args_size))
        r->bad = true;
}

static bool is_all_or_none(const uint32_t v[3])
{
    return !v[0] == !v[1] && !v[1] == !v[2];
}

static void get_kernel(struct weft_reader *r, struct weft_kernel_meta *k)
{
    k->name = weft_get_str(r);
    k->attributes = weft_get_str(r);
    k->vec_type_hint = weft_get_str(r);
    for (int i = 0; i < 3; i++)
        k->reqd_work_group_size[i] = weft_get_u32(r);
    for (int i = 0; i < 3; i++)
        k->work_group_size_hint[i] = weft_get_u32(r);
    k->reqd_sub_group_size = weft_get_u32(r);
    k->reqd_sub_groups = weft_get_u32(r);
    k->uniform_groups = weft_get_u32(r) != 0;
    k->block = weft_get_u32(r) != 0;
    k->initializes = weft_get_u32(r) != 0;
    k->finalizes = weft_get_u32(r) != 0;
    k->enqueues = weft_get_u32(r) != 0;
    k->args_size = weft_get_u32(r);
    k->local_static_bytes = weft_get_u64(r);
    k->hash_lo = weft_get_u64(r);
    k->hash_hi = weft_get_u64(r);
    uint32_t count = weft_get_count(r, ARG_WIRE_MIN);
    if (r->bad || ((k->initializes || k->finalizes) && count) || k->name[0] == '\0' ||
        k->args_size > MAX_ARGS_SIZE || k->local_static_bytes > MAX_LOCAL_BYTES ||
        !is_all_or_none(k->reqd_work_group_size)) {
        r->bad = true;
        return;
    }
    k->args = weft_alloc_array(count, sizeof *k->args);
    if (!k->args) {
        weft_reader_no_memory(r);
        return;
    }
    k->arg_count = count;
    for (uint32_t a = 0; a < count && !r->bad; a++)
        get_arg(r, &k->args[a], k->args_size);
    k->code = get_copy(r, &k->code_size);
}

static void get_variables(struct weft_reader *r, struct weft_program_object *p)
{
    p->global_variable_bytes = weft_get_u64(r);
    p->variables = get_copy(r, &p->variables_size);
    uint32_t count = weft_get_count(r, sizeof(uint64_t));
    if (r->bad || p->global_variable_bytes > MAX_VARIABLES || p->variables_size > p->global_variable_bytes ||
        (count && p->variables_size < sizeof(uint64_t))) {
        r->bad = true;
        return;
    }
    p->variable_pointers = weft_alloc_array(count, sizeof *p->variable_pointers);
    if (!p->variable_pointers) {
        weft_reader_no_memory(r);
        return;
    }
    p->variable_pointer_count = count;
    for (uint32_t i = 0; i < count; i++) {
        p->variable_pointers[i] = weft_get_u64(r);
        if (p->variable_pointers[i] > p->variables_size - sizeof(uint64_t))
            r->bad = true;
    }
}

static weft_status get_payload(struct weft_program_object *p, const void *bytes, size_t size)
{
    struct weft_reader r = weft_reader_of(bytes, size);
    *p = (struct weft_program_object){0};
    p->binary_type = weft_get_u32(&r);
    p->target = weft_get_str(&r);
    p->options = weft_get_str(&r);
    p->bitcode = get_copy(&r, &p->bitcode_size);
    get_variables(&r, p);
    uint32_t count = weft_get_count(&r, KERNEL_WIRE_MIN);
    if (p->binary_type < WEFT_BINARY_COMPILED || p->binary_type > WEFT_BINARY_EXECUTABLE)
        r.bad = true;
    if (!r.bad) {
        p->kernels = weft_alloc_array(count, sizeof *p->kernels);
        if (p->kernels)
            p->kernel_count = count;
        else
            weft_reader_no_memory(&r);
    }
    for (uint32_t k = 0; k < p->kernel_count && !r.bad; k++)
        get_kernel(&r, &p->kernels[k]);
    if (r.bad || r.at != r.end) {
        weft_program_object_fini(p);
        return r.no_memory ? WEFT_NO_MEMORY : WEFT_DAMAGED;
    }
    return WEFT_OK;
}

weft_status weft_program_object_decode(struct weft_program_object *out, const void *bytes, size_t size)
{
    *out = (struct weft_program_object){0};
    struct weft_reader r = weft_reader_of(bytes, size);
    uint32_t magic = weft_get_u32(&r), version = weft_get_u32(&r);
    uint64_t payload_size = weft_get_u64(&r);
    struct weft_hash said;
    said.lo = weft_get_u64(&r);
    said.hi = weft_get_u64(&r);
    if (r.bad || magic != WEFT_CODE_OBJECT_MAGIC)
        return WEFT_DAMAGED;
    if (version != WEFT_CODE_OBJECT_VERSION)
        return WEFT_STALE;
    if (payload_size != size - HEADER_BYTES)
        return WEFT_DAMAGED;
    struct weft_hash h = weft_hash_bytes((struct weft_hash){0}, r.at, (size_t)payload_size);
    if (h.lo != said.lo || h.hi != said.hi)
        return WEFT_DAMAGED;
    return get_payload(out, r.at, (size_t)payload_size);
}

weft_status weft_program_object_copy(struct weft_program_object *out, const struct weft_program_object *p)
{
    *out = (struct weft_program_object){0};
    struct weft_buf b = {0};
    put_payload(&b, p, true);
    weft_status s = b.failed ? WEFT_NO_MEMORY : get_payload(out, b.data, b.size);
    weft_buf_free(&b);
    return s;
}
