// Starts one weftc, invisibly to the application.
#ifndef WEFT_RUNTIME_COMPILER_SPAWN_H
#define WEFT_RUNTIME_COMPILER_SPAWN_H

#include <sys/types.h>

#include "base/base.h"
#include "runtime/compiler/spawn_parent.h"

// Path of weftc: WEFT_WEFTC, or weft/weftc beside libweft.so. NULL: no memory, or the path of the library is
// unknown. Valid as long as the library is loaded. Any thread.
const char *weft_compiler_path(void);

// What to do if weftc can't be started for this error (errno): a sentence with a space before it, or "".
const char *weft_compiler_advice(int error);

struct weft_compiler_process {
    int fd; // Weft's end of the socket pair; -1: none
    // Identify the socket. The application may close any descriptor and open another file with its number.
    dev_t dev;
    ino_t ino;
    pid_t pid;                              // 0: unknown until weftc reports it
    struct weft_spawn_parent *spawn_parent; // the process's parent (spawn_parent.h); NULL: init
};

// Starts `path --serve`. The new process isn't a child of the application, leads its own session, and
// inherits only the socket. Takes as long as an exec. On an error (WEFT_NOT_FOUND, WEFT_NO_MEMORY,
// WEFT_NO_RESOURCES) *why is a sentence, the caller's.
weft_status weft_compiler_spawn(struct weft_compiler_process *p, const char *path, char **why);

// Does fd still refer to the same socket?
bool weft_compiler_fd_is_ours(const struct weft_compiler_process *p);
// Closes the socket if it is still ours, which ends weftc. The caller must pass the result to
// weft_spawn_parent_reap.
struct weft_spawn_parent *weft_compiler_hang_up(struct weft_compiler_process *p);
// Kills the process if it still exists, and hangs up. The caller must pass the result to
// weft_spawn_parent_reap.
struct weft_spawn_parent *weft_compiler_kill(struct weft_compiler_process *p);
// After a fork, in the child: closes its copy of the socket.
void weft_compiler_forget(struct weft_compiler_process *p);

#endif
