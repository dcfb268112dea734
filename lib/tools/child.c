// Work in a child process that this program listens to: what may crash, hang or change the process, as
// drivers may. The child writes lines into a pipe.
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/base.h"
#include "tools/tool.h"

// Reads what the child writes. False: it was silent for too long.
static bool listen_to(int from, const struct weft_child *c)
{
    struct weft_buf line = {0};
    char part[4096];
    bool ok = true;
    const uint64_t patience = c->patience_s * UINT64_C(1000000000);
    uint64_t deadline = weft_time_now() + patience;
    for (ssize_t n = 1; ok && n > 0;) {
        struct pollfd ready = {.fd = from, .events = POLLIN};
        const uint64_t now = weft_time_now();
        const int got = poll(&ready, 1, now < deadline ? (int)((deadline - now) / 1000000 + 1) : 0);
        if (got < 0 && errno == EINTR) // the signal of weft_tool_progress
            continue;
        ok = got > 0;
        n = ok ? read(from, part, sizeof part) : 0;
        deadline = weft_time_now() + patience;
        for (ssize_t i = 0; i < n; i++) {
            if (part[i] != '\n') {
                weft_buf_append(&line, &part[i], 1);
                continue;
            }
            weft_buf_append(&line, "", 1);
            if (!line.failed)
                c->take(c->context, (char *)line.data);
            weft_buf_free(&line);
            line = (struct weft_buf){0};
        }
    }
    weft_buf_free(&line);
    return ok;
}

enum weft_child_end weft_tool_child(const struct weft_child *c, int *status)
{
    int ends[2];
    *status = 0;
    if (pipe2(ends, O_CLOEXEC) != 0)
        return WEFT_CHILD_NONE;
    fflush(stdout); // or the child would have the text, too
    const pid_t child = fork();
    if (child == 0) {
        FILE *out = fdopen(ends[1], "w");
        // What a driver prints is not for this program's output.
        if (!out || !freopen("/dev/null", "w", stdout) || (c->quiet && !freopen("/dev/null", "w", stderr)))
            _exit(1);
        const int end = c->work(c->context, out);
        fflush(out);
        _exit(end);
    }
    close(ends[1]);
    const bool spoke = child > 0 && listen_to(ends[0], c);
    close(ends[0]);
    if (child < 0)
        return WEFT_CHILD_NONE;
    if (!spoke)
        kill(child, SIGKILL);
    int how = 0;
    while (waitpid(child, &how, 0) < 0 && errno == EINTR)
        ;
    *status = WIFSIGNALED(how) ? WTERMSIG(how) : WEXITSTATUS(how);
    return !spoke ? WEFT_CHILD_SILENT : WIFSIGNALED(how) ? WEFT_CHILD_KILLED : WEFT_CHILD_ENDED;
}
