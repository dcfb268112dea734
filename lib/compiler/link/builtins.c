// Linking of IR: programs with each other (clLinkProgram, OpenCL 3.0 §5.8.3), and a kernel with the built-in
// functions it calls. Owns the mapping of builtins.pack (format: lib/kernel-builtins/README.md), which lies
// beside weftc and stays mapped from the first use to the process's end; only the thread that compiles uses
// it.
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <llvm-c/BitReader.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "compiler/bridge/bridge.h"
#include "compiler/compiler.h"

// ---- builtins.pack ----

#define PACK_MAGIC 0x4b504257u // "WBPK"
#define PACK_VERSION 1u
#define PACK_HEADER_BYTES 48u
#define MODULE_BYTES 16u
#define SYMBOL_BYTES 8u

struct pack {
    const uint8_t *bytes;
    size_t size;
    uint32_t module_count, symbol_count;
    const uint8_t *modules, *symbols;
    const char *strings;
    size_t strings_size;
    struct weft_hash identity;
};

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
static bool inside(const struct pack *p, uint64_t offset, uint64_t count, uint64_t element)
{
    return offset <= p->size && count <= (p->size - offset) / element;
}

static bool pack_is_sound(struct pack *p)
{
    if (p->size < PACK_HEADER_BYTES || load32(p->bytes) != PACK_MAGIC || load32(p->bytes + 4) != PACK_VERSION)
        return false;
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

static char *pack_path(void)
{
    char self[PATH_MAX];
    ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
    if (n <= 0)
        return NULL;
    self[n] = '\0';
    char *slash = strrchr(self, '/');
    return slash ? weft_format("%.*s/builtins.pack", (int)(slash - self), self) : NULL;
}

static bool pack_map(struct pack *p, const char *path)
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
        // A file is written once and renamed into place: another content is another size or time.
        p->identity = weft_hash_bytes(p->identity, &st.st_size, sizeof st.st_size);
        p->identity = weft_hash_bytes(p->identity, &st.st_mtim, sizeof st.st_mtim);
    }
    close(fd);
    return ok;
}

static const char *describe_failure(int error)
{
    static char text[256];
    char limit[128];
    if (error == ENOMEM)
        snprintf(text, sizeof text, "there is no memory for builtins.pack (%s)",
                 weftc_memory_limit(limit, sizeof limit));
    else
        snprintf(text, sizeof text, "builtins.pack, which should lie beside weftc, can't be read: %s",
                 strerror(error));
    return text;
}

// NULL: there are no built-in functions; *reason (static) says why.
static const struct pack *pack_get(const char **reason)
{
    static struct pack pack;
    static const char *failure;
    static bool tried;
    if (!tried) {
        tried = true;
        char *path = pack_path();
        if (!path || !pack_map(&pack, path))
            failure = describe_failure(errno);
        else if (!pack_is_sound(&pack))
            failure = "builtins.pack is damaged or of another version of Weft";
        weft_free(path);
    }
    *reason = failure;
    return failure ? NULL : &pack;
}

struct weft_hash weftc_builtins_identity(void)
{
    const char *reason;
    const struct pack *p = pack_get(&reason);
    return p ? p->identity : (struct weft_hash){0};
}

// The index of the module that defines a symbol, or -1.
static int64_t pack_find(const struct pack *p, const char *name)
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

// ---- Names ----

// Functions that later stages lower themselves.
static const char *const lowered[] = {
    "get_work_dim",
    "get_global_size",
    "get_global_id",
    "get_local_size",
    "get_local_id",
    "get_enqueued_local_size",
    "get_num_groups",
    "get_group_id",
    "get_global_offset",
    "get_global_linear_id",
    "get_local_linear_id",
    "barrier",
    "work_group_barrier",
    "mem_fence",
    "read_mem_fence",
    "write_mem_fence",
    "atomic_work_item_fence",
    "get_sub_group_size",
    "get_max_sub_group_size",
    "get_num_sub_groups",
    "get_enqueued_num_sub_groups",
    "get_sub_group_id",
    "get_sub_group_local_id",
    "sub_group_barrier",
    "get_fence",
};
// Clang's own names for to_global and its like.
static const char *const lowered_casts[] = {"__to_global", "__to_local", "__to_private"};

// The source's name in a mangled one; *length 0 when it isn't mangled.
static const char *source_name(const char *name, size_t *length)
{
    *length = 0;
    if (strncmp(name, "_Z", 2) != 0)
        return name;
    char *end;
    unsigned long n = strtoul(name + 2, &end, 10);
    if (end == name + 2 || n == 0 || n > strlen(end))
        return name;
    *length = n;
    return end;
}

static bool is_lowered(const char *name)
{
    if (strcmp(name, "printf") == 0 || strncmp(name, "llvm.", 5) == 0)
        return true;
    for (size_t i = 0; i < WEFT_COUNT_OF(lowered_casts); i++)
        if (strcmp(name, lowered_casts[i]) == 0)
            return true;
    size_t length;
    const char *base = source_name(name, &length);
    for (size_t i = 0; length && i < WEFT_COUNT_OF(lowered); i++)
        if (strlen(lowered[i]) == length && memcmp(lowered[i], base, length) == 0)
            return true;
    return false;
}

// Called or otherwise named, without a body, and not for later stages.
static bool is_wanted(LLVMValueRef function)
{
    return LLVMIsDeclaration(function) && LLVMGetIntrinsicID(function) == 0 &&
           (LLVMGetFirstUse(function) || weftc_is_wanted_pair(function));
}

// ---- Diagnostics of LLVM's linker ----

static void log_diagnostic(LLVMDiagnosticInfoRef info, void *log)
{
    if (LLVMGetDiagInfoSeverity(info) != LLVMDSError)
        return;
    char *text = LLVMGetDiagInfoDescription(info);
    weft_buf_printf(log, "error: %s\n", text);
    LLVMDisposeMessage(text);
}

// ---- Programs ----

// Kernels that construct and destroy objects (frontend/cxx_lifetimes.c), which Clang calls the same in programs of one name.
static bool is_of_objects(LLVMValueRef f)
{
    static const char begin[] = "_GLOBAL__sub_";
    size_t length;
    const char *name = LLVMGetValueName2(f, &length);
    return !LLVMIsDeclaration(f) && LLVMGetFunctionCallConv(f) == LLVMSPIRKERNELCallConv &&
           length > sizeof begin - 1 && memcmp(name, begin, sizeof begin - 1) == 0;
}

static bool is_taken(LLVMModuleRef into, const LLVMModuleRef *inputs, uint32_t count, const char *name)
{
    bool taken = LLVMGetNamedFunction(into, name) != NULL;
    for (uint32_t i = 0; i < count; i++)
        taken |= LLVMGetNamedFunction(inputs[i], name) != NULL;
    return taken;
}

// Nothing refers to them, and so what is internal to an input would be left behind: for the link they have names of their own.
static bool publish_kernels_of_objects(LLVMModuleRef into, const LLVMModuleRef *inputs, uint32_t count)
{
    uint32_t number = 0;
    for (uint32_t i = 0; i < count; i++)
        for (LLVMValueRef f = LLVMGetFirstFunction(inputs[i]); f; f = LLVMGetNextFunction(f)) {
            if (!is_of_objects(f))
                continue;
            size_t length;
            char *name = NULL;
            do {
                weft_free(name);
                name = weft_format("%s.%u", LLVMGetValueName2(f, &length), ++number);
            } while (name && is_taken(into, inputs, count, name));
            if (!name)
                return false;
            LLVMSetValueName2(f, name, strlen(name));
            LLVMSetLinkage(f, LLVMExternalLinkage);
            weft_free(name);
        }
    return true;
}

weft_status weftc_link_programs(LLVMModuleRef into, LLVMModuleRef *inputs, uint32_t count,
                                struct weft_buf *log)
{
    LLVMContextRef context = LLVMGetModuleContext(into);
    if (!publish_kernels_of_objects(into, inputs, count))
        return WEFT_NO_MEMORY;
    LLVMContextSetDiagnosticHandler(context, log_diagnostic, log);
    bool ok = weft_bridge_link(into, inputs, count, false);
    for (LLVMValueRef f = ok ? LLVMGetFirstFunction(into) : NULL; f; f = LLVMGetNextFunction(f))
        if (is_of_objects(f))
            LLVMSetLinkage(f, LLVMInternalLinkage);
    memset(inputs, 0, count * sizeof *inputs);
    LLVMContextSetDiagnosticHandler(context, NULL, NULL);
    return ok ? WEFT_OK : WEFT_LINK_FAILED;
}

weft_status weftc_extract_kernel(LLVMModuleRef module, const char *kernel, struct weft_buf *log)
{
    LLVMValueRef function = LLVMGetNamedFunction(module, kernel);
    if (!function || LLVMGetFunctionCallConv(function) != LLVMSPIRKERNELCallConv)
        return WEFT_NOT_FOUND;
    char *message;
    if (weft_bridge_keep_reached(module, &function, 1, &message))
        return WEFT_OK;
    weft_buf_printf(log, "error: the bitcode of kernel '%s' can't be read: %s\n", kernel,
                    message ? message : "damaged");
    weft_free(message);
    return WEFT_DAMAGED;
}

// Of a function that calls it, "" if there is none: it may be named by a variable.
static const char *caller_of(LLVMValueRef function)
{
    for (LLVMUseRef use = LLVMGetFirstUse(function); use; use = LLVMGetNextUse(use)) {
        LLVMValueRef user = LLVMGetUser(use);
        size_t length;
        if (LLVMIsACallInst(user))
            return LLVMGetValueName2(LLVMGetBasicBlockParent(LLVMGetInstructionParent(user)), &length);
    }
    return "";
}

weft_status weftc_check_undefined(LLVMModuleRef module, struct weft_buf *log)
{
    const char *reason;
    const struct pack *pack = pack_get(&reason);
    if (!pack) {
        weft_buf_printf(log, "error: %s\n", reason);
        return WEFT_IO;
    }
    weft_status status = WEFT_OK;
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f)) {
        const char *name = LLVMGetValueName(f);
        if (!is_wanted(f) || is_lowered(name) || pack_find(pack, name) >= 0)
            continue;
        char *shown = weft_bridge_source_name(name), *caller = weft_bridge_source_name(caller_of(f));
        weft_buf_printf(log, "%serror: undefined reference to '%s'", weftc_place_of(module, f),
                        shown ? shown : name);
        if (caller && *caller)
            weft_buf_printf(log, ", which '%s' calls", caller);
        weft_buf_puts(log, "\n");
        weft_free(shown);
        weft_free(caller);
        status = WEFT_LINK_FAILED;
    }
    for (LLVMValueRef g = LLVMGetFirstGlobal(module); g; g = LLVMGetNextGlobal(g)) {
        size_t length;
        const char *name = LLVMGetValueName2(g, &length);
        if (!LLVMIsDeclaration(g) || !LLVMGetFirstUse(g) || strncmp(name, "llvm.", 5) == 0)
            continue;
        weft_buf_printf(log, "error: undefined reference to '%s'\n", name);
        status = WEFT_LINK_FAILED;
    }
    return status;
}

// ---- Built-in functions ----

static bool keep_kernels(void *module, const char *name)
{
    LLVMValueRef function = LLVMGetNamedFunction(module, name);
    return function && LLVMGetFunctionCallConv(function) == LLVMSPIRKERNELCallConv;
}

// What built-in functions ask about the target: weftc_target_describe answers.
static bool is_target_fact(const char *name)
{
    return strncmp(name, "__weft_target_", 14) == 0;
}

// Marks the modules of the pack that define what `module` wants; false: none.
static bool mark_needed(LLVMModuleRef module, const struct pack *pack, bool *needed)
{
    bool any = false;
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f)) {
        size_t length;
        int64_t index = is_wanted(f) ? pack_find(pack, LLVMGetValueName2(f, &length)) : -1;
        if (index >= 0)
            any = needed[index] = true;
    }
    for (LLVMValueRef g = LLVMGetFirstGlobal(module); g; g = LLVMGetNextGlobal(g)) {
        size_t length;
        const char *name = LLVMGetValueName2(g, &length);
        int64_t index = LLVMIsDeclaration(g) && !is_target_fact(name) ? pack_find(pack, name) : -1;
        if (index >= 0)
            any = needed[index] = true;
    }
    return any;
}

static weft_status read_module(LLVMContextRef context, const struct pack *pack, uint32_t index,
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

// sources: room for all modules of the pack.
static weft_status link_needed(LLVMModuleRef module, const struct pack *pack, const bool *needed,
                               LLVMModuleRef *sources)
{
    size_t count = 0;
    for (uint32_t i = 0; i < pack->module_count; i++) {
        weft_status status =
            needed[i] ? read_module(LLVMGetModuleContext(module), pack, i, &sources[count]) : WEFT_OK;
        if (status != WEFT_OK) {
            while (count > 0)
                LLVMDisposeModule(sources[--count]);
            return status;
        }
        count += needed[i];
    }
    return weft_bridge_link(module, sources, count, true) ? WEFT_OK : WEFT_LINK_FAILED;
}

// What `from` defines and module wants; it is something, or builtins.pack lies.
static bool copy_wanted(LLVMModuleRef module, LLVMModuleRef from, LLVMValueRef *roots, size_t room)
{
    size_t count = 0;
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f && count < room; f = LLVMGetNextFunction(f)) {
        size_t length;
        LLVMValueRef there = is_wanted(f) ? LLVMGetNamedFunction(from, LLVMGetValueName2(f, &length)) : NULL;
        if (there && !LLVMIsDeclaration(there))
            roots[count++] = there;
    }
    for (LLVMValueRef g = LLVMGetFirstGlobal(module); g && count < room; g = LLVMGetNextGlobal(g)) {
        size_t length;
        LLVMValueRef there =
            LLVMIsDeclaration(g) ? LLVMGetNamedGlobal(from, LLVMGetValueName2(g, &length)) : NULL;
        if (there && !LLVMIsDeclaration(there))
            roots[count++] = there;
    }
    return count && weft_bridge_copy_reached(module, from, roots, count);
}

static size_t global_count(LLVMModuleRef module)
{
    size_t n = 0;
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
        n++;
    for (LLVMValueRef g = LLVMGetFirstGlobal(module); g; g = LLVMGetNextGlobal(g))
        n++;
    return n;
}

// The same with modules that are kept (link/shared_context.c) and stay as they are.
static weft_status copy_needed(LLVMModuleRef module, const struct pack *pack, const bool *needed,
                               LLVMModuleRef *sources)
{
    weft_status status = WEFT_OK;
    for (uint32_t i = 0; i < pack->module_count && status == WEFT_OK; i++) {
        if (needed[i] && !sources[i])
            status = read_module(LLVMGetModuleContext(module), pack, i, &sources[i]);
        if (!needed[i] || status != WEFT_OK)
            continue;
        size_t room = global_count(module);
        LLVMValueRef *roots = weft_alloc_array(room, sizeof *roots);
        if (!roots)
            return WEFT_NO_MEMORY;
        if (!copy_wanted(module, sources[i], roots, room))
            status = WEFT_LINK_FAILED;
        weft_free(roots);
    }
    return status;
}

weft_status weftc_link_builtins(LLVMModuleRef module, struct weft_buf *log)
{
    const char *reason;
    const struct pack *pack = pack_get(&reason);
    if (!pack) {
        weft_log(WEFT_LOG_ERROR, "%s", reason);
        return WEFT_IO;
    }
    uint32_t room = pack->module_count ? pack->module_count : 1;
    bool *needed = weft_alloc_array(room, sizeof *needed);
    LLVMModuleRef *kept = weftc_kept_builtins(LLVMGetModuleContext(module), room);
    LLVMModuleRef *sources = kept ? kept : weft_alloc_array(room, sizeof(LLVMModuleRef));
    weft_status status = needed && sources ? WEFT_OK : WEFT_NO_MEMORY;
    // The program's own functions are out of the built-in functions' reach, should they have the same names.
    weft_bridge_internalize(module, keep_kernels, module);
    weftc_want_pairs(module);
    // Built-in functions call others of other modules: each round links what the last one asked for.
    while (status == WEFT_OK && mark_needed(module, pack, needed)) {
        status = (kept ? copy_needed : link_needed)(module, pack, needed, sources);
        memset(needed, 0, pack->module_count * sizeof *needed);
    }
    weft_free(needed);
    if (!kept)
        weft_free(sources);
    if (status == WEFT_OK)
        status = weftc_fit_calls(module);
    if (status == WEFT_OK)
        status = weftc_check_builtin_calls(module, log);
    if (status == WEFT_OK)
        weft_bridge_internalize(module, keep_kernels, module);
    return status;
}
