// Files for debuggers, of programs that are built with -g: their sources, and the code of their kernels. They
// lie in the folder `debug` of the disk cache, each in a folder named by a hash of what it holds.
#ifndef WEFT_RUNTIME_DEBUG_FILES_H
#define WEFT_RUNTIME_DEBUG_FILES_H

#include <stddef.h>

#include "base/base.h"

struct weft_debug_file {
    const char *name; // what can't stand in a path is replaced
    const void *bytes;
    size_t size;
};

// Writes all files of a group, and returns the path of file 0, which is the caller's. NULL: it wasn't
// possible. Each file appears as a whole or not at all. Any thread; the caller holds no lock.
char *weft_debug_write(const struct weft_debug_file *files, size_t count);

// The name for a source in OpenCL C that has none: that of its first kernel, as `saxpy.cl`. The caller's;
// NULL: no memory.
char *weft_debug_source_name(const char *source);

#endif
