// What the files share that access memory for groups: vectorize/emit/interleaved.c, aligned_words.c,
// members.c, per_lane.c, windowed.c and shuffles.c.
#ifndef WEFTC_VECTORIZE_INTERLEAVED_H
#define WEFTC_VECTORIZE_INTERLEAVED_H

#include <stdint.h>

#include <llvm-c/Core.h>

#include "compiler/vectorize/access/access.h"

struct weftc_emission;

// The lanes' segments of memory, word by word.
struct weftc_group_segment {
    LLVMValueRef words[WEFTC_MAX_PIECES]; // vectors over the lanes; NULL: of no interest
};

// ---- vectorize/emit/interleaved.c ----
uint64_t weftc_group_wanted(const struct weftc_vec_group *g); // a bit for each word in which a member is

// ---- vectorize/emit/members.c ----
// Takes the members out of the words that were loaded; puts the members' values into words to be stored.
void weftc_group_set_members(struct weftc_emission *em, const struct weftc_vec_group *g,
                             const struct weftc_group_segment *segment);
void weftc_group_get_members(struct weftc_emission *em, const struct weftc_vec_group *g,
                             struct weftc_group_segment *segment);

// ---- vectorize/emit/aligned_words.c ----
// Loads the segments of a group that fits (weftc_vec_fits_aligned), and sets its members.
void weftc_group_load_aligned(struct weftc_emission *em, const struct weftc_vec_group *g);

// ---- vectorize/emit/per_lane.c ----
// Loads or stores each lane's segment for itself. A permute window does so where its check fails. wanted: a
// bit for each word.
void weftc_group_load_lanes(struct weftc_emission *em, const struct weftc_vec_group *g, uint64_t wanted,
                            struct weftc_group_segment *segment);
void weftc_group_store_lanes(struct weftc_emission *em, const struct weftc_vec_group *g,
                             struct weftc_group_segment *segment);

// ---- vectorize/emit/shuffles.c ----
LLVMTypeRef weftc_words_type(const struct weftc_emission *em, uint32_t word);
// Elements at[0..count) of a and b; a negative number stands for any element. b may be NULL.
LLVMValueRef weftc_words_shuffle(struct weftc_emission *em, LLVMValueRef a, LLVMValueRef b, const int *at,
                                 unsigned count);
// n pieces hold word 0 of lane 0, word 1 of lane 0 and so on, and become n words; and the other way. wanted:
// a bit for each of the words.
void weftc_words_apart(struct weftc_emission *em, LLVMValueRef *pieces, unsigned n, uint64_t wanted,
                       LLVMValueRef *words);
void weftc_words_together(struct weftc_emission *em, LLVMValueRef *words, unsigned n, LLVMValueRef *pieces);
// The address `bytes` after the pointer.
LLVMValueRef weftc_group_at(struct weftc_emission *em, LLVMValueRef pointer, uint64_t bytes);
// the alignment of what lies there in a segment
unsigned weftc_group_align(const struct weftc_vec_group *g, uint64_t bytes);
// Gives the access the metadata that all members have in common.
void weftc_group_describe(LLVMValueRef access, const struct weftc_vec_group *g);

#endif
