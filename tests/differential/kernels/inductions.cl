// Pointers and indices that all work-items count up alike over barriers; casts of vectors to others;
// addresses that are chosen for all work-items alike.

// The work-item's place along dimension 0. It takes fewer instructions than item(), which may be spilled.
int column(void)
{
    return (int)(get_global_id(0) - get_global_offset(0));
}

//: counted_pointer in=16 out=4 local=4
kernel void counted_pointer(global const uint *in, global uint *out, global uint *sums, local uint *tile)
{
    int i = item(), l = local_item(), n = local_items(), all = items();
    global const uint *p = in + column();
    uint r = 1;
    for (int k = 0; k < 4; k++) {
        tile[l] = *p;
        barrier(CLK_LOCAL_MEM_FENCE);
        r = mix(r, tile[n - 1 - l] + p[-all * k]);
        barrier(CLK_LOCAL_MEM_FENCE);
        p += all;
    }
    out[i] = mix(r, (uint)(p - in) + p[-all]);
}

//: inner_pointer in=32 out=4 local=4
kernel void inner_pointer(global const uint *in, global uint *out, global uint *sums, local uint *tile)
{
    // An inner loop counts up too, and one step is taken in half of the iterations only.
    int i = item(), l = local_item(), n = local_items(), all = items();
    global const uint *p = in + column(), *q = in + 7 * all + column();
    uint r = 1;
    for (int k = 0; k < 2; k++) {
        tile[l] = *q;
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int j = 0; j < 3; j++, p += all)
            r = mix(r, *p + tile[(l + j) % n]);
        if (k & (all & 1))
            p += all;
        q -= 2 * all;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    out[i] = mix(r, (uint)(p - in) * 3 + (uint)(q - in));
}

//: own_steps in=16 out=4 local=4
kernel void own_steps(global const uint *in, global uint *out, global uint *sums, local uint *tile)
{
    // Steps of a work-item's own, in its own condition, and a start that it has read.
    int i = item(), l = local_item(), n = local_items();
    global const uint *p = in + column(), *q = in + 3 * i, *s = in + (in[i] & 1);
    uint r = 1;
    for (int k = 0; k < 3; k++) {
        tile[l] = *p + *q;
        barrier(CLK_LOCAL_MEM_FENCE);
        r = mix(r, tile[n - 1 - l] + *s);
        barrier(CLK_LOCAL_MEM_FENCE);
        p += l & 1;
        if (r & 1)
            q++;
        s += k == 0;
    }
    out[i] = mix(r, (uint)(p - in) + (uint)(q - in) + (uint)(s - in));
}

//: restarted in=16 out=4 local=4
kernel void restarted(global const uint *in, global uint *out, global uint *sums, local uint *tile)
{
    int i = item(), l = local_item(), n = local_items(), all = items();
    uint r = 1, w = 0xfffffff0u + (uint)l;
    ulong m = (ulong)column();
    for (int o = 0; o < 2; o++) {
        global const uint *p = in + o * all + column();
        int x = column();
        for (int k = 0; k < 3; k++) {
            tile[l] = *p + in[x] + in[m];
            barrier(CLK_LOCAL_MEM_FENCE);
            r = mix(r, tile[(l + k) % n] + w);
            barrier(CLK_LOCAL_MEM_FENCE);
            p += k == 1 ? all : 0;
            x += all;
            w += 5;
        }
        m += (ulong)all;
    }
    out[i] = mix(r, w);
}

//: bytes_of_words in=16 out=16
kernel void bytes_of_words(global const uint *in, global uint *out)
{
    int i = item();
    uint4 a = vload4(i, in);
    if (a.x & 1)
        a = a.yxwz;
    uchar16 b = as_uchar16(a);
    b = max(b, b.s0123456789abcdef + (uchar16)3);
    ushort8 c = as_ushort8(b.s1032547698badcfe);
    vstore4(as_uint4(c + (ushort8)1) ^ as_uint4(convert_uchar16_sat(convert_short16(b) * (short)3)), i, out);
}

//: words_of_longs in=16 out=16
kernel void words_of_longs(global const ulong *in, global ulong *out)
{
    int i = item();
    ulong x = in[2 * i], y = in[2 * i + 1];
    uint2 a = as_uint2(x);
    ushort4 b = as_ushort4(y);
    uchar8 c = as_uchar8(x ^ y);
    for (uint k = 0; k < (uint)(x & 3); k++) {
        a = a.yx + (uint2)(k, 1);
        b = b.yzwx;
        c = c.s12345670 + (uchar8)1;
    }
    out[2 * i] = as_ulong(a) + as_ulong(b);
    out[2 * i + 1] = as_ulong(c) ^ ((ulong)as_ushort(c.s26) << 7);
}

//: turned in=16 out=4
kernel void turned(global const uint *in, global uint *out)
{
    int i = item(), n = items(), by_rows = n & 1;
    uint r = 1;
    for (int k = 0; k < 4; k++)
        r = mix(r, in[by_rows ? i * 4 + k : k * n + i] + in[n & 2 ? i : n - 1 - i]);
    if (r & 3)
        r += in[n & 4 ? 3 * n + i : (int)(r & 3)];
    out[i] = r;
}
