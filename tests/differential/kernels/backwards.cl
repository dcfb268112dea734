// Addresses that fall from lane to lane: groups of them, bytes and words, under masks, and where the index
// wraps in the middle of a vector (vectorize/emit/interleaved.c, wrap_guarded.c).

//: flipped_pixels in=4096 out=4096
kernel void flipped_pixels(global const uint *in, global uint *out)
{
    int i = item(), n = items();
    global const uchar *pixels = (global const uchar *)in;
    global uchar *to = (global uchar *)out;
    int columns = 1000 - (int)(in[0] % 7u);
    if (i < columns && i < 300) {
        uchar3 left = vload3(0, pixels + 3 * i), right = vload3(0, pixels + mad24(columns - i - 1, 3, 5));
        vstore3(left ^ (uchar3)1, 0, to + mad24(columns - i - 1, 3, 1000));
        vstore3(right, 0, to + 3 * i);
    }
}

//: whole_pixels in=8192 out=8192 data=unit
kernel void whole_pixels(global const float *in, global float *out)
{
    int i = item(), n = items();
    float3 p = vload3(n - 1 - i, in), q = vload3(0, in + 3 * (n - i));
    vstore3(p + 1, n - 1 - i, out + 1000);
    if (i < 250) {
        float2 r = vload2(511 - i, in);
        vstore2(r + q.xy, (size_t)(300 - i), out + 300);
    }
}

// A hole between the segments.
//: with_holes in=4096 out=64
kernel void with_holes(global const int *in, global int *out)
{
    long i = item();
    if (i >= 200)
        return;
    out[i] = in[4 * (200 - i)] + 3 * in[4 * (200 - i) + 2];
    if (in[i] & 1)
        out[i] ^= in[3 * (300 - i) + 1] - in[3 * (300 - i)];
}

//: bytes_back in=4096 out=8192
kernel void bytes_back(global const uint *in, global uint *out)
{
    int i = item();
    global const uchar *bytes = (global const uchar *)in;
    global uchar *to = (global uchar *)out;
    if (i >= 500)
        return;
    uint last = 900 + in[0] % 5u;
    to[i] = bytes[last - (uint)i];
    if (bytes[i] & 3)
        to[2600 - (uint)i] = bytes[(int)last - i] ^ 0x55;
    out[700 + i] = in[(uint)(600 + (int)(in[1] & 1) - i)];
}

// The index falls below 0, or below the least number, in the middle of a vector.
//: falls_below in=128 out=64
kernel void falls_below(global const uint *in, global uint *out)
{
    int i = item();
    uint u = 21u - (uint)i; // wraps after 21
    int s = (int)((uint)INT_MIN + 13u - (uint)i); // wraps after 13
    if (i <= 21)
        out[i] = in[u] * 3;
    else if (u > 0xffff0000u)
        out[i] = u;
    out[items() + i] = i <= 13 ? in[(long)s - (long)INT_MIN] ^ 5 : (uint)s;
}
