// The bytes of a work-item at distances that differ by constants. Where these are far apart, such as elements
// of two halves of a block, what lies between isn't taken for the work-item's.
#include <string.h>

#include "compiler/checker/races/forms.h"

// Where they would be too many parts, what lies between is taken too.
void weftc_runs_add(struct weftc_runs *r, int64_t first, int64_t end)
{
    struct weftc_run *of = r->run;
    unsigned k = 0;
    while (k < r->count && of[k].end < first)
        k++;
    if (k == r->count || end < of[k].first) {
        if (r->count < WEFTC_MOST_RUNS) {
            memmove(&of[k + 1], &of[k], (r->count++ - k) * sizeof *of);
            of[k] = (struct weftc_run){first, end};
            return;
        }
        k -= k == r->count;
    }
    of[k].first = first < of[k].first ? first : of[k].first;
    of[k].end = end > of[k].end ? end : of[k].end;
    while (k + 1 < r->count && of[k + 1].first <= of[k].end) {
        of[k].end = of[k + 1].end > of[k].end ? of[k + 1].end : of[k].end;
        memmove(&of[k + 1], &of[k + 2], (--r->count - k - 1) * sizeof *of);
    }
}

// Within what has a bound there are no steps.
static bool is_within_bound(const struct weftc_form *f, int64_t step)
{
    for (unsigned k = 0; k < f->count && f->bound.limit; k++)
        if (!f->term[k].value && f->bound.axes >> f->term[k].axis & 1 &&
            (int64_t)f->term[k].coefficient > step)
            return true;
    return false;
}

struct weftc_run weftc_runs_make_steps(const struct weftc_runs *r, struct weftc_form *f)
{
    const struct weftc_run *of = r->run, all = {of[0].first, of[r->count - 1].end};
    const int64_t bytes = of[0].end - of[0].first, step = r->count > 1 ? of[1].first - of[0].first : 0;
    for (unsigned k = 1; k < r->count; k++)
        if (of[k].end - of[k].first != bytes || of[k].first != of[0].first + k * step)
            return all;
    if (is_within_bound(f, step))
        return all;
    f->step = step;
    f->steps = r->count;
    return of[0];
}
