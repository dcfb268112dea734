// x86-64's part of arch.h that isn't inline. Owns nothing.
#include "base/arch/arch.h"

#include <cpuid.h>
#include <immintrin.h>
#include <string.h>

// ---- Guarded calls ----

// weft_arch_enter(fn, arg, frame, stack): see arch.h. frame->sp is the first member, so frame points to it.
// weft_arch_resume: a signal handler makes the thread go on here, with rsp = frame->sp. Returns 1 from that
// weft_arch_enter.
_Static_assert(offsetof(struct weft_arch_frame, sp) == 0,
               "the assembly stores the stack pointer at offset 0");
extern const char weft_arch_resume[];
// "used": only the assembly reads it.
_Thread_local const uintptr_t *weft_arch_way_back __attribute__((used));
#ifdef __GLIBC__ // see WEFT_STATIC_TLS
#define WEFT_WAY_BACK_OFFSET "    movq weft_arch_way_back@gottpoff(%rip), %rax\n"
#else
#define WEFT_WAY_BACK_OFFSET                            \
    "    leaq weft_arch_way_back@tlsdesc(%rip), %rax\n" \
    "    callq *weft_arch_way_back@tlscall(%rax)\n"
#endif
__asm__(".text\n"
        ".p2align 4\n"
        ".globl weft_arch_enter\n"
        ".hidden weft_arch_enter\n"
        ".type weft_arch_enter, @function\n"
        "weft_arch_enter:\n"
        ".cfi_startproc\n"
        "    endbr64\n"
        "    pushq %rbp\n    .cfi_adjust_cfa_offset 8\n    .cfi_rel_offset %rbp, 0\n"
        "    pushq %rbx\n    .cfi_adjust_cfa_offset 8\n    .cfi_rel_offset %rbx, 0\n"
        "    pushq %r12\n    .cfi_adjust_cfa_offset 8\n    .cfi_rel_offset %r12, 0\n"
        "    pushq %r13\n    .cfi_adjust_cfa_offset 8\n    .cfi_rel_offset %r13, 0\n"
        "    pushq %r14\n    .cfi_adjust_cfa_offset 8\n    .cfi_rel_offset %r14, 0\n"
        "    pushq %r15\n    .cfi_adjust_cfa_offset 8\n    .cfi_rel_offset %r15, 0\n"
        "    subq $8, %rsp\n    .cfi_adjust_cfa_offset 8\n"
        "    movq %rsp, (%rdx)\n"
        "    movq %rdi, %rax\n"
        "    movq %rsi, %rdi\n"
        "    testq %rcx, %rcx\n"
        "    jnz 2f\n"
        "    callq *%rax\n"
        "    xorl %eax, %eax\n"
        "    jmp 1f\n"
        "2:  movq %rsp, %rbx\n    .cfi_remember_state\n    .cfi_def_cfa_register %rbx\n"
        "    movq %rcx, %rsp\n"
        "    callq *%rax\n" WEFT_WAY_BACK_OFFSET "    movq %fs:(%rax), %rax\n"
        "    movq (%rax), %rsp\n    .cfi_restore_state\n"
        "    xorl %eax, %eax\n"
        "    jmp 1f\n"
        ".globl weft_arch_resume\n"
        ".hidden weft_arch_resume\n"
        "weft_arch_resume:\n"
        "    endbr64\n"
        "    movl $1, %eax\n"
        "1:  addq $8, %rsp\n    .cfi_adjust_cfa_offset -8\n"
        "    popq %r15\n    .cfi_adjust_cfa_offset -8\n    .cfi_restore %r15\n"
        "    popq %r14\n    .cfi_adjust_cfa_offset -8\n    .cfi_restore %r14\n"
        "    popq %r13\n    .cfi_adjust_cfa_offset -8\n    .cfi_restore %r13\n"
        "    popq %r12\n    .cfi_adjust_cfa_offset -8\n    .cfi_restore %r12\n"
        "    popq %rbx\n    .cfi_adjust_cfa_offset -8\n    .cfi_restore %rbx\n"
        "    popq %rbp\n    .cfi_adjust_cfa_offset -8\n    .cfi_restore %rbp\n"
        "    retq\n"
        ".cfi_endproc\n"
        ".size weft_arch_enter, .-weft_arch_enter\n");

// weft_arch_on_stack(handler, sig, info, context, sp): see arch.h. rbp keeps the old stack pointer meanwhile.
__asm__(".text\n"
        ".p2align 4\n"
        ".globl weft_arch_on_stack\n"
        ".hidden weft_arch_on_stack\n"
        ".type weft_arch_on_stack, @function\n"
        "weft_arch_on_stack:\n"
        ".cfi_startproc\n"
        "    endbr64\n"
        "    pushq %rbp\n    .cfi_adjust_cfa_offset 8\n    .cfi_rel_offset %rbp, 0\n"
        "    movq %rsp, %rbp\n    .cfi_def_cfa_register %rbp\n"
        "    movq %rdi, %rax\n"
        "    movl %esi, %edi\n"
        "    movq %rdx, %rsi\n"
        "    movq %rcx, %rdx\n"
        "    movq %r8, %rsp\n"
        "    callq *%rax\n"
        "    movq %rbp, %rsp\n"
        "    popq %rbp\n    .cfi_def_cfa %rsp, 8\n"
        "    retq\n"
        ".cfi_endproc\n"
        ".size weft_arch_on_stack, .-weft_arch_on_stack\n");

void weft_arch_leave(const struct weft_arch_frame *frame, ucontext_t *uc)
{
    greg_t *r = uc->uc_mcontext.gregs;
    r[REG_RIP] = (greg_t)(uintptr_t)weft_arch_resume;
    r[REG_RSP] = (greg_t)frame->sp;
    r[REG_EFL] &= ~(greg_t)0x40500; // direction, trap, alignment check
}

// ---- The processor ----

// The level of the psABI: 4 has AVX-512, 3 has AVX2, 1 is the lowest.
int weft_arch_level(void)
{
    return __builtin_cpu_supports("x86-64-v4")   ? 4
           : __builtin_cpu_supports("x86-64-v3") ? 3
           : __builtin_cpu_supports("x86-64-v2") ? 2
                                                 : 1;
}

unsigned weft_arch_vector_bytes(void)
{
    return __builtin_cpu_supports("avx512f") ? 64 : __builtin_cpu_supports("avx2") ? 32 : 16;
}

void weft_arch_brand(char name[128], char vendor[32])
{
    name[0] = vendor[0] = '\0';
    unsigned regs[12], a, b, c, d;
    if (__get_cpuid(0, &a, &b, &c, &d)) {
        memcpy(vendor, (unsigned[]){b, d, c}, 12);
        vendor[12] = '\0';
    }
    if (!__get_cpuid(0x80000000u, &a, &b, &c, &d) || a < 0x80000004u)
        return;
    for (unsigned i = 0; i < 3; i++)
        __get_cpuid(0x80000002u + i, &regs[4 * i], &regs[4 * i + 1], &regs[4 * i + 2], &regs[4 * i + 3]);
    // Some models pad the brand with spaces, in front and between words.
    const char *text = (const char *)regs;
    size_t n = 0;
    for (size_t i = 0; i < sizeof regs && text[i]; i++)
        if (text[i] != ' ' || (n && name[n - 1] != ' '))
            name[n++] = text[i];
    while (n && name[n - 1] == ' ')
        n--;
    name[n] = '\0';
}

size_t weft_arch_identity_bytes(unsigned char out[WEFT_ARCH_IDENTITY_BYTES])
{
    static const unsigned leaves[][2] = {
        {0, 0},           {1, 0},           {7, 0},           {7, 1},           {7, 2},
        {0xd, 0},         {0xd, 1},         {0x14, 0},        {0x19, 0},        {0x24, 0},
        {0x80000001u, 0}, {0x80000002u, 0}, {0x80000003u, 0}, {0x80000004u, 0}, {0x80000008u, 0}};
    enum { LEAVES = sizeof leaves / sizeof leaves[0] };
    _Static_assert(LEAVES * 4 * sizeof(unsigned) <= WEFT_ARCH_IDENTITY_BYTES, "all leaves fit");
    size_t n = 0;
    for (size_t i = 0; i < LEAVES; i++) {
        unsigned r[4] = {0};
        if (!__get_cpuid_count(leaves[i][0], leaves[i][1], &r[0], &r[1], &r[2], &r[3]))
            continue;
        if (leaves[i][0] == 1)
            r[1] &= 0x00ffff00; // without the number of the CPU that runs this
        if (leaves[i][0] == 0xd && leaves[i][1] == 0)
            r[1] = 0; // depends on what this thread has enabled
        memcpy(out + n, r, sizeof r);
        n += sizeof r;
    }
    return n;
}

// ---- Non-temporal copies ----

static void copy_lines_sse2(unsigned char *dst, const unsigned char *src, size_t n)
{
    for (size_t i = 0; i < n; i += WEFT_ARCH_LINE) {
        __m128i a = _mm_loadu_si128((const __m128i *)(src + i));
        __m128i b = _mm_loadu_si128((const __m128i *)(src + i + 16));
        __m128i c = _mm_loadu_si128((const __m128i *)(src + i + 32));
        __m128i d = _mm_loadu_si128((const __m128i *)(src + i + 48));
        _mm_stream_si128((__m128i *)(dst + i), a);
        _mm_stream_si128((__m128i *)(dst + i + 16), b);
        _mm_stream_si128((__m128i *)(dst + i + 32), c);
        _mm_stream_si128((__m128i *)(dst + i + 48), d);
    }
}

__attribute__((target("avx"))) static void copy_lines_avx(unsigned char *dst, const unsigned char *src,
                                                          size_t n)
{
    for (size_t i = 0; i < n; i += 2 * WEFT_ARCH_LINE) {
        _mm_prefetch((const char *)(src + i + 16 * WEFT_ARCH_LINE), _MM_HINT_NTA);
        _mm_prefetch((const char *)(src + i + 17 * WEFT_ARCH_LINE), _MM_HINT_NTA);
        __m256i a = _mm256_loadu_si256((const __m256i *)(src + i));
        __m256i b = _mm256_loadu_si256((const __m256i *)(src + i + 32));
        __m256i c = _mm256_loadu_si256((const __m256i *)(src + i + 64));
        __m256i d = _mm256_loadu_si256((const __m256i *)(src + i + 96));
        _mm256_stream_si256((__m256i *)(dst + i), a);
        _mm256_stream_si256((__m256i *)(dst + i + 32), b);
        _mm256_stream_si256((__m256i *)(dst + i + 64), c);
        _mm256_stream_si256((__m256i *)(dst + i + 96), d);
    }
    _mm256_zeroupper();
}

void weft_arch_nontemporal_copy(void *dst, const void *src, size_t n)
{
    if (__builtin_cpu_supports("avx"))
        copy_lines_avx(dst, src, n);
    else
        copy_lines_sse2(dst, src, n);
    _mm_sfence(); // non-temporal stores are weakly ordered; stores that publish the copy must come after them
}

static void fill_lines_sse2(unsigned char *dst, const unsigned char *block, size_t n)
{
    __m128i v[WEFT_ARCH_BLOCK / 16];
    memcpy(v, block, sizeof v);
    for (size_t i = 0; i < n; i += WEFT_ARCH_BLOCK)
        for (size_t j = 0; j < WEFT_ARCH_BLOCK / 16; j++)
            _mm_stream_si128((__m128i *)(dst + i + 16 * j), v[j]);
}

__attribute__((target("avx"))) static void fill_lines_avx(unsigned char *dst, const unsigned char *block,
                                                          size_t n)
{
    __m256i a, b, c, d;
    memcpy(&a, block, 32);
    memcpy(&b, block + 32, 32);
    memcpy(&c, block + 64, 32);
    memcpy(&d, block + 96, 32);
    for (size_t i = 0; i < n; i += WEFT_ARCH_BLOCK) {
        _mm256_stream_si256((__m256i *)(dst + i), a);
        _mm256_stream_si256((__m256i *)(dst + i + 32), b);
        _mm256_stream_si256((__m256i *)(dst + i + 64), c);
        _mm256_stream_si256((__m256i *)(dst + i + 96), d);
    }
    _mm256_zeroupper();
}

void weft_arch_nontemporal_fill(void *dst, const unsigned char block[WEFT_ARCH_BLOCK], size_t n)
{
    if (__builtin_cpu_supports("avx"))
        fill_lines_avx(dst, block, n);
    else
        fill_lines_sse2(dst, block, n);
    _mm_sfence(); // orders the non-temporal stores, see weft_arch_nontemporal_copy
}
