// A compiler that speaks protocol.h and knows the kernels of kernels.c only. Words in the source make it
// misbehave.
#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/base.h"
#include "weft/protocol.h"

extern char **environ;
static int builds;

static void send_frame(enum weft_message type, struct weft_buf *b)
{
    if (weft_frame_send(WEFT_PROTOCOL_FD, type, b) != WEFT_OK)
        exit(1);
    weft_buf_free(b);
}

static bool has(const struct weft_build_request *q, const char *word)
{
    return memmem(q->source, q->source_size, word, strlen(word)) != NULL;
}

// What this process sees of the world, for the log.
static char *describe_world(void)
{
    struct weft_buf b = {0};
    char cwd[4096];
    sigset_t mask;
    sigprocmask(SIG_SETMASK, NULL, &mask);
    int blocked = 0, ignored = 0;
    for (int s = 1; s < 32; s++) {
        struct sigaction a;
        blocked += sigismember(&mask, s) == 1;
        if (s != SIGKILL && s != SIGSTOP && sigaction(s, NULL, &a) == 0)
            ignored += a.sa_handler == SIG_IGN;
    }
    weft_buf_printf(&b, "cwd=%s blocked=%d ignored=%d leader=%d fds=", getcwd(cwd, sizeof cwd), blocked,
                    ignored, getsid(0) == getpid());
    DIR *d = opendir("/proc/self/fd");
    for (struct dirent *e; d && (e = readdir(d));)
        if (e->d_name[0] != '.' && atoi(e->d_name) != dirfd(d))
            weft_buf_printf(&b, "%s,", e->d_name);
    if (d)
        closedir(d);
    weft_buf_puts(&b, " env=");
    for (char **e = environ; *e; e++)
        weft_buf_printf(&b, "%.*s,", (int)strcspn(*e, "="), *e);
    return weft_buf_take(&b, NULL);
}

// Four seconds, of which it has a sixth.
static void starve(void)
{
    for (int i = 0; i < 40; i++) {
        clock_t begun = clock();
        while (clock() - begun < CLOCKS_PER_SEC / 60)
            ;
        nanosleep(&(struct timespec){0, 83000000}, NULL);
    }
}

static void misbehave(const struct weft_build_request *q)
{
    if (has(q, "FAKE_CRASH")) {
        struct weft_buf b = {0};
        weft_put_u32(&b, SIGSEGV);
        send_frame(WEFT_MSG_CRASH, &b);
        kill(getpid(), SIGKILL);
    }
    if (has(q, "FAKE_KILL"))
        kill(getpid(), SIGKILL);
    if (has(q, "FAKE_STARVED"))
        starve();
    if (has(q, "FAKE_BUSY"))
        for (;;)
            ;
    if (has(q, "FAKE_HANG"))
        for (;;)
            pause();
    if (has(q, "FAKE_GARBAGE")) {
        char junk[1000];
        memset(junk, 'x', sizeof junk);
        if (write(WEFT_PROTOCOL_FD, junk, sizeof junk) < 0)
            exit(1);
        pause();
    }
    if (has(q, "FAKE_WRONG_ANSWER")) {
        struct weft_buf b = {0};
        send_frame(WEFT_MSG_KERNEL_CODE, &b);
    }
}

static void arg(struct weft_kernel_meta *k, const char *name, const char *type, enum weft_arg_kind kind,
                uint32_t size, uint32_t align)
{
    struct weft_arg_meta *a = &k->args[k->arg_count++];
    uint32_t slot = kind == WEFT_ARG_VALUE ? size : 8;
    k->args_size = (k->args_size + align - 1) / align * align;
    *a = (struct weft_arg_meta){.name = strdup(name),
                                .type_name = strdup(type),
                                .kind = kind,
                                .addr_qual = kind == WEFT_ARG_GLOBAL  ? WEFT_ADDR_GLOBAL
                                             : kind == WEFT_ARG_LOCAL ? WEFT_ADDR_LOCAL
                                                                      : WEFT_ADDR_PRIVATE,
                                .access_qual = WEFT_ACCESS_NONE,
                                .size = size,
                                .align = align,
                                .offset = k->args_size};
    k->args_size += slot;
}

static struct weft_kernel_meta *kernel(struct weft_program_object *p, const char *name)
{
    struct weft_kernel_meta *k = &p->kernels[p->kernel_count++];
    *k = (struct weft_kernel_meta){.name = strdup(name),
                                   .attributes = strdup(""),
                                   .vec_type_hint = strdup(""),
                                   .hash_lo = 1,
                                   .hash_hi = p->kernel_count};
    k->args = calloc(8, sizeof *k->args);
    return k;
}

static void fill_program(struct weft_program_object *p, const char *options, uint32_t type)
{
    *p = (struct weft_program_object){
        .binary_type = type, .target = strdup("fake"), .options = strdup(options)};
    p->bitcode = (uint8_t *)strdup("bitcode of the fake");
    p->bitcode_size = strlen((char *)p->bitcode);
    p->kernels = calloc(32, sizeof *p->kernels);
    struct weft_kernel_meta *k = kernel(p, "twice");
    arg(k, "in", "int*", WEFT_ARG_GLOBAL, 8, 8);
    arg(k, "out", "int*", WEFT_ARG_GLOBAL, 8, 8);
    k = kernel(p, "local_sums");
    k->local_static_bytes = 24;
    arg(k, "out", "ulong*", WEFT_ARG_GLOBAL, 8, 8);
    arg(k, "a", "ulong*", WEFT_ARG_LOCAL, 0, 8);
    arg(k, "b", "uchar*", WEFT_ARG_LOCAL, 0, 8);
    k = kernel(p, "wild");
    arg(k, "address", "ulong", WEFT_ARG_VALUE, 8, 8);
    arg(k, "group", "ulong", WEFT_ARG_VALUE, 8, 8);
    k = kernel(p, "say");
    arg(k, "n", "int", WEFT_ARG_VALUE, 4, 4);
    k = kernel(p, "aligned");
    arg(k, "out", "ulong*", WEFT_ARG_GLOBAL, 8, 8);
    arg(k, "v", "double16", WEFT_ARG_VALUE, 128, 128);
    k = kernel(p, "slow");
    arg(k, "out", "int*", WEFT_ARG_GLOBAL, 8, 8);
    k = kernel(p, "tiers");
    arg(k, "out", "int*", WEFT_ARG_GLOBAL, 8, 8);
    k = kernel(p, "deep_tiers");
    arg(k, "out", "int*", WEFT_ARG_GLOBAL, 8, 8);
    k = kernel(p, "variants");
    arg(k, "out", "int*", WEFT_ARG_GLOBAL, 8, 8);
    k = kernel(p, "slow_default");
    arg(k, "out", "int*", WEFT_ARG_GLOBAL, 8, 8);
    k = kernel(p, "fast_default");
    arg(k, "out", "int*", WEFT_ARG_GLOBAL, 8, 8);
    k = kernel(p, "fast_scalar");
    arg(k, "out", "int*", WEFT_ARG_GLOBAL, 8, 8);
    k = kernel(p, "no_narrow");
    arg(k, "out", "int*", WEFT_ARG_GLOBAL, 8, 8);
    k = kernel(p, "nontemporal");
    arg(k, "out", "int*", WEFT_ARG_GLOBAL, 8, 8);
    k = kernel(p, "odd_tiers");
    arg(k, "out", "int*", WEFT_ARG_GLOBAL, 8, 8);
    k = kernel(p, "steps");
    arg(k, "out", "int*", WEFT_ARG_GLOBAL, 8, 8);
    k = kernel(p, "columns");
    arg(k, "out", "int*", WEFT_ARG_GLOBAL, 8, 8);
    arg(k, "tile", "int*", WEFT_ARG_LOCAL, 0, 4);
    k = kernel(p, "abi");
    arg(k, "in", "int*", WEFT_ARG_GLOBAL, 8, 8);
    arg(k, "out", "int*", WEFT_ARG_GLOBAL, 8, 8);
    k = kernel(p, "codeless");
    k = kernel(p, "required");
    for (int i = 0; i < 3; i++)
        k->reqd_work_group_size[i] = i < 2 ? 4 : 1;
}

// Adds a program variable, an initializer that adds 41 to it once, a second initializer that may double it, a
// kernel that reads it, and a finalizer that adds it to a word of the test when the program is released.
static void add_initializer(struct weft_program_object *p, bool doubles, bool finalizes)
{
    p->global_variable_bytes = 8;
    kernel(p, "first")->initializes = true;
    if (doubles)
        kernel(p, "second")->initializes = true;
    if (finalizes)
        kernel(p, "last")->finalizes = true;
    arg(kernel(p, "value"), "out", "int*", WEFT_ARG_GLOBAL, 8, 8);
}

static void reply_program(struct weft_program_reply *r)
{
    struct weft_buf b = {0};
    weft_program_reply_put(&b, r);
    send_frame(WEFT_MSG_PROGRAM, &b);
    weft_program_reply_fini(r);
}

static void build(const uint8_t *payload, size_t size)
{
    struct weft_build_request q = {0};
    if (weft_build_request_get(&q, payload, size) != WEFT_OK)
        exit(1);
    misbehave(&q);
    struct weft_program_reply r = {0};
    builds++;
    if (has(&q, "FAKE_ERROR")) {
        r.status = WEFT_BUILD_FAILED;
        r.log = strdup("fake.cl:1:1: error: as asked for");
        r.program = (struct weft_program_object){0};
    } else {
        r.log = has(&q, "FAKE_WORLD")    ? describe_world()
                : has(&q, "FAKE_COUNT")  ? weft_format("pid=%d builds=%d", (int)getpid(), builds)
                : has(&q, "FAKE_HEADER") ? weft_format("%u headers, first %s: %s", q.header_count,
                                                       q.headers[0].name, q.headers[0].source)
                                         : strdup("");
        fill_program(&r.program, q.options, q.compile_only ? WEFT_BINARY_COMPILED : WEFT_BINARY_EXECUTABLE);
    }
    if (has(&q, "FAKE_INITIALIZER"))
        add_initializer(&r.program, has(&q, "FAKE_SECOND_INITIALIZER"), has(&q, "FAKE_FINALIZER"));
    bool leave = has(&q, "FAKE_LEAVE");
    r.uses_time_macros = has(&q, "__TIME__");
    weft_build_request_fini(&q);
    reply_program(&r);
    if (leave)
        exit(0);
}

static void link_programs(const uint8_t *payload, size_t size)
{
    struct weft_link_request q = {0};
    if (weft_link_request_get(&q, payload, size) != WEFT_OK)
        exit(1);
    if (strstr(q.inputs[0].options, "FAKE_LINK_KILL"))
        kill(getpid(), SIGKILL);
    struct weft_program_reply r = {.log = weft_format("linked %u", q.input_count)};
    fill_program(&r.program, q.options, q.create_library ? WEFT_BINARY_LIBRARY : WEFT_BINARY_EXECUTABLE);
    weft_link_request_fini(&q);
    reply_program(&r);
}

static uint8_t *read_code(const char *kernel, const char *kind, size_t *size)
{
    char path[4096];
    ssize_t n = readlink("/proc/self/exe", path, sizeof path - 1);
    path[n > 0 ? n : 0] = '\0';
    char *slash = strrchr(path, '/');
    snprintf(slash + 1, sizeof path - (size_t)(slash + 1 - path), "%s%s.so", kernel, kind);
    FILE *f = fopen(path, "rb");
    if (!f)
        return NULL;
    struct weft_buf b = {0};
    char piece[4096];
    for (size_t got; (got = fread(piece, 1, sizeof piece, f)) > 0;)
        weft_buf_append(&b, piece, got);
    fclose(f);
    *size = b.size;
    return b.data;
}

static void kernel_code(const uint8_t *payload, size_t size)
{
    struct weft_kernel_request q = {0};
    if (weft_kernel_request_get(&q, payload, size) != WEFT_OK)
        exit(1);
    const char *once = strstr(q.options, "-DFAKE_CODE_KILL_ONCE="); // while there is a file of that name
    char mark[200] = "";
    if (once)
        sscanf(once, "-DFAKE_CODE_KILL_ONCE=%199s", mark);
    if (once ? unlink(mark) == 0 : strstr(q.options, "-DFAKE_CODE_KILL") != NULL)
        kill(getpid(), SIGKILL);
    if (strstr(q.options, "-DFAKE_CODE_HANG")) {
        alarm(120); // should nobody stop it
        for (;;)
            pause();
    }
    if (strstr(q.options, "-DFAKE_CODE_SLOW"))
        nanosleep(&(struct timespec){1, 100000000}, NULL);
    if (strcmp(q.kernel, "slow") == 0 && !strstr(q.options, "-DQUICK"))
        nanosleep(&(struct timespec){0, 300000000}, NULL);
    struct weft_kernel_reply r = {0};
    if (q.level == WEFT_LEVEL_QUICK)
        r.code = read_code(q.kernel, "_quick", &r.code_size);
    if (q.level == WEFT_LEVEL_LANES && strstr(q.options, "-DFAKE_NO_LANES"))
        goto refuse;
    if (q.level == WEFT_LEVEL_LANES && !q.variant)
        r.code = read_code(q.kernel, "_lanes", &r.code_size);
    char suffix[16];
    snprintf(suffix, sizeof suffix, "_%u", q.variant);
    if (q.variant)
        r.code = read_code(q.kernel, suffix, &r.code_size);
    if (q.group[0])
        r.code = read_code(q.kernel, "_sized", &r.code_size);
    if (!r.code)
        r.code = read_code(q.kernel, "", &r.code_size);
    // Launches of `steps` and `columns` wait for code with lanes, others seem to need too long a compile for
    // that.
    r.cpu_us = strcmp(q.kernel, "steps") == 0 || strcmp(q.kernel, "columns") == 0 ? 600 : 2000;
refuse:
    r.status = r.code ? WEFT_OK : WEFT_BUILD_FAILED;
    r.log = strdup(r.code ? "" : "the fake has no code for it");
    struct weft_buf b = {0};
    weft_kernel_reply_put(&b, &r);
    send_frame(WEFT_MSG_KERNEL_CODE, &b);
    weft_kernel_reply_fini(&r);
    weft_kernel_request_fini(&q);
}

int main(void)
{
    char self[600] = "";
    if (readlink("/proc/self/exe", self, sizeof self - 1) > 0 && strstr(self, "weftc_late"))
        starve();
    struct weft_hello hello = {.pid = (uint32_t)getpid(), .target = "fake", .identity = "fake 1"};
    struct weft_buf b = {0};
    weft_hello_put(&b, &hello);
    send_frame(WEFT_MSG_HELLO, &b);
    for (;;) {
        uint16_t type;
        uint8_t *payload;
        size_t size;
        if (weft_frame_receive(WEFT_PROTOCOL_FD, -1, &type, &payload, &size) != WEFT_OK)
            return 0;
        if (type == WEFT_MSG_BUILD)
            build(payload, size);
        else if (type == WEFT_MSG_LINK)
            link_programs(payload, size);
        else if (type == WEFT_MSG_KERNEL)
            kernel_code(payload, size);
        else
            return 1;
        weft_free(payload);
    }
}
