// What the files of the timeline share: rings.c (what threads write), memory.c (memory in use), names.c
// (texts, and what code is where), write.c (the file), commands.c (the tracks of queues in it) and print.c
// (its format). include/weft/trace.h is the contract.
//
// Only rings.c and memory.c are called while the program works. The others run when the file is written,
// except for names.c, whose texts are made when programs are built. timeline.c starts and ends all of them.
#ifndef WEFT_BASE_TRACE_INTERNAL_H
#define WEFT_BASE_TRACE_INTERNAL_H

#include <stddef.h>
#include <stdint.h>

#include "base/base.h"
#include "weft/kernel_abi.h"
#include "weft/trace.h"

// One record fills a cache line. A command's times are in `time` (queued), value[0] (submitted), value[1]
// (started) and `end` (completed).
enum { WEFT_TRACE_VALUES = 5 };
struct weft_trace_record {
    uint32_t kind; // enum weft_trace_kind
    weft_trace_text name;
    uint64_t time, end; // ns; a point in time has time only
    uint64_t value[WEFT_TRACE_VALUES];
};
_Static_assert(sizeof(struct weft_trace_record) == 64, "a record is a cache line");

// ---- rings.c ----

// The records of one thread, oldest first.
struct weft_trace_thread {
    int id;
    char name[16];
    struct weft_trace_record *record; // weft_free
    size_t count;
    uint64_t dropped;
};
// Goes through all threads that have records. next: 0 at first. False: there is no other. A thread's records
// may be missing for lack of memory; they count as dropped then.
bool weft_trace_next_thread(size_t *next, struct weft_trace_thread *out);
uint64_t weft_trace_lost(void);            // records that belong to no such thread
bool weft_trace_rings_start(size_t bytes); // at load. bytes: of each thread's ring. False: no memory
void weft_trace_rings_stop(void);          // at unload, when nobody calls any more
void weft_trace_rings_lock(void);          // for a fork
void weft_trace_rings_unlock(void);
void weft_trace_rings_after_fork(void); // in the child, with the lock: drops what the parent's threads wrote
void weft_trace_rings_close(void);      // in a child that has sums alone: nothing more is written

enum { WEFT_TRACE_MAX_TEXTS = 1 << 16 }; // texts have smaller numbers

// ---- names.c: the functions that read texts are called under its lock. ----

bool weft_trace_names_start(void); // at load. False: no memory
void weft_trace_names_stop(void);  // at unload, when nobody calls any more
void weft_trace_names_lock(void);  // for a fork
void weft_trace_names_unlock(void);
const char *weft_trace_text_of(weft_trace_text name); // NULL: there is none
// What the code at this address was at that time. NULL or 0: unknown.
const char *weft_trace_code_at(uint64_t code, uint64_t time);
weft_trace_text weft_trace_code_name(uint64_t code, uint64_t time);
// The name that a kernel has in its program. NULL: there is no such text.
const char *weft_trace_own_name(weft_trace_text kernel);
// The name of the queue with this number. NULL: there is none.
const char *weft_trace_queue_name(uint32_t queue);

// ---- print.c: JSON ----

struct weft_trace_output {
    int fd;
    int error; // errno of the first write that failed; 0: none
    size_t used;
    bool any; // an event has been written
    char room[1 << 16];
};
void weft_trace_flush(struct weft_trace_output *o);
void weft_trace_put(struct weft_trace_output *o, const char *fmt, ...) WEFT_PRINTF(2, 3);
void weft_trace_put_text(struct weft_trace_output *o, const char *text); // in quotes
void weft_trace_put_time(struct weft_trace_output *o, uint64_t ns);      // in microseconds
// Begins an event: everything up to its time. process, thread: its track.
void weft_trace_put_event(struct weft_trace_output *o, char phase, const char *category, const char *name,
                          int64_t process, int64_t thread, uint64_t time);
void weft_trace_put_duration(struct weft_trace_output *o, uint64_t ns);
// Names a process or a thread. what: process_name or thread_name.
void weft_trace_put_name(struct weft_trace_output *o, const char *what, int64_t process, int64_t thread,
                         const char *name);

// ---- memory.c: the graph of memory in use ----

bool weft_trace_memory_start(void); // at load. False: no memory
void weft_trace_memory_stop(void);  // at unload, when nobody calls any more
void weft_trace_memory_lock(void);  // for a fork
void weft_trace_memory_unlock(void);
void weft_trace_memory_after_fork(void); // in the child, with the lock: drops the parent's graph
void weft_trace_memory_put(struct weft_trace_output *o, int64_t process);

// ---- pending.c ----

enum { WEFT_TRACE_PENDING = 3 };     // the status of a command that isn't complete: CL_QUEUED
bool weft_trace_pending_start(void); // at load. False: no memory
void weft_trace_pending_stop(void);  // at unload, when nobody calls any more
void weft_trace_pending_lock(void);  // for a fork
void weft_trace_pending_unlock(void);
void weft_trace_pending_after_fork(void); // in the child, with the lock
void weft_trace_pending_remove(uint64_t address);
struct weft_trace_commands;
// Adds what isn't complete to the commands that are.
void weft_trace_pending_add(struct weft_trace_commands *all, uint64_t now);

// ---- commands.c ----

// Commands and what they wait for, of all threads.
struct weft_trace_commands {
    struct weft_trace_record *command, *edge;
    size_t command_count, edge_count, command_room, edge_room;
    uint64_t lost; // for lack of memory
};
void weft_trace_commands_add(struct weft_trace_commands *all, const struct weft_trace_record *r);
// process: the number that the queues get, as if they were a process.
void weft_trace_commands_put(struct weft_trace_output *o, struct weft_trace_commands *all, int64_t process);

// ---- path.c: results are the caller's; NULL: no memory ----

char *weft_trace_absolute(const char *given);
char *weft_trace_with_number(const char *path); // with the process's number for %p

// ---- profile.c ----

bool weft_profile_start(void);               // at load: makes the file's name. False: no memory
void weft_profile_stop(void);                // at unload, when nobody calls any more
bool weft_profile_has_file_of_its_own(void); // as weft_trace_has_file_of_its_own
void weft_profile_write(void);               // writes the file. The names' lock is held
void weft_profile_end_writer(void);          // before the last write; the caller holds no lock
void weft_profile_lock(void);                // for a fork
void weft_profile_unlock(void);
void weft_profile_after_fork(void); // in the child, with the lock
void weft_profile_complete(const struct weft_trace_completion *c);
void weft_profile_compile(weft_trace_text what, uint64_t since, uint64_t until);

// ---- itt.c ----

extern _Atomic bool weft_itt_on;
bool weft_itt_start(void); // at load: opens the profiler's library. False: there is none
void weft_itt_stop(void);  // at unload, when nobody calls any more

// ---- work.c: under profile.c's lock ----

struct weft_profile_line;
struct weft_profile_work {
    uint64_t items, bytes, operations, doubles; // doubles: of the operations
    struct weft_profile_line *line;             // of the source
    size_t line_count, line_room;
    // Instructions, by lanes (1 << level): that vectors would run; of these, where some lanes are inactive;
    // and there, of single work-items. So active / divergent is the mean number of active lanes. They are
    // kept for each dimension of lanes.
    struct weft_profile_lanes {
        uint64_t all[WEFT_COUNT_LEVELS], divergent[WEFT_COUNT_LEVELS], active[WEFT_COUNT_LEVELS];
    } lanes[WEFT_COUNT_DIMS];
};
// Adds what was counted, with lanes along this dimension, and returns the number of work-items.
uint64_t weft_profile_work_add(struct weft_profile_work *w, unsigned along,
                               const struct weft_kernel_counts *c);
void weft_profile_work_put(struct weft_buf *out, const char *name, const struct weft_profile_work *w);
void weft_profile_work_free(struct weft_profile_work *w);

// ---- strip.c: likewise ----

struct weft_profile_strip;
void weft_profile_strips_start(uint64_t now); // drops all strips. now: where those to come begin
// Something went on from one time to the other. *at: the strip, which is made if it is NULL.
void weft_profile_strip_add(struct weft_profile_strip **at, uint64_t from, uint64_t to);
void weft_profile_strip_put(struct weft_buf *out, const char *name, const char *what,
                            const struct weft_profile_strip *s);

// ---- write.c ----

bool weft_trace_file_start(void); // at load: makes the file's name. False: no memory
void weft_trace_file_stop(void);
bool weft_trace_has_file_of_its_own(void); // has a forked child another file than its parent?
void weft_trace_write(void);               // writes the file. Reports in the log if it can't

#endif
