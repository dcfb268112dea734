// What a step asks before it assumes something, and where a window of memory begins, follows from lane 0,
// which may be off: bits that are disjoint, and sums that don't wrap, in the lanes that are on may overlap
// and wrap there.

//: assumed_disjoint in=4 out=4
kernel void assumed_disjoint(global const uint *in, global uint *out, global uint *sums)
{
    int i = get_global_id(0), n = (int)get_global_size(0);
    int w = n > 40 ? 37 : n;
    uint r = 1;
    if (!(i & 4))
        r = in[(i | 4) % w];
    out[item()] = r;
}

//: disjoint_window local=64 ids
kernel void disjoint_window(global const uint *in, global uint *out, global uint *sums, local uint *tile)
{
    int i = item(), l = local_item(), n = local_items();
    for (int k = 0; k < 16; k++)
        tile[l + k * n] = in[i] + (uint)k * 1000u + (uint)l;
    barrier(CLK_LOCAL_MEM_FENCE);
    uint sum = 0u;
    for (int m = 0; m < 40; m++) {
        if (!((l + 8) & 16)) {
            int a = (l & (m & 16)) | (l + 8);
            if (a < 16 * n)
                sum = mix(sum, tile[a]);
        }
    }
    out[i] = sum;
}

//: wraps_before_clamp in=4 out=4
kernel void wraps_before_clamp(global const uint *in, global uint *out, global uint *sums)
{
    int i = get_global_id(0);
    long g = get_global_size(0), lo = (g >> 6) + 6 - 0x7fffffffL;
    int n = (int)g;
    int a = 0x7ffffff0 | (n & 15), b = (n >> 2) + 20;
    uint r = 1;
    long t = (n & 15) + b - 15; if ((long)i * i >= t * t) {
        int y = i - a, z = y - b;
        long m = max((long)z, lo);
        out[item()] = (uint)y;
        r = mix((uint)y, in[m - lo]) + (uint)m;
    }
    out[item()] = r;
}

//: wraps_before_comparison in=4 out=4
kernel void wraps_before_comparison(global const uint *in, global uint *out, global uint *sums)
{
    int i = get_global_id(0);
    long g = get_global_size(0), lo = (g >> 6) + 6 - 0x7fffffffL;
    int n = (int)g;
    int a = 0x7ffffff0 | (n & 15), b = (n >> 2) + 20;
    uint r = 1;
    long t = (n & 15) + b - 15; if ((long)i * i >= t * t) {
        int y = i - a, z = y - b;
        out[item()] = (uint)y;
        r = (long)z < lo ? 5u : in[(long)z - lo];
    }
    out[item()] = r;
}
