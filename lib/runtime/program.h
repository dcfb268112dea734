// Programs and kernels.
//
// A build makes one immutable struct weft_build (reference-counted): metadata of all kernels and, one by one, their code.
// A program points to its current build; kernels keep the build that they were created from.
#ifndef WEFT_RUNTIME_PROGRAM_H
#define WEFT_RUNTIME_PROGRAM_H

#include "memory.h"
#include "weft/code_object.h"
#include "weft/kernel_abi.h"

enum weft_code_state { WEFT_CODE_NONE, WEFT_CODE_QUEUED, WEFT_CODE_COMPILING, WEFT_CODE_READY, WEFT_CODE_FAILED };

// The code of one kernel of a build; lives as long as the build.
struct weft_kernel_code {
    const struct weft_kernel_meta *meta;
    _Atomic uint32_t state;   // enum weft_code_state; READY and FAILED are final
    struct weft_park ready;
    const struct weft_kernel_info *info; // when READY
    void *module;             // dlopen handle
    uint8_t *elf;             // the bytes, for CL_PROGRAM_BINARIES
    size_t elf_size;
    weft_status error;        // when FAILED
    char *log;                // when FAILED
};

struct weft_build {
    _Atomic uint32_t refs;
    struct weft_program_object object;  // metadata and bitcode
    char *options;
    uint32_t kernel_count;
    struct weft_kernel_code *code;      // one for each of object.kernels
};

struct weft_program {
    struct weft_object obj;
    struct weft_context *context;
    char *source;
    size_t source_size;
    pthread_mutex_t lock;      // what follows
    struct weft_build *build;  // last successful build, compile or link; NULL: none
    cl_build_status status;
    cl_program_binary_type binary_type;
    char *options;
    char *log;
    bool building;             // a build is under way: CL_INVALID_OPERATION for another
    _Atomic uint32_t kernel_handles; // attached kernels: CL_INVALID_OPERATION for clBuildProgram
};

struct weft_kernel_arg {
    bool set;
    struct weft_mem *mem; // retained neither by the spec nor by us until enqueue; checked there
    size_t local_size;
};

struct weft_kernel {
    struct weft_object obj;
    struct weft_program *program;  // a ref
    struct weft_build *build;      // a ref
    struct weft_kernel_code *code;
    const struct weft_kernel_meta *meta;
    pthread_mutex_t lock;          // arguments
    unsigned char *args;           // packed block, meta->args_size bytes
    struct weft_kernel_arg *arg;   // meta->arg_count
    uint32_t args_missing;         // arguments not yet set
};

// Waits until the code is READY or FAILED. WEFT_OK with code->info set, or why not.
weft_status weft_kernel_code_wait(struct weft_kernel_code *code);

#endif
