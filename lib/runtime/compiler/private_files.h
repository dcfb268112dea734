// Files out of the application's reach.
#ifndef WEFT_RUNTIME_PRIVATE_FILES_H
#define WEFT_RUNTIME_PRIVATE_FILES_H

// The thread sanitizer takes the same number in two tables for the same descriptor, and reports a race: there all share the
// application's.
#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define WEFT_ONE_TABLE 1
#endif
#endif
#ifndef WEFT_ONE_TABLE
#define WEFT_ONE_TABLE 0
#endif

// Calls fn(arg), which opens, uses and closes files, on a thread that has a table of descriptors of its own, and
// returns when it has: what the application closes meanwhile is not fn's, and the numbers that it gets for its
// files are not those that fn writes to. Where such a thread can't be had, fn is called on this one. fn runs with
// all signals blocked and takes no lock that its caller holds.
void weft_private_files_call(void (*fn)(void *arg), void *arg);

#endif
