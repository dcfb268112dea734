// Kernels are compiled one by one. The result is a code object as kernel_abi.h describes it, and the process
// works on after every failure.

// timeout: 120
#include "compiler_process.h"

#include <dlfcn.h>
#include <elf.h>
#include <sys/mman.h>

#include "weft/kernel_abi.h"

static struct weft_kernel_reply ask(struct compiler *c, const struct weft_program_reply *program,
                                    const char *name, enum weft_code_level level, uint32_t lanes)
{
    struct weft_kernel_request request = {
        .kernel = (char *)(uintptr_t)name,
        .options = program->program.options,
        .level = level,
        .vector_width = lanes,
        .bitcode = program->program.bitcode,
        .bitcode_size = program->program.bitcode_size,
    };
    struct weft_buf b = {0};
    weft_kernel_request_put(&b, &request);
    compiler_send(c, WEFT_MSG_KERNEL, &b);
    uint16_t type;
    uint8_t *payload;
    size_t size;
    CHECK_EQ(weft_frame_receive(c->fd, COMPILER_PATIENCE_MS, &type, &payload, &size), WEFT_OK);
    CHECK_EQ(type, WEFT_MSG_KERNEL_CODE);
    struct weft_kernel_reply reply;
    CHECK_EQ(weft_kernel_reply_get(&reply, payload, size), WEFT_OK);
    weft_free(payload);
    return reply;
}

static struct weft_kernel_reply ask_tier(struct compiler *c, const struct weft_program_reply *program,
                                         const char *name, int level)
{
    return ask(c, program, name, (enum weft_code_level)level, 0);
}

static struct weft_kernel_reply ask_kernel(struct compiler *c, const struct weft_program_reply *program,
                                           const char *name)
{
    return ask_tier(c, program, name, WEFT_LEVEL_FULL);
}

static const struct weft_kernel_info *load(const struct weft_kernel_reply *reply)
{
    int fd = memfd_create("kernel", MFD_CLOEXEC);
    CHECK_GE(fd, 0);
    CHECK_EQ(write(fd, reply->code, reply->code_size), (ssize_t)reply->code_size);
    char path[64];
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!library)
        FAIL("%s", dlerror());
    const struct weft_kernel_info *info = dlsym(library, WEFT_KERNEL_INFO_SYMBOL);
    CHECK(info != NULL);
    CHECK_EQ(info->abi_version, WEFT_KERNEL_ABI_VERSION);
    return info;
}

static struct weft_kernel_reply ask_ok(struct compiler *c, const struct weft_program_reply *program,
                                       const char *name)
{
    struct weft_kernel_reply reply = ask_kernel(c, program, name);
    if (reply.status != WEFT_OK)
        FAIL("%s: %s", name, reply.log);
    return reply;
}

TEST(a_kernel_becomes_code_that_computes)
{
    struct compiler c = compiler_start();
    struct weft_program_reply program = compiler_build_ok(
        &c,
        "int twice(int x) { return 2 * x; }\n"
        "kernel void k(global int *p, int a) { p[get_global_id(0)] = twice((int)get_global_id(0)) + a; }\n",
        "-cl-std=CL3.0"); // groups needn't fill up
    struct weft_kernel_reply reply = ask_ok(&c, &program, "k");
    const struct weft_kernel_info *info = load(&reply);
    int32_t data[100] = {0};
    struct {
        int32_t *p;
        int32_t a;
        int32_t padding;
    } args = {data, 5, 0};
    struct weft_ndrange nd = {
        .global_size = {100, 1, 1}, .local_size = {16, 1, 1}, .num_groups = {7, 1, 1}, .work_dim = 1};
    struct weft_exec exec = {0};
    info->run(&nd, &args, &exec, 0, 7);
    for (int i = 0; i < 100; i++)
        CHECK_EQ(data[i], 2 * i + 5);
    weft_kernel_reply_fini(&reply);
    weft_program_reply_fini(&program);
    compiler_stop(&c);
}

TEST(code_needs_nothing_of_the_host)
{
    // Copies and divisions that LLVM turns into calls.
    struct compiler c = compiler_start();
    struct weft_program_reply program = compiler_build_ok(
        &c,
        "typedef struct { int a[300]; } big;\n"
        "kernel void copy(global big *p) { size_t i = get_global_id(0); p[i] = p[i + 1]; }\n"
        "kernel void zero(global big *p) { big b = {{0}}; p[get_global_id(0)] = b; }\n"
        "kernel void remainder_(global double *p) { p[0] = fmod(p[1], p[2]); }\n"
        "kernel void half_(global half *h) { vstore_half(vload_half(0, h) * 2, 1, h); }\n"
        "inline int helper(int x) { return x + 1; }\n"
        "kernel void inlined(global int *p) { p[0] = helper(p[1]); }\n"
        "kernel void nested(global int *p) { inlined(p + 1); }\n",
        "");
    static const char *const names[] = {"copy", "zero", "remainder_", "half_", "inlined", "nested"};
    for (size_t i = 0; i < WEFT_COUNT_OF(names); i++) {
        struct weft_kernel_reply reply = ask_ok(&c, &program, names[i]);
        load(&reply);
        weft_kernel_reply_fini(&reply);
    }
    weft_program_reply_fini(&program);
    compiler_stop(&c);
}

// What a compile leaves for the next (link/shared_context.c) doesn't show: not what of the program, nor of
// the built-in functions, was read before, nor how often.
TEST(code_that_is_made_quickly_is_the_same_whatever_was_compiled_before)
{
    static const char source[] =
        "constant float table[4] = {1, 2, 3, 4};\n"
        "float helper(float x) { return exp(x) * table[(int)x & 3]; }\n"
        "kernel void first(global float4 *p) { p[0] = sin(p[1]) + sqrt(p[2]); }\n"
        "kernel void second(global float *p) { local float t[16]; size_t l = get_local_id(0) & 15; t[l] = "
        "helper(p[l]);\n"
        "  barrier(CLK_LOCAL_MEM_FENCE); p[l] = exp(t[15 - l]) + sin(p[l]); printf(\"%f\\n\", p[0]); }\n"
        "kernel void third(global double *p) { p[0] = fmod(p[1], pow(p[2], p[3])); }\n";
    static const char *const names[] = {"first", "second", "third"};
    struct compiler used = compiler_start();
    struct weft_program_reply program = compiler_build_ok(&used, source, "");
    struct weft_program_reply other = compiler_build_ok(
        &used, "kernel void second(global float *p) { p[0] = exp2(p[1]) + sin(p[2]); }\n", "");
    for (int i = 0; i < 105; i++) {
        struct weft_kernel_reply reply =
            ask_tier(&used, i % 8 == 7 ? &other : &program, i % 8 == 7 ? "second" : names[i % 3],
                     i % 2 ? WEFT_LEVEL_LANES : WEFT_LEVEL_QUICK);
        CHECK_EQ(reply.status, WEFT_OK);
        weft_kernel_reply_fini(&reply);
    }
    for (size_t i = 0; i < 2 * WEFT_COUNT_OF(names); i++) {
        const int level = i % 2 ? WEFT_LEVEL_LANES : WEFT_LEVEL_QUICK;
        struct compiler fresh = compiler_start();
        struct weft_kernel_reply alone = ask_tier(&fresh, &program, names[i / 2], level),
                                 after = ask_tier(&used, &program, names[i / 2], level);
        CHECK_EQ(alone.status, WEFT_OK);
        CHECK_EQ(after.status, WEFT_OK);
        CHECK_EQ(alone.code_size, after.code_size);
        CHECK(memcmp(alone.code, after.code, alone.code_size) == 0);
        weft_kernel_reply_fini(&alone);
        weft_kernel_reply_fini(&after);
        compiler_stop(&fresh);
    }
    weft_program_reply_fini(&other);
    weft_program_reply_fini(&program);
    compiler_stop(&used);
}

TEST(options_reach_code_generation)
{
    struct compiler c = compiler_start();
    static const char source[] = "kernel void k(global float *p) { p[get_global_id(0)] *= 2.0f; }\n";
    static const char *const options[] = {"-g", "-cl-opt-disable", "-cl-fast-relaxed-math", "-cl-std=CL3.0",
                                          "-cl-std=CL1.1 -cl-mad-enable -D X='a b'"};
    for (size_t i = 0; i < WEFT_COUNT_OF(options); i++) {
        struct weft_program_reply program = compiler_build_ok(&c, source, options[i]);
        struct weft_kernel_reply reply = ask_ok(&c, &program, "k");
        load(&reply);
        weft_kernel_reply_fini(&reply);
        weft_program_reply_fini(&program);
    }
    compiler_stop(&c);
}

TEST(an_unknown_kernel_is_named_in_the_log)
{
    struct compiler c = compiler_start();
    struct weft_program_reply program =
        compiler_build_ok(&c, "void f(void) {}\nkernel void k(global int *p) { f(); p[0] = 1; }\n", "");
    static const char *const names[] = {"nothing", "f", ""};
    for (size_t i = 0; i < WEFT_COUNT_OF(names); i++) {
        struct weft_kernel_reply reply = ask_kernel(&c, &program, names[i]);
        CHECK_EQ(reply.status, WEFT_NOT_FOUND);
        CHECK_CONTAINS(reply.log, "no kernel");
        weft_kernel_reply_fini(&reply);
        reply = ask_tier(&c, &program, names[i], WEFT_LEVEL_QUICK);
        CHECK_EQ(reply.status, WEFT_NOT_FOUND);
        CHECK_CONTAINS(reply.log, "no kernel");
        weft_kernel_reply_fini(&reply);
    }
    struct weft_kernel_reply reply = ask_ok(&c, &program, "k");
    weft_kernel_reply_fini(&reply);
    weft_program_reply_fini(&program);
    compiler_stop(&c);
}

TEST(a_programs_own_functions_do_not_stand_in_for_built_in_ones)
{
    struct compiler c = compiler_start();
    // clamp() may be made of min() and max(): not of these.
    struct weft_program_reply program =
        compiler_build_ok(&c,
                          "__attribute__((overloadable)) int max(int a, int b) { return 77; }\n"
                          "__attribute__((overloadable)) int min(int a, int b) { return 78; }\n"
                          "kernel void k(global int *p) { p[0] = clamp(p[0], 3, 9); p[1] = max(1, 2); }\n",
                          "");
    for (int level = WEFT_LEVEL_QUICK; level <= WEFT_LEVEL_FULL; level++) {
        struct weft_kernel_reply reply = ask_tier(&c, &program, "k", level);
        CHECK_EQ(reply.status, WEFT_OK);
        const struct weft_kernel_info *info = load(&reply);
        int32_t data[2] = {5, 0}, *args = data;
        struct weft_ndrange nd = {
            .global_size = {1, 1, 1}, .local_size = {1, 1, 1}, .num_groups = {1, 1, 1}, .work_dim = 1};
        struct weft_exec exec = {0};
        info->run(&nd, &args, &exec, 0, 1);
        CHECK_EQ(data[0], 5);
        CHECK_EQ(data[1], 77);
        weft_kernel_reply_fini(&reply);
    }
    weft_program_reply_fini(&program);
    compiler_stop(&c);
}

// Each large region has a function of its own for what is left over, with the private memory that it uses:
// one is on the stack at a time. What two lanes use is in the frame of `run`, once for all regions. A launch
// is laid out for the first code and goes on in the next one.
TEST(local_memory_is_of_one_size_in_all_codes_of_a_kernel)
{
    enum { LANES = 2 }; // asked for, since they don't pay for this kernel on all processors
    struct compiler c = compiler_start();
    struct weft_program_reply program = compiler_build_ok(
        &c,
        "kernel void k(global int *a) { local int t[17][17]; local int r[16][16]; local char s[3]; local "
        "double d[5];"
        " int l = get_local_id(0);"
        " r[l][3] = a[l]; t[3][l] = l; s[l % 3] = 1; d[l % 5] = l; barrier(CLK_LOCAL_MEM_FENCE);"
        " a[l] = r[2][l] + t[l][3] + s[0] + (int)d[1]; }",
        "");
    struct weft_kernel_reply first = ask_tier(&c, &program, "k", WEFT_LEVEL_QUICK);
    CHECK_EQ(first.status, WEFT_OK);
    for (int level = WEFT_LEVEL_LANES; level <= WEFT_LEVEL_FULL; level++) {
        struct weft_kernel_reply next = ask(&c, &program, "k", (enum weft_code_level)level, LANES);
        CHECK_EQ(next.status, WEFT_OK);
        CHECK_EQ(load(&first)->local_static_bytes, load(&next)->local_static_bytes);
        CHECK_EQ(load(&first)->vector_width, 1);
        CHECK_EQ(load(&next)->vector_width, LANES);
        weft_kernel_reply_fini(&next);
    }
    weft_kernel_reply_fini(&first);
    weft_program_reply_fini(&program);
    compiler_stop(&c);
}

TEST(frames_of_tails_are_not_added_up)
{
    enum { PRIVATE = 2048 };
    struct compiler c = compiler_start();
    struct weft_program_reply program = compiler_build_ok(
        &c,
        "#define ROUND x = (x ^ y) * 3u + (x >> 5), y = (y + x) * 5u ^ (y >> 7);\n"
        "#define ROUNDS ROUND ROUND ROUND ROUND ROUND ROUND ROUND ROUND\n"
        "#define MANY ROUNDS ROUNDS ROUNDS ROUNDS ROUNDS ROUNDS ROUNDS ROUNDS\n"
        "#define REGION { uint t[512]; for (int k = 0; k < n; k++) t[k & 511] = k * x; MANY x += t[n & 511]; "
        "}\n"
        "#define BARRIER l[get_local_id(0)] = x; barrier(CLK_LOCAL_MEM_FENCE); x = l[get_local_id(0) ^ 1];\n"
        "kernel void six(global uint *p, local uint *l, int n) {\n"
        "  uint x = p[get_global_id(0)], y = x + 1;\n"
        "  REGION BARRIER REGION BARRIER REGION BARRIER REGION BARRIER REGION BARRIER REGION\n"
        "  p[get_global_id(0)] = x + y; }\n",
        "");
    struct weft_kernel_reply six = ask(&c, &program, "six", WEFT_LEVEL_FULL, 2);
    CHECK_EQ(six.status, WEFT_OK);
    const struct weft_kernel_info *info = load(&six);
    CHECK_EQ(info->vector_width, 2);
    CHECK_GE(info->stack_bytes, 3 * PRIVATE);
    CHECK_LT(info->stack_bytes, 4 * PRIVATE);
    weft_kernel_reply_fini(&six);
    weft_program_reply_fini(&program);
    compiler_stop(&c);
}

// Who may write beyond its private arrays runs at a distance from its caller. Whoever surely doesn't, mustn't
// pay for it.
TEST(kernels_that_may_write_beyond_private_arrays_are_known)
{
    static const struct {
        const char *name, *body; // of a kernel with `global int *p, int n`
        uint32_t unsafe_stack_writes;
    } cases[] = {
        {"none", "p[n] = n;", 0},
        {"constants", "int a[4] = {n, 1, 2, n}; a[2] += n; p[0] = a[2] + a[n & 3];", 0},
        {"reading", "int a[8]; for (int k = 0; k < 8; k++) a[k] = p[k]; p[0] = a[n];", 0},
        {"masked", "int a[8]; for (int k = 0; k < 8; k++) a[k] = p[k]; a[n & 7] = n; p[0] = a[p[1] & 7];", 0},
        {"bounded", "int a[100]; for (int k = 0; k < 100; k++) a[k] = p[k]; p[0] = a[n & 63];", 0},
        {"out_of_a_function", "float c, s = sincos((float)n, &c); p[0] = (int)(s + c);", 0},
        {"index", "int a[8]; for (int k = 0; k < 8; k++) a[k] = p[k]; a[n] = n; p[0] = a[p[1] & 7];", 1},
        {"loop", "int a[64]; for (int k = 0; k < n; k++) a[k] = k * p[k]; p[0] = a[n & 63];", 1},
        {"stored", "int a[4] = {n, 1, 2, n}; int *b[2] = {a, a + 2}; b[n & 1][p[0]] = 7; p[0] = a[n & 3];",
         1},
        {"event",
         "clk_event_t e[8]; enqueue_kernel(get_default_queue(), 0, ndrange_1D(1), 0, NULL, &e[n], ^{ p[1] = "
         "n; });",
         1},
        {"of_the_item",
         "int a[8]; for (int k = 0; k < 8; k++) a[k] = p[k]; a[get_global_id(0)] = n; p[0] = a[n];", 1},
        // What the driver is told of a fault lies in arrays, of which each lane has a part.
        {"checked_number", "p[0]++;", 0},
        {"checked_items", "p[get_global_id(0) + p[n]] = n;", 0},
    };
    struct compiler c = compiler_start();
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        for (int level = WEFT_LEVEL_QUICK; level <= WEFT_LEVEL_FULL; level++) {
            char source[512];
            snprintf(source, sizeof source, "kernel void %s(global int *p, int n) { %s }", cases[i].name,
                     cases[i].body);
            const bool checked = strncmp(cases[i].name, "checked", strlen("checked")) == 0;
            struct weft_program_reply program =
                compiler_build_ok(&c, source, checked ? "-weft-check=uninit" : "-cl-std=CL2.0");
            struct weft_kernel_reply reply = ask_tier(&c, &program, cases[i].name, level);
            CHECK_EQ(reply.status, WEFT_OK);
            if (load(&reply)->unsafe_stack_writes != cases[i].unsafe_stack_writes &&
                !(level != WEFT_LEVEL_FULL && !cases[i].unsafe_stack_writes))
                FAIL("%s (level %d): unsafe_stack_writes is not %u", cases[i].name, level,
                     cases[i].unsafe_stack_writes);
            weft_kernel_reply_fini(&reply);
            weft_program_reply_fini(&program);
        }
    compiler_stop(&c);
}

TEST(damaged_bitcode_never_hangs_the_client)
{
    // Each cut of real bitcode gets an answer, or ends the process, which is an answer too.
    struct compiler c = compiler_start();
    struct weft_program_reply program =
        compiler_build_ok(&c, "kernel void k(global int *p) { p[get_global_id(0)] = 1; }\n", "");
    size_t whole = program.program.bitcode_size;
    for (size_t size = 0; size < whole; size += whole / 16) {
        program.program.bitcode_size = size;
        for (int level = WEFT_LEVEL_QUICK; level <= WEFT_LEVEL_FULL; level++) {
            struct weft_kernel_reply reply = ask_tier(&c, &program, "k", level);
            CHECK_NE(reply.status, WEFT_OK);
            weft_kernel_reply_fini(&reply);
        }
    }
    program.program.bitcode_size = whole;
    weft_program_reply_fini(&program);
    compiler_stop(&c);
}
