// Code that counts its work, for `weft prof` (ADR 43).
#ifndef WEFT_RUNTIME_COUNTING_H
#define WEFT_RUNTIME_COUNTING_H

#include "runtime/code/kernel_code.h"

// Makes code that counts along the dimension of lanes, if there is none. Without it the work isn't known.
// Runs on a thread that may wait. The caller holds no lock.
void weft_counting_make(struct weft_kernel_code *code, unsigned along);
// The dimension along which the lanes of this code of the kernel lie. Any thread.
unsigned weft_counting_dimension(const struct weft_kernel_code *code, const struct weft_kernel_info *info);
void weft_counting_free(struct weft_kernel_code *code);

#endif
