// Memory that isn't written, where the compiler tries to show that it is (checker/look_ups.c): buffers that
// are written when the launch begins, and local memory that all work-items have written before a barrier. A
// buffer `fresh` has no contents, all others have (run_kernels.c).
kernel void halves_ok(global const int *in, global int *out)
{
    local int t[32];
    int l = get_local_id(0);
    t[l] = in[get_global_id(0)];
    t[l + 16] = 1;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = t[in[l] & 31];
}
kernel void gap(global const int *in, global int *out)
{
    local int t[33];
    int l = get_local_id(0);
    t[l] = in[get_global_id(0)];
    t[l + 17] = 1;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = t[in[l] + 1]; // FAULT uninit
}
kernel void every_second(global const int *in, global int *out)
{
    local int t[32];
    int l = get_local_id(0);
    t[2 * l] = in[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = t[l]; // FAULT uninit
}
kernel void every_second_ok(global const int *in, global int *out)
{
    local int t[32];
    int l = get_local_id(0);
    t[2 * l] = in[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = t[30 - 2 * l];
}
kernel void halo(global const int *in, global int *out)
{
    local int t[18];
    int l = get_local_id(0);
    t[l + 1] = in[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = t[l] + t[l + 1]; // FAULT uninit
}
kernel void halo_ok(global const int *in, global int *out)
{
    local int t[18];
    int l = get_local_id(0);
    t[l + 1] = in[get_global_id(0)];
    if (l < 2)
        t[l * 17] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = t[l] + t[l + 1] + t[l + 2];
}
kernel void some_write(global const int *in, global int *out, local int *t, int five)
{
    int l = get_local_id(0);
    if (l > five)
        t[l] = in[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = t[15 - l]; // FAULT uninit
}
kernel void too_late(global const int *in, global int *out, local int *t)
{
    int l = get_local_id(0), sum = 0;
    for (int k = 0; k < 2; k++) {
        sum += t[15 - l];
        barrier(CLK_LOCAL_MEM_FENCE);
        t[l] = in[get_global_id(0)];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    out[get_global_id(0)] = sum; // FAULT uninit
}
kernel void narrow_store(global const uchar *in, global int *out)
{
    local int t[16];
    int l = get_local_id(0);
    ((local uchar *)t)[4 * l] = in[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = t[l]; // FAULT uninit
}
kernel void spoilt_tile(global const int *in, global int *out, local int *t, int five)
{
    int l = get_local_id(0), v;
    if (l != five)
        v = in[get_global_id(0)];
    t[l] = v;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (t[15 - l] > 3) // FAULT uninit
        out[get_global_id(0)] = 1;
}
kernel void spoilt_later(global const int *in, global int *out, local int *t, int five)
{
    int l = get_local_id(0), v;
    t[l] = in[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l == five)
        t[l] = v;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (t[15 - l] > 3) // FAULT uninit
        out[get_global_id(0)] = 1;
}
kernel void spoilt_by_fresh(global const int *fresh, global const int *in, global int *out, local int *t)
{
    int l = get_local_id(0);
    t[l] = in[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    t[l] += fresh[l];
    barrier(CLK_LOCAL_MEM_FENCE);
    if (t[15 - l] > 3) // FAULT uninit
        out[get_global_id(0)] = 1;
}
// Through two buffers, and back.
kernel void spoilt_chain(global int *a, global int *b, global int *out, int five)
{
    int i = get_global_id(0), v;
    if (i != five)
        v = 1;
    a[i] = v; // FAULT uninit
    b[i] = a[i];
    if (b[i] > 3) // FAULT uninit
        out[i] = 1;
}
kernel void chain_ok(global int *a, global int *b, global int *out, int five)
{
    int i = get_global_id(0), v = 2;
    if (i != five)
        v = 1;
    a[i] = v;
    b[i] = a[i];
    if (b[i] > 3)
        out[i] = 1;
}
kernel void pointers_in_memory(global const int *fresh, global const int *in, global int *out, local int *t)
{
    int l = get_local_id(0);
    t[l] = in[l];
    barrier(CLK_LOCAL_MEM_FENCE);
    global const int *p = in[l] & 1 ? fresh : in; // the driver is asked
    if (p[l] + t[l] > 3)                    // FAULT uninit
        out[get_global_id(0)] = t[15 - l];
}
