// RUN: --check-prefix=WEIGHTS --emit=prepare -k weights
// RUN: --check-prefix=LANES WEFT_VF=16 --report=vectorize -k weights
// RUN: --check-prefix=TWICE --emit=prepare -k written_twice
// RUN: --check-prefix=BETWEEN --emit=prepare -k read_between
// Private arrays that are filled with constants once, and only read then, become constant data.

// WEIGHTS: @weft.table = internal unnamed_addr constant [36 x i8]
// WEIGHTS-NOT: alloca
// LANES: line 22: {{.*}}load of 4 bytes: uniform: one for all lanes
// LANES-NOT: private memory
kernel void weights(global const float *in, global float *out, int n)
{
    const float w[9] = {0.0f, 0.25f, 0.0f, 0.0f, 0.5f, 0.0f, 0.0f, 0.0f, 1.0f};
    int i = get_global_id(0);
    float sum = 0.0f;
    for (int k = 0; k < n; k++)
        sum += in[i + k]
#line 22
               * w[k];
    out[i] = sum;
}

// TWICE-NOT: weft.table
// TWICE: alloca
kernel void written_twice(global const int *in, global int *out)
{
    int a[4] = {1, 2, 3, 4}, i = get_global_id(0);
    if (in[i])
        a[2] = 5;
    out[i] = a[in[i] & 3];
}

// BETWEEN-NOT: weft.table
// BETWEEN: alloca
kernel void read_between(global const int *in, global int *out)
{
    int a[4] = {1, 2, 3, 4}, i = get_global_id(0);
    int before = a[in[i] & 3];
    a[0] = 7;
    out[i] = before + a[in[i + 1] & 3];
}
