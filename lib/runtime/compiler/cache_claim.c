// Claims of the disk cache. A claim is a file in the first folder, tmp.claim.<entry's name>, which only one
// process can create, also on NFS. It says which process that is, so that others on the same machine see
// when it has died. While a process waits for a compiler, it touches its claims now and then, so that other
// machines see that it lives. Clocks of several machines are never compared. No descriptor is kept. Claims
// that are left behind go as old temporary files do.
//
// A claim is held by a thread that compiles, or by an entry that is to be stored in the background. Threads
// that wait hold none, and store such entries first, so processes never wait for each other in a ring. If a
// claim stands still for too long, somebody else takes it and the entry may be made twice, which does no
// harm.
//
// A claim is written under another name first, and the name of the claim is a link to it: so it appears as a
// whole. Who takes a claim from another process renames its own over it: so nobody finds none meanwhile, and
// a claim that isn't there was given up, or its entry is there.
//
// The claim of a process that has asked the other folders in vain becomes a note, tmp.none.<entry's name>:
// for ten seconds, nobody asks again.
//
// The file is long (more than 500 lines) because what a claim says, who may take it and what this process
// holds only make sense together.
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
#include <time.h>
#include <unistd.h>

#include "runtime/compiler/cache_folders.h"

// How long a claim may stand still. A process of this machine that is alive and not stopped is perhaps only
// slow; one of another machine may be gone with it.
#define PATIENCE_NS 10000000000u
#define PATIENCE_WITH_THE_LIVING_NS 60000000000u
// Between two looks at a claim, so much counts at most: if more time has passed, this machine or the server
// is slow, and the touches may be late as well.
#define LOOK_NS_MAX 1000000000u
#define BEAT_NS 2000000000u
#define NOTED_SECONDS 10
#define HELD_MAX 256u
#define LOCK_TRIES 100 // of a millisecond

enum { NAME = WEFT_CACHE_ENTRY_NAME + 16, OWNER = 128, CLAIM = OWNER + 160 };

// what: "claim" or "none".
static void name_of(char name[NAME], const char *what, enum weft_cache_kind kind, struct weft_hash key)
{
    char entry[WEFT_CACHE_ENTRY_NAME];
    weft_cache_entry_name(entry, kind, key);
    snprintf(name, NAME, "tmp.%s.%s", what, entry);
}

// ---- Claims of this process ----

static bool is_same(struct weft_hash a, struct weft_hash b)
{
    return a.lo == b.lo && a.hi == b.hi;
}

// There is no lock, which a fork could leave locked in the child. Places of another process are free: a child
// holds nothing that its parent does.
enum { FREE, HELD, BUSY }; // BUSY: for some instructions

static struct place {
    _Atomic uint64_t state; // 4 * process + one of these
    enum weft_cache_kind kind;
    struct weft_hash key, who;
} places[HELD_MAX];

static uint64_t ours(unsigned state)
{
    return 4 * (uint64_t)getpid() + state;
}

static bool is_ours(uint64_t state)
{
    return state / 4 == (uint64_t)getpid();
}

static bool remember(const struct weft_cache_claim *claim)
{
    for (unsigned i = 0; i < HELD_MAX; i++) {
        struct place *p = &places[i];
        uint64_t state = atomic_load(&p->state);
        if ((is_ours(state) && state % 4 != FREE) ||
            !atomic_compare_exchange_strong(&p->state, &state, ours(BUSY)))
            continue;
        p->kind = claim->kind;
        p->key = claim->key;
        p->who = claim->who;
        atomic_store(&p->state, ours(HELD));
        return true;
    }
    return false;
}

// Makes the place BUSY. False: nothing is held there.
static bool look_at(struct place *p)
{
    uint64_t state;
    do {
        state = ours(HELD);
        if (atomic_compare_exchange_strong(&p->state, &state, ours(BUSY)))
            return true;
    } while (state == ours(BUSY));
    return false;
}

static bool find_place(struct weft_hash who, unsigned then)
{
    for (unsigned i = 0; i < HELD_MAX; i++) {
        if (!look_at(&places[i]))
            continue;
        const bool found = is_same(places[i].who, who);
        atomic_store(&places[i].state, ours(found ? then : HELD));
        if (found)
            return true;
    }
    return false;
}

static bool is_remembered(struct weft_hash who)
{
    return find_place(who, HELD);
}

static void forget(struct weft_hash who)
{
    find_place(who, FREE);
}

// Finds the next one from *at on, which is 0 at first. False: there is none.
static bool next_remembered(unsigned *at, struct weft_cache_claim *claim)
{
    while (*at < HELD_MAX) {
        struct place *p = &places[(*at)++];
        if (!look_at(p))
            continue;
        *claim = (struct weft_cache_claim){.kind = p->kind, .key = p->key, .who = p->who, .held = true};
        atomic_store(&p->state, ours(HELD));
        return true;
    }
    return false;
}

// ---- What a claim says ----

// When a process of this machine was started, as the kernel counts it, and what it does: a letter. A number
// of a process is used again. False: unknown.
static bool read_process(long pid, unsigned long long *started, char *does)
{
    char path[40], text[512];
    snprintf(path, sizeof path, "/proc/%ld/stat", pid);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    const ssize_t n = fd >= 0 ? read(fd, text, sizeof text - 1) : -1;
    if (fd >= 0)
        close(fd);
    text[n > 0 ? n : 0] = '\0';
    const char *at = strrchr(text, ')'); // a name may have brackets, what follows it has none
    if (!at || at[1] != ' ')
        return false;
    at++; // the space before field 3
    *does = at[1];
    for (int field = 3; at && field < 22; field++)
        at = strchr(at + 1, ' ');
    char *end = NULL;
    *started = at ? strtoull(at, &end, 10) : 0;
    return at && end != at;
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

struct self {
    char machine[OWNER];
    unsigned long long started;
};

// Remembered by the first process that asks: it keeps its namespace, but a child of it may have another one.
// No lock, which a fork could leave locked in the child.
static struct self describe_self(void)
{
    static struct self self;
    static _Atomic(pid_t) known_to; // 0: not read, -1: being written
    if (atomic_load_explicit(&known_to, memory_order_acquire) == getpid())
        return self;
    struct self s = {0};
    char does;
    read_machine(s.machine);
    if (!read_process(getpid(), &s.started, &does))
        s.started = 0;
    pid_t nobody = 0;
    if (atomic_compare_exchange_strong(&known_to, &nobody, -1)) {
        self = s;
        atomic_store_explicit(&known_to, getpid(), memory_order_release);
    }
    return s;
}

// A claim's text: process, when it was started, how many have given up the entry before it, a name that no
// other claim has, machine, and a hash of all that. *who: the hash. Returns the length.
static int describe_claim(char text[CLAIM], const char *unique, uint32_t given_up, struct weft_hash *who)
{
    const struct self self = describe_self();
    char hex[33];
    const int n = snprintf(text, CLAIM, "%d %llu %u %s %s ", (int)getpid(), self.started, (unsigned)given_up,
                           unique, self.machine);
    *who = weft_hash_str((struct weft_hash){0}, text);
    weft_hash_hex(*who, hex);
    return n + snprintf(text + n, CLAIM - (size_t)n, "%s", hex);
}

enum state {
    NOBODY,
    DEAD,    // a process of this machine
    ALIVE,   // a process of this machine, and not stopped
    SOMEBODY // nothing more is known
};

struct holder {
    enum state state;
    uint32_t given_up;
    struct weft_hash who;   // of the claim's text; zero: it isn't one
    struct weft_hash stamp; // another one after each touch
};

static enum state state_of(long pid, unsigned long long started, const char *machine, struct weft_hash who)
{
    const struct self self = describe_self();
    unsigned long long runs_since;
    char does;
    if (!self.machine[0] || strcmp(machine, self.machine) != 0)
        return SOMEBODY; // of another machine
    if (pid == getpid() && started == self.started)
        return is_remembered(who) ? ALIVE : DEAD;
    if (kill((pid_t)pid, 0) != 0 && errno == ESRCH)
        return DEAD;
    if (!read_process(pid, &runs_since, &does))
        return SOMEBODY;
    return started && runs_since != started ? DEAD : strchr("TtZX", does) ? SOMEBODY : ALIVE;
}

// text is changed.
static void read_text(struct holder *h, char *text)
{
    char hex[33], given[33];
    char *hash = strrchr(text, ' ');
    if (!hash)
        return;
    snprintf(given, sizeof given, "%s", hash + 1);
    hash[1] = '\0';
    const struct weft_hash who = weft_hash_str((struct weft_hash){0}, text);
    weft_hash_hex(who, hex);
    if (strcmp(hex, given) != 0)
        return;
    *hash = '\0';
    h->who = who;
    // Process, when it was started, how often it was given up, a word that no other claim has, machine.
    char *at;
    const long pid = strtol(text, &at, 10);
    const unsigned long long started = strtoull(at, &at, 10);
    const unsigned long given_up = strtoul(at, &at, 10);
    const char *machine = *at == ' ' ? strchr(at + 1, ' ') : NULL;
    if (machine && pid > 0 && pid <= INT_MAX) {
        h->given_up = (unsigned)given_up;
        h->state = state_of(pid, started, machine + 1, who);
    }
}

// What a server of NFS says at this moment, rather than what its client remembers.
static bool ask_file(int fd, struct stat *st)
{
    return fstatat(fd, "", st, AT_EMPTY_PATH | AT_STATX_FORCE_SYNC) == 0 || fstat(fd, st) == 0;
}

static struct holder read_holder(int fd)
{
    char text[CLAIM];
    struct stat st;
    struct holder h = {.state = SOMEBODY};
    if (!ask_file(fd, &st))
        return h;
    const ssize_t n = S_ISREG(st.st_mode) ? pread(fd, text, sizeof text - 1, 0) : -1;
    if (n > 0) {
        text[n] = '\0';
        read_text(&h, text);
    }
    // A number of a file is used again, so its time counts, too.
    const uint64_t file[] = {(uint64_t)st.st_ino, (uint64_t)st.st_mtim.tv_sec, (uint64_t)st.st_mtim.tv_nsec};
    h.stamp = weft_hash_bytes(h.who, file, sizeof file);
    return h;
}

// Opening asks a server of NFS again, other than a look at the name.
static struct holder find_holder(int dir, const char *name)
{
    int fd = openat(dir, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        return (struct holder){.state = errno == ENOENT ? NOBODY : SOMEBODY};
    const struct holder h = read_holder(fd);
    close(fd);
    return h;
}

// ---- Taking, keeping and giving up ----

// A claim that this process wants.
struct wish {
    const char *name;
    struct weft_cache_claim *claim;
    char temporary[WEFT_CACHE_TEMPORARY], text[CLAIM];
    size_t size;
};

// Writes a claim under a temporary name. It is known to this process before others see it.
static bool write_new(int dir, struct wish *w, uint32_t given_up)
{
    weft_cache_temporary_name(w->temporary);
    w->size = (size_t)describe_claim(w->text, w->temporary, given_up, &w->claim->who);
    int fd = openat(dir, w->temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd < 0)
        return false;
    bool good = weft_write_all(fd, w->text, w->size);
    good = close(fd) == 0 && good; // a server of NFS may say only now that there is no space
    good = good && remember(w->claim);
    if (!good)
        unlinkat(dir, w->temporary, 0);
    return good;
}

// Where there are no hard links, it is seen before it is whole.
static bool has_no_links(int error)
{
    return error == EPERM || error == EOPNOTSUPP || error == ENOSYS || error == EMLINK;
}

static enum weft_claim create(int dir, struct wish *w, uint32_t given_up)
{
    if (!write_new(dir, w, given_up))
        return WEFT_CLAIM_NONE;
    bool taken = linkat(dir, w->temporary, dir, w->name, 0) == 0;
    int error = errno;
    if (!taken && error == EEXIST) // a server's answer may have been lost, and the question sent again
        taken = is_same(find_holder(dir, w->name).who, w->claim->who);
    if (!taken && has_no_links(error)) {
        int fd = openat(dir, w->name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
        error = errno;
        taken = fd >= 0 && weft_write_all(fd, w->text, w->size);
        if (fd >= 0)
            close(fd);
    }
    unlinkat(dir, w->temporary, 0);
    if (!taken)
        forget(w->claim->who);
    return taken ? WEFT_CLAIM_OURS : error == EEXIST ? WEFT_CLAIM_ANOTHERS : WEFT_CLAIM_NONE;
}

// Others may lock it at the same time to take it, which is soon over. A lock ends with its process, so
// nothing is left behind by one that dies. Where there are no locks, the entry may be made twice.
static bool lock(int fd, int tries, bool *locked)
{
    for (;; tries--) {
        *locked = flock(fd, LOCK_EX | LOCK_NB) == 0;
        if (*locked || (errno != EWOULDBLOCK && errno != EINTR))
            return true;
        if (tries <= 1)
            return false;
        nanosleep(&(struct timespec){0, 1000000}, NULL);
    }
}

static bool is_still_there(int dir, const char *name, int fd)
{
    struct stat file, there;
    return fstat(fd, &file) == 0 && fstatat(dir, name, &there, AT_SYMLINK_NOFOLLOW) == 0 &&
           file.st_ino == there.st_ino;
}

// Puts another claim in the place of the one that was seen, if it is still there: another process that has
// seen the same may have done so. So whoever does it has the old one locked, and looks once more. False:
// another process does the same, or the holder has touched it.
static bool take_over(int dir, struct wish *w, const struct holder *seen)
{
    int fd =
        openat(dir, w->name, O_RDWR | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK); // NFS locks what can be written
    if (fd < 0) {
        // This is none, and never will be one. What can't be opened now may be somebody's.
        if ((errno == ELOOP || errno == EISDIR || errno == ENXIO) && unlinkat(dir, w->name, 0) != 0)
            unlinkat(dir, w->name, AT_REMOVEDIR);
        return false;
    }
    bool is_locked, taken = lock(fd, 1, &is_locked);
    taken = taken && is_same(read_holder(fd).stamp, seen->stamp) && is_still_there(dir, w->name, fd) &&
            write_new(dir, w, seen->given_up);
    if (taken && renameat(dir, w->temporary, dir, w->name) != 0) {
        unlinkat(dir, w->temporary, 0);
        forget(w->claim->who);
        taken = false;
    }
    if (is_locked)
        flock(fd, LOCK_UN); // a child that another thread has forked meanwhile has the file open, too
    close(fd);
    return taken;
}

// Others may have taken it from this process meanwhile, if that was stopped. Then it isn't removed. as: what
// it becomes, or NULL.
static void remove_ours(int dir, const char *name, struct weft_hash who, const char *as)
{
    int fd = openat(dir, name, O_RDWR | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        return;
    bool is_locked;
    if (lock(fd, LOCK_TRIES, &is_locked) && is_same(read_holder(fd).who, who) &&
        is_still_there(dir, name, fd) && (!as || renameat(dir, name, dir, as) != 0))
        unlinkat(dir, name, 0);
    if (is_locked)
        flock(fd, LOCK_UN);
    close(fd);
}

static bool is_made(int dir, const struct weft_cache_claim *c)
{
    char entry[WEFT_CACHE_ENTRY_NAME];
    weft_cache_entry_name(entry, c->kind, c->key);
    return faccessat(dir, entry, F_OK, AT_SYMLINK_NOFOLLOW) == 0;
}

static bool is_noted(int dir, const struct weft_cache_claim *c)
{
    char name[NAME];
    struct stat st;
    name_of(name, "none", c->kind, c->key);
    if (fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) != 0)
        return false;
    const int64_t now = weft_cache_folder_now(dir);
    const int64_t age = now == INT64_MIN ? INT64_MAX : now - st.st_mtim.tv_sec;
    return age >= -NOTED_SECONDS && age <= NOTED_SECONDS; // the clock may have been set since
}

static bool is_settled(int dir, const struct weft_cache_claim *c, const struct weft_claim_watch *watch)
{
    return is_made(dir, c) || (watch->asks && is_noted(dir, c));
}

static enum weft_claim take(int dir, struct wish *w, struct weft_claim_watch *watch)
{
    const struct holder h = find_holder(dir, w->name);
    if (h.state == NOBODY) {
        if (watch->waits && is_settled(dir, w->claim, watch))
            return WEFT_CLAIM_MADE;
        watch->given_up += watch->waits;
        watch->waits = false;
        return watch->given_up < WEFT_CLAIM_GIVEN_UP_MAX ? create(dir, w, watch->given_up)
                                                         : WEFT_CLAIM_GIVEN_UP;
    }
    const uint64_t now = weft_time_now();
    const uint64_t passed = now - watch->looked;
    if (!watch->waits || !is_same(h.stamp, watch->stamp))
        watch->stood = 0;
    else
        watch->stood += passed < LOOK_NS_MAX ? passed : LOOK_NS_MAX;
    watch->stamp = h.stamp;
    watch->looked = now;
    watch->waits = true;
    if (h.given_up > watch->given_up)
        watch->given_up = h.given_up;
    const uint64_t patience = h.state == ALIVE ? PATIENCE_WITH_THE_LIVING_NS : PATIENCE_NS;
    if ((h.state == DEAD || watch->stood > patience) && take_over(dir, w, &h))
        return WEFT_CLAIM_OURS;
    return watch->stood > 2 * patience ? WEFT_CLAIM_NONE : WEFT_CLAIM_ANOTHERS; // it can't be taken
}

// The folder is opened anew each time: then a client of NFS sees what other machines have done in it.
enum weft_claim weft_claim_take(struct weft_cache_claim *claim, struct weft_claim_watch *watch)
{
    char name[NAME];
    struct wish w = {.name = name, .claim = claim};
    name_of(name, "claim", claim->kind, claim->key);
    int dir = weft_cache_folder_open(0);
    if (dir < 0)
        return WEFT_CLAIM_NONE;
    enum weft_claim taken = take(dir, &w, watch);
    // Another process may have made the entry since this one has looked for it.
    if (taken == WEFT_CLAIM_OURS && is_settled(dir, claim, watch)) {
        remove_ours(dir, name, claim->who, NULL);
        forget(claim->who);
        taken = WEFT_CLAIM_MADE;
    }
    claim->held = taken == WEFT_CLAIM_OURS;
    close(dir);
    return taken;
}

void weft_claim_give_up(struct weft_cache_claim *claim, bool note_none)
{
    char name[NAME], note[NAME];
    name_of(note, "none", claim->kind, claim->key);
    name_of(name, "claim", claim->kind, claim->key);
    int dir = weft_cache_folder_open(0);
    if (dir >= 0) {
        remove_ours(dir, name, claim->who, note_none ? note : NULL);
        close(dir);
    }
    forget(claim->who);
    claim->held = false;
}

bool weft_claim_is_none_noted(enum weft_cache_kind kind, struct weft_hash key)
{
    int dir = weft_cache_folder_open(0);
    const bool noted = dir >= 0 && is_noted(dir, &(struct weft_cache_claim){.kind = kind, .key = key});
    if (dir >= 0)
        close(dir);
    return noted;
}

void weft_claim_forget_none(int dir, enum weft_cache_kind kind, struct weft_hash key)
{
    char name[NAME];
    name_of(name, "none", kind, key);
    unlinkat(dir, name, 0);
}

static void touch(int dir, const struct weft_cache_claim *c)
{
    char name[NAME];
    name_of(name, "claim", c->kind, c->key);
    int fd = openat(dir, name, O_RDWR | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        return;
    if (is_same(read_holder(fd).who, c->who))
        futimens(fd, NULL); // a server's time, if it is on one
    close(fd);
}

void weft_claim_keep(void)
{
    static _Atomic uint64_t kept;
    uint64_t last = atomic_load(&kept);
    const uint64_t now = weft_time_now();
    struct weft_cache_claim claim;
    if (now - last < BEAT_NS || !atomic_compare_exchange_strong(&kept, &last, now))
        return;
    int dir = -1;
    for (unsigned i = 0; next_remembered(&i, &claim);) {
        if (dir < 0 && (dir = weft_cache_folder_open(0)) < 0)
            return;
        touch(dir, &claim);
    }
    if (dir >= 0)
        close(dir);
}
