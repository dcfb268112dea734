// Small tables of constants, which may be in registers: elements of all sizes, tables that fill a part of a
// register, one, two and four, parts of larger ones, and tables that are too large; by lanes of which some
// are off.

constant uchar box[16] = {12, 5, 6, 11, 9, 0, 10, 13, 3, 14, 15, 8, 4, 7, 1, 2};
constant uint crc[16] = {0x00000000, 0x1db71064, 0x3b6e20c8, 0x26d930ac, 0x76dc4190, 0x6b6b51f4, 0x4db26158, 0x5005713c,
                         0xedb88320, 0xf00f9344, 0xd6d6a3e8, 0xcb61b38c, 0x9b64c2b0, 0x86d3d2d4, 0xa00ae278, 0xbdbdf21c};
constant float five[5] = {1.0f, -2.5f, 4.0f, 8.5f, 0.125f};
constant short steps[24] = {7,  8,  9,  10, 11, 12, 13, 14, 16, 17, 19, 21, 23, 25, 28, 31, 34, 37, 41, 45, 50, 55, 60, -66};
constant double halves[12] = {0.5, 1.5, 2.5, 3.5, 4.5, 5.5, 6.5, 7.5, 8.5, 9.5, 10.5, -11.5};
constant ulong wide[20] = {1ul << 63, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53, 59, 61, 67, 0xfedcba9876543210ul};
constant uchar grid[8][8] = {{1, 2, 3, 4, 5, 6, 7, 8},         {9, 10, 11, 12, 13, 14, 15, 16}, {17, 18, 19, 20, 21, 22, 23, 24},
                             {25, 26, 27, 28, 29, 30, 31, 32}, {33, 34, 35, 36, 37, 38, 39, 40}, {41, 42, 43, 44, 45, 46, 47, 48},
                             {49, 50, 51, 52, 53, 54, 55, 56}, {57, 58, 59, 60, 61, 62, 63, 64}};
constant char none[32] = {0};
constant ushort ending[40] = {1, 2, 3, 40000};
constant struct {
    uchar kind;
    uint weight;
} pairs[6] = {{1, 100}, {2, 200}, {3, 300}, {4, 400}, {5, 500}, {6, 600}};
constant struct {
    int x;
    uchar c[3]; // and a byte of padding
} padded[4] = {{1, {1, 2, 3}}, {-2, {4, 5, 6}}, {3, {7, 8, 9}}, {4, {1, 5, 9}}};
constant struct {
    uchar c[3];
    int x;
} padded_within[4] = {{{1, 2, 3}, 1}, {{4, 5, 6}, 2}, {{7, 8, 9}, -3}, {{1, 5, 9}, 4}};
#define AT(n, k) (((n) * 7 + (k)) & 255)
#define ROW(n) AT(n, 1), AT(n, 3), AT(n, 9), AT(n, 27), AT(n, 81), AT(n, 243), AT(n, 729), AT(n, 2187)
#define ROWS(n) ROW(n), ROW(n + 1), ROW(n + 2), ROW(n + 3)
constant uchar bytes[256] = {ROWS(0),  ROWS(4),  ROWS(8),  ROWS(12), ROWS(16), ROWS(20), ROWS(24), ROWS(28)};
constant uint words[64] = {ROWS(0), ROWS(40)};
constant uint many[256] = {ROWS(1),  ROWS(5),  ROWS(9),  ROWS(13), ROWS(17), ROWS(21), ROWS(25), ROWS(29)};

//: nibbles
kernel void nibbles(global const uint *in, global uint *out)
{
    uint x = in[item()], y = 0;
    for (int k = 0; k < 32; k += 4)
        y |= (uint)box[x >> k & 15] << k;
    out[item()] = y;
}

//: crc_by_nibbles
kernel void crc_by_nibbles(global const uint *in, global uint *out)
{
    uint h = in[item()];
    for (int k = 0; k < 8; k++)
        h = h >> 4 ^ crc[h & 15];
    out[item()] = h;
}

//: by_some
kernel void by_some(global const uint *in, global uint *out)
{
    uint x = in[item()], sum = 7;
    if (x % 3 != 0)
        sum += bits(five[x % 5]);
    for (uint k = 0; k < x % 7; k++)
        sum = mix(sum, (uint)steps[(x + k) % 24] + words[(sum ^ k) % 64]);
    out[item()] = sum;
}

//: of_all_sizes
kernel void of_all_sizes(global const uint *in, global uint *out)
{
    uint x = in[item()], h = bytes[x & 255];
    h = mix(h, many[x >> 8 & 255]);
    h = mix(h, many[100 + (x >> 8 & 15)]);
    h = mix(h, bytes[77 + (x >> 4 & 31)]);
    ulong w = wide[x % 20] ^ bits64(halves[x / 20 % 12]);
    h = mix(mix(h, (uint)w), (uint)(w >> 32));
    h = mix(h, (uint)none[x & 31] + ending[x % 40]);
    h = mix(h, pairs[x % 6].weight + pairs[x / 6 % 6].kind);
    out[item()] = h;
}

//: of_two_dimensions
kernel void of_two_dimensions(global const uint *in, global uint *out)
{
    uint x = in[item()], h = 0;
    for (int k = 0; k < 8; k++)
        h = mix(h, grid[k][x >> k & 7] + grid[x >> k & 7][k] + grid[x & 7][x >> 3 & 7]);
    out[item()] = h;
}

//: backwards
kernel void backwards(global const uint *in, global uint *out)
{
    int x = (int)(in[item()] & 15);
    constant uint *end = crc + 15;
    out[item()] = end[-x] + bytes[200 - 3 * x];
}

//: written_in_the_kernel
kernel void written_in_the_kernel(global const uint *in, global uint *out)
{
    float w[7] = {0.5f, 1.0f, 2.0f, -3.0f, 4.0f, 5.0f, 0.0f};
    const ushort u[9] = {1, 22, 333, 4444, 55555, 6, 77, 888, 9999};
    uint x = in[item()];
    out[item()] = bits(w[x % 7]) + u[x / 7 % 9];
}

//: strings
kernel void strings(global const uint *in, global uint *out)
{
    uint x = in[item()], h = 0;
    for (int k = 28; k >= 0; k -= 4)
        h = mix(h, (uint) "0123456789abcdef"[x >> k & 15]);
    out[item()] = h;
}

//: in_structures
kernel void in_structures(global const uint *in, global uint *out)
{
    uint x = in[item()], h = (uint)padded[x & 3].x + padded[x >> 2 & 3].c[x % 3];
    h = mix(h, (uint)padded_within[x >> 4 & 3].x + padded_within[x >> 6 & 3].c[x / 3 % 3]);
    out[item()] = h;
}

//: of_pointers_that_loops_leave_behind
kernel void of_pointers_that_loops_leave_behind(global const uint *in, global uint *out)
{
    uint x = in[item()], h = x, k = x & 7;
    constant uint *p;
    do {
        p = &crc[h >> 4 & 15];
        h = h * 5 + 1;
    } while (--k < 7);
    out[item()] = *p;
}

constant uint eight[8] = {1, 22, 333, 4444, 55555, 666666, 7777777, 88888888};
constant struct {
    uint a[16];
    constant uint *rest;
    ushort b[6];
} beside[2] = {{{3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9, 3}, eight, {1, 2, 3, 4, 5, 6}},
               {{2, 7, 1, 8, 2, 8, 1, 8, 2, 8, 4, 5, 9, 0, 4, 5}, eight + 3, {7, 8, 9, 10, 11, 12}}};
constant char3 threes[4] = {(char3)(1, 2, 3), (char3)(-4, 5, -6), (char3)(7, -8, 9), (char3)(10, 11, -12)};
constant uint choices[2][2][2] = {{{1, 2}, {3, 4}}, {{5, 6}, {7, 8}}};
constant struct {
    uchar a;
    struct {
    } nothing;
    uint x;
} with_nothing[4] = {{1, {}, 5}, {2, {}, 6}, {3, {}, 7}, {4, {}, 8}};

//: beside_addresses
kernel void beside_addresses(global const uint *in, global uint *out)
{
    uint x = in[item()];
    out[item()] = beside[0].a[x & 15] + beside[1].b[x % 6] * 10 + beside[x >> 4 & 1].rest[x & 3];
}

//: of_parts_of_numbers
kernel void of_parts_of_numbers(global const uint *in, global uint *out)
{
    uint x = in[item()];
    constant uchar *b = (constant uchar *)eight;
    constant ulong *w = (constant ulong *)eight;
    out[item()] = b[x & 31] + ((constant ushort *)eight)[x & 15] * 3 + (uint)(w[x & 3] >> 17) + ((constant uint *)box)[x >> 5 & 3];
}

//: of_vectors
kernel void of_vectors(global const uint *in, global uint *out)
{
    uint x = in[item()];
    char3 c = threes[x & 3];
    uint4 e = vload4(x & 1, eight);
    out[item()] = (uint)(c.x * 3 + c.y * 5 + c.z) + e.x + e.y * 3 + e.z * 5 + e.w * 7;
}

//: by_indices_that_wrap
kernel void by_indices_that_wrap(global const uint *in, global uint *out)
{
    uint x = in[item()], y = (x & 15) + 0xfffffff8u;
    uchar a = (uchar)(x + 241);
    short s = (short)(x * 8192);
    int n = (int)x % 8;
    uint h = box[a >> 4] + eight[(uchar)(x * 64) >> 5] + steps[(uchar)(x + 200) % 24] + steps[12 + (s >> 13)];
    h = mix(h, box[y + 8] + (box + 8)[n] + (box + 16)[(size_t)(x & 15) - 16] + box[(x & 7) + (uint)(get_global_size(0) % 3)]);
    out[item()] = h;
}

//: by_ids
kernel void by_ids(global const uint *in, global uint *out)
{
    size_t l = get_global_id(0) - get_global_offset(0);
    uint h = eight[l * 3 & 7] + box[(l & 7) * 2] + box[15 - (l & 15)] + in[item()];
    if (l < 12)
        h = mix(h, (uint)steps[l * 2]);
    if (l < 7)
        h = mix(h, (uint)steps[23 - l * 3] + box[l]);
    out[item()] = h;
}

//: of_little_ones
kernel void of_little_ones(global const uint *in, global uint *out)
{
    uint x = in[item()];
    out[item()] = choices[x & 1][x >> 1 & 1][x >> 2 & 1] + choices[1][x >> 4 & 1][0] + with_nothing[x & 3].x * 3 + with_nothing[x >> 2 & 3].a;
}

//: deep
kernel void deep(global const uint *in, global uint *out)
{
    uint x = in[item()];
    for (int k = 0; k < 9; k++)
        x = (x >> 4) ^ eight[box[box[box[x & 15] ^ 1] ^ (x >> 28)] >> 1] ^ x << 9;
    switch (x & 7) {
    case 0:
        x = box[x >> 3 & 15];
        break;
    case 1:
        x = eight[x >> 3 & 7]; // fall through
    case 2:
        x += (uint)steps[x % 24];
        break;
    case 3:
        if (x & 8)
            return;
        x = box[x >> 9 & 15];
    }
    out[item()] = x;
}
