// The hash that every key of the disk cache begins with. It depends on what files contain, and not on where
// or when they were installed, so that machines can share a cache. Large files aren't read for it: a linker
// and weft-pack have put hashes of them into the files.
//
// Where there is no weftc, the cache's folders say which compiler filled them.
#include "runtime/compiler/cache_identity.h"

#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arch/arch.h"
#include "base/cache_entry.h"
#include "runtime/compiler/cache_folders.h"
#include "runtime/compiler/cache_read.h"
#include "runtime/compiler/disk_cache.h"
#include "runtime/compiler/spawn.h"
#include "weft/builtins_pack.h"
#include "weft/code_object.h"
#include "weft/kernel_abi.h"
#include "weft/protocol.h"
#include "weft/status.h"

#define NOTES_MAX 4096u

// Files without a hash: size and time tell versions apart.
static struct weft_hash hash_size_and_time(struct weft_hash h, int fd)
{
    struct stat st;
    uint64_t id[3] = {0};
    if (fstat(fd, &st) == 0) {
        id[0] = (uint64_t)st.st_size;
        id[1] = (uint64_t)st.st_mtim.tv_sec;
        id[2] = (uint64_t)st.st_mtim.tv_nsec;
    }
    return weft_hash_bytes(h, id, sizeof id);
}

static bool read_at(int fd, void *to, size_t size, uint64_t offset)
{
    return pread(fd, to, size, (off_t)offset) == (ssize_t)size;
}

// Looks for the build ID among the notes of a segment.
static bool hash_build_id(struct weft_hash *h, const unsigned char *notes, size_t size)
{
    ElfW(Nhdr) n;
    for (size_t at = 0; size - at >= sizeof n;) {
        memcpy(&n, notes + at, sizeof n);
        const uint64_t name = at + sizeof n, text = name + (((uint64_t)n.n_namesz + 3) & ~3ull),
                       end = text + (((uint64_t)n.n_descsz + 3) & ~3ull);
        if (end > size)
            return false;
        if (n.n_type == NT_GNU_BUILD_ID && n.n_namesz == 4 && memcmp(notes + name, "GNU", 4) == 0) {
            *h = weft_hash_bytes(*h, notes + text, n.n_descsz);
            return true;
        }
        at = (size_t)end;
    }
    return false;
}

static struct weft_hash hash_program(struct weft_hash h, int fd)
{
    ElfW(Ehdr) e;
    ElfW(Phdr) p;
    unsigned char notes[NOTES_MAX];
    if (!read_at(fd, &e, sizeof e, 0) || memcmp(e.e_ident, ELFMAG, SELFMAG) != 0 || e.e_phentsize != sizeof p)
        return hash_size_and_time(h, fd);
    for (unsigned i = 0; i < e.e_phnum; i++)
        if (read_at(fd, &p, sizeof p, e.e_phoff + (uint64_t)i * sizeof p) && p.p_type == PT_NOTE &&
            p.p_filesz <= sizeof notes && read_at(fd, notes, p.p_filesz, p.p_offset) &&
            hash_build_id(&h, notes, p.p_filesz))
            return h;
    return hash_size_and_time(h, fd);
}

static struct weft_hash hash_builtins(struct weft_hash h, int fd)
{
    uint8_t head[WEFT_PACK_HEADER_BYTES];
    struct weft_reader r = weft_reader_of(head, sizeof head);
    if (!read_at(fd, head, sizeof head, 0) || weft_get_u32(&r) != WEFT_PACK_MAGIC ||
        weft_get_u32(&r) != WEFT_PACK_VERSION)
        return hash_size_and_time(h, fd);
    return weft_hash_bytes(h, head + WEFT_PACK_HASH_OFFSET, sizeof head - WEFT_PACK_HASH_OFFSET);
}

// support.a is small, and nobody has put a hash into it.
static struct weft_hash hash_contents(struct weft_hash h, int fd)
{
    unsigned char bytes[NOTES_MAX];
    ssize_t n;
    for (uint64_t at = 0; (n = pread(fd, bytes, sizeof bytes, (off_t)at)) > 0; at += (uint64_t)n)
        h = weft_hash_bytes(h, bytes, (size_t)n);
    return h;
}

// Adds a file beside weftc.
static struct weft_hash hash_beside(struct weft_hash h, const char *folder, int length, const char *name,
                                    struct weft_hash (*hash)(struct weft_hash h, int fd))
{
    char *path = weft_format("%.*s/%s", length, folder, name);
    int fd = path ? open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK) : -1;
    if (fd >= 0) {
        h = hash(h, fd);
        close(fd);
    }
    weft_free(path);
    return h;
}

// False: there is no weftc, or it can't be read.
static bool hash_compiler(struct weft_hash *h)
{
    const char *weftc = weft_compiler_path(), *slash = weftc ? strrchr(weftc, '/') : NULL;
    int fd = slash ? open(weftc, O_RDONLY | O_CLOEXEC | O_NONBLOCK) : -1;
    if (fd < 0)
        return false;
    *h = hash_program((struct weft_hash){0}, fd);
    close(fd);
    *h = hash_beside(*h, weftc, (int)(slash - weftc), "builtins.pack", hash_builtins);
    *h = hash_beside(*h, weftc, (int)(slash - weftc), "support.a", hash_contents);
    return true;
}

static struct weft_hash hash_versions(void)
{
    const uint64_t versions[] = {WEFT_CODE_OBJECT_VERSION, WEFT_KERNEL_ABI_VERSION, WEFT_PROTOCOL_VERSION,
                                 WEFT_CACHE_ENTRY_VERSION};
    return weft_hash_bytes(weft_hash_str((struct weft_hash){0}, "weft " WEFT_VERSION), versions,
                           sizeof versions);
}

static struct weft_hash compiler_key(void)
{
    return weft_hash_str(hash_versions(), "compiler");
}

static void put_compiler(struct weft_buf *b, struct weft_hash h)
{
    weft_put_u64(b, h.lo);
    weft_put_u64(b, h.hi);
}

// What an entry says, which is freed. Zero: nothing.
static struct weft_hash compiler_in(uint8_t *bytes, size_t size)
{
    struct weft_hash h = {0};
    if (!bytes)
        return h;
    struct weft_reader r = weft_reader_of(bytes, size);
    h.lo = weft_get_u64(&r);
    h.hi = weft_get_u64(&r);
    weft_free(bytes);
    return h;
}

// The compiler that filled a folder of the cache: one process asks a shared folder, and copies what it says.
static struct weft_hash compiler_of_cache(void)
{
    uint8_t *bytes = NULL;
    size_t size = 0;
    weft_cache_load(WEFT_CACHE_COMPILER, compiler_key(), &bytes, &size);
    return compiler_in(bytes, size);
}

static struct weft_hash hash_cpu(struct weft_hash h)
{
    uint64_t caps[2] = {getauxval(AT_HWCAP), getauxval(AT_HWCAP2)};
    h = weft_hash_bytes(h, caps, sizeof caps);
    return weft_arch_identity(h);
}

static pthread_once_t once = PTHREAD_ONCE_INIT;
static struct weft_hash identity, compiler;
static bool has_compiler;

static void identity_find(void)
{
    const uint64_t settings[] = {weft_config_uint(WEFT_CFG_VF), weft_config_uint(WEFT_CFG_INTERLEAVE),
                                 weft_config_uint(WEFT_CFG_IMAGE_READS)};
    struct weft_hash h = weft_hash_bytes(hash_versions(), settings, sizeof settings);
    const char *cpu = weft_config_str(WEFT_CFG_CPU);
    // Even if WEFT_CPU names another processor: weftc falls back to this one if it doesn't know it.
    h = hash_cpu(h);
    if (cpu)
        h = weft_hash_str(h, cpu);
    has_compiler = hash_compiler(&compiler);
    if (!has_compiler)
        compiler = compiler_of_cache();
    identity = weft_hash_bytes(h, &compiler, sizeof compiler);
}

struct weft_hash weft_cache_identity(void)
{
    WEFT_NOT_CANCELLED;
    pthread_once(&once, identity_find);
    return identity;
}

void weft_cache_ask_compiler(void)
{
    static atomic_bool asked;
    uint8_t *bytes = NULL;
    size_t size = 0;
    pthread_once(&once, identity_find);
    if (has_compiler || atomic_exchange(&asked, true))
        return;
    for (unsigned i = 1; i < weft_cache_folder_count() && !bytes; i++)
        weft_cache_read(i, WEFT_CACHE_COMPILER, compiler_key(), &bytes, &size);
    if (!bytes)
        return;
    const struct weft_hash now = compiler_in(bytes, size);
    struct weft_buf b = {0};
    if (now.lo == compiler.lo && now.hi == compiler.hi)
        return;
    put_compiler(&b, now);
    if (!b.failed)
        weft_cache_write(WEFT_CACHE_COMPILER, compiler_key(), b.data, b.size);
    weft_buf_free(&b);
}

bool weft_cache_compiler_entry(struct weft_hash *key, struct weft_buf *bytes)
{
    pthread_once(&once, identity_find);
    if (!has_compiler)
        return false;
    *key = compiler_key();
    put_compiler(bytes, compiler);
    return !bytes->failed;
}
