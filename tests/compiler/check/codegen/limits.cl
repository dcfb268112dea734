// RUN: --report=vectorize -k many
// RUN: --check-prefix=FEW --report=vectorize -k few
// RUN: --check-prefix=LOOPS WEFT_CPU=znver3 --report=vectorize -k gathers
// RUN: --check-prefix=PARTS --report=vectorize -k steps
// RUN: --check-prefix=GOTOS --report=vectorize -k states
// RUN: --check-prefix=SLOW WEFT_VF=16 --report=vectorize -k tiles
// The report says what is left out for large kernels.
#define ADD(k) atomic_add(t + ((r + k) & 63), k); r ^= t[k & 63];
#define TEN(F, k) F(k##0) F(k##1) F(k##2) F(k##3) F(k##4) F(k##5) F(k##6) F(k##7) F(k##8) F(k##9)

// CHECK: kernel many
// CHECK: since the kernel is large:
// CHECK-NEXT: no vectors are looked for in scalar code (SLP)
kernel void many(global int *out, local int *t)
{
    int r = out[get_global_id(0)];
    TEN(ADD, 1) TEN(ADD, 2) TEN(ADD, 3) TEN(ADD, 4) TEN(ADD, 5) TEN(ADD, 6) TEN(ADD, 7) TEN(ADD, 8)
    TEN(ADD, 9) TEN(ADD, 10) TEN(ADD, 11) TEN(ADD, 12) TEN(ADD, 13) TEN(ADD, 14) TEN(ADD, 15) TEN(ADD, 16)
    TEN(ADD, 17) TEN(ADD, 18) TEN(ADD, 19) TEN(ADD, 20) TEN(ADD, 21) TEN(ADD, 22) TEN(ADD, 23) TEN(ADD, 24)
    out[get_global_id(0)] = r;
}

// FEW: kernel few
// FEW-NOT: since the kernel is large
kernel void few(global int *out, local int *t)
{
    int r = out[get_global_id(0)];
    TEN(ADD, 1)
    out[get_global_id(0)] = r;
}

// LOOPS: kernel gathers
// LOOPS: since the kernel is large:
// LOOPS: scalar loops with many accesses are not vectorized by LLVM
#define GATHER(k) r += in[i * a[k] + a[(k * 7 + 1) % 64] * k + k];
kernel void gathers(global int *out, global int *in, constant int *a)
{
    int i = get_global_id(0), r = 0;
    TEN(GATHER, 1) TEN(GATHER, 2) TEN(GATHER, 3) TEN(GATHER, 4) TEN(GATHER, 5) TEN(GATHER, 6)
    TEN(GATHER, 7) TEN(GATHER, 8) TEN(GATHER, 9) TEN(GATHER, 10) TEN(GATHER, 11) TEN(GATHER, 12)
    TEN(GATHER, 13) TEN(GATHER, 14) TEN(GATHER, 15) TEN(GATHER, 16) TEN(GATHER, 17) TEN(GATHER, 18)
    out[i] = r;
}

// PARTS: kernel steps
// PARTS: since the kernel is large:
// PARTS: its code is several functions that call each other
#define STEP(k) r = (r ^ in[i * k + (r & 63)]) * k + (r >> 3);
#define STEPS(F, k) F(k##0) F(k##1) F(k##2) F(k##3) F(k##4) F(k##5) F(k##6) F(k##7) F(k##8) F(k##9)
#define HUNDRED(k) STEPS(TEN_STEPS, k)
#define TEN_STEPS(k) TEN(STEP, k)
kernel void steps(global int *out, global int *in)
{
    int i = get_global_id(0), r = 0;
    HUNDRED(1) HUNDRED(2) HUNDRED(3) HUNDRED(4) HUNDRED(5) HUNDRED(6) HUNDRED(7) HUNDRED(8)
    out[i] = r;
}

// SLOW: kernel tiles
// SLOW: region 1: vectorized, 16 lanes
// SLOW: a fast path for most vector iterations, and a slow path in scalar code: there are very many regions
#define TILE(k)                                                                                              \
    a[y][x] = v;                                                                                             \
    barrier(CLK_LOCAL_MEM_FENCE);                                                                            \
    if (x > k % 4 && x < 31 - k % 4)                                                                         \
        v += a[y][x - 1] * (k + 0.5f) + a[y][x + 1];
kernel void tiles(global float *out)
{
    local float a[8][32];
    int x = get_local_id(0) & 31, y = get_local_id(1) & 7;
    float v = out[get_global_id(0)];
    TEN(TILE, 1) TEN(TILE, 2) TEN(TILE, 3) TEN(TILE, 4) TEN(TILE, 5)
    out[get_global_id(0)] = v;
}

// GOTOS: kernel states
// GOTOS: since the kernel is large:
// GOTOS: blocks of code stand as in the source (block placement)
#define STATE(k)                                                                                             \
    r += in[i + k];                                                                                          \
    if (r & k)                                                                                               \
        r = r * k + in[r & 63];                                                                              \
    if (++c < 100 && r & k + 3)                                                                              \
        goto start;
#define TEN_STATES(k) TEN(STATE, k)
kernel void states(global int *out, global int *in)
{
    int i = get_global_id(0), r = 0, c = 0;
start:
    STEPS(TEN_STATES, 1) STEPS(TEN_STATES, 2) STEPS(TEN_STATES, 3) STEPS(TEN_STATES, 4)
    out[i] = r;
}
