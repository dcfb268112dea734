// RUN: --check-prefix=LANES WEFT_VF=16 --emit=vectorize -k lanes
// RUN: --check-prefix=ONE WEFT_VF=16 --emit=vectorize -k one
// Integers are divided as vectors of double. Where the divisor is uniform, its reciprocal is multiplied.

// LANES: sitofp <{{.*}} to <{{[0-9]+}} x double>
// LANES: fdiv <{{[0-9]+}} x double>
// LANES: fptosi <{{[0-9]+}} x double> {{.*}} to <{{[0-9]+}} x i32>
kernel void lanes(global int *a, global const int *b)
{
    int i = get_global_id(0);
    a[i] /= b[i];
}

// ONE: fdiv double 0x3FF0000000000010
// ONE: fmul <{{[0-9]+}} x double>
// ONE: fptoui <{{[0-9]+}} x double> {{.*}} to <{{[0-9]+}} x i32>
kernel void one(global uint *a, uint b)
{
    int i = get_global_id(0);
    a[i] = a[i] * 17 % b;
}
