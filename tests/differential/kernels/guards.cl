// Comparisons whose outcome is the same for all lanes but where an edge lies in the midst of them.

//: guard_end
kernel void guard_end(global const uint *in, global uint *out)
{
    int i = (int)(get_global_id(0) - get_global_offset(0)), n = (int)get_global_size(0);
    if (i < n - 5)
        out[item()] = in[item()] * 3 + 1;
}

//: guard_plane
kernel void guard_plane(global const uint *in, global uint *out)
{
    int x = (int)(get_global_id(0) - get_global_offset(0)), y = (int)(get_global_id(1) - get_global_offset(1));
    int w = (int)get_global_size(0), h = (int)get_global_size(1);
    if (x < 1 || y < 1 || x >= w - 1 || y >= h - 1)
        return;
    int i = item();
    out[i] = in[i - 1] + 3 * in[i + 1] + 5 * in[i - w] + 7 * in[i + w];
}

//: guard_bytes in=1 out=1
kernel void guard_bytes(global const uchar *in, global uchar *out)
{
    int i = item(), n = items();
    if (i > 2 && i <= n - 7)
        out[i] = (uchar)(in[i - 1] + 2 * in[i] + in[i + 1]);
}

//: guard_unsigned
kernel void guard_unsigned(global const uint *in, global uint *out)
{
    uint i = (uint)item(), n = (uint)items();
    // A test of two bounds: what is below the lower one wraps.
    uint r = 0;
    if (i - 3u < n - 9u)
        r = in[i];
    if (i + 0xfffffff0u > 5u)
        r = mix(r, in[n - 1 - i]);
    out[i] = r;
}

//: guard_far
kernel void guard_far(global const uint *in, global uint *out)
{
    // Numbers that pass the sign's place in the midst of the lanes, well defined as unsigned ones.
    int i = item(), far = (int)((uint)i + 0x7ffffff9u);
    uint above = (uint)i * 3u + 0xffffffd0u, r = 0;
    if (far > 7)
        r = in[i];
    if (above < 40u)
        r = mix(r, 7u);
    if (far != (int)0x80000005u)
        r += 11;
    if ((long)i * 5 - 23 >= 0)
        r = mix(r, in[i / 2]);
    out[i] = r;
}

//: guard_equal
kernel void guard_equal(global const uint *in, global uint *out)
{
    int i = item(), n = items();
    int left = i == 0 ? n - 1 : i - 1, right = i == n - 1 ? 0 : i + 1;
    uint r = in[left] + 3 * in[right];
    if (i == 21)
        r = mix(r, 1);
    if (2 * i != 44)
        r = mix(r, in[i]);
    if (n - i == 9)
        r = ~r;
    out[i] = r;
}

//: guard_loop
kernel void guard_loop(global const uint *in, global uint *out)
{
    int i = item(), n = items();
    uint r = 0;
    for (int k = 0; k < 5; k++) {
        if (i + 2 < n)
            r = mix(r, in[i + 2]);
        if (i < 40)
            continue;
        r += in[i - 40 + k];
    }
    out[i] = r;
}

//: guard_down
kernel void guard_down(global const uint *in, global uint *out)
{
    int i = item(), n = items(), back = n - 1 - i;
    uint r = 0;
    if (back >= 6)
        r = in[back - 6];
    if (33 > back)
        r = mix(r, in[back]);
    out[i] = r;
}

//: guard_one_lane ids
kernel void guard_one_lane(global const uint *in, global uint *out)
{
    local uint t[1024];
    int l = local_item(), s = local_items(), i = item(), n = items();
    t[l] = in[i];
    barrier(CLK_LOCAL_MEM_FENCE);
    uint r = t[l];
    if (get_local_id(0) == 0 && l < 1024) {
        for (int k = 0; k < 3; k++)
            r = mix(r, t[l * 5 % s]) + in[(i * 7 + k) % n];
        if (l == 0)
            r += t[s - 1];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l != 3)
        t[l] = r;
    else
        t[l] = in[(uint)(i * 11) % (uint)n];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[i] = t[l] + (l + 1 < s ? t[l + 1] : 0);
}

//: guard_private
kernel void guard_private(global const uint *in, global uint *out)
{
    int i = item(), n = items();
    uint a[6];
    for (int k = 0; k < 6; k++)
        a[k] = in[(i + k) % n];
    if (i < n - 3) {
        a[in[i] % 6] = 5;
        a[2] += 9;
    }
    if (i == 5)
        a[in[i] % 6] += 100;
    uint r = 0;
    for (int k = 0; k < 6; k++)
        r = mix(r, a[k]);
    out[i] = r;
}

//: guard_ring
kernel void guard_ring(global const uint *in, global uint *out)
{
    int i = item(), n = items();
    int left = i > 0 ? i - 1 : n - 1, right = i < n - 1 ? i + 1 : 0, far = i + 6 >= n ? i + 6 - n : i + 6;
    uint r = in[left] + 3 * in[right] + 5 * (far < n ? in[far] : 1u);
    // Two answers to one question.
    uint a = i < 35 ? (uint)i : 7u, b = i < 35 ? 9u : (uint)i;
    if (in[i] & 2)
        r = mix(r, in[i >= 2 ? i - 2 : n - 1 - i]);
    out[i] = mix(r, a * 3 + b);
}
