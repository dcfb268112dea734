// RUN: WEFT_VF=8 --report=vectorize -k lock
// RUN: --check-prefix=READS WEFT_VF=8 --report=vectorize -k lock_read_first
// RUN: --check-prefix=TICKET WEFT_VF=8 --report=vectorize -k ticket
// RUN: --check-prefix=FLAG WEFT_VF=8 --report=vectorize -k flag
// RUN: --check-prefix=INSIDE WEFT_VF=8 --report=vectorize -k lock_inside
// RUN: --check-prefix=UPDATE WEFT_VF=8 --report=vectorize -k update
// RUN: --check-prefix=PROMISED WEFT_VF=8 --report=vectorize -k update_of_the_last
// RUN: --check-prefix=TABLE WEFT_VF=8 --report=vectorize -k table
// RUN: --check-prefix=WORK WEFT_VF=8 --report=vectorize -k work
// Lanes can't wait for each other: whoever has a lock waits for the others behind the loop. But a loop may try again and again.

// CHECK: region 0: not vectorized: a loop in which work-items wait for each other
kernel void lock(global int *locks, global int *sum, global const int *in)
{
    while (atomic_cmpxchg(locks, 0, 1))
        ;
    *sum = (*sum ^ in[get_global_id(0)]) * 5;
    atomic_xchg(locks, 0);
}

// READS: region 0: not vectorized: a loop in which work-items wait for each other
kernel void lock_read_first(volatile global int *locks, global int *sum, global const int *in)
{
    int which = in[get_global_id(0)] & 3;
    do {
        while (locks[which])
            ;
    } while (atomic_xchg(&locks[which], 1));
    sum[which] = (sum[which] ^ in[get_global_id(0)]) * 5;
    atomic_xchg(&locks[which], 0);
}

// TICKET: region 0: not vectorized: a loop in which work-items wait for each other
kernel void ticket(global int *next, global int *serving, global int *sum, global const int *in)
{
    int mine = atomic_inc(next);
    while (atomic_or(serving, 0) != mine)
        ;
    *sum = (*sum ^ in[get_global_id(0)]) * 5;
    atomic_inc(serving);
}

// FLAG: region 0: not vectorized: a loop in which work-items wait for each other
kernel void flag(volatile global int *ready, global int *out, global const int *in)
{
    int i = get_global_id(0);
    if (in[i] == 0) {
        out[0] = 7;
        *ready = 1;
    } else {
        while (*ready == 0)
            ;
        out[i] = out[0];
    }
}

// INSIDE: region 0: vectorized
kernel void lock_inside(global int *locks, global int *sum, global const int *in)
{
    for (bool done = false; !done;)
        if (!atomic_cmpxchg(locks, 0, 1)) {
            *sum = (*sum ^ in[get_global_id(0)]) * 5;
            done = true;
            atomic_xchg(locks, 0);
        }
}

// UPDATE: region 0: vectorized
kernel void update(volatile global int *most, global const float *in)
{
    float x = in[get_global_id(0)];
    int old;
    do {
        old = *most;
    } while (as_float(old) < x && atomic_cmpxchg(most, old, as_int(x)) != old);
}

// PROMISED: region 0: vectorized
kernel void update_of_the_last(volatile global int *sum, global const float *in)
{
    float x = in[get_global_id(0)];
    int old = *sum, now;
    while ((now = atomic_cmpxchg(sum, old, as_int(as_float(old) + x))) != old)
        old = now;
}

// TABLE: region 0: vectorized
kernel void table(volatile global uint *keys, global const uint *in, uint mask)
{
    uint key = in[get_global_id(0)];
    for (uint at = key & mask;; at = (at + 1) & mask) {
        uint old = atomic_cmpxchg(&keys[at], 0, key);
        if (old == 0 || old == key)
            break;
    }
}

// WORK: region 0: vectorized
kernel void work(volatile global int *next, global float *out, int n)
{
    for (int i; (i = atomic_inc(next)) < n;)
        out[i] = i;
}
