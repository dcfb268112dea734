// What was counted of a kernel's work (struct weft_kernel_counts), summed up over work-groups: for each line
// of its source, and how many lanes were active where work-items took different paths, for lanes along each
// dimension. The caller's lock guards it (profile.c).
#include <inttypes.h>

#include "base/trace/internal.h"

struct weft_profile_line {
    uint32_t number, along;
    uint64_t bytes, operations;
    uint64_t instructions[WEFT_COUNT_LEVELS]; // by lanes: 1 << level
};

// The entry of a line, with lanes along this dimension. NULL: no memory.
static struct weft_profile_line *line_of(struct weft_profile_work *w, uint32_t number, unsigned along)
{
    for (size_t i = 0; i < w->line_count; i++)
        if (w->line[i].number == number && w->line[i].along == along)
            return &w->line[i];
    if (w->line_count == w->line_room) {
        const size_t room = w->line_room ? 2 * w->line_room : 16;
        struct weft_profile_line *larger = weft_realloc(w->line, room * sizeof *larger);
        if (!larger)
            return NULL;
        w->line = larger;
        w->line_room = room;
    }
    w->line[w->line_count] = (struct weft_profile_line){.number = number, .along = along};
    return &w->line[w->line_count++];
}

uint64_t weft_profile_work_add(struct weft_profile_work *w, unsigned along,
                               const struct weft_kernel_counts *c)
{
    struct weft_profile_lanes *lanes = &w->lanes[along];
    const uint64_t *most = (const uint64_t *)(const void *)(c->part + c->parts);
    const uint64_t *runs = most + (WEFT_COUNT_LEVELS + 1) * c->blocks, items = runs[0];
    for (uint64_t i = 0; i < c->parts; i++) {
        const struct weft_count_part *p = &c->part[i];
        struct weft_profile_line *line = line_of(w, p->line, along);
        const uint64_t own = runs[p->block];
        w->bytes += own * p->bytes;
        w->operations += own * p->operations;
        w->doubles += own * p->doubles;
        if (line) {
            line->bytes += own * p->bytes;
            line->operations += own * p->operations;
        }
        for (unsigned l = 0; l < WEFT_COUNT_LEVELS; l++) {
            const uint64_t together = runs[l * c->blocks + p->block], all = runs[l * c->blocks];
            if (line)
                line->instructions[l] += together * p->instructions;
            lanes->all[l] += together * p->instructions;
            // Less lanes are active than at the kernel's beginning.
            if ((double)own * (double)all < (double)items * (double)together) {
                lanes->divergent[l] += together * p->instructions;
                lanes->active[l] += own * p->instructions;
            }
        }
    }
    w->items += items;
    return items;
}

void weft_profile_work_put(struct weft_buf *out, const char *name, const struct weft_profile_work *w)
{
    for (unsigned d = 0; d < WEFT_COUNT_DIMS; d++) {
        const struct weft_profile_lanes *lanes = &w->lanes[d];
        for (unsigned l = 0; l < WEFT_COUNT_LEVELS && lanes->all[0]; l++)
            weft_buf_printf(out, "lanes\t%s\t%u\t%u\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\n", name, d,
                            1u << l, lanes->active[l], lanes->divergent[l], lanes->all[l]);
    }
    for (size_t i = 0; i < w->line_count; i++) {
        const struct weft_profile_line *line = &w->line[i];
        weft_buf_printf(out, "line\t%s\t%" PRIu32 "\t%" PRIu32 "\t%" PRIu64 "\t%" PRIu64, name, line->number,
                        line->along, line->bytes, line->operations);
        for (unsigned l = 0; l < WEFT_COUNT_LEVELS; l++)
            weft_buf_printf(out, "\t%" PRIu64, line->instructions[l]);
        weft_buf_puts(out, "\n");
    }
}

void weft_profile_work_free(struct weft_profile_work *w)
{
    weft_free(w->line);
    *w = (struct weft_profile_work){0};
}
