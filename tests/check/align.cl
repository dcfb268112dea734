// Accesses that aren't aligned to their type.
kernel void int_at_one(global char *a)
{
    if (get_global_id(0) == 0)
        *(global int *)(a + 1) = 1; // FAULT align
}
kernel void int_at_four_ok(global char *a)
{
    if (get_global_id(0) == 0)
        *(global int *)(a + 4) = 1;
}
kernel void float4_at_four(global float *a, global float *b)
{
    if (get_global_id(0) == 0)
        b[0] = (*(global float4 *)(a + 1)).x; // FAULT align
}
kernel void float4_at_sixteen_ok(global float *a, global float *b)
{
    if (get_global_id(0) == 0)
        b[0] = (*(global float4 *)(a + 4)).x;
}
kernel void vload_ok(global float *a, global float *b)
{
    if (get_global_id(0) == 0)
        b[0] = vload4(0, a + 1).x;
}
kernel void short_at_odd(global uchar *a, global ushort *b)
{
    int i = get_global_id(0);
    if (i < 31)
        b[i] = *(global ushort *)(a + 2 * i + 1); // FAULT align
}
kernel void local_double(global int *a, local int *t)
{
    int l = get_local_id(0);
    t[l] = l;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l == 0)
        a[get_global_id(0)] = (int)*(local long *)(t + 1); // FAULT align
}
kernel void private_long(global int *a, int five)
{
    char p[32] __attribute__((aligned(8)));
    for (int k = 0; k < 32; k++)
        p[k] = k;
    char *at = p + five; // from version 21 on, Clang sees in *(long *)(p + five) itself how p is aligned
    a[get_global_id(0)] = (int)*(long *)at; // FAULT align
}
