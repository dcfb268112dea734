// The disk cache: it finds what was stored, and nothing else.
// timeout: 120
#include "base/private_files.h"
#include "runtime/compiler/reproducer.h"

#include <dirent.h>
#include <fcntl.h>
#include <linux/close_range.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include "disk_cache_fixture.h"

static char folder[64];

static void open_cache(const char *megabytes)
{
    strcpy(folder, "/tmp/weft-cache-XXXXXX");
    CHECK(mkdtemp(folder) != NULL);
    setenv("WEFT_CACHE", "1", 1);
    setenv("WEFT_CACHE_DIR", folder, 1);
    setenv("WEFT_CACHE_SIZE", megabytes, 1);
    weft_config_reload();
    CHECK(weft_cache_enabled());
}

static void close_cache(void)
{
    char command[128];
    snprintf(command, sizeof command, "rm -rf %s", folder);
    CHECK_EQ(system(command), 0);
}

static weft_status store(uint64_t n, const char *text)
{
    return weft_cache_write(WEFT_CACHE_KERNEL, key_of(n), text, strlen(text));
}

TEST(what_is_stored_is_found)
{
    open_cache("1024");
    CHECK_EQ(load(1, NULL), WEFT_NOT_FOUND);
    CHECK_EQ(store(1, "one"), WEFT_OK);
    CHECK_EQ(store(2, ""), WEFT_OK);
    CHECK_EQ(load(1, "one"), WEFT_OK);
    CHECK_EQ(load(2, ""), WEFT_OK);
    CHECK_EQ(store(1, "another"), WEFT_OK);
    CHECK_EQ(load(1, "another"), WEFT_OK);
    CHECK_EQ(load(3, NULL), WEFT_NOT_FOUND);
    close_cache();
}

TEST(storing_in_the_background_is_done_at_exit_at_the_latest)
{
    open_cache("1024");
    fflush(stdout);
    pid_t pid = fork();
    if (pid == 0) {
        for (uint64_t i = 0; i < 20; i++) {
            struct weft_buf b = {0};
            weft_buf_puts(&b, "background");
            weft_cache_store(WEFT_CACHE_KERNEL, key_of(i), &b, NULL);
        }
        exit(0);
    }
    int status;
    CHECK_EQ(waitpid(pid, &status, 0), pid);
    CHECK_EQ(status, 0);
    for (uint64_t i = 0; i < 20; i++)
        CHECK_EQ(load(i, "background"), WEFT_OK);
    close_cache();
}

TEST(torn_and_damaged_entries_are_not_believed)
{
    open_cache("1024");
    char path[160];
    path_of(path, folder, 1);
    for (int cut = 0; cut < 60; cut++) {
        CHECK_EQ(store(1, "some machine code"), WEFT_OK);
        CHECK_EQ(truncate(path, cut), 0);
        CHECK_NE(load(1, NULL), WEFT_OK);
    }
    for (int i = 0; i < 48 + 17; i++) {
        CHECK_EQ(store(1, "some machine code"), WEFT_OK);
        int fd = open(path, O_RDWR);
        char c;
        CHECK_EQ(pread(fd, &c, 1, i), 1);
        c ^= 4;
        CHECK_EQ(pwrite(fd, &c, 1, i), 1);
        close(fd);
        CHECK_NE(load(1, NULL), WEFT_OK);
        CHECK_EQ(load(1, NULL), WEFT_NOT_FOUND); // removed
    }
    CHECK_EQ(store(1, "good again"), WEFT_OK);
    CHECK_EQ(load(1, "good again"), WEFT_OK);
    close_cache();
}

TEST(entries_under_a_wrong_name_are_not_believed)
{
    open_cache("1024");
    char one[160], two[160];
    path_of(one, folder, 1);
    path_of(two, folder, 2);
    CHECK_EQ(store(1, "one"), WEFT_OK);
    CHECK_EQ(rename(one, two), 0);
    CHECK_EQ(load(2, NULL), WEFT_DAMAGED);
    close_cache();
}

TEST(what_others_can_write_is_not_believed)
{
    open_cache("1024");
    char path[160];
    path_of(path, folder, 1);
    CHECK_EQ(store(1, "one"), WEFT_OK);
    CHECK_EQ(chmod(path, 0666), 0);
    CHECK_NE(load(1, NULL), WEFT_OK);
    CHECK_EQ(store(1, "one"), WEFT_OK);
    CHECK_EQ(chmod(folder, 0777), 0);
    CHECK_NE(load(1, NULL), WEFT_OK);
    CHECK_NE(store(2, "two"), WEFT_OK);
    CHECK_EQ(chmod(folder, 0700), 0);
    CHECK_EQ(load(1, "one"), WEFT_OK);
    // A link to a file elsewhere.
    char elsewhere[160];
    snprintf(elsewhere, sizeof elsewhere, "%s/elsewhere", folder);
    CHECK_EQ(rename(path, elsewhere), 0);
    CHECK_EQ(symlink(elsewhere, path), 0);
    CHECK_NE(load(1, NULL), WEFT_OK);
    close_cache();
}

TEST(a_full_disk_leaves_no_trace)
{
    open_cache("1024");
    signal(SIGXFSZ, SIG_IGN);
    struct rlimit l = {20, 20};
    CHECK_EQ(setrlimit(RLIMIT_FSIZE, &l), 0);
    CHECK_EQ(store(1, "more than twenty bytes of machine code"), WEFT_IO);
    CHECK_EQ(load(1, NULL), WEFT_NOT_FOUND);
    DIR *d = opendir(folder);
    int files = 0;
    for (struct dirent *e; (e = readdir(d));)
        files += e->d_name[0] != '.';
    closedir(d);
    CHECK_EQ(files, 0);
    close_cache();
}

TEST(a_folder_that_cannot_be_made_means_no_cache)
{
    setenv("WEFT_CACHE", "1", 1);
    setenv("WEFT_CACHE_DIR", "/proc/nowhere/weft", 1);
    weft_config_reload();
    CHECK(!weft_cache_enabled());
    CHECK_NE(store(1, "one"), WEFT_OK);
    CHECK_EQ(load(1, NULL), WEFT_NOT_FOUND);
    struct weft_buf b = {0};
    weft_buf_puts(&b, "text");
    weft_cache_store(WEFT_CACHE_KERNEL, key_of(1), &b, NULL);
    CHECK_EQ(weft_cache_path("x"), NULL);
}

TEST(no_size_means_no_cache)
{
    snprintf(folder, sizeof folder, "/tmp/weft-cache-XXXXXX");
    CHECK(mkdtemp(folder) != NULL);
    setenv("WEFT_CACHE", "1", 1);
    setenv("WEFT_CACHE_DIR", folder, 1);
    setenv("WEFT_CACHE_SIZE", "0", 1);
    weft_config_reload();
    CHECK(!weft_cache_enabled());
    CHECK_NE(store(1, "one"), WEFT_OK);
    struct weft_buf b = {0};
    weft_buf_puts(&b, "text");
    weft_cache_store(WEFT_CACHE_KERNEL, key_of(2), &b, NULL);
    CHECK_EQ(weft_cache_path("x"), NULL);
    CHECK_EQ(rmdir(folder), 0); // nothing lies in it
}

TEST(no_home_means_no_cache)
{
    setenv("WEFT_CACHE", "1", 1);
    unsetenv("WEFT_CACHE_DIR");
    unsetenv("XDG_CACHE_HOME");
    unsetenv("HOME");
    weft_config_reload();
    CHECK(!weft_cache_enabled());
}

TEST(the_size_is_kept_and_the_last_used_stay)
{
    open_cache("1");
    static char big[50000];
    memset(big, 'b', sizeof big - 1);
    for (uint64_t i = 0; i < 200; i++) {
        CHECK_EQ(store(i, big), WEFT_OK);
        char path[160];
        path_of(path, folder, i);
        // The later, the more lately used; the first one is used again and again.
        struct timespec t[2] = {{1000000 + (time_t)i, 0}, {1000000 + (time_t)i, 0}};
        CHECK_EQ(utimensat(AT_FDCWD, path, t, 0), 0);
        CHECK_EQ(load(0, big), WEFT_OK);
    }
    uint64_t bytes = 0;
    DIR *d = opendir(folder);
    for (struct dirent *e; (e = readdir(d));) {
        struct stat st;
        if (fstatat(dirfd(d), e->d_name, &st, 0) == 0 && S_ISREG(st.st_mode))
            bytes += (uint64_t)st.st_size;
    }
    closedir(d);
    CHECK_LT(bytes, 5u << 20); // looked at now and then only
    CHECK_EQ(load(199, big), WEFT_OK);
    CHECK_EQ(load(5, NULL), WEFT_NOT_FOUND);
    close_cache();
}

// A temporary file that was written so many seconds ago by the file system's clock.
static void add_temporary(const char *name, time_t seconds)
{
    char path[160];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL, 0600);
    CHECK(fd >= 0);
    const time_t then = time(NULL) - ahead - seconds;
    CHECK_EQ(futimens(fd, (struct timespec[2]){{then, 0}, {then, 0}}), 0);
    close(fd);
}

static bool has_temporary(const char *name)
{
    char path[160];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return access(path, F_OK) == 0;
}

// The folder may be on a server, whose clock isn't this machine's.
TEST(temporary_files_are_old_by_the_clock_of_their_file_system)
{
    open_cache("1024");
    for (int hours = -2; hours <= 2; hours += 2) {
        ahead = hours * 3600;
        add_temporary("tmp.live", 60);
        add_temporary("tmp.claim.live", 3000);
        add_temporary("tmp.old", 4000);
        add_temporary("tmp.claim.old", 7000);
        for (int i = 0; i < 64; i++)
            CHECK_EQ(store(0, "an entry"), WEFT_OK); // one of 64 looks at them
        CHECK(has_temporary("tmp.live"));
        CHECK(has_temporary("tmp.claim.live"));
        CHECK(!has_temporary("tmp.old"));
        CHECK(!has_temporary("tmp.claim.old"));
        char command[160];
        snprintf(command, sizeof command, "rm %s/tmp.*", folder);
        CHECK_EQ(system(command), 0);
    }
    close_cache();
}

// A folder of files for debuggers that was written so many days ago.
static void add_debug_folder(char digit, size_t bytes, time_t days)
{
    char path[160], file[200];
    memset(path, 0, sizeof path);
    snprintf(path, sizeof path, "%s/" WEFT_CACHE_DEBUG "/", folder);
    mkdir(path, 0700);
    memset(path + strlen(path), digit, 32);
    CHECK_EQ(mkdir(path, 0700), 0);
    snprintf(file, sizeof file, "%s/kernel.so", path);
    FILE *f = fopen(file, "w");
    for (size_t i = 0; i < bytes; i++)
        putc('d', f);
    CHECK_EQ(fclose(f), 0);
    const struct timespec t[2] = {{time(NULL) - days * 86400, 0}, {time(NULL) - days * 86400, 0}};
    CHECK_EQ(utimensat(AT_FDCWD, path, t, 0), 0);
}

static bool has_debug_folder(char digit)
{
    char path[160];
    memset(path, 0, sizeof path);
    snprintf(path, sizeof path, "%s/" WEFT_CACHE_DEBUG "/", folder);
    memset(path + strlen(path), digit, 32);
    const bool has = access(path, F_OK) == 0;
    strcat(path, "/kernel.so");
    CHECK_EQ(access(path, F_OK) == 0, has);
    return has;
}

TEST(files_for_debuggers_count_and_the_oldest_go)
{
    open_cache("1");
    add_debug_folder('a', 300000, 2);
    add_debug_folder('b', 400000, 3);
    add_debug_folder('c', 500000, 0);
    for (int i = 0; i < 64; i++)
        CHECK_EQ(store(0, "an entry"), WEFT_OK); // one of 64 looks at the size
    CHECK(has_debug_folder('a'));
    CHECK(!has_debug_folder('b'));
    CHECK(has_debug_folder('c'));
    CHECK_EQ(load(0, "an entry"), WEFT_OK);
    // What may be in use stays, however large it is, and there is room for entries beside it.
    add_debug_folder('d', 3000000, 0);
    for (uint64_t i = 1; i <= 64; i++)
        CHECK_EQ(store(i, "an entry"), WEFT_OK);
    for (int i = 0; i < 64; i++)
        CHECK_EQ(store(64, "an entry"), WEFT_OK);
    CHECK(!has_debug_folder('a'));
    CHECK(has_debug_folder('c'));
    CHECK(has_debug_folder('d'));
    for (uint64_t i = 0; i <= 64; i++)
        CHECK_EQ(load(i, "an entry"), WEFT_OK);
    close_cache();
}

TEST(several_processes_at_once_see_whole_entries_only)
{
    open_cache("1024");
    static char text[4][30000];
    for (int i = 0; i < 4; i++)
        memset(text[i], 'a' + i, sizeof text[i] - 1);
    fflush(stdout);
    pid_t children[4];
    for (int i = 0; i < 4; i++) {
        if ((children[i] = fork()) == 0) {
            for (int n = 0; n < 300; n++) {
                if (store((uint64_t)n % 7, text[i]) != WEFT_OK)
                    _exit(1);
                uint8_t *bytes;
                size_t size;
                weft_status s =
                    weft_cache_load(WEFT_CACHE_KERNEL, key_of((uint64_t)(n + 3) % 7), &bytes, &size);
                if (s != WEFT_OK && s != WEFT_NOT_FOUND)
                    _exit(2);
                for (size_t k = 1; s == WEFT_OK && k < size; k++)
                    if (bytes[k] != bytes[0])
                        _exit(3);
                weft_free(bytes);
            }
            _exit(0);
        }
    }
    for (int i = 0; i < 4; i++) {
        int status;
        CHECK_EQ(waitpid(children[i], &status, 0), children[i]);
        CHECK_EQ(WEXITSTATUS(status), 0);
    }
    close_cache();
}

static void check_file(const char *path, const char *want)
{
    char text[64] = {0};
    FILE *f = fopen(path, "r");
    CHECK(f != NULL);
    size_t n = fread(text, 1, sizeof text - 1, f);
    fclose(f);
    CHECK_EQ(n, strlen(want));
    CHECK_STR(text, want);
}

static void check_options(const char *path, const char *want)
{
    char options[200];
    snprintf(options, sizeof options, "%.*s.options", (int)(strlen(path) - 3), path);
    check_file(options, want);
}

TEST(a_reproducer_holds_source_and_options)
{
    open_cache("1024");
    char *path = weft_reproducer_save("kernel void f() {}", 18, NULL, "-DX");
    CHECK(path != NULL);
    CHECK_CONTAINS(path, folder);
    check_file(path, "kernel void f() {}");
    check_options(path, "-DX");
    weft_free(path);
    path = weft_reproducer_save("BC", 2, "f", "-DX");
    CHECK(path != NULL);
    check_file(path, "BC");
    check_options(path, "f\n-DX");
    weft_free(path);
    close_cache();
}

TEST(without_a_cache_it_lies_among_the_temporary_files)
{
    char *sentence;
    snprintf(folder, sizeof folder, "/tmp/weft-cache-XXXXXX");
    CHECK(mkdtemp(folder) != NULL);
    setenv("WEFT_CACHE", "0", 1);
    setenv("TMPDIR", folder, 1);
    weft_config_reload();
    CHECK_EQ(weft_cache_path("x"), NULL);
    char *path = weft_reproducer_save("x", 1, NULL, "");
    CHECK(path != NULL);
    CHECK_CONTAINS(path, folder);
    check_file(path, "x");
    sentence = weft_reproducer_sentence("x", 1, NULL, "");
    CHECK_CONTAINS(sentence, path);
    weft_free(sentence);
    // Not where others could have put files, nor in a folder that isn't there.
    *strrchr(path, '/') = '\0';
    CHECK_EQ(chmod(path, 0777), 0);
    CHECK_EQ(weft_reproducer_save("y", 1, NULL, ""), NULL);
    setenv("TMPDIR", "/proc/nowhere", 1);
    CHECK_EQ(weft_reproducer_save("x", 1, NULL, ""), NULL);
    sentence = weft_reproducer_sentence("x", 1, NULL, "");
    CHECK_STR(sentence, "");
    weft_free(sentence);
    weft_free(path);
    close_cache();
}

TEST(the_newest_reproducers_are_kept)
{
    open_cache("1024");
    enum { SAVED = 300 };
    char text[16], *paths[SAVED];
    int kept = 0, first = SAVED;
    for (int i = 0; i < SAVED; i++) {
        snprintf(text, sizeof text, "%d", i);
        paths[i] = weft_reproducer_save(text, strlen(text), NULL, "");
        CHECK(paths[i] != NULL);
    }
    for (int i = 0; i < SAVED; i++) {
        if (access(paths[i], F_OK) == 0) {
            kept++;
            first = i < first ? i : first;
        }
        weft_free(paths[i]);
    }
    CHECK_GT(kept, 50);
    CHECK_LT(kept, 150);
    CHECK_GT(first, SAVED - 150);
    close_cache();
}

// ---- Descriptors ----

static _Atomic bool storing = true;

static void *keep_storing(void *arg)
{
    static char text[200000];
    memset(text, 'w', sizeof text - 1);
    for (uint64_t n = 0; n < HARNESS_SCALE(2000); n++)
        store(n % 10, text);
    storing = false;
    return arg;
}

// As a program that becomes a daemon does, while entries are written in the background.
TEST(what_is_written_never_ends_in_a_file_of_the_application)
{
    if (HARNESS_TSAN)
        SKIP("to the thread sanitizer, closing what another thread has opened is a race");
    open_cache("1024");
    pthread_t thread;
    CHECK_EQ(pthread_create(&thread, NULL, keep_storing, NULL), 0);
    int iterations = 0;
    for (; storing; iterations++) {
        CHECK_EQ(syscall(SYS_close_range, 3u, ~0u, 0), 0);
        for (int fd = 3; fd < 9; fd++) {
            CHECK_EQ(memfd_create("application's", MFD_CLOEXEC), fd); // all the numbers are free
        }
        usleep(100);
        for (int fd = 3; fd < 9; fd++) {
            struct stat st;
            CHECK_EQ(fstat(fd, &st), 0);
            CHECK_EQ(st.st_size, 0);
        }
    }
    pthread_join(thread, NULL);
    CHECK_GT(iterations, 10);
    for (uint64_t n = 0; n < 10; n++)
        CHECK_EQ(load(n, NULL), WEFT_OK);
    close_cache();
}

static void look_at_descriptors(void *arg)
{
    int *found = arg;
    for (int fd = 0; fd < 100; fd++)
        found[fd >= 3] += fcntl(fd, F_GETFD) >= 0;
    found[2] = open("/dev/null", O_RDONLY | O_CLOEXEC); // and left open: it goes with the thread
}

TEST(own_files_are_nobody_elses)
{
    if (HARNESS_TSAN)
        SKIP("the thread sanitizer knows only one table of descriptors");
    int mine = open("/dev/null", O_RDONLY), found[3] = {0};
    CHECK_GE(mine, 0);
    weft_private_files_call(look_at_descriptors, found);
    CHECK_EQ(found[0], 3);
    CHECK_EQ(found[1], 0);
    CHECK_EQ(found[2], 3);
    CHECK_GE(fcntl(mine, F_GETFD), 0);
    CHECK_EQ(close(mine), 0);
    CHECK_EQ(open("/dev/null", O_RDONLY | O_CLOEXEC), mine); // what the call left open isn't here
}
