// A vector of three is spilled as one of four, whose last element isn't set. It was joined with the others to
// one word before the store, and made the whole word poison. Then the spilled value was whatever the spill
// slot contained before.

//: part_unset in=4 out=4 local=4
kernel void part_unset(global const int *in, global int *out, global uint *sums, local int *tile)
{
    int i = item(), n = 1 + (int)(sums[0] >> 31);
    char3 c = (char3)((char)in[i], (char)(in[i] >> 8), (char)(in[i] >> 16));
    for (int k = 0; k < n; k++) {
        tile[local_item()] = in[i];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    out[i] = c.x + c.y * 3 + c.z * 7;
}
