// Names of files that a process writes when it ends. Stateless.
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/trace/internal.h"

char *weft_trace_absolute(const char *given)
{
    char *folder = *given == '/' ? NULL : getcwd(NULL, 0);
    char *path = weft_format("%s%s%s", folder ? folder : "", folder ? "/" : "", given);
    free(folder);
    return path;
}

char *weft_trace_with_number(const char *path)
{
    struct weft_buf b = {0};
    for (const char *at = path, *next; at; at = next) {
        next = strstr(at, "%p");
        weft_buf_append(&b, at, next ? (size_t)(next - at) : strlen(at));
        if (next)
            weft_buf_printf(&b, "%d", (int)getpid());
        next = next ? next + 2 : NULL;
    }
    return weft_buf_take(&b, NULL);
}
