// A load's group begins between two stores of a group: the first of them, which happens with the second, is
// in front of loads that join the load's group later. Words of private memory (a byte anywhere keeps them
// there) and of global memory.

//: words_in_private in=16 out=16
kernel void words_in_private(global const uint *in, global uint *out)
{
    int i = item();
    uint w[16], sum = 0;
    for (uint k = 0; k < 16u; k++)
        w[k] = k;
    ((uchar *)w)[in[0] % 64u] = 1;
    w[2] = w[15] + in[i];
    w[5] = w[2] + w[5];
    w[6] = w[3] * 2u;
    for (uint k = 0; k < 16u; k++)
        sum = sum * 31u + w[k];
    out[i] = sum;
}

//: words_in_global in=16 out=32
kernel void words_in_global(global const uint *in, global uint *out)
{
    int i = item();
    global uint *w = out + 8 * i;
    uint sum = 0;
    w[2] = w[7] + in[i];
    w[5] = w[2] + w[5];
    w[6] = w[3] * 2u;
    for (uint k = 0; k < 8u; k++)
        sum = sum * 31u + w[k];
    w[0] = sum;
}
