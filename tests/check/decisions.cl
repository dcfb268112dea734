// OPTIONS -cl-std=CL2.0 Barriers, arithmetic and alignment, in more ways than barrier.cl has.
kernel void nested_barrier(global int *a, int five)
{
    for (int k = 0; k < five; k++)
        if (a[get_global_id(0)] > 20 + k)
            barrier(CLK_LOCAL_MEM_FENCE); // FAULT barrier
}
kernel void barrier_in_loop_break(global int *in, global int *out)
{
    int s = 0;
    for (int k = 0; k < 8; k++) {
        barrier(CLK_LOCAL_MEM_FENCE); // FAULT barrier
        if (in[get_global_id(0)] == 17 && k == 3) break;
        s += k;
    }
    out[get_global_id(0)] = s;
}
kernel void barrier_in_loop_break_ok(global int *in, global int *out)
{
    int s = 0;
    for (int k = 0; k < 8; k++) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (in[get_group_id(0)] == 2 && k == 3) break;
        s += k;
    }
    out[get_global_id(0)] = s;
}
kernel void variable_trips(global int *in, global int *out, local int *t)
{
    int l = get_local_id(0), s = 0;
    for (int k = 0; k < (in[get_global_id(0)] & 3) + 1; k++) {
        t[l] = k;
        barrier(CLK_LOCAL_MEM_FENCE); // FAULT barrier
        s += t[l];
    }
    out[get_global_id(0)] = s;
}
void sync_if(int c) { if (c) barrier(CLK_LOCAL_MEM_FENCE); } // FAULT barrier
kernel void barrier_in_function(global int *out)
{
    sync_if(get_local_id(0) != 4);
    out[get_global_id(0)] = 1;
}
void sync_if2(int c) { if (c) barrier(CLK_LOCAL_MEM_FENCE); }
kernel void barrier_in_function_ok(global int *out)
{
    sync_if2(get_group_id(0) != 4);
    out[get_global_id(0)] = 1;
}
kernel void switch_barriers(global int *out)
{
    switch (get_local_id(0) & 3) {
    case 0: barrier(CLK_LOCAL_MEM_FENCE); break; // FAULT barrier 54 55
    case 1: barrier(CLK_LOCAL_MEM_FENCE); break;
    default: barrier(CLK_LOCAL_MEM_FENCE);
    }
    out[get_global_id(0)] = 1;
}
kernel void wg_reduce_div(global int *in, global int *out)
{
    int v = 0;
    if (in[get_global_id(0)] > 5) v = work_group_reduce_max(in[get_global_id(0)]); // FAULT barrier
    out[get_global_id(0)] = v;
}
kernel void wg_scan_return(global int *in, global int *out)
{
    if (in[get_global_id(0)] == 33) return;
    out[get_global_id(0)] = work_group_scan_inclusive_add(1); // FAULT barrier 67
}
kernel void wg_any_ok(global int *in, global int *out)
{
    if (work_group_any(in[get_global_id(0)] > 40)) out[get_global_id(0)] = work_group_reduce_add(1);
}
kernel void async_div(global int *in, global int *out, local int *t)
{
    if (get_local_id(0) == 0) {
        event_t e = async_work_group_copy(t, in, 16, 0);
        wait_group_events(1, &e); // FAULT barrier 77 80
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = t[get_local_id(0)];
}
kernel void wait_div_x(global int *in, global int *out, local int *t)
{
    event_t e = async_work_group_copy(t, in, 16, 0);
    if (get_local_id(0) == 0)
        wait_group_events(1, &e); // FAULT barrier
    out[get_global_id(0)] = 1;
}
kernel void arith_div(global int *in, global int *out)
{
    out[get_global_id(0)] = 100 / (in[get_global_id(0)] - 9); // FAULT arith
}
kernel void arith_div_ok(global int *in, global int *out)
{
    int d = in[get_global_id(0)] - 9;
    out[get_global_id(0)] = d ? 100 / d : 0;
}
kernel void arith_mod_vec(global int4 *in, global int4 *out)
{
    int4 d = (int4)(1, 2, 0, 4) + in[get_global_id(0)] * 0;
    out[get_global_id(0)] = (int4)(7) % d; // FAULT arith
}
kernel void arith_min(global int *in, global int *out, int zero)
{
    int m = INT_MIN + zero;
    out[get_global_id(0)] = m / (in[get_global_id(0)] - 10); // FAULT arith
}
kernel void arith_div_char(global char *in, global char *out)
{
    out[get_global_id(0)] = 5 % in[get_global_id(0)]; // FAULT arith
}
kernel void arith_shift(global int *in, global long *out)
{
    out[get_global_id(0)] = 1L << (in[get_global_id(0)] + 1); // FAULT arith
}
kernel void arith_shift_ok(global int *in, global long *out)
{
    out[get_global_id(0)] = 1L << in[get_global_id(0)];
}
kernel void arith_shift_neg(global int *in, global int *out, int five)
{
    out[get_global_id(0)] = 1 >> (in[5] - five - 1); // FAULT arith
}
kernel void arith_conv(global float *in, global uchar *out)
{
    out[get_global_id(0)] = (uchar)(in[get_global_id(0)] * 5.0f); // FAULT arith
}
kernel void arith_conv_ok(global float *in, global uchar *out)
{
    out[get_global_id(0)] = convert_uchar_sat(in[get_global_id(0)] * 5.0f);
}
kernel void arith_conv_neg(global float *in, global uint *out)
{
    out[get_global_id(0)] = (uint)(in[get_global_id(0)] - 1.0f); // FAULT arith
}
kernel void arith_conv_vec(global float4 *in, global int4 *out)
{
    out[get_global_id(0)] = convert_int4_rte(in[get_global_id(0)] * 1e9f); // FAULT arith
}
kernel void arith_assign_op(global int *in, global int *out, int zero)
{
    int v = in[get_global_id(0)];
    v /= zero; // FAULT arith
    out[get_global_id(0)] = v;
}
kernel void align_int4(global int *a)
{
    *(global int4 *)(a + 1) = (int4)(1); // FAULT align
}
kernel void align_int4_ok(global int *a)
{
    if (get_global_id(0) == 0) vstore4((int4)(1), 0, a + 1);
}
kernel void align_local(global int *out, local uchar *t, int five)
{
    local uint *p = (local uint *)(t + five);
    if (get_local_id(0) < 2) p[get_local_id(0)] = 1; // FAULT align
    out[get_global_id(0)] = 1;
}
kernel void align_private(global int *out, int five)
{
    uchar b[16];
    for (int k = 0; k < 16; k++) b[k] = k;
    out[get_global_id(0)] = *(int *)(b + five); // FAULT align
}
kernel void align_atomic(global char *a, int five)
{
    atomic_inc((global int *)(a + five)); // FAULT align
}
kernel void align_struct(global uchar *a, int five)
{
    struct s { int x; char c; };
    global struct s *p = (global struct s *)(a + 2 * five);
    if (get_global_id(0) == 0) p->x = 3; // FAULT align
}
struct __attribute__((packed)) pk { char c; int x; };
kernel void align_packed_ok(global uchar *a)
{
    global struct pk *p = (global struct pk *)a;
    if (get_global_id(0) == 0) p->x = 3;
}
kernel void align_double(global int *a, int five)
{
    global long *p = (global long *)(a + five);
    if (get_global_id(0) == 0) *p = 3; // FAULT align
}
kernel void vload_half_align(global uchar *a, global float *out, int five)
{
    out[get_global_id(0)] = vload_half(0, (global half *)(a + five)); // FAULT align
}
kernel void mem_fence_only(global int *a, local int *t)
{
    int l = get_local_id(0);
    t[l] = 0; barrier(CLK_LOCAL_MEM_FENCE);
    t[l] = a[get_global_id(0)];
    mem_fence(CLK_LOCAL_MEM_FENCE);
    a[get_global_id(0)] = t[15 - l]; // FAULT race 196
}
kernel void wgb_scope(global int *a, local int *t)
{
    int l = get_local_id(0);
    t[l] = a[get_global_id(0)];
    work_group_barrier(CLK_LOCAL_MEM_FENCE, memory_scope_work_group);
    a[get_global_id(0)] = t[15 - l];
}
kernel void global_through_local_fence(global int *a, global int *b)
{
    int i = get_global_id(0);
    b[i] = i + 100;
    barrier(CLK_LOCAL_MEM_FENCE);
    a[i] = b[i ^ 1];
}
kernel void fence_both_ok(global int *a, global int *b)
{
    int i = get_global_id(0);
    b[i] = i + 100;
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    a[i] = b[i ^ 1];
}
