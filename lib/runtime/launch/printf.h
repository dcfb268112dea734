// printf of kernels: formatting of one call, and the output of one launch.
#ifndef WEFT_RUNTIME_PRINTF_H
#define WEFT_RUNTIME_PRINTF_H

#include "base/base.h"
#include "weft/kernel_abi.h"

// Appends what printf(format, ...) prints. The blob has the arguments (kernel_abi.h). Follows OpenCL 2.2 C
// §6.13.13. Neither format nor blob is trusted: a conversion without a matching argument prints nothing, and
// strings are read so that a bad pointer does no harm. False: a conversion failed, or there is no memory.
bool weft_printf_format(struct weft_buf *out, const char *format, const void *blob, size_t blob_size);

// The output of one launch, empty if all zero. Threads that run kernels append to it. It is written to stdout
// when the launch is complete.
struct weft_printf_output {
    _Atomic uint32_t lock;
    struct weft_buf text;
};
void weft_printf_append(struct weft_printf_output *o, const struct weft_buf *text);
// Writes the text to stdout and frees it.
void weft_printf_flush(struct weft_printf_output *o);

#endif
