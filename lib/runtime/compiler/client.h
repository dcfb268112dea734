// The pool of compilers: processes of weftc that are started when needed, kept, and given one request at a
// time each.
//
// The folder is weftc as the runtime sees it from outside. It takes requests as bytes (weft/protocol.h) with
// a priority, and returns replies, or a sentence that says why there is none. It starts processes invisibly
// to the application (spawn.h), exchanges messages with them (exchange.h), runs jobs in the background
// (compile_queue.h), keeps answers on disk (disk_cache.h), and saves requests that made a compiler fail
// (reproducer.h). It knows no OpenCL object, nor the contents of requests. It calls only base/ and the
// scheduler.
#ifndef WEFT_RUNTIME_COMPILER_CLIENT_H
#define WEFT_RUNTIME_COMPILER_CLIENT_H

#include "base/base.h"
#include "weft/protocol.h"

enum weft_compile_priority {
    WEFT_COMPILE_BETTER, // there is code already, this makes better code
    WEFT_COMPILE_SOON,   // there is quick code, this makes code that is several times as fast
    WEFT_COMPILE_LATER,  // nobody waits yet
    WEFT_COMPILE_WANTED, // a launch waits
    WEFT_COMPILE_NOW,    // the application waits in a call
};

// Sends a request to a compiler and waits for the reply, which must be of type `answer`. *reply: the caller's
// (weft_free). Errors: WEFT_CRASHED, WEFT_TIMEOUT, WEFT_DAMAGED (it sent an invalid reply and was killed),
// WEFT_NOT_FOUND, WEFT_NO_MEMORY, WEFT_NO_RESOURCES. *why is then one or more sentences for the build log
// (the caller's; NULL: no memory). An error has no effect on later requests. Any thread; the caller must hold
// no lock.
weft_status weft_compiler_ask(enum weft_message type, const struct weft_buf *payload,
                              enum weft_message answer, enum weft_compile_priority priority, uint8_t **reply,
                              size_t *size, char **why);

// The name that weftc gives the machine that it generates code for. Starts a compiler if none has reported it
// yet. The caller's. NULL: no compiler can be started, or no memory.
char *weft_compiler_target(void);
// Logs once if code that was built now or comes from the cache isn't for the processor that WEFT_CPU names.
// (Only weftc knows LLVM's names of processors. It falls back to this machine's processor.) target: of the
// code; may be NULL.
void weft_compiler_check_processor(const char *target);

// The number of compilers that work at once: WEFT_COMPILERS, or one for each CPU that this process may use.
// In the latter case one more may run for requests that somebody waits for, while all others are busy and
// nobody waits for one of their results.
uint32_t weft_compiler_count(void);

// Starts one compiler if there are fewer than `wanted`. May take long.
void weft_compiler_warm_up(uint32_t wanted);
// Ends idle compilers (clUnloadPlatformCompiler).
void weft_compiler_unload(void);
// Ends all compilers; running requests fail. Called at unload and exit.
void weft_compiler_shutdown(void);

#endif
