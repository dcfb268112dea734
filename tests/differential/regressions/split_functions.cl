// Functions of more than 8,000 instructions become parts that call each other (codegen/split_functions.c): a
// row of branches and loops, an outer loop around it, the end of a long chain of `else if`, private arrays
// that one part uses and that several do. A part that began within a loop and contained the loop's header
// went wrong while this was written.
#define TEN(F, k) F(k##0) F(k##1) F(k##2) F(k##3) F(k##4) F(k##5) F(k##6) F(k##7) F(k##8) F(k##9)
#define HUNDRED(F, k) \
    TEN(F, k##0)      \
    TEN(F, k##1)      \
    TEN(F, k##2) TEN(F, k##3) TEN(F, k##4) TEN(F, k##5) TEN(F, k##6) TEN(F, k##7) TEN(F, k##8) TEN(F, k##9)

#define ROW(k)                                                \
    {                                                         \
        uint own[4] = {x, y, 3, i};                           \
        own[(y + k) & 3] ^= x;                                \
        if ((x >> k % 29) & 1) {                              \
            x = x * 5 + in[i];                                \
            shared[(x + k) & 7] += y;                         \
        } else                                                \
            y += own[x & 3] ^ k;                              \
        for (uint j = x & 1; j < 2; j++)                      \
            y = (y << 3 | y >> 29) + shared[(y + j) & 7] * w; \
    }
//: rows in=64 out=64
kernel void rows(global const uint *in, global uint *out)
{
    int i = item();
    uint x = in[i], y = x * 7, w = x | 1, shared[8];
    for (uint j = 0; j < 8; j++)
        shared[j] = in[i];
    for (uint n = 0; n < 2; n++) {
        HUNDRED(ROW, 1)

        if (x == y)
            break;
    }
    for (uint j = 0; j < 8; j++)
        x ^= shared[j] * j;
    out[i] = x ^ y * 5;
}

#define LADDER(k)                                        \
    else if ((x & 1023) < k % 1024 && (y >> k % 31 & 1)) \
    {                                                    \
        x = x * k + (y ^ in[i]);                         \
        y = y * 3 + (x >> 5) + in[i] * in[i];            \
        z ^= (x << 7) + (y >> 3) * k;                    \
    }
//: ladder in=64 out=64
kernel void ladder(global const uint *in, global uint *out)
{
    int i = item();
    uint x = in[i], y = x * 7, z = 0;
    for (uint n = 0; n < 3; n++) {
        if (x == 1)
            z = 2;
        HUNDRED(LADDER, 1)
        HUNDRED(LADDER, 2)
        HUNDRED(LADDER, 3)

            x ^= z + n;
    }
    out[i] = x ^ y * 5 ^ z;
}
