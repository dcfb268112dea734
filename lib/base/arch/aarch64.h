// AArch64's inline part of arch.h. There is no other part yet; everything else is portable. Only arch.h
// includes this.
//
// This has never run on real hardware. It compiles, and base.arch has passed under QEMU's user mode. Those
// cases of base.fault and base.fault_handlers that need WEFT_ARCH_CONTEXTS have not.
#ifndef WEFT_BASE_ARCH_AARCH64_H
#define WEFT_BASE_ARCH_AARCH64_H

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

// ---- Guarded calls: registers of a signal's context. The rest is portable ----
#define WEFT_ARCH_OWN_REGISTERS

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

// ---- System calls: there are no older ones ----
#define WEFT_ARCH_AUDIT AUDIT_ARCH_AARCH64

#endif
