// Ranges under way: how the units of a task are divided among threads without a lock.
//
// A team is the threads that may share ranges: the pool's, or a domain's. Each thread has a rank in it. A
// range that is opened is cut into chunks, and the chunks into parts, one for each thread that is to take
// part: part i is for the thread with rank i. A part is one word in a cache line of its own. Its owner takes
// chunks from the front. A thread whose part is used up takes the back half of another part, runs the first
// of these chunks and puts the others into its own part, where others can take them again.
//
// Nothing is written to a part before a thread takes chunks from it. A part's word has the generation of the
// range that it was last used for. If that is an older one, the part still has all of its chunks.
//
// Several ranges may be under way. Each has a deadline: the time when it was opened, and some times what it
// takes with all threads. A thread takes part in the range that is due first, and leaves a range between
// two chunks if another one is due before it. So a short range doesn't wait for a long one, and a long one
// isn't kept waiting for ever, since what comes later than its deadline is due after it.
//
// Parts are in groups of eight. A group counts its units that have not run, and knows which of its parts may
// have chunks left. The range counts its groups with units left. So no word is written by all threads, and
// who looks for chunks reads one word for eight parts.
#ifndef WEFT_SCHEDULER_RANGE_H
#define WEFT_SCHEDULER_RANGE_H

#include "scheduler/internal.h"

enum {
    WEFT_RANGES = 8,                 // under way at once in a team
    WEFT_GROUP_PARTS = 8,            // parts in a group
    WEFT_GROUPS_MAX = 64,            // in a range
    WEFT_CHUNKS_MAX = (1 << 16) - 1, // in a range: a part's word has 16 bits for the number of a chunk
    WEFT_PARTS_MAX = WEFT_GROUP_PARTS * WEFT_GROUPS_MAX
};

struct weft_part {
    // From the top: 32 bits generation, 16 bits first chunk, 16 bits the chunk after the last.
    _Alignas(WEFT_CACHE_LINE) _Atomic uint64_t span;
};

struct weft_part_group {
    _Alignas(WEFT_CACHE_LINE) _Atomic uint64_t left; // units of its parts, as they were cut, that haven't run
    _Atomic uint32_t open;                           // bit i: its part i may have chunks
};

struct weft_range {
    // Odd while a thread opens the range. The members up to `deadline` change only then.
    _Alignas(WEFT_CACHE_LINE) _Atomic uint32_t generation;
    _Atomic uint32_t parts, chunks, flags;
    _Atomic bool for_all; // the whole team takes part
    _Atomic bool is_long; // sleeping threads are called before it is known how long a chunk takes
    _Atomic(struct weft_task *) task;
    _Atomic uint64_t first, end; // units
    _Atomic uint64_t unit;       // units of a chunk; the last chunk may have fewer
    _Atomic uint64_t age;        // counts the team's ranges: the oldest has the lowest number
    _Atomic uint64_t deadline;   // ns: of several ranges, threads take part in the one that is due first
    // If it isn't for all: how many threads may take part, and, in the lower half of `joined`, how many do;
    // the upper half is the generation.
    _Alignas(WEFT_CACHE_LINE) _Atomic uint64_t joined;
    _Atomic uint32_t invited;
    // The last place, for an application thread that helps or for the pool's last thread, since there is one
    // processor for both. In the lower half 1: it is taken; the upper half is the generation.
    _Atomic uint64_t last_place;
    _Alignas(WEFT_CACHE_LINE) _Atomic uint64_t open; // bit g: group g may have parts with chunks
    _Alignas(WEFT_CACHE_LINE) _Atomic uint32_t left; // number of groups with units that haven't run
    struct weft_part_group *group;
    struct weft_part *part;
};

struct weft_team {
    // Counts the ranges that threads are called to. Idle threads that spin watch it.
    _Alignas(WEFT_CACHE_LINE) _Atomic uint32_t calls;
    _Atomic uint32_t called;                         // how many threads the last call was for
    uint32_t size;                                   // ranks; constant, as `domain`
    struct weft_domain *domain;                      // NULL: the pool's team
    _Alignas(WEFT_CACHE_LINE) _Atomic uint32_t open; // bit i: range[i] may have chunks
    _Alignas(WEFT_CACHE_LINE) _Atomic uint32_t used; // bit i: range[i] is under way
    _Atomic uint64_t ages;
    struct weft_range range[WEFT_RANGES];
};

// Allocates what a team of `size` threads needs. NULL: no memory.
struct weft_team *weft_team_create(uint32_t size, struct weft_domain *domain);
void weft_team_destroy(struct weft_team *team); // NULL is allowed
void weft_team_reset(struct weft_team *team);   // in a forked child: drops all ranges

// How many threads should share the units of t, at most `most`.
uint32_t weft_range_threads(const struct weft_task *t, uint32_t most);
// Makes the units of t from t->first on a range under way, for `threads` threads. False: too many are under
// way. Afterwards t may be done and freed at any time.
bool weft_range_open(struct weft_team *team, struct weft_task *t, uint32_t threads);
// To be called after weft_range_open if the range is urgent: calls the first threads to it. cost: that of the
// task; threads: as for weft_range_open.
void weft_range_call(struct weft_team *team, uint64_t cost, uint32_t threads);

struct weft_range_rules {
    uint32_t rank;            // below the team's size
    uint32_t unfit;           // weft_task_flags of tasks that mustn't be taken
    bool is_last;             // takes part only in a range whose last place is free
    bool newest;              // of several ranges take the newest, not the one that is due first
    bool (*ready)(void *arg); // leave the range when it returns true; NULL: when a task waits
    void *arg;
};
// Runs chunks of one range of the team, and `done` of its task if the last units were among them. False:
// there was nothing to take.
bool weft_range_work(struct weft_thread *t, struct weft_team *team, const struct weft_range_rules *rules);
// Must a thread stop what it does, because it waits for something that is ready, a task waits for it, or the
// pool ends? May give it a `next`.
bool weft_range_must_leave(struct weft_thread *t, const struct weft_range_rules *rules);
// Is there a range that one more thread may take part in? is_last: one with the last place free. several:
// are there two ranges with chunks left?
bool weft_range_is_open(struct weft_team *team, bool is_last);
bool weft_range_several(struct weft_team *team);
// The sum of the generations of the ranges that have chunks left, and with is_last their last place free; 0:
// there is none. A hint.
uint32_t weft_range_signature(struct weft_team *team, bool is_last);

#endif
