// RUN: --check-prefix=ONE --emit=prepare -k one
// RUN: --check-prefix=OTHER WEFT_CPU=haswell,skylake-avx512 --emit=prepare -k other
// RUN: --check-prefix=OWN WEFT_CPU=haswell,skylake-avx512 --emit=prepare -k own
// RUN: --check-prefix=NATIVE --emit=prepare -k native
// sin and cos of one number become one sincos, which reduces the number once. It multiplies by 2/pi, sin and
// cos alone by 1/pi. (Without fma they use 2/pi too: there the test can't tell them apart.)

// ONE-LABEL: define {{.*}} @one(
// ONE-NOT: 0x3FD45F3060000000
// ONE: 0x3FE45F3060000000
kernel void one(global float *out, global const float *in, float f)
{
    int i = get_global_id(0);
    float e = in[i];
    out[2 * i] = cos(e * f);
    out[2 * i + 1] = sin(f * e);
}

// OTHER-LABEL: define {{.*}} @other(
// OTHER: 0x3FD45F3060000000
// OTHER: 0x3FD45F3060000000
kernel void other(global float *out, global const float *in, float f)
{
    int i = get_global_id(0);
    out[i] = cos(in[i]) + sin(in[i] + f);
}

// NATIVE-LABEL: define {{.*}} @native(
// NATIVE-NOT: 0x3FD45F3060000000
// NATIVE: 0x3FE45F3060000000
// NATIVE-NOT: 0x3FD45F3060000000
// NATIVE-NOT: 0x3FE45F3060000000
kernel void native(global float2 *out, global const float *in)
{
    int i = get_global_id(0);
    float e = in[i];
    out[i] = (float2)(native_cos(e), native_sin(e));
}

// What a program calls by these names is its own.
float __attribute__((overloadable)) sincos(float x, private float *c)
{
    *c = x;
    return 7.0f * x;
}
// OWN-LABEL: define {{.*}} @own(
// OWN: 0x3FD45F3060000000
// OWN: 0x3FD45F3060000000
kernel void own(global float *out, global const float *in)
{
    int i = get_global_id(0);
    float x = in[i], c, s = sincos(x, &c);
    out[i] = cos(x) + sin(x) + s + c;
}
