// The inline part of the portable versions of the groups in arch.h that the family doesn't provide: C and
// POSIX only. Only arch.h includes this.
#ifndef WEFT_BASE_ARCH_PORTABLE_H
#define WEFT_BASE_ARCH_PORTABLE_H

#ifndef WEFT_ARCH_OWN_TIME
#include <stdatomic.h>
#include <time.h>

// The system's clock, scaled to the rate of a processor's clock.
static inline uint64_t weft_arch_ticks(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return ((uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec) * 3;
}

static inline void weft_arch_relax(void)
{
    atomic_signal_fence(memory_order_seq_cst);
}
#endif

#ifndef WEFT_ARCH_OWN_FLOAT
#include <fenv.h>

struct weft_arch_float {
    fenv_t env;
};

// C has no function that changes how denormals are treated, so they are kept.
static inline void weft_arch_float_enter(struct weft_arch_float *s, bool flush)
{
    (void)flush;
    feholdexcept(&s->env);
    fesetenv(FE_DFL_ENV);
}

static inline void weft_arch_float_leave(const struct weft_arch_float *s)
{
    fesetenv(&s->env);
}
#endif

#ifndef WEFT_ARCH_OWN_CONTEXTS
#include <setjmp.h>

#define WEFT_ARCH_CONTEXTS 0

struct weft_arch_frame {
    uintptr_t sp; // only shows that env has been filled
    sigjmp_buf env;
};

static inline const uintptr_t *weft_arch_set_way_back(const uintptr_t *sp)
{
    (void)sp;
    return NULL;
}

static inline bool weft_arch_is_direct(const ucontext_t *uc, uintptr_t frame)
{
    (void)uc, (void)frame;
    return false;
}

static inline const ucontext_t *weft_arch_signal_frame(uintptr_t p, uintptr_t restorer)
{
    (void)p, (void)restorer;
    return NULL;
}

#ifndef WEFT_ARCH_OWN_REGISTERS // a family may provide only these two of the group
__attribute__((no_sanitize("address", "thread", "undefined"))) static inline uintptr_t
weft_arch_context_sp(const ucontext_t *uc)
{
    (void)uc;
    return 0;
}

__attribute__((no_sanitize("address", "thread", "undefined"))) static inline uintptr_t
weft_arch_context_pc(const ucontext_t *uc)
{
    (void)uc;
    return 0;
}

static inline bool weft_arch_context_registers(const ucontext_t *uc, uint64_t out[WEFT_ARCH_REGISTERS])
{
    (void)uc;
    (void)out;
    return false;
}
#endif
#endif

#ifndef WEFT_ARCH_OWN_CALLS
#include <errno.h>
#include <unistd.h>

#define WEFT_ARCH_CALLS 0

static inline long weft_arch_call(long number, long a, long b, long c, long d, long e)
{
    long result = syscall(number, a, b, c, d, e);
    return result == -1 ? -errno : result;
}
#endif
#ifndef WEFT_ARCH_AUDIT
#define WEFT_ARCH_AUDIT 0
#endif
#ifndef WEFT_ARCH_OLDER_CALLS
#define WEFT_ARCH_OLDER_CALLS(X)
#endif

#endif
