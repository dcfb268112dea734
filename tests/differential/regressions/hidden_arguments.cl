// options: -cl-std=CL3.0
// Functions that are too large to be inlined and ask for ids, or name __local or program-scope variables, get
// these as hidden arguments. Each calls the one below twice: inlined, this were 300,000 instructions.
global uint seed = 12345;

uint bottom(uint x, local uint *t)
{
    uint y = x * 2654435761u ^ (uint)local_item();
    y ^= t[(y >> 7) % (uint)local_items()] + seed;
    if (y & 4)
        y = y * (uint)get_local_size(0) + (uint)get_global_id(1);
    return y ^ (uint)get_group_id(0) ^ (uint)(get_global_size(0) + get_num_groups(2)) ^ (uint)get_work_dim();
}
#define LEVEL(name, below, k)                                      \
    uint name(uint x, local uint *t)                               \
    {                                                              \
        if (x & k)                                                 \
            x ^= (uint)get_local_id(0) + (uint)get_global_offset(0); \
        return below(x + k, t) ^ below(x * (k + 2), t) * 3;        \
    }
LEVEL(f1, bottom, 1)
LEVEL(f2, f1, 2)
LEVEL(f3, f2, 4)
LEVEL(f4, f3, 8)
LEVEL(f5, f4, 16)
LEVEL(f6, f5, 32)
LEVEL(f7, f6, 64)
LEVEL(f8, f7, 128)
LEVEL(f9, f8, 256)
LEVEL(f10, f9, 512)
LEVEL(f11, f10, 1024)
LEVEL(f12, f11, 2048)

//: hidden_arguments local=4
kernel void hidden_arguments(global const uint *in, global uint *out, global uint *sums, local uint *tile)
{
    int i = item();
    local uint others[1024];
    tile[local_item()] = in[i] ^ 77;
    others[local_item()] = in[i];
    barrier(CLK_LOCAL_MEM_FENCE);
    uint x = f12(in[i], tile);
    if (in[i] & 1)
        x += f11(x, others);
    out[i] = x;
}
