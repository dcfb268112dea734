// Use of memory that nobody has written. A buffer `fresh` has no contents, all others have (run_kernels.c).
// What is only stored is found where it is stored, when the host has read it.
kernel void accumulator(global const float *in, global float *out, int n)
{
    float sum;
    for (int k = 0; k < 4; k++)
        sum += in[(get_global_id(0) + k) % n];
    out[get_global_id(0)] = sum; // FAULT uninit
}
kernel void accumulator_ok(global const float *in, global float *out, int n)
{
    float sum = 0;
    for (int k = 0; k < 4; k++)
        sum += in[(get_global_id(0) + k) % n];
    out[get_global_id(0)] = sum;
}
kernel void one_way(global const int *in, global int *out)
{
    int i = get_global_id(0), r;
    if (in[i] > 10)
        r = in[i];
    out[i] = r; // FAULT uninit
}
kernel void one_way_ok(global const int *in, global int *out)
{
    int i = get_global_id(0), r;
    if (in[i] > 10)
        r = in[i];
    else
        r = 1;
    out[i] = r;
}
kernel void branch(global const int *in, global int *out, int five)
{
    int i = get_global_id(0), flag;
    if (five > 10)
        flag = 1;
    if (flag) // FAULT uninit
        out[i] = 1;
}
kernel void branch_ok(global const int *in, global int *out, int five)
{
    int i = get_global_id(0), flag;
    if (five < 10)
        flag = 1;
    if (flag)
        out[i] = 1;
}
kernel void address(global const int *in, global int *out)
{
    int at;
    at &= 63;
    if (get_global_id(0) == 5)
        out[at] = in[5]; // FAULT uninit
}
kernel void address_ok(global const int *in, global int *out)
{
    int at;
    at &= 0; // whatever it was
    if (get_global_id(0) == 5)
        out[at] = in[5];
}
kernel void divisor(global const int *in, global int *out, int five)
{
    int by;
    if (five == 4)
        by = 7;
    by |= 8;
    out[get_global_id(0)] = in[get_global_id(0)] / by; // FAULT uninit
}
kernel void element(global const int *in, global int *out, int five)
{
    int a[8];
    for (int k = 0; k < 7; k++)
        a[k] = in[k];
    out[get_global_id(0)] = a[five + 2]; // FAULT uninit
}
kernel void element_ok(global const int *in, global int *out, int five)
{
    int a[8];
    for (int k = 0; k < 8; k++)
        a[k] = in[k];
    out[get_global_id(0)] = a[five + 2];
}
kernel void few_elements_ok(global const int *in, global int *out, int five)
{
    int a[8];
    for (int k = 0; k < five; k++)
        a[k] = in[k];
    int sum = 0;
    for (int k = 0; k < five; k++)
        sum += a[k];
    out[get_global_id(0)] = sum;
}
struct both { int a, b; };
kernel void member(global const int *in, global int *out)
{
    struct both s;
    s.a = in[0];
    out[get_global_id(0)] = s.a + s.b; // FAULT uninit
}
kernel void member_ok(global const int *in, global int *out)
{
    struct both s, t;
    s.a = in[0];
    t = s;
    out[get_global_id(0)] = t.a;
}
int through(const int *p) { return *p + 1; }
void set(int *p, int to) { *p = to; }
kernel void function(global int *out)
{
    int v;
    out[get_global_id(0)] = through(&v); // FAULT uninit
}
kernel void function_ok(global int *out)
{
    int v;
    set(&v, 3);
    out[get_global_id(0)] = through(&v);
}
kernel void bits(global const int *in, global uchar *out)
{
    int v;
    v = (v & 0xff00) | (in[get_global_id(0)] & 0xff);
    out[get_global_id(0)] = (uchar)(v >> 1); // FAULT uninit
}
kernel void bits_ok(global const int *in, global uchar *out)
{
    int v;
    v = (v & 0xff00) | (in[get_global_id(0)] & 0xff);
    out[get_global_id(0)] = (uchar)v;
}
kernel void vector_part(global const float *in, global float *out)
{
    float4 v;
    v.xyz = vload3(0, in);
    out[get_global_id(0)] = dot(v, (float4)(1.0f)); // FAULT uninit
}
kernel void vector_part_ok(global const float *in, global float *out)
{
    float4 v;
    v.xyz = vload3(0, in);
    float3 w = v.xyz;
    out[get_global_id(0)] = dot(w, (float3)(1.0f)) + length(sin(w));
}
kernel void fresh_buffer(global int *fresh, global int *out)
{
    out[get_global_id(0)] = fresh[get_global_id(0)] + 1; // FAULT uninit
}
kernel void fresh_buffer_ok(global int *fresh, global int *out)
{
    int i = get_global_id(0);
    fresh[i] = i;
    out[i] = fresh[i] + 1;
}
kernel void fresh_read_whole_ok(global int *fresh)
{
    fresh[get_global_id(0) / 2] = 1; // The host reads what nobody has written, too: that is its own affair.
}
kernel void histogram(global const int *in, global int *fresh)
{
    atomic_inc(&fresh[in[get_global_id(0)] & 15]); // FAULT uninit
}
kernel void histogram_ok(global const int *in, global int *out)
{
    atomic_inc(&out[in[get_global_id(0)] & 15]);
}
kernel void local_memory(global const int *in, global int *out, local int *t)
{
    int l = get_local_id(0);
    if (l < 15)
        t[l] = in[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = t[15 - l]; // FAULT uninit
}
kernel void local_memory_ok(global const int *in, global int *out, local int *t)
{
    int l = get_local_id(0);
    t[l] = in[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = t[15 - l];
}
kernel void local_variable(global const int *in, global int *out)
{
    local int t[32];
    int l = get_local_id(0);
    t[l] = in[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    if (t[l + 1] > 3) // FAULT uninit
        out[get_global_id(0)] = 1;
}
kernel void local_variable_ok(global const int *in, global int *out)
{
    local int t[32];
    int l = get_local_id(0);
    t[l] = in[get_global_id(0)];
    t[l + 16] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (t[l + 1] > 3)
        out[get_global_id(0)] = 1;
}
kernel void local_sum(global const int *in, global int *out)
{
    local int sum;
    atomic_add(&sum, in[get_global_id(0)]); // FAULT uninit
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) == 0)
        out[get_group_id(0)] = in[0];
}
kernel void local_sum_ok(global const int *in, global int *out)
{
    local int sum;
    if (get_local_id(0) == 0)
        sum = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_add(&sum, in[get_global_id(0)]);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) == 0)
        out[get_group_id(0)] = sum;
}
kernel void moving_pointer(global const int *in, global int *out)
{
    int a[6], sum = 0;
    for (int k = 0; k < 5; k++)
        a[k] = in[k];
    for (const int *p = a; p != a + 6; p++)
        sum += *p;
    out[get_global_id(0)] = sum; // FAULT uninit
}
kernel void moving_pointer_ok(global const int *in, global int *out, int n)
{
    int sum = 0;
    for (global const int *p = in; p != in + n; p++)
        sum += *p;
    out[get_global_id(0)] = sum;
}
kernel void struct_copies_ok(global struct both *fresh, global int *out)
{
    struct both s = {1, 2};
    int i = get_global_id(0);
    fresh[i] = s;
    struct both t = fresh[i];
    out[i] = t.a + t.b;
}
kernel void struct_copies(global const int *in, global struct both *fresh, global int *out)
{
    struct both s;
    s.a = in[0];
    int i = get_global_id(0);
    fresh[i] = s; // FAULT uninit
    struct both t = fresh[i];
    out[i] = t.a;
}
kernel void math_ok(global const float *in, global float *out)
{
    float whole, c;
    float f = fract(in[get_global_id(0)] * 0.3f, &whole), s = sincos(f, &c);
    int e;
    out[get_global_id(0)] = whole + s + c + frexp(f, &e) + e + pow(f, 2.5f) + atan2(f, s);
}
kernel void loop(global const int *in, global int *out)
{
    int n, sum = 0;
    for (int k = 0; k < (n & 7); k++) // FAULT uninit
        sum += in[k];
    out[get_global_id(0)] = 1;
}
