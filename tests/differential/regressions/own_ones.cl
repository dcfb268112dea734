// 1 that is added to wide vectors comes from memory (codegen/optimize.c): from a variable of the program's
// with its name, once.
constant uint weft_one32[16] = {7, 5, 7, 5, 7, 5, 7, 5, 7, 5, 7, 5, 7, 5, 7, 5};

//: own_ones in=4 out=4
kernel void own_ones(global const uint *in, global uint *out)
{
    uint x = in[item()], sum = weft_one32[x & 15];
    for (int k = 0; k < 9; k++) {
        x ^= x << 13;
        sum ^= (x >> 8) + 1;
    }
    out[item()] = sum;
}
