// Without F16C, a kernel that converts very many halves calls functions for it (codegen/half_conversions.c):
// vectors of halves, arithmetic of halves, vectors that aren't as long as what a call takes.
#define TEN(F, k) F(k##0) F(k##1) F(k##2) F(k##3) F(k##4) F(k##5) F(k##6) F(k##7) F(k##8) F(k##9)
#define HUNDRED(F) \
    TEN(F, ) TEN(F, 1) TEN(F, 2) TEN(F, 3) TEN(F, 4) TEN(F, 5) TEN(F, 6) TEN(F, 7) TEN(F, 8) TEN(F, 9)

//: four in=8 out=8 data=half
#define FOUR(k)                                      \
    v = vload_half4(i, in) * (k * 0.125f + v);       \
    if (any(isnan(v)) || any(fabs(v) > 60000.0f))    \
        v = (float4)(k, k * 1e-7f, k * 0.3f, -0.0f); \
    vstore_half4(v, i, out);
kernel void four(global const half *in, global half *out)
{
    int i = item();
    float4 v = vload_half4(i, in);
    HUNDRED(FOUR)
    vstore_half4(v + vload_half4(i, in), i, out);
}

//: three in=6 out=6 data=half
#define THREE(k)                                       \
    w = w * 0.75f + vload_half3(i, out) * (k * 0.01f); \
    vstore_half3(w, i, out);
kernel void three(global const half *in, global half *out)
{
    int i = item();
    float3 w = vload_half3(i, in);
    vstore_half3(w * 2, i, out);
    HUNDRED(THREE)
    vstore_half3(w, i, out);
}

//: arithmetic in=2 out=2 data=half
#define ARITHMETIC(k) h = h * x + (half)(k * 0.5f);
kernel void arithmetic(global const half *in, global half *out)
{
    int i = item();
    half x = in[i], h = 0;
    HUNDRED(ARITHMETIC)
    out[i] = h;
}
