// weftc --serve: it builds, links, and ends as it should. OpenCL 3.0 §5.8.
// timeout: 120
#include "compiler_process.h"

#include <dirent.h>
#include <errno.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "weft/kernel_abi.h"

TEST(it_says_hello_and_ends_when_the_socket_closes)
{
    struct compiler c = compiler_start();
    CHECK_EQ(c.hello.pid, (uint32_t)c.pid);
    CHECK(strlen(c.hello.target) > 0);
    CHECK_CONTAINS(c.hello.identity, "weft");
    compiler_stop(&c);
}

TEST(it_ends_in_mid_compile_when_the_socket_closes)
{
    struct compiler c = compiler_start();
    // Expands to 4^12 additions: seconds of work.
    struct weft_build_request request = {
        .source = (char[]){"#define A(x) x+x+x+x\n#define B(x) A(A(A(x)))\n#define C(x) B(B(B(B(x))))\n"
                           "kernel void k(global int *p) { p[0] = C(p[1]); }\n"},
        .options = (char[]){""},
        .directory = (char[]){"/"}};
    request.source_size = strlen(request.source);
    struct weft_buf b = {0};
    weft_build_request_put(&b, &request);
    compiler_send(&c, WEFT_MSG_BUILD, &b);
    usleep(100000);
    double start = harness_seconds();
    compiler_stop(&c);
    CHECK_LT(harness_seconds() - start, 1.0);
}

TEST(a_program_builds_again_and_again)
{
    struct compiler c = compiler_start();
    for (int i = 0; i < 20; i++) {
        struct weft_program_reply r =
            compiler_build_ok(&c, "kernel void k(global int *p) { p[get_global_id(0)] = N; }\n", "-D N=3");
        CHECK_STR(r.log, "");
        CHECK_EQ(r.program.kernel_count, 1);
        CHECK_EQ(r.program.binary_type, WEFT_BINARY_EXECUTABLE);
        CHECK_STR(r.program.options, "-D N=3");
        CHECK_STR(r.program.target, c.hello.target);
        CHECK_GT(r.program.bitcode_size, 4);
        CHECK_MEM(r.program.bitcode, "BC\xc0\xde", 4);
        weft_program_reply_fini(&r);
    }
    compiler_stop(&c);
}

TEST(an_error_is_reported_as_clang_reports_it)
{
    struct compiler c = compiler_start();
    struct weft_program_reply r = compiler_build(&c, "kernel void k(global int *p) {\n  p[0] = q;\n}\n", "");
    CHECK_EQ(r.status, WEFT_BUILD_FAILED);
    CHECK_STR(r.log, "<source>:2:10: error: use of undeclared identifier 'q'\n"
                     "    2 |   p[0] = q;\n"
                     "      |          ^\n"
                     "1 error generated.\n");
    weft_program_reply_fini(&r);
    r = compiler_build_ok(&c, "kernel void k(global int *p) { int unused; p = 5; }\n", "");
    CHECK_CONTAINS(r.log, "warning: incompatible integer to pointer conversion");
    CHECK_CONTAINS(r.log, "1 warning generated.");
    weft_program_reply_fini(&r);
    r = compiler_build_ok(&c, "kernel void k(global int *p) { p = 5; }\n", "-w");
    CHECK_STR(r.log, "");
    weft_program_reply_fini(&r);
    r = compiler_build(&c, "kernel void k(global int *p) { p = 5; }\n", "-Werror");
    CHECK_EQ(r.status, WEFT_BUILD_FAILED);
    weft_program_reply_fini(&r);
    compiler_stop(&c);
}

TEST(bad_options_are_refused_with_a_reason)
{
    struct compiler c = compiler_start();
    struct weft_program_reply r = compiler_build(&c, "kernel void k() {}\n", "-Xclang -ast-dump");
    CHECK_EQ(r.status, WEFT_INVALID_OPTIONS);
    CHECK_CONTAINS(r.log, "-Xclang");
    weft_program_reply_fini(&r);
    compiler_stop(&c);
}

TEST(opencl_c_2_0_builds)
{
    struct compiler c = compiler_start();
    struct weft_program_reply r = compiler_build(
        &c, "int twice(int *p) { return 2 * *p; }\nkernel void k(global int *p) { p[1] = twice(p); }\n",
        "-cl-std=CL2.0");
    CHECK_EQ(r.status, WEFT_OK);
    CHECK_EQ(r.program.kernels[0].uniform_groups, false);
    weft_program_reply_fini(&r);
    // A kernel made of a block stands among the others.
    r = compiler_build(
        &c,
        "void f(queue_t q, global int *p) { enqueue_kernel(q, 0, ndrange_1D(1), ^{ p[1] = 2; }); }\n"
        "kernel void k(queue_t q, global int *p) { f(q, p); }\n"
        "kernel void other(global int *p) { p[0] = 1; }\n",
        "-cl-std=CL2.0");
    CHECK_EQ(r.status, WEFT_OK);
    CHECK_EQ(r.program.kernel_count, 3);
    for (uint32_t i = 0; i < 3; i++) {
        const struct weft_kernel_meta *k = &r.program.kernels[i];
        CHECK_EQ(k->block, strcmp(k->name, "k") != 0 && strcmp(k->name, "other") != 0);
        CHECK_EQ(k->enqueues, strcmp(k->name, "k") == 0);
        CHECK_EQ(k->args[0].kind, strcmp(k->name, "k") == 0 ? WEFT_ARG_QUEUE : WEFT_ARG_GLOBAL);
    }
    weft_program_reply_fini(&r);
    compiler_stop(&c);
}

TEST(a_call_of_nothing_is_a_link_error_unless_only_compiled)
{
    struct compiler c = compiler_start();
    static char source[] = "int missing(int);\nkernel void k(global int *p) { p[0] = missing(1); }\n";
    struct weft_program_reply r = compiler_build(&c, source, "");
    CHECK_EQ(r.status, WEFT_LINK_FAILED);
    CHECK_STR(r.log, "<source>:1:5: error: undefined reference to 'missing', which 'k' calls\n");
    weft_program_reply_fini(&r);
    struct weft_build_request request = {.compile_only = true,
                                         .source = source,
                                         .source_size = sizeof source - 1,
                                         .options = (char[]){""},
                                         .directory = (char[]){"/"}};
    r = compiler_ask(&c, &request);
    CHECK_EQ(r.status, WEFT_OK);
    CHECK_EQ(r.program.binary_type, WEFT_BINARY_COMPILED);
    weft_program_reply_fini(&r);
    compiler_stop(&c);
}

TEST(embedded_headers_hide_files_and_files_are_reported)
{
    char folder[] = "/tmp/weft-test-XXXXXX";
    CHECK(mkdtemp(folder) != NULL);
    char path[128], other[128];
    snprintf(path, sizeof path, "%s/disk.h", folder);
    snprintf(other, sizeof other, "%s/both.h", folder);
    FILE *f = fopen(path, "w");
    fputs("#define DISK 7\n", f);
    fclose(f);
    f = fopen(other, "w");
    fputs("#error the file on disk\n", f);
    fclose(f);

    struct compiler c = compiler_start();
    static char source[] = "#include \"disk.h\"\n#include \"both.h\"\n#include <sub/deep.h>\n"
                           "kernel void k(global int *p) { p[0] = DISK + BOTH + DEEP; }\n";
    struct weft_header headers[] = {{(char[]){"both.h"}, (char[]){"#define BOTH 1\n"}, 15},
                                    {(char[]){"sub/deep.h"}, (char[]){"#define DEEP 2\n"}, 15}};
    struct weft_build_request request = {.compile_only = true,
                                         .source = source,
                                         .source_size = sizeof source - 1,
                                         .options = (char[]){""},
                                         .directory = folder,
                                         .header_count = 2,
                                         .headers = headers};
    struct weft_program_reply r = compiler_ask(&c, &request);
    if (r.status != WEFT_OK)
        FAIL("%s", r.log);
    struct weft_hash expected = weft_hash_str((struct weft_hash){0}, "#define DISK 7\n");
    uint32_t read = 0;
    for (uint32_t i = 0; i < r.dependency_count; i++) {
        CHECK_EQ(r.dependencies[i].path[0], '/');
        if (r.dependencies[i].kind == WEFT_DEPENDENCY_ABSENT)
            continue;
        read++;
        CHECK_EQ(r.dependencies[i].kind, WEFT_DEPENDENCY_CONTENT);
        CHECK_STR(r.dependencies[i].path, path);
        CHECK_EQ(r.dependencies[i].hash_lo, expected.lo);
        CHECK_EQ(r.dependencies[i].hash_hi, expected.hi);
    }
    CHECK_EQ(read, 1);
    CHECK(!r.uses_time_macros);
    weft_program_reply_fini(&r);
    compiler_stop(&c);
    unlink(path);
    unlink(other);
    rmdir(folder);
}

TEST(what_was_looked_for_and_what_names_the_time_is_reported)
{
    char folder[] = "/tmp/weft-test-XXXXXX", path[128];
    CHECK(mkdtemp(folder) != NULL);
    snprintf(path, sizeof path, "%s/there.h", folder);
    FILE *f = fopen(path, "w");
    fclose(f);
    struct compiler c = compiler_start();
    static char source[] = "#if __has_include(\"there.h\") && !__has_include(\"missing.h\")\n"
                           "constant char now[] = NOW;\n#endif\n";
    struct weft_build_request request = {.compile_only = true,
                                         .source = source,
                                         .source_size = sizeof source - 1,
                                         .options = (char[]){"-DNOW=__TIME__"},
                                         .directory = folder};
    struct weft_program_reply r = compiler_ask(&c, &request);
    if (r.status != WEFT_OK)
        FAIL("%s", r.log);
    CHECK(r.uses_time_macros);
    bool present = false, absent = false;
    for (uint32_t i = 0; i < r.dependency_count; i++) {
        const struct weft_dependency *d = &r.dependencies[i];
        present |= strcmp(d->path, path) == 0 && d->kind == WEFT_DEPENDENCY_PRESENT;
        absent |= strstr(d->path, "/missing.h") && d->kind == WEFT_DEPENDENCY_ABSENT;
    }
    CHECK(present);
    CHECK(absent);
    weft_program_reply_fini(&r);
    // Nothing of the disk is asked for by a source that includes nothing.
    request =
        (struct weft_build_request){.source = (char[]){"kernel void k(global int *p) { p[0] = __LINE__; }"},
                                    .options = (char[]){""},
                                    .directory = folder};
    request.source_size = strlen(request.source);
    r = compiler_ask(&c, &request);
    if (r.status != WEFT_OK)
        FAIL("%s", r.log);
    CHECK(!r.uses_time_macros);
    CHECK_EQ(r.dependency_count, 0);
    weft_program_reply_fini(&r);
    compiler_stop(&c);
    unlink(path);
    rmdir(folder);
}

static struct weft_program_reply compile_only(struct compiler *c, const char *source)
{
    struct weft_build_request request = {.compile_only = true,
                                         .source = (char *)(uintptr_t)source,
                                         .source_size = strlen(source),
                                         .options = (char[]){""},
                                         .directory = (char[]){"/"}};
    struct weft_program_reply r = compiler_ask(c, &request);
    if (r.status != WEFT_OK)
        FAIL("%s", r.log);
    return r;
}

static struct weft_program_reply link_two(struct compiler *c, struct weft_program_reply *a,
                                          struct weft_program_reply *b, const char *options)
{
    struct weft_program_object inputs[2] = {a->program, b->program};
    struct weft_link_request request = {
        .options = (char *)(uintptr_t)options, .input_count = 2, .inputs = inputs};
    struct weft_buf buf = {0};
    weft_link_request_put(&buf, &request);
    compiler_send(c, WEFT_MSG_LINK, &buf);
    return compiler_program(c);
}

TEST(programs_link_into_one)
{
    struct compiler c = compiler_start();
    struct weft_program_reply a = compile_only(
                                  &c, "int f(int);\nkernel void k(global int *p) { p[0] = f(1); }\n"),
                              b = compile_only(&c, "int f(int x) { return x + 1; }\nkernel void l() {}\n");
    struct weft_program_reply r = link_two(&c, &a, &b, "");
    if (r.status != WEFT_OK)
        FAIL("%s", r.log);
    CHECK_EQ(r.program.binary_type, WEFT_BINARY_EXECUTABLE);
    CHECK_EQ(r.program.kernel_count, 2);
    // The linked kernel is another than the one that could not run.
    CHECK_NE(find_kernel(&r, "k")->hash_lo, find_kernel(&a, "k")->hash_lo);
    CHECK_EQ(find_kernel(&r, "l")->hash_lo, find_kernel(&b, "l")->hash_lo);
    weft_program_reply_fini(&r);

    r = link_two(&c, &a, &a, "");
    CHECK_EQ(r.status, WEFT_LINK_FAILED);
    CHECK_CONTAINS(r.log, "'k'");
    weft_program_reply_fini(&r);

    struct weft_program_reply unrelated = compile_only(&c, "kernel void m() {}\n");
    r = link_two(&c, &a, &unrelated, "");
    CHECK_EQ(r.status, WEFT_LINK_FAILED);
    CHECK_CONTAINS(r.log, "<source>:1:");
    CHECK_CONTAINS(r.log, "error: undefined reference to 'f', which 'k' calls\n");
    weft_program_reply_fini(&r);
    r = link_two(&c, &a, &unrelated, "-create-library");
    CHECK_EQ(r.status, WEFT_OK);
    CHECK_EQ(r.program.binary_type, WEFT_BINARY_LIBRARY);
    weft_program_reply_fini(&r);
    weft_program_reply_fini(&a);
    weft_program_reply_fini(&b);
    weft_program_reply_fini(&unrelated);
    compiler_stop(&c);
}

static struct weft_kernel_reply receive_kernel(struct compiler *c)
{
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

TEST(a_kernel_of_damaged_bitcode_is_an_error_and_no_more)
{
    struct compiler c = compiler_start();
    static const uint8_t junk[] = "this is not bitcode";
    struct weft_kernel_request request = {
        .kernel = (char[]){"k"}, .options = (char[]){""}, .bitcode = junk, .bitcode_size = sizeof junk};
    struct weft_buf b = {0};
    weft_kernel_request_put(&b, &request);
    compiler_send(&c, WEFT_MSG_KERNEL, &b);
    struct weft_kernel_reply reply = receive_kernel(&c);
    CHECK_NE(reply.status, WEFT_OK);
    CHECK(strlen(reply.log) > 0);
    weft_kernel_reply_fini(&reply);
    compiler_stop(&c);
}

// How many threads of a process have this priority?
static int threads_with_nice(pid_t pid, int nice)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/task", (int)pid);
    DIR *tasks = opendir(path);
    CHECK(tasks != NULL);
    int count = 0;
    for (struct dirent *e; (e = readdir(tasks));) {
        const int thread = atoi(e->d_name);
        errno = 0;
        count += thread > 0 && getpriority(PRIO_PROCESS, (id_t)thread) == nice && errno == 0;
    }
    closedir(tasks);
    return count;
}

TEST(a_compile_that_nobody_waits_for_gives_way_to_others)
{
    struct compiler c = compiler_start();
    const int own = getpriority(PRIO_PROCESS, 0), lower = own < 9 ? own + 10 : 19;
    struct weft_program_reply program = compiler_build_ok(
        &c,
        "#define A(x) x = x * p[x & 7] + rotate(x, 5);\n#define B(x) A(x) A(x) A(x) A(x) A(x) A(x)\n"
        "#define C(x) B(x) B(x) B(x) B(x) B(x) B(x)\n"
        "kernel void k(global int *p) { int x = p[get_global_id(0)]; C(x) C(x) p[get_global_id(0)] = x; }\n",
        "");
    static char kernel[] = "k", options[] = "";
    for (int background = 1; background >= 0; background--) {
        struct weft_kernel_request q = {.kernel = kernel,
                                        .options = options,
                                        .level = WEFT_LEVEL_FULL,
                                        .background = background != 0,
                                        .bitcode = program.program.bitcode,
                                        .bitcode_size = program.program.bitcode_size};
        struct weft_buf b = {0};
        weft_kernel_request_put(&b, &q);
        compiler_send(&c, WEFT_MSG_KERNEL, &b);
        int most = 0;
        struct pollfd answer = {.fd = c.fd, .events = POLLIN};
        while (poll(&answer, 1, 1) == 0) {
            const int now = threads_with_nice(c.pid, lower);
            most = now > most ? now : most;
        }
        CHECK_EQ(most, background);
        struct weft_kernel_reply reply = receive_kernel(&c);
        CHECK_EQ(reply.status, WEFT_OK);
        weft_kernel_reply_fini(&reply);
    }
    weft_program_reply_fini(&program);
    compiler_stop(&c);
}

TEST(deep_nesting_compiles_or_is_refused_but_is_no_crash)
{
    struct compiler c = compiler_start();
    struct weft_buf sum = {0};
    weft_buf_puts(&sum, "kernel void k(global int *p) { p[0] = p[1]");
    for (int i = 0; i < 20000; i++)
        weft_buf_puts(&sum, "+p[2]");
    weft_buf_puts(&sum, "; }\n");
    char *text = weft_buf_take(&sum, NULL);
    struct weft_program_reply r = compiler_build_ok(&c, text, "");
    weft_program_reply_fini(&r);
    weft_free(text);

    struct weft_buf brackets = {0};
    weft_buf_puts(&brackets, "kernel void k(global int *p) { p[0] = ");
    for (int i = 0; i < 300000; i++)
        weft_buf_puts(&brackets, "(");
    text = weft_buf_take(&brackets, NULL);
    r = compiler_build(&c, text, "");
    CHECK_EQ(r.status, WEFT_BUILD_FAILED);
    CHECK_CONTAINS(r.log, "bracket nesting level exceeded");
    weft_program_reply_fini(&r);
    weft_free(text);
    compiler_stop(&c);
}

TEST(an_endless_compile_ends_at_the_time_limit)
{
    setenv("WEFT_BUILD_TIMEOUT", "1", 1);
    struct compiler c = compiler_start();
    double start = harness_seconds();
    struct weft_program_reply r =
        compiler_build(&c,
                       "#define A(x) x+x+x+x\n#define B(x) A(A(A(x)))\n#define C(x) B(B(B(B(x))))\n"
                       "kernel void k(global int *p) { p[0] = C(C(p[1])); }\n",
                       "");
    CHECK_EQ(r.status, WEFT_TIMEOUT);
    CHECK_CONTAINS(r.log, "WEFT_BUILD_TIMEOUT");
    CHECK_LT(harness_seconds() - start, 10.0);
    weft_program_reply_fini(&r);
    compiler_end(&c);
}

TEST(a_compile_that_eats_memory_ends_at_the_memory_limit)
{
    setenv("WEFT_BUILD_MEMORY", "600", 1);
    struct compiler c = compiler_start();
    struct weft_program_reply r = compiler_build(
        &c,
        "#define A 1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1\n#define B A,A,A,A,A,A,A,A,A,A,A,A,A,A,A,A\n"
        "#define C B,B,B,B,B,B,B,B,B,B,B,B,B,B,B,B\n#define D C,C,C,C,C,C,C,C,C,C,C,C,C,C,C,C\n"
        "#define E D,D,D,D,D,D,D,D,D,D,D,D,D,D,D,D\n#define F E,E,E,E,E,E,E,E,E,E,E,E,E,E,E,E\n"
        "constant int t[] = {F,F,F,F};\n"
        "kernel void k(global int *p) { p[0] = t[p[1]]; }\n",
        "");
    CHECK_EQ(r.status, WEFT_NO_MEMORY);
    CHECK_CONTAINS(r.log, "WEFT_BUILD_MEMORY");
    weft_program_reply_fini(&r);
    compiler_end(&c);
}

TEST(a_damaged_frame_ends_the_process)
{
    struct compiler c = compiler_start();
    char junk[64];
    memset(junk, 0x5a, sizeof junk);
    CHECK_EQ(send(c.fd, junk, sizeof junk, MSG_NOSIGNAL), (ssize_t)sizeof junk);
    int status = compiler_end(&c);
    CHECK(WIFEXITED(status));
    CHECK_EQ(WEXITSTATUS(status), 1);
}
