// Barriers that not all work-items of a group reach.
kernel void half_of_them(global int *a, local int *t)
{
    int l = get_local_id(0);
    t[l] = l;
    if (l < 8)
        barrier(CLK_LOCAL_MEM_FENCE); // FAULT barrier
    a[get_global_id(0)] = t[l];
}
kernel void all_of_them_ok(global int *a, local int *t)
{
    int l = get_local_id(0);
    t[l] = l;
    if (get_group_id(0) < 2)
        barrier(CLK_LOCAL_MEM_FENCE);
    a[get_global_id(0)] = t[l];
}
kernel void early_return(global int *a, local int *t, int n)
{
    if (get_global_id(0) >= n - 5)
        return;
    t[get_local_id(0)] = 1;
    barrier(CLK_LOCAL_MEM_FENCE); // FAULT barrier
    a[get_global_id(0)] = t[get_local_id(0)];
}
kernel void early_return_ok(global int *a, local int *t, int n)
{
    if (get_group_id(0) >= n - 61)
        return;
    t[get_local_id(0)] = 1;
    barrier(CLK_LOCAL_MEM_FENCE);
    a[get_global_id(0)] = t[get_local_id(0)];
}
kernel void unlike_loops(global int *a, local int *t)
{
    int l = get_local_id(0);
    for (int k = 0; k < 1 + (l == 3); k++)
        barrier(CLK_LOCAL_MEM_FENCE); // FAULT barrier
    a[get_global_id(0)] = l;
}
kernel void like_loops_ok(global int *a, local int *t, int five)
{
    for (int k = 0; k < five; k++)
        barrier(CLK_LOCAL_MEM_FENCE);
    a[get_global_id(0)] = five;
}
kernel void two_barriers(global int *a)
{
    if (get_local_id(0) & 1)
        barrier(CLK_LOCAL_MEM_FENCE); // FAULT barrier 52
    else
        barrier(CLK_GLOBAL_MEM_FENCE);
    a[get_global_id(0)] = 1;
}
kernel void by_data(global int *a)
{
    if (a[get_global_id(0)] < 40)
        barrier(CLK_LOCAL_MEM_FENCE); // FAULT barrier
}
kernel void by_data_ok(global int *a)
{
    if (a[get_global_id(0)] < 100)
        barrier(CLK_LOCAL_MEM_FENCE);
}
kernel void in_order_ok(global int *a, local int *t)
{
    int l = get_local_id(0);
    for (int s = 8; s; s /= 2) {
        t[l] = s + l;
        barrier(CLK_LOCAL_MEM_FENCE);
        a[get_global_id(0)] = t[(l + s) % 16];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}
