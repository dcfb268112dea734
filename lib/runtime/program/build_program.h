// Orders to build, compile or link a program.
#ifndef WEFT_RUNTIME_BUILD_PROGRAM_H
#define WEFT_RUNTIME_BUILD_PROGRAM_H

#include "runtime/program/program.h"

enum weft_build_kind { WEFT_DO_BUILD, WEFT_DO_COMPILE, WEFT_DO_LINK };

struct weft_build_order {
    enum weft_build_kind kind;
    struct weft_program *program;
    cl_uint device_count; // of the program's; 0: for all of them
    struct weft_device *const *devices;
    const char *options;  // NULL: none
    cl_uint header_count; // WEFT_DO_COMPILE
    struct weft_program *const *headers;
    const char *const *header_names;
    cl_uint input_count; // WEFT_DO_LINK
    struct weft_program *const *inputs;
    weft_program_notify notify; // NULL: wait
    void *user;
};
// CL_SUCCESS: done, or with notify under way. Otherwise the error of clBuildProgram, clCompileProgram or
// clLinkProgram. begun: false when the build could not begin; the program is then as it was, and notify isn't
// called.
cl_int weft_program_build(const struct weft_build_order *order, bool *begun);

#endif
