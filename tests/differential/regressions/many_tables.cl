// Shrunk from a random kernel (seed 7). A loop over private arrays becomes straight code before lanes are
// made: the list of all loops was memory that was gone by then, where LLVM wrote something else, and the
// compiler crashed.
struct many_tables_item {
    uint a;
    float b;
    ushort c;
};

//: many_tables in=16 out=16
kernel void many_tables(global const uint *in, global uint *out, global uint *sums)
{
    int i = item(), n = items();
    uint u = (uint)i + 77u, w = 0;
    uint p[8];
    float f[4];
    struct many_tables_item s[3];
    for (uint k = 0; k < 16; k++) {
        p[k & 7] = (uint)i ^ k;
        f[k & 3] = (float)k;
        s[k % 3].a = k;
        s[k % 3].b = (float)((uint)i & 63u);
        s[k % 3].c = (ushort)(k * 9u);
    }
    for (uint a = 0; a < (u & 7u); a += 2) {
        for (uint b = 0; b < (a & 7u); b++)
            for (int v = 0; v < (int)(in[0] & 3u); v++)
                w += in[v & 3] * in[(a + b) & 3u];
        for (uint c = 0; c < (in[i] & 7u); c += 2) {
            uint4 t[2] = {(uint4)(1u), (uint4)((uint)i, 0u, 7u, w)};
            w ^= t[in[(a & 3u) * (uint)n + (uint)i] & 1].w;
        }
    }
    out[4 * i + 3] = mix(p[(u >> 3) & 7], w) + bits(f[u & 3]) + s[w % 3u].a;
}
