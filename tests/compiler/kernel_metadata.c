// What weftc reports about kernels: clGetKernelInfo, clGetKernelArgInfo, clGetKernelWorkGroupInfo. OpenCL 3.0
// §5.9.
#include "compiler_process.h"

#include "weft/kernel_abi.h"

static const char arguments[] =
    "typedef struct { int a; double b; } pair;\n"
    "kernel void k(global const float *restrict in, constant uint4 *table, local volatile int *scratch,\n"
    "              char c, double4 d, float3 v, pair s, unsigned int u, ulong n) { }\n";

static void check_arg(const struct weft_arg_meta *a, const char *name, const char *type, uint32_t kind,
                      uint32_t space, uint32_t qualifiers, uint32_t size)
{
    CHECK_STR(a->name, name);
    CHECK_STR(a->type_name, type);
    CHECK_EQ(a->kind, kind);
    CHECK_EQ(a->addr_qual, space);
    CHECK_EQ(a->access_qual, WEFT_ACCESS_NONE);
    CHECK_EQ(a->type_qual, qualifiers);
    CHECK_EQ(a->size, size);
}

TEST(arguments_are_described_and_packed)
{
    struct compiler c = compiler_start();
    struct weft_program_reply r = compiler_build_ok(&c, arguments, "");
    const struct weft_kernel_meta *k = find_kernel(&r, "k");
    CHECK_EQ(k->arg_count, 9);
    const struct weft_arg_meta *a = k->args;
    check_arg(&a[0], "in", "float*", WEFT_ARG_GLOBAL, WEFT_ADDR_GLOBAL, WEFT_TQ_CONST | WEFT_TQ_RESTRICT, 8);
    check_arg(&a[1], "table", "uint4*", WEFT_ARG_CONSTANT, WEFT_ADDR_CONSTANT, WEFT_TQ_CONST, 8);
    check_arg(&a[2], "scratch", "int*", WEFT_ARG_LOCAL, WEFT_ADDR_LOCAL, WEFT_TQ_VOLATILE, 0);
    check_arg(&a[3], "c", "char", WEFT_ARG_VALUE, WEFT_ADDR_PRIVATE, 0, 1);
    check_arg(&a[4], "d", "double4", WEFT_ARG_VALUE, WEFT_ADDR_PRIVATE, 0, 32);
    check_arg(&a[5], "v", "float3", WEFT_ARG_VALUE, WEFT_ADDR_PRIVATE, 0, 16);
    check_arg(&a[6], "s", "pair", WEFT_ARG_VALUE, WEFT_ADDR_PRIVATE, 0, 16);
    check_arg(&a[7], "u", "uint", WEFT_ARG_VALUE, WEFT_ADDR_PRIVATE, 0, 4);
    check_arg(&a[8], "n", "ulong", WEFT_ARG_VALUE, WEFT_ADDR_PRIVATE, 0, 8);
    static const uint32_t offsets[] = {0, 8, 16, 24, 32, 64, 80, 96, 104};
    for (int i = 0; i < 9; i++)
        CHECK_EQ(a[i].offset, offsets[i]);
    CHECK_EQ(k->args_size, 112);
    weft_program_reply_fini(&r);
    compiler_stop(&c);
}

TEST(attributes_are_reported_as_the_source_has_them)
{
    struct compiler c = compiler_start();
    struct weft_program_reply r =
        compiler_build_ok(&c,
                          "kernel __attribute__((reqd_work_group_size(8, 1, 2))) "
                          "__attribute__((vec_type_hint(uint4))) void a() {}\n"
                          "kernel __attribute__((work_group_size_hint(4, 5, 6))) void b() {}\n"
                          "kernel void plain() {}\n",
                          "");
    const struct weft_kernel_meta *a = find_kernel(&r, "a"), *b = find_kernel(&r, "b");
    CHECK_STR(a->attributes, "reqd_work_group_size(8,1,2) vec_type_hint(uint4)");
    CHECK_STR(a->vec_type_hint, "uint4");
    CHECK_EQ(a->reqd_work_group_size[0], 8);
    CHECK_EQ(a->reqd_work_group_size[1], 1);
    CHECK_EQ(a->reqd_work_group_size[2], 2);
    CHECK_STR(b->attributes, "work_group_size_hint(4,5,6)");
    CHECK_EQ(b->work_group_size_hint[2], 6);
    CHECK_EQ(b->reqd_work_group_size[0], 0);
    CHECK_STR(find_kernel(&r, "plain")->attributes, "");
    weft_program_reply_fini(&r);
    compiler_stop(&c);
}

TEST(local_memory_counts_what_a_kernel_reaches)
{
    struct compiler c = compiler_start();
    struct weft_program_reply r = compiler_build_ok(
        &c,
        "kernel void a(global int *p) { local int x[10]; local double y; x[get_local_id(0)] = 1; y = 1;\n"
        "  barrier(CLK_LOCAL_MEM_FENCE); p[0] = x[3] + (int)y; }\n"
        "kernel void b(global int *p) { p[0] = 1; }\n",
        "");
    CHECK_EQ(find_kernel(&r, "a")->local_static_bytes, 48);
    CHECK_EQ(find_kernel(&r, "b")->local_static_bytes, 0);
    weft_program_reply_fini(&r);
    compiler_stop(&c);
}

static const struct weft_kernel_meta *build_one(struct compiler *c, struct weft_program_reply *r,
                                                const char *source)
{
    *r = compiler_build_ok(c, source, "");
    return find_kernel(r, "k");
}

#define KERNEL \
    "kernel void k(global float *p) { p[get_global_id(0)] = helper(p[0]); printf(\"%f\\n\", p[0]); }\n"

TEST(a_hash_changes_with_what_the_kernel_reaches_and_nothing_else)
{
    struct compiler c = compiler_start();
    struct weft_program_reply first, other;
    const struct weft_kernel_meta *k =
        build_one(&c, &first, "float helper(float x) { return x * 2.0f; }\n" KERNEL);
    CHECK(k->hash_lo || k->hash_hi);

    static const char *const same[] = {
        "float helper(float x) { return x * 2.0f; }\n" KERNEL,
        "float helper(float x) { return x * 2.0f; }\nkernel void z() { printf(\"z\\n\"); }\n" KERNEL,
        "constant int unused[] = {1, 2};\nfloat helper(float x) { return x * 2.0f; }\n" KERNEL
        "kernel void y(global int *q) { q[0] = unused[q[1]]; }\n",
    };
    for (size_t i = 0; i < WEFT_COUNT_OF(same); i++) {
        const struct weft_kernel_meta *m = build_one(&c, &other, same[i]);
        CHECK_EQ(m->hash_lo, k->hash_lo);
        CHECK_EQ(m->hash_hi, k->hash_hi);
        weft_program_reply_fini(&other);
    }
    static const char *const different[] = {
        "float helper(float x) { return x * 2.5f; }\n" KERNEL,
        "float helper(float x) { return 2.0f + x; }\n" KERNEL,
        "float helper(float x) { return x * 2.0f; }\n"
        "kernel void k(global float *p) { p[get_global_id(0)] = helper(p[0]); printf(\"%g\\n\", p[0]); }\n",
        "float helper(float x) { return x * 2.0f; }\n"
        "kernel void k(global float *p) { p[get_global_id(1)] = helper(p[0]); printf(\"%f\\n\", p[0]); }\n",
        "float helper(float x) { return x * 2.0f; }\n"
        "kernel void k(global volatile float *p) { p[get_global_id(0)] = helper(p[0]); printf(\"%f\\n\", "
        "p[0]); }\n",
    };
    for (size_t i = 0; i < WEFT_COUNT_OF(different); i++) {
        CHECK_NE(build_one(&c, &other, different[i])->hash_lo, k->hash_lo);
        weft_program_reply_fini(&other);
    }
    weft_program_reply_fini(&first);
    compiler_stop(&c);
}

TEST(relaxed_math_is_part_of_the_hash)
{
    struct compiler c = compiler_start();
    static const char source[] = "kernel void k(global float *p) { p[0] = p[1] * p[2] + p[3]; }\n";
    struct weft_program_reply a = compiler_build_ok(&c, source, ""),
                              b = compiler_build_ok(&c, source, "-cl-fast-relaxed-math");
    CHECK_NE(a.program.kernels[0].hash_lo, b.program.kernels[0].hash_lo);
    weft_program_reply_fini(&a);
    weft_program_reply_fini(&b);
    compiler_stop(&c);
}
