// What a kernel reaches, and a hash of it.
#ifndef WEFT_BRIDGE_IR_HASH_H
#define WEFT_BRIDGE_IR_HASH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <llvm-c/Core.h>

#ifdef __cplusplus
extern "C" {
#endif

// what a kernel reaches: itself, the functions that it calls, and the variables that they use
struct weft_bridge_reach {
    // Hash of all of this by structure. It doesn't depend on what else the module contains.
    uint64_t hash_lo, hash_hi;
    uint64_t local_bytes; // size of the variables in address space 3
    // Does it call one of OpenCL C's built-in functions that enqueue a block or a marker?
    bool enqueues;
};
// Fills out[i] for kernels[i], for all `count` kernels of the module. kinds: names of the metadata of a
// kernel that affects its code; the hash includes it.
void weft_bridge_reach_of(LLVMModuleRef module, const LLVMValueRef *kernels, size_t count,
                          const char *const *kinds, size_t kind_count, struct weft_bridge_reach *out);

#ifdef __cplusplus
}
#endif

#endif
