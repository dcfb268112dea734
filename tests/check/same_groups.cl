// Local memory that all work-groups use alike is looked at in the first one only (same_groups.c): what others
// do otherwise is still found.
kernel void tree_ok(global const int *in, global int *out, local int *t)
{
    int l = get_local_id(0);
    t[l] = in[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int s = get_local_size(0) / 2; s > 0; s /= 2) {
        if (l < s)
            t[l] += t[l + s];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (l == 0)
        out[get_group_id(0)] = t[0];
}
kernel void tree_too_wide(global const int *in, global int *out, local int *t)
{
    int l = get_local_id(0);
    t[l] = in[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int s = get_local_size(0) / 2; s > 0; s /= 2) {
        if (l <= s && l + s < 16)
            t[l] += t[l + s]; // FAULT race
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (l == 0)
        out[get_group_id(0)] = t[0];
}
kernel void butterfly_ok(global int *data)
{
    local int t[32];
    int l = get_local_id(0);
    t[l] = data[get_global_id(0)];
    t[l + 16] = l;
    for (int h = 1; h <= 16; h *= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        int i = 2 * l - (l & (h - 1)), a = t[i], b = t[i + h];
        if (a > b) {
            t[i] = b;
            t[i + h] = a;
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    data[get_global_id(0)] = t[l];
}
kernel void butterfly_off_by_one(global int *data)
{
    local int t[34];
    int l = get_local_id(0);
    t[l] = data[get_global_id(0)];
    t[l + 16] = l;
    if (l < 2)
        t[l + 32] = 0;
    for (int h = 1; h <= 16; h *= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        int i = 2 * l - (l & (h - 1)), a = t[i], b = t[i + h + 1]; // FAULT race 58
        if (a != b) {
            t[i] = b; // FAULT race 56
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    data[get_global_id(0)] = t[l];
}
// Only the third group does it.
kernel void other_place_in_one_group(global int *out)
{
    local int t[16];
    int l = get_local_id(0), g = get_group_id(0);
    t[g == 2 ? l / 2 : l] = l; // FAULT race
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = l;
}
kernel void other_place_by_memory(global const int *in, global int *out)
{
    local int t[16];
    int l = get_local_id(0), i = in[get_global_id(0)];
    t[i < 48 ? l : 0] = i; // FAULT race
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = i;
}
kernel void branch_by_memory(global const int *in, global int *out)
{
    local int t[16];
    int l = get_local_id(0), i = in[get_global_id(0)];
    t[l] = 0; barrier(CLK_LOCAL_MEM_FENCE); t[l] = i;
    if (i >= 48)
        i += t[l ^ 1]; // FAULT race 85
    out[get_global_id(0)] = i;
}
kernel void branch_by_memory_ok(global const int *in, global int *out)
{
    local int t[16];
    int l = get_local_id(0), i = in[get_global_id(0)];
    t[l] = i;
    if (i >= 48)
        i += t[l];
    out[get_global_id(0)] = i;
}
kernel void branch_by_group(global int *out)
{
    local int t[16];
    int l = get_local_id(0), g = get_group_id(0);
    t[l] = l;
    if (g == 3 && l == 0)
        t[1] = 7; // FAULT race 103
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = t[l];
}
kernel void iterations_by_memory(global const int *in, global int *out)
{
    local int t[16];
    int l = get_local_id(0), n = in[get_group_id(0) * 16];
    t[l] = l;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int k = 0; k < n / 48; k++)
        t[(l + k + 1) & 15] += 1; // FAULT race 117
    t[l] += 1;                    // FAULT race 116
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = l;
}
// Values that only a later group doesn't write.
kernel void filled_by_some(global const int *in, global int *out)
{
    local int t[16];
    int l = get_local_id(0);
    if (in[get_global_id(0)] < 48)
        t[l] = l;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = t[l ^ 1]; // FAULT uninit
}
kernel void padded_ok(global const int *in, global int *out)
{
    local int t[4][5];
    int l = get_local_id(0);
    t[l & 3][l >> 2] = in[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    int sum = 0;
    for (int k = 0; k < 4; k++)
        sum += t[k][l & 3];
    out[get_global_id(0)] = sum;
}
kernel void padding_is_read(global const int *in, global int *out)
{
    local int t[4][5];
    int l = get_local_id(0);
    t[l & 3][l >> 2] = in[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    int sum = 0;
    for (int k = 0; k < 5; k++)
        sum += t[l & 3][k];
    out[get_global_id(0)] = sum; // FAULT uninit
}
// ---- rows, and which work-items come to them ----
kernel void rows_ok(global int *out, int five)
{
    int x = get_local_id(0), y = get_group_id(0);
    if (x < five)
        out[y * five + x] = x;
}
kernel void rows_too_long(global int *out, int five)
{
    int x = get_local_id(0), y = get_group_id(0);
    if (x < five + 1)
        out[y * five + x] = x; // FAULT race
}
kernel void two_conditions(global int *out, int five, int n)
{
    int x = get_local_id(0), y = get_group_id(0);
    if (x >= five + 1 || y >= n)
        return;
    out[y * five + x] = x; // FAULT race
}
kernel void parts_ok(global int *out)
{
    int l = get_local_id(0), g = get_group_id(0);
    if (l < 8) {
        out[g * 16 + l] = 1;
        out[g * 16 + l + 8] = l;
    }
}
kernel void parts_meet(global int *out)
{
    int l = get_local_id(0), g = get_group_id(0);
    if (l < 8) {
        out[g * 15 + l] = 1;
        out[g * 15 + l + 8] = l; // FAULT race 185
    }
}
kernel void counted_ok(global int *out)
{
    global uchar *p = (global uchar *)out;
    for (int k = 0; k < 3; k++)
        p[3 * get_global_id(0) + k] = k;
}
kernel void counted_too_far(global int *out)
{
    global uchar *p = (global uchar *)out;
    for (int k = 0; k < 4; k++)
        p[3 * get_global_id(0) + k] = k + 1; // FAULT race
}
// The bounds of an index that intervals say too little of.
kernel void folded_ok(global const int *in, global int *out, int n)
{
    int i = get_global_id(0), j = 2 * i - (i & (n - 1));
    out[i] = in[j];
}
kernel void folded(global const int *in, global int *out, int n)
{
    int i = get_global_id(0), j = 2 * i - (i & (n - 1)) + 1;
    out[i] = in[j]; // FAULT bounds
}
