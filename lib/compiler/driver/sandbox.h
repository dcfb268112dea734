// Takes away all rights that a compiler process doesn't need (driver/sandbox.c).
#ifndef WEFTC_SANDBOX_H
#define WEFTC_SANDBOX_H

#include <stdbool.h>

// Takes from this process, and from every program that it runs, all rights that no compile needs. This can't
// be undone. Call it before the process has a second thread.
//
// translator, validator: paths of the only programs that may be executed; NULL or "" means none. any_program:
// any program may be executed (these two may be scripts, which need an interpreter). Protections that the
// system doesn't offer are left out; a message at WEFT_LOG=info reports that.
void weftc_sandbox_enter(const char *translator, const char *validator, bool any_program);

#endif
