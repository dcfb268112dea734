// RUN: --report=vectorize -k pays
// RUN: --check-prefix=LOSES --report=vectorize -k loses
// RUN: --check-prefix=WAITS --report=vectorize -k waits
// RUN: --check-prefix=PARTS --report=vectorize -k parts
// What weftc tells a person who asks.

// CHECK: region 0: vectorized, {{[0-9]+}} lanes
// CHECK: accesses: 0 uniform, 2 consecutive, 0 interleaved, 0 gathered or scattered; lane by lane: 0
// CHECK: branches: 0 uniform, 2 divergent
// CHECK: line [[#@LINE + 5]]: load of 4 bytes: consecutive
// CHECK: line [[#@LINE + 5]]: loop 0: divergent
// CHECK: line [[#@LINE + 8]]: store of 4 bytes: consecutive
kernel void pays(global int *p, int n)
{
    int i = get_global_id(0), x = p[i], k = 0;
    while (x > n) {
        x = x * 3 / 4 - 1;
        k++;
    }
    p[i] = k;
}

// LOSES: region 0: not vectorized: too much would be done lane by lane
// LOSES: a step of all lanes would cost about as much as
// LOSES: 3 gathered or scattered
// LOSES: line [[#@LINE + 4]]: store of 4 bytes: scattered
kernel void loses(global int *p, global const int *from, global const int *to)
{
    int i = get_global_id(0);
    p[to[from[to[i]]]] = p[i];
}

// PARTS: region 0: vectorized
// PARTS: accesses: 0 uniform, 0 consecutive, 8 interleaved, 0 gathered or scattered
kernel void parts(global float4 *p, global const uchar4 *q)
{
    int i = get_global_id(0);
    p[i] = convert_float4(q[i]);
}

// WAITS: region 0: not vectorized: a loop in which work-items wait for each other
// WAITS: line [[#@LINE + 3]] is to blame
kernel void waits(global int *locks, global int *p)
{
    while (atomic_cmpxchg(locks, 0, 1))
        ;
    p[0] += get_global_id(0);
    atomic_xchg(locks, 0);
}
