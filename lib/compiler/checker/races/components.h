// Which components of vectors in memory an access is of (checker/races/components.c).
#ifndef WEFTC_COMPONENTS_H
#define WEFTC_COMPONENTS_H

#include <stdint.h>

#include <llvm-c/Core.h>

struct weftc_check_marker;

// The elements that the program wants of a load of a vector, as bits. UINT64_MAX: all, or it isn't one.
uint64_t weftc_check_wanted_elements(LLVMValueRef i);
// Stores that change only some elements become stores of these. Before anything is marked.
void weftc_check_narrow_stores(const struct weftc_check_marker *m, LLVMValueRef f);

#endif
