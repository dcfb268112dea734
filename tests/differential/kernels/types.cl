// Arithmetic in every type, conversions, built-in functions.

//: chars in=4 out=4
kernel void chars(global const char *in, global char *out)
{
    int i = item();
    for (int k = 0; k < 4; k++) {
        char v = in[4 * i + k];
        out[4 * i + k] = (char)(v * 3 + (v >> 2) - (v / 5) + (v < 10 ? v << 1 : 7));
    }
}

//: widths in=8 out=24
kernel void widths(global const uint *in, global ulong *out)
{
    int i = item();
    uint a = in[2 * i], b = in[2 * i + 1];
    out[3 * i] = (ulong)a * b + (ulong)(short)a;
    out[3 * i + 1] = ((ulong)a << 32 | b) >> (a & 63);
    out[3 * i + 2] = (ulong)((long)(int)a >> (b & 31)) ^ (ulong)(uchar)b;
}

//: divisions in=8 out=24
kernel void divisions(global const int *in, global int *out)
{
    int i = item(), a = in[2 * i], b = in[2 * i + 1] % 50;
    int d = b == 0 ? 1 : b;
    out[6 * i] = a / d;
    out[6 * i + 1] = a % d;
    out[6 * i + 2] = (int)((uint)a / (uint)(b | 1));
    out[6 * i + 3] = (int)((uint)a % (uint)(b | 1));
    if (b > 0)
        out[6 * i + 4] = a / b;
    out[6 * i + 5] = (int)((long)a * 1000003 / d);
}

//: integer_functions in=8 out=40
kernel void integer_functions(global const uint *in, global uint *out)
{
    int i = item();
    uint a = in[2 * i], b = in[2 * i + 1];
    global uint *o = out + 10 * i;
    o[0] = mul_hi(a, b);
    o[1] = rotate(a, b);
    o[2] = clz(a) + popcount(b) * 100;
    o[3] = add_sat(a, b);
    o[4] = (uint)sub_sat((int)a, (int)b);
    o[5] = hadd(a, b) ^ rhadd(a, b);
    o[6] = abs_diff((int)a, (int)b);
    o[7] = (uint)clamp((int)a, -100, 1000);
    o[8] = mad24(a & 0xffff, b & 0xff, a) + upsample((ushort)a, (ushort)b);
    o[9] = (uint)(uchar)add_sat((uchar)a, (uchar)b) + (uint)mul_hi((short)a, (short)b) + (uint)max((char)a, (char)b);
}

//: float_arithmetic in=8 out=24 data=unit
kernel void float_arithmetic(global const float *in, global uint *out)
{
    int i = item();
    float a = in[2 * i], b = in[2 * i + 1];
    global uint *o = out + 6 * i;
    o[0] = bits(a * b + a);
    o[1] = bits(a / b);
    o[2] = bits(sqrt(fabs(a)) + floor(b) - rint(a));
    o[3] = bits(a > b ? a : -b) + (a <= b) + isnan(a / (b - b));
    o[4] = bits(fmod(a, b)) ^ bits(trunc(a) * copysign(b, a));
    o[5] = (uint)convert_int_sat(a * 1e9f) ^ (uint)convert_uchar_sat(b * 100.0f) ^ (uint)(int)(a * 50.0f);
}

//: special_floats in=8 out=20
kernel void special_floats(global const uint *in, global uint *out)
{
    // all bit patterns: NaNs, infinities, denormals
    int i = item();
    float a = as_float(in[2 * i]), b = as_float(in[2 * i + 1]);
    global uint *o = out + 5 * i;
    o[0] = bits(a + b);
    o[1] = bits(a * b);
    o[2] = (uint)((a < b) | (a > b) << 1 | (a == b) << 2 | (a != b) << 3 | isunordered(a, b) << 4 | isinf(a) << 5 |
                  signbit(b) << 6 | (isnormal(a) & 1) << 7);
    o[3] = bits(fma(a, b, a));
    o[4] = bits(a * 0.5f) + (uint)ilogb(b);
}

//: float_functions in=4 out=64 data=unit
kernel void float_functions(global const float *in, global uint *out)
{
    int i = item();
    float x = in[i], y = fabs(x) + 0.1f;
    global uint *o = out + 16 * i;
    o[0] = bits(sin(x));
    o[1] = bits(cos(x * 1000.0f));
    o[2] = bits(exp(x));
    o[3] = bits(log(y));
    o[4] = bits(pow(y, x));
    o[5] = bits(tanh(x));
    o[6] = bits(atan2(x, y - 2.0f));
    o[7] = bits(cbrt(x));
    o[8] = bits(erf(x));
    o[9] = bits(rsqrt(y));
    o[10] = bits(tan(x * 300.0f));
    o[11] = bits(asin(x * 0.25f));
    o[12] = bits(exp2(x * 20.0f));
    o[13] = bits(lgamma(y));
    o[14] = bits(hypot(x, y) + fmin(x, 0.5f) + fmax(x, 0.5f));
    o[15] = bits(sin(x * 1e7f)); // the slow path, where some lanes go
}

//: functions_by_some in=4 out=4 data=unit
kernel void functions_by_some(global const float *in, global uint *out)
{
    int i = item();
    float x = in[i], r = x;
    if (x > 1.0f)
        r = log(x) + sin(x * 1e6f);
    else if (x < -1.0f)
        r = exp(x) * pow(-x, 2.3f);
    out[i] = bits(r);
}

//: pointer_functions in=4 out=24 data=unit
kernel void pointer_functions(global const float *in, global uint *out)
{
    int i = item(), e = 0, q = 0;
    float x = in[i], c, whole;
    global uint *o = out + 6 * i;
    o[0] = bits(sincos(x, &c));
    o[1] = bits(c);
    o[2] = bits(modf(x * 3.0f, &whole)) ^ bits(whole);
    o[3] = bits(frexp(x, &e)) + (uint)e;
    o[4] = bits(remquo(x, 0.7f, &q));
    o[5] = (uint)q & 7;
}

//: double_functions in=8 out=64 data=double
kernel void double_functions(global const double *in, global ulong *out)
{
    int i = item();
    double x = in[i], y = fabs(x) + 0.1;
    global ulong *o = out + 8 * i;
    o[0] = bits64(sin(x));
    o[1] = bits64(exp(x));
    o[2] = bits64(log(y));
    o[3] = bits64(pow(y, x));
    o[4] = bits64(x / y + sqrt(y));
    o[5] = bits64(atan(x));
    o[6] = bits64(x > 0.0 ? cbrt(x) : tanh(x));
    o[7] = (ulong)convert_long_sat(x * 1e18) ^ (ulong)(float)x;
}

//: vector_operations in=16 out=48
kernel void vector_operations(global const int4 *in, global int4 *out)
{
    int i = item();
    int4 v = in[i], w = v.wxyz;
    out[3 * i] = select(v, w, v > w) + (v == w);
    out[3 * i + 1] = any(v < 0) ? v >> 3 : w & 0xff;
    int4 r = all(v > w - 1000000000) ? v * w : (int4)(v.x);
    r.even = r.odd - r.even;
    out[3 * i + 2] = shuffle(r, as_uint4(v) & 3u) ^ convert_int4(convert_short4(w));
}

//: vectors_in_loops in=16 out=16 data=unit
kernel void vectors_in_loops(global const float4 *in, global uint4 *out)
{
    int i = item();
    float4 v = in[i], sum = 0.0f;
    for (int k = 0; k < 12 && dot(v, v) > 0.5f; k++) {
        sum += v;
        v = v.yzwx * 0.8f - (float4)(0.1f, 0.0f, v.x * 0.1f, 0.05f);
        if (v.z < 0.0f)
            v.xy = -v.yx;
    }
    out[i] = (uint4)(bits(sum.x), bits(sum.y), bits(sum.z), bits(length(sum)));
}

//: booleans in=8 out=8
kernel void booleans(global const uint *in, global uint *out)
{
    int i = item();
    bool a = in[2 * i] & 1, b = in[2 * i + 1] > 1000, seen[4] = {false, false, false, false};
    for (uint k = 0; k < 5; k++) {
        bool c = a != b;
        a = b && !(in[2 * i] >> k & 1);
        b = c || k == 3;
        seen[(in[2 * i + 1] >> k) & 3] |= a;
    }
    out[2 * i] = (uint)a + 2 * (uint)b;
    out[2 * i + 1] = (uint)seen[0] | (uint)seen[1] << 1 | (uint)seen[2] << 2 | (uint)seen[3] << 3;
}

//: mixed_widths in=4 out=8
kernel void mixed_widths(global const uint *in, global ulong *out)
{
    int i = item();
    uchar c = (uchar)in[i];
    ushort s = (ushort)(in[i] >> 3);
    ulong l = in[i];
    for (uchar k = 0; k < (c & 7); k++) {
        c = (uchar)(c * 5 + k);
        s = (ushort)(s ^ (c << 7));
        l = l * 6364136223846793005ul + s;
    }
    out[i] = l + c;
}

// Terms that a factor of zero takes away (ir/passes/zero_factors.c): signs of zeros stay, and numbers that
// aren't finite.
uint bits_of(float x)
{
    return isnan(x) ? 1u : as_uint(x);
}

//: zero_factors in=256 out=512
kernel void zero_factors(global const uint *in, global uint *out)
{
    int i = item(), n = items();
    uint bits = in[i];
    float y = as_float(bits), minus = bits & 1 ? -0.0f : y;
    float whole = convert_float(bits & 255), part = convert_float((int)bits);
    out[i] = bits_of(fma(whole, 0.0f, minus)) ^ bits_of(fma(-0.0f, whole, minus)) * 3u;
    out[n + i] = bits_of(fma(whole * -2.0f, 0.0f, minus)) ^ bits_of(fma(part, 0.0f, minus)) * 3u;
    out[2 * n + i] = bits_of(fma(y, 0.0f, minus));
    float4 four = fma(convert_float4((uint4)(bits, bits >> 8, bits >> 16, 3)), (float4)0, (float4)minus);
    out[3 * n + i] = bits_of(four.x) + 3u * bits_of(four.w);
}
