// The state of semaphores that processes share (cl_khr_external_semaphore,
// cl_khr_external_semaphore_opaque_fd): a word in a memfd, which every process with the descriptor can map.
// docs/adr/0026-semaphores-between-processes.md
#ifndef WEFT_RUNTIME_EXTERNAL_SEMAPHORE_H
#define WEFT_RUNTIME_EXTERNAL_SEMAPHORE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include "runtime/core/cl.h"

// There is one payload in this process for each memfd, however often it has been imported.
struct weft_payload;

// Creates an unsignaled payload. NULL with *error: CL_OUT_OF_HOST_MEMORY, CL_OUT_OF_RESOURCES.
struct weft_payload *weft_payload_create(cl_int *error);
// Returns the payload of a descriptor, which stays the caller's. NULL with *error: CL_OUT_OF_HOST_MEMORY,
// CL_OUT_OF_RESOURCES, or CL_INVALID_PROPERTY (not a semaphore of Weft's).
struct weft_payload *weft_payload_import(int fd, cl_int *error);
void weft_payload_ref(struct weft_payload *p);
void weft_payload_unref(struct weft_payload *p); // p may be NULL; takes a lock
// Returns a new descriptor, which the caller owns. Only for payloads that weft_payload_create created in this
// process or in the process that it was forked from. CL_OUT_OF_RESOURCES: no descriptor is left, or the
// application has closed Weft's.
cl_int weft_payload_export(struct weft_payload *p, int *fd);

// The state. Other processes, which may be hostile, can change it at any time. Every value but 0 counts as
// signaled.
bool weft_payload_is_set(const struct weft_payload *p);
bool weft_payload_take(struct weft_payload *p);       // makes it unsignaled; false: it was already
void weft_payload_set(struct weft_payload *p);        // wakes nobody
void weft_payload_wake(const struct weft_payload *p); // wakes waiting threads of all processes
// A total order that is the same in all processes. 0: the same payload.
int weft_payload_order(const struct weft_payload *a, const struct weft_payload *b);

// Sleeps until one of the payloads may be signaled, or *word (private to this process) isn't `value`, or
// timeout_ns has passed (0: no timeout). False: timeout. May also return true without a reason.
#define WEFT_MAX_PAYLOADS 127
bool weft_payloads_wait(struct weft_payload *const *payloads, size_t count, _Atomic uint32_t *word,
                        uint32_t value, uint64_t timeout_ns);
// Wakes threads in weft_payloads_wait. The caller has changed *word.
void weft_payloads_interrupt(_Atomic uint32_t *word);

#endif
