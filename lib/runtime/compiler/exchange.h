// The exchange of messages with one compiler. Runs on a thread that has the socket in its descriptor table
// (compiler/private_fd_table.h). The caller owns the process.
#ifndef WEFT_RUNTIME_COMPILER_EXCHANGE_H
#define WEFT_RUNTIME_COMPILER_EXCHANGE_H

#include "runtime/compiler/spawn.h"
#include "weft/protocol.h"

// Waits for the first message of a new process. *target: its name for the machine that it generates code for;
// the caller's; NULL: no memory.
weft_status weft_compiler_read_hello(struct weft_compiler_process *p, char **target);
// A sentence that says why there was no first message; the caller's.
char *weft_compiler_describe_silence(const char *path, weft_status status);

// What weftc reports when it dies of a signal. number 0: nothing.
struct weft_signal_report {
    int number;
    bool crash; // false: the signal came from outside
};

// Sends a request and receives the reply. *unread: the compiler died before it had read the request.
weft_status weft_compiler_exchange(struct weft_compiler_process *p, enum weft_message type,
                                   const struct weft_buf *payload, enum weft_message answer, uint8_t **reply,
                                   size_t *size, struct weft_signal_report *last, bool *unread);
// A sentence that describes a failure of weft_compiler_exchange; the caller's.
char *weft_compiler_describe_failure(weft_status status, const struct weft_signal_report *last);

#endif
