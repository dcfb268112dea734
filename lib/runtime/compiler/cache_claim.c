// Claims of the disk cache. A claim is a file in the first folder, tmp.claim.<entry's name>, which only one
// process can create, also on NFS. It says which process that is, so that others on the same machine see
// when it has died. No descriptor is kept. Claims that are left behind go as old temporary files do.
//
// A claim is held by a thread that compiles, or by an entry that is to be stored in the background. Threads
// that wait hold none, and store such entries first, so processes never wait for each other in a ring. If a
// wait takes too long nevertheless, the entry is made twice, which does no harm.
#include "runtime/compiler/cache_claim.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
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

enum holder { NOBODY, DEAD, UNCLEAR, SOMEBODY };

static enum holder holder_of(char *text)
{
    char machine[OWNER], hex[33];
    const long pid = strtol(text, NULL, 10);
    char *hash = strrchr(text, ' '), *space = strchr(text, ' ');
    if (!hash || hash == space || pid <= 0 || pid > INT_MAX)
        return UNCLEAR;
    char given[33];
    snprintf(given, sizeof given, "%s", hash + 1);
    hash[1] = '\0';
    weft_hash_hex(weft_hash_str((struct weft_hash){0}, text), hex);
    if (strcmp(hex, given) != 0)
        return UNCLEAR;
    *hash = '\0';
    describe_machine(machine);
    if (!*machine || strcmp(space + 1, machine) != 0)
        return SOMEBODY; // of another machine
    if (pid == getpid())
        return atomic_load(&held) > 0 ? SOMEBODY : DEAD;
    return kill((pid_t)pid, 0) != 0 && errno == ESRCH ? DEAD : SOMEBODY;
}

// Opening asks a server of NFS again, other than a look at the name.
static enum holder find_holder(int dir, const char *name)
{
    char text[CLAIM];
    struct stat st;
    int fd = openat(dir, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        return errno == ENOENT ? NOBODY : UNCLEAR;
    const ssize_t n = fstat(fd, &st) == 0 && S_ISREG(st.st_mode) ? read(fd, text, sizeof text - 1) : -1;
    close(fd);
    if (n <= 0)
        return UNCLEAR;
    text[n] = '\0';
    return holder_of(text);
}

static bool remains(enum holder h, uint64_t waited)
{
    return h == SOMEBODY || (h == UNCLEAR && waited < WRITTEN_WITHIN_NS);
}

// Removes a claim that nobody holds. Only one process does so at a time, and it looks once more: another one
// that has seen the same may have removed it since, and taken the claim. Returns whether there is a claim
// now.
static bool remove_claim(int dir, const char *name, uint64_t waited)
{
    char guard[NAME + 8];
    snprintf(guard, sizeof guard, "%s.gone", name);
    int fd = openat(dir, guard, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd < 0)
        return errno == EEXIST;
    close(fd);
    const enum holder found = find_holder(dir, name);
    const bool is_held = remains(found, waited);
    if (!is_held && found != NOBODY && unlinkat(dir, name, 0) != 0)
        unlinkat(dir, name, AT_REMOVEDIR);
    unlinkat(dir, guard, 0);
    return is_held;
}

// The folder is opened anew each time: then a client of NFS sees what other machines have done in it.
bool weft_claim_is_held(enum weft_cache_kind kind, struct weft_hash key, uint64_t waited)
{
    char name[NAME];
    claim_name(name, kind, key);
    int dir = weft_cache_folder_open(0);
    if (dir < 0)
        return false;
    const enum holder found = find_holder(dir, name);
    const bool is_held = remains(found, waited) || (found != NOBODY && remove_claim(dir, name, waited));
    close(dir);
    return is_held;
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
