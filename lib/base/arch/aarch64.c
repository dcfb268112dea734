// AArch64's part of arch.h that isn't inline. Owns nothing.
#include "base/arch/arch.h"

#include <string.h>
#include <sys/auxv.h>
#include <sys/prctl.h>

// ---- Guarded calls ----

// weft_arch_enter(fn, arg, frame, stack): see arch.h. frame->sp is the first member, so frame points to it.
// Callee-saved are x19 to x29, the return address in x30, and the lower halves of v8 to v15.
// weft_arch_resume: a signal handler makes the thread go on here, with sp = frame->sp. Returns 1 from that
// weft_arch_enter.
// hint #34 is bti c, for systems that check where indirect calls go; older processors ignore it.
_Static_assert(offsetof(struct weft_arch_frame, sp) == 0,
               "the assembly stores the stack pointer at offset 0");
extern const char weft_arch_resume[];
// "used": only the assembly reads it.
_Thread_local const uintptr_t *weft_arch_way_back __attribute__((used));
__asm__(
    ".text\n"
    ".p2align 4\n"
    ".globl weft_arch_enter\n"
    ".hidden weft_arch_enter\n"
    ".type weft_arch_enter, %function\n"
    "weft_arch_enter:\n"
    ".cfi_startproc\n"
    "    hint #34\n"
    "    stp x29, x30, [sp, #-160]!\n    .cfi_def_cfa_offset 160\n"
    "    .cfi_offset x29, -160\n    .cfi_offset x30, -152\n"
    "    stp x19, x20, [sp, #16]\n    .cfi_offset x19, -144\n    .cfi_offset x20, -136\n"
    "    stp x21, x22, [sp, #32]\n    .cfi_offset x21, -128\n    .cfi_offset x22, -120\n"
    "    stp x23, x24, [sp, #48]\n    .cfi_offset x23, -112\n    .cfi_offset x24, -104\n"
    "    stp x25, x26, [sp, #64]\n    .cfi_offset x25, -96\n    .cfi_offset x26, -88\n"
    "    stp x27, x28, [sp, #80]\n    .cfi_offset x27, -80\n    .cfi_offset x28, -72\n"
    "    stp d8, d9, [sp, #96]\n    .cfi_offset b8, -64\n    .cfi_offset b9, -56\n"
    "    stp d10, d11, [sp, #112]\n    .cfi_offset b10, -48\n    .cfi_offset b11, -40\n"
    "    stp d12, d13, [sp, #128]\n    .cfi_offset b12, -32\n    .cfi_offset b13, -24\n"
    "    stp d14, d15, [sp, #144]\n    .cfi_offset b14, -16\n    .cfi_offset b15, -8\n"
    "    mov x29, sp\n"
    "    str x29, [x2]\n"
    "    mov x9, x0\n"
    "    mov x0, x1\n"
    "    cbnz x3, 2f\n"
    "    blr x9\n"
    "    mov w0, #0\n"
    "    b 1f\n"
    "2:  .cfi_remember_state\n    .cfi_def_cfa_register x29\n"
    "    mov sp, x3\n"
    "    blr x9\n"
    "    adrp x0, :gottprel:weft_arch_way_back\n"
    "    ldr x0, [x0, :gottprel_lo12:weft_arch_way_back]\n"
    "    mrs x1, tpidr_el0\n"
    "    ldr x0, [x1, x0]\n"
    "    ldr x0, [x0]\n"
    "    mov sp, x0\n    .cfi_restore_state\n"
    "    mov w0, #0\n"
    "    b 1f\n"
    ".globl weft_arch_resume\n"
    ".hidden weft_arch_resume\n"
    "weft_arch_resume:\n"
    "    mov w0, #1\n"
    "1:  ldp x19, x20, [sp, #16]\n    .cfi_restore x19\n    .cfi_restore x20\n"
    "    ldp x21, x22, [sp, #32]\n    .cfi_restore x21\n    .cfi_restore x22\n"
    "    ldp x23, x24, [sp, #48]\n    .cfi_restore x23\n    .cfi_restore x24\n"
    "    ldp x25, x26, [sp, #64]\n    .cfi_restore x25\n    .cfi_restore x26\n"
    "    ldp x27, x28, [sp, #80]\n    .cfi_restore x27\n    .cfi_restore x28\n"
    "    ldp d8, d9, [sp, #96]\n    .cfi_restore b8\n    .cfi_restore b9\n"
    "    ldp d10, d11, [sp, #112]\n    .cfi_restore b10\n    .cfi_restore b11\n"
    "    ldp d12, d13, [sp, #128]\n    .cfi_restore b12\n    .cfi_restore b13\n"
    "    ldp d14, d15, [sp, #144]\n    .cfi_restore b14\n    .cfi_restore b15\n"
    "    ldp x29, x30, [sp], #160\n    .cfi_restore x29\n    .cfi_restore x30\n    .cfi_def_cfa_offset 0\n"
    "    ret\n"
    ".cfi_endproc\n"
    ".size weft_arch_enter, .-weft_arch_enter\n");

// weft_arch_on_stack(handler, sig, info, context, sp): see arch.h. x29 keeps the old stack pointer meanwhile.
__asm__(".text\n"
        ".p2align 4\n"
        ".globl weft_arch_on_stack\n"
        ".hidden weft_arch_on_stack\n"
        ".type weft_arch_on_stack, %function\n"
        "weft_arch_on_stack:\n"
        ".cfi_startproc\n"
        "    hint #34\n"
        "    stp x29, x30, [sp, #-16]!\n    .cfi_def_cfa_offset 16\n"
        "    .cfi_offset x29, -16\n    .cfi_offset x30, -8\n"
        "    mov x29, sp\n    .cfi_def_cfa_register x29\n"
        "    mov x9, x0\n"
        "    mov w0, w1\n"
        "    mov x1, x2\n"
        "    mov x2, x3\n"
        "    mov sp, x4\n"
        "    blr x9\n"
        "    mov sp, x29\n    .cfi_def_cfa_register sp\n"
        "    ldp x29, x30, [sp], #16\n    .cfi_restore x29\n    .cfi_restore x30\n    .cfi_def_cfa_offset 0\n"
        "    ret\n"
        ".cfi_endproc\n"
        ".size weft_arch_on_stack, .-weft_arch_on_stack\n");

void weft_arch_leave(const struct weft_arch_frame *frame, ucontext_t *uc)
{
    uc->uc_mcontext.pc = (uintptr_t)weft_arch_resume;
    uc->uc_mcontext.sp = frame->sp;
    uc->uc_mcontext.pstate &= ~(uint64_t)0xc00; // the kind of the branch that the fault may have followed
}

// ---- The processor ----

// Optional instructions don't come in levels; weftc asks the system for each of them.
int weft_arch_level(void)
{
    return 0;
}

#define HWCAP_SVE_THERE (1ul << 22)

// SVE's registers have a length in each thread; the system gives all the same unless it is told otherwise.
// weftc makes code for 32 and 64 bytes, and uses NEON beside other lengths.
unsigned weft_arch_vector_bytes(void)
{
    enum { GET_LENGTH = 51, LENGTH = 0xffff }; // PR_SVE_GET_VL, PR_SVE_VL_LEN_MASK
    if (!(getauxval(AT_HWCAP) & HWCAP_SVE_THERE))
        return 16;
    const int answer = prctl(GET_LENGTH, 0, 0, 0, 0);
    const unsigned bytes = answer > 0 ? (unsigned)answer & LENGTH : 0;
    return bytes == 32 || bytes == 64 ? bytes : 16;
}

#define HWCAP_IDENTIFICATION (1ul << 11) // the system answers reads of the identification registers

// The processor that this runs on: who designed it, and which of their designs it is.
void weft_arch_brand(char name[128], char vendor[32])
{
    static const struct {
        unsigned designer, part;
        const char *name;
    } parts[] = {
        {0x41, 0xd03, "Cortex-A53"},   {0x41, 0xd04, "Cortex-A35"},  {0x41, 0xd05, "Cortex-A55"},
        {0x41, 0xd07, "Cortex-A57"},   {0x41, 0xd08, "Cortex-A72"},  {0x41, 0xd09, "Cortex-A73"},
        {0x41, 0xd0a, "Cortex-A75"},   {0x41, 0xd0b, "Cortex-A76"},  {0x41, 0xd0c, "Neoverse N1"},
        {0x41, 0xd0d, "Cortex-A77"},   {0x41, 0xd40, "Neoverse V1"}, {0x41, 0xd41, "Cortex-A78"},
        {0x41, 0xd42, "Cortex-A78AE"}, {0x41, 0xd44, "Cortex-X1"},   {0x41, 0xd46, "Cortex-A510"},
        {0x41, 0xd47, "Cortex-A710"},  {0x41, 0xd48, "Cortex-X2"},   {0x41, 0xd49, "Neoverse N2"},
        {0x41, 0xd4a, "Neoverse E1"},  {0x41, 0xd4d, "Cortex-A715"}, {0x41, 0xd4e, "Cortex-X3"},
        {0x41, 0xd4f, "Neoverse V2"},  {0x41, 0xd80, "Cortex-A520"}, {0x41, 0xd81, "Cortex-A720"},
        {0x41, 0xd82, "Cortex-X4"},    {0x41, 0xd84, "Neoverse V3"}, {0x41, 0xd8e, "Neoverse N3"},
        {0x46, 0x001, "A64FX"},        {0x48, 0xd01, "Kunpeng 920"}, {0x43, 0x0af, "ThunderX2"},
        {0xc0, 0xac3, "Ampere-1"},     {0xc0, 0xac4, "Ampere-1A"},
    };
    static const struct {
        unsigned designer;
        const char *vendor;
    } designers[] = {{0x41, "Arm"},       {0x42, "Broadcom"}, {0x43, "Cavium"},    {0x46, "Fujitsu"},
                     {0x48, "HiSilicon"}, {0x4e, "NVIDIA"},   {0x50, "APM"},       {0x51, "Qualcomm"},
                     {0x53, "Samsung"},   {0x61, "Apple"},    {0x6d, "Microsoft"}, {0xc0, "Ampere"}};
    name[0] = vendor[0] = '\0';
    if (!(getauxval(AT_HWCAP) & HWCAP_IDENTIFICATION))
        return;
    uint64_t midr;
    __asm__("mrs %0, midr_el1" : "=r"(midr));
    const unsigned designer = (unsigned)(midr >> 24 & 0xff), part = (unsigned)(midr >> 4 & 0xfff);
    for (size_t i = 0; i < sizeof designers / sizeof *designers; i++)
        if (designers[i].designer == designer)
            strcpy(vendor, designers[i].vendor);
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (parts[i].designer == designer && parts[i].part == part)
            strcpy(name, parts[i].name);
}

// The length of SVE's registers, and what the identification registers say of instructions. The system
// answers the same on all processors, for the least of them. The processor's own name isn't there: it differs
// between the cores of one machine.
size_t weft_arch_identity_bytes(unsigned char out[WEFT_ARCH_IDENTITY_BYTES])
{
    uint64_t registers[7] = {0};
    if (!(getauxval(AT_HWCAP) & HWCAP_IDENTIFICATION))
        return 0;
    __asm__("mrs %0, id_aa64isar0_el1" : "=r"(registers[0]));
    __asm__("mrs %0, id_aa64isar1_el1" : "=r"(registers[1]));
    __asm__("mrs %0, id_aa64pfr0_el1" : "=r"(registers[2]));
    __asm__("mrs %0, id_aa64pfr1_el1" : "=r"(registers[3]));
    __asm__("mrs %0, s3_0_c0_c4_4" : "=r"(registers[4])); // id_aa64zfr0_el1
    __asm__("mrs %0, s3_0_c0_c6_2" : "=r"(registers[5])); // id_aa64isar2_el1
    registers[6] = weft_arch_vector_bytes();
    memcpy(out, registers, sizeof registers);
    return sizeof registers;
}
