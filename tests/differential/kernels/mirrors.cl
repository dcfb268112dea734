// Indices that are mirrored at the ends, shifted, and rounded up: inside, lanes' neighbours follow each
// other. Where ids pass 2^31 or 2^32, sums of 32 bits wrap, well defined as unsigned ones.

int sum(int a, int b)
{
    return (int)((uint)a + (uint)b);
}
int mirrored101(int x, int n)
{
    return clamp(min(2 * (n - 1) - x, max(x, -x)), 0, n - 1);
}
int mirrored_twice(int x, int n)
{
    return clamp(min(2 * n - 1 - x, max(x, -x - 1)), 0, n - 1);
}
int mirrored_by_choice(int x, int n)
{
    x = abs(x);
    return x < n ? x : 2 * n - 2 - x;
}

//: mirror_row far
kernel void mirror_row(global const uint *in, global uint *out)
{
    int i = item(), n = items();
    uint r = 0;
    __attribute__((opencl_unroll_hint(5))) for (int k = -2; k <= 2; k++)
        r = mix(r, in[mirrored101(i + k, n)] + 3 * in[mirrored_twice(i + k, n)]);
    out[i] = r;
}

//: mirror_plane far
kernel void mirror_plane(global const uint *in, global uint *out)
{
    int x = (int)(get_global_id(0) - get_global_offset(0)), y = (int)(get_global_id(1) - get_global_offset(1));
    int w = (int)get_global_size(0), h = (int)get_global_size(1);
    uint r = 0;
    for (int j = -1; j <= 1; j++)
        for (int i = -1; i <= 1; i++)
            r = mix(r, in[mirrored101(y + j, h) * w + mirrored101(x + i, w)]);
    out[item()] = r;
}

//: mirror_choice far
kernel void mirror_choice(global const uint *in, global uint *out)
{
    int i = item(), n = items();
    uint r = mix(in[clamp(mirrored_by_choice(i - 1, n), 0, n - 1)], in[clamp(mirrored_by_choice(i + 1, n), 0, n - 1)]);
    out[i] = i < n - 1 ? r : mix(r, in[n - 1 - i < i ? n - 1 - i : i]);
}

// Without a clamp: up to the middle, and from there on.
//: mirror_tent far
kernel void mirror_tent(global const uint *in, global uint *out)
{
    int i = item(), n = items();
    out[i] = in[min(i, n - 1 - i)];
}

//: mirror_valley far
kernel void mirror_valley(global const uint *in, global uint *out)
{
    int i = item(), n = items();
    out[i] = in[max(i, n - 1 - i)];
}

//: mirror_abs far
kernel void mirror_abs(global const uint *in, global uint *out)
{
    int i = item(), n = items();
    out[i] = in[abs(i - n / 2)];
}

//: mirror_far far
kernel void mirror_far(global const uint *in, global uint *out)
{
    int id = (int)get_global_id(0), n = items(), first = (int)get_global_offset(0);
    uint r = 7;
    __attribute__((opencl_unroll_hint(3))) for (int k = -3; k <= 3; k += 3) {
        int x = sum(id, k), down = sum(sum(first, 40), -x), up = sum(x, -first);
        r = mix(r, (uint)min(x, down) ^ (uint)max(x, down) * 3);
        r = mix(r, x == INT_MIN ? 5u : (uint)abs(x));
        r = mix(r, in[(uint)min(sum(x, 9), down) % (uint)n] + in[mirrored101(up, n)]);
        r = mix(r, (uint)(ulong)(long)mirrored_by_choice(sum(up, 0x7ffffff0), INT_MAX) + (uint)((long)max(up, sum(8, -up)) >> 1));
    }
    out[item()] = r;
}

//: mirror_where_on far
kernel void mirror_where_on(global const uint *in, global uint *out)
{
    int i = item(), n = items();
    uint r = 1;
    if (in[i] & 1)
        r = in[mirrored101(i - 2, n)];
    if (i > 0)
        r = mix(r, in[mirrored101(i - 1, n)] + (uint)(size_t)(i - 1));
    if (i < n / 2)
        r = mix(r, in[mirrored_twice(2 * i + 1, n)]);
    out[i] = r;
}

//: shift_sums far
kernel void shift_sums(global const uint *in, global uint *out)
{
    size_t p = (size_t)item(), n = (size_t)items(), id = get_global_id(0);
    uint u = (uint)id, far = 4u * (uint)p + 0xffffffe3u;
    uint r = in[((2 * p + 6) >> 1) % n] + 3 * in[(4 * p + 3) >> 2] + 5 * in[((8 * (uint)p + 5) >> 3)];
    r = mix(r, (far >> 2) ^ (uint)((int)far >> 2));
    r = mix(r, (uint)((4 * id + 0xfffffffffffffff0ul) >> 2) ^ (uint)((long)(2 * id - 33) >> 1));
    out[p] = mix(r, (2 * u + 1) >> 1) + (uint)((ulong)((int)(4 * u) >> 2) >> 3);
}

//: shift_multiples in=4 out=12 far
kernel void shift_multiples(global const uint *in, global uint *out)
{
    size_t p = (size_t)item(), q = (2 * p + 0x100000000ul) / 2;
    int at = (int)(q - 0x80000000ul);
    vstore3((uint3)(in[at], (uint)at, in[(2 * at) >> 1]), at, out);
}

//: low_bits in=8 far
kernel void low_bits(global const uint *in, global uint *out)
{
    int i = item(), x = (4 * i - 1) & ~3;
    uint far = 4u * get_global_id(0) + 2u;
    uint r = in[((4 * i + 1) | 3) / 4] + 3 * in[(uint)((x + 4) | 1) / 4] + in[((8 * i + 2) | 7) >> 3];
    r = mix(r, far | 3u) + (uint)((long)(int)(far | 3u) >> 2);
    out[i] = mix(r, (uint)(2 * i | 7));
}

// Groups that load a tile with a border: most of them lie inside, those at the edges don't.
//: mirror_tile local=16 ids far
kernel void mirror_tile(global const uint *in, global uint *out, global uint *sums, local uint *tile)
{
    int x = (int)(get_global_id(0) - get_global_offset(0)), l = local_item(), n = (int)get_global_size(0), row = item() - x;
    int w = (int)get_local_size(0), lx = (int)get_local_id(0);
    local uint *mine = tile + 2 * (l - lx);
    mine[lx] = in[row + mirrored101(x - 1, n)] + 3 * in[row + clamp(x + 2, 0, n - 1)];
    mine[w + lx] = x < n - 3 ? in[row + x + 3] : in[row + (x >= 3 ? x - 3 : n - 1)];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[row + x] = mix(mine[w - 1 - lx], mine[w + lx]) + (x + 5 < n && x > 2 ? in[row + x + 5] : 9u);
}

//: row_of_ids local=8 ids far
kernel void row_of_ids(global const uint *in, global uint *out, global uint *sums, local uint *tile)
{
    // Ids that pass 2^31 or 2^32 within a group's row.
    int id = (int)get_global_id(0), first = (int)get_global_offset(0), l = local_item(), n = items();
    uint far = (uint)id + 3u;
    tile[l] = in[(uint)sum(max(id, sum(first, 2)), -first) % (uint)n] + (uint)(ulong)far;
    barrier(CLK_LOCAL_MEM_FENCE);
    uint r = tile[local_items() - 1 - l];
    if (id < sum(first, 30))
        r = mix(r, (uint)min(id, sum(first, 11)));
    if ((ulong)far * 2 > get_global_offset(0))
        r = mix(r, (uint)((ulong)(uint)(id - 1) >> 2) + (uint)((long)id * 3));
    out[item()] = r;
}
