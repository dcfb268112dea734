// A kernel's machine code in memory. dlopen maps the ELF object from a memory file, so that debuggers and
// profilers see it; with -g from a file that stays (ADR 42). Where memory files can't be executed, it is
// mapped from a private file in the cache folder.
// The object is code that dlopen runs. It comes from weftc, from a cache that only this user can write, or
// from a binary that the application gave to clCreateProgramWithBinary, which is trusted as much as a library
// that the application loads. The checks here find accidents: the object must be whole and of this ABI, and a
// binary has a checksum besides. They don't stop anybody who forges an object.
#include "runtime/code/module.h"

#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "base/base.h"
#include "base/private_files.h"
#include "runtime/compiler/debug_files.h"
#include "runtime/compiler/disk_cache.h"
#include "weft/fault_location.h"
#include "weft/kernel_abi.h"
#include "weft/status.h"

#ifndef MFD_EXEC
#define MFD_EXEC 0x0010U
#endif

#define MAX_LOCAL_BYTES (1ull << 40)
#define MAX_STATE_BYTES (1ull << 40)

// ---- fork ----
// If the process forks while a thread is in the dynamic linker, the child inherits the linker's locks held
// for ever. So a fork waits until no module is being loaded or unloaded. The wait has a limit: the
// application may fork in a constructor, which holds those locks, while the loading thread waits for them.

#define FORK_PATIENCE_S 5

// held around every call of the dynamic linker in this file
static pthread_mutex_t linking = PTHREAD_MUTEX_INITIALIZER;
static __thread bool fork_has_it; // set between this thread's fork_prepare and the end of its fork

static void fork_prepare(void)
{
    struct timespec limit;
    clock_gettime(CLOCK_REALTIME, &limit);
    limit.tv_sec += FORK_PATIENCE_S;
    fork_has_it = pthread_mutex_timedlock(&linking, &limit) == 0;
}

static void fork_parent(void)
{
    if (fork_has_it)
        pthread_mutex_unlock(&linking);
}

static void fork_child(void)
{
    if (fork_has_it)
        pthread_mutex_unlock(&linking);
    else
        pthread_mutex_init(&linking, NULL);
}

__attribute__((constructor)) static void know_forks(void)
{
    weft_at_fork(fork_prepare, fork_parent, fork_child);
}

static void linking_begin(void)
{
    pthread_mutex_lock(&linking);
}

static void linking_end(void)
{
    pthread_mutex_unlock(&linking);
}

// ---- Loading ----

// dlopen takes two objects with the same path to be one. Descriptor numbers are reused, so the path gets a
// part that isn't: the bits of a counter, spelled "/." and "/", between folder and number.
// The path names this thread's folder, because it has the descriptor table, and names it in a way that is the
// same for every process. A debugger opens the path, too; with /proc/thread-self it would open a file of its
// own, perhaps one that never ends.
static void unique_path(char *out, size_t size, int fd)
{
    static _Atomic uint32_t counter;
    uint32_t n = atomic_fetch_add(&counter, 1);
    char self[48]; // "PID/task/TID", as this /proc numbers them
    ssize_t length = readlink("/proc/thread-self", self, sizeof self - 1);
    self[length > 0 ? length : 0] = '\0';
    size_t at = (size_t)snprintf(out, size, "/proc/%s/fd", length > 0 ? self : "thread-self");
    for (; n; n >>= 1)
        at += (size_t)snprintf(out + at, size - at, n & 1 ? "/." : "/");
    snprintf(out + at, size - at, "/%d", fd);
}

// In this and the following functions *error is set to errno if the file couldn't be written.
static void *open_memory_file(const uint8_t *elf, size_t size, const char *name, int *error)
{
    char label[64], path[160];
    snprintf(label, sizeof label, "weft:%s", name);
    int fd = memfd_create(label, MFD_CLOEXEC | MFD_EXEC);
    if (fd < 0 && (errno == EINVAL || errno == EACCES)) // Linux before 6.3, or vm.memfd_noexec is 2
        fd = memfd_create(label, MFD_CLOEXEC);
    if (fd < 0)
        return NULL;
    unique_path(path, sizeof path, fd);
    bool ok = weft_write_all(fd, elf, size);
    *error = ok ? 0 : errno;
    void *module = ok ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : NULL;
    close(fd);
    return module;
}

static void *open_private_file(const uint8_t *elf, size_t size, int *error)
{
    char *path;
    int fd = weft_cache_private_file(&path);
    if (fd < 0)
        return NULL;
    bool ok = weft_write_all(fd, elf, size);
    *error = ok ? 0 : errno;
    ok = close(fd) == 0 && ok;
    void *module = ok ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : NULL;
    unlink(path);
    weft_free(path);
    return module;
}

struct open_call {
    const uint8_t *elf;
    size_t size;
    const char *name;
    const char *path; // of a file with the same bytes, for debuggers; NULL: none
    void *module;
    char error[160];
};

static void open_module(void *arg)
{
    struct open_call *c = arg;
    int written = 0;
    c->module = c->path ? dlopen(c->path, RTLD_NOW | RTLD_LOCAL) : NULL;
    if (!c->module)
        c->module = open_memory_file(c->elf, c->size, c->name, &written);
    if (!c->module)
        c->module = open_private_file(c->elf, c->size, &written);
    if (!c->module && written) {
        weft_write_error(written, c->error, sizeof c->error);
    } else if (!c->module) {
        const char *error = dlerror();
        snprintf(c->error, sizeof c->error, "%s", error ? error : "there is no file for it");
    }
}

// A memory file is gone for a debugger that attaches later, or reads a core file.
static char *file_for_debugger(const uint8_t *elf, size_t size, const char *name)
{
    char *file_name = weft_format("%s.so", name);
    const struct weft_debug_file file = {file_name, elf, size};
    char *path = file_name ? weft_debug_write(&file, 1) : NULL;
    weft_free(file_name);
    return path;
}

static bool is_shared_object(const uint8_t *elf, size_t size)
{
    Elf64_Ehdr h;
    if (size < sizeof h)
        return false;
    memcpy(&h, elf, sizeof h);
    return memcmp(h.e_ident, ELFMAG, SELFMAG) == 0 && h.e_type == ET_DYN &&
           h.e_phentsize == sizeof(Elf64_Phdr) && h.e_phoff <= size &&
           (size - h.e_phoff) / sizeof(Elf64_Phdr) >= h.e_phnum;
}

// Do all segments lie within the bytes? One that doesn't would raise a bus error on access.
static bool has_whole_segments(const uint8_t *elf, size_t size)
{
    Elf64_Ehdr h;
    memcpy(&h, elf, sizeof h);
    for (size_t i = 0; i < h.e_phnum; i++) {
        Elf64_Phdr p;
        memcpy(&p, elf + h.e_phoff + i * sizeof p, sizeof p);
        if (p.p_type == PT_LOAD && (p.p_offset > size || p.p_filesz > size - p.p_offset))
            return false;
    }
    return true;
}

static weft_status check_info(const struct weft_kernel_info *i)
{
    if (!i)
        return WEFT_DAMAGED;
    if (i->abi_version != WEFT_KERNEL_ABI_VERSION)
        return WEFT_STALE;
    bool sane = i->run && i->vector_width >= 1 && i->vector_width <= 1024 && i->sub_group_max >= 1 &&
                i->sub_group_max <= 1024 && i->local_static_bytes <= MAX_LOCAL_BYTES &&
                i->state_fixed <= MAX_STATE_BYTES && i->state_per_item <= MAX_STATE_BYTES;
    return sane ? WEFT_OK : WEFT_DAMAGED;
}

weft_status weft_module_load(const uint8_t *elf, size_t size, const char *name, bool for_debugger,
                             void **module, const struct weft_kernel_info **info, char **why)
{
    WEFT_NOT_CANCELLED;
    *module = NULL;
    *info = NULL;
    if (why)
        *why = NULL;
    if (!is_shared_object(elf, size) || !has_whole_segments(elf, size))
        return WEFT_DAMAGED;
    char *path = for_debugger ? file_for_debugger(elf, size, name) : NULL;
    struct open_call c = {.elf = elf, .size = size, .name = name, .path = path};
    linking_begin();
    weft_private_files_call(open_module, &c);
    void *m = c.module;
    const struct weft_kernel_info *i = m ? dlsym(m, WEFT_KERNEL_INFO_SYMBOL) : NULL;
    linking_end();
    weft_free(path);
    if (!m) {
        if (why)
            *why = weft_format("Its code can't be mapped: %s.", c.error);
        return WEFT_IO;
    }
    weft_status status = check_info(i);
    if (status != WEFT_OK) {
        weft_module_unload(m);
        return status;
    }
    *module = m;
    *info = i;
    return WEFT_OK;
}

void *weft_module_symbol(void *module, const char *name)
{
    linking_begin();
    void *symbol = dlsym(module, name);
    linking_end();
    return symbol;
}

void weft_module_unload(void *module)
{
    if (!module)
        return;
    linking_begin();
    dlclose(module);
    linking_end();
}

// ---- Looking up ----

struct lookup {
    uintptr_t instruction;
    uint64_t *base, *hash;
};

static int visit_module(struct dl_phdr_info *info, size_t size, void *arg)
{
    (void)size;
    const struct lookup *l = arg;
    uintptr_t offset = l->instruction - info->dlpi_addr;
    for (size_t i = 0; i < info->dlpi_phnum; i++) {
        const Elf64_Phdr *p = &info->dlpi_phdr[i];
        if (p->p_type != PT_LOAD || !(p->p_flags & PF_X) || offset - p->p_vaddr >= p->p_filesz)
            continue;
        *l->base = info->dlpi_addr;
        weft_code_hash_loaded(info->dlpi_addr, info->dlpi_phdr, info->dlpi_phnum, l->hash);
        return 1;
    }
    return 0;
}

bool weft_module_of_code(uintptr_t instruction, uint64_t *base, uint64_t hash[2])
{
    struct lookup l = {instruction, base, hash};
    linking_begin();
    bool found = dl_iterate_phdr(visit_module, &l) != 0;
    linking_end();
    return found;
}
