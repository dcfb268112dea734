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

struct weft_bridge_reach { // what a kernel reaches: itself, the functions it calls, the variables they name
    uint64_t hash_lo, hash_hi; // of all that, by structure: the same whatever else the module holds
    uint64_t local_bytes;      // of variables in address space 3
    bool enqueues;             // a call that enqueues a block or a marker
};
void weft_bridge_reach_of(LLVMModuleRef module, const LLVMValueRef *kernels, size_t count,
                          struct weft_bridge_reach *out);

#ifdef __cplusplus
}
#endif

#endif
