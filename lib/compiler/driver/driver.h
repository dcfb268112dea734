// driver/ is weftc itself: the command line, the server that a runtime talks to, its sandbox, and each request from its start to its end.
//
// Comes in: a command line, or the requests of weft/protocol.h. Goes out: what is printed, or the replies. It calls all other folders and
// none of them calls it.
#ifndef WEFTC_DRIVER_H
#define WEFTC_DRIVER_H

#include <stddef.h>
#include <stdint.h>

#include <llvm-c/Core.h>

#include "compiler/compiler.h"
#include "weft/protocol.h"
#include "weft/status.h"

struct weft_buf;
struct weftc_target;

// ---- driver/server.c ----
// Answers requests that come from fd until there is nobody left to ask. level: as weftc_target_init has it.
int weftc_serve(int fd, int level);

// ---- driver/build_program.c ----
// The requests to build and to link. The reply is filled in whatever the outcome (also its status and log) and is the caller's, to be
// freed with weft_*_reply_fini.
void weftc_build(const struct weft_build_request *request, const struct weftc_target *target,
                 struct weft_program_reply *reply);
void weftc_link(const struct weft_link_request *request, const struct weftc_target *target,
                struct weft_program_reply *reply);

// ---- driver/compile_kernel.c ----
// A program's module through all stages up to `last`, for one kernel. Clears options->quick where quick and
// full code could compute different bits.
weft_status weftc_kernel_stages(LLVMModuleRef module, const struct weftc_target *target,
                                struct weftc_kernel_options *options, enum weftc_stage last,
                                struct weft_buf *log);
// The request for one kernel of a program, through all stages. The reply is filled in whatever the outcome.
weft_status weftc_compile_kernel(const struct weft_kernel_request *request, const struct weftc_target *target,
                                 struct weft_kernel_reply *reply);

// ---- driver/report.c ----
// What vectorize does, in words, for each kernel of a program as the front end or the linker left it, or for options->name alone when
// that is given. WEFT_NOT_FOUND: there is none.
weft_status weftc_report(LLVMModuleRef module, const struct weftc_target *target,
                         const struct weftc_kernel_options *options, struct weft_buf *out,
                         struct weft_buf *log);

// ---- driver/replay.c: a request that a runtime wrote to a file, to be looked at again ----
struct weftc_replay {
    uint32_t type; // WEFT_MSG_BUILD or WEFT_MSG_LINK: which of the two it is
    struct weft_build_request build;
    struct weft_link_request link;
};
// What is wrong is told in the log. To be freed whatever the outcome.
weft_status weftc_replay_decode(struct weftc_replay *r, const void *bytes, size_t size, struct weft_buf *log);
void weftc_replay_fini(struct weftc_replay *r);

#endif
