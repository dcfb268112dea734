// Reproducers: requests that made a compiler fail, saved for a bug report. `weftc --replay` repeats them.
#ifndef WEFT_RUNTIME_REPRODUCER_H
#define WEFT_RUNTIME_REPRODUCER_H

#include "base/base.h"
#include "weft/protocol.h"

// Did the compiler fail, rather than the source?
bool weft_reproducer_wanted(weft_status status);

// Saves a source (kernel NULL), or the bitcode in which this kernel was compiled. Returns the path (the
// caller's), or NULL if it can't be written. The newest hundred or so are kept. Any thread.
char *weft_reproducer_save(const void *bytes, size_t size, const char *kernel, const char *options);

// Save a reproducer and return a sentence with its path for the end of a log (the caller's). "" if it can't
// be written.
char *weft_reproducer_sentence(const void *bytes, size_t size, const char *kernel, const char *options);
char *weft_reproducer_request_sentence(enum weft_message type, const struct weft_buf *payload);

#endif
