// Each work-item goes along a row of its own. Such loops are unrolled before vectorization, so that each
// lane's elements of several iterations are loaded or stored together. Trip counts that are no multiple of
// that, or small, or 0; elements of all sizes.

#define ROW 64


uint trip_count(global const uint *in, uint k)
{
    return in[k] % (ROW - 2);
}

//: sums in=256 out=16
kernel void sums(global const uint *in, global uint *out)
{
    int i = item();
    float s = 0.0f, q = 1.0f;
    int n = (int)trip_count(in, 0), m = (int)trip_count(in, 1);
    for (int k = 0; k < n; k++)
        s += (float)(in[i * ROW + k] & 0xffff) * (float)(in[k] & 0xff);
    for (int k = 0; k < m; k++)
        q = fmax(q, (float)(in[i * n + k] >> 3));
    out[4 * i] = as_uint(s);
    out[4 * i + 1] = as_uint(q);
}

// Some lanes aren't there.
//: guarded in=256 out=16
kernel void guarded(global const uint *in, global uint *out)
{
    int i = item();
    float s = 0.0f;
    int n = (int)trip_count(in, 2);
    if (in[i * ROW] & 1)
        for (int k = 0; k < n; k++)
            s += (float)(in[i * ROW + k] & 0xffff);
    if (i % 5 != 3)
        for (int k = 1; k < n; k++)
            s = s * 0.5f + (float)(in[i * ROW + k] & 0xff);
    out[4 * i] = as_uint(s);
}

//: sizes in=256 out=16
kernel void sizes(global const uint *in, global uint *out)
{
    int i = item();
    global const uchar *b = (global const uchar *)in;
    global const short *h = (global const short *)in;
    global const ulong *l = (global const ulong *)in;
    float s = 0.0f, t = 0.0f, u = 0.0f;
    int n = (int)trip_count(in, 3), m = n / 2;
    for (int k = 0; k < n; k++)
        s += (float)b[i * 4 * ROW + k] * (float)k;
    for (int k = 3; k < n; k++)
        t += (float)h[i * 2 * ROW + k] * 0.25f;
    for (int k = 0; k < m; k++)
        u += (float)(l[i * (ROW / 2) + k] >> 40);
    out[4 * i] = as_uint(s);
    out[4 * i + 1] = as_uint(t);
    out[4 * i + 2] = as_uint(u);
}

// A row that is the same in all iterations of the outer loop, and one that advances with them.
//: products in=256 out=16
kernel void products(global const uint *in, global uint *out)
{
    int i = item(), n = (int)(in[4] % 5);
    float best = -1.0f;
    for (int j = 0; j < n; j++) {
        float s = 0.0f;
        for (int c = 0; c < 32; c++)
            s += (float)(in[i * ROW + c] & 0xff) * (float)(in[(j & 1) * 32 + c] & 0xf);
        for (int c = 0; c < 8; c++)
            s -= (float)(in[i * ROW + 8 * j + c] & 0x7);
        best = fmax(best, s);
    }
    out[4 * i] = as_uint(best);
}

// Rows are written. An iteration may read what the iteration before it wrote.
//: written in=256 out=256
kernel void written(global const uint *in, global uint *out)
{
    int i = item();
    float f[ROW];
    int n = (int)trip_count(in, 5);
    for (int k = 0; k < ROW; k++)
        f[k] = (float)(in[k % 7 * 5 + (i & 1)] & 0xff) * (float)i;
    for (int k = 0; k < n; k++)
        out[i * ROW + k] = as_uint(f[k] * 1.5f);
    float s = 0.0f;
    for (int k = 0; k + 1 < n; k++) {
        s += (float)(out[i * ROW + k] & 0xff);
        out[i * ROW + k + 1] = as_uint(s);
    }
    for (int k = 0; k < n / 2; k++)
        out[i * ROW + 2 * k] ^= (uint)k;
}
