// Clang's arguments for a program (frontend/clang_arguments.c). For files of frontend/ alone.
#ifndef WEFTC_CLANG_ARGUMENTS_H
#define WEFTC_CLANG_ARGUMENTS_H

#include <stdbool.h>
#include <stddef.h>

struct weft_buf;
struct weft_build_options;

// Where Clang finds the declarations of OpenCL's built-in functions that it hasn't got itself.
#define WEFTC_PRELUDE_PATH "/weft/opencl.h"

struct weftc_clang_arguments {
    const char **list;
    size_t count, capacity;
    char **owned; // of the list, those made here
    size_t owned_count;
    bool failed;
};

void weftc_clang_arguments(struct weftc_clang_arguments *a, const struct weft_build_options *o,
                           const char *source, bool embedded_headers, struct weft_buf *log);
void weftc_clang_arguments_fini(struct weftc_clang_arguments *a);

#endif
