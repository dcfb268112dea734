// Memory accesses of every shape. Lanes that are off must touch nothing: buffers end at guard pages.

//: strided in=20 out=12
kernel void strided(global const uint *in, global uint *out)
{
    int i = item();
    for (int k = 0; k < 3; k++)
        out[3 * i + k] = in[5 * i + k] + in[5 * i + 4 - k];
}

//: reversed
kernel void reversed(global const uint *in, global uint *out)
{
    int i = item(), n = items();
    out[n - 1 - i] = in[n - 1 - i] - in[i];
}

//: gather_scatter
kernel void gather_scatter(global const uint *in, global uint *out)
{
    int i = item(), n = items();
    // i * 5 + 1 permutes the indices unless 5 divides n
    int to = n % 5 ? (int)((uint)i * 5u % (uint)n) : n - 1 - i;
    out[to] = in[in[i] % (uint)n] + in[(in[i] >> 8) % (uint)n];
}

//: uniform_memory
kernel void uniform_memory(global const uint *in, global uint *out, global uint *sums)
{
    int i = item();
    sums[3] = in[0];             // the same from all
    if (in[0] & 1)
        sums[4] = in[0] * 2;
    out[i] = in[0] + in[items() - 1] + in[i];
}

//: uniform_store_by_some
kernel void uniform_store_by_some(global const uint *in, global uint *out, global uint *sums)
{
    int i = item();
    if (in[i] & 1)
        sums[1] = 7;
    if (in[i] == 0x12345)
        sums[2] = 8;
    if (i < 0)
        sums[100000000] = 9;
    out[i] = 1;
}

//: neighbours
kernel void neighbours(global const uint *in, global uint *out)
{
    int i = item(), n = items();
    uint r = in[i];
    if (i > 0)
        r += in[i - 1] * 3;
    if (i < n - 1)
        r += in[i + 1] * 5;
    if (i >= 16 && i < n - 16)
        r ^= in[i - 16] + in[i + 16];
    out[i] = r;
}

//: only_even_read
kernel void only_even_read(global const uint *in, global uint *out)
{
    int i = item(), n = items();
    // The last access of an odd item would be outside.
    if ((i & 1) == 0 || i + 1 < n)
        out[i] = in[i] + (2 * i + 2 < n ? in[2 * i + 2] : 0);
    else
        out[i] = 0;
}

//: narrow_index
kernel void narrow_index(global const uint *in, global uint *out)
{
    int i = item();
    uint n = (uint)items();
    uchar c = (uchar)(i * 3 + 250); // wraps
    ushort s = (ushort)(65530 + i);
    uint u = (uint)i + 0xfffffff0u; // wraps after 16
    uint r = c < n ? in[c] : 1;
    r += s < n ? in[s] : 2;
    r += u < n ? in[u] : 3;
    r += in[(uint)(i * 0x10000000) >> 28 < n ? (uint)(i * 0x10000000) >> 28 : 0];
    out[i] = r;
}

//: float4_array in=16 out=16 data=unit
kernel void float4_array(global const float4 *in, global float4 *out)
{
    int i = item();
    float4 v = in[i];
    out[i] = v.wzyx * 2.0f + (float4)(1.0f, v.x, v.y, fmin(v.x, v.y)); // doubling is exact: one rounding in every build
}

//: float4_by_some in=16 out=16 data=unit
kernel void float4_by_some(global const float4 *in, global float4 *out)
{
    int i = item();
    float4 v = in[i];
    if (v.x > 0.0f)
        out[i] = v;
    else if (v.y > 0.0f && i + 1 < items())
        out[i].zw = in[i + 1].xy;
}

//: float3_array in=16 out=16 data=unit
kernel void float3_array(global const float3 *in, global float3 *out)
{
    int i = item();
    float3 v = cross(in[i], (float3)(1.0f, 2.0f, 3.0f));
    // The fourth number of a float3 in memory is anything.
    out[i].x = v.x;
    out[i].yz = v.zy;
    ((global float *)out)[4 * i + 3] = v.y > 0.0f;
}

//: packed3 in=12 out=12 data=unit
kernel void packed3(global const float *in, global float *out)
{
    int i = item();
    float3 v = vload3(i, in);
    vstore3(v.zxy + v, i, out);
}

//: char16_array in=16 out=16
kernel void char16_array(global const char16 *in, global char16 *out)
{
    int i = item();
    char16 v = in[i];
    out[i] = v.s02468ace13579bdf + (v > (char)0);
}

//: uchar4_pixels in=4 out=4
kernel void uchar4_pixels(global const uchar4 *in, global uchar4 *out)
{
    int i = item();
    uint4 v = convert_uint4(in[i]);
    uint grey = (v.x * 77 + v.y * 150 + v.z * 29) >> 8;
    out[i] = (uchar4)((uchar)grey, (uchar)(255 - grey), in[i].z, 255);
}

//: int2_and_long in=8 out=24
kernel void int2_and_long(global const int2 *in, global long *out)
{
    int i = item();
    int2 v = in[i];
    out[3 * i] = (long)v.x * v.y;
    out[3 * i + 1] = as_long(v);
    out[3 * i + 2] = (long)(v.x > v.y) - i;
}

struct particle {
    float x, y;
    int kind;
    uchar tag[4];
    short mass;
};

//: struct_array in=20 out=20
kernel void struct_array(global const struct particle *in, global struct particle *out)
{
    int i = item();
    struct particle p = in[i];
    p.kind = p.kind / 3 + p.mass;
    p.tag[p.kind & 3] = (uchar)i;
    if (p.kind & 1)
        p.mass = (short)(p.mass * 2);
    out[i].kind = p.kind;
    out[i].mass = p.mass;
    out[i].x = as_float(as_uint(p.y) & 0xbfffffffu);
    for (int k = 0; k < 4; k++)
        out[i].tag[k] = p.tag[k];
}

//: bytes in=1 out=1
kernel void bytes(global const uchar *in, global uchar *out)
{
    int i = item();
    uchar v = in[i];
    if (v > 100)
        out[i] = (uchar)(v * 3);
    else if (v & 1)
        out[i] = v;
}

//: shorts in=2 out=4
kernel void shorts(global const short *in, global short *out)
{
    int i = item();
    short v = in[i];
    out[2 * i] = (short)(v * v);
    if (v < 0)
        out[2 * i + 1] = (short)(v >> 2);
}

//: longs in=8 out=8
kernel void longs(global const long *in, global long *out)
{
    int i = item();
    long v = in[i];
    out[i] = v < 0 ? v * 31 : v / 7 + (v << 3);
}

//: halves in=2 out=2 data=half
kernel void halves(global const half *in, global half *out)
{
    int i = item();
    float v = vload_half(i, in);
    if (v > 0.5f)
        v = v * v + 0.25f;
    vstore_half(v, i, out);
}

//: halves4 in=8 out=8 data=half
kernel void halves4(global const half *in, global half *out)
{
    int i = item();
    vstore_half4_rtz(vload_half4(i, in) * 0.3f, i, out);
}

//: doubles in=8 out=8 data=double
kernel void doubles(global const double *in, global double *out)
{
    int i = item();
    double v = in[i];
    for (int k = 0; k < 5 && v > 0.1; k++)
        v = v * 0.7 - 0.01;
    out[i] = v;
}

//: volatile_memory out=8
kernel void volatile_memory(global const volatile uint *in, global volatile uint *out)
{
    int i = item();
    uint a = in[i], b = in[i];
    out[2 * i] = a;
    if (b & 1)
        out[2 * i] = out[2 * i] + b;
    out[2 * i + 1] = out[2 * i];
}

//: constants
constant uint table[8] = {3, 1, 4, 1, 5, 9, 2, 6};
kernel void constants(global const uint *in, global uint *out)
{
    int i = item();
    out[i] = table[in[i] & 7] * 10 + table[i & 7] + table[2];
}

//: private_array
kernel void private_array(global const uint *in, global uint *out)
{
    uint a[12];
    int i = item();
    for (int k = 0; k < 12; k++)
        a[k] = in[i] >> k;
    for (int k = 0; k < 20; k++) {
        uint from = a[k % 12] % 12, to = (in[i] + (uint)k) % 12;
        a[to] += a[from] * 3;
        if (a[from] & 1)
            a[from] ^= a[to];
    }
    uint r = 0;
    for (int k = 0; k < 12; k++)
        r = r * 31 + a[k];
    out[i] = r;
}

//: private_bytes
kernel void private_bytes(global const uint *in, global uint *out)
{
    uchar a[16];
    short b[8];
    int i = item();
    for (int k = 0; k < 16; k++)
        a[k] = (uchar)(in[i] >> k);
    for (int k = 0; k < 8; k++)
        b[k] = (short)(a[2 * k] * 256 + a[2 * k + 1]);
    uint r = 0;
    for (uint k = 0; k < (in[i] & 15); k++) {
        a[(r + k) & 15] += (uchar)b[r & 7];
        b[k & 7] -= a[(k + r) & 15];
        r = mix(r, (uint)b[a[k] & 7]);
    }
    out[i] = r;
}

//: private_vectors in=16 out=16
kernel void private_vectors(global const uint4 *in, global uint4 *out)
{
    uint4 a[4];
    int i = item();
    uint4 v = in[i];
    for (int k = 0; k < 4; k++)
        a[k] = v.yzwx + (uint)k;
    for (int k = 0; k < 6; k++) {
        a[v.x & 3].y += a[v.y & 3].x;
        a[k & 3] ^= a[v.z & 3].wzyx;
        v = v.yzwx * 5 + 1;
    }
    out[i] = a[0] + a[1] * 3 + a[2] * 5 + a[v.w & 3];
}

struct node {
    int left, right;
    float weight;
};

//: private_structs
kernel void private_structs(global const uint *in, global uint *out)
{
    struct node tree[7];
    int stack[8], i = item(), top = 0;
    for (int k = 0; k < 7; k++) {
        tree[k].left = k < 3 ? 2 * k + 1 : -1;
        tree[k].right = k < 3 && (in[i] >> k & 1) ? 2 * k + 2 : -1;
        tree[k].weight = (float)(in[i] >> (k + 3) & 15);
    }
    float sum = 0.0f;
    stack[top++] = 0;
    while (top > 0) {
        struct node *n = &tree[stack[--top]];
        sum = sum * 1.5f + n->weight;
        if (n->weight == 3.0f)
            continue;
        if (n->left >= 0)
            stack[top++] = n->left;
        if (n->right >= 0)
            stack[top++] = n->right;
        if (sum > 1000.0f)
            break;
    }
    out[i] = bits(sum);
}

void bump(uint *p, uint by)
{
    if (*p & 1)
        *p += by;
    else
        *p ^= by;
}

//: pointers_to_private out=12
kernel void pointers_to_private(global const uint *in, global uint *out)
{
    uint a = 1, b = 2, c[4] = {3, 4, 5, 6};
    int i = item();
    uint v = in[i];
    uint *p = v & 1 ? &a : &b;
    bump(p, v);
    p = v & 2 ? &c[v >> 3 & 3] : p;
    bump(p, v >> 1);
    for (uint *q = c; q < c + (v >> 5 & 3); q++)
        bump(q, a);
    out[3 * i] = a;
    out[3 * i + 1] = b;
    out[3 * i + 2] = c[0] + 3 * c[1] + 5 * c[2] + 7 * c[3];
}

//: pointers_to_global out=8
kernel void pointers_to_global(global const uint *in, global uint *out)
{
    int i = item(), n = items();
    global const uint *p = in[i] & 1 ? in + i : in + (n - 1 - i);
    global const uint *end = in + n;
    uint r = 0;
    for (int k = 0; k < 5 && p < end; k++)
        r = r * 3 + *p++;
    out[2 * i] = r;
    out[2 * i + 1] = (uint)(end - p);
}

//: atomics out=4
kernel void atomics(global const uint *in, global uint *out, global uint *sums)
{
    int i = item();
    uint v = in[i];
    atomic_add(&sums[0], v);
    atomic_inc(&sums[1]);
    atomic_min((global int *)&sums[2], (int)v);
    atomic_max(&sums[3], v);
    atomic_or(&sums[4], 1u << (v & 31));
    atomic_xor(&sums[5], v);
    if (v & 1) {
        atomic_sub(&sums[6], v);
        atomic_dec(&sums[7]);
        atomic_add(&sums[8 + (v >> 1 & 15)], (uint)i);
    } else {
        atomic_max(&sums[30 + (v & 7)], (uint)i);
    }
    out[i] = v;
}

//: atomic_results out=4
kernel void atomic_results(global const uint *in, global uint *out, global uint *sums)
{
    // Every item takes another ticket; the sum of the tickets is the same in any order.
    int i = item();
    uint ticket = atomic_add(&sums[0], 1u), other = 0;
    if (in[i] & 4)
        other = atomic_add(&sums[1], 3u);
    atomic_add(&sums[2], ticket);
    atomic_add(&sums[3], other);
    out[i] = ticket < (uint)items() && other % 3 == 0;
}

//: compare_and_swap out=4
kernel void compare_and_swap(global const uint *in, global uint *out, global uint *sums)
{
    // An addition of one's own: lanes fight for the same word.
    int i = item();
    volatile global uint *word = &sums[in[i] & 3];
    uint old = *word, seen;
    while ((seen = atomic_cmpxchg(word, old, old + (uint)i)) != old)
        old = seen;
    out[i] = in[i];
}

//: row_and_column out=4
kernel void row_and_column(global const uint *in, global uint *out, global uint *sums)
{
    // Speculated, because it is true for most vector iterations: no row of w ends within one.
    int i = item(), w = (items() >> 2) + 5, x = i % w, y = i / w;
    uint r = in[i] + (uint)x * 3u;
    if (x > 0 && y > 0 && x < w - 1)
        r ^= in[(y - 1) * w + x - 1] + in[(y - 1) * w + x + 1];
    out[i] = r + (uint)y;
}

//: row_and_column_unsigned out=4
kernel void row_and_column_unsigned(global const uint *in, global uint *out, global uint *sums)
{
    uint i = (uint)item(), w = (uint)items() >> (in[0] & 7u), x = i % w, y = i / w, c = i % 100u;
    size_t g = (size_t)i, q = g / 37, t = g % 37;
    out[i] = in[y * w + x] * (c + 1) + (uint)(q ^ t) + in[37 * q + t];
}

//: divisor_of_any_sign out=4
kernel void divisor_of_any_sign(global const uint *in, global uint *out, global uint *sums)
{
    int i = item(), w = 20 - (items() & 63), x = i % w, y = i / w;
    out[i] = in[i] + (uint)x * 5u - (uint)y;
}

//: parts_of_ids out=4 ids
kernel void parts_of_ids(global const uint *in, global uint *out, global uint *sums)
{
    uint l = get_local_id(0), g = get_global_id(0), s = items() & 32 ? 32 : 16;
    uint r = mix(l & 15u, l >> 4) + mix(g & 31u, g >> 5) + (l & (s - 1)) * 9u + (g & (s - 1)) + (l & 96u);
    out[item()] = in[item()] ^ r;
}

//: transposed out=4
kernel void transposed(global const uint *in, global uint *out, global uint *sums)
{
    size_t x = get_global_id(0) - get_global_offset(0), y = get_global_id(1) - get_global_offset(1),
           z = get_global_id(2) - get_global_offset(2);
    out[(z * get_global_size(0) + x) * get_global_size(1) + y] = in[item()];
}

//: spin_lock out=4
kernel void spin_lock(global const uint *in, global uint *out, global uint *sums)
{
    // Whoever has the lock changes two words by no atomic. Lanes of one vector would wait for each other for
    // ever.
    int i = item();
    while (atomic_cmpxchg(&sums[0], 0u, 1u))
        ;
    sums[1] += in[i];
    sums[2] += sums[1] ? 3u : 3u * in[i] + 3u;
    atomic_xchg(&sums[0], 0u);
    out[i] = in[i];
}

//: tickets out=4
kernel void tickets(global const uint *in, global uint *out, global uint *sums)
{
    int i = item();
    if (in[i] & 1) {
        uint mine = atomic_inc(&sums[0]);
        while (atomic_or(&sums[1], 0u) != mine)
            ;
        sums[2] += in[i];
        atomic_inc(&sums[1]);
    }
    out[i] = in[i];
}

//: lock_in_loop out=4
kernel void lock_in_loop(global const uint *in, global uint *out, global uint *sums)
{
    int i = item();
    for (bool done = false; !done;)
        if (!atomic_cmpxchg(&sums[in[i] & 3], 0u, 1u)) {
            sums[4 + (in[i] & 3)] += in[i];
            done = true;
            atomic_xchg(&sums[in[i] & 3], 0u);
        }
    out[i] = in[i];
}

//: copies in=16 out=16
kernel void copies(global const uint4 *in, global uint4 *out)
{
    int i = item();
    uint a[4], b[4];
    vstore4(in[i], 0, a);
    for (int k = 0; k < 4; k++)
        b[k] = a[(k + (int)(a[0] & 3)) & 3];
    out[i] = vload4(0, b);
}

//: rows in=32 out=4 data=unit
kernel void rows(global const float *in, global float *out)
{
    int i = item();
    float sum = 0.0f;
    for (int k = 0; k < 8; k++)
        sum = fma(in[8 * i + k], sum, 0.5f);
    out[i] = sum;
}

//: columns in=32 out=4 data=unit
kernel void columns(global const float *in, global float *out)
{
    int i = item(), n = items();
    float sum = 0.0f;
    for (int k = 0; k < 8; k++)
        sum = fma(in[k * n + i], sum, 0.5f);
    out[i] = sum;
}

//: sparse_rows in=16
kernel void sparse_rows(global const uint *in, global uint *out)
{
    // Rows of different lengths, one after the other, up to the last word of the buffer.
    int i = item(), n = items() * 4;
    uint r = 0, length = in[i] & 7;
    for (int k = 4 * i; k < 4 * i + (int)length && k < n; k++)
        r = mix(r, in[k] + in[in[k] % (uint)n]);
    out[i] = r;
}

//: parts_at_places in=16 out=16
kernel void parts_at_places(global const uint4 *in, global uint4 *out)
{
    int i = item(), n = items();
    uint4 v = in[in[i].x % (uint)n];
    uint4 r = v.wzyx + in[i];
    if (v.y & 1)
        r ^= in[v.z % (uint)n];
    if (v.y & 2) {
        r.x += ((global const uchar *)in)[v.x % (uint)(16 * n)];
        r.y += ((global const ushort *)in)[v.w % (uint)(8 * n)];
        r.zw += ((global const uint2 *)in)[v.w % (uint)(2 * n)];
    }
    int to = n % 3 ? (int)((uint)i * 3u % (uint)n) : n - 1 - i;
    out[to] = r;
    if (v.x & 4)
        out[to].zw = r.xy;
    if (v.x & 8)
        ((global uchar4 *)out)[4 * to + 1] = as_uchar4(r.w).yzwx;
}

//: crossing_stores out=12
kernel void crossing_stores(global const uint *in, global uint *out)
{
    int i = item();
    out[3 * i] = in[i];
    out[3 * i + 1] = out[3 * i] * 3;
    out[3 * i + 2] = 1;
    uint a = out[3 * i + 1];
    out[3 * i + 1] = a + out[3 * i + 2];
    out[3 * i + 2] = out[3 * i + 1] ^ out[3 * i];
    if (in[i] & 1) {
        out[3 * i]++;
        out[3 * i + 2] = out[3 * i];
    }
}

//: overlapping_parts in=16
kernel void overlapping_parts(global const uint *in, global uint *out)
{
    int i = item();
    uint r = in[4 * i + 2] * 3 + in[4 * i];
    if (i + 1 < items())
        for (int k = 0; k < 7; k++)
            r = r * 5 + in[4 * i + k + 1];
    out[i] = r;
}

//: small_parts in=8 out=12
kernel void small_parts(global const uchar *in, global uchar *out)
{
    int i = item();
    uchar a = in[8 * i + 1], b = in[8 * i + 2], c = in[8 * i + 5];
    global ushort *s = (global ushort *)out;
    s[6 * i] = (ushort)(a * b);
    s[6 * i + 1] = (ushort)(b + c);
    for (int k = 4; k < 11; k++)
        out[12 * i + k] = (uchar)(a * k + b);
    if (c & 1)
        out[12 * i + 11] = in[8 * i + 7];
    else if (c & 2)
        s[6 * i + 1] = a;
}

//: parts_after_an_early_return in=12 out=12
kernel void parts_after_an_early_return(global const uint *in, global uint *out)
{
    int i = item();
    uint3 v = vload3((size_t)i, in);
    vstore3(v, (size_t)i, out);
    if (v.x % 3 == 0)
        return;
    for (uint k = 0; k < v.y % 4; k++) {
        uint3 w = vload3((size_t)(i - i % 3), in);
        vstore3(w * v + k, (size_t)i, out);
    }
}

//: unsigned_sums out=8
kernel void unsigned_sums(global const uint *in, global uint *out)
{
    uint u = (uint)item(), n = (uint)items(), r = in[u], half_way = n / 2, shift = in[0] % n;
    if (u > 0)
        r += in[u - 1] * 3;
    if (u + 1 < n)
        r ^= in[u + 1];
    uint back = u - half_way; // wraps for the first half
    if (back < n)
        r += in[back];
    for (uint k = u; k < n; k += shift + 3)
        r = r * 5 + in[k];
    for (int k = item(); k < items(); k += (int)half_way + 1)
        r = r * 7 + in[k];
    if (u >= shift)
        out[u - shift] = r;
    else
        out[u + (n - shift)] = r;
    for (uint k = 0; k < 3; k++)
        if (r & (1u << k))
            out[n + u * (k + 1) / (k + 1)] = in[(u + k * shift) % n] + k;
}

//: tables out=8
kernel void tables(global const uint *in, global uint *out)
{
    // Private arrays of constants: set at once, set sparsely, set in a loop and read before and after it, and
    // one that isn't constant.
    const uint primes[9] = {2, 3, 5, 7, 11, 13, 17, 19, 23};
    const int steps[16] = {0, 1, 0, -1, 0, 0, 0, 0, 0, 0, 0, 5};
    uint odd[4] = {1, 3, 5, 7};
    uint x = in[item()], r = 0;
    for (int i = 0; i < 9; i++)
        r = mix(r, primes[i] * x);
    for (uint i = 0; i < (x & 7u); i++) {
        const float weights[5] = {0.5f, 0.25f, -0.0f, 3e38f, 1e-40f};
        r = mix(r, bits(weights[(x + i) % 5u]));
        r += (uint)steps[(x >> 3) + i & 15u];
    }
    if (x & 1u)
        odd[x >> 1 & 3u] = 9;
    out[2 * item()] = r;
    out[2 * item() + 1] = odd[x >> 4 & 3u] + (uint)steps[r & 15u];
}

//: searched in=8
kernel void searched(global const uint *in, global uint *out)
{
    // The loaded value decides where the next iteration loads (binary search). The trip count differs between
    // work-items.
    uint x = in[item()], low = 0, high = (uint)(2 * items());
    while (low < high) {
        uint middle = (low + high) / 2u;
        if (mix(in[middle], low) < x)
            low = middle + 1;
        else
            high = middle - (x & 1u & (uint)(middle > low));
    }
    out[item()] = low;
}

// Private arrays that are filled, and copied, as a whole: elements of every size, straight and in loops, some
// of them in parts, in structures of one size of elements and of several, and inside of loops and branches.
struct rows {
    uint a[3], b[3];
};
struct mixed {
    uchar a[5];
    uint b[3];
    ulong c;
};

//: filled
kernel void filled(global const uint *in, global uint *out)
{
    int i = item();
    uint v = in[i], sum = 0;
    uint few[4] = {1, 2, 3, 4}, many[40] = {0}, part[20] = {7, 8, 9};
    uchar bytes[24] = {1, 2, 3};
    ushort halves[6] = {0};
    ulong wide[5] = {0, v};
    float3 threes[3] = {(float3)(1, 2, 3)};
    struct rows r = {{1, 2, 3}, {4}}, s;
    struct mixed m = {{9, 8}, {7}, 6}, o;
    for (uint k = 0; k < (v & 7u); k++) {
        uint again[3] = {k, 5};
        again[(v >> k) % 3u] += v;
        few[(v + k) & 3u] += again[k % 3u];
        many[(v * k) % 40u] ^= v + again[1];
        part[(v + k) % 20u] += k;
        bytes[(v >> k) % 24u] += (uchar)v;
        halves[(v ^ k) % 6u] += (ushort)v;
        wide[(v + k) % 5u] += v;
        ((private uint *)&r)[(v + k) % 6u] ^= v;
        m.a[(v + k) % 5u] ^= (uchar)k;
        m.b[(v + k) % 3u] += v;
        if (v & 8u) {
            s = r;
            s.b[k % 3u] += again[2];
            r = s;
        }
        o = m;
        o.c += o.a[(v + 1u) % 5u] + o.b[v % 3u];
        m = o;
    }
    for (uint k = 0; k < 40u; k++)
        sum = sum * 31u + few[k & 3u] + many[k] + part[k % 20u] + bytes[k % 24u] + halves[k % 6u] + (uint)wide[k % 5u] +
              r.a[k % 3u] + r.b[(k + v) % 3u] + m.a[k % 5u] + m.b[k % 3u] + (uint)m.c;
    threes[v % 3u].y += 2.0f;
    out[i] = sum + (uint)threes[(v + 1u) % 3u].y + (uint)threes[0].z;
}

//: filled_across_barriers local=4
kernel void filled_across_barriers(global const uint *in, global uint *out, global uint *sums, local uint *tile)
{
    int i = item(), l = local_item(), n = local_items();
    uint a[24] = {3, 1}, b[24];
    for (uint k = 0; k < 3u; k++) {
        a[(in[i] >> k) % 24u] += in[i];
        tile[l] = a[in[i] % 24u];
        barrier(CLK_LOCAL_MEM_FENCE);
        uint c[5] = {tile[(l + 1) % n]};
        c[in[i] % 5u] += k;
        a[(in[i] + k) % 24u] ^= c[0] + c[k];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    for (int k = 0; k < 24; k++)
        b[k] = a[(k * 5) % 24];
    out[i] = b[in[i] % 24u] + a[(in[i] >> 3) % 24u];
}

// Groups of bytes that begin one before their base: no offset is the mark of none.
//: bytes_around_a_place in=36 out=16
kernel void bytes_around_a_place(global const uint *in, global uint *out)
{
    int i = item();
    const global uchar *b = (const global uchar *)in, *p = b + max((int)(in[i] & 31u), 1), *q = b + max((int)(in[i] >> 8 & 31u), 2);
    const global uchar *r = b + max((int)(in[i] >> 16 & 31u), 3);
    out[4 * i] = p[-1] * 3u + p[0] * 5u + p[1] * 7u;
    out[4 * i + 1] = q[0] * 3u + q[-1] * 5u + q[1] * 7u + q[-2] * 11u;
    out[4 * i + 2] = r[1] * 3u + r[0] * 5u + r[-1] * 7u;
    out[4 * i + 3] = r[-3] * 3u + r[-1] * 5u;
}

//: bytes_from_the_end_on
kernel void bytes_from_the_end_on(global const uint *in, global uint *out)
{
    int i = item(), n = items();
    global uchar *p = (global uchar *)out + 4 * (n - i);
    uint x = in[i];
    p[-2] = (uchar)x;
    p[-1] = (uchar)(x >> 8);
    p[-4] = (uchar)(x >> 16);
    p[-3] = (uchar)(x >> 24);
}

//: bytes_from_the_end_on_in_order
kernel void bytes_from_the_end_on_in_order(global const uint *in, global uint *out)
{
    int i = item(), n = items();
    global uchar *p = (global uchar *)out + 4 * (n - i);
    for (int k = -1; k >= -4; k--)
        p[k] = (uchar)(in[i] >> (-8 * k & 31));
}
