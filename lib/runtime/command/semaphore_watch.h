// The thread that waits for semaphores which other processes signal.
#ifndef WEFT_RUNTIME_SEMAPHORE_WATCH_H
#define WEFT_RUNTIME_SEMAPHORE_WATCH_H

#include "runtime/core/runtime.h"

// Is it there? Starts it. false: there can't be one.
bool weft_semaphore_watch_start(void);
// What waits has changed.
void weft_semaphore_watch_again(void);

#endif
