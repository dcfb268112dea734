// driver/ is weftc itself: the command line, the server that a runtime talks to, the server's sandbox, and
// each request from start to end.
//
// Input: a command line, or the requests of weft/protocol.h. Output: what is printed, or the replies. The
// driver calls all other folders. None of them calls the driver.
#ifndef WEFTC_DRIVER_H
#define WEFTC_DRIVER_H

#include <stddef.h>
#include <stdint.h>

#include <llvm-c/Core.h>

#include "compiler/compiler.h"
#include "weft/protocol.h"
#include "weft/status.h"

struct weft_buf;
struct weft_locate_reply;
struct weft_locate_request;
struct weftc_target;

// ---- driver/server.c ----
// Answers the requests that arrive on fd until the client closes it. Returns the exit status of the process.
// level: see weftc_target_init (arch/target.h).
int weftc_serve(int fd, int level);

// ---- driver/build_program.c ----
// Builds a program (clBuildProgram, clCompileProgram) or links programs (clLinkProgram). *reply is always
// filled in, with status and log also after a failure. The caller frees it with weft_program_reply_fini.
void weftc_build(const struct weft_build_request *request, const struct weftc_target *target,
                 struct weft_program_reply *reply);
void weftc_link(const struct weft_link_request *request, const struct weftc_target *target,
                struct weft_program_reply *reply);

// ---- driver/compile_kernel.c ----
// Takes the module of a program, and runs all stages up to and including `last` for the kernel options->name.
// Raises options->level to WEFT_LEVEL_FULL where code of different levels could compute different bits.
weft_status weftc_kernel_stages(LLVMModuleRef module, const struct weftc_target *target,
                                struct weftc_kernel_options *options, enum weftc_stage last,
                                struct weft_buf *log);
// From now on weftc_report_stage_time also writes to standard error. Called before any stage runs.
void weftc_print_stage_times(void);
// Processor time that this process has used, in milliseconds. It measures a stage even when other programs
// keep the machine busy.
double weftc_cpu_ms(void);
// Logs the processor time of a stage that began at start_ms (weftc_cpu_ms). kernel may be NULL: the stage
// works on the whole program.
void weftc_report_stage_time(const char *kernel, const char *stage, double start_ms);
// Compiles one kernel of a program: all stages and codegen. *reply is always filled in, and the caller frees
// it with weft_kernel_reply_fini. Returns reply->status.
weft_status weftc_compile_kernel(const struct weft_kernel_request *request, const struct weftc_target *target,
                                 struct weft_kernel_reply *reply);
// Compiles the kernel of a request as weftc_compile_kernel does, with debug information, and looks up what
// the instruction of the fault worked on. *reply is always filled in, and the caller frees it with
// weft_locate_reply_fini. Its status is WEFT_STALE if the code isn't the code that faulted.
void weftc_locate(const struct weft_locate_request *request, const struct weftc_target *target,
                  struct weft_locate_reply *reply);

// ---- driver/report.c ----
// Writes to out, in words, what the vectorizer does with each kernel of a program, or with the kernel
// options->name if that is not NULL. The module is one that the front end or the linker has finished; it
// isn't changed. Returns WEFT_NOT_FOUND if there is no such kernel.
weft_status weftc_report(LLVMModuleRef module, const struct weftc_target *target,
                         const struct weftc_kernel_options *options, struct weft_buf *out,
                         struct weft_buf *log);

// ---- driver/replay.c: a request that a runtime wrote to a file, to be compiled again ----
struct weftc_replay {
    uint32_t type; // WEFT_MSG_BUILD or WEFT_MSG_LINK: says which member below is valid
    struct weft_build_request build;
    struct weft_link_request link;
};
// Decodes the contents of such a file. Appends an error message to log on failure. The caller frees *r with
// weftc_replay_fini, also after a failure.
weft_status weftc_replay_decode(struct weftc_replay *r, const void *bytes, size_t size, struct weft_buf *log);
void weftc_replay_fini(struct weftc_replay *r);

#endif
