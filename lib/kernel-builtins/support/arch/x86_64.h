// The part of the support library for x86-64: large copies by the string instruction.
#ifndef WEFT_SUPPORT_ARCH_X86_64_H
#define WEFT_SUPPORT_ARCH_X86_64_H

#include <stddef.h>

// Copies of at least so many bytes are faster with the processor's string instruction (memory.c).
#define WEFT_SUPPORT_STRING_BYTES 4096u

static inline void support_copy_string(void *to, const void *from, size_t size)
{
    __asm__ volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(size) : : "memory");
}

#endif
