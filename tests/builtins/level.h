// Which processor a library under test is for: its name ends in the level of the x86-64 psABI, as "-v3.so";
// without one it runs on every machine of the family.
#ifndef WEFT_TESTS_BUILTINS_LEVEL_H
#define WEFT_TESTS_BUILTINS_LEVEL_H

#include <stddef.h>
#include <string.h>

// What this machine lacks to run the library, as words; NULL: nothing. A level that isn't known here is
// lacking, too.
static inline const char *level_lacking(const char *path)
{
    const char *end = strrchr(path, '-');
    if (!end || end[1] != 'v')
        return NULL;
#if defined(__x86_64__)
    if (strcmp(end, "-v2.so") == 0)
        return __builtin_cpu_supports("x86-64-v2") ? NULL : "this processor has no SSE4.2 (x86-64-v2)";
    if (strcmp(end, "-v3.so") == 0)
        return __builtin_cpu_supports("x86-64-v3") ? NULL
                                                   : "this processor has no AVX2, or no fma (x86-64-v3)";
    if (strcmp(end, "-v4.so") == 0)
        return __builtin_cpu_supports("x86-64-v4") ? NULL : "this processor has no AVX-512 (x86-64-v4)";
#endif
    return "nobody knows this level";
}

#endif
