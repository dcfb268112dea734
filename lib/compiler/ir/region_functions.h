// Functions that one stage makes and another finds by name, and sections of the object that the resulting
// code goes to.
#ifndef WEFTC_REGION_FUNCTIONS_H
#define WEFTC_REGION_FUNCTIONS_H

#include <stdbool.h>

#include <llvm-c/Core.h>

// regions/regions.c makes a function "weft.region.N" of each region. Its parameters are the kernel's, then
// one for each uniform value that comes in. If the kernel has one region the result is void. Otherwise the
// result is {i32 next region (0: the work-item is done), uniform values that go out}. The attributes
// WEFTC_ATTRIBUTE_IN, WEFTC_ATTRIBUTE_OUT and WEFTC_ATTRIBUTE_NEXT say which values and which next regions
// these are.
#define WEFTC_REGION_NAME "weft.region."
// vectorize/vectorize.c adds "weft.region.N.vector" where it can, with the same parameters and result. One
// call runs WEFTC_LANES (a module number) work-items. The primitives give the ids of the first one.
#define WEFTC_REGION_VECTOR ".vector"
// The tail-folded version: runs the first WEFTC_LANES_LEFT (at least one) of these work-items, under a mask.
// It exists only in variants that need it.
#define WEFTC_REGION_TAIL ".tail"
// The interleaved version: one call runs two or four times WEFTC_LANES work-items. It exists where one such
// iteration is faster than two or four (vectorize/cost/interleave_count.c). A region has at most one of the
// two.
#define WEFTC_REGION_INTERLEAVED_2 ".interleaved2"
#define WEFTC_REGION_INTERLEAVED_4 ".interleaved4"
// Functions that are called for all lanes together (vectorize/legalize/callees.c).
#define WEFTC_CALLED_NAME "weft.called"
// The section for loop nests that wiloops puts into functions of their own if `run` would be huge. None of
// them calls another, so only the largest stack frame counts.
#define WEFTC_NEST_SECTION ".text.nest"
// The section for regions' functions for one work-item that aren't inlined. None of them calls another, so
// only the largest stack frame counts.
#define WEFTC_REMAINDER_SECTION ".text.rest"
// The sections for parts of functions that were too large (codegen/split_functions.c): part1 for those that
// call no other part, part2 for those that call such parts only, and so on. Of each only the largest stack
// frame counts.
#define WEFTC_PART_SECTION ".text.part"
enum { WEFTC_PART_LEVELS = 4 };
bool weftc_region_is_single_item(LLVMValueRef region); // one work-item runs it for the whole group
bool weftc_region_yields(LLVMValueRef region);         // it begins after a WEFTC_YIELD

// Loop interchange requires that the rows of a group share at least this many vectors.
enum { WEFTC_MIN_SHARED = 4 };

#endif
