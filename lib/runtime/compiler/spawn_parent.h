// The spawn parent: it is the parent of a weftc where the application would otherwise get it as a child,
// because the application is process 1 or a subreaper. docs/adr/0008-spawn-parent.md
#ifndef WEFT_RUNTIME_SPAWN_PARENT_H
#define WEFT_RUNTIME_SPAWN_PARENT_H

#include <sys/types.h>

#include "base/base.h"

struct weft_spawn_parent;

// Would a process whose parent has ended become a child of this process?
bool weft_spawn_parent_is_needed(void);

// Calls start(arg) in a new process, the spawn parent. start clones a child (with CLONE_VFORK) and returns
// its pid; negative: it failed. The spawn parent stays until that child has ended. start uses the
// thread-local storage of the calling thread, which waits. So all signals must be blocked, and start may use
// only raw system calls. NULL: failed; *error says why.
struct weft_spawn_parent *weft_spawn_parent_start(int (*start)(void *arg), void *arg, int *error);

// Kills the spawn parent's child, whose pid is `pid`, unless it has ended. Doesn't wait.
void weft_spawn_parent_kill_child(const struct weft_spawn_parent *k, pid_t pid);

// Waits until the spawn parent has ended, which it does after its child, and frees k. k may be NULL. May take
// as long as the end of a process: the caller must hold no lock.
void weft_spawn_parent_reap(struct weft_spawn_parent *k);

// After a fork, in the child: frees k. The spawn parent belongs to the parent process.
void weft_spawn_parent_forget(struct weft_spawn_parent *k); // k may be NULL

#endif
