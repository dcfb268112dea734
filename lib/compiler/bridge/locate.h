// Finds out what an instruction of a code object worked on, from the object's DWARF debug information
// (bridge/locate.cpp). workitem_loops/debug_info.c makes that information.
#ifndef WEFTC_BRIDGE_LOCATE_H
#define WEFTC_BRIDGE_LOCATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct weft_fault_state;
struct weft_location;

// Names of the variables in DWARF: the place of the first work-item that the code works on, in each of the
// launch's dimensions, counted from the first one of weft_exec.current_group; and the maximum number of
// work-items from there on, along the dimension of the lanes.
#define WEFTC_LOCATED_X "weft.x"
#define WEFTC_LOCATED_Y "weft.y"
#define WEFTC_LOCATED_Z "weft.z"
#define WEFTC_LOCATED_ITEMS "weft.item_count"
enum { WEFTC_LOCATED = 4 };

// Fills in what the debug information says of the instruction at which `state` stopped: source file and line,
// and the work-items. What isn't known stays zero. elf: the code object with debug information, loaded such
// that its address 0 is at state->base. lane_dimension: the launch's dimension along which the code's lanes
// are. The caller frees location->file with weft_free. Returns false if the object can't be read.
bool weftc_bridge_locate(const void *elf, size_t size, const struct weft_fault_state *state,
                         unsigned lane_dimension, struct weft_location *location);

#ifdef __cplusplus
}
#endif

#endif
