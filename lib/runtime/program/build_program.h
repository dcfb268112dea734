// Orders to build, compile or link a program. OpenCL 2.2 §5.8.4 and §5.8.5.
#ifndef WEFT_RUNTIME_BUILD_PROGRAM_H
#define WEFT_RUNTIME_BUILD_PROGRAM_H

#include "runtime/program/program.h"

enum weft_build_kind { WEFT_DO_BUILD, WEFT_DO_COMPILE, WEFT_DO_LINK };

struct weft_build_order {
    enum weft_build_kind kind;
    struct weft_program *program;
    cl_uint device_count; // some of the program's devices; 0: all of them
    struct weft_device *const *devices;
    const char *options;  // NULL: none
    cl_uint header_count; // for WEFT_DO_COMPILE
    struct weft_program *const *headers;
    const char *const *header_names;
    cl_uint input_count; // for WEFT_DO_LINK
    struct weft_program *const *inputs;
    weft_program_notify notify; // NULL: the call waits for the result
    void *user;
};
// Carries the order out, or hands it to the compile queue if it has a notify function. Returns CL_SUCCESS, or
// the error of clBuildProgram, clCompileProgram or clLinkProgram. *begun is set to false if the build
// couldn't begin; the program is then unchanged and notify isn't called.
cl_int weft_program_build(const struct weft_build_order *order, bool *begun);

#endif
