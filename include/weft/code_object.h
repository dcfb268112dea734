// Programs as bytes: weftc makes them, the disk cache keeps them, CL_PROGRAM_BINARIES returns them.
// Implemented in lib/base/code_object.c for both processes. Decoding trusts nothing. Any thread may call
// these functions.
#ifndef WEFT_CODE_OBJECT_H
#define WEFT_CODE_OBJECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "weft/status.h"

struct weft_buf;
struct weft_reader;

#define WEFT_CODE_OBJECT_MAGIC 0x46455457u // "WTEF"
#define WEFT_CODE_OBJECT_NUMBER 14         // increase it with every change of the layout or of the kernel ABI
#define WEFT_CODE_OBJECT_VERSION ((uint32_t)WEFT_CODE_OBJECT_NUMBER)

enum weft_arg_kind {
    WEFT_ARG_VALUE = 1, // `size` bytes by value: scalars, vectors, structs
    WEFT_ARG_GLOBAL,    // pointer to __global memory
    WEFT_ARG_CONSTANT,  // pointer to __constant memory
    WEFT_ARG_LOCAL,     // pointer to __local memory; the host sets its size
    WEFT_ARG_IMAGE,     // pointer to an image descriptor
    WEFT_ARG_SAMPLER,   // 32-bit sampler value
    WEFT_ARG_PIPE,
    WEFT_ARG_QUEUE,
};

// The values are those of OpenCL, so the runtime needs no table to map them. Static asserts in the runtime
// check that.
enum weft_addr_qual { WEFT_ADDR_GLOBAL = 0x119B, WEFT_ADDR_LOCAL, WEFT_ADDR_CONSTANT, WEFT_ADDR_PRIVATE };
enum weft_access_qual { WEFT_ACCESS_RO = 0x11A0, WEFT_ACCESS_WO, WEFT_ACCESS_RW, WEFT_ACCESS_NONE };
enum weft_type_qual { WEFT_TQ_CONST = 1, WEFT_TQ_RESTRICT = 2, WEFT_TQ_VOLATILE = 4, WEFT_TQ_PIPE = 8 };

struct weft_arg_meta {
    char *name;      // "" when unknown
    char *type_name; // as OpenCL prints it: "float*", "uint4"
    uint32_t kind;   // enum weft_arg_kind
    uint32_t addr_qual, access_qual, type_qual;
    uint32_t size;      // bytes that clSetKernelArg expects: the value's; 8 for pointers; 0 for local memory
    uint32_t align;     // a power of two
    uint32_t offset;    // offset of its slot in the packed argument block
    uint32_t max_bytes; // maximum bytes of constant or local memory (SPIR-V's MaxByteOffset); 0: no limit
};

#define WEFT_MAX_VARIABLE_BYTES (64ull << 20) // of one variable: CL_DEVICE_MAX_GLOBAL_VARIABLE_SIZE
// Upper bound of CL_DEVICE_LOCAL_MEM_SIZE for all devices.
#define WEFT_LOCAL_MAX (256u << 10)
#define WEFT_MAX_PARAMETER_BYTES 4096u // of all arguments of a kernel: CL_DEVICE_MAX_PARAMETER_SIZE
// Sub-group sizes that a kernel may require: CL_DEVICE_SUB_GROUP_SIZES_INTEL.
#define WEFT_SUB_GROUP_SIZES 4, 8, 16, 32

struct weft_kernel_meta {
    char *name;
    char *attributes; // CL_KERNEL_ATTRIBUTES
    char *vec_type_hint;
    uint32_t reqd_work_group_size[3]; // all 0: none
    uint32_t work_group_size_hint[3];
    uint32_t reqd_sub_group_size; // 0: any size
    uint32_t reqd_sub_groups;     // number of sub-groups of a work-group; 0: any number
    bool uniform_groups;          // all groups of a launch have the same size, which divides the global size
    // The kernel of a block for device-side enqueue. The application can't see it; its index among the
    // kernels identifies it. Its first argument is a pointer to the block's literal, the other arguments are
    // local memory.
    bool block;
    // Runs once on each device, as one work-item, before any other kernel of the program.
    bool initializes;
    // Runs once, as one work-item, when the program is destroyed, on each device where another kernel has
    // been launched.
    bool finalizes;
    bool enqueues;      // calls enqueue_kernel or a similar function, perhaps indirectly
    uint32_t args_size; // bytes of the packed argument block
    // Of the __local variables that the kernel can reach, for CL_KERNEL_LOCAL_MEM_SIZE.
    uint64_t local_static_bytes;
    // Of the IR of the kernel and of all that it calls; equal hashes mean equal code.
    uint64_t hash_lo, hash_hi;
    uint32_t arg_count;
    struct weft_arg_meta *args;
    // Machine code for the program's target: an ELF shared object (kernel_abi.h). NULL until it has been
    // generated.
    uint8_t *code;
    size_t code_size;
};

enum weft_binary_type { WEFT_BINARY_COMPILED = 1, WEFT_BINARY_LIBRARY, WEFT_BINARY_EXECUTABLE };

struct weft_program_object {
    uint32_t binary_type; // enum weft_binary_type
    char *target;         // identity of the target: triple/LLVM's CPU name/features/vector width
    char *options;        // those of the build
    uint8_t *bitcode;     // LLVM bitcode of the program, before the built-in functions are linked in
    size_t bitcode_size;
    // The block of program-scope variables, for executables:
    // - global_variable_bytes: its size (CL_PROGRAM_BUILD_GLOBAL_VARIABLE_TOTAL_SIZE)
    // - variables: its initial content; the bytes after variables_size are zero
    // - variable_pointers: offsets of 8-byte pointers in variables; the address of the block must be added to
    //   each of them
    uint64_t global_variable_bytes;
    uint8_t *variables;
    size_t variables_size;
    uint64_t *variable_pointers;
    uint32_t variable_pointer_count;
    uint32_t kernel_count;
    struct weft_kernel_meta *kernels;
};

// Frees what p owns and zeroes *p. p may be zeroed or partly filled.
void weft_program_object_fini(struct weft_program_object *p);
weft_status weft_program_object_copy(struct weft_program_object *out, const struct weft_program_object *p);

// Appends the file format: header, identity, checksum, payload. with_code: includes the machine code of the
// kernels.
weft_status weft_program_object_encode(struct weft_buf *out, const struct weft_program_object *p,
                                       bool with_code);

// WEFT_DAMAGED: the bytes aren't a whole, well-formed object (bounds, checksum, counts, offsets). WEFT_STALE:
// another format version. On failure *out is zeroed.
weft_status weft_program_object_decode(struct weft_program_object *out, const void *bytes, size_t size);

#endif
