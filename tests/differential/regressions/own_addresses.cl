// A private array in the body of a loop that has a barrier. Nothing in its memory lives across the barrier,
// so each region has a copy of its own. But addresses in it that are loop-invariant are computed before the
// loop. They were spilled across the barrier, and were addresses in another region's memory (random kernels,
// seed 40000013). Accesses through an address that an intrinsic derives from another were missed too.

//: element in=4 out=4 local=4 ids
kernel void element(global const uint *in, global uint *out, global uint *sums, local uint *tile)
{
    int i = item(), l = local_item(), n = local_items();
    uint x = in[i], at = rotate(x * 5u, x) & 7u;
    for (uint k = 0; k < 3u; k++) {
        tile[l] = x + k;
        barrier(CLK_LOCAL_MEM_FENCE);
        uint own[8];
        for (int j = 0; j < 8; j++)
            own[j] = tile[(l + j) % n] + x;
        x ^= own[at] * 3u;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    out[i] = x;
}

struct part {
    uint a, b[4];
};

//: members in=4 out=4 local=4 ids
kernel void members(global const uint *in, global uint *out, global uint *sums, local uint *tile)
{
    int i = item(), l = local_item(), n = local_items();
    uint x = in[i], at = rotate(x * 5u, x);
    for (uint k = 0; k < 3u; k++) {
        tile[l] = x + k;
        barrier(CLK_LOCAL_MEM_FENCE);
        struct part own[2];
        for (int j = 0; j < 10; j++)
            ((uint *)own)[j] = tile[(l + j) % n] + x;
        const struct part *part = &own[at & 1];
        x ^= part->a * 3u + part->b[at >> 1 & 3];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    out[i] = x;
}

//: rounded in=4 out=4 local=4 ids
kernel void rounded(global const uint *in, global uint *out, global uint *sums, local uint *tile)
{
    int i = item(), l = local_item(), n = local_items();
    uint x = in[i], own[8] __attribute__((aligned(32)));
    for (uint k = 0; k < 8; k++)
        own[k] = x * (k + 3);
    uint *pair = __builtin_align_down(&own[x & 7], 8);
    tile[l] = x;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[i] = pair[0] + tile[(l + 1) % n];
}
