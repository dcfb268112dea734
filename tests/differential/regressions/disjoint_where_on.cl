// Shrunk from a random kernel (seed 301533). Where the conditional is true, u ^ 8 is a sum, which the
// optimiser says with `or disjoint`; a stride across the lanes must not begin with lane 0's `or`, whose bits
// may overlap when it is off.

//: disjoint_where_on in=4 out=4
kernel void disjoint_where_on(global const uint *in, global uint *out)
{
    int i = item();
    uint u = (uint)i + 77u, r = u;
    if (!((u >> 3) & 1)) {
        uint array[8];
        for (uint k = 0; k < 16; k++)
            array[k & 7] = u ^ k;
        r = array[u & 7];
    }
    out[i] = r;
}
