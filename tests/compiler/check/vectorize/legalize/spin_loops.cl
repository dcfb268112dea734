// RUN: WEFT_VF=8 --report=vectorize -k lock
// RUN: --check-prefix=READS WEFT_VF=8 --report=vectorize -k lock_read_first
// RUN: --check-prefix=TICKET WEFT_VF=8 --report=vectorize -k ticket
// RUN: --check-prefix=FLAG WEFT_VF=8 --report=vectorize -k flag
// RUN: --check-prefix=INSIDE WEFT_VF=8 --report=vectorize -k lock_inside
// RUN: --check-prefix=UPDATE WEFT_VF=8 --report=vectorize -k update
// RUN: --check-prefix=PROMISED WEFT_VF=8 --report=vectorize -k update_of_the_last
// RUN: --check-prefix=TABLE WEFT_VF=8 --report=vectorize -k table
// RUN: --check-prefix=WORK WEFT_VF=8 --report=vectorize -k work
// RUN: --check-prefix=PLACE WEFT_VF=8 --report=vectorize -k lock_place_read
// RUN: --check-prefix=BIT WEFT_VF=8 --report=vectorize -k lock_bit
// RUN: --check-prefix=BIT2 WEFT_VF=8 --report=vectorize -k lock_bit_set_again
// RUN: --check-prefix=TRIES WEFT_VF=8 --report=vectorize -k lock_tries
// RUN: --check-prefix=UPDOWN WEFT_VF=8 --report=vectorize -k lock_up_down
// RUN: --check-prefix=POOL WEFT_VF=8 --report=vectorize -k lock_of_two
// RUN: --check-prefix=ADD WEFT_VF=8 --report=vectorize -k add_to_place
// RUN: --check-prefix=PULL WEFT_VF=8 --report=vectorize -k exchange_twice
// RUN: --check-prefix=STEPS WEFT_VF=8 --report=vectorize -k first_free
// RUN: --check-prefix=STRIDE WEFT_VF=8 --report=vectorize -k add_in_loop
// RUN: --check-prefix=OWN WEFT_VF=8 --report=vectorize -k lock_in_own_word
// RUN: --check-prefix=MANY WEFT_VF=8 --report=vectorize -k many
// Lanes can't wait for each other: the lane that has a lock leaves the loop only when the others do. A loop
// that tries again until it succeeds is no such wait.

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

// PLACE: region 0: not vectorized: a loop in which work-items wait for each other
kernel void lock_place_read(volatile global int *locks, global const int *key, global int *sums)
{
    int i = get_global_id(0);
    while (atomic_cmpxchg(&locks[key[i]], 0, 1) != 0)
        ;
    sums[key[i]] += i;
    atomic_xchg(&locks[key[i]], 0);
}

// BIT: region 0: not vectorized: a loop in which work-items wait for each other
kernel void lock_bit(volatile global int *locks, global int *sums)
{
    int old;
    do {
        old = locks[0] & ~1;
    } while (atomic_cmpxchg(locks, old, old | 1) != old);
    sums[0] += get_global_id(0);
    atomic_and(locks, ~1);
}

// BIT2: region 0: not vectorized: a loop in which work-items wait for each other
kernel void lock_bit_set_again(volatile global int *locks, global int *sums)
{
    int old;
    do {
        old = locks[0];
    } while (atomic_cmpxchg(locks, old, old | 1) != old || (old & 1));
    sums[0] += get_global_id(0);
    atomic_and(locks, ~1);
}

// TRIES: region 0: not vectorized: a loop in which work-items wait for each other
kernel void lock_tries(volatile global int *locks, global int *sums)
{
    for (int tries = 0; atomic_cmpxchg(locks, 0, 1 + tries) != 0; tries++)
        ;
    sums[0] += get_global_id(0);
    atomic_xchg(locks, 0);
}

// UPDOWN: region 0: not vectorized: a loop in which work-items wait for each other
kernel void lock_up_down(volatile global int *locks, global int *sums)
{
    while (atomic_inc(locks) != 0)
        atomic_dec(locks);
    sums[0] += get_global_id(0);
    atomic_dec(locks);
}

// POOL: region 0: not vectorized: a loop in which work-items wait for each other
kernel void lock_of_two(volatile global int *locks, global int *sums)
{
    int at = get_global_id(0) & 1;
    while (atomic_cmpxchg(&locks[at], 0, 1))
        at = (at + 1) & 1;
    sums[at] += get_global_id(0);
    atomic_xchg(&locks[at], 0);
}

// ADD: region 0: vectorized
kernel void add_to_place(volatile global int *sums, global const int *key, global const float *in)
{
    int i = get_global_id(0), old;
    do {
        old = sums[key[i]];
    } while (atomic_cmpxchg(&sums[key[i]], old, as_int(as_float(old) + in[i])) != old);
    atomic_inc(&sums[i]);
}

// PULL: region 0: vectorized
kernel void exchange_twice(volatile global float *sums, global const int *key, global const float *in)
{
    int i = get_global_id(0);
    float x = in[i];
    do {
        x += atomic_xchg(&sums[key[i]], 0.0f);
        x = atomic_xchg(&sums[key[i]], x);
    } while (x != 0.0f);
}

// STEPS: region 0: vectorized
kernel void first_free(volatile global int *slots, global const int *in)
{
    int i = get_global_id(0), at = in[i];
    while (atomic_cmpxchg(&slots[at], 0, i + 1))
        at++;
    atomic_max(&slots[at], i);
}

// STRIDE: region 0: vectorized
kernel void add_in_loop(volatile global int *sums, global const int *key, global const float *in, int n)
{
    for (int i = get_global_id(0); i < n; i += get_global_size(0)) {
        volatile global int *p = &sums[key[i]];
        int old;
        do {
            old = *p;
        } while (atomic_cmpxchg(p, old, as_int(as_float(old) + in[i])) != old);
    }
    sums[get_global_id(0)] = 0;
}

// 4096 accesses that decide: the search is over well within the time limit, which it wouldn't be if each were
// looked at for each.
#define FOUR(x) x x x x
// MANY: region 0: not vectorized: a loop in which work-items wait for each other
kernel void many(volatile global int *p, global int *out)
{
    int i = get_global_id(0), s;
    do {
        s = 0;
        FOUR(FOUR(FOUR(FOUR(FOUR(FOUR(s += atomic_or(p, 1);))))))
        atomic_add(p, 1);
    } while ((s ^ i) & 8);
    atomic_and(p, 0);
    out[i] = s;
}

// OWN: region 0: not vectorized: a loop in which work-items wait for each other
kernel void lock_in_own_word(global int *locks, global int *own, global int *sum, global const int *in, int z)
{
    int i = get_global_id(0);
    own[i] = 1;
    while (own[i + z])
        own[i] = atomic_cmpxchg(locks, 0, 1);
    *sum = (*sum ^ in[i]) * 5;
    atomic_xchg(locks, 0);
}
