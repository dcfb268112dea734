// The arithmetic of rectangular regions (OpenCL 2.2 §5.2.2 and Appendix D). No side effects; every sum is
// checked for overflow.
#ifndef WEFT_CHECK_RECT_H
#define WEFT_CHECK_RECT_H

#include <stdbool.h>
#include <stddef.h>

#include "runtime/core/cl.h"

// One side of a rectangular transfer: its pitches, and where it begins and ends. In bytes.
struct weft_rect_side {
    size_t row_pitch, slice_pitch; // with defaults in place of 0
    size_t begin;                  // offset of the first byte
    size_t end;                    // offset after the last byte
};

enum weft_slice_rule {
    WEFT_SLICE_WHOLE_ROWS, // clEnqueueCopyBufferRect: the slice pitch is a multiple of the row pitch
    WEFT_SLICE_ANY,        // read and write: the slice pitch must only hold the region's rows
};

// CL_INVALID_VALUE: region is NULL or has a zero.
cl_int weft_check_rect_region(const size_t region[3]);
// Fills *side. CL_INVALID_VALUE: origin is NULL, a pitch is too small, the slice pitch breaks the rule, or a
// sum doesn't fit into size_t. region is checked already.
cl_int weft_check_rect_side(const size_t origin[3], const size_t region[3], size_t row_pitch,
                            size_t slice_pitch, enum weft_slice_rule rule, struct weft_rect_side *side);
// Do two regions of one storage share a byte? The answer is exact. Both sides must obey
// WEFT_SLICE_WHOLE_ROWS, and their offsets must count from the same byte.
bool weft_rects_overlap(const struct weft_rect_side *a, const struct weft_rect_side *b,
                        const size_t region[3]);

#endif
