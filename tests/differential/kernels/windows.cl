// Lanes whose elements lie in a small window of memory, in an order that each step has
// (vectorize/emit/windowed.c): masks of ids, powers of two less one and others, in sums, differences and with
// xor.

//: of_pairs local=16
kernel void of_pairs(global const uint *in, global uint *out, global uint *sums, local uint *tile)
{
    int i = item(), l = local_item(), n = local_items();
    local uint2 *v = (local uint2 *)tile;
    v[l] = (uint2)(in[i], 3u);
    v[l + n] = (uint2)(in[i] * 7u, (uint)i);
    for (int d = 1; d < 2 * n; d *= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        int k = l & (d - 1), a = 2 * l - k, b = a + d;
        if (b < 2 * n) {
            uint2 x = v[a], y = v[b];
            v[a] = (uint2)(x.x + y.y, x.y * 3u + (uint)k);
            v[b] = (uint2)(mix(x.y, y.x), x.x - y.y);
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    out[i] = mix(v[l].x, v[l].y) + mix(v[l + n].x, v[l + n].y);
}

//: of_pairs_unguarded local=32
kernel void of_pairs_unguarded(global const uint *in, global uint *out, global uint *sums, local uint *tile)
{
    int i = item(), l = local_item(), n = local_items();
    local uint2 *v = (local uint2 *)tile;
    v[l] = (uint2)(in[i], 3u);
    v[l + n] = (uint2)(in[i] * 7u, (uint)i);
    v[l + 2 * n] = v[l + 3 * n] = (uint2)(0u, 0u);
    for (int d = 1; d <= n; d *= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        int k = l & (d - 1), a = 2 * l - k, b = a + d;
        uint2 x = v[a], y = v[b];
        v[a] = (uint2)(x.x + y.y, x.y * 3u + (uint)k);
        v[b] = (uint2)(mix(x.y, y.x), x.x - y.y);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    out[i] = mix(v[l].x, v[l].y) + mix(v[l + n].x, v[l + n].y);
}

// Any mask: parts may not be in order, or two the same, which is read only.
//: any_mask local=16
kernel void any_mask(global const uint *in, global uint *out, global uint *sums, local uint *tile)
{
    int i = item(), l = local_item(), n = local_items();
    for (int k = 0; k < 4; k++)
        tile[l + k * n] = in[i] + (uint)k;
    barrier(CLK_LOCAL_MEM_FENCE);
    uint sum = 0u;
    for (int m = 0; m < 40; m++) {
        sum = mix(sum, tile[2 * l - (l & m)]);
        sum = mix(sum, tile[l + (l & m)]);
        sum = mix(sum, tile[(l | m) < 4 * n ? (l | m) : 0]);
        if ((l ^ m) < n)
            sum = mix(sum, tile[l ^ m]);
        uint u = 2u * (uint)l - ((uint)l & (uint)m);
        sum = mix(sum, tile[u + 1u]);
        long w = 2 * (long)l - ((long)l & m);
        sum = mix(sum, tile[w]);
    }
    out[i] = sum;
}

// The same out of memory that ends with the last work-item's element, where each group reads its own.
//: at_the_end local=4
kernel void at_the_end(global const uint *in, global uint *out, global uint *sums, local uint *tile)
{
    int i = item(), l = local_item(), n = local_items(), first = items() - n;
    uint sum = 0u;
    for (int m = 0; m < 20; m++) {
        int a = 2 * l - (l & m), b = l ^ m;
        if (a < n)
            sum = mix(sum, in[first + a]);
        if (b < n)
            sum = mix(sum, in[first + b]);
        if ((l & 1) && a < n)
            sum += in[first + a];
    }
    out[i] = sum;
}

// Numbers that wrap in 32 bits from one lane to the next.
//: wrapping local=8
kernel void wrapping(global const uint *in, global uint *out, global uint *sums, local uint *tile)
{
    int i = item(), l = local_item(), n = local_items();
    tile[l] = in[i];
    tile[l + n] = in[i] + 5u;
    barrier(CLK_LOCAL_MEM_FENCE);
    uint sum = 0u;
    for (uint m = 0u; m < 16u; m++) {
        uint u = 2u * (uint)l - ((uint)l & m) - 7u;
        if (u < (uint)(2 * n))
            sum = mix(sum, tile[u]);
        uint w = ((uint)l ^ m) - 9u;
        if (w < (uint)n)
            sum = mix(sum, tile[w]);
    }
    out[i] = sum;
}

// What is stored where others have stored before: nothing else of the window may change.
//: stores local=16
kernel void stores(global const uint *in, global uint *out, global uint *sums, local uint *tile)
{
    int i = item(), l = local_item(), n = local_items();
    for (int k = 0; k < 4; k++)
        tile[l + k * n] = (uint)(l + k);
    uint v = in[i];
    for (int d = 1; d <= n; d *= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        int a = 2 * l - (l & (d - 1));
        tile[a] += v;
        barrier(CLK_LOCAL_MEM_FENCE);
        if (v & (uint)d)
            tile[a + d] = mix(v, (uint)d);
        barrier(CLK_LOCAL_MEM_FENCE);
        if ((l ^ d) < n)
            tile[2 * n + (l ^ d)] = v + (uint)d;
        v = mix(v, tile[l]);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    out[i] = mix(mix(tile[l], tile[l + n]), tile[l + 2 * n]);
}
