// Whole numbers by numbers that aren't known: lanes divide as doubles, where a work-item alone divides whole numbers. Numbers next to
// multiples of the divisor, and divisors of all sizes; each lane its own, or one for all.

//: quotients_of_lanes
kernel void quotients_of_lanes(global const uint *in, global uint *out)
{
    int i = item();
    uint r = 0;
    for (uint k = 0; k < 6u; k++) {
        uint b = in[i] >> (5u * k) | 1u, q = mix(in[i], k) % (~0u / b), a = q * b;
        r = mix(r, a / b + (a + 1u) / b * 3u + (a - 1u) % b + ~a / b);
        int c = (int)a, d = (int)b;
        r = mix(r, (uint)(c / d + (c + 1) % d + (c - 1) / d + -c / d));
        r = mix(r, (uint)((short)c / (short)d + (uchar)a % (uchar)b));
    }
    out[i] = r;
}

//: quotients_by_one
kernel void quotients_by_one(global const uint *in, global uint *out)
{
    int i = item();
    uint r = 0;
    for (uint k = 0; k < 8u; k++) {
        uint b = in[0] >> (4u * k) | 1u, a = in[i] / b * b;
        r = mix(r, a / b + (a - 1u) / b * 3u + (a + 1u) % b + ~a / b);
        int c = (int)in[i], d = (int)b;
        r = mix(r, (uint)(c / d + c % d));
    }
    for (uint k = 0; k < 4u; k++)
        if (in[i] & 1u << k)
            r = mix(r, in[i] / (k + in[0] % 3u) + (uint)((int)in[i] % (int)(k - in[0] % 5u)));
    out[i] = r;
}
