// What holds in all of a group, is checked once for it (vectorize/group_check.c): edges within a group,
// numbers that grow or fall from row to row, and that wrap.

//: checked_guards local=4
kernel void checked_guards(global const uint *in, global uint *out, global uint *sums, local uint *tile)
{
    int x = (int)(get_global_id(0) - get_global_offset(0)), y = (int)(get_global_id(1) - get_global_offset(1));
    int w = (int)get_global_size(0), h = (int)get_global_size(1), l = local_item(), i = item(), n = items();
    tile[l] = in[i];
    barrier(CLK_LOCAL_MEM_FENCE);
    uint r = tile[local_items() - 1 - l];
    if (x < w - 5 && y < h - 2)
        r = mix(r, 3u * tile[l]);
    if (y * w + x < w * h - 19)
        r = mix(r, in[i] * 5u);
    if (mad24(y, w, x) > 70 && get_global_size(2) == 1)
        r = mix(r, 7u);
    out[i] = r;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (i == 37 || x != 11)
        out[i] += tile[l] | 1u;
    if (n - 1 - i >= 21)
        out[i] ^= 0x55u;
}

// Along dimension 1 the numbers fall, or grow so fast that they wrap.
//: checked_pitches local=4
kernel void checked_pitches(global const uint *in, global uint *out, global uint *sums, local uint *tile)
{
    int x = (int)(get_global_id(0) - get_global_offset(0)), y = (int)(get_global_id(1) - get_global_offset(1));
    int w = (int)get_global_size(0), h = (int)get_global_size(1), i = item(), l = local_item();
    tile[l] = in[i];
    barrier(CLK_LOCAL_MEM_FENCE);
    uint r = tile[l];
    int back = (h - 1 - y) * w + x, steep = (int)((uint)y * 0x20000000u + (uint)x);
    if (back > 40)
        r = mix(r, 3u);
    if (steep < 100)
        r = mix(r, 5u);
    if ((int)((uint)y * (0u - 0x10000000u) + 4u * (uint)x) > -9)
        r = mix(r, 7u);
    if ((int)((uint)i + 0x7fffffc0u) > 7)
        r = mix(r, 9u);
    if ((uint)x - 6u < (uint)(w - 11))
        r = mix(r, 11u);
    if ((long)y * ((long)w << 33) + x < (5l << 36))
        r = mix(r, 13u);
    out[i] = r;
}

// Indices that are clamped, and that may wrap.
//: checked_clamps local=4
kernel void checked_clamps(global const uint *in, global uint *out, global uint *sums, local uint *tile)
{
    int x = (int)(get_global_id(0) - get_global_offset(0)), y = (int)(get_global_id(1) - get_global_offset(1));
    int w = (int)get_global_size(0), h = (int)get_global_size(1), l = local_item(), i = item(), n = items();
    uint u = (uint)i;
    tile[l] = in[clamp(i - 3, 0, n - 1)] + 3u * in[min(i + 5, n - 1)];
    barrier(CLK_LOCAL_MEM_FENCE);
    uint r = tile[l];
    r = mix(r, in[clamp(y * w + x - 2, 0, w * h - 1)]);
    r = mix(r, in[(h - 1 - y) * w + max(x - 1, 0)]);
    r = mix(r, in[min(u - 2u, (uint)n - 1u)]);
    r = mix(r, in[clamp(y - 1, 0, h - 1) * w + clamp(x + 1, 0, w - 1)]);
    r = mix(r, in[u + 7u < (uint)n ? u + 7u : 0u]);
    out[i] = r;
}

//: checked_bytes local=8 in=4 out=1
kernel void checked_bytes(global const uchar *in, global uchar *out, global uint *sums, local uchar *tile)
{
    int x = (int)(get_global_id(0) - get_global_offset(0)), y = (int)(get_global_id(1) - get_global_offset(1));
    int w = (int)get_global_size(0), h = (int)get_global_size(1), l = local_item(), i = item(), n = items();
    int at = mad24(y, w, x), end = mad24(h - 1, w, w);
    at = at < end ? at : 0;
    tile[l] = in[at];
    tile[l + local_items()] = in[min(at + w, n - 1)];
    barrier(CLK_LOCAL_MEM_FENCE);
    if (x < w - 1 && y < h)
        out[i] = (uchar)(tile[l] + 3 * tile[l + local_items()]);
    else
        out[i] = 1;
}
