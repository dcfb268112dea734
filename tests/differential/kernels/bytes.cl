// Bytes and words of 16 bits that lie anywhere, in aligned words of 32 bits (vectorize/emit/aligned_words.c),
// and interleaved ones: with holes, under masks, and where an index may wrap.

uint sum3(uchar3 p)
{
    return p.x | (uint)p.y << 8 | (uint)p.z << 16;
}

// Anywhere, from each of the four alignments, by indices of several types.
//: anywhere in=1024 out=64
kernel void anywhere(global const uint *in, global uint *out)
{
    int i = item(), n = items();
    global const uchar *bytes = (global const uchar *)in;
    uint r = in[i % 250] ^ (uint)i * 77u;
    out[i] = bytes[r % 997] | (uint)bytes[(r >> 8) % 990u + (r & 3)] << 8;
    out[n + i] = sum3(vload3(0, bytes + (int)(r % 991) - (int)(r & 1)));
    out[2 * n + i] = sum3(vload3(r % 331, bytes + 1)) ^ sum3(vload3((ulong)(r % 300), bytes + 2)) * 3u;
    global const uchar *odd = bytes + 3 + in[1] % 4;
    uchar2 two = vload2(0, odd + (short)(r % 900));
    out[3 * n + i] = two.x + 256u * two.y + odd[(uchar)r] * 0x10000u;
}

//: shorts in=1024 out=64
kernel void shorts(global const uint *in, global uint *out)
{
    int i = item(), n = items();
    global const ushort *words = (global const ushort *)in;
    uint r = in[i % 250] ^ (uint)i * 31u;
    out[i] = words[r % 501] ^ (uint)words[(r >> 9) % 500u + 1] << 16;
    out[n + i] = (uint)as_ushort(((global const short *)words)[(int)(r % 400)]);
    out[2 * n + i] = ((global const uchar *)words)[2 * (r % 401) + 1];
}

// Under masks, with few lanes or none.
//: masked in=1024 out=64
kernel void masked(global const uint *in, global uint *out)
{
    int i = item(), n = items();
    global const uchar *bytes = (global const uchar *)in;
    uint r = in[i % 250], a = 5, b = 6;
    if (r & 3)
        a = bytes[r % 1000];
    if ((r & 12) == 4)
        b = sum3(vload3(0, bytes + (int)(r % 900)));
    for (uint k = 0; k < (r >> 4) % 5; k++)
        b += bytes[(r + k * 7) % 1000];
    out[i] = a;
    out[n + i] = b;
}

// Side by side with holes; three bytes to an item, of which some items have none.
//: strided in=1024 out=64
kernel void strided(global const uint *in, global uint *out)
{
    int i = item() % 64, n = items();
    global const uchar *bytes = (global const uchar *)in;
    uint a = bytes[2 * i], b = bytes[2 * i + 1], c = bytes[3 * i + 1], d = bytes[4 * i + 2];
    uint e = sum3(vload3(i, bytes)), f = 1;
    if (in[i] & 7)
        f = sum3(vload3(i, bytes + 5));
    out[item()] = a + (b << 8) + (c << 16) + (d << 24);
    out[n + item()] = e;
    out[2 * n + item()] = f;
}

// Indices of 32 bits that may wrap.
//: wrapping in=1024 out=64
kernel void wrapping(global const uint *in, global uint *out)
{
    int i = item(), n = items();
    uint u = (uint)(i % 80) + (in[0] & 1), far = (in[1] & 1) ? 0xfffffff0u : 0u;
    global const uchar *bytes = (global const uchar *)in;
    uint e = sum3(vload3(0, bytes + (u * 3u + far - far)));
    uint k = u * 3u + far;
    if (k < 700u)
        e ^= sum3(vload3(0, bytes + k));
    out[i] = e;
    if (in[i % 250] & 1) {
        global uchar *to = (global uchar *)(out + n);
        int at = mad24(i, 3, 0);
        vstore3((uchar3)((uchar)e, (uchar)(e >> 8), (uchar)i), 0, to + at);
    }
    global uchar *all = (global uchar *)(out + 2 * n);
    vstore3((uchar3)((uchar)i, (uchar)(e >> 8), (uchar)e), 0, all + mad24(i, 3, 0));
    global uint *words = out + 3 * n;
    uint w = in[(uint)(i * 3) % 240u];
    words[i] = w;
}

// The last bytes of a page, and of the buffer.
//: page_ends in=16384 out=64
kernel void page_ends(global const uint *in, global uint *out)
{
    int i = item(), n = items();
    global const uchar *bytes = (global const uchar *)in;
    uint r = in[i] ^ (uint)i * 13u;
    out[i] = sum3(vload3(0, bytes + 4085 + r % 16));
    out[n + i] = sum3(vload3(0, bytes + 8189 + 4 * (r % 3)));
    out[2 * n + i] = sum3(vload3(0, bytes + 16381 - r % 5));
    uchar2 two = vload2(0, bytes + 16382 - (size_t)(r % 4));
    out[3 * n + i] = two.x + 256u * two.y;
}
