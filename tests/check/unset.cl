// OPTIONS -cl-std=CL3.0 What isn't set: through selects, shuffles, structures with gaps.
kernel void through_select(global int *in, global int *out, int five)
{
    int v;
    int i = get_global_id(0);
    out[i] = select(in[i], v, i == five); // FAULT uninit
}
kernel void through_select_ok(global int *in, global int *out, int zero)
{
    int v;
    int i = get_global_id(0);
    out[i] = select(in[i], v, zero);
}
kernel void ternary(global int *in, global int *out, int five)
{
    int v, w = 3, i = get_global_id(0);
    out[i] = i == five ? v : w; // FAULT uninit
}
kernel void ternary_ok(global int *in, global int *out, int five)
{
    int v, w = 3, i = get_global_id(0);
    if (i == five) v = 2;
    out[i] = i == five ? v : w;
}
kernel void through_shift(global uint *out)
{
    uint v;
    v = (v << 8) | 7;
    out[get_global_id(0)] = v & 0x1ff; // FAULT uninit
}
kernel void through_shift_ok(global uint *out)
{
    uint v;
    v = (v << 8) | 7;
    out[get_global_id(0)] = v & 0xff;
}
kernel void byte_parts(global uint *in, global uint *out)
{
    uchar4 c;
    c.x = in[get_global_id(0)]; c.y = 1; c.w = 3;
    out[get_global_id(0)] = as_uint(c); // FAULT uninit
}
kernel void byte_parts_ok(global uint *in, global uint *out)
{
    uchar4 c;
    c.x = in[get_global_id(0)]; c.y = 1; c.w = 3;
    out[get_global_id(0)] = as_uint(c) & 0xff00ffff;
}
kernel void convert_part(global float *in, global int4 *out)
{
    float4 v;
    v.s0 = in[0]; v.s12 = vload2(1, in);
    out[get_global_id(0)] = convert_int4_sat(v); // FAULT uninit
}
kernel void convert_part_ok(global float *in, global int4 *out)
{
    float4 v;
    v.s0 = in[0]; v.s12 = vload2(1, in);
    out[get_global_id(0)] = convert_int4_sat((float4)(v.s012, 1.0f));
}
kernel void shuffled(global int4 *out)
{
    int4 v;
    v.xz = (int2)(1, 2);
    out[get_global_id(0)] = v.xzzx + v.zxxz;
}
kernel void shuffled_bad(global int4 *out)
{
    int4 v;
    v.xz = (int2)(1, 2);
    out[get_global_id(0)] = v.xzyx; // FAULT uninit
}
kernel void shuffle_builtin(global int4 *out, global uint4 *m)
{
    int4 v;
    v.xz = (int2)(1, 2);
    out[get_global_id(0)] = shuffle(v, (uint4)(0, 2, 0, 2));
}
kernel void shuffle_builtin_bad(global int4 *out, global uint4 *m)
{
    int4 v;
    v.xz = (int2)(1, 2);
    out[get_global_id(0)] = shuffle(v, (uint4)(0, 2, 0, 1)); // FAULT uninit
}
kernel void dot_bad(global float *out)
{
    float4 a, b = (float4)(1);
    a.xyz = (float3)(2);
    out[get_global_id(0)] = dot(a, b); // FAULT uninit
}
kernel void math_branch(global float *in, global int *out)
{
    float x;
    if (in[get_global_id(0)] > 10) x = 2;
    if (sqrt(x) > 1.0f) // FAULT uninit
        out[get_global_id(0)] = 1;
}
kernel void math_branch_ok(global float *in, global int *out)
{
    float x = 3;
    if (in[get_global_id(0)] > 10) x = 2;
    if (sqrt(x) > 1.0f)
        out[get_global_id(0)] = 1;
}
kernel void loop_accum(global float *in, global float *out, int five)
{
    float acc;
    for (int k = 0; k < five; k++) acc = mad(in[k], 2.0f, acc);
    out[get_global_id(0)] = acc; // FAULT uninit
}
kernel void loop_accum_vec(global float4 *in, global float4 *out, int five)
{
    float4 acc[2];
    acc[0] = 0;
    for (int k = 0; k < five; k++) { acc[0] += in[k]; acc[1] += in[k + 1]; }
    out[get_global_id(0)] = acc[0] + acc[1]; // FAULT uninit
}
kernel void histogram_private(global int *in, global int *out)
{
    int h[4];
    for (int k = 0; k < 64; k++) h[in[k] & 3]++;
    out[get_global_id(0)] = h[get_global_id(0) & 3]; // FAULT uninit
}
kernel void histogram_private_ok(global int *in, global int *out)
{
    int h[4] = {0};
    for (int k = 0; k < 64; k++) h[in[k] & 3]++;
    out[get_global_id(0)] = h[get_global_id(0) & 3];
}
kernel void histogram_local(global int *in, global int *out)
{
    local int h[4];
    if (get_local_id(0) < 3) h[get_local_id(0)] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_inc(&h[in[get_global_id(0)] & 3]); // FAULT uninit
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) < 3) out[get_global_id(0)] = h[get_local_id(0)];
}
kernel void histogram_local_ok(global int *in, global int *out)
{
    local int h[4];
    if (get_local_id(0) < 4) h[get_local_id(0)] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_inc(&h[in[get_global_id(0)] & 3]);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) < 4) out[get_global_id(0)] = h[get_local_id(0)];
}
kernel void previous_groups_local(global int *in, global int *out)
{
    local int t[16];
    if (get_group_id(0) != 2) t[get_local_id(0)] = in[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = t[15 - get_local_id(0)]; // FAULT uninit
}
kernel void half_written(global int *fresh, global int *out)
{
    int i = get_global_id(0);
    if (i & 1) fresh[i] = i;
    out[i] = fresh[i]; // FAULT uninit
}
kernel void half_written_ok(global int *fresh, global int *out)
{
    int i = get_global_id(0);
    if (i & 1) fresh[i] = i; else fresh[i] = 0;
    out[i] = fresh[i];
}
kernel void fresh_address(global int *fresh, global int *in, global int *out)
{
    int i = get_global_id(0);
    out[i] = in[fresh[i] & 63]; // FAULT uninit
}
kernel void fresh_masked_ok(global int *fresh, global int *in, global int *out)
{
    int i = get_global_id(0);
    out[i] = in[fresh[i] & 0];
}
kernel void fresh_atomic(global int *fresh, global int *in)
{
    atomic_add(&fresh[in[get_global_id(0)] & 1], 1); // FAULT uninit
}
kernel void fresh_atomic_ok(global int *fresh, global int *in)
{
    if (get_global_id(0) == 0) fresh[0] = 1;
}
kernel void minmax(global int *in, global int *out)
{
    int lo, hi = 0;
    for (int k = 0; k < 8; k++) { lo = min(lo, in[k]); hi = max(hi, in[k]); }
    out[get_global_id(0)] = hi - lo; // FAULT uninit
}
kernel void clampd(global float *in, global float *out)
{
    float f;
    out[get_global_id(0)] = clamp(f, 0.0f, 0.0f * in[0]); // FAULT uninit
}
struct acc { float sum; int count; float lo[2]; };
void init(struct acc *a) { a->sum = 0; a->count = 0; }
void add(struct acc *a, float v) { a->sum += v; a->count++; a->lo[1] = fmin(a->lo[1], v); }
kernel void struct_acc(global float *in, global float *out)
{
    struct acc a;
    init(&a);
    for (int k = 0; k < 4; k++) add(&a, in[k]);
    out[get_global_id(0)] = a.sum / a.count + a.lo[1]; // FAULT uninit
}
kernel void struct_acc_ok(global float *in, global float *out)
{
    struct acc a;
    init(&a);
    for (int k = 0; k < 4; k++) add(&a, in[k]);
    out[get_global_id(0)] = a.sum / a.count;
}
struct pt { char c; float3 v; short s; };
kernel void padded_local_ok(global float *in, global struct pt *big, global float *out)
{
    local struct pt t[16];
    int l = get_local_id(0);
    t[l].c = 1; t[l].v = (float3)(in[l]); t[l].s = 2;
    barrier(CLK_LOCAL_MEM_FENCE);
    struct pt p = t[15 - l];
    out[get_global_id(0)] = p.v.x + p.c + p.s;
}
kernel void padded_global_ok(global float *in, global struct pt *big)
{
    local struct pt t[16];
    int l = get_local_id(0);
    t[l].c = 1; t[l].v = (float3)(in[l]); t[l].s = 2;
    barrier(CLK_LOCAL_MEM_FENCE);
    big[get_global_id(0)] = t[15 - l];
}
kernel void padded_private_ok(global float *in, global struct pt *big)
{
    struct pt t;
    t.c = 1; t.v = (float3)(in[0]); t.s = 2;
    big[get_global_id(0)] = t;
}
kernel void padded_init_ok(global float *in, global struct pt *big)
{
    struct pt t = {1, (float3)(in[0]), 2};
    big[get_global_id(0)] = t;
}
kernel void padded_member(global float *in, global struct pt *big)
{
    struct pt t;
    t.c = 1; t.v = (float3)(in[0]);
    big[get_global_id(0)] = t; // FAULT uninit
}
kernel void float3_arr_ok(global float3 *a, global float *in)
{
    float3 v[2];
    v[0] = (float3)(in[0]); v[1] = vload3(1, in);
    a[get_global_id(0)] = v[get_global_id(0) & 1];
}
kernel void float3_local_ok(global float3 *a, global float *in)
{
    local float3 v[16];
    v[get_local_id(0)] = (float3)(in[0]);
    barrier(CLK_LOCAL_MEM_FENCE);
    a[get_global_id(0)] = v[15 - get_local_id(0)];
}
struct pt ret(float f) { struct pt p; p.c = 1; p.v = f; p.s = 3; return p; }
kernel void returned_ok(global float *in, global struct pt *big)
{
    big[get_global_id(0)] = ret(in[get_global_id(0)]);
}
float pass(struct pt p) { return p.v.x + p.s; }
kernel void passed_ok(global float *in, global float *out)
{
    struct pt p; p.c = 1; p.v = 1.0f; p.s = 3;
    out[get_global_id(0)] = pass(p);
}
kernel void passed(global float *in, global float *out)
{
    struct pt p; p.c = 1; p.v = 1.0f;
    out[get_global_id(0)] = pass(p); // FAULT uninit
}
kernel void sub_shuffle(global int *out)
{
    int v;
    if (get_global_id(0) & 1) v = 1;
    out[get_global_id(0)] = sub_group_broadcast(v, 1);
}
kernel void switch_on(global int *in, global int *out)
{
    int v;
    switch (v) { // FAULT uninit
    case 1: out[get_global_id(0)] = 1; break;
    case 2: out[get_global_id(0)] = 2; break;
    default: out[get_global_id(0)] = 3;
    }
}
kernel void short_circuit_ok(global int *in, global int *out)
{
    int v, have = 0;
    if (in[get_global_id(0)] > 100) { v = 1; have = 1; }
    if (have && v > 0) out[get_global_id(0)] = 1;
}
kernel void loop_found_ok(global int *in, global int *out)
{
    int at, found = 0;
    for (int k = 0; k < 64; k++) if (in[k] == 33) { at = k; found = 1; break; }
    out[get_global_id(0)] = found ? in[at] : -1;
}
kernel void loop_found(global int *in, global int *out)
{
    int at;
    for (int k = 0; k < 64; k++) if (in[k] == 133) { at = k; break; }
    out[get_global_id(0)] = in[at & 63]; // FAULT uninit
}
kernel void printf_uninit(global int *out)
{
    int v;
    if (get_global_id(0) == 3) printf("%d\n", v);
    out[get_global_id(0)] = 1;
}
kernel void bool_ok(global int *in, global uchar *out)
{
    bool b[2];
    b[0] = in[0]; b[1] = in[1] > 3;
    out[get_global_id(0)] = b[get_global_id(0) & 1];
}
kernel void vstore_uninit(global float *out)
{
    float4 v;
    v.xyz = 1.0f;
    vstore4(v, get_global_id(0) & 3, out); // FAULT uninit
}
kernel void vstore3_ok(global float *out)
{
    float4 v;
    v.xyz = 1.0f;
    vstore3(v.xyz, get_global_id(0) & 3, out);
}
kernel void async_of_uninit(global int *out, local int *t)
{
    if (get_local_id(0)) t[get_local_id(0)] = 3;
    barrier(CLK_LOCAL_MEM_FENCE);
    event_t e = async_work_group_copy(out + 16 * get_group_id(0), t, 16, 0); // FAULT uninit
    wait_group_events(1, &e);
}
kernel void atomic_of_uninit(global int *out)
{
    int v;
    atomic_add(&out[0], v); // FAULT uninit
}
kernel void call_out(global int *out)
{
    int v, *p = &v;
    *p += 1;
    out[get_global_id(0)] = *p; // FAULT uninit
}
struct cell { char tag; int value; short rest; };
void exchange(global struct cell *a, global struct cell *b) { struct cell c = *a; *a = *b; *b = c; }
kernel void gaps_ok(global struct cell *fresh, global int *out)
{
    struct cell c;
    int i = get_global_id(0);
    c.tag = 1; c.value = i; c.rest = 2;
    fresh[i] = c;
    exchange(&fresh[i], &fresh[i]);
    struct cell d = fresh[i];
    out[i] = d.value + d.tag + d.rest;
}
kernel void no_gap(global struct cell *fresh, global int *out)
{
    struct cell c;
    int i = get_global_id(0);
    c.tag = 1; c.rest = 2;
    fresh[i] = c; // FAULT uninit
    out[i] = fresh[i].tag;
}
struct nest { char c; struct { char a; int b; } in[2]; };
kernel void nested_gaps_ok(global int4 *out)
{
    struct nest n, m;
    n.c = 1;
    for (int k = 0; k < 2; k++) { n.in[k].a = k; n.in[k].b = k; }
    m = n;
    if (get_global_id(0) < 16)
        *(global struct nest *)(out + 2 * get_global_id(0)) = m;
}
union either { struct { char a; int b; } s; int2 v; };
kernel void union_gap(global int2 *in, global float4 *out)
{
    union either e, f;
    e.v.y = in[0].y; // nothing sets e.v.x
    f = e;
    *(global int2 *)&out[get_global_id(0)] = f.v; // FAULT uninit
}
kernel void through_local(global int *in, global int *out)
{
    local int t[16];
    int l = get_local_id(0);
    if (l < 15) t[l] = in[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int s = 8; s; s >>= 1) {
        if (l < s) t[l] += t[l + s];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (l == 0) out[get_group_id(0)] = t[0]; // FAULT uninit
}
