// Memory and stack of this process. The compiler must not crash on a program that nests deeply or is large.
#ifndef WEFTC_PROCESS_H
#define WEFTC_PROCESS_H

#include <stddef.h>

#include "weft/status.h"

// Writes a description of this process's memory limit, for messages, to buffer, which has size bytes. Returns
// buffer.
const char *weftc_memory_limit(char *buffer, size_t size);
// Runs `run` on a thread with a large stack, and waits for it. Each compile runs in this. *result gets run's
// return value.
weft_status weftc_run_on_big_stack(int (*run)(void *arg), void *arg, int *result);

#endif
