// OPTIONS -cl-std=CL3.0 What work-groups compute together, in kinds that look at values and at barriers.
kernel void adds(global int *a, global int *out)
{
    int v;
    if (a[get_global_id(0)] & 1)
        v = 1;
    out[get_global_id(0)] = work_group_reduce_add(v); // FAULT uninit
}
kernel void adds_ok(global int *a, global int *out)
{
    int v = 0;
    if (a[get_global_id(0)] & 1)
        v = 1;
    out[get_global_id(0)] = work_group_reduce_add(v);
}
kernel void scans(global float *a, global float *out)
{
    float v[2];
    v[0] = a[get_global_id(0)];
    out[get_global_id(0)] = work_group_scan_inclusive_max(v[get_local_id(0) & 1]); // FAULT uninit
}
kernel void asks(global int *a, global int *out)
{
    int v;
    if (a[get_global_id(0)] > 60)
        v = 0;
    if (work_group_all(v)) // FAULT uninit
        out[get_global_id(0)] = 1;
}
// One work-item's value matters.
kernel void hands_round_ok(global int *a, global int *out)
{
    int v;
    if (get_local_id(0) == 3)
        v = a[get_global_id(0)];
    out[get_global_id(0)] = work_group_broadcast(v, 3);
}
kernel void some_of_them(global int *a, global int *out)
{
    int s = 0;
    if (get_local_id(0) < 8)
        s = work_group_reduce_add(a[get_global_id(0)]); // FAULT barrier
    out[get_global_id(0)] = s;
}
kernel void some_groups_ok(global int *a, global int *out)
{
    int s = 0;
    if (get_group_id(0) < 2)
        s = work_group_reduce_add(a[get_global_id(0)]);
    out[get_global_id(0)] = s;
}
