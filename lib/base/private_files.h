// Calls with files that the application can't reach, on threads with a descriptor table of their own. Any
// thread may call.
#ifndef WEFT_BASE_PRIVATE_FILES_H
#define WEFT_BASE_PRIVATE_FILES_H

#include <stdbool.h>

// The thread sanitizer takes equal descriptors in two tables for the same file and reports a race. With it,
// all threads use the application's table.
#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define WEFT_ONE_TABLE 1
#endif
#endif
#ifndef WEFT_ONE_TABLE
#define WEFT_ONE_TABLE 0
#endif

// Calls fn(arg), which opens, uses and closes files, on a thread with its own descriptor table, and waits
// until it has returned. So the application can't close fn's files, and fn can't write to files that the
// application opens meanwhile. If there can be no such thread, fn is called on this one. fn runs with all
// signals blocked and must take no lock that its caller holds.
void weft_private_files_call(void (*fn)(void *arg), void *arg);

// As weft_private_files_call, but nothing that fn writes to stderr is seen: this is for libraries that write
// there unasked. Other threads that use the stream stderr wait meanwhile. Returns false without having called
// fn if there can be no such thread, or if a thread keeps stderr locked: it might be the caller, which waits.
bool weft_private_files_call_silently(void (*fn)(void *arg), void *arg);

#endif
