// Other codes of a kernel than its own (ADR 7, 22, 27): asked for, waited for, and which of them a launch runs.
#ifndef WEFT_RUNTIME_KERNEL_FORMS_H
#define WEFT_RUNTIME_KERNEL_FORMS_H

#include "runtime/program/program.h"

// ---- program/kernel_code.c ----

// Has the kernel the best code of its own that it will have? Any thread.
bool weft_kernel_code_is_best(const struct weft_kernel_code *c);
// Has code in this form made in the background, unless it has been asked for, or can't be made now. Does not wait. No lock held.
void weft_kernel_form_ask(struct weft_kernel_form *f);
// Has it made and waits until it is there, or can't be made. No lock held.
void weft_kernel_form_wait(struct weft_kernel_form *f);

// ---- program/size_variant.c ----

void weft_kernel_sized_fini(struct weft_kernel_code *c); // when the build goes

// ---- program/autotune.c ----

// In which code a range runs while it is measured; trial NULL: it isn't.
struct weft_trial_turn {
    struct weft_kernel_trial *trial;
    uint32_t standing; // of the trial, when the range began
    bool other;        // it runs in the code that is new
};

// Of a kernel whose own code is doubtful (kernel_abi.h): a code that is tried beside it, when that has won, or when it is its turn.
// NULL: what the kernel has for such launches otherwise. While two are measured *turn says what weft_kernel_trial_note wants to know.
// Any thread.
const struct weft_kernel_info *weft_kernel_trial_code(struct weft_kernel_code *c,
                                                      struct weft_trial_turn *turn);
// A range took so many ns for 1024 work-items.
void weft_kernel_trial_note(const struct weft_trial_turn *turn, uint32_t cost);
// Such a kernel runs for so many ns of one thread: when that has become much, other codes are made and tried one after the other (doubts:
// a set of enum weft_doubt). Does not wait. No lock held.
void weft_kernel_trial_note_time(struct weft_kernel_code *c, uint32_t doubts, uint64_t ns);
// WEFT_FORM=6: waits for all of these codes, unless they are there. No lock held.
void weft_kernel_trial_wait(struct weft_kernel_code *c);
void weft_kernel_trial_fini(struct weft_kernel_code *c); // when the build goes

#endif
