// Work-items that touch the same bytes with no order between them. a has the numbers 0 to 63.
kernel void histogram(global int *a, global int *h)
{
    h[a[get_global_id(0)] & 3]++; // FAULT race
}
kernel void histogram_ok(global int *a, global int *h)
{
    atomic_inc(&h[a[get_global_id(0)] & 3]);
}
kernel void missing_barrier(global int *a, local int *t)
{
    int l = get_local_id(0);
    t[l] = 0; barrier(CLK_LOCAL_MEM_FENCE); t[l] = a[get_global_id(0)];
    a[get_global_id(0)] = t[15 - l]; // FAULT race 13
}
kernel void barrier_ok(global int *a, local int *t)
{
    int l = get_local_id(0);
    t[l] = a[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    a[get_global_id(0)] = t[15 - l];
}
kernel void reused_tile(global int *a, local int *t)
{
    int l = get_local_id(0), sum = 0;
    for (int k = 0; k < 4; k++) {
        t[l] = a[16 * k + l]; // FAULT race 30
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int i = 0; i < 16; i++)
            sum += t[i];
    }
    if (sum == -1)
        a[0] = 0;
}
kernel void reused_tile_ok(global int *a, local int *t, global int *out)
{
    int l = get_local_id(0), sum = 0;
    for (int k = 0; k < 4; k++) {
        t[l] = a[16 * k + l];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int i = 0; i < 16; i++)
            sum += t[i];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    out[get_global_id(0)] = sum;
}
kernel void in_place_stencil(global float *a)
{
    int i = get_global_id(0);
    if (i > 0)
        a[i] = a[i - 1] * 2; // FAULT race
}
kernel void stencil_ok(global float *a, global float *b)
{
    int i = get_global_id(0);
    if (i > 0)
        b[i] = a[i - 1] * 2;
}
kernel void between_groups(global int *a)
{
    int l = get_local_id(0);
    a[l] = get_group_id(0); // FAULT race
}
kernel void between_groups_ok(global int *a)
{
    a[get_global_id(0)] = get_group_id(0);
}
kernel void across_a_barrier(global int *a)
{
    int i = get_global_id(0);
    a[i] = i + 1;
    barrier(CLK_GLOBAL_MEM_FENCE);
    if (i < 63 && get_local_id(0) == 15)
        a[i + 1] = 0; // FAULT race 71
}
kernel void across_a_barrier_ok(global int *a, global int *b)
{
    int i = get_global_id(0);
    a[i] = i + 1;
    barrier(CLK_GLOBAL_MEM_FENCE);
    b[i] = a[i ^ 1];
}
kernel void mixed(global int *a)
{
    if (get_global_id(0) == 5)
        a[0] = 100; // FAULT race 88
    else
        atomic_inc(a);
}
kernel void flag_ok(global int *a)
{
    a[0] = 77;
}
kernel void flags_ok(global uchar *a)
{
    a[get_global_id(0)] = 1;
}
kernel void bytes_of_a_word(global uchar *a)
{
    int i = get_global_id(0);
    a[i & 62] = i; // FAULT race
}
kernel void list_ok(global int *a, global int *count)
{
    int at = atomic_inc(count) % 64;
    a[at] = get_global_id(0);
}
kernel void local_groups_ok(global int *a)
{
    local int t[16];
    t[get_local_id(0)] = get_global_id(0);
    barrier(CLK_LOCAL_MEM_FENCE);
    a[get_global_id(0)] = t[get_local_id(0) ^ 3];
}
kernel void collective_ok(global int *a, local int *t)
{
    int l = get_local_id(0);
    event_t e = async_work_group_copy(t, a + 16 * get_group_id(0), 16, 0);
    wait_group_events(1, &e);
    a[get_global_id(0)] = t[15 - l];
}
kernel void same_for_all_ok(global int *a)
{
    local int size;
    size = 3;
    a[get_global_id(0)] = size;
}
kernel void same_for_most(global int *a)
{
    local int size;
    if (get_local_id(0) < 8)
        size = 3;
    a[get_global_id(0)] = size; // FAULT race
}
kernel void stride_zero(global int *a, int zero)
{
    int i = get_global_id(0);
    a[i * zero] = i; // FAULT race
}
kernel void stride_ok(global int *a, int n)
{
    int i = get_global_id(0);
    a[i * (n / 64)] = i;
}
kernel void wider_than_stride(global int *a)
{
    int i = get_global_id(0);
    a[i] = i + 100; // FAULT race 150
    if (i < 63)
        a[i + 1] = -i; // FAULT race 148
}
kernel void two_elements_ok(global int *a)
{
    int i = get_global_id(0);
    if (i < 32) {
        a[2 * i] = i;
        a[2 * i + 1] = -i;
    }
}
kernel void group_and_local_ok(global int *a)
{
    int i = get_group_id(0) * get_local_size(0) + get_local_id(0);
    a[i] += get_local_id(0);
}
kernel void local_id_alone(global int *a)
{
    a[get_local_id(0)] += get_global_id(0); // FAULT race
}
kernel void pointer_goes_on(global int *a)
{
    int i = get_global_id(0);
    for (global int *p = a + i; p < a + 64; p += 16)
        *p = i; // FAULT race
}
kernel void rows_ok(global int *a)
{
    int i = get_global_id(0);
    if (i < 16)
        a[48 + i] = a[i] + a[i + 16];
}
kernel void rows_meet(global int *a)
{
    int i = get_global_id(0);
    if (i < 16)
        a[8 + i] = a[i] + 1; // FAULT race
}
kernel void counted_then_read_ok(global int *a, local int *t)
{
    int l = get_local_id(0);
    t[l] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_inc(&t[l / 4]);
    barrier(CLK_LOCAL_MEM_FENCE);
    a[get_global_id(0)] = t[l / 4];
}
kernel void counted_and_read(global int *a, local int *t)
{
    int l = get_local_id(0);
    t[l] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_inc(&t[l / 4]);               // FAULT race 203
    a[get_global_id(0)] = t[15 - l / 4]; // nobody counts there
    a[get_global_id(0)] += t[l / 4];     // FAULT race 201
}
kernel void written_then_counted(global int *a)
{
    if (get_global_id(0) == 5)
        a[0] = 100; // FAULT race 209
    atomic_inc(a);  // FAULT race 208
}
kernel void leader_writes(global int *a, global int *out)
{
    int l = get_local_id(0), g = get_group_id(0);
    if (l == 0)
        out[g / 2] = a[g]; // FAULT race
}
kernel void leader_writes_ok(global int *a, global int *out)
{
    int l = get_local_id(0), g = get_group_id(0);
    if (l == 0)
        out[g] = a[g];
    if (l == 3)
        out[g + 32] = a[g + 1];
}
kernel void two_leaders(global int *a, global int *out)
{
    int l = get_local_id(0), g = get_group_id(0);
    if (l == 0)
        out[g] = a[g] + 100;
    if (l == 3)
        out[g] = a[g + 1]; // FAULT race 229
}
kernel void leader_without_barrier(global int *a, local int *t, global int *out)
{
    int l = get_local_id(0);
    if (l == 0)
        t[0] = a[get_group_id(0)] + 1;
    out[get_global_id(0)] = t[0] + l; // FAULT race
}
kernel void leader_with_barrier_ok(global int *a, local int *t, global int *out)
{
    int l = get_local_id(0);
    if (l == 0)
        t[0] = a[get_group_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = t[0] + l;
}
kernel void uniform_loop(global int *a, local int *t, int five, global int *out)
{
    int l = get_local_id(0), sum = 0;
    for (int k = 0; k < five; k++) {
        t[l] = a[l] + k;
        barrier(CLK_LOCAL_MEM_FENCE);
        sum += t[15 - l]; // FAULT race 252
    }
    out[get_global_id(0)] = sum;
}
kernel void uniform_loop_ok(global int *a, local int *t, int five, global int *out)
{
    int l = get_local_id(0), sum = 0;
    for (int k = 0; k < five; k++) {
        t[l] = a[l] + k;
        barrier(CLK_LOCAL_MEM_FENCE);
        sum += t[15 - l];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    out[get_global_id(0)] = sum;
}
kernel void columns_meet(global int *a, global int *b, int n)
{
    global uchar *p = (global uchar *)a;
    int g = get_group_id(0), l = get_local_id(0);
    p[g * n + l] = l; // FAULT race 274
    b[get_global_id(0)] = p[g * n + l + 15];
}
kernel void columns_ok(global int *a, global int *b, int n)
{
    global uchar *p = (global uchar *)a;
    int g = get_group_id(0), l = get_local_id(0);
    p[g * n + l] = l;
    b[get_global_id(0)] = p[g * n + l + 16];
}
// Only some work-items of a group come to a store: groups lie closer together than they are long.
kernel void overlapping_groups_ok(global int *a)
{
    int l = get_local_id(0);
    if (l < 12)
        a[get_group_id(0) * 12 + l] = l;
}
kernel void overlapping_groups(global int *a)
{
    int l = get_local_id(0);
    if (l < 13)
        a[get_group_id(0) * 12 + l] = l; // FAULT race
}
kernel void last_ones_ok(global int *a)
{
    int l = get_local_id(0);
    if (l >= 4)
        a[get_group_id(0) * 12 + l - 4] = l;
    else
        a[60 + l * 0] = 0;
}
kernel void margins_ok(global const int *in, global int *out)
{
    local int t[20];
    int l = get_local_id(0);
    t[l + 2] = in[get_global_id(0)];
    if (l < 2)
        t[l] = 0;
    else if (l < 4)
        t[l + 16] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = t[l] + t[l + 4];
}
kernel void margins(global const int *in, global int *out)
{
    local int t[20];
    int l = get_local_id(0);
    t[l + 2] = in[get_global_id(0)];
    if (l <= 2)
        t[l] = 0; // FAULT race 320
    else if (l < 5)
        t[l + 15] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = t[l] + t[l + 4];
}
kernel void two_leaders_of_numbers(global int *a, global int *out)
{
    int l = get_local_id(0), g = get_group_id(0);
    if (l == 0)
        out[g] = 7;
    if (l == 3)
        out[g] = 8; // FAULT race 332
}
