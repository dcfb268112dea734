// The thread that waits for semaphores which other processes signal.
#ifndef WEFT_RUNTIME_SEMAPHORE_WATCH_H
#define WEFT_RUNTIME_SEMAPHORE_WATCH_H

#include <stdbool.h>
#include <stddef.h>

struct weft_payload;

// Hands over the waits that can go on. Returns how many payloads, a ref each, those that can't wait for now, at most `most` of them;
// more: there are more.
typedef size_t weft_semaphores_serve(struct weft_payload **awaited, size_t most, bool *more);

// Is the thread there? Starts it, with what it calls (the same in each call). false: there can't be one.
bool weft_semaphore_watch_start(weft_semaphores_serve *serve);
// What waits has changed.
void weft_semaphore_watch_again(void);

#endif
