// OPTIONS -cl-std=CL2.0 Races through pointers whose memory is not known.
kernel void written_by_pairs(global int *a, local int *t, int n)
{
    int *p = n > 1000000 ? (int *)t : (int *)a;
    p[get_local_id(0) / 2] = get_local_id(0); // FAULT race
}
kernel void written_once_ok(global int *a, local int *t, int n)
{
    int *p = n > 1000000 ? (int *)t : (int *)a;
    p[get_global_id(0)] = get_local_id(0);
}
kernel void written_and_counted(global int *a, local int *t, int n)
{
    int *p = n > 1000000 ? (int *)t : (int *)a;
    if (get_global_id(0) == 5)
        *p = 100;                                                     // FAULT race 20
    else
        atomic_fetch_add((volatile atomic_int *)p, 1);                // FAULT race 18
}
kernel void local_pairs(global int *a, local int *t, int n)
{
    int *p = n < 1000000 ? (int *)t : (int *)a;
    p[get_local_id(0) / 2] = get_local_id(0); // FAULT race
    barrier(CLK_LOCAL_MEM_FENCE);
    a[get_global_id(0)] = t[0];
}
kernel void private_arrays_ok(global int *a, int n)
{
    int own[16];
    int *p = n > 1000000 ? (int *)a : own;
    for (int i = 0; i < 16; i++)
        p[i] = i + get_local_id(0);
    barrier(CLK_LOCAL_MEM_FENCE);
    a[get_global_id(0)] = p[get_local_id(0) & 15];
}
