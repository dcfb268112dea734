// The least rights that a compiler needs. driver/sandbox.c.
#ifndef WEFTC_SANDBOX_H
#define WEFTC_SANDBOX_H

#include <stdbool.h>

// Takes from this process, and from every program that it runs, what no compile needs. For good; before there are threads.
// translator, validator: the only programs that may be run, NULL or "" for none; any_program: whatever is asked for
// may be run, as these may be scripts. What the system doesn't offer is left out, and told at WEFT_LOG=info.
void weftc_sandbox_enter(const char *translator, const char *validator, bool any_program);

#endif
