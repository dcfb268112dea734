// Compiled to SPIR-V before the program is delivered. What a C program would #define, and so compile once for each
// value, are specialization constants here: the host sets them in the module, before it builds it.

// The translator makes a constant with this number and default of each call.
int __attribute__((overloadable)) __spirv_SpecConstant(int id, int value);
float __attribute__((overloadable)) __spirv_SpecConstant(int id, float value);
#define TAPS __spirv_SpecConstant(0, 3)
#define SCALE __spirv_SpecConstant(1, 1.0f)

// out[i]: the sum of TAPS numbers, scaled. in has TAPS - 1 numbers more than out.
kernel void filter(global const float *in, global float *out)
{
    size_t i = get_global_id(0);
    float sum = 0;
    for (int tap = 0; tap < TAPS; tap++)
        sum += in[i + tap];
    out[i] = SCALE * sum;
}
