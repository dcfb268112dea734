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
#include "scheduler/simulator/weak.h"
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

// The value that an operation finds, what it does, and the value that it leaves. Nothing runs in between:
// only sim_read, sim_write and sim_atomic let time pass.
#define SIM_TYPE_(p) __typeof__(SIM_LOAD_(p, memory_order_relaxed))
#define SIM_CHANGE_(wait, p, order, modifies, type, change)             \
    (__extension__({                                                    \
        wait(p);                                                        \
        SIM_TYPE_(p) sim_value_ = SIM_LOAD_(p, memory_order_relaxed);   \
        weak_before(p, &sim_value_, sizeof sim_value_);                 \
        type sim_result_ = (change);                                    \
        sim_value_ = SIM_LOAD_(p, memory_order_relaxed);                \
        weak_store(p, &sim_value_, sizeof sim_value_, order, modifies); \
        sim_result_;                                                    \
    }))

#define atomic_load_explicit(p, order)                       \
    (__extension__({                                         \
        sim_read(p);                                         \
        SIM_TYPE_(p) sim_value_ = SIM_LOAD_(p, order);       \
        weak_load(p, &sim_value_, sizeof sim_value_, order); \
        sim_value_;                                          \
    }))
#define atomic_load(p) atomic_load_explicit(p, memory_order_seq_cst)
#define SIM_STORE_BY_(wait, p, v, order)                                                    \
    (__extension__({                                                                        \
        SIM_TYPE_(p) sim_new_ = (v);                                                        \
        (void)SIM_CHANGE_(wait, p, order, false, int, (SIM_STORE_(p, sim_new_, order), 0)); \
    }))
#define atomic_store_explicit(p, v, order) SIM_STORE_BY_(sim_write, p, v, order)
#define atomic_store(p, v) SIM_STORE_BY_(sim_atomic, p, v, memory_order_seq_cst)
#define SIM_MODIFY_(p, v, order, operation)                                                   \
    (__extension__({                                                                          \
        SIM_TYPE_(p) sim_new_ = (v);                                                          \
        SIM_CHANGE_(sim_atomic, p, order, true, SIM_TYPE_(p), operation(p, sim_new_, order)); \
    }))
#define atomic_exchange_explicit(p, v, order) SIM_MODIFY_(p, v, order, SIM_EXCHANGE_)
#define atomic_exchange(p, v) atomic_exchange_explicit(p, v, memory_order_seq_cst)
// One that fails is a load of the newest value.
#define atomic_compare_exchange_strong_explicit(p, e, v, success, failure)     \
    (__extension__({                                                           \
        SIM_TYPE_(p) sim_new_ = (v);                                           \
        sim_atomic(p);                                                         \
        SIM_TYPE_(p) sim_value_ = SIM_LOAD_(p, memory_order_relaxed);          \
        weak_before(p, &sim_value_, sizeof sim_value_);                        \
        const _Bool sim_done_ = SIM_EXPECT_(p, e, sim_new_, success, failure); \
        if (sim_done_)                                                         \
            weak_store(p, &sim_new_, sizeof sim_new_, success, 1);             \
        else                                                                   \
            weak_refused(p, failure);                                          \
        sim_done_;                                                             \
    }))
#define atomic_compare_exchange_weak_explicit atomic_compare_exchange_strong_explicit
#define atomic_compare_exchange_strong(p, e, v) \
    atomic_compare_exchange_strong_explicit(p, e, v, memory_order_seq_cst, memory_order_seq_cst)
#define atomic_compare_exchange_weak atomic_compare_exchange_strong
#define atomic_fetch_add_explicit(p, v, order) SIM_MODIFY_(p, v, order, SIM_FETCH_(add))
#define atomic_fetch_sub_explicit(p, v, order) SIM_MODIFY_(p, v, order, SIM_FETCH_(sub))
#define atomic_fetch_or_explicit(p, v, order) SIM_MODIFY_(p, v, order, SIM_FETCH_(or))
#define atomic_fetch_and_explicit(p, v, order) SIM_MODIFY_(p, v, order, SIM_FETCH_(and))
#define atomic_fetch_add(p, v) atomic_fetch_add_explicit(p, v, memory_order_seq_cst)
#define atomic_fetch_sub(p, v) atomic_fetch_sub_explicit(p, v, memory_order_seq_cst)
#define atomic_fetch_or(p, v) atomic_fetch_or_explicit(p, v, memory_order_seq_cst)
#define atomic_fetch_and(p, v) atomic_fetch_and_explicit(p, v, memory_order_seq_cst)
#undef atomic_thread_fence
#define atomic_thread_fence(order) weak_fence(order)

#endif
