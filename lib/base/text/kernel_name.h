// The first kernel of a source in OpenCL C, found without a compiler.
#ifndef WEFT_BASE_TEXT_KERNEL_NAME_H
#define WEFT_BASE_TEXT_KERNEL_NAME_H

// Its name, the caller's. NULL: none was found, or there is no memory. Comments, strings, attributes and
// lines of the preprocessor are skipped, so a kernel that a macro makes isn't seen.
char *weft_first_kernel_name(const char *source);

#endif
