// The disk cache returns no result that the compiler wouldn't give now: headers appear, vanish and change,
// and sources use the time.
// timeout: 120
#include "e2e.h"

#include <sys/stat.h>

static char folder[] = "/tmp/weft-headers-XXXXXX";

static struct e2e open_with_cache(void)
{
    char cache[128];
    CHECK(mkdtemp(folder) != NULL);
    snprintf(cache, sizeof cache, "%s/cache", folder);
    CHECK_EQ(mkdir(cache, 0700), 0);
    setenv("WEFT_CACHE", "1", 1);
    setenv("WEFT_CACHE_DIR", cache, 1);
    return e2e_open();
}

static void remove_folder(struct e2e *t)
{
    char command[128];
    e2e_close(t);
    CHECK_EQ(chdir("/"), 0);
    snprintf(command, sizeof command, "rm -rf %s", folder);
    CHECK_EQ(system(command), 0);
}

static void write_file(const char *name, const char *text)
{
    char path[128];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *f = fopen(path, "w");
    CHECK(f != NULL);
    fputs(text, f);
    CHECK_EQ(fclose(f), 0);
}

static void make_folder(const char *name)
{
    char path[128];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    CHECK_EQ(mkdir(path, 0700), 0);
}

// The value that kernel k of the source stores. Waits until the cache entry is written, so the next build
// could use it.
static int value_of(struct e2e *t, const char *source, const char *options)
{
    cl_kernel k = e2e_kernel(t, source, options, "k");
    int value = -1;
    cl_mem m = e2e_buffer(t, sizeof value, NULL);
    E2E_ARG(k, 0, m);
    e2e_run(t, k, 1, NULL);
    e2e_read(t, m, sizeof value, &value);
    CHECK_EQ(clReleaseKernel(k), CL_SUCCESS);
    CHECK_EQ(clReleaseMemObject(m), CL_SUCCESS);
    usleep(200000);
    return value;
}

static const char includes[] = "#include <x.h>\nkernel void k(global int *p) { p[0] = X; }\n";

TEST(a_new_header_hides_one_that_is_found_later)
{
    struct e2e t = open_with_cache();
    char options[256];
    make_folder("a");
    make_folder("b");
    write_file("b/x.h", "#define X 1\n");
    // The folder "none" does not exist yet.
    snprintf(options, sizeof options, "-I%s/none -I %s/a -I%s/b", folder, folder, folder);
    CHECK_EQ(value_of(&t, includes, options), 1);
    CHECK_EQ(value_of(&t, includes, options), 1);
    write_file("b/x.h", "#define X 2\n");
    CHECK_EQ(value_of(&t, includes, options), 2);
    write_file("a/x.h", "#define X 3\n");
    CHECK_EQ(value_of(&t, includes, options), 3);
    make_folder("none");
    write_file("none/x.h", "#define X 4\n");
    CHECK_EQ(value_of(&t, includes, options), 4);
    remove_folder(&t);
}

TEST(asking_for_a_header_counts_as_well)
{
    static const char source[] = "#if __has_include(\"y.h\")\n#define X 2\n#else\n#define X 1\n#endif\n"
                                 "kernel void k(global int *p) { p[0] = X; }\n";
    struct e2e t = open_with_cache();
    char options[256], path[256];
    snprintf(options, sizeof options, "-I%s", folder);
    snprintf(path, sizeof path, "%s/y.h", folder);
    CHECK_EQ(value_of(&t, source, options), 1);
    write_file("y.h", "");
    CHECK_EQ(value_of(&t, source, options), 2);
    CHECK_EQ(unlink(path), 0);
    CHECK_EQ(value_of(&t, source, options), 1);
    remove_folder(&t);
}

TEST(the_current_folder_counts_however_the_directive_is_spelled)
{
    static const char spliced[] = "#inc\\\nlude \"x.h\"\nkernel void k(global int *p) { p[0] = X; }\n";
    struct e2e t = open_with_cache();
    char a[256], b[256];
    make_folder("a");
    make_folder("b");
    write_file("a/x.h", "#define X 1\n");
    write_file("b/x.h", "#define X 2\n");
    snprintf(a, sizeof a, "%s/a", folder);
    snprintf(b, sizeof b, "%s/b", folder);
    for (int i = 0; i < 2; i++) {
        CHECK_EQ(chdir(a), 0);
        CHECK_EQ(value_of(&t, spliced, "-I."), 1);
        CHECK_EQ(chdir(b), 0);
        CHECK_EQ(value_of(&t, spliced, "-I."), 2);
    }
    remove_folder(&t);
}

// Seconds of the clock, used in a header and through an option.
TEST(the_time_is_the_builds)
{
    static const char header[] = "constant char now[] = __TIME__;\n";
    static const char in_header[] =
        "#include <now.h>\nkernel void k(global int *p) { p[0] = now[7] + 10 * now[6]; }\n";
    static const char in_option[] =
        "constant char now[] = NOW;\nkernel void k(global int *p) { p[0] = now[7] + 10 * now[6]; }\n";
    struct e2e t = open_with_cache();
    char options[256];
    write_file("now.h", header);
    snprintf(options, sizeof options, "-I%s", folder);
    int first = value_of(&t, in_header, options), of_option = value_of(&t, in_option, "-DNOW=__TIME__");
    usleep(1100000);
    CHECK_NE(value_of(&t, in_header, options), first);
    CHECK_NE(value_of(&t, in_option, "-DNOW=__TIME__"), of_option);
    remove_folder(&t);
}
