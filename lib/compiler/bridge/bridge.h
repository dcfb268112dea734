// bridge/ is the only C++ code. It makes functions of Clang, LLVM and lld that llvm-c doesn't have callable
// from C. The stages that call it decide what is to be done to which code. Three things are decided here,
// since they need what only C++ has: warnings about Clang's syntax tree (clang/clang.h), how much an access
// counts that lies in loops of LLVM's loop information (vectorize.h), and which neighbouring iterations an
// instruction may belong to by LLVM's debug information (locate.h). No function throws. No function keeps
// its arguments after it returns, unless its comment says so.
//
//     clang/clang.h   source to module               codegen.h    module to machine code
//     link.h          modules with each other        passes.h     changes to a module
//     ir_hash.h       what a kernel reaches          vectorize.h  trees, copies, accesses
//     stack_safety.h  accesses to the stack          locate.h     what an instruction worked on
//
// Input and output: things that llvm-c has handles for, and the plain structs of include/weft. Names of facts
// (ir/module_facts.h) are arguments. A name that a stage and this folder must both know is a macro in a
// header here, which both include. Of OpenCL this folder knows Clang's types and address spaces, the names
// of OpenCL C's built-in functions, and what a work-item is. The sections of a header name the .cpp files
// that implement it.
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

// ---- bridge/demangle.cpp ----
// Returns a function's name as in the source: "n::f" for _ZN1n1fEi. Other names are returned unchanged. The
// caller frees it with weft_free. NULL: memory is exhausted.
char *weft_bridge_source_name(const char *name);

#ifdef __cplusplus
}
#endif

#endif
