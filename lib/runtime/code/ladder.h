// The ladder of a kernel's code (ADR 38): quick code first, then code with lanes, then fully optimised code.
// The rules say when a kernel gets the next code, and which of several kernels gets it first. They know what
// kernels have cost so far and what compiles cost; better_code.c does what they say.
#ifndef WEFT_RUNTIME_LADDER_H
#define WEFT_RUNTIME_LADDER_H

#include "runtime/code/kernel_code.h"

// The level that the kernel's next code should have: the one above its own, or full optimisation where code
// with lanes can't be made or would take long. Any thread.
enum weft_code_level weft_ladder_next(const struct weft_kernel_code *code);
// The processor time that compiling code of this level takes: measured, or estimated from what has been
// measured. In ns.
uint64_t weft_ladder_compile_ns(const struct weft_kernel_code *code, enum weft_code_level level);
// Notes that compiling code of a level took so long.
void weft_ladder_note_compile(struct weft_kernel_code *code, enum weft_code_level level, uint32_t us);
// Notes that a launch of so many work-items is enqueued. Returns whether the next code should be requested.
bool weft_ladder_note_launch(struct weft_kernel_code *code, uint64_t items);
// Had a launch of so many work-items better wait for code with lanes than run in quick code? It had if it
// takes long, and on few processors also if the kernel has taken long in all. Asked when there is quick code,
// so that it is known how long that took.
bool weft_ladder_waits_for_lanes(const struct weft_kernel_code *code, uint64_t items);
// The same before there is any code: will such a launch wait for code with lanes, however long quick code
// takes to make? Then that isn't made. Where it isn't certain, the answer is no. Any thread.
bool weft_ladder_skips_quick(const struct weft_kernel_code *code, uint64_t items);
// Is it time for the code above the kernel's present one? Code with lanes is always worth its compile.
// Optimised code is when the kernel has run with lanes for long enough. Any thread.
bool weft_ladder_next_pays(const struct weft_kernel_code *code);
// Notes that a range ran for `ns`. It counts unless weft_ladder_note_launch has estimated the launch already.
// now: weft_time_now. Returns whether the next code should be requested.
bool weft_ladder_note_range(struct weft_kernel_code *code, uint64_t ns, uint64_t now);
// Does code of this level pay for a kernel that has run in its present code for `spent` ns, if its compile
// takes no processor from the kernel or gains much? When it has run for a sixteenth of the compile.
bool weft_ladder_pays_early(const struct weft_kernel_code *code, enum weft_code_level level, uint64_t spent);
// How much the kernel gains by its next code, for each ns of its compile, in thousandths: what it has cost in
// its present code, which is less and less the longer it hasn't been used. 0: nobody uses it any more.
uint64_t weft_ladder_gain(const struct weft_kernel_code *code, uint64_t now);

#endif
