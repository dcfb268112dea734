// Program-scope variables: initialised once, shared by the kernels of a program, preserved from launch to
// launch in every code variant, not shared with other programs. Through binaries, linking and the disk cache.
// Also the queries.
// timeout: 300
#include "e2e.h"

#include <string.h>
#include <unistd.h>

static const char source[] =
    "typedef struct { char c; global int *at; double d; short s[3]; } record;\n"
    "global int counter = 5;\n"
    "static global uint table[4] = {1, 20, 300, 4000};\n"
    "global ulong big[1000];\n"
    "constant int fixed = 77;\n"
    "constant char text[] = \"hello\";\n"
    "constant int *global to_constant = &fixed;\n"
    "global int *global to_counter = &counter;\n"
    "int *generic_pointer = &counter;\n"
    "global uint *global inside = &table[2];\n"
    "record rec = {'x', &counter, 2.5, {7, -8, 9}};\n"
    "global float4 vec = (float4)(1, 2, 3, 4);\n"
    "const int never_changes = 6;\n"
    "constant char *global string = text + 1;\n"
    "global atomic_int total = ATOMIC_VAR_INIT(3);\n"
    "global int *constant constant_pointer = &counter;\n"
    "global ulong *constant to_zeros[2] = {big, &big[999]};\n"
    "constant int *constant chain = &fixed;\n"
    "constant int *constant *constant longer_chain = &chain;\n"
    "typedef struct ring { global struct ring *next; long number; } ring;\n"
    "extern global ring second;\n"
    "global ring first = {&second, 30000};\n"
    "global ring second = {&first, 400000};\n"
    "global ring alone = {&alone, 5000000};\n"
    "typedef struct fixed_ring { constant struct fixed_ring *next; long number; } fixed_ring;\n"
    "extern constant fixed_ring fixed_second;\n"
    "constant fixed_ring fixed_first = {&fixed_second, 60000000};\n"
    "constant fixed_ring fixed_second = {&fixed_first, 700000000};\n"
    "kernel void read(global long *out)\n"
    "{\n"
    "    if (get_global_id(0))\n"
    "        return;\n"
    "    static int calls;\n"
    "    out[0] = counter;\n"
    "    out[1] = table[0] + table[1] + table[2] + table[3];\n"
    "    out[2] = (long)big[999];\n"
    "    out[3] = *to_constant + (to_constant == &fixed) * 1000;\n"
    "    out[4] = *to_counter + *generic_pointer + *rec.at;\n"
    "    out[5] = *inside;\n"
    "    out[6] = (long)(rec.d * 2) + rec.s[1] + rec.c;\n"
    "    out[7] = (long)(vec.x + vec.y + vec.z + vec.w);\n"
    "    out[8] = never_changes + *string;\n"
    "    out[9] = ++calls;\n"
    "    out[10] = atomic_load(&total);\n"
    "    out[11] = *constant_pointer + (long)*to_zeros[get_global_size(0) > 1] + **longer_chain;\n"
    "    out[12] = first.next->number + first.next->next->number + alone.next->next->number;\n"
    "    out[12] += fixed_first.next->number + fixed_first.next->next->number;\n"
    "    out[13] = (long)&counter;\n"
    "}\n"
    "kernel void write(int by)\n"
    "{\n"
    "    size_t i = get_global_id(0);\n"
    "    if (i < 1000)\n"
    "        big[i] += i * (ulong)by;\n"
    "    atomic_fetch_add_explicit(&total, 1, memory_order_relaxed, memory_scope_device);\n"
    "    if (i == 0) {\n"
    "        counter += by;\n"
    "        table[2]++;\n"
    "        vec.w *= 2;\n"
    "        inside = &table[3];\n"
    "    }\n"
    "}\n";

enum { RESULTS = 14, ITEMS = 1000 };

struct pair {
    cl_kernel read, write;
    cl_mem out;
};

static struct pair pair_of(struct e2e *t, cl_program p)
{
    cl_int error = 1;
    struct pair k;
    k.read = clCreateKernel(p, "read", &error);
    CHECK_EQ(error, CL_SUCCESS);
    k.write = clCreateKernel(p, "write", &error);
    CHECK_EQ(error, CL_SUCCESS);
    k.out = e2e_buffer(t, RESULTS * sizeof(cl_long), NULL);
    E2E_ARG(k.read, 0, k.out);
    return k;
}

static void release(struct pair *k)
{
    CHECK_EQ(clReleaseKernel(k->read), CL_SUCCESS);
    CHECK_EQ(clReleaseKernel(k->write), CL_SUCCESS);
    CHECK_EQ(clReleaseMemObject(k->out), CL_SUCCESS);
}

// What `read` sees after `writes` launches of `write`, in its call number `call`.
static cl_long check(struct e2e *t, struct pair *k, int writes, int by, int call)
{
    cl_long got[RESULTS], counter = 5 + (cl_long)writes * by;
    const cl_long want[RESULTS - 1] = {counter,
                                       4321 + writes,
                                       999 * (cl_long)writes * by,
                                       1077,
                                       3 * counter,
                                       writes ? 4000 : 300,
                                       5 - 8 + 'x',
                                       6 + (4 << writes),
                                       6 + 'e',
                                       call,
                                       3 + (cl_long)writes * ITEMS,
                                       counter + 999 * (cl_long)writes * by + 77,
                                       765430000};
    e2e_run(t, k->read, 64, NULL);
    e2e_read(t, k->out, sizeof got, got);
    for (int i = 0; i < RESULTS - 1; i++)
        if (got[i] != want[i])
            FAIL("after %d writes, result %d: %lld, not %lld", writes, i, (long long)got[i],
                 (long long)want[i]);
    return got[RESULTS - 1];
}

static void go(struct e2e *t, cl_program p)
{
    struct pair k = pair_of(t, p);
    const cl_int by = 11;
    E2E_ARG(k.write, 0, by);
    cl_long where = check(t, &k, 0, by, 1);
    // Enough launches of both kernels for better code to be used.
    for (int n = 1; n <= 20; n++) {
        e2e_run(t, k.write, ITEMS, NULL);
        CHECK_EQ(check(t, &k, n, by, n + 1), where);
        usleep(n < 10 ? 20000 : 0);
    }
    release(&k);
}

TEST(they_are_kept_and_shared)
{
    struct e2e t = e2e_open();
    cl_program p = e2e_build(&t, source, "-cl-std=CL3.0");
    go(&t, p);
    CHECK_EQ(clReleaseProgram(p), CL_SUCCESS);
    e2e_close(&t);
}

TEST(in_the_best_code_only)
{
    CHECK_EQ(setenv("WEFT_TIER", "2", 1), 0);
    struct e2e t = e2e_open();
    cl_program p = e2e_build(&t, source, "-cl-std=CL3.0");
    go(&t, p);
    CHECK_EQ(clReleaseProgram(p), CL_SUCCESS);
    e2e_close(&t);
}

TEST(without_optimisation)
{
    struct e2e t = e2e_open();
    cl_program p = e2e_build(&t, source, "-cl-std=CL3.0 -cl-opt-disable");
    go(&t, p);
    CHECK_EQ(clReleaseProgram(p), CL_SUCCESS);
    e2e_close(&t);
}

TEST(each_program_and_each_build_has_its_own)
{
    struct e2e t = e2e_open();
    cl_program p[2] = {e2e_build(&t, source, "-cl-std=CL3.0"), e2e_build(&t, source, "-cl-std=CL3.0")};
    struct pair k[2] = {pair_of(&t, p[0]), pair_of(&t, p[1])};
    const cl_int by = 3;
    E2E_ARG(k[0].write, 0, by);
    e2e_run(&t, k[0].write, ITEMS, NULL);
    cl_long first = check(&t, &k[0], 1, by, 1), second = check(&t, &k[1], 0, by, 1);
    CHECK(first != second);
    release(&k[0]);
    release(&k[1]);
    CHECK_EQ(clBuildProgram(p[0], 1, &t.device, "-cl-std=CL3.0", NULL, NULL), CL_SUCCESS);
    go(&t, p[0]); // as at the beginning
    CHECK_EQ(clReleaseProgram(p[0]), CL_SUCCESS);
    CHECK_EQ(clReleaseProgram(p[1]), CL_SUCCESS);
    e2e_close(&t);
}

TEST(binaries_have_them)
{
    struct e2e t = e2e_open();
    cl_program p = e2e_build(&t, source, "-cl-std=CL3.0");
    for (int with_code = 0; with_code < 2; with_code++) {
        if (with_code)
            go(&t, p);
        size_t size = 0;
        CHECK_EQ(clGetProgramInfo(p, CL_PROGRAM_BINARY_SIZES, sizeof size, &size, NULL), CL_SUCCESS);
        unsigned char *bytes = malloc(size);
        CHECK(bytes != NULL);
        CHECK_EQ(clGetProgramInfo(p, CL_PROGRAM_BINARIES, sizeof bytes, &bytes, NULL), CL_SUCCESS);
        cl_int error = 1, status = 1;
        cl_program again = clCreateProgramWithBinary(t.context, 1, &t.device, &size,
                                                     (const unsigned char **)&bytes, &status, &error);
        CHECK_EQ(error, CL_SUCCESS);
        CHECK_EQ(status, CL_SUCCESS);
        CHECK_EQ(clBuildProgram(again, 1, &t.device, NULL, NULL, NULL), CL_SUCCESS);
        go(&t, again);
        CHECK_EQ(clReleaseProgram(again), CL_SUCCESS);
        free(bytes);
    }
    CHECK_EQ(clReleaseProgram(p), CL_SUCCESS);
    e2e_close(&t);
}

TEST(linked_programs_share_them)
{
    static const char *const parts[] = {
        "global int shared_one = 4; extern global int other; int get(void) { return other; }\n"
        "kernel void first(global int *o) { o[0] = ++shared_one; o[1] = get(); }",
        "extern global int shared_one; global int other = 9;\n"
        "kernel void second(global int *o) { o[0] = shared_one; o[1] = ++other; }"};
    struct e2e t = e2e_open();
    cl_program compiled[2];
    for (int i = 0; i < 2; i++) {
        compiled[i] = e2e_program(&t, parts[i]);
        CHECK_EQ(clCompileProgram(compiled[i], 1, &t.device, "-cl-std=CL3.0", 0, NULL, NULL, NULL, NULL),
                 CL_SUCCESS);
    }
    cl_int error = 1;
    cl_program p = clLinkProgram(t.context, 1, &t.device, NULL, 2, compiled, NULL, NULL, &error);
    CHECK_EQ(error, CL_SUCCESS);
    cl_mem out = e2e_buffer(&t, 8, NULL);
    cl_kernel k[2] = {clCreateKernel(p, "first", &error), clCreateKernel(p, "second", &error)};
    CHECK_EQ(error, CL_SUCCESS);
    for (int n = 1; n < 4; n++) {
        for (int i = 0; i < 2; i++) {
            cl_int got[2];
            E2E_ARG(k[i], 0, out);
            e2e_run(&t, k[i], 1, NULL);
            e2e_read(&t, out, sizeof got, got);
            CHECK_EQ(got[0], 4 + n);
            CHECK_EQ(got[1], 9 + n - (i == 0));
        }
    }
    CHECK_EQ(clReleaseMemObject(out), CL_SUCCESS);
    for (int i = 0; i < 2; i++) {
        CHECK_EQ(clReleaseKernel(k[i]), CL_SUCCESS);
        CHECK_EQ(clReleaseProgram(compiled[i]), CL_SUCCESS);
    }
    CHECK_EQ(clReleaseProgram(p), CL_SUCCESS);
    e2e_close(&t);
}

// Two programs whose kernels differ only in the place of a variable.
TEST(kernels_that_differ_in_places_have_different_code)
{
    struct e2e t = e2e_open();
    static const char *const sources[] = {
        "global int a = 1, b = 2; kernel void k(global int *o) { o[0] = b; }",
        "global int c[40] = {9}, a = 1, b = 3; kernel void k(global int *o) { o[0] = b; }",
        "global int a = 1, b = 4; kernel void k(global int *o) { o[0] = b; }"};
    for (int i = 0; i < 3; i++) {
        cl_kernel k = e2e_kernel(&t, sources[i], "-cl-std=CL3.0", "k");
        cl_mem out = e2e_buffer(&t, 4, NULL);
        cl_int got = 0;
        E2E_ARG(k, 0, out);
        e2e_run(&t, k, 1, NULL);
        e2e_read(&t, out, sizeof got, &got);
        CHECK_EQ(got, 2 + i);
        CHECK_EQ(clReleaseMemObject(out), CL_SUCCESS);
        CHECK_EQ(clReleaseKernel(k), CL_SUCCESS);
    }
    e2e_close(&t);
}

TEST(blocks_are_among_them)
{
    struct e2e t = e2e_open();
    cl_kernel k = e2e_kernel(&t,
                             "int (^const plus)(int) = ^(int x) { return x + 7; };\n"
                             "kernel void k(global int *o)\n"
                             "{\n"
                             "    int i = (int)get_global_id(0), n = o[i];\n"
                             "    int (^times)(int) = ^(int x) { return x * n + i; };\n"
                             "    o[i] = plus(times(3)) + ^(int x) { return x - i; }(n);\n"
                             "}\n",
                             "-cl-std=CL2.0", "k");
    cl_int data[40];
    for (int i = 0; i < 40; i++)
        data[i] = 100 - i;
    cl_mem m = e2e_buffer(&t, sizeof data, data);
    E2E_ARG(k, 0, m);
    e2e_run(&t, k, 40, NULL);
    e2e_read(&t, m, sizeof data, data);
    for (int i = 0; i < 40; i++)
        CHECK_EQ(data[i], 3 * (100 - i) + i + 7 + 100 - i - i);
    CHECK_EQ(clReleaseMemObject(m), CL_SUCCESS);
    CHECK_EQ(clReleaseKernel(k), CL_SUCCESS);
    e2e_close(&t);
}

TEST(a_program_may_have_more_than_is_ever_touched)
{
    struct e2e t = e2e_open();
    cl_kernel k =
        e2e_kernel(&t,
                   "#define FOUR(x) global char x##0[1 << 26], x##1[1 << 26], x##2[1 << 26], x##3[1 << 26];\n"
                   "FOUR(a) FOUR(b) FOUR(c) FOUR(d)\n"
                   "kernel void k(global int *o) { o[0] = ++a0[5] + ++d3[(1 << 26) - 1] + b2[1 << 20]; }",
                   "-cl-std=CL3.0", "k");
    cl_mem out = e2e_buffer(&t, 4, NULL);
    cl_int got = 0;
    E2E_ARG(k, 0, out);
    for (int n = 1; n < 4; n++) {
        e2e_run(&t, k, 1, NULL);
        e2e_read(&t, out, sizeof got, &got);
        CHECK_EQ(got, 2 * n);
    }
    CHECK_EQ(clReleaseMemObject(out), CL_SUCCESS);
    CHECK_EQ(clReleaseKernel(k), CL_SUCCESS);
    e2e_close(&t);
}

TEST(the_queries_say_how_much)
{
    struct e2e t = e2e_open();
    size_t most = 0, total = 0, preferred = 0;
    CHECK_EQ(clGetDeviceInfo(t.device, CL_DEVICE_MAX_GLOBAL_VARIABLE_SIZE, sizeof most, &most, NULL),
             CL_SUCCESS);
    CHECK(most >= 65536);
    CHECK_EQ(clGetDeviceInfo(t.device, CL_DEVICE_GLOBAL_VARIABLE_PREFERRED_TOTAL_SIZE, sizeof preferred,
                             &preferred, NULL),
             CL_SUCCESS);
    CHECK(preferred > 0);
    cl_program p = e2e_build(&t, source, "-cl-std=CL3.0");
    CHECK_EQ(clGetProgramBuildInfo(p, t.device, CL_PROGRAM_BUILD_GLOBAL_VARIABLE_TOTAL_SIZE, sizeof total,
                                   &total, NULL),
             CL_SUCCESS);
    CHECK(total >= 8000 + 4 + 16 + 8 * 5 + 32 + 16 + 4 && total < 10000);
    CHECK_EQ(clReleaseProgram(p), CL_SUCCESS);
    p = e2e_build(&t, "kernel void k(global int *o) { o[0] = 1; }", "-cl-std=CL3.0");
    CHECK_EQ(clGetProgramBuildInfo(p, t.device, CL_PROGRAM_BUILD_GLOBAL_VARIABLE_TOTAL_SIZE, sizeof total,
                                   &total, NULL),
             CL_SUCCESS);
    CHECK_EQ(total, 0);
    CHECK_EQ(clReleaseProgram(p), CL_SUCCESS);
    char large[200];
    snprintf(large, sizeof large, "global char a[%zu]; kernel void k(global int *o) { o[0] = a[o[1]]; }",
             most + 1);
    p = e2e_program(&t, large);
    CHECK_EQ(clBuildProgram(p, 1, &t.device, "-cl-std=CL3.0", NULL, NULL), CL_BUILD_PROGRAM_FAILURE);
    CHECK(strstr(e2e_log(&t, p), "CL_DEVICE_MAX_GLOBAL_VARIABLE_SIZE") != NULL);
    CHECK_EQ(clReleaseProgram(p), CL_SUCCESS);
    e2e_close(&t);
}
