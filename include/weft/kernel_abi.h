// The contract between generated code and the runtime.
//
// The code object of a kernel is an ELF shared object without undefined symbols. It exports one constant,
// `weft_kernel_info`. Generated code accesses only the memory and the functions of the host that it is given
// through these structures.
#ifndef WEFT_KERNEL_ABI_H
#define WEFT_KERNEL_ABI_H

#include <stdint.h>

// Increase it with every change of this contract, and WEFT_CODE_OBJECT_NUMBER (code_object.h) as well.
#define WEFT_KERNEL_ABI_VERSION 21u
#define WEFT_KERNEL_INFO_SYMBOL "weft_kernel_info"
// Alignment of local memory, of each local argument in it, and of the state arena.
#define WEFT_LOCAL_ALIGN 128u
#define WEFT_VARIABLES_ALIGN 4096u
// Arrays of spill slots in the state arena are padded to a multiple of this many work-items.
#define WEFT_STATE_ROW 64u

#define WEFT_GROUP_MAX 4096u // maximum number of work-items in a group

// The index space of a launch. Unused dimensions have size 1 and offset 0. All members but
// `temporal_stores` are constant during the launch.
struct weft_ndrange {
    uint64_t global_offset[3];
    uint64_t global_size[3]; // work-items
    uint64_t local_size[3];  // work-items in a full work-group (the enqueued local size)
    // ceil(global_size / local_size). The last group of a dimension may be smaller. Exception: all groups
    // have the same size in OpenCL C before 2.0 and with -cl-uniform-work-group-size.
    uint64_t num_groups[3];
    uint32_t work_dim; // 1..3
    // The last member: the runtime decides it each time the launch runs. 1: stores go through the caches. 0:
    // the launch touches more memory than the caches hold, so non-temporal stores pay.
    uint32_t temporal_stores;
};

struct weft_exec;
struct weft_device_range;
struct weft_race_view;

// Functions that generated code may call, on any thread that runs kernels.
struct weft_kernel_host {
    // One printf. `format` is NUL-terminated and lies in the code object. `blob` holds the arguments; struct
    // weft_printf_arg describes its layout. Returns what the kernel's printf returns: 0, or -1 on failure.
    int32_t (*printf)(struct weft_exec *x, const char *format, const void *blob, uint32_t blob_size);
    // enqueue_kernel (OpenCL C 3.0 §6.15.17). Copies all its arguments before it returns. Returns CLK_SUCCESS
    // or an error of enqueue_kernel.
    // - queue: what the slot of a queue_t argument holds
    // - wait_list, event: they hold clk_event_t; event NULL: the kernel wants no event
    // - kernel: the number of the block's kernel in the program
    // - literal: the block, a struct weft_block_literal
    // - sizes: the bytes of each local argument
    int32_t (*enqueue)(struct weft_exec *x, void *queue, uint32_t flags,
                       const struct weft_device_range *range, uint32_t wait_count, void *const *wait_list,
                       void **event, uint64_t kernel, const void *literal, uint32_t local_count,
                       const uint64_t *sizes);
    // All other requests about queues and events. what: enum weft_device_call (device_call.h), which says how
    // the other arguments are used.
    uint64_t (*device_call)(struct weft_exec *x, uint32_t what, void *object, uint64_t number,
                            const void *pointer);
    // Of code that looks for races (weft/races.h): the work-item with the local linear id `item` accesses
    // memory. sites: uint32_t[], where in these bytes the struct weft_check_site of each access is.
    void (*touch)(struct weft_exec *x, const void *sites, uint64_t address, uint64_t size, uint32_t what,
                  uint64_t item);
    // The same, and stores the low bytes of the value.
    void (*touch_store)(struct weft_exec *x, const void *sites, uint64_t address, uint64_t value,
                        uint32_t what, uint64_t item);
};

// ndrange_t of OpenCL C. Sizes beyond work_dim are ignored. local_size 0: the runtime chooses.
struct weft_device_range {
    uint32_t work_dim;
    uint64_t global_offset[3], global_size[3], local_size[3];
};

// The head of a block's literal. The captured values follow it. size: bytes of the head and the captured
// values.
struct weft_block_literal {
    uint32_t size, align;
    uint64_t unused;
};

// A printf blob is a sequence of arguments. Each of them is aligned to 8 bytes and consists of
//   struct weft_printf_arg, then `count * size` bytes of data, padded to 8 bytes.
enum weft_printf_kind { WEFT_PRINTF_INT = 1, WEFT_PRINTF_FLOAT = 2, WEFT_PRINTF_POINTER = 3 };
struct weft_printf_arg {
    uint8_t kind;   // enum weft_printf_kind; %s arguments are pointers
    uint8_t size;   // bytes of one element: 1, 2, 4, 8
    uint16_t count; // elements: 1 for scalars, 2 3 4 8 16 for vectors
    uint32_t reserved;
};

// One thread's execution of a part of a launch. The runtime fills it; generated code writes only
// current_group. Local memory and state belong to this thread until the call returns.
struct weft_exec {
    const struct weft_kernel_host *host;
    void *local_mem; // aligned to WEFT_LOCAL_ALIGN; first static __local variables, then local arguments
    // The state arena: aligned to WEFT_LOCAL_ALIGN, state_fixed + state_per_item * items bytes (see
    // weft_kernel_info). It begins where local memory ends. Generic pointers are classified by that.
    void *state;
    volatile uint64_t current_group; // linear id of the current group, for fault reports
    void *launch;                    // for the runtime; opaque to generated code
    void *variables; // the block of program-scope variables, aligned to WEFT_VARIABLES_ALIGN; NULL: none
    struct weft_race_view *races; // of code that looks for races and barriers (weft/races.h)
};

// Runs the work-groups [first, last) of the launch, by linear id (dimension 0 is the fastest).
// args: the packed argument block; weft_kernel_meta has the offsets. Global and constant pointers are
// addresses of the host. The slot of a __local pointer holds a uint64_t, the byte offset of its memory from
// local_mem.
typedef void (*weft_kernel_fn)(const struct weft_ndrange *nd, const void *args, struct weft_exec *x,
                               uint64_t first, uint64_t last);

// How much work goes into the code of a kernel. All levels compute the same bits.
enum weft_code_level {
    WEFT_LEVEL_QUICK, // scalar and hardly optimised: compiled fastest
    WEFT_LEVEL_LANES, // with lanes, but only what makes them fast: compiled in a third of the time of the next
    WEFT_LEVEL_FULL,  // fully optimised
};

// Code variants of a kernel. They differ in how the work-items of a group are distributed over vector lanes.
// Each variant runs every launch correctly. Which one is fast depends on the local size.
enum weft_variant {
    WEFT_VARIANT_ANY, // lanes along dimension 0; the remainder of a row runs as scalar code
    WEFT_VARIANT_DIM, // WEFT_VARIANT_DIM + d: lanes along dimension d, with tail folding under a mask
    WEFT_VARIANT_SCALAR = WEFT_VARIANT_DIM + 3, // no lanes: scalar code for all work-items
    WEFT_VARIANTS,
    // The narrow variant: at most eight lanes in each region, whatever the cost model estimates, with tail
    // folding. A launch runs it where autotuning has found it to be faster.
    WEFT_VARIANT_NARROW = WEFT_VARIANTS + 1,
};
// The dimension along which the lanes of a code variant lie.
static inline unsigned weft_variant_dimension(uint32_t variant)
{
    return variant > WEFT_VARIANT_DIM && variant < WEFT_VARIANT_SCALAR ? variant - WEFT_VARIANT_DIM : 0;
}

// Variants whose speed the cost model can't predict well. Autotuning measures them against WEFT_VARIANT_ANY.
enum weft_autotune_candidate {
    WEFT_AUTOTUNE_NARROW = 1, // WEFT_VARIANT_NARROW
    WEFT_AUTOTUNE_SCALAR = 2, // WEFT_VARIANT_SCALAR
};

// How far the results of a kernel are independent of the division of its index space into groups.
enum weft_group_independence {
    // The kernel can't observe how its index space is divided into groups. So the neighbouring groups of a
    // row that are in one range run as one long row.
    WEFT_GROUP_SHAPE_INDEPENDENT = 1,
    // The kernel is independent of the division, and whole rows of groups that are in one range run together
    // too. That is faster if they are WEFT_TILE_HEIGHT work-items high.
    WEFT_GROUP_ROWS_INDEPENDENT,
};
enum { WEFT_TILE_HEIGHT = 16 };

// Code that was made with -weft-count has a variable of that name, a struct weft_kernel_counts, to which each
// work-item adds how often it has run each block.
//
// Neighbouring work-items of a group, as many as there are lanes, run a block together as often as the one of
// them that runs it most. They are neighbours along the dimension of the code's variant. That number is kept
// for each number of lanes: 1 << level. So iterations at level 0 are those of single work-items, and their
// quotient is the mean number of active lanes.
#define WEFT_KERNEL_COUNTS_SYMBOL "weft_kernel_counts"
enum { WEFT_COUNT_LEVELS = 7, WEFT_COUNT_DIMS = 3 };
// What one run of a block does on one line of the source, for one work-item. line 0: unknown.
struct weft_count_part {
    uint32_t block, line;
    uint32_t instructions;
    uint32_t bytes;      // of global memory that are read or written
    uint32_t operations; // on floating-point numbers
    uint32_t doubles;    // of these, on doubles
};
struct weft_kernel_counts {
    uint64_t blocks, parts; // block 0 runs once for each work-item
    struct weft_count_part part[];
    // uint64_t most[WEFT_COUNT_LEVELS + 1][blocks]: of the work-items that run now
    // uint64_t iterations[WEFT_COUNT_LEVELS][blocks]
};

struct weft_kernel_info {
    uint32_t abi_version;  // WEFT_KERNEL_ABI_VERSION
    uint32_t vector_width; // lanes: work-items of a vector iteration; 1: nothing is vectorized
    // Bytes of __local variables; local arguments begin at the next multiple of WEFT_LOCAL_ALIGN.
    uint64_t local_static_bytes;
    uint64_t state_fixed; // bytes of state that a group needs whatever its size
    // Bytes of state for each work-item; the number of items is the local size rounded up to WEFT_STATE_ROW.
    uint64_t state_per_item;
    uint64_t private_bytes; // CL_KERNEL_PRIVATE_MEM_SIZE of one work-item
    uint64_t stack_bytes;   // maximum bytes of stack that one call of `run` uses; UINT64_MAX: unknown
    weft_kernel_fn run;
    uint32_t group_independence; // enum weft_group_independence
    // Estimated cost of one vector iteration of vector_width work-items, in 1/16 of the cost of a scalar
    // work-item.
    uint32_t vector_iteration_cost;
    // Maximum number of work-items in a sub-group, a power of two (lib/runtime/launch/sub_groups.c).
    uint32_t sub_group_max;
    // 1: the kernel uses sub-groups. Then it has one code variant only, WEFT_VARIANT_ANY.
    uint32_t sub_groups;
    // 1: accesses are consecutive along dimension 1 and never along dimension 0, so lanes belong along
    // dimension 1.
    uint32_t swap_dimensions;
    // Estimated cost of a work-item in this code's scalar part, in 1/16 of its cost in WEFT_VARIANT_SCALAR.
    // It is above 16 if the scalar part was compiled with less optimisation, as for remainders of vector
    // iterations.
    uint32_t scalar_cost;
    // 1: the kernel writes to private memory at computed places, perhaps beyond the end of an array. It runs
    // on a separate stack.
    uint32_t unsafe_stack_writes;
    // Variants for autotuning: the number of lanes of a region, or whether it has any, is a guess, and these
    // variants have the same results and may be faster. 0: none.
    uint32_t autotune_candidates; // a set of enum weft_autotune_candidate
    // Minimum bytes of arrays that a work-item touches, if the value of weft_ndrange.temporal_stores matters
    // to this code; else 0.
    uint32_t nontemporal_bytes;
    // 1: denormal floats are zero, as operands and as results. `run` is called with the processor in this
    // mode.
    uint32_t flushes_denormals;
    // How many instructions store a register to the stack for want of registers; UINT32_MAX: unknown.
    uint32_t spills;
    // Of checked code: a set of the arguments, by number, that the kernel writes to. Only those below 32.
    uint32_t written;
    // Of checked code: 1: the kernel itself can't observe how its index space is divided into groups. What
    // looks for its faults can, so group_independence is 0; but where no local size is asked for, any does.
    uint32_t only_checks_depend;
    // Of checked code: 1: the kernel's first body has no looks for races, and all work-groups of a launch run
    // in the same body, but perhaps the first one (weft_check_groups).
    uint32_t quiet;
};

#endif
