// The processor tells no address when it is one that memory can't have, or that isn't aligned as a vector's must be: a general
// protection, which the system passes on as its own SIGSEGV (SI_KERNEL) at address 0. Where the instruction's base is %rbp or %rsp it is
// a stack fault instead, and SIGBUS.
#include "runtime/core/fault_text.h"

#include <signal.h>
#include <stdio.h>

#include "weft/fault.h"

bool weft_fault_has_no_address(const struct weft_fault *f)
{
    return (f->signal == SIGSEGV || f->signal == SIGBUS) && f->code == SI_KERNEL;
}

const char *weft_fault_place(const struct weft_fault *f, char room[WEFT_PLACE_BYTES])
{
    if (weft_fault_has_no_address(f))
        snprintf(
            room, WEFT_PLACE_BYTES,
            "an address that the processor doesn't tell: it isn't a possible address, or a vector access "
            "isn't aligned");
    else
        snprintf(room, WEFT_PLACE_BYTES, "address %p", f->address);
    return room;
}
