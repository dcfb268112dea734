// Memory of the host that buffers use (CL_MEM_USE_HOST_PTR), for API: whether the host has changed it without
// a map. While no command uses the buffer and none of it is mapped, its bytes stay as they are. Of large
// buffers only some pages are looked at. Any thread may call.
#ifndef WEFT_RUNTIME_CHECKER_WATCH_H
#define WEFT_RUNTIME_CHECKER_WATCH_H

#include <stdbool.h>
#include <stddef.h>

// A buffer begins or ends. Memory that two buffers use isn't watched: commands change it for each other.
void weft_watch_add(const void *first, size_t size);
void weft_watch_remove(const void *first);
// A command or a mapping begins to use the buffer that the address lies in, or ends.
void weft_watch_begin(const void *at);
void weft_watch_end(const void *at);
// Has the host changed it since then? Says so once.
bool weft_watch_has_changed(const void *at);

#endif
