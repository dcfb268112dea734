// The command line of weftc: what it makes, and what it says when it is called wrongly.
// timeout: 180
#include "base/base.h"
#include "harness.h"
#include "weft/code_object.h"
#include "weft/protocol.h"

#include <fcntl.h>

#define TEXT_BYTES 200000 // a syntax tree is long

static char folder[] = "/tmp/weft-test-XXXXXX";

// Runs `weftc <arguments>` in the test's folder; its output and messages go to *text. The exit status.
static int run(const char *arguments, char text[TEXT_BYTES])
{
    const char *weftc = getenv("WEFTC");
    if (!weftc)
        SKIP("WEFTC doesn't name a compiler");
    static bool made; // (its name may end in an X of mkdtemp's own)
    if (!made)
        CHECK(mkdtemp(folder) != NULL);
    made = true;
    char command[1024];
    snprintf(command, sizeof command, "cd %s && '%s' %s 2>&1", folder, weftc, arguments);
    FILE *p = popen(command, "r");
    CHECK(p != NULL);
    size_t n = fread(text, 1, TEXT_BYTES - 1, p);
    text[n] = '\0';
    int status = pclose(p);
    CHECK(WIFEXITED(status));
    return WEXITSTATUS(status);
}

static void write_source(const char *name, const char *source)
{
    char text[TEXT_BYTES];
    run("--version", text); // makes the folder
    char path[128];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *f = fopen(path, "w");
    CHECK(f != NULL);
    fputs(source, f);
    fclose(f);
}

static void clean_up(void)
{
    char command[128];
    snprintf(command, sizeof command, "rm -r %s", folder);
    CHECK_EQ(system(command), 0);
}

TEST(it_prints_its_version)
{
    char text[TEXT_BYTES];
    CHECK_EQ(run("--version", text), 0);
    CHECK_CONTAINS(text, "weftc ");
    CHECK_CONTAINS(text, ".llvm");
    clean_up();
}

TEST(a_wrong_call_gets_one_sentence)
{
    static const struct {
        const char *arguments, *sentence;
    } calls[] = {
        {"", "no input file"},
        {"a.cl", "no output: give -o FILE or --emit"},
        {"a.cl b.cl --emit=bc", "more than one input file: b.cl"},
        {"--emit=soup a.cl", "unknown stage: soup"},
        {"--frobnicate a.cl", "unknown option: --frobnicate"},
        {"a.cl -o", "missing value after: -o"},
    };
    char text[TEXT_BYTES];
    for (size_t i = 0; i < WEFT_COUNT_OF(calls); i++) {
        CHECK_EQ(run(calls[i].arguments, text), 2);
        CHECK_CONTAINS(text, calls[i].sentence);
        CHECK_CONTAINS(text, "weftc --help");
        CHECK(strchr(text, '\n') == text + strlen(text) - 1); // one line
    }
    CHECK_EQ(run("--help", text), 0);
    CHECK_CONTAINS(text, "usage: weftc");
    clean_up();
}

TEST(a_file_that_is_not_there_is_named)
{
    char text[TEXT_BYTES];
    CHECK_EQ(run("nowhere.cl --emit=bc", text), 1);
    CHECK_CONTAINS(text, "nowhere.cl: No such file");
    clean_up();
}

TEST(a_program_is_written_with_the_code_of_all_kernels)
{
    write_source("two.cl", "kernel void a(global int *p) { p[get_global_id(0)] = N; }\n"
                           "kernel void b(global float *p) { p[get_global_id(0)] = sqrt(p[0]); }\n");
    char text[TEXT_BYTES];
    CHECK_EQ(run("two.cl -D 'N=1 + 2' -o two.weft", text), 0);
    CHECK_STR(text, "");
    char path[128];
    snprintf(path, sizeof path, "%s/two.weft", folder);
    int fd = open(path, O_RDONLY);
    CHECK_GE(fd, 0);
    static uint8_t bytes[1 << 20];
    ssize_t n = read(fd, bytes, sizeof bytes);
    close(fd);
    CHECK_GT(n, 0);
    struct weft_program_object program;
    CHECK_EQ(weft_program_object_decode(&program, bytes, (size_t)n), WEFT_OK);
    CHECK_EQ(program.kernel_count, 2);
    for (uint32_t i = 0; i < 2; i++) {
        CHECK_GT(program.kernels[i].code_size, 4);
        CHECK_MEM(program.kernels[i].code, "\177ELF", 4);
    }
    weft_program_object_fini(&program);
    clean_up();
}

// (Not by their bytes: one whose first word is damaged would else be compiled as OpenCL C.)
TEST(a_file_named_as_spirv_that_is_none_is_reported)
{
    char text[TEXT_BYTES];
    write_source("empty.spv", "");
    CHECK_EQ(run("empty.spv -o out.weft", text), 1);
    CHECK_STR(text, "error: empty.spv isn't SPIR-V: it has 0 bytes\n");
    write_source("damaged.spv", "RIFF, and more of it");
    CHECK_EQ(run("damaged.spv --emit=bc", text), 1);
    CHECK_STR(text, "error: damaged.spv isn't SPIR-V: its first word is 0x46464952 instead of 0x07230203\n");
    clean_up();
}

TEST(after_an_explanation_nothing_more_is_said)
{
    char text[TEXT_BYTES];
    write_source("wrong.cl", "kernel void k(global int *p) { p[0] = q; }\n");
    CHECK_EQ(run("wrong.cl -o out.weft", text), 1);
    CHECK_CONTAINS(text, "undeclared identifier 'q'");
    CHECK(!strstr(text, "weftc: "));
    CHECK_EQ(run("wrong.cl -o out.weft -frobnicate", text), 1);
    CHECK_STR(text, "error: unknown build option: '-frobnicate'\n");
    clean_up();
}

TEST(what_assumes_an_alignment_builds)
{
    char text[TEXT_BYTES];
    write_source("aligned.cl",
                 "kernel void k(global int *p)\n{\n    uchar b[16];\n    for (int i = 0; i < 16; i++)\n"
                 "        b[i] = p[i];\n    uint *w = (uint *)__builtin_assume_aligned(b, 1);\n"
                 "    const global int4 *q = (const global int4 *)__builtin_assume_aligned(p, 16, 0);\n"
                 "    p[0] = w[p[1] & 3] + q[1].x;\n}\n");
    CHECK_EQ(run("aligned.cl -o out.weft", text), 0);
    CHECK_STR(text, "");
    CHECK_EQ(run("aligned.cl -cl-std=CLC++2021 -o out.weft", text), 0);
    CHECK_STR(text, "");
    clean_up();
}

// The specification makes such a launch an error; the build already knows it.
TEST(too_much_local_memory_is_warned_of)
{
    char text[TEXT_BYTES];
    write_source("local.cl",
                 "kernel void k(global int *p)\n{\n    local int small[16], big[100000];\n"
                 "    big[p[0]] = small[p[1]];\n    p[0] = big[p[1]];\n}\n"
                 "kernel void fits(global int *p) { local int l[16384]; l[p[0]] = 1; p[1] = l[0]; }\n");
    CHECK_EQ(run("local.cl -o out.weft", text), 0);
    CHECK_CONTAINS(text, "warning: kernel 'k' has 400064 bytes of local variables ('big': 400000), but no "
                         "device has more than 262144");
    CHECK(!strstr(text, "'fits'"));
    clean_up();
}

// OpenCL has -w and -Werror; Clang's other names of warnings do what they do for C.
TEST(warnings_are_chosen_by_name)
{
    static const struct {
        const char *options;
        int status;
        const char *reported, *unreported;
    } runs[] = {
        {"", 0, "[-Wint-conversion]", "unused"},
        {"-Wall", 0, "unused variable 'spare' [-Wunused-variable]", "sign-compare"},
        {"-Wextra", 0, "[-Wsign-compare]", "unused"},
        {"-Wall -Wno-unused-variable", 0, "[-Wint-conversion]", "unused"},
        {"-Wno-int-conversion", 0, "", "warning"},
        {"-Wall -w", 0, "", "warning"},
        {"-Werror=unused-variable", 1, "error: unused variable 'spare'", "error: incompatible"},
        {"-Werror -Wno-error=int-conversion", 0, "warning: incompatible", "error"},
        {"-Werror -Weverything -Wno-int-conversion -Wno-missing-prototypes", 1, "unused variable",
         "opencl.h"},
        {"-Wno-such-thing", 0, "unknown warning option '-Wno-such-thing'", "error"},
    };
    write_source("named.cl", "kernel void k(global int *a, global float *f, uint n)\n{\n    int spare;\n"
                             "    for (int i = 0; i < n; i++)\n        a[i] = f;\n}\n");
    char text[TEXT_BYTES], arguments[160];
    for (size_t i = 0; i < WEFT_COUNT_OF(runs); i++) {
        snprintf(arguments, sizeof arguments, "named.cl %s -o out.weft", runs[i].options);
        if (run(arguments, text) != runs[i].status || !strstr(text, runs[i].reported) ||
            strstr(text, runs[i].unreported))
            FAIL("with '%s': %s", runs[i].options, text);
    }
    clean_up();
}

// Names that many programs define themselves, whether or not a version of OpenCL C defines them.
TEST(types_that_are_defined_again_are_no_warning)
{
    write_source("again.cl",
                 "typedef unsigned char uchar;\ntypedef unsigned short ushort;\ntypedef unsigned int uint;\n"
                 "typedef unsigned long ulong;\ntypedef unsigned long size_t;\n"
                 "kernel void k(global ulong *p) { p[get_global_id(0)] = sizeof(uint); }\n");
    char text[TEXT_BYTES];
    CHECK_EQ(run("again.cl -Wall -Werror -o out.weft", text), 0);
    CHECK_STR(text, "");
    clean_up();
}

// Each kernel's code has names that are made of the kernel's.
TEST(a_kernel_may_have_any_name)
{
    static const char *const names[] = {"llvm", "weft", "memcpy", "run", "_start", "weft_run", "k$1"};
    char text[TEXT_BYTES], source[128], arguments[128];
    for (size_t i = 0; i < WEFT_COUNT_OF(names); i++) {
        snprintf(source, sizeof source, "kernel void %s(global int *p) { p[get_global_id(0)] = 1; }\n",
                 names[i]);
        write_source("name.cl", source);
        snprintf(arguments, sizeof arguments, "name.cl --emit=asm -k '%s'", names[i]);
        if (run(arguments, text) != 0)
            FAIL("%s: %s", names[i], text);
        snprintf(source, sizeof source, "%s.run", names[i]);
        CHECK_CONTAINS(text, source);
    }
    clean_up();
}

TEST(every_stage_can_be_printed)
{
    write_source(
        "k.cl",
        "kernel void k(global int *p) { p[get_global_id(0)] = 1; }\nkernel void l(global int *p) {}\n");
    static const struct {
        const char *stage, *part;
    } stages[] = {{"ast", "FunctionDecl"},     {"bc", "spir_kernel void @k("},  {"prepare", "@k("},
                  {"regions", "define "},      {"wiloops", "weft_kernel_info"}, {"llvm", "weft_kernel_info"},
                  {"asm", "weft_kernel_info:"}};
    char text[TEXT_BYTES], arguments[128];
    for (size_t i = 0; i < WEFT_COUNT_OF(stages); i++) {
        snprintf(arguments, sizeof arguments, "k.cl --emit=%s -k k", stages[i].stage);
        CHECK_EQ(run(arguments, text), 0);
        CHECK_CONTAINS(text, stages[i].part);
    }
    CHECK_EQ(run("k.cl --emit=llvm", text), 1);
    CHECK_CONTAINS(text, "the program has 2 kernels: choose one with -k");
    CHECK_EQ(run("k.cl --emit=llvm -k m", text), 1);
    CHECK_CONTAINS(text, "no kernel 'm'");
    clean_up();
}

static void write_whole(const char *name, const void *bytes, size_t size)
{
    char path[128];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *f = fopen(path, "w");
    CHECK(f != NULL);
    CHECK_EQ(fwrite(bytes, 1, size, f), size);
    fclose(f);
}

TEST(a_replay_has_a_limit_of_time)
{
    static char text[TEXT_BYTES], source[TEXT_BYTES];
    size_t n = (size_t)snprintf(source, sizeof source, "#define A0 + 1\n");
    for (int i = 1; i <= 40; i++)
        n += (size_t)snprintf(source + n, sizeof source - n, "#define A%d A%d A%d\n", i, i - 1, i - 1);
    snprintf(source + n, sizeof source - n, "kernel void f(global int *p) { *p = 1 A40; }\n");
    setenv("WEFT_BUILD_TIMEOUT", "1", 1);
    write_source("e.cl", source);
    write_source("e.options", "");
    CHECK_EQ(run("--replay e.cl", text), 1);
    CHECK_CONTAINS(text, "(WEFT_BUILD_TIMEOUT, 1 seconds)");
    clean_up();
}

TEST(a_replay_of_a_plain_source_explains_what_replay_takes)
{
    static char text[TEXT_BYTES];
    write_source("any.cl", "kernel void k(void) {}\n");
    CHECK_EQ(run("--replay any.cl", text), 1);
    CHECK_CONTAINS(
        text,
        "cannot read any.options: No such file or directory; --replay takes a file from a folder `crash`");
    clean_up();
}

// What the build log of a crash names.
TEST(reproducers_are_replayed)
{
    static char text[TEXT_BYTES];
    static const char source[] =
        "kernel void k(global int *p) { p[0] = N; }\nkernel void l(global int *p) { p[1] = N; }\n";
    write_source("r.cl", source);
    write_source("r.options", "-D N=4");
    CHECK_EQ(run("--replay r.cl", text), 0);
    CHECK_STR(text, "weftc: replayed r.cl, with -D N=4: it compiles\n");
    CHECK_EQ(run("--replay --emit=llvm -k l r.cl", text), 0);
    CHECK_CONTAINS(text, "store i32 4");
    write_source("r.options", "-D N=nothing");
    CHECK_EQ(run("--replay r.cl", text), 1);
    CHECK_CONTAINS(text, "undeclared identifier 'nothing'");

    // Bitcode, as a program file holds it.
    CHECK_EQ(run("-D N=5 r.cl -o r.weft", text), 0);
    char path[128];
    snprintf(path, sizeof path, "%s/r.weft", folder);
    FILE *f = fopen(path, "r");
    CHECK(f != NULL);
    size_t size = fread(text, 1, sizeof text, f);
    fclose(f);
    struct weft_program_object program;
    CHECK_EQ(weft_program_object_decode(&program, text, size), WEFT_OK);
    write_whole("b.bc", program.bitcode, program.bitcode_size);
    weft_program_object_fini(&program);
    CHECK_EQ(run("--emit=llvm -k k b.bc", text), 0);
    CHECK_CONTAINS(text, "store i32 5");
    CHECK_EQ(run("b.bc -o b.so", text), 1);
    CHECK_CONTAINS(text, "-k NAME");
    CHECK_EQ(run("--replay b.bc", text), 1);
    CHECK_CONTAINS(text, "cannot read b.options");
    write_source("b.options", "l\n-D N=5");
    CHECK_EQ(run("--replay b.bc -o b.so", text), 0);
    CHECK_STR(text, "weftc: replayed b.bc for kernel l, with -D N=5: it compiles\n");
    CHECK_EQ(run("--replay --emit=asm b.bc", text), 0);
    CHECK_CONTAINS(text, ".text");
    write_whole("b.bc", "BC\xc0\xde damaged", 12);
    CHECK_EQ(run("--replay b.bc", text), 1);
    CHECK_CONTAINS(text, "error: ");
    clean_up();
}

static void write_request(const char *name, uint32_t version, uint32_t type, const struct weft_buf *payload)
{
    struct weft_buf b = {0};
    weft_put_u32(&b, WEFT_REPLAY_MAGIC);
    weft_put_u32(&b, version);
    weft_put_u32(&b, type);
    weft_buf_append(&b, payload->data, payload->size);
    CHECK(!b.failed);
    write_whole(name, b.data, b.size);
    weft_buf_free(&b);
}

TEST(requests_are_replayed_with_embedded_headers_and_links)
{
    static char text[TEXT_BYTES],
        source[] = "#include <n.h>\nkernel void k(global int *p) { p[0] = N + M; }\n";
    struct weft_header header = {(char[]){"n.h"}, (char[]){"#define N 40\n"}, 13};
    struct weft_build_request build = {.compile_only = true,
                                       .source = source,
                                       .source_size = sizeof source - 1,
                                       .options = (char[]){"-DM=2"},
                                       .directory = (char[]){"/"},
                                       .header_count = 1,
                                       .headers = &header};
    struct weft_buf payload = {0};
    weft_build_request_put(&payload, &build);
    CHECK_EQ(run("--version", text), 0); // makes the folder
    write_request("b.request", WEFT_PROTOCOL_VERSION, WEFT_MSG_BUILD, &payload);
    CHECK_EQ(run("--replay b.request", text), 0);
    CHECK_STR(text, "weftc: replayed b.request, with -DM=2: it compiles\n");
    CHECK_EQ(run("--replay --emit=llvm b.request", text), 0);
    CHECK_CONTAINS(text, "store i32 42");
    write_request("old.request", WEFT_PROTOCOL_VERSION - 1, WEFT_MSG_BUILD, &payload);
    CHECK_EQ(run("--replay old.request", text), 1);
    CHECK_CONTAINS(text, "another version");
    write_request("odd.request", WEFT_PROTOCOL_VERSION, WEFT_MSG_KERNEL, &payload);
    CHECK_EQ(run("--replay odd.request", text), 1);
    CHECK_CONTAINS(text, "can't be read");
    write_source("no.request", "kernel void k() {}");
    CHECK_EQ(run("--replay no.request", text), 1);
    CHECK_CONTAINS(text, "isn't a request");

    // What the first replay writes is a compiled program: the input of a link.
    CHECK_EQ(run("--replay b.request -o b.weft", text), 0);
    char path[128];
    snprintf(path, sizeof path, "%s/b.weft", folder);
    FILE *f = fopen(path, "r");
    CHECK(f != NULL);
    size_t size = fread(text, 1, sizeof text, f);
    fclose(f);
    struct weft_program_object program;
    CHECK_EQ(weft_program_object_decode(&program, text, size), WEFT_OK);
    CHECK_EQ(program.binary_type, WEFT_BINARY_COMPILED);
    struct weft_link_request link = {.options = (char[]){""}, .input_count = 1, .inputs = &program};
    payload.size = 0;
    weft_link_request_put(&payload, &link);
    write_request("l.request", WEFT_PROTOCOL_VERSION, WEFT_MSG_LINK, &payload);
    CHECK_EQ(run("--replay l.request", text), 0);
    CHECK_STR(text, "weftc: replayed l.request: it compiles\n");
    weft_program_object_fini(&program);
    weft_buf_free(&payload);
    clean_up();
}

TEST(diagnostics_name_the_file)
{
    write_source("wrong.cl", "\nkernel void k(global int *p) { p[0] = nothing; }\n");
    char text[TEXT_BYTES];
    CHECK_EQ(run("wrong.cl -o wrong.weft", text), 1);
    CHECK_CONTAINS(text, "wrong.cl:2:");
    clean_up();
}

TEST(includes_are_found_beside_the_source)
{
    char text[TEXT_BYTES], command[128];
    write_source("inner.h", "#define VALUE 5\n");
    write_source("inner.cl", "#include \"inner.h\"\nkernel void k(global int *p) { p[0] = VALUE; }\n");
    snprintf(command, sizeof command, "cd %s && mkdir sub && mv inner.h inner.cl sub", folder);
    CHECK_EQ(system(command), 0);
    CHECK_EQ(run("sub/inner.cl --emit=bc", text), 0);
    CHECK_CONTAINS(text, "store i32 5");
    clean_up();
}

TEST(all_kernels_are_reported)
{
    write_source("two.cl", "kernel void first(global int *p) { p[get_global_id(0)] = 1; }\n"
                           "kernel void second(global int *p) { p[get_global_id(0)] = 2; }\n");
    char text[TEXT_BYTES];
    CHECK_EQ(run("two.cl --report=vectorize", text), 0);
    CHECK_CONTAINS(text, "kernel first\n");
    CHECK_CONTAINS(text, "kernel second\n");
    CHECK_EQ(run("two.cl --report=vectorize -k second", text), 0);
    CHECK(strstr(text, "first") == NULL);
    CHECK_EQ(run("two.cl --report=vectorize -k third", text), 1);
    CHECK_CONTAINS(text, "no kernel third");
    // A warning of the front end is reported once, not for each kernel.
    write_source("warned.cl", "kernel void first(global char *p) { p[0] = 1000; }\n"
                              "kernel void second(global int *p) { p[get_global_id(0)] = 2; }\n");
    CHECK_EQ(run("warned.cl --report=vectorize", text), 0);
    const char *warning = strstr(text, "warning:");
    CHECK(warning != NULL && strstr(warning + 1, "warning:") == NULL);
    clean_up();
}

TEST(stages_take_a_finished_program)
{
    write_source("p.cl", "kernel void k(global int *p) { p[0] = 7; }\n");
    char text[TEXT_BYTES];
    CHECK_EQ(run("p.cl -o p.weft", text), 0);
    CHECK_EQ(run("p.weft --emit=llvm", text), 0);
    CHECK_CONTAINS(text, "store i32 7");
    clean_up();
}

TEST(stages_take_the_text_that_they_print)
{
    write_source("p.cl", "kernel void k(global int *p) { p[0] = 7; }\n");
    char text[TEXT_BYTES];
    CHECK_EQ(run("p.cl --emit=bc -o p.ll", text), 0);
    CHECK_EQ(run("p.ll --emit=llvm", text), 0);
    CHECK_CONTAINS(text, "store i32 7");
    CHECK_EQ(run("p.ll --report=vectorize", text), 0);
    CHECK_CONTAINS(text, "kernel k\n");
    CHECK_EQ(run("p.ll -k k -o p.o", text), 1);
    CHECK_CONTAINS(text, "llvm-as");
    write_source("damaged.ll", "; ModuleID = 'p.cl'\ndefine nothing\n");
    CHECK_EQ(run("damaged.ll --emit=llvm", text), 1);
    CHECK_CONTAINS(text, "expected type");
    clean_up();
}

// An installation of its own, made of weftc and what the caller puts beside it. weftc is large: it is linked
// if that can be.
static void install_copy(const char *parts)
{
    char command[1024];
    snprintf(
        command, sizeof command,
        "cd %s && { [ -e weftc ] || ln \"$BESIDE\"/weftc . 2>/dev/null || cp \"$BESIDE\"/weftc .; } && %s",
        folder, parts);
    CHECK_EQ(system(command), 0);
    snprintf(command, sizeof command, "%s/weftc", folder);
    setenv("WEFTC", command, 1);
}

TEST(a_damaged_installation_is_to_be_installed_again)
{
#if !defined(__x86_64__)
    SKIP("it needs a processor without fma, for which code calls support.a");
#endif
    static const struct {
        const char *parts, *message;
    } rows[] = {
        {"true",
         "builtins.pack, which should be beside weftc, can't be read: No such file or directory; please "
         "install Weft again\n"},
        {"echo junk >builtins.pack",
         "builtins.pack, beside weftc, is damaged or of another version of Weft; please "
         "install Weft again\n"},
        {"cp \"$BESIDE\"/builtins.pack . && echo junk >support.a",
         "/support.a is damaged; please install Weft again\n"},
        {"rm support.a",
         "support.a, which should be beside weftc, can't be read; please install Weft again\n"},
    };
    char text[TEXT_BYTES], *beside = strdup(getenv("WEFTC") ? getenv("WEFTC") : ""),
                           *slash = strrchr(beside, '/');
    // Without fma, the kernel calls support.a.
    setenv("WEFT_CPU", "nehalem", 1);
    write_source("k.cl", "kernel void k(global double *p) { p[0] = fma(p[1], p[2], p[3]); }\n");
    if (slash)
        *slash = '\0';
    setenv("BESIDE", beside, 1);
    for (size_t i = 0; i < WEFT_COUNT_OF(rows); i++) {
        install_copy(rows[i].parts);
        CHECK_EQ(run("k.cl -o k.weft", text), 1);
        CHECK_CONTAINS(text, rows[i].message);
    }
    clean_up();
    free(beside);
}

TEST(another_processor_is_known_by_its_name)
{
    write_source("p.cl", "kernel void k(global float *p) { p[get_global_id(0)] *= 2.0f; }\n");
    char text[TEXT_BYTES];
#if defined(__x86_64__)
    setenv("WEFT_CPU", "haswell", 1);
    CHECK_EQ(run("p.cl --emit=asm", text), 0);
    CHECK_CONTAINS(text, "%ymm");
    CHECK(strstr(text, "%zmm") == NULL);
    setenv("WEFT_CPU", "i386", 1);
    setenv("WEFT_LOG", "warn", 1);
    CHECK_EQ(run("p.cl --emit=asm", text), 0);
    CHECK_CONTAINS(text, "WEFT_CPU=i386");
#endif
    setenv("WEFT_CPU", "no-such-processor", 1);
    unsetenv("WEFT_LOG"); // a setting that isn't understood is reported nevertheless, as libweft does
    CHECK_EQ(run("p.cl --emit=asm", text), 0);
    CHECK_CONTAINS(text, "WEFT_CPU=no-such-processor is ignored");
    setenv("WEFT_LOG", "error", 1);
    CHECK_EQ(run("p.cl --emit=asm", text), 0);
    CHECK(strstr(text, "WEFT_CPU") == NULL);
    clean_up();
}

TEST(includes_are_found_beside_the_caller)
{
    write_source("inc.h", "#define VALUE 3\n");
    write_source("i.cl", "#include \"inc.h\"\nkernel void k(global int *p) { p[0] = VALUE; }\n");
    char text[TEXT_BYTES];
    CHECK_EQ(run("i.cl --emit=bc", text), 0);
    CHECK_CONTAINS(text, "store i32 3");
    clean_up();
}
