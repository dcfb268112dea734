// RUN: WEFT_CPU=haswell,skylake-avx512 --report=vectorize -k pays
// RUN: WEFT_CPU=nehalem WEFT_VF=4 --report=vectorize -k pays
// RUN: WEFT_CPU=haswell WEFT_TIER=1 --report=vectorize -k pays
// RUN: --check-prefix=LOSES WEFT_CPU=nehalem,znver4 --report=vectorize -k loses
// RUN: --check-prefix=REQUESTED WEFT_VF=1 --report=vectorize -k loses
// RUN: --check-prefix=PLAIN -cl-opt-disable --report=vectorize -k pays
// RUN: --check-prefix=ITERATIONS --report=vectorize -k iterations
// RUN: --check-prefix=ALONG WEFT_CPU=znver4 --report=vectorize -k along
// RUN: --check-prefix=ALONG-FEW WEFT_CPU=nehalem,haswell --report=vectorize -k along
// RUN: --check-prefix=WAITS --report=vectorize -k waits
// RUN: --check-prefix=SEARCH --report=vectorize -k search
// RUN: --check-prefix=PARTS --report=vectorize -k parts
// RUN: --check-prefix=RARE WEFT_CPU=znver4 --report=vectorize -k rare
// RUN: --check-prefix=SPILLED WEFT_CPU=znver4 --report=vectorize -k spilled
// RUN: --check-prefix=TIMED WEFT_CPU=znver4 --report=vectorize -k timed
// RUN: --check-prefix=SUB-GROUPS WEFT_CPU=haswell,skylake-avx512 -cl-std=CL3.0 --report=vectorize -k sub_groups
// RUN: --check-prefix=SUB-GROUPS-CODE WEFT_CPU=haswell,skylake-avx512 -cl-std=CL3.0 --emit=vectorize -k sub_groups
// RUN: --check-prefix=PRINTS --report=vectorize -k prints
// RUN: --check-prefix=SEGMENTS --report=vectorize -k segments
// What --report=vectorize says.

// CHECK: region 0: vectorized, {{[0-9]+}} lanes
// CHECK: accesses: 2 consecutive{{$}}
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

// PLAIN: kernel pays
// PLAIN-NEXT: not vectorized: it is built without optimization

// REQUESTED: kernel loses
// REQUESTED-NEXT: not vectorized: scalar code was requested (WEFT_VF=1)
// LOSES: region 0: not vectorized: lanes wouldn't pay: a vector iteration of {{[0-9]+}} lanes is estimated at the work of {{[0-9.]+}} work-items in scalar code; at most
// LOSES-NEXT: its loads are {{[0-9]+}} % of that, the most expensive: line [[#@LINE + 6]]: load of 4 bytes: gathered
// LOSES: 3 gathered or scattered
// LOSES: line [[#@LINE + 4]]: store of 4 bytes: scattered
kernel void loses(global int *p, global const int *from, global const int *to)
{
    int i = get_global_id(0);
    p[to[from[to[i]]]] = p[i];
}

// All work is in a uniform loop. Without lanes each work-item runs it on its own.
// ITERATIONS: region 0: vectorized
// ITERATIONS: loop 0: uniform
// ITERATIONS: store of 4 bytes: scattered
kernel void iterations(global uint *p, global const uint *to, uint n, uint m)
{
    uint h = n;
    for (uint i = 0; i < n; i++)
        h = (h ^ h >> 15) * m + i;
    p[to[get_global_id(0)]] = h;
}

// Counting iterations doesn't count as work. Each work-item reads every second element of a row of its own,
// and lanes would read along sixteen rows at once. Fewer lanes may pay.
// ALONG: region 0: not vectorized: lanes wouldn't pay: a vector iteration of
// ALONG-FEW: region 0: vectorized, {{4|8}} lanes
kernel void along(global float *y, global const float *a, global const float *b, global const float *x, int n)
{
    int i = get_global_id(0);
    float s = 0, t = 0;
    for (int k = 0; k < n; k++) {
        s += a[i * n + 2 * k] * x[k];
        t += b[i * n + 2 * k] * x[k];
    }
    y[i] = s + t;
}

// PARTS: region 0: vectorized
// PARTS: accesses: 8 interleaved{{$}}
kernel void parts(global float4 *p, global const uchar4 *q)
{
    int i = get_global_id(0);
    p[i] = convert_float4(q[i]);
}

// WAITS: region 0: not vectorized: a loop in which work-items wait for each other
// WAITS: the reason is in line [[#@LINE + 3]]
kernel void waits(global int *locks, global int *p)
{
    while (atomic_cmpxchg(locks, 0, 1))
        ;
    p[0] += get_global_id(0);
    atomic_xchg(locks, 0);
}

// SEARCH: region 0: vectorized
// SEARCH: load of 4 bytes: gathered
kernel void search(global const int *sorted, global const int *keys, global int *places, int n)
{
    int i = get_global_id(0), key = keys[i], low = 0, high = n;
    while (low < high) {
        int middle = (low + high) / 2;
        if (sorted[middle] < key)
            low = middle + 1;
        else
            high = middle;
    }
    places[i] = low;
}

// The report names the bound that decided. Almost nothing is scalarized here, but rare code is counted as if
// it weren't rare.
// RARE: region 0: not vectorized: lanes wouldn't pay: a vector iteration of 16 lanes is estimated at the work of {{[0-9.]+}} work-items in scalar code; at most 9.6 are allowed{{$}}
// RARE-NEXT: its atomics are {{[0-9]+}} % of that, the most expensive: line [[#@LINE + 6]]: atomic: lane by lane, counted as if all work-items came there
// RARE: line [[#@LINE + 4]]: load of 1 byte: consecutive
kernel void rare(global const uchar *text, uchar letter, global int *count, global int *places)
{
    int i = get_global_id(0);
    if (text[i] == letter)
        places[atomic_inc(count)] = i;
}

// TIMED: region 0: vectorized, 16 lanes
// TIMED-NEXT: a vector iteration costs about as much as {{[0-9.]+}} work-items in scalar code, and takes the time of
kernel void timed(global const uchar *data, int chunk, global const uint *table, global uint *out)
{
    int id = get_global_id(0);
    uint c = ~0u;
    for (int i = 0; i < chunk; i++)
        c = table[(c ^ data[id * chunk + i]) & 255] ^ c >> 8;
    out[id] = ~c;
}

// The source has no line for the spill of a condition across a barrier.
// SPILLED: store of 1 byte, spilled across a barrier: consecutive
// SPILLED: load of 1 byte, spilled across a barrier: consecutive
kernel void spilled(global int *p, int n, local int *t)
{
    int l = get_local_id(0), x = p[get_global_id(0)];
    bool more = x > n;
    t[l] = x;
    barrier(CLK_LOCAL_MEM_FENCE);
    p[get_global_id(0)] = more ? t[l ^ 1] : 0;
}

// Sub-groups need lanes, whatever they cost: the report says what was done, not what the count of work is
// for.
// SUB-GROUPS: kernel sub_groups
// SUB-GROUPS-NEXT: region 0: vectorized, {{8|16}} lanes
// SUB-GROUPS-NEXT: a vector iteration costs about as much as {{[0-9.]+}} work-items in scalar code
// SUB-GROUPS: no iterations of {{16|32}} lanes: a vector iteration is a sub-group
// SUB-GROUPS-NEXT: accesses: {{.*}}4 gathered or scattered{{$}}
// SUB-GROUPS-CODE: define {{.*}} @weft.region.0.vector(
// SUB-GROUPS-CODE: define {{.*}} @weft.region.0.tail(
kernel void sub_groups(global const int *p, global const int *q, global int *r)
{
    int i = get_global_id(0);
    int a = p[q[i]], b = p[q[i + 7]];
    r[q[a]] = sub_group_reduce_add(b);
}

// Whatever has no form for lanes is said to be done lane by lane, and a fence isn't: there is one for all.
// PRINTS: calls lane by lane: 1
// PRINTS: line [[#@LINE + 7]]: call: lane by lane
// PRINTS-NOT: lane by lane
kernel void prints(global const int *p, global int *r)
{
    int i = get_global_id(0);
    mem_fence(CLK_GLOBAL_MEM_FENCE);
    if (p[i] > 3)
        printf("%d", i);
    r[i] = p[i];
}

// One access can be a group: every second word is loaded in whole vectors, and taken out by shuffles.
// SEGMENTS: accesses: 1 consecutive, 1 interleaved{{$}}
// SEGMENTS: load of 4 bytes: interleaved: 1 word of each 2, in a group of 1
kernel void segments(global const int *p, global int *r)
{
    int i = get_global_id(0);
    r[i] = p[2 * i] * 3;
}
