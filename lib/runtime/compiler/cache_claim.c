// Claims of the disk cache. A claim is a file in the first folder, tmp.claim.<entry's name>, which only one
// process can create, also on NFS. It says which process that is, so that others on the same machine see
// when it has died. No descriptor is kept. Claims that are left behind go as old temporary files do.
//
// A claim is held by a thread that compiles, or by an entry that is to be stored in the background. Threads
// that wait hold none, and store such entries first, so processes never wait for each other in a ring. If a
// wait takes too long nevertheless, somebody else takes the claim and the entry is made twice, which does no
// harm.
#include "runtime/compiler/cache_claim.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/compiler/cache_folders.h"

#define WRITTEN_WITHIN_NS 100000000u // after it was created

enum { NAME = WEFT_CACHE_ENTRY_NAME + 16, OWNER = 128, CLAIM = OWNER + 64 };

static atomic_int held; // claims of this process

static void claim_name(char name[NAME], enum weft_cache_kind kind, struct weft_hash key)
{
    char entry[WEFT_CACHE_ENTRY_NAME];
    weft_cache_entry_name(entry, kind, key);
    snprintf(name, NAME, "tmp.claim.%s", entry);
}

// The machine since its start, and its names of processes. Empty: unknown.
static void read_machine(char text[OWNER])
{
    struct stat st;
    char boot[48];
    text[0] = '\0';
    int fd = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);
    const ssize_t n = fd >= 0 ? read(fd, boot, sizeof boot - 1) : -1;
    if (fd >= 0)
        close(fd);
    if (n <= 0 || stat("/proc/self/ns/pid", &st) != 0)
        return;
    boot[n] = '\0';
    boot[strcspn(boot, "\n")] = '\0';
    snprintf(text, OWNER, "%s %llu", boot, (unsigned long long)st.st_ino);
}

// Remembered by the first process that asks: it keeps its namespace, but a child of it may have another one.
// No lock, which a fork could leave locked in the child.
static void describe_machine(char text[OWNER])
{
    static char machine[OWNER];
    static _Atomic(pid_t) known_to; // 0: not read, -1: being written
    if (atomic_load_explicit(&known_to, memory_order_acquire) == getpid()) {
        memcpy(text, machine, OWNER);
        return;
    }
    read_machine(text);
    pid_t nobody = 0;
    if (atomic_compare_exchange_strong(&known_to, &nobody, -1)) {
        memcpy(machine, text, OWNER);
        atomic_store_explicit(&known_to, getpid(), memory_order_release);
    }
}

// A claim's text: process, machine, and a hash of them. Returns its length.
static int describe_owner(char text[CLAIM])
{
    char machine[OWNER], hex[33];
    describe_machine(machine);
    const int n = snprintf(text, CLAIM, "%d %s ", (int)getpid(), machine);
    weft_hash_hex(weft_hash_str((struct weft_hash){0}, text), hex);
    return n + snprintf(text + n, CLAIM - (size_t)n, "%s", hex);
}

static bool create(int dir, const char *name)
{
    char text[CLAIM];
    int fd = openat(dir, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd < 0)
        return false;
    const int n = describe_owner(text);
    weft_write_all(fd, text, (size_t)n); // if it fails, it is no claim
    close(fd);
    return true;
}

enum state { NOBODY, DEAD, UNCLEAR, SOMEBODY };

struct holder {
    enum state state;
    struct weft_hash who; // of the claim's text; zero if that isn't whole
};

static struct holder holder_of(char *text)
{
    struct holder h = {.state = UNCLEAR};
    char machine[OWNER], hex[33];
    const long pid = strtol(text, NULL, 10);
    char *hash = strrchr(text, ' '), *space = strchr(text, ' ');
    if (!hash || hash == space || pid <= 0 || pid > INT_MAX)
        return h;
    char given[33];
    snprintf(given, sizeof given, "%s", hash + 1);
    hash[1] = '\0';
    const struct weft_hash who = weft_hash_str((struct weft_hash){0}, text);
    weft_hash_hex(who, hex);
    if (strcmp(hex, given) != 0)
        return h;
    h = (struct holder){SOMEBODY, who};
    *hash = '\0';
    describe_machine(machine);
    if (!*machine || strcmp(space + 1, machine) != 0)
        return h; // of another machine
    if (pid == getpid() ? atomic_load(&held) == 0 : kill((pid_t)pid, 0) != 0 && errno == ESRCH)
        h.state = DEAD;
    return h;
}

static struct holder read_holder(int fd)
{
    char text[CLAIM];
    struct stat st;
    const ssize_t n = fstat(fd, &st) == 0 && S_ISREG(st.st_mode) ? pread(fd, text, sizeof text - 1, 0) : -1;
    if (n <= 0)
        return (struct holder){.state = UNCLEAR};
    text[n] = '\0';
    return holder_of(text);
}

// Opening asks a server of NFS again, other than a look at the name.
static struct holder find_holder(int dir, const char *name)
{
    int fd = openat(dir, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        return (struct holder){.state = errno == ENOENT ? NOBODY : UNCLEAR};
    const struct holder h = read_holder(fd);
    close(fd);
    return h;
}

// Removes a claim if it is still the one that was seen: another process that has seen the same may have
// removed it, and taken a new one. So whoever removes a claim has it locked, and looks once more. A lock
// ends with its process, so nothing is left behind by one that dies. Where there are no locks, the entry may
// be made twice. False: another process does the same, or has taken a new one.
static bool remove_claim(int dir, const char *name, const struct holder *seen)
{
    struct stat file, there;
    int fd = openat(dir, name, O_RDWR | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK); // NFS locks what can be written
    if (fd < 0) {
        if (errno != ENOENT && unlinkat(dir, name, 0) != 0)
            unlinkat(dir, name, AT_REMOVEDIR);
        return true;
    }
    const bool is_locked = flock(fd, LOCK_EX | LOCK_NB) == 0;
    bool is_same = is_locked || errno != EWOULDBLOCK;
    if (is_same) {
        const struct holder now = read_holder(fd);
        is_same = now.state == seen->state && now.who.lo == seen->who.lo && now.who.hi == seen->who.hi &&
                  fstat(fd, &file) == 0 && fstatat(dir, name, &there, AT_SYMLINK_NOFOLLOW) == 0 &&
                  file.st_ino == there.st_ino;
    }
    if (is_same)
        unlinkat(dir, name, 0);
    if (is_locked)
        flock(fd, LOCK_UN); // a child that another thread has forked meanwhile has the file open, too
    close(fd);
    return is_same;
}

// The folder is opened anew each time: then a client of NFS sees what other machines have done in it.
bool weft_claim_is_held(enum weft_cache_kind kind, struct weft_hash key, uint64_t waited,
                        struct weft_hash *who)
{
    char name[NAME];
    claim_name(name, kind, key);
    int dir = weft_cache_folder_open(0);
    if (dir < 0)
        return false;
    const struct holder found = find_holder(dir, name);
    const bool is_held = found.state == SOMEBODY || (found.state == UNCLEAR && waited < WRITTEN_WITHIN_NS) ||
                         (found.state != NOBODY && !remove_claim(dir, name, &found));
    *who = found.who;
    close(dir);
    return is_held;
}

void weft_claim_break(enum weft_cache_kind kind, struct weft_hash key, struct weft_hash who)
{
    char name[NAME];
    claim_name(name, kind, key);
    int dir = weft_cache_folder_open(0);
    if (dir < 0)
        return;
    remove_claim(dir, name, &(struct holder){SOMEBODY, who});
    close(dir);
}

enum weft_claim weft_claim_take(enum weft_cache_kind kind, struct weft_hash key)
{
    char name[NAME], entry[WEFT_CACHE_ENTRY_NAME];
    claim_name(name, kind, key);
    weft_cache_entry_name(entry, kind, key);
    int dir = weft_cache_folder_open(0);
    if (dir < 0)
        return WEFT_CLAIM_NONE;
    enum weft_claim taken = create(dir, name) ? WEFT_CLAIM_OURS
                            : errno == EEXIST ? WEFT_CLAIM_ANOTHERS
                                              : WEFT_CLAIM_NONE;
    // Another process may have made the entry since this one has looked for it.
    if (taken == WEFT_CLAIM_OURS && faccessat(dir, entry, F_OK, AT_SYMLINK_NOFOLLOW) == 0) {
        unlinkat(dir, name, 0);
        taken = WEFT_CLAIM_MADE;
    }
    if (taken == WEFT_CLAIM_OURS)
        atomic_fetch_add(&held, 1);
    close(dir);
    return taken;
}

void weft_claim_give_up(enum weft_cache_kind kind, struct weft_hash key)
{
    char name[NAME];
    claim_name(name, kind, key);
    int dir = weft_cache_folder_open(0);
    atomic_fetch_sub(&held, 1);
    if (dir >= 0) {
        unlinkat(dir, name, 0);
        close(dir);
    }
}
