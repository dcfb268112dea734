// What the files that access memory for groups share: vectorize/emit/interleaved.c, per_lane.c, windowed.c and shuffles.c.
#ifndef WEFTC_VECTORIZE_INTERLEAVED_H
#define WEFTC_VECTORIZE_INTERLEAVED_H

#include <stdint.h>

#include <llvm-c/Core.h>

#include "compiler/vectorize/access/access.h"

// Each lane's part of memory, word by word.
struct weftc_group_part {
    LLVMValueRef words[WEFTC_MAX_PIECES]; // vectors over the lanes; NULL: of no interest
};

// ---- vectorize/emit/interleaved.c ----
uint64_t weftc_group_wanted(const struct weftc_vec_group *g); // a bit for each word in which a member is
// Members out of the words that were loaded, and words to store out of the members' values.
void weftc_group_set_members(struct weftc_vec *v, const struct weftc_vec_group *g,
                             const struct weftc_group_part *part);
void weftc_group_get_members(struct weftc_vec *v, const struct weftc_vec_group *g,
                             struct weftc_group_part *part);

// ---- vectorize/emit/per_lane.c ----
// Also what a permute window does where its check fails. wanted: a bit for each word.
void weftc_group_load_lanes(struct weftc_vec *v, const struct weftc_vec_group *g, uint64_t wanted,
                            struct weftc_group_part *part);
void weftc_group_store_lanes(struct weftc_vec *v, const struct weftc_vec_group *g,
                             struct weftc_group_part *part);

// ---- vectorize/emit/shuffles.c ----
LLVMTypeRef weftc_words_type(const struct weftc_vec *v, uint32_t word);
// Elements at[0..count) of a and b; negative: any. b may be NULL.
LLVMValueRef weftc_words_shuffle(struct weftc_vec *v, LLVMValueRef a, LLVMValueRef b, const int *at,
                                 unsigned count);
// n pieces hold word 0 of lane 0, word 1 of lane 0 ... and become n words. wanted: a bit for each of these.
void weftc_words_apart(struct weftc_vec *v, LLVMValueRef *pieces, unsigned n, uint64_t wanted,
                       LLVMValueRef *words);
void weftc_words_together(struct weftc_vec *v, LLVMValueRef *words, unsigned n, LLVMValueRef *pieces);
// The address `bytes` behind the pointer.
LLVMValueRef weftc_group_at(struct weftc_vec *v, LLVMValueRef pointer, uint64_t bytes);
unsigned weftc_group_align(const struct weftc_vec_group *g, uint64_t bytes); // of what lies there in a part
// The access gets the metadata that all members have in common.
void weftc_group_describe(LLVMValueRef access, const struct weftc_vec_group *g);
// A call of llvm.masked.*, which takes four arguments.
LLVMValueRef weftc_group_masked(struct weftc_vec *v, const char *name, LLVMTypeRef type, LLVMTypeRef pointer,
                                LLVMValueRef *arguments);

#endif
