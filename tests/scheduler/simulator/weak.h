// Weakly ordered memory: what virtual.h calls beside the simulator, if the machine is weak (struct
// sim_machine).
//
// A load that isn't sequentially consistent may read an older value, until something orders it after the
// newer write: an acquire that reads a release, two sequentially consistent fences, the thread's own write,
// or time. So what is published by a relaxed store, or read by a relaxed load, can come in the wrong order,
// as on AArch64 and Power.
//
// What isn't modelled: loads that see later stores of other threads before they are made (load buffering),
// plain variables (the thread sanitizer's task), a compare-exchange that fails though the value is as
// expected, and sequentially consistent loads that are older than the newest value.
#ifndef WEFT_TESTS_WEAK_H
#define WEFT_TESTS_WEAK_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// visible_ns: after so long, a write is seen by all. 0: at once; the machine is not weak.
void weak_begin(uint64_t visible_ns);
// The running thread starts this one, and has seen it end.
void weak_thread_begins(uint32_t thread);
void weak_thread_joined(uint32_t thread);
// *value: what is in memory; replaced by what the thread reads.
void weak_load(const volatile void *at, void *value, size_t size, memory_order order);
// *value: what is in memory before a store or a read-modify-write.
void weak_before(const volatile void *at, const void *value, size_t size);
// *value: what is in memory after it. modifies: a read-modify-write.
void weak_store(const volatile void *at, const void *value, size_t size, memory_order order, bool modifies);
// A compare-exchange that has failed: it has read the newest value.
void weak_refused(const volatile void *at, memory_order order);
void weak_fence(memory_order order);

#endif
