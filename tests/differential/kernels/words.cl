// OpenCL's vectors whose elements are all treated alike stay in the order of memory
// (vectorize/access/memory_order.c), and those of which one isn't don't: in loops, under masks, converted, of
// three words and of bytes, and partly stored.

int place(void)
{
    return (int)(get_global_id(0) - get_global_offset(0));
}

//: scaled in=256 out=64
kernel void scaled(global const uint *in, global uint *out)
{
    int i = place(), n = items();
    uint4 a = ((global const uint4 *)in)[i], b = ((global const uint4 *)in)[i + 3];
    float4 x = convert_float4(a & 0xffff) * (float)(in[1] & 0xff) + convert_float4(b >> 8);
    float4 y = fmax(x, 3.0f) / (x * x + 1.0f);
    ((global uint4 *)out)[i] = as_uint4(x);
    ((global uint4 *)out)[n + i] = as_uint4(y + sqrt(x));
}

// Sums in a loop that all lanes leave together, with and without a guard.
//: sums in=256 out=64
kernel void sums(global const uint *in, global uint *out)
{
    int i = place(), n = items(), m = (int)(in[0] % 13);
    global const uint4 *a = (global const uint4 *)in;
    uint4 s = 0, t = in[2];
    for (int k = 0; k < m; k++)
        s = s * 3u + a[i + k] + in[k];
    if (i < n - 3)
        for (int k = 0; k < m; k++)
            t = (t ^ a[i + k]) + (a[i + 2 * k] >> (in[k] & 7u));
    ((global uint4 *)out)[i] = s;
    ((global uint4 *)out)[n + i] = t;
}

// Lanes that join from different paths, that leave in different iterations, and that select on their own.
//: mixed in=256 out=64
kernel void mixed(global const uint *in, global uint *out)
{
    int i = place(), n = items();
    global const uint4 *a = (global const uint4 *)in;
    uint4 s = a[i], t = a[i + 1], u = a[i + 2];
    if (in[i] & 1)
        s = s * 5u + a[i + 3];
    for (uint k = 0; k < (in[i] >> 1) % 7; k++)
        t = t * 3u + a[i + (int)k];
    u = u < 0x80000000u ? u * 7u : a[i + 4];
    uint4 v = (in[i] & 2) ? a[i + 5] : a[i + 6];
    ((global uint4 *)out)[i] = s;
    ((global uint4 *)out)[n + i] = t;
    ((global uint4 *)out)[2 * n + i] = u;
    ((global uint4 *)out)[3 * n + i] = v;
}

// Values that belong to a lane or to a word, and aren't uniform.
//: own in=256 out=64
kernel void own(global const uint *in, global uint *out)
{
    int i = place(), n = items();
    global const uint4 *a = (global const uint4 *)in;
    uint4 s = a[i] * in[i], t = a[i] + (uint4)(1, 2, 3, 4), u = a[i].wxyz * 3u, v = a[i] * 3u + a[i + 1].xxxx;
    v += (uint4)(s.x, t.y, u.z, in[0]);
    uint4 w = a[i + 2] * 9u;
    out[i] = w.x + w.y;
    out[n + i] = u.z;
    ((global uint4 *)out)[n + i] = s ^ t;
    ((global uint4 *)out)[2 * n + i] = u;
    ((global uint4 *)out)[3 * n + i] = v + (uint)i;
}

// Bytes, shorts and longs, wider on the way, and stored under a mask.
//: sizes in=256 out=64
kernel void sizes(global const uint *in, global uint *out)
{
    int i = place(), n = items();
    global const uchar4 *c = (global const uchar4 *)in;
    float4 x = convert_float4(c[i]) * 0.7f + convert_float4(c[i + 4]) * (float)(in[0] & 0xf);
    ((global uchar4 *)out)[i] = convert_uchar4_sat_rte(x);
    ((global uchar4 *)out)[n + i] = (c[i + 1] >> (uchar)1) + (c[i + 2] & (uchar)0x7f);
    global const ushort2 *h = (global const ushort2 *)in;
    ((global ushort2 *)out)[2 * n + i] = max(h[i], h[i + 1]) - (ushort)(in[1] & 0xff);
    if (in[i] & 1)
        ((global ushort2 *)out)[3 * n + i] = h[i] + h[i + 2];
    global const ulong2 *l = (global const ulong2 *)in;
    ((global ulong2 *)out)[n + i] = (l[i] >> 3ul) * 5ul;
}

// Parts of three words or bytes without a hole, and of eight.
//: packed in=256 out=64
kernel void packed(global const uint *in, global uint *out)
{
    int i = place(), n = items();
    uint3 r = vload3(i, in) * 3u + (vload3(i + 1, in) ^ in[0]);
    vstore3(r, i, out);
    uchar3 b = vload3(i, (global const uchar *)in), q = vload3(i + 1, (global const uchar *)in);
    vstore3((uchar3)((b >> (uchar)1) + (q >> (uchar)1)), i, (global uchar *)(out + 4 * n));
    uint8 e = vload8(i, in) + in[3];
    vstore8(e * e, i, out + 8 * n);
}

// Each way stores to where the other loaded from.
//: inplace in=256 out=64
kernel void inplace(global const uint *in, global uint *out)
{
    int i = place(), n = items();
    global uint4 *o = (global uint4 *)out;
    if (i != item())
        return;
    for (int k = 0; k < 3; k++) {
        uint4 x = o[k * n + i] + ((global const uint4 *)in)[i];
        o[k * n + i] = x * 3u;
        o[3 * n + i] += x;
    }
    if (i % 3 != 1)
        o[2 * n + i] ^= in[0];
}

// More sums, elements that are the same for all lanes, and registers of them than there are: done part by
// part (codegen/split_loops.c), of floats, of long words, and where one part asks for what the others don't.
//: parts in=256 out=64
kernel void parts(global const uint *in, global uint *out)
{
    int i = place(), n = items(), m = (int)(in[0] % 4);
    global const uint4 *b = (global const uint4 *)in;
    uint4 s = 0, t = 1, u = 2, v = 3;
    for (int k = 0; k < m; k++) {
        uint4 a0 = b[k], a1 = b[k + 1], a2 = b[k + 2], a3 = b[k + 3];
        uint4 b0 = b[i + k], b1 = b[i + k + 1], b2 = b[i + k + 2], b3 = b[i + k + 3];
        s += a0.x * b0 + a0.y * b1 + a0.z * b2 + a0.w * b3;
        t += a1.x * b0 + a1.y * b1 + a1.z * b2 + a1.w * b3;
        u ^= a2.x * b0 + a2.y * b1 + a2.z * b2 + a2.w * b3;
        v += a3.x * b0 + a3.y * b1 + (a3.z ^ b2) + a3.w * b3;
    }
    global uint4 *o = (global uint4 *)out;
    o[i] = s;
    o[n + i] = t;
    o[2 * n + i] = u;
    o[3 * n + i] = v;
}

//: parts_of_floats in=256 out=64
kernel void parts_of_floats(global const uint *in, global uint *out)
{
    int i = place(), n = items(), m = (int)(in[0] % 4);
    global const float4 *b = (global const float4 *)in;
    float4 s = 0.0f, t = 1.0f, u = 2.0f, v = 3.0f;
    for (int k = 0; k < m; k++) {
        float4 a0 = b[k], a1 = b[k + 1], a2 = b[k + 2], a3 = b[k + 3];
        float4 b0 = b[i + k], b1 = b[i + k + 1], b2 = b[i + k + 2], b3 = b[i + k + 3];
        s += a0.x * b0 + a0.y * b1 + a0.z * b2 + a0.w * b3;
        t += a1.x * b0 + a1.y * b1 + a1.z * b2 + a1.w * b3;
        u += a2.x * b0 + a2.y * b1 + a2.z * b2 + a2.w * b3;
        v += a3.x * b0 + a3.y * b1 + a3.z * b2 + a3.w * b3;
    }
    global uint4 *o = (global uint4 *)out;
    o[i] = s != s ? (uint4)1 : as_uint4(s);
    o[n + i] = t != t ? (uint4)1 : as_uint4(t);
    o[2 * n + i] = u != u ? (uint4)1 : as_uint4(u);
    o[3 * n + i] = v != v ? (uint4)1 : as_uint4(v);
}

//: parts_of_longs in=256 out=64
kernel void parts_of_longs(global const uint *in, global uint *out)
{
    int i = place(), n = items(), m = (int)(in[0] % 3);
    global const ulong *a = (global const ulong *)in;
    global const ulong2 *b = (global const ulong2 *)in;
    ulong2 s = 0, t = 1, u = 2, v = 3;
    for (int k = 0; k < m; k++) {
        ulong2 b0 = b[i + k], b1 = b[i + k + 2];
        s += (a[k] ^ b0) + (a[k + 9] ^ b1);
        t += (a[k + 2] ^ b0) + (a[k + 11] ^ b1);
        u += (a[k + 4] ^ b0) + (a[k + 13] ^ b1);
        v += (a[k + 6] ^ b0) + (a[k + 15] ^ b1);
    }
    global ulong2 *o = (global ulong2 *)out;
    o[i] = s;
    o[n + i] = t;
    o[2 * n + i] = u;
    o[3 * n + i] = v;
}

// Vectors of 128 bytes: alike in all words, mixed, and of which few words are asked for.
//: longs in=256 out=256
kernel void longs(global const uint *in, global uint *out)
{
    int i = place(), n = items();
    ulong16 a = ((global const ulong16 *)in)[i], b = ((global const ulong16 *)in)[n + i];
    ((global ulong16 *)out)[i] = a * 5 + (b ^ in[3]);
    ((global ulong16 *)out)[n + i] = a.s1032547698badcfe + b;
}

//: some_longs in=128 out=128
kernel void some_longs(global const uint *in, global uint *out)
{
    int i = place();
    ulong16 a = ((global const ulong16 *)in)[i], r = 7;
    r.s0 = a.s0 + a.sf;
    r.s9 = a.s7;
    if (in[i] & 1)
        ((global ulong16 *)out)[i] = r;
    else
        ((global ulong *)out)[16 * i + 5] = a.sb;
}
