// Indices that are truncated to 32 bits and extended again. They are speculated not to wrap within a vector
// iteration (shapes/speculation.c). Where one wraps inside an iteration, the lanes after it access other
// elements, or none.

size_t place(void)
{
    size_t x = get_global_id(0) - get_global_offset(0), y = get_global_id(1) - get_global_offset(1),
           z = get_global_id(2) - get_global_offset(2);
    return (z * get_global_size(1) + y) * get_global_size(0) + x;
}

//: cut_signed in=4 out=4
kernel void cut_signed(global const uint *in, global uint *out)
{
    size_t p = place();
    int i = (int)(p + 0x7ffffff0ul); // wraps after 16
    if (p < 16)
        out[(long)i - 0x7ffffff0l] = 3 * in[(long)i - 0x7ffffff0l];
    else
        out[p] = in[p] + (uint)i;
}

//: cut_unsigned in=4 out=4
kernel void cut_unsigned(global const uint *in, global uint *out)
{
    size_t p = place();
    uint i = (uint)(p + 0xffffffe8ul); // wraps after 24
    if (p < 24)
        out[(ulong)i - 0xffffffe8ul] = 3 * in[(ulong)i - 0xffffffe8ul];
    else
        out[p] = in[i];
}

//: cut_back in=4 out=8
kernel void cut_back(global const uint *in, global ulong *out)
{
    size_t p = place();
    long a = (int)(p + 0x7ffffff3ul), b = (uint)(p + 0xfffffff5ul), c = (long)(int)((uint)p * 2 + 0x7fffffe0u) * 4;
    out[p] = (ulong)(a * 3 + b * 5 + c) ^ in[p];
}

//: vectors_cut in=16 out=16
kernel void vectors_cut(global const uint4 *in, global uint4 *out)
{
    int i = place();
    out[i] = in[i] * 3 + 1;
}

//: vectors_cut_wrapping in=16 out=16
kernel void vectors_cut_wrapping(global const uint4 *in, global uint4 *out)
{
    size_t p = place();
    uint i = (uint)p + 0xfffffff7u; // wraps after 9
    if (p < 9)
        out[(ulong)i - 0xfffffff7ul] = in[(ulong)i - 0xfffffff7ul] + 7;
    else
        out[i + 9] = in[i + 9] ^ i;
}

//: bytes_cut in=4 out=4
kernel void bytes_cut(global const uchar4 *in, global uchar4 *out)
{
    uint x = get_global_id(0) - get_global_offset(0), y = get_global_id(1) - get_global_offset(1),
         z = get_global_id(2) - get_global_offset(2), w = get_global_size(0), h = get_global_size(1);
    uint i = (z * h + y) * w + x;
    uchar4 p = in[i];
    out[i] = (uchar4)((uchar)((p.x * 77 + p.y * 150 + p.z * 29) >> 8), p.x, p.w, (uchar)i);
}

//: colours_cut in=4 out=4
kernel void colours_cut(global const uchar *in, global uchar *out)
{
    int i = place();
    uchar r = in[4 * i], g = in[4 * i + 1], b = in[4 * i + 2];
    out[4 * i] = (uchar)(r + g + b);
    out[4 * i + 1] = r ^ b;
    out[4 * i + 2] = in[4 * i + 3];
    out[4 * i + 3] = (uchar)(g - 1);
}

//: far_cut in=4 out=4
kernel void far_cut(global const uint *in, global uint *out)
{
    size_t p = place(), n = items();
    int i = (int)(p * 3), k = (int)(n - 1 - p);
    out[k] = in[(uint)i % (uint)n] + in[k];
}
