// What `restrict` says holds for one run of a function, and for pointers that are seen to come from the
// parameter. sums[0] and sums[1] are 0, which the compiler can't know.

// For a pointer spilled across a barrier it was no longer known that it is based on `out`.
//: restrict_kept in=4 out=8 local=4
kernel void restrict_kept(global const uint *in, global uint *restrict out, global uint *sums,
                          local uint *tile)
{
    int i = item();
    global uint *p = out + 2 * i + (in[i] & 1);
    tile[local_item()] = in[i];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[2 * i] = tile[local_item()];
    out[2 * i + 1] = tile[(local_item() + 1) % local_items()];
    uint before = out[2 * i + (in[i] & 1)];
    p[0] = before * 3 + 1;
    uint after = out[2 * i + (in[i] & 1)];
    p[0] = after ^ before;
    out[2 * i] += out[2 * i + 1];
}

// The same, of one pointer for the group.
//: restrict_kept_uniform in=4 out=8 local=4
kernel void restrict_kept_uniform(global const uint *in, global uint *restrict out, global uint *sums,
                                  local uint *tile)
{
    int i = item(), most = 0;
    for (int k = 0; k < 8; k++)
        most += items() * (int)(sums[k] >> 31);
    global uint *p = out + most;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[i] = in[i];
    out[items() + i] = ~in[i];
    for (int t = 0; t < 3; t++) {
        uint before = out[i];
        p[i] = before * 3 + 1;
        uint after = out[i];
        p[i] = after ^ before;
        out[items() + i] += out[i];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}

// Behind the barrier in a function called in a loop, one run's code stands beside the next run's.
void step_with_barrier(local uint *restrict to, local const uint *restrict from, int l, int same)
{
    to[same] = from[l] * 3 + l;
    barrier(CLK_LOCAL_MEM_FENCE);
    uint v = to[l];
    to[same] = v + from[same];
}
//: restrict_barrier in=4 out=4 local=8
kernel void restrict_barrier(global const uint *in, global uint *out, global uint *sums, local uint *tile)
{
    int i = item(), l = local_item(), n = local_items(), same = l + (int)(sums[0] >> 31);
    local uint *a = tile, *b = tile + n;
    a[l] = in[i];
    b[l] = in[i] * 2;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int t = 0; t < 5; t++) {
        step_with_barrier(a, b, l, same);
        local uint *c = a;
        a = b;
        b = c;
    }
    out[i] = a[l] * 5 + b[l];
}
