// The report of the vectorizer (vectorize/report.c). For files of vectorize/ alone.
#ifndef WEFTC_VECTORIZE_REPORT_H
#define WEFTC_VECTORIZE_REPORT_H

#include <llvm-c/Core.h>

struct weft_buf;
struct weftc_vec;
struct weftc_vec_cost;
struct weftc_vec_decisions;
struct weftc_vec_notes;

// The source line of an instruction; 0: unknown.
unsigned weftc_line_of(LLVMValueRef i);
// Notes how each loop, branch and access of v's function is done: v with its accesses classified and its
// callees made. cost: of it; NULL: nobody has estimated it. NULL: memory is short. The caller frees them.
struct weftc_vec_notes *weftc_vec_note(const struct weftc_vec *v, const struct weftc_vec_cost *cost);
void weftc_vec_notes_free(struct weftc_vec_notes *n); // n may be NULL
// Prints all that was decided for a kernel.
void weftc_vec_print_decisions(LLVMModuleRef module, const struct weftc_vec_decisions *d,
                               struct weft_buf *out);

#endif
