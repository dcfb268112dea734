// Clang: from source to a module, and what it must be helped with in OpenCL.
#ifndef WEFT_BRIDGE_CLANG_H
#define WEFT_BRIDGE_CLANG_H

#include <stdbool.h>
#include <stddef.h>

#include <llvm-c/Core.h>

#ifdef __cplusplus
extern "C" {
#endif

struct weft_buf;

// ---- bridge/clang.cpp ----
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
    // Called for each file of the disk that was read, or looked for: data is NULL then, and size says whether it
    // was there. May be NULL.
    void (*dependency)(void *arg, const char *absolute_path, const void *data, size_t size);
    void *dependency_arg;
    bool *names_the_time; // set when __DATE__, __TIME__ or __TIMESTAMP__ was expanded. May be NULL
    // A function of the program that has a built-in function's name is an overload beside those, unless the name is
    // here: then it hides them all. Names, each with its NUL; those of such overloads that errors are about are appended.
    struct weft_buf *hidden;
    // Named metadata of this name gets pairs of strings: a function's name, and where the source defines or declares it,
    // "file:line:column: ".
    const char *places;
    unsigned *errors; // how many there were; UINT_MAX: one that the rest wasn't read behind
};
// False: there were errors, *module is then NULL.
bool weft_bridge_frontend(const struct weft_bridge_source *source, LLVMContextRef context,
                          LLVMModuleRef *module);

// ---- bridge/demangle.cpp ----
// A function's name as its source has it: "n::f" for _ZN1n1fEi, and any other name as it is. The caller's, to be freed by
// weft_free; NULL: no memory.
char *weft_bridge_source_name(const char *name);

// ---- bridge/retype.cpp ----
// Pipes become pointers to global memory, reservations numbers of 64 bits; images and samplers pointers to constant memory, samplers
// that are constants such numbers. A parameter that was an image gets the attribute of the name `image`.
void weft_bridge_lower_objects(LLVMModuleRef module, const char *image);

#ifdef __cplusplus
}
#endif

#endif
