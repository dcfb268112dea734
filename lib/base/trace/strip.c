// The coarse timeline of `weft prof`: a strip says for how long something went on in each of BINS spans of
// time. When the process goes on for longer, all spans double, so memory is bounded. Owns the strips; the
// caller's lock guards them (profile.c).
#include <inttypes.h>

#include "base/trace/internal.h"

enum { BINS = 256, FIRST_WIDTH = 1 << 16 }; // ns

struct weft_profile_strip {
    struct weft_profile_strip *next;
    uint64_t bin[BINS]; // ns
};

static struct weft_profile_strip *strips;
static uint64_t origin, width = FIRST_WIDTH;

void weft_profile_strips_start(uint64_t now)
{
    while (strips) {
        struct weft_profile_strip *next = strips->next;
        weft_free(strips);
        strips = next;
    }
    origin = now;
    width = FIRST_WIDTH;
}

static void double_width(void)
{
    for (struct weft_profile_strip *s = strips; s; s = s->next) {
        for (size_t i = 0; i < BINS / 2; i++)
            s->bin[i] = s->bin[2 * i] + s->bin[2 * i + 1];
        for (size_t i = BINS / 2; i < BINS; i++)
            s->bin[i] = 0;
    }
    width *= 2;
}

void weft_profile_strip_add(struct weft_profile_strip **at, uint64_t from, uint64_t to)
{
    if (to <= from || from < origin)
        return;
    if (!*at) {
        struct weft_profile_strip *made = weft_zalloc(sizeof *made);
        if (!made)
            return;
        made->next = strips;
        strips = *at = made;
    }
    while (to - origin > BINS * width)
        double_width();
    for (uint64_t t = from; t < to;) {
        const uint64_t i = (t - origin) / width, end = origin + (i + 1) * width, until = end < to ? end : to;
        if (i >= BINS) // the last instant
            break;
        (*at)->bin[i] += until - t;
        t = until;
    }
}

void weft_profile_strip_put(struct weft_buf *out, const char *name, const char *what,
                            const struct weft_profile_strip *s)
{
    size_t last = BINS;
    while (s && last > 0 && !s->bin[last - 1])
        last--;
    if (!s || !last)
        return;
    weft_buf_printf(out, "strip\t%s\t%s\t%" PRIu64 "\t%" PRIu64 "\t", name, what, origin, width);
    for (size_t i = 0; i < last; i++)
        weft_buf_printf(out, i ? ",%" PRIu64 : "%" PRIu64, s->bin[i]);
    weft_buf_puts(out, "\n");
}
