// The entry points of a process that writes a timeline (weft/trace.h): weft_traced_<name> calls weft_<name>
// and records the call. icd/traced.py makes them. Without a timeline nobody calls them.
#ifndef WEFT_ICD_TRACED_H
#define WEFT_ICD_TRACED_H

#include "runtime/api/api.h"
#include "weft/trace.h"

// Same types as the plain ones.
#define WEFT_SLOT(name) __typeof__(weft_##name) weft_traced_##name;
#define WEFT_TAG(name) WEFT_SLOT(name)
#define WEFT_EXTENSION_CALL(name) __typeof__(weft_##name) weft_traced_##name;
#include "api.def"

// The entry point that records calls of this one. Without a timeline: this one.
void *weft_traced_of(void *plain);
// To be called at load if there is a timeline.
void weft_traced_start(void);

#endif
