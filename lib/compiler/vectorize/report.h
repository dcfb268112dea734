// The report of the vectorizer. For files of vectorize/ alone.
#ifndef WEFTC_VECTORIZE_REPORT_H
#define WEFTC_VECTORIZE_REPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <llvm-c/Core.h>

#include "compiler/vectorize/access/access.h"

struct weft_buf;
struct weftc_vec_cost;
struct weftc_vec_decisions;

// ---- vectorize/notes.c ----
enum { WEFTC_MAX_NOTE = 256 };
// Lines that are the same are printed once, in the place of the first.
struct weftc_vec_note_line {
    char text[WEFTC_MAX_NOTE];
    unsigned times;
};

struct weftc_vec_notes {
    struct weftc_vec_note_line *lines; // in the order of the code
    size_t count, capacity;
    bool failed;                           // memory was short
    unsigned accesses[WEFTC_ACCESS_KINDS]; // how many there are of each kind
    unsigned calls[WEFTC_CALL_KINDS];      // how many there are of each kind that has words
    unsigned uniform_branches, divergent_branches;
    unsigned uniform_values, strided_values, varying_values;
    char most_expensive[WEFTC_MAX_NOTE + 96]; // where lanes don't pay: the instruction that costs most
};

const char *weftc_plural(uint64_t n); // "s", or "" for 1
// The source line of an instruction; 0: unknown.
unsigned weftc_line_of(LLVMValueRef i);
// Notes how each loop, branch, access and call of v's function is done; v's accesses are classified and its
// callees made. cost: what was estimated; NULL: nothing was. Returns NULL if memory is short. The caller
// frees the notes.
struct weftc_vec_notes *weftc_vec_note(const struct weftc_vec *v, const struct weftc_vec_cost *cost);
void weftc_vec_notes_free(struct weftc_vec_notes *n); // n may be NULL

// ---- vectorize/report.c ----
// Prints all that was decided for a kernel.
void weftc_vec_print_decisions(LLVMModuleRef module, const struct weftc_vec_decisions *d,
                               struct weft_buf *out);

#endif
