// What is done otherwise in large functions so that compile time stays linear. Lanes' blocks nest: what
// belongs to one branch comes before what follows both (weftc_bridge_trees). What the loops of a row compute
// is hidden from those that follow while LLVM works on loops (weftc_bridge_part_loops), and very deep nests
// go without its passes for loops (vectorize/legalize/canonicalize.c). Private arrays of huge kernels become
// values (prepare/unroll_private_arrays.c).
#define TEN(F, k) F(k##0) F(k##1) F(k##2) F(k##3) F(k##4) F(k##5) F(k##6) F(k##7) F(k##8) F(k##9)
#define HUNDRED(F, k) TEN(F, k##0) TEN(F, k##1) TEN(F, k##2) TEN(F, k##3) TEN(F, k##4) TEN(F, k##5) TEN(F, k##6) \
    TEN(F, k##7) TEN(F, k##8) TEN(F, k##9)
#define HASH(x) ((uint)(x) * 2654435761u >> 13)

//: else_ifs in=64 out=64
#define ELSE_IF(k) else if ((x & 1023) < 1##k * 3 - 2900) { for (uint q = y & 1##k; q; q >>= 3) { y = (y >> 1) + (q & 3); x += 1##k; } }
kernel void else_ifs(global const uint *in, global uint *out)
{
    int i = item();
    uint x = in[i], y = HASH(x);
    for (int j = 0; j < 3; j++) {
        if (x == 77) x = y;
        HUNDRED(ELSE_IF, 0) HUNDRED(ELSE_IF, 1)
        x ^= HASH(x + y);
    }
    out[i] = x + y;
}

//: rows_of_loops in=64 out=64
#define LOOP(k)                                                          \
    for (uint j = 0; j < (x & 3); j++) y = y * 3 + (j ^ z);              \
    if (y & 1 << 1##k % 20) { x ^= y >> 7; z += x; }                     \
    for (int j = 0; j < 4; j++) x = x * 5 + (in[i] >> j * 1##k % 9);     \
    w ^= x + 1##k; if (w % 31 == 3) { w = HASH(w); }
kernel void rows_of_loops(global const uint *in, global uint *out)
{
    int i = item();
    uint x = in[i], y = x >> 9, z = 0, w = 1;
    for (uint j = 0; j < (x & 7); j++) z += j * y;
    const uint first = z;
    TEN(LOOP, 0) TEN(LOOP, 1) TEN(LOOP, 2) TEN(LOOP, 3) TEN(LOOP, 4) TEN(LOOP, 5)
    out[i] = x ^ y ^ z ^ w ^ first;
}

//: rows_in_a_loop in=64 out=64
kernel void rows_in_a_loop(global const uint *in, global uint *out)
{
    int i = item();
    uint x = in[i], y = x >> 9, z = 0, w = 1;
    for (uint t = 0; t < (w & 3) + 1; t++) {
        TEN(LOOP, 0) TEN(LOOP, 1) TEN(LOOP, 2) TEN(LOOP, 3) TEN(LOOP, 4)
        if (y == t) continue;
        z += t;
    }
    out[i] = x ^ y ^ z ^ w;
}

//: network in=64 out=64
#define SWAP(k)                                                                          \
    if (v[1##k * 7 & 15] > v[1##k * 11 + (1##k >> 4) & 15]) {                            \
        uint t = v[1##k * 7 & 15];                                                       \
        v[1##k * 7 & 15] = v[1##k * 11 + (1##k >> 4) & 15];                              \
        v[1##k * 11 + (1##k >> 4) & 15] = t ^ 1##k;                                      \
    }
kernel void network(global const uint *in, global uint *out)
{
    int i = item();
    uint v[16], sum = 0;
    for (int j = 0; j < 16; j++)
        v[j] = HASH(in[i] + j);
    HUNDRED(SWAP, 0) HUNDRED(SWAP, 1) HUNDRED(SWAP, 2) HUNDRED(SWAP, 3) HUNDRED(SWAP, 4) HUNDRED(SWAP, 5)
    HUNDRED(SWAP, 6) HUNDRED(SWAP, 7) HUNDRED(SWAP, 8) HUNDRED(SWAP, 9) HUNDRED(SWAP, 10) HUNDRED(SWAP, 11)
    HUNDRED(SWAP, 12) HUNDRED(SWAP, 13) HUNDRED(SWAP, 14) HUNDRED(SWAP, 15)
    for (int j = 0; j < 16; j++)
        sum = sum * 3 + v[j];
    out[i] = sum;
}

//: deep_nest in=64 out=64
#define NEST(k) for (uint j##k = 0; j##k < (k % 17 == 0 ? (x & 1) + 1 : one); j##k++) { x += y ^ k; y = y * 3 + j##k;
#define END(k) y ^= x >> 3; }
kernel void deep_nest(global const uint *in, global uint *out)
{
    int i = item();
    uint x = in[i], y = x >> 9;
    const uint one = get_work_dim() > 0 ? 1 : 2;
    TEN(NEST, 1) TEN(NEST, 2) TEN(NEST, 3) TEN(NEST, 4) TEN(NEST, 5) TEN(NEST, 6) TEN(NEST, 7)
    TEN(END, 1) TEN(END, 2) TEN(END, 3) TEN(END, 4) TEN(END, 5) TEN(END, 6) TEN(END, 7)
    out[i] = x ^ y;
}
