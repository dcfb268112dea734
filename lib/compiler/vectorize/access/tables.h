// Loads from small tables of constants that registers can hold (vectorize/access/tables.c).
#ifndef WEFTC_VECTORIZE_TABLES_H
#define WEFTC_VECTORIZE_TABLES_H

#include <stdbool.h>
#include <stdint.h>

#include <llvm-c/Core.h>

#include "compiler/ir/gep.h"

struct weftc_vec;

enum { WEFTC_LOOKUP_STEPS = 8 };

// A look-up in a table.
struct weftc_lookup {
    LLVMValueRef global;
    uint64_t bits;                               // of an entry
    uint64_t first, entries;                     // the part of the table that is kept in registers
    unsigned piece;                              // entries in a register
    struct weftc_step steps[WEFTC_LOOKUP_STEPS]; // of the load's address
    unsigned step_count;
};

// Is load i a look-up? *t is written whatever the answer is. Only access/classify.c asks; it keeps *t in
// struct weftc_access.
bool weftc_vec_find_lookup(const struct weftc_vec *v, LLVMValueRef i, struct weftc_lookup *t);
// The bits of an entry that registers can hold; 0: values of this type aren't kept in registers.
uint64_t weftc_lookup_bits(LLVMTypeRef type);
unsigned weftc_lookup_registers(const struct weftc_lookup *t); // registers that the table fills

#endif
