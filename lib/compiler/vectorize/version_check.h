// The check of vectorize/versioning.c whether what is speculated holds (vectorize/version_check.c).
#ifndef WEFTC_VERSION_CHECK_H
#define WEFTC_VERSION_CHECK_H

#include <stdbool.h>

#include <llvm-c/Core.h>

#include "compiler/shapes/shapes.h"
#include "weft/status.h"

// Can one check be enough for a row? Then numbers are the same progressions all along the row.
bool weftc_vec_row_may_hold(const struct weftc_shapes *s);
// Builds the check at b's position, in f, which has the parameters of s's function. row: for all work-items
// of the row, not only those of this vector iteration. likely: a condition that is part of the check; NULL:
// none. *condition is never poison.
weft_status weftc_vec_build_check(const struct weftc_shapes *s, LLVMBuilderRef b, LLVMValueRef f,
                                  LLVMValueRef likely, bool row, LLVMValueRef *condition);

#endif
