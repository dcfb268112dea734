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

// Fills the zero-initialised *a with the arguments of `clang -cc1` for these build options. fast_fma: see
// weftc_frontend (frontend.h). source: the name of the main file. embedded_headers: whether the program has
// headers in memory. Warnings go to log. If memory is exhausted a->failed is set. The lists point into o and
// source until weftc_clang_arguments_fini.
void weftc_clang_arguments(struct weftc_clang_arguments *a, const struct weft_build_options *o, bool fast_fma,
                           const char *source, bool embedded_headers, struct weft_buf *log);
void weftc_clang_arguments_fini(struct weftc_clang_arguments *a);

#endif
