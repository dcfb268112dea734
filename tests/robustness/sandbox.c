// The compilers of an application, and the programs that they start, run in a sandbox.
// tests/compiler/sandbox.c tests the sandbox itself.
// timeout: 120
// env: WEFT_CACHE=0
#include "e2e/compiler_processes.h"

#include <sys/stat.h>

static void *read_module(const char *name, size_t *size)
{
    char path[512];
    const char *where = getenv("WEFT_TEST_MODULES");
    snprintf(path, sizeof path, "%s/%s.spv", where ? where : ".", name);
    FILE *f = fopen(path, "rb");
    if (!f)
        FAIL("no module %s", path);
    void *bytes = malloc(1 << 20);
    CHECK(bytes != NULL);
    *size = fread(bytes, 1, 1 << 20, f);
    fclose(f);
    return bytes;
}

// Does the status of any weftc of ours have this line? There must be at least one weftc.
static bool compilers_say(const char *mark, const char *line)
{
    int found = 0, saying = 0;
    DIR *proc = opendir("/proc");
    CHECK(proc != NULL);
    for (struct dirent *d; (d = readdir(proc));) {
        char path[300], exe[4096], text[8192];
        snprintf(path, sizeof path, "/proc/%s/exe", d->d_name);
        ssize_t n = readlink(path, exe, sizeof exe - 1);
        if (n <= 0)
            continue;
        exe[n] = '\0';
        if (!strstr(exe, "/weftc") || !has_mark(d->d_name, mark))
            continue;
        snprintf(path, sizeof path, "/proc/%s/status", d->d_name);
        FILE *f = fopen(path, "r");
        if (!f)
            continue;
        text[fread(text, 1, sizeof text - 1, f)] = '\0';
        fclose(f);
        found++;
        saying += strstr(text, line) != NULL;
    }
    closedir(proc);
    CHECK_GT(found, 0);
    return saying == found;
}

TEST(compilers_have_no_rights_that_they_do_not_need)
{
    const char *mark = mark_compilers();
    struct e2e t = e2e_open();
    e2e_works(&t, "");
    bool rightless = false; // another one may be starting
    for (int i = 0; i < 2000 && !rightless; i++) {
        rightless = compilers_say(mark, "\nNoNewPrivs:\t1\n");
        if (!rightless)
            usleep(10000);
    }
    CHECK(rightless);
    if (prctl(PR_GET_SECCOMP, 0, 0, 0, 0) != 0)
        SKIP("this system has no seccomp, or the test is under a filter itself");
    bool filtered = false;
    for (int i = 0; i < 2000 && !filtered; i++) {
        filtered = compilers_say(mark, "\nSeccomp:\t2\n");
        if (!filtered)
            usleep(10000);
    }
    CHECK(filtered);
    e2e_close(&t);
}

TEST(they_keep_them_when_asked_to)
{
    setenv("WEFT_SANDBOX", "0", 1);
    const char *mark = mark_compilers();
    struct e2e t = e2e_open();
    e2e_works(&t, "");
    CHECK(compilers_say(mark, "\nNoNewPrivs:\t0\n"));
    e2e_close(&t);
}

// A translator that first tries what a malicious module might make it do, and then works normally.
TEST(a_translator_that_was_taken_over_gains_nothing)
{
    const char *translator = getenv("WEFT_TEST_TRANSLATOR");
    CHECK(translator != NULL);
    if (!*translator)
        SKIP("there is no llvm-spirv");
    char folder[] = "/tmp/weft-test-XXXXXX", script[64], prey[64], made[64];
    CHECK(mkdtemp(folder) != NULL);
    snprintf(script, sizeof script, "%s/translator", folder);
    snprintf(prey, sizeof prey, "%s/prey", folder);
    snprintf(made, sizeof made, "%s/made", folder);
    FILE *f = fopen(prey, "w");
    CHECK(f != NULL);
    fputs("mine", f);
    fclose(f);
    f = fopen(script, "w");
    CHECK(f != NULL);
    fprintf(f,
            "#!/bin/sh\n"
            "(echo theirs > %s) 2>/dev/null\n"
            "(echo theirs > %s) 2>/dev/null\n"
            "rm -f %s 2>/dev/null\n"
            "mkdir %s.d 2>/dev/null\n"
            "kill -9 %d 2>/dev/null\n"
            "exec %s \"$@\"\n",
            prey, made, prey, made, (int)getpid(), translator);
    fclose(f);
    CHECK_EQ(chmod(script, 0700), 0);
    setenv("WEFT_LLVM_SPIRV", script, 1);

    struct e2e t = e2e_open();
    size_t size;
    void *module = read_module("saxpy", &size);
    cl_int error = 1;
    cl_program p = clCreateProgramWithIL(t.context, module, size, &error);
    CHECK_EQ(error, CL_SUCCESS);
    if ((error = clBuildProgram(p, 1, &t.device, "", NULL, NULL)) != CL_SUCCESS)
        FAIL("%d: %s", error, e2e_log(&t, p));
    CHECK_EQ(clReleaseProgram(p), CL_SUCCESS);
    free(module);
    char text[16] = {0};
    f = fopen(prey, "r");
    CHECK(f != NULL);
    CHECK_EQ(fread(text, 1, sizeof text - 1, f), 4);
    fclose(f);
    CHECK_STR(text, "mine");
    unlink(prey);
    unlink(script);
    CHECK_EQ(rmdir(folder), 0);
    e2e_close(&t);
}
