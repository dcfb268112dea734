// Sources and options that are meant to do harm. Each build ends with a message that names the error, and the
// next build works.
// timeout: 300
// env: WEFT_CACHE=0
#include <sys/stat.h>

#include "e2e/compiler_processes.h"

// A program that was built may be run, and its kernels end.
static void run(struct e2e *t, cl_program p)
{
    static const int zeros[16];
    const size_t one = 1;
    cl_int error = 1;
    cl_kernel k = clCreateKernel(p, "f", &error);
    cl_mem m = e2e_buffer(t, sizeof zeros, zeros);
    if (k && clSetKernelArg(k, 0, sizeof m, &m) == CL_SUCCESS)
        clEnqueueNDRangeKernel(t->queue, k, 1, NULL, &one, NULL, 0, NULL, NULL);
    CHECK_EQ(clFinish(t->queue), CL_SUCCESS);
    CHECK_EQ(clReleaseMemObject(m), CL_SUCCESS);
    if (k)
        CHECK_EQ(clReleaseKernel(k), CL_SUCCESS);
}

// The build fails with this word in its log. NULL: any result is allowed, but the build must end.
static void build(struct e2e *t, const char *source, const char *options, const char *word)
{
    cl_program p = e2e_program(t, source);
    cl_int error = clBuildProgram(p, 1, &t->device, options, NULL, NULL);
    if (error != CL_SUCCESS && error != CL_BUILD_PROGRAM_FAILURE)
        FAIL("clBuildProgram: %d", error);
    if (word) {
        if (error != CL_BUILD_PROGRAM_FAILURE || !strstr(e2e_log(t, p), word))
            FAIL("%.100s: %d, %s", source, error, e2e_log(t, p));
    }
    if (error != CL_SUCCESS && strlen(e2e_log(t, p)) < 10)
        FAIL("the log says nothing: '%s'", e2e_log(t, p));
    if (error == CL_SUCCESS)
        run(t, p);
    CHECK_EQ(clReleaseProgram(p), CL_SUCCESS);
}

TEST(files_without_an_end_are_not_read)
{
    struct e2e t = e2e_open();
    char folder[] = "/tmp/weft-test-XXXXXX", source[300], pipe_path[64], self[64], option[64];
    CHECK(mkdtemp(folder) != NULL);
    snprintf(pipe_path, sizeof pipe_path, "%s/pipe.h", folder);
    snprintf(self, sizeof self, "%s/self.h", folder);
    snprintf(option, sizeof option, "-I %s", folder);
    CHECK_EQ(mkfifo(pipe_path, 0600), 0);
    FILE *f = fopen(self, "w");
    CHECK(f != NULL);
    fputs("#include \"self.h\"\n", f);
    fclose(f);
    double begin = harness_seconds();
    build(&t, "#include \"/dev/zero\"\nkernel void f(void) {}\n", "", "/dev/zero");
    build(&t, "#include </dev/stdin>\nkernel void f(void) {}\n", "", "/dev/stdin");
    build(&t, "#include \"pipe.h\"\nkernel void f(void) {}\n", option, "pipe.h");
    snprintf(source, sizeof source, "#include \"%s\"\nkernel void f(void) {}\n", pipe_path);
    build(&t, source, "", "pipe.h");
    build(&t, "#include \"self.h\"\nkernel void f(void) {}\n", option, "self.h");
    snprintf(source, sizeof source, "#include \"%s\"\nkernel void f(void) {}\n", folder);
    build(&t, source, "", folder);
    CHECK_LT(harness_seconds() - begin, 120); // much shorter than WEFT_BUILD_TIMEOUT
    unlink(pipe_path);
    unlink(self);
    CHECK_EQ(rmdir(folder), 0);
    e2e_works(&t, "-DAFTER");
}

// Code that isn't OpenCL C and would run outside of a kernel, or do what a kernel can't.
TEST(assembly_is_refused)
{
    struct e2e t = e2e_open();
    build(&t, "kernel void f(global int *p) { __asm__ volatile(\"syscall\"); p[0] = 1; }", "", "assembly");
    build(&t, "__asm__(\".incbin \\\"/etc/passwd\\\"\");\nkernel void f(global int *p) { p[0] = 1; }", "",
          "assembly");
    build(&t, "kernel void f(global int *p) { __asm__ goto(\"jmp %l0\" ::::away); away: p[0] = 1; }", "",
          "assembly");
    build(&t, "kernel void f(global int *p) { __builtin_abort(); }", "", "abort");
    build(&t,
          "__attribute__((ifunc(\"r\"))) int g(int);\nvoid *r(void) { return 0; }\n"
          "kernel void f(global int *p) { p[0] = g(1); }",
          "", NULL);
    build(&t,
          "__attribute__((constructor)) void c(void) { *(volatile global int *)16 = 1; }\n"
          "kernel void f(global int *p) { p[0] = 1; }",
          "", NULL);
    build(&t,
          "__attribute__((section(\".init_array\"), used)) constant ulong x = 0x1234;\n"
          "kernel void f(global int *p) { p[0] = (int)x; }",
          "", NULL);
    e2e_works(&t, "-DAFTER");
}

// A constructor, or a function pointer in .init_array, would run when the code is loaded. No fault is caught
// there.
TEST(nothing_runs_when_code_is_loaded)
{
    struct e2e t = e2e_open();
    cl_kernel k = e2e_kernel(&t,
                             "__attribute__((constructor)) void c(void) { *(volatile global int *)16 = 1; }\n"
                             "__attribute__((destructor)) void d(void) { *(volatile global int *)16 = 1; }\n"
                             "__attribute__((section(\".init_array\"), used)) constant ulong x = 0x1234;\n"
                             "__attribute__((section(\".fini_array\"), used)) constant ulong y = 0x1234;\n"
                             "kernel void f(global int *p) { p[get_global_id(0)] = (int)(x + y); }",
                             "", "f");
    int got[4] = {0};
    cl_mem m = e2e_buffer(&t, sizeof got, got);
    E2E_ARG(k, 0, m);
    e2e_run(&t, k, 4, NULL);
    e2e_read(&t, m, sizeof got, got);
    CHECK_EQ(got[3], 0x2468);
    CHECK_EQ(clReleaseKernel(k), CL_SUCCESS);
    e2e_close(&t);
}

TEST(bombs_end)
{
    setenv("WEFT_BUILD_TIMEOUT", "15", 1);
    setenv("WEFT_BUILD_MEMORY", "1500", 1);
    struct e2e t = e2e_open();
    build(&t, "#pragma clang __debug crash\nkernel void f(void) {}\n", "", "ompiler");
    build(&t, "#pragma clang __debug overflow_stack\nkernel void f(void) {}\n", "", NULL);
    build(&t, "#pragma clang __debug llvm_fatal_error\nkernel void f(void) {}\n", "", NULL);
    build(&t, "#pragma clang __debug parser_crash\nkernel void f(void) {}\n", "", NULL);
    build(&t,
          "template<int N> struct A { enum { v = A<N - 1>::v + A<N - 2>::v }; };\n"
          "kernel void f(global int *p) { p[0] = A<100000000>::v; }",
          "-cl-std=CLC++", "");
    build(&t,
          "constexpr int g(int n) { int s = 0; for (int i = 0; i >= 0; i = 1) s ^= i; return s; }\n"
          "constant int x = g(3);\nkernel void f(global int *p) { p[0] = x; }",
          "-cl-std=CLC++", NULL);
    build(&t, "kernel void f(global int *p) { private int a[1ul << 60]; p[0] = a[p[1]]; }", "", "");
    build(&t, "kernel void f(global int *p) { local int a[1ul << 40]; p[0] = a[p[1]]; }", "", "");
    build(&t, "constant char huge[1ul << 33] = {1};\nkernel void f(global int *p) { p[0] = huge[p[1]]; }", "",
          NULL);
    e2e_works(&t, "-DAFTER");
}

TEST(random_bytes_are_no_program)
{
    struct e2e t = e2e_open();
    static const char valid[] =
        "#define N 4\nkernel void f(global float4 *p, constant int *q, local uint *l) { size_t i = "
        "get_global_id(0);"
        " for (int n = 0; n < N; n++) p[i].xy += convert_float2((int2)(q[n], 3)) * native_sin(0.5f);"
        " barrier(CLK_LOCAL_MEM_FENCE); atomic_add(&l[0], 7u); if (i & 1) printf(\"%d\\n\", q[0]); }";
    uint64_t seed = 20251122;
    for (int round = 0; round < HARNESS_SCALE(200); round++) {
        char text[sizeof valid + 4096];
        size_t n;
        if (round % 2) {
            n = 1 + harness_random(&seed) % 4096;
            for (size_t i = 0; i < n; i++)
                text[i] = (char)harness_random(&seed);
        } else {
            n = sizeof valid - 1;
            memcpy(text, valid, n);
            for (uint64_t changes = 1 + harness_random(&seed) % 8; changes; changes--)
                text[harness_random(&seed) % n] = (char)(32 + harness_random(&seed) % 95);
            if (round % 8 == 0)
                n = 1 + harness_random(&seed) % n;
        }
        const char *source = text;
        cl_int error = 1;
        cl_program p = clCreateProgramWithSource(t.context, 1, &source, &n, &error);
        CHECK_EQ(error, CL_SUCCESS);
        error = clBuildProgram(p, 1, &t.device, "-w", NULL, NULL);
        if (error != CL_SUCCESS && error != CL_BUILD_PROGRAM_FAILURE)
            FAIL("round %d: %d\n%s", round, error, e2e_log(&t, p));
        if (strstr(e2e_log(&t, p), "--replay"))
            FAIL("round %d: the compiler did not survive:\n%s", round, e2e_log(&t, p));
        CHECK_EQ(clReleaseProgram(p), CL_SUCCESS);
    }
    e2e_works(&t, "-DAFTER");
}

TEST(options_that_reach_too_far_are_refused)
{
    static const char *const bad[] = {"-Xclang -load -Xclang x.so",
                                      "-Xclang",
                                      "-mllvm -print-after-all",
                                      "-mllvm=-x",
                                      "-fplugin=x.so",
                                      "-fpass-plugin=x.so",
                                      "-load x.so",
                                      "-plugin x",
                                      "-add-plugin x",
                                      "-o /tmp/out",
                                      "-o/tmp/out",
                                      "-include x.h",
                                      "-imacros x.h",
                                      "@file",
                                      "@/etc/passwd",
                                      "-x c++",
                                      "-xc",
                                      "-S",
                                      "-c",
                                      "-E",
                                      "-emit-llvm",
                                      "-MD",
                                      "-MF x",
                                      "-dependency-file x",
                                      "-serialize-diagnostics x",
                                      "-save-temps",
                                      "-fmodules",
                                      "-fmodule-file=x",
                                      "-fmodules-cache-path=x",
                                      "-include-pch x",
                                      "-fprofile-instr-generate=x",
                                      "-fsanitize=address",
                                      "-fcrash-diagnostics-dir=x",
                                      "-gen-reproducer",
                                      "-working-directory=x",
                                      "-resource-dir x",
                                      "--sysroot=/",
                                      "-isystem x",
                                      "-iquote x",
                                      "-idirafter x",
                                      "-B x",
                                      "--config=x",
                                      "-cc1",
                                      "-cc1as",
                                      "-main-file-name x",
                                      "-target x",
                                      "-triple x",
                                      "-target-cpu x",
                                      "-mcpu=x",
                                      "-march=native",
                                      "-Wa,x",
                                      "-Wl,x",
                                      "-Wp,x",
                                      "-Xlinker x",
                                      "-fuse-ld=x",
                                      "-ftime-trace",
                                      "-ftime-trace=x",
                                      "-fopt-record-file x",
                                      "-stats-file=x",
                                      "-opt-record-file x",
                                      "-vfsoverlay x",
                                      "-ivfsoverlay x",
                                      "-fembed-bitcode",
                                      "-fdebug-prefix-map=x=y",
                                      "-fcoverage-mapping",
                                      "-ftest-coverage",
                                      "-coverage-notes-file=x",
                                      "-print-stats",
                                      "-version",
                                      "--version",
                                      "-help",
                                      "--help",
                                      "-",
                                      "--",
                                      "x.cl",
                                      "/etc/passwd",
                                      "-cl-std=",
                                      "-cl-std",
                                      "-cl-std=CL4.0",
                                      "-D",
                                      "-D 1",
                                      "-D=",

                                      "-U",
                                      "-I",
                                      "-cl-nonsense",
                                      "-Wno-everything=",
                                      "-w=",
                                      "\"-o\" out",
                                      "-cl-fast-relaxed-math -o out",
                                      "-DX -mllvm",
                                      "\"",
                                      "-DX=\"",
                                      "-D \"X",
                                      "'-o out'",
                                      "-g=x",
                                      "-O2 -o x"};
    struct e2e t = e2e_open();
    int accepted = 0;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        cl_program p = e2e_program(&t, "kernel void f(void) {}");
        cl_int error = clBuildProgram(p, 1, &t.device, bad[i], NULL, NULL);
        bool refused = error == CL_INVALID_BUILD_OPTIONS;
        if (!refused)
            printf("%s: %d\n", bad[i], error);
        error = clCompileProgram(p, 1, &t.device, bad[i], 0, NULL, NULL, NULL, NULL);
        refused &= error == CL_INVALID_COMPILER_OPTIONS;
        if (!refused)
            printf("%s: %d when compiled\n", bad[i], error);
        accepted += !refused;
        CHECK_EQ(clReleaseProgram(p), CL_SUCCESS);
    }
    CHECK_EQ(accepted, 0);
    e2e_works(&t, "-DAFTER");
}

TEST(long_options_are_read_or_refused)
{
    struct e2e t = e2e_open();
    enum { COUNT = 20000 };
    char *options = malloc(COUNT * 24), *at = options;
    CHECK(options != NULL);
    for (int i = 0; i < COUNT; i++)
        at += sprintf(at, "-DNAME_%d=%d ", i, i);
    build(&t, "kernel void f(global int *p) { p[0] = NAME_19999; }", options, NULL);
    memset(options, '"', COUNT);
    options[COUNT] = '\0';
    cl_program p = e2e_program(&t, "kernel void f(void) {}");
    CHECK_EQ(clBuildProgram(p, 1, &t.device, options, NULL, NULL), CL_INVALID_BUILD_OPTIONS);
    CHECK_EQ(clReleaseProgram(p), CL_SUCCESS);
    free(options);
    e2e_works(&t, "-DAFTER");
}

// ---- SIGKILL at any moment ----

struct builders {
    struct e2e *t;
    _Atomic int next, failed;
    _Atomic bool stop;
};

static void *keep_building(void *arg)
{
    struct builders *b = arg;
    while (!b->stop) {
        char option[32];
        snprintf(option, sizeof option, "-DROUND=%d", b->next++);
        cl_program p = e2e_program(b->t, "kernel void f(global int *p) { p[get_global_id(0)] = ROUND; }\n");
        cl_int error = clBuildProgram(p, 1, &b->t->device, option, NULL, NULL);
        if (error != CL_SUCCESS) {
            CHECK_EQ(error, CL_BUILD_PROGRAM_FAILURE);
            char log[4096] = "";
            clGetProgramBuildInfo(p, b->t->device, CL_PROGRAM_BUILD_LOG, sizeof log, log, NULL);
            if (strlen(log) < 10)
                FAIL("a build failed without a word");
            b->failed++;
        } else {
            // Its code may have been in progress.
            cl_kernel k = clCreateKernel(p, "f", &error);
            if (k) {
                cl_mem m = e2e_buffer(b->t, 64, NULL);
                size_t n = 4;
                cl_event e;
                CHECK_EQ(clSetKernelArg(k, 0, sizeof m, &m), CL_SUCCESS);
                if (clEnqueueNDRangeKernel(b->t->queue, k, 1, NULL, &n, NULL, 0, NULL, &e) == CL_SUCCESS) {
                    clWaitForEvents(1, &e);
                    CHECK(e2e_status(e) <= 0);
                    CHECK_EQ(clReleaseEvent(e), CL_SUCCESS);
                }
                CHECK_EQ(clReleaseMemObject(m), CL_SUCCESS);
                CHECK_EQ(clReleaseKernel(k), CL_SUCCESS);
            }
        }
        CHECK_EQ(clReleaseProgram(p), CL_SUCCESS);
    }
    return NULL;
}

TEST(killed_at_random_moments)
{
    const char *mark = mark_compilers();
    char folder[] = "/tmp/weft-test-XXXXXX", command[64];
    CHECK(mkdtemp(folder) != NULL);
    setenv("TMPDIR", folder, 1); // for reproducers
    struct e2e t = e2e_open();
    struct builders b = {.t = &t};
    pthread_t threads[4];
    for (int i = 0; i < 4; i++)
        CHECK_EQ(pthread_create(&threads[i], NULL, keep_building, &b), 0);
    uint64_t seed = 7;
    int killed = 0;
    for (double begin = harness_seconds(); harness_seconds() - begin < 8;) {
        usleep((useconds_t)(harness_random(&seed) % 60000));
        killed += kill_compilers(mark, SIGKILL);
    }
    b.stop = true;
    for (int i = 0; i < 4; i++)
        CHECK_EQ(pthread_join(threads[i], NULL), 0);
    CHECK_GT(killed, 0);
    printf("%d builds, %d failed, %d compilers killed\n", b.next, b.failed, killed);
    e2e_works(&t, "-DAFTER");
    e2e_close(&t);
    snprintf(command, sizeof command, "rm -rf %s", folder);
    CHECK_EQ(system(command), 0);
}

// Messages advise what is possible: they name no rejected option, and they say where a file was looked for.
TEST(messages_advise_what_is_possible)
{
    struct e2e t = e2e_open();
    static char nested[60000] = "kernel void f(global int *p) { p[0] = ";
    size_t at = strlen(nested);
    memset(nested + at, '(', 25000);
    strcpy(nested + at + 25000, "1; }");
    const struct {
        const char *source, *options, *word;
    } cases[] = {
        {nested, "", "nesting level"},
        {"template<int N> struct A { enum { v = A<N - 1>::v + 1 }; };\n"
         "kernel void f(global int *p) { p[0] = A<100000>::v; }",
         "-cl-std=CLC++", "contexts in backtrace)"},
        {"constexpr int g(int n) { return n ? g(n - 1) + 1 : 0; }\n"
         "kernel void f(global int *p) { constexpr int x = g(100000); p[0] = x; }",
         "-cl-std=CLC++", "calls in backtrace)"},
        {"#include \"missing.h\"\n", "", "note: searched in /; -I in the build options adds folders\n"},
        {"#include <missing.h>\n", "", "note: searched nowhere; -I in the build options adds folders\n"},
        {"#include \"missing.h\"\n", "-I/nowhere -I/tmp", "note: searched in /, /nowhere, /tmp\n"},
        {"#include <missing.h>\n", "-I/nowhere", "note: searched in /nowhere\n"},
        {"#include <stdlib.h>\n", "", "'stdlib.h' file not found"}, // the host's isn't a kernel's
        {"kernel void k(global uint *o) { o[0] = sub_group_ballot(1).x; }", "",
         "this is OpenCL C 1.2; it builds with -cl-std=CL3.0\n"},
        {"template<typename T> T twice(T x) { return 2 * x; }\nkernel void k(global int *o) { o[0] = "
         "twice(o[1]); }",
         "", "this is OpenCL C 1.2; it builds with -cl-std=CLC++2021\n"},
        {"class point { public: int x; };\nkernel void k(global int *o) { point p; p.x = 1; o[0] = p.x; }",
         "-cl-std=CL3.0", "note: this is OpenCL C 3.0; it builds with -cl-std=CLC++2021\n"},
        {"kernel void k(global atomic_int *a, queue_t q, global int *o)\n{\n    atomic_store(a, 1);\n    "
         "o[0] = unknown;\n}",
         "", "note: without -cl-std among the build options this is OpenCL C 1.2; with -cl-std=CL3.0 1 of "},
        {"kernel void k(global int *o) { o[0] = unknown; o[1] = sub_group_ballot(1).x + unknown; int t = "
         "work_group_all(1); }",
         "", "with -cl-std=CL3.0 2 of 4 errors remain\n"},
        {"kernel void k(global int *o) { o[0] = unknown; }", "", NULL}, // no version of the language has it
    };
    CHECK_EQ(chdir("/"), 0);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        cl_program p = e2e_program(&t, cases[i].source);
        CHECK_EQ(clBuildProgram(p, 1, &t.device, cases[i].options, NULL, NULL), CL_BUILD_PROGRAM_FAILURE);
        const char *log = e2e_log(&t, p);
        const bool reported = cases[i].word ? strstr(log, cases[i].word) != NULL : !strstr(log, "note: ");
        if (!reported || strstr(log, "use -f") || !strstr(log, " generated.\n"))
            FAIL("case %zu: %s", i, log);
        CHECK_EQ(clReleaseProgram(p), CL_SUCCESS);
    }
    e2e_close(&t);
}

// The device doesn't report the extension, but the functions exist.
TEST(the_pragma_of_sub_groups_is_silent_where_their_functions_are)
{
    static const char source[] = "#pragma OPENCL EXTENSION cl_khr_subgroups : enable\n"
                                 "#ifdef cl_khr_subgroups\n#error defined\n#endif\n"
                                 "kernel void k(global uint *o) { o[0] = get_sub_group_size(); }";
    static const char *const versions[] = {"CL2.0", "CL3.0", "CL3.1", "CLC++1.0", "CLC++2021"};
    struct e2e t = e2e_open();
    for (size_t i = 0; i < sizeof versions / sizeof *versions; i++) {
        char options[64];
        snprintf(options, sizeof options, "-Werror -cl-std=%s", versions[i]);
        cl_program p = e2e_program(&t, source);
        if (clBuildProgram(p, 1, &t.device, options, NULL, NULL) || *e2e_log(&t, p))
            FAIL("%s: %s", versions[i], e2e_log(&t, p));
        CHECK_EQ(clReleaseProgram(p), CL_SUCCESS);
    }
    build(&t, source, "-Werror", "unsupported OpenCL extension 'cl_khr_subgroups'");
    e2e_close(&t);
}

TEST(options_from_the_environment_are_named_as_such_to_the_application_too)
{
    setenv("WEFT_BUILD_OPTIONS", "-frobnicate", 1);
    struct e2e t = e2e_open();
    cl_program p = e2e_program(&t, "kernel void k(void) {}");
    CHECK_EQ(clBuildProgram(p, 1, &t.device, "", NULL, NULL), CL_INVALID_BUILD_OPTIONS);
    CHECK_STR(e2e_log(&t, p), "error: unknown build option: '-frobnicate' (from WEFT_BUILD_OPTIONS)\n");
    CHECK_CONTAINS(e2e_notice, "unknown build option: '-frobnicate' (from WEFT_BUILD_OPTIONS)");
    CHECK_EQ(clReleaseProgram(p), CL_SUCCESS);
    e2e_close(&t);
}

TEST(without_the_built_in_functions_the_log_says_only_that)
{
    char folder[] = "/tmp/weft-test-XXXXXX", command[512], real[256];
    CHECK(mkdtemp(folder) != NULL);
    snprintf(real, sizeof real, "%s/../lib/weft/weftc", getenv("OCL_ICD_VENDORS"));
    snprintf(command, sizeof command, "cp %s %s/weftc", real, folder);
    CHECK_EQ(system(command), 0);
    snprintf(command, sizeof command, "%s/weftc", folder);
    setenv("WEFT_WEFTC", command, 1);
    struct e2e t = e2e_open();
    build(&t, "kernel void f(global int *p) { *p = 1; }", "",
          "builtins.pack, which should be beside weftc, can't be read: No such file");
    cl_program p = e2e_program(&t, "kernel void f(global int *p) { *p = 1; }");
    CHECK_EQ(clBuildProgram(p, 1, &t.device, "", NULL, NULL), CL_BUILD_PROGRAM_FAILURE);
    CHECK(!strstr(e2e_log(&t, p), "--replay"));
    CHECK_EQ(clReleaseProgram(p), CL_SUCCESS);
    e2e_close(&t);
    snprintf(command, sizeof command, "rm -r %s", folder);
    CHECK_EQ(system(command), 0);
}
