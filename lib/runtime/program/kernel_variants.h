// Other codes of a kernel than its own (ADR 7, 22, 27): asked for, waited for, and which of them a launch runs.
#ifndef WEFT_RUNTIME_KERNEL_VARIANTS_H
#define WEFT_RUNTIME_KERNEL_VARIANTS_H

#include "runtime/program/kernel_code.h"

// ---- program/choose_variant.c ----

// The form (enum weft_variant) that suits the launch, of a kernel whose code in WEFT_VARIANT_ANY is `own` (pure).
uint32_t weft_ndrange_variant(const struct weft_ndrange *nd, const struct weft_kernel_info *own);

// ---- program/kernel_variants.c ----

// The code in this form, from WEFT_VARIANT_DIM on. NULL: there is none yet, in which case it will be made once the
// kernel's own code is as good as it gets, or it isn't worth having. Does not wait. No lock held.
const struct weft_kernel_info *weft_kernel_code_of_variant(struct weft_kernel_code *code, uint32_t form);
// Has code in this form made in the background, unless it has been asked for, or can't be made now. Does not wait. No lock held.
void weft_kernel_variant_request(struct weft_kernel_variant *f);
// Has it made and waits until it is there, or can't be made. No lock held.
void weft_kernel_variant_wait(struct weft_kernel_variant *f);

// ---- program/size_variant.c ----

// The code for a launch with these groups, of a kernel whose own code is `own`. NULL: there is none, or not for such a launch.
const struct weft_kernel_info *weft_kernel_code_sized(struct weft_kernel_code *code,
                                                      const struct weft_kernel_info *own,
                                                      const struct weft_ndrange *nd);
// A launch with these groups, of code `own`, runs for so long on one thread: when that has become much, code for its size of
// groups is made.
// Does not wait. No lock held.
void weft_kernel_code_note_time(struct weft_kernel_code *code, const struct weft_kernel_info *own,
                                const struct weft_ndrange *nd, uint64_t ns);
// Where launches wait for such code (weft_kernel_code.each_size): makes it, unless it is there.
void weft_kernel_code_wait_sized(struct weft_kernel_code *code, const struct weft_ndrange *nd);
void weft_kernel_sized_fini(struct weft_kernel_code *c); // when the build goes

// ---- program/autotune.c ----

// In which code a range runs while it is measured; trial NULL: it isn't.
struct weft_autotune_sample {
    struct weft_autotune *trial;
    uint32_t standing; // of the trial, when the range began
    bool other;        // it runs in the code that is new
};

// Of a kernel whose own code is autotune_candidates (kernel_abi.h): a code that is tried beside it, when that has won, or when it is its turn.
// NULL: what the kernel has for such launches otherwise. While two are measured *turn says what weft_autotune_note wants to know.
// Any thread.
const struct weft_kernel_info *weft_autotune_code(struct weft_kernel_code *c,
                                                  struct weft_autotune_sample *turn);
// A range took so many ns for 1024 work-items.
void weft_autotune_note(const struct weft_autotune_sample *turn, uint32_t cost);
// Such a kernel runs for so many ns of one thread: when that has become much, other codes are made and tried one after the other (doubts:
// a set of enum weft_autotune_candidate). Does not wait. No lock held.
void weft_autotune_note_time(struct weft_kernel_code *c, uint32_t doubts, uint64_t ns);
// WEFT_VARIANT=tune: waits for all of these codes, unless they are there. No lock held.
void weft_autotune_wait(struct weft_kernel_code *c);
void weft_autotune_fini(struct weft_kernel_code *c); // when the build goes

#endif
