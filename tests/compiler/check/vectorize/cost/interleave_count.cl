// RUN: WEFT_CPU=skylake-avx512 --report=vectorize -k chain
// RUN: --check-prefix=HASWELL WEFT_CPU=haswell --report=vectorize -k chain
// RUN: --check-prefix=NEHALEM WEFT_CPU=nehalem --report=vectorize -k chain
// RUN: --check-prefix=CODE WEFT_CPU=haswell --emit=vectorize -k chain
// RUN: --check-prefix=REQUESTED WEFT_CPU=haswell WEFT_INTERLEAVE=2 --emit=vectorize -k chain
// RUN: --check-prefix=ROWS WEFT_CPU=haswell --emit=wiloops -k chain
// RUN: --check-prefix=SOME WEFT_CPU=haswell --report=vectorize -k some_registers
// RUN: --check-prefix=LONG WEFT_CPU=skylake-avx512 --report=vectorize -k long_one
// RUN: --check-prefix=BESIDE WEFT_CPU=znver4 --report=vectorize -k beside
// RUN: --check-prefix=LEAVE WEFT_CPU=znver4 --report=vectorize -k leave
// RUN: --check-prefix=SPECULATED WEFT_CPU=znver4 --emit=vectorize -k speculated
// RUN: --check-prefix=TILE WEFT_CPU=znver4 --report=vectorize -k tile
// RUN: --check-prefix=NO-TILE WEFT_CPU=znver4 --emit=vectorize -k tile
// RUN: --check-prefix=TILE-REQUESTED WEFT_CPU=znver4 WEFT_INTERLEAVE=4 --emit=vectorize -k tile
// RUN: --check-prefix=HALF WEFT_CPU=znver4 --report=vectorize -k half_tile
// RUN: --check-prefix=HALF-CODE WEFT_CPU=znver4 --emit=vectorize -k half_tile
// RUN: --check-prefix=SORT WEFT_CPU=znver4 --report=vectorize -k sort
// RUN: --check-prefix=TABLE WEFT_CPU=znver4 --report=vectorize -k by_table
// RUN: --check-prefix=BY-BYTES WEFT_CPU=znver4 --report=vectorize -k by_bytes
// RUN: --check-prefix=PUT WEFT_CPU=znver4 --report=vectorize -k put_by_bytes
// RUN: --check-prefix=BYTES WEFT_CPU=znver4 --report=vectorize -k bytes_of_rows
// RUN: --check-prefix=FEW-LOOPS WEFT_CPU=haswell --report=vectorize -k few_loops
// RUN: --check-prefix=MANY-LOOPS WEFT_CPU=haswell --report=vectorize -k many_loops
// RUN: --check-prefix=NEVER WEFT_CPU=haswell WEFT_INTERLEAVE=1 --emit=vectorize -k chain
// RUN: --check-prefix=WORK WEFT_CPU=haswell --report=vectorize -k work
// RUN: --check-prefix=FULL WEFT_CPU=haswell --report=vectorize -k full
// RUN: --check-prefix=SHORT WEFT_CPU=haswell --report=vectorize -k short_one
// RUN: --check-prefix=MUCH WEFT_CPU=haswell --report=vectorize -k much_memory
// RUN: --check-prefix=TOO WEFT_CPU=haswell --report=vectorize -k too_much_memory
// RUN: --check-prefix=GROUP WEFT_CPU=haswell -cl-std=CL3.0 --report=vectorize -k sub_group
// Regions are interleaved: a vector iteration works on twice or four times as many lanes as a register holds,
// so that the processor has something to do while one chain of operations waits.

// Each iteration waits for the one before.
// CHECK: vectorized, 16 lanes
// CHECK: one iteration of 64 lanes takes {{[0-9]+}} % of the time of 4 of 16
// CHECK: iterations of 64 lanes, then of 16
// HASWELL: iterations of 32 lanes, then of 8
// NEHALEM: iterations of 16 lanes, then of 4
// CODE: define internal void @weft.region.0.vector(
// CODE: define internal void @weft.region.0.interleaved4(
// REQUESTED: define internal void @weft.region.0.interleaved2(
// NEVER-NOT: weft.region.0.{{interleaved}}
kernel void chain(global uint *out, int n)
{
    uint h = get_global_id(0);
    for (int i = 0; i < n; i++) {
        h ^= h >> 16;
        h *= 0x85ebca6bu;
        h ^= h >> 13;
    }
    out[get_global_id(0)] = h;
}

// Rows go on by 32, then by 8.
// ROWS: wide:
// ROWS: narrow:
// ROWS: weft.region.0.interleaved4.exit:
// ROWS: add {{.*}}i64 %{{.*}}, 32
// ROWS: weft.region.0.vector.exit:
// ROWS: add {{.*}}i64 %{{.*}}, 8

// Registers suffice for two steps, not for four.
// SOME: iterations of 16 lanes, then of 8
kernel void some_registers(global uint *out, global const uint *in, int n)
{
    size_t i = get_global_id(0), m = get_global_size(0);
    uint h = in[i], k0 = in[i + m], k1 = in[i + 2 * m], k2 = in[i + 3 * m], k3 = in[i + 4 * m];
    for (int r = 0; r < n; r++) {
        h = (h ^ k0) * 0x9e3779b1u;
        h = (h ^ k1) * 0x9e3779b1u;
        h = (h ^ k2) * 0x9e3779b1u;
        h = (h ^ k3) * 0x9e3779b1u;
    }
    out[i] = h;
}

// The units are never idle.
// WORK: no iterations of 16 lanes: the gain would be small
kernel void work(global float *out, float a, int n)
{
    float x = get_global_id(0), sum = 0.0f, c[24];
    for (int k = 0; k < 24; k++)
        c[k] = x + k;
    for (int i = 0; i < n; i++)
        for (int k = 0; k < 24; k++)
            c[k] = fma(c[k], a, x);
    for (int k = 0; k < 24; k++)
        sum += c[k];
    out[get_global_id(0)] = sum;
}

// As much work as the chain is long: what lies beside the chain holds it up.
// BESIDE: cycles: 12 of latency, 13 of work
// BESIDE: iterations of 64 lanes, then of 16
kernel void beside(global uint *out, int n)
{
    uint s = get_global_id(0) * 2654435761u + 1, hits = 0;
    for (int i = 0; i < n; i++) {
        s ^= s << 13;
        s ^= s >> 17;
        s ^= s << 5;
        float x = (s >> 8) * 0x1p-24f;
        s ^= s << 13;
        s ^= s >> 17;
        s ^= s << 5;
        float y = (s >> 8) * 0x1p-24f;
        hits += x * x + y * y < 1;
    }
    out[get_global_id(0)] = hits;
}

// Lanes leave in different iterations, and those that have left wait. The dependency chain is long enough to
// pay for that.
// LEAVE: iterations of 64 lanes, then of 16
// LEAVE: loop 0: divergent
kernel void leave(global float *out, int n)
{
    float x = get_global_id(0) / 128.0f - 1, y = 0.5f;
    int k = 0;
    while (k < n && x * x + y * y < 4.0f) {
        float t = x * x - y * y - 0.8f;
        y = 2 * x * y + 0.156f;
        x = t;
        k++;
    }
    out[get_global_id(0)] = k;
}

// Lanes leave in different iterations here too. Going from an interleave count of 2 to 4 gains less than
// going from 1 to 2.
// SORT: iterations of 64 lanes, then of 16
// SORT: loop 1: divergent
kernel void sort(global uint *out, global const uint *in)
{
    uint row[16];
    size_t first = get_global_id(0) * 16;
    for (int i = 0; i < 16; i++)
        row[i] = in[first + (size_t)i];
    for (int i = 1; i < 16; i++) {
        uint v = row[i];
        int j = i;
        while (j > 0 && row[j - 1] > v) {
            row[j] = row[j - 1];
            j--;
        }
        row[j] = v;
    }
    for (int i = 0; i < 16; i++)
        out[first + (size_t)i] = row[i];
}

// Each iteration waits for a load. Lanes wait together, though gathers are more work than loads.
// TABLE: vectorized, 16 lanes
// TABLE: iterations of 64 lanes, then of 16
kernel void by_table(global uint *out, global const uint *in, global const uint *table, int n)
{
    int g = get_global_id(0);
    uint c = ~0u;
    for (int k = 0; k < n; k++) {
        uint v = in[g * n + k];
        c = table[(c ^ v) & 255] ^ (c >> 8);
        c = table[(c ^ (v >> 8)) & 255] ^ (c >> 8);
        c = table[(c ^ (v >> 16)) & 255] ^ (c >> 8);
        c = table[(c ^ (v >> 24)) & 255] ^ (c >> 8);
    }
    out[g] = ~c;
}

// One byte in each iteration: it isn't certain that half of the time is saved, but two thirds of the time are
// enough where stores cost little.
// BY-BYTES: vectorized, 16 lanes
kernel void by_bytes(global uint *out, global const uchar *in, global const uint *table, int n)
{
    int g = get_global_id(0);
    uint c = ~0u;
    for (int k = 0; k < n; k++)
        c = table[(c ^ in[g * n + k]) & 255] ^ (c >> 8);
    out[g] = ~c;
}

// PUT: not vectorized: lanes wouldn't pay: a vector iteration of
kernel void put_by_bytes(global uint *out, global const uchar *in, global const uint *table, int n)
{
    int g = get_global_id(0);
    uint c = ~0u;
    for (int k = 0; k < n; k++) {
        c = table[(c ^ in[g * n + k]) & 255] ^ (c >> 8);
        out[c & 1023] = (uint)k;
    }
}

// LLVM vectorizes the iterations of each work-item.
// BYTES: not vectorized: lanes wouldn't pay: a vector iteration of
kernel void bytes_of_rows(global int *out, global const char *a, global const char *b, int n)
{
    int x = get_global_id(0), y = get_global_id(1), sum = 0;
    for (int k = 0; k < n; k++)
        sum += (int)a[y * n + k] * (int)b[x * n + k];
    out[y * n + x] = sum;
}

// The values of an iteration fill the registers of one vector iteration.
// FULL: no iterations of 16 lanes: registers wouldn't suffice
kernel void full(global uint *out, global const uint *in, int n)
{
    size_t i = get_global_id(0), m = get_global_size(0);
    uint h = in[i], k0 = in[i + m], k1 = in[i + 2 * m], k2 = in[i + 3 * m], k3 = in[i + 4 * m],
         k4 = in[i + 5 * m], k5 = in[i + 6 * m], k6 = in[i + 7 * m], k7 = in[i + 8 * m];
    for (int r = 0; r < n; r++) {
        h = (h ^ k0) * 0x9e3779b1u;
        h = (h ^ k1) * 0x9e3779b1u;
        h = (h ^ k2) * 0x9e3779b1u;
        h = (h ^ k3) * 0x9e3779b1u;
        h = (h ^ k4) * 0x9e3779b1u;
        h = (h ^ k5) * 0x9e3779b1u;
        h = (h ^ k6) * 0x9e3779b1u;
        h = (h ^ k7) * 0x9e3779b1u;
    }
    out[i] = h;
}

// SHORT: no iterations of 16 lanes: it is short and has no loop
kernel void short_one(global float *out, global const float *in)
{
    size_t i = get_global_id(0);
    out[i] = 2.0f * in[i] + 1.0f;
}

#define MIXED(count)                                \
    uint i = get_global_id(0), h = in[i], a[count]; \
    for (uint k = 0; k < count; k++)                \
        a[k] = h ^ k;                               \
    for (int k = 0; k < n; k++) {                   \
        h ^= h >> 16;                               \
        h *= 0x85ebca6bu;                           \
        h ^= h >> 13;                               \
    }                                               \
    a[5] = h;                                       \
    for (int k = 0; k < 3; k++)                     \
        h += a[(in[i] + k) % count];                \
    out[i] = h;

// What a waiting thread's stack can't be sure to have would keep it from helping.
// MUCH: vectorized, 8 lanes
// MUCH: no iterations of 16 lanes: private memory takes much of the stack
kernel void much_memory(global const uint *in, global uint *out, int n){MIXED(1100)}

// TOO: not vectorized: private memory of all lanes would take too much of the stack
kernel void too_much_memory(global const uint *in, global uint *out, int n){MIXED(131072)}

// Two vector iterations of long straight-line code keep the units busier together, though they share little.
// LONG: one iteration of 32 lanes takes 9{{[1-5]}} % of the time of 2 of 16
// LONG: iterations of 32 lanes, then of 16
kernel void long_one(global float *out, global const float *in)
{
    size_t i = get_global_id(0);
    float x = in[i], a = sqrt(x) + 1.0f, b = log(x / a);
    out[i] = a * exp(-b) - x * erf(b) + tanh(x);
}

#if __OPENCL_C_VERSION__ >= 300
// As many lanes as the sub-group says it has.
// GROUP: no iterations of {{16|32}} lanes: a vector iteration is a sub-group
kernel void sub_group(global uint *out, int n)
{
    uint h = get_global_id(0);
    for (int i = 0; i < n; i++) {
        h ^= h >> 16;
        h *= 0x85ebca6bu;
        h ^= h >> 13;
    }
    out[get_global_id(0)] = h + get_sub_group_size();
}
#endif

// What is speculated for 16 lanes often doesn't hold for 64. Then the iteration is four of 16 lanes, each
// with its own check.
// SPECULATED: define internal void @weft.region.0.interleaved4(
// SPECULATED-NOT: gather.v64
// SPECULATED: slow_path_item:
// SPECULATED: gather.v16i32
// SPECULATED: add i64 %{{.*}}, 16
// SPECULATED: icmp ult i64 %{{.*}}, 64
kernel void speculated(global uint *p, ulong stride, int n)
{
    ulong l = get_global_id(0), i = 2 * l - (l & (stride - 1));
    uint h = p[i];
    for (int r = 0; r < n; r++) {
        h ^= h >> 16;
        h *= 0x85ebca6bu;
        h ^= h >> 13;
    }
    p[i] = h;
}

// `l & 15` can be consecutive over 16 lanes, never over 64 or 32: consecutive accesses would become gathers.
// TILE: one iteration of 64 lanes takes {{[0-9]+}} % of the time of 4 of 16
// TILE: no iterations of 64 lanes: little can be speculated for so many lanes
// TILE: load of 4 bytes: consecutive
// NO-TILE-NOT: weft.region.0.{{interleaved}}
// TILE-REQUESTED: define internal void @weft.region.0.interleaved4(
kernel void tile(global const float *in, global float *out, int rows)
{
    int l = get_local_id(0), x = l & 15, y = l >> 4;
    float sum = 0.0f;
    for (int r = y; r < rows; r += 16)
        sum += in[r * 16 + x];
    out[get_global_id(0)] = sum;
}

// Over 32 lanes this one does.
// HALF: iterations of 32 lanes, then of 16
// HALF-CODE: define internal void @weft.region.0.interleaved2(
kernel void half_tile(global const float *in, global float *out, int rows)
{
    int l = get_local_id(0), x = l & 31, y = l >> 5;
    float sum = 0.0f;
    for (int r = y; r < rows; r += 8)
        sum += in[r * 32 + x];
    out[get_global_id(0)] = sum;
}

// Loops one after the other: more than 16 aren't interleaved.
// FEW-LOOPS: iterations of 16 lanes, then of 8
// MANY-LOOPS: no iterations of 16 lanes: it has many loops
#define LEAVE(k) while (r > k) { r -= in[i + k]; if (r == m) break; if (r & 1) continue; r /= 3; }
#define LEAVE_FOUR(k) LEAVE(k) LEAVE(k + 1) LEAVE(k + 2) LEAVE(k + 3)
kernel void few_loops(global int *out, global const int *in, int m)
{
    int i = get_global_id(0), r = in[i];
    LEAVE_FOUR(0) LEAVE_FOUR(4)
    out[i] = r;
}
kernel void many_loops(global int *out, global const int *in, int m)
{
    int i = get_global_id(0), r = in[i];
    LEAVE_FOUR(0) LEAVE_FOUR(4) LEAVE_FOUR(8) LEAVE_FOUR(12) LEAVE(16)
    out[i] = r;
}
