// What C libraries don't have in common: glibc of today, glibc of 2019 (2.28, for the wheel) and musl.
// The C library's own name for each is in libc.c only.
#ifndef WEFT_BASE_LIBC_H
#define WEFT_BASE_LIBC_H

#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

// For thread-local variables that are reached without a call. glibc keeps room for those of libraries
// that are loaded late; musl doesn't, and refuses such libraries.
#ifdef __GLIBC__
#define WEFT_STATIC_TLS __attribute__((tls_model("initial-exec")))
#else
#define WEFT_STATIC_TLS
#endif

// A signal's name without "SIG", and its description in English. "?" and "unknown" for what isn't a
// standard signal. May be called in signal handlers.
const char *weft_signal_name(int number);
const char *weft_signal_words(int number);

// The text of an errno. Returns `room`.
const char *weft_error_text(int error, char *room, size_t size);

// The calling thread's number in the system.
pid_t weft_thread_id(void);

// clone(2). The thread sanitizer takes glibc's `clone` for a fork that it must handle, so this is the
// internal name.
#ifdef __GLIBC__
#define weft_clone __clone
#else
#define weft_clone clone
#endif
int weft_clone(int (*fn)(void *), void *stack, int flags, void *arg, ...);

// The processor that runs the calling thread, and its NUMA node. Both 0 if the system doesn't say.
void weft_current_processor(unsigned *cpu, unsigned *node);

// Sends a signal with a value to a thread of this process. May be called in signal handlers.
void weft_signal_thread(pthread_t thread, int number, void *value);

// Bytes that malloc holds and nobody uses. 0 if the C library can't tell.
size_t weft_unused_heap_bytes(void);

// The return addresses of the calling functions, the nearest first. Returns how many; 0 if the C library
// can't tell.
int weft_callers(void **frames, int size);

#endif
