// Tells Intel's profilers of code that was loaded. jitdump.c calls all of this under its lock, since their
// libraries need not bear two threads; only weft_jit_profiler_is_on may be called anywhere.
#ifndef WEFT_RUNTIME_PERF_JIT_PROFILER_H
#define WEFT_RUNTIME_PERF_JIT_PROFILER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct weft_jit_line {
    unsigned offset, line; // the code of this line ends there
};

bool weft_jit_profiler_start(void);      // at load: opens the profiler's library. False: there is none
void weft_jit_profiler_after_fork(void); // in the child, of which the profiler knows nothing: it is off
bool weft_jit_profiler_is_on(void);
// A function was loaded. file: that of its lines; NULL: unknown. Only if weft_jit_profiler_is_on.
void weft_jit_profiler_add(const char *name, uintptr_t address, size_t size,
                           const struct weft_jit_line *lines, size_t line_count, const char *file);

#endif
