// Code variants of a kernel (ADR 7, 22, 27): requesting them, waiting for them, and choosing the one that a
// launch runs.
#ifndef WEFT_RUNTIME_KERNEL_VARIANTS_H
#define WEFT_RUNTIME_KERNEL_VARIANTS_H

#include "runtime/code/kernel_code.h"

// ---- code/choose_variant.c ----

// The variant (enum weft_variant) that suits the launch. `own` is the kernel's code in WEFT_VARIANT_ANY. Has
// no side effects.
uint32_t weft_ndrange_variant(const struct weft_ndrange *nd, const struct weft_kernel_info *own);

// The dimension along which the launch has its work-items: 1 or 2 if a work-group's rows along dimension 0
// are single work-items, and groups can't be joined to longer rows. Otherwise 0. `own` is NULL as long as the
// kernel has no code. Has no side effects.
uint32_t weft_ndrange_along(const struct weft_ndrange *nd, const struct weft_kernel_info *own,
                            const struct weft_kernel_meta *meta);

// Whether the code that was made for a launch's variant is better than the kernel's own, by what the compiler
// counted in it. Only of variants with lanes along dimension 1 or 2 this isn't known before. Has no side
// effects.
bool weft_ndrange_variant_pays(const struct weft_ndrange *nd, uint32_t variant,
                               const struct weft_kernel_info *own, const struct weft_kernel_info *made);

// ---- code/kernel_variants.c ----

// weft_kernel_variant.attempt: twice the level that is attempted, plus 2, plus 1 when the attempt is over.
static inline uint32_t weft_attempt_of(enum weft_code_level level, bool over)
{
    return 2 * ((uint32_t)level + 1) + over;
}
static inline bool weft_attempt_is_over(uint32_t attempt)
{
    return attempt & 1;
}
// The level at which variants of the kernel are made now: that of its best code. Below that the narrow
// variant alone is made. Any thread.
enum weft_code_level weft_kernel_variant_level(const struct weft_kernel_code *code);

// The variant that suits the launch, as weft_ndrange_variant says; WEFT_VARIANT_ANY if that one has been made
// and doesn't pay. Any thread, no lock.
uint32_t weft_kernel_variant_for(struct weft_kernel_code *c, const struct weft_ndrange *nd,
                                 const struct weft_kernel_info *own);
// The code of this variant, from WEFT_VARIANT_DIM on. NULL: there is none. It is then requested, or requested
// at a higher level, unless the kernel's own code isn't the best yet or the variant has turned out to be
// useless. Does not wait. The caller holds no lock.
const struct weft_kernel_info *weft_kernel_code_of_variant(struct weft_kernel_code *code, uint32_t variant);
// Requests the variant in the background, unless that has been done or isn't possible now. Does not wait. The
// caller holds no lock.
void weft_kernel_variant_request(struct weft_kernel_variant *variant);
// Requests the variant and waits until it is made or has failed. The caller holds no lock.
void weft_kernel_variant_wait(struct weft_kernel_variant *variant);

// ---- code/size_variant.c ----

// The size variant for the launch's local size. `own` is the kernel's own code. NULL: there is none, or the
// launch can't use one.
const struct weft_kernel_info *weft_size_variant_code(struct weft_kernel_code *code,
                                                      const struct weft_kernel_info *own,
                                                      const struct weft_ndrange *nd);
// Notes that a launch of the code `own` ran for `ns` on one thread. When a local size has run long enough,
// its size variant is requested. Does not wait. The caller holds no lock.
void weft_kernel_code_note_time(struct weft_kernel_code *code, const struct weft_kernel_info *own,
                                const struct weft_ndrange *nd, uint64_t ns);
// With WEFT_VARIANT=exact-size (weft_kernel_code.exact_size): requests the size variant for the launch and
// waits for it. The caller holds no lock.
void weft_size_variant_wait(struct weft_kernel_code *code, const struct weft_ndrange *nd);

// ---- code/autotune.c ----

// The code in which a range runs while it is measured. autotune is NULL if the range isn't measured.
struct weft_autotune_sample {
    struct weft_autotune *autotune;
    uint32_t state; // of autotuning when the range began
    bool candidate; // the range runs in the candidate, not in the best code so far
};

// The code that autotuning wants the next range of a launch to run in, for a kernel whose own code has
// autotune_candidates (kernel_abi.h). NULL: the code that a launch would run without autotuning. While a
// candidate is measured, *sample is set to what weft_autotune_note needs; otherwise it is left unchanged. Any
// thread.
const struct weft_kernel_info *weft_autotune_code(struct weft_kernel_code *c, const struct weft_ndrange *nd,
                                                  struct weft_autotune_sample *sample);
// Reports that the range took `cost` ns for 1024 work-items.
void weft_autotune_note(const struct weft_autotune_sample *sample, uint32_t cost);
// Reports that a launch of a kernel with autotune_candidates ran for `ns` on one thread. When it has run long
// enough, the candidates are made and measured one after the other. candidate_set is a set of enum
// weft_autotune_candidate. Does not wait. The caller holds no lock.
void weft_autotune_note_time(struct weft_kernel_code *c, const struct weft_ndrange *nd,
                             uint32_t candidate_set, uint64_t ns);
// Decides for a size class in which autotuning hasn't begun: its launches run this variant (WEFT_VARIANT_ANY:
// the kernel's own code).
void weft_autotune_decide(struct weft_kernel_code *c, uint32_t size_class, uint32_t variant);
// What is decided for the class. False: nothing yet.
bool weft_autotune_verdict(struct weft_kernel_code *c, uint32_t size_class, uint32_t *variant);
// With WEFT_VARIANT=tune: requests all candidates and waits for them. The caller holds no lock.
void weft_autotune_wait(struct weft_kernel_code *c);

// ---- code/verdicts.c ----

// Takes over what autotuning decided in an earlier process, and loads the variants that won. Called when the
// kernel has got its best code, by a thread that may wait. The caller holds no lock.
void weft_verdicts_load(struct weft_kernel_code *c);
// Stores what autotuning has decided so far. Does not wait. The caller holds no lock.
void weft_verdicts_store(struct weft_kernel_code *c);

#endif
