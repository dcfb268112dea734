// How faults are described. The processor reports no address for an access to an address that memory can't
// have, or for a vector access that isn't aligned. It raises a general protection fault, which Linux delivers
// as its own SIGSEGV (SI_KERNEL) at address 0. If the instruction's base register is %rbp or %rsp, it raises
// a stack fault instead, which becomes SIGBUS.
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
        snprintf(room, WEFT_PLACE_BYTES,
                 "an address that the processor doesn't report: it isn't a valid address, or a vector access "
                 "isn't aligned");
    else
        snprintf(room, WEFT_PLACE_BYTES, "address %p", f->address);
    return room;
}
