// Indices that are clamped to what there is: inside, lanes' neighbours follow each other; near the ends they
// are all one.

//: clamp_row
kernel void clamp_row(global const uint *in, global uint *out)
{
    int i = item(), n = items();
    uint r = 0;
    for (int k = -2; k <= 2; k++)
        r = mix(r, in[clamp(i + k, 0, n - 1)]);
    out[i] = r;
}

//: clamp_plane
kernel void clamp_plane(global const uint *in, global uint *out)
{
    int x = (int)(get_global_id(0) - get_global_offset(0)), y = (int)(get_global_id(1) - get_global_offset(1));
    int w = (int)get_global_size(0), h = (int)get_global_size(1);
    uint r = 0;
    for (int j = -1; j <= 1; j++)
        for (int i = -1; i <= 1; i++)
            r = mix(r, in[clamp(y + j, 0, h - 1) * w + clamp(x + i, 0, w - 1)]);
    out[item()] = r;
}

//: clamp_one_side
kernel void clamp_one_side(global const uint *in, global uint *out)
{
    int i = item(), n = items();
    out[i] = in[max(i - 3, 0)] + 3 * in[min(i + 5, n - 1)] + 5 * in[max(min(i + 1, n - 2), 0)];
}

//: clamp_unsigned
kernel void clamp_unsigned(global const uint *in, global uint *out)
{
    uint i = (uint)item(), n = (uint)items();
    // Wraps for the first two.
    out[i] = in[min(i - 2u, n - 1u)] + 3 * in[min(i + 1u, n - 1u)] + 5 * in[max(i, 4u) < n ? max(i, 4u) : 0];
}

//: clamp_long
kernel void clamp_long(global const uint *in, global uint *out)
{
    size_t i = (size_t)item(), n = (size_t)items();
    out[i] = in[min(i + 7, n - 1)] + 3 * in[max((long)i - 7, 0L)] + 5 * in[min(i - 1, n - 1)];
}

//: clamp_down
kernel void clamp_down(global const uint *in, global uint *out)
{
    int i = item(), n = items();
    out[i] = in[clamp(n - 4 - i, 0, n - 1)] + 3 * in[clamp(2 * i, 0, n - 1)];
}

//: clamp_wraps
kernel void clamp_wraps(global const uint *in, global uint *out)
{
    int i = item(), n = items();
    // Sums that wrap, well defined as unsigned ones, and a bound at the end of all numbers.
    int far = (int)((uint)i + 0x7ffffff0u), low = (int)((uint)i + 0x80000005u);
    uint r = mix((uint)max(far, 5), (uint)min(low, -7));
    r = mix(r, (uint)max(i, 0x7ffffff0) ^ (uint)min(far, 0x7fffffff));
    out[i] = r + in[min(max(far, 0), n - 1)] + in[max(min(low + 3, n - 1), 0)];
}

//: clamp_by_some
kernel void clamp_by_some(global const uint *in, global uint *out)
{
    int i = item(), n = items();
    uint r = 1;
    if (in[i] & 1)
        r = in[clamp(i - 1, 0, n - 1)] + in[clamp(i + 1, 0, n - 1)];
    out[clamp(i, 0, n - 1)] = r;
}

//: clamp_above_sign
kernel void clamp_above_sign(global const uint *in, global uint *out)
{
    // Sums that pass the sign's place in the midst of the lanes, clamped there, then extended.
    uint i = (uint)item(), n = (uint)items(), far = i + 0x7ffffff0u;
    size_t low = (size_t)min(far, 0x80000005u) - 0x7ffffff0u, high = (size_t)max(far, 0x7ffffff8u) - 0x7ffffff0u;
    out[i] = in[low] + 3 * in[high % n] + 5 * in[((size_t)min(far + i, 0xfffffff0u) - 0x7ffffff0u) / 2];
}

//: clamp_radius
kernel void clamp_radius(global const uint *in, global uint *out)
{
    // The clamped value is known only in each iteration.
    int i = item(), n = items(), radius = 2 + (int)(in[0] & 1u);
    uint r = 0;
    for (int k = -radius; k <= radius; k++)
        r = mix(r, in[clamp(i + k, 0, n - 1)] + 3 * in[n - 1 - min(max(i + 5 * k, 2), n - 1)]);
    if (in[i] & 1u)
        for (int k = 0; k < radius; k++)
            r = mix(r, in[clamp(i - k, 0, n - 1)]);
    for (int k = 0; k < radius; k++) {
        // Wraps, well defined as unsigned numbers, within some steps.
        int far = (int)((uint)i + 0x7ffffffau + (uint)k);
        r = mix(r, in[clamp(far, 0, n - 1)] + in[min(max(2 * i + k, 1), n - 1)]);
    }
    out[i] = r;
}

// Tiles of 16 and of 32 columns in groups along one dimension: columns run on over so many lanes and no more.
//: tile_columns
kernel void tile_columns(global const uint *in, global uint *out)
{
    uint l = (uint)local_item(), n = (uint)items(), r = 0;
    for (uint k = l >> 4; k < n / 16; k += 16)
        r = mix(r, in[k * 16 + (l & 15)]);
    for (uint k = l >> 5; k < n / 32; k += 8)
        r = mix(r, in[k * 32 + (l & 31)]);
    out[item()] = r;
}

// Four bytes a work-item, from a place that is rounded down; mirrored at the ends.
int mirrored(int at, int n)
{
    at = abs(at);
    return at < n ? at : 2 * n - at - 2;
}

//: clamp_mirror
kernel void clamp_mirror(global const uchar *in, global uint *out)
{
    int i = item(), n = 4 * items(), start = (4 * i - 1) & ~3;
    uchar4 a, b;
    if ((start < 0) | (start + 8 > n)) {
        int at[8];
        for (int k = 0; k < 8; k++)
            at[k] = clamp(mirrored(start + k, n), 0, n - 1);
        a = (uchar4)(in[at[0]], in[at[1]], in[at[2]], in[at[3]]);
        b = (uchar4)(in[at[4]], in[at[5]], in[at[6]], in[at[7]]);
    } else {
        a = *(global const uchar4 *)&in[start];
        b = *(global const uchar4 *)&in[start + 4];
    }
    out[i] = mix(as_uint(a), as_uint(b));
}

// Rounded down: to less than the stride, to more, and where the number wraps in the midst of the lanes.
//: clamp_rounded
kernel void clamp_rounded(global const uint *in, global uint *out)
{
    int i = item(), n = items();
    uint far = 4u * (uint)i + 0xffffffe3u, r = in[((8 * i + 5) & ~7) / 8];
    r = mix(r, in[((4 * i + 3) & ~7) / 8]);
    r = mix(r, (far & ~3u) == 0 ? in[n - 1] : in[min((far & ~3u) >> 2, (uint)n - 1)]);
    out[i] = mix(r, (uint)(((long)i * 16 + 9) & ~15L));
}
