// The arithmetic of rectangular regions (OpenCL 2.2 §5.2.2 and Appendix D). Pure; every sum is
// overflow-checked.
#ifndef WEFT_CHECK_RECT_H
#define WEFT_CHECK_RECT_H

#include <stdbool.h>
#include <stddef.h>

#include "runtime/core/cl.h"

// One side of a rectangular move: where it begins, how rows and slices follow, where it ends. Bytes.
struct weft_rect_side {
    size_t row_pitch, slice_pitch; // with the defaults for 0 filled in
    size_t begin;                  // of the first byte
    size_t end;                    // one past the last byte
};

enum weft_slice_rule {
    WEFT_SLICE_WHOLE_ROWS, // clEnqueueCopyBufferRect: a slice pitch is a multiple of the row pitch
    WEFT_SLICE_ANY,        // read and write: it only has to hold the region's rows
};

// CL_INVALID_VALUE when region is NULL or has a zero.
cl_int weft_check_rect_region(const size_t region[3]);
// Fills *side; CL_INVALID_VALUE when origin is NULL, a pitch is too small, the slice pitch breaks the rule,
// or a sum does not fit in size_t. region has been checked.
cl_int weft_check_rect_side(const size_t origin[3], const size_t region[3], size_t row_pitch,
                            size_t slice_pitch, enum weft_slice_rule rule, struct weft_rect_side *side);
// Do two regions of one storage share a byte? Exact. Both sides obey WEFT_SLICE_WHOLE_ROWS; begin and end
// count from the same byte.
bool weft_rects_overlap(const struct weft_rect_side *a, const struct weft_rect_side *b,
                        const size_t region[3]);

#endif
