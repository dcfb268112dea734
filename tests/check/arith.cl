// Operations on numbers.
kernel void divide(global int *a)
{
    int i = get_global_id(0);
    a[i] = 100 / (i - 7); // FAULT arith
}
kernel void divide_ok(global int *a)
{
    int i = get_global_id(0);
    a[i] = i == 7 ? 0 : 100 / (i - 7);
}
kernel void remainder(global uint *a)
{
    uint i = get_global_id(0);
    a[i] = 100 % i; // FAULT arith
}
kernel void remainder_ok(global uint *a)
{
    uint i = get_global_id(0);
    a[i] = 100 % (i + 1);
}
kernel void divide_vector(global int4 *a)
{
    int i = get_global_id(0);
    a[i] = (int4)(8) / (int4)(1, 2, 3, i); // FAULT arith
}
kernel void divide_smallest(global int *a, int five)
{
    int i = get_global_id(0);
    int smallest = INT_MIN + (five - 5);
    a[i] = smallest / (i - 3 ? 1 : -1); // FAULT arith
}
kernel void shift(global int *a)
{
    int i = get_global_id(0);
    a[i] = 1 << i; // FAULT arith
}
kernel void shift_ok(global int *a)
{
    int i = get_global_id(0);
    a[i] = 1 << (i & 31);
}
kernel void shift_negative(global int *a)
{
    int i = get_global_id(0);
    a[i] = i >> (i - 1 & 0x8000001f); // 0 - 1 is negative  // FAULT arith
}
kernel void shift_long_ok(global long *a)
{
    int i = get_global_id(0);
    a[i] = 1l << i;
}
kernel void convert(global int *a)
{
    int i = get_global_id(0);
    a[i] = (int)(1e8f * i); // FAULT arith
}
kernel void convert_ok(global int *a)
{
    int i = get_global_id(0);
    a[i] = (int)(1e7f * i);
}
kernel void convert_negative(global uint *a, int five)
{
    int i = get_global_id(0);
    a[i] = (uint)(float)(i - five); // FAULT arith
}
kernel void convert_nan(global int *a, float zero)
{
    int i = get_global_id(0);
    a[i] = (int)(zero * i / (zero * i)); // FAULT arith
}
kernel void convert_edges_ok(global int *a, float zero)
{
    int i = get_global_id(0);
    a[i] = (int)(-2147483648.0f + zero) + (int)(2147483520.0f + zero);
    a[i] += (uchar)(255.5f + zero) + (char)(-128.5f + zero);
}
// Convert functions are conversions, too. They round as they say, and those that saturate may be given
// anything.
kernel void convert_function(global int *a, float zero)
{
    int i = get_global_id(0);
    a[i] = convert_int((float)i / zero); // FAULT arith
}
kernel void convert_function_ok(global int *a, float zero)
{
    int i = get_global_id(0);
    a[i] = convert_int_sat((float)i / zero) + convert_int(i + zero + 0.5f);
}
kernel void convert_elements(global char4 *a, int five)
{
    int i = get_global_id(0);
    if (i < 16)
        a[i] = convert_char4((float4)(1, 2, i + 120, 3)); // FAULT arith
}
kernel void convert_elements_ok(global char4 *a, int five)
{
    int i = get_global_id(0);
    if (i < 16)
        a[i] = convert_char4((float4)(-128.9f, 127.9f, five, -five)) + convert_char4_rte((float4)(-128.5f, 127.4f, five, 0));
}
kernel void convert_rounded(global uchar *a, int five)
{
    int i = get_global_id(0);
    a[i] = convert_uchar_rtp(i == 3 ? five + 250.5f : 0); // FAULT arith
}
kernel void convert_rounded_ok(global uchar *a, int five)
{
    int i = get_global_id(0);
    a[i] = convert_uchar_rtn(i == 3 ? five + 250.5f : 0) + convert_uchar_rtp(five - 5.9f) + convert_uchar_rte(five + 250.4f);
}
