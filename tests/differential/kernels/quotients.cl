// Whole numbers by numbers that aren't known: lanes divide as doubles, where a work-item alone divides whole
// numbers. Numbers next to multiples of the divisor, and divisors of all sizes; each lane its own, or one for
// all.

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

// Least numbers by -1 and all by 0 too, which give some number but don't end the program; lanes that are off
// have such divisors as well. What is of 64 bits isn't divided as doubles.
constant uint quotients_ends[16] = {0, 1, 0xffffffffu, 0x80000000u, 0x7fffffffu, 0x80000001u, 2, 3, 0xfffffffeu, 0xfffffffdu, 0x10000, 0xffff, 0x8000, 0x5555, 46341, 641};

//: quotients_at_the_ends
kernel void quotients_at_the_ends(global const uint *in, global uint *out)
{
    int i = item();
    uint r = 0, first = quotients_ends[in[0] & 15];
    for (uint k = 0; k < 16u; k++) {
        uint a = quotients_ends[(uint)i + k & 15], b = quotients_ends[(uint)i * 5u + k * 3u + ((uint)i >> 4) & 15];
        r = mix(r, a / b * 3u + a % b + a / first + a % first * 5u);
        r = mix(r, (uint)((int)a / (int)b + (int)a % (int)b * 3 + (int)a / (int)first + (int)a % (int)first * 7));
        if (a & 1u)
            r = mix(r, (uint)((int)b / (int)a + (int)b % (int)quotients_ends[a >> 16 & 3]));
        r = mix(r, (uint)((short)a / (short)b + (ushort)a % (ushort)b + (char)a / (char)b + (uchar)a % (uchar)b));
        ulong c = (ulong)in[i] << 32 | a, d = (ulong)b << 32 >> (k * 4u);
        r = mix(r, (uint)(c / d) + (uint)((long)c % (long)d) + (uint)(c / first));
    }
    out[i] = r;
}
