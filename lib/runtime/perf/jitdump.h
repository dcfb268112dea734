// Names of kernels, and their lines, for the profiler perf (WEFT_PERF) and those with a JIT interface.
//
// The folder perf/ writes files that profilers read, or calls their libraries. It is given bytes of ELF
// objects and where they were loaded. It knows no OpenCL object; it calls only base/.
#ifndef WEFT_RUNTIME_PERF_JITDUMP_H
#define WEFT_RUNTIME_PERF_JITDUMP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "weft/kernel_abi.h"

// Does a profiler want to know of code?
bool weft_perf_is_on(void);
// To be called when code has been loaded, if one does. what: the name that it is to have; its other
// functions get names that contain it. elf: the object that was loaded, which has been checked. Any thread;
// the caller holds no lock. What can't be written is reported in the log, once.
void weft_perf_add_code(const uint8_t *elf, size_t size, const struct weft_kernel_info *info,
                        const char *what);

#endif
