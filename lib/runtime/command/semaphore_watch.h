// The thread that waits for semaphores that other processes signal.
#ifndef WEFT_RUNTIME_SEMAPHORE_WATCH_H
#define WEFT_RUNTIME_SEMAPHORE_WATCH_H

#include <stdbool.h>
#include <stddef.h>

struct weft_payload;

// Hands over the waits that can continue. Writes the payloads that the others wait for to `awaited`, at most
// `maximum`, with a reference each, and returns their number. *more: there are more.
typedef size_t weft_semaphores_serve(struct weft_payload **awaited, size_t maximum, bool *more);

// Starts the thread unless it runs. serve: called by the thread; the same in each call. False: the thread
// can't be started.
bool weft_semaphore_watch_start(weft_semaphores_serve *serve);
// Wakes the thread: the list of waits has changed.
void weft_semaphore_watch_again(void);

#endif
