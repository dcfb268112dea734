// Kernels named like what their own code needs: the function that copies memory, the description of the code.
typedef struct {
    int x[60];
} large;

//: memcpy in=4 out=4
kernel void memcpy(global const int *in, global int *out)
{
    int i = item();
    large a, b;
    for (int k = 0; k < 60; k++)
        a.x[k] = in[i] + k;
    b = a;
    a.x[in[i] & 31] += 5;
    if (in[i] & 1)
        b = a;
    out[i] = b.x[in[i] & 31] ^ a.x[7];
}

//: weft_kernel_info in=4 out=4
kernel void weft_kernel_info(global const int *in, global int *out)
{
    int i = item();
    out[i] = in[i] + 1;
}
