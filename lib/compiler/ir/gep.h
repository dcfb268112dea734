// Addresses: what a getelementptr adds to its base, index by index; and private memory of which nothing is
// used but elements of one size.
#ifndef WEFTC_GEP_H
#define WEFTC_GEP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <llvm-c/Core.h>
#include <llvm-c/Target.h>

// One index of a getelementptr: it adds index * scale bytes to the base. A constant index adds offset bytes
// instead.
struct weftc_step {
    LLVMValueRef index; // NULL: the index is constant
    uint64_t scale;
    uint64_t offset;
};
// Fills steps, which has at least LLVMGetNumOperands(gep) elements. Returns how many elements it filled.
unsigned weftc_gep_steps(LLVMTargetDataRef layout, LLVMValueRef gep, struct weftc_step *steps);

// What weftc_only_plain finds. The caller sets layout, may use it again for other memory, and releases
// pointers with weft_free.
struct weftc_plain {
    LLVMTargetDataRef layout;
    LLVMValueRef *pointers; // the alloca, then pointers into it
    size_t count, capacity;
    uint64_t element; // bytes that each access takes
    uint64_t common;  // every offset is a multiple of this power of two
};

// Follows the address of the alloca. False: it is used for anything but plain loads and stores of elements of
// one size, at multiples of it; or memory is short.
bool weftc_only_plain(struct weftc_plain *at, LLVMValueRef memory);

#endif
