// A disk cache of several folders, and processes that want the same entry at once. The file is long since the
// folders, entries and processes that its tests make are the same.
// timeout: 180
#include "runtime/compiler/cache_claim.h"
#include "runtime/compiler/cache_identity.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/inotify.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "disk_cache_fixture.h"

static char top[64], first[80], second[80], third[80];

static void open_folders(void)
{
    char list[400];
    strcpy(top, "/tmp/weft-cache-XXXXXX");
    CHECK(mkdtemp(top) != NULL);
    snprintf(first, sizeof first, "%s/first", top);
    snprintf(second, sizeof second, "%s/second", top);
    snprintf(third, sizeof third, "%s/third", top);
    CHECK_EQ(mkdir(second, 0700), 0);
    CHECK_EQ(mkdir(third, 0700), 0);
    snprintf(list, sizeof list, "%s:%s::%s/none:relative:%s", first, second, top, third);
    setenv("WEFT_CACHE", "1", 1);
    setenv("WEFT_CACHE_SIZE", "1024", 1);
    setenv("WEFT_CACHE_DIR", list, 1);
    weft_config_reload();
}

static void close_folders(void)
{
    char command[128];
    snprintf(command, sizeof command, "chmod -R u+rwX %s && rm -rf %s", top, top);
    CHECK_EQ(system(command), 0);
}

// As another process has stored it.
static void put(const char *folder, uint64_t n, const char *text)
{
    char path[160];
    struct weft_buf b = {0};
    path_of(path, folder, n);
    weft_cache_entry_begin(&b, key_of(n), text, strlen(text));
    weft_buf_puts(&b, text);
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    CHECK(weft_write_all(fd, b.data, b.size));
    close(fd);
    weft_buf_free(&b);
}

static bool appears(const char *path)
{
    for (int ms = 0; ms < 10000; ms++) {
        if (access(path, F_OK) == 0)
            return true;
        usleep(1000);
    }
    return false;
}

// Counts what opens a file or a folder. Closings are watched, too, as equal events in a row become one.
static int watch_opening(const char *path)
{
    int watch = inotify_init1(IN_NONBLOCK);
    if (watch < 0)
        SKIP("no inotify");
    CHECK(inotify_add_watch(watch, path, IN_OPEN | IN_CLOSE) >= 0);
    return watch;
}

static int count_openings(int watch)
{
    char bytes[16384];
    struct inotify_event event;
    int opened = 0;
    const ssize_t n = read(watch, bytes, sizeof bytes);
    for (ssize_t at = 0; at < n; at += (ssize_t)(sizeof event + event.len)) {
        memcpy(&event, bytes + at, sizeof event);
        opened += (event.mask & IN_OPEN) != 0;
    }
    close(watch);
    return opened;
}

// That it is missing in the other folders is noted for some seconds.
static void forget_what_is_missing(void)
{
    char command[200];
    snprintf(command, sizeof command, "rm -f %s/tmp.none.*", first);
    CHECK_EQ(system(command), 0);
}

TEST(what_another_folder_has_is_copied_to_the_first)
{
    char path[160];
    open_folders();
    put(second, 1, "one");
    put(third, 2, "two");
    put(second, 3, "three");
    put(third, 3, "not asked");
    CHECK_EQ(load(1, "one"), WEFT_OK);
    CHECK_EQ(load(2, "two"), WEFT_OK);
    CHECK_EQ(load(3, "three"), WEFT_OK);
    CHECK_EQ(load(4, NULL), WEFT_NOT_FOUND);
    for (uint64_t n = 1; n <= 3; n++) {
        path_of(path, first, n);
        CHECK(appears(path));
    }
    char command[200];
    snprintf(command, sizeof command, "rm -rf %s/*", second);
    CHECK_EQ(system(command), 0);
    CHECK_EQ(load(1, "one"), WEFT_OK); // from the first
    close_folders();
}

TEST(only_the_first_folder_is_written)
{
    char path[160];
    open_folders();
    struct stat before, after;
    put(second, 1, "one");
    path_of(path, second, 1);
    // Long unused: a touch would show.
    CHECK_EQ(utimensat(AT_FDCWD, path, (struct timespec[2]){{1000, 0}, {1000, 0}}, 0), 0);
    CHECK_EQ(stat(second, &before), 0);
    CHECK_EQ(load(1, "one"), WEFT_OK);
    CHECK_EQ(weft_cache_write(WEFT_CACHE_KERNEL, key_of(2), "two", 3), WEFT_OK);
    CHECK_EQ(stat(second, &after), 0);
    CHECK_EQ(before.st_mtim.tv_sec, after.st_mtim.tv_sec);
    CHECK_EQ(before.st_mtim.tv_nsec, after.st_mtim.tv_nsec);
    CHECK_EQ(stat(path, &after), 0);
    CHECK_EQ(after.st_mtim.tv_sec, 1000);
    path_of(path, first, 2);
    CHECK_EQ(access(path, F_OK), 0);
    close_folders();
}

TEST(a_damaged_entry_is_found_in_the_next_folder)
{
    char path[160];
    open_folders();
    for (int folder = 0; folder < 2; folder++) {
        const uint64_t n = 10 + (uint64_t)folder;
        CHECK_EQ(load(9, NULL), WEFT_NOT_FOUND); // makes the first folder
        put(folder ? second : first, n, "damaged");
        put(third, n, "whole");
        path_of(path, folder ? second : first, n);
        CHECK_EQ(truncate(path, 50), 0);
        CHECK_EQ(load(n, "whole"), WEFT_OK);
        // In the first folder it goes at once. The other folder is somebody else's.
        path_of(path, second, n);
        CHECK_EQ(access(path, F_OK) == 0, folder == 1);
    }
    put(second, 20, "damaged");
    path_of(path, second, 20);
    CHECK_EQ(truncate(path, 50), 0);
    CHECK_EQ(load(20, NULL), WEFT_DAMAGED);
    CHECK_EQ(weft_cache_write(WEFT_CACHE_KERNEL, key_of(20), "again", 5), WEFT_OK);
    CHECK_EQ(load(20, "again"), WEFT_OK);
    close_folders();
}

TEST(what_others_can_write_is_not_believed)
{
    char path[160];
    open_folders();
    put(second, 1, "one");
    path_of(path, second, 1);
    CHECK_EQ(chmod(path, 0622), 0);
    CHECK_NE(load(1, NULL), WEFT_OK);
    CHECK_EQ(chmod(path, 0600), 0);
    CHECK_EQ(chmod(second, 0777), 0);
    CHECK_EQ(load(1, NULL), WEFT_NOT_FOUND);
    CHECK_EQ(chmod(second, 0700), 0);
    forget_what_is_missing();
    if (geteuid() == 0) { // root's are believed, another user's aren't
        CHECK_EQ(chown(path, 65534, 65534), 0);
        CHECK_NE(load(1, NULL), WEFT_OK);
        CHECK_EQ(chown(path, 0, 0), 0);
    }
    CHECK_EQ(load(1, "one"), WEFT_OK);
    close_folders();
}

TEST(roots_entries_serve_other_users)
{
    if (geteuid() != 0)
        SKIP("only root can become another user");
    open_folders();
    put(second, 1, "one");
    char command[200];
    snprintf(command, sizeof command, "mkdir -m 700 %s && chown 65534 %s && chmod 755 %s && chmod -R a+rX %s",
             first, first, top, second);
    CHECK_EQ(system(command), 0);
    fflush(stdout);
    pid_t pid = fork();
    if (pid == 0)
        _exit(setuid(65534) == 0 && load(1, "one") == WEFT_OK ? 0 : 1);
    int status;
    CHECK_EQ(waitpid(pid, &status, 0), pid);
    CHECK_EQ(status, 0);
    close_folders();
}

TEST(folders_that_nobody_can_write)
{
    open_folders();
    put(second, 1, "one");
    CHECK_EQ(chmod(second, 0500), 0);
    // There is no first folder either: what is shared is used nevertheless.
    char list[200];
    snprintf(list, sizeof list, "/proc/nowhere/weft:%s", second);
    setenv("WEFT_CACHE_DIR", list, 1);
    weft_config_reload();
    CHECK(weft_cache_enabled());
    CHECK_EQ(load(1, "one"), WEFT_OK);
    CHECK_NE(weft_cache_write(WEFT_CACHE_KERNEL, key_of(2), "two", 3), WEFT_OK);
    CHECK_EQ(weft_cache_path("x"), NULL);
    struct weft_cache_claim claim;
    CHECK(!weft_cache_await(WEFT_CACHE_KERNEL, key_of(3), &claim));
    CHECK(!claim.held);
    weft_cache_unclaim(&claim);
    CHECK_EQ(load(1, "one"), WEFT_OK);
    close_folders();
}

// Another user of this machine was first.
TEST(a_first_folder_of_another_user_is_not_used)
{
    if (geteuid() != 0)
        SKIP("only root can give a folder away");
    char path[160];
    open_folders();
    put(second, 1, "one");
    CHECK_EQ(mkdir(first, 0700), 0);
    put(first, 2, "two");
    CHECK_EQ(chown(first, 65534, 65534), 0);
    CHECK_EQ(load(1, "one"), WEFT_OK);
    CHECK_EQ(load(2, NULL), WEFT_NOT_FOUND);
    CHECK_NE(weft_cache_write(WEFT_CACHE_KERNEL, key_of(3), "three", 5), WEFT_OK);
    path_of(path, first, 1);
    CHECK_NE(access(path, F_OK), 0);
    close_folders();
}

TEST(a_folder_says_which_compiler_fills_it)
{
    struct weft_hash key;
    struct weft_buf b = {0};
    uint8_t *bytes;
    size_t size;
    open_folders();
    setenv("WEFT_WEFTC", "/bin/sh", 1); // it has a build ID, as weftc does
    weft_config_reload();
    CHECK(weft_cache_compiler_entry(&key, &b));
    CHECK_NE(weft_cache_load(WEFT_CACHE_COMPILER, key, &bytes, &size), WEFT_OK);
    CHECK_EQ(weft_cache_write(WEFT_CACHE_KERNEL, key_of(1), "one", 3), WEFT_OK);
    CHECK_EQ(weft_cache_load(WEFT_CACHE_COMPILER, key, &bytes, &size), WEFT_OK);
    CHECK_EQ(size, b.size);
    CHECK_MEM(bytes, b.data, size);
    weft_free(bytes);
    weft_buf_free(&b);
    close_folders();
}

// The identity in a process of its own, because it is found once.
static struct weft_hash identity_with(const char *weftc)
{
    int ends[2];
    struct weft_hash h = {0};
    CHECK_EQ(pipe(ends), 0);
    fflush(stdout);
    pid_t pid = fork();
    if (pid == 0) {
        setenv("WEFT_WEFTC", weftc, 1);
        weft_config_reload();
        h = weft_cache_identity();
        // A compiler fills the cache; where there is none, that changes nothing.
        weft_cache_write(WEFT_CACHE_KERNEL, key_of(1), "one", 3);
        _exit(write(ends[1], &h, sizeof h) == sizeof h ? 0 : 1);
    }
    CHECK_EQ(read(ends[0], &h, sizeof h), sizeof h);
    close(ends[0]);
    close(ends[1]);
    int status;
    CHECK_EQ(waitpid(pid, &status, 0), pid);
    CHECK_EQ(status, 0);
    return h;
}

TEST(a_compiler_is_known_by_what_it_contains)
{
    char a[100], b[100], command[400];
    open_folders();
    snprintf(a, sizeof a, "%s/a/weftc", top);
    snprintf(b, sizeof b, "%s/b/weftc", top);
    snprintf(command, sizeof command,
             "mkdir %s/a %s/b && cp /bin/sh %s && cp /bin/sh %s && touch -d 2001-01-01 %s && strip %s", top,
             top, a, b, b, b);
    if (system(command) != 0)
        SKIP("no strip");
    const struct weft_hash of_a = identity_with(a), of_b = identity_with(b), other = identity_with("/bin/ls");
    CHECK_EQ(of_a.lo, of_b.lo);
    CHECK_EQ(of_a.hi, of_b.hi);
    CHECK_NE(of_a.lo, other.lo);
    // Where there is none, the folder says which it was. That was ls at last; a shared one behind it says sh.
    const struct weft_hash none = identity_with("/nowhere/weftc");
    CHECK_EQ(none.lo, other.lo);
    CHECK_EQ(none.hi, other.hi);
    // A file beside it that has no hash counts with its time.
    snprintf(command, sizeof command, "%s/a/builtins.pack", top);
    int fd = open(command, O_WRONLY | O_CREAT, 0600);
    CHECK_EQ(write(fd, "x", 1), 1);
    close(fd);
    CHECK_NE(identity_with(a).lo, of_a.lo);
    close_folders();
}

// The entry of a folder that says which compiler fills it.
static void put_compiler(const char *folder, uint64_t number)
{
    struct weft_hash key;
    struct weft_buf b = {0}, entry = {0};
    char name[WEFT_CACHE_ENTRY_NAME], path[200];
    setenv("WEFT_WEFTC", "/bin/sh", 1);
    weft_config_reload();
    CHECK(weft_cache_compiler_entry(&key, &b));
    memcpy(b.data, &number, sizeof number);
    weft_cache_entry_name(name, WEFT_CACHE_COMPILER, key);
    snprintf(path, sizeof path, "%s/%s", folder, name);
    weft_cache_entry_begin(&entry, key, b.data, b.size);
    weft_buf_append(&entry, b.data, b.size);
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    CHECK(weft_write_all(fd, entry.data, entry.size));
    close(fd);
    weft_buf_free(&b);
    weft_buf_free(&entry);
}

static struct weft_hash identity_without_compiler(void)
{
    int ends[2];
    struct weft_hash h = {0};
    CHECK_EQ(pipe(ends), 0);
    fflush(stdout);
    pid_t pid = fork();
    if (pid == 0) {
        setenv("WEFT_WEFTC", "/nowhere/weftc", 1);
        weft_config_reload();
        h = weft_cache_identity();
        load(5, NULL); // which is missing
        _exit(write(ends[1], &h, sizeof h) == sizeof h ? 0 : 1);
    }
    CHECK_EQ(read(ends[0], &h, sizeof h), sizeof h);
    close(ends[0]);
    close(ends[1]);
    CHECK_EQ(waitpid(pid, NULL, 0), pid);
    return h;
}

// Without a compiler, it is asked once on a machine which one fills the shared folder, and again if something
// is missing.
TEST(which_compiler_fills_a_shared_folder_is_asked_once)
{
    open_folders();
    pid_t pid;
    fflush(stdout);
    if ((pid = fork()) == 0) { // it would know its compiler afterwards
        put_compiler(second, 1);
        _exit(0);
    }
    CHECK_EQ(waitpid(pid, NULL, 0), pid);
    const struct weft_hash one = identity_without_compiler();
    int watch = watch_opening(second);
    CHECK_EQ(identity_without_compiler().lo, one.lo);
    CHECK_EQ(count_openings(watch), 0);
    fflush(stdout);
    if ((pid = fork()) == 0) {
        put_compiler(second, 2);
        _exit(0);
    }
    CHECK_EQ(waitpid(pid, NULL, 0), pid);
    forget_what_is_missing();
    CHECK_EQ(identity_without_compiler().lo, one.lo); // and something is missing
    CHECK_NE(identity_without_compiler().lo, one.lo);
    close_folders();
}

// ---- Claims ----

// A process that wants an entry, and makes it if no other does. Returns whether it has made it.
static bool get_or_make(uint64_t n, int made)
{
    struct weft_cache_claim claim = {0};
    if (load(n, "made") == WEFT_OK ||
        (weft_cache_await(WEFT_CACHE_KERNEL, key_of(n), &claim) && load(n, "made") == WEFT_OK))
        return false;
    usleep(100000);
    CHECK_EQ(write(made, "m", 1), 1);
    struct weft_buf b = {0};
    weft_buf_puts(&b, "made");
    weft_cache_store(WEFT_CACHE_KERNEL, key_of(n), &b, &claim);
    CHECK(!claim.held); // it goes when the entry is stored
    return true;
}

TEST(one_of_many_processes_makes_an_entry)
{
    enum { PROCESSES = 8 };
    int ends[2];
    pid_t children[PROCESSES];
    open_folders();
    CHECK_EQ(load(1, NULL), WEFT_NOT_FOUND);
    CHECK_EQ(pipe(ends), 0);
    fflush(stdout);
    for (int i = 0; i < PROCESSES; i++)
        if ((children[i] = fork()) == 0) {
            get_or_make(1, ends[1]);
            exit(0);
        }
    for (int i = 0; i < PROCESSES; i++) {
        int status;
        CHECK_EQ(waitpid(children[i], &status, 0), children[i]);
        CHECK_EQ(status, 0);
    }
    close(ends[1]);
    char bytes[16];
    CHECK_EQ(read(ends[0], bytes, sizeof bytes), 1);
    CHECK_EQ(load(1, "made"), WEFT_OK);
    close(ends[0]);
    char command[200];
    snprintf(command, sizeof command, "ls %s | grep -q claim", first);
    CHECK_NE(system(command), 0); // none is left
    close_folders();
}

// Lets processes start at once, each of which must end with `good`.
static void run_processes(int processes, bool (*good)(void))
{
    pid_t children[16];
    fflush(stdout);
    for (int i = 0; i < processes; i++)
        if ((children[i] = fork()) == 0)
            _exit(good() ? 0 : 1);
    for (int i = 0; i < processes; i++) {
        int status;
        CHECK_EQ(waitpid(children[i], &status, 0), children[i]);
        CHECK_EQ(status, 0);
    }
}

static bool finds_one(void)
{
    return load(1, "one") == WEFT_OK;
}

static bool finds_none(void)
{
    return load(2, NULL) == WEFT_NOT_FOUND;
}

TEST(one_of_many_processes_asks_a_shared_folder)
{
    char path[160], command[200];
    open_folders();
    put(second, 1, "one");
    path_of(path, second, 1);
    int watch = watch_opening(path);
    run_processes(8, finds_one);
    CHECK_EQ(count_openings(watch), 1);
    path_of(path, first, 1);
    CHECK_EQ(access(path, F_OK), 0);
    snprintf(command, sizeof command, "ls %s | grep -q tmp", first);
    CHECK_NE(system(command), 0);
    close_folders();
}

// Also for what is missing there. Some time later, it may be there.
static void ask_in_vain(void)
{
    char command[300];
    open_folders();
    put(second, 1, "one");
    setenv("WEFT_WEFTC", "/bin/sh", 1); // else it is asked for a compiler's name, too
    weft_config_reload();
    int watch = watch_opening(second);
    run_processes(12, finds_none);
    CHECK_EQ(count_openings(watch), 1);
    put(second, 2, "two");
    snprintf(command, sizeof command, "touch %s/tmp.none.*",
             first); // it may be old already on a busy machine
    CHECK_EQ(system(command), 0);
    CHECK_EQ(load(2, NULL), WEFT_NOT_FOUND);
    snprintf(command, sizeof command, "touch -d '1 minute ago' %s/tmp.none.*", first);
    CHECK_EQ(system(command), 0);
    CHECK_EQ(load(2, "two"), WEFT_OK);
    snprintf(command, sizeof command, "ls %s | grep -q tmp", first);
    CHECK_NE(system(command), 0);
    close_folders();
}

TEST(one_of_many_processes_asks_in_vain)
{
    ask_in_vain();
}

// The first folder may be on a server, too. What was noted just now isn't old.
TEST(a_note_is_new_by_the_clock_of_its_file_system)
{
    ahead = 60;
    ask_in_vain();
}

// What was noted a minute ago is old.
TEST(a_note_is_old_by_the_clock_of_its_file_system)
{
    ahead = -60;
    ask_in_vain();
}

static bool stores_one(void)
{
    return weft_cache_write(WEFT_CACHE_KERNEL, key_of((uint64_t)getpid()), "one", 3) == WEFT_OK;
}

// The folder's size is looked at by one store in 64, also if each process stores just one entry.
TEST(most_processes_do_not_look_at_the_folders_size)
{
    char path[160];
    open_folders();
    CHECK_EQ(load(1, NULL), WEFT_NOT_FOUND);
    snprintf(path, sizeof path, "%s/" WEFT_CACHE_DEBUG, first);
    CHECK_EQ(mkdir(path, 0700), 0);
    int watch = watch_opening(path); // it is read with the rest
    run_processes(16, stores_one);
    CHECK_LT(count_openings(watch), 8);
    close_folders();
}

// What a process does that needs the entry. Its status says whether it has made it: 1, or has found it: 0.
static int make_or_find(void)
{
    struct weft_cache_claim claim;
    if (weft_cache_await(WEFT_CACHE_KERNEL, key_of(1), &claim) && load(1, "made") == WEFT_OK)
        return 0;
    struct weft_buf b = {0};
    usleep(100000);
    weft_buf_puts(&b, "made");
    weft_cache_store(WEFT_CACHE_KERNEL, key_of(1), &b, &claim);
    weft_cache_store_claimed();
    // The thread that stores in the background may have it in hand.
    for (int i = 0; i < 500 && load(1, "made") != WEFT_OK; i++)
        usleep(10000);
    return load(1, "made") == WEFT_OK ? 1 : 2;
}

TEST(one_of_those_that_wait_takes_over_from_a_process_that_dies)
{
    enum { WAITING = 6 };
    pid_t holder, waiting[WAITING];
    int tells[2], made = 0;
    char byte = 0;
    open_folders();
    CHECK_EQ(load(1, NULL), WEFT_NOT_FOUND);
    CHECK_EQ(pipe(tells), 0);
    fflush(stdout);
    if ((holder = fork()) == 0) {
        struct weft_cache_claim claim;
        weft_cache_await(WEFT_CACHE_KERNEL, key_of(1), &claim);
        if (write(tells[1], &byte, 1) != 1)
            _exit(1);
        for (;;)
            pause();
    }
    CHECK_EQ(read(tells[0], &byte, 1), 1);
    for (int i = 0; i < WAITING; i++)
        if ((waiting[i] = fork()) == 0)
            _exit(make_or_find());
    usleep(300000);
    CHECK_EQ(kill(holder, SIGKILL), 0);
    CHECK_EQ(waitpid(holder, NULL, 0), holder); // else its number remains in use
    for (int i = 0; i < WAITING; i++) {
        int status;
        CHECK_EQ(waitpid(waiting[i], &status, 0), waiting[i]);
        CHECK(WIFEXITED(status) && WEXITSTATUS(status) <= 1);
        made += WEXITSTATUS(status);
    }
    CHECK_EQ(made, 1);
    close(tells[0]);
    close(tells[1]);
    close_folders();
}

static void claim_path(char path[200])
{
    char entry[WEFT_CACHE_ENTRY_NAME];
    weft_cache_entry_name(entry, WEFT_CACHE_KERNEL, key_of(1));
    snprintf(path, 200, "%s/tmp.claim.%s", first, entry);
}

// When the kernel started a process: field 22 after the name in brackets.
static unsigned long long start_of(pid_t pid)
{
    char path[40], text[512] = "";
    snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
    int fd = open(path, O_RDONLY);
    if (fd < 0)
        return 1; // there is no such process
    CHECK(read(fd, text, sizeof text - 1) > 0);
    close(fd);
    char *at = strrchr(text, ')');
    for (int field = 2; at && field < 22; field++)
        at = strchr(at + 1, ' ');
    CHECK(at != NULL);
    return strtoull(at, NULL, 10);
}

// Leaves the claim of a process of another machine, or of this one, whose number is `pid`.
static void leave_claim_since(pid_t pid, unsigned long long started, bool elsewhere)
{
    char path[200], text[250], machine[64] = "", hex[33];
    struct stat st;
    int fd = open("/proc/sys/kernel/random/boot_id", O_RDONLY);
    CHECK(fd >= 0 && read(fd, machine, sizeof machine - 1) > 0);
    close(fd);
    CHECK_EQ(stat("/proc/self/ns/pid", &st), 0);
    machine[strcspn(machine, "\n")] = '\0';
    snprintf(text, sizeof text, "%d %llu 0 some %s %llu ", (int)pid, started, elsewhere ? "0-0-0" : machine,
             (unsigned long long)st.st_ino);
    weft_hash_hex(weft_hash_str((struct weft_hash){0}, text), hex);
    claim_path(path);
    fd = open(path, O_WRONLY | O_CREAT | O_EXCL, 0600);
    CHECK(fd >= 0 && weft_write_all(fd, text, strlen(text)) && weft_write_all(fd, hex, strlen(hex)));
    close(fd);
}

static void leave_claim(pid_t pid, bool elsewhere)
{
    leave_claim_since(pid, start_of(pid), elsewhere);
}

static pid_t dead_process(void)
{
    fflush(stdout);
    pid_t pid = fork();
    if (pid == 0)
        _exit(0);
    CHECK_EQ(waitpid(pid, NULL, 0), pid);
    return pid;
}

// Lets that many processes need the entry. Returns how many have made it.
static int count_makers(int processes)
{
    pid_t children[16];
    int made = 0;
    fflush(stdout);
    for (int i = 0; i < processes; i++)
        if ((children[i] = fork()) == 0)
            _exit(make_or_find());
    for (int i = 0; i < processes; i++) {
        int status;
        CHECK_EQ(waitpid(children[i], &status, 0), children[i]);
        CHECK(WIFEXITED(status) && WEXITSTATUS(status) <= 1);
        made += WEXITSTATUS(status);
    }
    return made;
}

// Another process has died while it removed the claim: files that it left hold nobody up.
TEST(who_dies_while_it_removes_a_claim_holds_nobody_up)
{
    char command[300], entry[WEFT_CACHE_ENTRY_NAME];
    open_folders();
    CHECK_EQ(load(1, NULL), WEFT_NOT_FOUND);
    leave_claim(dead_process(), false);
    weft_cache_entry_name(entry, WEFT_CACHE_KERNEL, key_of(1));
    snprintf(command, sizeof command, "touch %s/tmp.claim.%s.gone", first, entry);
    CHECK_EQ(system(command), 0);
    const uint64_t since = weft_time_now();
    CHECK_EQ(count_makers(4), 1);
    CHECK_LT(weft_time_now() - since, 5000000000u);
    close_folders();
}

// A claim that somebody takes at the moment is left alone, and so is a new one in its place.
TEST(one_of_those_that_see_a_dead_claim_takes_it)
{
    struct weft_cache_claim claim = {.kind = WEFT_CACHE_KERNEL, .key = key_of(1)}, other = claim;
    struct weft_claim_watch watch = {0}, others = {0};
    char path[200];
    open_folders();
    CHECK_EQ(load(1, NULL), WEFT_NOT_FOUND);
    leave_claim(dead_process(), false);
    claim_path(path);
    int fd = open(path, O_RDWR);
    CHECK(fd >= 0);
    CHECK_EQ(flock(fd, LOCK_EX), 0);
    CHECK_EQ(weft_claim_take(&claim, &watch), WEFT_CLAIM_ANOTHERS); // as far as is known
    CHECK_EQ(access(path, F_OK), 0);
    close(fd);
    CHECK_EQ(weft_claim_take(&claim, &watch), WEFT_CLAIM_OURS);
    CHECK_EQ(access(path, F_OK), 0);
    CHECK_EQ(weft_claim_take(&other, &others), WEFT_CLAIM_ANOTHERS);
    weft_claim_give_up(&claim, false);
    CHECK_NE(access(path, F_OK), 0);
    CHECK_EQ(weft_claim_take(&other, &others), WEFT_CLAIM_OURS);
    weft_claim_give_up(&other, false);
    close_folders();
}

// This process waits for a compiler. Others see that it lives, by the time of its claim.
TEST(who_waits_for_a_compiler_keeps_its_claims)
{
    const struct timespec long_ago[2] = {{1000, 0}, {1000, 0}};
    struct weft_cache_claim claim;
    struct stat st;
    char path[200];
    open_folders();
    claim_path(path);
    CHECK_EQ(load(1, NULL), WEFT_NOT_FOUND);
    CHECK(!weft_cache_await(WEFT_CACHE_KERNEL, key_of(1), &claim));
    CHECK(claim.held);
    for (int k = 0; k < 2; k++) {
        CHECK_EQ(utimensat(AT_FDCWD, path, long_ago, 0), 0);
        if (k)
            usleep(2100000);
        weft_claim_keep();
        CHECK_EQ(stat(path, &st), 0);
        CHECK_NE(st.st_mtim.tv_sec, 1000);
        CHECK_EQ(utimensat(AT_FDCWD, path, long_ago, 0), 0);
        weft_claim_keep(); // not so often
        CHECK_EQ(stat(path, &st), 0);
        CHECK_EQ(st.st_mtim.tv_sec, 1000);
    }
    usleep(2100000);
    CHECK_EQ(unlink(path), 0);
    leave_claim(getppid(), false); // another's isn't touched
    CHECK_EQ(utimensat(AT_FDCWD, path, long_ago, 0), 0);
    weft_claim_keep();
    CHECK_EQ(stat(path, &st), 0);
    CHECK_EQ(st.st_mtim.tv_sec, 1000);
    weft_cache_unclaim(&claim);
    close_folders();
}

// Writing fails here, as it may take long elsewhere: there is a claim with its text, or none.
TEST(a_claim_appears_whole)
{
    char path[200];
    open_folders();
    claim_path(path);
    CHECK_EQ(load(1, NULL), WEFT_NOT_FOUND);
    fflush(stdout);
    pid_t pid = fork();
    if (pid == 0) {
        struct weft_cache_claim claim;
        signal(SIGXFSZ, SIG_IGN);
        if (setrlimit(RLIMIT_FSIZE, &(struct rlimit){0, 0}) != 0)
            _exit(2);
        weft_cache_await(WEFT_CACHE_KERNEL, key_of(1), &claim);
        _exit(claim.held || access(path, F_OK) == 0);
    }
    int status;
    CHECK_EQ(waitpid(pid, &status, 0), pid);
    CHECK_EQ(status, 0);
    char command[200];
    snprintf(command, sizeof command, "ls %s | grep -v none | grep -q tmp", first);
    CHECK_NE(system(command), 0);
    close_folders();
}

// A process that was stopped for so long that another one has taken its claim.
TEST(who_gives_up_a_claim_leaves_that_of_an_heir)
{
    struct weft_cache_claim claim;
    char path[200];
    open_folders();
    claim_path(path);
    CHECK_EQ(load(1, NULL), WEFT_NOT_FOUND);
    CHECK(!weft_cache_await(WEFT_CACHE_KERNEL, key_of(1), &claim));
    CHECK(claim.held);
    CHECK_EQ(unlink(path), 0);
    leave_claim(getppid(), false);
    weft_cache_unclaim(&claim);
    CHECK_EQ(access(path, F_OK), 0);
    close_folders();
}

// A process that can open only one file more: it can't see whose claim that is.
TEST(a_claim_that_cannot_be_opened_is_somebodys)
{
    char path[200];
    open_folders();
    claim_path(path);
    CHECK_EQ(load(1, NULL), WEFT_NOT_FOUND);
    leave_claim(getpid(), true);
    fflush(stdout);
    pid_t pid = fork();
    if (pid == 0) {
        struct weft_cache_claim claim;
        const int next = dup(0);
        close(next);
        if (setrlimit(RLIMIT_NOFILE, &(struct rlimit){(rlim_t)next + 1, (rlim_t)next + 1}) != 0)
            _exit(2);
        weft_cache_await(WEFT_CACHE_KERNEL, key_of(1), &claim);
        _exit(0);
    }
    usleep(1000000);
    CHECK_EQ(access(path, F_OK), 0);
    CHECK_EQ(waitpid(pid, NULL, WNOHANG), 0); // it waits
    CHECK_EQ(kill(pid, SIGKILL), 0);
    CHECK_EQ(waitpid(pid, NULL, 0), pid);
    CHECK_EQ(access(path, F_OK), 0);
    close_folders();
}

TEST(a_number_of_a_process_is_used_again)
{
    open_folders();
    CHECK_EQ(load(1, NULL), WEFT_NOT_FOUND);
    leave_claim_since(getppid(), start_of(getppid()) - 1, false);
    const uint64_t since = weft_time_now();
    CHECK_EQ(count_makers(3), 1);
    CHECK_LT(weft_time_now() - since, 5000000000u);
    close_folders();
}

// A child that does something for 12 seconds, and then stores the entry.
static pid_t slow_maker(void (*work)(const char *path))
{
    char path[200], entry[160];
    int tells[2];
    char byte = 0;
    claim_path(path);
    path_of(entry, first, 1);
    CHECK_EQ(pipe(tells), 0);
    fflush(stdout);
    pid_t pid = fork();
    if (pid == 0) {
        struct weft_cache_claim claim = {0};
        if (work)
            leave_claim(1, true);
        else
            weft_cache_await(WEFT_CACHE_KERNEL, key_of(1), &claim);
        if (write(tells[1], &byte, 1) != 1)
            _exit(1);
        for (int k = 0; k < 12; k++) {
            usleep(1000000);
            if (work)
                work(path);
        }
        weft_cache_write(WEFT_CACHE_KERNEL, key_of(1), "made", 4);
        if (work)
            unlink(path);
        weft_cache_unclaim(&claim);
        _exit(0);
    }
    CHECK_EQ(read(tells[0], &byte, 1), 1);
    close(tells[0]);
    close(tells[1]);
    return pid;
}

static void check_that_a_slow_maker_is_waited_for(void (*meanwhile)(const char *path))
{
    open_folders();
    CHECK_EQ(load(1, NULL), WEFT_NOT_FOUND);
    pid_t maker = slow_maker(meanwhile);
    CHECK_EQ(count_makers(4), 0);
    CHECK_EQ(waitpid(maker, NULL, 0), maker);
    close_folders();
}

// Processes of this machine are seen to be alive.
TEST(a_slow_process_of_this_machine_is_waited_for)
{
    check_that_a_slow_maker_is_waited_for(NULL);
}

static void touch_claim(const char *path)
{
    utimensat(AT_FDCWD, path, NULL, 0);
}

// Those of other machines say it from time to time.
TEST(a_slow_process_of_another_machine_is_waited_for)
{
    check_that_a_slow_maker_is_waited_for(touch_claim);
}

// Who is stopped doesn't hold up the others for much longer than a machine that is gone.
TEST(a_process_that_is_stopped_is_not_waited_for)
{
    open_folders();
    CHECK_EQ(load(1, NULL), WEFT_NOT_FOUND);
    pid_t maker = slow_maker(NULL);
    CHECK_EQ(kill(maker, SIGSTOP), 0);
    const uint64_t since = weft_time_now();
    CHECK_EQ(count_makers(4), 1);
    CHECK_LT(weft_time_now() - since, 20000000000u);
    CHECK_EQ(kill(maker, SIGKILL), 0);
    CHECK_EQ(waitpid(maker, NULL, 0), maker);
    close_folders();
}

// What can't be made isn't tried by one process after the other.
TEST(what_two_give_up_is_tried_by_all)
{
    enum { PROCESSES = 12 };
    pid_t children[PROCESSES];
    open_folders();
    CHECK_EQ(load(1, NULL), WEFT_NOT_FOUND);
    const uint64_t since = weft_time_now();
    fflush(stdout);
    for (int i = 0; i < PROCESSES; i++)
        if ((children[i] = fork()) == 0) {
            struct weft_cache_claim claim;
            weft_cache_await(WEFT_CACHE_KERNEL, key_of(1), &claim);
            usleep(1000000);
            weft_cache_unclaim(&claim);
            _exit(0);
        }
    for (int i = 0; i < PROCESSES; i++)
        CHECK_EQ(waitpid(children[i], NULL, 0), children[i]);
    CHECK_LT(weft_time_now() - since, 8000000000u);
    close_folders();
}

// All wait for ten seconds, as that machine may be slow. After that one of them makes the entry, and not all.
TEST(one_takes_over_from_a_machine_that_is_gone)
{
    open_folders();
    CHECK_EQ(load(1, NULL), WEFT_NOT_FOUND);
    leave_claim(1, true);
    const uint64_t since = weft_time_now();
    CHECK_EQ(count_makers(6), 1);
    CHECK(weft_time_now() - since > 9000000000u);
    close_folders();
}

// Who looks rarely, since it or the server is slow, may not see the touches in time either.
TEST(who_could_not_look_has_not_seen_a_claim_stand_still)
{
    struct weft_cache_claim claim = {.kind = WEFT_CACHE_KERNEL, .key = key_of(1)};
    struct weft_claim_watch watch = {0};
    open_folders();
    CHECK_EQ(load(1, NULL), WEFT_NOT_FOUND);
    leave_claim(1, true);
    CHECK_EQ(weft_claim_take(&claim, &watch), WEFT_CLAIM_ANOTHERS);
    usleep(11000000);
    CHECK_EQ(weft_claim_take(&claim, &watch), WEFT_CLAIM_ANOTHERS);
    const uint64_t since = weft_time_now();
    enum weft_claim taken;
    while ((taken = weft_claim_take(&claim, &watch)) == WEFT_CLAIM_ANOTHERS)
        usleep(100000);
    CHECK_EQ(taken, WEFT_CLAIM_OURS);
    CHECK(weft_time_now() - since > 8000000000u);
    weft_claim_give_up(&claim, false);
    close_folders();
}

// A server isn't asked about folders that aren't needed: this one isn't there, which is said when it is.
TEST(shared_folders_are_looked_at_when_something_is_missing)
{
    char command[300], text[400] = "";
    open_folders();
    put(second, 1, "one");
    snprintf(text, sizeof text, "%s/log", top);
    fflush(stdout);
    pid_t pid = fork();
    if (pid == 0) {
        struct stat st;
        snprintf(command, sizeof command, "%s:%s/none", second, top); // "second" is this one's first
        setenv("WEFT_CACHE_DIR", command, 1);
        setenv("WEFT_LOG", "warn", 1);
        weft_config_reload();
        int fd = open(text, O_RDWR | O_CREAT, 0600);
        bool good = fd >= 0 && dup2(fd, STDERR_FILENO) >= 0;
        good = good && load(1, "one") == WEFT_OK && fstat(fd, &st) == 0 && st.st_size == 0;
        good = good && load(2, NULL) == WEFT_NOT_FOUND && fstat(fd, &st) == 0 && st.st_size > 0;
        _exit(good ? 0 : 1);
    }
    int status;
    CHECK_EQ(waitpid(pid, &status, 0), pid);
    CHECK_EQ(status, 0);
    close_folders();
}

TEST(a_dead_process_makes_nothing)
{
    open_folders();
    CHECK_EQ(load(1, NULL), WEFT_NOT_FOUND);
    struct weft_cache_claim claim;
    fflush(stdout);
    pid_t pid = fork();
    if (pid == 0) {
        weft_cache_await(WEFT_CACHE_KERNEL, key_of(1), &claim);
        _exit(claim.held ? 0 : 1);
    }
    int status;
    CHECK_EQ(waitpid(pid, &status, 0), pid);
    CHECK_EQ(status, 0);
    const uint64_t since = weft_time_now();
    CHECK(!weft_cache_await(WEFT_CACHE_KERNEL, key_of(1), &claim)); // it is ours now
    CHECK(claim.held);
    CHECK_LT(weft_time_now() - since, 2000000000u);
    // Who waits stores what this process has made.
    struct weft_buf b = {0};
    weft_buf_puts(&b, "made");
    weft_cache_store(WEFT_CACHE_KERNEL, key_of(1), &b, &claim);
    weft_cache_store_claimed();
    struct weft_cache_claim again;
    while (load(1, "made") != WEFT_OK) // the background thread may have been first
        usleep(1000);
    CHECK(!weft_cache_await(WEFT_CACHE_KERNEL, key_of(1), &again) || !again.held);
    weft_cache_unclaim(&again);
    close_folders();
}
