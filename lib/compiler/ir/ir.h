// ir/ is what all stages share about the code that they hand on. Of the compiler, only bridge/ is below it.
// It knows no stage.
//
// Between the front end and prepare, a module is LLVM IR with the triple spir64, the address spaces below,
// and calls of built-in functions by their mangled names. Kernels have the calling convention spir_kernel.
// prepare maps all address spaces to 0, the host's. From then on a kernel accesses its ids, its memory and
// the host only through primitives.
//
//     primitives.h          those calls
//     region_functions.h    functions that stages find by name
//     module_facts.h        other facts that stages pass on
//     workitem_names.h      functions of OpenCL that the compiler lowers
//     kernel_attributes.h   what the front end left on kernels
//     sub_groups.h          calls between the lanes of a sub-group
//     group_independence.h  can a kernel depend on how groups are cut?
//     gep.h                 addresses, index by index
//     cfg.h, value_map.h    blocks and values by number
//     llvm_helpers.h        small helpers over llvm-c, and passes of our own over any function
//     process.h             memory and stack of this process
//
// Input: any module. Output: facts about it, and small parts of it. This folder doesn't know which stage
// calls it, or why.
#ifndef WEFTC_IR_H
#define WEFTC_IR_H

// Address spaces of spir64.
enum {
    WEFTC_SPACE_PRIVATE,
    WEFTC_SPACE_GLOBAL,
    WEFTC_SPACE_CONSTANT,
    WEFTC_SPACE_LOCAL,
    WEFTC_SPACE_GENERIC
};

// Names of dot products of bytes, which codegen/dot_products.c describes. They are math primitives: the name
// begins with WEFTC_MATH_PREFIX of bridge/vectorize.h.
#define WEFTC_DOT_PREFIX "weft.math.dot."

#endif
