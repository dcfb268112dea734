// `weftc --serve`: answers libweft over a socket until the socket is closed (weft/protocol.h).
//
// Threads: one thread compiles, on the big stack. What nobody waits for is compiled by another thread, at a
// lower priority, while the first one waits for it. The watchdog sleeps in poll() and ends the process as
// soon as the other side closes the socket, also during a compile. A compile that fails badly also ends the
// process, after a last message to the client: out of time (SIGPROF), out of memory (the allocators'
// handlers), a fatal error of LLVM, a deadly signal. The client then starts another process. All state is in
// `server`: only the thread that compiles writes it, and handlers read it.
#include <errno.h>
#include <malloc.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "base/base.h"
#include "base/libc/libc.h"
#include "compiler/arch/target.h"
#include "compiler/bridge/bridge.h"
#include "compiler/driver/driver.h"
#include "compiler/driver/sandbox.h"
#include "compiler/ir/process.h"
#include "compiler/link/link.h"
#include "weft/fault_location.h"
#include "weft/protocol.h"
#include "weft/version.h"

// Free heap that is kept between requests. The next request then needn't fault in its pages again.
#define KEEP_BYTES ((size_t)128 << 20)
// How much nicer compiles are that nobody waits for. Where all processors are busy, they get a tenth of one.
#define GIVES_WAY_BY 10

static struct {
    int fd;
    struct weftc_target target;
    int nice; // what the process was started with
    // Type of the reply that the client waits for. 0: no reply is owed, and no last message may be sent. The
    // compiling thread sets it; handlers on any thread take it.
    _Atomic int owed;
} server;

// ---- The last message. Nothing here allocates: memory may be exhausted, or a signal handler runs. ----

__attribute__((noreturn)) static void die_with_failure(weft_status status, const char *text)
{
    int type = atomic_exchange(&server.owed, 0);
    if (type) {
        uint8_t bytes[2048];
        struct weft_buf b = {.data = bytes, .capacity = sizeof bytes};
        weft_put_u32(&b, (uint32_t)status);
        size_t room = sizeof bytes - 32, length = strlen(text);
        weft_put_bytes(&b, text, length < room ? length : room);
        if (type == WEFT_MSG_KERNEL_CODE)
            weft_put_bytes(&b, NULL, 0);
        weft_frame_send(server.fd, (enum weft_message)type, &b);
    }
    _exit(1);
}

static char memory_text[200], time_text[160]; // prepared in advance

static void prepare_messages(void)
{
    char limit[128];
    snprintf(memory_text, sizeof memory_text, "error: the compiler needs more memory than it may use (%s)\n",
             weftc_memory_limit(limit, sizeof limit));
    snprintf(time_text, sizeof time_text,
             "error: the compile exceeded its time limit (WEFT_BUILD_TIMEOUT, %llu seconds)\n",
             (unsigned long long)weft_config_uint(WEFT_CFG_BUILD_TIMEOUT));
}

static void on_no_memory(void)
{
    die_with_failure(WEFT_NO_MEMORY, memory_text);
}

static void on_fatal_error(const char *reason)
{
    char text[1024] = "error: the compiler failed: ";
    strncat(text, reason, sizeof text - strlen(text) - 2);
    strcat(text, "\n");
    die_with_failure(WEFT_INTERNAL, text);
}

static void on_timeout(int signal)
{
    (void)signal;
    die_with_failure(WEFT_TIMEOUT, time_text);
}

static void on_signal(int number, siginfo_t *info, void *context)
{
    (void)context;
    if (atomic_exchange(&server.owed, 0)) {
        // abort() also sends a signal. SIGXCPU comes from a limit that weftc didn't set.
        const bool own =
            (info->si_code > 0 && number != SIGXCPU) || (number == SIGABRT && info->si_pid == getpid());
        uint8_t bytes[8];
        struct weft_buf b = {.data = bytes, .capacity = sizeof bytes};
        weft_put_u32(&b, (uint32_t)number);
        weft_put_u32(&b, own ? 0 : 1);
        weft_frame_send(server.fd, WEFT_MSG_CRASH, &b);
    }
    _exit(128 + number);
}

static void install_handlers(void)
{
    prepare_messages();
    // All signals that end a process and can be caught.
    static const int deadly[] = {SIGSEGV, SIGABRT, SIGBUS,    SIGFPE,    SIGILL,  SIGSYS,  SIGTRAP,
                                 SIGXCPU, SIGHUP,  SIGINT,    SIGQUIT,   SIGTERM, SIGUSR1, SIGUSR2,
                                 SIGPWR,  SIGPOLL, SIGSTKFLT, SIGVTALRM, SIGALRM};
    struct sigaction action = {.sa_sigaction = on_signal, .sa_flags = SA_ONSTACK | SA_SIGINFO};
    sigemptyset(&action.sa_mask);
    for (size_t i = 0; i < WEFT_COUNT_OF(deadly); i++)
        sigaction(deadly[i], &action, NULL);
    action.sa_flags = SA_ONSTACK;
    action.sa_handler = on_timeout;
    sigaction(SIGPROF, &action, NULL);
    action.sa_handler = SIG_IGN;
    sigaction(SIGPIPE, &action, NULL);
    sigaction(SIGXFSZ, &action, NULL); // caused by the application's limit; write() then fails with EFBIG
    weft_bridge_on_failure(on_no_memory, on_fatal_error);
}

// ---- Limits ----

static void limit_memory(void)
{
    uint64_t megabytes = weft_config_uint(WEFT_CFG_BUILD_MEMORY);
    struct rlimit limit;
    if (megabytes == 0 || megabytes > UINT64_MAX >> 20 || getrlimit(RLIMIT_AS, &limit) != 0)
        return;
    rlim_t bytes = megabytes << 20;
    if (limit.rlim_cur == RLIM_INFINITY || limit.rlim_cur > bytes) {
        limit.rlim_cur = bytes;
        setrlimit(RLIMIT_AS, &limit);
    }
}

// Limits processor time. The waiting client also checks whether the compiler gets any
// (lib/runtime/compiler/client.c).
static void set_clock(uint64_t seconds)
{
    struct itimerval once = {.it_value.tv_sec = (time_t)seconds};
    setitimer(ITIMER_PROF, &once, NULL);
}

// ---- The watchdog ----

static void *watch(void *arg)
{
    (void)arg;
    for (;;) {
        struct pollfd p = {.fd = server.fd, .events = POLLRDHUP};
        int n = poll(&p, 1, -1);
        if (n > 0 || (n < 0 && errno != EINTR))
            _exit(0);
    }
}

static weft_status start_watchdog(void)
{
    // All signals are blocked on the watchdog, so that those of a compile are handled on the compiling
    // thread.
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    pthread_attr_t attributes;
    pthread_t thread;
    bool ok = pthread_attr_init(&attributes) == 0;
    if (ok) {
        pthread_attr_setstacksize(&attributes, (size_t)64 << 10);
        pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
        ok = pthread_create(&thread, &attributes, watch, NULL) == 0;
        pthread_attr_destroy(&attributes);
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return ok ? WEFT_OK : WEFT_NO_RESOURCES;
}

// ---- Requests ----

static weft_status answer(enum weft_message type, struct weft_buf *payload)
{
    if (payload->failed)
        on_no_memory();
    // The reply is sent from here on. A last message would land in the middle of it.
    atomic_store(&server.owed, 0);
    set_clock(0);
    weft_status status = weft_frame_send(server.fd, type, payload);
    weft_buf_free(payload);
    return status;
}

static weft_status answer_program(struct weft_program_reply *reply)
{
    struct weft_buf b = {0};
    weft_program_reply_put(&b, reply);
    weft_program_reply_fini(reply);
    return answer(WEFT_MSG_PROGRAM, &b);
}

static weft_status on_build(const uint8_t *payload, size_t size)
{
    struct weft_build_request request;
    weft_status status = weft_build_request_get(&request, payload, size);
    if (status != WEFT_OK)
        return status;
    struct weft_program_reply reply;
    weftc_build(&request, &server.target, &reply);
    weft_build_request_fini(&request);
    return answer_program(&reply);
}

static weft_status on_link(const uint8_t *payload, size_t size)
{
    struct weft_link_request request;
    weft_status status = weft_link_request_get(&request, payload, size);
    if (status != WEFT_OK)
        return status;
    struct weft_program_reply reply;
    weftc_link(&request, &server.target, &reply);
    weft_link_request_fini(&request);
    return answer_program(&reply);
}

struct compile {
    const struct weft_kernel_request *request;
    struct weft_kernel_reply *reply;
};

// On a thread of its own: a thread that has given way once may not come first again.
static int compile_in_background(void *arg)
{
    struct compile *c = arg;
    setpriority(PRIO_PROCESS, 0, server.nice + GIVES_WAY_BY); // on Linux, of this thread
    weftc_compile_kernel(c->request, &server.target, c->reply);
    return 0;
}

static weft_status on_kernel(const uint8_t *payload, size_t size)
{
    struct weft_kernel_request request;
    weft_status status = weft_kernel_request_get(&request, payload, size);
    if (status != WEFT_OK)
        return status;
    struct weft_kernel_reply reply;
    struct compile c = {&request, &reply};
    int unused;
    if (!request.background || weftc_run_on_big_stack(compile_in_background, &c, &unused) != WEFT_OK)
        weftc_compile_kernel(&request, &server.target, &reply);
    weft_kernel_request_fini(&request);
    struct weft_buf b = {0};
    weft_kernel_reply_put(&b, &reply);
    weft_kernel_reply_fini(&reply);
    return answer(WEFT_MSG_KERNEL_CODE, &b);
}

static weft_status on_locate(const uint8_t *payload, size_t size)
{
    struct weft_locate_request request;
    weft_status status = weft_locate_request_get(&request, payload, size);
    if (status != WEFT_OK)
        return status;
    struct weft_locate_reply reply;
    weftc_locate(&request, &server.target, &reply);
    weft_locate_request_fini(&request);
    struct weft_buf b = {0};
    weft_locate_reply_put(&b, &reply);
    weft_locate_reply_fini(&reply);
    return answer(WEFT_MSG_LOCATION, &b);
}

static weft_status handle(uint16_t type, const uint8_t *payload, size_t size)
{
    atomic_store(&server.owed, type == WEFT_MSG_KERNEL   ? WEFT_MSG_KERNEL_CODE
                               : type == WEFT_MSG_LOCATE ? WEFT_MSG_LOCATION
                                                         : WEFT_MSG_PROGRAM);
    set_clock(weft_config_uint(WEFT_CFG_BUILD_TIMEOUT));
    switch (type) {
    case WEFT_MSG_BUILD:
        return on_build(payload, size);
    case WEFT_MSG_LINK:
        return on_link(payload, size);
    case WEFT_MSG_KERNEL:
        return on_kernel(payload, size);
    case WEFT_MSG_LOCATE:
        return on_locate(payload, size);
    default:
        return WEFT_DAMAGED;
    }
}

static weft_status say_hello(void)
{
    char builtins[33];
    weft_hash_hex(weftc_builtins_identity(), builtins);
    struct weft_hello hello = {
        .pid = (uint32_t)getpid(),
        .target = server.target.identity,
        .identity = weft_format("weft %s builtins %s", weft_full_version, builtins),
    };
    struct weft_buf b = {0};
    weft_hello_put(&b, &hello);
    weft_status status = hello.identity ? weft_frame_send(server.fd, WEFT_MSG_HELLO, &b) : WEFT_NO_MEMORY;
    weft_free(hello.identity);
    weft_buf_free(&b);
    return status;
}

static bool request_waits(void)
{
    struct pollfd p = {.fd = server.fd, .events = POLLIN};
    return poll(&p, 1, 0) != 0;
}

// The first compile of a process takes some milliseconds more than the next ones. Clang and LLVM build tables
// on first use, and the pages of the executable are loaded. This does that work while no request waits.
static void warm_up(void)
{
    static char source[] =
        "__kernel void warm(__global float4 *a, __local int *l, uint n) {\n"
        "  size_t i = get_global_id(0);\n"
        "  if (i < n) a[i] = clamp(a[i] * 2.0f + sqrt(a[i + 1]), 0.0f, convert_float4(a[0]));\n"
        "  l[get_local_id(0)] = (int)i;\n"
        "  barrier(CLK_LOCAL_MEM_FENCE);\n"
        "  a[i].x += l[0];\n"
        "}\n";
    static char nothing[] = "", root[] = "/", name[] = "warm";
    if (request_waits())
        return;
    struct weft_build_request build = {
        .source = source, .source_size = sizeof source - 1, .options = nothing, .directory = root};
    struct weft_program_reply program;
    weftc_build(&build, &server.target, &program);
    if (program.status == WEFT_OK && !request_waits()) {
        struct weft_kernel_request kernel = {.kernel = name,
                                             .options = nothing,
                                             .level =
                                                 WEFT_LEVEL_QUICK, // like the first kernel of an application
                                             .bitcode = program.program.bitcode,
                                             .bitcode_size = program.program.bitcode_size};
        struct weft_kernel_reply reply;
        weftc_compile_kernel(&kernel, &server.target, &reply);
        weft_kernel_reply_fini(&reply);
    }
    weft_program_reply_fini(&program);
}

static double now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static int serve(void *arg)
{
    (void)arg;
    weft_status status = say_hello();
    if (status == WEFT_OK)
        warm_up();
    while (status == WEFT_OK) {
        uint16_t type;
        uint8_t *payload;
        size_t size;
        status = weft_frame_receive(server.fd, -1, &type, &payload, &size);
        if (status != WEFT_OK)
            break;
        double start = now_ms();
        status = handle(type, payload, size);
        weft_free(payload);
        weft_log(WEFT_LOG_DEBUG, "weftc %d: request %u, %zu bytes, %.2f ms", (int)getpid(), type, size,
                 now_ms() - start);
        // A process may be idle for hours. It gives back what a large compile needed.
        if (weft_unused_heap_bytes() > KEEP_BYTES && !request_waits())
            malloc_trim(0);
    }
    // The client closing the socket is the normal end.
    return status == WEFT_CRASHED ? 0 : 1;
}

int weftc_serve(int fd, int level)
{
    server.fd = fd;
    server.nice = getpriority(PRIO_PROCESS, 0);
    mallopt(M_ARENA_MAX, 1);
    mallopt(M_TRIM_THRESHOLD, (int)KEEP_BYTES);
    mallopt(M_MMAP_THRESHOLD, 32 << 20);
    limit_memory();
    install_handlers();
    if (weft_config_uint(WEFT_CFG_SANDBOX)) {
        // A translator that the user names may be a script.
        const bool named = weft_config_str(WEFT_CFG_LLVM_SPIRV) != NULL;
        (void)weft_takes_spirv(); // finds out outside of the sandbox, as the driver does
        weftc_sandbox_enter(named ? NULL : weft_spirv_translator(), WEFT_SPIRV_VAL_PATH, named);
    }
    if (start_watchdog() != WEFT_OK ||
        weftc_target_init(&server.target, weft_config_str(WEFT_CFG_CPU), level) != WEFT_OK)
        return 1;
    int result = 1;
    if (weftc_run_on_big_stack(serve, NULL, &result) != WEFT_OK)
        result = 1;
    weftc_target_fini(&server.target);
    return result;
}
