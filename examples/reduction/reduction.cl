// The sum of n numbers, in five steps. *sum is 0 before each.

// 1. Naive: every work-item adds its number to the result.
kernel void atomics(global const int *in, global int *sum, int n)
{
    int i = get_global_id(0);
    if (i < n)
        atomic_add(sum, in[i]);
}

// 2. Few work-items, each of which adds up a row of its own. Neighbours read memory that lies far apart. n is a multiple
// of the number of work-items.
kernel void rows(global const int *in, global int *sum, int n)
{
    int length = n / get_global_size(0), first = get_global_id(0) * length, part = 0;
    for (int i = 0; i < length; i++)
        part += in[first + i];
    atomic_add(sum, part);
}

// 3. Neighbours read neighbours.
kernel void columns(global const int *in, global int *sum, int n)
{
    int part = 0;
    for (int i = get_global_id(0); i < n; i += get_global_size(0))
        part += in[i];
    atomic_add(sum, part);
}

// 4. A work-group adds up its parts in local memory: one atomic for a group.
kernel void tree(global const int *in, global int *sum, int n, local int *parts)
{
    int me = get_local_id(0), part = 0;
    for (int i = get_global_id(0); i < n; i += get_global_size(0))
        part += in[i];
    parts[me] = part;
    for (int width = get_local_size(0) / 2; width > 0; width /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (me < width)
            parts[me] += parts[me + width];
    }
    if (me == 0)
        atomic_add(sum, parts[0]);
}

#ifdef __opencl_c_subgroups
// 5. The work-items of a sub-group add up their parts in registers: no barrier, no local memory.
kernel void subgroups(global const int *in, global int *sum, int n)
{
    int part = 0;
    for (int i = get_global_id(0); i < n; i += get_global_size(0))
        part += in[i];
    part = sub_group_reduce_add(part);
    if (get_sub_group_local_id() == 0)
        atomic_add(sum, part);
}
#endif
