// Corner cases of the kernel language in whole programs. Each work-item must get the result of the same
// computation on the host, in every version that has the feature, with and without optimisation.
// timeout: 240
#include "e2e.h"

enum { ITEMS = 16 };

static const char *const c_versions[] = {"-cl-std=CL1.1", "-cl-std=CL1.2", "-cl-std=CL2.0", "-cl-std=CL3.0"};
static const char *const late_versions[] = {"-cl-std=CL2.0", "-cl-std=CL3.0"};
static const char *const cpp_versions[] = {"-cl-std=CLC++1.0", "-cl-std=CLC++2021"};

// Runs the program's kernel k(global int *out) on one work-group.
static void run_all(const char *const *versions, size_t count, const char *source, int (*want)(int i))
{
    struct e2e t = e2e_open();
    for (size_t v = 0; v < 2 * count; v++) {
        char options[64];
        snprintf(options, sizeof options, "%s %s", versions[v / 2], v % 2 ? "-cl-opt-disable" : "");
        cl_kernel k = e2e_kernel(&t, source, options, "k");
        cl_int out[ITEMS] = {0};
        const size_t local = ITEMS;
        cl_mem m = e2e_buffer(&t, sizeof out, out);
        E2E_ARG(k, 0, m);
        e2e_run(&t, k, ITEMS, &local);
        e2e_read(&t, m, sizeof out, out);
        for (int i = 0; i < ITEMS; i++)
            if (out[i] != want(i))
                FAIL("%s: work-item %d: %d, not %d: %s", options, i, out[i], want(i), source);
        CHECK_EQ(clReleaseMemObject(m), CL_SUCCESS);
        CHECK_EQ(clReleaseKernel(k), CL_SUCCESS);
    }
    e2e_close(&t);
}

#define RUN(versions, source, want) run_all(versions, sizeof versions / sizeof *versions, source, want)

static int into_a_loop(int i)
{
    int n = 0, s = 0;
    if (i & 1)
        goto in;
    for (n = 3; n < 10; n++) {
        s += n;
    in:
        s += 100;
        if (s > 700)
            goto out;
    }
out:
    return s * 16 + n;
}

TEST(a_goto_into_a_loop)
{
    RUN(c_versions,
        "kernel void k(global int *o)\n{\n    int i = get_global_id(0), n = 0, s = 0;\n    if (i & 1) goto "
        "in;\n"
        "    for (n = 3; n < 10; n++) {\n        s += n;\n    in:\n        s += 100;\n"
        "        if (s > 700) goto out;\n    }\nout:\n    o[i] = s * 16 + n;\n}\n",
        into_a_loop);
}

static int duff(int i)
{
    unsigned s = 0;
    int c = i + 1, n = (c + 3) / 4;
    switch (c % 4) {
        do {
        case 0:
            s = s * 3 + 1; // fall through
        case 3:
            s = s * 3 + 2; // fall through
        case 2:
            s = s * 3 + 3; // fall through
        case 1:
            s = s * 3 + 4;
        } while (--n > 0);
    }
    return (int)s;
}

TEST(a_switch_into_a_loop)
{
    RUN(c_versions,
        "kernel void k(global int *o)\n{\n    int i = get_global_id(0), c = i + 1, n = (c + 3) / 4, s = 0;\n"
        "    switch (c % 4) {\n    case 0: do { s = s * 3 + 1;\n    case 3: s = s * 3 + 2;\n"
        "    case 2: s = s * 3 + 3;\n    case 1: s = s * 3 + 4; } while (--n > 0);\n    }\n    o[i] = "
        "s;\n}\n",
        duff);
}

// Barriers in the cases of a switch; some cases fall through.
static int switched(int i)
{
    int l[ITEMS], s[ITEMS];
    for (int k = 0; k < ITEMS; k++)
        s[k] = (k + 1) % ITEMS + 300;
    for (int k = 0; k < ITEMS; k++)
        l[k] = s[k];
    for (int k = 0; k < ITEMS; k++)
        s[k] += l[15 - k] * 3 + 100 + l[15 - k] * 4 + 1;
    return s[i];
}

TEST(barriers_in_a_switch_in_a_loop)
{
    RUN(c_versions,
        "kernel void k(global int *o)\n{\n    local int l[16];\n    int i = get_local_id(0), s = 0;\n"
        "    for (int r = 0; r < 6; r++) {\n        switch (r) {\n"
        "        case 0: l[i] = i; barrier(1); s += l[(i + 1) % 16]; break;\n"
        "        case 3: barrier(1); l[i] = s;\n"
        "        case 4: barrier(1); s += l[15 - i] * r; if (r == 4) continue; break;\n"
        "        default: if (r == 5) { barrier(1); s += 1; goto end; }\n        }\n        s += 100;\n    "
        "}\n"
        "end:\n    barrier(1);\n    o[i] = s;\n}\n",
        switched);
}

static int tapped(int i)
{
    static const int first[] = {1, 0, 0, 9}, third[] = {3, 7, 0, 0}, y[] = {5, -2, 0, 0},
                     letter[] = {'l', 'r', 0, 'l'};
    return first[i % 4] + third[i % 4] * 10 + y[i % 4] * 100 + letter[i % 4] * 1000 + 400000;
}

TEST(constant_arrays_of_structs_with_pointers)
{
    RUN(c_versions,
        "typedef struct { float w[3]; int2 off; constant char *name; } tap;\n"
        "constant char a[] = \"hello\";\nconstant char b[] = \"wo\\x72ld\";\n"
        "constant tap taps[] = {{{1, 2, 3}, {4, 5}, a}, {.w = {[2] = 7}, .off = (int2)(-1, -2), .name = b},\n"
        "                       [3] = {.w = {9}, .name = a + 1}};\n"
        "constant int n = sizeof taps / sizeof taps[0];\n"
        "kernel void k(global int *o)\n{\n    int i = get_global_id(0);\n    constant tap *t = &taps[i % "
        "n];\n"
        "    o[i] = (int)t->w[0] + (int)t->w[2] * 10 + t->off.y * 100 + (t->name ? t->name[2] : 0) * 1000 +\n"
        "           n * 100000;\n}\n",
        tapped);
}

static int pointed(int i)
{
    return (i % 3 == 0 ? 100 + i : i % 3 == 1 ? i : (i & 3) + 1) + (i % 3 + 1) * 1000 + 80;
}

TEST(generic_pointers_that_differ_between_work_items)
{
    RUN(late_versions,
        "int get(const int *p) { return *p; }\n"
        "int which(int *p) { return to_global(p) ? 1 : to_local(p) ? 2 : to_private(p) ? 3 : 0; }\n"
        "void bump(int *p, int n) { for (int i = 0; i < n; i++) p[i] += i + 1; }\n"
        "global int g[16];\n"
        "kernel void k(global int *o)\n{\n    local int l[16];\n    int own[4] = {1, 2, 3, 4}, i = "
        "get_local_id(0);\n"
        "    l[i] = i;\n    g[i] = 100 + i;\n    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);\n"
        "    int *p = i % 3 == 0 ? (int *)(g + i) : i % 3 == 1 ? (int *)&l[i] : &own[i & 3];\n"
        "    int found = get(p) + which(p) * 1000;\n    barrier(1);\n    bump(own, 4);\n"
        "    o[i] = found + own[3] * 10;\n}\n",
        pointed);
}

static int nested(int i)
{
    return 5 * (1 + i + 1) + 10;
}

TEST(blocks_in_blocks_with_captures)
{
    RUN(late_versions,
        "kernel void k(global int *o)\n{\n    int i = get_global_id(0);\n    float3 v = (float3)(i, 1, 2);\n"
        "    struct { int a[2]; uchar c; } s = {{i, i + 1}, 3};\n"
        "    int (^outer)(int) = ^(int x) {\n        int y = x + s.a[1];\n"
        "        int (^inner)(int) = ^(int z) { return z * y + (int)v.z + s.c; };\n"
        "        return inner(2) + inner(3);\n    };\n    o[i] = outer(1);\n}\n",
        nested);
}

static int folded(int i)
{
    return 6 + i + 13 + 2 * i + 7 + 2 * i + 120 + i * 3 + 1;
}

TEST(generic_lambdas_fold_expressions_and_static_inheritance)
{
    RUN(cpp_versions,
        "template<typename... T> auto sum(T... t) { return (t + ...); }\n"
        "template<int N> struct F { enum { v = F<N - 1>::v * N }; };\ntemplate<> struct F<0> { enum { v = 1 "
        "}; };\n"
        "template<class D> struct Op { int run(int x) const { return static_cast<const D *>(this)->f(x) + 1; "
        "} };\n"
        "struct A : Op<A> { int times = 3; int f(int x) const { return x * times; } };\n"
        "kernel void k(global int *o)\n{\n    int i = get_global_id(0), all = 0;\n"
        "    auto add = [i](auto a, auto b) { return a + b + i; };\n"
        "    auto twice = [](auto f, int x) { return f(f(x, 1), 2); };\n"
        "    auto more = [&all](int d) mutable { all += d; return all; };\n    more(3);\n    more(4);\n    A "
        "a;\n"
        "    o[i] = sum(1, 2, 3, i) + twice(add, 10) + all + [=] { return i * 2; }() + F<5>::v + "
        "a.run(i);\n}\n",
        folded);
}

static int ordered(int i)
{
    (void)i;
    return 125364;
}

TEST(constructors_and_destructors_run_in_their_order)
{
    RUN(cpp_versions,
        "struct T {\n    int id;\n    global int *o;\n    T(int i, global int *p) : id(i), o(p) { *o = *o * "
        "10 + id; }\n"
        "    ~T() { *o = *o * 10 + id + 3; }\n};\n"
        "kernel void k(global int *o)\n{\n    global int *p = o + get_global_id(0);\n    {\n        T a(1, "
        "p);\n"
        "        {\n            T b(2, p);\n        }\n        T c(3, p);\n        if (*p > 0)\n            "
        "return;\n    }\n"
        "    *p = 0;\n}\n",
        ordered);
}

static int inlined(int i)
{
    return i + 7;
}

// C99 emits no code for an inline function without another declaration. But the host must be able to call
// such kernels.
TEST(inline_kernels)
{
    static const char *const words[] = {"inline kernel", "kernel inline", "__kernel __inline",
                                        "kernel void k(global int *o);\ninline kernel",
                                        "inline kernel void k(global int *o);\nkernel"};
    for (size_t w = 0; w < sizeof words / sizeof *words; w++) {
        char source[256];
        snprintf(source, sizeof source,
                 "%s void k(global int *o) { int i = get_global_id(0); o[i] = i + 7; }\n", words[w]);
        RUN(c_versions, source, inlined);
        RUN(cpp_versions, source, inlined);
    }
    RUN(cpp_versions,
        "namespace n { extern \"C\" { inline kernel void k(global int *o) { o[get_global_id(0)] = "
        "get_global_id(0) + 7; } } }\n",
        inlined);
}

TEST(an_inline_kernel_that_another_calls)
{
    RUN(c_versions,
        "inline kernel void f(global int *o, int n) { o[get_global_id(0)] = n; }\n"
        "kernel void k(global int *o) { f(o, get_global_id(0) + 7); }\n",
        inlined);
}
