// Memory and stack of this process.
//
// Clang and LLVM recurse as deeply as a source nests. So everything is compiled on one thread with a large
// stack. If even that stack overflows, the signal handler runs on a stack of its own.
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/resource.h>

#include "base/base.h"
#include "compiler/ir/process.h"

#define STACK_BYTES ((size_t)512 << 20) // reserved, not committed
#define SIGNAL_STACK_BYTES ((size_t)64 << 10)

struct call {
    int (*run)(void *arg);
    void *arg;
    int result;
};

static void *thread_main(void *arg)
{
    struct call *call = arg;
    stack_t alternative = {.ss_sp = weft_alloc(SIGNAL_STACK_BYTES), .ss_size = SIGNAL_STACK_BYTES};
    if (alternative.ss_sp)
        sigaltstack(&alternative, NULL);
    call->result = call->run(call->arg);
    if (alternative.ss_sp) {
        sigaltstack(&(stack_t){.ss_flags = SS_DISABLE}, NULL);
        weft_free(alternative.ss_sp);
    }
    return NULL;
}

weft_status weftc_run_on_big_stack(int (*run)(void *arg), void *arg, int *result)
{
    size_t bytes = STACK_BYTES;
    struct rlimit limit;
    // If address space is limited (WEFT_BUILD_MEMORY), most of it is left for the compile.
    if (getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY && limit.rlim_cur / 4 < bytes)
        bytes = ((size_t)limit.rlim_cur / 4 + 0xffff) & ~(size_t)0xffff;
    struct call call = {run, arg, 0};
    pthread_attr_t attributes;
    if (pthread_attr_init(&attributes) != 0)
        return WEFT_NO_MEMORY;
    pthread_t thread;
    bool started = pthread_attr_setstacksize(&attributes, bytes) == 0 &&
                   pthread_create(&thread, &attributes, thread_main, &call) == 0;
    pthread_attr_destroy(&attributes);
    if (!started)
        return WEFT_NO_RESOURCES;
    pthread_join(thread, NULL);
    *result = call.result;
    return WEFT_OK;
}

const char *weftc_memory_limit(char *buffer, size_t size)
{
    const uint64_t megabytes = weft_config_uint(WEFT_CFG_BUILD_MEMORY);
    struct rlimit limit = {RLIM_INFINITY, RLIM_INFINITY};
    getrlimit(RLIMIT_AS, &limit);
    // WEFT_BUILD_MEMORY has no effect where the process inherits a lower limit.
    if (limit.rlim_cur != RLIM_INFINITY && (!megabytes || limit.rlim_cur >> 20 < megabytes))
        snprintf(buffer, size, "RLIMIT_AS, the address space limit that it was started with: %llu MiB",
                 (unsigned long long)(limit.rlim_cur >> 20));
    else if (megabytes)
        snprintf(buffer, size, "WEFT_BUILD_MEMORY, %llu MiB", (unsigned long long)megabytes);
    else
        snprintf(buffer, size, "the machine has no more memory");
    return buffer;
}
