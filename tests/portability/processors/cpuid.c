// Preloaded into a program, this makes it see another processor: the instruction cpuid faults (arch_prctl,
// ARCH_CPUID), and the handler of the fault answers from WEFT_TEST_CPUID, a file with one line for each leaf:
// leaf, subleaf, eax, ebx, ecx, edx, in hexadecimal. Leaves that aren't there are 0. The exit status is 77
// where the kernel or the processor can't make cpuid fault.
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

enum { ARCH_SET_CPUID = 0x1012, MAX_LEAVES = 64, UNAVAILABLE = 77 };

static struct leaf {
    uint32_t leaf, subleaf, eax, ebx, ecx, edx;
} leaves[MAX_LEAVES];
static unsigned leaf_count;

static void answer(int signal_number, siginfo_t *info, void *context)
{
    (void)info;
    greg_t *regs = ((ucontext_t *)context)->uc_mcontext.gregs;
    const unsigned char *at = (const unsigned char *)regs[REG_RIP];
    if (at[0] != 0x0f || at[1] != 0xa2) {
        signal(signal_number, SIG_DFL); // a fault of the program: it happens again
        return;
    }
    // Only some leaves have subleaves. For others, ecx may be anything.
    const uint32_t leaf = (uint32_t)regs[REG_RAX];
    const uint32_t subleaf = leaf == 7 || leaf == 0xd || leaf == 0x24 ? (uint32_t)regs[REG_RCX] : 0;
    struct leaf none = {0}, *found = &none;
    for (unsigned k = 0; k < leaf_count; k++)
        if (leaves[k].leaf == leaf && leaves[k].subleaf == subleaf)
            found = &leaves[k];
    regs[REG_RAX] = found->eax;
    regs[REG_RBX] = found->ebx;
    regs[REG_RCX] = found->ecx;
    regs[REG_RDX] = found->edx;
    regs[REG_RIP] += 2;
}

__attribute__((constructor)) static void begin(void)
{
    const char *path = getenv("WEFT_TEST_CPUID");
    FILE *f = path ? fopen(path, "r") : NULL;
    if (!f)
        _exit(2);
    struct leaf *l = leaves;
    while (leaf_count < MAX_LEAVES &&
           fscanf(f, "%x %x %x %x %x %x", &l->leaf, &l->subleaf, &l->eax, &l->ebx, &l->ecx, &l->edx) == 6) {
        leaf_count++;
        l++;
    }
    fclose(f);
    struct sigaction action = {.sa_sigaction = answer, .sa_flags = SA_SIGINFO | SA_NODEFER};
    sigaction(SIGSEGV, &action, NULL);
    if (syscall(SYS_arch_prctl, ARCH_SET_CPUID, 0))
        _exit(UNAVAILABLE);
}
