// Accesses outside of objects. Buffers have 64 elements, local arguments 16; n is 64 (run_kernels.c).
kernel void one_behind(global int *a)
{
    a[get_global_id(0) + 1] = 1; // FAULT bounds
}
kernel void one_behind_ok(global int *a)
{
    if (get_global_id(0) + 1 < 64)
        a[get_global_id(0) + 1] = 1;
}
kernel void one_before(global int *a, global int *b)
{
    int i = get_global_id(0);
    b[i] = a[i]
         + a[i - 1]; // FAULT bounds
}
kernel void one_before_ok(global int *a, global int *b)
{
    int i = get_global_id(0);
    b[i] = a[i] + a[i ? i - 1 : 0];
}
kernel void last_byte(global uchar *a)
{
    global ushort *s = (global ushort *)(a + 63 - get_global_id(0) % 2 * 63);
    *(global uchar *)((global uchar *)s + 1) = 1; // FAULT bounds
}
kernel void across_end(global char *a)
{
    if (get_global_id(0) == 0)
        vstore4((char4)(1), 0, a + 62); // FAULT bounds
}
kernel void across_end_ok(global char *a)
{
    if (get_global_id(0) == 0)
        vstore4((char4)(1), 15, a);
}
kernel void vload_behind(global float *a, global float *b)
{
    int i = get_global_id(0);
    b[i] = vload4(i, a).x; // FAULT bounds
}
kernel void vload_ok(global float *a, global float *b)
{
    int i = get_global_id(0);
    b[i] = vload4(i / 4, a).x;
}
kernel void half_behind(global half *a, global float *b)
{
    b[get_global_id(0)] = vload_half(get_global_id(0) + 1, a); // FAULT bounds
}
kernel void half_ok(global half *a, global float *b)
{
    b[get_global_id(0)] = vload_half(get_global_id(0), a);
}
kernel void private_behind(global int *a, global int *b, int five)
{
    int p[4];
    for (int k = 0; k < 4; k++)
        p[k] = k + a[0];
    b[get_global_id(0)] = p[five - 1]; // FAULT bounds
}
kernel void private_behind_ok(global int *a, int five)
{
    int p[5];
    for (int k = 0; k < 5; k++)
        p[k] = k + five;
    a[get_global_id(0)] = p[five - 1];
}
kernel void private_loop(global int *a)
{
    int p[8];
    for (int k = 0; k <= 8; k++)
        p[k] = k; // FAULT bounds
    a[get_global_id(0)] = p[a[get_global_id(0)] & 7];
}
kernel void private_loop_ok(global int *a)
{
    int p[8];
    for (int k = 0; k < 8; k++)
        p[k] = k;
    a[get_global_id(0)] = p[a[get_global_id(0)] & 7];
}
kernel void private_constant_index(global int *a)
{
    int p[2] = {1, 2};
    int *q = p;
    a[get_global_id(0)] = p[0] + q[2]; // FAULT bounds
}
kernel void private_before(global int *a, int five)
{
    int p[4] = {1, 2, 3, 4};
    a[get_global_id(0)] = p[4 - five]; // FAULT bounds
}
kernel void local_argument(global int *a, local int *t)
{
    t[get_local_id(0) + 1] = 1; // FAULT bounds
    barrier(CLK_LOCAL_MEM_FENCE);
    a[get_global_id(0)] = t[get_local_id(0)]; // FAULT uninit
}
kernel void local_argument_ok(global int *a, local int *t)
{
    t[get_local_id(0)] = 1;
    barrier(CLK_LOCAL_MEM_FENCE);
    a[get_global_id(0)] = t[get_local_id(0)];
}
kernel void local_variable(global int *a)
{
    local int t[15];
    t[get_local_id(0)] = 1; // FAULT bounds
    barrier(CLK_LOCAL_MEM_FENCE);
    a[get_global_id(0)] = t[get_local_id(0) % 15];
}
kernel void local_variable_ok(global int *a)
{
    local int t[16];
    t[get_local_id(0)] = 1;
    barrier(CLK_LOCAL_MEM_FENCE);
    a[get_global_id(0)] = t[get_local_id(0) % 15];
}
kernel void two_local_variables(global int *a)
{
    local int s[16], t[16];
    int l = get_local_id(0);
    s[l] = t[l] = l;
    barrier(CLK_LOCAL_MEM_FENCE);
    a[get_global_id(0)] = s[l] + t[l + (l == 15)]; // FAULT bounds
}
constant int table[4] = {1, 2, 3, 4};
kernel void constant_table(global int *a, int five)
{
    a[get_global_id(0)] = table[five]; // FAULT bounds
}
kernel void constant_table_ok(global int *a, int five)
{
    a[get_global_id(0)] = table[five - 2];
}
kernel void constant_argument(global int *a, constant int *c)
{
    a[get_global_id(0)] = c[get_global_id(0) + 4]; // FAULT bounds
}
kernel void constant_argument_ok(global int *a, constant int *c)
{
    a[get_global_id(0)] = c[(get_global_id(0) + 4) % 64];
}
struct pair {
    int key;
    int values[3];
};
kernel void in_struct(global int *a, global int *b)
{
    struct pair p[2];
    p[0].key = p[1].key = 1;
    for (int k = 0; k < 2; k++)
        for (int v = 0; v < 3; v++)
            p[k].values[v] = v;
    b[get_global_id(0)] = p[1].values[(a[0] & 0) + 3]; // FAULT bounds
}
kernel void in_struct_ok(global int *a)
{
    struct pair p[2];
    for (int k = 0; k < 2; k++)
        for (int v = 0; v < 3; v++)
            p[k].values[v] = v;
    a[get_global_id(0)] = p[1].values[(a[get_global_id(0)] & 0) + 2];
}
kernel void struct_copy(global struct pair *s)
{
    int i = get_global_id(0);
    if (i == 5)
        s[i + 59] = s[i]; // FAULT bounds
}
kernel void struct_copy_ok(global struct pair *s)
{
    int i = get_global_id(0);
    if (i == 5)
        s[i + 58] = s[i];
}
int deep(global int *a, int i)
{
    return a[i]; // FAULT bounds
}
int deeper(global int *a, int i)
{
    return deep(a, i + 32);
}
kernel void through_functions(global int *a, global int *b)
{
    b[get_global_id(0)] = deeper(a, get_global_id(0));
}
int deep_ok(global int *a, int i)
{
    return a[i % 64];
}
kernel void through_functions_ok(global int *a, global int *b)
{
    b[get_global_id(0)] = deep_ok(a, get_global_id(0) + 32);
}
kernel void chosen_pointer(global int *a, global int *b, global int *out, int n)
{
    int i = get_global_id(0);
    global int *p = i & 1 ? a : b;
    out[i] = p[n]; // FAULT bounds
}
kernel void chosen_pointer_ok(global int *a, global int *b, global int *out, int n)
{
    int i = get_global_id(0);
    global int *p = i & 1 ? a : b;
    out[i] = p[n - 1];
}
kernel void moving_pointer(global int *a, global int *out)
{
    int sum = 0;
    for (global int *p = a; p <= a + 64; p++)
        sum += *p; // FAULT bounds
    out[get_global_id(0)] = sum;
}
kernel void moving_pointer_ok(global int *a, global int *out)
{
    int sum = 0;
    for (global int *p = a; p < a + 64; p++)
        sum += *p;
    out[get_global_id(0)] = sum;
}
kernel void through_cast(global char *a)
{
    if (get_global_id(0) == 0)
        ((global long *)a)[8] = 1; // FAULT bounds
}
kernel void through_cast_ok(global char *a)
{
    if (get_global_id(0) == 0)
        ((global long *)a)[7] = 1;
}
kernel void null_pointer(global int *a)
{
    global int *p = 0;
    a[get_global_id(0)] = a[get_global_id(0)] < 100 ? 1 : p[0];
    if (get_global_id(0) == 3)
        *(global volatile int *)p = 1; // FAULT bounds
}
kernel void atomic_behind(global int *a)
{
    atomic_inc(&a[get_global_id(0) + 32]); // FAULT bounds
}
kernel void atomic_ok(global int *a)
{
    atomic_inc(&a[get_global_id(0)]);
}
kernel void shifted_index(global int *a, int five)
{
    a[get_global_id(0) << (five - 4)] = 1; // FAULT bounds
}
kernel void huge_index(global int *a, int n)
{
    if (get_global_id(0) == 0)
        a[(long)n << 40] = 1; // FAULT bounds
}
kernel void wrapped_index(global int *a, uint n)
{
    if (get_global_id(0) == 0)
        a[0u - n] = 1; // FAULT bounds
}
kernel void short_rows(global int *a, int n)
{
    int x = get_global_id(0) % 8, y = get_global_id(0) / 8;
    a[y * 8 + x] = 0;
    if (y == 7)
        a[(y + 1) * 8 + x] = n; // FAULT bounds
}
kernel void async_copy_ok(global int *a, global int *b, local int *t)
{
    event_t e = async_work_group_copy(t, a, 16, 0);
    wait_group_events(1, &e);
    b[get_global_id(0)] = t[get_local_id(0)];
}
kernel void float3_ok(global float3 *a, global float *b)
{
    int i = get_global_id(0);
    a[i] = (float3)(1) + vload3(i / 4, b);
}
kernel void unused_branch_ok(global int *a, int n)
{
    if (n != 64)
        a[1000] = 1;
}
// Pointers that are read from memory: of these it is known where they are, and a little behind a buffer.
kernel void pointer_in_a_variable(global int *a, global int *b, int five)
{
    global int *p = a + 60;
    global int **pp = &p;
    *pp += five;
    b[get_global_id(0)] = **pp; // FAULT bounds
}
kernel void pointer_in_a_variable_ok(global int *a, global int *b, int five)
{
    global int *p = a + 58;
    global int **pp = &p;
    *pp += five;
    b[get_global_id(0)] = **pp;
}
struct linked {
    global struct linked *next;
    long value;
};
kernel void list_in_a_buffer(global long *a, global long *b)
{
    global struct linked *s = (global struct linked *)a;
    if (get_global_id(0) == 0) {
        s[0].next = &s[31];
        s[31].next = (global struct linked *)(a + 64);
        b[0] = s[0].next->next->value; // FAULT bounds
    }
}
kernel void list_in_a_buffer_ok(global long *a, global long *b)
{
    global struct linked *s = (global struct linked *)a;
    if (get_global_id(0) == 0) {
        s[0].next = &s[30];
        s[30].next = (global struct linked *)(a + 62);
        b[0] = s[0].next->next->value;
    }
}
