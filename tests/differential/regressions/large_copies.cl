// Copies of structures in a large function become copies of members (ir/passes/split_copies.c). The union has
// the type of its first member, and words of it lie in that one's padding. Indices that are one number and
// very many constants share its extension (ir/passes/share_extensions.c), also where the number is negative.
#define TEN(F, k) F(k##0) F(k##1) F(k##2) F(k##3) F(k##4) F(k##5) F(k##6) F(k##7) F(k##8) F(k##9)
#define HUNDRED(F, k) \
    TEN(F, k##0)      \
    TEN(F, k##1)      \
    TEN(F, k##2) TEN(F, k##3) TEN(F, k##4) TEN(F, k##5) TEN(F, k##6) TEN(F, k##7) TEN(F, k##8) TEN(F, k##9)

union mixed {
    struct {
        uchar a;
        ulong b;
    } s;
    uint w[4];
};
struct both {
    union mixed u;
    uint4 v;
    ushort h[3];
};

static struct both step(struct both x, struct both y, uint k)
{
    x.u.w[1] += y.u.w[1] * 3 + k;
    if (x.u.w[1] & 4)
        x.u.s.a ^= y.h[k % 3];
    x.u.w[k & 3] ^= y.v.y;
    x.v += y.v.wzyx * k;
    x.h[1] += x.u.w[1] + k;
    return x;
}

#define ROW(k)             \
    x = step(x, y, k);     \
    y.u.w[1] ^= x.u.s.a;   \
    z = x;                 \
    y.h[k % 3] = z.u.w[1]; \
    y.v.z += z.h[1];
//: rows in=4 out=4
kernel void rows(global const uint *in, global uint *out)
{
    int i = item();
    struct both x, y, z;
    for (uint j = 0; j < 4; j++)
        x.u.w[j] = y.u.w[j] = in[i] * (j + 1);
    x.v = in[i];
    y.v = (uint4)(1, 2, 3, in[i]);
    for (uint j = 0; j < 3; j++)
        x.h[j] = y.h[j] = in[i] >> j;
    HUNDRED(ROW, 1)
    out[i] = x.u.w[0] ^ x.u.w[1] * 3 ^ x.u.w[2] ^ x.u.w[3] ^ x.v.x ^ x.v.y ^ x.v.z ^ x.v.w ^ x.h[0] ^
             x.h[1] * 77 ^ x.h[2];
}

#define TERM(k) sum = sum * 3 + in[j + k];
//: indices in=1024 out=4
kernel void indices(global const uint *in, global uint *out)
{
    int i = item();
    uint sum = 0;
    for (int j = (i & 7) - 100; j < -97 + (i & 7); j++) {
        HUNDRED(TERM, 1)
    }
    out[i] = sum;
}
