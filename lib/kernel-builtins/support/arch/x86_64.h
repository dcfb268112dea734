// x86-64's part of the support library.
#ifndef WEFT_SUPPORT_ARCH_X86_64_H
#define WEFT_SUPPORT_ARCH_X86_64_H

#include <stddef.h>

// From here on the processor's own string instruction is the faster copy (memory.c).
#define WEFT_SUPPORT_STRING_BYTES 4096u

static inline void support_copy_string(void *to, const void *from, size_t size)
{
    __asm__ volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(size) : : "memory");
}

#endif
