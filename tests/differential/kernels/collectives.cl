// options: -cl-std=CL3.0
// Collective functions of work-groups.

//: reduce_ids ids
kernel void reduce_ids(global const uint *in, global uint *out, global uint *sums)
{
    int i = item();
    uint v = in[i];
    uint a = work_group_reduce_add(v);
    int b = work_group_reduce_min((int)v);
    uint c = work_group_reduce_max(v ^ 5);
    out[i] = mix(mix(a, (uint)b), c);
}

//: reduce_floats ids data=unit
kernel void reduce_floats(global const float *in, global uint *out, global uint *sums)
{
    int i = item();
    float sum = work_group_reduce_add(in[i]);
    out[i] = mix(bits(sum), bits(work_group_scan_exclusive_add(in[i] * 0.3f)));
}

//: reduce_doubles ids out=8 in=8 data=double
kernel void reduce_doubles(global const double *in, global ulong *out, global uint *sums)
{
    int i = item();
    out[i] = bits64(work_group_reduce_add(in[i])) ^ bits64(work_group_scan_inclusive_max(in[i]));
}

// A wider value is given where others have yet to take theirs, and a narrower one.
//: scans_of_two_sizes ids out=8
kernel void scans_of_two_sizes(global const uint *in, global ulong *out, global uint *sums)
{
    int i = item();
    uint v = in[i];
    uint a = work_group_scan_exclusive_add(v);
    ulong b = work_group_scan_inclusive_max((ulong)v << 21);
    int c = work_group_scan_exclusive_min((int)v);
    double d = work_group_scan_inclusive_add((double)(v & 1023));
    uint e = work_group_reduce_max(v ^ 77);
    long f = work_group_reduce_add((long)v * 3);
    out[i] = (a + b * 5) ^ ((ulong)(uint)c << 7) ^ bits64(d) ^ e ^ (ulong)f * 11;
}

//: scans_in_loop ids
kernel void scans_in_loop(global const uint *in, global uint *out, global uint *sums)
{
    int i = item();
    uint v = in[i], h = 0;
    for (int k = 0; k < 4; k++) {
        v = mix(v, work_group_scan_inclusive_add(v));
        h += work_group_scan_exclusive_min(v) + (uint)work_group_scan_exclusive_max((int)v);
    }
    out[i] = mix(h, v);
}

//: broadcasts_in_loop ids
kernel void broadcasts_in_loop(global const uint *in, global uint *out, global uint *sums)
{
    int i = item();
    uint v = in[i], h = 0;
    // The result is taken and the next value given with no barrier of the program's between.
    for (uint k = 0; k < 5; k++) {
        h = mix(h, work_group_broadcast(v, k % get_local_size(0), get_local_size(1) - 1, 0));
        v += h;
    }
    out[i] = h;
}

//: votes_decide ids
kernel void votes_decide(global const uint *in, global uint *out, global uint *sums)
{
    int i = item();
    uint v = in[i];
    uint iterations = 0;
    while (work_group_any((v & 3) != 0) && iterations < 20) {
        v = v & 1 ? v * 5 + 2 : v >> 1;
        if (work_group_all(iterations > 6))
            v += work_group_reduce_max(v);
        iterations++;
    }
    out[i] = v + iterations;
}

//: divergent_between ids local=4
kernel void divergent_between(global const uint *in, global uint *out, global uint *sums, local uint *tile)
{
    int i = item(), l = local_item();
    uint v = in[i];
    if (v & 1)
        for (uint k = v & 15; k; k--)
            v = mix(v, k);
    tile[l] = work_group_scan_exclusive_add(v & 255);
    if (v & 2)
        v += tile[l] * 3;
    v += work_group_reduce_add(v);
    out[i] = v ^ tile[local_items() - 1 - l];
}

//: around_collectives ids
kernel void around_collectives(global const uint *in, global uint *out, global uint *sums)
{
    int i = item();
    uint v = in[i];
    // Computed before the call, used after it.
    float f = (float)(v & 0xffff) * 0.5f;
    uint h = v * 2654435761u >> 7;
    out[i] = bits(f) + (h ^ work_group_reduce_max(v & 0xff)) + (uint)local_item() * 3;
}
