// Starts one weftc, unseen by the application.
#ifndef WEFT_RUNTIME_COMPILER_SPAWN_H
#define WEFT_RUNTIME_COMPILER_SPAWN_H

#include <sys/types.h>

#include "base/base.h"
#include "runtime/compiler/spawn_parent.h"

// Path of weftc: WEFT_WEFTC, or weft/weftc beside libweft.so. NULL: no memory, or the library's place is
// unknown. Lives as long as the library. Any thread.
const char *weft_compiler_path(void);

struct weft_compiler_process {
    int fd;    // our end of the socket pair; -1: none
    dev_t dev; // identity of the socket behind fd: an application may close any descriptor, and open another
               // with its number
    ino_t ino;
    pid_t pid;                        // 0: it will say so itself
    struct weft_spawn_parent *keeper; // its parent; NULL: init
};

// Starts `path --serve`. WEFT_NOT_FOUND and the like with *why (a sentence, the caller's). Takes as long as
// an exec. The new process isn't the application's child, leads its own session, and has inherited nothing but the
// socket.
weft_status weft_compiler_spawn(struct weft_compiler_process *p, const char *path, char **why);

// Is fd still the socket that it was?
bool weft_compiler_fd_is_ours(const struct weft_compiler_process *p);
// Closes the socket, if it is still ours; weftc ends then. What this returns, weft_spawn_parent_reap waits for; NULL:
// nothing.
struct weft_spawn_parent *weft_compiler_hang_up(struct weft_compiler_process *p);
// Kills the process, if it is still there, and hangs up.
struct weft_spawn_parent *weft_compiler_kill(struct weft_compiler_process *p);
// After fork, in the child: closes its copy of the socket.
void weft_compiler_forget(struct weft_compiler_process *p);

#endif
