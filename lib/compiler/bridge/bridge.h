// bridge/ is the only C++ code. It makes functions of Clang, LLVM and lld that llvm-c doesn't have callable
// from C, and contains no policy. No function throws. No function keeps its arguments after it returns,
// unless its comment says so.
//
//     clang.h         source to module               codegen.h    module to machine code
//     link.h          modules with each other        passes.h     changes to a module
//     ir_hash.h       what a kernel reaches          vectorize.h  trees, copies, accesses
//     stack_safety.h  accesses to the stack
//
// Input and output: things that llvm-c has handles for. This folder knows no names that stages give each
// other, and nothing of OpenCL except Clang's types. The sections of a header name the .cpp files that
// implement it.
#ifndef WEFT_BRIDGE_H
#define WEFT_BRIDGE_H

#ifdef __cplusplus
extern "C" {
#endif

// ---- bridge/process.cpp ----
// Sets the functions that are called when an allocation of LLVM or Clang fails, and on a fatal error. Neither
// may return.
void weft_bridge_on_failure(void (*no_memory)(void), void (*fatal)(const char *reason));

#ifdef __cplusplus
}
#endif

#endif
