// The processor tells no address when it is one that memory can't have, or that isn't aligned as a vector's must be: a general
// protection, which the system passes on as its own SIGSEGV (SI_KERNEL) at address 0.
#include "fault_text.h"

#include <signal.h>
#include <stdio.h>

const char *weft_fault_place(const struct weft_fault *f, char room[WEFT_PLACE_BYTES])
{
    if (f->signal == SIGSEGV && f->code == SI_KERNEL)
        snprintf(
            room, WEFT_PLACE_BYTES,
            "an address that the processor doesn't tell: it isn't a possible address, or a vector access "
            "isn't aligned");
    else
        snprintf(room, WEFT_PLACE_BYTES, "address %p", f->address);
    return room;
}
