// The configuration table and the log.
#include "base/base.h"
#include "harness.h"

#include <fcntl.h>

TEST(defaults_hold_when_nothing_is_set)
{
    for (int i = 0; i < WEFT_CFG_COUNT; i++)
        unsetenv(weft_config_env((enum weft_config)i));
    weft_config_reload();
    CHECK_EQ(weft_config_uint(WEFT_CFG_THREADS), 0);
    CHECK_EQ(weft_config_uint(WEFT_CFG_CACHE), 1);
    CHECK_EQ(weft_config_uint(WEFT_CFG_BUILD_TIMEOUT), 300);
    CHECK_EQ(weft_config_str(WEFT_CFG_WEFTC), (void *)NULL);
    CHECK_EQ(weft_log_level_now, WEFT_LOG_NONE);
}

TEST(values_are_parsed_by_kind)
{
    setenv("WEFT_THREADS", "3", 1);
    setenv("WEFT_CACHE", "Off", 1);
    setenv("WEFT_PIN", "yes", 1);
    setenv("WEFT_WEFTC", "/x/weftc", 1);
    weft_config_reload();
    CHECK_EQ(weft_config_uint(WEFT_CFG_THREADS), 3);
    CHECK_EQ(weft_config_uint(WEFT_CFG_CACHE), 0);
    CHECK_EQ(weft_config_uint(WEFT_CFG_PIN), 1);
    CHECK_STR(weft_config_str(WEFT_CFG_WEFTC), "/x/weftc");
}

TEST(strings_of_any_length_are_kept)
{
    static char path[40000];
    for (int round = 0; round < 3; round++) {
        memset(path, 'a' + round, sizeof path - 1);
        setenv("WEFT_CACHE_DIR", round == 1 ? "/short" : path, 1);
        setenv("WEFT_WEFTC", "/x/weftc", 1);
        weft_config_reload();
        CHECK_STR(weft_config_str(WEFT_CFG_CACHE_DIR), round == 1 ? "/short" : path);
        CHECK_STR(weft_config_str(WEFT_CFG_WEFTC), "/x/weftc");
    }
    unsetenv("WEFT_CACHE_DIR");
    unsetenv("WEFT_WEFTC");
    weft_config_reload();
    CHECK_EQ(weft_config_str(WEFT_CFG_CACHE_DIR), (void *)NULL);
}

TEST(what_is_not_understood_is_ignored)
{
    static const char *const bad[] = {"", "-1", "3x", "0x10", " 3", "99999999999999999999999", "many"};
    for (size_t i = 0; i < WEFT_COUNT_OF(bad); i++) {
        setenv("WEFT_BUILD_TIMEOUT", bad[i], 1);
        weft_config_reload();
        CHECK_EQ(weft_config_uint(WEFT_CFG_BUILD_TIMEOUT), 300);
    }
    setenv("WEFT_CACHE", "perhaps", 1);
    weft_config_reload();
    CHECK_EQ(weft_config_uint(WEFT_CFG_CACHE), 1);
}

TEST(versions_are_those_of_opencl)
{
    static const char *const good[] = {"1.2", "2.0", "2.1", "2.2", "3.0", "3.1"}, *const bad[] = {
                                                                                      "1.1",   "2.3",
                                                                                      "2",     "3.0.0",
                                                                                      "three", "2.2 ",
                                                                                      "-1",    "220"};
    static const uint32_t numbers[] = {120, 200, 210, 220, 300, 310};
    setenv("WEFT_LLVM_SPIRV", "/bin/true", 1); // what is asked first: whether this can be run
    for (size_t i = 0; i < WEFT_COUNT_OF(good); i++) {
        setenv("WEFT_CL_VERSION", good[i], 1);
        weft_config_reload();
        CHECK_EQ(weft_cl_version(), numbers[i]);
    }
    for (size_t i = 0; i < WEFT_COUNT_OF(bad); i++) {
        setenv("WEFT_CL_VERSION", bad[i], 1);
        weft_config_reload();
        CHECK_EQ(weft_cl_version(), 310);
    }
}

// Devices of 2.1, 2.2 and 3.1 must take SPIR-V.
TEST(versions_that_require_spir_v_arent_reported_without_it)
{
    static const char *const names[] = {"1.2", "2.0", "2.1", "2.2", "3.0", "3.1"};
    static const uint32_t numbers[] = {120, 200, 200, 200, 300, 300};
    setenv("WEFT_LLVM_SPIRV", "/nowhere/llvm-spirv", 1);
    for (size_t i = 0; i < WEFT_COUNT_OF(names); i++) {
        setenv("WEFT_CL_VERSION", names[i], 1);
        weft_config_reload();
        CHECK_EQ(weft_cl_version(), numbers[i]);
        CHECK(!weft_offers_extension("cl_khr_il_program"));
        CHECK(weft_offers_extension("cl_khr_fp64"));
    }
}

// Logs the text, or what is to say of the translator (NULL), with the given level. Returns the number of
// bytes that arrived on stderr.
static size_t capture(const char *level, char out[4096], const char *text)
{
    if (level)
        setenv("WEFT_LOG", level, 1);
    else
        unsetenv("WEFT_LOG");
    weft_config_reload();
    int p[2], saved = dup(STDERR_FILENO);
    CHECK_EQ(pipe(p), 0);
    dup2(p[1], STDERR_FILENO);
    if (text)
        weft_log(WEFT_LOG_WARN, "%s", text);
    else
        weft_report_translator();
    dup2(saved, STDERR_FILENO);
    close(p[1]);
    ssize_t n = read(p[0], out, 4095);
    out[n > 0 ? n : 0] = '\0';
    close(p[0]);
    close(saved);
    return n > 0 ? (size_t)n : 0;
}

TEST(the_log_is_silent_unless_asked)
{
    char out[4096];
    CHECK_EQ(capture(NULL, out, "hello"), 0);
    CHECK_EQ(capture("error", out, "hello"), 0);
    CHECK_GT(capture("warn", out, "hello"), 0);
    CHECK_STR(out, "weft: warning: hello\n");
    CHECK_GT(capture("debug", out, "hello"), 0);
    CHECK_GT(capture("loud", out, "hello"), 0); // reported as well, but before stderr was captured
    CHECK_STR(out, "weft: warning: hello\n");
}

TEST(a_translator_that_is_named_and_not_there_is_reported)
{
    char out[4096];
    setenv("WEFT_LLVM_SPIRV", "/nowhere/llvm-spirv", 1);
    CHECK_GT(capture(NULL, out, NULL), 0);
    CHECK_STR(
        out,
        "weft: warning: WEFT_LLVM_SPIRV=/nowhere/llvm-spirv can't be run, so the device takes no SPIR-V\n");
    CHECK_EQ(capture("error", out, NULL), 0);
}

TEST(a_translator_that_is_there_or_unnamed_is_not_reported)
{
    char out[4096];
    setenv("WEFT_LLVM_SPIRV", "/bin/true", 1);
    CHECK_EQ(capture(NULL, out, NULL), 0);
    setenv("WEFT_LLVM_SPIRV", "", 1); // none, on purpose
    CHECK_EQ(capture(NULL, out, NULL), 0);
}

// A link `name` to a program that is called as Debian calls its translators.
static void name_translator(const char *program)
{
    char folder[] = "/tmp/weft-translator-XXXXXX", real[64], name[64];
    CHECK(mkdtemp(folder) != NULL);
    snprintf(real, sizeof real, "%s/%s", folder, program);
    snprintf(name, sizeof name, "%s/name", folder);
    CHECK_EQ(symlink(real, name), 0);
    FILE *f = fopen(real, "w");
    CHECK(f != NULL);
    fclose(f);
    setenv("WEFT_LLVM_SPIRV", name, 1);
    weft_config_reload();
    (void)weft_spirv_translator_version(); // looks at the files
    unlink(name);
    unlink(real);
    rmdir(folder);
}

TEST(an_old_translator_reads_up_to_1_4)
{
    name_translator("llvm-spirv-16");
    CHECK_EQ(weft_spirv_translator_version(), 16);
    CHECK_EQ(weft_spirv_newest_minor(), 4);
}

TEST(a_new_translator_reads_up_to_1_6)
{
    name_translator("llvm-spirv-22");
    CHECK_EQ(weft_spirv_translator_version(), 22);
    CHECK_EQ(weft_spirv_newest_minor(), 6);
}

TEST(a_translator_without_a_number_is_taken_for_an_old_one)
{
    name_translator("llvm-spirv-2x");
    CHECK_EQ(weft_spirv_translator_version(), 0);
    CHECK_EQ(weft_spirv_newest_minor(), 4);
}

// Makes a program in a folder, or removes it.
static void set_program(const char *folder, const char *name, bool there)
{
    char path[128];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    if (!there) {
        unlink(path);
        return;
    }
    const int fd = open(path, O_CREAT | O_WRONLY, 0700);
    CHECK(fd >= 0);
    close(fd);
}

TEST(where_the_translator_of_the_build_is_not_there_another_is_taken)
{
    char folder[] = "/tmp/weft-translators-XXXXXX", built[64], newest[64], older[64], found[128];
    CHECK(mkdtemp(folder) != NULL);
    snprintf(built, sizeof built, "%s/llvm-spirv-15", folder);
    snprintf(newest, sizeof newest, "%s/llvm-spirv-19", folder);
    snprintf(older, sizeof older, "%s/llvm-spirv-18", folder);
    CHECK(!weft_find_other_translator(built, 19, found, sizeof found));
    set_program(folder, "llvm-spirv-22", true); // of a newer LLVM than weftc's
    CHECK(!weft_find_other_translator(built, 19, found, sizeof found));
    set_program(folder, "llvm-spirv-18", true);
    CHECK(weft_find_other_translator(built, 19, found, sizeof found));
    CHECK_STR(found, older);
    set_program(folder, "llvm-spirv-19", true);
    CHECK(weft_find_other_translator(built, 19, found, sizeof found));
    CHECK_STR(found, newest);
    CHECK(!weft_find_other_translator(built, 19, found, strlen(folder)));
    set_program(folder, "llvm-spirv-15", true);
    CHECK(!weft_find_other_translator(built, 19, found, sizeof found));
    for (unsigned version = 15; version <= 22; version++) {
        char name[32];
        snprintf(name, sizeof name, "llvm-spirv-%u", version);
        set_program(folder, name, false);
    }
    rmdir(folder);
}

TEST(a_build_log_of_any_length_arrives_whole)
{
    char text[3000], out[4096], head[] = "weft: warning: ";
    memset(text, 'x', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    for (size_t length = 900; length < sizeof text;
         length += 13) { // includes sizes around the one that needs no memory
        size_t n = capture("info", out, text + sizeof text - 1 - length);
        CHECK_EQ(n, strlen(head) + length + 1);
        CHECK_EQ(strspn(out + strlen(head), "x"), length);
        CHECK_EQ(out[n - 1], '\n');
    }
}

TEST(every_status_has_its_sentence)
{
    for (int s = 0; s <= WEFT_INTERNAL; s++) {
        CHECK_GT(strlen(weft_status_text((weft_status)s)), 3);
        for (int t = 0; t < s; t++)
            CHECK_NE(strcmp(weft_status_text((weft_status)s), weft_status_text((weft_status)t)), 0);
    }
    CHECK_STR(weft_status_text((weft_status)1234), "unknown status");
}
