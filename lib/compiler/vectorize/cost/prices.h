// What instructions take of a processor's time (vectorize/cost/prices.c, scattered.c). For files of
// vectorize/cost/ alone.
#ifndef WEFTC_VECTORIZE_PRICES_H
#define WEFTC_VECTORIZE_PRICES_H

#include <stdbool.h>
#include <stdint.h>

#include <llvm-c/Core.h>

struct weftc_vec;

// Quarters of a cycle: until the result is there, and of the units.
struct weftc_vec_price {
    uint32_t latency, work;
};
// Of instruction i in each vector iteration of one vector. *shared: work that several vectors in one
// iteration need only once. depth: of loops around it.
struct weftc_vec_price weftc_vec_price(const struct weftc_vec *v, LLVMValueRef i, unsigned depth,
                                       uint32_t *shared);
// Of a gather or a scatter of words by all lanes.
struct weftc_vec_price weftc_vec_scattered_price(const struct weftc_vec *v, bool store);
// Of instruction i for one work-item, in scalar code.
struct weftc_vec_price weftc_vec_scalar_price(LLVMValueRef i);
// Registers that a value of this type takes for all lanes, if the target's lanes of 32 bits fill one.
// masks_apart: masks have registers of their own, which don't count.
uint32_t weftc_vec_registers(const struct weftc_vec *v, LLVMTypeRef type, bool masks_apart);
// As many as that of 1 << log vectors.
uint32_t weftc_vec_registers_of(const struct weftc_vec *v, LLVMTypeRef type, bool masks_apart, unsigned log);
// How many times the work of i for one vector is what 1 << log vectors take. Those of bytes share a register.
uint32_t weftc_vec_work_factor(const struct weftc_vec *v, LLVMValueRef i, unsigned log);

// ---- vectorize/cost/scattered.c ----
// Is i a gather of rows that may push each other out of the first cache? That is a row for each of many
// lanes, as in a[i * n + k], whose distance only the launch knows: often a power of two.
bool weftc_vec_reads_crowded_rows(const struct weftc_vec *v, LLVMValueRef i);

#endif
