// One exchange with one compiler. Where its socket is (compiler/private_fd_table.h); the process is in the caller's hands.
#ifndef WEFT_RUNTIME_COMPILER_EXCHANGE_H
#define WEFT_RUNTIME_COMPILER_EXCHANGE_H

#include "runtime/compiler/spawn.h"
#include "weft/protocol.h"

// Waits for a new process's first word. *target: what it calls the machine that it generates code for, the caller's; NULL: there is no
// memory.
weft_status weft_compiler_read_hello(struct weft_compiler_process *p, char **target);
// A sentence on why there was none, the caller's.
char *weft_compiler_describe_silence(const char *path, weft_status status);

// What weftc says that it dies of. number 0: nothing.
struct weft_last_words {
    int number;
    bool crash; // else the signal came from outside
};

// Sends and receives. *unread: it was dead before it had read the request.
weft_status weft_compiler_exchange(struct weft_compiler_process *p, enum weft_message type,
                                   const struct weft_buf *payload, enum weft_message answer, uint8_t **reply,
                                   size_t *size, struct weft_last_words *last, bool *unread);
// A sentence on a failure of that, the caller's.
char *weft_compiler_describe_failure(weft_status status, const struct weft_last_words *last);

#endif
