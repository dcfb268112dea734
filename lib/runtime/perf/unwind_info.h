// How the frame of a function is unwound, in the form that perf wants.
#ifndef WEFT_RUNTIME_PERF_UNWIND_INFO_H
#define WEFT_RUNTIME_PERF_UNWIND_INFO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/base.h"

enum { WEFT_UNWIND_HEADER = 20 }; // bytes of the .eh_frame_hdr

// Appends an .eh_frame with the function from `start` on alone, and an .eh_frame_hdr, which lie behind the
// function's code at the next multiple of 8. frames: the table .debug_frame (DWARF 2 to 4) of its object.
// False: the table doesn't have the function, or is damaged.
bool weft_unwind_info(struct weft_buf *out, const uint8_t *frames, size_t size, uint64_t start,
                      uint64_t code_size);

#endif
