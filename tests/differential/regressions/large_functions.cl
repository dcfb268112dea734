// What only large functions go through: variables become values all at once (ir/passes/promote.c), blocks
// that only pass values on are removed all at once (ir/passes/join_empty.c), and values that very many
// branches change go through memory now and then (codegen/cut_webs.c). Loops that swap variables made the
// second go wrong while it was written.
#define TEN(F, k) F(k##0) F(k##1) F(k##2) F(k##3) F(k##4) F(k##5) F(k##6) F(k##7) F(k##8) F(k##9)
#define HUNDRED(F) TEN(F, ) TEN(F, 1) TEN(F, 2) TEN(F, 3) TEN(F, 4) TEN(F, 5) TEN(F, 6) TEN(F, 7) TEN(F, 8) TEN(F, 9)

// Each loop has variables of its own, which are alive in it only; x, y and z live in all of them.
#define LOOP(k)                                                                     \
    for (uint s##k = x & 3, t##k = k, old##k; s##k < 4; s##k++) {                   \
        old##k = t##k;                                                              \
        t##k = y;                                                                   \
        y = old##k ^ s##k;                                                          \
        if ((x ^ y) & 1) {                                                          \
            uint w##k = x;                                                          \
            x = z + k;                                                              \
            z = w##k * 3;                                                           \
        } else if (t##k == x)                                                       \
            break;                                                                  \
    }
//: many_variables in=64 out=64
kernel void many_variables(global const uint *in, global uint *out)
{
    int i = item();
    uint x = in[i], y = x * 7, z = x >> 3;
    HUNDRED(LOOP)
    out[i] = x ^ y * 5 ^ z;
}

//: many_continues in=64 out=64
#define STEP(k)                 \
    x = x * 5 + (y >> k % 16);  \
    y = (y ^ x) + k;            \
    if ((x >> 7 & 63) == k % 7) \
        continue;
kernel void many_continues(global const uint *in, global uint *out)
{
    int i = item();
    uint x = in[i], y = 3, n = 0;
    while (n++ < 5) {
        HUNDRED(STEP)
    }
    out[i] = x ^ y + n;
}

//: many_choices in=64 out=64
#define CHOICE(k) f < k * 3.5f ? f * k + 1.25f : i == k + 3 ? (float)(x & 255) :
kernel void many_choices(global const uint *in, global uint *out)
{
    int i = item();
    uint x = in[i];
    float f = (float)(x & 1023);
    f = HUNDRED(CHOICE) 5.0f;
    out[i] = as_uint(f);
}
