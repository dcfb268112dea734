// Reads builtins.pack, a file beside weftc (format: lib/kernel-builtins/README.md). The file is mapped on
// first use, and stays mapped until the process ends. Only the compiling thread uses it.
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <llvm-c/Core.h>

#include "base/base.h"
#include "compiler/bridge/link.h"
#include "compiler/ir/process.h"
#include "compiler/link/link.h"
#include "compiler/link/pack.h"
#include "weft/builtins_pack.h"

#define MODULE_BYTES 16u
#define SYMBOL_BYTES 8u

static uint32_t load32(const uint8_t *p)
{
    struct weft_reader r = weft_reader_of(p, 4);
    return weft_get_u32(&r);
}

static uint64_t load64(const uint8_t *p)
{
    struct weft_reader r = weft_reader_of(p, 8);
    return weft_get_u64(&r);
}

// Does [offset, offset + count * element) lie in the file?
static bool inside(const struct weftc_pack *p, uint64_t offset, uint64_t count, uint64_t element)
{
    return offset <= p->size && count <= (p->size - offset) / element;
}

static bool pack_is_sound(struct weftc_pack *p)
{
    if (p->size < WEFT_PACK_HEADER_BYTES || load32(p->bytes) != WEFT_PACK_MAGIC ||
        load32(p->bytes + 4) != WEFT_PACK_VERSION)
        return false;
    p->identity = (struct weft_hash){load64(p->bytes + WEFT_PACK_HASH_OFFSET),
                                     load64(p->bytes + WEFT_PACK_HASH_OFFSET + 8)};
    p->module_count = load32(p->bytes + 8);
    p->symbol_count = load32(p->bytes + 12);
    uint64_t modules = load64(p->bytes + 16), symbols = load64(p->bytes + 24),
             strings = load64(p->bytes + 32);
    if (load64(p->bytes + 40) != p->size || !inside(p, modules, p->module_count, MODULE_BYTES) ||
        !inside(p, symbols, p->symbol_count, SYMBOL_BYTES) || strings >= p->size ||
        p->bytes[p->size - 1] != '\0')
        return false;
    p->modules = p->bytes + modules;
    p->symbols = p->bytes + symbols;
    p->strings = (const char *)p->bytes + strings;
    p->strings_size = p->size - strings;
    for (uint32_t i = 0; i < p->module_count; i++) {
        const uint8_t *m = p->modules + (size_t)i * MODULE_BYTES;
        if (!inside(p, load64(m), load64(m + 8), 1))
            return false;
    }
    return true;
}

// NULL: *reason says why, or there is no memory.
static char *pack_path(const char **reason)
{
    char self[PATH_MAX];
    ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
    if (n <= 0) {
        *reason = "weftc can't find its own folder: /proc isn't mounted, or /proc/self/exe can't be read";
        return NULL;
    }
    self[n] = '\0';
    char *slash = strrchr(self, '/');
    return slash ? weft_format("%.*s/builtins.pack", (int)(slash - self), self) : NULL;
}

static bool pack_map(struct weftc_pack *p, const char *path)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return false;
    struct stat st;
    bool ok = fstat(fd, &st) == 0 && st.st_size > 0;
    if (ok) {
        p->size = (size_t)st.st_size;
        void *bytes = mmap(NULL, p->size, PROT_READ, MAP_PRIVATE, fd, 0);
        ok = bytes != MAP_FAILED;
        p->bytes = ok ? bytes : NULL;
    }
    close(fd);
    return ok;
}

static const char *describe_failure(int error)
{
    static char text[256];
    char limit[128];
    if (error == ENOMEM)
        snprintf(text, sizeof text, "not enough memory for builtins.pack (%s)",
                 weftc_memory_limit(limit, sizeof limit));
    else
        snprintf(text, sizeof text, "builtins.pack, which should be beside weftc, can't be read: %s%s",
                 strerror(error), error == ENOENT ? "; please install Weft again" : "");
    return text;
}

const struct weftc_pack *weftc_pack_get(const char **reason)
{
    static struct weftc_pack pack;
    static const char *failure;
    static bool tried;
    if (!tried) {
        tried = true;
        char *path = pack_path(&failure);
        if (!failure && (!path || !pack_map(&pack, path)))
            failure = describe_failure(errno);
        else if (!failure && !pack_is_sound(&pack))
            failure = "builtins.pack, beside weftc, is damaged or of another version of Weft; please install "
                      "Weft again";
        weft_free(path);
    }
    *reason = failure;
    return failure ? NULL : &pack;
}

struct weft_hash weftc_builtins_identity(void)
{
    const char *reason;
    const struct weftc_pack *p = weftc_pack_get(&reason);
    return p ? p->identity : (struct weft_hash){0};
}

int64_t weftc_pack_find(const struct weftc_pack *p, const char *name)
{
    uint32_t low = 0, high = p->symbol_count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        const uint8_t *s = p->symbols + (size_t)middle * SYMBOL_BYTES;
        uint32_t offset = load32(s), module = load32(s + 4);
        if (offset >= p->strings_size || module >= p->module_count)
            return -1;
        int order = strcmp(name, p->strings + offset);
        if (order == 0)
            return module;
        if (order < 0)
            high = middle;
        else
            low = middle + 1;
    }
    return -1;
}

weft_status weftc_pack_read(LLVMContextRef context, const struct weftc_pack *pack, uint32_t index,
                            LLVMModuleRef *module)
{
    const uint8_t *entry = pack->modules + (size_t)index * MODULE_BYTES;
    char *message;
    *module =
        weft_bridge_read_lazily(context, pack->bytes + load64(entry), (size_t)load64(entry + 8), &message);
    if (*module)
        return WEFT_OK;
    weft_log(WEFT_LOG_ERROR, "builtins.pack, module %u: %s", index, message ? message : "unreadable");
    weft_free(message);
    return WEFT_DAMAGED;
}
