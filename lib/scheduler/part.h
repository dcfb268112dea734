// What range.c and part.c share: a thread's view of a range, and the chunks that it takes. Any thread that
// takes part may call these functions at the same time as others.
#ifndef WEFT_SCHEDULER_PART_H
#define WEFT_SCHEDULER_PART_H

#include "scheduler/range.h"

// What a thread knows of a range that it takes part in.
struct weft_range_view {
    struct weft_team *team;
    struct weft_range *range;
    struct weft_task *task;
    uint64_t first, end, unit, deadline;
    uint32_t place, generation, parts, chunks;
    bool for_all, is_long;
    bool is_last;  // the thread has the range's last place
    uint32_t part; // its own one. WEFT_PARTS_MAX: it has none
};

struct weft_chunks {
    uint32_t first, end;
};

// The first chunk of part `part` when a range of `chunks` chunks is cut into `parts` parts. `part` may be the
// number after the last: then the number of chunks.
static inline uint32_t weft_part_begin(uint32_t part, uint32_t parts, uint32_t chunks)
{
    return part >= parts ? chunks : (uint32_t)((uint64_t)part * chunks / parts);
}

// A part's word.
static inline uint64_t weft_part_span(uint32_t generation, uint32_t first, uint32_t end)
{
    return (uint64_t)generation << 32 | (uint64_t)first << 16 | end;
}

// Which group the units of a chunk count for: that of the part that it was in when the range was cut.
static inline uint32_t weft_chunk_group(const struct weft_range_view *v, uint32_t chunk)
{
    return (uint32_t)((((uint64_t)chunk + 1) * v->parts - 1) / v->chunks) / WEFT_GROUP_PARTS;
}

// Takes chunks of the range: at most `limit` of the thread's own part, or else stolen ones. Those that are
// too many for once go into its own part. False: none is left for it.
bool weft_chunks_take(const struct weft_range_view *v, uint32_t limit, struct weft_chunks *out);
// Does the thread's own part need `ns` or longer, if `chunks` chunks took `took` ns?
bool weft_part_takes(const struct weft_range_view *v, uint64_t ns, uint32_t chunks, uint64_t took);

#endif
