// Very many masked accesses, which become branches for each lane all at once where the processor hasn't them
// (codegen/masked_accesses.c): loads, stores, gathers and scatters of several types, also in a loop.
#define TEN(F, k) F(k##0) F(k##1) F(k##2) F(k##3) F(k##4) F(k##5) F(k##6) F(k##7) F(k##8) F(k##9)
#define HUNDRED(F) \
    TEN(F, ) TEN(F, 1) TEN(F, 2) TEN(F, 3) TEN(F, 4) TEN(F, 5) TEN(F, 6) TEN(F, 7) TEN(F, 8) TEN(F, 9)

//: consecutive in=4 out=4
#define CONSECUTIVE(k)            \
    if (x % 7 == k % 7) {         \
        x = x * 3 + in[i];        \
        out[i] = x ^ k;           \
    } else if ((x >> k % 13) & 1) \
        x += out[i] + k;
kernel void consecutive(global const uint *in, global uint *out)
{
    int i = item();
    uint x = in[i];
    out[i] = x;
    HUNDRED(CONSECUTIVE)
    out[i] += x;
}

//: scattered in=64 out=64
#define SCATTERED(k)                    \
    if ((x + k) % 5 < 2) {              \
        x += in[i * 16 + (x + k) % 16]; \
        out[i * 16 + x % 16] += x;      \
    }
kernel void scattered(global const uint *in, global uint *out)
{
    int i = item();
    uint x = in[i * 16];
    for (int k = 0; k < 16; k++)
        out[i * 16 + k] = k;
    for (int n = 0; n < 2; n++) {
        HUNDRED(SCATTERED)
    }
}

//: bytes in=1 out=1
#define BYTES(k)           \
    if ((x ^ k) & 2) {     \
        x = x * 5 + in[i]; \
        out[i] = x;        \
    }
kernel void bytes(global const uchar *in, global uchar *out)
{
    int i = item();
    uchar x = in[i];
    out[i] = x;
    HUNDRED(BYTES)
    out[i] ^= x;
}
