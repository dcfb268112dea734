// How a fault is told to a person.
#ifndef WEFT_RUNTIME_FAULT_TEXT_H
#define WEFT_RUNTIME_FAULT_TEXT_H

#include <stdbool.h>
#include <stddef.h>

#include "weft/fault.h"

bool weft_fault_has_no_address(const struct weft_fault *f); // the processor tells none
#define WEFT_PLACE_BYTES 128
// Where it was: "address 0x10". Returns room.
const char *weft_fault_place(const struct weft_fault *f, char room[WEFT_PLACE_BYTES]);

#endif
