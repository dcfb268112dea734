// AArch64's inline part of arch.h. Only arch.h includes this. Non-temporal copies are the portable ones.
//
// It has run under QEMU's user mode only, never on real hardware.
#ifndef WEFT_BASE_ARCH_AARCH64_H
#define WEFT_BASE_ARCH_AARCH64_H

#include <asm/sigcontext.h>

// ---- Time ----
#define WEFT_ARCH_OWN_TIME

// The counter runs at its own rate, 25 MHz to 1 GHz, which it reports. Scaled to three ticks per nanosecond.
static inline uint64_t weft_arch_ticks(void)
{
    uint64_t count, hertz;
    __asm__ volatile("mrs %0, cntvct_el0" : "=r"(count));
    __asm__("mrs %0, cntfrq_el0" : "=r"(hertz));
    return hertz ? count * (3000000000u / hertz) : count;
}

static inline void weft_arch_relax(void)
{
    __asm__ volatile("yield" ::: "memory");
}

// ---- Floating point ----
#define WEFT_ARCH_OWN_FLOAT

struct weft_arch_float {
    uint64_t control, flags; // FPCR, FPSR
};

// FPCR 0: round to nearest, denormals kept, exceptions masked. FZ: denormal floats and doubles are zero, as
// operands and as results; halves keep theirs. Writing it is slow, so it is written only if it differs.
#define WEFT_FPCR_FZ (1u << 24)

static inline void weft_arch_float_enter(struct weft_arch_float *s, bool flush)
{
    const uint64_t wanted = flush ? WEFT_FPCR_FZ : 0;
    __asm__ volatile("mrs %0, fpcr" : "=r"(s->control));
    __asm__ volatile("mrs %0, fpsr" : "=r"(s->flags));
    if (__builtin_expect(s->control != wanted, 0))
        __asm__ volatile("msr fpcr, %0" ::"r"(wanted) : "memory");
}

static inline void weft_arch_float_leave(const struct weft_arch_float *s)
{
    uint64_t control, flags;
    __asm__ volatile("mrs %0, fpcr" : "=r"(control)::"memory");
    __asm__ volatile("mrs %0, fpsr" : "=r"(flags)::"memory");
    if (__builtin_expect(control != s->control, 0))
        __asm__ volatile("msr fpcr, %0" ::"r"(s->control) : "memory");
    if (flags != s->flags)
        __asm__ volatile("msr fpsr, %0" ::"r"(s->flags) : "memory");
}

// ---- Guarded calls ----
#define WEFT_ARCH_OWN_CONTEXTS
#define WEFT_ARCH_CONTEXTS 1

struct weft_arch_frame {
    uintptr_t sp; // sp of the call; the callee-saved registers are on the stack there
};

extern _Thread_local const uintptr_t *weft_arch_way_back
    __attribute__((tls_model("initial-exec"), visibility("hidden")));

static inline const uintptr_t *weft_arch_set_way_back(const uintptr_t *sp)
{
    const uintptr_t *before = weft_arch_way_back;
    weft_arch_way_back = sp;
    return before;
}

__attribute__((no_sanitize("address", "thread", "undefined"))) static inline uintptr_t
weft_arch_context_sp(const ucontext_t *uc)
{
    return (uintptr_t)uc->uc_mcontext.sp;
}

__attribute__((no_sanitize("address", "thread", "undefined"))) static inline uintptr_t
weft_arch_context_pc(const ucontext_t *uc)
{
    return (uintptr_t)uc->uc_mcontext.pc;
}

__attribute__((no_sanitize("address", "thread", "undefined"))) static inline bool
weft_arch_context_registers(const ucontext_t *uc, uint64_t out[WEFT_ARCH_REGISTERS])
{
    for (int i = 0; i < 31; i++)
        out[i] = uc->uc_mcontext.regs[i];
    out[31] = uc->uc_mcontext.sp;
    return true;
}

// The system's frame is a siginfo, the context, and above them a frame record of the interrupted code, to
// which x29 points when the handler begins. The handler returns to code that does nothing but sigreturn.
// frame is the handler's own frame record: the x29 and the return address that it was called with.
__attribute__((no_sanitize("address", "thread", "undefined"))) static inline bool
weft_arch_is_direct(const ucontext_t *uc, uintptr_t frame)
{
    enum { LARGEST_CONTEXT = 1 << 20 }; // with all registers of SVE and SME
    const uintptr_t *record = (const uintptr_t *)frame;
    const uintptr_t above = record[0] - (uintptr_t)uc;
    // A signed return address has its signature in the upper bits. xpaclri, a hint, takes it off x30.
    register uintptr_t back __asm__("x30") = record[1];
    __asm__("hint #7" : "+r"(back));
    const uint32_t *code = (const uint32_t *)back;
    return above >= sizeof(siginfo_t) && above < LARGEST_CONTEXT &&
           code[0] == 0xd2801168 /* mov x8, #139 */ && code[1] == 0xd4000001 /* svc #0 */;
}

// There is no return address in the system's frame. The context's first record is always that of the vector
// registers, and tells it from other data.
__attribute__((no_sanitize("address", "thread", "undefined"))) static inline const ucontext_t *
weft_arch_signal_frame(uintptr_t p, uintptr_t restorer)
{
    (void)restorer;
    if (p % 16)
        return NULL;
    const ucontext_t *uc = (const ucontext_t *)(p + sizeof(siginfo_t));
    const uint32_t *record = (const uint32_t *)(const void *)uc->uc_mcontext.__reserved;
    return record[0] == FPSIMD_MAGIC && record[1] == sizeof(struct fpsimd_context) && !uc->uc_link ? uc
                                                                                                   : NULL;
}

#define WEFT_ARCH_OWN_PROCESSOR

// ---- System calls: there are no older ones ----
#define WEFT_ARCH_OWN_CALLS
#define WEFT_ARCH_CALLS 1
#define WEFT_ARCH_AUDIT AUDIT_ARCH_AARCH64

__attribute__((always_inline)) static inline long weft_arch_call(long number, long a, long b, long c, long d,
                                                                 long e)
{
    register long x8 __asm__("x8") = number, x0 __asm__("x0") = a, x1 __asm__("x1") = b, x2 __asm__("x2") = c,
                     x3 __asm__("x3") = d, x4 __asm__("x4") = e;
    __asm__ volatile("svc #0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4) : "memory");
    return x0;
}

#endif
