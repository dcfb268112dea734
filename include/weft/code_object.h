// Programs as bytes: what weftc makes, what the cache keeps, what CL_PROGRAM_BINARIES returns.
// Implemented in lib/base/code_object.c for both processes. Decoding trusts nothing.
#ifndef WEFT_CODE_OBJECT_H
#define WEFT_CODE_OBJECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "weft/status.h"

struct weft_buf;
struct weft_reader;

#define WEFT_CODE_OBJECT_MAGIC 0x46455457u // "WTEF"
#define WEFT_CODE_OBJECT_NUMBER 7          // raise with every change of layout or of the kernel ABI
#define WEFT_CODE_OBJECT_VERSION ((uint32_t)WEFT_CODE_OBJECT_NUMBER)

enum weft_arg_kind {
    WEFT_ARG_VALUE = 1, // `size` bytes by value: scalars, vectors, structs
    WEFT_ARG_GLOBAL,    // pointer to __global memory
    WEFT_ARG_CONSTANT,  // pointer to __constant memory
    WEFT_ARG_LOCAL,     // pointer to __local memory; the host gives a size
    WEFT_ARG_IMAGE,     // pointer to an image descriptor
    WEFT_ARG_SAMPLER,   // 32-bit sampler value
    WEFT_ARG_PIPE,
    WEFT_ARG_QUEUE,
};

// The same numbers as OpenCL's so that the runtime maps them without a table; checked there by static
// asserts.
enum weft_addr_qual { WEFT_ADDR_GLOBAL = 0x119B, WEFT_ADDR_LOCAL, WEFT_ADDR_CONSTANT, WEFT_ADDR_PRIVATE };
enum weft_access_qual { WEFT_ACCESS_RO = 0x11A0, WEFT_ACCESS_WO, WEFT_ACCESS_RW, WEFT_ACCESS_NONE };
enum weft_type_qual { WEFT_TQ_CONST = 1, WEFT_TQ_RESTRICT = 2, WEFT_TQ_VOLATILE = 4, WEFT_TQ_PIPE = 8 };

struct weft_arg_meta {
    char *name;      // "" when unknown
    char *type_name; // as OpenCL prints it: "float*", "uint4"
    uint32_t kind;   // enum weft_arg_kind
    uint32_t addr_qual, access_qual, type_qual;
    uint32_t size;   // bytes that clSetKernelArg expects: of the value; 8 for pointers; 0 for local
    uint32_t align;  // power of two
    uint32_t offset; // of its slot in the packed argument block
    uint32_t most;   // bytes that constant or local memory may have (MaxByteOffset); 0: any number
};

#define WEFT_MAX_VARIABLE_BYTES (64ull << 20) // of one: CL_DEVICE_MAX_GLOBAL_VARIABLE_SIZE
#define WEFT_LOCAL_MAX \
    (256u << 10) // of local memory that any device has: CL_DEVICE_LOCAL_MEM_SIZE is at most this
#define WEFT_MAX_PARAMETER_BYTES 4096u // of all arguments of a kernel: CL_DEVICE_MAX_PARAMETER_SIZE
// Sizes of sub-groups that a kernel may require: CL_DEVICE_SUB_GROUP_SIZES_INTEL.
#define WEFT_SUB_GROUP_SIZES 4, 8, 16, 32

struct weft_kernel_meta {
    char *name;
    char *attributes; // CL_KERNEL_ATTRIBUTES
    char *vec_type_hint;
    uint32_t reqd_work_group_size[3]; // all 0: none
    uint32_t work_group_size_hint[3];
    uint32_t reqd_sub_group_size; // 0: none
    uint32_t reqd_sub_groups;     // of a work-group; 0: any number
    bool uniform_groups;          // all groups of a launch are of one size, which divides the global size
    // It is made of a block for device-side enqueue, and known by its place among the kernels: no kernel of the application's. Its
    // first argument is a pointer to the block's literal, the others are local.
    bool block;
    bool
        initializes; // it is run once, by one work-item, before any other kernel of the program runs on a device
    bool
        finalizes; // it is run once, by one work-item, where another has been launched, when the program goes
    bool enqueues; // it reaches a call of enqueue_kernel or its like
    uint32_t args_size;          // bytes of the packed argument block
    uint64_t local_static_bytes; // of __local variables the kernel can reach, for CL_KERNEL_LOCAL_MEM_SIZE
    uint64_t hash_lo, hash_hi;   // of the kernel's IR with all that it calls: equal hash, equal code
    uint32_t arg_count;
    struct weft_arg_meta *args;
    // Machine code, once generated: an ELF shared object (kernel_abi.h) and the target it is for. Else NULL.
    uint8_t *code;
    size_t code_size;
};

enum weft_binary_type { WEFT_BINARY_COMPILED = 1, WEFT_BINARY_LIBRARY, WEFT_BINARY_EXECUTABLE };

struct weft_program_object {
    uint32_t binary_type; // enum weft_binary_type
    char *target;         // identity of the target: triple/LLVM's name of the CPU/features/vector width
    char *options;        // those of the build
    uint8_t *bitcode;     // LLVM bitcode of the program, before built-ins are linked in
    size_t bitcode_size;
    // The block of its program-scope variables, which are placed when it is an executable: how large it is
    // (CL_PROGRAM_BUILD_GLOBAL_VARIABLE_TOTAL_SIZE), the first bytes of what it holds at first (the rest is zero), and where in
    // these there are pointers: to each of those 8 bytes the block's address is to be added.
    uint64_t global_variable_bytes;
    uint8_t *variables;
    size_t variables_size;
    uint64_t *variable_pointers;
    uint32_t variable_pointer_count;
    uint32_t kernel_count;
    struct weft_kernel_meta *kernels;
};

// Frees what p owns and zeroes it; p may be zeroed or half filled.
void weft_program_object_fini(struct weft_program_object *p);
weft_status weft_program_object_copy(struct weft_program_object *out, const struct weft_program_object *p);

// Appends the file form (header, identity, checksum). with_code: include the kernels' machine code.
weft_status weft_program_object_encode(struct weft_buf *out, const struct weft_program_object *p,
                                       bool with_code);

// WEFT_DAMAGED: not a whole, well-formed object (bounds, checksum, counts, offsets in range).
// WEFT_STALE: another format version. On failure *out is zeroed.
weft_status weft_program_object_decode(struct weft_program_object *out, const void *bytes, size_t size);

#endif
