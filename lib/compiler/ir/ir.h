// ir/ is the ground floor of the compiler: what all stages share about the code that they hand on. It knows no stage.
//
// Between the front end and prepare a module is LLVM IR with triple spir64, the address spaces below, and OpenCL-mangled calls of
// built-in functions; kernels have the calling convention spir_kernel. prepare flattens all address spaces to 0, the host's, and
// from then on a kernel knows its place in the index space, its memory and the host only through primitives.
//
//     primitives.h          those calls                          region_functions.h  functions that stages find by name
//     module_facts.h        what stages tell each other besides  workitem_names.h    OpenCL's functions that the compiler lowers
//     kernel_attributes.h   what the front end left on kernels   sub_groups.h        calls between the lanes of a sub-group
//     group_independence.h  can a kernel see how groups are cut  gep.h               addresses, index by index
//     cfg.h, value_map.h    blocks and values by number          llvm_helpers.h      small helpers over llvm-c
//     target.h              the machine code is for              process.h           memory and stack of this process
//
// Comes in: any module. Goes out: answers about it, and small pieces of it. Must not know: which stage asks, and what for.
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

#endif
