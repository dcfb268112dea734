// RUN: --check-prefix=SUMS --emit=regions -k sums
// RUN: --check-prefix=LANES WEFT_VF=16 --report=vectorize -k sums
// RUN: --check-prefix=ITERATIONS --emit=prepare -k iterations
// RUN: --check-prefix=PLACES --emit=vectorize -k places
// RUN: --check-prefix=LARGE --emit=prepare -k network
// RUN: --check-prefix=MEMBERS --emit=prepare -k members
// Loops over private arrays are unrolled, so that the arrays become values.

// The four sums are values before the kernel is cut at its barriers: each has a row, and no memory of a
// work-item's own is left.
// SUMS-NOT: alloca
// SUMS: define internal {{.*}} @weft.region.1(
// SUMS: ret
// LANES: region 1: vectorized
// LANES: accesses: {{[^g]*}}{{$}}
kernel void sums(global const float *in, global float *out, local float *tile, int n)
{
    float acc[2][2];
    int l = get_local_id(0);
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++)
            acc[i][j] = 0;
    for (int k = 0; k < n; k++) {
        tile[l] = in[k * get_global_size(0) + get_global_id(0)];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int i = 0; i < 2; i++)
            for (int j = 0; j < 2; j++)
                acc[i][j] += tile[l + i] * tile[l + j + 2];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    out[get_global_id(0)] = acc[0][0] * acc[0][1] - acc[1][0] * acc[1][1];
}

// A loop with a barrier isn't unrolled.
// ITERATIONS: call void @weft.barrier()
// ITERATIONS-NOT: call void @weft.barrier()
kernel void iterations(global const uint *in, global uint *out, local uint *tile)
{
    uint last[4] = {1, 2, 3, 4};
    int l = get_local_id(0), n = get_local_size(0);
    for (int k = 0; k < 4; k++) {
        tile[k * n + l] = in[get_global_id(0)] + last[k & 1];
        barrier(CLK_LOCAL_MEM_FENCE);
        last[k] = tile[k * n + n - 1 - l];
    }
    out[get_global_id(0)] = last[in[0] & 3];
}

// A private array whose places are known once the loop is straight code is no memory, and neighbours are
// loaded as such.
// PLACES-LABEL: define {{.*}}@weft.region.0.vector(
// PLACES-NOT: alloca [
// PLACES-NOT: llvm.masked.gather
// PLACES: ret
kernel void places(global float *out, global const float *in)
{
    const int by[12] = {0, 1, -1, 2, -2, 3, -3, 4, -4, 5, -5, 6};
    int i = get_global_id(0);
    float v[12], s = 0;
    for (int k = 0; k < 12; k++) {
        v[k] = in[i + by[k] + 8] * (k + 1.5f) + in[i - by[k] + 40] / (k + 2.5f) + in[i + by[k] * 2 + 90];
        s += v[k] * v[k] + sqrt(v[k]);
    }
    for (int k = 0; k < 12; k++)
        out[i * 12 + k] = v[k] / s + fabs(v[k] - s) * (k + 0.5f) + sqrt(v[k] * s) + fmax(v[k], s);
}

// Also in a kernel without barriers that is so large that nothing is unrolled later: each exchange becomes a
// choice between values.
// LARGE: define {{.*}} @network(
// LARGE-NOT: alloca
// LARGE: ret
#define TEN(F, k) F(k##0) F(k##1) F(k##2) F(k##3) F(k##4) F(k##5) F(k##6) F(k##7) F(k##8) F(k##9)
#define HUNDRED(F, k) TEN(F, k##0) TEN(F, k##1) TEN(F, k##2) TEN(F, k##3) TEN(F, k##4) TEN(F, k##5)                     \
    TEN(F, k##6) TEN(F, k##7) TEN(F, k##8) TEN(F, k##9)
#define SWAP(k)                                                                                               \
    if (v[1##k * 7 & 15] > v[1##k * 11 + (1##k >> 4) & 15]) {                                                 \
        uint t = v[1##k * 7 & 15];                                                                            \
        v[1##k * 7 & 15] = v[1##k * 11 + (1##k >> 4) & 15];                                                   \
        v[1##k * 11 + (1##k >> 4) & 15] = t;                                                                  \
    }
kernel void network(global const uint *in, global uint *out)
{
    uint v[16], sum = 0;
    for (int j = 0; j < 16; j++)
        v[j] = in[get_global_id(0) * 16 + j];
    HUNDRED(SWAP, 0) HUNDRED(SWAP, 1) HUNDRED(SWAP, 2) HUNDRED(SWAP, 3) HUNDRED(SWAP, 4) HUNDRED(SWAP, 5)
    HUNDRED(SWAP, 6) HUNDRED(SWAP, 7) HUNDRED(SWAP, 8) HUNDRED(SWAP, 9) HUNDRED(SWAP, 10) HUNDRED(SWAP, 11)
    HUNDRED(SWAP, 12) HUNDRED(SWAP, 13) HUNDRED(SWAP, 14) HUNDRED(SWAP, 15)
    for (int j = 0; j < 16; j++)
        sum = sum * 3 + v[j];
    out[get_global_id(0)] = sum;
}

// So do arrays in structures, in kernels that are so large that nothing is unrolled later.
// MEMBERS: define {{.*}}@members(
// MEMBERS-NOT: alloca
// MEMBERS: ret
#define MOVE(k)                                                                                              \
    for (int j = 0; j < 3; j++)                                                                              \
        s.w[j] += r;                                                                                         \
    r = r * in[i + k] + in[r & k] / (in[i * k] | 1) + in[r >> 3 & k] * in[i ^ k] - in[r - k & 63];            \
    r ^= (in[i * 3 + k] - r) * in[r + k & 31] + in[i - k] * in[r * k & 15] + (in[i + k * k] ^ r >> 7);       \
    if (s.w[0] > k)                                                                                          \
        s.id++;
struct weights {
    int w[3], id;
};
kernel void members(global int *out, global int *in)
{
    int i = get_global_id(0), r = i;
    struct weights s = {{i, 2, 3}, 0};
    HUNDRED(MOVE, 1) HUNDRED(MOVE, 2)
    out[i] = s.w[0] + s.w[1] + s.w[2] + s.id;
}
