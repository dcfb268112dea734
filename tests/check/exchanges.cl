// OPTIONS -cl-std=CL2.0 How work-items exchange values, in more ways than race.cl has.
kernel void double_buffer_missing(global int *in, global int *out, int five)
{
    local int t[2][16];
    int l = get_local_id(0), s = 0;
    t[0][l] = t[1][l] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    t[0][l] = in[l];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int k = 0; k < five; k++) {
        t[(k + 1) & 1][l] = in[(l + k) & 63];
        s += t[k & 1][15 - l]; // FAULT race 11
    }
    out[get_global_id(0)] = s;
}
kernel void double_buffer_ok(global int *in, global int *out, int five)
{
    local int t[2][16];
    int l = get_local_id(0), s = 0;
    t[0][l] = in[l];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int k = 0; k < five; k++) {
        t[(k + 1) & 1][l] = in[(l + k) & 63];
        s += t[k & 1][15 - l];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    out[get_global_id(0)] = s;
}
kernel void double_buffer_same(global int *in, global int *out, int five)
{
    local int t[2][16];
    int l = get_local_id(0), s = 0;
    t[0][l] = t[1][l] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    t[0][l] = in[l];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int k = 0; k < five; k++) {
        t[k & 1][l] = in[(l + k) & 63];
        s += t[k & 1][15 - l]; // FAULT race 38
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    out[get_global_id(0)] = s;
}
kernel void union_local(global float *a, global float *b, local float *t)
{
    int l = get_local_id(0);
    local char *c = (local char *)t;
    t[l] = a[get_global_id(0)];
    if (l == 0) c[5] = 77; // FAULT race 48
    barrier(CLK_LOCAL_MEM_FENCE);
    b[get_global_id(0)] = t[l];
}
kernel void halo_tile(global int *a, global int *b)
{
    local int t[18];
    int l = get_local_id(0), i = get_global_id(0);
    t[l + 1] = t[17 * (l & 1)] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    t[l + 1] = a[i];
    if (l == 0) t[0] = i ? a[i - 1] : 0;
    if (l == 15) t[17] = i < 63 ? a[i + 1] : 0;
    b[i] = t[l] + t[l + 1] + t[l + 2]; // FAULT race 59 60 61
}
kernel void halo_tile_ok(global int *a, global int *b)
{
    local int t[18];
    int l = get_local_id(0), i = get_global_id(0);
    t[l + 1] = a[i];
    if (l == 0) t[0] = i ? a[i - 1] : 0;
    if (l == 15) t[17] = i < 63 ? a[i + 1] : 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    b[i] = t[l] + t[l + 1] + t[l + 2];
}
kernel void bucket(global int *in, global int *out, local int *count)
{
    int l = get_local_id(0);
    count[l] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    count[in[get_global_id(0)] & 3]++; // FAULT race
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = count[l];
}
kernel void bucket_ok(global int *in, global int *out, local int *count)
{
    int l = get_local_id(0);
    count[l] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_inc(&count[in[get_global_id(0)] & 3]);
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = count[l];
}
kernel void rank_ok(global int *in, global int *out)
{
    int r = 0, i = get_global_id(0);
    for (int k = 0; k < 64; k++) r += in[k] < in[i];
    out[r] = in[i];
}
kernel void permuted(global int *in, global int *out)
{
    out[in[get_global_id(0)] ^ 1] = get_global_id(0);
}
kernel void permuted_collide(global int *in, global int *out)
{
    out[in[get_global_id(0)] | 1] = get_global_id(0); // FAULT race
}
kernel void counter_slot_ok(global int *in, global int *out, global int *zeroes)
{
    if (in[get_global_id(0)] & 1) {
        int at = atomic_inc(&zeroes[0]);
        out[at & 63] = in[get_global_id(0)];
    }
}
kernel void nonatomic_slot(global int *in, global int *out, global int *count)
{
    if (in[get_global_id(0)] & 1)
        count[0]++; // FAULT race
}
kernel void stale_local_scalar(global int *in, global int *out)
{
    local int best;
    int l = get_local_id(0);
    if (l == 0) best = in[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    if (in[get_global_id(0)] > best) best = in[get_global_id(0)]; // FAULT race
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = best;
}
kernel void best_ok(global int *in, global int *out)
{
    local int best;
    int l = get_local_id(0);
    if (l == 0) best = in[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_max(&best, in[get_global_id(0)]);
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = best;
}
kernel void read_after_reduce(global int *in, global int *out)
{
    local int t[16];
    int l = get_local_id(0);
    for (int round = 0; round < 2; round++) {
        t[l] = in[get_global_id(0)] + round;
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int s = 8; s; s >>= 1) {
            if (l < s) t[l] += t[l + s];
            barrier(CLK_LOCAL_MEM_FENCE);
        }
        out[get_global_id(0)] = t[0]; // FAULT race 143
    }
}
kernel void read_after_reduce_ok(global int *in, global int *out)
{
    local int t[16];
    int l = get_local_id(0);
    for (int round = 0; round < 2; round++) {
        t[l] = in[get_global_id(0)] + round;
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int s = 8; s; s >>= 1) {
            if (l < s) t[l] += t[l + s];
            barrier(CLK_LOCAL_MEM_FENCE);
        }
        int v = t[0];
        barrier(CLK_LOCAL_MEM_FENCE);
        out[get_global_id(0)] = v;
    }
}
kernel void warp_synchronous(global int *in, global int *out)
{
    local volatile int t[16];
    int l = get_local_id(0);
    t[l] = in[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l < 8) t[l] += t[l + 8];
    if (l < 4) t[l] += t[l + 4]; // FAULT race 174
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = t[0];
}
kernel void async_no_wait(global int *in, global int *out, local int *t)
{
    event_t e = async_work_group_copy(t, in + 16 * get_group_id(0), 16, 0);
    out[get_global_id(0)] = t[get_local_id(0)]; // FAULT race 181
    wait_group_events(1, &e);
}
kernel void async_out_reuse(global int *in, global int *out, local int *t)
{
    int l = get_local_id(0);
    t[l] = 0; barrier(CLK_LOCAL_MEM_FENCE);
    t[l] = in[get_global_id(0)];
    event_t e = async_work_group_copy(out + 16 * get_group_id(0), t, 16, 0); // FAULT race 189
    wait_group_events(1, &e);
}
kernel void async_out_reuse_ok(global int *in, global int *out, local int *t)
{
    int l = get_local_id(0);
    t[l] = in[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    event_t e = async_work_group_copy(out + 16 * get_group_id(0), t, 16, 0);
    wait_group_events(1, &e);
}
kernel void struct_field(global int4 *p, global int *out)
{
    int i = get_global_id(0);
    p[i].x = i + 5;
    out[i] = p[(i + 1) & 63].x; // FAULT race 204
}
kernel void struct_field_ok(global int4 *p, global int *out)
{
    int i = get_global_id(0);
    p[i].x = i + 5;
    out[i] = p[(i + 1) & 63].y;
}
kernel void bytes_in_word_ok(global uchar *p)
{
    int i = get_global_id(0);
    p[i] = p[i] + 1;
}
kernel void short_straddle(global uchar *p)
{
    int i = get_global_id(0);
    if (i < 62) vstore2((uchar2)(i, i + 1), 0, p + i * 1); // hmm
}
kernel void short_straddle2(global uchar *p)
{
    int i = get_global_id(0);
    if (i < 62) vstore2((uchar2)(i, i + 7), 0, p + i); // FAULT race
}
kernel void flag_spin_ok(global volatile int *a, global int *zero1)
{
    if (get_global_id(0) == 0) atomic_xchg(&zero1[0], 1);
}
kernel void acquire_release_ok(global int *data, global atomic_int *flag, global int *out)
{
    if (get_global_id(0) == 0) {
        data[0] = 42;
        atomic_store_explicit(flag, 100, memory_order_release, memory_scope_device);
    } else if (get_global_id(0) == 63) {
        if (atomic_load_explicit(flag, memory_order_acquire, memory_scope_device) == 100)
            out[0] = data[0];
    }
}
kernel void relaxed_flag(global int *data, local int *t, global int *out)
{
    local atomic_int flag;
    int l = get_local_id(0);
    if (l == 0) atomic_init(&flag, 0);
    t[l] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l == 0) {
        t[3] = 42;
        atomic_store_explicit(&flag, 1, memory_order_relaxed, memory_scope_work_group);
    } else if (l == 9) {
        out[get_global_id(0)] = t[3]; // FAULT race 250
    }
}
kernel void last_block_ok(global int *in, global int *partial, global uint *zeroed, global int *out)
{
    local int last;
    if (get_local_id(0) == 0) {
        partial[get_group_id(0)] = in[get_global_id(0)];
        mem_fence(CLK_GLOBAL_MEM_FENCE);
        last = atomic_inc(zeroed) == get_num_groups(0) - 1;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (last && get_local_id(0) == 0) {
        int s = 0;
        for (int k = 0; k < get_num_groups(0); k++) s += partial[k];
        out[0] = s;
    }
}
kernel void grid_stride_ok(global int *in, global int *out, int n)
{
    for (int i = get_global_id(0); i < n; i += get_global_size(0)) out[i] = in[i] * 2;
}
kernel void grid_stride_bad(global int *in, global int *out, int n)
{
    for (int i = get_global_id(0); i < n; i += get_local_size(0))
        out[i] = in[i] * 2 + get_group_id(0); // FAULT race
}
kernel void chunk_ok(global uchar *out, int n)
{
    int c = n / 16, g = get_global_id(0);
    if (g < 16) for (int k = 0; k < c; k++) out[g * c + k] = g;
}
kernel void chunk_overlap(global uchar *out, int n)
{
    int c = n / 16, g = get_global_id(0);
    if (g < 15) for (int k = 0; k <= c; k++) out[g * c + k] = g + 1; // FAULT race
}
kernel void uint_wrap(global int *a)
{
    uint i = get_global_id(0) * 0x40000000u;
    a[i >> 30] = get_global_id(0); // FAULT race
}
kernel void uint_wrap2(global int *a)
{
    uint i = (uint)get_global_id(0) << 28;
    a[(i + (uint)get_global_id(0)) & 15] = get_global_id(0); // FAULT race
}
kernel void mod_index(global int *a)
{
    a[get_global_id(0) % 48] = get_global_id(0); // FAULT race
}
kernel void div_index(global int *a)
{
    a[get_global_id(0) / 4 * 4 + (get_global_id(0) & 1)] = get_global_id(0); // FAULT race
}
kernel void reverse_ok(global int *a, global int *b)
{
    b[get_global_size(0) - 1 - get_global_id(0)] = a[get_global_id(0)];
}
kernel void reverse_inplace(global int *a)
{
    int i = get_global_id(0), v = a[i];
    a[63 - i] = v; // FAULT race 314
}
kernel void reverse_half_ok(global int *a)
{
    int i = get_global_id(0);
    if (i < 32) { int v = a[i]; a[i] = a[63 - i]; a[63 - i] = v; }
}
kernel void reverse_half_bad(global int *a)
{
    int i = get_global_id(0);
    if (i < 40) { int v = a[i]; a[i] = a[63 - i]; a[63 - i] = v; } // FAULT race
}
kernel void bitonic_bad(global int *a)
{
    local int t[16];
    int l = get_local_id(0);
    t[l] = a[get_global_id(0)] ^ 5;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int k = 2; k <= 16; k *= 2)
        for (int j = k / 2; j; j /= 2) {
            int p = l ^ j;
            int x = t[l], y = t[p];
            if (p > l && (x > y) == ((l & k) == 0)) { t[l] = y; t[p] = x; } // FAULT race 336
            if (j > 1) barrier(CLK_LOCAL_MEM_FENCE);
        }
    barrier(CLK_LOCAL_MEM_FENCE);
    a[get_global_id(0)] = t[l];
}
kernel void bitonic_ok(global int *a)
{
    local int t[16];
    int l = get_local_id(0);
    t[l] = a[get_global_id(0)] ^ 5;
    for (int k = 2; k <= 16; k *= 2)
        for (int j = k / 2; j; j /= 2) {
            barrier(CLK_LOCAL_MEM_FENCE);
            int p = l ^ j;
            if (p > l) { int x = t[l], y = t[p]; if ((x > y) == ((l & k) == 0)) { t[l] = y; t[p] = x; } }
        }
    barrier(CLK_LOCAL_MEM_FENCE);
    a[get_global_id(0)] = t[l];
}
