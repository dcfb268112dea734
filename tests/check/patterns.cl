// OPTIONS -cl-std=CL2.0 Indices, pointers and sizes as programs have them.
struct cell { char tag; int value; short rest; };
kernel void bitfield_ok(global uint *out)
{
    uint f;
    f = (f & ~7u) | 1u;
    f = (f & ~0x3f8u) | ((get_global_id(0) & 127) << 3);
    out[get_global_id(0)] = (f & 7) + ((f >> 3) & 127);
}
kernel void bitfield(global uint *out)
{
    uint f;
    f = (f & ~7u) | 1u;
    f = (f & ~0x3f8u) | ((get_global_id(0) & 127) << 3);
    out[get_global_id(0)] = (f & 7) + (f >> 10); // FAULT uninit
}
union word { uint u; uchar b[4]; float f; ushort h[2]; };
kernel void union_ok(global uint *out)
{
    union word w;
    w.h[0] = get_global_id(0); w.h[1] = 3;
    out[get_global_id(0)] = w.u;
}
kernel void union_part(global uint *out)
{
    union word w;
    w.h[0] = get_global_id(0); w.b[2] = 3;
    out[get_global_id(0)] = w.u; // FAULT uninit
}
kernel void union_index(global uint *out, int five)
{
    union word w;
    w.u = get_global_id(0);
    out[get_global_id(0)] = w.b[five - 1]; // FAULT bounds
}
kernel void vector_index(global float4 *v, global float *out, int five)
{
    float4 x = v[get_global_id(0)];
    out[get_global_id(0)] = ((float *)&x)[five - 1]; // FAULT bounds
}
kernel void vector_index_ok(global float4 *v, global float *out, int five)
{
    float4 x = v[get_global_id(0)];
    out[get_global_id(0)] = ((float *)&x)[five - 2];
}
kernel void memcpy_like(global uchar *a, global uchar *b, int n)
{
    for (int i = get_local_id(0); i <= n; i += get_local_size(0))
        if (get_group_id(0) == 0) b[i] = a[63 - (i & 63)]; // FAULT bounds
}
kernel void memcpy_like_ok(global uchar *a, global uchar *b, int n)
{
    for (int i = get_local_id(0); i < n; i += get_local_size(0))
        if (get_group_id(0) == 0) b[i] = a[63 - i];
}
kernel void memcpy_words(global uchar *a, global uchar *b, int n)
{
    if (get_global_id(0) == 0) {
        global uint *d = (global uint *)b;
        global const uint *s = (global const uint *)a;
        for (int i = 0; i < n - 47; i++)
            d[i] = s[i]; // FAULT bounds
    }
}
void copy_struct(private int *to, const private int *from, int n)
{
    for (int i = 0; i < n; i++) to[i] = from[i]; // FAULT bounds
}
kernel void memcpy_private(global int *out, int five)
{
    int a[4] = {1, 2, 3, 4}, b[8];
    for (int i = 0; i < 8; i++) b[i] = 0;
    copy_struct(b, a, five);
    out[get_global_id(0)] = b[0] + b[3];
}
void copy_struct2(private int *to, const private int *from, int n)
{
    for (int i = 0; i < n; i++) to[i] = from[i];
}
kernel void memcpy_private_ok(global int *out, int five)
{
    int a[5] = {1, 2, 3, 4}, b[8];
    for (int i = 0; i < 8; i++) b[i] = 0;
    copy_struct2(b, a, five);
    out[get_global_id(0)] = b[0] + b[3];
}
int gen(int *p, int i) { return p[i]; } // FAULT bounds
kernel void generic_local(global int *a, local int *t, int n)
{
    t[get_local_id(0)] = 1;
    barrier(CLK_LOCAL_MEM_FENCE);
    a[get_global_id(0)] = gen(n & 1 ? (int *)a : (int *)t, get_local_id(0) + 1);
}
int gen2(int *p, int i) { return p[i]; }
kernel void generic_local_ok(global int *a, local int *t, int n)
{
    t[get_local_id(0)] = 1;
    barrier(CLK_LOCAL_MEM_FENCE);
    a[get_global_id(0)] = gen2(n & 1 ? (int *)a : (int *)t, get_local_id(0));
}
kernel void generic_private(global int *a, int n)
{
    int x[3] = {1, 2, 3};
    int *p = (n & 1) ? (int *)a : x;
    a[get_global_id(0)] = p[n - 61]; // FAULT bounds
}
kernel void async_too_long(global int *a, local int *t, global int *b)
{
    event_t e = async_work_group_copy(t, a, 17, 0); // FAULT bounds
    wait_group_events(1, &e);
    b[get_global_id(0)] = t[get_local_id(0)];
}
kernel void async_strided(global int *a, local int *t, global int *b)
{
    event_t e = async_work_group_strided_copy(t, a + 4, 16, 4, 0); // FAULT bounds
    wait_group_events(1, &e);
    b[get_global_id(0)] = t[get_local_id(0)];
}
kernel void async_strided_ok(global int *a, local int *t, global int *b)
{
    event_t e = async_work_group_strided_copy(t, a + 3, 16, 4, 0);
    wait_group_events(1, &e);
    b[get_global_id(0)] = t[get_local_id(0)];
}
kernel void async_out_strided(local int *t, global int *b)
{
    t[get_local_id(0)] = get_local_id(0);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_group_id(0) == 0) {
        event_t e = async_work_group_strided_copy(b + 4, t, 16, 4, 0); // FAULT bounds
        wait_group_events(1, &e);
    }
}
kernel void async_prefetch_ok(global int *a, global int *b)
{
    prefetch(a, 64);
    b[get_global_id(0)] = a[get_global_id(0)];
}
kernel void two_dim_array(global int *out, int five)
{
    int m[4][5];
    for (int i = 0; i < 4; i++) for (int j = 0; j < 5; j++) m[i][j] = i * j;
    out[get_global_id(0)] = m[five - 1][0]; // FAULT bounds
}
kernel void halo_bounds(global float *in, global float *out)
{
    local float t[18];
    int l = get_local_id(0), i = get_global_id(0);
    t[l + 1] = in[i];
    if (l == 0) t[0] = in[i - 1]; // FAULT bounds
    if (l == 15) t[17] = in[i + 1]; // FAULT bounds
    barrier(CLK_LOCAL_MEM_FENCE);
    out[i] = t[l] + t[l + 1] + t[l + 2];
}
kernel void halo_bounds_ok(global float *in, global float *out)
{
    local float t[18];
    int l = get_local_id(0), i = get_global_id(0), n = get_global_size(0);
    t[l + 1] = in[i];
    if (l == 0) t[0] = i > 0 ? in[i - 1] : 0;
    if (l == 15) t[17] = i < n - 1 ? in[i + 1] : 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[i] = t[l] + t[l + 1] + t[l + 2];
}
kernel void signed_mix(global int *a, int n)
{
    for (uint i = n - 2; i >= 0 && i < 0xfffffff0u; i -= 2)
        a[i + 2] = 0; // FAULT bounds
}
global int gtab[8] = {1, 2, 3, 4, 5, 6, 7, 8};
kernel void program_variable(global int *a, int five)
{
    a[get_global_id(0)] = gtab[five + (get_global_id(0) & 3)]; // FAULT bounds
}
kernel void program_variable_ok(global int *a, int five)
{
    a[get_global_id(0)] = gtab[five + (get_global_id(0) & 1)];
}
struct node { global int *p; int n; };
kernel void pointer_in_struct(global int *a, global int *b, int n)
{
    struct node s = {a, n};
    struct node t = s;
    b[get_global_id(0)] = t.p[t.n]; // FAULT bounds
}
kernel void pointer_array(global int *a, global int *b, global int *c, int five)
{
    global int *ps[3] = {a, b, c};
    c[get_global_id(0)] = ps[five & 1][get_global_id(0) + 1]; // FAULT bounds
}
kernel void pointer_array_index(global int *a, global int *b, global int *c, int five)
{
    global int *ps[3] = {a, b, c};
    global int *q = ps[five - 2]; // FAULT bounds
    if (q) c[get_global_id(0)] = q[get_global_id(0)];
}
kernel void printf_ok(global int *a)
{
    if (get_global_id(0) == 7) printf("%d %s %v4d\n", a[7], "x", (int4)(1));
}
kernel void printf_bounds(global int *a)
{
    if (get_global_id(0) == 7) printf("%d\n", a[64]); // FAULT bounds
}
kernel void vload3_end(global float *a, global float *b)
{
    b[get_global_id(0)] = vload3(get_global_id(0) == 5 ? 21 : 2, a).x; // FAULT bounds
}
kernel void vload3_end_ok(global float *a, global float *b)
{
    b[get_global_id(0)] = vload3(get_global_id(0) == 5 ? 20 : 2, a).x;
}
kernel void vstorea_half(global half *a)
{
    vstorea_half3((float3)(1.0f), get_global_id(0) & 15, a);
}
kernel void atomic_cas(global uint *a, int n)
{
    atomic_cmpxchg(a + n, 1u, 2u); // FAULT bounds
}
kernel void local_atomic(global int *a, int n)
{
    local atomic_int t[16];
    atomic_init(&t[get_local_id(0)], 0);
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_fetch_add(&t[get_local_id(0) + 1], 1); // FAULT bounds
    barrier(CLK_LOCAL_MEM_FENCE);
    a[get_global_id(0)] = atomic_load(&t[get_local_id(0)]);
}
kernel void switch_index(global int *a, global int *b, int five)
{
    int i = get_global_id(0), off;
    switch (i & 3) {
    case 0: off = 0; break;
    case 1: off = 64 - i; break;
    case 2: off = -i; break;
    default: off = -i - 1 + five - 4;
    }
    b[i] = a[i + off]; // FAULT bounds
}
kernel void do_while(global int *a, global int *b, int n)
{
    int i = 0, s = 0;
    do s += a[i]; while (i++ < n); // FAULT bounds
    b[get_global_id(0)] = s;
}
kernel void do_while_ok(global int *a, global int *b, int n)
{
    int i = 0, s = 0;
    do s += a[i]; while (++i < n);
    b[get_global_id(0)] = s;
}
kernel void search(global int *a, global int *b)
{
    int i = 0;
    while (i < 1000 && a[i] != 100) i++; // FAULT bounds
    b[get_global_id(0)] = i;
}
