// How long iterations take (vectorize/cost/iteration_time.c). For files of vectorize/cost/ alone.
#ifndef WEFTC_VECTORIZE_ITERATION_TIME_H
#define WEFTC_VECTORIZE_ITERATION_TIME_H

#include <stdint.h>

struct weftc_target;
struct weftc_vec;
struct weftc_vec_interleave;

enum { WEFTC_ITERATION_SIZES = 3 }; // iterations of one, two and four vectors

// What the work of four vectors takes: in scalar code, and in iterations of one, two and four vectors.
struct weftc_vec_times {
    uint64_t scalar, one, two, four;
    uint64_t units[WEFTC_ITERATION_SIZES];     // without what is shared and without latencies
    uint32_t registers[WEFTC_ITERATION_SIZES]; // that the values of one, two and four vectors take
};
// v: with its accesses classified. Also fills what t says of the part that counts most, t->registers and
// t->percent. If memory is short, v->no_memory is set.
void weftc_vec_estimate_times(struct weftc_vec *v, const struct weftc_target *target,
                              struct weftc_vec_interleave *t, struct weftc_vec_times *all);

#endif
