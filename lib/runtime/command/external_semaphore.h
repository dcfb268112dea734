// What a semaphore that can be shared is signaled in (cl_khr_external_semaphore, cl_khr_external_semaphore_opaque_fd): a word in
// a memfd, which every process that has the descriptor can map. docs/adr/0026-semaphores-between-processes.md
#ifndef WEFT_RUNTIME_EXTERNAL_SEMAPHORE_H
#define WEFT_RUNTIME_EXTERNAL_SEMAPHORE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include "runtime/core/cl.h"

// One in this process for each memfd, however often it has been imported.
struct weft_payload;

// A new one, unsignaled. NULL with *error: CL_OUT_OF_HOST_MEMORY, CL_OUT_OF_RESOURCES.
struct weft_payload *weft_payload_create(cl_int *error);
// The one behind a descriptor, which stays the caller's. NULL with *error: the same, or CL_INVALID_PROPERTY (it isn't of Weft's making).
struct weft_payload *weft_payload_import(int fd, cl_int *error);
void weft_payload_ref(struct weft_payload *p);
void weft_payload_unref(struct weft_payload *p); // NULL is fine; takes a lock
// A new descriptor, the caller's. Only of one that weft_payload_create has made in this process, or the one that it was forked from:
// CL_OUT_OF_RESOURCES where there is none to be had, or the application has closed Weft's.
cl_int weft_payload_export(struct weft_payload *p, int *fd);

// The state. Others, who may be hostile, change it at any time: whatever isn't 0 is signaled.
bool weft_payload_is_set(const struct weft_payload *p);
bool weft_payload_take(struct weft_payload *p);       // makes it unsignaled; false: it was
void weft_payload_set(struct weft_payload *p);        // tells nobody
void weft_payload_wake(const struct weft_payload *p); // tells who waits, in every process
// One order for all processes; 0: the same.
int weft_payload_order(const struct weft_payload *a, const struct weft_payload *b);

// Sleeps until one of them may be signaled, *word (this process's own) isn't `value`, or the time is over (0: it never is). False: it
// was over. Wakes up without reason, too.
#define WEFT_MAX_PAYLOADS 127
bool weft_payloads_wait(struct weft_payload *const *payloads, size_t count, _Atomic uint32_t *word,
                        uint32_t value, uint64_t timeout_ns);
// Wakes who sleeps there, once *word has been changed.
void weft_payloads_interrupt(_Atomic uint32_t *word);

#endif
