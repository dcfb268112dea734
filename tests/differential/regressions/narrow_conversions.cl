// A uchar that was converted from 497.6f was 497 in lanes, and an index outside the array.

//: narrow in=4 out=16
kernel void narrow(global const float *in, global uint *out)
{
    int i = item();
    float x = (i % 37) * 23.7f - 300.0f;
    out[i * 4] = (uint)(uchar)x + convert_uint(convert_uchar(x));
    out[i * 4 + 1] = (uint)(char)x + convert_uint(convert_char(x));
    out[i * 4 + 2] = (uint)(ushort)(x * 200.0f) + convert_uint(convert_ushort(x * -200.0f));
    out[i * 4 + 3] = (uint)(short)(x * 200.0f) + (uint)(uchar)(double)x;
}

//: narrow_index in=4 out=4
kernel void narrow_index(global const float *in, global uint *out)
{
    int i = item();
    uint table[256];
    for (int k = 0; k < 256; k++)
        table[k] = k * k + i;
    uchar j = (uchar)(i * 7.9f);
    out[i] = table[j];
}

//: narrow_four in=4 out=4
kernel void narrow_four(global const float *in, global uint *out)
{
    int i = item();
    float4 x = (float4)(1.0f, -2.0f, 3.0f, 300.0f) * (float)i;
    uint4 y = convert_uint4(convert_uchar4(x)) + convert_uint4(convert_short4(x));
    out[i] = y.x ^ y.y * 3 ^ y.z * 5 ^ y.w * 7;
}
