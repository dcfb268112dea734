// What a compiler died of, kept for a bug report; `weftc --replay` does it again.
#ifndef WEFT_RUNTIME_REPRODUCER_H
#define WEFT_RUNTIME_REPRODUCER_H

#include "base/base.h"
#include "weft/protocol.h"

// Did the compiler fail, rather than the source?
bool weft_reproducer_wanted(weft_status status);

// Keeps a source (kernel NULL) or bitcode of which this kernel was being compiled. The path, the caller's;
// NULL when it can't be written. About a hundred are kept, the newest. Any thread.
char *weft_reproducer_save(const void *bytes, size_t size, const char *kernel, const char *options);

// Keeps a whole request to the compiler, where a source and its options don't tell all. The path, the caller's, or NULL, as above.
char *weft_reproducer_save_request(enum weft_message type, const struct weft_buf *payload);

// A sentence with the path, for the end of a log, the caller's; what weft_reproducer_save makes. "" when
// there is none.
char *weft_reproducer_sentence(const void *bytes, size_t size, const char *kernel, const char *options);
char *weft_reproducer_request_sentence(enum weft_message type, const struct weft_buf *payload);

#endif
