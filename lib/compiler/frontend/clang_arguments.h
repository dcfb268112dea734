// Clang's arguments for a program (frontend/clang_arguments.c). Only files of frontend/ include this header.
#ifndef WEFTC_CLANG_ARGUMENTS_H
#define WEFTC_CLANG_ARGUMENTS_H

#include <stdbool.h>
#include <stddef.h>

struct weft_buf;
struct weft_build_options;

// The name under which Clang finds Weft's prelude: declarations of OpenCL C that Clang doesn't have itself.
#define WEFTC_PRELUDE_PATH "/weft/opencl.h"

struct weftc_clang_arguments {
    const char **list;
    size_t count, capacity;
    char **owned; // the elements of list that were allocated here
    size_t owned_count;
    bool failed;
};

void weftc_clang_arguments(struct weftc_clang_arguments *a, const struct weft_build_options *o,
                           const char *source, bool embedded_headers, struct weft_buf *log);
void weftc_clang_arguments_fini(struct weftc_clang_arguments *a);

#endif
