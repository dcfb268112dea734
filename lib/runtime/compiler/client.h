// The compilers: processes of weftc that are started when needed, kept, and asked one question at a time
// each.
//
// The folder is weftc as the runtime sees it from outside. In come requests as bytes (weft/protocol.h), with a priority; out go replies,
// or a sentence on why there is none. It starts processes out of the application's sight (spawn.h), talks with them (exchange.h), runs
// jobs in the background (compile_queue.h), keeps answers on disk (disk_cache.h), and saves what a compiler died of (reproducer.h). It
// must not know any OpenCL object, nor what a request is about: it calls base/ and the scheduler alone.
#ifndef WEFT_RUNTIME_COMPILER_CLIENT_H
#define WEFT_RUNTIME_COMPILER_CLIENT_H

#include "base/base.h"
#include "weft/protocol.h"

enum weft_compile_priority {
    WEFT_COMPILE_BETTER, // there is code, but not the best
    WEFT_COMPILE_LATER,  // nobody waits yet
    WEFT_COMPILE_WANTED, // a launch waits
    WEFT_COMPILE_NOW,    // the application waits in a call
};

// Asks a compiler and waits for its answer, which must be of type `answer`; *reply is the caller's
// (weft_free). On failure *why is a sentence or more for the build log (the caller's; NULL when there is no
// memory): WEFT_CRASHED, WEFT_TIMEOUT, WEFT_DAMAGED (it spoke nonsense and was killed), WEFT_NOT_FOUND,
// WEFT_NO_MEMORY, WEFT_NO_RESOURCES. The next request works again. Any thread, no lock held.
weft_status weft_compiler_ask(enum weft_message type, const struct weft_buf *payload,
                              enum weft_message answer, enum weft_compile_priority priority, uint8_t **reply,
                              size_t *size, char **why);

// What weftc calls the machine it generates code for; starts a compiler if none has said it yet. The
// caller's; NULL: it can't be started.
char *weft_compiler_target(void);
// Only weftc knows LLVM's names of processors; it falls back to this machine's. Tells, once, when the target of what
// has been built, now or when the cache got it, isn't what WEFT_CPU says. NULL is fine.
void weft_compiler_check_processor(const char *target);

// Compilers that work at once: WEFT_COMPILERS, or one for each CPU that this process may use. In the latter case there
// is one more for those who wait, while all are busy and nobody waits for what one of them does.
uint32_t weft_compiler_count(void);

// Starts one compiler if there are fewer than `wanted`. On a thread that may wait.
void weft_compiler_warm_up(uint32_t wanted);
// Ends those that are idle (clUnloadPlatformCompiler).
void weft_compiler_unload(void);
// Ends all; requests under way fail. At unload and exit.
void weft_compiler_shutdown(void);

#endif
