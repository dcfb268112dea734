// bridge/ is the only C++ code. It makes functions of Clang, LLVM and lld that llvm-c doesn't have callable
// from C. What is to be done to which code is decided by the stages that call it. The exception is work on
// Clang's syntax tree, for which there is no C API at all: which barriers are warned about
// (clang_barriers.cpp), and how calls of built-in functions are resolved (clang_late_builtins.cpp,
// clang_overloads.cpp, clang_blocks.cpp). No function throws. No function keeps its arguments after it
// returns, unless its comment says so.
//
//     clang.h         source to module               codegen.h    module to machine code
//     link.h          modules with each other        passes.h     changes to a module
//     ir_hash.h       what a kernel reaches          vectorize.h  trees, copies, accesses
//     stack_safety.h  accesses to the stack
//
// Input and output: things that llvm-c has handles for. Names of facts (ir/module_facts.h) are arguments. A name
// that a stage and this folder must both know is a macro in a header here, which both include. Of OpenCL this
// folder knows Clang's types and names of OpenCL C's built-in functions. The sections of a header name the
// .cpp files that implement it.
#ifndef WEFT_BRIDGE_H
#define WEFT_BRIDGE_H

#ifdef __cplusplus
extern "C" {
#endif

// Functions of these names are Weft's own (ir/primitives.h). Source can't declare them.
#define WEFTC_RESERVED_PREFIX "weft."

// ---- bridge/process.cpp ----
// Sets the functions that are called when an allocation of LLVM or Clang fails, and on a fatal error. Neither
// may return.
void weft_bridge_on_failure(void (*no_memory)(void), void (*fatal)(const char *reason));

#ifdef __cplusplus
}
#endif

#endif
