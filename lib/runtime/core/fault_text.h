// How the place of a fault is described to a person.
#ifndef WEFT_RUNTIME_FAULT_TEXT_H
#define WEFT_RUNTIME_FAULT_TEXT_H

#include <stdbool.h>
#include <stddef.h>

#include "weft/fault.h"

bool weft_fault_has_no_address(const struct weft_fault *f); // the processor reported no address
#define WEFT_PLACE_BYTES 128
// Writes the place of the fault to `room`, such as "address 0x10". Returns room.
const char *weft_fault_place(const struct weft_fault *f, char room[WEFT_PLACE_BYTES]);

#endif
