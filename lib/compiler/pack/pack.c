// weft-pack OUTPUT LIST: writes builtins.pack (format: lib/kernel-builtins/README.md) from the bitcode
// modules that LIST names, one per line. Runs at build time only, on one thread.
//
// A source module defines a function for many types, but a kernel calls one or two of them, and reading a
// module takes time for each symbol in it. So each module is cut into pieces. A piece has the functions that
// differ only in the vector width (exp of float, of float2, ...), with the internal functions and tables that
// they need. The order of the modules and of their functions is kept, so the same input gives the same
// output.
#include <ctype.h>
#include <errno.h>
#include <llvm-c/BitWriter.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "compiler/bridge/link.h"
#include "weft/builtins_pack.h"

struct symbol {
    char *name;
    char *family; // equal for all symbols of a piece
    uint32_t module;
    uint32_t piece; // index into pieces
};

struct piece {
    uint64_t offset, size;
};

struct pack {
    struct symbol *symbols;
    size_t symbol_count, symbol_capacity;
    struct piece *pieces;
    size_t piece_count, piece_capacity;
    struct weft_buf bodies;
};

_Noreturn static void fail(const char *what, const char *why)
{
    fprintf(stderr, "weft-pack: %s: %s\n", what, why);
    exit(1);
}

static void *need(void *p)
{
    if (!p)
        fail("memory", strerror(ENOMEM));
    return p;
}

static void *grown(void *array, size_t *capacity, size_t count, size_t element)
{
    if (count < *capacity)
        return array;
    *capacity = *capacity ? 2 * *capacity : 1024;
    return need(weft_realloc(array, *capacity * element));
}

// ---- Reading ----

static char *read_file(const char *path, size_t *size)
{
    FILE *f = fopen(path, "rb");
    if (!f)
        fail(path, strerror(errno));
    struct weft_buf b = {0};
    char bytes[65536];
    for (size_t n; (n = fread(bytes, 1, sizeof bytes, f)) > 0;)
        weft_buf_append(&b, bytes, n);
    if (ferror(f))
        fail(path, strerror(errno));
    fclose(f);
    return need(weft_buf_take(&b, size));
}

static LLVMModuleRef read_module(LLVMContextRef context, const char *path, const char *bytes, size_t size)
{
    char *message;
    LLVMModuleRef module = weft_bridge_read_lazily(context, bytes, size, &message);
    if (!module)
        fail(path, message ? message : "not LLVM bitcode");
    return module;
}

static bool is_exported(LLVMValueRef value)
{
    LLVMLinkage linkage = LLVMGetLinkage(value);
    return !LLVMIsDeclaration(value) && linkage != LLVMInternalLinkage && linkage != LLVMPrivateLinkage &&
           strncmp(LLVMGetValueName(value), "llvm.", 5) != 0;
}

// Returns a mangled name without its numbers and vector widths, which is the same for all vector widths.
static char *family_of(const char *name)
{
    char *family = need(weft_strdup(name)), *to = family;
    for (const char *at = name; *at;) {
        if (at[0] == 'D' && at[1] == 'v') {
            at += 2;
            while (isdigit((unsigned char)*at))
                at++;
            at += *at == '_';
        } else if (isdigit((unsigned char)*at)) {
            at++;
        } else {
            *to++ = *at++;
        }
    }
    *to = '\0';
    return family;
}

static void add_symbol(struct pack *p, LLVMValueRef value, uint32_t module)
{
    if (!is_exported(value))
        return;
    p->symbols = grown(p->symbols, &p->symbol_capacity, p->symbol_count, sizeof *p->symbols);
    const char *name = LLVMGetValueName(value);
    p->symbols[p->symbol_count++] =
        (struct symbol){.name = need(weft_strdup(name)), .family = family_of(name), .module = module};
}

// ---- Cutting into pieces ----

static void add_piece(struct pack *p, const char *path, const char *bytes, size_t size, size_t from,
                      size_t to)
{
    LLVMContextRef context = LLVMContextCreate();
    LLVMModuleRef module = read_module(context, path, bytes, size);
    LLVMValueRef *roots = need(weft_alloc_array(to - from, sizeof *roots));
    for (size_t i = from; i < to; i++) {
        roots[i - from] = LLVMGetNamedFunction(module, p->symbols[i].name);
        if (!roots[i - from])
            roots[i - from] = LLVMGetNamedGlobal(module, p->symbols[i].name);
    }
    // Functions that other pieces define become declarations. They are linked when they are needed.
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f)) {
        bool ours = !is_exported(f);
        for (size_t i = 0; i < to - from && !ours; i++)
            ours = roots[i] == f;
        if (!ours)
            weft_bridge_delete_body(f);
    }
    char *message;
    if (!weft_bridge_keep_reached(module, roots, to - from, &message))
        fail(path, message);
    weft_bridge_drop_module_metadata(module);
    LLVMSetModuleIdentifier(module, "", 0);
    LLVMSetSourceFileName(module, "", 0);
    LLVMMemoryBufferRef out = LLVMWriteBitcodeToMemoryBuffer(module);
    p->pieces = grown(p->pieces, &p->piece_capacity, p->piece_count, sizeof *p->pieces);
    p->pieces[p->piece_count++] = (struct piece){.offset = p->bodies.size, .size = LLVMGetBufferSize(out)};
    weft_buf_append(&p->bodies, LLVMGetBufferStart(out), LLVMGetBufferSize(out));
    static const char zeros[16];
    weft_buf_append(&p->bodies, zeros, -p->bodies.size & 15);
    LLVMDisposeMemoryBuffer(out);
    weft_free(roots);
    LLVMDisposeModule(module);
    LLVMContextDispose(context);
}

static int by_family(const void *a, const void *b)
{
    const struct symbol *x = a, *y = b;
    int order = strcmp(x->family, y->family);
    return order ? order : strcmp(x->name, y->name);
}

static void add_module(struct pack *p, const char *path, uint32_t index)
{
    size_t size, first = p->symbol_count;
    char *bytes = read_file(path, &size);
    LLVMContextRef context = LLVMContextCreate();
    LLVMModuleRef module = read_module(context, path, bytes, size);
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
        add_symbol(p, f, index);
    for (LLVMValueRef g = LLVMGetFirstGlobal(module); g; g = LLVMGetNextGlobal(g))
        add_symbol(p, g, index);
    LLVMDisposeModule(module);
    LLVMContextDispose(context);
    qsort(p->symbols + first, p->symbol_count - first, sizeof *p->symbols, by_family);
    for (size_t i = first, to; i < p->symbol_count; i = to) {
        for (to = i; to < p->symbol_count && strcmp(p->symbols[to].family, p->symbols[i].family) == 0; to++)
            p->symbols[to].piece = (uint32_t)p->piece_count;
        add_piece(p, path, bytes, size, i, to);
    }
    weft_free(bytes);
}

// ---- Writing ----

static int by_name(const void *a, const void *b)
{
    return strcmp(((const struct symbol *)a)->name, ((const struct symbol *)b)->name);
}

static void write_pack(struct pack *p, char *const *paths, const char *output)
{
    enum { HEADER = WEFT_PACK_HEADER_BYTES, MODULE = 16 };
    qsort(p->symbols, p->symbol_count, sizeof *p->symbols, by_name);
    struct weft_buf table = {0}, strings = {0}, modules = {0}, out = {0};
    for (size_t i = 0; i < p->symbol_count; i++) {
        const struct symbol *s = &p->symbols[i];
        if (i > 0 && strcmp(s->name, s[-1].name) == 0) {
            fprintf(stderr, "weft-pack: %s is defined in %s and in %s\n", s->name, paths[s[-1].module],
                    paths[s->module]);
            exit(1);
        }
        weft_put_u32(&table, (uint32_t)strings.size);
        weft_put_u32(&table, s->piece);
        weft_buf_append(&strings, s->name, strlen(s->name) + 1);
    }
    uint64_t bodies = HEADER + MODULE * (uint64_t)p->piece_count;
    uint64_t symbols = bodies + p->bodies.size, names = symbols + table.size;
    for (size_t i = 0; i < p->piece_count; i++) {
        weft_put_u64(&modules, bodies + p->pieces[i].offset);
        weft_put_u64(&modules, p->pieces[i].size);
    }
    const struct weft_buf *const parts[] = {&out, &modules, &p->bodies, &table, &strings};
    struct weft_hash hash = {0};
    for (size_t i = 1; i < WEFT_COUNT_OF(parts); i++)
        hash = weft_hash_bytes(hash, parts[i]->data, parts[i]->size);
    weft_put_u32(&out, WEFT_PACK_MAGIC);
    weft_put_u32(&out, WEFT_PACK_VERSION);
    weft_put_u32(&out, (uint32_t)p->piece_count);
    weft_put_u32(&out, (uint32_t)p->symbol_count);
    weft_put_u64(&out, HEADER);
    weft_put_u64(&out, symbols);
    weft_put_u64(&out, names);
    weft_put_u64(&out, names + strings.size);
    weft_put_u64(&out, hash.lo);
    weft_put_u64(&out, hash.hi);
    if (p->bodies.failed || modules.failed || table.failed || strings.failed || out.failed)
        need(NULL);
    char *temporary = need(weft_format("%s.tmp", output));
    FILE *f = fopen(temporary, "wb");
    if (!f)
        fail(temporary, strerror(errno));
    for (size_t i = 0; i < WEFT_COUNT_OF(parts); i++)
        fwrite(parts[i]->data, 1, parts[i]->size, f);
    if (fclose(f) != 0 || rename(temporary, output) != 0)
        fail(output, strerror(errno));
}

int main(int argc, char **argv)
{
    if (argc != 3)
        fail("usage", "weft-pack OUTPUT LIST");
    struct pack pack = {0};
    size_t size, count = 0, capacity = 0;
    char *list = read_file(argv[2], &size), **paths = NULL, *rest;
    for (char *path = strtok_r(list, "\n", &rest); path; path = strtok_r(NULL, "\n", &rest)) {
        paths = grown(paths, &capacity, count, sizeof *paths);
        paths[count++] = path;
    }
    for (size_t i = 0; i < count; i++)
        add_module(&pack, paths[i], (uint32_t)i);
    write_pack(&pack, paths, argv[1]);
    return 0;
}
