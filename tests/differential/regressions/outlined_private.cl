// options: -cl-std=CL3.0
// So many regions that the loops of each are a function of their own (workitem_loops/run.c): of a private
// array that a generic pointer may point to, a work-item's lies in the frame of one region's loops alone, or
// goes from one to the next.
uint sum(const uint *p)
{
    return p[0] + 3 * p[1];
}
#define NEXT(k)      \
    x = x * 5 + (k); \
    barrier(CLK_LOCAL_MEM_FENCE);
#define SOME(k) NEXT(k) NEXT(k + 1) NEXT(k + 2) NEXT(k + 3)

//: outlined_private local=4
kernel void outlined_private(global const uint *in, global uint *out, global uint *sums, local uint *tile)
{
    int i = item(), l = local_item();
    uint x = in[i], all[2] = {1, x};
    if (l == 0)
        tile[0] = tile[1] = 77;
    SOME(1) SOME(5) SOME(9) SOME(13)
    {
        uint mine[2] = {x, (uint)l};
        mine[x & 1] += sum((x >> 3) & 1 ? mine : (x >> 3) & 2 ? (uint *)tile : all);
        all[x & 1] ^= sum(mine);
    }
    SOME(17) SOME(21) SOME(25) SOME(29)
    out[i] = mix(x, sum((x >> 5) & 1 ? all : (uint *)tile));
}
