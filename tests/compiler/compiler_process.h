// A `weftc --serve` of the test's own, spoken to as libweft does.
#ifndef WEFT_TESTS_COMPILER_PROCESS_H
#define WEFT_TESTS_COMPILER_PROCESS_H

#include <fcntl.h>
#include <sys/socket.h>

#include "base/base.h"
#include "harness.h"
#include "weft/protocol.h"

#define COMPILER_PATIENCE_MS 30000

struct compiler {
    pid_t pid;
    int fd;
    struct weft_hello hello;
};

HARNESS_UNUSED static struct compiler compiler_start(void)
{
    const char *path = getenv("WEFTC");
    if (!path)
        SKIP("WEFTC doesn't name a compiler");
    int pair[2];
    CHECK_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair), 0);
    struct compiler c = {.fd = pair[0], .pid = fork()};
    if (c.pid == 0) {
        if (pair[1] == WEFT_PROTOCOL_FD)
            fcntl(WEFT_PROTOCOL_FD, F_SETFD, 0);
        else
            dup2(pair[1], WEFT_PROTOCOL_FD);
        execl(path, path, "--serve", (char *)NULL);
        _exit(127);
    }
    CHECK_GT(c.pid, 0);
    close(pair[1]);
    uint16_t type;
    uint8_t *payload;
    size_t size;
    CHECK_EQ(weft_frame_receive(c.fd, COMPILER_PATIENCE_MS, &type, &payload, &size), WEFT_OK);
    CHECK_EQ(type, WEFT_MSG_HELLO);
    CHECK_EQ(weft_hello_get(&c.hello, payload, size), WEFT_OK);
    weft_free(payload);
    return c;
}

// Waits for the end of the process; its wait status.
HARNESS_UNUSED static int compiler_end(struct compiler *c)
{
    int status = -1;
    waitpid(c->pid, &status, 0);
    close(c->fd);
    weft_hello_fini(&c->hello);
    return status;
}

HARNESS_UNUSED static void compiler_stop(struct compiler *c)
{
    shutdown(c->fd, SHUT_RDWR);
    int status = compiler_end(c);
    CHECK(WIFEXITED(status));
    CHECK_EQ(WEXITSTATUS(status), 0);
}

HARNESS_UNUSED static void compiler_send(struct compiler *c, enum weft_message type, struct weft_buf *b)
{
    CHECK(!b->failed);
    CHECK_EQ(weft_frame_send(c->fd, type, b), WEFT_OK);
    weft_buf_free(b);
}

HARNESS_UNUSED static struct weft_program_reply compiler_program(struct compiler *c)
{
    uint16_t type;
    uint8_t *payload;
    size_t size;
    CHECK_EQ(weft_frame_receive(c->fd, COMPILER_PATIENCE_MS, &type, &payload, &size), WEFT_OK);
    CHECK_EQ(type, WEFT_MSG_PROGRAM);
    struct weft_program_reply reply;
    CHECK_EQ(weft_program_reply_get(&reply, payload, size), WEFT_OK);
    weft_free(payload);
    return reply;
}

HARNESS_UNUSED static struct weft_program_reply compiler_ask(struct compiler *c,
                                                             const struct weft_build_request *request)
{
    struct weft_buf b = {0};
    weft_build_request_put(&b, request);
    compiler_send(c, WEFT_MSG_BUILD, &b);
    return compiler_program(c);
}

HARNESS_UNUSED static struct weft_program_reply compiler_build(struct compiler *c, const char *source,
                                                               const char *options)
{
    struct weft_build_request request = {
        .source = (char *)(uintptr_t)source,
        .source_size = strlen(source),
        .options = (char *)(uintptr_t)options,
        .directory = (char[]){"/"},
    };
    return compiler_ask(c, &request);
}

// Builds what must build.
HARNESS_UNUSED static struct weft_program_reply compiler_build_ok(struct compiler *c, const char *source,
                                                                  const char *options)
{
    struct weft_program_reply reply = compiler_build(c, source, options);
    if (reply.status != WEFT_OK)
        FAIL("status %u: %s", reply.status, reply.log);
    return reply;
}

HARNESS_UNUSED static const struct weft_kernel_meta *find_kernel(const struct weft_program_reply *reply,
                                                                 const char *name)
{
    for (uint32_t i = 0; i < reply->program.kernel_count; i++)
        if (strcmp(reply->program.kernels[i].name, name) == 0)
            return &reply->program.kernels[i];
    FAIL("no kernel %s", name);
}

#endif
