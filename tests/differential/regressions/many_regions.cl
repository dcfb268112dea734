// So many regions that the loops of each are a function of their own (workitem_loops/run.c). Ids, arguments,
// uniform values and values that are spilled for each work-item are passed from one function to the next.
#define STEP(k)                                \
    tile[l] = x ^ kept[(x + (k)) & 7];         \
    barrier(CLK_LOCAL_MEM_FENCE);              \
    same = same * 5 + tile[(k) % n];           \
    x += tile[(l + (k)) % n] + same + (uint)l; \
    barrier(CLK_LOCAL_MEM_FENCE);
#define STEPS(k) STEP(k) STEP(k + 1) STEP(k + 2) STEP(k + 3) STEP(k + 4)

//: many_regions local=4
kernel void many_regions(global const uint *in, global uint *out, global uint *sums, local uint *tile)
{
    int i = item(), l = local_item(), n = local_items();
    uint x = in[i], same = (uint)n, kept[8];
    for (uint k = 0; k < 8; k++)
        kept[k] = x * k;
    STEPS(1)
    STEPS(6)
    if (n & 1) {
        kept[x & 7] += same;
        STEPS(11)
    }
    STEPS(16)
    out[i] = x + kept[same & 7];
}
