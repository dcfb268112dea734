// What this process may take of memory and stack. A compiler must not die of a program that nests deep or is large.
#ifndef WEFTC_PROCESS_H
#define WEFTC_PROCESS_H

#include <stddef.h>

#include "weft/status.h"

// The limit of memory that holds for this process, as messages name it. Returns room.
const char *weftc_memory_limit(char *room, size_t size);
// Compiling is done inside of this: on a thread with a large stack. *result: what run returned.
weft_status weftc_run_on_big_stack(int (*run)(void *arg), void *arg, int *result);

#endif
