// What weftc's command line asks for, and the functions of the offline compiler that do it.
#ifndef WEFTC_COMMAND_H
#define WEFTC_COMMAND_H

#include <stdbool.h>
#include <stdint.h>

#include "base/base.h"
#include "weft/kernel_abi.h"
#include "weft/status.h"

struct weft_build_request;
struct weftc_target;

struct weftc_command {
    const char *input, *output, *emit, *kernel;
    struct weft_buf options; // the program's build options, quoted
    uint32_t group[3];       // local size that the code is for; 0: any
    int level; // highest level of the processor (weft_arch_level) that code may use; 0: no limit
    bool serve, version, replay, target;
};

// ---- driver/offline.c ----
// Compiles the input file of a struct weftc_command, with error messages on standard error. Runs on the big
// stack (ir/process.h). Returns the exit status of the process.
int weftc_run_offline(void *command);

// ---- driver/print_target.c ----
// Prints the processor that code is made for, and what the compiler uses of it. Returns the exit status of
// the process.
int weftc_print_target(const struct weftc_command *c);

// ---- driver/emit.c ----
// Appends to out what --emit or --report asks for. Errors of the program are in the log.
weft_status weftc_emit(const struct weftc_command *c, const struct weftc_target *target,
                       const struct weft_build_request *request, struct weft_buf *out, struct weft_buf *log);
bool weftc_is_stage(const char *name); // can --emit name it? `report` counts too
// Is the input LLVM's text, as LLVM and --emit print it? Is it bitcode, or such text?
bool weftc_is_text_of_llvm(const struct weft_build_request *request);
bool weftc_is_bitcode(const struct weft_build_request *request);
enum weft_code_level weftc_requested_level(void); // from WEFT_TIER; fully optimised by default
uint32_t weftc_requested_variant(void);           // enum weft_variant, from WEFT_VARIANT

#endif
