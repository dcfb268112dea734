// LLVM's loop vectorizer, for single work-items, read every third or fifth element from beyond the private
// array's end.

//: by_fives in=64 out=64
kernel void by_fives(global const uint *in, global uint *out)
{
    int r = item() * 16;
    uint a[16];
    for (int k = 0; k < 16; k++)
        a[k] = in[r + k];
    for (int k = 0; k < 16; k++)
        out[r + k] = a[(k * 5) & 15] + a[in[r + k] & 15];
}

//: by_threes in=64 out=64
kernel void by_threes(global const uint *in, global uint *out)
{
    int r = item() * 16;
    uint a[16];
    for (int k = 0; k < 16; k++)
        a[k] = in[r + k];
    for (int k = 0; k < 16; k++)
        out[r + k] = a[(uchar)(k * 48) >> 4] + a[in[r + k] & 15];
}

//: by_steps in=64 out=64
kernel void by_steps(global const uint *in, global uint *out)
{
    int r = item() * 16;
    uint a[16], n = 0;
    for (int k = 0; k < 16; k++)
        a[k] = in[r + k];
    for (int k = 0; k < 16; k++) {
        out[r + k] = a[n] + a[in[r + k] & 15];
        n = (n + 3) % 16;
    }
}

//: by_shifts in=64 out=64
kernel void by_shifts(global const uint *in, global uint *out)
{
    int r = item() * 16;
    uint a[16];
    for (int k = 0; k < 16; k++)
        a[k] = in[r + k];
    for (uint k = 0; k < 16; k++)
        out[r + k] = a[(k * 5 << 28) >> 28] + a[in[r + k] & 15];
}

//: by_fields in=64 out=64
kernel void by_fields(global const uint *in, global uint *out)
{
    int r = item() * 16;
    uint a[32];
    for (int k = 0; k < 32; k++)
        a[k] = in[r + (k & 15)];
    for (int k = 0; k < 16; k++) {
        int field = k * 5 << 27 >> 27;
        out[r + k] = a[field + 16] + a[in[r + k] & 31];
    }
}

//: by_remainders in=64 out=64
kernel void by_remainders(global const uint *in, global uint *out)
{
    int r = item() * 16, n = 0;
    uint a[16];
    for (int k = 0; k < 16; k++)
        a[k] = in[r + k];
    for (int k = 0; k < 16; k++) {
        out[r + k] = a[n] + a[in[r + k] & 15];
        n = (n + 3) % 16;
    }
}
