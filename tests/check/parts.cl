// Parts of arith that are looked for only if they are named. PARTS nan,overflow
kernel void inf_minus_inf(global float *a)
{
    float big = a[get_global_id(0)] + INFINITY;
    a[get_global_id(0)] = big - big; // FAULT arith
}
kernel void root(global float *a)
{
    a[get_global_id(0)] = sqrt(a[get_global_id(0)] - 10.0f); // FAULT arith
}
kernel void zero_by_zero(global float *a, float zero)
{
    a[get_global_id(0)] = zero / zero; // FAULT arith
}
kernel void element(global float *a, float zero)
{
    float4 v = (float4)(1.0f, 2.0f, zero, 3.0f);
    v = v / v; // FAULT arith
    a[get_global_id(0)] = v.x + v.y;
}
kernel void numbers_ok(global float *a)
{
    float x = a[get_global_id(0)];
    a[get_global_id(0)] = sqrt(x) / (x + 1.0f) + log(x + 1.0f) * 2.0f - fmod(x, 3.0f);
}
kernel void handed_on_ok(global float *a)
{
    float x = nan(7u);
    a[get_global_id(0)] = x + 1.0f;
}
kernel void sum(global int *a, int n)
{
    int big = 0x7fffffff;
    a[get_global_id(0)] = big - 60 + a[get_global_id(0)]; // FAULT arith
}
kernel void product(global int *a, int n)
{
    int big = n << 20;
    a[get_global_id(0)] = big * (a[get_global_id(0)] + 1); // FAULT arith
}
kernel void unsigned_ok(global uint *a)
{
    a[get_global_id(0)] = 0xffffffffu + a[get_global_id(0)];
}
kernel void sum_ok(global int *a, int n)
{
    a[get_global_id(0)] = a[get_global_id(0)] * n + 5 - n;
}
