// The parent of a weftc where the application would be it: as process 1, or as a subreaper.
#ifndef WEFT_RUNTIME_COMPILER_KEEPER_H
#define WEFT_RUNTIME_COMPILER_KEEPER_H

#include <sys/types.h>

#include "base/base.h"

struct weft_keeper;

// Would a process whose parent has ended become this one's child?
bool weft_keeper_needed(void);

// Calls start(arg) in a process that stays until the one which start returns (a child of its, by CLONE_VFORK;
// negative: there is none) has ended. start runs on this thread's thread-local storage while this thread waits, so
// all signals must be blocked and it may use raw system calls only. NULL: no such process, *error says why.
struct weft_keeper *weft_keeper_start(int (*start)(void *arg), void *arg, int *error);

// Kills its child, whose number is pid, unless that has ended. Doesn't wait.
void weft_keeper_kill_child(const struct weft_keeper *k, pid_t pid);

// Waits for the keeper's end, which its child's makes, and gives back what it took. NULL is fine. May take as
// long as the end of a process: no lock may be held.
void weft_keeper_bury(struct weft_keeper *k);

// After fork, in the child: the keeper is its parent's.
void weft_keeper_forget(struct weft_keeper *k); // NULL is fine

#endif
