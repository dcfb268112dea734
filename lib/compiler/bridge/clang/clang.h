// bridge/clang/ goes from source to a module, and helps Clang with OpenCL C. Clang's syntax tree has no C API
// that shows enough. So all work on it is done here, also what it decides: which barriers are warned about
// (barriers.cpp), and which function a call of a built-in function's name means (late_builtins.cpp,
// overloads.cpp).
//
// Input: source and Clang's arguments. Output: a module, or the text of the syntax tree; and diagnostics.
// This folder must not know what becomes of the module.
#ifndef WEFT_BRIDGE_CLANG_H
#define WEFT_BRIDGE_CLANG_H

#include <stdbool.h>
#include <stddef.h>

#include <llvm-c/Core.h>

#ifdef __cplusplus
extern "C" {
#endif

struct weft_buf;

// ---- bridge/clang/clang.cpp ----
struct weft_bridge_file { // a file in memory; found before a file of the same path on disk
    const char *path;
    const char *data; // NUL-terminated; size doesn't count the NUL
    size_t size;
};
struct weft_bridge_source {
    const char *const *args; // arguments of `clang -cc1` after that word; the input file comes last
    size_t arg_count;
    const char *directory; // an absolute path; relative paths are relative to it
    const struct weft_bridge_file *files;
    size_t file_count;
    struct weft_buf *log; // gets the diagnostics in Clang's format
    struct weft_buf *ast; // if not NULL, the syntax tree is printed there, and no module is made
    // Called for each file on disk that was read or looked for. data is NULL if the file was only looked for;
    // then size is nonzero if it exists. dependency may be NULL.
    void (*dependency)(void *arg, const char *absolute_path, const void *data, size_t size);
    void *dependency_arg;
    bool *uses_time_macros; // set to true when __DATE__, __TIME__ or __TIMESTAMP__ was expanded; may be NULL
    // Names, each with its NUL. A function of the program that has a built-in function's name is an overload
    // beside the built-in ones, unless the name is in this list: then it hides them all. The front end
    // appends the names of such overloads that errors are about.
    struct weft_buf *hidden;
    // The name of the named metadata that gets pairs of strings: a function's name, and its place in the
    // source as "file:line:column: ".
    const char *places;
    unsigned *errors; // gets the number of errors; UINT_MAX if a fatal error ended the compile early
};
// Returns false if there were errors; *module is NULL then.
bool weft_bridge_frontend(const struct weft_bridge_source *source, LLVMContextRef context,
                          LLVMModuleRef *module);

#ifdef __cplusplus
}
#endif

#endif
