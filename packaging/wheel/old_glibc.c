// What the archives of LLVM, libstdc++ and libgcc ask of glibc since 2.29, for a wheel that runs with 2.28 (of 2018; RHEL 8 and
// Debian 10 have it). They were compiled with the headers of this system. Here are the same functions by older means. All are
// hidden: only the binary that is linked with this file sees them.
#define _GNU_SOURCE
#include <elf.h>
#include <link.h>
#include <malloc.h>
#include <stdint.h>
#include <string.h>
#include <sys/random.h>
#include <sys/syscall.h>
#include <unistd.h>

#define HIDDEN __attribute__((visibility("hidden")))

// 2.29 has new versions of these, which differ in how they report errors.
#define OLDER(name, parameters, arguments)                  \
    double old_##name parameters;                           \
    __asm__(".symver old_" #name "," #name "@GLIBC_2.2.5"); \
    HIDDEN double name parameters;                          \
    double name parameters                                  \
    {                                                       \
        return old_##name arguments;                        \
    }
OLDER(exp, (double x), (x))
OLDER(exp2, (double x), (x))
OLDER(log, (double x), (x))
OLDER(log2, (double x), (x))
OLDER(pow, (double x, double y), (x, y))

// 2.29.
HIDDEN int getcpu(unsigned *cpu, unsigned *node);
int getcpu(unsigned *cpu, unsigned *node)
{
    return (int)syscall(SYS_getcpu, cpu, node, NULL);
}

// 2.32. False: other threads may run, so libstdc++ counts references with atomic operations.
HIDDEN char __libc_single_threaded;

// 2.36. LLVM names files with it.
HIDDEN uint32_t arc4random(void);
uint32_t arc4random(void)
{
    uint32_t value = 0;
    while (getrandom(&value, sizeof value, 0) != (ssize_t)sizeof value)
        ;
    return value;
}

// 2.33. The older function counts to 4 GB.
HIDDEN struct mallinfo2 mallinfo2(void);
struct mallinfo2 mallinfo2(void)
{
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
    const struct mallinfo m = mallinfo();
#pragma GCC diagnostic pop
    return (struct mallinfo2){(unsigned)m.arena,   (unsigned)m.ordblks,  (unsigned)m.smblks,
                              (unsigned)m.hblks,   (unsigned)m.hblkhd,   (unsigned)m.usmblks,
                              (unsigned)m.fsmblks, (unsigned)m.uordblks, (unsigned)m.fordblks,
                              (unsigned)m.keepcost};
}

// 2.35. libgcc finds the unwinding tables of an address with it. `struct dl_find_object` is that of <dlfcn.h>.
struct search {
    uintptr_t address;
    struct dl_find_object *out;
};

static int look(struct dl_phdr_info *info, size_t size, void *arg)
{
    (void)size;
    const struct search *s = arg;
    uintptr_t first = UINTPTR_MAX, end = 0, tables = 0;
    int covers = 0;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *p = &info->dlpi_phdr[i];
        const uintptr_t at = info->dlpi_addr + p->p_vaddr;
        if (p->p_type == PT_LOAD) {
            covers |= s->address - at < p->p_memsz;
            first = at < first ? at : first;
            end = at + p->p_memsz > end ? at + p->p_memsz : end;
        } else if (p->p_type == PT_GNU_EH_FRAME) {
            tables = at;
        }
    }
    if (!covers || !tables)
        return covers ? -1 : 0;
    memset(s->out, 0, sizeof *s->out);
    s->out->dlfo_map_start = (void *)first;
    s->out->dlfo_map_end = (void *)end;
    s->out->dlfo_eh_frame = (void *)tables;
    return 1;
}

HIDDEN int _dl_find_object(void *address, struct dl_find_object *out);
int _dl_find_object(void *address, struct dl_find_object *out)
{
    struct search s = {(uintptr_t)address, out};
    return dl_iterate_phdr(look, &s) == 1 ? 0 : -1;
}
