// What Clang, LLVM and lld offer no C API for, as C functions with no policy in them. Implemented in
// bridge_*.cpp. None of these throws; none keeps what it is handed beyond the call.
#ifndef WEFT_BRIDGE_H
#define WEFT_BRIDGE_H

#include <llvm-c/Core.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "weft/status.h"

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

// ---- bridge/process.cpp ----

// What happens when an allocation of LLVM's or Clang's fails, and when they give up. Neither may return.
void weft_bridge_on_failure(void (*no_memory)(void), void (*fatal)(const char *reason));

// ---- bridge/cpu_features.cpp ----

// All that LLVM takes the named processor to have: "+a,+b". The caller's, free. NULL: it knows no processor of that
// name, or none with 64-bit code. The targets must be initialised.
char *weft_bridge_cpu_features(const char *triple, const char *cpu);

// ---- bridge/ir_hash.cpp ----

struct weft_bridge_reach { // what a kernel reaches: itself, the functions it calls, the variables they name
    uint64_t hash_lo, hash_hi; // of all that, by structure: the same whatever else the module holds
    uint64_t local_bytes;      // of variables in address space 3
    bool enqueues;             // a call that enqueues a block or a marker
};
void weft_bridge_reach_of(LLVMModuleRef module, const LLVMValueRef *kernels, size_t count,
                          struct weft_bridge_reach *out);

// ---- bridge/link.cpp ----

// Reads bitcode without its function bodies; they come when they are needed. The bytes must outlive the
// module. NULL: not bitcode, *message says why (the caller's, weft_free).
LLVMModuleRef weft_bridge_read_lazily(LLVMContextRef context, const void *bitcode, size_t size,
                                      char **message);
// Reads the bodies of what the roots reach and deletes everything else. False: damaged bitcode, *message says in what (the
// caller's, weft_free).
bool weft_bridge_keep_reached(LLVMModuleRef module, const LLVMValueRef *roots, size_t count, char **message);
// Copies the roots, with what they reach, into another module of the same context; what that defines already by these
// names is taken instead. False: damaged bitcode, or something that can't be copied (an alias); nothing has been copied then.
bool weft_bridge_copy_reached(LLVMModuleRef into, LLVMModuleRef from, const LLVMValueRef *roots,
                              size_t count);
// The data layout, the triple, named metadata. False: damaged bitcode.
bool weft_bridge_copy_description(LLVMModuleRef into, LLVMModuleRef from);
// What is left is a declaration, also where the body has not been read yet.
void weft_bridge_delete_body(LLVMValueRef function);
// Named metadata of this name; there may be none.
void weft_bridge_drop_named_metadata(LLVMModuleRef module, const char *name);
// Module flags, the compiler's name and such.
void weft_bridge_drop_module_metadata(LLVMModuleRef module);
// Links the sources into module, in order, and consumes them, also after a failure: all of each, or only what
// defines a symbol that module declares, with what that needs. True: it worked. Errors go to the context's
// diagnostic handler.
bool weft_bridge_link(LLVMModuleRef module, const LLVMModuleRef *sources, size_t count, bool only_needed);
// Every definition becomes internal but those that `keep` names.
void weft_bridge_internalize(LLVMModuleRef module, bool (*keep)(void *arg, const char *name), void *arg);

// ---- bridge/lld.cpp ----

// An ELF object to an ELF shared object, in memory. *out is the caller's (weft_free). WEFT_INTERNAL: lld says in the log why;
// WEFT_IO: so large a file may not be made, or none; WEFT_NO_MEMORY.
weft_status weft_bridge_link_elf(const void *object, size_t object_size, uint8_t **out, size_t *out_size,
                                 struct weft_buf *log);

#ifdef __cplusplus
}
#endif
#endif
