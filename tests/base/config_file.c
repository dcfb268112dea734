// Configuration files: sections, ranks, what is wrong in them, and where they are looked for.
#include "base/config_file.h"
#include "harness.h"

#include <fcntl.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <sys/wait.h>

static bool only_libone(const char *pattern)
{
    return strcmp(pattern, "libone.so*") == 0;
}

static const struct weft_program_names program = {
    .names = {"python3.11", "hashcat", "train.py"}, .count = 3, .has_library = only_libone};

static char folder[64];
static const char *const no_file = NULL;

static void begin(void)
{
    strcpy(folder, "/tmp/weft-config-XXXXXX");
    CHECK(mkdtemp(folder) != NULL);
    for (int i = 0; i < WEFT_CFG_COUNT; i++)
        unsetenv(weft_config_env((enum weft_config)i));
    weft_config_reload();
}

static void end(void)
{
    char command[128];
    snprintf(command, sizeof command, "rm -rf %s", folder);
    CHECK_EQ(system(command), 0);
}

// Writes a file and returns its path, which the next call with another name leaves alone.
static char *file(const char *name, const char *text, size_t size)
{
    static char paths[4][128];
    static int used;
    char *path = paths[used++ % 4];
    snprintf(path, sizeof paths[0], "%s/%s", folder, name);
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0644);
    CHECK(fd >= 0);
    CHECK(weft_write_all(fd, text, size));
    close(fd);
    return path;
}

static char *text_file(const char *name, const char *text)
{
    return file(name, text, strlen(text));
}

// Loads the files. Returns what was written to stderr.
static const char *load(const char *shipped, const char *system, const char *user)
{
    static char out[16384];
    int p[2], saved = dup(STDERR_FILENO);
    CHECK_EQ(pipe(p), 0);
    dup2(p[1], STDERR_FILENO);
    weft_config_load(&(struct weft_config_paths){shipped, system, user}, &program);
    dup2(saved, STDERR_FILENO);
    close(p[1]);
    close(saved);
    size_t size = 0;
    for (ssize_t n; (n = read(p[0], out + size, sizeof out - 1 - size)) > 0;)
        size += (size_t)n;
    out[size] = '\0';
    close(p[0]);
    return out;
}

static const char *load_text(const char *text)
{
    return load(no_file, no_file, text_file("weft.conf", text));
}

TEST(settings_above_all_sections_are_for_every_program)
{
    begin();
    CHECK_STR(load_text("# a comment\n; another\n\n  WEFT_VF = 4  \r\nWEFT_THREADS=3 # three\nWEFT_PIN=yes"),
              "");
    CHECK_EQ(weft_config_uint(WEFT_CFG_VF), 4);
    CHECK_EQ(weft_config_uint(WEFT_CFG_THREADS), 3);
    CHECK_EQ(weft_config_uint(WEFT_CFG_PIN), 1);
    end();
}

TEST(sections_apply_to_the_programs_and_libraries_they_name)
{
    static const struct {
        const char *section;
        bool applies;
    } rows[] = {
        {"[program hashcat]", true},
        {"[program hash]", false},
        {"[program hash*]", true},
        {"[program  blender , train.py]", true},
        {"[program blender, gimp]", false},
        {"[library libone.so*]", true},
        {"[library libtwo.so*]", false},
        {"[library libtwo.so, libone.so*]", true},
        {"[all]", true},
        {"[program [gh]ashcat]", true},
        {"[program python3*]", true},
        {"[ program hashcat ]", true},
        {"[program Hashcat]", false},
        {"[program\thashcat]", false},
        {"[programs hashcat]", false},
        {"[program]", false},
        {"[program hashcat", false},
        {"[all programs]", false},
        {"[program hashcat,,gimp]", false},
    };
    for (size_t i = 0; i < WEFT_COUNT_OF(rows); i++) {
        char text[128];
        begin();
        snprintf(text, sizeof text, "%s\nWEFT_VF=4\n", rows[i].section);
        load_text(text);
        if (weft_config_uint(WEFT_CFG_VF) != (rows[i].applies ? 4 : 0))
            FAIL("%s", rows[i].section);
        end();
    }
}

TEST(a_section_ends_where_the_next_begins)
{
    begin();
    CHECK_STR(
        load_text("[program gimp]\nWEFT_VF=4\n[program hashcat]\nWEFT_VF=8\n[program gimp]\nWEFT_VF=16\n"
                  "[all]\nWEFT_THREADS=2\n"),
        "");
    CHECK_EQ(weft_config_uint(WEFT_CFG_VF), 8);
    CHECK_EQ(weft_config_uint(WEFT_CFG_THREADS), 2);
    end();
}

TEST(the_last_line_that_applies_counts)
{
    begin();
    load_text("WEFT_VF=1\nWEFT_VF=2\n[program hashcat]\nWEFT_VF=8\nWEFT_VF=4\n");
    CHECK_EQ(weft_config_uint(WEFT_CFG_VF), 4);
    end();
}

TEST(the_environment_comes_before_the_users_file_the_systems_and_the_shipped_one)
{
    begin();
    setenv("WEFT_VF", "1", 1);
    setenv("WEFT_PIN", "", 1); // set and empty: the default, whatever files say
    weft_config_reload();
    char *shipped = text_file("shipped", "[program hashcat]\nWEFT_VF=2\nWEFT_THREADS=2\nWEFT_COMPILERS=2\n"
                                         "WEFT_BUILD_TIMEOUT=2\nWEFT_PIN=1\nWEFT_DEVICE_VENDOR=Somebody\n");
    char *system_file = text_file("system", "WEFT_VF=4\nWEFT_THREADS=4\nWEFT_COMPILERS=4\n");
    char *user =
        text_file("user", "WEFT_VF=8\nWEFT_THREADS=8\nWEFT_DEVICE_VENDOR=\nWEFT_BUILD_TIMEOUT= # none\n");
    CHECK_STR(load(shipped, system_file, user), "");
    CHECK_EQ(weft_config_uint(WEFT_CFG_VF), 1);
    CHECK_EQ(weft_config_uint(WEFT_CFG_THREADS), 8);
    CHECK_EQ(weft_config_uint(WEFT_CFG_COMPILERS), 4);
    CHECK_EQ(weft_config_uint(WEFT_CFG_PIN), 0);
    // An empty value takes back what files of lower rank say.
    CHECK_EQ(weft_config_str(WEFT_CFG_DEVICE_VENDOR), (void *)NULL);
    CHECK_EQ(weft_config_uint(WEFT_CFG_BUILD_TIMEOUT), 300);
    end();
}

TEST(values_may_have_quotation_marks)
{
    begin();
    CHECK_STR(
        load_text("WEFT_DEVICE_NAME = \" a # name; \"  # comment\nWEFT_DEVICE_VENDOR=Intel(R) Corporation\n"
                  "WEFT_PLATFORM_NAME = one#two\nWEFT_DEVICE_VENDOR_ID = 0x8086\n"),
        "");
    CHECK_STR(weft_config_str(WEFT_CFG_DEVICE_NAME), " a # name; ");
    CHECK_STR(weft_config_str(WEFT_CFG_DEVICE_VENDOR), "Intel(R) Corporation");
    CHECK_STR(weft_config_str(WEFT_CFG_PLATFORM_NAME), "one#two");
    CHECK_EQ(weft_config_uint(WEFT_CFG_DEVICE_VENDOR_ID), 0x8086);
    end();
}

TEST(what_is_not_understood_is_reported_with_file_and_line_and_the_rest_counts)
{
    static const struct {
        const char *line, *report;
    } rows[] = {
        {"WEFT_VF", "neither NAME = VALUE nor a section"},
        {"= 3", "neither NAME = VALUE nor a section"},
        {"WEFT_VF=3", "WEFT_VF=3 is ignored: it takes 0 or a power of two up to 32"},
        {"WEFT_DEVICE_VENDOR_ID=Intel", "it takes a number up to 0xffffffff"},
        {"WEFT_DEVICE_VENDOR_ID=0x100000000", "it takes a number up to 0xffffffff"},
        {"WEFT_DEVICE_VENDOR_ID=0x", "it takes a number up to 0xffffffff"},
        {"WEFT_DEVICE_VENDOR_ID=-1", "it takes a number up to 0xffffffff"},
        {"WEFT_VEE_EFF=1", "WEFT_VEE_EFF is not a setting of Weft and is ignored"},
        {"WEFT_THREAD=1", "ignored; did you mean WEFT_THREADS?\n"},
        {"THREADS=1", "THREADS is not a setting of Weft and is ignored; did you mean WEFT_THREADS?\n"},
        {"WEFT_FOO=1", "WEFT_FOO is not a setting of Weft and is ignored\n"},
        {"WEFT_CONF=/x", "works in the environment only"},
        {"WEFT_DEVICE_NAME=\"half", "quotation marks"},
        {"WEFT_DEVICE_NAME=\"one\" two", "quotation marks"},
        {"WEFT_DEVICE_NAME=a\001b", "control characters"},
        {"WEFT_LOG=loud", "loud is not understood"},
    };
    for (size_t i = 0; i < WEFT_COUNT_OF(rows); i++) {
        char text[256], place[160];
        begin();
        snprintf(text, sizeof text, "WEFT_THREADS=1\n\n%s\nWEFT_COMPILERS=7\n", rows[i].line);
        const char *said = load_text(text);
        snprintf(place, sizeof place, "%s/weft.conf:3: ", folder);
        CHECK_CONTAINS(said, rows[i].report);
        if (!strstr(rows[i].line, "WEFT_LOG"))
            CHECK_CONTAINS(said, place);
        CHECK_EQ(weft_config_uint(WEFT_CFG_VF), 0);
        CHECK_EQ(weft_config_uint(WEFT_CFG_DEVICE_VENDOR_ID), 0);
        CHECK_EQ(weft_config_uint(WEFT_CFG_THREADS), 1);
        CHECK_EQ(weft_config_uint(WEFT_CFG_COMPILERS), 7);
        end();
    }
}

TEST(settings_below_a_section_that_is_not_understood_are_for_nobody)
{
    static const char *const bad[] = {"[program hashcat", "[programs hashcat]", "[]", "[", "[program ,]"};
    for (size_t i = 0; i < WEFT_COUNT_OF(bad); i++) {
        char text[128];
        begin();
        snprintf(text, sizeof text, "%s\nWEFT_VF=4\n[all]\nWEFT_THREADS=2\n", bad[i]);
        CHECK_CONTAINS(load_text(text), "weft.conf:1: this line is ignored: a ");
        CHECK_EQ(weft_config_uint(WEFT_CFG_VF), 0);
        CHECK_EQ(weft_config_uint(WEFT_CFG_THREADS), 2);
        end();
    }
}

TEST(names_and_vendors_have_a_length)
{
    char text[512] = "WEFT_DEVICE_NAME=", *end_of_text = text + strlen(text);
    begin();
    memset(end_of_text, 'x', 255);
    CHECK_STR(load_text(text), "");
    CHECK_EQ(strlen(weft_config_str(WEFT_CFG_DEVICE_NAME)), 255);
    end_of_text[255] = 'x';
    CHECK_CONTAINS(load_text(text), "it takes text of up to 255 bytes");
    CHECK_EQ(strlen(weft_config_str(WEFT_CFG_DEVICE_NAME)), 255);
    end();
}

TEST(the_log_of_a_file_decides_what_is_reported_of_it)
{
    begin();
    CHECK_STR(load_text("nonsense\nWEFT_LOG=error\n"), "");
    CHECK_EQ(weft_log_level_now, WEFT_LOG_ERROR);
    weft_config_reload();
    CHECK_CONTAINS(load_text("nonsense\nWEFT_LOG=debug\n"), "weft: debug: configuration file: ");
    CHECK_EQ(weft_log_level_now, WEFT_LOG_DEBUG);
    end();
}

TEST(a_file_full_of_nonsense_is_reported_a_few_times_only)
{
    static char text[60000];
    begin();
    for (size_t i = 0; i < sizeof text - 1; i++)
        text[i] = i % 4 == 3 ? '\n' : 'x';
    const char *said = load_text(text);
    size_t lines = 0;
    for (const char *c = said; *c; c++)
        lines += *c == '\n';
    CHECK_EQ(lines, 8);
    end();
}

TEST(what_is_no_small_regular_file_is_not_used)
{
    static char text[WEFT_CONFIG_FILE_BYTES + 1];
    char path[128];
    begin();
    memset(text, '\n', sizeof text);
    memcpy(text, "WEFT_VF=4", 9);
    CHECK_CONTAINS(load(no_file, no_file, file("large", text, sizeof text)), "it has more than 64 KiB");
    CHECK_EQ(weft_config_uint(WEFT_CFG_VF), 0);
    CHECK_STR(load(no_file, no_file, file("fits", text, sizeof text - 1)), "");
    CHECK_EQ(weft_config_uint(WEFT_CFG_VF), 4);
    CHECK_CONTAINS(load(no_file, no_file, folder), "it is not a regular file");
    snprintf(path, sizeof path, "%s/fifo", folder);
    CHECK_EQ(mkfifo(path, 0600), 0); // opening it would wait for a writer
    CHECK_CONTAINS(load(no_file, no_file, path), "it is not a regular file");
    CHECK_STR(load("/no/such/file", "/dev/null/x", "/nowhere"), "");
    setenv("WEFT_CONF", "/nowhere", 1);
    weft_config_reload();
    CHECK_CONTAINS(load("/no/such/file", "/dev/null/x", "/nowhere"),
                   "the configuration file /nowhere, which WEFT_CONF names, is not used: No such file");
    end();
}

TEST(an_unreadable_file_is_ignored_with_words)
{
    begin();
    char *path = text_file("secret", "WEFT_VF=4\n");
    chmod(path, 0);
    setenv("WEFT_LOG", "warn", 1);
    weft_config_reload();
    if (access(path, R_OK) == 0) { // root may read it: a loop of links is unreadable to all
        snprintf(path, 128, "%s/loop", folder);
        CHECK_EQ(symlink(path, path), 0);
    }
    CHECK_CONTAINS(load(no_file, no_file, path), "is not used: ");
    CHECK_EQ(weft_config_uint(WEFT_CFG_VF), 0);
    end();
}

TEST(the_users_file_is_where_xdg_says)
{
    begin();
    setenv("HOME", "/home/of", 1);
    setenv("XDG_CONFIG_HOME", "/xdg", 1);
    char *path = weft_config_user_path();
    CHECK_STR(path, "/xdg/weft.conf");
    weft_free(path);
    setenv("XDG_CONFIG_HOME", "relative", 1);
    path = weft_config_user_path();
    CHECK_STR(path, "/home/of/.config/weft.conf");
    weft_free(path);
    unsetenv("XDG_CONFIG_HOME");
    unsetenv("HOME");
    CHECK_EQ(weft_config_user_path(), (void *)NULL);
    setenv("WEFT_CONF", "/mine", 1);
    weft_config_reload();
    path = weft_config_user_path();
    CHECK_STR(path, "/mine");
    weft_free(path);
    end();
}

TEST(a_program_is_known_by_its_executables_name)
{
    struct weft_program_names p;
    weft_program_names_init(&p);
    CHECK_GE(p.count, 1);
    CHECK_CONTAINS(p.names[0], "config_file");
    CHECK(p.has_library("libc.so*"));
    CHECK(!p.has_library("libnothing.so*"));
}

// Runs as another user's set-uid program. The parent made the files.
static void check_as_set_uid(void)
{
    CHECK(getenv("XDG_CONFIG_HOME") != NULL);
    CHECK_EQ(weft_config_user_path(), (void *)NULL);
    CHECK_EQ(weft_config_uint(WEFT_CFG_VF), 0);
}

static void run_as_set_uid(const char *copy)
{
    pid_t pid = fork();
    if (pid == 0) {
        setenv("XDG_CONFIG_HOME", folder, 1);
        setenv("WEFT_CONF", "/dev/null", 1);
        setenv("WEFT_VF", "4", 1);
        setenv("WEFT_TEST_SET_UID", "1", 1);
        execl(copy, copy, "a_set_uid_program_has_no_file_of_its_user", (char *)NULL);
        _exit(1);
    }
    int status = 1;
    CHECK_EQ(waitpid(pid, &status, 0), pid);
    CHECK(WIFEXITED(status));
    if (WEXITSTATUS(status) == HARNESS_SKIPPED)
        SKIP("set-uid has no effect in /tmp");
    CHECK_EQ(WEXITSTATUS(status), 0);
}

TEST(a_set_uid_program_has_no_file_of_its_user)
{
    if (getauxval(AT_SECURE)) {
        check_as_set_uid();
        return;
    }
    if (getenv("WEFT_TEST_SET_UID") || geteuid() != 0 || HARNESS_ASAN || HARNESS_TSAN)
        SKIP("it takes root and a program without sanitizers");
    char command[256], copy[128];
    begin();
    CHECK_EQ(chmod(folder, 0755), 0);
    snprintf(copy, sizeof copy, "%s/copy", folder);
    snprintf(command, sizeof command, "cp /proc/%d/exe %s && chown 65534 %s && chmod 4755 %s", getpid(), copy,
             copy, copy);
    CHECK_EQ(system(command), 0);
    run_as_set_uid(copy);
    end();
}
