// Stands before each of the scheduler's sources when they are compiled for the simulator (simulator.h).
#ifndef WEFT_TESTS_VIRTUAL_H
#define WEFT_TESTS_VIRTUAL_H

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/prctl.h>

#include "base/arch/arch.h"
#include "base/base.h"
#include "scheduler/simulator/simulator.h"
#include "weft/fault.h"

#define weft_time_now sim_clock
#define weft_arch_relax sim_relax

#define pthread_create(thread, attr, main, arg) sim_thread_create(thread, main, arg)
#define pthread_join(thread, result) sim_thread_join(thread)
#define pthread_self sim_thread_self
#define pthread_detach(thread) 0
#define pthread_setname_np(thread, name) (void)(name)
#define pthread_sigmask(how, set, old) (void)(set), (void)(old)
#define prctl(...) (void)0
#define pthread_key_create(key, free) ((void)(key), (void)(free), 0)
#define pthread_key_delete(key) (void)(key)
#define pthread_setspecific(key, value) ((void)(key), (void)(value), 0)
#define pthread_getattr_np(thread, attr) ((void)(attr), 0)
#define pthread_attr_init(attr) ((void)(attr), 0)
#define pthread_attr_destroy(attr) (void)(attr)
#define pthread_attr_setstacksize(attr, size) (void)(size)
#define pthread_attr_setguardsize(attr, size) (void)(size)
#define pthread_attr_getstack(attr, base, size) sim_thread_stack(base, size)
#define pthread_attr_getguardsize(attr, size) (void)(size)

// The operations of <stdatomic.h>, each with its cost. Clang's and GCC's built-in functions take pointers to
// different types.
#ifdef __clang__
#define SIM_LOAD_ __c11_atomic_load
#define SIM_STORE_ __c11_atomic_store
#define SIM_EXCHANGE_ __c11_atomic_exchange
#define SIM_EXPECT_(p, e, v, s, f) __c11_atomic_compare_exchange_strong(p, e, v, s, f)
#define SIM_FETCH_(op) __c11_atomic_fetch_##op
#else
#define SIM_LOAD_ __atomic_load_n
#define SIM_STORE_ __atomic_store_n
#define SIM_EXCHANGE_ __atomic_exchange_n
#define SIM_EXPECT_(p, e, v, s, f) __atomic_compare_exchange_n(p, e, v, false, s, f)
#define SIM_FETCH_(op) __atomic_fetch_##op
#endif

#undef atomic_load_explicit
#undef atomic_load
#undef atomic_store_explicit
#undef atomic_store
#undef atomic_exchange_explicit
#undef atomic_exchange
#undef atomic_compare_exchange_strong_explicit
#undef atomic_compare_exchange_weak_explicit
#undef atomic_compare_exchange_strong
#undef atomic_compare_exchange_weak
#undef atomic_fetch_add_explicit
#undef atomic_fetch_sub_explicit
#undef atomic_fetch_or_explicit
#undef atomic_fetch_and_explicit
#undef atomic_fetch_add
#undef atomic_fetch_sub
#undef atomic_fetch_or
#undef atomic_fetch_and

#define atomic_load_explicit(p, order) (sim_read(p), SIM_LOAD_(p, order))
#define atomic_load(p) atomic_load_explicit(p, memory_order_seq_cst)
#define atomic_store_explicit(p, v, order) (sim_write(p), SIM_STORE_(p, v, order))
#define atomic_store(p, v) (sim_atomic(p), SIM_STORE_(p, v, memory_order_seq_cst))
#define atomic_exchange_explicit(p, v, order) (sim_atomic(p), SIM_EXCHANGE_(p, v, order))
#define atomic_exchange(p, v) atomic_exchange_explicit(p, v, memory_order_seq_cst)
#define atomic_compare_exchange_strong_explicit(p, e, v, success, failure) \
    (sim_atomic(p), SIM_EXPECT_(p, e, v, success, failure))
#define atomic_compare_exchange_weak_explicit atomic_compare_exchange_strong_explicit
#define atomic_compare_exchange_strong(p, e, v) \
    atomic_compare_exchange_strong_explicit(p, e, v, memory_order_seq_cst, memory_order_seq_cst)
#define atomic_compare_exchange_weak atomic_compare_exchange_strong
#define atomic_fetch_add_explicit(p, v, order) (sim_atomic(p), SIM_FETCH_(add)(p, v, order))
#define atomic_fetch_sub_explicit(p, v, order) (sim_atomic(p), SIM_FETCH_(sub)(p, v, order))
#define atomic_fetch_or_explicit(p, v, order) (sim_atomic(p), SIM_FETCH_(or)(p, v, order))
#define atomic_fetch_and_explicit(p, v, order) (sim_atomic(p), SIM_FETCH_(and)(p, v, order))
#define atomic_fetch_add(p, v) atomic_fetch_add_explicit(p, v, memory_order_seq_cst)
#define atomic_fetch_sub(p, v) atomic_fetch_sub_explicit(p, v, memory_order_seq_cst)
#define atomic_fetch_or(p, v) atomic_fetch_or_explicit(p, v, memory_order_seq_cst)
#define atomic_fetch_and(p, v) atomic_fetch_and_explicit(p, v, memory_order_seq_cst)

#endif
