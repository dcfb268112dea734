// Private memory of which nothing is used but elements of one size, one by one. It may be laid out differently
// for all work-items together than for one.
#ifndef WEFTC_PLAIN_ACCESSES_H
#define WEFTC_PLAIN_ACCESSES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <llvm-c/Core.h>
#include <llvm-c/Target.h>

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
