// Other programs: running them, and what they print.
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/base.h"
#include "tools/tool.h"

char *weft_tool_output(const char *program, char *const arguments[])
{
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0)
        return NULL;
    const pid_t child = fork();
    if (child == 0) {
        dup2(ends[1], STDOUT_FILENO);
        execv(program, arguments);
        fprintf(stderr, "weft: %s can't be run\n", program);
        _exit(127);
    }
    close(ends[1]);
    struct weft_buf out = {0};
    char part[4096];
    for (ssize_t n; child > 0 && (n = read(ends[0], part, sizeof part)) > 0;)
        weft_buf_append(&out, part, (size_t)n);
    close(ends[0]);
    int status = 1;
    const bool ran = child > 0 && waitpid(child, &status, 0) == child;
    if (!ran || status != 0) {
        weft_buf_free(&out);
        return NULL;
    }
    size_t size;
    return weft_buf_take(&out, &size);
}

int weft_tool_run(char **program, const char *const *settings)
{
    const pid_t child = fork();
    if (child == 0) {
        for (; *settings; settings += 2)
            if (settings[1])
                setenv(settings[0], settings[1], 1);
        execvp(program[0], program);
        fprintf(stderr, "weft: %s: %s\n", program[0], strerror(errno));
        _exit(127);
    }
    int status = 0;
    while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR)
        ;
    if (child < 0)
        return 127;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
