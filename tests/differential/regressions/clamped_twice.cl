// A number that is clamped, moved beyond 2^31 and clamped again, then moved back: neighbours in the midst of
// the lanes are clamped, the first and the last one aren't (vectorize/emit/wrap_guarded.c).

//: clamped_twice in=4 out=4
kernel void clamped_twice(global const uint *in, global uint *out, global uint *sums)
{
    int i = item(), n = items();
    uint u = 0x7fffffe0u + (uint)(n & 7);
    uint r = 0;
    for (int k = -3; k < 4 + (n >> 20); k++) {
        int c = clamp(i + k, 0, n - 1);
        int s = (int)((uint)c + u);
        int d = min(s, 0x7fffffff - 5);
        int e = (int)((uint)d - u);
        r = mix(r, in[e]);
    }
    out[i] = r;
}
//: clamped_twice_max in=4 out=4
kernel void clamped_twice_max(global const uint *in, global uint *out, global uint *sums)
{
    int i = get_global_id(0) - get_global_offset(0), n = (int)get_global_size(0);
    uint u = 0x7fffffe0u + (uint)(n & 7);
    uint r = 0;
    for (int k = -3; k < 4 + (n >> 20); k++) {
        int c = max(i + k, 0);
        c = min(c, n - 1);
        int s = (int)((uint)c + u);
        int d = min(s, 0x7fffffff - 5);
        int e = (int)((uint)d - u);
        r = mix(r, in[e]);
    }
    out[item()] = r;
}
