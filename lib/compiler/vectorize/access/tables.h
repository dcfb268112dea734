// Loads from small tables of constants that registers can hold, at places of the lanes' own (vectorize/access/tables.c).
#ifndef WEFTC_VECTORIZE_TABLES_H
#define WEFTC_VECTORIZE_TABLES_H

#include <stdbool.h>
#include <stdint.h>

#include <llvm-c/Core.h>

#include "compiler/ir/gep.h"

struct weftc_vec;

enum { WEFTC_LOOKUP_STEPS = 8 };

// What is looked up, and how.
struct weftc_lookup {
    LLVMValueRef global;
    uint64_t bits;                               // of an element
    uint64_t first, entries;                     // the part of the table
    unsigned piece;                              // elements in a register
    struct weftc_step steps[WEFTC_LOOKUP_STEPS]; // of the address
    unsigned step_count;
};

// Is load i such a one? *t is written whatever comes of it. For access/classify.c, which keeps *t in struct weftc_access.
bool weftc_vec_find_lookup(const struct weftc_vec *v, LLVMValueRef i, struct weftc_lookup *t);
// Of a loaded value that registers of entries can hold; 0: it is none.
uint64_t weftc_lookup_bits(LLVMTypeRef type);
unsigned weftc_lookup_registers(const struct weftc_lookup *t); // that the table fills
// Instructions that look up for so many lanes, in the units of weftc_vec_work (vectorize/cost/cost.h).
uint64_t weftc_lookup_cost(const struct weftc_lookup *t, uint32_t lanes);

#endif
