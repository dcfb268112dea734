// What profilers are told of code that was loaded. perf reads a jitdump, which has the code itself, and a map
// of names; others hear it (jit_profiler.c).
//
// The jitdump's format is that of Linux, tools/perf/Documentation/jitdump-specification.txt. perf finds the
// file because the process maps a page of it as executable code, and knows it by its name, jit-PID.dump.
// `perf inject --jit` makes an ELF file of each piece of code. perf-PID.map is for tools that know only that.
//
// Owns the mapped page, under the lock. Both files are opened each time code is added: a descriptor that
// stayed open would be the application's, too, and it may close what it doesn't know. A forked child has
// files of its own, for the code that it loads.
#include "runtime/perf/jitdump.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/base.h"
#include "base/libc/libc.h"
#include "base/text/utf8.h"
#include "runtime/perf/jit_profiler.h"
#include "runtime/perf/line_table.h"
#include "runtime/perf/unwind_info.h"

enum {
    JITDUMP_MAGIC = 0x4a695444,
    JITDUMP_VERSION = 1,
    JIT_CODE_LOAD = 0,
    JIT_CODE_DEBUG_INFO = 2,
    JIT_CODE_UNWINDING_INFO = 4,
    NAME_BYTES = 256
};

struct jitdump_header {
    uint32_t magic, version, size, machine, pad, process;
    uint64_t time, flags;
};
struct jitdump_load {
    uint32_t id, size;
    uint64_t time;
    uint32_t process, thread;
    uint64_t address, code_address, code_size, index;
};
struct jitdump_lines {
    uint32_t id, size;
    uint64_t time;
    uint64_t code_address, count; // of rows, which follow: each is followed by the file's name
};
struct jitdump_line {
    uint64_t address;
    uint32_t line, discriminator;
};
struct jitdump_unwinding {
    uint32_t id, size;
    uint64_t time;
    uint64_t unwinding_size, header_size, mapped_size; // the tables follow
};
_Static_assert(sizeof(struct jitdump_header) == 40 && sizeof(struct jitdump_load) == 56, "perf's layout");

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pid_t begun_for;    // the process whose files were begun; 0: none
static bool has_failed[2]; // [dump]: reported; nothing more is written to that file
static uint64_t next_index;

static void fork_prepare(void)
{
    pthread_mutex_lock(&lock);
}

static void fork_done(void)
{
    pthread_mutex_unlock(&lock);
}

static void fork_child(void)
{
    weft_jit_profiler_after_fork();
    pthread_mutex_unlock(&lock);
}

__attribute__((constructor)) static void start(void)
{
    const bool tells = weft_jit_profiler_start();
    if (weft_config_uint(WEFT_CFG_PERF) || tells)
        weft_at_fork(fork_prepare, fork_done, fork_child);
}

// ---- Files ----

static void path_of(char out[64], bool dump)
{
    snprintf(out, 64, dump ? "/tmp/jit-%d.dump" : "/tmp/perf-%d.map", (int)getpid());
}

static void report_locked(bool dump, const char *what)
{
    char path[64], text[128];
    const int error = errno;
    path_of(path, dump);
    if (!has_failed[dump])
        weft_log(WEFT_LOG_WARN, "WEFT_PERF: %s can't be %s: %s", path, what,
                 weft_write_error(error, text, sizeof text));
    has_failed[dump] = true;
}

// A new file in the place of one that an earlier process with this number left.
static void begin_file_locked(bool dump, const struct weft_buf *first)
{
    char path[64];
    path_of(path, dump);
    unlink(path); // one of another user stays, and the next line fails
    const int fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
    bool ok = fd >= 0 && weft_write_all(fd, first->data, first->size);
    if (!ok)
        report_locked(dump, "written");
    if (ok && dump &&
        mmap(NULL, (size_t)sysconf(_SC_PAGESIZE), PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0) == MAP_FAILED)
        report_locked(dump, "mapped, so perf won't find it");
    if (fd >= 0)
        close(fd);
}

static void append_locked(bool dump, const struct weft_buf *b)
{
    if (has_failed[dump])
        return;
    char path[64];
    path_of(path, dump);
    const int fd = open(path, O_WRONLY | O_APPEND | O_CLOEXEC | O_NOFOLLOW);
    const bool ok = fd >= 0 && !b->failed && weft_write_all(fd, b->data, b->size);
    if (!ok)
        report_locked(dump, "written");
    if (fd >= 0)
        close(fd);
}

// False: neither file can be written.
static bool begin_locked(const Elf64_Ehdr *e)
{
    if (begun_for == getpid())
        return !has_failed[true] || !has_failed[false];
    struct weft_buf first = {0}, none = {0};
    const struct jitdump_header header = {.magic = JITDUMP_MAGIC,
                                          .version = JITDUMP_VERSION,
                                          .size = sizeof header,
                                          .machine = e->e_machine,
                                          .process = (uint32_t)getpid(),
                                          .time = weft_time_now()};
    weft_buf_append(&first, &header, sizeof header);
    if (!has_failed[true] && !first.failed)
        begin_file_locked(true, &first);
    if (!has_failed[false])
        begin_file_locked(false, &none);
    begun_for = getpid();
    next_index = 0;
    weft_buf_free(&first);
    return !has_failed[true] || !has_failed[false];
}

// ---- Code ----

struct object {
    const uint8_t *bytes;
    size_t size;
    uintptr_t base; // where its address 0 is
    // Its tables .debug_line and .debug_frame; NULL: it has none, since the program was built without -g
    const uint8_t *lines, *frames;
    size_t lines_size, frames_size;
};

// Does the object contain so many bytes from there?
static bool has(const struct object *o, uint64_t at, uint64_t bytes)
{
    return at <= o->size && bytes <= o->size - at;
}

static bool section(const struct object *o, const Elf64_Ehdr *e, uint32_t i, Elf64_Shdr *out)
{
    if (i >= e->e_shnum || e->e_shentsize != sizeof *out ||
        !has(o, e->e_shoff, (uint64_t)e->e_shnum * sizeof *out))
        return false;
    memcpy(out, o->bytes + e->e_shoff + i * sizeof *out, sizeof *out);
    return out->sh_type == SHT_NOBITS || has(o, out->sh_offset, out->sh_size);
}

// Appends the lines of a function, if they are known. perf wants them before the function itself.
static void add_lines(struct weft_buf *dump, const struct object *o, const Elf64_Sym *s)
{
    if (!o->lines)
        return;
    struct weft_buf rows = {0};
    struct jitdump_lines head = {
        .id = JIT_CODE_DEBUG_INFO, .time = weft_time_now(), .code_address = o->base + s->st_value};
    struct weft_lines all = weft_lines_of(o->lines, o->lines_size);
    struct weft_line line;
    while (weft_lines_next(&all, &line)) {
        if (line.address - s->st_value >= s->st_size)
            continue;
        const struct jitdump_line row = {o->base + line.address, line.line, line.discriminator};
        weft_buf_append(&rows, &row, sizeof row);
        weft_buf_append(&rows, line.file, strlen(line.file) + 1);
        head.count++;
    }
    if (head.count && !rows.failed && rows.size < UINT32_MAX / 2) {
        head.size = (uint32_t)(sizeof head + rows.size);
        weft_buf_append(dump, &head, sizeof head);
        weft_buf_append(dump, rows.data, rows.size);
    }
    weft_buf_free(&rows);
}

// Appends how the function's frame is unwound, if that is known; likewise before the function. free_bytes:
// what nothing else lies in behind it.
static void add_unwinding(struct weft_buf *dump, const struct object *o, const Elf64_Sym *s,
                          uint64_t free_bytes)
{
    struct weft_buf tables = {0};
    if (o->frames && weft_unwind_info(&tables, o->frames, o->frames_size, s->st_value, s->st_size)) {
        struct jitdump_unwinding head = {.id = JIT_CODE_UNWINDING_INFO,
                                         .time = weft_time_now(),
                                         .unwinding_size = tables.size,
                                         .header_size = WEFT_UNWIND_HEADER};
        const size_t padding = (8 - tables.size % 8) % 8;
        weft_buf_append(&tables, &(uint64_t){0}, padding);
        head.size = (uint32_t)(sizeof head + tables.size);
        // Some forms of perf read the tables in the process's memory, where they would hide the next
        // function.
        head.mapped_size = tables.size + 8 <= free_bytes ? tables.size : 0;
        weft_buf_append(dump, &head, sizeof head);
        weft_buf_append(dump, tables.data, tables.size);
    }
    weft_buf_free(&tables);
}

// Tells a profiler of a function. The interface wants to know where the code of each line ends.
static void tell_profiler(const struct object *o, const char *name, const Elf64_Sym *s)
{
    struct weft_buf rows = {0};
    struct weft_lines all = weft_lines_of(o->lines, o->lines ? o->lines_size : 0);
    struct weft_line line;
    uint32_t number = 0;
    const char *file = NULL;
    while (o->lines && weft_lines_next(&all, &line)) {
        if (line.address - s->st_value >= s->st_size)
            continue;
        const struct weft_jit_line row = {(unsigned)(line.address - s->st_value), number};
        if (number)
            weft_buf_append(&rows, &row, sizeof row);
        number = line.line;
        file = file ? file : line.file;
    }
    const struct weft_jit_line last = {(unsigned)s->st_size, number};
    if (number)
        weft_buf_append(&rows, &last, sizeof last);
    weft_jit_profiler_add(name, o->base + s->st_value, s->st_size,
                          (const struct weft_jit_line *)(void *)rows.data,
                          rows.failed ? 0 : rows.size / sizeof(struct weft_jit_line), file);
    weft_buf_free(&rows);
}

// Appends a record for each function to the two buffers.
static void add_function(struct weft_buf *dump, struct weft_buf *map, const struct object *o,
                         const char *name, const Elf64_Sym *s, uint64_t file_offset, uint64_t free_bytes)
{
    add_lines(dump, o, s);
    add_unwinding(dump, o, s, free_bytes);
    const size_t length = strlen(name) + 1;
    const struct jitdump_load load = {.id = JIT_CODE_LOAD,
                                      .size = (uint32_t)(sizeof load + length + s->st_size),
                                      .time = weft_time_now(),
                                      .process = (uint32_t)getpid(),
                                      .thread = (uint32_t)weft_thread_id(),
                                      .address = o->base + s->st_value,
                                      .code_address = o->base + s->st_value,
                                      .code_size = s->st_size,
                                      .index = next_index++};
    weft_buf_append(dump, &load, sizeof load);
    weft_buf_append(dump, name, length);
    weft_buf_append(dump, o->bytes + file_offset, s->st_size);
    weft_buf_printf(map, "%" PRIx64 " %" PRIx64 " %s\n", load.address, load.code_size, name);
}

// Bytes from the end of a function to the next symbol behind it.
static uint64_t bytes_behind(const struct object *o, const Elf64_Shdr *table, const Elf64_Sym *function)
{
    const uint64_t end = function->st_value + function->st_size;
    uint64_t found = UINT64_MAX;
    for (uint64_t at = 0; at + sizeof(Elf64_Sym) <= table->sh_size; at += sizeof(Elf64_Sym)) {
        Elf64_Sym s;
        memcpy(&s, o->bytes + table->sh_offset + at, sizeof s);
        if (ELF64_ST_TYPE(s.st_info) == STT_FUNC && s.st_value >= end && s.st_value - end < found)
            found = s.st_value - end;
    }
    return found;
}

// The functions among the symbols of a table whose strings are `strings`. run: the function of the kernel.
static void add_functions(struct weft_buf *dump, struct weft_buf *map, const struct object *o,
                          const Elf64_Ehdr *e, const Elf64_Shdr *table, const Elf64_Shdr *strings,
                          uintptr_t run, const char *what, bool writes_files)
{
    for (uint64_t at = 0; at + sizeof(Elf64_Sym) <= table->sh_size; at += sizeof(Elf64_Sym)) {
        Elf64_Sym s;
        Elf64_Shdr home;
        memcpy(&s, o->bytes + table->sh_offset + at, sizeof s);
        if (ELF64_ST_TYPE(s.st_info) != STT_FUNC || s.st_size == 0 || s.st_size > UINT32_MAX / 2 ||
            s.st_name >= strings->sh_size || !section(o, e, s.st_shndx, &home) || s.st_value < home.sh_addr)
            continue;
        const uint64_t offset = home.sh_offset + (s.st_value - home.sh_addr);
        const char *own = (const char *)o->bytes + strings->sh_offset + s.st_name;
        const size_t room = strings->sh_size - s.st_name;
        if (!has(o, offset, s.st_size) || !memchr(own, '\0', room))
            continue;
        char name[NAME_BYTES];
        if (o->base + s.st_value == run)
            snprintf(name, sizeof name, "%s", what);
        else
            snprintf(name, sizeof name, "%.100s in %s", own, what);
        weft_clean_text(name);
        if (writes_files)
            add_function(dump, map, o, name, &s, offset, bytes_behind(o, table, &s));
        if (weft_jit_profiler_is_on())
            tell_profiler(o, name, &s);
    }
}

// The object's address 0, from where its one exported constant is.
static bool find_base(struct object *o, const Elf64_Ehdr *e, const struct weft_kernel_info *info)
{
    Elf64_Shdr table, strings;
    for (uint32_t i = 0; i < e->e_shnum; i++) {
        if (!section(o, e, i, &table) || table.sh_type != SHT_DYNSYM ||
            !section(o, e, table.sh_link, &strings))
            continue;
        for (uint64_t at = 0; at + sizeof(Elf64_Sym) <= table.sh_size; at += sizeof(Elf64_Sym)) {
            Elf64_Sym s;
            memcpy(&s, o->bytes + table.sh_offset + at, sizeof s);
            if (s.st_name < strings.sh_size &&
                strings.sh_size - s.st_name >= sizeof WEFT_KERNEL_INFO_SYMBOL &&
                memcmp(o->bytes + strings.sh_offset + s.st_name, WEFT_KERNEL_INFO_SYMBOL,
                       sizeof WEFT_KERNEL_INFO_SYMBOL) == 0) {
                o->base = (uintptr_t)info - s.st_value;
                return true;
            }
        }
    }
    return false;
}

// The bytes of a section of debug information, of *size. NULL: there is none.
static const uint8_t *find_table(const struct object *o, const Elf64_Ehdr *e, const char *name, size_t *size)
{
    const size_t length = strlen(name) + 1;
    Elf64_Shdr names, s;
    if (!section(o, e, e->e_shstrndx, &names))
        return NULL;
    for (uint32_t i = 0; i < e->e_shnum; i++)
        if (section(o, e, i, &s) && s.sh_type == SHT_PROGBITS && !(s.sh_flags & SHF_COMPRESSED) &&
            s.sh_name < names.sh_size && names.sh_size - s.sh_name >= length &&
            memcmp(o->bytes + names.sh_offset + s.sh_name, name, length) == 0) {
            *size = s.sh_size;
            return o->bytes + s.sh_offset;
        }
    return NULL;
}

bool weft_perf_is_on(void)
{
    return weft_config_uint(WEFT_CFG_PERF) || weft_jit_profiler_is_on();
}

void weft_perf_add_code(const uint8_t *elf, size_t size, const struct weft_kernel_info *info,
                        const char *what)
{
    WEFT_NOT_CANCELLED;
    struct object o = {.bytes = elf, .size = size};
    Elf64_Ehdr e;
    Elf64_Shdr table, strings;
    memcpy(&e, elf, sizeof e);
    if (!find_base(&o, &e, info))
        return;
    o.lines = find_table(&o, &e, ".debug_line", &o.lines_size);
    o.frames = find_table(&o, &e, ".debug_frame", &o.frames_size);
    struct weft_buf dump = {0}, map = {0};
    pthread_mutex_lock(&lock);
    const bool begun = weft_config_uint(WEFT_CFG_PERF) && begin_locked(&e);
    for (uint32_t i = 0; (begun || weft_jit_profiler_is_on()) && i < e.e_shnum; i++)
        if (section(&o, &e, i, &table) && table.sh_type == SHT_SYMTAB &&
            section(&o, &e, table.sh_link, &strings))
            add_functions(&dump, &map, &o, &e, &table, &strings, (uintptr_t)info->run, what, begun);
    if (begun) {
        append_locked(true, &dump);
        append_locked(false, &map);
    }
    pthread_mutex_unlock(&lock);
    weft_buf_free(&dump);
    weft_buf_free(&map);
}
