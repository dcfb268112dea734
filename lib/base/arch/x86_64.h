// x86-64's inline part of arch.h. Only arch.h includes this.
#ifndef WEFT_BASE_ARCH_X86_64_H
#define WEFT_BASE_ARCH_X86_64_H

// ---- Time ----
#define WEFT_ARCH_OWN_TIME

static inline uint64_t weft_arch_ticks(void)
{
    return __builtin_ia32_rdtsc();
}

static inline void weft_arch_relax(void)
{
    __builtin_ia32_pause();
}

// ---- Floating point ----
#define WEFT_ARCH_OWN_FLOAT
#define WEFT_MXCSR_DEFAULT 0x1f80u // round to nearest, denormals kept, exceptions masked, no flags
#define WEFT_MXCSR_FLUSH 0x8040u   // denormal results are zero, denormal operands are zero
#define WEFT_MXCSR_FLAGS 0x3fu

struct weft_arch_float {
    uint32_t mxcsr; // kernels contain no x87 code, so the x87 state isn't saved
};

// Writing the register is slow, reading it isn't. So it is written only if it differs.
static inline void weft_arch_float_enter(struct weft_arch_float *s, bool flush)
{
    const uint32_t wanted = WEFT_MXCSR_DEFAULT | (flush ? WEFT_MXCSR_FLUSH : 0u);
    s->mxcsr = __builtin_ia32_stmxcsr();
    if (__builtin_expect((s->mxcsr & ~WEFT_MXCSR_FLAGS) != wanted, 0))
        __builtin_ia32_ldmxcsr(wanted);
}

static inline void weft_arch_float_leave(const struct weft_arch_float *s)
{
    if (__builtin_ia32_stmxcsr() != s->mxcsr)
        __builtin_ia32_ldmxcsr(s->mxcsr);
}

// ---- Guarded calls ----
#define WEFT_ARCH_OWN_CONTEXTS
#define WEFT_ARCH_CONTEXTS 1

struct weft_arch_frame {
    uintptr_t sp; // rsp of the call; the callee-saved registers are on the stack there
};

extern _Thread_local const uintptr_t *weft_arch_way_back WEFT_STATIC_TLS
    __attribute__((visibility("hidden")));

static inline const uintptr_t *weft_arch_set_way_back(const uintptr_t *sp)
{
    const uintptr_t *before = weft_arch_way_back;
    weft_arch_way_back = sp;
    return before;
}

__attribute__((no_sanitize("address", "thread", "undefined"))) static inline uintptr_t
weft_arch_context_sp(const ucontext_t *uc)
{
    return (uintptr_t)uc->uc_mcontext.gregs[REG_RSP];
}

__attribute__((no_sanitize("address", "thread", "undefined"))) static inline uintptr_t
weft_arch_context_pc(const ucontext_t *uc)
{
    return (uintptr_t)uc->uc_mcontext.gregs[REG_RIP];
}

__attribute__((no_sanitize("address", "thread", "undefined"))) static inline bool
weft_arch_context_registers(const ucontext_t *uc, uint64_t out[WEFT_ARCH_REGISTERS])
{
    static const int in_order[] = {REG_RAX, REG_RDX, REG_RCX, REG_RBX, REG_RSI, REG_RDI, REG_RBP, REG_RSP,
                                   REG_R8,  REG_R9,  REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15};
    for (size_t i = 0; i < sizeof in_order / sizeof *in_order; i++)
        out[i] = (uint64_t)uc->uc_mcontext.gregs[in_order[i]];
    return true;
}

// The system's frame begins with the handler's return address; the context follows.
static inline bool weft_arch_is_direct(const ucontext_t *uc, uintptr_t frame)
{
    return (uintptr_t)uc == frame + 16;
}

__attribute__((no_sanitize("address", "thread", "undefined"))) static inline const ucontext_t *
weft_arch_signal_frame(uintptr_t p, uintptr_t restorer)
{
    return *(const uintptr_t *)p == restorer ? (const ucontext_t *)(p + 8) : NULL;
}

#define WEFT_ARCH_OWN_PROCESSOR
#define WEFT_ARCH_OWN_NONTEMPORAL

// ---- System calls ----
#define WEFT_ARCH_OWN_CALLS
#define WEFT_ARCH_CALLS 1
#define WEFT_ARCH_AUDIT AUDIT_ARCH_X86_64
#define WEFT_ARCH_OLDER_CALLS(X) \
    X(poll)                      \
    X(alarm)                     \
    X(stat)                      \
    X(lstat)                     \
    X(access)                    \
    X(readlink)                  \
    X(getdents)                  \
    X(dup2)                      \
    X(pipe)                      \
    X(select)                    \
    X(time)                      \
    X(fork)                      \
    X(vfork)                     \
    X(arch_prctl)                \
    X(pause)

__attribute__((always_inline)) static inline long weft_arch_call(long number, long a, long b, long c, long d,
                                                                 long e)
{
    register long r10 __asm__("r10") = d, r8 __asm__("r8") = e;
    __asm__ volatile("syscall"
                     : "+a"(number)
                     : "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8)
                     : "rcx", "r11", "memory");
    return number;
}

#endif
