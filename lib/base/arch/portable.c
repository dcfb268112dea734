// The portable version of the groups in arch.h that the family doesn't provide: C and POSIX only. Owns
// nothing.
#include "base/arch/arch.h"

#include <stdatomic.h>
#include <string.h>

#ifndef WEFT_ARCH_OWN_CONTEXTS
int weft_arch_enter(void (*fn)(void *arg), void *arg, struct weft_arch_frame *frame, uintptr_t stack)
{
    (void)stack; // the stack can't be changed
    if (sigsetjmp(frame->env, 1))
        return 1;
    frame->sp = (uintptr_t)__builtin_frame_address(0);
    // A signal handler on this thread reads it while fn runs.
    atomic_signal_fence(memory_order_seq_cst);
    fn(arg);
    return 0;
}

void weft_arch_leave(const struct weft_arch_frame *frame, ucontext_t *uc)
{
    (void)uc;
    siglongjmp(((struct weft_arch_frame *)(uintptr_t)frame)->env, 1); // siglongjmp's prototype isn't const
}

void weft_arch_on_stack(void (*handler)(int, siginfo_t *, void *), int sig, siginfo_t *info, void *context,
                        uintptr_t sp)
{
    (void)sp;
    handler(sig, info, context);
}
#endif

#ifndef WEFT_ARCH_OWN_PROCESSOR
int weft_arch_level(void)
{
    return 0;
}

unsigned weft_arch_vector_bytes(void)
{
    return 16;
}

void weft_arch_brand(char name[128], char vendor[32])
{
    name[0] = vendor[0] = '\0';
}

size_t weft_arch_identity_bytes(unsigned char out[WEFT_ARCH_IDENTITY_BYTES])
{
    (void)out;
    return 0;
}
#endif

#ifndef WEFT_ARCH_OWN_NONTEMPORAL
void weft_arch_nontemporal_copy(void *dst, const void *src, size_t n)
{
    memcpy(dst, src, n);
}

void weft_arch_nontemporal_fill(void *dst, const unsigned char block[WEFT_ARCH_BLOCK], size_t n)
{
    for (unsigned char *d = dst, *end = d + n; d < end; d += WEFT_ARCH_BLOCK)
        memcpy(d, block, WEFT_ARCH_BLOCK);
}
#endif
