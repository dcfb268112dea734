// RUN: --check-prefix=SUMS --emit=regions -k sums
// RUN: --check-prefix=LANES WEFT_VF=16 --report=vectorize -k sums
// RUN: --check-prefix=ROUNDS --emit=prepare -k rounds
// Private arrays of kernels with barriers.

// The four sums are values before the kernel is cut at its barriers: each has a row, and no memory of a work-item's own is left.
// SUMS-NOT: alloca
// SUMS: define internal {{.*}} @weft.region.1(
// SUMS: ret
// LANES: region 1: vectorized
// LANES: 0 gathered or scattered; lane by lane: 0
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
// ROUNDS: call void @weft.barrier()
// ROUNDS-NOT: call void @weft.barrier()
kernel void rounds(global const uint *in, global uint *out, local uint *tile)
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
