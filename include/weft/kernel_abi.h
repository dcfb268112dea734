// The contract between generated code and the runtime.
//
// A kernel's code object is an ELF shared object with no undefined symbol. It exports one constant,
// `weft_kernel_info`. Generated code touches nothing of the host but what is handed to it here.
#ifndef WEFT_KERNEL_ABI_H
#define WEFT_KERNEL_ABI_H

#include <stdint.h>

#define WEFT_KERNEL_ABI_VERSION 12u
#define WEFT_KERNEL_INFO_SYMBOL "weft_kernel_info"
// Alignment of local memory, of each local argument in it, and of the state arena.
#define WEFT_LOCAL_ALIGN 128u
#define WEFT_VARIABLES_ALIGN 4096u
#define WEFT_STATE_ROW 64u // per-work-item rows of the state arena are padded to this many work-items

#define WEFT_GROUP_MAX 4096u // work-items in a group, at most

// The index space of one launch; unused dimensions have size 1 and offset 0. Constant during the launch.
struct weft_ndrange {
    uint64_t global_offset[3];
    uint64_t global_size[3]; // work-items
    uint64_t local_size[3];  // work-items in a full work-group (the enqueued local size)
    // ceil(global_size / local_size): the last group of a dimension may be smaller, unless the kernel is in a
    // language (OpenCL C before 2.0, or by -cl-uniform-work-group-size) in which all groups are of one size.
    uint64_t num_groups[3];
    uint32_t work_dim; // 1..3
    // The last member, which the launch decides each time that it runs, the others being constant.
    // 0: what the launch touches is more than the caches hold, so what it stores is better not brought into them.
    uint32_t cached;
};

struct weft_exec;
struct weft_device_range;

// What generated code may call. Every function is safe to call on any thread that runs kernels.
struct weft_kernel_host {
    // One printf. `format` is NUL-terminated and in the code object; `blob` holds the arguments (see below).
    // Returns what the kernel's printf returns: 0, or -1 on failure.
    int32_t (*printf)(struct weft_exec *x, const char *format, const void *blob, uint32_t blob_size);
    // enqueue_kernel (OpenCL C 3.0 §6.15.17). queue: what a queue_t argument's slot holds. kernel: its number in the program. wait_list
    // and event hold clk_event_t; event NULL: none is wanted. literal: the block (see below). sizes: bytes of each
    // local argument. Everything is copied before it returns. CLK_SUCCESS or one of its errors.
    int32_t (*enqueue)(struct weft_exec *x, void *queue, uint32_t flags,
                       const struct weft_device_range *range, uint32_t wait_count, void *const *wait_list,
                       void **event, uint64_t kernel, const void *literal, uint32_t local_count,
                       const uint64_t *sizes);
    // What else a kernel may ask of queues and events: enum weft_device_call (device_call.h) says of what.
    uint64_t (*device_call)(struct weft_exec *x, uint32_t what, void *object, uint64_t number,
                            const void *pointer);
};

// ndrange_t as OpenCL C has it; sizes of dimensions that it lacks are not looked at. local_size 0: chosen by the runtime.
struct weft_device_range {
    uint32_t work_dim;
    uint64_t global_offset[3], global_size[3], local_size[3];
};

// What a block's literal begins with; what it has captured follows, `size` bytes with this.
struct weft_block_literal {
    uint32_t size, align;
    uint64_t unused;
};

// A printf blob is a sequence of arguments, each 8-byte aligned:
//   struct weft_printf_arg, then `count * size` bytes of data, padded to 8 bytes.
enum weft_printf_kind { WEFT_PRINTF_INT = 1, WEFT_PRINTF_FLOAT = 2, WEFT_PRINTF_POINTER = 3 };
struct weft_printf_arg {
    uint8_t kind;   // enum weft_printf_kind; %s arguments are pointers
    uint8_t size;   // bytes of one element: 1, 2, 4, 8
    uint16_t count; // elements: 1 for scalars, 2 3 4 8 16 for vectors
    uint32_t reserved;
};

// One thread's execution of a part of one launch. The runtime fills it; generated code writes only
// current_group. Local memory and state belong to this thread until the call returns.
struct weft_exec {
    const struct weft_kernel_host *host;
    void *local_mem; // WEFT_LOCAL_ALIGN aligned, static __local variables first, then local arguments
    // WEFT_LOCAL_ALIGN aligned, state_fixed + state_per_item * rows bytes (see below). Local memory ends where it begins:
    // generic pointers are told apart by that.
    void *state;
    volatile uint64_t current_group; // linear id of the group being run, for fault reports
    void *launch;                    // the runtime's, opaque to generated code
    void *variables; // the program's variables (WEFT_VARIABLES_ALIGN aligned); NULL when it has none
};

// Runs work-groups [first, last) of the launch, by linear id (dimension 0 fastest).
// args: the packed argument block of weft_kernel_meta (offsets there); a __local pointer's slot holds the
// byte offset of its memory in local_mem as uint64_t; global and constant pointers are host addresses.
typedef void (*weft_kernel_fn)(const struct weft_ndrange *nd, const void *args, struct weft_exec *x,
                               uint64_t first, uint64_t last);

// How the work-items of a group share the lanes of a vector. Every form runs any launch right; which of them
// runs it fast depends on its local size.
enum weft_variant {
    WEFT_VARIANT_ANY, // lanes along dimension 0; what a row has beyond whole vectors runs one by one
    WEFT_VARIANT_DIM, // WEFT_VARIANT_DIM + d: lanes along dimension d; the end of a row runs under a mask
    WEFT_VARIANT_SCALAR = WEFT_VARIANT_DIM + 3, // no lanes: all work-items run one by one
    WEFT_VARIANTS,
    // Eight lanes at most in every region, whatever that is estimated to cost; the end of a row runs under a mask. Launches run it
    // where it has been measured to be faster.
    WEFT_VARIANT_NARROW = WEFT_VARIANTS + 1,
};

enum weft_autotune_candidate {
    WEFT_AUTOTUNE_NARROW = 1, // WEFT_VARIANT_NARROW
    WEFT_AUTOTUNE_SCALAR = 2, // WEFT_VARIANT_SCALAR
};

enum weft_group_independence {
    // Nothing in the kernel can tell how its index space is cut into groups. Those of a row that are in one range then
    // run as one row.
    WEFT_GROUP_SHAPE_INDEPENDENT = 1,
    // Also, whole rows of groups in one range run together, and gain where they are WEFT_TILE_HEIGHT work-items high.
    WEFT_GROUP_ROWS_INDEPENDENT,
};
enum { WEFT_TILE_HEIGHT = 16 };

struct weft_kernel_info {
    uint32_t abi_version;        // WEFT_KERNEL_ABI_VERSION
    uint32_t vector_width;       // work-items that run together, one a lane; 1: nothing is vectorized
    uint64_t local_static_bytes; // of __local variables; local arguments start at the next WEFT_LOCAL_ALIGN
    uint64_t state_fixed;        // bytes of state a group needs whatever its size
    uint64_t state_per_item;     // bytes for each work-item; times local size rounded up to WEFT_STATE_ROW
    uint64_t private_bytes;      // CL_KERNEL_PRIVATE_MEM_SIZE of one work-item
    uint64_t stack_bytes;        // stack that one call of `run` uses at most; UINT64_MAX: unknown
    weft_kernel_fn run;
    uint32_t group_independence; // enum weft_group_independence
    uint32_t
        step_cost; // what one step of vector_width work-items costs, guessed, in 1/16 of one that runs alone
    uint32_t
        sub_group_max; // work-items in a sub-group at most (lib/runtime/launch/sub_groups.c); a power of two
    uint32_t
        sub_groups; // 1: the kernel knows of sub-groups; there is one code for it, in form WEFT_VARIANT_ANY
    uint32_t
        swap_dimensions; // 1: memory is consecutive along dimension 1, and nothing along dimension 0: lanes belong there
    // What a work-item costs that runs alone in this code, guessed, in 1/16 of one in WEFT_VARIANT_SCALAR. More than 16: that part
    // was made quickly, as it is for what steps of all lanes leave over.
    uint32_t scalar_cost;
    // 1: it writes to private memory at places that are computed, beyond the end of an array perhaps. It runs on a
    // stack of its own.
    uint32_t unsafe_stack_writes;
    // How many lanes a region has, or whether any, is a bet: code in these forms has the same results and may be faster. 0: it isn't.
    uint32_t autotune_candidates; // a set of enum weft_autotune_candidate
    // Bytes that a work-item touches of arrays, at least, where weft_ndrange.cached makes a difference; else 0.
    uint32_t nontemporal_bytes;
};

#endif
