// The parent of a weftc where the application would be it: as process 1, or as a subreaper.
#ifndef WEFT_RUNTIME_SPAWN_PARENT_H
#define WEFT_RUNTIME_SPAWN_PARENT_H

#include <sys/types.h>

#include "base/base.h"

struct weft_spawn_parent;

// Would a process whose parent has ended become this one's child?
bool weft_spawn_parent_is_needed(void);

// Calls start(arg) in a process that stays until the one which start returns (a child of its, by CLONE_VFORK;
// negative: there is none) has ended. start runs on this thread's thread-local storage while this thread waits, so
// all signals must be blocked and it may use raw system calls only. NULL: no such process, *error says why.
struct weft_spawn_parent *weft_spawn_parent_start(int (*start)(void *arg), void *arg, int *error);

// Kills its child, whose number is pid, unless that has ended. Doesn't wait.
void weft_spawn_parent_kill_child(const struct weft_spawn_parent *k, pid_t pid);

// Waits for the keeper's end, which its child's makes, and gives back what it took. NULL is fine. May take as
// long as the end of a process: no lock may be held.
void weft_spawn_parent_reap(struct weft_spawn_parent *k);

// After fork, in the child: the keeper is its parent's.
void weft_spawn_parent_forget(struct weft_spawn_parent *k); // NULL is fine

#endif
