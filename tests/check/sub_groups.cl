// Kernels that use sub-groups. OPTIONS -cl-std=CL3.0
kernel void behind(global int *a)
{
    int sum = sub_group_reduce_add(a[get_global_id(0)]);
    a[get_global_id(0) + 1] = sum; // FAULT bounds
}
kernel void behind_ok(global int *a)
{
    int sum = sub_group_reduce_add(a[get_global_id(0)]);
    a[get_global_id(0)] = sum;
}
kernel void in_a_branch(global int *a)
{
    int i = get_global_id(0), sum = sub_group_scan_inclusive_add(i & 3);
    if (get_sub_group_local_id() == 0)
        a[64 + sum] = 1; // FAULT bounds
}
kernel void misaligned(global char *a)
{
    int i = sub_group_broadcast((int)get_global_id(0), 1) & 7;
    *(global int *)(a + 4 * i + 1) = i; // FAULT align
}
kernel void divides(global int *a, int zero)
{
    int sum = sub_group_reduce_max((int)get_global_id(0));
    a[get_global_id(0)] = sum / zero; // FAULT arith
}
kernel void not_written(global int *a)
{
    int v;
    if (get_global_id(0) == 100)
        v = 1;
    int sum = sub_group_reduce_add(1);
    a[get_global_id(0)] = v + sum; // FAULT uninit
}
kernel void written_ok(global int *a, local int *t)
{
    t[get_local_id(0)] = sub_group_scan_exclusive_add(a[get_global_id(0)]);
    barrier(CLK_LOCAL_MEM_FENCE);
    a[get_global_id(0)] = t[15 - get_local_id(0)];
}
kernel void adds_what_is_not_written(global int *a)
{
    int v;
    if (a[get_global_id(0)] & 1)
        v = 1;
    a[get_global_id(0)] = sub_group_reduce_add(v); // FAULT uninit
}
kernel void asks_what_is_written_ok(global int *a)
{
    int v = a[get_global_id(0)];
    if (sub_group_any(v == 7))
        v = 1;
    a[get_global_id(0)] = v;
}
kernel void moves_what_is_not_written(global int *a)
{
    int v;
    if (a[get_global_id(0)] & 1)
        v = 1;
    a[get_global_id(0)] = sub_group_shuffle_xor(v, 1); // FAULT uninit
}
// One work-item's value matters.
kernel void hands_round_ok(global int *a)
{
    int v;
    if (get_sub_group_local_id() == 0)
        v = a[get_global_id(0)];
    a[get_global_id(0)] = sub_group_broadcast(v, 0);
}
