// Shrunk from a random kernel (seed 200312): the lowest bit of the item's number is a stride of one bit, not
// uniform.

//: strided_bit_selects in=4 out=16
kernel void strided_bit_selects(global const uint *in, global uint *out)
{
    int i = item(), n = items();
    out[(i & 1) * n + i] = 1u;
}

//: strided_bit_branches in=4 out=4
kernel void strided_bit_branches(global const uint *in, global uint *out)
{
    int i = item();
    if ((bool)(i & 1))
        out[i] = in[i];
    for (int k = 0; (bool)((i + k) & 1) && k < 3; k += 2)
        out[i] ^= 5;
}
