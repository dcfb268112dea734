// options: -cl-std=CL3.0
// What sub-groups of any size come to: sums over all of them, and what each work-item gets back of its own.
#pragma OPENCL EXTENSION cl_khr_subgroup_ballot : enable

//: sg_sums ids
kernel void sg_sums(global const uint *in, global uint *out, global uint *sums)
{
    int i = item();
    uint x = in[i];
    bool first = get_sub_group_local_id() == 0;
    uint s = sub_group_reduce_add(x), m = sub_group_reduce_max(x), l = sub_group_reduce_min((int)x);
    if (first) {
        atomic_add(&sums[0], s);
        atomic_max(&sums[8], m);
        atomic_min((volatile global int *)&sums[9], (int)l);
        atomic_add(&sums[1], get_sub_group_size());
    }
    uint e = sub_group_scan_exclusive_add(x);
    uint r = sub_group_scan_inclusive_add(x) - e;
    uint4 b = sub_group_ballot(x & 1);
    if (first)
        atomic_add(&sums[2], sub_group_ballot_bit_count(b));
    r ^= sub_group_shuffle(x * 3u, get_sub_group_local_id());
    atomic_add(&sums[3], sub_group_shuffle(x, (get_sub_group_local_id() + 1) % get_sub_group_size()));
    out[i] = r;
}

//: sg_diverges ids
kernel void sg_diverges(global const uint *in, global uint *out, global uint *sums)
{
    int i = item();
    uint x = in[i], r = x;
    if (x & 1) {
        uint s = sub_group_non_uniform_reduce_add(x), c = sub_group_non_uniform_reduce_add(1u);
        if (sub_group_elect()) {
            atomic_add(&sums[0], s);
            atomic_add(&sums[1], c);
        }
        uint e = sub_group_non_uniform_scan_exclusive_xor(x);
        r = sub_group_non_uniform_scan_inclusive_xor(x) ^ e;
    } else if (x & 2) {
        if (sub_group_non_uniform_any(x & 4) != sub_group_non_uniform_any(x & 4))
            r = 5;
        uchar small = sub_group_non_uniform_reduce_or((uchar)x);
        short smax = sub_group_non_uniform_reduce_max((short)x);
        if (sub_group_elect()) {
            atomic_or(&sums[2], small);
            atomic_max((volatile global int *)&sums[10], (int)smax);
        }
    }
    for (uint k = 0; k < (x & 7); k++) {
        uint n = sub_group_non_uniform_reduce_add(k + x);
        if (sub_group_elect())
            atomic_add(&sums[3], n);
        if (((x >> k) & 24) == 24)
            break;
        if (x & 64)
            continue;
        uint4 b = sub_group_ballot(1);
        if (sub_group_elect())
            atomic_add(&sums[4], sub_group_ballot_bit_count(b));
        r += sub_group_shuffle(r, get_sub_group_local_id());
    }
    out[i] = r;
}

//: sg_halves ids in=8
kernel void sg_halves(global const uint *in, global uint *out, global uint *sums)
{
    int i = item();
    ulong x = ((global const ulong *)in)[i];
    ulong s = sub_group_reduce_add(x);
    if (get_sub_group_local_id() == 0) {
        atomic_add(&sums[0], (uint)s);
        atomic_add(&sums[1], get_sub_group_size());
    }
    out[i] = (uint)((sub_group_scan_inclusive_add(x) - sub_group_scan_exclusive_add(x)) >> 7) + (uint)sub_group_all(1) + (uint)sub_group_any(0);
}

//: sg_between ids local=4
kernel void sg_between(global const uint *in, global uint *out, global uint *sums, local uint *tile)
{
    int i = item(), l = local_item(), n = local_items();
    tile[l] = in[i];
    barrier(CLK_LOCAL_MEM_FENCE);
    uint r = 0;
    for (int k = 0; k < 3; k++) {
        uint v = tile[(l + k) % n];
        uint s = sub_group_reduce_add(v), w = work_group_reduce_add(v);
        if (get_sub_group_local_id() == 0)
            atomic_add(&sums[k], s);
        r = mix(r, w);
        barrier(CLK_LOCAL_MEM_FENCE);
        sub_group_barrier(CLK_LOCAL_MEM_FENCE);
        if (l == k)
            tile[l] = r;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    out[i] = r ^ tile[n - 1 - l];
}
