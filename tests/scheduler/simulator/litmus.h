// Small programs whose outcome depends on the order of memory (weak.h): a writer of data and a flag, and
// their reader; two threads that each write a variable and read the other's.
#ifndef WEFT_TESTS_LITMUS_H
#define WEFT_TESTS_LITMUS_H

#include <stdbool.h>
#include <stdint.h>

enum litmus {
    LITMUS_RELEASE,       // the flag is written by a release and read by an acquire
    LITMUS_RELEASE_FENCE, // by relaxed operations with fences
    LITMUS_RELAXED_WRITE, // the release is missing
    LITMUS_RELAXED_READ,  // the acquire is missing
    LITMUS_FENCES,        // sequentially consistent fences between writing and reading
    LITMUS_NO_FENCES,     // release and acquire alone
};

// Runs it many times on a weak machine, in a child process. Did somebody once read what it may not, if all
// orders were there?
bool litmus_shows_old_values(enum litmus which, uint64_t seed);

#endif
