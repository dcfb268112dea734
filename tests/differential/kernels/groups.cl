// Local memory and barriers.

//: reverse_in_group local=4
kernel void reverse_in_group(global const uint *in, global uint *out, global uint *sums, local uint *tile)
{
    int i = item(), l = local_item(), n = local_items();
    tile[l] = in[i];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[i] = tile[n - 1 - l];
}

//: barriers_in_loop local=8
kernel void barriers_in_loop(global const uint *in, global uint *out, global uint *sums, local uint *tile)
{
    int i = item(), l = local_item(), n = local_items();
    uint v = in[i];
    for (int k = 0; k < 5; k++) {
        tile[(k & 1) * n + l] = v;
        barrier(CLK_LOCAL_MEM_FENCE);
        v = mix(v, tile[(k & 1) * n + (l + 1 + k) % n]);
        if (v & 1)
            v += (uint)k;
    }
    out[i] = v;
}

//: butterflies local=8
kernel void butterflies(global const uint *in, global uint *out, global uint *sums, local uint *tile)
{
    // Neighbours of lanes are neighbours in memory, once the distance is that of the lanes.
    int i = item(), l = local_item(), n = local_items();
    tile[l] = in[i];
    tile[l + n] = in[i] * 7u;
    for (int d = 1; d < n; d *= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        int a = 2 * l - (l & (d - 1)), b = a + d;
        if (b < 2 * n) {
            uint x = tile[a], y = tile[b];
            if ((x > y) == ((a & 2 * d) == 0)) {
                tile[a] = y + 1;
                tile[b] = x;
            }
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    out[i] = mix(tile[l], tile[l + n]);
}

//: tree local=4
kernel void tree(global const uint *in, global uint *out, global uint *sums, local uint *tile)
{
    int i = item(), l = local_item(), n = local_items();
    tile[l] = in[i];
    for (int s = 1; s < n; s *= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (l % (2 * s) == 0 && l + s < n)
            tile[l] += tile[l + s];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    out[i] = l == 0 ? tile[0] : tile[l];
}

//: scan_in_group local=4
kernel void scan_in_group(global const uint *in, global uint *out, global uint *sums, local uint *tile)
{
    int i = item(), l = local_item(), n = local_items();
    tile[l] = in[i] & 0xffff;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int s = 1; s < n; s *= 2) {
        uint v = l >= s ? tile[l - s] : 0;
        barrier(CLK_LOCAL_MEM_FENCE);
        tile[l] += v;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    out[i] = tile[l];
}

//: barrier_in_uniform_if local=4
kernel void barrier_in_uniform_if(global const uint *in, global uint *out, global uint *sums, local uint *tile)
{
    int i = item(), l = local_item(), n = local_items();
    uint v = in[i];
    tile[l] = v;
    if ((get_group_id(0) + get_group_id(1)) & 1) {
        barrier(CLK_LOCAL_MEM_FENCE);
        v = tile[(l + 1) % n];
        if (v & 2)
            v *= 3;
        barrier(CLK_LOCAL_MEM_FENCE);
        tile[l] = v;
    } else if (in[0] & 1) {
        v += 7;
    } else {
        barrier(CLK_LOCAL_MEM_FENCE);
        v ^= tile[n - 1 - l];
    }
    out[i] = v;
}

//: rounds_by_group local=4
kernel void rounds_by_group(global const uint *in, global uint *out, global uint *sums, local uint *tile)
{
    int i = item(), l = local_item(), n = local_items();
    uint v = in[i];
    for (size_t k = 0; k <= get_group_id(0) % 3 + get_group_id(1) % 2; k++) {
        tile[l] = v;
        barrier(CLK_LOCAL_MEM_FENCE);
        if (v > tile[(l + 1) % n])
            v -= tile[(l + 1) % n];
        else
            v = v * 3 + 1;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    out[i] = v;
}

//: divergence_around_barrier local=4 out=8
kernel void divergence_around_barrier(global const uint *in, global uint *out, global uint *sums, local uint *tile)
{
    int i = item(), l = local_item(), n = local_items();
    uint v = in[i], k = 0;
    while (v & 1) {
        v >>= 1;
        k++;
    }
    tile[l] = v + k;
    barrier(CLK_LOCAL_MEM_FENCE);
    uint w = tile[(l + 3) % n];
    for (uint j = 0; j < (w & 7); j++) {
        if ((w >> j) & 4)
            k += w;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (k & 1)
        tile[l] = k;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[2 * i] = tile[n - 1 - l] + v;
    out[2 * i + 1] = k;
}

//: state_across_barriers local=4 out=16
kernel void state_across_barriers(global const uint *in, global uint *out, global uint *sums, local uint *tile)
{
    int i = item(), l = local_item(), n = local_items();
    uint array[6], uniform_value = in[0] * 3;
    uint4 vector = (uint4)(in[i], (uint)i, 7, in[i] >> 9);
    uchar small = (uchar)in[i];
    bool flag = in[i] & 2;
    for (int k = 0; k < 6; k++)
        array[k] = in[i] * (uint)k;
    tile[l] = vector.x;
    barrier(CLK_LOCAL_MEM_FENCE);
    array[tile[(l + 1) % n] % 6] += uniform_value;
    vector = vector.wzyx + tile[n - 1 - l];
    if (flag)
        small += 3;
    barrier(CLK_LOCAL_MEM_FENCE);
    tile[l] = array[vector.x % 6] + small;
    barrier(CLK_LOCAL_MEM_FENCE);
    flag = flag != (tile[(l + 5) % n] & 1);
    vstore4(vector + (uint4)(array[0] + array[5], array[3], tile[0], flag), i, out);
}

//: local_atomics local=4
kernel void local_atomics(global const uint *in, global uint *out, global uint *sums, local uint *tile)
{
    local uint bins[8];
    int i = item(), l = local_item();
    for (int k = l; k < 8; k += local_items())
        bins[k] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_inc(&bins[in[i] & 7]);
    if (in[i] & 8)
        atomic_add(&bins[0], in[i]);
    barrier(CLK_LOCAL_MEM_FENCE);
    out[i] = bins[i & 7];
    if (l < 8)
        atomic_add(&sums[l], bins[l]);
}

//: local_bytes local=16
kernel void local_bytes(global const uint *in, global uint *out, global uint *sums, local uchar *tile)
{
    int i = item(), l = local_item(), n = local_items();
    for (int k = 0; k < 16; k++)
        tile[k * n + l] = (uchar)(in[i] >> k);
    barrier(CLK_LOCAL_MEM_FENCE);
    uint r = 0;
    for (int k = 0; k < 16; k++)
        r = r * 3 + tile[l * 16 + k];
    out[i] = r;
}

//: local_vectors local=16 in=16 out=16
kernel void local_vectors(global const uint4 *in, global uint4 *out, global uint *sums, local uint4 *tile)
{
    int i = item(), l = local_item(), n = local_items();
    tile[l] = in[i];
    barrier(CLK_LOCAL_MEM_FENCE);
    uint4 v = tile[(l * 3 + 1) % n];
    if (v.x & 1)
        v.yz = tile[n - 1 - l].xw;
    out[i] = v;
}

//: transpose_in_group local=4
kernel void transpose_in_group(global const uint *in, global uint *out, global uint *sums, local uint *tile)
{
    int x = get_local_id(0), y = get_local_id(1), z = get_local_id(2), w = get_local_size(0), h = get_local_size(1);
    tile[(z * w + x) * h + y] = in[item()];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[item()] = tile[local_item()];
}

//: group_constants ids
kernel void group_constants(global const uint *in, global uint *out)
{
    local uint shared;
    local float once[2];
    if (local_item() == 0) {
        shared = in[item()];
        once[0] = (float)(shared & 255);
        once[1] = once[0] * 0.5f;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    uint r = shared;
    for (uint k = 0; k < (shared & 15); k++)
        r = mix(r, in[item()] + k);
    out[item()] = r + bits(once[r & 1]);
}

//: sorted_in_group local=4
kernel void sorted_in_group(global const uint *in, global uint *out, global uint *sums, local uint *tile)
{
    int i = item(), l = local_item(), n = local_items();
    tile[l] = in[i];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int round = 0; round < n; round++) { // odd-even
        int j = l * 2 + (round & 1);
        if (j + 1 < n && tile[j] > tile[j + 1]) {
            uint t = tile[j];
            tile[j] = tile[j + 1];
            tile[j + 1] = t;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    out[i] = tile[l];
}

//: shared_rows in=4 out=4 local=16
kernel void shared_rows(global const uint *in, global uint *out, global uint *sums, local uint *tile)
{
    int x = get_local_id(0), l = local_item(), n = local_items(), end = items() - 1;
    for (int k = 0; k < 4; k++)
        tile[k * n + l] = in[min(item() + k, end)] * (uint)(2 * k + 1);
    barrier(CLK_LOCAL_MEM_FENCE);
    // What all rows of the group read alike: it is loaded once a column.
    uint r = tile[3 * n + l];
#pragma unroll
    for (int k = 0; k < 4; k++)
        r = mix(r, tile[k * n + x] + tile[k * n + l - x]);
    r += tile[x + n] ^ tile[x + 2 * n];
    barrier(CLK_LOCAL_MEM_FENCE);
    tile[l] = r;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[item()] = tile[n - 1 - l] + r;
}

//: private_sums out=24 local=16
kernel void private_sums(global const uint *in, global uint *out, global uint *sums, local uint *tile)
{
    // Private arrays that live across the barriers of a loop: one that unrolling makes values of, one that
    // stays an array.
    uint acc[2][3], kept[5];
    int l = local_item(), n = local_items(), end = items() - 1;
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 3; j++)
            acc[i][j] = in[item()] + (uint)(3 * i + j);
    for (int i = 0; i < 5; i++)
        kept[i] = (uint)(i * i);
    for (int round = 0; round < 3; round++) {
        for (int k = 0; k < 4; k++)
            tile[k * n + l] = in[min(item() + 4 * round + k, end)];
        barrier(CLK_LOCAL_MEM_FENCE);
        uint a[2], b[3];
        for (int i = 0; i < 2; i++)
            a[i] = tile[i * n + l];
        for (int j = 0; j < 3; j++)
            b[j] = tile[(j + 1) * n + (n - 1 - l)];
        for (int i = 0; i < 2; i++)
            for (int j = 0; j < 3; j++)
                acc[i][j] = mix(acc[i][j], a[i] * b[j]);
        kept[a[0] % 5u] += b[2];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 3; j++)
            out[6 * item() + 3 * i + j] = acc[i][j] ^ kept[(3 * i + j) % 5];
}

// Private arrays across barriers whose elements have rows (regions/private_rows.c): at indices that all
// work-items share and at their own, in loops, through addresses that are made before a barrier; and arrays
// that stay in one piece.
//: private_rows in=64 out=64 local=4 ids
kernel void private_rows(global const uint *in, global uint *out, global uint *sums, local uint *tile)
{
    int i = item(), n = items(), l = local_item(), m = local_items();
    uint a[7], c = in[i];
    ushort b[3][4];
    uchar whole[8];
    for (int k = 0; k < 7; k++)
        a[k] = in[(i + k) % n] + (uint)k;
    for (int k = 0; k < 12; k++)
        b[k / 4][k % 4] = (ushort)(in[i] * (uint)(k + 3));
    *(uint *)(whole + 4) = in[i];
    *(uint *)whole = ~in[i];
    uint *own = a + in[i] % 3;
    ushort *row = b[in[i] / 16 % 3];
    for (int t = 0; t < 3; t++) {
        tile[l] = c + a[t];
        barrier(CLK_LOCAL_MEM_FENCE);
        c ^= tile[(l + 1) % m] * 3u + own[t + 1] + row[t] + whole[t + 2];
        a[t + 2] += c;
        a[c % 7] ^= 5u;
        row[1] += (ushort)c;
        whole[c % 8] += 1;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    for (int k = 0; k < 7; k++)
        c = c * 31u + a[k];
    out[i] = c;
    out[n + i] = b[0][1] + 3u * b[1][1] + 5u * b[2][1] + 7u * b[c % 3][c / 8 % 4];
    out[2 * n + i] = *(uint *)whole ^ *(uint *)(whole + 4);
}

// Indices with uniform parts that depend on branches and divisions (regions/uniform_parts.c), some of which
// only a part of the work-items computes; and vectors of three elements in local memory
// (ir/passes/vector_padding.c).
//: uniform_parts in=64 out=64 local=16 ids
kernel void uniform_parts(global const uint *in, global uint *out, global uint *sums, local uchar4 *space)
{
    local uchar3 *tile = (local uchar3 *)space;
    int i = item(), n = items(), l = local_item(), m = local_items();
    int g = get_group_id(0), h = get_group_id(1), part, other = 1;
    if (get_num_groups(0) & 1)
        part = (g * 7 + h) % (int)get_num_groups(1);
    else
        part = (h * 5 + g) / (1 + (int)get_num_groups(2)) + h;
    if (l & 1)
        other = (g * n + part) % 5;
    int a = part * 3 + l, b = other * 5 + l * 2, c = (part - l) * 9 + i;
    uint x = in[i];
    tile[l] = (uchar3)((uchar)x, (uchar)(x >> 8), (uchar)(x >> 16));
    barrier(CLK_LOCAL_MEM_FENCE);
    uchar3 t = tile[m - 1 - l];
    out[i] = t.x | (uint)t.y << 8 | (uint)t.z << 16;
    barrier(CLK_LOCAL_MEM_FENCE);
    tile[l] = tile[l] * (uchar3)3 + (uchar3)((uchar)a);
    barrier(CLK_LOCAL_MEM_FENCE);
    t = tile[(l + 1) % m];
    out[n + i] = (uint)(a + 3 * b) ^ (uint)c * 7u;
    out[2 * n + i] = t.x + 256u * t.y + 65536u * t.z;
    if (a < 30)
        out[3 * n + i] = in[(uint)(a * 13 + b) % (uint)n];
}

// Vectors of three elements that live across barriers. The last element of what is stored there is one that
// nobody has set, in one branch or in both.
//: spilled_threes in=64 out=64 local=16 ids
kernel void spilled_threes(global const uint *in, global uint *out, global uint *sums, local uint *space)
{
    int i = item(), n = items(), l = local_item(), m = local_items();
    uint3 a = (uint3)(in[i], in[(i + 1) % n], i), b = 0, c = a.zyx;
    ushort3 d = convert_ushort3(a >> 3);
    if (in[i] % 3 == 1)
        b = a * 5 + c;
    for (int k = 0; k < 3; k++) {
        space[l] = a.x + b.y + d.z;
        barrier(CLK_LOCAL_MEM_FENCE);
        uint x = space[(l + k + 1) % m];
        if (x & 4)
            b += c ^ x;
        else
            d = d.yzx + (ushort3)k;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    out[i] = a.x ^ a.y * 3 ^ a.z * 5;
    out[n + i] = b.x ^ b.y * 3 ^ b.z * 5 ^ c.y;
    out[2 * n + i] = d.x ^ d.y * 3u ^ d.z * 5u;
}
