// Program objects as bytes: what is written is read back, and no damage does harm.
#include "base/base.h"
#include "harness.h"
#include "weft/code_object.h"

static void fill(struct weft_program_object *p)
{
    *p = (struct weft_program_object){.binary_type = WEFT_BINARY_EXECUTABLE,
                                      .target = weft_strdup("znver4+avx512"),
                                      .options = weft_strdup("-DX=1"),
                                      .bitcode = weft_memdup("BC\xc0\xde", 4),
                                      .bitcode_size = 4,
                                      .global_variable_bytes = 32,
                                      .variables = weft_memdup("0123456789abcdef", 16),
                                      .variables_size = 16,
                                      .variable_pointer_count = 2,
                                      .kernel_count = 2};
    p->variable_pointers = weft_alloc_array(2, sizeof *p->variable_pointers);
    p->variable_pointers[1] = 8;
    p->kernels = weft_alloc_array(2, sizeof *p->kernels);
    for (int k = 0; k < 2; k++) {
        struct weft_kernel_meta *m = &p->kernels[k];
        *m = (struct weft_kernel_meta){.name = weft_format("kernel%d", k),
                                       .attributes = weft_strdup("reqd_work_group_size(8,1,1)"),
                                       .vec_type_hint = weft_strdup("float4"),
                                       .reqd_work_group_size = {8, 1, 1},
                                       .reqd_sub_groups = 3,
                                       .uniform_groups = k == 1,
                                       .block = k == 0,
                                       .enqueues = k == 1,
                                       .args_size = 24,
                                       .local_static_bytes = 64,
                                       .hash_lo = 5,
                                       .hash_hi = 6,
                                       .arg_count = 2};
        m->args = weft_alloc_array(2, sizeof *m->args);
        m->args[0] = (struct weft_arg_meta){weft_strdup("a"),
                                            weft_strdup("float*"),
                                            WEFT_ARG_GLOBAL,
                                            WEFT_ADDR_GLOBAL,
                                            WEFT_ACCESS_NONE,
                                            WEFT_TQ_CONST,
                                            8,
                                            8,
                                            0,
                                            64};
        m->args[1] = (struct weft_arg_meta){weft_strdup("v"),
                                            weft_strdup("int4"),
                                            WEFT_ARG_VALUE,
                                            WEFT_ADDR_PRIVATE,
                                            WEFT_ACCESS_NONE,
                                            0,
                                            8,
                                            8,
                                            16,
                                            0};
        if (k == 1) {
            m->code = weft_memdup("ELF?", 4);
            m->code_size = 4;
        }
    }
}

static void check_same(const struct weft_program_object *a, const struct weft_program_object *b,
                       bool with_code)
{
    CHECK_EQ(a->binary_type, b->binary_type);
    CHECK_STR(a->target, b->target);
    CHECK_STR(a->options, b->options);
    CHECK_EQ(a->bitcode_size, b->bitcode_size);
    CHECK_MEM(a->bitcode, b->bitcode, a->bitcode_size);
    CHECK_EQ(a->global_variable_bytes, b->global_variable_bytes);
    CHECK_EQ(a->variables_size, b->variables_size);
    CHECK_MEM(a->variables, b->variables, a->variables_size);
    CHECK_EQ(a->variable_pointer_count, b->variable_pointer_count);
    CHECK_MEM(a->variable_pointers, b->variable_pointers, a->variable_pointer_count * sizeof(uint64_t));
    CHECK_EQ(a->kernel_count, b->kernel_count);
    for (uint32_t k = 0; k < a->kernel_count; k++) {
        const struct weft_kernel_meta *x = &a->kernels[k], *y = &b->kernels[k];
        CHECK_STR(x->name, y->name);
        CHECK_STR(x->attributes, y->attributes);
        CHECK_EQ(x->reqd_work_group_size[0], y->reqd_work_group_size[0]);
        CHECK_EQ(x->reqd_sub_groups, y->reqd_sub_groups);
        CHECK_EQ(x->uniform_groups, y->uniform_groups);
        CHECK_EQ(x->block, y->block);
        CHECK_EQ(x->enqueues, y->enqueues);
        CHECK_EQ(x->hash_hi, y->hash_hi);
        CHECK_EQ(x->arg_count, y->arg_count);
        for (uint32_t i = 0; i < x->arg_count; i++) {
            CHECK_STR(x->args[i].name, y->args[i].name);
            CHECK_STR(x->args[i].type_name, y->args[i].type_name);
            CHECK_EQ(x->args[i].offset, y->args[i].offset);
            CHECK_EQ(x->args[i].max_bytes, y->args[i].max_bytes);
        }
        CHECK_EQ(y->code_size, with_code ? x->code_size : 0);
    }
}

TEST(what_is_written_is_read_back)
{
    struct weft_program_object p, q;
    fill(&p);
    for (int with_code = 0; with_code < 2; with_code++) {
        struct weft_buf b = {0};
        CHECK_EQ(weft_program_object_encode(&b, &p, with_code), WEFT_OK);
        CHECK_EQ(weft_program_object_decode(&q, b.data, b.size), WEFT_OK);
        check_same(&p, &q, with_code);
        weft_program_object_fini(&q);
        weft_buf_free(&b);
    }
    CHECK_EQ(weft_program_object_copy(&q, &p), WEFT_OK);
    check_same(&p, &q, true);
    weft_program_object_fini(&q);
    weft_program_object_fini(&p);
    weft_program_object_fini(&p); // zeroed by then
}

TEST(truncated_bytes_are_damaged)
{
    struct weft_program_object p, q;
    fill(&p);
    struct weft_buf b = {0};
    CHECK_EQ(weft_program_object_encode(&b, &p, true), WEFT_OK);
    for (size_t n = 0; n < b.size; n++) {
        uint8_t *copy = weft_memdup(b.data, n); // so that a sanitizer sees a read beyond
        CHECK_EQ(weft_program_object_decode(&q, copy, n), WEFT_DAMAGED);
        weft_free(copy);
    }
    weft_buf_puts(&b, "more");
    CHECK_EQ(weft_program_object_decode(&q, b.data, b.size), WEFT_DAMAGED);
    weft_buf_free(&b);
    weft_program_object_fini(&p);
}

TEST(every_flipped_bit_is_noticed)
{
    struct weft_program_object p, q;
    fill(&p);
    struct weft_buf b = {0};
    CHECK_EQ(weft_program_object_encode(&b, &p, true), WEFT_OK);
    for (size_t i = 0; i < b.size * 8; i++) {
        b.data[i / 8] ^= (uint8_t)(1u << i % 8);
        CHECK_NE(weft_program_object_decode(&q, b.data, b.size), WEFT_OK);
        CHECK_EQ(q.kernels, NULL);
        b.data[i / 8] ^= (uint8_t)(1u << i % 8);
    }
    b.data[4]++; // the version
    CHECK_EQ(weft_program_object_decode(&q, b.data, b.size), WEFT_STALE);
    weft_buf_free(&b);
    weft_program_object_fini(&p);
}

// With a right checksum: what a hostile writer would make.
TEST(damage_with_a_right_checksum_does_no_harm)
{
    struct weft_program_object p, q;
    fill(&p);
    struct weft_buf b = {0};
    CHECK_EQ(weft_program_object_encode(&b, &p, true), WEFT_OK);
    uint64_t state = 7;
    for (int round = 0; round < HARNESS_SCALE(50000); round++) {
        uint8_t *copy = weft_memdup(b.data, b.size);
        for (uint64_t n = 1 + harness_random(&state) % 4; n > 0; n--)
            copy[32 + harness_random(&state) % (b.size - 32)] = (uint8_t)harness_random(&state);
        struct weft_hash h = weft_hash_bytes((struct weft_hash){0}, copy + 32, b.size - 32);
        memcpy(copy + 16, &h.lo, 8);
        memcpy(copy + 24, &h.hi, 8);
        weft_status s = weft_program_object_decode(&q, copy, b.size);
        if (s == WEFT_OK)
            for (uint32_t k = 0; k < q.kernel_count; k++)
                for (uint32_t i = 0; i < q.kernels[k].arg_count; i++) {
                    const struct weft_arg_meta *a = &q.kernels[k].args[i];
                    uint32_t slot = a->kind == WEFT_ARG_VALUE ? a->size : 8;
                    CHECK_LE((uint64_t)a->offset + slot, (uint64_t)q.kernels[k].args_size);
                }
        weft_program_object_fini(&q);
        weft_free(copy);
    }
    weft_buf_free(&b);
    weft_program_object_fini(&p);
}

TEST(every_allocation_may_fail)
{
    struct weft_program_object p, q;
    fill(&p);
    struct weft_buf b = {0};
    CHECK_EQ(weft_program_object_encode(&b, &p, true), WEFT_OK);
    weft_status s;
    uint64_t n = 0;
    do {
        weft_alloc_fail_at(++n);
        s = weft_program_object_decode(&q, b.data, b.size);
        weft_alloc_fail_at(0);
        weft_program_object_fini(&q);
    } while (s != WEFT_OK);
    CHECK_GT(n, 10u);
    n = 0;
    do {
        weft_alloc_fail_at(++n);
        s = weft_program_object_copy(&q, &p);
        weft_alloc_fail_at(0);
        CHECK(s == WEFT_OK || s == WEFT_NO_MEMORY);
        weft_program_object_fini(&q);
    } while (s != WEFT_OK);
    weft_buf_free(&b);
    weft_program_object_fini(&p);
}
