// What Clang, LLVM and lld offer no C API for, as C functions with no policy in them. Implemented in
// bridge_*.cpp. None of these throws; none keeps what it is handed beyond the call.
#ifndef WEFT_BRIDGE_H
#define WEFT_BRIDGE_H

#include <llvm-c/Core.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct weft_buf;

// ---- bridge_clang.cpp ----

struct weft_bridge_file { // lies over the disk: found first, hides a file of the same path
    const char *path;
    const char *data; // NUL-terminated, the NUL not counted
    size_t size;
};

struct weft_bridge_source {
    const char *const *args; // of `clang -cc1`, without that word; the input file is the last
    size_t arg_count;
    const char *directory; // absolute: what relative paths are relative to
    const struct weft_bridge_file *files;
    size_t file_count;
    struct weft_buf *log; // gets the diagnostics as Clang prints them
    struct weft_buf *ast; // not NULL: the tree is printed there and no module made
    // Called for each file of the disk that was read. May be NULL.
    void (*dependency)(void *arg, const char *absolute_path, const void *data, size_t size);
    void *dependency_arg;
};
// False: there were errors, *module is then NULL.
bool weft_bridge_frontend(const struct weft_bridge_source *source, LLVMContextRef context,
                          LLVMModuleRef *module);

#ifdef __cplusplus
}
#endif
#endif
