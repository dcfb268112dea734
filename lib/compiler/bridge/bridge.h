// bridge/ is the only C++: what Clang, LLVM and lld offer and llvm-c doesn't, as C functions with no policy in them. None of these throws;
// none keeps what it is handed beyond the call, unless it says so.
//
//     clang.h   source to module             codegen.h       module to machine code     ir_hash.h  what a kernel reaches
//     link.h    modules with each other      passes.h        changes to a module        vectorize.h  trees, copies, accesses
//     stack_safety.h  accesses to the stack
//
// Comes in: what llvm-c has handles for. Goes out: the same. Must not know: names that stages give each other, or anything of OpenCL beyond
// what Clang's own types have. Each header stands for the .cpp files that its sections name.
#ifndef WEFT_BRIDGE_H
#define WEFT_BRIDGE_H

#ifdef __cplusplus
extern "C" {
#endif

// ---- bridge/process.cpp ----
// What happens when an allocation of LLVM's or Clang's fails, and when they give up. Neither may return.
void weft_bridge_on_failure(void (*no_memory)(void), void (*fatal)(const char *reason));

#ifdef __cplusplus
}
#endif

#endif
