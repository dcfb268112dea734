// Functions that stages leave for each other under a name, and the sections of what is made of them.
#ifndef WEFTC_REGION_FUNCTIONS_H
#define WEFTC_REGION_FUNCTIONS_H

#include <stdbool.h>

#include <llvm-c/Core.h>

// regions/regions.c makes "weft.region.N" of each region, with the kernel's parameters and then one for each uniform value that comes
// in. With one region the result is void; else {i32 next region (0: the work-item is done), uniform values that go out}. Which
// values and successors these are is in attributes (WEFTC_ATTRIBUTE_IN, WEFTC_ATTRIBUTE_OUT, WEFTC_ATTRIBUTE_NEXT).
#define WEFTC_REGION_NAME "weft.region."
// vectorize/vectorize.c adds, where it can, "weft.region.N.vector" with the same parameters and result: one call is for
// WEFTC_LANES work-items (a module number), from the one on whose ids its primitives give.
#define WEFTC_REGION_VECTOR ".vector"
// Runs the first WEFTC_LANES_LEFT of them, at least one; in forms that want it.
#define WEFTC_REGION_TAIL ".tail"
// Run twice or four times WEFTC_LANES of them, where one step of so many is better than two or four
// (vectorize/cost/wide_step.c). There is at most one of the two.
#define WEFTC_REGION_INTERLEAVED_2 ".interleaved2"
#define WEFTC_REGION_INTERLEAVED_4 ".interleaved4"
// What all lanes call together (vectorize/legalize/callees.c).
#define WEFTC_CALLED_NAME "weft.called"
// The section of functions that wiloops makes of the regions' loops where `run` would be huge. They call no other
// of them, so only the largest frame counts.
#define WEFTC_NEST_SECTION ".text.nest"
// The section of regions' functions for one work-item that aren't inlined; of them, too, only the largest frame counts.
#define WEFTC_REST_SECTION ".text.rest"
bool weftc_region_is_single_item(LLVMValueRef region); // one work-item runs it for all of the group
bool weftc_region_yields(LLVMValueRef region);         // it begins behind a WEFTC_YIELD

// Vectors that the rows of a group share, for it to be walked through by columns, at least.
enum { WEFTC_MIN_SHARED = 4 };

#endif
