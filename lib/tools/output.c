// What another program prints.
#include <fcntl.h>
#include <stdio.h>
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
